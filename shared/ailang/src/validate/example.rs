//! Rule 5: examples have ids and belong to existing tools. Their calls are checked in `statements`.

use std::collections::HashMap;

use source_text::{Severity, Span};

use super::Checker;
use super::statements::Walker;
use crate::diagnostic::Code;
use crate::document::Example;
use crate::names::{DocumentSymbols, Scope, Symbol};
use crate::split::Attribute;
use crate::syntax::{Block, Definition, DefinitionKind, Documentation, Program, Tool};

impl<'a> Checker<'_, 'a> {
    pub(super) fn examples(&mut self) {
        let mut ids: HashMap<&str, Span> = HashMap::new();
        for example in &self.document.examples {
            self.example_id(example, &mut ids);
            let imported = self.table.imported_by(self.home, &example.program);
            let local = [imported, DocumentSymbols::defined(&example.program, self.home)];
            self.example_tool(example, &local);
            self.program(&example.program, &local);
            // Code with syntax errors may have assigned any name.
            if self.occurrences.is_some()
                || !self.has_errors(example.span, Code::UNTERMINATED_COMMENT..=Code::TOO_DEEP)
            {
                let scope = Scope { table: self.table, home: self.home, local: &local };
                Walker::new(self, scope, &example.program).items(&example.program.items);
            }
        }
    }

    fn example_id(&mut self, example: &'a Example, ids: &mut HashMap<&'a str, Span>) {
        let Some((id, attribute)) = example.id().zip(example.attribute("id")) else { return };
        if let Some(first) = ids.insert(id, attribute.span) {
            self.unknown(Code::DUPLICATE_EXAMPLE, attribute.span, format!("two examples are called `{id}`"))
                .related(first, "the other one");
        }
    }

    fn example_tool(&mut self, example: &Example, local: &[DocumentSymbols<'a>]) {
        let Some((name, attribute)) = example.tool().zip(example.attribute("tool")) else { return };
        let scope = Scope { table: self.table, home: self.home, local };
        self.attribute_use(attribute, name, scope);
        let is_tool = match scope.find(name) {
            Some(Symbol::Definition(definition, _)) => matches!(definition.kind, DefinitionKind::Tool(_)),
            Some(Symbol::Opaque) => true,
            _ => name.contains('.'),
        };
        if is_tool {
            let aliases = match scope.find(name) {
                Some(Symbol::Definition(definition, _)) => aliases(&definition.documentation),
                _ => Vec::new(),
            };
            return self.calls_its_tool(example, name, &aliases, attribute);
        }
        let known = self.tools(scope);
        self.unknown(Code::UNKNOWN_EXAMPLE_TOOL, attribute.span, format!("no tool is called `{name}`"))
            .nearest(name, attribute.span, known);
    }

    /// Reports an example that never names its tool.
    fn calls_its_tool(&mut self, example: &Example, name: &str, aliases: &[&str], attribute: &Attribute) {
        let is_part = |char: char| char.is_alphanumeric() || char == '_';
        let programs = example.attachments.iter().filter(|it| it.kind == "dialect").map(|it| it.body);
        let mut words = example
            .code
            .iter()
            .copied()
            .chain(programs)
            .flat_map(|span| self.document.text(span).split(|char: char| !is_part(char)));
        let name = name.rsplit('.').next().unwrap_or(name);
        if words.any(|word| word == name || aliases.contains(&word)) {
            return;
        }
        let severity = self.by_strictness(None, Some(Severity::Warning), Severity::Warning);
        if let Some(severity) = severity {
            let message = format!("this example never calls `{name}`");
            self.diagnostics.report(severity, Code::OTHER_TOOL, attribute.span, message);
        }
    }

    /// Checks the body of a tool, which sees its parameters.
    pub(super) fn body(
        &mut self,
        (definition, tool): (&'a Definition, &'a Tool),
        body: &'a Block,
        program: &'a Program,
        scope: Scope<'_, 'a>,
    ) {
        let mut walker = Walker::new(self, scope, program);
        walker.parameters(&tool.parameters.list);
        walker.returns(tool);
        walker.items(&body.items);
        walker.ends_with_result(&definition.name, tool, body);
        walker.check_declarations(definition, tool);
    }

    /// Returns the names of all tools, for suggestions.
    pub(super) fn tools(&mut self, scope: Scope<'_, 'a>) -> Vec<&'a str> {
        self.known(scope, Symbol::is_tool)
    }
}

/// Returns the other names of a tool.
fn aliases(documentation: &Documentation) -> Vec<&str> {
    let tags = documentation.tags.iter().filter(|tag| matches!(tag.name.as_str(), "alias" | "foreign"));
    tags.flat_map(|tag| tag.text.split([',', ' '])).collect()
}
