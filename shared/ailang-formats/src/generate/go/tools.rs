//! Errors, capabilities, and functions that call tools through a runtime.

use dialect::{Requirement, Type};

use super::layout::{self, Row};
use super::read::{print, reader};
use super::types::structure;
use super::{File, quoted};
use crate::generate::model::{Formula, Message, Piece, ToolModel};
use crate::generate::writer::Writer;

/// The interface of all errors.
const ERROR: &str =
    "type ToolError interface {\n\terror\n\tName() string\n\tRecovery() string\n\tRetryable() bool\n}";

/// Prints all errors.
pub(super) fn errors(file: &File<'_>, out: &mut Writer) {
    if !file.options.errors || file.model.errors.is_empty() {
        return;
    }
    out.gap();
    file.comment("ToolError is an error of a tool.", out);
    out.line(ERROR);
    for error in &file.model.errors {
        let name = file.names.error(&error.name);
        out.gap();
        file.comment(&error.docs, out);
        match &error.parameters {
            Some(parameters) => structure(file, name, parameters, &|_| String::new(), out),
            None => out.line(format!("type {name} map[string]any")),
        }
        let mut method = |method: &str, returns: &str, body: String| {
            out.gap();
            out.block(format!("func (e {name}) {method}() {returns} {{"), "}", |out| {
                out.line(format!("return {body}"));
            });
        };
        method("Name", "string", quoted(&error.name));
        method("Error", "string", text(&error.message));
        method("Recovery", "string", error.recovery.as_ref().map_or("\"\"".to_owned(), text));
        method("UserMessage", "string", error.user_message.as_ref().map_or("\"\"".to_owned(), text));
        method("Retryable", "bool", error.retryable.to_string());
        method("MaxRetries", "int", error.max_retries.unwrap_or_default().to_string());
        let after = error.retry_after.as_ref().map(value);
        method("RetryAfter", "any", after.unwrap_or_else(|| "nil".to_owned()));
    }
}

fn text(message: &Message) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => quoted(text),
        Piece::Formula(formula, spelled) => format!("fill({}, {})", value(formula), quoted(spelled)),
    };
    let each: Vec<String> = message.iter().map(piece).collect();
    if each.is_empty() { "\"\"".to_owned() } else { each.join(" + ") }
}

/// Returns the value of a formula as an expression.
fn value(formula: &Formula) -> String {
    match formula {
        Formula::Number(number) => format!("float64({number})"),
        Formula::Path(path) => format!("find(e, {})", list(path)),
        Formula::Now => "now()".to_owned(),
        Formula::Binary(operator, left, right) => {
            let of = match *operator {
                "%" => "math.Mod".to_owned(),
                operator => format!("func(left, right float64) float64 {{ return left {operator} right }}"),
            };
            format!("computed({of}, {}, {})", value(left), value(right))
        }
    }
}

fn list(path: &[String]) -> String {
    path.iter().map(|it| quoted(it)).collect::<Vec<_>>().join(", ")
}

/// Prints all capabilities.
pub(super) fn capabilities(file: &File<'_>, out: &mut Writer) {
    if !asks(file) {
        return;
    }
    out.gap();
    out.line("type Capability string");
    out.gap();
    let rows = file.model.capabilities.iter().map(|it| {
        let name = file.names.capability(&it.id).to_owned();
        Row {
            comment: Vec::new(),
            cells: vec![name, "Capability".to_owned(), format!("= {}", quoted(&it.id))],
        }
    });
    let rows: Vec<Row> = rows.collect();
    out.block("const (", ")", |out| layout::rows(&rows, false, out));
    out.gap();
    out.line("// CapabilityRequest asks the user for a capability, for one of the scopes, with restrictions by parameter.");
    out.line("type CapabilityRequest struct {\n\tCapability   Capability\n\tAsk          string\n\tScope        []string\n\tRestrictions map[string][]string\n}");
    out.gap();
    out.block("func (c Capability) Request() CapabilityRequest {", "}", |out| {
        out.line("switch c {");
        for it in &file.model.capabilities {
            let scopes: Vec<String> = it.scopes.iter().map(|it| quoted(it.name())).collect();
            out.block(format!("case {}:", file.names.capability(&it.id)), "", |out| {
                let (ask, scopes) = (quoted(&it.ask), scopes.join(", "));
                out.line(format!(
                    "return CapabilityRequest{{Capability: c, Ask: {ask}, Scope: []string{{{scopes}}}}}"
                ));
            });
        }
        out.line("}");
        out.line("return CapabilityRequest{Capability: c}");
    });
}

