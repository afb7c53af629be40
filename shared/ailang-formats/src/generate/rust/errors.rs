//! Errors: a struct of parameters for each, and the enum of all.

use dialect::Type;

use super::decode::Decoder;
use super::file::{File, quoted};
use super::types::structure;
use crate::generate::model::{ErrorType, Formula, Message, Piece};
use crate::generate::writer::Writer;

/// Prints all errors.
pub(super) fn errors(file: &File<'_>, out: &mut Writer) {
    if !file.options.errors || file.model.errors.is_empty() {
        return;
    }
    for error in &file.model.errors {
        out.gap();
        one(file, error, out);
    }
    out.gap();
    file.comment("An error of a tool.", out);
    out.line("#[derive(Clone, Debug, PartialEq)]");
    let names: Vec<&str> = file.model.errors.iter().map(|it| file.names.error(&it.name)).collect();
    out.block("pub enum ToolError {", "}\n", |out| {
        names.iter().for_each(|name| out.line(format!("{name}({name}),")));
    });
    out.block("impl ToolError {", "}\n", |out| {
        for (method, returns) in [
            ("name", "&'static str"),
            ("message", "String"),
            ("recovery", "Option<String>"),
            ("retryable", "bool"),
        ] {
            out.block(format!("pub fn {method}(&self) -> {returns} {{"), "}\n", |out| {
                out.block("match self {", "}", |out| {
                    names.iter().for_each(|name| out.line(format!("Self::{name}(it) => it.{method}(),")));
                });
            });
        }
    });
    out.block("impl fmt::Display for ToolError {", "}\n", |out| {
        out.block("fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {", "}", |out| {
            out.line("f.write_str(&self.message())");
        });
    });
    out.line("impl std::error::Error for ToolError {}");
}

fn one(file: &File<'_>, error: &ErrorType, out: &mut Writer) {
    let name = file.names.error(&error.name);
    let all = file.all_types();
    let decoder = Decoder { file, declared: &all };
    file.comment(&error.docs, out);
    match &error.parameters {
        Some(parameters) if !file.model.has_function(&error.input()) => {
            structure(&decoder, name, parameters, &|_| String::new(), out);
        }
        _ => {
            out.line("#[derive(Clone, Debug, PartialEq, Serialize)]");
            out.line(format!("pub struct {name}(pub {});", decoder.print(&Type::Object)));
        }
    }
    out.gap();
    out.block(format!("impl {name} {{"), "}\n", |out| {
        method(out, "name", "&'static str", &quoted(&error.name));
        method(out, "message", "String", &text(&error.message));
        let optional = |message: &Option<Message>| {
            message.as_ref().map_or("None".to_owned(), |it| format!("Some({})", text(it)))
        };
        method(out, "recovery", "Option<String>", &optional(&error.recovery));
        method(out, "user_message", "Option<String>", &optional(&error.user_message));
        method(out, "retryable", "bool", &error.retryable.to_string());
        let after = error.retry_after.as_ref();
        let after = after.map_or("None".to_owned(), |it| format!("{}?.as_f64()", value(it)));
        method(out, "retry_after", "Option<f64>", &after);
        let retries = error.max_retries.map_or("None".to_owned(), |it| format!("Some({it})"));
        method(out, "max_retries", "Option<u64>", &retries);
    });
    out.block(format!("impl From<{name}> for ToolError {{"), "}", |out| {
        out.block(format!("fn from(error: {name}) -> Self {{"), "}", |out| {
            out.line(format!("Self::{name}(error)"));
        });
    });
}

fn method(out: &mut Writer, name: &str, returns: &str, body: &str) {
    out.block(format!("pub fn {name}(&self) -> {returns} {{"), "}\n", |out| out.line(body));
}

/// Returns a message as an expression.
fn text(message: &Message) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => format!("{}.to_owned()", quoted(text)),
        Piece::Formula(formula, spelled) => format!("fill({}, {})", value(formula), quoted(spelled)),
    };
    match &message[..] {
        [] => "String::new()".to_owned(),
        [only] => piece(only),
        pieces => format!("[{}].concat()", pieces.iter().map(piece).collect::<Vec<_>>().join(", ")),
    }
}

/// Returns the value of a formula as an expression.
fn value(formula: &Formula) -> String {
    match formula {
        Formula::Number(number) => format!("Some(json!({number}))"),
        Formula::Path(path) => format!("find(&json!(self), &{})", list(path)),
        Formula::Now => "now()".to_owned(),
        Formula::Binary(operator, left, right) => {
            format!("computed(|left, right| left {operator} right, {}, {})", value(left), value(right))
        }
    }
}

fn list(path: &[String]) -> String {
    format!("[{}]", path.iter().map(|it| quoted(it)).collect::<Vec<_>>().join(", "))
}
