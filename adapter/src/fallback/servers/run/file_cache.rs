//! Caches of files between requests: texts, the server's replies and syntax trees.
//!
//! An entry is valid only for the current text, and a reply only until the server is notified of a change.
//! The caches are bounded by the bytes of source; a syntax tree takes about ten times its source.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use ide_protocol::Point;

use super::convert::{RawRange, RawTarget};
use crate::fallback::source::languages::language_of;
use crate::fallback::source::outline::Node;
use crate::fallback::source::text::Text;
use crate::fallback::syntactic::syntax_facts::Syntax;
use crate::fallback::workspace::stamp::{RACY, Stamp};
use unpoisoned::lock;

const TEXTS: usize = 32 * 1024 * 1024;
const OUTLINES: usize = 32 * 1024 * 1024;
const TREES: usize = 4 * 1024 * 1024;
const TARGETS: usize = 8 * 1024 * 1024;
const USES: usize = 16 * 1024 * 1024;

/// The approximate size of one place, in bytes.
const PLACE: usize = 128;

/// The caches of one server process.
#[derive(Debug)]
pub(crate) struct FileCache {
    texts: Shared<PathBuf, (Stamp, Arc<Text>)>,
    outlines: Shared<PathBuf, CachedReply<Vec<Node>>>,
    trees: Shared<PathBuf, (Arc<Text>, Arc<Tree>)>,
    targets: Shared<(PathBuf, Point), CachedReply<Vec<RawTarget>>>,
    uses: Shared<UsesAt, CachedReply<Vec<RawRange>>>,
    /// The generation of replies: counts notifications to the server, and unrequested progress of the server.
    generation: AtomicU64,
    /// The time of the last unrequested message.
    stirred: Mutex<Instant>,
    /// The time without unrequested messages after which the server counts as quiet.
    stillness: Duration,
}

type Shared<K, T> = Mutex<LruCache<K, T>>;

/// The key of a cached list of uses; the flag is `true` if the declaration is included.
pub(crate) type UsesAt = (PathBuf, Point, bool);

/// A syntax tree, which is parsed once; `None` if there is none.
type Tree = OnceLock<Option<Arc<Syntax>>>;

/// A cached reply of a server about a text.
#[derive(Debug)]
struct CachedReply<T> {
    of: Arc<Text>,
    generation: u64,
    what: Arc<T>,
}

// Derived, it would want `T` to be `Clone` too.
impl<T> Clone for CachedReply<T> {
    fn clone(&self) -> Self {
        Self { of: Arc::clone(&self.of), generation: self.generation, what: Arc::clone(&self.what) }
    }
}

/// The generation of replies at the time of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Generation {
    generation: u64,
    /// `true` if the server had sent nothing unrequested for a while.
    pub(crate) is_still: bool,
}

impl FileCache {
    /// Creates empty caches for a server that counts as quiet after `stillness`.
    pub(crate) fn new(stillness: Duration) -> Self {
        Self {
            texts: Mutex::new(LruCache::new(TEXTS)),
            outlines: Mutex::new(LruCache::new(OUTLINES)),
            trees: Mutex::new(LruCache::new(TREES)),
            targets: Mutex::new(LruCache::new(TARGETS)),
            uses: Mutex::new(LruCache::new(USES)),
            generation: AtomicU64::default(),
            stirred: Mutex::new(Instant::now()),
            stillness,
        }
    }

    /// Invalidates the cached replies: the server was notified of a change, or loads something.
    pub(crate) fn invalidate(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.mark_active();
    }

    /// Records an unrequested message of the server.
    pub(crate) fn mark_active(&self) {
        *lock(&self.stirred) = Instant::now();
    }

    /// Returns the current generation, before a request is sent.
    pub(crate) fn generation(&self) -> Generation {
        let generation = self.generation.load(Ordering::SeqCst);
        Generation { generation, is_still: lock(&self.stirred).elapsed() >= self.stillness }
    }

    /// Reads the current text of a file on disk; blocking. `None` if it has no text.
    pub(crate) fn text(&self, path: &Path) -> Option<Arc<Text>> {
        let stamp = Stamp::read(path)?;
        if let Some((_, text)) = lock(&self.texts).get(path, |(it, _)| *it == stamp) {
            return Some(text);
        }
        let text = Arc::new(Text::read(path).ok()?);
        // A stamp as young as that may stand for two texts.
        if stamp.age() >= RACY && Stamp::read(path) == Some(stamp) {
            lock(&self.texts).put(path.to_owned(), text.as_str().len(), (stamp, Arc::clone(&text)));
        }
        Some(text)
    }

