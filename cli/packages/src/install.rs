//! Installation of packages.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use ailang::{BUILT_IN_PACKAGE, Code, DependencySource, Manifest};
use semver::{Comparator, Op, Prerelease, Version, VersionReq};

use crate::error::PackageError;
use crate::fetch::{Fetched, Fetcher, Origin, checked, rebased};
use crate::http::OnDownload;
use crate::lock::{Lock, LockedPackage, dependencies_of, replace};
use crate::modules;
use crate::registry::Registry;
use crate::resolve::{Packages as _, resolve};
use crate::settings::Credentials;
use crate::spec::PackageSpec;
use crate::store::ArchiveStore;

/// The means that an installation may use.
#[derive(Clone, Default)]
pub struct InstallOptions {
    /// The registry to ask; without one, only places and the store give packages.
    pub registry: Option<Registry>,
    /// The archives that were fetched before, by their hash; without it each one is fetched anew.
    pub store: Option<ArchiveStore>,
    /// Fail where the lock file does not suit the manifest, rather than choose versions.
    pub locked: bool,
    /// Use no network.
    pub offline: bool,
    /// The tokens for archives and repositories, each for its origin.
    pub credentials: Credentials,
    /// Is told about downloads.
    pub on_download: Option<OnDownload>,
}

impl fmt::Debug for InstallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InstallOptions").field("registry", &self.registry).finish_non_exhaustive()
    }
}

/// The result of an installation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Installation {
    /// All packages by name.
    pub packages: BTreeMap<String, LockedPackage>,
    /// The name and the source that were added to the manifest.
    pub added: Option<(String, String)>,
    /// The names of packages that are not needed any more.
    pub removed: Vec<String>,
    /// The packages that their authors advise against, with their reasons.
    pub deprecated: Vec<(String, String)>,
}

/// Installs the dependencies of the package in a folder, or one more.
///
/// The lock file decides where it suits the manifest; otherwise versions are chosen anew, its own preferred. Nothing of
/// a package runs. The files of the package itself are written last: its manifest when a dependency was added, and the
/// lock file.
///
/// # Errors
/// A package is not there or not what was expected; no versions suit each other; or a file cannot be written.
pub fn install(
    folder: &Path,
    spec: Option<&PackageSpec>,
    options: &InstallOptions,
) -> Result<Installation, PackageError> {
    let manifest = read_manifest(folder)?;
    let lock = Lock::read(folder)?;
    let registry = options.registry.clone().map(|it| it.reporting(options.on_download.clone()));
    let mut fetcher = Fetcher::new(folder, registry.as_ref(), options.store.as_ref());
    fetcher.offline = options.offline;
    fetcher.credentials = options.credentials.clone();
    fetcher.on_download.clone_from(&options.on_download);
    fetcher.lock = lock.as_ref();
    let mut dependencies = dependencies_of(&manifest);
    fetcher.permitted = rebased(&dependencies, Origin::Own("."))?;
    let added = spec.map(|spec| named(&mut fetcher, spec)).transpose()?;
    if let Some((name, source)) = &added {
        if manifest.name.as_ref().is_some_and(|it| it.value == *name) {
            return Err(PackageError::new(Code::DEPENDENCY, format!("`{name}` cannot depend on itself")));
        }
        dependencies.insert(name.clone(), source.clone());
        fetcher.permitted = rebased(&dependencies, Origin::Own("."))?;
    }
    let current = lock.as_ref().filter(|lock| has(lock, &fetcher.preferred));
    let current = current.filter(|lock| is_current(&mut fetcher, lock, &dependencies));
    let fetched = match current {
        Some(lock) => from_lock(&mut fetcher, lock)?,
        None if options.locked => {
            let message = format!("{} does not suit {}", Lock::FILE, Manifest::FILE);
            return Err(PackageError::new(Code::NO_VERSION, message)
                .help("run it once without `--locked` and `--frozen`"));
        }
        None => anew(&mut fetcher, &manifest)?,
    };
    let removed = removed(lock.as_ref(), &fetched);
    write(folder, &fetched, &removed)?;
    let packages: BTreeMap<_, _> = fetched.into_iter().map(|(name, it)| (name, it.locked)).collect();
    record(folder, &manifest, added.as_ref(), &Lock::new(dependencies, packages.clone()))?;
    let deprecated = packages.iter().filter_map(|(name, it)| {
        let reason = fetcher.deprecation(name, &it.version)?;
        Some((name.clone(), ailang::visible_line(reason, ailang::LONGEST_SUMMARY)))
    });
    let deprecated = deprecated.collect();
    Ok(Installation { packages, added, removed, deprecated })
}

