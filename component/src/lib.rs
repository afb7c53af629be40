//! The proxy toward the agent: adds the tool `ide_operation` to every session, and runs its programs.

mod acp;
pub mod audit;
mod call_metrics;
mod config;
mod extension;
mod mcp;
mod no_host;
mod os;
pub mod permission;
pub mod plugins;
mod script;
mod session;
pub mod skills;
mod state;
mod tool;

pub use acp::{Component, run, run_on_stdio};

pub use call_metrics::{CacheCounter, CacheLookups, flush as flush_call_log};
pub use config::{Config, Form};
pub use extension::{Extension, ExtensionError};
pub use mcp::clients::Workspaces;
pub use mcp::relay;
pub use mcp::standalone::Standalone;
pub use permission::asker::{Asker, PermissionQuestion};
pub use permission::local::LocalPermissions;
pub use script::declarations as script_declarations;
pub use script::settings::{
    CheckerCommand, ExternalRuntime, FrameTransport, RuntimeCommand, ScriptLimits, Scripts, TypeChecker,
};
pub use session::bindings::Bindings;
pub use session::plugins::{FoundPlugin, FoundPlugins, PluginFinder, PluginReport, examine};
pub use state::State;
pub use tool::description::{ide_functions, manual, vocabulary};
