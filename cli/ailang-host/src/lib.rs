//! Runs interface documents inside of another program. This crate is all that such a program depends on.
//!
//! [`Opened`] is a document with everything that it imports. It is checked, and becomes a [`Runtime`] whose tools are
//! called by name. [`Tools`] is the code for those that the document leaves to its host.
//!
//! ```
//! use ailang_host::{Interrupt, Invocation, Object, Opened, RuntimeSetup, Tools, Value};
//!
//! let text = "---\nid: greeter\ntitle: Greeter\nsummary: Greets.\n---\n\n\
//!     <define>\n// Greets.\n// @readOnly\ntool greet(name: string) -> string\n</define>\n";
//! let greet = |call: Invocation| async move {
//!     Ok::<Value, Interrupt>(format!("Hello, {}!", call.arguments.text("name")?).into())
//! };
//! let setup = RuntimeSetup { providers: Tools::default().with("greet", greet).into(), ..RuntimeSetup::default() };
//! let runtime = Opened::text("greeter.md", text).runtime(setup)?;
//! let name = Object::from_iter([("name".to_owned(), "Ada".into())]);
//! assert_eq!(futures::executor::block_on(runtime.call("greet", name)), Ok("Hello, Ada!".into()));
//! # Ok::<_, String>(())
//! ```

#![warn(missing_docs)]

mod opened;
mod tools;

pub use ailang::{
    CapabilityMode, Diagnostic, Document, Documents, ErrorStrategy, ExampleResult, Fixtures, Gate, Host,
    Monitor, Observer, PermissionRequest, Provider, Refusal, Runtime, RuntimeSettings, RuntimeSetup,
    Severity, Strictness, ValidationMode,
};
pub use built_in_modules::{BuiltInModules, HttpRequest, HttpResponse, Transport};
pub use dialect::{Arguments, Failure, Handler, Interrupt, Invocation, Object, Value};
pub use packages::{LoadError, LoaderConfig, ModuleLoader, Package, Project, ReadError};

pub use opened::{Opened, with_standard};
pub use tools::Tools;
