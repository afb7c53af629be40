//! The tags of blocks: `<define>`, `<example id="welcome">`, `</define>`.

use source_text::Span;

use super::line::behind_indent;

/// The kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// `<define>`: types, enums, errors, capabilities, tools and imports.
    Define,
    /// `<example>`: a program.
    Example,
}

impl BlockKind {
    const ALL: [Self; 2] = [Self::Define, Self::Example];

    /// Returns the name in the tags.
    pub fn name(self) -> &'static str {
        match self {
            Self::Define => "define",
            Self::Example => "example",
        }
    }

    /// Returns the kind whose name stands behind the opening line of a fence, in any case.
    pub(super) fn named_alike(info: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| info.eq_ignore_ascii_case(kind.name()))
    }
}

/// An attribute of a tag: `id="welcome"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The name, as written.
    pub name: String,
    /// The value without quotes; `None` for a name alone.
    pub value: Option<String>,
    /// The place of the whole attribute.
    pub span: Span,
}

/// A line with a tag.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tag {
    Open(BlockKind, Vec<Attribute>),
    Close(BlockKind),
}

/// Parses a line as a tag; `None` for any other line, and for a malformed tag.
pub(super) fn tag(source: &str, line: Span) -> Option<Tag> {
    let text = behind_indent(&source[line.range()])?.trim_end_matches([' ', '\t']);
    let inner = text.strip_prefix('<')?;
    if let Some(name) = inner.strip_prefix('/') {
        let kind = BlockKind::ALL.into_iter().find(|kind| name.strip_prefix(kind.name()) == Some(">"))?;
        return Some(Tag::Close(kind));
    }
    let kind = BlockKind::ALL.into_iter().find(|kind| inner.starts_with(kind.name()))?;
    let rest = &inner[kind.name().len()..];
    let start = line.start + (source[line.range()].len() - source[line.range()].trim_start().len());
    let start = start + 1 + kind.name().len();
    Some(Tag::Open(kind, attributes(rest, start)?))
}

/// Parses the attributes up to the closing `>`, which has to end `text`.
fn attributes(text: &str, start: usize) -> Option<Vec<Attribute>> {
    let mut attributes = Vec::new();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start_matches([' ', '\t']);
        if trimmed == ">" {
            return Some(attributes);
        }
        if trimmed.len() == rest.len() {
            return None;
        }
        at += rest.len() - trimmed.len();
        let (attribute, length) = attribute(trimmed, start + at)?;
        attributes.push(attribute);
        at += length;
    }
}

/// Parses the attribute at the start of `text`; returns its length in bytes too.
fn attribute(text: &str, start: usize) -> Option<(Attribute, usize)> {
    let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let length = text.find(|char| !is_name(char)).unwrap_or(text.len());
    if length == 0 {
        return None;
    }
    let name = text[..length].to_owned();
    let blank = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
    let sign = length + blank(&text[length..]);
    if !text[sign..].starts_with('=') {
        return Some((Attribute { name, value: None, span: Span::new(start, start + length) }, length));
    }
    let from = sign + 1 + blank(&text[sign + 1..]);
    let (value, used) = value(&text[from..])?;
    let end = from + used;
    Some((Attribute { name, value: Some(value.to_owned()), span: Span::new(start, start + end) }, end))
}

/// Parses the value at the start of `text` without quotes; returns its length in bytes with them.
fn value(text: &str) -> Option<(&str, usize)> {
    if let Some(quote) = text.chars().next().filter(|char| matches!(char, '"' | '\'')) {
        let length = text[1..].find(quote)?;
        return Some((&text[1..=length], length + 2));
    }
    let length =
        text.find(|char: char| char.is_whitespace() || matches!(char, '"' | '>')).unwrap_or(text.len());
    (length > 0).then(|| (&text[..length], length))
}

/// Returns the first malformed tag on a line: `text <define>`, `<Example>`.
///
/// `is_code` is `true` for bytes inside inline code or comments.
pub(super) fn malformed(text: &str, is_code: impl Fn(usize) -> bool) -> Option<Span> {
    let bytes = text.as_bytes();
    text.match_indices('<').filter(|(at, _)| !is_code(*at)).find_map(|(at, _)| {
        let rest = &bytes[at + 1..];
        let rest = rest.strip_prefix(b"/").unwrap_or(rest);
        let kind = BlockKind::ALL.into_iter().find(|kind| {
            let name = rest.get(..kind.name().len());
            name.is_some_and(|name| name.eq_ignore_ascii_case(kind.name().as_bytes()))
        })?;
        let behind = &rest[kind.name().len()..];
        let from = text.len() - behind.len();
        let ends = behind.first().is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'>'));
        let close = text[from..].find('>');
        let alone = text[..at].trim().is_empty();
        let end = from + close.map_or(0, |length| length + 1);
        (ends && (close.is_some() || alone)).then(|| Span::new(at, end))
    })
}
