//! The proxy toward the agent: adds the tool `ide_operation` to every session, and runs its programs.

mod acp;
mod answer;
mod attach;
pub mod audit;
mod bindings;
mod call_metrics;
mod config;
mod connection;
mod description;
mod documented_functions;
mod dry_run;
#[cfg(test)]
mod exported_tools;
mod extension;
mod http;
mod hunks;
mod interpret;
mod local_permissions;
mod mcp;
mod native;
mod no_host;
mod os;
pub mod permission;
mod plugin_tables;
pub mod plugins;
mod port;
mod prompt;
pub mod relay;
mod rendering;
mod resource_uri;
mod routing;
mod script;
mod script_settings;
mod secret;
mod session;
mod session_plugins;
mod shown_edits;
mod state;
mod sub_agents;
mod sync;
mod tool;
mod truncation;
mod upstream;

pub use acp::{Component, run, run_on_stdio};
pub use bindings::Bindings;
pub use call_metrics::{CacheCounter, CacheLookups, flush as flush_call_log};
pub use config::{Config, Form, LOG_FILTER};
pub use description::{ide_functions, manual, vocabulary};
pub use extension::{Extension, ExtensionError};
pub use local_permissions::{Asker, LocalPermissions, PermissionQuestion};
pub use script::declarations as script_declarations;
pub use script_settings::{
    CheckerCommand, ExternalRuntime, FrameTransport, RuntimeCommand, ScriptLimits, Scripts, TypeChecker,
};
pub use session_plugins::{FoundPlugin, FoundPlugins, PluginFinder, PluginReport, examine};
pub use state::State;
