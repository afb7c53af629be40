//! The format of what commands print.

use clap::ValueEnum;

/// The format of what a command prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Text for people.
    #[default]
    Pretty,
    /// JSON for programs.
    Json,
    /// YAML for programs.
    Yaml,
}
