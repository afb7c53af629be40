//! Candidates of an ambiguity: the whole program, once for each answer to a question about one place in it.

use source_text::Span;

use crate::convert::PathStep;
use crate::eval::{Env, Run};
use crate::invocation::Rest;
use crate::node::{CallNode, Node, NodeKind};
use crate::print::{print, print_in};
use crate::{Ambiguity, Candidate, Form, Question, Value};

/// The place of the program that a question is about.
#[derive(Debug)]
pub(crate) struct ProgramPlace<'a> {
    /// The expression.
    pub(crate) node: &'a Node,
    /// The value of the expression, if the question is about a part that the program does not spell.
    whole: Option<&'a Value>,
    /// From that value to the part.
    path: &'a [PathStep],
    /// The argument that the question is about but the program leaves out, and the call that lacks it.
    missing: Option<(usize, &'a CallNode)>,
}

impl<'a> ProgramPlace<'a> {
    /// Returns the place of a part of an expression's value, as far down as the program spells it.
    pub(crate) fn part(node: &'a Node, whole: &'a Value, path: &'a [PathStep]) -> Self {
        match (path, &node.kind, whole) {
            ([PathStep::Element(index), rest @ ..], NodeKind::List(elements), Value::List(values))
                if elements.len() == values.len() && elements.iter().all(|it| !it.spread) =>
            {
                Self::part(&elements[*index].node, &values[*index], rest)
            }
            ([PathStep::Field(name), rest @ ..], NodeKind::Object(fields), Value::Object(values)) => {
                match (fields.iter().rev().find(|(key, _)| key == name), values.get(name)) {
                    (Some((_, field)), Some(value)) => Self::part(field, value, rest),
                    _ => Self { node, whole: Some(whole), path, missing: None },
                }
            }
            _ => Self { node, whole: Some(whole), path, missing: None },
        }
    }

    /// Returns the place that a callable's question is about: one of its arguments, or the whole call.
    pub(crate) fn of_question(call: &'a CallNode, node: &'a Node, question: &Question) -> Self {
        let parameters = &call.callable.signature.parameters;
        let parameter =
            question.argument.as_ref().and_then(|name| parameters.iter().position(|it| it.name == *name));
        let given = parameter.and_then(|index| call.arguments.iter().find(|it| it.parameter == index));
        match (parameter, given) {
            (_, Some(given)) => Self { node: &given.node, whole: None, path: &[], missing: None },
            (Some(index), None) => Self { node, whole: None, path: &[], missing: Some((index, call)) },
            (None, None) => Self { node, whole: None, path: &[], missing: None },
        }
    }

    /// Returns the bytes of the value that is written there for an answer.
    pub(crate) fn written(&self, answer: &Value) -> usize {
        self.whole.map_or(0, Value::bytes).saturating_add(answer.bytes())
    }

    /// Returns `true` if the question is about all of the expression's value.
    pub(crate) fn is_whole(&self) -> bool {
        self.path.is_empty() && self.missing.is_none()
    }
}

/// Returns the ambiguity, or `None` if there are fewer than two different answers.
pub(crate) fn ambiguity(run: &Run, place: &ProgramPlace<'_>, question: Question) -> Option<Ambiguity> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for choice in question.choices {
        let program = program(run, place, &choice.value);
        if candidates.iter().all(|it| it.program != program) {
            candidates.push(Candidate { description: choice.description, program });
        }
    }
    Ambiguity::new(question.question, candidates).ok()
}

/// Returns the program in which the call has the argument that shows the rest, or `None` if the call runs
/// several times.
pub(crate) fn with_rest(run: &Run, call: &CallNode, node: &Node, rest: &Rest) -> Option<String> {
    let (name, value) = &rest.argument;
    let parameter = call.callable.signature.parameters.iter().position(|it| it.name == *name)?;
    let given = call.arguments.iter().find(|it| it.parameter == parameter);
    let place = match given {
        Some(given) => ProgramPlace { node: &given.node, whole: None, path: &[], missing: None },
        None => ProgramPlace { node, whole: None, path: &[], missing: Some((parameter, call)) },
    };
    (!node.varies).then(|| program(run, &place, value))
}

/// Returns the program in which a call goes over these elements alone. Returns `None` if the call runs
/// several times, or there are too many elements.
pub(crate) fn with_elements(run: &Run, list: &Node, elements: Vec<Value>) -> Option<String> {
    if list.varies {
        return None;
    }
    let elements = run.print_short(&Value::List(elements.into()))?;
    Some(replace(&run.source, list.span, &elements))
}

