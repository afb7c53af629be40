//! Semantic highlighting: names by their meaning, and the tokens of code.

use std::collections::HashMap;

use ailang::split::Block;
use ailang::{Analysis, BUILT_IN_FUNCTIONS, Document};
use dialect::Limits;
use dialect::code::{Code, Token, TokenKind};
use source_text::Span;

use super::symbol_kind::kind_of;
use crate::answers::{Highlight, Kind};
use crate::workspace::DocumentView;

/// The words with a meaning of their own, unless they are names.
const KEYWORDS: [&str; 30] = [
    "type",
    "enum",
    "capability",
    "error",
    "tool",
    "import",
    "from",
    "as",
    "requires",
    "throws",
    "if",
    "else",
    "for",
    "in",
    "of",
    "while",
    "try",
    "catch",
    "finally",
    "return",
    "throw",
    "break",
    "continue",
    "await",
    "is",
    "true",
    "false",
    "null",
    "const",
    "let",
];

/// The primitive types.
const PRIMITIVES: [&str; 11] =
    ["string", "number", "int", "bool", "boolean", "any", "void", "List", "Dict", "Map", "choice"];

/// Returns the coloured stretches of a document, in order, without overlaps.
pub(crate) fn highlights(view: &DocumentView) -> Vec<Highlight> {
    let document = view.document();
    let analysis = Analysis::new(view.package.documents());
    let occurrences = analysis.occurrences(&view.path).into_iter();
    let names: HashMap<Span, Highlight> = occurrences
        .map(|it| {
            let is_definition = it.span == it.target.span;
            (it.span, Highlight { span: it.span, kind: kind_of(it.target.kind), is_definition })
        })
        .collect();
    let mut found: Vec<Highlight> = Vec::new();
    for block in document.blocks() {
        found.extend(tags(document, block));
        for stretch in block.code() {
            of_code(&document.source, stretch, &names, &mut found);
        }
    }
    found.sort_unstable();
    found.dedup_by_key(|it| it.span.start);
    found
}

/// Returns the tags of a block: the names alone.
fn tags(document: &Document, block: &Block) -> Vec<Highlight> {
    let name = block.kind.name();
    let lines = [Some(block.opener), block.closer].into_iter().flatten();
    let found = lines.filter_map(|line| {
        let at = document.text(line).find(name)? + line.start;
        let span = Span::new(at, at + name.len());
        Some(Highlight { span, kind: Kind::Tag, is_definition: false })
    });
    found.collect()
}

/// Adds the stretches of code: tokens, names with a meaning, and the comments between them.
pub(crate) fn of_code(
    source: &str,
    stretch: Span,
    names: &HashMap<Span, Highlight>,
    found: &mut Vec<Highlight>,
) {
    let code = Code::read(source, stretch, &Limits::default());
    let mut end = stretch.start;
    let mut is_member = false;
    for token in code.tokens() {
        if token.span.start > end {
            comments(source, Span::new(end, token.span.start), found);
        }
        end = end.max(token.span.end);
        let named = names.get(&token.span).copied();
        let kind = if is_member { member(token) } else { plain(source, token) };
        found.extend(named.or(kind));
        is_member = token.is_mark(".");
    }
    comments(source, Span::new(end.min(stretch.end), stretch.end), found);
}

/// Returns the colour of a name behind a dot: a refinement, or a member of a value.
fn member(token: &Token) -> Option<Highlight> {
    let is_named = token.is_name() && token.span.start < token.span.end;
    is_named.then_some(Highlight { span: token.span, kind: Kind::Method, is_definition: false })
}

fn plain(source: &str, token: &Token) -> Option<Highlight> {
    let text = source.get(token.span.range()).filter(|text| !text.is_empty())?;
    let kind = match &token.kind {
        TokenKind::Name if KEYWORDS.contains(&text) => Kind::Keyword,
        TokenKind::Name if PRIMITIVES.contains(&text) => Kind::BuiltIn,
        TokenKind::Name if BUILT_IN_FUNCTIONS.contains(&text) => Kind::Tool,
        TokenKind::Number(_) => Kind::Number,
        TokenKind::Text(_)
        | TokenKind::TemplateStart
        | TokenKind::TemplateText(_)
        | TokenKind::TemplateEnd => Kind::Text,
        TokenKind::Pattern { .. } => Kind::Pattern,
        _ => return None,
    };
    Some(Highlight { span: token.span, kind, is_definition: false })
}

/// Adds the comments of a stretch without tokens.
pub(crate) fn comments(source: &str, gap: Span, found: &mut Vec<Highlight>) {
    let text = &source[gap.range()];
    let mut at = 0;
    while let Some(start) = text[at..].find("/").map(|it| at + it) {
        let rest = &text[start..];
        let length = if rest.starts_with("//") {
            rest.find(['\n', '\r']).unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |it| it + 2)
        } else {
            at = start + 1;
            continue;
        };
        let span = Span::new(gap.start + start, gap.start + start + length);
        found.push(Highlight { span, kind: Kind::Comment, is_definition: false });
        at = start + length;
    }
}
