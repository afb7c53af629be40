//! Tools → rows of functions and conversions, without code.

use dialect::{Conversion, Failure, Function, Handler, Interrupt, Invocation, Signature, Type};
use futures::future::BoxFuture;

use super::Lowering;
use super::types::TypeContext;
use crate::diagnostic::Code;
use crate::syntax::{Definition, DefinitionKind, DocTag, Documentation, Name, Tool};

/// The row of a tool.
pub(crate) enum Callable {
    /// A function, which is called by its name.
    Function(Box<Function>),
    /// A conversion, which is applied where its result is expected.
    Conversion(Conversion),
}

impl<'s, 'a> Lowering<'s, 'a> {
    /// Returns the row of a tool; `None` after reporting an error.
    pub(crate) fn tool(&mut self, definition: &'a Definition, home: usize) -> Option<Callable> {
        let DefinitionKind::Tool(tool) = &definition.kind else { return None };
        let signature = self.signature(definition, tool, home)?;
        let text = self.spelled(&signature, definition, home)?;
        if definition.documentation.tag("conversion").is_some() {
            return self.conversion(definition, tool, &signature, text, home);
        }
        let documentation = &definition.documentation;
        let mut row = Function::new(text, joined(documentation.first_sentence()), Missing);
        row.docs = docs(documentation, tool);
        row.aliases = words(documentation, "alias");
        row.foreign = words(documentation, "foreign");
        row.parameter_aliases = parameter_aliases(tool);
        row.effect = self.effect(definition, tool, home);
        row.requires = self.requirements(&tool.requires, home);
        row.asks = self.asks(&tool.requires, home);
        row.fails = self.failures(tool, home);
        row.notes = self.notes(definition, tool, home);
        row.examples = self.examples(definition, home);
        Some(Callable::Function(Box::new(row)))
    }

    fn signature(&mut self, definition: &'a Definition, tool: &'a Tool, home: usize) -> Option<Signature> {
        if tool.parameters.elided {
            let message =
                format!("no program can call `{}`: its parameters are left out", definition.name.text);
            self.error(home, Code::NO_SUCH_SIGNATURE, tool.parameters.span, message)
                .help("write them out; without types they take anything");
            return None;
        }
        self.reset();
        let place: TypeContext<'s, 'a> = TypeContext::new(self.scope(home));
        let mut parameters = Vec::new();
        for parameter in &tool.parameters.list {
            let before: Option<&dialect::Parameter> = parameters.last();
            if parameter.is_required() && before.is_some_and(|it| it.optional) {
                let name = &parameter.name;
                let message =
                    format!("`{}` must be given, and stands behind what may be left out", name.text);
                self.error(home, Code::NO_SUCH_SIGNATURE, name.span, message)
                    .help("put the parameters that may be left out last");
                return None;
            }
            let ty = parameter.ty.as_ref();
            parameters.push(self.parameter(&parameter.name.text, parameter.optional, ty, &place));
        }
        let returns = tool.returns.as_ref().map_or(Type::Any, |ty| self.ty(ty, &place));
        Some(Signature { name: definition.name.text.clone(), parameters, returns, is_open: false })
    }

    /// Returns the type of the result of a tool of the document at the index `home`; null without one.
    pub fn returned(&mut self, tool: &'a Tool, home: usize) -> Type {
        self.reset();
        let place: TypeContext<'s, 'a> = TypeContext::new(self.scope(home));
        tool.returns.as_ref().map_or(Type::Any, |ty| self.ty(ty, &place))
    }

    /// Returns the notes of the detailed help: the version that added the tool, and its body.
    fn notes(&self, definition: &Definition, tool: &Tool, home: usize) -> String {
        let since = definition.documentation.tag("since").map(|it| format!("Since {}.", it.text.trim()));
        let body = tool.body.as_ref().map(|it| format!("It does {}", self.document(home).text(it.span)));
        since.into_iter().chain(body).collect::<Vec<_>>().join("\n")
    }

    fn conversion(
        &mut self,
        definition: &'a Definition,
        tool: &'a Tool,
        signature: &Signature,
        text: String,
        home: usize,
    ) -> Option<Callable> {
        if signature.parameters.len() != 1 || signature.required() != 1 {
            let message = format!("the conversion `{}` does not take one thing", definition.name.text);
            self.error(home, Code::CONVERSION, definition.name.span, message)
                .help("give it one parameter that must be given, or no `@conversion`");
            return None;
        }
        let mut row = Conversion::new(text, joined(&definition.documentation.text), Missing);
        row.requires = self.requirements(&tool.requires, home);
        row.fails = self.failures(tool, home);
        if definition.documentation.tag("pure").is_some() {
            row = row.computes();
        }
        Some(Callable::Conversion(row))
    }
}

/// The code of a row without an implementation.
#[derive(Debug)]
struct Missing;

impl Handler for Missing {
    fn call(&self, _: Invocation) -> BoxFuture<'static, Result<dialect::Value, Interrupt>> {
        let failure = Failure::raised("notImplemented", "this is declared, and nothing implements it");
        Box::pin(async move { Err(failure.into()) })
    }
}

/// Returns the documentation beyond the first sentence, with the parameters.
fn docs(documentation: &Documentation, tool: &Tool) -> String {
    let first = documentation.first_sentence();
    let rest = documentation.text.trim_start().strip_prefix(first).unwrap_or(&documentation.text);
    let mut parts = vec![unwrapped(rest.trim())];
    let tagged = |name, words: &str| {
        documentation.tag(name).map(|tag| format!("{words} {}", tag.text).trim().to_owned())
    };
    parts.extend(tagged("deprecated", "Deprecated:"));
    parts.extend(tagged("preferWhen", "Prefer it when"));
    parts.push(items(tool.parameters.list.iter().map(|it| (&it.name, &it.documentation))));
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// Returns a list item for each documented name.
pub(super) fn items<'a>(all: impl Iterator<Item = (&'a Name, &'a Documentation)>) -> String {
    let item = |(name, documentation): (&Name, &Documentation)| {
        let text = joined(&documentation.text);
        (!text.is_empty()).then(|| format!("- `{}`: {text}", name.text))
    };
    all.filter_map(item).collect::<Vec<_>>().join("\n")
}

fn parameter_aliases(tool: &Tool) -> Vec<(String, String)> {
    let parameters = tool.parameters.list.iter();
    let aliases = parameters.flat_map(|parameter| {
        let names = words(&parameter.documentation, "alias");
        names.into_iter().map(|alias| (alias, parameter.name.text.clone()))
    });
    aliases.collect()
}

/// Returns the names in all tags of a name.
fn words(documentation: &Documentation, tag: &str) -> Vec<String> {
    let tags = documentation.tags.iter().filter(|it| it.name == tag);
    let words = tags.flat_map(|DocTag { text, .. }| text.split([',', ' ']));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Joins the lines of each paragraph and of each list item.
fn unwrapped(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().map(str::trim) {
        match lines.last_mut() {
            Some(last) if !last.is_empty() && !line.is_empty() && !line.starts_with(['-', '*', '|']) => {
                last.push(' ');
                last.push_str(line);
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

/// Joins all lines.
pub(super) fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
