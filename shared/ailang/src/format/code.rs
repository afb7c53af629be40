//! Layout of code: definitions are wrapped, statements keep their lines and are indented.

use source_text::Span;

use super::definition::Layout;
use super::equivalence;
use super::page::page;
use super::piece::{Piece, PieceKind, pieces};
use super::tree::Reader;
use crate::parse::{Content, program, tokens};
use crate::syntax::{Definition, DefinitionKind, Item, Program};

/// Lays out the code of a stretch, without line breaks around it. Keeps the code if the result would parse
/// differently.
pub(super) fn code(source: &str, stretch: Span, content: Content, line_end: &str) -> String {
    let program = program(source, stretch, content);
    let laid_out = page(&arranged(source, stretch, &program), line_end);
    if equivalence::code(source, stretch, &laid_out, content) {
        laid_out
    } else {
        kept(&source[stretch.range()])
    }
}

/// Trims empty lines before the code and blanks behind it.
fn kept(code: &str) -> String {
    let start = code.find(|char: char| !char.is_whitespace()).unwrap_or(code.len());
    let line = code[..start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    code[line..].trim_end().to_owned()
}

fn arranged<'source>(source: &'source str, stretch: Span, program: &Program) -> Vec<Piece<'source>> {
    let all = pieces(source, stretch, &tokens(source, stretch));
    let mut layout = Layout::default();
    let mut at = 0;
    for item in &program.items {
        let span = span(item);
        let start = all.partition_point(|piece| piece.start < span.start);
        let end = all.partition_point(|piece| piece.start < span.end);
        between(&mut layout, &all[at..start.max(at)]);
        let lines = lines_before(&layout, &all, start);
        let own = &all[start..end.max(start)];
        match item {
            Item::Definition(definition) => define(&mut layout, own, definition, lines),
            Item::Import(_) => import(&mut layout, own, lines),
            Item::Statement(_) => statement(&mut layout, own, lines),
        }
        at = end.max(at);
    }
    between(&mut layout, &all[at..]);
    layout.pieces
}

fn span(item: &Item) -> Span {
    match item {
        Item::Definition(definition) => definition.span,
        Item::Import(import) => import.span,
        Item::Statement(statement) => statement.span,
    }
}

/// Adds the comments between two items, and drops semicolons.
fn between<'source>(layout: &mut Layout<'source>, gap: &[Piece<'source>]) {
    for piece in gap.iter().filter(|piece| piece.kind == PieceKind::Comment) {
        layout.pieces.push(piece.with_lines(piece.lines.min(2)));
    }
}

/// Returns the line breaks before an item. It starts a line, unless a comment precedes it on its line.
fn lines_before(layout: &Layout<'_>, all: &[Piece<'_>], start: usize) -> usize {
    let lines = all.get(start).map_or(0, |piece| piece.lines.min(2));
    let is_behind_comment = match layout.pieces.as_slice() {
        [] => true,
        [only] => only.is_comment(),
        [.., last] => last.is_comment() && last.lines > 0,
    };
    if is_behind_comment { lines } else { lines.max(1) }
}

fn define<'source>(
    layout: &mut Layout<'source>,
    own: &[Piece<'source>],
    definition: &Definition,
    lines: usize,
) {
    let body = match &definition.kind {
        DefinitionKind::Tool(tool) => tool.body.as_ref().map(|body| body.span.start),
        _ => None,
    };
    let own: Vec<Piece<'source>> =
        own.iter().enumerate().map(|(at, piece)| spelled(own, at, *piece)).collect();
    let nodes = Reader::new(&own, &definition.kind, body).nodes();
    layout.definition(&nodes, lines);
}

/// Spells the type `boolean` as `bool`.
fn spelled<'source>(own: &[Piece<'source>], at: usize, piece: Piece<'source>) -> Piece<'source> {
    let before = at.checked_sub(1).and_then(|before| own.get(before));
    let in_type = before.is_some_and(|it| it.is_mark(&[":", "->", "<", "|", "=", "[", "(", ","]));
    let is_name = own.get(at + 1).is_some_and(|it| it.is_mark(&[":", "?", "(", "="]));
    let text = if piece.is_word(&["boolean"]) && in_type && !is_name { "bool" } else { piece.text };
    Piece { text, ..piece }
}

fn import<'source>(layout: &mut Layout<'source>, own: &[Piece<'source>], lines: usize) {
    for (index, piece) in own.iter().enumerate() {
        layout.pieces.push(piece.with_lines(if index == 0 { lines } else { 0 }));
    }
}

fn statement<'source>(layout: &mut Layout<'source>, own: &[Piece<'source>], lines: usize) {
    let mut opened = false;
    for (index, piece) in own.iter().enumerate() {
        let most = if opened || piece.is_mark(&["}"]) { 1 } else { 2 };
        let lines = if index == 0 { lines } else { piece.lines.min(most) };
        layout.pieces.push(Piece { computes: true, lines, ..*piece });
        opened = piece.is_mark(&["{"]);
    }
}
