//! The lexer: text → tokens. It never fails: mistakes are reported beside the tokens.

mod document;
mod lexer;
pub(crate) mod number;
mod template;
pub(crate) mod text;

use source_text::Span;

pub(crate) use self::document::lex_document;
pub(crate) use self::lexer::{Lexed, is_name_part};
use self::lexer::{Lexer, is_blank};
use crate::token::{MARKS, TokenKind};

/// Reads the whole source once.
pub(crate) fn lex(source: &str) -> Lexed {
    let mut lexer = Lexer::new(source, program_of(source), MARKS);
    while lexer.at < lexer.end {
        lexer.step();
    }
    lexer.push(lexer.end, TokenKind::End);
    lexer.lexed
}

/// Returns the program inside a Markdown fence around all of it, or all of it.
pub(crate) fn program_of(source: &str) -> Span {
    let start = source.len() - source.trim_start_matches(is_blank).len();
    let end = source.trim_end_matches(is_blank).len();
    let whole = Span::new(start.min(end), end);
    let inner = source[whole.range()].strip_prefix("```").and_then(|it| it.strip_suffix("```"));
    let Some((line, body)) = inner.and_then(|inner| inner.split_once('\n')) else { return whole };
    let is_info = line.trim().chars().all(|char| char.is_alphanumeric() || matches!(char, '-' | '_' | '+'));
    let start = whole.end - 3 - body.len();
    if is_info { Span::new(start, start + body.len()) } else { whole }
}
