//! What is remembered of files from one question to the next: their texts, and what the server and the syntax say of
//! them. Each is believed only for the very text that counts now, and what a server said only until it is told of a
//! change. Bounded in bytes of source; a syntax tree takes about ten times its source.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::documents::{RACY, Stamp};
use super::outline::Node;
use super::stamps;
use super::text::Text;
use super::usage::Syntax;

const TEXTS: usize = 32 * 1024 * 1024;
const OUTLINES: usize = 32 * 1024 * 1024;
const TREES: usize = 4 * 1024 * 1024;

/// Of the files that one life of a server knows.
#[derive(Debug)]
pub(crate) struct Recall {
    texts: Mutex<Shelf<(Stamp, Arc<Text>)>>,
    outlines: Mutex<Shelf<Said>>,
    trees: Mutex<Shelf<(Arc<Text>, Arc<Syntax>)>>,
    /// Counts what the server was told of changes.
    news: AtomicU64,
}

/// What a server said a file defines.
#[derive(Clone, Debug)]
struct Said {
    of: Arc<Text>,
    news: u64,
    outline: Arc<Vec<Node>>,
}

impl Default for Recall {
    fn default() -> Self {
        Self {
            texts: Mutex::new(Shelf::new(TEXTS)),
            outlines: Mutex::new(Shelf::new(OUTLINES)),
            trees: Mutex::new(Shelf::new(TREES)),
            news: AtomicU64::default(),
        }
    }
}

impl Recall {
    /// The server is told of a change: what it said may be otherwise now.
    pub(crate) fn forget_said(&self) {
        self.news.fetch_add(1, Ordering::SeqCst);
    }

    /// How often it was told of changes.
    pub(crate) fn news(&self) -> u64 {
        self.news.load(Ordering::SeqCst)
    }

    /// The text of a file as it is on disk now; blocking. `None` when it has none.
    pub(crate) fn text(&self, path: &Path) -> Option<Arc<Text>> {
        let stamp = stamps::stamp(path)?;
        if let Some((_, text)) = hold(&self.texts).get(path, |(it, _)| *it == stamp) {
            return Some(text);
        }
        let text = Arc::new(Text::read(path).ok()?);
        let age = SystemTime::now().duration_since(stamp.changed.max(stamp.modified)).unwrap_or_default();
        // A stamp as young as that may stand for two texts.
        if age >= RACY && stamps::stamp(path) == Some(stamp) {
            hold(&self.texts).put(path, text.as_str().len(), (stamp, Arc::clone(&text)));
        }
        Some(text)
    }

    /// What the server said of this text.
    pub(crate) fn outline(&self, path: &Path, text: &Arc<Text>) -> Option<Arc<Vec<Node>>> {
        let news = self.news();
        let said = hold(&self.outlines).get(path, |it| it.news == news && Arc::ptr_eq(&it.of, text));
        said.map(|it| it.outline)
    }

    /// The server said that of this text, and was asked when it had been told so many changes. That there is nothing
    /// is not remembered: it may not have loaded the file yet.
    pub(crate) fn said(&self, path: &Path, text: &Arc<Text>, news: u64, outline: &Arc<Vec<Node>>) {
        if !outline.is_empty() {
            let said = Said { of: Arc::clone(text), news, outline: Arc::clone(outline) };
            hold(&self.outlines).put(path, text.as_str().len(), said);
        }
    }

    /// The syntax of a text, read where it is not remembered; blocking. `None` where its language is not known, or it
    /// is beyond what is read.
    pub(crate) fn syntax(&self, path: &Path, text: &Arc<Text>) -> Option<Arc<Syntax>> {
        if let Some((_, syntax)) = hold(&self.trees).get(path, |(it, _)| Arc::ptr_eq(it, text)) {
            return Some(syntax);
        }
        let syntax = Arc::new(Syntax::read(path, text)?);
        hold(&self.trees).put(path, text.as_str().len(), (Arc::clone(text), Arc::clone(&syntax)));
        Some(syntax)
    }
}

