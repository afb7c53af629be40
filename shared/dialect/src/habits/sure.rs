//! Refuses rewritten programs that may mean something else in their language.

use crate::Limits;
use crate::ast::build::binary;
use crate::ast::{Expression, ExpressionKind};
use crate::parse::{is_comparison, parse};

/// Methods that change what they are called on.
pub(super) const CHANGES: [&str; 15] = [
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

/// The signs of the language that a program is written in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Traits {
    /// Words of Python, whose `%` rounds down.
    pub(super) is_python: bool,
    /// Marks of C's family, where a comparison of comparisons compares truths.
    pub(super) is_script: bool,
    /// Words of languages in which integers divide without a fraction.
    pub(super) is_compiled: bool,
    /// Numbers with a fraction, which are not spelled alike: `7.0` here is `7` in C's family.
    pub(super) has_fractions: bool,
    /// Texts with expressions in them: `f"{x}"`.
    pub(super) has_templates: bool,
}

/// The kind of a value, as far as it is known before the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Null,
    Bool,
    Number,
    Text,
    List,
    Object,
    Unknown,
}

/// Reads a rewritten program.
pub(super) fn read(text: &str) -> Option<Expression> {
    let (expression, failures) = parse(text, &Limits::default());
    let mut expression = expression.filter(|_| failures.is_empty())?;
    expression.forget_places();
    Some(expression)
}

