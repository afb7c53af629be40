//! `ailang publish`: publishes a package to a registry.

use std::path::PathBuf;

use clap::Args;
use packages::{Publication, PublishError};
use source_text::LineIndex;

use super::documents::name;
use super::outcome::{ExitResult, WRONG};
use super::registry::RegistryOption;
use crate::failure::Failure;
use crate::output::{complain, say};

#[derive(Debug, Args)]
pub(super) struct Publish {
    /// The folder of the package
    #[arg(default_value = ".")]
    folder: PathBuf,
    #[command(flatten)]
    registry: RegistryOption,
    /// The name under which others find the version; `latest` by default, and `next` before a release
    #[arg(long)]
    tag: Option<String>,
    /// Publish nothing; check the package and list its files
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(arguments: &Publish) -> ExitResult {
    let publication = match packages::prepare(&arguments.folder) {
        Ok(publication) => publication,
        Err(error) => return refuse(arguments, &error),
    };
    let Publication { name, version, files, integrity, archive, .. } = &publication;
    for (path, size) in files {
        say(&format!("{size:>9}  {path}"))?;
    }
    let size = archive.len();
    say(&format!("{name} {version}: {} files, {size} bytes packed, {integrity}", files.len()))?;
    if arguments.dry_run {
        return Ok(0);
    }
    let registry = match arguments.registry.registry() {
        Ok(registry) => registry,
        Err(error) => return refuse(arguments, &error.into()),
    };
    if let Err(error) = packages::publish(&publication, registry.as_ref(), arguments.tag.as_deref()) {
        return refuse(arguments, &error.into());
    }
    let place = registry.map(|it| it.shown()).unwrap_or_default();
    say(&format!("✓ {name} {version} is published at {place}"))?;
    Ok(0)
}

fn refuse(arguments: &Publish, error: &PublishError) -> ExitResult {
    if let PublishError::Invalid(found) = error {
        for (path, source, found) in found {
            show(&name(&arguments.folder.join(path)), source, found)?;
        }
    }
    complain(&format!("ailang: {error}"));
    Ok(WRONG)
}

fn show(name: &str, source: &str, found: &[ailang::Diagnostic]) -> Result<(), Failure> {
    let index = LineIndex::new(source);
    for diagnostic in found {
        say(&(diagnostic.show(name, source, &index) + "\n"))?;
    }
    Ok(())
}
