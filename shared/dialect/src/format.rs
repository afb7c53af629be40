//! The formatter: the same program with the same comments, in lines that fit.

mod comments;
mod expression;
mod layout;
mod same;

use source_text::Span;

use self::comments::{Gap, gaps};
use self::expression::Formatter;
use self::layout::print;
use crate::ast::{Expression, ExpressionKind};
use crate::brackets::Brackets;
use crate::lex::lex;
use crate::parse::read;
use crate::token::TokenKind;
use crate::{Failures, Limits};

/// The characters of a line, if the program allows it.
const WIDTH: usize = 100;

/// Formats a program of either form, in lines of at most 100 characters if possible. Each statement has a
/// line. A longer one is broken at its brackets, operators and chained calls, and indented by two.
///
/// Only blanks, semicolons and commas before closing brackets change. Every comment is kept once, in order.
/// Formatting is idempotent.
///
/// # Errors
/// If the text is not a program: every mistake in it. Names are not resolved.
pub fn format(source: &str) -> Result<String, Failures> {
    let limits = Limits::default();
    let program = read(source)?;
    let formatted = lay_out(source, &program, &limits);
    // Check the promise: a layout that reads differently is dropped.
    Ok(if same::is_same(source, &program, &formatted, &limits) { formatted } else { source.to_owned() })
}

/// Returns `true` if a program has comments, which [`Program::write`](crate::Program::write) would lose.
pub fn has_comments(source: &str) -> bool {
    !same::comments(source).is_empty()
}

fn lay_out(source: &str, program: &Expression, limits: &Limits) -> String {
    let tokens = lex(source).tokens;
    let brackets = Brackets::matched(&tokens, limits.depth).expect("the program was read");
    let formatter = Formatter { source, tokens: &tokens, brackets, gaps: gaps(source, &tokens) };
    let mut page = Page::default();
    for (from, to) in statements(&formatter, program) {
        page.gap(&formatter.gaps_between(page.upto, from), formatter.begins_with_mark(from));
        page.text.push_str(&print(&formatter.statement(from, to), WIDTH));
        page.upto = to;
    }
    page.gap(&formatter.gaps_between(page.upto, tokens.len() - 1), false);
    page.text.truncate(page.text.trim_end().len());
    page.text.push('\n');
    page.text
}

/// Returns the tokens of each statement: the bindings, and the result.
fn statements(formatter: &Formatter<'_>, program: &Expression) -> Vec<(usize, usize)> {
    let mut ends: Vec<Span> = match &program.kind {
        ExpressionKind::Let { bindings, .. } => bindings.iter().map(|(_, value)| value.span).collect(),
        _ => Vec::new(),
    };
    ends.push(program.span);
    let tokens = formatter.tokens;
    let mut from = 0;
    let mut found = Vec::new();
    for end in ends {
        while tokens[from].is_mark(";") {
            from += 1;
        }
        let to = tokens.partition_point(|it| it.span.start < end.end && it.kind != TokenKind::End);
        found.push((from, to));
        from = to;
    }
    found
}

/// The output so far.
#[derive(Default)]
struct Page {
    text: String,
    /// The first token that is not written yet.
    upto: usize,
}

impl Page {
    /// Writes the comments between statements, and a blank line if there was one.
    fn gap(&mut self, gap: &Gap<'_>, separated: bool) {
        if separated && !self.text.is_empty() {
            self.text.push(';');
        }
        for comment in &gap.comments {
            self.lines(comment.lines_before, " ");
            self.text.push_str(comment.text);
        }
        let inline = gap.comments.last().is_some_and(|it| !it.is_line());
        let lines = if inline { gap.lines_after } else { gap.lines_after.max(1) };
        self.lines(lines, " ");
    }

    /// Writes line breaks, with at most one blank line; `blank` if `count` is 0.
    fn lines(&mut self, count: usize, blank: &str) {
        match count {
            _ if self.text.is_empty() => {}
            0 => self.text.push_str(blank),
            count => self.text.push_str(&"\n".repeat(count.min(2))),
        }
    }
}

#[cfg(test)]
mod tests;
