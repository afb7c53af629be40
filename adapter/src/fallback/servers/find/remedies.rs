//! Places that change when somebody does what a note or a server's complaint advises: downloads, installed packages,
//! compilation databases. They lie outside of the sources, where no server is told of changes, so they are compared
//! before each answer.

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;
use std::{fs, io};

use super::compilation_database::BUILD_FOLDERS;
use crate::fallback::source::languages::{InstallPlaces, Language, OutsideFolder, RootRule};
use crate::fallback::trust::ownership;
use crate::xdg_dirs;
use unpoisoned::lock;

/// The most folders that one comparison looks at.
const FOLDERS: usize = 4096;

/// The places for one server.
#[derive(Debug, Default)]
pub(crate) struct Remedies {
    /// The places in the workspace.
    own: Vec<Place>,
    /// The places that all workspaces share; their changes mean something only while something is missing.
    shared: Vec<Place>,
    /// The state of the places when the server was set up, or at the last change.
    seen: Mutex<(u64, u64)>,
}

/// A file or folder, with the folders below it down to a depth.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    path: PathBuf,
    depth: usize,
}

impl Remedies {
    /// Finds the places for a language and the folders of its projects; blocking.
    pub(crate) fn find(language: &Language, folders: &BTreeSet<PathBuf>, manifests: &[PathBuf]) -> Self {
        let marked = manifests.iter().filter_map(|it| it.parent()).map(Path::to_owned);
        let projects: BTreeSet<PathBuf> = folders.iter().cloned().chain(marked).collect();
        let remedies =
            Self { own: own(language, &projects), shared: shared(language), seen: Mutex::default() };
        *lock(&remedies.seen) = remedies.look(true);
        remedies
    }

    /// Returns whether a place has changed since this was asked last; blocking. `is_missing` is true while the server
    /// complains, or lacks a project.
    pub(crate) fn have_changed(&self, is_missing: bool) -> bool {
        let now = self.look(is_missing);
        let mut seen = lock(&self.seen);
        let now = if is_missing { now } else { (now.0, seen.1) };
        std::mem::replace(&mut *seen, now) != now
    }

    /// Returns the largest number of files that [`have_changed`](Self::have_changed) looks at.
    pub(crate) fn count(&self, is_missing: bool) -> usize {
        let below = |it: &Place| if it.depth == 0 { 1 } else { FOLDERS };
        self.own.iter().chain(self.shared(is_missing)).map(below).sum()
    }

    fn shared(&self, is_missing: bool) -> &[Place] {
        if is_missing { &self.shared } else { &[] }
    }

    fn look(&self, with_shared: bool) -> (u64, u64) {
        (fingerprint(&self.own), fingerprint(self.shared(with_shared)))
    }
}

/// Returns the places in the workspace and in the folders around it.
fn own(language: &Language, projects: &BTreeSet<PathBuf>) -> Vec<Place> {
    let around = || {
        let grounds = ownership::grounds(&projects.iter().cloned().collect::<Vec<_>>());
        let all = projects.iter().flat_map(|it| it.ancestors());
        let inside = all.filter(move |it| grounds.iter().any(|ground| it.starts_with(ground)));
        inside.map(Path::to_owned).collect::<BTreeSet<_>>()
    };
    match language.root {
        RootRule::CompilationDatabase => projects.iter().flat_map(|it| missing_databases(it)).collect(),
        _ if language.installs.below.is_empty() => Vec::new(),
        _ => around().iter().flat_map(|it| places(it, language.installs)).collect(),
    }
}

fn places(folder: &Path, installs: InstallPlaces) -> impl Iterator<Item = Place> {
    let InstallPlaces { below, depth } = installs;
    below.iter().map(move |it| Place { path: folder.join(it), depth })
}

/// Returns the places of the compilation databases that a project may get. One that is there is a manifest,
/// and watched as such.
fn missing_databases(project: &Path) -> impl Iterator<Item = Place> {
    let below = BUILD_FOLDERS.iter().map(|it| format!("{it}/compile_commands.json"));
    let paths = below.map(|it| project.join(it.trim_start_matches('/')));
    paths.filter(|it| !it.exists()).map(|path| Place { path, depth: 0 })
}

/// Returns the places of downloads that all workspaces share.
fn shared(language: &Language) -> Vec<Place> {
    let path = |folder: &OutsideFolder| match *folder {
        OutsideFolder::Variable(name, below) => Some(xdg_dirs::absolute(name)?.join(below)),
        OutsideFolder::Home(below) => Some(xdg_dirs::home()?.join(below)),
        OutsideFolder::At(_) | OutsideFolder::Cache(_) | OutsideFolder::Beside(..) => None,
    };
    let all = language.shared_installs.iter().filter_map(|(folders, installs)| {
        let folder = folders.iter().find_map(path)?;
        Some(places(&folder, *installs).collect::<Vec<_>>())
    });
    all.flatten().collect()
}

/// Returns a number that is another one when a place, or a folder in it, appears, goes or gets another time.
fn fingerprint(places: &[Place]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut left = FOLDERS;
    for place in places {
        stamp(&place.path).ok().hash(&mut hasher);
        let mut folders = vec![(place.path.clone(), place.depth)];
        while let Some((folder, depth)) = folders.pop().filter(|_| left > 0) {
            left -= 1;
            let entries = if depth == 0 { None } else { fs::read_dir(&folder).ok() };
            let below = entries.into_iter().flatten().flatten().map(|it| it.path()).filter(|it| it.is_dir());
            let mut below: Vec<_> = below.collect();
            below.sort();
            for folder in below {
                (&folder, stamp(&folder).ok()).hash(&mut hasher);
                folders.push((folder, depth - 1));
            }
        }
    }
    hasher.finish()
}

fn stamp(path: &Path) -> io::Result<SystemTime> {
    fs::metadata(path)?.modified()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fallback::source::languages::LANGUAGES;

    #[test]
    fn what_a_remedy_makes_is_noticed_once() {
        for (id, made) in [
            ("typescript", "node_modules/lodash/package.json"),
            ("typescript", "app/node_modules/.package-lock.json"),
            ("python", ".venv/lib/python3.12/site-packages/six.py"),
            ("python", "app/venv/lib/python3.12/site-packages/six/__init__.py"),
            ("c", "app/build/compile_commands.json"),
            ("c", "app/compile_commands.json"),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path().canonicalize().unwrap();
            fs::create_dir_all(root.join(".git")).unwrap();
            fs::create_dir_all(root.join("app")).unwrap();
            let language = LANGUAGES.iter().find(|it| it.id == id).unwrap();
            let remedies = Remedies::find(language, &[root.join("app")].into(), &[]);
            assert!(!remedies.have_changed(false), "{made}");
            fs::create_dir_all(root.join(made).parent().unwrap()).unwrap();
            fs::write(root.join(made), "").unwrap();
            assert!(remedies.have_changed(false), "{made}");
            assert!(!remedies.have_changed(true), "{made}");
        }
    }

    #[test]
    fn downloads_count_only_while_something_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        let registry = dir.path().join("registry/cache");
        let shared = vec![Place { path: registry.clone(), depth: 1 }];
        let remedies = Remedies { shared, ..Remedies::default() };
        *lock(&remedies.seen) = remedies.look(true);
        fs::create_dir_all(registry.join("index")).unwrap();
        assert!(!remedies.have_changed(false));
        assert!(remedies.have_changed(true));
        assert!(!remedies.have_changed(true));
        fs::create_dir_all(registry.join("index/crate")).unwrap();
        assert!(remedies.have_changed(true));
    }
}