/// Returns `true` if there are capabilities to ask for.
fn asks(file: &File<'_>) -> bool {
    file.options.capabilities && !file.model.capabilities.is_empty()
}

/// Prints the interface of the runtime, and a function for each tool.
pub(super) fn tools(file: &File<'_>, out: &mut Writer) {
    if file.model.tools.iter().all(|it| file.model.takes_function(it)) {
        return;
    }
    out.gap();
    file.comment("AiLangRuntime runs the tools.", out);
    out.block("type AiLangRuntime interface {", "}", |out| {
        if asks(file) {
            out.line("RequireCapability(ctx context.Context, request CapabilityRequest) error");
        }
        out.line("Execute(ctx context.Context, tool string, params any) (json.RawMessage, error)");
        if file.options.errors {
            out.line("HandleError(ctx context.Context, err error)");
        }
    });
    for tool in file.model.tools.iter().filter(|it| !file.model.takes_function(it)) {
        out.gap();
        function(file, tool, out);
    }
}

fn function(file: &File<'_>, tool: &ToolModel, out: &mut Writer) {
    let (name, params) = file.names.tool(&tool.name);
    let mut input = "map[string]any";
    if let Some(parameters) = tool.parameters.as_ref().filter(|_| file.options.types) {
        let docs = |name: &str| tool.parts.get(name).cloned().unwrap_or_default();
        structure(file, params, parameters, &docs, out);
        out.gap();
        input = params;
    }
    file.comment(&tool.docs, out);
    if let (Some(text), true) = (&tool.deprecated, file.options.documentation) {
        out.line("//");
        file.comment(&format!("Deprecated: {text}"), out);
    }
    let returns = print(file, &tool.returns);
    let open = format!(
        "func {name}(ctx context.Context, runtime AiLangRuntime, params {input}) (result {returns}, err error) {{"
    );
    out.block(open, "}", |out| {
        if input == params && file.options.validators {
            out.line("data, err := json.Marshal(params)");
            failing(out);
            out.line(format!("err = new({params}).UnmarshalJSON(data)"));
            failing(out);
        }
        if asks(file) {
            tool.requires.iter().for_each(|it| require(file, it, out));
        }
        let raw = if tool.returns == Type::Null { "_, err =" } else { "raw, err :=" };
        out.line(format!("{raw} runtime.Execute(ctx, {}, params)", quoted(&tool.name)));
        out.block("if err != nil {", "}", |out| {
            if file.options.errors {
                out.line("runtime.HandleError(ctx, err)");
            }
            out.line("return result, err");
        });
        if tool.returns == Type::Null {
            return out.line("return nil, nil");
        }
        out.line(format!("return decodeResult(raw, {})", reader(file, &tool.returns)));
    });
}

fn failing(out: &mut Writer) {
    out.block("if err != nil {", "}", |out| out.line("return result, err"));
}

/// Prints the request of a capability.
fn require(file: &File<'_>, requirement: &Requirement, out: &mut Writer) {
    let name = file.names.capability(&requirement.capability);
    if requirement.restrictions.is_empty() {
        out.line(format!("err = runtime.RequireCapability(ctx, {name}.Request())"));
        return failing(out);
    }
    let restrictions = requirement
        .restrictions
        .iter()
        .map(|(name, values)| format!("{}: {{{}}}", quoted(name), list(values)));
    let restrictions = restrictions.collect::<Vec<_>>().join(", ");
    out.block("{", "}", |out| {
        out.line(format!("request := {name}.Request()"));
        out.line(format!("request.Restrictions = map[string][]string{{{restrictions}}}"));
        out.line("err = runtime.RequireCapability(ctx, request)");
        failing(out);
    });
}
