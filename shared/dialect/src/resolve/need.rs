//! The effect of a program, and the permissions that it needs.

use source_text::Span;

use super::Resolver;
use crate::registry::{Callable, RegisteredConversion};
use crate::{Effect, Need, Registry, Requirement, Type};

impl Resolver<'_> {
    /// Records a callable that is called here, or passed to something that may call it.
    pub(super) fn note_call(&mut self, callable: &Callable, span: Span) {
        self.effect = self.effect.max(callable.effect);
        self.note_needs(&callable.signature.name, &callable.requires, span);
    }

    /// Records the conversions to a type, which may have to look up its values.
    pub(super) fn note_conversion(&mut self, ty: &Type, span: Span) {
        let makes = |it: &Type| it.named().is_some_and(|made| ty.names().contains(&made));
        let routes = self.registry.conversions().iter().filter(|it| makes(&it.signature.returns));
        self.effect = routes.map(|it| it.effect).fold(self.effect, Effect::max);
        for route in routes_to(self.registry, ty) {
            self.note_needs(&route.signature.name, &route.requires, span);
        }
    }

    fn note_needs(&mut self, callable: &str, requirements: &[Requirement], span: Span) {
        for requirement in requirements {
            let (requirement, callable) = (requirement.clone(), callable.to_owned());
            self.needs.add(Need { requirement, callable, span });
        }
    }
}

/// Returns the conversions with requirements on a path to that type, from any type.
fn routes_to<'r>(registry: &'r Registry, ty: &Type) -> Vec<&'r RegisteredConversion> {
    let routes = registry.conversions();
    if routes.iter().all(|it| it.requires.is_empty()) {
        return Vec::new();
    }
    let mut ends = parts(ty);
    let mut found: Vec<&'r RegisteredConversion> = Vec::new();
    while let Some(end) = ends.pop() {
        for route in routes.iter().filter(|it| it.signature.returns == *end) {
            if !found.iter().any(|it| std::ptr::eq(*it, &**route)) {
                found.push(route);
                ends.extend(parts(&route.signature.parameters[0].ty));
            }
        }
    }
    found
}

/// Returns the type and the types inside it.
fn parts(ty: &Type) -> Vec<&Type> {
    let mut all: Vec<&Type> = ty.parts().into_iter().flat_map(parts).collect();
    all.push(ty);
    all
}
