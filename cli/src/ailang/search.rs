//! `ailang search`: finds packages, tools, types and capabilities.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use packages::{Found, FoundKind, FoundPackage, PackageError, Project};
use serde_json::{Value, json};

use super::format::Format;
use super::outcome::{ExitResult, WRONG, say_tree};
use super::registry::RegistryOption;
use crate::failure::Failure;
use crate::output::{complain, say};

#[derive(Debug, Args)]
pub(super) struct Search {
    /// The words to find in names, summaries, descriptions and keywords; all have to match
    query: String,
    /// The kind of what to find
    #[arg(long = "in", value_enum, default_value_t, value_name = "KIND")]
    kind: Kind,
    /// A keyword that the package or document has to have
    #[arg(long = "tag", value_name = "KEYWORD")]
    tags: Vec<String>,
    /// The folder of the package whose documents and installed packages are searched
    #[arg(long, default_value = ".")]
    folder: PathBuf,
    #[command(flatten)]
    registry: RegistryOption,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Everything, packages and documents too.
    #[default]
    All,
    /// Tools.
    Tools,
    /// Types, enums and errors.
    Types,
    /// Capabilities.
    Capabilities,
}

impl Kind {
    fn kinds(self) -> &'static [FoundKind] {
        match self {
            Self::All => &[],
            Self::Tools => &[FoundKind::Tool],
            Self::Types => &[FoundKind::Type],
            Self::Capabilities => &[FoundKind::Capability],
        }
    }
}

pub(super) fn run(arguments: &Search) -> ExitResult {
    if !arguments.registry.is_given() {
        return here(arguments);
    }
    if arguments.kind != Kind::All {
        complain("ailang: a registry knows packages only; leave out `--in`, or `--registry`");
        return Ok(WRONG);
    }
    match there(arguments) {
        Ok(found) => tell(arguments, &found, package_line, package_tree),
        Err(error) => {
            complain(&format!("ailang: {error}"));
            Ok(WRONG)
        }
    }
}

/// Searches the documents of the folder and of the packages that are installed for it.
fn here(arguments: &Search) -> ExitResult {
    let folder = &arguments.folder;
    let project =
        Project::open(folder).map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
    let found = packages::search(&project, &arguments.query, arguments.kind.kinds(), &arguments.tags);
    tell(arguments, &found, found_line, found_tree)
}

/// Asks the registry.
fn there(arguments: &Search) -> Result<Vec<FoundPackage>, PackageError> {
    let Some(registry) = arguments.registry.registry()? else { return Ok(Vec::new()) };
    let mut found = registry.search(&arguments.query)?;
    let has =
        |package: &FoundPackage, tag: &String| package.keywords.iter().any(|it| it.eq_ignore_ascii_case(tag));
    found.retain(|package| arguments.tags.iter().all(|tag| has(package, tag)));
    Ok(found)
}

/// Prints what was found; nothing is the exit code of a failed check.
fn tell<T>(arguments: &Search, found: &[T], line: fn(&T) -> String, tree: fn(&T) -> Value) -> ExitResult {
    match arguments.format {
        Format::Json | Format::Yaml => say_tree(arguments.format, &found.iter().map(tree).collect())?,
        Format::Pretty => lines(found, line, &arguments.query)?,
    }
    Ok(if found.is_empty() { WRONG } else { 0 })
}

fn lines<T>(found: &[T], line: fn(&T) -> String, query: &str) -> Result<(), Failure> {
    if found.is_empty() {
        complain(&format!("nothing matches `{query}`"));
    }
    found.iter().try_for_each(|it| say(&line(it)))
}

fn found_line(it: &Found) -> String {
    let package = if it.package.is_empty() { String::new() } else { format!(" of {}", it.package) };
    let [declaration, summary] = [&it.declaration, &it.summary].map(|it| about(it));
    format!("{} {}{package}  {}{declaration}{summary}", it.kind.name(), it.name, it.path)
}

fn package_line(it: &FoundPackage) -> String {
    let [name, version] = [&it.name, &it.version].map(|it| ailang::visible_line(it, ailang::LONGEST_NAME));
    format!("package {name} {version}{}", about(&it.description))
}

fn about(summary: &str) -> String {
    if summary.is_empty() {
        String::new()
    } else {
        format!("\n    {}", ailang::visible_line(summary, ailang::LONGEST_SUMMARY))
    }
}

fn found_tree(it: &Found) -> Value {
    json!({ "kind": it.kind.name(), "name": it.name, "package": it.package, "path": it.path, "summary": it.summary, "declaration": it.declaration })
}

fn package_tree(it: &FoundPackage) -> Value {
    let FoundPackage { name, version, description, keywords } = it;
    json!({ "kind": "package", "name": name, "version": version, "summary": description, "keywords": keywords })
}
