//! Programs in JSON form.

use super::is_name;
use crate::ast::{Argument, Call, Expression, ExpressionKind, Spelled};
use crate::quote::print_quoted;

/// Prints a program in JSON form. `quote` of an object is the pairs of its keys and values, which are data whatever the
/// keys are. In calls either all arguments or none have names.
pub(crate) fn json(program: &Expression) -> String {
    let mut printer = Printer { out: String::new() };
    printer.expression(program);
    printer.out
}

struct Printer {
    out: String,
}

impl Printer {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn list<T>(&mut self, items: impl IntoIterator<Item = T>, print: impl Fn(&mut Self, T)) {
        self.push("[");
        self.separated(items, print);
        self.push("]");
    }

    fn separated<T>(&mut self, items: impl IntoIterator<Item = T>, print: impl Fn(&mut Self, T)) {
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.push(", ");
            }
            print(self, item);
        }
    }

    /// Prints an object with one key, whose value `print` prints: `{"key": …}`.
    fn keyed(&mut self, key: &str, print: impl FnOnce(&mut Self)) {
        self.push("{");
        self.key(key);
        print(self);
        self.push("}");
    }

    fn key(&mut self, key: &str) {
        print_quoted(&mut self.out, key);
        self.push(": ");
    }

    fn expression(&mut self, expression: &Expression) {
        match &expression.kind {
            ExpressionKind::Null => self.push("null"),
            ExpressionKind::Bool(bool) => self.push(if *bool { "true" } else { "false" }),
            ExpressionKind::Number(number) => self.push(&number.to_string()),
            ExpressionKind::Text(text) => print_quoted(&mut self.out, text),
            ExpressionKind::List(elements) => self.list(elements, |printer, element| match element.spread {
                true => printer.keyed("spread", |printer| printer.expression(&element.value)),
                false => printer.expression(&element.value),
            }),
            ExpressionKind::Object(fields) => {
                self.object(fields.iter().map(|(key, value)| (key.text.as_str(), value)));
            }
            ExpressionKind::Call(call) => self.call(call),
            ExpressionKind::Apply { function, arguments } => {
                let arguments = arguments.iter().map(|it| &it.value);
                self.operands("apply", [&**function].into_iter().chain(arguments));
            }
            ExpressionKind::Name(name) if name.split('.').all(is_name) => {
                self.keyed("var", |printer| print_quoted(&mut printer.out, name));
            }
            // The source of a function.
            ExpressionKind::Name(source) => self.out.push_str(source),
            ExpressionKind::Lambda { parameters, body } => self.keyed("lambda", |printer| {
                printer.push("{\"params\": ");
                printer.list(parameters, |printer, it| print_quoted(&mut printer.out, &it.name.text));
                printer.push(", \"body\": ");
                printer.expression(body);
                printer.push("}");
            }),
            ExpressionKind::Member { of, name, or_null } => {
                self.keyed(if *or_null { "field?" } else { "field" }, |printer| {
                    printer.push("[");
                    printer.expression(of);
                    printer.push(", ");
                    print_quoted(&mut printer.out, &name.text);
                    printer.push("]");
                });
            }
            ExpressionKind::Index { of, index } => self.operands("index", [&**of, &**index]),
            ExpressionKind::Unary { operator, of } => self.operands(operator, [&**of]),
            ExpressionKind::Binary { operator, left, right } => self.operands(operator, [&**left, &**right]),
            ExpressionKind::Conditional { condition, then, otherwise } => {
                self.operands("if", [&**condition, &**then, &**otherwise]);
            }
            ExpressionKind::Let { bindings, result } => self.keyed("let", |printer| {
                printer.push("[");
                for binding in bindings {
                    printer.pair(binding);
                    printer.push(", ");
                }
                printer.expression(result);
                printer.push("]");
            }),
            // They are only in documents.
            ExpressionKind::Template(_)
            | ExpressionKind::Pattern { .. }
            | ExpressionKind::Block
            | ExpressionKind::Spread(_)
            | ExpressionKind::Broken => self.push("null"),
        }
    }

    /// Prints `{"==": [a, b]}`.
    fn operands<'e>(&mut self, operator: &str, operands: impl IntoIterator<Item = &'e Expression>) {
        self.keyed(operator, |printer| printer.list(operands, Self::expression));
    }

    fn object<'e>(&mut self, fields: impl IntoIterator<Item = (&'e str, &'e Expression)>) {
        self.push("{");
        self.separated(fields, |printer, (key, value)| {
            printer.key(key);
            printer.expression(value);
        });
        self.push("}");
    }

    fn pair(&mut self, (key, value): &(Spelled, Expression)) {
        self.push("[");
        print_quoted(&mut self.out, &key.text);
        self.push(", ");
        self.expression(value);
        self.push("]");
    }

    fn call(&mut self, call: &Call) {
        if let Some(fields) = quoted_fields(call) {
            return self.keyed("object", |printer| printer.list(fields, Self::pair));
        }
        self.keyed(&call.name.text, |printer| {
            let named = call.arguments.iter().map(|it| Some((it.name.as_ref()?.text.as_str(), &it.value)));
            match named.collect::<Option<Vec<_>>>() {
                Some(fields) if !fields.is_empty() => printer.object(fields),
                _ => {
                    let arguments = call.arguments.iter().map(|it| &it.value);
                    printer.list(call.receiver.as_deref().into_iter().chain(arguments), Self::expression);
                }
            }
        });
    }
}

/// Returns the fields of `{…}` in `quote({…})`.
pub(crate) fn quoted_fields(call: &Call) -> Option<&[(Spelled, Expression)]> {
    match call.arguments.as_slice() {
        [Argument { name: None, value: Expression { kind: ExpressionKind::Object(fields), .. } }]
            if call.name.text == "quote" && call.receiver.is_none() =>
        {
            Some(fields)
        }
        _ => None,
    }
}
