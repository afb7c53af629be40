//! Completion of names, keywords, refinements and paths.

use ailang::syntax::{Definition, DefinitionKind, ModuleReference};
use ailang::{Analysis, BUILT_IN_FUNCTIONS, OccurrenceKind, Suggestion, ValueMember};
use source_text::Span;

use super::context::{Context, code_at, context};
use super::hover::documentation;
use crate::answers::{Completion, Kind};
use crate::workspace::DocumentView;

/// The primitive types.
const PRIMITIVES: [&str; 10] =
    ["string", "number", "int", "bool", "any", "void", "null", "List", "Dict", "choice"];

/// The words that start definitions and clauses.
const DEFINITION_WORDS: [&str; 8] =
    ["type", "enum", "capability", "error", "tool", "import", "requires", "throws"];

/// The words of statements.
const PROGRAM_WORDS: [&str; 12] =
    ["if", "else", "for", "while", "try", "catch", "finally", "return", "throw", "true", "false", "null"];

/// The fields of front matter, with their values.
const FIELDS: [(&str, &[&str]); 10] = [
    ("id", &[]),
    ("title", &[]),
    ("summary", &[]),
    ("loading", &["on_demand", "by_rule", "manual", "eager"]),
    ("keywords", &[]),
    ("related", &[]),
    ("version", &["1.0.0"]),
    ("size_hints", &[]),
    ("rules", &[]),
    ("ailang", &["\"0.3\""]),
];

/// Returns what may stand at a place.
pub(crate) fn completions(view: &DocumentView, offset: usize) -> Vec<Completion> {
    let document = view.document();
    let (context, span) = context(document, offset);
    let list = List { view, analysis: Analysis::new(view.package.documents()), offset, span };
    let typed = document.source[span.range()].to_lowercase();
    let mut found = list.of(&context);
    found.retain(|it| it.label.to_lowercase().starts_with(&typed));
    found
}

struct List<'a> {
    view: &'a DocumentView,
    analysis: Analysis<'a>,
    offset: usize,
    span: Span,
}

