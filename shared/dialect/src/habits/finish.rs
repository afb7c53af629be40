//! The last look at a whole tree: what depends on its language, and on what is around it.

use super::build::{any, binary, boolean, text};
use super::reader::Traits;
use crate::ast::{Argument, Call, Expression, ExpressionKind, Spelled};

/// The operator `%` before its language is known; no program can spell it.
pub(super) const FLOORED: &str = "%%";

/// Methods that change what they are called on.
pub(super) const CHANGES: &[&str] = &[
    "append",
    "push",
    "add",
    "extend",
    "insert",
    "set",
    "put",
    "update",
    "remove",
    "delete",
    "pop",
    "shift",
    "unshift",
    "clear",
    "push_back",
];

/// Completes a program, unless it has no certain meaning.
pub(super) fn finish(
    expression: &mut Expression,
    traits: Traits,
    is_function: &dyn Fn(&str) -> bool,
) -> Option<()> {
    uncalled(expression)?;
    finish_part(expression, traits)?;
    bound_operands(expression, &mut Vec::new(), false)?;
    let result = match &expression.kind {
        ExpressionKind::Let { bindings, result } => {
            let names = bindings.iter().map(|(name, _)| &name.text);
            let is_bound_again = |name| bindings.iter().filter(|(it, _)| &it.text == name).count() > 1;
            // Functions elsewhere see the last value of a name.
            let has_function = any(expression, &|it| matches!(it, ExpressionKind::Lambda { .. }));
            if has_function && { names }.any(is_bound_again) {
                return None;
            }
            return (!matches!(result.kind, ExpressionKind::Lambda { .. })).then_some(());
        }
        kind => kind,
    };
    // These would be read as programs in JSON form.
    let is_call = match result {
        ExpressionKind::Object(fields) => fields.iter().any(|(key, _)| is_function(&key.text)),
        ExpressionKind::List(elements) => {
            let first = elements.first().map(|it| &it.value.kind);
            matches!(first, Some(ExpressionKind::Text(name)) if is_function(name))
        }
        ExpressionKind::Text(text) => text.contains(['(', '{']),
        _ => false,
    };
    (!is_call).then_some(())
}

/// Replaces a function without parameters by its body, which is what runs.
fn uncalled(expression: &mut Expression) -> Option<()> {
    if let ExpressionKind::Lambda { parameters, body } = &expression.kind {
        if !parameters.is_empty() {
            return None;
        }
        *expression = (**body).clone();
    }
    Some(())
}

/// Completes an expression.
pub(super) fn finish_part(expression: &mut Expression, traits: Traits) -> Option<()> {
    let is_zero =
        |it: &Expression| matches!(&it.kind, ExpressionKind::Number(number) if number.as_i64() == Some(0));
    match &mut expression.kind {
        // The sign of the rest does not matter.
        ExpressionKind::Binary { operator: "==" | "!=", left, right } if is_zero(right) => {
            if let ExpressionKind::Binary { operator, .. } = &mut left.kind
                && *operator == FLOORED
            {
                *operator = "%";
            }
        }
        ExpressionKind::Binary { operator: FLOORED, .. } => remainder(expression, traits)?,
        ExpressionKind::Binary { operator: "/", left, right } if traits.is_compiled => {
            let is_float =
                |it: &Expression| matches!(&it.kind, ExpressionKind::Number(number) if number.is_f64());
            if !is_float(left) && !is_float(right) {
                return None;
            }
        }
        ExpressionKind::Call(call) => finish_call(call)?,
        ExpressionKind::Pattern { .. } => return None,
        _ => {}
    }
    let mut is_clear = true;
    expression.kind.each_child_mut(&mut |child| is_clear &= finish_part(child, traits).is_some());
    is_clear.then_some(())
}

/// Writes `a % b` as its language means it; they differ where a side is negative.
fn remainder(expression: &mut Expression, traits: Traits) -> Option<()> {
    let ExpressionKind::Binary { left, right, .. } = &expression.kind else { return None };
    let is_counted = |it: &Expression| match &it.kind {
        ExpressionKind::Number(number) => number.as_f64().is_some_and(|it| it >= 0.0),
        ExpressionKind::Member { name, .. } => name.text == "length",
        ExpressionKind::Call(call) => matches!(call.name.text.as_str(), "len" | "count"),
        _ => false,
    };
    let (left, right) = ((**left).clone(), (**right).clone());
    let plain = binary("%", left.clone(), right.clone());
    if is_counted(&left) && is_counted(&right) || !traits.is_python && !traits.is_compiled {
        *expression = plain;
        return Some(());
    }
    let is_simple = matches!(right.kind, ExpressionKind::Name(_) | ExpressionKind::Number(_));
    if !is_simple || traits.is_compiled {
        return None;
    }
    *expression = binary("%", binary("+", plain, right.clone()), right);
    Some(())
}

