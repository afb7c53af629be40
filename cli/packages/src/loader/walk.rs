//! The imports of documents, followed through all packages.

use std::collections::HashMap;
use std::sync::Arc;

use ailang::Documents;
use ailang::syntax::ModuleReference;

use super::cache::DocumentCache;
use super::digest::Parsed;
use super::error::LoadError;
use crate::limits::{MOST_DOCUMENTS, MOST_SIBLINGS};
use crate::project::{Project, ReadError};

/// The places to find documents in.
#[derive(Debug)]
pub(super) struct Walker<'l> {
    pub(super) project: &'l Project,
    /// The installed packages, without documents.
    pub(super) names: &'l Documents,
    pub(super) cache: &'l mut DocumentCache,
}

/// A document whose imports are being followed.
struct Step {
    path: String,
    imports: Vec<String>,
    next: usize,
}

impl Walker<'_> {
    /// Returns everything that a document imports, directly or not: each once, after its own imports.
    ///
    /// # Errors
    /// An import is not there, cannot be read, or is part of a circle.
    pub(super) fn dependencies(&mut self, path: &str) -> Result<Vec<String>, LoadError> {
        let mut done = Vec::new();
        let mut is_done: HashMap<String, bool> = HashMap::new();
        let mut steps = vec![self.enter(path, &mut is_done)?];
        while let Some(step) = steps.last_mut() {
            let Some(import) = step.imports.get(step.next).cloned() else {
                is_done.insert(step.path.clone(), true);
                done.push(std::mem::take(&mut step.path));
                steps.pop();
                continue;
            };
            step.next += 1;
            match is_done.get(&import) {
                Some(true) => {}
                Some(false) => return Err(circle(&steps, &import)),
                None if is_done.len() >= MOST_DOCUMENTS => return Err(too_many(path)),
                None => steps.push(self.enter(&import, &mut is_done)?),
            }
        }
        done.pop(); // the document itself
        Ok(done)
    }

    fn enter(&mut self, path: &str, is_done: &mut HashMap<String, bool>) -> Result<Step, LoadError> {
        is_done.insert(path.to_owned(), false);
        let parsed = self.parsed(path)?;
        let imports: Vec<_> = parsed.digest.imports.iter().map(|it| it.reference()).collect();
        let found = imports.iter().map(|reference| self.import(path, reference));
        let imports = found.collect::<Result<_, _>>()?;
        Ok(Step { path: path.to_owned(), imports, next: 0 })
    }

    /// Returns the document at a canonical path, without errors of syntax.
    pub(super) fn parsed(&mut self, path: &str) -> Result<Arc<Parsed>, LoadError> {
        let parsed =
            self.cache.request(self.project, path, None).map_err(|error| unreadable(path, &error))?;
        readable(path, &parsed)?;
        Ok(parsed)
    }

    /// Returns the canonical path of an import.
    fn import(&mut self, from: &str, reference: &ModuleReference) -> Result<String, LoadError> {
        let module = reference.text.clone();
        if ailang::is_built_in(reference) {
            let absent = || LoadError::ModuleNotFound { module, from: from.to_owned() };
            return ailang::built_in_module(reference).ok_or_else(absent);
        }
        let paths = self.names.import_paths(from, reference);
        for path in &paths {
            match self.project.canonical(path) {
                Err(ReadError::Missing) => {}
                Err(ReadError::Escapes) => {
                    return Err(LoadError::OutsidePackage { module, from: from.to_owned() });
                }
                Err(error) => return Err(unreadable(path, &error)),
                Ok(path) => return Ok(path),
            }
        }
        if reference.quoted && paths.is_empty() && is_path(&module) {
            return Err(LoadError::OutsidePackage { module, from: from.to_owned() });
        }
        let sibling = if reference.quoted { None } else { self.sibling(from, &module) };
        sibling.ok_or_else(|| LoadError::ModuleNotFound { module, from: from.to_owned() })
    }

    /// Returns the document beside `from` whose id, or file name in another spelling, is a name.
    fn sibling(&mut self, from: &str, name: &str) -> Option<String> {
        let mut siblings = Documents::new();
        for path in self.project.beside(from, MOST_SIBLINGS) {
            if let Ok(parsed) = self.cache.request(self.project, &path, None) {
                siblings.insert(path, Arc::clone(parsed.document()));
            }
        }
        siblings.beside(from, name).map(str::to_owned)
    }
}

fn is_path(module: &str) -> bool {
    module.starts_with(['.', '/', '~', '\\']) || module.contains("://")
}

fn circle(steps: &[Step], import: &str) -> LoadError {
    let paths = steps.iter().map(|step| step.path.as_str()).skip_while(|path| *path != import);
    LoadError::CircularDependency { path: paths.chain([import]).map(str::to_owned).collect() }
}

fn too_many(path: &str) -> LoadError {
    let problem = format!("it imports more than {MOST_DOCUMENTS} documents");
    LoadError::Parse { path: path.to_owned(), problem }
}

pub(super) fn readable(path: &str, parsed: &Parsed) -> Result<(), LoadError> {
    match &parsed.digest.error {
        Some(problem) => Err(LoadError::Parse { path: path.to_owned(), problem: problem.clone() }),
        None => Ok(()),
    }
}

pub(super) fn unreadable(path: &str, error: &ReadError) -> LoadError {
    let (module, from) = (path.to_owned(), String::new());
    match error {
        ReadError::Missing => LoadError::ModuleNotFound { module, from },
        ReadError::Escapes => LoadError::OutsidePackage { module, from },
        ReadError::Unreadable(problem) => LoadError::Parse { path: module, problem: problem.clone() },
        ReadError::NotText(problem) => {
            LoadError::Parse { path: module, problem: format!("it is not UTF-8: {problem}") }
        }
    }
}
