//! Calls of other languages, which no callable fits.

use std::borrow::Cow;

use super::Resolver;
use super::arguments::parameter;
use crate::ast::{Call, Expression, ExpressionKind};
use crate::{Form, Signature, Type, WrittenArguments};

impl Resolver<'_> {
    /// Returns `true` if the call has a broken argument, and may be foreign once that is corrected.
    pub(super) fn is_broken_idiom(&self, call: &Call) -> bool {
        let mut given = call.receiver.iter().map(|it| &**it).chain(call.arguments.iter().map(|it| &it.value));
        given.any(|it| it.kind == ExpressionKind::Broken)
            && !self.registry.foreign_idioms(&call.name.text).is_empty()
    }

    /// Returns the equivalent of a call of another language.
    pub(super) fn foreign_idiom(&self, call: &Call) -> Option<String> {
        let idioms = self.registry.foreign_idioms(&call.name.text);
        if idioms.is_empty() || call.form == Form::Json {
            return None;
        }
        let declared = self.registry.callable_or_foreign(&call.name.text);
        let fits = declared.is_some_and(|it| fits(&it.signature, call)) && !self.has_placeholder(call);
        if fits && !idioms.iter().any(|it| it.precedes) {
            return None;
        }
        let mut written = WrittenArguments::default();
        let given = call.receiver.iter().map(|it| (None, &**it));
        let given = given.chain(call.arguments.iter().map(|it| (it.name.as_ref(), &it.value)));
        let texts: Vec<_> = given.map(|(name, value)| (name, self.operand_text(value))).collect();
        for (name, text) in &texts {
            match name {
                Some(name) => written.named.push((self.text(name.span), text)),
                None => written.positional.push(text),
            }
        }
        idioms.iter().filter(|it| it.precedes || !fits).find_map(|it| (it.rewrite)(&written))
    }
}

impl Resolver<'_> {
    /// Returns an argument as it is written, in brackets if an operator beside it would take it apart.
    fn operand_text(&self, value: &Expression) -> Cow<'_, str> {
        let text = self.text(value.span);
        let is_loose = matches!(
            value.kind,
            ExpressionKind::Binary { .. } | ExpressionKind::Unary { .. } | ExpressionKind::Conditional { .. }
        );
        let first = value.kind.children().first().map_or(value.span.start, |it| it.span.start);
        let is_bracketed = text.starts_with('(') && first > value.span.start;
        if is_loose && !is_bracketed { Cow::Owned(format!("({text})")) } else { Cow::Borrowed(text) }
    }

    /// Returns `true` for `xs.map(_.name)`, with a word for the element that is not bound.
    fn has_placeholder(&self, call: &Call) -> bool {
        call.arguments.iter().any(|it| match &it.value.kind {
            ExpressionKind::Member { of, .. } => {
                matches!(&of.kind, ExpressionKind::Name(name) if PLACEHOLDERS.contains(&&**name) && self.scope.find(name).is_none())
            }
            _ => false,
        })
    }
}

/// Words for the element in other languages' functions without parameters.
const PLACEHOLDERS: [&str; 4] = ["_", "it", "this", "$0"];

/// Returns `true` if the arguments may be those of the signature, as far as they show.
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
        ExpressionKind::Lambda { .. } => ty.takes_function(),
        ExpressionKind::Text(_) if *ty == Type::Bool => false,
        ExpressionKind::Text(_) | ExpressionKind::Number(_) => {
            !ty.takes_function() && *ty != Type::List(Box::new(Type::Any))
        }
        _ => true,
    }
}
