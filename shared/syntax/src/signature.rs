//! What a definition says of itself before its body.

use source_text::Span;

/// How many characters of a signature are worth reading.
const WIDTH: usize = 300;

/// The stretch as one line: without comments' markers at its end, with single spaces, cut at [`WIDTH`].
pub(crate) fn line(text: &str, span: Span) -> String {
    let written = text.get(span.range()).unwrap_or_default();
    let line = written.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_end_matches([' ', '{', '=', ';', ',']);
    let line = line.strip_suffix(":").unwrap_or(line);
    match line.char_indices().nth(WIDTH) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}
