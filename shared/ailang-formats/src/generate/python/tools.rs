//! Functions that call tools through a runtime.

use dialect::{Parameter, Requirement, Type};

use super::file::{File, json, quoted};
use super::names;
use super::types::{Printer, model};
use crate::generate::model::ToolModel;
use crate::generate::writer::Writer;

/// Prints the protocol of the runtime, and a function for each tool.
pub(super) fn tools(file: &File<'_>, out: &mut Writer) {
    if file.model.tools.is_empty() {
        return;
    }
    out.gap();
    out.block("class AiLangRuntime(Protocol):", "", |out| {
        file.docstring("What runs the tools.", out);
        if asks(file) {
            file.comment(
                "Returns when the user has granted the capability, and raises an exception otherwise.",
                out,
            );
            out.line("async def require_capability(self, request: CapabilityRequest) -> None: ...\n");
        }
        file.comment("Runs a tool, and returns its result as JSON.", out);
        out.line("async def execute(self, tool: str, params: dict[str, Any]) -> Any: ...\n");
        if file.options.errors {
            file.comment("Learns of every exception before the caller does.", out);
            out.line("async def handle_error(self, error: Exception) -> None: ...\n");
        }
    });
    for tool in &file.model.tools {
        out.gap();
        if file.validates() {
            parameters(file, tool, out);
        }
        function(file, tool, out);
        out.gap();
    }
    rules(file, out);
}

/// Prints the table of what a runtime has to know of each tool.
fn rules(file: &File<'_>, out: &mut Writer) {
    out.gap();
    out.line("@dataclass(frozen=True)");
    out.block("class ToolRules:", "", |out| {
        file.comment("The capabilities without which it does not run.", out);
        let request = if asks(file) { "CapabilityRequest" } else { "Any" };
        out.line(format!("requires: tuple[{request}, ...]"));
        file.comment("True if it may be called again after an error: it only reads, or is idempotent.", out);
        out.line("may_repeat: bool");
    });
    out.gap();
    out.gap();
    file.comment("What holds for the execution of each tool.", out);
    out.block("TOOL_RULES: dict[str, ToolRules] = {", "}", |out| {
        for tool in &file.model.tools {
            let requests = tool.requires.iter().filter(|_| asks(file)).map(|it| request(file, it) + ",");
            let may_repeat = if tool.may_repeat { "True" } else { "False" };
            let requests = requests.collect::<String>();
            out.line(format!("{}: ToolRules(({requests}), {may_repeat}),", quoted(&tool.name)));
        }
    });
    out.gap();
}

/// Returns `true` if tools ask for capabilities.
fn asks(file: &File<'_>) -> bool {
    file.options.capabilities && !file.model.capabilities.is_empty()
}

/// Prints the model of the parameters.
fn parameters(file: &File<'_>, tool: &ToolModel, out: &mut Writer) {
    let name = file.names.tool(&tool.name).1;
    match &tool.parameters {
        Some(parameters) => {
            let docs = |name: &str| tool.parts.get(name).cloned().unwrap_or_default();
            model(file, name, "", parameters, &docs, out);
        }
        None => out.line(format!("{name}: TypeAlias = dict[StrictStr, Any]\n")),
    }
    out.gap();
}

fn function(file: &File<'_>, tool: &ToolModel, out: &mut Writer) {
    let (name, model) = file.names.tool(&tool.name);
    let printer = Printer { file, declared: None };
    let returns = printer.print(&tool.returns);
    let (signature, given) = arguments(&printer, tool);
    out.block(format!("async def {name}(runtime: AiLangRuntime{signature}) -> {returns}:"), "", |out| {
        file.docstring(&documentation(tool), out);
        out.line(format!("params: dict[str, Any] = {given}"));
        let optional = tool.parameters.iter().flatten().any(|it| it.optional);
        if optional {
            out.line("params = {name: value for name, value in params.items() if value is not None}");
        }
        if file.validates() && tool.parameters.is_some() {
            // Functions are no JSON.
            let mode = if file.model.takes_function(tool) { "python" } else { "json" };
            let dump = format!("model_dump(mode=\"{mode}\", by_alias=True, exclude_unset=True)");
            out.line(format!("params = {model}.model_validate(params).{dump}"));
        }
        if asks(file) {
            for it in &tool.requires {
                out.line(format!("await runtime.require_capability({})", request(file, it)));
            }
        }
        let call = format!("await runtime.execute({}, params)", quoted(&tool.name));
        if file.options.errors {
            out.block("try:", "", |out| result(file, tool, &returns, &call, out));
            out.block("except Exception as error:", "", |out| {
                out.line("await runtime.handle_error(error)\nraise");
            });
        } else {
            result(file, tool, &returns, &call, out);
        }
    });
}

/// Prints the call, and the conversion of its result. Fields that a newer tool adds are ignored.
fn result(file: &File<'_>, tool: &ToolModel, returns: &str, call: &str, out: &mut Writer) {
    if tool.returns == Type::Null {
        return out.line(call);
    }
    if file.validates() && tool.returns != Type::Any {
        out.line(format!("adapter: TypeAdapter[{returns}] = TypeAdapter({returns})"));
        return out.line(format!("return adapter.validate_python({call}, extra=\"ignore\")"));
    }
    out.line(format!("result: {returns} = {call}"));
    out.line("return result");
}

/// Returns the parameters of a function, the required ones first, and the dictionary of their values.
fn arguments(printer: &Printer<'_>, tool: &ToolModel) -> (String, String) {
    let Some(parameters) = &tool.parameters else {
        return (", **params_: Any".to_owned(), "dict(params_)".to_owned());
    };
    if parameters.is_empty() {
        return (String::new(), "{}".to_owned());
    }
    let names = names::parameters(printer.file.names, parameters.iter().map(|it| it.name.as_str()));
    let argument = |(parameter, name): (&Parameter, &String)| {
        let ty = printer.print(&parameter.ty);
        if parameter.optional {
            format!(", {name}: Optional[{ty}] = None")
        } else {
            format!(", {name}: {ty}")
        }
    };
    let each: String = parameters.iter().zip(&names).map(argument).collect();
    let given: Vec<String> =
        parameters.iter().zip(&names).map(|(it, name)| format!("{}: {name}", quoted(&it.name))).collect();
    (format!(", *{each}"), format!("{{{}}}", given.join(", ")))
}

fn documentation(tool: &ToolModel) -> String {
    let mut parts = vec![tool.docs.clone()];
    parts.extend(tool.deprecated.as_ref().map(|it| format!("Deprecated: {it}").trim_end().to_owned()));
    let raises = (!tool.throws.is_empty()).then(|| format!("Raises: {}.", tool.throws.join(", ")));
    parts.extend(raises);
    parts.retain(|it| !it.is_empty());
    parts.join("\n\n")
}

/// Returns the request of a capability as an expression.
fn request(file: &File<'_>, requirement: &Requirement) -> String {
    let name = file.names.capability(&requirement.capability);
    let request = format!("CAPABILITY_REQUESTS[Capability.{name}]");
    if requirement.restrictions.is_empty() {
        return request;
    }
    let restrictions = json(&serde_json::json!(requirement.restrictions));
    format!("replace({request}, restrictions={restrictions})")
}
