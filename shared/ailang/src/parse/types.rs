//! Types.

use dialect::code::TokenKind;
use source_text::Span;

use super::bracket::Separator;
use super::{Parsed, Parser, Skip};
use crate::diagnostic::Code;
use crate::syntax::{Payload, Refinement, RefinementArgument, Type, TypeKind};

impl Parser<'_, '_> {
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        self.deeper(Self::union)
    }

    fn union(&mut self) -> Parsed<Type> {
        let first = self.at;
        self.eat("|");
        let mut members = vec![self.refined()?];
        while self.eat("|") {
            members.push(self.refined()?);
        }
        if members.len() == 1 {
            return members.pop().ok_or(Skip);
        }
        Ok(Type { kind: TypeKind::Union(members), span: self.span_from(first) })
    }

    fn refined(&mut self) -> Parsed<Type> {
        let first = self.at;
        let depth = self.depth;
        let mut ty = self.primary()?;
        let read = loop {
            if self.at_mark(".") && self.peek_ahead(1).is_name() && self.peek_ahead(2).is_mark("(") {
                self.next();
                match self.refinement() {
                    Ok(refinement) => ty = refine(ty, refinement),
                    Err(skip) => break Err(skip),
                }
            } else if self.at_mark("[") && !self.peek().starts_line && self.peek_ahead(1).is_mark("]") {
                self.next();
                self.next();
                // Each pair adds a level of nesting without recursion of the parser.
                if let Err(skip) = self.deeper(|_| Ok(())) {
                    break Err(skip);
                }
                self.depth += 1;
                ty = Type { kind: TypeKind::List(Box::new(ty)), span: self.span_from(first) };
            } else {
                ty.span = self.span_from(first);
                break Ok(ty);
            }
        };
        self.depth = depth;
        read
    }

    fn refinement(&mut self) -> Parsed<Refinement> {
        let first = self.at;
        let name = self.name("the name of a refinement")?;
        let arguments = self.between(Separator::Comma, Self::refinement_argument);
        Ok(Refinement { name, arguments, span: self.span_from(first) })
    }

    fn refinement_argument(&mut self) -> Parsed<RefinementArgument> {
        if self.at_name() && self.peek_ahead(1).is_mark(":") {
            let name = self.name("a name")?;
            self.next();
            return Ok(RefinementArgument::Declared { name, ty: self.ty()? });
        }
        let name = if self.at_name() && self.peek_ahead(1).is_mark("=") {
            let name = self.name("a name")?;
            self.next();
            Some(name)
        } else {
            None
        };
        Ok(RefinementArgument::Value { name, value: self.literal()? })
    }

    fn primary(&mut self) -> Parsed<Type> {
        let first = self.at;
        let token = self.peek();
        if token.starts_line && self.at_definition() {
            return self.expected("a type");
        }
        let kind = match &token.kind {
            TokenKind::TemplateStart => TypeKind::Literal(self.template_literal()),
            TokenKind::Text(_) | TokenKind::Number(_) => self.literal_type()?,
            TokenKind::Mark("-") => self.literal_type()?,
            TokenKind::Mark("[") => self.list()?,
            TokenKind::Mark("{") => TypeKind::Struct(self.between(Separator::Line, Self::member)),
            TokenKind::Mark("(") if self.at_function() => self.function()?,
            TokenKind::Mark("(") if self.at_unnamed_function() => self.unnamed_function()?,
            TokenKind::Mark("(") => self.one_between()?.kind,
            TokenKind::Name => self.word_type()?,
            _ => return self.expected("a type"),
        };
        Ok(Type { kind, span: self.span_from(first) })
    }

    fn literal_type(&mut self) -> Parsed<TypeKind> {
        self.literal().map(TypeKind::Literal)
    }

    fn list(&mut self) -> Parsed<TypeKind> {
        self.one_between().map(|ty| TypeKind::List(Box::new(ty)))
    }

    /// Parses one type between brackets.
    fn one_between(&mut self) -> Parsed<Type> {
        let closer = self.tokens.closer(self.at).ok_or(Skip)?;
        self.next();
        let read = self.ty();
        let all_read = read.is_err() || self.at == closer;
        let read = if all_read {
            read
        } else {
            self.expected(&format!("`{}`", self.text(self.tokens.tokens()[closer].span)))
        };
        self.at = closer;
        self.next();
        read
    }

    /// Returns `true` at the type of a function: a `(` before `)`, `...`, `name:` or `name?:`.
    fn at_function(&self) -> bool {
        let (next, behind) = (self.peek_ahead(1), self.peek_ahead(2));
        next.is_mark(")")
            || next.is_mark("...")
            || next.is_name()
                && (behind.is_mark(":") || behind.is_mark("?") && self.peek_ahead(3).is_mark(":"))
    }

    fn function(&mut self) -> Parsed<TypeKind> {
        let parameters = self.parameters()?;
        self.expect("->")?;
        Ok(TypeKind::Function { parameters, returns: Box::new(self.ty()?) })
    }

    /// Returns `true` at the type of a function whose parameters have no names: `(Health) -> bool`.
    fn at_unnamed_function(&self) -> bool {
        let behind = self.tokens.closer(self.at).and_then(|closer| self.tokens.tokens().get(closer + 1));
        behind.is_some_and(|token| token.is_mark("->"))
    }

    /// Reports parameters without names, and goes on behind them.
    fn unnamed_function(&mut self) -> Parsed<TypeKind> {
        let closer = self.tokens.closer(self.at).ok_or(Skip)?;
        let tokens = self.tokens.tokens();
        let span = Span::new(tokens[self.at].span.start, tokens[closer].span.end);
        let inner = self.text(Span::new(tokens[self.at].span.end, tokens[closer].span.start)).trim();
        let help = format!("write such as `(value: {inner}) -> …`");
        self.error(Code::EXPECTED, span, "the parameters of a function's type have names").help(help);
        self.at = closer;
        self.next();
        self.expect("->")?;
        Ok(self.ty()?.kind)
    }

    fn word_type(&mut self) -> Parsed<TypeKind> {
        let opens = self.peek_ahead(1).is_mark("(") && !self.peek_ahead(1).starts_line;
        match self.word() {
            "true" | "false" | "null" => self.literal_type(),
            "choice" if opens => {
                self.next();
                self.one_between().map(|ty| TypeKind::Choice(Box::new(ty)))
            }
            _ if opens => {
                let name = self.name("the name of a variant")?;
                Ok(TypeKind::Variant { name, payload: self.between(Separator::Comma, Self::payload) })
            }
            _ => self.named(),
        }
    }

    fn payload(&mut self) -> Parsed<Payload> {
        let is_named = self.at_name()
            && (self.peek_ahead(1).is_mark(":")
                || self.peek_ahead(1).is_mark("?") && self.peek_ahead(2).is_mark(":"));
        if !is_named {
            return Ok(Payload { name: None, optional: false, ty: self.ty()? });
        }
        let name = self.name("a name")?;
        let optional = self.eat("?");
        self.expect(":")?;
        Ok(Payload { name: Some(name), optional, ty: self.ty()? })
    }

    fn named(&mut self) -> Parsed<TypeKind> {
        let path = self.path("a type")?;
        let mut arguments = Vec::new();
        if self.at_mark("<") {
            self.next();
            loop {
                arguments.push(self.ty()?);
                if !self.eat(",") || self.at_mark(">") {
                    break;
                }
            }
            self.close_arguments()?;
        }
        Ok(TypeKind::Named { path, arguments })
    }

    fn close_arguments(&mut self) -> Parsed<()> {
        if self.at_mark(">=") {
            let span = self.peek().span;
            self.error(Code::UNEXPECTED, span, "`>=` does not close a type's arguments").replace(
                "write a blank between",
                span,
                "> =",
            );
            return Err(Skip);
        }
        self.expect(">")
    }
}

/// Adds a refinement to a type.
fn refine(ty: Type, refinement: Refinement) -> Type {
    let span = ty.span.join(refinement.span);
    let kind = match ty {
        Type { kind: TypeKind::Refined { base, mut refinements }, .. } => {
            refinements.push(refinement);
            TypeKind::Refined { base, refinements }
        }
        base => TypeKind::Refined { base: Box::new(base), refinements: vec![refinement] },
    };
    Type { kind, span }
}
