//! What running a program may do to the world, and which permissions it needs for that.

use source_text::Span;

use super::Resolver;
use crate::registry::{Callable, Route};
use crate::{Effect, Need, Registry, Requirement, Type};

impl Resolver<'_> {
    /// The callable is called here, or handed to something that may call it.
    pub(super) fn note_call(&mut self, callable: &Callable, span: Span) {
        self.effect = self.effect.max(callable.effect);
        self.note_needs(&callable.signature.name, &callable.requires, span);
    }

    /// What is made into a registered type may have to be looked up for that.
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
            let is_it = |it: &&mut Need| it.callable == callable && it.requirement == *requirement;
            match self.needs.iter_mut().find(is_it) {
                Some(known) if known.span.start <= span.start => {}
                Some(known) => known.span = span, // arguments are met before the call around them
                None => {
                    let (requirement, callable) = (requirement.clone(), callable.to_owned());
                    self.needs.push(Need { requirement, callable, span });
                }
            }
        }
    }
}

/// The conversions that need something and may stand on a way to a value of that type, whatever it starts from.
fn routes_to<'r>(registry: &'r Registry, ty: &Type) -> Vec<&'r Route> {
    let routes = registry.conversions();
    if routes.iter().all(|it| it.requires.is_empty()) {
        return Vec::new();
    }
    let mut ends = parts(ty);
    let mut found: Vec<&'r Route> = Vec::new();
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

/// The type, and those that parts of its values are made into.
fn parts(ty: &Type) -> Vec<&Type> {
    let mut all: Vec<&Type> = ty.parts().into_iter().flat_map(parts).collect();
    all.push(ty);
    all
}
