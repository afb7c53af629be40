//! The folders outside of a session whose files may be read once an answer has named them.
//!
//! The workspace's code decides where an answer leads: by an `#include`, an import or a setting. So files
//! outside are read only in folders that do not come from the workspace. These are the folders of toolchains
//! (`given` in the rows of [`languages`]), the installations of running servers, and the repository that
//! contains a session's folder.
//!
//! In a trusted workspace all other files may be read too, except in [`NEVER`] and the user's dot folders.
//! Only canonical paths are compared.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::walk::{is_inside, outermost};
use crate::fallback::source::languages;
use crate::fallback::source::languages::{Language, OutsideFolder};
use crate::xdg_dirs;

/// Folders that are never read, unless a toolchain has a folder in them.
const NEVER: &[&str] = &["/etc", "/private/etc", "/proc", "/sys", "/dev", "/run", "/root", "/boot"];

/// Folders that are too wide for a toolchain, whatever a variable says.
const TOO_WIDE: &[&str] = &["/", "/usr", "/usr/local", "/home", "/opt", "/var", "/tmp", "/lib"];

/// The readable folders that exist on this machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadableOutside(BTreeSet<PathBuf>);

impl ReadableOutside {
    /// Finds the folders of all languages; blocking. Programs in the workspace are ignored.
    pub(crate) fn find(workspace: &[PathBuf]) -> Self {
        let rows = languages::rows().flat_map(|it| it.given);
        let folders: BTreeSet<_> =
            rows.flat_map(|it| it.places(workspace)).filter(|it| is_narrow(it)).collect();
        Self(outermost(&folders).cloned().collect())
    }

    /// Adds the libraries of a server's installation; blocking.
    pub(crate) fn add_installation(&mut self, program: &Path, workspace: &[PathBuf]) {
        let Ok(program) = program.canonicalize() else { return };
        let is_ours = |it: &PathBuf| is_narrow(it) && !is_inside(it, workspace);
        let modules =
            program.ancestors().filter(|it| it.ends_with("node_modules")).last().map(Path::to_owned);
        let beside = below_installation(&program, "lib*/python*").into_iter();
        let clang = below_installation(&program, "lib/clang");
        self.0.extend(modules.into_iter().chain(beside).chain(clang).filter(is_ours));
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
    language.given.iter().flat_map(|it| it.places(workspace)).filter(|it| is_narrow(it)).collect()
}

impl OutsideFolder {
    /// Returns the matching folders on this machine, canonical.
    fn places(self, workspace: &[PathBuf]) -> Vec<PathBuf> {
        match self {
            Self::At(path) => expand(Path::new("/"), path.trim_start_matches('/')),
            Self::Home(below) => xdg_dirs::home().iter().flat_map(|it| expand(it, below)).collect(),
            Self::Cache(below) => xdg_dirs::cache().iter().flat_map(|it| expand(it, below)).collect(),
            Self::Variable(name, below) => {
                // An unset variable lists no folders.
                let list = std::env::var_os(name).unwrap_or_default();
                let folders = std::env::split_paths(&list).filter(|it| it.is_absolute());
                folders.flat_map(|it| expand(&it, below)).collect()
            }
            Self::Beside(program, below) => {
                let Some(path) = std::env::var_os("PATH") else { return Vec::new() };
                let found = which::which_in_all(program, Some(path), "/").into_iter().flatten();
                let ours = found.filter(|it| !is_inside(it, workspace));
                // A virtual environment links to the program that created it.
                let both = ours.flat_map(|it| [it.canonicalize().ok(), Some(it)]).flatten();
                both.flat_map(|it| below_installation(&it, below)).collect()
            }
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

/// Returns whether a canonical folder is a system folder or contains the user's home folder.
pub(crate) fn is_system(folder: &Path) -> bool {
    !is_narrow(folder) || NEVER.iter().any(|it| *it != "/root" && folder.starts_with(it))
}

/// Returns whether a folder is narrow enough to be read.
fn is_narrow(folder: &Path) -> bool {
    let holds_home = xdg_dirs::home().is_some_and(|home| home.starts_with(folder));
    let is_system = NEVER.iter().chain(TOO_WIDE).any(|it| Path::new(it) == folder);
    !holds_home && !is_system
}

/// Returns the nearest repository around a canonical folder, but not one that contains the user's home
/// folder.
pub(crate) fn repository(folder: &Path) -> Option<PathBuf> {
    let home = xdg_dirs::home().and_then(|it| it.canonicalize().ok());
    let is_home = |it: &Path| home.as_ref().is_some_and(|home| home.starts_with(it));
    let above = folder.ancestors().take_while(|it| !is_home(it) && it.parent().is_some());
    above.into_iter().find(|it| it.join(".git").exists()).filter(|it| is_narrow(it)).map(Path::to_owned)
}

/// Returns whether a canonical path is never read: in a system folder, or a dot folder of the user.
pub(crate) fn is_private(path: &Path) -> bool {
    let home = xdg_dirs::home().and_then(|it| it.canonicalize().ok());
    let in_home = home.as_ref().and_then(|home| path.strip_prefix(home).ok());
    match in_home {
        Some(below) => below.iter().next().is_some_and(|it| it.as_encoded_bytes().starts_with(b".")),
        None => NEVER.iter().any(|it| path.starts_with(it)),
    }
}
