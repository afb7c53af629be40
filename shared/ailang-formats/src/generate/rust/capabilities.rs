//! Capabilities, and what users are asked for each.

use ailang::GrantScope;

use super::file::{File, quoted};
use crate::generate::writer::Writer;

/// The types of a request.
const REQUEST: &str = "
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantScope {
    Once,
    Session,
    Persistent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapabilityRequest {
    pub capability: Capability,
    /// The question for the user.
    pub ask: &'static str,
    /// The scopes that the user can choose.
    pub scope: &'static [GrantScope],
    /// The values to which the use is restricted, by parameter of the capability.
    pub restrictions: &'static [(&'static str, &'static [&'static str])],
}
";

/// Prints all capabilities.
pub(super) fn capabilities(file: &File<'_>, out: &mut Writer) {
    if !file.options.capabilities || file.model.capabilities.is_empty() {
        return;
    }
    out.gap();
    out.line("#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]");
    let all = &file.model.capabilities;
    out.block("pub enum Capability {", "}", |out| {
        all.iter().for_each(|it| out.line(format!("{},", file.names.capability(&it.id))));
    });
    out.line(REQUEST);
    out.block("impl Capability {", "}", |out| {
        out.block("pub fn id(self) -> &'static str {", "}\n", |out| {
            out.block("match self {", "}", |out| {
                for it in all {
                    out.line(format!("Self::{} => {},", file.names.capability(&it.id), quoted(&it.id)));
                }
            });
        });
        out.block("pub fn request(self) -> CapabilityRequest {", "}", |out| {
            out.block("let (ask, scope): (_, &'static [GrantScope]) = match self {", "};", |out| {
                for it in all {
                    let scopes: Vec<&str> = it.scopes.iter().map(|it| scope(*it)).collect();
                    let (name, ask) = (file.names.capability(&it.id), quoted(&it.ask));
                    out.line(format!("Self::{name} => ({ask}, &[{}]),", scopes.join(", ")));
                }
            });
            out.line("CapabilityRequest { capability: self, ask, scope, restrictions: &[] }");
        });
    });
}

fn scope(scope: GrantScope) -> &'static str {
    match scope {
        GrantScope::Once => "GrantScope::Once",
        GrantScope::Session => "GrantScope::Session",
        GrantScope::Persistent => "GrantScope::Persistent",
    }
}
