//! The names of Rust crates as their manifests give them.

use std::fs;
use std::path::Path;

/// The largest manifest that is read, in bytes.
const SIZE: u64 = 1024 * 1024;

/// Adds the names of a file's crate to the step of the crate's folder.
///
/// Nothing is added unless the manifest mentions one of the `wanted` names. Blocking, briefly.
pub(crate) fn name(steps: &mut [Vec<String>], file: &Path, wanted: &[String]) {
    if !file.is_absolute() || file.extension().is_none_or(|it| it != "rs") {
        return;
    }
    let folders = file.ancestors().skip(1);
    let Some((folder, text)) = folders.into_iter().find_map(|it| Some((it, manifest(it)?))) else { return };
    let is_mentioned = |it: &String| text.contains(it.as_str()) || text.contains(&it.replace('_', "-"));
    if !wanted.iter().any(is_mentioned) {
        return;
    }
    if let Some(step) = folder.iter().count().checked_sub(1).and_then(|it| steps.get_mut(it)) {
        step.extend(names(&text));
    }
}

fn manifest(folder: &Path) -> Option<String> {
    let path = folder.join("Cargo.toml");
    let is_read = fs::metadata(&path).is_ok_and(|it| it.is_file() && it.len() <= SIZE);
    is_read.then(|| fs::read_to_string(path).ok()).flatten()
}

/// Returns the names of the package and of its library.
fn names(manifest: &str) -> Vec<String> {
    let Ok(manifest) = manifest.parse::<toml::Table>() else { return Vec::new() };
    let name = |table: &str| manifest.get(table)?.get("name")?.as_str().map(str::to_owned);
    ["package", "lib"].into_iter().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_is_called_as_its_manifest_says() {
        let folder = tempfile::tempdir().expect("there is room");
        let file = folder.path().join("core/src/auth.rs");
        fs::create_dir_all(folder.path().join("core/src")).expect("it can be made");
        let manifest = "[package]\nname = \"core-lib\"\n[lib]\nname = \"kernel\"\n";
        fs::write(folder.path().join("core/Cargo.toml"), manifest).expect("it can be written");
        let named = |wanted: &str| {
            let mut steps: Vec<Vec<String>> =
                file.iter().map(|it| vec![it.to_string_lossy().into_owned()]).collect();
            name(&mut steps, &file, &[wanted.to_owned()]);
            steps[steps.len() - 3].join(" ")
        };
        assert_eq!(named("core_lib"), "core core-lib kernel");
        assert_eq!(named("kernel"), "core core-lib kernel");
        assert_eq!(named("auth"), "core");
        fs::write(folder.path().join("core/Cargo.toml"), "[package\nkernel").expect("it can be written");
        assert_eq!(named("kernel"), "core");
    }
}