impl List<'_> {
    fn of(&self, context: &Context) -> Vec<Completion> {
        match context {
            Context::FrontMatterField => self.fields(),
            Context::FrontMatterValue(field) => {
                let values = FIELDS.iter().filter(|(name, _)| name == field).flat_map(|(_, values)| *values);
                values.map(|value| self.plain(value, Kind::Variant, "")).collect()
            }
            Context::Tag => self.tags(),
            Context::ImportPath => self.paths(),
            Context::ImportName(module) => self.exports(module),
            Context::Member(name) => self.members(name),
            Context::Type => self.types(),
            Context::Capability => self.names(|kind| matches!(kind, DefinitionKind::Capability(_))),
            Context::Error => self.names(|kind| matches!(kind, DefinitionKind::Error(_))),
            Context::Definition => self.words(&DEFINITION_WORDS),
            Context::Program => self.program(),
            Context::Nothing => Vec::new(),
        }
    }

    fn plain(&self, name: &str, kind: Kind, detail: &str) -> Completion {
        Completion {
            label: name.to_owned(),
            kind,
            detail: detail.to_owned(),
            documentation: String::new(),
            insert: name.to_owned(),
            span: self.span,
        }
    }

    fn words(&self, words: &[&str]) -> Vec<Completion> {
        words.iter().map(|word| self.plain(word, Kind::Keyword, "")).collect()
    }

    fn fields(&self) -> Vec<Completion> {
        let field = |name: &str| {
            let insert = format!("{name}: ");
            Completion { insert, ..self.plain(name, Kind::Field, "") }
        };
        FIELDS.iter().map(|(name, _)| field(name)).collect()
    }

    fn tags(&self) -> Vec<Completion> {
        let block = |label: &str, insert: String| Completion { insert, ..self.plain(label, Kind::Tag, "") };
        let body = |tag: &str, name: &str| format!("<{tag}>\n\n```typescript\n\n```\n\n</{name}>");
        vec![
            block("<define>", body("define", "define")),
            block("<example>", body("example id=\"\" tool=\"\"", "example")),
        ]
    }

    /// Returns the other documents of the package, as paths relative to this one.
    fn paths(&self) -> Vec<Completion> {
        let all = self.view.package.documents();
        let documents = all.iter().filter(|(path, _)| *path != self.view.path && !all.is_installed(path));
        let path = |path: &str| relative(&self.view.path, path);
        let title = |document: &ailang::Document| {
            document.front_matter.title.as_ref().map_or_else(String::new, |title| title.value.clone())
        };
        documents.map(|(it, document)| self.plain(&path(it), Kind::File, &title(document))).collect()
    }

    fn exports(&self, module: &str) -> Vec<Completion> {
        let quoted = module.starts_with('.');
        let reference = ModuleReference { text: module.to_owned(), quoted, span: Span::default() };
        if let Some(path) = self.analysis.module(&self.view.path, &reference) {
            return self.analysis.exports_of(path).iter().map(|it| self.suggestion(it)).collect();
        }
        // A module that nothing is imported from yet is not among the documents.
        let offered = ailang::standard_definitions(&reference);
        let suggestions = offered.map(|it| Suggestion { name: &it.1.name.text, definition: Some(it) });
        suggestions.map(|it| self.suggestion(&it)).collect()
    }

    fn members(&self, name: &str) -> Vec<Completion> {
        let path = &self.view.path;
        let members = self.analysis.members_of(path, self.offset, name);
        if !members.is_empty() {
            return members.iter().map(|it| self.suggestion(it)).collect();
        }
        let members = self.analysis.members_of_value(path, self.span.start);
        if !members.is_empty() {
            return members.into_iter().map(|it| self.member(it)).collect();
        }
        let in_define = code_at(self.view.document(), self.offset)
            .is_some_and(|(kind, _)| kind == ailang::split::BlockKind::Define);
        let refinements = if in_define { self.analysis.refinements_of(path, name) } else { Vec::new() };
        let refinement = |(name, words): (&str, &str)| {
            let end = if words == "no argument" { "()" } else { "(" };
            let insert = format!("{name}{end}");
            Completion { insert, ..self.plain(name, Kind::Method, &format!("takes {words}")) }
        };
        refinements.into_iter().map(refinement).collect()
    }

    fn member(&self, it: ValueMember) -> Completion {
        let kind = if it.is_method { Kind::Method } else { Kind::Field };
        let end = match it.is_method {
            true if it.declaration.contains("()") => "()",
            true => "(",
            false => "",
        };
        Completion {
            insert: format!("{}{end}", it.name),
            documentation: it.documentation,
            ..self.plain(&it.name, kind, &it.declaration)
        }
    }

    fn types(&self) -> Vec<Completion> {
        let is_type = |kind: &DefinitionKind| {
            matches!(kind, DefinitionKind::Type(_) | DefinitionKind::Enum(_) | DefinitionKind::Error(_))
        };
        let primitives = PRIMITIVES.iter().map(|name| self.plain(name, Kind::BuiltIn, "primitive"));
        self.names(is_type).into_iter().chain(primitives).chain(self.type_parameters()).collect()
    }

    /// Returns the parameters of the type that is being defined.
    fn type_parameters(&self) -> Vec<Completion> {
        let around = self.view.document().definitions().filter(|it| it.span.start < self.offset).last();
        let parameters = around.into_iter().flat_map(|it| match &it.kind {
            DefinitionKind::Type(it) => it.parameters.as_slice(),
            _ => &[],
        });
        parameters.map(|name| self.plain(&name.text, Kind::TypeParameter, "type parameter")).collect()
    }

    fn names(&self, is_wanted: impl Fn(&DefinitionKind) -> bool) -> Vec<Completion> {
        let names = self.analysis.names_at(&self.view.path, self.offset);
        let wanted = names.iter().filter(|it| {
            // A module may lead to any kind.
            it.definition.is_none_or(|(_, definition)| is_wanted(&definition.kind))
        });
        wanted.map(|it| self.suggestion(it)).collect()
    }

    fn program(&self) -> Vec<Completion> {
        let mut found = self.variables();
        found.extend(self.names(|kind| !matches!(kind, DefinitionKind::Capability(_))));
        found.extend(self.arguments());
        let function = |name: &&str| {
            let insert = format!("{name}(");
            Completion { insert, ..self.plain(name, Kind::BuiltIn, "built in") }
        };
        found.extend(BUILT_IN_FUNCTIONS.iter().map(function));
        found.extend(self.words(&PROGRAM_WORDS));
        found
    }

    /// Returns the variables that were assigned before, in the same block.
    fn variables(&self) -> Vec<Completion> {
        let document = self.view.document();
        let Some((_, code)) = code_at(document, self.offset) else { return Vec::new() };
        let found = self.analysis.occurrences(&self.view.path);
        let is_near = |it: &&ailang::Occurrence| {
            let is_variable = it.target.kind == OccurrenceKind::Variable && it.span == it.target.span;
            is_variable && code.start <= it.span.start && it.span.end < self.offset
        };
        let names = found.iter().filter(is_near).map(|it| document.text(it.span));
        let names: std::collections::BTreeSet<&str> = names.collect();
        names.into_iter().map(|name| self.plain(name, Kind::Variable, "variable")).collect()
    }

    /// Returns the parameters of the call around the place, as named arguments.
    fn arguments(&self) -> Vec<Completion> {
        let Some(call) = super::signature::call_at(self.view, &self.analysis, self.offset) else {
            return Vec::new();
        };
        let DefinitionKind::Tool(tool) = &call.definition.kind else { return Vec::new() };
        let argument = |it: &ailang::syntax::Parameter| {
            let insert = format!("{} = ", it.name.text);
            let detail = call.home.text(it.span).trim().to_owned();
            let documentation = documentation(&it.documentation);
            Completion { insert, detail, documentation, ..self.plain(&it.name.text, Kind::Parameter, "") }
        };
        tool.parameters.list.iter().map(argument).collect()
    }

    fn suggestion(&self, it: &Suggestion<'_>) -> Completion {
        let Some((document, definition)) = it.definition else {
            let is_module = it.name.starts_with(|char: char| char.is_ascii_lowercase());
            let kind = if is_module { Kind::Module } else { Kind::Variant };
            return self.plain(it.name, kind, "");
        };
        Completion {
            detail: shortened(&document.declaration(definition)),
            documentation: documentation(&definition.documentation),
            ..self.plain(it.name, kind_of(definition), "")
        }
    }
}

