//! Programs as a type checker reads them.

use oxc_allocator::Allocator;
use oxc_ast::ast::Statement;
use script_protocol::Place;

use crate::program::blank;
use crate::visit::range;
use crate::{Problem, parse};

/// The start of the text: its lines are those of the program.
const PREFIX: &str = "export {}; (async () => {";

/// Returns a program as a module of TypeScript, with its types: as the body of a function, in which `return` and `await`
/// stand, without its imports.
///
/// # Errors
/// The program is no TypeScript.
pub fn checkable(source: &str) -> Result<String, Vec<Problem>> {
    let allocator = Allocator::default();
    let program = parse(&allocator, source)?;
    let mut text = source.to_owned();
    for statement in &program.body {
        if let Statement::ImportDeclaration(import) = statement {
            blank(&mut text, range(import.span));
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
        let column = u32::try_from(PREFIX.len()).unwrap() + 3;
        assert_eq!(checked_place(Place { line: 1, column }), Place { line: 1, column: 3 });
    }
}
