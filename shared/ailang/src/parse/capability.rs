//! Capabilities and expressions over them.

use super::bracket::Separator;
use super::{Parsed, Parser};
use crate::syntax::{
    Capability, CapabilityExpression, CapabilityTerm, GrantArgument, Literal, LiteralKind, Member, Name,
    TypeKind,
};

/// A part of a capability between its braces.
enum Part {
    Ask(Literal),
    Scope(Vec<Literal>),
    Other(Name, Literal),
    Parameter(Member),
}

impl Parser<'_, '_> {
    pub(super) fn capability(&mut self) -> Parsed<Capability> {
        if self.eat("=") {
            return self.capability_expression().map(Capability::Composed);
        }
        if !self.at_mark("{") {
            return self.expected("`{` or `=`");
        }
        let (mut ask, mut scope, mut others, mut parameters) = (None, None, Vec::new(), Vec::new());
        for part in self.between(Separator::Line, Self::capability_part) {
            match part {
                Part::Ask(text) => ask = Some(text),
                Part::Scope(scopes) => scope = Some(scopes),
                Part::Other(name, value) => others.push((name, value)),
                Part::Parameter(member) => parameters.push(member),
            }
        }
        Ok(Capability::Declared { ask, scope, others, parameters })
    }

    fn capability_part(&mut self) -> Parsed<Part> {
        if !self.at_name() || !self.peek_ahead(1).is_mark("=") {
            return self.member().map(Part::Parameter);
        }
        let name = self.name("a name")?;
        self.next();
        match name.text.as_str() {
            "ask" => self.literal().map(Part::Ask),
            "scope" => self.scopes().map(Part::Scope),
            _ => Ok(Part::Other(name, self.literal()?)),
        }
    }

    /// Parses scopes: `"once"`, or `choice("once" | "session")`.
    fn scopes(&mut self) -> Parsed<Vec<Literal>> {
        if self.word() != "choice" {
            return Ok(vec![self.literal()?]);
        }
        let TypeKind::Choice(options) = self.ty()?.kind else { return Ok(Vec::new()) };
        let options = match options.kind {
            TypeKind::Union(members) => members,
            _ => vec![*options],
        };
        let literal = |option: crate::syntax::Type| match option.kind {
            TypeKind::Literal(literal) => literal,
            _ => Literal { kind: LiteralKind::Broken, span: option.span },
        };
        Ok(options.into_iter().map(literal).collect())
    }

    pub(super) fn capability_expression(&mut self) -> Parsed<CapabilityExpression> {
        self.deeper(|parser| {
            let first = parser.at;
            let mut terms = vec![parser.capability_term()?];
            while parser.eat("&") {
                terms.push(parser.capability_term()?);
            }
            Ok(CapabilityExpression { terms, span: parser.span_from(first) })
        })
    }

    fn capability_term(&mut self) -> Parsed<CapabilityTerm> {
        if self.eat("(") {
            let group = self.capability_expression()?;
            self.expect(")")?;
            return Ok(CapabilityTerm::Group(group));
        }
        let path = self.callee("a capability")?;
        let has_arguments = self.at_mark("(") && !self.peek().starts_line;
        let arguments =
            if has_arguments { self.between(Separator::Comma, Self::grant_argument) } else { Vec::new() };
        Ok(CapabilityTerm::Named { path, arguments })
    }

    fn grant_argument(&mut self) -> Parsed<GrantArgument> {
        let name = if self.at_name() && self.peek_ahead(1).is_mark("=") {
            let name = self.name("a name")?;
            self.next();
            Some(name)
        } else {
            None
        };
        Ok(GrantArgument { name, value: self.literal()? })
    }
}
