//! The folder of installed packages, `ailang_modules`.

use std::io;
use std::path::Path;

use ailang::Code;
use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::archive::{ArchiveLimits, is_left_out, unpack};
use crate::error::PackageError;
use crate::project::MODULES;
use crate::store::write_files;

/// Writes packages into the folder of installed packages, and removes others. All are unpacked before the first one is
/// replaced.
pub(crate) fn write(root: &Path, packages: &[(&str, &[u8])], removed: &[&str]) -> Result<(), PackageError> {
    let problem = |error: io::Error| {
        PackageError::new(Code::PACKAGE_PATH, format!("{}: {error}", root.join(MODULES).display()))
    };
    if packages.is_empty() && (removed.is_empty() || !root.join(MODULES).exists()) {
        return Ok(());
    }
    let modules = open(root).map_err(problem)?;
    let staging = tempfile::Builder::new().prefix(".new-").tempdir_in(root.join(MODULES)).map_err(problem)?;
    for (index, (name, archive)) in packages.iter().enumerate() {
        let mut files = unpack(archive, &ArchiveLimits::default()).map_err(|error| error.about(name))?;
        files.retain(|file| !is_left_out(&file.path));
        let folder = staging.path().join(index.to_string());
        std::fs::create_dir(&folder).and_then(|()| write_files(&folder, &files)).map_err(problem)?;
    }
    let staged = staging.path().file_name().map(Path::new).unwrap_or(Path::new(""));
    for (index, (name, _)) in packages.iter().enumerate() {
        put(&modules, &staged.join(index.to_string()), name, &staged.join(format!("old-{index}")))
            .map_err(problem)?;
    }
    for name in removed {
        remove(&modules, name).map_err(problem)?;
    }
    Ok(())
}

/// Opens the folder, which is created if it does not exist.
fn open(root: &Path) -> io::Result<Dir> {
    let root = Dir::open_ambient_dir(root, ambient_authority())?;
    folder(&root, MODULES)?;
    root.open_dir(MODULES)
}

/// Creates a folder, or accepts one that is no symbolic link.
fn folder(dir: &Dir, name: &str) -> io::Result<()> {
    match dir.create_dir(name) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        created => return created,
    }
    if dir.symlink_metadata(name)?.is_dir() {
        return Ok(());
    }
    Err(io::Error::other(format!("`{name}` is no folder, and packages are not written through links")))
}

/// Moves a new package to its name, and one that is there to `old`.
fn put(modules: &Dir, new: &Path, name: &str, old: &Path) -> io::Result<()> {
    if let Some((scope, _)) = name.split_once('/') {
        folder(modules, scope)?;
    }
    match modules.rename(name, modules, old) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    modules.rename(new, modules, name)
}

fn remove(modules: &Dir, name: &str) -> io::Result<()> {
    let removed = match modules.symlink_metadata(name) {
        Ok(it) if it.is_dir() => modules.remove_dir_all(name),
        Ok(_) => modules.remove_file(name),
        Err(error) => Err(error),
    };
    if let Some((scope, _)) = name.split_once('/') {
        let _not_empty = modules.remove_dir(scope);
    }
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
