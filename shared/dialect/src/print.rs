//! Values as programs of either form, which evaluate to the same values.

use std::fmt::Write;

use crate::lookalike::{is_quoted_program, looks_like_call};
use crate::quote::{is_plain_key, print_quoted, print_text};
use crate::registry::constructor_name;
use crate::{Form, Object, Record, Registry, Value};

/// Returns the program in text form that makes `value`: ``symbol(`User`, line=3)``.
///
/// A function is printed as its source, which makes it wherever its names are bound.
pub fn print(registry: &Registry, value: &Value) -> String {
    // As a whole program, such text would be refused as quoted, and such data would be a call in JSON form.
    let looks_like_program = match value {
        Value::Text(text) => is_quoted_program(registry, text),
        Value::List(items) => {
            starts_with_name(registry, items) || items.iter().any(|it| holds_call(registry, it))
        }
        value => holds_call(registry, value) || encloses_program(registry, value),
    };
    let mut printer = Printer { registry, form: Form::Text, out: String::new(), quoting: looks_like_program };
    printer.value(value);
    if looks_like_program { format!("quote({})", printer.out) } else { printer.out }
}

/// Returns `true` if an object in it looks like a call.
fn holds_call(registry: &Registry, value: &Value) -> bool {
    match value {
        Value::Object(fields) if looks_like_call(registry, fields.keys()) => true,
        Value::List(items) => items.iter().any(|it| holds_call(registry, it)),
        value => value.fields().is_some_and(|fields| fields.values().any(|it| holds_call(registry, it))),
    }
}

/// Returns the program in JSON form that makes `value`: `{"symbol": {"name": "User", "line": 3}}`.
pub fn print_json(registry: &Registry, value: &Value) -> String {
    match value {
        Value::Object(fields) if encloses_program(registry, value) => {
            let mut printer = Printer { registry, form: Form::Json, out: String::new(), quoting: false };
            printer.pairs(fields);
            printer.out
        }
        Value::Object(_) | Value::Record(_) => print_in(Form::Json, registry, value),
        Value::List(items) if starts_with_name(registry, items) => {
            let items = print_in(Form::Json, registry, value);
            format!("{{\"let\": [{items}]}}")
        }
        Value::List(_) => print_in(Form::Json, registry, value),
        // Other values have no JSON form, and are the same in text form.
        _ => print(registry, value),
    }
}

/// Returns the value as a part of a program.
pub(crate) fn print_in(form: Form, registry: &Registry, value: &Value) -> String {
    let mut printer = Printer { registry, form, out: String::new(), quoting: false };
    printer.value(value);
    printer.out
}

/// The most bytes of a value that is printed in a sentence, or in a program beside one.
const SHORT: usize = 1 << 15;

/// Returns the value as a part of a program, or `None` for a huge one: printing it takes time, and nobody reads it.
pub(crate) fn print_short(form: Form, registry: &Registry, value: &Value) -> Option<String> {
    (value.bytes() <= SHORT).then(|| print_in(form, registry, value))
}

/// Returns `true` if a field of it, or of an object in it, is text that is a program.
fn encloses_program(registry: &Registry, value: &Value) -> bool {
    let Value::Object(fields) = value else { return false };
    fields.values().any(|value| match value {
        Value::Text(text) => is_quoted_program(registry, text),
        value => encloses_program(registry, value),
    })
}

fn starts_with_name(registry: &Registry, items: &[Value]) -> bool {
    items.first().and_then(Value::as_text).is_some_and(|text| registry.callable(text).is_some())
}

struct Printer<'registry> {
    registry: &'registry Registry,
    form: Form,
    out: String,
    /// `true` inside `quote(…)`, where objects are data whatever their keys are.
    quoting: bool,
}

impl Printer<'_> {
    fn value(&mut self, value: &Value) {
        match (value, self.form) {
            (Value::Null, _) => self.out.push_str("null"),
            (Value::Bool(bool), _) => self.write(bool),
            (Value::Number(number), _) => self.write(number),
            // A value is one line, whoever gave the name that is in it.
            (Value::Text(text), Form::Text) if !text.contains('\n') => print_text(&mut self.out, text),
            (Value::Text(text), _) => print_quoted(&mut self.out, text),
            (Value::List(items), _) => self.list(items),
            (Value::Object(fields), Form::Text)
                if !self.quoting && looks_like_call(self.registry, fields.keys()) =>
            {
                self.quote(fields);
            }
            (Value::Object(fields), Form::Json) if looks_like_call(self.registry, fields.keys()) => {
                self.pairs(fields);
            }
            (Value::Object(fields), _) => self.object(fields),
            (Value::Record(record), _) => self.record(record),
            (Value::Function(function), _) => self.out.push_str(function.source()),
        }
    }

    fn write(&mut self, shown: impl std::fmt::Display) {
        write!(self.out, "{shown}").expect("a string takes everything");
    }

    fn separated<T>(&mut self, items: impl IntoIterator<Item = T>, print: impl Fn(&mut Self, T)) {
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            print(self, item);
        }
    }

    fn list(&mut self, items: &[Value]) {
        self.out.push('[');
        self.separated(items, Self::value);
        self.out.push(']');
    }

    fn quote(&mut self, fields: &Object) {
        self.out.push_str("quote(");
        self.quoting = true;
        self.object(fields);
        self.quoting = false;
        self.out.push(')');
    }

    /// Writes `{"object": [["key", 1]]}`, which is data whatever its keys are.
    fn pairs(&mut self, fields: &Object) {
        self.out.push_str("{\"object\": [");
        self.separated(fields, |printer, (key, value)| {
            printer.out.push('[');
            print_quoted(&mut printer.out, key);
            printer.out.push_str(", ");
            printer.value(value);
            printer.out.push(']');
        });
        self.out.push_str("]}");
    }

    fn object(&mut self, fields: &Object) {
        self.out.push('{');
        self.separated(fields, |printer, (key, value)| {
            printer.key(key);
            printer.value(value);
        });
        self.out.push('}');
    }

    fn key(&mut self, key: &str) {
        if self.form == Form::Text && is_plain_key(key) {
            self.out.push_str(key);
        } else {
            print_quoted(&mut self.out, key);
        }
        self.out.push_str(": ");
    }

    /// Writes a call of the type's constructor.
    fn record(&mut self, record: &Record) {
        let registry = self.registry;
        let Some(shape) = registry.registered_type(&record.type_name) else {
            return self.object(&record.fields);
        };
        let name = constructor_name(&shape.name);
        let parameters = &shape.signature.parameters;
        let given = parameters.iter().filter_map(|it| Some((it, record.fields.get(&it.name)?)));
        if self.form == Form::Json {
            self.out.push('{');
            self.key(&name);
            let fields = given.map(|(it, value)| (it.name.clone(), value.clone())).collect();
            self.object(&fields);
            return self.out.push('}');
        }
        self.out.push_str(&name);
        self.out.push('(');
        // Leading required fields by position, the others by name.
        self.separated(given, |printer, (parameter, value)| {
            if parameter.optional {
                printer.out.push_str(&parameter.name);
                printer.out.push('=');
            }
            printer.value(value);
        });
        self.out.push(')');
    }
}
