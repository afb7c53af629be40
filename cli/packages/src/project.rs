//! A package with the packages that are installed for it, as folders that are held open.
//!
//! A document has one path: relative to the package, or below the folder of the installed package that it belongs to
//! (`ailang_modules/@example/clock/main.md`). Files are opened relative to the open folder of their package, so no path
//! and no symbolic link leads out of it.

use std::collections::HashSet;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ailang::{
    BUILT_IN_PACKAGE, Dependency, DependencySource, Documents, InstalledPackage, LARGEST_DOCUMENT, Manifest,
    standard_document, standard_library,
};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, MetadataExt as _};

use crate::limits::MOST_PACKAGES;

/// The folder of installed packages.
pub(crate) const MODULES: &str = "ailang_modules";

/// A package and its installed packages.
#[derive(Debug)]
pub struct Project {
    /// The package itself first.
    roots: Vec<PackageRoot>,
}

/// A package, by its open folder.
#[derive(Debug)]
struct PackageRoot {
    name: String,
    /// The start of the paths of its documents; empty for the package itself.
    prefix: String,
    folder: PathBuf,
    dir: Dir,
    manifest: Option<Manifest>,
    /// The metadata of the manifest's file.
    stamp: Option<Stamp>,
}

/// The text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The path of the document without symbolic links, so that each file has one.
    pub path: String,
    /// The content of the file, which is UTF-8.
    pub text: String,
    /// The metadata from before the text was read.
    pub(crate) stamp: Stamp,
}

/// Metadata of a file that changes when its content does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    length: u64,
    inode: u64,
    modified: Option<SystemTime>,
    changed: (i64, i64),
}

/// The reason why a document cannot be read. It is shown behind the name of the document.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no such file.
    #[error("is not there")]
    Missing,
    /// A symbolic link leads out of the package.
    #[error("leads out of the package")]
    Escapes,
    /// The file is too large, or the operating system refuses to read it.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The file is not UTF-8.
    #[error("is not UTF-8: {0}")]
    NotText(String),
}

