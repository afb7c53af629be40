//! Resolves imported modules to files, by the rules of their language.

mod ecmascript;
mod python;
mod rust;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ecmascript::Aliases;
use rust::Crate;
use syntax::{Import, ImportedName, Language};

use crate::fallback::source::languages::ids;
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::walk;

/// The maximum number of manifests that are read.
const MANIFESTS: usize = 2_000;

/// The destination of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Module {
    /// A file of the workspace, and the names of the definitions in it that lead to the module.
    File(PathBuf, Vec<String>),
    /// A folder of the workspace that is a Python package without a file of its own.
    Folder(PathBuf),
    /// Outside the workspace.
    External,
    /// Nothing that was found.
    Unknown,
}

/// An import with its destination. Imported names that are modules themselves are imports of their own.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedImport {
    pub(crate) import: Import,
    pub(crate) to: Module,
}

/// The modules of a session's folders, with what was read of their manifests.
pub(crate) struct Modules<'a> {
    pub(crate) roots: &'a SessionFolders,
    crates: OnceCell<Vec<Crate>>,
    packages: OnceCell<HashMap<String, PathBuf>>,
    /// The path aliases of each folder.
    aliases: HashMap<PathBuf, Vec<Aliases>>,
}

impl<'a> Modules<'a> {
    pub(crate) fn new(roots: &'a SessionFolders) -> Self {
        Self { roots, crates: OnceCell::new(), packages: OnceCell::new(), aliases: HashMap::new() }
    }

    /// Resolves an import of a file; blocking.
    pub(crate) fn resolve(&mut self, file: &Path, language: Language, import: Import) -> Vec<ResolvedImport> {
        let mut resolved = match language.id() {
            ids::RUST => self.resolve_rust(file, import),
            ids::PYTHON => self.resolve_python(file, import),
            _ => {
                let to = self.resolve_specifier(file, &import.module);
                vec![ResolvedImport { import, to }]
            }
        };
        resolved.iter_mut().for_each(|it| self.confine(&mut it.to));
        resolved
    }

    /// Makes a module external if its file lies outside the workspace, also behind a symbolic link.
    fn confine(&self, module: &mut Module) {
        let (Module::File(path, _) | Module::Folder(path)) = module else { return };
        match path.canonicalize() {
            Ok(canonical) if self.roots.contains(&canonical) => *path = canonical,
            Err(_) if self.roots.texts().contains_key(path) => {}
            _ => *module = Module::External,
        }
    }

    /// Returns the index file of a folder.
    pub(crate) fn index_of(&self, folder: &Path) -> Option<PathBuf> {
        let rust = ["src/lib.rs", "src/main.rs", "lib.rs", "mod.rs", "../"].map(|it| match it {
            // A module may stand beside the folder of its submodules.
            "../" => folder.with_extension("rs"),
            inner => folder.join(inner),
        });
        let python = [folder.join("__init__.py"), folder.join("__init__.pyi")];
        let all = rust.into_iter().chain(python);
        all.into_iter().find(|it| self.is_file(it)).or_else(|| self.package_file(folder))
    }

    /// Returns whether a path is a file, on disk or in the editor.
    fn is_file(&self, path: &Path) -> bool {
        path.is_file() || self.roots.texts().contains_key(path)
    }

    /// Returns the manifests of a name in all folders.
    fn manifests(&self, name: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for folder in walk::outermost(self.roots.folders()) {
            let entries = walk::builder(folder, folder).build().filter_map(Result::ok);
            let files = entries.take(walk::ENTRY_LIMIT).filter(|it| it.file_name() == name);
            found.extend(files.map(ignore::DirEntry::into_path).take(MANIFESTS));
        }
        found
    }

    /// Returns the folder of the session that contains a path.
    fn root_of(&self, path: &Path) -> Option<&PathBuf> {
        walk::outermost(self.roots.folders()).find(|it| path.starts_with(it))
    }
}

/// Splits the names of an import into those that are modules themselves, by `submodule`, and the rest. `joined` writes
/// the path of such a module.
fn split(
    import: Import,
    to: Module,
    mut submodule: impl FnMut(&ImportedName) -> Option<Module>,
    joined: impl Fn(&str, &str) -> String,
) -> Vec<ResolvedImport> {
    let mut resolved = Vec::new();
    let (mut rest, was_bare) = (Vec::new(), import.names.is_empty());
    for name in &import.names {
        match submodule(name) {
            None => rest.push(name.clone()),
            Some(to) => {
                let module = match name.name.as_str() {
                    "self" => import.module.clone(),
                    last => joined(&import.module, last),
                };
                let alias =
                    name.alias.clone().map(|_| ImportedName { name: "self".to_owned(), ..name.clone() });
                let names = alias.into_iter().collect();
                resolved.push(ResolvedImport {
                    import: Import { module, names, at: name.at, ..import.clone() },
                    to,
                });
            }
        }
    }
    if was_bare || !rest.is_empty() {
        resolved.insert(0, ResolvedImport { import: Import { names: rest, ..import }, to });
    }
    resolved
}