fn read_manifest(folder: &Path) -> Result<Manifest, PackageError> {
    let path = folder.join(Manifest::FILE);
    let text = std::fs::read_to_string(&path).map_err(|error| {
        PackageError::new(Code::MANIFEST_JSON, format!("{} cannot be read: {error}", path.display()))
            .help("`ailang init` creates a package")
    })?;
    checked("", text)
}

/// Returns the name of a package to add, and its source for the manifest.
fn named(fetcher: &mut Fetcher<'_>, spec: &PackageSpec) -> Result<(String, String), PackageError> {
    match spec {
        // Every program has it, so its version is the one that is here.
        PackageSpec::Tagged { name, .. } if name == BUILT_IN_PACKAGE => Ok((name.clone(), "*".to_owned())),
        PackageSpec::Named { name, range } if name == BUILT_IN_PACKAGE => {
            Ok((name.clone(), range.as_ref().map_or("*".to_owned(), ToString::to_string)))
        }
        PackageSpec::Named { name, range: Some(range) } => Ok((name.clone(), range.to_string())),
        PackageSpec::Named { name, range: None } => {
            let versions = fetcher.versions(name)?;
            let latest = fetcher.published(name)?.tagged("latest");
            let released =
                latest.or_else(|| versions.iter().find(|it| it.pre.is_empty())).or(versions.first());
            let Some(version) = released else {
                let message = format!("`{name}` has no published version");
                return Err(PackageError::new(Code::PACKAGE_ABSENT, message));
            };
            let version = version.clone();
            Ok(chosen(fetcher, name, version))
        }
        PackageSpec::Tagged { name, tag } => {
            let published = fetcher.published(name)?;
            let Some(version) = published.tagged(tag) else {
                let tags: Vec<String> = published.tags().map(|it| ailang::visible_line(it, 100)).collect();
                let message =
                    format!("`{name}` has no version with the tag `{tag}`; it has {}", tags.join(", "));
                return Err(PackageError::new(Code::PACKAGE_ABSENT, message));
            };
            let version = version.clone();
            Ok(chosen(fetcher, name, version))
        }
        PackageSpec::Placed(place) => {
            let name = fetcher.name_at(place)?;
            Ok((name, place.to_string()))
        }
    }
}

/// Returns a package to add, of whose range this version is the one to take now.
fn chosen(fetcher: &mut Fetcher<'_>, name: &str, version: Version) -> (String, String) {
    let range = compatible(&version).to_string();
    fetcher.preferred.insert(name.to_owned(), version);
    (name.to_owned(), range)
}

/// Returns the range of what is compatible with a version.
fn compatible(version: &Version) -> DependencySource {
    let Version { major, minor, patch, pre, .. } = version;
    let pre: Prerelease = pre.clone();
    let comparator =
        Comparator { op: Op::Caret, major: *major, minor: Some(*minor), patch: Some(*patch), pre };
    DependencySource::Version(VersionReq { comparators: vec![comparator] })
}

/// Returns `true` if a lock file has these versions.
fn has(lock: &Lock, versions: &BTreeMap<String, Version>) -> bool {
    let mut versions = versions.iter();
    versions.all(|(name, version)| lock.packages.get(name).is_some_and(|it| it.version == *version))
}

/// Returns `true` if a lock file is about these dependencies, and those of its folders are unchanged.
fn is_current(fetcher: &mut Fetcher<'_>, lock: &Lock, dependencies: &BTreeMap<String, String>) -> bool {
    if lock.dependencies != *dependencies || !is_consistent(fetcher, lock) {
        return false;
    }
    let is_unchanged = |(name, locked): (&String, &LockedPackage)| match DependencySource::parse(&locked.from)
    {
        Ok(place @ DependencySource::Folder(_)) => {
            fetcher.place(name, &place).is_ok_and(|it| it.locked == *locked)
        }
        _ => true,
    };
    lock.packages.iter().all(is_unchanged)
}

