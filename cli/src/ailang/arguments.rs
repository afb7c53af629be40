//! The command line of `ailang`.

use std::path::PathBuf;

use super::bridges::{Export, Import};
use super::check_value::CheckValue;
use super::diff::Diff;
use super::docs::Docs;
use crate::audit::Audit;
use ailang::{Level, Section, Strictness};
use clap::{Args, Parser, Subcommand};

use super::format::Format;
use super::generate::Generate;
use super::init::Init;
use super::install::Install;
use super::publish::Publish;
use super::search::Search;

/// Work on interface documents: Markdown that declares tools and describes how to use them.
///
/// Exit codes: 0 success, 1 a document has errors, 2 wrong usage, 3 a file cannot be read or written.
#[derive(Debug, Parser)]
#[command(name = "ailang", version, max_term_width = 100)]
pub(crate) struct Ailang {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Args)]
pub(crate) struct Nested {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Print what a document declares
    Parse(Parse),
    /// Check documents and everything that they import, or whole packages
    Validate(Validate),
    /// Format documents: rewrite files, or print standard input
    ///
    /// Exit codes: 0 success, 1 a document has syntax errors, or with --check is not formatted.
    Fmt(Fmt),
    /// Print a document at a level of detail
    Extract(Extract),
    /// Estimate how many tokens documents take at each level of detail
    Tokens(Files),
    /// Generate code for a document: types, validators, errors, capabilities and tools in another language
    Generate(Generate),
    /// Explain an error code, and how to fix the error
    Explain(Explain),
    /// Print the guide of the language, for people and models who write documents
    Guide,
    /// Convert a document to a skill, tools of MCP, OpenAPI or JSON Schema
    Export(Export),
    /// Convert a skill, tools of MCP, OpenAPI or JSON Schema to a document
    Import(Import),
    /// Compare two versions of a document: name breaking changes, and suggest the next version
    ///
    /// Exit codes: 0 nothing breaks callers, 1 something does.
    Diff(Diff),
    /// Write documents as static HTML with a search, without external resources
    Docs(Docs),
    /// Check a JSON value against a type of a document
    CheckValue(CheckValue),
    /// Show the audit log, as `dialect audit` does
    Audit(Audit),
    /// Create a package of documents in a folder
    ///
    /// It is valid, and its examples run. Nothing is overwritten.
    Init(Init),
    /// Install the packages that a package depends on
    ///
    /// Exit codes: 0 success, 1 something cannot be installed.
    Install(Install),
    /// Find packages, tools, types and capabilities
    ///
    /// Exit codes: 0 success, 1 nothing matches.
    Search(Search),
    /// Publish a package to a registry
    ///
    /// Exit codes: 0 success, 1 the package has errors, or the registry refuses it.
    Publish(Publish),
    /// Serve editors as a language server, for documents and for Dialect programs
    Lsp(super::lsp::Lsp),
    /// Run the examples of a document, and compare what they print with their `output` fences
    ///
    /// Exit codes: 0 success, 1 the document has errors or an example fails.
    Run(super::run::Run),
}

#[derive(Debug, Args)]
pub(super) struct Files {
    /// The documents: files, names with wildcards, `-` for standard input, or a folder for all documents in it
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

#[derive(Debug, Args)]
pub(super) struct Parse {
    #[command(flatten)]
    pub(super) files: Files,
    /// The level of detail: minimal (front matter), compact (names), standard (declarations), detailed (comments,
    /// examples) or complete
    #[arg(long, default_value = "standard", value_parser = level)]
    pub(super) level: Level,
}

#[derive(Debug, Args)]
pub(super) struct Validate {
    /// The documents: files, names with wildcards, `-` for standard input, a folder or its `ailang.json` for a whole
    /// package
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// The strictness of the checks: loose, normal or strict
    #[arg(long, default_value = "normal", value_parser = strictness)]
    pub(super) strictness: Strictness,
    /// Print nothing but what is wrong
    #[arg(short, long)]
    pub(super) quiet: bool,
}

#[derive(Debug, Args)]
pub(super) struct Fmt {
    /// The documents: files, names with wildcards, none or `-` for standard input, or a folder for all documents in it
    pub(super) files: Vec<PathBuf>,
    /// Change nothing; list the documents that are not formatted, and exit with 1 if there are any
    #[arg(long)]
    pub(super) check: bool,
}

#[derive(Debug, Args)]
pub(super) struct Extract {
    /// The document; `-` for standard input
    pub(super) file: PathBuf,
    /// The level of detail: minimal, compact, standard, detailed or complete
    #[arg(long, default_value = "standard", value_parser = level)]
    pub(super) level: Level,
    /// Sections to print at any level: metadata, types, tools, errors, capabilities, examples, prose
    #[arg(long, value_delimiter = ',', value_parser = section)]
    pub(super) include: Vec<Section>,
    /// Sections to leave out, even if they are included
    #[arg(long, value_delimiter = ',', value_parser = section)]
    pub(super) exclude: Vec<Section>,
}

#[derive(Debug, Args)]
pub(super) struct Explain {
    /// The error code, such as AL3001; without one, all codes are listed
    pub(super) code: Option<String>,
}

fn strictness(text: &str) -> Result<Strictness, String> {
    Strictness::parse(text).ok_or_else(|| "expected loose, normal or strict".to_owned())
}

fn level(text: &str) -> Result<Level, String> {
    Level::parse(text).ok_or_else(|| format!("expected one of {}", Level::ALL.map(Level::name).join(", ")))
}

fn section(text: &str) -> Result<Section, String> {
    Section::parse(text)
        .ok_or_else(|| format!("expected one of {}", Section::ALL.map(Section::name).join(", ")))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn each_command_and_each_argument_has_a_description() {
        let mut whole = Ailang::command();
        whole.build();
        whole.clone().debug_assert();
        for command in whole.get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for argument in command.get_arguments().filter(|_| command.get_name() != "help") {
                assert!(argument.get_help().is_some(), "{} {}", command.get_name(), argument.get_id());
            }
        }
    }
}
