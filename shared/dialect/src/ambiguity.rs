//! A question about one place → the whole program, once per answer.

use source_text::Span;

use crate::convert::Step;
use crate::print::print;
use crate::resolve::{CallNode, Node, NodeKind};
use crate::{Ambiguity, Candidate, Question, Registry, Value};

/// The ambiguity of a part of an expression's value; `None` when there are fewer than two different answers.
///
/// Where the program spells that part, only its spelling is replaced; else the whole expression is, by its
/// value with that part decided.
pub(crate) fn ambiguity_at(
    registry: &Registry,
    source: &str,
    node: &Node,
    whole: &Value,
    path: &[Step],
    question: Question,
) -> Option<Ambiguity> {
    let (node, whole, path) = descend(node, whole, path);
    rewrite(question, |choice| {
        let decided = with_part(whole, path, choice);
        replace(source, node.span, &print(registry, &decided))
    })
}

/// The ambiguity of an argument of a call, or of the whole call where the question names no argument.
pub(crate) fn ambiguity_of_argument(
    registry: &Registry,
    source: &str,
    call: &CallNode,
    span: Span,
    question: Question,
) -> Option<Ambiguity> {
    let parameters = &call.callable.signature.parameters;
    let parameter =
        question.argument.as_ref().and_then(|name| parameters.iter().position(|it| it.name == *name));
    let given = parameter.and_then(|index| call.arguments.iter().find(|it| it.parameter == index));
    match (parameter, given) {
        (_, Some(given)) => {
            rewrite(question, |choice| replace(source, given.node.span, &print(registry, choice)))
        }
        (None, None) => rewrite(question, |choice| replace(source, span, &print(registry, choice))),
        (Some(index), None) => {
            let end = Span::new(call.brackets.end - 1, call.brackets.end - 1);
            let separator = if call.arguments.is_empty() { "" } else { ", " };
            let name = &parameters[index].name;
            rewrite(question, |choice| {
                replace(source, end, &format!("{separator}{name}={}", print(registry, choice)))
            })
        }
    }
}

fn rewrite(question: Question, program: impl Fn(&Value) -> String) -> Option<Ambiguity> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for choice in question.choices {
        let program = program(&choice.value);
        if candidates.iter().all(|it| it.program != program) {
            candidates.push(Candidate { description: choice.description, program });
        }
    }
    Ambiguity::new(question.question, candidates).ok()
}

/// As far down as the program spells the value.
fn descend<'a>(node: &'a Node, whole: &'a Value, path: &'a [Step]) -> (&'a Node, &'a Value, &'a [Step]) {
    match (path, &node.kind, whole) {
        ([Step::Element(index), rest @ ..], NodeKind::List(nodes), Value::List(values)) => {
            descend(&nodes[*index], &values[*index], rest)
        }
        _ => (node, whole, path),
    }
}

/// The value with the part at `path` replaced.
fn with_part(whole: &Value, path: &[Step], part: &Value) -> Value {
    match (path, whole) {
        ([Step::Element(index), rest @ ..], Value::List(values)) => {
            let mut values = values.clone();
            values[*index] = with_part(&values[*index], rest, part);
            Value::List(values)
        }
        _ => part.clone(),
    }
}

fn replace(source: &str, span: Span, by: &str) -> String {
    format!("{}{by}{}", &source[..span.start], &source[span.end..])
}
