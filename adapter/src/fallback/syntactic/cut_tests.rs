//! Reasons of answers that leave something out: the time, a limit, a file that cannot be read.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ide_protocol::{Hierarchy, Reason, SearchCut, SymbolsQuestion, Target};

use super::exports::Exports;
use super::sources::FILE_LIMIT;
use super::{FallbackReason, definitions, hierarchy, members, symbols};
use crate::fallback::source::languages::{LANGUAGES, Language};
use crate::fallback::workspace::session_folders::SessionFolders;

fn language(id: &str) -> &'static Language {
    LANGUAGES.iter().find(|it| it.id == id).unwrap()
}

fn later() -> Instant {
    Instant::now() + Duration::from_secs(600)
}

/// A folder with files.
struct World {
    dir: tempfile::TempDir,
    roots: Arc<SessionFolders>,
}

impl World {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        files.iter().for_each(|(path, text)| fs::write(dir.path().join(path), text).unwrap());
        let roots = Arc::new(SessionFolders::new(vec![dir.path().to_owned()]));
        Self { dir, roots }
    }

    /// One file more than are searched for a name. Each defines `found`, calls `called` and extends `Kind`.
    fn large() -> Self {
        let world = Self::new(&[("first.rs", "pub fn called() {}\npub struct Kind;\n")]);
        for at in 0..=FILE_LIMIT {
            let text = "use crate::*;\npub fn found() { called() }\nimpl Kind {}\n";
            fs::write(world.path(&format!("{at}.rs")), text).unwrap();
        }
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

fn named(name: &str) -> Target {
    Target { name: Some(name.to_owned()), at: None }
}

#[tokio::test]
async fn more_files_than_are_searched_for_a_name_are_a_gap() {
    let (world, rust) = (World::large(), language("rust"));
    let instead = FallbackReason::beside_server(later());
    let found = definitions(&world.roots, rust, &named("found"), None, &instead).await.unwrap().result;
    assert_eq!(found.definitions.len(), FILE_LIMIT);
    assert!(found.completeness.reasons().contains(&Reason::NamedFilesCut {}), "{:?}", found.completeness);

    // A new world each: what was indexed meanwhile is not searched in the files.
    let world = World::large();
    let calls = hierarchy(&world.roots, rust, Hierarchy::Callers, (&named("called"), 1), &instead).await;
    let calls = calls.unwrap();
    assert_eq!(calls.links.len(), FILE_LIMIT);
    assert!(calls.completeness.reasons().contains(&Reason::SearchesCut {}), "{:?}", calls.completeness);

    let world = World::large();
    let parts = members(&world.roots, rust, named("Kind"), later()).await.unwrap();
    let cuts = vec![SearchCut::FileLimit { total: FILE_LIMIT + 2, limit: FILE_LIMIT }];
    assert_eq!(parts.completeness.reasons(), [Reason::OtherFilesCut { cuts }]);

    let world = World::large();
    let question = SymbolsQuestion { query: "foun".into(), path: None };
    let alike = symbols(&world.roots, rust, &question, &instead).await.unwrap();
    let reasons = alike.completeness.reasons();
    assert!(reasons.contains(&Reason::FilesCut {}), "{reasons:?}");
    let cut = Reason::SymbolsCut { shown: alike.definitions.len(), total: FILE_LIMIT as u64 };
    assert_eq!(reasons.first(), Some(&cut));
}

#[test]
fn modules_that_are_not_read_are_a_gap() {
    let world = World::new(&[("app.py", "from .data import *\n\n\ndef shown(): ...\n")]);
    let mut exports = Exports::new(&world.roots, Instant::now());
    assert!(exports.of_file(&world.path("app.py")).is_empty());
    assert_eq!(exports.reasons(), [Reason::ModulesTimeUp {}]);

    let world = World::new(&[("__init__.py", "from .data import one\n"), ("data.py", "one = 1\n\0")]);
    let mut exports = Exports::new(&world.roots, later());
    exports.of_file(&world.path("__init__.py"));
    let unread = Reason::ModuleNotRead { path: "data.py".into() };
    assert!(exports.reasons().contains(&unread), "{:?}", exports.reasons());
}