/// Returns the whole program with the answer in its place.
fn program(run: &Run, place: &ProgramPlace<'_>, answer: &Value) -> String {
    let is_all = run.source[..place.node.span.start].trim().is_empty()
        && run.source[place.node.span.end..].trim().is_empty();
    let print = |value: &Value| match run.form {
        Form::Text if is_all => print(&run.registry, value),
        form => print_in(form, &run.registry, value),
    };
    if let Some((parameter, call)) = place.missing {
        let (span, arguments) = with_argument(run, call, parameter, &print(answer));
        return replace(&run.source, span, &arguments);
    }
    let decided = match place.whole {
        Some(whole) => with_part(whole, place.path, answer),
        None => answer.clone(),
    };
    replace(&run.source, place.node.span, &print(&decided))
}

/// Returns the value with the part at `path` replaced.
fn with_part(whole: &Value, path: &[PathStep], part: &Value) -> Value {
    match (path, whole) {
        ([PathStep::Element(index), rest @ ..], Value::List(values)) => {
            let mut values = values.clone();
            values[*index] = with_part(&values[*index], rest, part);
            Value::List(values)
        }
        ([PathStep::Field(name), rest @ ..], Value::Object(fields)) => {
            let mut fields = fields.clone();
            if let Some(field) = fields.get(name).cloned() {
                fields.insert(name.clone(), with_part(&field, rest, part));
            }
            Value::Object(fields)
        }
        _ => part.clone(),
    }
}

/// Returns the span to replace, and its new text, to give a call one more argument.
fn with_argument(run: &Run, call: &CallNode, parameter: usize, argument: &str) -> (Span, String) {
    let parameters = &call.callable.signature.parameters;
    let name = &parameters[parameter].name;
    let inside = |span: &Span| call.enclosed.start <= span.start && span.end <= call.enclosed.end;
    match call.form {
        Form::Json => {
            let given =
                call.arguments.iter().map(|it| (&parameters[it.parameter].name, run.text(it.node.span)));
            let all = given.chain([(name, argument)]);
            let fields: Vec<String> = all.map(|(name, value)| format!("\"{name}\": {value}")).collect();
            (call.enclosed, format!("{{{}}}", fields.join(", ")))
        }
        Form::Text => {
            let ends = call.arguments.iter().map(|it| it.node.span).filter(inside).map(|span| span.end);
            let Some(end) = ends.max() else {
                let start = call.enclosed.start + 1;
                return (Span::new(start, start), format!("{name}={argument}"));
            };
            // The arguments of `f({a: 1})` end with a brace, so they are rewritten.
            if !run.source[end..call.enclosed.end].contains('}') {
                return (Span::new(end, end), format!(", {name}={argument}"));
            }
            let given = call.arguments.iter().filter(|it| inside(&it.node.span));
            let given = given.map(|it| (&parameters[it.parameter].name, run.text(it.node.span)));
            let all = given.chain([(name, argument)]);
            let named: Vec<String> = all.map(|(name, value)| format!("{name}={value}")).collect();
            (call.enclosed, format!("({})", named.join(", ")))
        }
    }
}

/// Returns the text of an expression with outer names replaced by their values, or `None` if one of these is
/// a function, or huge.
pub(crate) fn inlined(run: &Run, node: &Node, env: &Env) -> Option<String> {
    inlined_with(run, node, |_, up| env.get(up))
}

/// Returns the question about the name at `place`, with programs that are `node` alone with an answer there.
pub(crate) fn alone(run: &Run, node: &Node, env: &Env, place: Span, question: Question) -> Option<Ambiguity> {
    let candidates = question.choices.iter().map(|choice| {
        let value = |span, up| if span == place { &choice.value } else { env.get(up) };
        let program = inlined_with(run, node, value)?;
        Some(Candidate { description: choice.description.clone(), program })
    });
    Ambiguity::new(question.question.clone(), candidates.collect::<Option<_>>()?).ok()
}

fn inlined_with<'a>(run: &Run, node: &Node, value: impl Fn(Span, usize) -> &'a Value) -> Option<String> {
    let mut names: Vec<(Span, String)> = Vec::new();
    let mut is_writable = true;
    node.visit_free(&mut |span, up| {
        let value = value(span, up);
        let written = run.print_short(value).filter(|_| value.as_function().is_none());
        is_writable &= written.is_some();
        names.extend(written.map(|it| (span, it)));
    });
    if !is_writable {
        return None;
    }
    names.sort_by_key(|(span, _)| *span);
    let mut text = String::new();
    let mut at = node.span.start;
    for (span, value) in names {
        text.push_str(&run.source[at..span.start]);
        text.push_str(&value);
        at = span.end;
    }
    text.push_str(&run.source[at..node.span.end]);
    Some(text)
}

fn replace(source: &str, span: Span, by: &str) -> String {
    format!("{}{by}{}", &source[..span.start], &source[span.end..])
}
