//! Layout of front matter: fields in their order, values with quotes only if necessary.

use source_text::Span;

use super::equivalence;
use crate::front_matter::{Field, FieldValue, Loading, values};

/// The names of the fields in their canonical order.
const ORDER: [&str; 10] =
    ["id", "title", "summary", "loading", "keywords", "related", "version", "ailang", "size_hints", "rules"];
/// The maximum line length, in characters.
const WIDTH: usize = 100;

/// Lays out the YAML at `body`. Keeps it if the result would parse differently.
pub(super) fn fields(source: &str, body: Span, line_end: &str) -> String {
    let yaml = &source[body.range()];
    let laid_out = laid_out(source, body, line_end);
    match laid_out {
        Some(text) if equivalence::front_matters(source, body, &text) => text,
        _ => yaml.to_owned(),
    }
}

/// A field with its lines.
struct Chunk<'source> {
    /// The comments and empty lines before it.
    above: &'source str,
    /// The lines of the field.
    own: &'source str,
    rank: usize,
    value: &'source Field<FieldValue>,
}

fn laid_out(source: &str, body: Span, line_end: &str) -> Option<String> {
    let values = values(source, body).ok().filter(|it| it.repeated.is_empty())?;
    let fields = values.fields;
    let mut chunks: Vec<Chunk<'_>> = Vec::new();
    let line_start =
        |at: usize| source[body.start..at].rfind('\n').map_or(body.start, |line| body.start + line + 1);
    let mut at = body.start;
    for (index, (key, value)) in fields.iter().enumerate() {
        let start = line_start(key.span.start);
        if start != key.span.start || start < at {
            return None;
        }
        let next = fields.get(index + 1).map_or(body.end, |(next, _)| line_start(next.span.start));
        let own = own_lines(source.get(start..next)?);
        let rank = ORDER.iter().position(|name| *name == key.value).unwrap_or(ORDER.len());
        chunks.push(Chunk { above: &source[at..start], own, rank, value });
        at = start + own.len();
    }
    let tail = &source[at..body.end];
    chunks.sort_by_key(|chunk| chunk.rank);
    let mut text = String::new();
    for chunk in &chunks {
        text.push_str(chunk.above);
        text.push_str(&written(source, chunk, line_end).unwrap_or_else(|| chunk.own.to_owned()));
    }
    text.push_str(tail);
    Some(text)
}

/// Cuts off the trailing comments and empty lines, which belong to the next field.
fn own_lines(stretch: &str) -> &str {
    let mut end = stretch.len();
    while let Some(line) = stretch[..end].split_inclusive('\n').next_back() {
        if !(line.trim().is_empty() || line.starts_with('#')) {
            break;
        }
        end -= line.len();
    }
    &stretch[..end]
}

/// Prints a field on one line; `None` if it needs several.
fn written(source: &str, chunk: &Chunk<'_>, line_end: &str) -> Option<String> {
    let name = ORDER.get(chunk.rank)?;
    let is_one_line = chunk.own.trim_end().lines().count() == 1;
    let comment = if is_one_line { comment(source, chunk)? } else { "" };
    if !is_one_line && chunk.own.contains('#') {
        return None;
    }
    let value = match (*name, &chunk.value.value) {
        ("loading", FieldValue::Text(text)) => Loading::parse(text)?.name().to_owned(),
        ("keywords", FieldValue::Text(text)) => list(text.split(',').map(str::trim), plain_item)?,
        ("related", FieldValue::Text(text)) => list(text.split(',').map(path), quoted)?,
        ("keywords", FieldValue::List(items)) => list(items.iter().map(String::as_str), plain_item)?,
        ("related", FieldValue::List(items)) => list(items.iter().map(|it| path(it.as_str())), quoted)?,
        ("id" | "title" | "summary" | "version" | "ailang", FieldValue::Text(text)) if is_one_line => {
            scalar(text)?
        }
        _ => return None,
    };
    let comment = if comment.is_empty() { String::new() } else { format!(" {comment}") };
    let line = format!("{name}: {value}{comment}");
    (is_one_line || line.chars().count() <= WIDTH).then(|| line + line_end)
}

/// Returns the comment behind a value on its line; `None` if something else is there.
fn comment<'source>(source: &'source str, chunk: &Chunk<'source>) -> Option<&'source str> {
    let end = chunk.own.as_ptr() as usize - source.as_ptr() as usize + chunk.own.len();
    let behind = source.get(chunk.value.span.end..end)?.trim();
    (behind.is_empty() || behind.starts_with('#')).then_some(behind)
}

fn path(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("@import(").and_then(|rest| rest.strip_suffix(')'));
    inner.unwrap_or(text).trim().trim_matches(['"', '\''])
}

fn list<'text>(
    items: impl Iterator<Item = &'text str>,
    write: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let items: Option<Vec<String>> = items.filter(|it| !it.is_empty()).map(write).collect();
    Some(format!("[{}]", items?.join(", ")))
}

fn plain_item(text: &str) -> Option<String> {
    if text.contains([',', '[', ']', '{', '}']) { quoted(text) } else { scalar(text) }
}

/// Prints a text, with quotes if YAML would read something else.
fn scalar(text: &str) -> Option<String> {
    let text = text.trim();
    let is_other = text.parse::<f64>().is_ok()
        || matches!(
            text.to_ascii_lowercase().as_str(),
            "" | "true" | "false" | "null" | "yes" | "no" | "on" | "off"
        );
    let is_plain = !is_other
        && !text.starts_with(|char: char| "-?:,[]{}#&*!|>'\"%@`~".contains(char))
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.contains(['\t', '\u{feff}'])
        && !text.ends_with(':');
    if is_plain && !text.contains(char::is_control) { Some(text.to_owned()) } else { quoted(text) }
}

/// Prints a text in quotes; `None` if it has control characters.
fn quoted(text: &str) -> Option<String> {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    (!text.contains(char::is_control)).then(|| format!("\"{escaped}\""))
}
