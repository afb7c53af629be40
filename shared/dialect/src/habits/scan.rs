//! Tokens of programs in any language.

use std::collections::HashSet;

use serde_json::Number;

use super::text::{self, Part};
use crate::FailureKind;
use crate::lex::{is_name_part, lex, number};

/// A token with its text.
#[derive(Clone, Debug)]
pub(super) struct Token<'source> {
    pub(super) kind: Kind<'source>,
    /// The spelling of a name; empty for other tokens.
    pub(super) word: &'source str,
    /// `true` if it is the first of its line.
    pub(super) starts_line: bool,
    /// `true` if no blank is before it.
    pub(super) is_adjacent: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Kind<'source> {
    Name,
    Number(Number),
    Text(String),
    /// `f"{x}"`, or `` `${x}` ``
    Template {
        parts: Vec<Part<'source>>,
        /// The text between backticks, which is only text where it uses nothing; absent for Python's.
        raw: Option<&'source str>,
    },
    /// `/User/i`
    Pattern {
        pattern: String,
        flags: String,
    },
    Mark(&'static str),
    End,
}

/// Every punctuation mark, a longer one before each that it starts with.
const MARKS: &[&str] = &[
    "...", "..=", "..", "===", "!==", "?.", "??", "=>", "==", "!=", "<=", ">=", "<>", "&&", "||", "->", ":=",
    "|>", "++", "--", "+=", "-=", "*=", "**", "(", ")", "[", "]", "{", "}", ",", ":", ";", ".", "?", "=",
    "!", "<", ">", "+", "-", "*", "/", "%", "|", "&",
];

/// Reads all tokens, or nothing if some characters have no certain meaning.
pub(super) fn scan(source: &str) -> Option<Vec<Token<'_>>> {
    let is_division = |kind: &FailureKind| matches!(kind, FailureKind::SlashedOperand { .. });
    let lexed = lex(source);
    let divisions = lexed.failures.iter().filter(|it| is_division(&it.kind)).filter_map(|it| it.span);
    let mut divisions: HashSet<usize> = divisions.map(|it| it.start).collect();
    if has_python_words(source) {
        divisions.extend(source.match_indices("//").map(|(at, _)| at));
    }
    let span = crate::lex::program_of(source);
    let mut scanner = Scanner {
        rest: &source[span.range()],
        offset: span.start,
        divisions,
        is_hole: false,
        source,
        tokens: Vec::new(),
    };
    scanner.all()?;
    Some(scanner.tokens)
}

/// Returns `true` for a program with words of Python, where `#` starts a comment, and `//` divides.
fn has_python_words(source: &str) -> bool {
    let code = source.lines().map(|line| line.split_once("// ").map_or(line, |(code, _)| code));
    let mut words = code.flat_map(|line| line.split(|it| !is_name_part(it)));
    words.any(|it| matches!(it, "not" | "and" | "or" | "lambda" | "elif" | "def" | "None"))
}

/// Reads the tokens of an expression inside a text.
pub(super) fn scan_hole(code: &str) -> Option<Vec<Token<'_>>> {
    let mut scanner = Scanner {
        rest: code,
        offset: 0,
        divisions: HashSet::new(),
        is_hole: true,
        source: code,
        tokens: Vec::new(),
    };
    scanner.all()?;
    Some(scanner.tokens)
}

struct Scanner<'source> {
    rest: &'source str,
    offset: usize,
    /// The offsets of each `//` that divides, as in Python; others open comments.
    divisions: HashSet<usize>,
    /// `true` inside a text, where no comments are.
    is_hole: bool,
    source: &'source str,
    tokens: Vec<Token<'source>>,
}

