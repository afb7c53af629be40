//! Functions that call tools through a runtime.

use dialect::{Requirement, Type};

use super::file::File;
use super::schema::Schemas;
use crate::generate::model::ToolModel;
use crate::generate::writer::Writer;

/// Prints the interface of the runtime, and a function for each tool.
pub(super) fn tools(file: &File<'_>, out: &mut Writer) {
    if file.model.tools.is_empty() {
        return;
    }
    let end = file.style.end;
    out.gap();
    file.comment("What runs the tools.", &[], out);
    out.block("export interface AiLangRuntime {", "}", |out| {
        if asks(file) {
            file.comment(
                "Resolves when the user has granted the capability, and rejects otherwise.",
                &[],
                out,
            );
            out.line(format!("requireCapability(request: CapabilityRequest): Promise<void>{end}"));
        }
        file.comment("Runs a tool, and returns its result.", &[], out);
        out.line(format!("execute(tool: string, params: object): Promise<unknown>{end}"));
        if file.options.errors {
            file.comment("Learns of every error before the caller does.", &[], out);
            out.line(format!("handleError(error: unknown): Promise<void>{end}"));
        }
    });
    for tool in &file.model.tools {
        out.gap();
        parameters(file, tool, out);
        function(file, tool, out);
    }
    out.gap();
    rules(file, out);
}

/// Prints the table of what a runtime has to know of each tool.
fn rules(file: &File<'_>, out: &mut Writer) {
    let end = file.style.end;
    out.block("export interface ToolRules {", "}", |out| {
        file.comment("The capabilities without which it does not run.", &[], out);
        let request = if asks(file) { "CapabilityRequest" } else { "never" };
        out.line(format!("requires: readonly {request}[]{end}"));
        file.comment(
            "True if it may be called again after an error: it only reads, or is idempotent.",
            &[],
            out,
        );
        out.line(format!("mayRepeat: boolean{end}"));
    });
    out.gap();
    file.comment("What holds for the execution of each tool.", &[], out);
    let close = format!("}}{end}");
    out.block("export const toolRules: Readonly<Record<string, ToolRules>> = {", &close, |out| {
        for tool in &file.model.tools {
            let requests = tool.requires.iter().filter(|_| asks(file)).map(|it| request(file, it));
            let requests = requests.collect::<Vec<_>>().join(", ");
            let name = file.style.property(&tool.name);
            out.line(format!("{name}: {{ requires: [{requests}], mayRepeat: {} }},", tool.may_repeat));
        }
    });
}

/// Returns `true` if tools ask for capabilities.
fn asks(file: &File<'_>) -> bool {
    file.options.capabilities && !file.model.capabilities.is_empty()
}

/// Prints the type of the parameters, and its schema.
fn parameters(file: &File<'_>, tool: &ToolModel, out: &mut Writer) {
    let (end, names, printer) = (file.style.end, file.names.tool(&tool.name), file.printer());
    if file.options.types {
        match &tool.parameters {
            Some(parameters) if !parameters.is_empty() => {
                out.block(format!("export interface {} {{", names.params), "}", |out| {
                    for parameter in parameters {
                        let default = parameter.default.as_ref().map(|it| format!("@default {it}"));
                        let docs = tool.parts.get(&parameter.name).map_or("", |it| it);
                        file.comment(docs, default.as_slice(), out);
                        out.line(format!("{}{end}", printer.field(parameter)));
                    }
                });
            }
            _ => out.line(format!("export type {} = {}{end}", names.params, printer.print(&tool.input()))),
        }
        out.gap();
    }
    if file.options.validators {
        let of = if file.options.types { format!("<{}>", names.params) } else { String::new() };
        let schemas = Schemas::behind(file);
        schemas.constant(&names.schema, &of, &tool.input(), out);
        out.gap();
        let of =
            if file.options.types { format!("<{}>", printer.print(&tool.returns)) } else { String::new() };
        schemas.result(&names.result, &of, &tool.returns, out);
        out.gap();
    }
}

fn function(file: &File<'_>, tool: &ToolModel, out: &mut Writer) {
    let (end, names, printer) = (file.style.end, file.names.tool(&tool.name), file.printer());
    let returns = if tool.returns == Type::Null { "void".to_owned() } else { printer.print(&tool.returns) };
    let input = if file.options.types { names.params.clone() } else { printer.print(&tool.input()) };
    let throws = (!tool.throws.is_empty()).then(|| format!("@throws {}", tool.throws.join(", ")));
    let deprecated = tool.deprecated.iter().map(|it| format!("@deprecated {it}").trim_end().to_owned());
    let tags: Vec<String> = throws.into_iter().chain(deprecated).collect();
    file.comment(&tool.docs, &tags, out);
    let open = format!(
        "export async function {}(params: {input}, runtime: AiLangRuntime): Promise<{returns}> {{",
        names.function
    );
    out.block(open, "}", |out| {
        let mut given = "params".to_owned();
        if file.options.validators {
            let cast = if file.options.types { "" } else { " as object" };
            out.line(format!("const checked = {}.parse(params){cast}{end}", names.schema));
            given = "checked".to_owned();
        }
        if asks(file) {
            for it in &tool.requires {
                out.line(format!("await runtime.requireCapability({}){end}", request(file, it)));
            }
        }
        let execute = format!("await runtime.execute({}, {given})", file.style.quoted(&tool.name));
        let execute = match returns.as_str() {
            "void" => execute,
            _ if file.options.validators && !file.options.types => {
                format!("return {}.parse({execute}) as {returns}", names.result)
            }
            _ if file.options.validators => format!("return {}.parse({execute})", names.result),
            "unknown" => format!("return {execute}"),
            returns => format!("return ({execute}) as {returns}"),
        };
        if !file.options.errors {
            return out.line(format!("{execute}{end}"));
        }
        out.block("try {", "", |out| out.line(format!("{execute}{end}")));
        out.block("} catch (error) {", "}", |out| {
            out.line(format!("await runtime.handleError(error){end}"));
            out.line(format!("throw error{end}"));
        });
    });
}

/// Returns the request of a capability as an expression.
fn request(file: &File<'_>, requirement: &Requirement) -> String {
    let name = file.names.capability(&requirement.capability);
    let request = format!("capabilityRequests[Capability.{name}]");
    if requirement.restrictions.is_empty() {
        return request;
    }
    let restrictions = serde_json::json!(requirement.restrictions);
    format!("{{ ...{request}, restrictions: {} }}", file.style.json(&restrictions))
}
