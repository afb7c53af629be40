//! Malformed tokens and unmatched brackets, as diagnostics.

use dialect::code::{Code as Tokens, Token, TokenKind};
use dialect::{Failure, FailureKind, Limit};
use source_text::Span;

use crate::diagnostic::{Code, Diagnostics};

/// Reports the mistakes of the lexer, and returns the places of malformed tokens.
pub(super) fn report(source: &str, tokens: &Tokens<'_>, diagnostics: &mut Diagnostics) -> Vec<Span> {
    let mut reporter = Reporter {
        source,
        tokens: tokens.tokens(),
        diagnostics,
        mistakes: Vec::new(),
        swallowed: Vec::new(),
        unread: None,
    };
    let mut failures: Vec<&Failure> = tokens.failures().iter().filter(|it| it.span.is_some()).collect();
    failures.sort_by_key(|failure| failure.span);
    let is_bracket = |it: &&&Failure| matches!(*it.kind, FailureKind::Unclosed { .. });
    failures.iter().filter(|it| !is_bracket(it)).for_each(|failure| reporter.failure(failure));
    reporter.swallowed.sort_unstable();
    failures.iter().filter(is_bracket).for_each(|failure| reporter.unclosed(failure, tokens));
    reporter.empty_interpolations();
    for warning in tokens.warnings() {
        reporter.escape_warning(warning);
    }
    reporter.mistakes.sort_unstable();
    reporter.mistakes
}

struct Reporter<'source, 'out> {
    source: &'source str,
    tokens: &'source [Token],
    diagnostics: &'out mut Diagnostics,
    mistakes: Vec<Span>,
    /// The places of unterminated tokens, which may have swallowed a bracket.
    swallowed: Vec<Span>,
    /// The end of an unterminated text; mistakes before it are ignored.
    unread: Option<usize>,
}

impl Reporter<'_, '_> {
    fn failure(&mut self, failure: &Failure) {
        let Some(span) = failure.span else { return };
        if self.unread.is_some_and(|end| span.start < end) {
            return;
        }
        match &*failure.kind {
            FailureKind::UnterminatedComment => {
                self.fail(Code::UNTERMINATED_COMMENT, span, "this comment never ends", "close it with `*/`");
                self.swallowed.push(span);
            }
            FailureKind::UnterminatedText { quote: '/', .. } => {
                let help = "close it with `/` on its line; a `/` in it is written `\\/`";
                self.fail(Code::UNTERMINATED_REGEX, span, "this regex never ends", help);
                self.skip_line(span);
            }
            FailureKind::UnterminatedText { quote, .. } => self.unterminated_text(*quote, span),
            FailureKind::UnknownEscape { escape, instead, .. } => {
                self.mistakes.push(span);
                self.diagnostics.error(Code::ESCAPE, span, format!("`{escape}` is no escape")).replace(
                    "write the backslash twice",
                    span,
                    instead,
                );
            }
            FailureKind::MalformedNumber { text, .. } => {
                let help = "numbers are written `12`, `1_000`, `0.5`, `1e3` or `0xff`";
                self.fail(Code::NUMBER, span, &format!("`{text}` is no number"), help);
            }
            FailureKind::UnexpectedCharacter { text } => {
                let message = format!("`{}` means nothing here", text.escape_debug());
                self.fail(Code::STRANGE_CHARACTER, span, &message, "leave it out, or put it between quotes");
            }
            _ => self.bracket(failure, span),
        }
    }

    fn bracket(&mut self, failure: &Failure, span: Span) {
        match &*failure.kind {
            FailureKind::Unopened { bracket } => {
                self.fail(
                    Code::UNEXPECTED,
                    span,
                    &format!("this `{bracket}` closes nothing"),
                    "leave it out",
                );
            }
            FailureKind::LimitReached { limit: Limit::Depth, at_most } => {
                let message = format!("this nests deeper than {at_most} levels");
                self.fail(Code::TOO_DEEP, span, &message, "give the inner parts names of their own");
            }
            _ => {
                let diagnostic = Tokens::diagnostic(failure);
                self.fail(
                    Code::UNEXPECTED,
                    span,
                    &diagnostic.message,
                    diagnostic.help.as_deref().unwrap_or_default(),
                );
            }
        }
    }

