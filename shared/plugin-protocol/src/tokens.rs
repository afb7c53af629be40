//! The tokens of a JSON text that was checked before. Commas and colons are left out: who reads knows where a
//! key stands. It never recurses, so that depth costs nothing.

use json_text::text_length;

/// A bracket, a string or a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    OpenObject,
    OpenArray,
    CloseObject,
    CloseArray,
    /// A string with its quotes and escapes.
    Text(&'a str),
    /// A number, true, false or null.
    Scalar(&'a str),
}

/// The tokens of a text. They end where the text is cut off.
#[derive(Clone, Debug)]
pub(crate) struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    /// Passes over the rest of a value whose first token was this one.
    pub(crate) fn pass_over(&mut self, first: Token<'a>) {
        let mut depth = 0_usize;
        let mut next = Some(first);
        while let Some(token) = next {
            match token {
                Token::OpenObject | Token::OpenArray => depth += 1,
                Token::CloseObject | Token::CloseArray => depth = depth.saturating_sub(1),
                Token::Text(_) | Token::Scalar(_) => {}
            }
            if depth == 0 {
                return;
            }
            next = self.next();
        }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n', ',', ':']);
        let bracket = match self.rest.bytes().next()? {
            b'{' => Token::OpenObject,
            b'}' => Token::CloseObject,
            b'[' => Token::OpenArray,
            b']' => Token::CloseArray,
            b'"' => {
                let length = text_length(self.rest.as_bytes())?;
                return Some(Token::Text(self.take(length)));
            }
            _ => {
                let length = self.rest.find([' ', '\t', '\r', '\n', ',', ':', '"', '{', '}', '[', ']']);
                return Some(Token::Scalar(self.take(length.unwrap_or(self.rest.len()))));
            }
        };
        self.take(1);
        Some(bracket)
    }
}
