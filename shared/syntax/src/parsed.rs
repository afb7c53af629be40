//! Parsing within bounds of size and time.

use std::borrow::Cow;
use std::ops::ControlFlow;

use source_text::{Span, feed_lone_returns, has_lone_return};
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

use crate::{Language, misread};

/// The maximum size of a text, in bytes. Larger ones are generated, or data.
const SIZE_LIMIT: usize = 4 * 1024 * 1024;

/// The maximum number of the parser's reports, in any case and per kilobyte. It reports after every hundred steps and
/// takes about one step a byte; texts that are not of the language take far more.
const REPORTS_PER_KILOBYTE: usize = 20;
const REPORTS: usize = 1_000;

/// A text with its syntax tree.
#[derive(Debug)]
pub struct Parsed<'text> {
    pub(crate) language: Language,
    pub(crate) text: &'text str,
    pub(crate) tree: Tree,
}

/// The syntax tree of a text, without the text.
#[derive(Clone, Debug)]
pub struct Kept {
    language: Language,
    tree: Tree,
    /// The length of the text in bytes.
    length: usize,
}

impl Kept {
    /// Puts the tree over its text again, without parsing. Returns `None` for a text of another length. The text must
    /// be the one that was parsed; for another of the same length, results are about the parsed one.
    pub fn over<'text>(&self, text: &'text str) -> Option<Parsed<'text>> {
        let Self { language, tree, length } = self;
        (text.len() == *length).then(|| Parsed { language: *language, text, tree: tree.clone() })
    }
}

impl<'text> Parsed<'text> {
    /// Returns the tree without the text, for [`Kept::over`]. It takes about ten times the bytes of the text.
    pub fn keep(&self) -> Kept {
        Kept { language: self.language, tree: self.tree.clone(), length: self.text.len() }
    }

    /// Parses a text and skips what does not parse. Returns `None` beyond four mebibytes, and for a text that takes
    /// far longer to parse than code of its size.
    pub fn new(language: Language, text: &'text str) -> Option<Self> {
        if text.len() > SIZE_LIMIT {
            return None;
        }
        let mut parser = Parser::new();
        parser.set_language(&language.grammar()).ok()?;
        let mut left = REPORTS + text.len() / 1024 * REPORTS_PER_KILOBYTE;
        let mut within_bounds = |_: &_| {
            left = left.saturating_sub(1);
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let tree = parse(&mut parser, language, text, &mut within_bounds)?;
        Some(Self { language, text, tree })
    }

    /// Returns the language that it was parsed as.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Returns true if all of it is code of the language, as far as the grammar knows.
    pub fn is_whole(&self) -> bool {
        !self.tree.root_node().has_error()
    }
}

/// Parses a text. Calls that the grammar misreads are as the language reads them; see [`misread`].
pub(crate) fn parse(
    parser: &mut Parser,
    language: Language,
    text: &str,
    within_bounds: &mut dyn FnMut(&ParseState) -> ControlFlow<()>,
) -> Option<Tree> {
    let scanned = scanned(language, text);
    let tree = parse_bytes(parser, &scanned, within_bounds)?;
    let insertions = misread::insertions(language, text, &tree);
    if insertions.is_empty() {
        return Some(tree);
    }
    let Some(mut other) = parse_bytes(parser, &misread::with(&scanned, &insertions), within_bounds) else {
        return Some(tree);
    };
    if other.root_node().has_error() && !tree.root_node().has_error() {
        return Some(tree);
    }
    misread::remove(&mut other, text, &insertions);
    Some(other)
}

fn parse_bytes(
    parser: &mut Parser,
    bytes: &[u8],
    within_bounds: &mut dyn FnMut(&ParseState) -> ControlFlow<()>,
) -> Option<Tree> {
    let mut callback = |state: &ParseState| within_bounds(state);
    let options = ParseOptions::new().progress_callback(&mut callback);
    let mut rest = |at: usize, _| bytes.get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut rest, None, Some(options));
    if tree.is_none() {
        parser.reset();
    }
    tree
}

/// Returns the span of a node, in bytes.
pub(crate) fn span(node: &Node<'_>) -> Span {
    Span::new(node.start_byte(), node.end_byte())
}

/// Returns the bytes that the grammar sees; their number is that of the text.
pub(crate) fn scanned(language: Language, text: &str) -> Cow<'_, [u8]> {
    let scanned = match language.id() {
        "bash" if !text.is_ascii() => Cow::Owned(without_far_characters(text)),
        "typescript" => with_ends_of_signatures(text),
        _ => Cow::Borrowed(text.as_bytes()),
    };
    if !RETURNS_END_LINES.contains(&language.id()) || !has_lone_return(text.as_bytes()) {
        return scanned;
    }
    let mut bytes = scanned.into_owned();
    feed_lone_returns(&mut bytes, None);
    Cow::Owned(bytes)
}

