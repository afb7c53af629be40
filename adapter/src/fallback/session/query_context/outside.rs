//! Outside files in an answer: the ones that may be shown, and the ones to track.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex};

use ide_protocol::{Line, Reason};
use regex::Regex;

use super::QueryContext;
use crate::blocking;
use crate::fallback::trust::level::Level;
use crate::fallback::trust::ownership;
use crate::fallback::workspace::stamp::Stamp;
use unpoisoned::lock;

/// The outside files of one answer.
#[derive(Debug, Default)]
pub(crate) struct OutsideFiles {
    /// The files that came up, each with `true` if it may not be read.
    withheld: Mutex<HashMap<PathBuf, bool>>,
    /// Files in which the answer names places and may show no text.
    unread: Mutex<BTreeSet<PathBuf>>,
    /// Files that could not be tracked, because there are too many.
    untracked: Mutex<BTreeSet<PathBuf>>,
    /// `true` if a file changed before the adapter knew that the server reads it.
    is_overtaken: AtomicBool,
}

/// The most lines of an import.
const STATEMENT: usize = 40;

/// An import that begins or goes on where a text begins, with the module.
static IMPORT: LazyLock<Regex> = LazyLock::new(|| {
    let import = r#"\A[^;"'`]*?(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*["']([^"'\n]+)["']"#;
    Regex::new(import).expect("it is a pattern")
});

/// Returns the existing files and folders that an import in a file may mean, canonical; blocking. `beside` are the folders
/// outside that manifests name.
fn modules(file: &Path, module: &str, beside: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let folder = file.parent().unwrap_or(file);
    let is_path = module.starts_with('.') || module.starts_with('/');
    let places: Vec<PathBuf> = match is_path {
        true => vec![folder.join(module)],
        // A link to a package elsewhere, or an alias for a folder.
        false => {
            let parts = if module.starts_with('@') { 2 } else { 1 };
            let package: PathBuf = module.split('/').take(parts).collect();
            let installed = folder.ancestors().map(|it| it.join("node_modules").join(&package));
            let installed = installed.filter(|it| it.is_symlink());
            let alias = module.split_once('/').map_or(module, |it| it.1);
            installed.chain(beside.iter().map(|it| it.join(alias))).collect()
        }
    };
    places.iter().flat_map(|it| of_name(it)).collect()
}

/// Returns the file or folder of a path that may lack its extension, or have that of the compiled file.
fn of_name(path: &Path) -> Vec<PathBuf> {
    if let Ok(whole) = path.canonicalize() {
        return vec![whole];
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|it| it.to_str())) else {
        return Vec::new();
    };
    let stem = [".js", ".mjs", ".cjs", ".jsx"].iter().find_map(|it| name.strip_suffix(it)).unwrap_or(name);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path());
    let is_named = |it: &PathBuf| {
        let rest = it.file_name().and_then(|it| it.to_str()).and_then(|it| it.strip_prefix(stem));
        rest.is_some_and(|it| it.starts_with('.'))
    };
    entries.filter(is_named).filter_map(|it| it.canonicalize().ok()).take(1).collect()
}

impl OutsideFiles {
    /// Returns `true` if the answer may depend on a file's content from before a missed change.
    pub(crate) fn is_overtaken(&self) -> bool {
        self.is_overtaken.load(Ordering::SeqCst)
    }
}

impl QueryContext {
    /// Returns `true` if a file may not be read; the answer may still name its places.
    pub(crate) fn withholds(&self, path: &Path) -> bool {
        if let Some(known) = lock(&self.outside.withheld).get(path) {
            return *known;
        }
        let is_withheld = !self.roots.may_read(path);
        lock(&self.outside.withheld).insert(path.to_owned(), is_withheld);
        is_withheld
    }

    /// Records that the answer names a place in a file; a remark reports it if the text may not be shown.
    pub(crate) fn names(&self, path: &Path) {
        if self.withholds(path) {
            lock(&self.outside.unread).insert(path.to_owned());
        }
    }

