//! Parameters of tools, errors, methods and function types.

use super::bracket::Separator;
use super::{Parsed, Parser};
use crate::syntax::{Parameter, Parameters};

impl Parser<'_, '_> {
    pub(super) fn parameters(&mut self) -> Parsed<Parameters> {
        if !self.at_mark("(") {
            return self.expected("`(`");
        }
        let first = self.at;
        let mut elided = false;
        let list = self.between(Separator::Comma, |parser| {
            if parser.eat("...") {
                elided = true;
                return Ok(None);
            }
            parser.parameter().map(Some)
        });
        Ok(Parameters { list: list.into_iter().flatten().collect(), elided, span: self.span_from(first) })
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let first = self.at;
        let name = self.name("the name of a parameter")?;
        let optional = self.eat("?");
        let ty = if self.eat(":") { Some(self.ty()?) } else { None };
        Ok(Parameter {
            name,
            optional,
            ty,
            documentation: self.documentation(first),
            span: self.span_from(first),
        })
    }
}
