//! Classes of errors.

use super::file::{File, json, quoted};
use super::names;
use super::types::Printer;
use crate::generate::model::{ErrorType, Formula, Message, Piece};
use crate::generate::writer::Writer;

/// The class that all errors extend.
const BASE: &str = "\
class ToolError(Exception):
    name: ClassVar[str] = \"ToolError\"
    retryable: ClassVar[bool] = False
    max_retries: ClassVar[int | None] = None

    def __init__(
        self,
        params: Mapping[str, Any],
        message: str,
        recovery: str | None = None,
        user_message: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.params = params
        self.message = message
        self.recovery = recovery
        self.user_message = user_message
        self.retry_after = retry_after
";

/// Prints all errors.
pub(super) fn errors(file: &File<'_>, out: &mut Writer) {
    if !file.options.errors || file.model.errors.is_empty() {
        return;
    }
    out.gap();
    out.line(BASE);
    for error in &file.model.errors {
        out.gap();
        class(file, error, out);
    }
    out.gap();
    file.comment("The classes by the names of the errors.", out);
    out.block("ERROR_CLASSES: dict[str, type[ToolError]] = {", "}", |out| {
        for error in &file.model.errors {
            out.line(format!("{}: {},", quoted(&error.name), file.names.error(&error.name)));
        }
    });
    out.gap();
}

fn class(file: &File<'_>, error: &ErrorType, out: &mut Writer) {
    out.block(format!("class {}(ToolError):", file.names.error(&error.name)), "", |out| {
        file.docstring(&error.docs, out);
        out.line(format!("name: ClassVar[str] = {}", quoted(&error.name)));
        if error.retryable {
            out.line("retryable: ClassVar[bool] = True");
        }
        if let Some(count) = error.max_retries {
            out.line(format!("max_retries: ClassVar[int | None] = {count}"));
        }
        out.gap();
        constructor(file, error, out);
    });
    out.gap();
}

fn constructor(file: &File<'_>, error: &ErrorType, out: &mut Writer) {
    let (signature, given) = arguments(file, error);
    out.block(format!("def __init__(self{signature}) -> None:"), "", |out| {
        out.line(format!("params: dict[str, Any] = {given}"));
        out.block("super().__init__(", ")", |out| {
            out.line("params,");
            out.line(format!("{},", text(&error.message)));
            for (key, message) in [("recovery", &error.recovery), ("user_message", &error.user_message)] {
                if let Some(message) = message {
                    out.line(format!("{key}={},", text(message)));
                }
            }
            if let Some(formula) = &error.retry_after {
                out.line(format!("retry_after=_time({}),", value(formula)));
            }
        });
    });
}

/// Returns the parameters of the constructor, and the dictionary of their values.
fn arguments(file: &File<'_>, error: &ErrorType) -> (String, String) {
    let Some(parameters) = &error.parameters else {
        return (", **params_: Any".to_owned(), "dict(params_)".to_owned());
    };
    if parameters.is_empty() {
        return (String::new(), "{}".to_owned());
    }
    let printer = Printer { file, declared: None };
    let names = names::parameters(file.names, parameters.iter().map(|it| it.name.as_str()));
    let (mut signature, mut given) = (String::from(", *"), Vec::new());
    for (parameter, name) in parameters.iter().zip(&names) {
        let ty = printer.print(&parameter.ty);
        if parameter.optional {
            signature.push_str(&format!(", {name}: Optional[{ty}] = None"));
        } else {
            signature.push_str(&format!(", {name}: {ty}"));
        }
        given.push(format!("{}: {name}", quoted(&parameter.name)));
    }
    (signature, format!("{{{}}}", given.join(", ")))
}

/// Returns a message as an expression.
fn text(message: &Message) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => quoted(text),
        Piece::Formula(formula, spelled) => format!("_fill({}, {})", value(formula), quoted(spelled)),
    };
    match message.len() {
        0 => "\"\"".to_owned(),
        _ => message.iter().map(piece).collect::<Vec<_>>().join(" + "),
    }
}

/// Returns the value of a formula as an expression.
fn value(formula: &Formula) -> String {
    match formula {
        Formula::Number(number) => number.to_string(),
        Formula::Path(path) => format!("_find(params, {})", json(&path.as_slice().into())),
        Formula::Now => "time.time()".to_owned(),
        Formula::Binary(operator, left, right) => {
            let of = match *operator {
                "%" => "math.fmod".to_owned(),
                operator => format!("lambda left, right: left {operator} right"),
            };
            format!("_computed({of}, {}, {})", value(left), value(right))
        }
    }
}
