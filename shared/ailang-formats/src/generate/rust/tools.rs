//! Functions that call tools through a runtime.

use dialect::Requirement;

use super::decode::Decoder;
use super::file::{File, quoted};
use super::types::structure;
use crate::generate::model::ToolModel;
use crate::generate::writer::Writer;

/// Prints the trait of the runtime, and a function for each tool.
pub(super) fn tools(file: &File<'_>, out: &mut Writer) {
    let tools: Vec<&ToolModel> =
        file.model.tools.iter().filter(|it| !file.model.takes_function(it)).collect();
    if tools.is_empty() {
        return;
    }
    out.gap();
    file.comment("What runs the tools.", out);
    out.block("pub trait AiLangRuntime {", "}", |out| {
        out.line("type Error: From<Problem>;\n");
        if asks(file) {
            file.comment("Returns when the user has granted the capability, and an error otherwise.", out);
            out.line("async fn require_capability(&self, request: CapabilityRequest) -> Result<(), Self::Error>;\n");
        }
        file.comment("Runs a tool, and returns its result as JSON.", out);
        out.line("async fn execute(&self, tool: &str, params: Value) -> Result<Value, Self::Error>;");
        if file.options.errors {
            out.gap();
            file.comment("Learns of every error before the caller does.", out);
            out.line("async fn handle_error(&self, error: &Self::Error);");
        }
    });
    for tool in tools {
        out.gap();
        function(file, tool, out);
    }
}

/// Returns `true` if tools ask for capabilities.
fn asks(file: &File<'_>) -> bool {
    file.options.capabilities && !file.model.capabilities.is_empty()
}

fn function(file: &File<'_>, tool: &ToolModel, out: &mut Writer) {
    let (name, params) = file.names.tool(&tool.name);
    let all = file.all_types();
    let decoder = Decoder { file, declared: &all };
    let mut input = "Map<String, Value>";
    let is_typed = file.options.types && tool.parameters.is_some();
    if let Some(parameters) = tool.parameters.as_ref().filter(|_| is_typed) {
        let docs = |name: &str| tool.parts.get(name).cloned().unwrap_or_default();
        structure(&decoder, params, parameters, &docs, out);
        out.gap();
        input = params;
    }
    file.comment(&tool.docs, out);
    if let Some(text) = &tool.deprecated {
        out.line(format!("#[deprecated(note = {})]", quoted(text)));
    }
    let returns = decoder.print(&tool.returns);
    out.block(
        format!("pub async fn {name}<R: AiLangRuntime>(runtime: &R, params: &{input}) -> Result<{returns}, R::Error> {{"),
        "}",
        |out| {
            out.line("let params = json!(params);");
            if is_typed && file.options.validators {
                out.line(format!("{params}::from_json(&params)?;"));
            }
            if asks(file) {
                tool.requires.iter().for_each(|it| out.line(request(file, it)));
            }
            let execute = format!("runtime.execute({}, params).await", quoted(&tool.name));
            if file.options.errors {
                out.line(format!("let result = {execute};"));
                out.block("if let Err(error) = &result {", "}", |out| {
                    out.line("runtime.handle_error(error).await;");
                });
                out.line(format!("Ok({}?)", decoder.result("&result?", &tool.returns)));
            } else {
                out.line(format!("Ok({}?)", decoder.result(&format!("&{execute}?"), &tool.returns)));
            }
        },
    );
}

fn request(file: &File<'_>, requirement: &Requirement) -> String {
    let name = file.names.capability(&requirement.capability);
    let request = format!("Capability::{name}.request()");
    if requirement.restrictions.is_empty() {
        return format!("runtime.require_capability({request}).await?;");
    }
    let restrictions = requirement.restrictions.iter().map(|(name, values)| {
        let values: Vec<String> = values.iter().map(|it| quoted(it)).collect();
        format!("({}, &[{}])", quoted(name), values.join(", "))
    });
    let restrictions = restrictions.collect::<Vec<_>>().join(", ");
    format!(
        "runtime.require_capability(CapabilityRequest {{ restrictions: &[{restrictions}], ..{request} }}).await?;"
    )
}
