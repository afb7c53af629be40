//! Equality of texts up to the places of their parts.

use std::sync::LazyLock;

use regex::Regex;
use source_text::Span;

use super::piece::{Piece, pieces};
use crate::diagnostic::{Code, Diagnostics};
use crate::parse::{Content, program, tokens};
use crate::syntax::Program;
use crate::{Document, FrontMatter, front_matter};

/// The spans in the debug output of a tree.
static PLACES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"Span \{ start: \d+, end: \d+ \}|\d+\.\.\d+|(Block|Lambda)\(\d+\)")
        .expect("the pattern is tested")
});

/// Returns `true` if both are the same program with the same comments.
pub(super) fn code(source: &str, stretch: Span, other: &str, content: Content) -> bool {
    let whole = Span::new(0, other.len());
    kept(source, stretch) == kept(other, whole)
        && meaning(&program(source, stretch, content)) == meaning(&program(other, whole, content))
}

/// Returns the comments, and the tokens without separators.
fn kept(source: &str, stretch: Span) -> (Vec<&str>, Vec<&str>) {
    let pieces = pieces(source, stretch, &tokens(source, stretch));
    let (comments, tokens): (Vec<Piece<'_>>, Vec<Piece<'_>>) =
        pieces.into_iter().partition(Piece::is_comment);
    let spelled = |text| if text == "boolean" { "bool" } else { text };
    let tokens = tokens.into_iter().filter(|it| !it.is_mark(&[",", ";"]));
    (comments.into_iter().map(|it| it.text).collect(), tokens.map(|it| spelled(it.text)).collect())
}

fn meaning(program: &Program) -> String {
    let bodies: Vec<_> = program.lambda_bodies.values().collect();
    let types: Vec<_> = program.lambda_types.values().collect();
    placeless(&format!("{:?}{bodies:?}{types:?}{:?}", program.items, program.unread))
}

fn placeless(tree: &str) -> String {
    PLACES.replace_all(tree, "").replace("\"boolean\"", "\"bool\"")
}

/// Returns `true` if the YAML at `body` and all of `other` are the same front matter.
pub(super) fn front_matters(source: &str, body: Span, other: &str) -> bool {
    let read = |source: &str, body: Span| {
        let mut diagnostics = Diagnostics::default();
        let mut front_matter = front_matter::read(source, body, &mut diagnostics);
        front_matter.span = Span::default();
        let codes = codes(&diagnostics.into_sorted());
        (placeless(&format!("{front_matter:?}")), codes)
    };
    read(source, body) == read(other, Span::new(0, other.len()))
}

/// Returns the codes of diagnostics, without those that the formatter corrects.
fn codes(diagnostics: &[crate::Diagnostic]) -> Vec<Code> {
    let is_kept = |code: &Code| ![Code::UNQUOTED_COLON, Code::UNQUOTED_IMPORT].contains(code);
    let mut codes: Vec<Code> = diagnostics.iter().map(|it| it.code).filter(is_kept).collect();
    codes.sort_unstable();
    codes
}

/// Returns `true` if both documents say the same.
pub(super) fn documents(one: &Document, other: &Document) -> bool {
    let about = |document: &Document| FrontMatter { span: Span::default(), ..document.front_matter.clone() };
    let examples = |document: &Document| {
        let attribute = |it: &crate::split::Attribute| (it.name.clone(), it.value.clone());
        let example = |it: &crate::Example| {
            let attributes: Vec<_> = it.attributes.iter().map(attribute).collect();
            let attached: Vec<_> =
                it.attachments.iter().map(|it| document.text(it.body).to_owned()).collect();
            (attributes, attached, meaning(&it.program))
        };
        document.examples.iter().map(example).collect::<Vec<_>>()
    };
    codes(&one.diagnostics) == codes(&other.diagnostics)
        && placeless(&format!("{:?}", about(one))) == placeless(&format!("{:?}", about(other)))
        && meaning(&one.definitions) == meaning(&other.definitions)
        && examples(one) == examples(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_differ_by_what_they_say_and_not_by_where() {
        let same = |one: &str, other: &str| code(one, Span::new(0, one.len()), other, Content::Statements);
        assert!(same("f( 1,\n 2 )\n\n\n", "f(1, 2)"));
        assert!(!same("f(1)", "f(2)"));
        assert!(!same("f(1) // a", "f(1)"));
        assert!(!same("type A = { a: int // x\n}", "type A = {\n// x\n\na: int }"));
        assert!(same("xs.map(x => { y = x; y })", "xs.map(x => {\n  y = x\n  y\n})"));
    }
}
