//! The tokens of a program as a tree of brackets.

use crate::lex::{is_name_part, lex};
use crate::token::{Token, TokenKind};
use crate::{FailureKind, quote};

use super::holes::inside;

/// A token, or a pair of brackets with what is inside.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// The token as it is written here; of a pair of brackets the opening one.
    pub(super) text: String,
    pub(super) inside: Vec<Node>,
    /// `true` if it is the first of its line.
    pub(super) starts_line: bool,
    /// `true` if no blank is before it.
    pub(super) is_tight: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    Text,
    /// `f"{x}"`: the text between the quotes
    Formatted,
    /// `/User/i`
    Pattern,
    Mark,
    Group,
}

impl Node {
    pub(super) fn is(&self, mark: &str) -> bool {
        self.kind == Kind::Mark && self.text == mark
    }

    pub(super) fn is_name(&self) -> bool {
        self.kind == Kind::Name
    }

    pub(super) fn is_word(&self, words: &[&str]) -> bool {
        self.kind == Kind::Name && words.contains(&self.text.as_str())
    }

    pub(super) fn is_group(&self, opener: &str) -> bool {
        self.kind == Kind::Group && self.text == opener
    }

    /// Returns `true` if it ends an operand, so that an operator can follow.
    pub(super) fn ends_operand(&self) -> bool {
        const OPEN: [&str; 11] =
            ["return", "in", "and", "or", "not", "is", "if", "else", "elif", "then", "await"];
        self.kind != Kind::Mark && !self.is_word(&OPEN)
    }
}

/// The most nested brackets.
const DEPTH: usize = 40;

/// Returns the tokens of a program, or nothing if some characters have no certain meaning.
pub(super) fn nodes(source: &str) -> Option<Vec<Node>> {
    let lexed = lex(source);
    let is_clear = |kind: &FailureKind| match kind {
        FailureKind::NotDialect { found, instead } => {
            found.ends_with("--")
                || !found.starts_with("--") && (instead == "`…` + …" || !instead.contains('…'))
                || instead == "// …"
        }
        FailureKind::MalformedNumber { instead, .. } => instead.is_some(),
        FailureKind::UnexpectedCharacter { .. } => true,
        _ => false,
    };
    if lexed.swallowed || !lexed.failures.iter().all(|it| is_clear(&it.kind)) {
        return None;
    }
    let number = |token: &Token| {
        let malformed = lexed.failures.iter().find(|it| it.span == Some(token.span))?;
        let FailureKind::MalformedNumber { instead, .. } = &*malformed.kind else { return None };
        instead.clone()
    };
    let words: Vec<&str> =
        lexed.tokens.iter().filter(|it| it.is_name()).map(|it| &source[it.span.range()]).collect();
    let is_python =
        words.iter().any(|it| matches!(*it, "not" | "and" | "or" | "lambda" | "elif" | "def" | "None"));
    // What follows `//` may be a comment or a divisor.
    let divides = |gap: &str| {
        let comment = gap.split_once("//").filter(|(before, _)| !before.contains(['\n', '\r']));
        let first =
            comment.map(|(_, it)| it.trim_start().split(|it| !is_name_part(it)).next().unwrap_or_default());
        first.is_some_and(|it| {
            is_python || it.starts_with(|it: char| it.is_ascii_digit()) || words.contains(&it)
        })
    };
    let mut open: Vec<(Node, &'static str)> = Vec::new();
    let mut row: Vec<Node> = Vec::new();
    let mut rows: Vec<Vec<Node>> = Vec::new();
    let mut behind = crate::lex::program_of(source).start;
    let (mut is_comment, mut starts_line) = (false, false);
    for token in &lexed.tokens {
        // What a pattern takes in is no token.
        if token.span.start < behind || is_comment && !token.starts_line && token.kind != TokenKind::End {
            continue;
        }
        if row.last().is_some_and(Node::ends_operand) && divides(&source[behind..token.span.start]) {
            return None;
        }
        if source[behind..].starts_with("--") {
            let text = "--".to_owned();
            row.push(Node { kind: Kind::Mark, text, inside: Vec::new(), starts_line: false, is_tight: true });
        }
        starts_line |= token.starts_line;
        let is_tight = token.span.start == behind && !row.is_empty();
        let mut node = Node {
            kind: Kind::Mark,
            text: source[token.span.range()].to_owned(),
            inside: Vec::new(),
            starts_line,
            is_tight,
        };
        is_comment = token.is_mark("#") && (!is_tight || starts_line);
        behind = token.span.end;
        if is_comment {
            continue;
        }
        starts_line = false;
        match &token.kind {
            TokenKind::Name => node.kind = Kind::Name,
            TokenKind::Number(_) => {
                node.kind = Kind::Number;
                node.text = number(token).unwrap_or(node.text);
            }
            TokenKind::Text(text) => {
                let is_raw = node.text.starts_with('`');
                node.kind = if node.text.starts_with('f') { Kind::Formatted } else { Kind::Text };
                let is_whole =
                    !is_raw || text.match_indices("${").all(|(at, _)| inside(&text[at + 2..]).is_some());
                if node.kind == Kind::Formatted && text.contains('\\') || !is_whole {
                    return None;
                }
                node.text = match node.kind {
                    Kind::Formatted => text.clone(),
                    _ if is_raw => node.text,
                    _ => quote::text(text),
                };
            }
            TokenKind::Mark("/") if !row.last().is_some_and(Node::ends_operand) => {
                node.kind = Kind::Pattern;
                node.text = pattern(&source[token.span.start..])?.to_owned();
                behind = token.span.start + node.text.len();
            }
            TokenKind::Mark(mark) => {
                if let Some(closer) = crate::brackets::closer(mark) {
                    node.kind = Kind::Group;
                    if open.len() >= DEPTH {
                        return None;
                    }
                    open.push((node, closer));
                    rows.push(std::mem::take(&mut row));
                    continue;
                }
                if matches!(*mark, ")" | "]" | "}") {
                    let (mut group, closer) = open.pop()?;
                    if closer != *mark {
                        return None;
                    }
                    group.inside = std::mem::replace(&mut row, rows.pop()?);
                    row.push(group);
                    continue;
                }
            }
            TokenKind::End => break,
            _ => return None,
        }
        row.push(node);
    }
    open.is_empty().then_some(row)
}

/// Returns the pattern at the start, `/User/i`.
fn pattern(rest: &str) -> Option<&str> {
    let line = rest.lines().next()?;
    let (mut is_escaped, mut in_class) = (true, false);
    let end = line.char_indices().find_map(|(at, char)| {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return Some(at),
            _ => {}
        }
        None
    })?;
    let flags = line[end + 1..].chars().take_while(char::is_ascii_alphabetic).count();
    (end > 1).then(|| &line[..=end + flags])
}
