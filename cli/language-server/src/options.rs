//! The settings of a server, by whoever starts it.

use std::path::PathBuf;
use std::sync::Arc;

use dialect::Registry;

/// The settings of a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// Everything that Dialect programs can name.
    pub registry: Arc<Registry>,
    /// The program `ailang` with its first arguments; it runs examples: `<command> run FILE --example=ID`.
    pub command: Vec<PathBuf>,
}
