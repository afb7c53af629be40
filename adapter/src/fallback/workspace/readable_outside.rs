//! The folders outside of a session whose files may be read once an answer has named them.
//!
//! The workspace's code decides where an answer leads: by an `#include`, an import or a setting. So files
//! outside are read only in folders that do not come from the workspace. These are the folders of toolchains
//! (`given` in the rows of [`languages`]), the installations of running servers, and the repository that
//! contains a session's folder.
//!
//! In a trusted workspace all other files may be read too, except private ones ([`Bounds::is_private`]).
//! Only canonical paths are compared.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use confinement::Bounds;

use super::walk::outermost;
use crate::fallback::source::languages;
use crate::fallback::source::languages::{Language, OutsideFolder};
use crate::fallback::trust::ownership::bounds;
use crate::xdg_dirs;

/// The readable folders that exist on this machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadableOutside(BTreeSet<PathBuf>);

impl ReadableOutside {
    /// Finds the folders of all languages; blocking. Programs in the workspace are ignored.
    pub(crate) fn find(workspace: &[PathBuf]) -> Self {
        let (rows, bounds) = (languages::rows().flat_map(|it| it.given), bounds(workspace));
        let folders: BTreeSet<_> = rows.flat_map(|it| it.places(&bounds)).collect();
        Self(outermost(&folders).cloned().collect())
    }

    /// Adds the libraries of a server's installation; blocking.
    pub(crate) fn add_installation(&mut self, program: &Path, workspace: &[PathBuf]) {
        let Ok(program) = program.canonicalize() else { return };
        let bounds = bounds(workspace);
        let modules =
            program.ancestors().filter(|it| it.ends_with("node_modules")).last().map(Path::to_owned);
        let beside = below_installation(&program, "lib*/python*").into_iter();
        let clang = below_installation(&program, "lib/clang");
        let all = modules.into_iter().chain(beside).chain(clang);
        self.0.extend(all.filter_map(|it| bounds.admitted(&it)));
    }

    /// Adds a folder for sources that confined programs make. Its path is not resolved, because a program may
    /// have put a link there.
    pub(crate) fn add_made(&mut self, folder: &Path) {
        self.0.insert(folder.to_owned());
    }

    /// Returns whether a canonical path lies in one of the folders.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        path.ancestors().any(|it| self.0.contains(it))
    }
}

/// Returns the folders of a language's toolchain and the user's downloads for it; blocking.
pub(crate) fn folders(language: &Language, workspace: &[PathBuf]) -> Vec<PathBuf> {
    let bounds = bounds(workspace);
    language.given.iter().flat_map(|it| it.places(&bounds)).collect()
}

impl OutsideFolder {
    /// Returns the matching folders on this machine, canonical, without those of the workspace.
    fn places(self, bounds: &Bounds) -> Vec<PathBuf> {
        let found = match self {
            Self::At(path) => expand(Path::new("/"), path.trim_start_matches('/')),
            // Variables and the search path may name anything.
            Self::Variable(..) | Self::Beside(..) => {
                return self.named(bounds).iter().filter_map(|it| bounds.admitted(it)).collect();
            }
            Self::Home(below) => xdg_dirs::home().iter().flat_map(|it| expand(it, below)).collect(),
            Self::Cache(below) => {
                let cache = xdg_dirs::cache().filter(|it| !bounds.is_of_workspace(it));
                cache.iter().flat_map(|it| expand(it, below)).collect()
            }
        };
        found.into_iter().filter(|it| !bounds.holds_home(it)).collect()
    }

    /// Returns the matching folders that the environment names.
    fn named(self, bounds: &Bounds) -> Vec<PathBuf> {
        match self {
            Self::Variable(name, below) => {
                // An unset variable lists no folders.
                let list = std::env::var_os(name).unwrap_or_default();
                let folders = std::env::split_paths(&list);
                let ours = folders.filter(|it| it.is_absolute() && !bounds.is_of_workspace(it));
                ours.flat_map(|it| expand(&it, below)).collect()
            }
            Self::Beside(program, below) => {
                let Some(path) = std::env::var_os("PATH") else { return Vec::new() };
                let found = which::which_in_all(program, Some(path), "/").into_iter().flatten();
                let ours = found.filter(|it| !bounds.is_of_workspace(it));
                // A virtual environment links to the program that created it.
                let both = ours.flat_map(|it| [it.canonicalize().ok(), Some(it)]).flatten();
                both.flat_map(|it| below_installation(&it, below)).collect()
            }
            Self::At(_) | Self::Home(_) | Self::Cache(_) => Vec::new(),
        }
    }
}

fn below_installation(program: &Path, below: &str) -> Vec<PathBuf> {
    let folder = program.parent().filter(|it| it.ends_with("bin")).and_then(Path::parent);
    // A program outside of a `bin` folder has no known installation.
    folder.map(|it| expand(it, below)).unwrap_or_default()
}

/// Returns the folders below `start` that match a path with `*` at the ends of names, canonical.
fn expand(start: &Path, below: &str) -> Vec<PathBuf> {
    let mut found = vec![start.to_owned()];
    for name in below.split('/').filter(|it| !it.is_empty()) {
        found = match name.strip_suffix('*') {
            None => found.into_iter().map(|it| it.join(name)).collect(),
            Some(prefix) => {
                let entries = found.iter().filter_map(|it| fs::read_dir(it).ok()).flatten().flatten();
                let meant =
                    entries.filter(|it| it.file_name().as_encoded_bytes().starts_with(prefix.as_bytes()));
                meant.map(|it| it.path()).collect()
            }
        };
    }
    found.into_iter().filter_map(|it| it.canonicalize().ok()).filter(|it| it.is_dir()).collect()
}