impl Project {
    /// Opens the package in a folder, and the packages that are installed for it. A folder without an `ailang.json` is
    /// a package without a name.
    ///
    /// # Errors
    /// The folder or its manifest cannot be read.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let folder = folder.canonicalize()?;
        let mut project = Self { roots: vec![PackageRoot::open(String::new(), String::new(), folder)?] };
        let mut seen = HashSet::new();
        let mut next = 0;
        while next < project.roots.len() && project.roots.len() < MOST_PACKAGES {
            let found: Vec<PackageRoot> = project.roots[next]
                .dependencies()
                .iter()
                .filter(|it| it.name.value != BUILT_IN_PACKAGE && seen.insert(it.name.value.clone()))
                .filter_map(|it| project.find(&project.roots[next], it))
                .collect();
            project.roots.extend(found);
            next += 1;
        }
        Ok(project)
    }

    /// Returns `false` once manifests have changed or packages were installed, replaced or removed, so that the package
    /// has to be opened again.
    pub fn is_current(&self) -> bool {
        let own = &self.roots[0];
        let is_known = |name: &str| self.roots[1..].iter().any(|it| it.name == name);
        let mut absent =
            self.roots.iter().flat_map(PackageRoot::dependencies).filter(|it| !is_known(&it.name.value));
        let mut roots = self.roots.iter();
        roots.all(PackageRoot::is_current)
            && !absent.any(|it| {
                own.dir.is_dir(format!("{MODULES}/{}", it.name.value)) && self.find(own, it).is_some()
            })
    }

    /// Opens the package that a file belongs to: the nearest folder above with an `ailang.json`, else the current
    /// folder, else the folder of the file. A file of an installed package belongs to the package that it is installed
    /// for.
    ///
    /// # Errors
    /// The file does not exist, or its package cannot be read.
    pub fn of_file(file: &Path) -> io::Result<(Self, String)> {
        let whole = file.canonicalize()?;
        let project = Self::open(&root_of(&whole))?;
        let path = project.path_of(&whole).unwrap_or_else(|| slashed(&whole));
        Ok((project, path))
    }

    /// Returns the path of the document in a file; `None` for a file outside of all packages.
    pub fn path_of(&self, file: &Path) -> Option<String> {
        let inside = self.roots.iter().filter_map(|root| Some((root, file.strip_prefix(&root.folder).ok()?)));
        let (root, rest) = inside.min_by_key(|(_, rest)| rest.as_os_str().len())?;
        Some(root.path(&slashed(rest)))
    }

    /// Returns the file of a document.
    pub fn file_of(&self, path: &str) -> PathBuf {
        let (root, rest) = self.locate(path);
        root.folder.join(rest)
    }

    /// Returns the folder of the package itself.
    pub fn folder(&self) -> &Path {
        &self.roots[0].folder
    }

    /// Returns the manifest of the package itself.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.roots[0].manifest.as_ref()
    }

    /// Returns all packages, that of the built-in modules last: their names, manifests, and the paths of their Markdown
    /// files. Folders that cannot be read are empty.
    pub(crate) fn packages(&self) -> impl Iterator<Item = (&str, Option<&Manifest>, Vec<String>)> {
        let roots = self.roots.iter().map(|root| {
            let own = root.manifest.as_ref().and_then(|it| it.name.as_ref());
            let name = own.map_or(root.name.as_str(), |it| it.value.as_str());
            let mut paths = crate::listing::paths(&root.dir).unwrap_or_default();
            paths.retain(|path| path.ends_with(".md"));
            (name, root.manifest.as_ref(), paths.iter().map(|path| root.path(path)).collect())
        });
        roots.chain([(BUILT_IN_PACKAGE, None, standard_library().map(|(path, _)| path).collect())])
    }

    /// Returns the installed packages: their names, manifests, and the starts of their documents' paths.
    pub fn installed(&self) -> impl Iterator<Item = (&str, &Manifest, &str)> {
        let installed = self.roots.iter().skip(1);
        installed.filter_map(|it| Some((it.name.as_str(), it.manifest.as_ref()?, it.prefix.as_str())))
    }

    /// Returns a set without documents, in which imports of the installed packages resolve.
    pub fn documents(&self) -> Documents {
        let mut documents = Documents::new();
        for dependency in self.roots[0].dependencies() {
            documents.depend_on(&dependency.name.value);
        }
        for root in &self.roots[1..] {
            let main = root.manifest.as_ref().map_or(Manifest::MAIN, Manifest::main_path);
            documents.install(InstalledPackage {
                name: root.name.clone(),
                root: root.prefix.clone(),
                main: main.to_owned(),
                dependencies: root.dependencies().iter().map(|it| it.name.value.clone()).collect(),
            });
        }
        documents
    }

    /// Reads a document.
    ///
    /// # Errors
    /// There is no such file, it lies outside of its package, or it is no text of a permitted size.
    pub fn read(&self, path: &str) -> Result<SourceFile, ReadError> {
        if let Some(document) = standard_document(path) {
            let (path, text) = (path.to_owned(), document.source.clone());
            return Ok(SourceFile { path, stamp: Stamp::built_in(&text), text });
        }
        let (root, rest) = self.locate(path);
        let canonical = root.dir.canonicalize(rest).map_err(ReadError::from)?;
        let mut file = root.dir.open(&canonical).map_err(ReadError::from)?;
        let stamp = stamp(&file)?;
        let text = text(&mut file)?;
        Ok(SourceFile { path: root.path(&slashed(&canonical)), text, stamp })
    }

    /// Returns the canonical path of a document.
    ///
    /// # Errors
    /// As for [`Project::read`], but the content of the file is not looked at.
    pub fn canonical(&self, path: &str) -> Result<String, ReadError> {
        if standard_document(path).is_some() {
            return Ok(path.to_owned());
        }
        let (root, rest) = self.locate(path);
        let canonical = root.dir.canonicalize(rest).map_err(ReadError::from)?;
        let is_file = root.dir.metadata(&canonical).map_err(ReadError::from)?.is_file();
        if is_file { Ok(root.path(&slashed(&canonical))) } else { Err(ReadError::Missing) }
    }

    /// Returns the metadata of a document's file.
    pub(crate) fn stamp(&self, path: &str) -> Option<Stamp> {
        if let Some(document) = standard_document(path) {
            return Some(Stamp::built_in(&document.source));
        }
        let (root, rest) = self.locate(path);
        stamp(&root.dir.open(rest).ok()?).ok()
    }

    /// Returns the paths of the Markdown files in the folder of a document, at most `most`.
    pub(crate) fn beside(&self, path: &str, most: usize) -> Vec<String> {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let folder = format!("{folder}/");
        let (root, rest) = self.locate(&folder);
        let entries = root.dir.read_dir(if rest.is_empty() { "." } else { rest });
        let names = entries.into_iter().flatten().flatten().map(|it| it.file_name());
        let names = names.filter_map(|it| it.into_string().ok()).filter(|it| it.ends_with(".md"));
        let mut paths: Vec<String> = names.take(most).map(|it| root.path(&join(rest, &it))).collect();
        paths.sort();
        paths
    }

    /// Returns the package of a document, and the path below it.
    fn locate<'p>(&self, path: &'p str) -> (&PackageRoot, &'p str) {
        let below = |root: &PackageRoot| path.strip_prefix(root.prefix.as_str())?.strip_prefix('/');
        let inside = self.roots[1..].iter().filter_map(|root| Some((root, below(root)?)));
        let found = inside.max_by_key(|(root, _)| root.prefix.len());
        found.unwrap_or((&self.roots[0], path.trim_start_matches('/')))
    }

    /// Finds an installed package.
    fn find(&self, from: &PackageRoot, dependency: &Dependency) -> Option<PackageRoot> {
        let name = &dependency.name.value;
        let own = &self.roots[0];
        let modules = format!("{MODULES}/{name}");
        // Packages from elsewhere have no say about folders of this machine.
        if let Some(folder) = folder_source(dependency).filter(|_| !from.prefix.starts_with(MODULES)) {
            let folder = from.folder.join(folder).canonicalize().ok()?;
            let prefix = folder.strip_prefix(&own.folder).ok().filter(|it| !it.as_os_str().is_empty());
            let prefix = prefix.map_or(modules, slashed);
            return PackageRoot::open(name.clone(), prefix, folder).ok();
        }
        let folder = own.folder.join(own.dir.canonicalize(&modules).ok()?);
        let root = PackageRoot::open(name.clone(), modules, folder).ok()?;
        root.manifest.is_some().then_some(root)
    }
}

