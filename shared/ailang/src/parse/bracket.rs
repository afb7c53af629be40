//! Lists between brackets.

use super::{Parsed, Parser, Skip};

/// The separator of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// A comma; a trailing one is allowed.
    Comma,
    /// A comma, a semicolon or a line break.
    Line,
}

impl Parser<'_, '_> {
    /// Parses the items between the next bracket and its closing one. Skips malformed items up to the next
    /// separator.
    pub(super) fn between<T>(
        &mut self,
        separator: Separator,
        mut read: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Vec<T> {
        let Some(closer) = self.tokens.closer(self.at) else { return Vec::new() };
        self.next();
        let mut items = Vec::new();
        while self.at < closer {
            match read(self) {
                Ok(item) => items.push(item),
                Err(Skip) => self.skip_item(separator, closer),
            }
            if self.at < closer && !self.separated(separator) {
                let closing = self.text(self.tokens.tokens()[closer].span);
                let what = if closing.is_empty() { "`,`".to_owned() } else { format!("`,` or `{closing}`") };
                self.expected::<()>(&what).ok();
                self.skip_item(separator, closer);
                self.separated(separator);
            }
        }
        self.at = closer;
        self.next();
        items
    }

    /// Consumes a separator.
    fn separated(&mut self, separator: Separator) -> bool {
        if self.eat(",") || separator == Separator::Line && self.eat(";") {
            return true;
        }
        separator == Separator::Line && self.peek().starts_line
    }

    /// Skips to the next separator, or to `closer`.
    fn skip_item(&mut self, separator: Separator, closer: usize) {
        let first = self.at;
        while self.at < closer {
            let token = self.peek();
            let by_line = separator == Separator::Line;
            let ends =
                token.is_mark(",") || by_line && (token.is_mark(";") || token.starts_line && self.at > first);
            if ends {
                break;
            }
            self.skip();
        }
    }

    /// Skips the next token with its bracketed content.
    pub(super) fn skip(&mut self) {
        self.at = self.tokens.closer(self.at).unwrap_or(self.at);
        self.next();
    }
}
