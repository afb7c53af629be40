//! Programs as a type checker reads them.

use oxc_allocator::Allocator;
use oxc_ast::ast::{ExportDefaultDeclarationKind, Statement};
use oxc_span::{GetSpan, Span};
use script_protocol::Place;

use crate::parse::parse;
use crate::problem::Problem;
use crate::program::blank;
use crate::visit::range;

/// The start of the text: its lines are those of the program.
const PREFIX: &str = "export {}; (async () => {";

/// The word before an expression that is exported, shorter than `export default`.
const VOID: &str = "void";

/// Returns a program as a module of TypeScript, with its types: as the body of a function, in which `return` and `await`
/// stand, without its imports.
///
/// # Errors
/// The program is no TypeScript.
pub fn checkable(source: &str) -> Result<String, Vec<Problem>> {
    let allocator = Allocator::default();
    let program = parse(&allocator, source)?;
    let mut text = source.to_owned();
    if let Some(hashbang) = &program.hashbang {
        blank(&mut text, range(hashbang.span));
    }
    for statement in &program.body {
        match statement {
            Statement::ImportDeclaration(import) => blank(&mut text, range(import.span)),
            Statement::ExportNamedDeclaration(it) => blank(&mut text, range(it.span)),
            Statement::ExportDeclaration(it) => {
                blank(&mut text, range(Span::new(it.span.start, it.declaration.span().start)));
            }
            Statement::ExportDefaultDeclaration(it) => {
                let (start, is_statement) = match &it.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(it) => (it.span.start, it.id.is_some()),
                    ExportDefaultDeclarationKind::ClassDeclaration(it) => (it.span.start, it.id.is_some()),
                    ExportDefaultDeclarationKind::TSInterfaceDeclaration(it) => (it.span.start, true),
                    other => (other.span().start, false),
                };
                let words = range(Span::new(it.span.start, start));
                blank(&mut text, words.clone());
                if !is_statement {
                    text.replace_range(words.start..words.start + VOID.len(), VOID);
                }
            }
            _ => {}
        }
    }
    Ok(format!("{PREFIX}{text}\n}})"))
}

/// Returns the place in the program of a place in its [`checkable`] text.
pub fn checked_place(place: Place) -> Place {
    let shift = if place.line == 1 { u32::try_from(PREFIX.len()).unwrap_or_default() } else { 0 };
    Place { line: place.line, column: place.column.saturating_sub(shift).max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_keeps_its_lines_and_types() {
        let source = "import { ide } from './ide'\nconst n: number = 1\nreturn n";
        let text = checkable(source).unwrap();
        assert_eq!(text.lines().nth(1), Some("const n: number = 1"));
        assert!(text.starts_with(PREFIX) && !text.contains("import"), "{text}");
        assert_eq!(checked_place(Place { line: 2, column: 7 }), Place { line: 2, column: 7 });
        let exports =
            "#!/usr/bin/env node\nexport default () => 1\nexport default function f() {}\nexport const a = 1";
        let lines: Vec<String> =
            checkable(exports).unwrap().lines().map(|it| it.trim_end().to_owned()).collect();
        assert_eq!(
            lines[1..4],
            ["void           () => 1", "               function f() {}", "       const a = 1"]
        );
        let column = u32::try_from(PREFIX.len()).unwrap() + 3;
        assert_eq!(checked_place(Place { line: 1, column }), Place { line: 1, column: 3 });
    }
}
