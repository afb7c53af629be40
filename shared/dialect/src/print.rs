//! Values as programs: what is printed here evaluates to what was printed.

use std::fmt::Write;

use crate::registry::constructor_name;
use crate::{Object, Record, Registry, Value};

/// The program that makes `value`.
pub fn print(registry: &Registry, value: &Value) -> String {
    let mut printer = Printer { registry, out: String::new(), quoting: false };
    printer.value(value);
    printer.out
}

struct Printer<'registry> {
    registry: &'registry Registry,
    out: String,
    /// Inside `quote(…)`, where objects are data whatever their keys are.
    quoting: bool,
}

impl Printer<'_> {
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(bool) => self.write(bool),
            Value::Number(number) => self.write(number),
            Value::Text(text) => print_text(&mut self.out, text),
            Value::List(items) => self.list(items),
            Value::Object(fields) if fields.len() == 1 && !self.quoting => self.quote(fields),
            Value::Object(fields) => self.object(fields),
            Value::Record(record) => self.record(record),
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

    fn object(&mut self, fields: &Object) {
        self.out.push('{');
        self.separated(fields, |printer, (key, value)| {
            print_key(&mut printer.out, key);
            printer.out.push_str(": ");
            printer.value(value);
        });
        self.out.push('}');
    }

    /// Leading required fields by position, the others by name.
    fn record(&mut self, record: &Record) {
        let registry = self.registry;
        let Some(shape) = registry.shape(&record.type_name) else { return self.object(&record.fields) };
        self.out.push_str(&constructor_name(&shape.name));
        self.out.push('(');
        let parameters = &shape.signature.parameters;
        let given = parameters.iter().filter_map(|it| Some((it, record.fields.get(&it.name)?)));
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

fn print_key(out: &mut String, key: &str) {
    let is_name = key.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
        && key.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    if is_name { out.push_str(key) } else { print_quoted(out, key) }
}

/// Raw between backticks where the text allows it, else quoted.
pub(crate) fn print_text(out: &mut String, text: &str) {
    let is_raw =
        !text.contains(|char: char| char == '`' || char.is_control() && char != '\n' && char != '\t');
    if !is_raw || text.contains("${") {
        return print_quoted(out, text);
    }
    out.push('`');
    out.push_str(text);
    out.push('`');
}

fn print_quoted(out: &mut String, text: &str) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if char.is_control() => {
                write!(out, "\\u{:04x}", u32::from(char)).expect("a string takes everything");
            }
            _ => out.push(char),
        }
    }
    out.push('"');
}