fn finish_call(call: &mut Call) -> Option<()> {
    let is_loop = matches!(call.name.text.as_str(), "forEach" | "each");
    if is_loop
        && call
            .arguments
            .iter()
            .any(|it| matches!(&it.value.kind, ExpressionKind::Lambda { body, .. } if changes(body)))
    {
        return None;
    }
    patterns_as_texts(call)
}

/// Returns `true` for a call whose purpose is to change what it is called on.
pub(super) fn changes(expression: &Expression) -> bool {
    matches!(&expression.kind, ExpressionKind::Call(call) if CHANGES.contains(&call.name.text.as_str()))
}

/// Writes the patterns of a call as texts where it takes patterns: `text.matches(pattern)`,
/// `search(path, pattern)`, `pattern.test(text)`.
fn patterns_as_texts(call: &mut Call) -> Option<()> {
    let receiver = call.receiver.as_ref().map(|it| &it.kind);
    if let (Some(ExpressionKind::Pattern { .. }), "test", [_]) =
        (receiver, call.name.text.as_str(), call.arguments.as_slice())
    {
        let receiver = call.receiver.as_mut()?;
        std::mem::swap(&mut **receiver, &mut call.arguments[0].value);
        "matches".clone_into(&mut call.name.text);
    }
    let takes_patterns = match call.name.text.as_str() {
        "matches" => true,
        "search" => call.receiver.is_none(),
        _ => false,
    };
    let takes_parts = matches!(call.name.text.as_str(), "replace" | "replaceAll" | "split");
    let replaces = matches!(call.name.text.as_str(), "replace" | "replaceAll");
    let mut is_regex = false;
    for argument in &mut call.arguments {
        let ExpressionKind::Pattern { pattern, flags } = &argument.value.kind else { continue };
        let is_plain = pattern.chars().all(|it| it.is_alphanumeric() || " _-,;:/@#".contains(it));
        let written = match flags.as_str() {
            "" | "g" if takes_patterns => pattern.clone(),
            "i" | "gi" | "ig" if takes_patterns => format!("(?i){pattern}"),
            "g" if takes_parts && is_plain => pattern.clone(),
            // Only the first match is replaced without `g`.
            "g" if replaces => {
                is_regex = true;
                pattern.clone()
            }
            "gi" | "ig" if replaces => {
                is_regex = true;
                format!("(?i){pattern}")
            }
            "" if call.name.text == "split" && is_plain => pattern.clone(),
            _ => return None,
        };
        argument.value = text(&written);
    }
    if is_regex {
        let name = Spelled { text: "regex".to_owned(), span: call.name.span };
        call.arguments.push(Argument { name: Some(name), value: boolean(true) });
    }
    Some(())
}

/// Refuses operands that nothing binds: they may be text without quotes.
fn bound_operands(expression: &Expression, bound: &mut Vec<String>, is_operand: bool) -> Option<()> {
    let count = bound.len();
    match &expression.kind {
        ExpressionKind::Name(name) => return (!is_operand || bound.contains(name)).then_some(()),
        ExpressionKind::Let { bindings, result } => {
            for (name, value) in bindings {
                bound_operands(value, bound, false)?;
                bound.push(name.text.clone());
            }
            bound_operands(result, bound, true)?;
        }
        ExpressionKind::Lambda { parameters, body } => {
            bound.extend(parameters.iter().map(|it| it.name.text.clone()));
            bound_operands(body, bound, false)?;
        }
        kind => {
            let are_operands = matches!(
                kind,
                ExpressionKind::Binary { .. }
                    | ExpressionKind::Unary { .. }
                    | ExpressionKind::Member { .. }
                    | ExpressionKind::Index { .. }
                    | ExpressionKind::Conditional { .. }
            );
            for child in kind.children() {
                bound_operands(child, bound, are_operands)?;
            }
        }
    }
    bound.truncate(count);
    Some(())
}
