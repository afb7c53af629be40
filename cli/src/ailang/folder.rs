//! Packages: all documents of a folder, with its manifest.

use std::path::{Path, PathBuf};

use ailang::{Document, Documents, Manifest};
use packages::Project;

use crate::failure::Failure;
use crate::source::read;

/// The maximum number of documents. A folder with more is not a package, but perhaps a whole disk.
pub(super) const MOST_DOCUMENTS: usize = 5_000;

/// The folders of dependencies and of build results.
const FOREIGN: [&str; 3] = ["ailang_modules", "node_modules", "target"];

/// A folder of documents.
pub(super) struct Folder {
    pub(super) root: PathBuf,
    pub(super) manifest: Option<Manifest>,
    pub(super) documents: Documents,
}

/// Returns the folder that a path means, by itself or by its manifest; `None` for any other path.
pub(super) fn meant(path: &Path) -> Option<&Path> {
    let is_manifest = path.file_name().is_some_and(|name| name == Manifest::FILE);
    match path.parent() {
        Some(parent) if is_manifest && parent == Path::new("") => Some(Path::new(".")),
        Some(parent) if is_manifest => Some(parent),
        _ => path.is_dir().then_some(path),
    }
}

/// Returns the documents that a path means. For a folder these are its documents and the files that cannot be read.
pub(super) fn opened(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let Some(root) = meant(path) else { return Ok(vec![path.to_path_buf()]) };
    let mut files = files(root)?;
    files.retain(|file| read(file).map_or(true, |text| Document::parse(text).is_interface()));
    if files.is_empty() {
        return Err(format!("{} has no documents", root.display()).into());
    }
    Ok(files)
}

impl Folder {
    /// Reads all documents of a folder and of those below it.
    pub(super) fn read(root: &Path) -> Result<Self, Failure> {
        let path = root.join(Manifest::FILE);
        let manifest = if path.exists() { Some(Manifest::parse(read(&path)?)) } else { None };
        let project = Project::open(root).map_err(|error| unreadable(root, &error))?;
        let mut folder = Self { root: root.to_path_buf(), manifest, documents: project.documents() };
        for path in files(root)? {
            folder.add(&path)?;
        }
        if folder.manifest.is_none() && folder.documents.iter().next().is_none() {
            let problem = "has no documents and no ailang.json; `ailang init` creates a package";
            return Err(format!("{} {problem}", root.display()).into());
        }
        packages::add_imports(&project, &mut folder.documents).map_err(|error| unreadable(root, &error))?;
        Ok(folder)
    }

    /// Adds a file if it is an interface document, or the main file of the package.
    fn add(&mut self, file: &Path) -> Result<(), Failure> {
        let path = file.strip_prefix(&self.root).unwrap_or(file).to_string_lossy().replace('\\', "/");
        let document = Document::parse(read(file)?);
        let main = self.manifest.as_ref().and_then(|manifest| manifest.main.as_ref());
        let is_main = main.is_some_and(|main| main.value == path);
        if document.is_interface() || is_main {
            self.documents.insert(path, document);
        }
        Ok(())
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> String {
    format!("{} cannot be read: {error}", path.display())
}

/// Returns the Markdown files in a folder and below, sorted by path. Skips links, hidden files and installed
/// packages.
fn files(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut pending = vec![root.to_path_buf()];
    let mut files = Vec::new();
    while let Some(folder) = pending.pop() {
        let problem = |error| unreadable(&folder, &error);
        for entry in std::fs::read_dir(&folder).map_err(problem)? {
            let entry = entry.map_err(problem)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type().map_err(problem)?;
            if name.starts_with('.') {
                continue;
            }
            if kind.is_dir() && !FOREIGN.contains(&name.as_str()) {
                pending.push(entry.path());
            } else if kind.is_file() && name.ends_with(".md") {
                files.push(entry.path());
            }
        }
        if files.len() > MOST_DOCUMENTS {
            return Err(format!("{} has more than {MOST_DOCUMENTS} documents", root.display()).into());
        }
    }
    files.sort();
    Ok(files)
}
