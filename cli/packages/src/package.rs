//! Documents with everything that they import, for the checks. What cannot be read is left out, and its imports are
//! reported by the checks.

use std::io;
use std::path::{Path, PathBuf};

use ailang::syntax::ModuleReference;
use ailang::{Document, Documents, is_built_in};

use crate::limits::{MOST_DOCUMENTS, MOST_SIBLINGS};
use crate::project::{Project, ReadError};

/// A document together with everything that it imports.
#[derive(Debug)]
pub struct Package {
    /// The documents, those of installed packages among them.
    pub documents: Documents,
    /// The path of the document.
    pub path: String,
    /// The folder of its package; `None` for a text that is in no file.
    pub folder: Option<PathBuf>,
}

impl Package {
    /// Returns the path of a document as a user would write it, who wrote `file` for the document itself.
    pub fn shown(&self, path: &str, file: &Path) -> String {
        if path == self.path {
            return file.display().to_string();
        }
        let root = file.to_string_lossy().replace('\\', "/");
        let root = root.strip_suffix(&self.path).unwrap_or_default();
        format!("{root}{path}")
    }
}

/// Reads a document and everything that it imports, directly or not, from its package and the installed ones.
///
/// # Errors
/// The document cannot be read, or imports too many.
pub fn package(file: &Path) -> Result<Package, ReadError> {
    let unreadable = |error: io::Error| ReadError::Unreadable(error.to_string());
    let (project, path) = Project::of_file(file).map_err(unreadable)?;
    let source = project.read(&path)?;
    let mut documents = project.documents();
    documents.insert(path.clone(), Document::parse(source.text));
    add_imports(&project, &mut documents).map_err(unreadable)?;
    Ok(Package { documents, path, folder: Some(project.folder().to_path_buf()) })
}

/// Adds everything that the documents of a set import, directly or not.
///
/// # Errors
/// There are too many.
pub fn add_imports(project: &Project, documents: &mut Documents) -> io::Result<()> {
    add_imports_of(project, documents, |_| true)
}

/// Adds everything that the documents of a set import, as far as `may_add` accepts the paths.
pub(crate) fn add_imports_of(
    project: &Project,
    documents: &mut Documents,
    may_add: impl Fn(&str) -> bool,
) -> io::Result<()> {
    let mut pending: Vec<String> = documents.iter().map(|(path, _)| path.to_owned()).collect();
    while let Some(from) = pending.pop() {
        for reference in imports(documents, &from) {
            let mut paths = documents.import_paths(&from, &reference);
            paths.retain(|path| documents.get(path).is_some() || may_add(path));
            let found = first(project, documents, &paths);
            let found = found.or_else(|| sibling(project, documents, &from, &reference));
            if let Some((path, document)) = found.filter(|(path, _)| may_add(path)) {
                documents.insert(path.clone(), document);
                pending.push(path);
            }
        }
        if documents.iter().count() > MOST_DOCUMENTS {
            return Err(io::Error::other(format!("more than {MOST_DOCUMENTS} documents are imported")));
        }
    }
    documents.add_standard_library();
    Ok(())
}

/// Returns the imports of a document, those of its examples too.
fn imports(documents: &Documents, from: &str) -> Vec<ModuleReference> {
    let Some(document) = documents.get(from) else { return Vec::new() };
    let examples = document.examples.iter().flat_map(|it| it.program.imports());
    document.imports().chain(examples).map(|import| import.module.clone()).collect()
}

/// Reads the document beside `from` whose id is a bare name.
fn sibling(
    project: &Project,
    documents: &Documents,
    from: &str,
    reference: &ModuleReference,
) -> Option<(String, Document)> {
    let name = reference.text.trim();
    if reference.quoted || is_built_in(reference) || documents.beside(from, name).is_some() {
        return None;
    }
    let mut siblings = Documents::new();
    for path in project.beside(from, MOST_SIBLINGS) {
        if let Ok(source) = project.read(&path) {
            siblings.insert(path, Document::parse(source.text));
        }
    }
    let path = siblings.beside(from, name)?.to_owned();
    let document = siblings.get(&path)?.clone();
    Some((path, document))
}

/// Reads the first of some paths that exists; `None` if that is among the documents already.
fn first(project: &Project, documents: &mut Documents, paths: &[String]) -> Option<(String, Document)> {
    for path in paths {
        if documents.get(path).is_some() {
            return None;
        }
        match project.read(path) {
            // The checks look for the path as it is written, so a link is a document of its own here.
            Ok(source) => return Some((path.clone(), Document::parse(source.text))),
            Err(ReadError::Escapes) => documents.lead_outside(path.clone()),
            Err(_) => {}
        }
    }
    None
}
