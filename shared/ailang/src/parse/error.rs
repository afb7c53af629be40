//! Errors.

use super::bracket::Separator;
use super::{Parsed, Parser};
use crate::syntax::{ErrorDefinition, ErrorProperty};

impl Parser<'_, '_> {
    pub(super) fn error_definition(&mut self) -> Parsed<ErrorDefinition> {
        let parameters = if self.at_mark("(") { Some(self.parameters()?) } else { None };
        let properties =
            if self.at_mark("{") { self.between(Separator::Line, Self::error_property) } else { Vec::new() };
        Ok(ErrorDefinition { parameters, properties })
    }

    fn error_property(&mut self) -> Parsed<ErrorProperty> {
        let name = self.name("the name of a property")?;
        self.expect("=")?;
        Ok(ErrorProperty { name, value: self.expression()? })
    }
}