fn folder_source(dependency: &Dependency) -> Option<&str> {
    match &dependency.source.as_ref()?.value {
        DependencySource::Folder(path) => Some(path),
        _ => None,
    }
}

impl PackageRoot {
    fn open(name: String, prefix: String, folder: PathBuf) -> io::Result<Self> {
        let dir = Dir::open_ambient_dir(&folder, ambient_authority())?;
        let (manifest, stamp) = match dir.open(Manifest::FILE) {
            Ok(mut file) => {
                let stamp = stamp(&file).ok();
                let text = bounded(&mut file, Manifest::LARGEST)?;
                (Some(Manifest::parse(String::from_utf8_lossy(&text))), stamp)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => (None, None),
            Err(error) => return Err(error),
        };
        Ok(Self { name, prefix, folder, dir, manifest, stamp })
    }

    /// Returns `true` if the folder that is open is the one at its path, with the same manifest.
    fn is_current(&self) -> bool {
        let place = Dir::open_ambient_dir(&self.folder, ambient_authority()).and_then(|it| it.dir_metadata());
        let is_same = place.is_ok_and(|place| {
            self.dir.dir_metadata().is_ok_and(|it| (it.dev(), it.ino()) == (place.dev(), place.ino()))
        });
        let manifest = self.dir.open(Manifest::FILE).ok().and_then(|file| stamp(&file).ok());
        is_same && manifest == self.stamp
    }

    fn dependencies(&self) -> &[Dependency] {
        self.manifest.as_ref().map_or(&[], |it| it.dependencies.as_slice())
    }

    /// Returns the path of a document below this package.
    fn path(&self, rest: &str) -> String {
        join(&self.prefix, rest)
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            // The error that cap-std makes itself, not one of the operating system.
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => Self::Escapes,
            _ => Self::Unreadable(error.to_string()),
        }
    }
}

/// Returns the folder of the package that a canonical file belongs to.
fn root_of(file: &Path) -> PathBuf {
    let folder = file.parent().unwrap_or(file);
    let installed = folder.ancestors().filter(|it| it.file_name().is_some_and(|name| name == MODULES));
    if let Some(root) = installed.filter_map(Path::parent).last() {
        return root.to_path_buf();
    }
    let package = folder.ancestors().find(|folder| folder.join(Manifest::FILE).is_file());
    let current = std::env::current_dir().and_then(|folder| folder.canonicalize()).ok();
    let current = current.filter(|current| file.starts_with(current));
    package.map(Path::to_path_buf).or(current).unwrap_or_else(|| folder.to_path_buf())
}

fn stamp(file: &File) -> Result<Stamp, ReadError> {
    let it = file.metadata().map_err(ReadError::from)?;
    if !it.is_file() {
        return Err(ReadError::Missing);
    }
    let modified = it.modified().ok().map(cap_std::time::SystemTime::into_std);
    Ok(Stamp { length: it.len(), inode: it.ino(), modified, changed: (it.ctime(), it.ctime_nsec()) })
}

impl Stamp {
    /// Returns the metadata of a built-in module, which never changes.
    fn built_in(text: &str) -> Self {
        let modified = Some(SystemTime::UNIX_EPOCH);
        Self { length: text.len() as u64, inode: 0, modified, changed: (0, 0) }
    }

    /// Returns `true` if the file was left alone for a while before `read_at`. A change within the resolution of
    /// timestamps would not show.
    pub(crate) fn is_settled(&self, read_at: SystemTime) -> bool {
        const RESOLUTION: std::time::Duration = std::time::Duration::from_secs(2);
        let age = self.modified.and_then(|it| read_at.duration_since(it).ok());
        age.is_some_and(|age| age > RESOLUTION)
    }
}

fn text(file: &mut File) -> Result<String, ReadError> {
    let bytes = bounded(file, LARGEST_DOCUMENT).map_err(ReadError::from)?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..valid]);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let byte = error.as_bytes()[valid];
        ReadError::NotText(format!("line {line}, column {column}: the byte 0x{byte:02x}"))
    })
}

/// Reads a file of at most `most` bytes.
fn bounded(file: &mut File, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

fn join(folder: &str, rest: &str) -> String {
    let folder = folder.trim_end_matches('/');
    if folder.is_empty() { rest.to_owned() } else { format!("{folder}/{rest}") }
}

fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
