//! Registries in a folder, for teams with a shared disk and for work without a network.
//!
//! ```text
//! registry/clock/package.json              the document that a server would answer for the package
//! registry/clock/clock-1.0.0.tgz           an archive, which `dist.tarball` names relative to that document
//! registry/@example/zones/package.json
//! ```

use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use ailang::{Code, Manifest};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use rustix::fs::{FlockOperation, flock};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{FoundPackage, LARGEST_METADATA, MOST_FOUND, NewVersion, Packument, PublishedPackage, taken};
use crate::archive::ArchiveLimits;
use crate::error::PackageError;

/// The file in a package's folder that has what npm's registry answers about the package.
const DOCUMENT: &str = "package.json";

/// The file that is locked while something is published.
const LOCK: &str = ".lock";

/// The maximum number of packages that a search looks at.
const MOST_SEARCHED: usize = 20_000;

/// A folder with one folder for each package, which holds its archives and what npm's registry would answer.
#[derive(Clone, Debug)]
pub(super) struct FolderRegistry {
    folder: PathBuf,
}

/// The facts about a package that a search looks at.
#[derive(Debug, Deserialize)]
struct Described {
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    keywords: Option<Vec<String>>,
}

impl FolderRegistry {
    pub(super) fn new(folder: &str) -> Result<Self, PackageError> {
        let folder = PathBuf::from(folder);
        if folder.is_dir() {
            return Ok(Self { folder });
        }
        let message = format!("`dir:{}` is no registry: there is no such folder", folder.display());
        Err(PackageError::new(Code::NO_REGISTRY, message).help("create an empty folder to publish to"))
    }

    pub(super) fn shown(&self) -> String {
        format!("dir:{}", self.folder.display())
    }

    pub(super) fn find(&self, name: &str) -> Result<Option<PublishedPackage>, PackageError> {
        let Some(document) = self.document(name)? else { return Ok(None) };
        let packument: Packument =
            serde_json::from_slice(&document).map_err(|error| self.broken(name, &error.to_string()))?;
        Ok(Some(packument.into()))
    }

    /// Reads an archive beside the document of its package; its address is the name of a file there.
    pub(super) fn archive(&self, name: &str, address: &str) -> Result<Vec<u8>, PackageError> {
        let file = address.strip_prefix("./").unwrap_or(address);
        if file.contains(['/', '\\', ':']) || file.starts_with('.') || file.is_empty() {
            let file = ailang::visible_line(file, ailang::LONGEST_NAME);
            let problem = format!("its archive `{file}` is no file beside its {DOCUMENT}");
            return Err(PackageError::new(Code::PACKAGE_PATH, format!("{}: {problem}", self.place(name))));
        }
        let limit = ArchiveLimits::default().packed;
        let read = self.package(name).and_then(|dir| dir.map_or(Ok(None), |dir| bounded(&dir, file, limit)));
        let bytes = read.map_err(|error| self.broken(name, &error.to_string()))?;
        bytes.ok_or_else(|| self.broken(name, &format!("its archive `{file}` is not there")))
    }

    pub(super) fn publish(&self, it: &NewVersion<'_>) -> Result<(), PackageError> {
        let problem = |error: io::Error| self.broken(it.name, &format!("it cannot be written: {error}"));
        let registry = self.open().map_err(problem)?;
        let lock = registry.open_with(LOCK, OpenOptions::new().write(true).create(true)).map_err(problem)?;
        flock(&lock, FlockOperation::LockExclusive).map_err(|error| problem(error.into()))?;
        registry.create_dir_all(it.name).map_err(problem)?;
        let package = registry.open_dir(it.name).map_err(problem)?;
        let mut document = self.current(it.name)?;
        if document["versions"].get(it.version).is_some() {
            return Err(taken(it.name, it.version, &self.shown()));
        }
        let file = it.file();
        replace(&package, &file, it.archive).map_err(problem)?;
        document["versions"][it.version] = it.described(&file);
        document["dist-tags"][it.tag] = json!(it.version);
        document["description"] = it.manifest["description"].clone();
        document["keywords"] = it.manifest["keywords"].clone();
        // The document is the last, so that it names no archive that is not whole.
        replace(&package, DOCUMENT, format!("{document:#}\n").as_bytes()).map_err(problem)
    }

