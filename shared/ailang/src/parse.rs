//! Code → [`crate::syntax`], with error recovery.
//!
//! Brackets are matched in advance, so that the parser can skip a broken part. Types, definitions and
//! statements are parsed here by recursive descent, expressions by Dialect.

mod bracket;
mod capability;
mod comment;
mod definition;
mod documentation;
mod error;
mod expression;
mod import;
mod item;
mod literal;
mod member;
mod mistake;
mod parameter;
mod statement;
mod tool;
mod types;

use std::collections::BTreeMap;

use dialect::Limits;
use dialect::code::{Code as Tokens, Token, TokenKind};
use source_text::Span;

use self::comment::Comment;
pub(crate) use self::documentation::FLAGS;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::limits::{DEEPEST_CODE, LARGEST_DOCUMENT};
use crate::syntax::{Block, Item, Name, Program, Type};

/// The contents that a stretch of code may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Imports and definitions.
    Definitions,
    /// Imports, definitions and statements.
    Statements,
}

/// Parses a stretch of a document and adds its items to `program`.
pub(crate) fn parse(
    source: &str,
    stretch: Span,
    content: Content,
    program: &mut Program,
    diagnostics: &mut Diagnostics,
) {
    let tokens = tokens(source, stretch);
    let mistakes = mistake::report(source, &tokens, diagnostics);
    let comments = comment::comments(source, stretch, tokens.tokens());
    let mut parser = Parser {
        source,
        tokens: &tokens,
        comments: &comments,
        mistakes: &mistakes,
        at: 0,
        end: 0,
        depth: 0,
        unread: &mut program.unread,
        lambda_bodies: &mut program.lambda_bodies,
        lambda_types: &mut program.lambda_types,
        diagnostics,
    };
    let end = tokens.tokens().len() - 1;
    let items = parser.items(end, content);
    program.items.extend(items);
}

/// Parses a stretch of a document without its diagnostics.
pub(crate) fn program(source: &str, stretch: Span, content: Content) -> Program {
    let (mut program, mut diagnostics) = (Program::default(), Diagnostics::default());
    parse(source, stretch, content, &mut program, &mut diagnostics);
    program
}

/// Returns the places of the comments of a stretch of code, in order.
pub(crate) fn comments(source: &str, stretch: Span, tokens: &[Token]) -> Vec<Span> {
    comment::comments(source, stretch, tokens).into_iter().map(|comment| comment.span).collect()
}

/// Returns the tokens of a stretch of a document.
pub(crate) fn tokens<'source>(source: &'source str, stretch: Span) -> Tokens<'source> {
    let limits = Limits { depth: DEEPEST_CODE, source_bytes: LARGEST_DOCUMENT, ..Limits::default() };
    Tokens::read(source, stretch, &limits)
}

struct Parser<'source, 'out> {
    source: &'source str,
    tokens: &'source Tokens<'source>,
    comments: &'source [Comment],
    /// The places of malformed tokens, in order.
    mistakes: &'source [Span],
    /// The index of the next token.
    at: usize,
    /// The index of the token behind the current items.
    end: usize,
    /// The current nesting of types and statements.
    depth: usize,
    /// The names of definitions that could not be parsed.
    unread: &'out mut Vec<Name>,
    lambda_bodies: &'out mut BTreeMap<usize, Block>,
    lambda_types: &'out mut BTreeMap<usize, Type>,
    diagnostics: &'out mut Diagnostics,
}

/// A reported syntax error, behind which parsing continues.
#[derive(Debug)]
struct Skip;

type Parsed<T> = Result<T, Skip>;

impl<'source> Parser<'source, '_> {
    fn peek(&self) -> &'source Token {
        self.peek_ahead(0)
    }

    fn peek_ahead(&self, count: usize) -> &'source Token {
        let tokens = self.tokens.tokens();
        &tokens[(self.at + count).min(tokens.len() - 1)]
    }

    fn next(&mut self) -> &'source Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.tokens().len() - 1);
        token
    }

    fn text(&self, span: Span) -> &'source str {
        &self.source[span.range()]
    }

    /// Returns the text of the next token if it is a name, or an empty one.
    fn word(&self) -> &'source str {
        self.word_ahead(0)
    }

    /// Returns the text of a later token if it is a name, or an empty one.
    fn word_ahead(&self, count: usize) -> &'source str {
        let token = self.peek_ahead(count);
        if token.is_name() { self.text(token.span) } else { "" }
    }

    fn at_mark(&self, mark: &str) -> bool {
        self.peek().is_mark(mark)
    }

    fn at_name(&self) -> bool {
        self.peek().is_name()
    }

    /// Returns `true` if a name stands `count` tokens on, and starts no line.
    fn name_on_line(&self, count: usize) -> bool {
        let token = self.peek_ahead(count);
        token.is_name() && !token.starts_line
    }

    fn eat(&mut self, mark: &str) -> bool {
        let found = self.at_mark(mark);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, mark: &'static str) -> Parsed<()> {
        if self.eat(mark) { Ok(()) } else { self.expected(&format!("`{mark}`")) }
    }

    /// Returns the end of the last token that was read.
    fn end_of_last(&self) -> usize {
        let tokens = self.tokens.tokens();
        self.at.checked_sub(1).map_or_else(|| self.peek().span.start, |last| tokens[last].span.end)
    }

    /// Returns the place from token `first` to the last token that was read.
    fn span_from(&self, first: usize) -> Span {
        let start = self.tokens.tokens()[first].span.start;
        Span::new(start, self.end_of_last().max(start))
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        let starts_definition = self.peek().starts_line && self.at_definition();
        if !self.at_name() || starts_definition {
            return self.expected(what);
        }
        let span = self.next().span;
        Ok(Name { text: self.text(span).to_owned(), span })
    }

    /// Reports that the next token is unexpected.
    fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let token = self.peek();
        let span = token.span;
        let message = if token.kind == TokenKind::End || self.text(span).is_empty() {
            format!("expected {what}, but the code ends here")
        } else {
            format!("expected {what}, found `{}`", shortened(self.text(span)))
        };
        self.error(Code::EXPECTED, span, message);
        Err(Skip)
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.diagnostics.error(code, span, message)
    }

    /// Parses something nested; reports nesting beyond the limit.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST_CODE {
            let span = self.peek().span;
            let message = format!("this nests deeper than {DEEPEST_CODE} levels");
            self.error(Code::TOO_DEEP, span, message).help("give the inner parts names of their own");
            return Err(Skip);
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// Parses the items before token `end`.
    fn items(&mut self, end: usize, content: Content) -> Vec<Item> {
        let outer = std::mem::replace(&mut self.end, end);
        let mut items = Vec::new();
        while self.at < end {
            if self.eat(";") {
                continue;
            }
            let first = self.at;
            let reported = self.diagnostics.len();
            if let Ok(item) = self.item(content) {
                items.push(item);
            }
            if self.at == first {
                self.next();
            }
            self.forgive(first, reported);
        }
        self.end = outer;
        items
    }

    /// Drops syntax errors from token `first` on that follow from a malformed token.
    fn forgive(&mut self, first: usize, reported: usize) {
        let span = self.span_from(first);
        let next = self.mistakes.partition_point(|mistake| mistake.start < span.start);
        if self.mistakes.get(next).is_some_and(|mistake| mistake.start <= span.end) {
            self.diagnostics.truncate(reported);
        }
    }
}

/// Truncates a text for a message.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.len() < text.len() => format!("{line}…"),
        None => line.to_owned(),
    }
}
