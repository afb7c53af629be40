//! Rule 5: examples have ids and belong to existing tools. Their calls are checked in `statements`.

use std::collections::HashMap;

use source_text::Span;

use super::Checker;
use super::statements::Walker;
use crate::diagnostic::Code;
use crate::document::Example;
use crate::names::{DocumentSymbols, Scope, Symbol};
use crate::syntax::{Block, DefinitionKind, Program, Tool};

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
            return;
        }
        let known = self.tools(scope);
        self.unknown(Code::UNKNOWN_EXAMPLE_TOOL, attribute.span, format!("no tool is called `{name}`"))
            .nearest(name, attribute.span, known);
    }

    /// Checks the body of a tool, which sees its parameters.
    pub(super) fn body(
        &mut self,
        (name, tool): (&str, &'a Tool),
        body: &'a Block,
        program: &'a Program,
        scope: Scope<'_, 'a>,
    ) {
        let mut walker = Walker::new(self, scope, program);
        walker.returns(tool.returns.as_ref());
        walker.parameters(&tool.parameters.list);
        walker.items(&body.items);
        walker.check_declarations(tool, name);
    }

    /// Returns the names of all tools, for suggestions.
    pub(super) fn tools(&mut self, scope: Scope<'_, 'a>) -> Vec<&'a str> {
        self.known(scope, Symbol::is_tool)
    }
}
