//! Packages from where they are: folders, archives, git and a registry, each archive with its integrity.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Component, Path, PathBuf};

use ailang::{BUILT_IN_PACKAGE, Code, DependencySource, Manifest, Severity};
use semver::Version;
use url::Url;

use crate::archive::{ArchiveFile, ArchiveLimits, PackedFile, pack_tar, unpack};
use crate::error::PackageError;
use crate::git;
use crate::http::{Client, OnDownload, Token, is_this_machine};
use crate::integrity::Integrity;
use crate::lock::{Lock, LockedPackage, dependencies_of};
use crate::registry::{PublishedPackage, PublishedVersion, Registry, fetch};
use crate::resolve::{Chosen, Dependencies, Packages};
use crate::settings::{Credentials, no_registry};
use crate::store::ArchiveStore;

/// The maximum size of all archives of one installation, in bytes.
const LARGEST_INSTALLATION: usize = 400 << 20;

/// A package at hand.
#[derive(Clone, Debug)]
pub(crate) struct Fetched {
    pub(crate) locked: LockedPackage,
    /// The archive; `None` for a folder.
    pub(crate) archive: Option<Vec<u8>>,
}

/// Fetches packages, each once.
pub(crate) struct Fetcher<'f> {
    pub(crate) root: &'f Path,
    pub(crate) registry: Option<&'f Registry>,
    pub(crate) store: Option<&'f ArchiveStore>,
    /// The versions to prefer.
    pub(crate) lock: Option<&'f Lock>,
    /// The versions to prefer to those of the lock file.
    pub(crate) preferred: BTreeMap<String, Version>,
    /// The places that the user's own package names.
    pub(crate) permitted: Dependencies,
    /// No network: what is not in the store cannot be fetched.
    pub(crate) offline: bool,
    pub(crate) credentials: Credentials,
    pub(crate) on_download: Option<OnDownload>,
    published: HashMap<String, PublishedPackage>,
    fetched: HashMap<(String, String), Fetched>,
    bytes: usize,
}

impl<'f> Fetcher<'f> {
    pub(crate) fn new(
        root: &'f Path,
        registry: Option<&'f Registry>,
        store: Option<&'f ArchiveStore>,
    ) -> Self {
        let (published, fetched) = (HashMap::new(), HashMap::new());
        let (credentials, on_download) = (Credentials::default(), None);
        Self {
            root,
            registry,
            store,
            lock: None,
            preferred: BTreeMap::new(),
            permitted: Dependencies::new(),
            offline: false,
            credentials,
            on_download,
            published,
            fetched,
            bytes: 0,
        }
    }

    /// Returns a package that was chosen before.
    pub(crate) fn take(&mut self, name: &str, chosen: &Chosen) -> Option<Fetched> {
        self.fetched.remove(&(name.to_owned(), key(&chosen.version, chosen.place.as_ref())))
    }

    /// Fetches a package that a lock file names, and checks that it is that one.
    pub(crate) fn locked(&mut self, name: &str, locked: &LockedPackage) -> Result<Fetched, PackageError> {
        if locked.from == LockedPackage::REGISTRY {
            let archive = self.locked_archive(name, locked)?;
            return verified(name, locked, archive);
        }
        let place = DependencySource::parse(&locked.from);
        let place = place.map_err(|problem| differs(name, &format!("`{}`: {problem}", locked.from)))?;
        let stored = locked.integrity().and_then(|it| self.store?.get(&it));
        if let (Some(archive), false) = (stored, matches!(place, DependencySource::Folder(_))) {
            return verified(name, locked, archive);
        }
        let fetched = self.place(name, &place)?;
        let is_same = fetched.locked.version == locked.version
            && fetched.locked.integrity() == locked.integrity()
            && fetched.locked.dependencies == locked.dependencies;
        if is_same { Ok(fetched) } else { Err(differs(name, &format!("{} has changed", locked.from))) }
    }

    /// Returns the archive of a registry's package that a lock file names.
    fn locked_archive(&mut self, name: &str, locked: &LockedPackage) -> Result<Vec<u8>, PackageError> {
        let Some(integrity) = locked.integrity() else {
            return Err(differs(name, "the lock file has no integrity of it"));
        };
        if let Some(archive) = self.store.and_then(|store| store.get(&integrity)) {
            return Ok(archive);
        }
        let Some(published) = self.published(name)?.get(&locked.version).cloned() else {
            let message = format!("{name} {} is not published any more", locked.version);
            return Err(PackageError::new(Code::PACKAGE_ABSENT, message));
        };
        if published.integrity() != Some(integrity) {
            return Err(differs(name, "the registry has another archive of that version"));
        }
        self.archive_of(name, &published)
    }