/// The languages in which a lone carriage return ends a line, and so a comment. Their grammars read on.
const RETURNS_END_LINES: [&str; 9] =
    ["c", "cpp", "csharp", "java", "javascript", "php", "python", "tsx", "typescript"];

/// Replaces some line ends of TypeScript by semicolons. A member of a type may end with its line. If the next line begins
/// with `<T>(`, the grammar takes it for arguments of that member's type, and loses the rest.
fn with_ends_of_signatures(text: &str) -> Cow<'_, [u8]> {
    let mut ends = Vec::new();
    let (mut at, mut before) = (0, "");
    for line in text.split_inclusive('\n') {
        let is_typed = line.trim_start().starts_with('<');
        let is_whole = before.ends_with(|it: char| it.is_alphanumeric() || "_$>]}".contains(it));
        if is_typed && before.contains("):") && is_whole && !before.ends_with("=>") {
            ends.push(at - 1);
        }
        (at, before) = (at + line.len(), line.trim());
    }
    if ends.is_empty() {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = text.as_bytes().to_vec();
    ends.into_iter().for_each(|it| bytes[it] = b';');
    Cow::Owned(bytes)
}

/// Replaces non-ASCII characters behind `{`, `{1` and `{1..2` in shell by underscores. The scanner looks them up in a
/// table of the C library that ends at 255, which could crash the process. Names in shell are ASCII.
fn without_far_characters(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut covered = bytes.to_vec();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|it| it.is_ascii_digit()).count();
    for (brace, _) in text.match_indices('{') {
        let first = digits(brace + 1);
        let ends = [Some(first), bytes[first..].starts_with(b"..").then(|| digits(first + 2))];
        for end in ends.into_iter().flatten() {
            let character = text[end..].chars().next().filter(|it| !it.is_ascii());
            covered[end..end + character.map_or(0, char::len_utf8)].fill(b'_');
        }
    }
    covered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_scanner_must_not_see_is_covered() {
        let shell = Language::of_id("bash").expect("it is known");
        for (text, seen) in [
            ("echo {1..3} é", "echo {1..3} é"),
            ("{😀 é", "{____ é"),
            ("{12é", "{12__"),
            ("{12..😀}", "{12..____}"),
            ("{..é", "{..__"),
            ("{é{9..é", "{__{9..__"),
            ("{", "{"),
        ] {
            assert_eq!(String::from_utf8_lossy(&scanned(shell, text)), seen, "{text}");
        }
        let rust = Language::of_id("rust").expect("it is known");
        assert_eq!(&*scanned(rust, "{é"), "{é".as_bytes());
        // Each of these could crash the process.
        for far in ["\u{10ffff}", "\u{f0000}", "😀", "\u{20000}", "\u{ffff}"] {
            for text in [format!("{{{far}}}"), format!("echo {{1{far}"), format!("f() {{1..2{far}}}")] {
                assert!(Parsed::new(shell, &text).is_some());
            }
        }
    }

    #[test]
    fn a_lone_return_ends_a_comment_where_it_ends_a_line() {
        for (id, text, is_code) in [
            ("python", "# a\rdef f(): pass", true),
            ("typescript", "// a\rfunction f() {}", true),
            ("tsx", "// a\rfunction f() {}", true),
            ("javascript", "// a\rfunction f() {}", true),
            ("c", "// a\rint f(void) {}", true),
            ("cpp", "// a\rint f() {}", true),
            ("java", "// a\rclass f {}", true),
            ("csharp", "// a\rclass f {}", true),
            ("php", "<?php // a\rfunction f() {}", true),
            ("rust", "// a\rfn f() {}", false),
            ("go", "package a // a\rfunc f() {}", false),
            ("ruby", "# a\rdef f; end", false),
            ("bash", "# a\rf() { :; }", false),
        ] {
            let language = Language::of_id(id).expect("it is known");
            let names: Vec<_> =
                crate::outline(language, text).definitions.iter().map(|it| it.name_at.start).collect();
            let expected: Vec<_> = is_code.then(|| at_f(text)).into_iter().collect();
            assert_eq!(names, expected, "{text:?}");
        }
    }

    /// Returns where the word `f` is.
    fn at_f(text: &str) -> usize {
        let is_word =
            |at: &usize| !text[at + 1..].starts_with(char::is_alphanumeric) && text[..*at].ends_with(' ');
        text.match_indices('f').map(|(at, _)| at).find(is_word).expect("each defines it")
    }
}
