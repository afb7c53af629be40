//! Calls that no callable fits, and that another language has.

use super::Resolver;
use super::arguments::parameter;
use crate::ast::{Argument, Call, ExpressionKind};
use crate::convert::takes_function;
use crate::{Form, Signature, Type, Written};

impl Resolver<'_> {
    /// Whether the call may be one of another language, once what could not be read of it is corrected.
    pub(super) fn is_broken_habit(&self, call: &Call) -> bool {
        let mut given = call.receiver.iter().map(|it| &**it).chain(call.arguments.iter().map(|it| &it.value));
        given.any(|it| it.kind == ExpressionKind::Broken) && !self.registry.habits(&call.name.text).is_empty()
    }

    /// What to write instead of a call, if it is one of another language.
    pub(super) fn habit(&self, call: &Call) -> Option<String> {
        let habits = self.registry.habits(&call.name.text);
        if habits.is_empty() || call.form == Form::Json {
            return None;
        }
        let declared = self.registry.called(&call.name.text);
        if declared.is_some_and(|it| fits(&it.signature, call)) && !self.has_placeholder(call) {
            return None;
        }
        let mut written = Written::default();
        written.positional.extend(call.receiver.iter().map(|it| self.text(it.span)));
        for Argument { name, value } in &call.arguments {
            match name {
                Some(name) => written.named.push((self.text(name.span), self.text(value.span))),
                None => written.positional.push(self.text(value.span)),
            }
        }
        habits.iter().find_map(|it| (it.instead)(&written))
    }
}

impl Resolver<'_> {
    /// `xs.map(_.name)`: a word that stands for the element, and is bound to nothing.
    fn has_placeholder(&self, call: &Call) -> bool {
        call.arguments.iter().any(|it| match &it.value.kind {
            ExpressionKind::Member { of, .. } => {
                matches!(&of.kind, ExpressionKind::Name(name) if PLACEHOLDERS.contains(&&**name) && self.scope.find(name).is_none())
            }
            _ => false,
        })
    }
}

/// What other languages call the element in a function without parameters.
const PLACEHOLDERS: [&str; 4] = ["_", "it", "this", "$0"];

/// Whether the arguments could be those of the signature, by what can be seen of them.
fn fits(signature: &std::sync::Arc<Signature>, call: &Call) -> bool {
    let receiver = call.receiver.iter().map(|it| (None, &**it));
    let given = receiver.chain(call.arguments.iter().map(|it| (it.name.as_ref(), &it.value)));
    let mut count = 0;
    for (position, (name, value)) in given.enumerate() {
        count += 1;
        let slot = name.map_or(Some(position), |name| parameter(signature, &name.text).ok());
        let Some(declared) = slot.and_then(|it| signature.parameters.get(it)) else { return false };
        if !may_be(&value.kind, &declared.ty) {
            return false;
        }
    }
    count >= signature.required()
}

fn may_be(value: &ExpressionKind, ty: &Type) -> bool {
    match value {
        _ if *ty == Type::Any => true,
        ExpressionKind::Lambda { .. } => takes_function(ty),
        ExpressionKind::Text(_) if *ty == Type::Bool => false,
        ExpressionKind::Text(_) | ExpressionKind::Number(_) => {
            !takes_function(ty) && *ty != Type::List(Box::new(Type::Any))
        }
        _ => true,
    }
}
