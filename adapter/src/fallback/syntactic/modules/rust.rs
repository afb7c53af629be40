//! Modules of Rust: the crates of the workspace, and the files of their modules.

use std::fs;
use std::path::{Path, PathBuf};

use syntax::{Import, ImportedName, Kind};

use super::{Module, Modules, ResolvedImport, split};
use crate::fallback::source::languages::language_of;
use crate::fallback::syntactic::found_definition::text_of;

/// The largest manifest that is read, in bytes.
const SIZE: u64 = 1024 * 1024;

/// A crate of the workspace.
#[derive(Clone, Debug)]
pub(crate) struct Crate {
    /// Its name in paths.
    name: String,
    folder: PathBuf,
    /// The file of its library, or else of its program.
    root: PathBuf,
}

/// A module, as a place in a file.
#[derive(Clone, Debug)]
struct Place {
    file: PathBuf,
    /// The folder of its submodules.
    folder: PathBuf,
    /// The names of the definitions in the file that lead to it.
    inside: Vec<String>,
}

impl Modules<'_> {
    pub(super) fn resolve_rust(&self, file: &Path, import: Import) -> Vec<ResolvedImport> {
        let steps: Vec<&str> = import.module.split("::").filter(|it| !it.is_empty()).collect();
        let start = self.start(file, &import.around, &steps);
        let Start::At(place, rest) = start else {
            let to = if matches!(start, Start::External) { Module::External } else { Module::Unknown };
            return vec![ResolvedImport { import, to }];
        };
        let place = rest.iter().fold(place, |place, step| self.step(place, step));
        let to = Module::File(place.file.clone(), place.inside.clone());
        let submodule = |name: &ImportedName| {
            if name.name == "self" {
                return Some(Module::File(place.file.clone(), place.inside.clone()));
            }
            let next = self.submodule(&place, &name.name)?;
            Some(Module::File(next.file, next.inside))
        };
        split(import, to, submodule, |module, name| format!("{module}::{name}"))
    }

    /// Returns the module that the first steps of a path mean, with the other steps.
    fn start<'s>(&self, file: &Path, around: &[String], steps: &'s [&'s str]) -> Start<'s> {
        let Some((first, rest)) = steps.split_first() else { return Start::Unknown };
        let own = self.module_of(file, around);
        match *first {
            "crate" | "$crate" => match self.crate_root(file) {
                Some(root) => Start::At(self.module_of(&root, &[]), rest),
                None => Start::Unknown,
            },
            "self" => Start::At(own, rest),
            "super" => {
                let ups = steps.iter().take_while(|it| **it == "super").count();
                let up = (0..ups).try_fold(own, |place, _| self.parent(place));
                up.map_or(Start::Unknown, |it| Start::At(it, &steps[ups..]))
            }
            name => {
                if let Some(place) = self.submodule(&own, name) {
                    return Start::At(place, rest);
                }
                let crates = self.crates();
                if let Some(it) = crates.iter().find(|it| it.name == name) {
                    return Start::At(self.module_of(&it.root, &[]), rest);
                }
                // An enum of the module: `use Kind::A`.
                if name.starts_with(char::is_uppercase) {
                    return Start::At(own, steps);
                }
                // Before the edition of 2018 paths start at the crate.
                let root = self.crate_root(file).map(|it| self.module_of(&it, &[]));
                match root.and_then(|it| self.submodule(&it, name)) {
                    Some(place) => Start::At(place, rest),
                    None if self.has_inline_module(file, name) => Start::At(own, steps),
                    None => Start::External,
                }
            }
        }
    }

    /// Returns whether a file defines a module in its own text.
    fn has_inline_module(&self, file: &Path, name: &str) -> bool {
        let text = language_of(file).zip(text_of(self.roots, file));
        text.is_some_and(|(language, text)| {
            let text = text.as_str();
            let is_module = |it: &syntax::Definition| it.kind == Kind::Module;
            text.contains(&format!("mod {name}"))
                && syntax::named(language, text, name).definitions.iter().any(is_module)
        })
    }

    /// Returns the place that a step from a module leads to: the file of a submodule, or a definition.
    fn step(&self, place: Place, step: &str) -> Place {
        if step == "self" {
            return place;
        }
        self.submodule(&place, step).unwrap_or_else(|| {
            let mut inside = place.inside.clone();
            inside.push(step.to_owned());
            Place { inside, ..place }
        })
    }

    /// Returns the submodule of a name that has a file of its own.
    fn submodule(&self, place: &Place, name: &str) -> Option<Place> {
        let name = name.trim_start_matches("r#");
        let folder = place.inside.iter().fold(place.folder.clone(), |it, step| it.join(step));
        let files = [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")];
        let file = files.into_iter().find(|it| self.is_file(it) && *it != place.file)?;
        Some(Place { file, folder: folder.join(name), inside: Vec::new() })
    }

    fn module_of(&self, file: &Path, around: &[String]) -> Place {
        let parent = file.parent().unwrap_or(file);
        let stem = file.file_stem().unwrap_or_default();
        let is_root = matches!(stem.to_str(), Some("mod" | "lib" | "main")) || self.is_target(file);
        let folder = if is_root { parent.to_owned() } else { parent.join(stem) };
        Place { file: file.to_owned(), folder, inside: around.to_vec() }
    }

    /// Returns whether a file is a target of its own: a test, an example, a benchmark, a program.
    fn is_target(&self, file: &Path) -> bool {
        let folder = file.parent().unwrap_or(file);
        let is_beside = |it: &Path| it.join("Cargo.toml").is_file();
        let of_folder = |name: &str| folder.ends_with(name) && folder.parent().is_some_and(is_beside);
        let is_program = folder.ends_with("src/bin");
        ["tests", "examples", "benches"].into_iter().any(of_folder) || is_program || is_beside(folder)
    }

    fn parent(&self, place: Place) -> Option<Place> {
        if let Some((_, inside)) = place.inside.split_last() {
            return Some(Place { inside: inside.to_vec(), ..place });
        }
        let above = match place.file.file_stem().and_then(|it| it.to_str()) {
            Some("mod") => place.folder.parent()?.to_owned(),
            _ => place.file.parent()?.to_owned(),
        };
        let name = above.file_name()?.to_str()?.to_owned();
        let mut files = vec![above.join("mod.rs"), above.join("lib.rs"), above.join("main.rs")];
        files.extend(above.parent().map(|it| it.join(format!("{name}.rs"))));
        let file = files.into_iter().find(|it| self.is_file(it) && *it != place.file)?;
        Some(Place { file, folder: above, inside: Vec::new() })
    }

    /// Returns the root file of the crate that a file belongs to.
    fn crate_root(&self, file: &Path) -> Option<PathBuf> {
        if self.is_target(file) {
            return Some(file.to_owned());
        }
        let workspace = self.root_of(file)?;
        for folder in file.ancestors().skip(1).take_while(|it| it.starts_with(workspace)) {
            let roots = ["lib.rs", "main.rs"].map(|it| folder.join(it));
            if let Some(root) = roots.into_iter().find(|it| self.is_file(it)) {
                return Some(root);
            }
            if folder.join("Cargo.toml").is_file() {
                break;
            }
        }
        let own = self.crates().iter().filter(|it| file.starts_with(&it.folder));
        own.max_by_key(|it| it.folder.as_os_str().len()).map(|it| it.root.clone())
    }

    /// Returns the crates of the workspace.
    pub(super) fn crates(&self) -> &[Crate] {
        self.crates
            .get_or_init(|| self.manifests("Cargo.toml").iter().filter_map(|it| self.crate_of(it)).collect())
    }

    fn crate_of(&self, manifest: &Path) -> Option<Crate> {
        let folder = manifest.parent()?.to_owned();
        let is_small = fs::metadata(manifest).is_ok_and(|it| it.len() <= SIZE);
        let text = is_small.then(|| fs::read_to_string(manifest).ok()).flatten()?;
        let table: toml::Table = text.parse().ok()?;
        let of = |table: &toml::Table, section: &str, key: &str| {
            Some(table.get(section)?.get(key)?.as_str()?.to_owned())
        };
        let package = of(&table, "package", "name")?;
        let name = of(&table, "lib", "name").unwrap_or(package).replace('-', "_");
        let path = of(&table, "lib", "path").map(|it| folder.join(it));
        let files = path.into_iter().chain(["src/lib.rs", "src/main.rs"].map(|it| folder.join(it)));
        let root = files.into_iter().find(|it| self.is_file(it))?;
        Some(Crate { name, folder, root })
    }
}

/// The start of a path.
enum Start<'s> {
    /// A module, and the steps from there.
    At(Place, &'s [&'s str]),
    External,
    Unknown,
}
