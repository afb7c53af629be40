//! Documents from files, with the documents that they import.

use std::path::{Path, PathBuf};

use ailang::{Document, Documents, Manifest, import_paths};

use crate::failure::Failure;
use crate::source::read;

const STANDARD_INPUT: &str = "standard input";

/// A document together with everything that it imports.
pub(super) struct Package {
    pub(super) documents: Documents,
    /// The path of the document in the package.
    pub(super) path: String,
}

/// Reads the document of a file; `-` is standard input.
pub(super) fn document(file: &Path) -> Result<Document, Failure> {
    Ok(Document::parse(read(file)?))
}

/// Returns the name of a file for messages.
pub(super) fn name(file: &Path) -> String {
    if file == Path::new("-") { STANDARD_INPUT.to_owned() } else { file.display().to_string() }
}

/// Reads a document, and everything that it imports, directly or not.
///
/// Imports stay in the package. Its root is the nearest folder above with an `ailang.json`, then the current
/// folder, then the folder of the file.
pub(super) fn package(file: &Path) -> Result<Package, Failure> {
    let mut documents = Documents::new();
    if file == Path::new("-") {
        documents.insert(STANDARD_INPUT, document(file)?);
        return Ok(Package { documents, path: STANDARD_INPUT.to_owned() });
    }
    let whole = file.canonicalize().map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
    let root = root(&whole);
    if let Ok(manifest) = std::fs::read_to_string(root.join(Manifest::FILE)) {
        depend(&mut documents, &Manifest::parse(manifest));
    }
    let path = whole.strip_prefix(&root).unwrap_or(&whole).to_string_lossy().replace('\\', "/");
    let mut pending = vec![(path.clone(), document(&whole)?)];
    while let Some((from, document)) = pending.pop() {
        let imports = document.imports().map(|import| &import.module);
        let mut found: Vec<Vec<String>> = imports.map(|module| import_paths(&from, module)).collect();
        documents.insert(from, document);
        found.retain(|paths| !paths.iter().any(|path| documents.get(path).is_some()));
        for paths in found {
            let is_new = |path: &&String| !pending.iter().any(|(other, _)| other == *path);
            let Some(path) = paths.iter().find(|path| is_inside(&root, path)).filter(is_new) else {
                continue;
            };
            pending.push((path.clone(), self::document(&root.join(path))?));
        }
    }
    Ok(Package { documents, path })
}

/// Declares the dependencies of a package.
pub(super) fn depend(documents: &mut Documents, manifest: &Manifest) {
    for dependency in &manifest.dependencies {
        documents.depend_on(&dependency.name.value);
    }
}

/// Returns whether a path is a file inside the folder, after following links.
fn is_inside(root: &Path, path: &str) -> bool {
    root.join(path).canonicalize().is_ok_and(|whole| whole.is_file() && whole.starts_with(root))
}

fn root(file: &Path) -> PathBuf {
    let folder = file.parent().unwrap_or(file);
    let package = folder.ancestors().find(|folder| folder.join(Manifest::FILE).is_file());
    let current = std::env::current_dir().and_then(|folder| folder.canonicalize()).ok();
    let current = current.filter(|current| file.starts_with(current));
    package.map(Path::to_path_buf).or(current).unwrap_or_else(|| folder.to_path_buf())
}