    /// Returns true if a text of the file is cached, be it current or not.
    pub(crate) fn has_text(&self, path: &Path) -> bool {
        lock(&self.texts).get(path, |_| true).is_some()
    }

    /// Returns the cached outline of this text.
    pub(crate) fn outline(&self, path: &Path, text: &Arc<Text>) -> Option<Arc<Vec<Node>>> {
        self.said(&self.outlines, path, text)
    }

    /// Caches an outline of that generation. An empty one is not cached: the server may not have loaded the
    /// file yet.
    pub(crate) fn keep_outline(
        &self,
        path: &Path,
        text: &Arc<Text>,
        asked: Generation,
        what: &Arc<Vec<Node>>,
    ) {
        if !what.is_empty() {
            let said =
                CachedReply { of: Arc::clone(text), generation: asked.generation, what: Arc::clone(what) };
            lock(&self.outlines).put(path.to_owned(), text.as_str().len(), said);
        }
    }

    /// Returns the cached targets of the name at a point of this text.
    pub(crate) fn targets(&self, path: &Path, point: Point, text: &Arc<Text>) -> Option<Arc<Vec<RawTarget>>> {
        self.said(&self.targets, &(path.to_owned(), point), text)
    }

    /// Caches the targets of that generation. An empty list is cached only if the server was quiet.
    pub(crate) fn keep_targets(
        &self,
        path: &Path,
        point: Point,
        text: &Arc<Text>,
        asked: Generation,
        what: &Arc<Vec<RawTarget>>,
    ) {
        if asked.is_still || !what.is_empty() {
            let said =
                CachedReply { of: Arc::clone(text), generation: asked.generation, what: Arc::clone(what) };
            lock(&self.targets).put((path.to_owned(), point), (1 + 2 * what.len()) * PLACE, said);
        }
    }

    /// Returns the cached uses of the symbol at a point of this text.
    pub(crate) fn uses(&self, at: &UsesAt, text: &Arc<Text>) -> Option<Arc<Vec<RawRange>>> {
        self.said(&self.uses, at, text)
    }

    /// Caches the uses of that generation if the server was quiet: one that still loads may find more.
    pub(crate) fn keep_uses(
        &self,
        at: UsesAt,
        text: &Arc<Text>,
        asked: Generation,
        what: &Arc<Vec<RawRange>>,
    ) {
        if asked.is_still {
            let said =
                CachedReply { of: Arc::clone(text), generation: asked.generation, what: Arc::clone(what) };
            lock(&self.uses).put(at, (1 + what.len()) * PLACE, said);
        }
    }

    fn said<K, Q, T>(&self, shelf: &Shared<K, CachedReply<T>>, key: &Q, text: &Arc<Text>) -> Option<Arc<T>>
    where
        K: Borrow<Q> + Clone + Eq + Hash + Ord,
        Q: Eq + Hash + ?Sized,
    {
        let generation = self.generation.load(Ordering::SeqCst);
        let mut shelf = lock(shelf);
        let said = shelf.get(key, |it| it.generation == generation && Arc::ptr_eq(&it.of, text))?;
        Some(said.what)
    }

    /// Returns the syntax tree of a text, parsed if it is not cached; blocking. `None` if its language is not
    /// known, or the text is too large.
    pub(crate) fn syntax(&self, path: &Path, text: &Arc<Text>) -> Option<Arc<Syntax>> {
        let read = || Syntax::read(path, text).map(Arc::new);
        // What has no tree takes no place from others.
        match has_tree(path, text) {
            true => self.tree(path, text).get_or_init(read).clone(),
            false => read(),
        }
    }

    /// Returns the syntax tree of a text if it is cached with its outline.
    pub(crate) fn prepared(&self, path: &Path, text: &Arc<Text>) -> Option<Arc<Syntax>> {
        let (_, tree) = lock(&self.trees).get(path, |(it, _)| Arc::ptr_eq(it, text))?;
        tree.get()?.clone().filter(|it| it.has_outline())
    }

    /// Returns true if a text has a syntax tree that can be cached, and is neither cached nor being parsed.
    pub(crate) fn is_unparsed(&self, path: &Path, text: &Arc<Text>) -> bool {
        has_tree(path, text) && lock(&self.trees).get(path, |(it, _)| Arc::ptr_eq(it, text)).is_none()
    }