    /// Reports a bracket that is never closed, unless an unterminated token may have swallowed its closing
    /// one.
    fn unclosed(&mut self, failure: &Failure, tokens: &Tokens<'_>) {
        let (Some(span), FailureKind::Unclosed { bracket, .. }) = (failure.span, &*failure.kind) else {
            return;
        };
        let opener = self.tokens.partition_point(|token| token.span.start < span.start);
        let end = tokens.closer(opener).map_or(span.end, |closer| self.tokens[closer].span.end);
        let next = self.swallowed.partition_point(|it| it.start < span.start);
        let is_inside = next > 0 && self.swallowed[next - 1].end > span.start;
        if !is_inside && self.swallowed.get(next).is_none_or(|it| it.start > end) {
            self.diagnostics.error(Code::UNCLOSED_BRACKET, span, format!("this `{bracket}` is never closed"));
        }
    }

    fn fail(&mut self, code: Code, span: Span, message: &str, help: &str) {
        self.mistakes.push(span);
        self.diagnostics.error(code, span, message).help(help);
    }

    fn skip_line(&mut self, span: Span) {
        let rest = &self.source[span.start..];
        let end = span.start + rest.find(['\n', '\r']).unwrap_or(rest.len());
        self.swallowed.push(Span::new(span.start, end));
        self.unread = Some(end);
    }

    fn unterminated_text(&mut self, quote: char, span: Span) {
        let (code, message) = if self.has_open_interpolation(span) {
            (Code::UNTERMINATED_INTERPOLATION, "this text has an interpolation that never ends")
        } else {
            (Code::UNTERMINATED_TEXT, "this text never ends")
        };
        let help = match (code, quote) {
            (Code::UNTERMINATED_INTERPOLATION, _) => {
                "close it with `}`, or write `\\${` for the text".to_owned()
            }
            (_, '`') => "close it with a backtick".to_owned(),
            (_, quote) => format!("close it with {quote} on its line"),
        };
        self.fail(code, span, message, &help);
        self.skip_line(span);
        if quote == '`' {
            self.unread = Some(self.source.len());
        }
    }

    /// Returns `true` if an interpolation of the text at `span` has no closing brace.
    fn has_open_interpolation(&self, span: Span) -> bool {
        let first = self.tokens.partition_point(|token| token.span.start < span.start);
        let mut open = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(first) {
            match token.kind {
                TokenKind::TemplateStart => open += 1,
                TokenKind::TemplateEnd if open <= 1 => {
                    let before = &self.tokens[at - 1];
                    return open == 1 && before.is_mark("}") && before.span.start == before.span.end;
                }
                TokenKind::TemplateEnd => open -= 1,
                _ if open == 0 => return false,
                _ => {}
            }
        }
        false
    }

    fn empty_interpolations(&mut self) {
        for pair in self.tokens.windows(2) {
            let [open, close] = pair else { continue };
            if !open.is_mark("${") || !close.is_mark("}") || close.span.start == close.span.end {
                continue;
            }
            let help = "write an expression between the braces, or `\\${` for the text";
            self.fail(
                Code::EMPTY_INTERPOLATION,
                open.span.join(close.span),
                "this interpolation is empty",
                help,
            );
        }
    }

    fn escape_warning(&mut self, warning: &Failure) {
        let (Some(span), FailureKind::UnknownEscape { escape, instead, .. }) = (warning.span, &*warning.kind)
        else {
            return;
        };
        self.diagnostics
            .warning(Code::ESCAPE, span, format!("`{escape}` is no escape, so the backslash stays"))
            .replace("write the backslash twice", span, instead);
    }
}