    /// Returns the archive of a published version, from the store or the registry.
    fn archive_of(&self, name: &str, published: &PublishedVersion) -> Result<Vec<u8>, PackageError> {
        let stored = published.integrity().and_then(|it| self.store?.get(&it));
        if let Some(bytes) = stored {
            return Ok(bytes);
        }
        let registry = self.reachable(name)?;
        let (integrity, bytes) = registry.archive(name, published)?;
        self.keep(&integrity, &bytes);
        Ok(bytes)
    }

    /// Returns the published versions of a package.
    pub(crate) fn published(&mut self, name: &str) -> Result<&PublishedPackage, PackageError> {
        if !self.published.contains_key(name) {
            let package = self.reachable(name)?.package(name)?;
            self.published.insert(name.to_owned(), package);
        }
        Ok(&self.published[name])
    }

    /// Returns the reason not to use a version; `None` too where the registry was not asked.
    pub(crate) fn deprecation(&self, name: &str, version: &Version) -> Option<&str> {
        self.published.get(name)?.get(version)?.deprecated.as_deref()
    }

    /// Returns the registry, unless it takes a network that is not used.
    fn reachable(&self, name: &str) -> Result<&'f Registry, PackageError> {
        match self.registry {
            Some(registry) if registry.is_local() => Ok(registry),
            registry => {
                self.online(name)?;
                registry.ok_or_else(|| no_registry(name))
            }
        }
    }

    /// Returns the package at a place.
    pub(crate) fn place(&mut self, name: &str, place: &DependencySource) -> Result<Fetched, PackageError> {
        let from = place.to_string();
        match place {
            DependencySource::Version(_) => Err(no_registry(name)),
            DependencySource::Folder(path) => self.folder(name, path, from),
            DependencySource::Archive(location) => {
                let bytes = self.archive_at(name, location)?;
                let files =
                    unpack(&bytes, &ArchiveLimits::default()).map_err(|error| error.about(location))?;
                self.archived(name, &files, bytes, from)
            }
            DependencySource::Git { url, reference } => {
                if !url.starts_with("file:") {
                    self.online(name)?;
                }
                let token = Url::parse(url).ok().and_then(|url| self.credentials.token(&url));
                let git::Checkout { commit, files } = git::fetch(url, reference.as_deref(), token)?;
                let packed: Vec<PackedFile<'_>> =
                    files.iter().map(|it| PackedFile { path: &it.path, bytes: &it.bytes }).collect();
                let tar = pack_tar(&packed).map_err(|error| differs(name, &error.to_string()))?;
                let from = DependencySource::Git { url: url.clone(), reference: Some(commit) };
                self.archived(name, &files, tar, from.to_string())
            }
        }
    }

    /// Returns the name of the package at a place of the command line.
    pub(crate) fn name_at(&mut self, place: &DependencySource) -> Result<String, PackageError> {
        if let DependencySource::Folder(path) = place {
            let manifest = self.manifest_in("", path)?;
            return Ok(manifest.name.map(|it| it.value).unwrap_or_default());
        }
        let fetched = self.place("", place)?;
        let archive = fetched.archive.as_deref().unwrap_or_default();
        let manifest = manifest("", &unpack(archive, &ArchiveLimits::default())?)?;
        let name = manifest.name.map(|it| it.value).unwrap_or_default();
        self.remember(&name, Some(place.clone()), fetched)?; // it is chosen next, and not fetched again
        Ok(name)
    }

    fn manifest_in(&self, name: &str, path: &str) -> Result<Manifest, PackageError> {
        let file = self.root.join(path).join(Manifest::FILE);
        let text = fs::read_to_string(&file).map_err(|error| {
            PackageError::new(Code::PACKAGE_ABSENT, format!("{}: {error}", file.display()))
        })?;
        checked(name, text)
    }

    /// Returns the package in a folder, which is used where it is.
    fn folder(&self, name: &str, path: &str, from: String) -> Result<Fetched, PackageError> {
        let manifest = self.manifest_in(name, path)?;
        Ok(Fetched { locked: locked(&manifest, from, None)?, archive: None })
    }

    fn archived(
        &self,
        name: &str,
        files: &[ArchiveFile],
        archive: Vec<u8>,
        from: String,
    ) -> Result<Fetched, PackageError> {
        let manifest = manifest(name, files)?;
        let integrity = Integrity::of(&archive);
        self.keep(&integrity, &archive);
        Ok(Fetched { locked: locked(&manifest, from, Some(integrity))?, archive: Some(archive) })
    }

    fn archive_at(&self, name: &str, location: &str) -> Result<Vec<u8>, PackageError> {
        if let Ok(url) = Url::parse(location)
            && matches!(url.scheme(), "http" | "https")
        {
            self.online(name)?;
            // Whoever wrote the manifest chose the URL, so a token goes to its own origin only.
            let token = self.credentials.token(&url).map(|secret| Token::new(secret, &url));
            return fetch(&Client::reporting(self.on_download.clone()), &url, token.as_ref());
        }
        let path = self.root.join(location);
        let problem =
            |error: String| PackageError::new(Code::PACKAGE_ABSENT, format!("{}: {error}", path.display()));
        let metadata = fs::metadata(&path).map_err(|error| problem(error.to_string()))?;
        if !metadata.is_file() {
            return Err(problem("it is no file".to_owned()));
        }
        if metadata.len() > ArchiveLimits::default().packed {
            return Err(problem("it is too large".to_owned()));
        }
        fs::read(&path).map_err(|error| problem(error.to_string()))
    }

    fn online(&self, name: &str) -> Result<(), PackageError> {
        if !self.offline {
            return Ok(());
        }
        let message = format!("`{name}` is not in the cache, and the network is not used");
        Err(PackageError::new(Code::PACKAGE_ABSENT, message).help("run it once without `--offline`"))
    }

    fn keep(&self, integrity: &Integrity, bytes: &[u8]) {
        if let Some(store) = self.store {
            store.put(integrity, bytes);
        }
    }

    /// Remembers a package, and returns it as one to choose.
    fn remember(
        &mut self,
        name: &str,
        place: Option<DependencySource>,
        fetched: Fetched,
    ) -> Result<Chosen, PackageError> {
        self.bytes += fetched.archive.as_ref().map_or(0, Vec::len);
        if self.bytes > LARGEST_INSTALLATION {
            let message = format!("the packages have more than {LARGEST_INSTALLATION} bytes together");
            return Err(PackageError::new(Code::PACKAGE_PATH, message));
        }
        let version = fetched.locked.version.clone();
        let dependencies = self.dependencies(&fetched.locked, place.as_ref())?;
        self.fetched.insert((name.to_owned(), key(&version, place.as_ref())), fetched);
        Ok(Chosen { version, place, dependencies })
    }

    /// Returns who names the dependencies of the package at a place, or in the registry.
    pub(crate) fn origin<'o>(&'o self, place: Option<&'o DependencySource>) -> Origin<'o> {
        let is_local = match place {
            Some(DependencySource::Folder(folder)) => return Origin::Own(folder),
            Some(DependencySource::Archive(url) | DependencySource::Git { url, .. }) => {
                Url::parse(url).is_ok_and(|it| is_this_machine(&it))
            }
            Some(DependencySource::Version(_)) | None => {
                self.registry.is_none_or(Registry::is_on_this_machine)
            }
        };
        Origin::Elsewhere { permitted: &self.permitted, is_local }
    }

    fn dependencies(
        &self,
        package: &LockedPackage,
        place: Option<&DependencySource>,
    ) -> Result<Dependencies, PackageError> {
        rebased(&package.dependencies, self.origin(place))
    }
}

