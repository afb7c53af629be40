//! Correction of mistakes that have one obvious correction.

use source_text::Span;

use crate::ast::{Expression, ExpressionKind};
use crate::lex::is_name_part;
use crate::parse::parse;
use crate::{Expected, Failure, FailureKind, Limits, habits, printer, quote};

/// The most bytes of a corrected program that are worth showing.
pub(crate) const LONGEST: usize = 2_000;
/// The number of attempts: a correction may reveal other mistakes.
const ROUNDS: usize = 5;

/// Returns the program without its mistakes, if each has one correction. `is_function` tells the names of functions,
/// and `read` returns the mistakes of a program.
pub(crate) fn corrected(
    source: &str,
    failures: &[Failure],
    is_function: &dyn Fn(&str) -> bool,
    read: impl Fn(&str) -> Result<(), Vec<Failure>>,
) -> Option<String> {
    if source.len() > LONGEST {
        return None;
    }
    let mut program = next(source, failures, is_function)?;
    for _ in 0..ROUNDS {
        match read(&program) {
            Ok(()) => return Some(program.trim().to_owned()),
            Err(failures) => program = next(&program, &failures, is_function)?,
        }
    }
    None
}

/// Returns the program without these mistakes.
fn next(source: &str, failures: &[Failure], is_function: &dyn Fn(&str) -> bool) -> Option<String> {
    match parse(source, &Limits::default()) {
        (Some(program), mistakes) if mistakes.is_empty() && !is_json(source) => {
            rewritten(source, program, failures)
        }
        (Some(_), mistakes) if mistakes.is_empty() => replace_all(source, failures),
        _ => {
            let is_foreign = |it: &Failure| matches!(&*it.kind, FailureKind::NotDialect { .. });
            // Which of two programs is meant is asked.
            let asks = failures.iter().any(|it| matches!(&*it.kind, FailureKind::LeadingOperator { .. }));
            let meant = || habits::meant(source, is_function).filter(|_| !asks);
            match failures.iter().any(is_foreign) {
                true => meant().or_else(|| replace_all(source, failures)),
                false => replace_all(source, failures).or_else(meant),
            }
        }
    }
}

fn is_json(source: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(source).is_ok()
}

/// Replaces expressions of the program by others. Corrections of words wait for the next round.
fn rewritten(source: &str, mut program: Expression, failures: &[Failure]) -> Option<String> {
    let mut others = Vec::new();
    let mut is_rewritten = false;
    for failure in failures {
        let (span, instead) = failure.fix()?;
        let is_expression =
            matches!(&*failure.kind, FailureKind::NotDialect { .. } | FailureKind::NotBoolean { .. });
        if matches!(&*failure.kind, FailureKind::NotBoolean { .. }) && !decides(&program, span, false)? {
            return None;
        }
        let is_around = |it: &Failure| {
            it.span.is_some_and(|it| it != span && span.start <= it.start && it.end <= span.end)
        };
        if is_expression && has(&program, span) {
            // A mistake around another one is corrected in the next round.
            if !failures.iter().any(is_around) {
                is_rewritten |= put(&mut program, span, &expression(&instead)?);
            }
        } else {
            others.push(failure.clone());
        }
    }
    if is_rewritten { printer::program(&program) } else { replace_all(source, &others) }
}

fn expression(program: &str) -> Option<Expression> {
    let (expression, failures) = parse(program, &Limits::default());
    let mut expression = expression.filter(|_| failures.is_empty())?;
    expression.forget_places();
    Some(expression)
}

/// Returns `true` if an expression stands there.
fn has(expression: &Expression, span: Span) -> bool {
    expression.span == span || expression.kind.children().into_iter().any(|child| has(child, span))
}

/// Puts an expression in the place of the one that stands there.
fn put(expression: &mut Expression, span: Span, instead: &Expression) -> bool {
    if expression.span == span {
        *expression = instead.clone();
        return true;
    }
    let mut is_put = false;
    expression.kind.each_child_mut(&mut |child| is_put = is_put || put(child, span, instead));
    is_put
}

/// Returns `true` if only the truth of the expression there matters. Other languages also give one of the operands
/// of `a || b`.
fn decides(expression: &Expression, span: Span, is_condition: bool) -> Option<bool> {
    const CHOOSE: [&str; 6] = ["filter", "find", "any", "all", "count", "if"];
    if expression.span == span {
        return Some(is_condition);
    }
    match &expression.kind {
        ExpressionKind::Conditional { condition, then, otherwise } => decides(condition, span, true)
            .or_else(|| decides(then, span, is_condition))
            .or_else(|| decides(otherwise, span, is_condition)),
        ExpressionKind::Unary { operator: "!", of } => decides(of, span, true),
        ExpressionKind::Binary { operator: "&&" | "||", left, right } => {
            [left, right].into_iter().find_map(|it| decides(it, span, is_condition))
        }
        ExpressionKind::Call(call) if CHOOSE.contains(&call.name.text.as_str()) => {
            let receiver = call.receiver.iter().find_map(|it| decides(it, span, false));
            receiver.or_else(|| call.arguments.iter().find_map(|it| decides(&it.value, span, true)))
        }
        ExpressionKind::Lambda { body, .. } => decides(body, span, is_condition),
        kind => kind.children().into_iter().find_map(|it| decides(it, span, false)),
    }
}