fn kind_of(definition: &Definition) -> Kind {
    match definition.kind {
        DefinitionKind::Type(_) => Kind::Type,
        DefinitionKind::Enum(_) => Kind::Enum,
        DefinitionKind::Capability(_) => Kind::Capability,
        DefinitionKind::Error(_) => Kind::Error,
        DefinitionKind::Tool(_) => Kind::Tool,
    }
}

/// Returns the first line of a text, at most 120 characters of it.
fn shortened(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(120).collect()
}

/// Returns the path of a document relative to another one, as imports spell it.
fn relative(from: &str, to: &str) -> String {
    let folders: Vec<&str> = from.split('/').collect();
    let folders = &folders[..folders.len() - 1];
    let parts: Vec<&str> = to.split('/').collect();
    let shared = folders.iter().zip(&parts).take_while(|(left, right)| left == right).count();
    let up = "../".repeat(folders.len() - shared);
    let start = if up.is_empty() { "./" } else { up.as_str() };
    format!("{start}{}", parts[shared..].join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_importing_document() {
        for (from, to, path) in [
            ("main.md", "types.md", "./types.md"),
            ("main.md", "lib/types.md", "./lib/types.md"),
            ("lib/main.md", "types.md", "../types.md"),
            ("lib/a/main.md", "lib/b/types.md", "../b/types.md"),
        ] {
            assert_eq!(relative(from, to), path);
        }
    }
}