/// Returns `true` if the packages of a lock file are what they and the package itself depend on. A lock file that was
/// changed by hand could name other places.
fn is_consistent(fetcher: &Fetcher<'_>, lock: &Lock) -> bool {
    let Ok(root) = rebased(&lock.dependencies, Origin::Own(".")) else { return false };
    let mut demands: Vec<(String, DependencySource)> = root.into_iter().collect();
    for package in lock.packages.values() {
        let place = DependencySource::parse(&package.from).ok();
        let origin = fetcher.origin(place.as_ref());
        let Ok(dependencies) = rebased(&package.dependencies, origin) else { return false };
        demands.extend(dependencies);
    }
    let is_met = |(name, source): &(String, DependencySource)| {
        lock.packages.get(name).is_some_and(|package| match source {
            DependencySource::Version(range) => range.matches(&package.version),
            place => is_from(package, place),
        })
    };
    let is_wanted = |(name, package): (&String, &LockedPackage)| {
        let mut wanted = demands.iter().filter(|(wanted, _)| wanted == name);
        wanted.any(|(_, source)| package.from == LockedPackage::REGISTRY || is_from(package, source))
    };
    demands.iter().all(is_met) && lock.packages.iter().all(is_wanted)
}

/// Returns `true` if a package comes from a place; of a repository, from any commit.
fn is_from(package: &LockedPackage, place: &DependencySource) -> bool {
    match (DependencySource::parse(&package.from), place) {
        (Ok(DependencySource::Git { url, .. }), DependencySource::Git { url: wanted, .. }) => url == *wanted,
        (from, place) => from.as_ref() == Ok(place),
    }
}

/// Fetches the packages of a lock file.
fn from_lock(fetcher: &mut Fetcher<'_>, lock: &Lock) -> Result<BTreeMap<String, Fetched>, PackageError> {
    let each = lock.packages.iter();
    each.map(|(name, locked)| Ok((name.clone(), fetcher.locked(name, locked)?))).collect()
}

/// Chooses and fetches the packages that are needed.
fn anew(fetcher: &mut Fetcher<'_>, manifest: &Manifest) -> Result<BTreeMap<String, Fetched>, PackageError> {
    let root = manifest.name.as_ref().map_or("the package", |it| it.value.as_str());
    let dependencies = fetcher.permitted.clone();
    let chosen = resolve(fetcher, root, &dependencies)?;
    let each = chosen.iter().filter_map(|(name, chosen)| Some((name.clone(), fetcher.take(name, chosen)?)));
    Ok(each.collect())
}

fn removed(lock: Option<&Lock>, fetched: &BTreeMap<String, Fetched>) -> Vec<String> {
    let before = lock.iter().flat_map(|lock| lock.packages.keys());
    before.filter(|name| !fetched.contains_key(*name)).cloned().collect()
}

fn write(folder: &Path, fetched: &BTreeMap<String, Fetched>, removed: &[String]) -> Result<(), PackageError> {
    let packages = fetched.iter().filter_map(|(name, it)| Some((name.as_str(), it.archive.as_deref()?)));
    let removed: Vec<&str> = removed.iter().map(String::as_str).collect();
    modules::write(folder, &packages.collect::<Vec<_>>(), &removed)
}

/// Writes the manifest, when a dependency was added, and the lock file.
fn record(
    folder: &Path,
    manifest: &Manifest,
    added: Option<&(String, String)>,
    lock: &Lock,
) -> Result<(), PackageError> {
    let problem =
        |error: String| PackageError::new(Code::PACKAGE_PATH, format!("{}: {error}", folder.display()));
    if let Some((name, source)) = added {
        let text =
            with_dependency(&manifest.source, name, source).map_err(|error| problem(error.to_string()))?;
        replace(&folder.join(Manifest::FILE), &text).map_err(|error| problem(error.to_string()))?;
    }
    if added.is_some() || !lock.packages.is_empty() || folder.join(Lock::FILE).exists() {
        lock.write(folder).map_err(|error| problem(error.to_string()))?;
    }
    Ok(())
}

/// Returns the text of a manifest with a dependency more, or another source of one.
fn with_dependency(text: &str, name: &str, source: &str) -> serde_json::Result<String> {
    let mut manifest: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(text.trim_start_matches('\u{feff}'))?;
    let dependencies = manifest.entry("dependencies").or_insert_with(|| serde_json::json!({}));
    if let Some(dependencies) = dependencies.as_object_mut() {
        dependencies.insert(name.to_owned(), source.into());
    }
    serde_json::to_string_pretty(&manifest).map(|text| text + "\n")
}

#[cfg(test)]
#[path = "install_tests.rs"]
mod tests;