    /// Returns true if a text has a syntax tree that can be cached, and neither is it being parsed nor has it an outline.
    pub(crate) fn lacks_outline(&self, path: &Path, text: &Arc<Text>) -> bool {
        match lock(&self.trees).get(path, |(it, _)| Arc::ptr_eq(it, text)) {
            None => has_tree(path, text),
            Some((_, tree)) => tree.get().is_some_and(|it| it.as_ref().is_some_and(|it| !it.has_outline())),
        }
    }

    /// Returns the place of a text's tree. Who asks for it while it is parsed waits there.
    fn tree(&self, path: &Path, text: &Arc<Text>) -> Arc<Tree> {
        let mut trees = lock(&self.trees);
        if let Some((_, tree)) = trees.get(path, |(it, _)| Arc::ptr_eq(it, text)) {
            return tree;
        }
        let tree = Arc::<Tree>::default();
        trees.put(path.to_owned(), text.as_str().len(), (Arc::clone(text), Arc::clone(&tree)));
        tree
    }
}

/// Returns true if the syntax tree of a text is one that the cache takes.
fn has_tree(path: &Path, text: &Text) -> bool {
    language_of(path).is_some() && text.as_str().len() <= TREES
}

/// A least-recently-used cache within a budget of bytes.
#[derive(Debug)]
pub(crate) struct LruCache<K, T> {
    items: HashMap<K, Item<T>>,
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

impl<K: Clone + Eq + Hash + Ord, T: Clone> LruCache<K, T> {
    pub(crate) fn new(budget: usize) -> Self {
        Self { items: HashMap::new(), weight: 0, budget, clock: 0 }
    }

    pub(crate) fn get<Q>(&mut self, key: &Q, is_right: impl FnOnce(&T) -> bool) -> Option<T>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.clock += 1;
        let item = self.items.get_mut(key).filter(|it| is_right(&it.what))?;
        item.used = self.clock;
        Some(item.what.clone())
    }

    pub(crate) fn put(&mut self, key: K, weight: usize, what: T) {
        self.clock += 1;
        self.weight += weight;
        let before = self.items.insert(key, Item { used: self.clock, weight, what });
        self.weight -= before.map_or(0, |it| it.weight);
        if self.weight > self.budget {
            self.make_room();
        }
    }