impl<'source> Scanner<'source> {
    fn all(&mut self) -> Option<()> {
        let mut starts_line = false;
        let mut is_adjacent = false;
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            starts_line |= self.rest[..blank].contains(['\n', '\r']);
            is_adjacent &= blank == 0;
            self.skip(blank);
            if self.rest.is_empty() {
                self.tokens.push(Token { kind: Kind::End, word: "", starts_line: true, is_adjacent: false });
                return Some(());
            }
            if let Some(length) = self.comment(is_adjacent, starts_line)? {
                self.skip(length);
                is_adjacent = false;
                continue;
            }
            let (kind, length) = self.token()?;
            let word = if matches!(kind, Kind::Name) { &self.rest[..length] } else { "" };
            self.tokens.push(Token { kind, word, starts_line, is_adjacent });
            self.skip(length);
            (starts_line, is_adjacent) = (false, true);
        }
    }

    fn skip(&mut self, length: usize) {
        self.rest = &self.rest[length..];
        self.offset += length;
    }

    /// Returns the length of a comment, if one starts here.
    fn comment(&self, is_adjacent: bool, starts_line: bool) -> Option<Option<usize>> {
        let rest = self.rest;
        if self.is_hole {
            return Some(None);
        }
        let line = rest.find(['\n', '\r']).unwrap_or(rest.len());
        if rest.starts_with("/*") {
            return rest.find("*/").map(|end| Some(end + 2));
        }
        let is_slashed = rest.starts_with("//") && !self.divisions.contains(&self.offset);
        if is_slashed && self.tokens.last().is_some_and(ends_operand) && !starts_line {
            let first = rest[2..line].trim_start().split(|it| !is_name_part(it)).next().unwrap_or_default();
            let is_operand = first.starts_with(|it: char| it.is_ascii_digit())
                || !first.is_empty() && self.tokens.iter().any(|it| it.word == first);
            // This may be a comment or a divisor.
            return (!is_operand).then_some(Some(line));
        }
        if is_slashed || rest.starts_with('#') && (!is_adjacent || starts_line) {
            return Some(Some(line));
        }
        if rest.starts_with("-- ") && self.tokens.last().is_some_and(ends_operand) {
            // `5 -- 3` is a difference in some languages.
            let words = rest[2..line].trim_start();
            let first = words.split(|it| !is_name_part(it)).next().unwrap_or_default();
            let is_word = first.starts_with(char::is_alphabetic) && self.source.matches(first).count() == 1;
            return is_word.then_some(Some(line));
        }
        Some(None)
    }

    /// Returns the next token, and its length.
    fn token(&self) -> Option<(Kind<'source>, usize)> {
        let rest = self.rest;
        if let Some(read) = text::quoted(rest) {
            return read;
        }
        let first = rest.chars().next()?;
        if first.is_ascii_digit() {
            let length = number::extent(rest);
            return Some((Kind::Number(of_digits(&rest[..length])?), length));
        }
        if is_name_part(first) && !first.is_numeric() {
            let length = rest.find(|it| !is_name_part(it)).unwrap_or(rest.len());
            return Some((Kind::Name, length));
        }
        let follows_operand = self.tokens.last().is_some_and(ends_operand);
        if first == '.' && !follows_operand && rest[1..].starts_with(|it: char| it.is_ascii_digit()) {
            let length = 1 + number::extent(&rest[1..]);
            return Some((Kind::Number(number::parse(&format!("0{}", &rest[..length]))?), length));
        }
        if rest.starts_with("//") {
            return Some((Kind::Mark("//"), 2));
        }
        if first == '/' && !follows_operand {
            return text::pattern(rest);
        }
        let mark = MARKS.iter().find(|it| rest.starts_with(**it))?;
        // `5 --3` has two signs.
        let signs = matches!(*mark, "--" | "++")
            && follows_operand
            && rest[2..].starts_with(|it: char| is_name_part(it) || it == '(');
        match signs {
            true if *mark == "--" => Some((Kind::Mark("-"), 1)),
            true => None,
            false => Some((Kind::Mark(mark), mark.len())),
        }
    }
}

/// Returns the number of `1_000`, `0xff` or `2.5`.
fn of_digits(text: &str) -> Option<Number> {
    let plain = text.replace('_', "");
    match plain.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(Number::from),
        None => number::parse(&plain),
    }
}

/// Returns `true` if the token ends an operand, so that an operator can follow.
pub(super) fn ends_operand(token: &Token<'_>) -> bool {
    match &token.kind {
        Kind::Name => !matches!(
            token.word,
            "return"
                | "in"
                | "and"
                | "or"
                | "not"
                | "is"
                | "if"
                | "else"
                | "elif"
                | "then"
                | "await"
                | "lambda"
        ),
        Kind::Mark(mark) => matches!(*mark, ")" | "]" | "}" | "++" | "--"),
        Kind::End => false,
        _ => true,
    }
}

impl Token<'_> {
    pub(super) fn is_name(&self) -> bool {
        matches!(self.kind, Kind::Name)
    }

    pub(super) fn is_mark(&self, mark: &str) -> bool {
        matches!(self.kind, Kind::Mark(found) if found == mark)
    }

    /// Returns `true` if an expression can start with it.
    pub(super) fn starts_operand(&self) -> bool {
        match &self.kind {
            Kind::Mark(mark) => matches!(*mark, "(" | "[" | "{" | "!" | "-"),
            Kind::End => false,
            _ => true,
        }
    }
}
