//! Values as programs of either form, which evaluate to the same values.

use crate::ast::build::{call, call_of, list, name, node, null, spelled, text};
use crate::ast::{Argument, Expression, ExpressionKind};
use crate::lookalike::{is_quoted_program, looks_like_call};
use crate::printer::{self, quoted_fields};
use crate::registry::constructor_name;
use crate::{Form, GivenArgument, Object, Record, Registry, Value};

/// Returns the program in text form that makes `value`: ``symbol(`User`, line=3)``.
///
/// A function is printed as its source, which makes it wherever its names are bound.
pub fn print(registry: &Registry, value: &Value) -> String {
    printer::text(&mut program(registry, value))
}

/// Returns the program in JSON form that makes `value`: `{"symbol": {"name": "User", "line": 3}}`.
pub fn print_json(registry: &Registry, value: &Value) -> String {
    match value {
        Value::Object(_) | Value::Record(_) | Value::List(_) => {
            printer::json(&json_program(registry, expression(Form::Json, registry, value)))
        }
        // Other values have no JSON form, and are the same in text form.
        _ => print(registry, value),
    }
}

/// Returns the program in a form that calls a function with values.
pub fn print_call(registry: &Registry, form: Form, name: &str, arguments: &[GivenArgument]) -> String {
    let mut tree = call_of_values(registry, form, name, arguments);
    match form {
        Form::Text => printer::text(&mut tree),
        Form::Json => printer::json(&tree),
    }
}

/// Returns the tree of the call of a function with values.
pub(crate) fn call_of_values(
    registry: &Registry,
    form: Form,
    name: &str,
    arguments: &[GivenArgument],
) -> Expression {
    let arguments = arguments.iter().map(|GivenArgument { name, value }| {
        let value = match form {
            Form::Text => program(registry, value),
            Form::Json => expression(form, registry, value),
        };
        Argument { name: name.as_deref().map(spelled), value }
    });
    call_of(None, false, name, arguments.collect())
}

/// Returns the value as a part of a program.
pub(crate) fn print_in(form: Form, registry: &Registry, value: &Value) -> String {
    let mut expression = expression(form, registry, value);
    match form {
        Form::Text => printer::text(&mut expression),
        Form::Json => printer::json(&expression),
    }
}

/// The most bytes of a value that is printed in a sentence, or in a program beside one.
const SHORT: usize = 1 << 15;

/// Returns the value as a part of a program, or `None` for a huge one: printing it takes time, and nobody reads it.
pub(crate) fn print_short(form: Form, registry: &Registry, value: &Value) -> Option<String> {
    (value.bytes() <= SHORT).then(|| print_in(form, registry, value))
}

/// Returns the tree of the program in text form that makes `value`.
pub(crate) fn program(registry: &Registry, value: &Value) -> Expression {
    let tree = expression(Form::Text, registry, value);
    // As a whole program, such text would be refused as quoted, and such data would be a call in JSON form.
    let looks_like_program = match &tree.kind {
        ExpressionKind::Text(text) => is_quoted_program(registry, text),
        _ => holds_call(&tree) || starts_with_name(registry, &tree) || encloses_program(registry, &tree),
    };
    if looks_like_program {
        return call("quote", [Tree { registry, form: Form::Text, quoting: true }.of(value)]);
    }
    tree
}

/// Returns the tree that is a whole program in JSON form: what would be read as another program there is marked as
/// data.
pub(crate) fn json_program(registry: &Registry, tree: Expression) -> Expression {
    if starts_with_name(registry, &tree) {
        return node(ExpressionKind::Let { bindings: Vec::new(), result: Box::new(tree) });
    }
    match encloses_program(registry, &tree) && matches!(tree.kind, ExpressionKind::Object(_)) {
        true => call("quote", [tree]),
        false => tree,
    }
}

/// Returns `true` if an object in it looks like a call.
fn holds_call(tree: &Expression) -> bool {
    let is_marked = matches!(&tree.kind, ExpressionKind::Call(call) if quoted_fields(call).is_some());
    is_marked || tree.kind.children().into_iter().any(holds_call)
}

/// Returns `true` for a list that reads like a call: `["size", "x"]`.
fn starts_with_name(registry: &Registry, tree: &Expression) -> bool {
    let ExpressionKind::List(elements) = &tree.kind else { return false };
    let first = elements.first().map(|it| &it.value.kind);
    matches!(first, Some(ExpressionKind::Text(text)) if registry.callable(text).is_some())
}

/// Returns `true` if a field of it, or of an object in it, is text that is a program.
fn encloses_program(registry: &Registry, tree: &Expression) -> bool {
    let fields = match &tree.kind {
        ExpressionKind::Object(fields) => fields.as_slice(),
        ExpressionKind::Call(call) => quoted_fields(call).unwrap_or_default(),
        _ => &[],
    };
    fields.iter().any(|(_, value)| match &value.kind {
        ExpressionKind::Text(text) => is_quoted_program(registry, text),
        _ => encloses_program(registry, value),
    })
}

/// Returns the tree of a value as a part of a program.
pub(crate) fn expression(form: Form, registry: &Registry, value: &Value) -> Expression {
    Tree { registry, form, quoting: false }.of(value)
}

/// The syntax trees of values.
#[derive(Clone, Copy)]
struct Tree<'registry> {
    registry: &'registry Registry,
    form: Form,
    /// `true` inside `quote(…)`, where objects are data whatever their keys are.
    quoting: bool,
}

impl Tree<'_> {
    fn of(self, value: &Value) -> Expression {
        match value {
            Value::Null => null(),
            Value::Bool(bool) => node(ExpressionKind::Bool(*bool)),
            Value::Number(number) => node(ExpressionKind::Number(number.clone())),
            Value::Text(it) => text(it),
            Value::List(items) => list(items.iter().map(|it| (false, self.of(it)))),
            Value::Object(fields) => self.object(fields),
            Value::Record(record) => self.record(record),
            Value::Function(function) => name(function.source()),
        }
    }

    fn object(self, fields: &Object) -> Expression {
        let quotes = !self.quoting && looks_like_call(self.registry, fields.keys());
        let inside = Self { quoting: self.quoting || quotes && self.form == Form::Text, ..self };
        let fields = inside.fields(fields);
        if quotes { call("quote", [fields]) } else { fields }
    }

    fn fields(self, fields: &Object) -> Expression {
        let fields = fields.iter().map(|(key, value)| (spelled(key), self.of(value)));
        node(ExpressionKind::Object(fields.collect()))
    }

    /// Returns a call of the type's constructor.
    fn record(self, record: &Record) -> Expression {
        let registry = self.registry;
        let Some(shape) = registry.registered_type(&record.type_name) else {
            return self.fields(&record.fields);
        };
        let parameters = &shape.signature.parameters;
        let given = parameters.iter().filter_map(|it| Some((it, record.fields.get(&it.name)?)));
        let arguments = given.map(|(parameter, value)| {
            // In text, leading required fields are given by position, the others by name.
            let is_named = parameter.optional || self.form == Form::Json;
            Argument { name: is_named.then(|| spelled(&parameter.name)), value: self.of(value) }
        });
        call_of(None, false, &constructor_name(&shape.name), arguments.collect())
    }
}
