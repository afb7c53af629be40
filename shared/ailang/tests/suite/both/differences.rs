//! The differences between programs and documents, each with its reason and an example.

use ailang::document_rows;
use dialect::ast::{Expression, ExpressionKind};
use dialect::{FailureKind, read};
use source_text::Span;

use super::Both;

/// A difference.
pub(super) struct Difference {
    pub(super) why: &'static str,
    pub(super) example: &'static str,
    /// The value of the program as JSON, or `fails`.
    pub(super) program: &'static str,
    /// The value of the body.
    pub(super) body: &'static str,
    /// Returns `true` for outcomes that differ for this reason.
    pub(super) applies: fn(&Both) -> bool,
}

pub(super) const DIFFERENCES: &[Difference] = &[
    Difference {
        why: "Rows of documents have a meaning of TypeScript. Programs refuse most of these calls, and say what to \
              write.",
        example: "[1, 2, 3].slice(1, 2)",
        program: "fails",
        body: "[2]",
        applies: |it| {
            let names = document_rows().map(|(signature, _)| signature.split('(').next().unwrap_or_default());
            let rows: Vec<&str> = names.filter_map(|name| name.rsplit('.').next()).collect();
            calls(&it.expression).iter().any(|name| rows.contains(&name.as_str()))
        },
    },
    Difference {
        why: "A program is checked before it runs. A body fails where it gets to, and not in what it does not \
              evaluate.",
        example: "true || [1].startsWith()",
        program: "fails",
        body: "true",
        applies: |it| {
            it.is_refused && it.body.is_ok() && {
                let lazy = lazy(&it.expression);
                let failures = it.program.as_ref().err().map_or(&[][..], |it| it.all.as_slice());
                failures.iter().any(|failure| {
                    let inside = |lazy: &Span, at: Span| lazy.start <= at.start && at.end <= lazy.end;
                    failure.span.is_some_and(|at| lazy.iter().any(|lazy| inside(lazy, at)))
                })
            }
        },
    },
    Difference {
        why: "Conditions of documents ask whether there is something: null and an empty text are false, objects \
              and other texts are true.",
        example: "null ? 1 : 2",
        program: "fails",
        body: "2",
        applies: |it| fails_by(it, |kind| matches!(kind, FailureKind::NotBoolean { .. })),
    },
    Difference {
        why: "Only types say which fields an object may have, so a field that an object of documents does not have is \
              null.",
        example: "{a: 1}.b",
        program: "fails",
        body: "null",
        applies: |it| fails_by(it, |kind| matches!(kind, FailureKind::NoMember { .. })),
    },
    Difference {
        why: "`??` of documents also stands for an element that a list does not have.",
        example: "[1][7] ?? 0",
        program: "fails",
        body: "0",
        applies: |it| {
            fails_by(it, |kind| {
                matches!(
                    kind,
                    FailureKind::NoElement { .. } | FailureKind::WrongOperand { operator: "[]", .. }
                )
            })
        },
    },
    Difference {
        why: "A list of one element has the members of that element in programs, whose functions return lists of \
              places. In documents a list has its length alone.",
        example: "[{a: 1}].a",
        program: "1",
        body: "fails",
        applies: |it| {
            let is_missing = it.body.as_ref().is_err_and(is_about_members_of_lists);
            asks(it) || is_missing || it.program.is_ok() && has_optional_member(&it.expression)
        },
    },
    Difference {
        why: "A function of documents may leave arguments out, which are null.",
        example: "[1].map((x, i, all) => all)",
        program: "fails",
        body: "[null]",
        applies: |it| fails_by(it, |kind| matches!(kind, FailureKind::LambdaArity { .. })),
    },
    Difference {
        why: "A program reads an object at the end as named arguments where it is no value of the parameter. Documents \
              check types before they run, and an object is an object.",
        example: "\"a-b\".split({separator: \"-\"})",
        program: "[\"a\",\"b\"]",
        body: "fails",
        applies: |it| it.body.is_err() && has_object_at_end(&it.expression),
    },
    Difference {
        why: "The result of a program is data for its reader. Bodies pass functions on.",
        example: "[x => x].first()",
        program: "fails",
        body: "\"x => x\"",
        applies: |it| fails_by(it, |kind| matches!(kind, FailureKind::FunctionAsResult)),
    },
];

/// Returns `true` for a program that asks of which of several elements a member is, or says that there is none.
fn asks(it: &Both) -> bool {
    it.program.as_ref().is_err_and(|failures| failures.all.is_empty())
        || fails_by(it, |kind| matches!(kind, FailureKind::MemberOfNothing { .. }))
}

fn is_about_members_of_lists(error: &serde_json::Value) -> bool {
    error["message"].as_str().is_some_and(|message| message.starts_with("a List has no member"))
}

fn fails_by(it: &Both, is_reason: fn(&FailureKind) -> bool) -> bool {
    it.program.as_ref().is_err_and(|failures| failures.all.iter().any(|it| is_reason(&it.kind)))
}

/// Returns the names that are called, objects before the dot left out.
fn calls(expression: &str) -> Vec<String> {
    let mut names = Vec::new();
    visit(expression, |it| {
        if let ExpressionKind::Call(call) = &it.kind {
            names.push(call.name.text.clone());
        }
    });
    names
}

/// Returns `true` if a member is asked for that may be missing, which is null in a list.
fn has_optional_member(expression: &str) -> bool {
    let mut has = false;
    visit(expression, |it| has |= matches!(it.kind, ExpressionKind::Member { or_null: true, .. }));
    has
}

/// Returns `true` if the last argument of a call is written as an object.
fn has_object_at_end(expression: &str) -> bool {
    let mut has = false;
    visit(expression, |it| {
        if let ExpressionKind::Call(call) = &it.kind {
            has |= call.arguments.last().is_some_and(|it| matches!(it.value.kind, ExpressionKind::Object(_)));
        }
    });
    has
}

/// Returns the places of what may not be evaluated.
fn lazy(expression: &str) -> Vec<Span> {
    let mut places = Vec::new();
    visit(expression, |it| match &it.kind {
        ExpressionKind::Lambda { body, .. } => places.push(body.span),
        ExpressionKind::Binary { operator: "&&" | "||" | "??", right, .. } => places.push(right.span),
        ExpressionKind::Conditional { then, otherwise, .. } => places.extend([then.span, otherwise.span]),
        ExpressionKind::Call(call) if call.or_null => places.push(it.span),
        _ => {}
    });
    places
}

fn visit(expression: &str, mut each: impl FnMut(&Expression)) {
    let Ok(read) = read(expression) else { return };
    let mut pending = vec![&read];
    while let Some(expression) = pending.pop() {
        each(expression);
        pending.extend(expression.kind.children());
    }
}
