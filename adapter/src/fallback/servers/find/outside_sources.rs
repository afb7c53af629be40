//! Files and folders outside of a project that its manifests name: include folders, search paths, local
//! packages, extended settings.
//!
//! A server reads sources there, so they are watched like the project's own. Manifests are not parsed by
//! their own rules: every path to something that exists outside counts. A folder with too many files is not
//! watched, which is reported.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ide_protocol::Reason;
use regex::Regex;
use serde_json::Value;

use crate::fallback::source::languages::Language;
use crate::fallback::trust::ownership;
use crate::fallback::workspace::file_scan;

/// The maximum number of bytes that are read of a manifest.
const SIZE: u64 = 16 * 1024 * 1024;

/// The maximum number of files in one watched folder outside.
const FILES: usize = 5_000;

/// The maximum number of watched folders and files outside.
const PLACES: usize = 256;

/// A path in a manifest that is absolute or climbs, possibly after an option as in commands.
static PATH: LazyLock<Regex> = LazyLock::new(|| {
    let path = r#"(?m)(?:^|["'\s=:,\[(]|-I|-F|-L|-isystem|-iquote|-include|-idirafter)((?:/|\.\.(?:/|["'\s,\])]|$)|\./[^"'\s,\])]*\.\./)[^"'\s,;:*\])]*)"#;
    Regex::new(path).expect("it is a pattern")
});

/// The outside files and folders that manifests name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct OutsideSources {
    /// Folders whose sources are watched, canonical.
    pub(crate) folders: BTreeSet<PathBuf>,
    /// Single files, canonical.
    pub(crate) files: BTreeSet<PathBuf>,
    /// The places that are not watched.
    pub(crate) left_out: Vec<Reason>,
}

/// Reads the manifests of the projects in these folders; blocking. Paths for which `is_fixed` holds never
/// change and are left out.
pub(crate) fn find(
    language: &Language,
    manifests: &[PathBuf],
    folders: &BTreeSet<PathBuf>,
    is_fixed: impl Fn(&Path) -> bool,
) -> OutsideSources {
    let named = manifests.iter().chain(&above(language, folders)).flat_map(|it| paths(it)).collect();
    let mut beside = OutsideSources::default();
    let canonical: BTreeSet<PathBuf> = folders.iter().filter_map(|it| it.canonicalize().ok()).collect();
    for path in outside(named, &canonical) {
        if is_fixed(&path) || ownership::is_private(&path) || ownership::is_system(&path) {
            continue;
        }
        if beside.folders.len() + beside.files.len() == PLACES {
            beside.left_out.push(Reason::UnwatchedPlaces { limit: PLACES });
            break;
        }
        if path.is_file() {
            beside.files.insert(path);
        } else if file_scan::holds_at_most(language, &path, FILES) {
            beside.folders.insert(path);
        } else {
            beside.left_out.push(Reason::UnwatchedFolder { path: path.display().to_string() });
        }
    }
    beside
}

/// Returns the manifests that lie directly in the folders.
fn above(language: &Language, folders: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let all = folders.iter().flat_map(|folder| language.manifests.iter().map(|it| folder.join(it)));
    all.filter(|it| it.is_file()).collect()
}

/// Returns the paths that exist and lie outside, canonical.
fn outside(paths: BTreeSet<PathBuf>, folders: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let canonical = paths.into_iter().filter_map(|it| it.canonicalize().ok());
    canonical.filter(|path| !folders.iter().any(|it| path.starts_with(it))).collect()
}

/// Returns the paths that a manifest names, absolute.
fn paths(manifest: &Path) -> BTreeSet<PathBuf> {
    let folder = manifest.parent().unwrap_or(Path::new("/"));
    let mut text = String::new();
    let read = File::open(manifest).and_then(|it| it.take(SIZE).read_to_string(&mut text));
    if read.is_err() {
        return BTreeSet::new();
    }
    if manifest.file_name().is_some_and(|it| it == "compile_commands.json") {
        let entries: Vec<Value> = serde_json::from_str(&text).unwrap_or_else(|error| {
            tracing::warn!(manifest = %manifest.display(), %error, "a compilation database is invalid");
            Vec::new()
        });
        return entries.iter().flat_map(|it| of_command(folder, it)).collect();
    }
    in_text(&text, folder).collect()
}