    /// Records the file that an import on a line names, if the wall hides it from the server. Some servers
    /// then take the import for the definition, or find no module, and say nothing; others report it
    /// themselves.
    pub(crate) async fn names_import(&self, path: &Path, line: Line) {
        let setup = &self.server.setup;
        let is_silent = setup.language.ignores_hidden_imports && setup.level == Level::Confined;
        if !is_silent || !self.roots.contains(path) {
            return;
        }
        let Some(text) = self.text(path).await else { return };
        let lines = (line.index()..line.index() + STATEMENT).map_while(|it| text.line(it));
        let statement: Vec<_> = lines.collect();
        let Some(found) = IMPORT.captures(&statement.join("\n")).map(|it| it[1].to_owned()) else { return };
        let (path, beside) = (path.to_owned(), setup.beside.folders.clone());
        let look = blocking::spawn(move || modules(&path, &found, &beside));
        look.await.iter().for_each(|it| self.names(it));
    }

    /// Returns the remark on files that the answer names and may not show.
    pub(crate) fn unread(&self) -> Option<Reason> {
        self.roots.unreadable_remark(&lock(&self.outside.unread))
    }

    /// Returns the reason that there are untracked files, whose changes may be missed.
    pub(crate) fn untracked(&self) -> Option<Reason> {
        let untracked = lock(&self.outside.untracked);
        let first = untracked.first()?;
        Some(Reason::UntrackedFiles { example: first.display().to_string() })
    }

    /// Tracks these files for changes if they lie outside of the project's folders. If one changed since the
    /// server started, the answer is computed again: the server may have read the old text.
    pub(crate) async fn track<'a>(&self, paths: impl Iterator<Item = &'a PathBuf>) {
        let mut documents = self.process.documents.lock().await;
        let is_fixed = |it: &PathBuf| self.roots.is_of_toolchain(it) || ownership::is_private(it);
        for path in paths {
            if documents.knows(path) || documents.is_outside(path) || is_fixed(path) {
                continue;
            }
            let Some(stamp) = Stamp::read(path) else { continue };
            let is_news = stamp.changed >= self.process.born;
            if !documents.track(path.clone(), Some(stamp), is_news) {
                lock(&self.outside.untracked).insert(path.clone());
            } else if is_news {
                self.outside.is_overtaken.store(true, Ordering::SeqCst);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn an_import_leads_to_what_lies_elsewhere_however_it_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for folder in ["app/src", "app/node_modules/@s", "gen/deep", "linked"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in ["gen/genmod.ts", "gen/types.d.ts", "gen/deep/index.ts", "app/src/a.ts"] {
            fs::write(root.join(file), "").unwrap();
        }
        symlink(root.join("linked"), root.join("app/node_modules/@s/linked")).unwrap();
        let beside = BTreeSet::from([root.join("gen")]);
        for (text, expected) in [
            ("import { g } from \"../../gen/genmod\";", "gen/genmod.ts"),
            ("import {\n  g,\n  h,\n} from '../../gen/genmod.js';", "gen/genmod.ts"),
            ("  h,\n} from '../../gen/genmod';", "gen/genmod.ts"),
            ("import '../../gen/types'", "gen/types.d.ts"),
            ("export * from '../../gen/deep';", "gen/deep"),
            ("const g = require('../../gen/genmod')", "gen/genmod.ts"),
            ("const g = await import(\"../../gen/genmod\")", "gen/genmod.ts"),
            ("import { l } from '@s/linked/x'", "linked"),
            ("import { g } from '@g/genmod'", "gen/genmod.ts"),
            ("import { a } from './a'", "app/src/a.ts"),
            ("import { n } from '../../gen/none'", ""),
            ("g();\nimport { g } from '../../gen/genmod'", ""),
        ] {
            let module = IMPORT.captures(text).map(|it| it[1].to_owned());
            let found =
                module.map(|it| modules(&root.join("app/src/b.ts"), &it, &beside)).unwrap_or_default();
            let found: Vec<_> =
                found.iter().map(|it| it.strip_prefix(&root).unwrap().display().to_string()).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
