//! Examples → programs.
//!
//! A tool's examples are what stands behind `@example` in its comments, and the `<example tool="…">`s of its document:
//! fences `dialect` hold a program each, and so does code that reads as one.

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

    /// The code of an example that is one expression, and a program too.
    fn plain_program(&self, example: &Example, home: usize) -> Option<(String, Span)> {
        let [Item::Statement(statement)] = example.program.items.as_slice() else { return None };
        let StatementKind::Expression(expression) = &statement.kind else { return None };
        let text = self.document(home).text(expression.span);
        dialect::read(text).is_ok().then(|| (text.to_owned(), expression.span))
    }
}