impl Packages for Fetcher<'_> {
    fn versions(&mut self, name: &str) -> Result<Vec<Version>, PackageError> {
        let locked = self.lock.and_then(|lock| lock.packages.get(name));
        let locked = locked.filter(|it| it.from == LockedPackage::REGISTRY).map(|it| it.version.clone());
        let preferred = self.preferred.get(name).cloned().or(locked);
        let (deprecated, good): (Vec<_>, Vec<_>) =
            self.published(name)?.versions.iter().partition(|it| it.deprecated.is_some());
        let mut versions: Vec<Version> =
            good.into_iter().chain(deprecated).map(|it| it.version.clone()).collect();
        if let Some(at) = versions.iter().position(|it| Some(it) == preferred.as_ref()) {
            versions[..=at].rotate_right(1);
        }
        Ok(versions)
    }

    fn published(&mut self, name: &str, version: &Version) -> Result<Chosen, PackageError> {
        let known = self.fetched.get(&(name.to_owned(), key(version, None)));
        if let Some(fetched) = known {
            let dependencies = self.dependencies(&fetched.locked, None)?;
            return Ok(Chosen { version: version.clone(), place: None, dependencies });
        }
        let found = self.published(name)?.get(version).cloned();
        let Some(published) = found else { return Err(no_registry(name)) };
        let bytes = self.archive_of(name, &published)?;
        let files = unpack(&bytes, &ArchiveLimits::default())?;
        let manifest = manifest(name, &files)?;
        let locked = locked(&manifest, LockedPackage::REGISTRY.to_owned(), published.integrity())?;
        if locked.version != *version {
            let message = format!("its manifest says {}, and the registry says {version}", locked.version);
            return Err(differs(name, &message));
        }
        self.remember(name, None, Fetched { locked, archive: Some(bytes) })
    }

    fn placed(&mut self, name: &str, place: &DependencySource, _from: &str) -> Result<Chosen, PackageError> {
        let place_key = place.to_string();
        let known = self.fetched.iter().find(|((known, key), _)| known == name && *key == place_key);
        if let Some((_, fetched)) = known {
            let dependencies = self.dependencies(&fetched.locked, Some(place))?;
            let version = fetched.locked.version.clone();
            return Ok(Chosen { version, place: Some(place.clone()), dependencies });
        }
        let fetched = self.place(name, place)?;
        self.remember(name, Some(place.clone()), fetched)
    }
}

