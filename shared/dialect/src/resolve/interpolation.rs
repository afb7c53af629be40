//! Templates of other languages, `uses of ${name}`: raw text here.

use super::Resolver;
use crate::FailureKind;
use crate::ast::{Expression, ExpressionKind};
use crate::habits::template;

impl Resolver<'_> {
    /// Makes the failure for raw text with a `${…}` that calls something or uses a bound name.
    pub(super) fn interpolation(&self, text: &str) -> Option<FailureKind> {
        let template = template(self.source, text, &|it| self.is_about_something(it))?;
        let instead = template.instead.unwrap_or_else(|| "…".to_owned());
        Some(FailureKind::NotDialect { found: template.found, instead })
    }

    fn is_about_something(&self, expression: &Expression) -> bool {
        match &expression.kind {
            ExpressionKind::Name(name) => self.scope.find(name).is_some(),
            ExpressionKind::Call(call) if self.registry.callable_or_foreign(&call.name.text).is_some() => {
                true
            }
            kind => {
                let mut is_about = false;
                kind.each_child(&mut |child| is_about |= self.is_about_something(child));
                is_about
            }
        }
    }
}
