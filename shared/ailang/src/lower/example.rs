//! Examples → programs.
//!
//! The examples of a tool are its `@example` tags and the `<example tool="…">`s of its document. Each fence
//! `dialect` in them holds a program, and code that parses as a program is one.

use source_text::Span;

use super::Lowering;
use crate::Example;
use crate::diagnostic::Code;
use crate::syntax::{Definition, Item, StatementKind};

impl<'a> Lowering<'_, 'a> {
    pub(super) fn examples(&mut self, definition: &'a Definition, home: usize) -> Vec<String> {
        let tags = definition.documentation.tags.iter().filter(|tag| tag.name == "example");
        let mut programs: Vec<(String, Span)> = tags.map(|tag| (tag.text.clone(), tag.span)).collect();
        let document = self.document(home);
        let name = definition.name.text.as_str();
        for example in document.examples.iter().filter(|it| it.tool() == Some(name)) {
            let fences = example.attachments.iter().filter(|it| it.kind == "dialect");
            programs.extend(fences.map(|it| (document.text(it.body).trim().to_owned(), it.body)));
            programs.extend(self.plain_program(example, home));
        }
        for (program, span) in &programs {
            if let Err(failures) = dialect::read(program) {
                let found = failures.all.first().map(dialect::diagnostic);
                let (why, help) = found.map(|it| (it.message, it.help)).unwrap_or_default();
                let message = format!("this is no program: {why}");
                self.error(home, Code::EXAMPLE_NOT_A_PROGRAM, *span, message).help = help;
            }
        }
        programs.into_iter().map(|(program, _)| program).collect()
    }

    /// Returns the code of an example that is a single expression and a valid program.
    fn plain_program(&self, example: &Example, home: usize) -> Option<(String, Span)> {
        let [Item::Statement(statement)] = example.program.items.as_slice() else { return None };
        let StatementKind::Expression(expression) = &statement.kind else { return None };
        let text = self.document(home).text(expression.span);
        dialect::read(text).is_ok().then(|| (text.to_owned(), expression.span))
    }
}