fn key(version: &Version, place: Option<&DependencySource>) -> String {
    place.map_or_else(|| version.to_string(), DependencySource::to_string)
}

/// The author of dependencies, who decides where they may come from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin<'o> {
    /// The user's own package, or a folder that it uses where it is: the path of the folder.
    Own(&'o str),
    /// A package that was fetched.
    Elsewhere {
        /// The places that the user's own package names, which others may name too.
        permitted: &'o Dependencies,
        /// True if the package was fetched over HTTP from this machine: it may name addresses of this
        /// machine.
        is_local: bool,
    },
}

/// Parses dependencies, with the places on this machine relative to the package itself.
///
/// # Errors
/// One cannot be parsed, or is a place that a package of this origin has no say about.
pub(crate) fn rebased(
    dependencies: &BTreeMap<String, String>,
    origin: Origin<'_>,
) -> Result<Dependencies, PackageError> {
    let mut rebased = Dependencies::new();
    for (name, text) in dependencies.iter().filter(|(name, _)| *name != BUILT_IN_PACKAGE) {
        let source = DependencySource::parse(text)
            .map_err(|problem| PackageError::new(Code::DEPENDENCY, format!("`{name}`: {problem}")))?;
        let source = match origin {
            Origin::Own(folder) => within(folder, source),
            Origin::Elsewhere { permitted, is_local } => {
                let is_permitted = permitted.values().any(|it| *it == source);
                match beyond_network(&source, is_local).filter(|_| !is_permitted) {
                    Some(problem) => return Err(out_of_reach(name, text, &source, problem)),
                    None => source,
                }
            }
        };
        rebased.insert(name.clone(), source);
    }
    Ok(rebased)
}

/// Makes the paths of a package in a folder relative to the user's own package.
fn within(folder: &str, source: DependencySource) -> DependencySource {
    match source {
        DependencySource::Folder(path) => DependencySource::Folder(joined(folder, &path)),
        DependencySource::Archive(path) if !path.contains("://") => {
            DependencySource::Archive(joined(folder, &path))
        }
        other => other,
    }
}