fn hold<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Something of each file, within a budget: what was of use last stays.
#[derive(Debug)]
struct Shelf<T> {
    items: HashMap<PathBuf, Item<T>>,
    weight: usize,
    budget: usize,
    clock: u64,
}

#[derive(Debug)]
struct Item<T> {
    used: u64,
    weight: usize,
    what: T,
}

impl<T: Clone> Shelf<T> {
    fn new(budget: usize) -> Self {
        Self { items: HashMap::new(), weight: 0, budget, clock: 0 }
    }

    fn get(&mut self, path: &Path, is_right: impl FnOnce(&T) -> bool) -> Option<T> {
        self.clock += 1;
        let item = self.items.get_mut(path).filter(|it| is_right(&it.what))?;
        item.used = self.clock;
        Some(item.what.clone())
    }

    fn put(&mut self, path: &Path, weight: usize, what: T) {
        self.clock += 1;
        self.weight += weight;
        let before = self.items.insert(path.to_owned(), Item { used: self.clock, weight, what });
        self.weight -= before.map_or(0, |it| it.weight);
        if self.weight > self.budget {
            self.make_room();
        }
    }

    /// Lets go of the half that was of no use for longest.
    fn make_room(&mut self) {
        let mut ages: Vec<_> = self.items.iter().map(|(path, it)| (it.used, path.clone())).collect();
        ages.sort_unstable();
        for (_, path) in ages {
            if self.weight <= self.budget / 2 {
                return;
            }
            self.weight -= self.items.remove(&path).map_or(0, |it| it.weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_the_budget_holds() {
        let mut shelf = Shelf::new(100);
        for number in 0..50 {
            shelf.put(Path::new(&format!("{number}")), 10, number);
            assert_eq!(shelf.get(Path::new("0"), |_| true), Some(0));
            assert!(shelf.weight <= 100 && shelf.weight == shelf.items.len() * 10);
        }
        assert_eq!(shelf.get(Path::new("0"), |it| *it == 1), None);
        shelf.put(Path::new("huge"), 1_000, 1);
        assert_eq!((shelf.weight, shelf.items.len()), (0, 0));
    }

    #[test]
    fn a_text_is_read_again_when_its_file_changes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.rs");
        let recall = Recall::default();
        let text = || recall.text(&path).map(|it| it.as_str().to_owned());
        assert_eq!(text(), None);
        for round in 0..200 {
            // Of one length, and often within one tick of the clock.
            std::fs::write(&path, format!("{round:03}")).unwrap();
            assert_eq!(text(), Some(format!("{round:03}")));
        }
        std::thread::sleep(RACY * 2);
        let (one, same) = (recall.text(&path).unwrap(), recall.text(&path).unwrap());
        assert!(Arc::ptr_eq(&one, &same));
        std::fs::write(&path, "200").unwrap();
        assert_eq!(text().as_deref(), Some("200"));
    }

    #[test]
    fn what_a_server_said_is_forgotten_with_news() {
        let (recall, path) = (Recall::default(), Path::new("a.rs"));
        let [text, same] = ["a", "a"].map(|it| Arc::new(Text::from(it.to_owned())));
        let place =
            ide_protocol::Point { line: ide_protocol::Line::FIRST, column: ide_protocol::Column::FIRST };
        let whole = crate::fallback::outline::Extent { start: place, end: place };
        let node =
            Node { name: "a".into(), owner: None, kind: "function", whole, name_at: whole, children: vec![] };
        let outline = Arc::new(vec![node]);
        recall.said(path, &text, recall.news(), &Arc::new(Vec::new()));
        assert!(recall.outline(path, &text).is_none(), "nothing may be too early");
        recall.said(path, &text, recall.news(), &outline);
        assert!(recall.outline(path, &text).is_some());
        assert!(recall.outline(path, &same).is_none(), "it is another text, as far as anybody knows");
        let asked = recall.news();
        recall.forget_said();
        assert!(recall.outline(path, &text).is_none());
        recall.said(path, &text, asked, &outline);
        assert!(recall.outline(path, &text).is_none(), "it was asked before");
    }
}