    pub(super) fn search(&self, query: &str) -> Result<Vec<FoundPackage>, PackageError> {
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        let mut found = Vec::new();
        for name in self.names().map_err(|error| self.broken("", &error.to_string()))? {
            // One package that cannot be read hides no other.
            let Ok(Some(package)) = self.found(&name) else { continue };
            let text = [&package.name, &package.description, &package.keywords.join(" ")]
                .map(|it| it.to_lowercase());
            if words.iter().all(|word| text.iter().any(|it| it.contains(word.as_str()))) {
                found.push(package);
            }
            if found.len() >= MOST_FOUND {
                break;
            }
        }
        Ok(found)
    }

    fn found(&self, name: &str) -> Result<Option<FoundPackage>, PackageError> {
        let Some(document) = self.document(name)? else { return Ok(None) };
        let broken = |error: serde_json::Error| self.broken(name, &error.to_string());
        let Described { description, keywords } = serde_json::from_slice(&document).map_err(broken)?;
        let package: PublishedPackage =
            serde_json::from_slice::<Packument>(&document).map_err(broken)?.into();
        let latest = package.tagged("latest").or(package.versions.first().map(|it| &it.version));
        Ok(Some(FoundPackage {
            name: name.to_owned(),
            version: latest.map(ToString::to_string).unwrap_or_default(),
            description: description.unwrap_or_default(),
            keywords: keywords.unwrap_or_default(),
        }))
    }

    /// Returns the names of all packages, sorted.
    fn names(&self) -> io::Result<Vec<String>> {
        let registry = self.open()?;
        let mut names = Vec::new();
        for entry in registry.entries()?.flatten().take(MOST_SEARCHED) {
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with('@') {
                let inside = entry.open_dir().and_then(|it| it.entries());
                let inside =
                    inside.into_iter().flatten().flatten().filter_map(|it| it.file_name().into_string().ok());
                names.extend(inside.map(|it| format!("{name}/{it}")));
            } else {
                names.push(name);
            }
        }
        names.retain(|name| Manifest::is_name(name));
        names.truncate(MOST_SEARCHED);
        names.sort();
        Ok(names)
    }

    /// Returns the document of a package as it is, or a new one.
    fn current(&self, name: &str) -> Result<Value, PackageError> {
        let new = || json!({ "_id": name, "name": name, "dist-tags": {}, "versions": {} });
        let Some(document) = self.document(name)? else { return Ok(new()) };
        let document: Map<String, Value> =
            serde_json::from_slice(&document).map_err(|error| self.broken(name, &error.to_string()))?;
        if ["versions", "dist-tags"].iter().all(|field| document.get(*field).is_some_and(Value::is_object)) {
            return Ok(Value::Object(document));
        }
        Err(self.broken(name, "it has no versions or tags"))
    }

    fn document(&self, name: &str) -> Result<Option<Vec<u8>>, PackageError> {
        let read = self
            .package(name)
            .and_then(|dir| dir.map_or(Ok(None), |it| bounded(&it, DOCUMENT, LARGEST_METADATA)));
        read.map_err(|error| self.broken(name, &error.to_string()))
    }

    /// Opens the folder of a package; no name and no link leads out of the registry.
    fn package(&self, name: &str) -> io::Result<Option<Dir>> {
        match self.open()?.open_dir(name) {
            Ok(dir) => Ok(Some(dir)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn open(&self) -> io::Result<Dir> {
        Dir::open_ambient_dir(&self.folder, ambient_authority())
    }

    fn place(&self, name: &str) -> String {
        self.folder.join(Path::new(name)).display().to_string()
    }

    fn broken(&self, name: &str, problem: &str) -> PackageError {
        let problem = ailang::visible_line(problem, ailang::LONGEST_SUMMARY);
        PackageError::new(Code::PACKAGE_ABSENT, format!("{}: {problem}", self.place(name)))
    }
}

/// Reads a plain file of at most `most` bytes; `None` if there is none.
fn bounded(dir: &Dir, file: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
    match dir.metadata(file) {
        Ok(it) if it.is_file() && it.len() <= most => {}
        Ok(it) if it.is_file() => {
            return Err(io::Error::other(format!("`{file}` has more than {most} bytes")));
        }
        Ok(_) => return Err(io::Error::other(format!("`{file}` is no file"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut bytes = Vec::new();
    dir.open(file)?.take(most).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Writes a file as a whole.
fn replace(dir: &Dir, file: &str, bytes: &[u8]) -> io::Result<()> {
    let draft = format!(".{file}.new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    dir.open_with(&draft, &options)?.write_all(bytes)?;
    dir.rename(&draft, dir, file)
}

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;