/// Returns the reason why a place is no matter of a fetched package; `None` for places that everybody can reach.
fn beyond_network(source: &DependencySource, is_local: bool) -> Option<&'static str> {
    const FILES: &str = "cannot name files of this machine";
    let url = match source {
        DependencySource::Version(_) => return None,
        DependencySource::Folder(_) => return Some(FILES),
        DependencySource::Archive(url) | DependencySource::Git { url, .. } => url,
    };
    match Url::parse(url) {
        Ok(url) if url.scheme() == "ssh" => Some("cannot use your keys of SSH"),
        Ok(url) if !matches!(url.scheme(), "http" | "https") => Some(FILES),
        Ok(url) if is_this_machine(&url) && !is_local => Some("cannot name services of this machine"),
        Ok(_) => None,
        Err(_) => Some(FILES),
    }
}

fn out_of_reach(name: &str, text: &str, source: &DependencySource, problem: &str) -> PackageError {
    let text = ailang::visible_line(&DependencySource::without_secrets(text), ailang::LONGEST_NAME);
    let message = format!("`{name}` is `{text}`, and a package from elsewhere {problem}");
    let error = PackageError::new(Code::DEPENDENCY, message);
    match source {
        // Relative to a package that is in no folder of this machine.
        DependencySource::Folder(_) => error,
        DependencySource::Archive(path) if !path.contains("://") => error,
        // As a whole, since the user of `ssh` belongs to it.
        _ => error.help(format!("if you trust it, add `\"{name}\": \"{source}\"` to your own `ailang.json`")),
    }
}

/// Joins paths, and removes `.` and, where it can, `..`.
fn joined(folder: &str, path: &str) -> String {
    let mut joined = PathBuf::new();
    for part in Path::new(folder).join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if joined.file_name().is_some() => {
                joined.pop();
            }
            part => joined.push(part),
        }
    }
    let joined = joined.to_string_lossy().replace('\\', "/");
    if joined.starts_with('/') || joined.starts_with("..") { joined } else { format!("./{joined}") }
}

/// Returns the manifest of an archive.
fn manifest(name: &str, files: &[ArchiveFile]) -> Result<Manifest, PackageError> {
    let Some(file) = files.iter().find(|it| it.path == Manifest::FILE) else {
        return Err(differs(name, &format!("it has no {}", Manifest::FILE)));
    };
    let manifest = checked(name, String::from_utf8_lossy(&file.bytes).into_owned())?;
    let main = manifest.main_path();
    if files.iter().any(|it| it.path == main) {
        return Ok(manifest);
    }
    Err(differs(name, &format!("it has no `{main}`, with which it starts")))
}

/// Parses a manifest without errors, of a package of a name; any name where it is empty.
pub(crate) fn checked(name: &str, text: String) -> Result<Manifest, PackageError> {
    let manifest = Manifest::parse(text);
    if let Some(error) = manifest.diagnostics.iter().find(|it| it.severity == Severity::Error) {
        let message = ailang::visible_line(&error.message, ailang::LONGEST_SUMMARY);
        return Err(differs(name, &format!("its manifest has an error: {}: {message}", error.code)));
    }
    match &manifest.name {
        Some(actual) if name.is_empty() || actual.value == name => Ok(manifest),
        Some(actual) => Err(differs(name, &format!("its manifest is of `{}`", actual.value))),
        None => Err(differs(name, "its manifest has no name")),
    }
}

fn locked(
    manifest: &Manifest,
    from: String,
    integrity: Option<Integrity>,
) -> Result<LockedPackage, PackageError> {
    let Some(version) = &manifest.version else {
        return Err(differs("", "its manifest has no version"));
    };
    Ok(LockedPackage {
        version: version.value.clone(),
        from,
        integrity: integrity.map(|it| it.to_string()),
        dependencies: dependencies_of(manifest),
    })
}

/// Returns the package of an archive whose manifest says what a lock file says of it.
fn verified(name: &str, wanted: &LockedPackage, archive: Vec<u8>) -> Result<Fetched, PackageError> {
    let files = unpack(&archive, &ArchiveLimits::default()).map_err(|error| error.about(name))?;
    let actual = locked(&manifest(name, &files)?, wanted.from.clone(), wanted.integrity())?;
    if actual == *wanted {
        return Ok(Fetched { locked: actual, archive: Some(archive) });
    }
    Err(differs(name, "its manifest and the lock file differ"))
}

fn differs(name: &str, problem: &str) -> PackageError {
    let what = if name.is_empty() { "the package".to_owned() } else { format!("`{name}`") };
    PackageError::new(Code::INTEGRITY, format!("{what} is not what was expected: {problem}"))
}
