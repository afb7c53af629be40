//! Laying programs out: the same program with the same comments, in lines that fit.

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

/// So many characters a line may have, where the program allows it.
const WIDTH: usize = 100;

/// The program in either form, laid out in lines of at most 100 characters where it can be: one statement a line,
/// what does not fit broken at its brackets, operators and chained calls, indented by two.
///
/// It stays the same program: only blanks, commas before closing brackets and semicolons change, and every comment is
/// kept once, in order. What was formatted stays as it is.
///
/// # Errors
/// When the text is no program: what stands in the way of reading it. Names are not looked up.
pub fn format(source: &str) -> Result<String, Failures> {
    let limits = Limits::default();
    let program = read(source)?;
    let formatted = lay_out(source, &program, &limits);
    // The promise is worth a second look: a layout that reads differently is none.
    Ok(if same::is_same(source, &program, &formatted, &limits) { formatted } else { source.to_owned() })
}

fn lay_out(source: &str, program: &Expression, limits: &Limits) -> String {
    let tokens = lex(source).tokens;
    let brackets = Brackets::of(&tokens, limits.depth).expect("the program was read");
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

/// The tokens of each line that binds a name, and of the result.
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

/// What is written so far.
#[derive(Default)]
struct Page {
    text: String,
    /// The first token that is not written yet.
    upto: usize,
}

impl Page {
    /// What stands between statements: comments, and a blank line where there were some.
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

    /// Line breaks, one blank line at most; `blank` where there are none.
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
