//! The names of plugins, their types, failures and capabilities in programs.

use ailang::{Capability, CapabilityKind, GrantScope};
use dialect::Requirement;
use plugin_protocol::schema::Description;

/// The failure of a plugin's function.
pub(super) const PLUGIN_ERROR: &str = "PluginError";

/// The failure of a plugin that ended, or of an object that did.
pub(super) const PLUGIN_GONE: &str = "PluginGone";

/// The owner of the capabilities around plugins.
pub(crate) const OWNER: &str = "plugins";

/// The capability to run functions of a plugin that may change something.
pub(crate) const RUN: &str = "plugins/Run";

/// The capability to start a plugin of the workspace.
pub(crate) const LOAD: &str = "plugins/Load";

/// Returns the declarations of the capabilities around plugins.
pub(crate) fn capabilities() -> [Capability; 2] {
    let run = Capability::new(RUN, "Let a plugin run functions that may change something");
    let load = Capability::new(LOAD, "Start a plugin of this workspace, which is a program, behind a wall");
    [
        run.kind(CapabilityKind::Execute),
        load.kind(CapabilityKind::Execute).scopes([GrantScope::Session, GrantScope::Persistent]),
    ]
}

/// Returns the permission to run what may change something in a plugin.
pub(super) fn permission(library: &str) -> Requirement {
    Requirement::new(RUN).restricted("plugin", [library])
}

/// Returns `setValue` for `value`.
pub(super) fn setter(property: &str) -> String {
    let mut characters = property.chars();
    let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("set{first}{}", characters.as_str())
}

/// Returns the name of a plugin's library in programs.
pub(crate) fn library_name(description: &Description) -> String {
    let name = &description.library.name;
    let plain = |it: char| if it.is_alphanumeric() || matches!(it, '_' | '.') { it } else { '_' };
    let name: String = name.trim_matches('.').chars().map(plain).collect();
    if name.starts_with(|it: char| it.is_ascii_digit()) { format!("_{name}") } else { name }
}

/// Returns the type of a class's objects.
pub(super) fn type_name(library: &str, class: &str) -> String {
    format!("{library}.{class}Ref")
}

/// The start of the words about what is source.
pub(super) const NOT_RUN: &str = "Not available here, as it is source";

/// Returns why calls of what is source fail.
pub(super) fn not_run(name: &str) -> String {
    format!(
        "`{name}` is source in Scriptling, which a host runs itself, and here is nothing that runs it; without it the \
         plugin's answer would be another"
    )
}

/// The failures that every function of a plugin may have.
pub(super) const FAILURES: &[(&str, &str)] = &[
    (PLUGIN_ERROR, "The plugin refuses the call, or its answer cannot be used."),
    (PLUGIN_GONE, "The plugin ended, or the object did. It starts again with the next call."),
];
