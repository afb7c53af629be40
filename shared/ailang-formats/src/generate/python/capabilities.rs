//! Capabilities, and what users are asked for each.

use super::file::{File, quoted};
use crate::generate::writer::Writer;

/// Prints all capabilities.
pub(super) fn capabilities(file: &File<'_>, out: &mut Writer) {
    if !file.options.capabilities || file.model.capabilities.is_empty() {
        return;
    }
    out.gap();
    out.block("class Capability(str, Enum):", "", |out| {
        for capability in &file.model.capabilities {
            out.line(format!("{} = {}", file.names.capability(&capability.id), quoted(&capability.id)));
        }
    });
    out.gap();
    out.gap();
    out.line("@dataclass(frozen=True)");
    out.block("class CapabilityRequest:", "", |out| {
        out.line("capability: Capability");
        file.comment("The question for the user.", out);
        out.line("ask: str");
        file.comment("The scopes that the user can choose.", out);
        out.line("scope: tuple[Literal[\"once\", \"session\", \"persistent\"], ...]");
        file.comment("The values to which the use is restricted, by parameter of the capability.", out);
        out.line("restrictions: Mapping[str, Sequence[str]] = field(default_factory=dict)");
    });
    out.gap();
    out.gap();
    out.block("CAPABILITY_REQUESTS: Mapping[Capability, CapabilityRequest] = {", "}", |out| {
        for capability in &file.model.capabilities {
            let name = format!("Capability.{}", file.names.capability(&capability.id));
            let scopes: String = capability.scopes.iter().map(|it| format!("\"{}\",", it.name())).collect();
            let ask = quoted(&capability.ask);
            out.line(format!("{name}: CapabilityRequest({name}, {ask}, ({scopes})),"));
        }
    });
    out.gap();
}
