//! Matching of brackets, without recursion and before parsing. So the parser may recurse, and can skip a
//! broken argument.

pub(crate) mod repair;

use source_text::Span;

use crate::token::{Token, TokenKind};
use crate::{Failure, FailureKind, Limit};

/// For each token that opens, the index of the one that closes it.
#[derive(Debug)]
pub(crate) struct Brackets {
    closers: Vec<usize>,
}

impl Brackets {
    /// Matches all brackets. The first that is wrong is the only one reported: those after it are guesses.
    pub(crate) fn matched(tokens: &[Token], depth: usize) -> Result<Self, Failure> {
        let mut closers = vec![0; tokens.len()];
        let mut open: Vec<(usize, &'static str)> = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            let TokenKind::Mark(mark) = token.kind else { continue };
            if closer(mark).is_some() {
                open.push((index, mark));
                if open.len() > depth {
                    let kind = FailureKind::LimitReached { limit: Limit::Depth, at_most: depth };
                    return Err(Failure::at(token.span, kind));
                }
            } else if matches!(mark, ")" | "]" | "}") {
                closers[opener(&mut open, tokens, mark, token.span)?] = index;
            }
        }
        match open.pop() {
            None => Ok(Self { closers }),
            Some((index, mark)) => {
                let end = tokens.iter().rev().nth(1).map_or(0, |token| token.span.end);
                let missing = open.iter().map(|(_, it)| *it).chain([mark]).rev().filter_map(closer).collect();
                Err(unclosed(tokens[index].span, mark, Some((end, missing))))
            }
        }
    }

    /// Returns the index of the token that closes the one at `opener`.
    pub(crate) fn closer(&self, opener: usize) -> usize {
        self.closers[opener]
    }
}

/// Returns the index of the token that `mark` closes.
fn opener(
    open: &mut Vec<(usize, &'static str)>,
    tokens: &[Token],
    mark: &'static str,
    span: Span,
) -> Result<usize, Failure> {
    match open.pop() {
        Some((index, opener)) if closer(opener) == Some(mark) => Ok(index),
        Some((index, opener)) if open.iter().any(|(_, it)| closer(it) == Some(mark)) => {
            Err(unclosed(tokens[index].span, opener, None))
        }
        _ => Err(Failure::at(span, FailureKind::Unopened { bracket: char_of(mark) })),
    }
}

fn unclosed(span: Span, mark: &'static str, at_end: Option<(usize, String)>) -> Failure {
    Failure::at(span, FailureKind::Unclosed { bracket: char_of(mark), at_end })
}

/// Returns the closing bracket for a mark that opens.
pub(crate) fn closer(mark: &str) -> Option<&'static str> {
    match mark {
        "(" => Some(")"),
        "[" => Some("]"),
        "{" | "${" => Some("}"),
        _ => None,
    }
}

fn char_of(mark: &str) -> char {
    mark.chars().next_back().expect("a mark has characters")
}