    /// Evicts the least recently used entries, down to half of the budget.
    fn make_room(&mut self) {
        let mut ages: Vec<_> = self.items.iter().map(|(key, it)| (it.used, key.clone())).collect();
        ages.sort_unstable();
        for (_, key) in ages {
            if self.weight <= self.budget / 2 {
                return;
            }
            self.weight -= self.items.remove(&key).map_or(0, |it| it.weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_the_budget_holds() {
        let mut shelf = LruCache::new(100);
        for number in 0..50 {
            shelf.put(number, 10, number);
            assert_eq!(shelf.get(&0, |_| true), Some(0));
            assert!(shelf.weight <= 100 && shelf.weight == shelf.items.len() * 10);
        }
        assert_eq!(shelf.get(&0, |it| *it == 1), None);
        shelf.put(1_000, 1_000, 1);
        assert_eq!((shelf.weight, shelf.items.len()), (0, 0));
    }

    #[test]
    fn a_text_is_read_again_when_its_file_changes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.rs");
        let cache = FileCache::new(Duration::from_secs(3600));
        let text = || cache.text(&path).map(|it| it.as_str().to_owned());
        assert_eq!(text(), None);
        for round in 0..200 {
            // Of one length, and often within one tick of the clock.
            std::fs::write(&path, format!("{round:03}")).unwrap();
            assert_eq!(text(), Some(format!("{round:03}")));
        }
        std::thread::sleep(RACY * 2);
        let (one, same) = (cache.text(&path).unwrap(), cache.text(&path).unwrap());
        assert!(Arc::ptr_eq(&one, &same));
        std::fs::write(&path, "200").unwrap();
        assert_eq!(text().as_deref(), Some("200"));
    }

    #[test]
    fn who_asks_for_a_tree_while_it_is_parsed_gets_the_same() {
        let (cache, path) = (FileCache::new(Duration::ZERO), Path::new("a.rs"));
        let text = Arc::new(Text::from("fn a() {}\n".repeat(1_000)));
        let trees: Vec<_> = std::thread::scope(|scope| {
            let asking: Vec<_> = (0..8).map(|_| scope.spawn(|| cache.syntax(path, &text))).collect();
            asking.into_iter().map(|it| it.join().unwrap().unwrap()).collect()
        });
        assert!(trees.iter().all(|it| Arc::ptr_eq(it, &trees[0])));
        let other = Arc::new(Text::from("fn b() {}\n".to_owned()));
        let parsed = cache.syntax(path, &other).unwrap();
        assert!(!Arc::ptr_eq(&parsed, &trees[0]), "the text has changed");
        let large = Arc::new(Text::from("a\n".repeat(TREES)));
        for path in ["a.unknown", "b.rs"] {
            assert!(cache.syntax(Path::new(path), &large).is_none());
        }
        assert!(
            Arc::ptr_eq(&cache.syntax(path, &other).unwrap(), &parsed),
            "what has no tree evicts nothing"
        );
    }

    #[test]
    fn nothing_is_believed_only_of_a_server_that_had_been_still() {
        let (cache, path) = (FileCache::new(Duration::from_secs(3600)), Path::new("a.rs"));
        let text = Arc::new(Text::from("a".to_owned()));
        let point =
            ide_protocol::Point { line: ide_protocol::Line::FIRST, column: ide_protocol::Column::FIRST };
        let (stirred, still) = (cache.generation(), Generation { is_still: true, ..cache.generation() });
        assert!(!stirred.is_still, "it has only begun");
        cache.keep_targets(path, point, &text, stirred, &Arc::default());
        assert!(cache.targets(path, point, &text).is_none());
        cache.keep_targets(path, point, &text, still, &Arc::default());
        assert!(cache.targets(path, point, &text).is_some());
        let at = (path.to_owned(), point, false);
        cache.keep_uses(at.clone(), &text, stirred, &Arc::default());
        assert!(cache.uses(&at, &text).is_none());
        cache.keep_uses(at.clone(), &text, still, &Arc::default());
        assert!(cache.uses(&at, &text).is_some());
        assert!(cache.uses(&(at.0.clone(), at.1, true), &text).is_none(), "that is another question");
        cache.invalidate();
        assert!(cache.uses(&at, &text).is_none() && cache.targets(path, point, &text).is_none());
        cache.keep_uses(at.clone(), &text, still, &Arc::default());
        assert!(cache.uses(&at, &text).is_none(), "it was asked before");
    }

    #[test]
    fn what_a_server_said_is_forgotten_with_news() {
        let (cache, path) = (FileCache::new(Duration::from_secs(3600)), Path::new("a.rs"));
        let [text, same] = ["a", "a"].map(|it| Arc::new(Text::from(it.to_owned())));
        let place =
            ide_protocol::Point { line: ide_protocol::Line::FIRST, column: ide_protocol::Column::FIRST };
        let whole = crate::fallback::source::outline::Extent { start: place, end: place };
        let node =
            Node { name: "a".into(), owner: None, kind: "function", whole, name_at: whole, children: vec![] };
        let outline = Arc::new(vec![node]);
        cache.keep_outline(path, &text, cache.generation(), &Arc::new(Vec::new()));
        assert!(cache.outline(path, &text).is_none(), "nothing may be too early");
        cache.keep_outline(path, &text, cache.generation(), &outline);
        assert!(cache.outline(path, &text).is_some());
        assert!(cache.outline(path, &same).is_none(), "it is another text, as far as anybody knows");
        let asked = cache.generation();
        cache.invalidate();
        assert!(cache.outline(path, &text).is_none());
        cache.keep_outline(path, &text, asked, &outline);
        assert!(cache.outline(path, &text).is_none(), "it was asked before");
    }

    #[test]
    fn a_text_is_parsed_when_its_syntax_is_asked_for_and_has_its_outline_made_later() {
        let (cache, path) = (FileCache::new(Duration::from_secs(3600)), Path::new("a.rs"));
        let [text, other] = ["fn a() {}", "fn b() {}"].map(|it| Arc::new(Text::from(it.to_owned())));
        let needs = |text| (cache.is_unparsed(path, text), cache.lacks_outline(path, text));
        assert_eq!(needs(&text), (true, true));
        let syntax = cache.syntax(path, &text).unwrap();
        assert_eq!(needs(&text), (false, true));
        let points = [ide_protocol::Point {
            line: ide_protocol::Line::FIRST,
            column: ide_protocol::Column::from_index(3),
        }];
        assert_eq!(syntax.roles(&text, &points), Some(vec!["definition"]));
        assert_eq!(needs(&text), (false, true), "a role needs no outline");
        assert_eq!(syntax.usages(&text, "a.rs", &points).unwrap()[0].role, "definition");
        assert_eq!(needs(&text), (false, false));
        assert_eq!(needs(&other), (true, true), "it is another text");
        let prose = Path::new("a.unknown");
        assert!(!cache.is_unparsed(prose, &text) && !cache.lacks_outline(prose, &text));
    }
}