/// Completes a program, unless it has no certain meaning.
pub(super) fn program(
    expression: &mut Expression,
    traits: Traits,
    is_function: &dyn Fn(&str) -> bool,
) -> Option<()> {
    // A function without parameters is what runs.
    if let ExpressionKind::Lambda { parameters, body } = &expression.kind {
        if !parameters.is_empty() {
            return None;
        }
        *expression = (**body).clone();
    }
    if traits.has_templates && traits.has_fractions {
        return None;
    }
    part(expression, traits)?;
    bound_operands(expression, &mut Vec::new(), false)?;
    let result = match &expression.kind {
        ExpressionKind::Let { bindings, result } => {
            let is_bound_again = |(name, _): &(crate::ast::Spelled, _)| {
                bindings.iter().filter(|(it, _)| it.text == name.text).count() > 1
            };
            // Functions elsewhere see the last value of a name.
            let has_function = any(expression, &|it| matches!(it, ExpressionKind::Lambda { .. }));
            if has_function && bindings.iter().any(is_bound_again) {
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

/// Checks the expression in a template of C's family.
pub(super) fn hole(expression: &mut Expression, traits: Traits) -> Option<()> {
    part(expression, traits)?;
    let expression = &*expression;
    let is_number = matches!(
        expression.kind,
        ExpressionKind::Name(_) | ExpressionKind::Binary { .. } | ExpressionKind::Unary { .. }
    );
    let is_spelled_alike = !(traits.has_fractions && is_number && kind(expression) != Kind::Bool);
    let is_shown = !matches!(kind(expression), Kind::List | Kind::Object | Kind::Null);
    (is_shown && is_spelled_alike && has_one_division(expression)).then_some(())
}

/// Returns `true` unless a quotient is computed with: `n / 2 * 2` is `7` in one language, and `7.0` in another.
fn has_one_division(expression: &Expression) -> bool {
    let divides = |kind: &ExpressionKind| matches!(kind, ExpressionKind::Binary { operator: "/", .. });
    match &expression.kind {
        kind if divides(kind) => !kind.children().into_iter().any(|it| any(it, &divides)),
        _ => !any(expression, &divides),
    }
}

/// Writes what a text shows of a value, which is written so, as an operand of a sum of texts.
pub(super) fn shown(expression: &Expression, written: &str, is_python: bool) -> Option<String> {
    match kind(expression) {
        Kind::Bool if is_python => Some(format!("({written} ? \"True\" : \"False\")")),
        Kind::Bool | Kind::Number | Kind::Text | Kind::Unknown => Some(format!("({written})")),
        Kind::Null | Kind::List | Kind::Object => None,
    }
}

/// Checks an expression and all in it.
fn part(expression: &mut Expression, traits: Traits) -> Option<()> {
    let is_fraction = |it: &Expression| matches!(&it.kind, ExpressionKind::Number(number) if number.is_f64());
    let is_sure = match &mut expression.kind {
        ExpressionKind::Binary { operator: "==" | "!=", left, right } => {
            let kinds = [kind(left), kind(right)];
            // Elsewhere lists and objects are compared by identity.
            let by_identity =
                traits.is_script && kinds.iter().any(|it| matches!(it, Kind::List | Kind::Object));
            let is_null = |it: &Kind| matches!(it, Kind::Null | Kind::Unknown);
            let is_zero = matches!(&right.kind, ExpressionKind::Number(number) if number.as_i64() == Some(0));
            // The sign of a rest does not matter in a comparison with 0.
            if let ExpressionKind::Binary { operator: "%", left, right } = &mut left.kind
                && is_zero
            {
                part(left, traits)?;
                return part(right, traits);
            }
            !by_identity && (kinds[0] == kinds[1] || kinds.iter().any(is_null))
        }
        ExpressionKind::Binary { operator: "%", left, right } => {
            let is_counted = |it: &Expression| match &it.kind {
                ExpressionKind::Number(number) => number.as_f64().is_some_and(|it| it >= 0.0),
                kind => is_count(kind),
            };
            let is_simple = matches!(right.kind, ExpressionKind::Name(_) | ExpressionKind::Number(_));
            let is_alike = is_counted(left) && is_counted(right) || !traits.is_python && !traits.is_compiled;
            if !is_alike && is_simple && !traits.is_compiled {
                part(left, traits)?;
                let (by, rest) = ((**right).clone(), expression.clone());
                *expression = binary("%", binary("+", rest, by.clone()), by);
                return Some(());
            }
            is_alike
        }
        ExpressionKind::Binary { operator: "/", left, right } => {
            !traits.is_compiled || is_fraction(left) || is_fraction(right)
        }
        ExpressionKind::Binary { operator: "&&" | "||", left, right } => {
            [left, right].into_iter().all(|it| matches!(kind(it), Kind::Bool | Kind::Unknown))
        }
        ExpressionKind::Call(call) if matches!(call.name.text.as_str(), "forEach" | "each") => {
            let changes = |it: &ExpressionKind| matches!(it, ExpressionKind::Call(call) if CHANGES.contains(&call.name.text.as_str()));
            !call.arguments.iter().any(|it| any(&it.value, &changes))
        }
        ExpressionKind::Call(call) if call.name.text == "contains" => {
            let item = call.arguments.first().map_or(Kind::Unknown, |it| kind(&it.value));
            match call.receiver.as_ref().map(|it| &it.kind) {
                Some(ExpressionKind::List(elements)) => elements.iter().all(|it| {
                    let element = kind(&it.value);
                    element == item
                        || [element, item].iter().any(|it| matches!(it, Kind::Unknown | Kind::Null))
                }),
                _ => true,
            }
        }
        _ => true,
    };
    let mut is_clear = is_sure;
    expression.kind.each_child_mut(&mut |child| is_clear &= part(child, traits).is_some());
    is_clear.then_some(())
}

fn is_count(kind: &ExpressionKind) -> bool {
    match kind {
        ExpressionKind::Member { name, .. } => name.text == "length",
        ExpressionKind::Call(call) => matches!(call.name.text.as_str(), "len" | "count"),
        _ => false,
    }
}

fn kind(expression: &Expression) -> Kind {
    use ExpressionKind as E;
    match &expression.kind {
        E::Null => Kind::Null,
        E::Bool(_) | E::Unary { operator: "!", .. } | E::Binary { operator: "&&" | "||", .. } => Kind::Bool,
        E::Binary { operator, .. } if is_comparison(operator) => Kind::Bool,
        E::Number(_) => Kind::Number,
        E::Text(_) => Kind::Text,
        E::List(_) => Kind::List,
        E::Object(_) => Kind::Object,
        E::Unary { of, .. } => kind(of),
        E::Binary { operator: "+", left, right } => match (kind(left), kind(right)) {
            (Kind::Text, _) | (_, Kind::Text) => Kind::Text,
            (Kind::Number, Kind::Number) => Kind::Number,
            _ => Kind::Unknown,
        },
        E::Binary { operator: "-" | "*" | "/" | "%", .. } => Kind::Number,
        E::Conditional { then, otherwise, .. } if kind(then) == kind(otherwise) => kind(then),
        E::Call(call) => match call.name.text.as_str() {
            "contains" | "startsWith" | "endsWith" | "matches" | "any" | "all" => Kind::Bool,
            "map" | "filter" | "range" | "sorted" | "split" | "keys" => Kind::List,
            "str" | "toText" | "join" => Kind::Text,
            _ if is_count(&expression.kind) => Kind::Number,
            _ => Kind::Unknown,
        },
        it if is_count(it) => Kind::Number,
        _ => Kind::Unknown,
    }
}

/// Returns `true` if the condition holds for an expression in this one.
fn any(expression: &Expression, condition: &impl Fn(&ExpressionKind) -> bool) -> bool {
    condition(&expression.kind) || expression.kind.children().into_iter().any(|child| any(child, condition))
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
