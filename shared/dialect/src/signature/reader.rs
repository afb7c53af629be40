//! The parser of signatures.

use super::{ARGS, KWARGS, Signature, SignatureError};
use crate::{Parameter, Type};

/// The most nested types.
const DEPTH: usize = 100;

pub(super) struct Reader<'text> {
    text: &'text str,
    at: usize,
    depth: usize,
}

type Read<T> = Result<T, SignatureError>;

impl<'text> Reader<'text> {
    /// Reads a text with `read`. What `read` leaves at the end is an error.
    pub(super) fn all_of<T>(text: &'text str, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let mut reader = Self { text, at: 0, depth: 0 };
        let all = read(&mut reader)?;
        reader.skip_blanks();
        if reader.at < text.len() { reader.fail("the end") } else { Ok(all) }
    }

    pub(super) fn fail<T>(&self, expected: &'static str) -> Read<T> {
        Err(SignatureError { text: self.text.to_owned(), at: self.at, expected })
    }

    /// Returns an error about the text at `at`.
    pub(super) fn fail_at<T>(&self, at: usize, expected: &'static str) -> Read<T> {
        Err(SignatureError { text: self.text.to_owned(), at, expected })
    }

    pub(super) fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    pub(super) fn rest(&self) -> &'text str {
        &self.text[self.at..]
    }

    /// Returns the start of the next token.
    pub(super) fn place(&mut self) -> usize {
        self.skip_blanks();
        self.at
    }

    pub(super) fn go_back(&mut self, at: usize) {
        self.at = at;
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    pub(super) fn eat(&mut self, punctuation: &str) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(punctuation);
        if found {
            self.at += punctuation.len();
        }
        found
    }

    pub(super) fn expect(&mut self, punctuation: &'static str) -> Read<()> {
        if self.eat(punctuation) { Ok(()) } else { self.fail(punctuation) }
    }

    /// Reads a nested type.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == DEPTH {
            return self.fail("a type that is nested less deeply");
        }
        self.depth += 1;
        let inner = read(self);
        self.depth -= 1;
        inner
    }

    /// Items with commas between them, up to what closes them.
    pub(super) fn separated<T>(
        &mut self,
        close: &'static str,
        mut read: impl FnMut(&mut Self, &[T]) -> Read<T>,
    ) -> Read<Vec<T>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            let item = read(self, &items)?;
            items.push(item);
            if !self.eat(",") {
                self.expect(close)?;
                break;
            }
        }
        Ok(items)
    }

    /// Reads a name, which may have dots between its parts.
    pub(super) fn name(&mut self) -> Read<&'text str> {
        self.skip_blanks();
        let rest = self.rest();
        let end = rest.find(|char: char| !char.is_alphanumeric() && !matches!(char, '_' | '.'));
        let name = rest[..end.unwrap_or(rest.len())].trim_end_matches('.');
        if name.is_empty() || name.starts_with(|char: char| char.is_ascii_digit() || char == '.') {
            return self.fail("a name");
        }
        self.at += name.len();
        Ok(name)
    }

    pub(super) fn signature(&mut self) -> Read<Signature> {
        let name = self.name()?.to_owned();
        self.expect("(")?;
        let mut is_open = false;
        let items = self.separated(")", |reader, before: &[Option<Parameter>]| {
            if is_open {
                return reader.fail("`)`, because nothing follows `...`");
            }
            is_open = reader.eat("...");
            let named: Vec<_> = before.iter().flatten().cloned().collect();
            if is_open { Ok(None) } else { reader.parameter(&named).map(Some) }
        })?;
        let mut parameters: Vec<_> = items.into_iter().flatten().collect();
        if is_open {
            for (name, ty) in [(ARGS, Type::List(Box::new(Type::Any))), (KWARGS, Type::Object)] {
                if parameters.iter().any(|it| it.is_called(name)) {
                    return self.fail("no parameter `args` or `kwargs` beside `...`");
                }
                let name = name.to_owned();
                parameters.push(Parameter { name, ty, optional: true, default: None, aliases: Vec::new() });
            }
        }
        let returns = if self.eat("->") { self.ty()? } else { Type::Any };
        Ok(Signature { name, parameters, returns, is_open })
    }

    fn parameter(&mut self, before: &[Parameter]) -> Read<Parameter> {
        let name = self.name()?.to_owned();
        if before.iter().any(|it| crate::name::is_same_name(&it.name, &name)) {
            return self.fail("a parameter of another name");
        }
        let marked = self.eat("?");
        let behind_name = self.at;
        let parameter = self.typed(name, marked)?;
        if !parameter.optional && before.last().is_some_and(|it| it.optional) {
            return self
                .fail_at(behind_name, "`?`, because a required parameter cannot follow an optional one");
        }
        Ok(parameter)
    }

    /// Reads the part behind the name of a parameter or field.
    pub(super) fn typed(&mut self, name: String, marked: bool) -> Read<Parameter> {
        self.expect(":")?;
        let ty = self.ty()?;
        let default = if self.eat("=") { Some(self.json()?) } else { None };
        let optional = marked || default.is_some();
        Ok(Parameter { name, ty, optional, default, aliases: Vec::new() })
    }

    /// Reads a default, which is JSON, up to its end.
    pub(super) fn json(&mut self) -> Read<serde_json::Value> {
        self.skip_blanks();
        let is_word = |char: char| char.is_ascii_alphanumeric() || matches!(char, '+' | '-' | '.');
        let word = self.rest().split(|char| !is_word(char)).next().unwrap_or_default();
        if let Ok(value) = serde_json::from_str(word) {
            self.at += word.len();
            return Ok(value);
        }
        let mut values = serde_json::Deserializer::from_str(self.rest()).into_iter();
        match values.next() {
            Some(Ok(value)) => {
                self.at += values.byte_offset();
                Ok(value)
            }
            _ => self.fail("a value"),
        }
    }
}

impl Signature {
    /// Reads `name(parameter: type, optional?: type, other: type = 1) -> type`; without the arrow the result
    /// is `any`. `...` as the last parameter stands for further arguments, which are not known.
    ///
    /// # Errors
    /// If the text is not of that form, names a parameter twice, or has a required parameter after an
    /// optional one.
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        Reader::all_of(text, Reader::signature)
    }
}

impl Type {
    /// Reads a type expression.
    ///
    /// # Errors
    /// If the text is not one.
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        Reader::all_of(text, Reader::ty)
    }
}
