//! The folders outside of a session's own whose files may be read for an agent, once an answer has named them.
//!
//! The code of a workspace decides where an answer leads, by an `#include`, an import or a setting. So a file outside is
//! read only inside of folders that do not come from the workspace: those that a language's toolchain keeps (the `given`
//! of its row in [`languages`]), the installations of the servers that run, and the repository that a folder of the session
//! is a part of. In a trusted workspace other files count as well, those of [`NEVER`] and the user's dot folders apart.
//! Only canonical paths are compared.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::walk::{is_inside, outermost};
use crate::fallback::source::languages;
use crate::fallback::source::languages::{Folder, Language};
use crate::xdg_dirs;

/// Folders of which nothing is read, unless a toolchain gives a part of one.
const NEVER: &[&str] = &["/etc", "/private/etc", "/proc", "/sys", "/dev", "/run", "/root", "/boot"];

/// Folders that are too wide to be given by a toolchain, whatever a variable says.
const TOO_WIDE: &[&str] = &["/", "/usr", "/usr/local", "/home", "/opt", "/var", "/tmp", "/lib"];

/// What was found on this machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given(BTreeSet<PathBuf>);

impl Given {
    /// Looks for the folders of all languages; blocking. Programs that lie in the workspace give nothing.
    pub(crate) fn find(workspace: &[PathBuf]) -> Self {
        let rows = languages::rows().flat_map(|it| it.given);
        let folders: BTreeSet<_> =
            rows.flat_map(|it| it.places(workspace)).filter(|it| is_narrow(it)).collect();
        Self(outermost(&folders).cloned().collect())
    }

    /// Adds the libraries that a server is installed with; blocking.
    pub(crate) fn add_installation(&mut self, program: &Path, workspace: &[PathBuf]) {
        let Ok(program) = program.canonicalize() else { return };
        let is_ours = |it: &PathBuf| is_narrow(it) && !is_inside(it, workspace);
        let modules =
            program.ancestors().filter(|it| it.ends_with("node_modules")).last().map(Path::to_owned);
        let beside = below_installation(&program, "lib*/python*").into_iter();
        let clang = below_installation(&program, "lib/clang");
        self.0.extend(modules.into_iter().chain(beside).chain(clang).filter(is_ours));
    }

    /// Adds the folder in which confined builds make sources. It is taken as it is spelled: a build may have put a link there.
    pub(crate) fn add_target(&mut self, target: &Path) {
        self.0.insert(target.to_owned());
    }

    /// Whether a canonical path lies in one of them.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        path.ancestors().any(|it| self.0.contains(it))
    }
}

/// Returns the folders that the toolchain of a language keeps, and its user's downloads for it; blocking.
pub(crate) fn folders(language: &Language, workspace: &[PathBuf]) -> Vec<PathBuf> {
    language.given.iter().flat_map(|it| it.places(workspace)).filter(|it| is_narrow(it)).collect()
}

impl Folder {
    /// Where that is on this machine, canonical.
    fn places(self, workspace: &[PathBuf]) -> Vec<PathBuf> {
        match self {
            Self::At(path) => expand(Path::new("/"), path.trim_start_matches('/')),
            Self::Home(below) => xdg_dirs::home().iter().flat_map(|it| expand(it, below)).collect(),
            Self::Cache(below) => xdg_dirs::cache().iter().flat_map(|it| expand(it, below)).collect(),
            Self::Variable(name, below) => {
                let list = std::env::var_os(name).unwrap_or_default();
                let folders = std::env::split_paths(&list).filter(|it| it.is_absolute());
                folders.flat_map(|it| expand(&it, below)).collect()
            }
            Self::Beside(program, below) => {
                let path = std::env::var_os("PATH").unwrap_or_default();
                let found = which::which_in_all(program, Some(path), "/").into_iter().flatten();
                let ours = found.filter(|it| !is_inside(it, workspace));
                // A virtual environment links to the program that it was made of.
                let both = ours.flat_map(|it| [it.canonicalize().ok(), Some(it)]).flatten();
                both.flat_map(|it| below_installation(&it, below)).collect()
            }
        }
    }
}

fn below_installation(program: &Path, below: &str) -> Vec<PathBuf> {
    let folder = program.parent().filter(|it| it.ends_with("bin")).and_then(Path::parent);
    folder.map(|it| expand(it, below)).unwrap_or_default()
}

/// The folders below another one that a path with `*` at the ends of names means, canonical.
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

/// Whether a canonical folder is one of the system, or holds the user's home folder: all that there is lies in it.
pub(crate) fn is_system(folder: &Path) -> bool {
    !is_narrow(folder) || NEVER.iter().any(|it| *it != "/root" && folder.starts_with(it))
}

/// Whether a folder that a toolchain gives is none that holds everything.
fn is_narrow(folder: &Path) -> bool {
    let holds_home = xdg_dirs::home().is_some_and(|home| home.starts_with(folder));
    let is_system = NEVER.iter().chain(TOO_WIDE).any(|it| Path::new(it) == folder);
    !holds_home && !is_system
}

/// The repository that a canonical folder is a part of: the nearest one above it, below the user's home folder where the
/// folder lies in that.
pub(crate) fn repository(folder: &Path) -> Option<PathBuf> {
    let home = xdg_dirs::home().and_then(|it| it.canonicalize().ok());
    let is_home = |it: &Path| home.as_ref().is_some_and(|home| home.starts_with(it));
    let above = folder.ancestors().take_while(|it| !is_home(it) && it.parent().is_some());
    above.into_iter().find(|it| it.join(".git").exists()).filter(|it| is_narrow(it)).map(Path::to_owned)
}

/// Whether a canonical path is read in no workspace at all: of the system itself, or in a dot folder of the user's.
pub(crate) fn is_private(path: &Path) -> bool {
    let home = xdg_dirs::home().and_then(|it| it.canonicalize().ok());
    let in_home = home.as_ref().and_then(|home| path.strip_prefix(home).ok());
    match in_home {
        Some(below) => below.iter().next().is_some_and(|it| it.as_encoded_bytes().starts_with(b".")),
        None => NEVER.iter().any(|it| path.starts_with(it)),
    }
}
