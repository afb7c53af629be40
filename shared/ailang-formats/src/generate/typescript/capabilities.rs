//! Capabilities, and what users are asked for each.

use super::file::File;
use crate::generate::writer::Writer;

/// Prints all capabilities.
pub(super) fn capabilities(file: &File<'_>, out: &mut Writer) {
    if !file.options.capabilities || file.model.capabilities.is_empty() {
        return;
    }
    let end = file.style.end;
    let close = format!("}} as const{end}");
    out.gap();
    out.block("export const Capability = {", &close, |out| {
        for capability in &file.model.capabilities {
            let name = file.names.capability(&capability.id);
            out.line(format!("{}: {},", file.style.key(name), file.style.quoted(&capability.id)));
        }
    });
    out.line(format!("export type Capability = (typeof Capability)[keyof typeof Capability]{end}"));
    out.gap();
    let scopes = ["once", "session", "persistent"].map(|it| file.style.quoted(it)).join(" | ");
    out.line(format!("export type GrantScope = {scopes}{end}"));
    out.gap();
    out.block("export interface CapabilityRequest {", "}", |out| {
        out.line(format!("capability: Capability{end}"));
        file.comment("The question for the user.", &[], out);
        out.line(format!("ask: string{end}"));
        file.comment("The scopes that the user can choose.", &[], out);
        out.line(format!("scope: readonly GrantScope[]{end}"));
        file.comment("The values to which the use is restricted, by parameter of the capability.", &[], out);
        out.line(format!("restrictions?: Readonly<Record<string, readonly string[]>> | undefined{end}"));
    });
    out.gap();
    let open = "export const capabilityRequests: Readonly<Record<Capability, CapabilityRequest>> = {";
    out.block(open, &format!("}}{end}"), |out| {
        for capability in &file.model.capabilities {
            let name = file.names.capability(&capability.id);
            let scopes: Vec<&str> = capability.scopes.iter().map(|it| it.name()).collect();
            let (ask, scopes) = (file.style.quoted(&capability.ask), file.style.json(&scopes.into()));
            out.block(format!("[Capability.{name}]: {{"), "},", |out| {
                out.line(format!("capability: Capability.{name},"));
                out.line(format!("ask: {ask},"));
                out.line(format!("scope: {scopes},"));
            });
        }
    });
}
