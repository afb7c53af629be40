//! The plain files below the folder of a package.

use cap_std::fs::Dir;

use crate::archive::refusal;

/// The folder of results of builds.
const BUILT: &str = "target";

/// Returns the paths of all plain files, without hidden ones and those of dependencies.
pub(crate) fn paths(dir: &Dir) -> std::io::Result<Vec<String>> {
    /// A folder with more is not a package, but perhaps a whole disk.
    const MOST: usize = 50_000;
    let mut pending = vec![String::new()];
    let mut paths = Vec::new();
    while let Some(folder) = pending.pop() {
        for entry in dir.read_dir(if folder.is_empty() { "." } else { &folder })? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let kind = entry.file_type()?;
            let path = format!("{folder}{name}");
            if name.starts_with('.') || refusal(&name).is_some() {
                continue;
            }
            if kind.is_dir() && name != BUILT {
                pending.push(path + "/");
            } else if kind.is_file() {
                paths.push(path);
            }
        }
        if paths.len() > MOST {
            return Err(std::io::Error::other(format!("it has more than {MOST} files")));
        }
    }
    paths.sort();
    Ok(paths)
}
