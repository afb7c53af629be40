//! The head of a definition in one line.

use source_text::{Span, shorten};

/// The maximum number of characters of a signature.
const WIDTH: usize = 300;

/// Returns a span as one line: without preprocessor conditions and comments after `#`, without punctuation at its end, with single
/// spaces, cut at [`WIDTH`].
pub(crate) fn line(text: &str, span: Span) -> String {
    let written = text.get(span.range()).unwrap_or_default();
    let words =
        written.lines().filter(|it| !is_condition(it) && !is_comment(it)).flat_map(str::split_whitespace);
    let line = words.collect::<Vec<_>>().join(" ");
    let line = line.trim_end_matches([' ', '{', '=', ';', ',']);
    let line = line.strip_suffix(":").unwrap_or(line);
    shorten(line, WIDTH).into_owned()
}

/// Returns true for lines that are a comment after `#`, as in Python. C may write `# define`.
fn is_comment(line: &str) -> bool {
    let comment =
        line.trim_start().strip_prefix('#').filter(|it| it.is_empty() || it.starts_with([' ', ':', '!']));
    comment.is_some_and(|it| !it.trim_start().starts_with("define"))
}

/// Returns true for preprocessor conditions: `#if`, `# endif`.
fn is_condition(line: &str) -> bool {
    let Some(directive) = line.trim_start().strip_prefix('#') else { return false };
    let word = directive.split(|it: char| !it.is_alphabetic()).find(|it| !it.is_empty());
    let words = ["if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif", "pragma", "region"];
    word.is_some_and(|it| words.contains(&it) || ["endregion", "nullable"].contains(&it))
}
