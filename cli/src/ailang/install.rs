//! `ailang install`: installs the dependencies of a package, or one more.

use std::path::PathBuf;

use clap::Args;
use packages::{ArchiveStore, InstallOptions, Installation, LockedPackage, PackageError, PackageSpec};

use super::download;
use super::outcome::{ExitResult, WRONG};
use super::registry::RegistryOption;
use crate::output::{complain, say};

#[derive(Debug, Args)]
pub(super) struct Install {
    /// A package to add: `name`, `name@^1.0.0`, `name@next`, `./dir`, `file:x.tgz`, `https://….tgz` or `git+https://…#ref`; without
    /// one, what `ailang.json` and `ailang.lock` say
    spec: Option<String>,
    /// The folder of the package
    #[arg(long, default_value = ".")]
    folder: PathBuf,
    #[command(flatten)]
    registry: RegistryOption,
    /// Fail if `ailang.lock` does not suit `ailang.json`, instead of choosing versions
    #[arg(long, alias = "frozen-lockfile")]
    locked: bool,
    /// `--locked` and `--offline` together
    #[arg(long)]
    frozen: bool,
    /// Use no network: archives come from the cache
    #[arg(long)]
    offline: bool,
}

pub(super) fn run(arguments: Install) -> ExitResult {
    match install(arguments) {
        Ok(installation) => {
            for line in lines(&installation) {
                say(&line)?;
            }
            Ok(0)
        }
        Err(error) => {
            complain(&format!("ailang: {error}"));
            Ok(WRONG)
        }
    }
}

fn install(arguments: Install) -> Result<Installation, PackageError> {
    let spec = arguments.spec.as_deref().map(PackageSpec::parse).transpose()?;
    let (registry, credentials) = arguments.registry.with_credentials()?;
    let options = InstallOptions {
        registry,
        store: ArchiveStore::of_user(),
        locked: arguments.locked || arguments.frozen,
        offline: arguments.offline || arguments.frozen,
        credentials,
        on_download: Some(download::shown()),
    };
    packages::install(&arguments.folder, spec.as_ref(), &options)
}

fn lines(installation: &Installation) -> Vec<String> {
    let mut lines: Vec<String> = installation
        .packages
        .iter()
        .map(|(name, it)| match it.from.as_str() {
            LockedPackage::REGISTRY => format!("{name} {}", it.version),
            from => format!("{name} {} ({from})", it.version),
        })
        .collect();
    lines.extend(
        installation.deprecated.iter().map(|(name, why)| format!("warning: {name} is deprecated: {why}")),
    );
    lines.extend(installation.removed.iter().map(|name| format!("removed {name}")));
    lines.push(match (&installation.added, installation.packages.len()) {
        (Some((name, source)), _) => format!("✓ `{name}` is a dependency now: {source}"),
        (None, 0) => "✓ there are no dependencies".to_owned(),
        (None, 1) => "✓ 1 package is installed".to_owned(),
        (None, count) => format!("✓ {count} packages are installed"),
    });
    lines
}
