//! Modules of Python: relative ones, and those below the folders where packages lie.

use std::path::{Path, PathBuf};

use syntax::{Import, ImportedName};

use super::{Module, Modules, ResolvedImport, split};

impl Modules<'_> {
    pub(super) fn resolve_python(&self, file: &Path, import: Import) -> Vec<ResolvedImport> {
        let to = self.python_module(file, &import.module);
        let folder = match &to {
            Module::File(path, _) if is_package(path) => path.parent().map(Path::to_owned),
            Module::Folder(folder) => Some(folder.clone()),
            _ => None,
        };
        let whole = to.clone();
        let submodule = |name: &ImportedName| match name.name.as_str() {
            "self" => Some(whole.clone()),
            "*" => None,
            last => self.below(folder.as_ref()?, [last]),
        };
        let joined = |module: &str, name: &str| {
            let dot = if module.ends_with('.') { "" } else { "." };
            format!("{module}{dot}{name}")
        };
        split(import, to, submodule, joined)
    }

    fn python_module(&self, file: &Path, module: &str) -> Module {
        let dots = module.chars().take_while(|it| *it == '.').count();
        let steps: Vec<&str> = module[dots..].split('.').filter(|it| !it.is_empty()).collect();
        if dots > 0 {
            let Some(folder) = file.ancestors().nth(dots) else { return Module::Unknown };
            return self.below(folder, steps).unwrap_or(Module::Unknown);
        }
        let starts = self.python_starts(file);
        for start in &starts {
            if let Some(found) = self.below(start, steps.iter().copied()) {
                return found;
            }
        }
        let is_ours = |start: &PathBuf| steps.first().is_some_and(|it| self.below(start, [*it]).is_some());
        if starts.iter().any(is_ours) { Module::Unknown } else { Module::External }
    }

    /// Returns the folders from which absolute imports of a file may start, the nearest first.
    fn python_starts(&self, file: &Path) -> Vec<PathBuf> {
        let mut starts = Vec::new();
        let workspace = self.root_of(file).cloned();
        let outside_of_package = |it: &&Path| !is_package_folder(it);
        starts.extend(file.ancestors().skip(1).find(outside_of_package).map(Path::to_owned));
        let is_within = |it: &&Path| workspace.as_ref().is_some_and(|root| it.starts_with(root));
        for folder in file.ancestors().skip(1).take_while(is_within) {
            starts.extend([folder.to_owned(), folder.join("src"), folder.join("lib")]);
        }
        for root in self.roots.folders() {
            starts.extend([root.clone(), root.join("src")]);
        }
        let mut seen = std::collections::HashSet::new();
        starts.retain(|it| seen.insert(it.clone()));
        starts
    }

    /// Returns the module at a path below a folder; without steps, the folder's package.
    fn below<'s>(&self, folder: &Path, steps: impl IntoIterator<Item = &'s str>) -> Option<Module> {
        let path = steps.into_iter().fold(folder.to_owned(), |it, step| it.join(step));
        let files = ["__init__.py", "__init__.pyi"].map(|it| path.join(it));
        let plain = ["py", "pyi"].map(|it| PathBuf::from(format!("{}.{it}", path.display())));
        let is_itself = path == folder;
        let file =
            files.into_iter().chain(plain.into_iter().filter(|_| !is_itself)).find(|it| self.is_file(it));
        match file {
            Some(file) => Some(Module::File(file, Vec::new())),
            None if path.is_dir() && holds_python(&path) => Some(Module::Folder(path)),
            None => None,
        }
    }
}

/// Returns whether a folder holds files of Python, as packages without an `__init__.py` do.
fn holds_python(folder: &Path) -> bool {
    let entries = folder.read_dir().into_iter().flatten().flatten().take(1_000);
    entries.into_iter().any(|it| {
        let path = it.path();
        path.extension().is_some_and(|it| it == "py" || it == "pyi") || path.join("__init__.py").is_file()
    })
}

fn is_package(file: &Path) -> bool {
    file.file_stem().is_some_and(|it| it == "__init__")
}

fn is_package_folder(folder: &Path) -> bool {
    ["__init__.py", "__init__.pyi"].iter().any(|it| folder.join(it).is_file())
}