fn replace_all(source: &str, failures: &[Failure]) -> Option<String> {
    let mut fixes = failures.iter().map(Failure::fix).collect::<Option<Vec<_>>>()?;
    // A mistake around another one is corrected in the next round.
    let places: Vec<Span> = fixes.iter().map(|(span, _)| *span).collect();
    let holds =
        |outer: &Span, inner: &Span| outer != inner && outer.start <= inner.start && inner.end <= outer.end;
    fixes.retain(|(span, _)| !places.iter().any(|inner| holds(span, inner)));
    fixes.sort_by_key(|(span, _)| *span);
    let mut program = String::new();
    let mut at = 0;
    for (span, instead) in fixes {
        program.push_str(source.get(at..span.start)?);
        let is_quoted_name = source[span.range()].starts_with('"') && instead.chars().all(is_name_part);
        program.push_str(&if is_quoted_name { format!("\"{instead}\"") } else { instead });
        at = span.end;
    }
    program.push_str(&source[at..]);
    Some(program)
}

impl Failure {
    /// Returns the span to replace, and its new text.
    pub(crate) fn fix(&self) -> Option<(Span, String)> {
        let span = self.span?;
        match &*self.kind {
            FailureKind::UnknownEscape { literal, instead, .. } => Some((*literal, instead.clone())),
            FailureKind::UnterminatedText { over_lines, .. } => over_lines.clone(),
            FailureKind::Unexpected { expected: Expected::Comma, found } if found == ";" => {
                Some((span, ",".to_owned()))
            }
            FailureKind::Unexpected { expected: Expected::Colon, found } if found == "=" || found == "=>" => {
                Some((span, ":".to_owned()))
            }
            FailureKind::MissingComma { after } => Some((Span::new(*after, *after), ",".to_owned())),
            FailureKind::MalformedNumber { instead, .. } => Some((span, instead.clone()?)),
            FailureKind::Unclosed { at_end: Some((end, missing)), .. } => {
                Some((Span::new(*end, *end), missing.clone()))
            }
            FailureKind::Unopened { .. } => Some((span, String::new())),
            FailureKind::NotDialect { instead, .. } if !instead.contains('…') => {
                Some((span, instead.clone()))
            }
            FailureKind::WithoutBrackets { name, arguments } if !arguments.is_empty() => {
                Some((span, format!("{name}({})", arguments.join(", "))))
            }
            FailureKind::BareWord { nearest: Some(nearest), .. } => Some((span, nearest.clone())),
            FailureKind::BareWord { word, callable: Some(signature), .. }
                if signature.parameters.is_empty() =>
            {
                Some((span, format!("{word}()")))
            }
            FailureKind::BareWord { word, callable: None, .. } if is_text(word) && !is_nothing(word) => {
                Some((span, quote::text(word)))
            }
            FailureKind::QuotedProgram { program } => Some((span, program.clone())),
            FailureKind::UnknownFunction { name, nearest, .. } => match nearest.as_slice() {
                [nearest] if is_slip(name, &nearest.name) => Some((span, nearest.name.clone())),
                _ => None,
            },
            FailureKind::TooManyArguments { as_list, .. } => as_list.clone(),
            FailureKind::NotBoolean { instead, .. } if !instead.contains('…') => {
                Some((span, instead.clone()))
            }
            FailureKind::RepeatedArgument { meant, .. } => meant.clone(),
            FailureKind::UnknownArgument { nearest, .. } => Some((span, nearest.clone()?)),
            _ => None,
        }
    }
}

/// Returns `true` if one name may be a slip of the other, and not another function: `padStart` is not `startsWith`.
fn is_slip(name: &str, meant: &str) -> bool {
    let last = |it: &str| it.rsplit('.').next().unwrap_or_default().to_lowercase();
    let (name, meant) = (last(name), last(meant));
    name.chars().next() == meant.chars().next() || name.contains(&meant) || meant.contains(&name)
}

/// Returns `true` for other languages' null. The author may have meant null or the word.
pub(crate) fn is_nothing(word: &str) -> bool {
    matches!(word, "None" | "undefined" | "nil" | "NULL" | "Null")
}

/// Returns `true` if an unquoted word looks like text, and not like a piece of a program.
fn is_text(word: &str) -> bool {
    let is_placeholder = word.starts_with(['$', '@']) || word.starts_with("_.");
    // `*args` takes a list apart, while `*.rs` is a path.
    let is_spread = word.starts_with('*') && !word.contains(['.', '/']);
    word.len() <= 80
        && word.contains(char::is_alphanumeric)
        && !is_placeholder
        && !is_spread
        && !word.contains(['=', ';', '(', ')', '{', '}', '<', '`', '"', '\''])
}
