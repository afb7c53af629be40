//! Literals and qualified names.

use dialect::code::TokenKind;
use source_text::Span;

use super::bracket::Separator;
use super::{Parsed, Parser};
use crate::diagnostic::Code;
use crate::syntax::{Literal, LiteralKind, Name, Path};

impl Parser<'_, '_> {
    pub(super) fn literal(&mut self) -> Parsed<Literal> {
        self.deeper(Self::literal_here)
    }

    fn literal_here(&mut self) -> Parsed<Literal> {
        let first = self.at;
        let token = self.peek();
        let kind = match &token.kind {
            TokenKind::TemplateStart => return Ok(self.template_literal()),
            TokenKind::Text(text) => self.take(LiteralKind::Text(text.clone())),
            TokenKind::Number(number) => self.take(LiteralKind::Number(float(number))),
            TokenKind::Pattern { pattern, flags } => {
                let (pattern, flags) = (pattern.clone(), flags.clone());
                self.take(LiteralKind::Regex { pattern, flags })
            }
            TokenKind::Mark("-") => self.negative()?,
            TokenKind::Mark("[") => LiteralKind::List(self.between(Separator::Comma, Self::literal)),
            TokenKind::Mark("{") => LiteralKind::Object(self.between(Separator::Comma, Self::literal_field)),
            TokenKind::Name => self.word_literal()?,
            _ => return self.expected("a literal"),
        };
        Ok(Literal { kind, span: self.span_from(first) })
    }

    fn take(&mut self, kind: LiteralKind) -> LiteralKind {
        self.next();
        kind
    }

    fn negative(&mut self) -> Parsed<LiteralKind> {
        self.next();
        let TokenKind::Number(number) = &self.peek().kind else {
            return self.expected("a number behind `-`");
        };
        Ok(self.take(LiteralKind::Number(-float(number))))
    }

    fn word_literal(&mut self) -> Parsed<LiteralKind> {
        match self.word() {
            "true" => Ok(self.take(LiteralKind::Bool(true))),
            "false" => Ok(self.take(LiteralKind::Bool(false))),
            "null" => Ok(self.take(LiteralKind::Null)),
            _ => self.path("a literal").map(LiteralKind::Name),
        }
    }

    fn literal_field(&mut self) -> Parsed<(Name, Literal)> {
        let key = self.key()?;
        self.expect(":")?;
        Ok((key, self.literal()?))
    }

    /// Parses the name of a field: a name or a text.
    pub(super) fn key(&mut self) -> Parsed<Name> {
        let token = self.peek();
        if let TokenKind::Text(text) = &token.kind {
            self.next();
            return Ok(Name { text: text.clone(), span: token.span });
        }
        self.name("the name of a field")
    }

    /// Reports and skips a template in the position of a literal.
    pub(super) fn template_literal(&mut self) -> Literal {
        let first = self.at;
        let mut open = 0_usize;
        loop {
            match self.next().kind {
                TokenKind::TemplateStart => open += 1,
                TokenKind::TemplateEnd if open == 1 => break,
                TokenKind::TemplateEnd => open -= 1,
                _ => {}
            }
            if self.peek().kind == TokenKind::End {
                break;
            }
        }
        let span = self.span_from(first);
        self.error(Code::TEMPLATE_IN_LITERAL, span, "a literal cannot have an interpolation")
            .help("write `\\${` for the text");
        Literal { kind: LiteralKind::Broken, span }
    }

    /// Parses a path such as `a.b.c`. Stops before a name with a round bracket, which is a refinement.
    pub(super) fn path(&mut self, what: &str) -> Parsed<Path> {
        let mut names = vec![self.name(what)?];
        while self.at_mark(".") && self.peek_ahead(1).is_name() && !self.peek_ahead(2).is_mark("(") {
            self.next();
            names.push(self.name(what)?);
        }
        Ok(path_of(names))
    }

    /// Parses a path that may have arguments behind it.
    pub(super) fn callee(&mut self, what: &str) -> Parsed<Path> {
        let mut names = vec![self.name(what)?];
        while self.at_mark(".") && self.peek_ahead(1).is_name() {
            self.next();
            names.push(self.name(what)?);
        }
        Ok(path_of(names))
    }
}

fn path_of(mut names: Vec<Name>) -> Path {
    let missing = Name { text: String::new(), span: Span::default() };
    let name = names.pop().unwrap_or(missing);
    Path { name, qualifiers: names }
}

/// Returns the nearest float: all numbers of documents are floats.
pub(super) fn float(number: &serde_json::Number) -> f64 {
    number.as_f64().unwrap_or_default()
}
