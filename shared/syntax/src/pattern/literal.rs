//! String literals, compared by their text whatever their quotes.

use std::borrow::Cow;
use std::ops::Range;

use tree_sitter::Node;

use crate::Language;

/// A string literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Literal {
    /// The letters before the quotes that make another value: `b`, `f`, `L`.
    pub(super) prefix: String,
    /// The range of the text between the quotes.
    pub(super) content: Range<usize>,
    escapes: Escapes,
    /// True if parts of it are code.
    pub(super) is_interpolated: bool,
}

/// The meaning of a backslash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escapes {
    /// A backslash escapes any character.
    All,
    /// A backslash escapes only a quote and itself.
    Quotes,
    /// A backslash is a character.
    None,
}

/// Returns true for the kinds of nodes that are string literals.
pub(super) fn is_literal(kind: &str, language: Language) -> bool {
    let kinds: &[&str] = match language.id() {
        "javascript" | "typescript" | "tsx" => &["string", "template_string"],
        "go" => &["interpreted_string_literal", "raw_string_literal"],
        "csharp" => &["string_literal", "verbatim_string_literal", "raw_string_literal"],
        "php" => &["string", "encapsed_string"],
        "bash" => &["string", "raw_string"],
        "python" | "ruby" => &["string"],
        _ => &["string_literal", "raw_string_literal"],
    };
    kinds.contains(&kind)
}

/// Returns the literal that a node is; `None` for other nodes. Templates with code in them are none, nor are
/// quotes that are no quotation marks, such as those of Ruby's `%q(a)`.
pub(super) fn literal(node: Node<'_>, text: &str, language: Language) -> Option<Literal> {
    if !is_literal(node.kind(), language) {
        return None;
    }
    let whole = text.get(node.byte_range())?;
    let is_letter = |it: char| it.is_ascii_alphanumeric() || it == '@' || it == '#';
    let letters = whole.len() - whole.trim_start_matches(is_letter).len();
    let (letters, quoted) = whole.split_at(letters);
    let marks = quotation_marks(quoted, language)?;
    let hashes = letters.len() - letters.trim_end_matches('#').len();
    let (start, end) = (letters.len() + marks, whole.len().checked_sub(marks + hashes)?);
    let (start, end) = without_delimiters(node, letters, whole, start..end)?;
    let is_raw = letters.contains(['r', 'R', '@'])
        || node.kind().starts_with("raw_") && !matches!(language.id(), "bash")
        || language.id() == "bash" && quoted.starts_with('\'');
    let escapes = match language.id() {
        _ if is_raw => Escapes::None,
        "ruby" | "php" if quoted.starts_with('\'') => Escapes::Quotes,
        _ => Escapes::All,
    };
    let is_interpolated = is_interpolated(node);
    if is_interpolated && node.kind() == "template_string" {
        return None;
    }
    let is_python = language.id() == "python";
    // In Python the case of these letters says nothing.
    let letters = if is_python { letters.to_ascii_lowercase() } else { letters.to_owned() };
    let is_value = |it: &char| !(matches!(it, 'r' | 'R' | '@' | '#') || is_python && *it == 'u');
    let prefix = letters.chars().filter(is_value).collect();
    let at = node.start_byte();
    Some(Literal { prefix, content: at + start..at + end, escapes, is_interpolated })
}

/// Returns the number of quotation marks at each end of a text.
fn quotation_marks(quoted: &str, language: Language) -> Option<usize> {
    let mark = quoted.chars().next().filter(|it| matches!(it, '"' | '\'' | '`'))?;
    if quoted.len() < 2 || !quoted.ends_with(mark) && !quoted.ends_with('#') {
        return None;
    }
    let marks = quoted.len() - quoted.trim_start_matches(mark).len();
    let has_triple = matches!(language.id(), "python" | "java" | "csharp");
    Some(if has_triple && marks >= 3 && quoted.len() >= 6 { 3 } else { 1 })
}

/// Removes the delimiters of a raw string of C++: `R"x(a)x"`.
fn without_delimiters(
    node: Node<'_>,
    letters: &str,
    whole: &str,
    content: Range<usize>,
) -> Option<(usize, usize)> {
    let inside = whole.get(content.clone())?;
    if node.kind() != "raw_string_literal" || !letters.contains('R') {
        return Some((content.start, content.end));
    }
    let delimiter = inside.find('(')?;
    let end = content.end.checked_sub(delimiter + 1)?;
    let start = content.start + delimiter + 1;
    (start <= end).then_some((start, end))
}

fn is_interpolated(node: Node<'_>) -> bool {
    let is_text = |it: Node<'_>| {
        let kind = it.kind();
        let words = ["string", "content", "escape", "fragment", "delimiter"];
        words.iter().any(|word| kind.contains(word)) && !kind.contains("interpolation")
    };
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(|it| !is_text(it))
}

impl Literal {
    /// Returns the text in the spelling of a literal with escapes, in which quotes are not escaped.
    pub(super) fn spelled<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let content = &text[self.content.clone()];
        if !content.contains('\\') {
            return Cow::Borrowed(content);
        }
        let is_quote = |it: char| matches!(it, '"' | '\'' | '`');
        let mut spelled = String::with_capacity(content.len());
        let mut rest = content.chars();
        while let Some(char) = rest.next() {
            let escaped = rest.clone().next();
            let is_escape = char == '\\'
                && match self.escapes {
                    Escapes::All => escaped.is_some(),
                    Escapes::Quotes => escaped.is_some_and(|it| it == '\'' || it == '\\'),
                    Escapes::None => false,
                };
            match escaped.filter(|_| is_escape) {
                Some(escaped) if is_quote(escaped) => spelled.push(escaped),
                Some(escaped) => spelled.extend(['\\', escaped]),
                None if char == '\\' => spelled.push_str(r"\\"),
                None => spelled.push(char),
            }
            if is_escape {
                rest.next();
            }
        }
        Cow::Owned(spelled)
    }
}

/// Returns texts that occur in every spelling of a literal.
pub(super) fn words(spelled: &str) -> impl Iterator<Item = &str> {
    let pieces = spelled.split(['\\', '"', '\'', '`']);
    pieces.filter(|it| it.len() > 1 && it.chars().any(char::is_alphanumeric))
}

/// Returns true if two tokens are equal but for their quotation marks: `f"` and `f'`.
pub(super) fn is_same_mark(token: Node<'_>, text: &str, other: &str) -> bool {
    let is_mark = matches!(token.kind(), "string_start" | "string_end" | "\"" | "'");
    let bare = |it: &str| it.replace(['"', '\''], "");
    is_mark && bare(text) == bare(other) && other.ends_with(['"', '\''])
}