/// Returns the paths of one entry of a compilation database, relative to the entry's folder.
fn of_command(beside: &Path, entry: &Value) -> BTreeSet<PathBuf> {
    let folder = beside.join(entry["directory"].as_str().unwrap_or(""));
    let arguments = entry["arguments"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let words: Vec<_> = arguments.chain(entry["command"].as_str()).chain(entry["file"].as_str()).collect();
    in_text(&words.join("\n"), &folder).collect()
}

fn in_text(text: &str, folder: &Path) -> impl Iterator<Item = PathBuf> {
    PATH.captures_iter(text).map(|it| {
        let path = it[1].trim_end_matches(['"', '\'', ',', ']', ')']).trim();
        folder.join(path)
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::fallback::source::languages::LANGUAGES;

    fn language(id: &str) -> &'static Language {
        LANGUAGES.iter().find(|it| it.id == id).unwrap()
    }

    #[test]
    fn paths_that_lead_out_are_found_in_every_kind_of_manifest() {
        for (id, name, text, folders, files) in [
            ("c", "compile_flags.txt", "-I../gen\n-Iinclude\n-I/nowhere\n", &["gen"][..], &[][..]),
            (
                "c",
                "compile_commands.json",
                r#"[{"directory": "build", "command": "cc -I../../gen -c ../a.c", "file": "../a.c"}]"#,
                &["gen"],
                &[],
            ),
            (
                "python",
                "pyproject.toml",
                "[tool.ty.environment]\nextra-paths = [\"../gen\"]\n",
                &["gen"],
                &[],
            ),
            (
                "typescript",
                "tsconfig.json",
                "{ // with comments\n \"extends\": \"../base.json\",\n \"compilerOptions\": { \"paths\": { \"@g/*\": [\"../gen/*\"] } } }",
                &["gen"],
                &["base.json"],
            ),
            ("rust", "Cargo.toml", "[dependencies]\ngen = { path = \"../gen\" }\n", &["gen"], &[]),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let top = dir.path().canonicalize().unwrap();
            for folder in ["gen", "app/include", "app/build"] {
                fs::create_dir_all(top.join(folder)).unwrap();
            }
            for file in ["base.json", "gen/a.h", "app/a.c"] {
                fs::write(top.join(file), "").unwrap();
            }
            let manifest = top.join("app").join(name);
            fs::write(&manifest, text).unwrap();
            let found = find(language(id), &[manifest], &[top.join("app")].into(), |_| false);
            let all = |names: &[&str]| names.iter().map(|it| top.join(it)).collect::<BTreeSet<_>>();
            assert_eq!((found.folders, found.files), (all(folders), all(files)), "{name}");
        }
    }

    #[test]
    fn what_is_too_large_to_be_watched_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("gen")).unwrap();
        fs::create_dir_all(top.join("app")).unwrap();
        (0..=FILES).for_each(|it| fs::write(top.join(format!("gen/{it}.h")), "").unwrap());
        let manifest = top.join("app/compile_flags.txt");
        fs::write(&manifest, "-I../gen\n-I/\n-I/proc\n").unwrap();
        let found = find(language("c"), &[manifest], &[top.join("app")].into(), |_| false);
        assert!(found.folders.is_empty() && found.left_out.len() == 1, "{found:?}");
        let Reason::UnwatchedFolder { path } = &found.left_out[0] else { panic!("{found:?}") };
        assert!(path.contains("gen"), "{found:?}");
    }
    #[test]
    fn more_places_than_are_watched_are_said() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("app")).unwrap();
        let mut flags = String::new();
        for at in 0..=PLACES {
            fs::create_dir_all(top.join(format!("gen{at}"))).unwrap();
            flags += &format!("-I../gen{at}\n");
        }
        let manifest = top.join("app/compile_flags.txt");
        fs::write(&manifest, flags).unwrap();
        let found = find(language("c"), &[manifest], &[top.join("app")].into(), |_| false);
        assert_eq!(found.folders.len(), PLACES);
        assert_eq!(found.left_out, [Reason::UnwatchedPlaces { limit: PLACES }]);
    }
}
