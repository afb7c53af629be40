//! Items between brackets, separated by commas: elements, fields, arguments.

use source_text::Span;

use super::parser::{Parsed, Parser, Skip};
use crate::FailureKind;
use crate::ast::{Argument, Element, Expression, ExpressionKind, LambdaParameter, Spelled};
use crate::failure::Expected;
use crate::token::TokenKind;

/// The failures after which the rest of a bracket is skipped, since each costs a pass over it.
const ENOUGH: usize = 40;

impl Parser<'_> {
    pub(super) fn list(&mut self) -> Parsed<Expression> {
        let (elements, span) = self.separated(Self::element);
        self.make(span, ExpressionKind::List(elements))
    }

    pub(super) fn object(&mut self) -> Parsed<Expression> {
        let (fields, span) = self.separated(Self::field);
        self.make(span, ExpressionKind::Object(fields))
    }

    fn element(&mut self) -> Parsed<Element> {
        let spread = self.eat("...");
        if spread && self.is_document() && self.at_end_of_item() {
            let kind = ExpressionKind::Spread(None);
            return Ok(Element { spread, value: self.make(self.tokens[self.at - 1].span, kind)? });
        }
        Ok(Element { spread, value: self.whole() })
    }

    fn field(&mut self) -> Parsed<(Spelled, Expression)> {
        let token = self.peek();
        if self.is_document() && token.is_mark("...") {
            let value = self.spread()?;
            return Ok((Spelled { text: "...".to_owned(), span: token.span }, value));
        }
        let text = match &token.kind {
            TokenKind::Name => self.word().to_owned(),
            TokenKind::Number(_) if !self.is_document() => self.word().to_owned(),
            TokenKind::Text(text) => text.clone(),
            _ => return self.unexpected(Expected::Key),
        };
        let key = Spelled { text, span: self.next().span };
        let is_short = token.is_name() && (self.at_mark(",") || self.at_mark("}"));
        if is_short {
            let value = self.make(key.span, ExpressionKind::Name(key.text.clone()))?;
            return Ok((key, value));
        }
        if !self.eat(":") {
            return self.unexpected(Expected::Colon);
        }
        Ok((key, self.whole()))
    }

    /// Reads `` `src` ``, ``path=`src` ``, and ``path: `src` `` as in Swift.
    pub(super) fn argument(&mut self) -> Parsed<Argument> {
        if self.is_document() && self.at_mark("...") {
            return Ok(Argument { name: None, value: self.spread()? });
        }
        let after = self.peek_ahead(1);
        let named = self.at_name() && (after.is_mark("=") || after.is_mark(":") && !self.is_document());
        let name = named.then(|| self.spelled());
        if named {
            self.next();
        }
        Ok(Argument { name, value: self.whole() })
    }

    /// Reads an item or its value; one that cannot be read is broken.
    pub(super) fn whole(&mut self) -> Expression {
        let start = self.peek().span;
        self.expression().unwrap_or_else(|Skip| {
            self.broken = true;
            Expression { kind: ExpressionKind::Broken, span: start, depth: 0 }
        })
    }

    /// Reads everything between two brackets, with an optional comma at the end. An item that cannot be read
    /// is left out, and reading continues behind the next comma.
    pub(super) fn separated<T: Item>(&mut self, read: impl Fn(&mut Self) -> Parsed<T>) -> (Vec<T>, Span) {
        let closer = self.brackets.closer(self.at);
        let start = self.next().span;
        self.open += 1;
        let mut items = Vec::new();
        while self.at < closer {
            let first = self.at;
            match read(self) {
                Ok(item) => items.push(item),
                Err(Skip) => self.broken = true,
            }
            if std::mem::take(&mut self.broken) {
                self.skip_to_comma(first, closer);
            }
            if self.at < closer && !self.eat(",") && self.missing_comma(first, closer) {
                items.last_mut().into_iter().for_each(Item::spoil);
                self.skip_to_comma(first, closer);
                self.eat(",");
            }
            if self.failures.len() >= ENOUGH {
                self.at = closer;
            }
        }
        self.open -= 1;
        (items, start.join(self.next().span))
    }

    /// Reports tokens where only a comma or the end is possible. Returns `true` if they spoil the item.
    fn missing_comma(&mut self, first: usize, closer: usize) -> bool {
        if let Some(foreign) = self.foreign_item(first, closer) {
            self.refuse::<()>(foreign).err();
            return true;
        }
        // Texts beside each other are one text in some languages.
        let is_quoted = |at: usize| self.text(self.tokens[at].span).starts_with(['"', '\'']);
        let are_texts = is_quoted(self.at) && is_quoted(self.at - 1);
        let starts_item = !self.at_mark("-") && self.peek().starts_operand_anywhere() && !are_texts;
        if starts_item {
            let kind = FailureKind::MissingComma { after: self.end_of_last() };
            self.fail::<()>(self.peek().span, kind).err();
        } else {
            self.unexpected::<()>(Expected::Comma).err();
        }
        !starts_item
    }

    /// Skips the item that starts at token `first`, to the next comma or `closer`.
    fn skip_to_comma(&mut self, first: usize, closer: usize) {
        self.at = first;
        while self.at < closer && !self.at_mark(",") {
            self.at = self.at.max(self.brackets.closer(self.at)) + 1;
        }
    }

    /// Returns the extent of the item that starts at token `first`, to the next comma or `closer`.
    pub(super) fn extent(&self, first: usize, closer: usize) -> Span {
        let mut last = first;
        let mut at = first;
        while at < closer && !self.tokens[at].is_mark(",") {
            last = at.max(self.brackets.closer(at));
            at = last + 1;
        }
        self.tokens[first].span.join(self.tokens[last].span)
    }
}

/// Something in a list of things.
pub(super) trait Item {
    /// Forgets what it was, when that turned out to be wrong.
    fn spoil(&mut self);
}

impl Item for Expression {
    fn spoil(&mut self) {
        self.kind = ExpressionKind::Broken;
    }
}

impl Item for Element {
    fn spoil(&mut self) {
        self.value.spoil();
    }
}

impl Item for (Spelled, Expression) {
    fn spoil(&mut self) {
        self.1.spoil();
    }
}

impl Item for Argument {
    fn spoil(&mut self) {
        self.value.spoil();
    }
}

impl Item for LambdaParameter {
    fn spoil(&mut self) {}
}
