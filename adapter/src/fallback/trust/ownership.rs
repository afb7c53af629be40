//! The user's folders and those of a workspace: what lies in a workspace, or in a repository around it, is not the user's
//! word.

use std::path::{Path, PathBuf};

use confinement::Bounds;
use source_text::VERSION_CONTROL;

use super::work_trees::Repository;
use crate::xdg_dirs;

/// Returns the bounds of what may be read outside of a session's folders and the repositories around them; blocking.
pub(crate) fn bounds(workspace: &[PathBuf]) -> Bounds {
    Bounds::new(xdg_dirs::home().as_deref(), grounds(workspace))
}

/// Returns a session's folders, every repository around them, and the main work trees of those: no program in them is the
/// user's. Blocking.
pub(crate) fn grounds(workspace: &[PathBuf]) -> Vec<PathBuf> {
    let around = workspace.iter().flat_map(|it| repositories(it));
    let main = workspace.iter().filter_map(|it| Repository::around(it)?.0.main_tree().map(Path::to_owned));
    workspace.iter().cloned().chain(around).chain(main).collect()
}

/// Returns whether a path lies in one of these folders, as written or after links are resolved; blocking.
pub(crate) fn is_inside(path: &Path, workspace: &[PathBuf]) -> bool {
    Bounds::new(None, workspace.iter().cloned()).is_of_workspace(path)
}

/// Returns whether a canonical folder is a system folder or contains the user's home folder.
pub(crate) fn is_system(folder: &Path) -> bool {
    bounds(&[]).is_of_system(folder)
}

/// Returns the nearest repository around a canonical folder, but not one that contains the user's home
/// folder or is private.
pub(crate) fn repository(folder: &Path) -> Option<PathBuf> {
    let bounds = bounds(&[]);
    repositories(folder)
        .into_iter()
        .next()
        .filter(|it| !bounds.is_private(it) || bounds.is_home_of_another(it))
}

/// Returns the repositories around a canonical folder, the innermost first, but none that contains the user's home folder.
fn repositories(folder: &Path) -> Vec<PathBuf> {
    let bounds = bounds(&[]);
    let above = folder.ancestors().take_while(|it| !bounds.holds_home(it));
    above.filter(|it| VERSION_CONTROL.iter().any(|mark| it.join(mark).exists())).map(Path::to_owned).collect()
}

/// Returns whether a canonical path is never read: in a system folder, or a dot folder of the user.
pub(crate) fn is_private(path: &Path) -> bool {
    bounds(&[]).is_private(path)
}
