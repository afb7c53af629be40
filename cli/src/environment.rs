//! The paths that subcommands start from: this executable and the workspace.

use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Returns the path of the executable that relays and supervisors start: this one.
///
/// # Errors
/// The operating system does not know it.
pub(crate) fn executable() -> Result<PathBuf, Failure> {
    let found = std::env::current_exe();
    Ok(found.map_err(|error| format!("the path of this executable cannot be found: {error}"))?)
}

/// Returns the canonical path of the workspace, by default the current folder.
///
/// # Errors
/// The path is not a folder, or is not UTF-8.
pub(crate) fn workspace(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let path = given.unwrap_or(Path::new("."));
    let found = path.canonicalize().map_err(|error| format!("the workspace {}: {error}", path.display()))?;
    if !found.is_dir() {
        return Err(format!("the workspace {} is not a folder", path.display()).into());
    }
    if found.to_str().is_none() {
        let path = found.display();
        return Err(format!(
            "the path of the workspace {path} is not UTF-8, and no message can name it. Rename the folder"
        )
        .into());
    }
    Ok(found)
}

/// Returns the canonical path of the user's home folder.
pub(crate) fn home() -> Option<PathBuf> {
    std::env::home_dir()?.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_that_no_message_can_name_is_an_error() {
        use std::os::unix::ffi::OsStrExt;
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
        std::fs::create_dir(&folder).unwrap();
        let error = workspace(Some(&folder)).unwrap_err().to_string();
        assert!(error.contains("is not UTF-8") && error.ends_with("Rename the folder"), "{error}");
    }
}
