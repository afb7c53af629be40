//! What the files of a folder define, so that a question about names parses nothing that is as it was.
//!
//! There is a card for each file of a language whose syntax is known. The first question that needs them has them made
//! in the background, by threads that give way to all else, and is answered without or waits a while for them; what is
//! kept on disk saves most of that. Before each use the files are looked at, unless a [`Vigil`] says that nothing
//! changed, and those that did are read again: an answer comes from cards of all files as they are, or not from here.
//! Beyond [`ENTRY_LIMIT`] files or [`CARD_LIMIT`] bytes in a folder there are none.

pub(crate) mod file_symbols;
pub(crate) mod store;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, TryLockError, Weak};
use std::time::Instant;

use super::buffers::Texts;
use super::stamp::{RACY, Stamp};
use super::tree_watcher::Vigil;
use super::walk::ENTRY_LIMIT;
use super::word_index::State;
use super::{file_scan, word_index};
use crate::fallback::source::languages::{Language, language_of};
use crate::fallback::source::parallel;
use crate::fallback::source::parallel::threads;
use crate::fallback::source::text::{ReadError, Text};
use crate::lock::lock;
use crate::os;
use file_symbols::Card;
use store::{Filed, IndexStore, Key};

/// So many bytes of cards are kept of one folder.
const CARD_LIMIT: usize = 96 * 1024 * 1024;

/// So many files are read while a question waits.
const AT_ONCE: usize = 200;

/// So many files are read in the background before it is looked whether anybody still wants them.
const PART: usize = 256;

/// The cards of folders; shared by all that it is cloned to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    drawers: Arc<Mutex<HashMap<PathBuf, Arc<Drawer>>>>,
    store: Option<IndexStore>,
}

/// The cards of files, each as it is now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cards {
    /// In order of path.
    pub(crate) cards: BTreeMap<PathBuf, Arc<Card>>,
    /// Whether some files could not be read.
    pub(crate) is_blind: bool,
}

/// The cards of one folder.
#[derive(Debug, Default)]
struct Drawer {
    files: Mutex<Files>,
    /// Whether cards are being made in the background.
    is_busy: AtomicBool,
}

#[derive(Debug, Default)]
struct Files {
    vigil: Vigil,
    files: BTreeMap<PathBuf, File>,
    state: State,
    /// Whether there was a card for each file once: few are missing since.
    is_whole: bool,
    /// How many cards were made or taken away since they were kept on disk.
    unsaved: usize,
}

#[derive(Clone, Debug)]
struct File {
    stamp: Stamp,
    /// What was made of it; `None` where it is to be read.
    made: Option<Made>,
}

/// What was made of a file.
#[derive(Clone, Debug)]
struct Made {
    key: Key,
    /// `None` where it could not be read.
    card: Option<Arc<Card>>,
    /// Whether the file may have changed since without a change of its stamp.
    racy: bool,
}

impl Index {
    /// With what is kept on disk.
    pub(crate) fn kept_in(store: Option<IndexStore>) -> Self {
        Self { store, ..Self::default() }
    }

    /// The cards of all files of a language in a folder, or in a part of it, as they are now and as the editor holds
    /// them; blocking. `None` when they are not known, and then they are made in the background.
    pub(crate) fn cards(
        &self,
        folder: &Path,
        part: &Path,
        language: &Language,
        texts: &Texts,
        until: Instant,
    ) -> Option<Cards> {
        let drawer = Arc::clone(lock(&self.drawers).entry(folder.to_owned()).or_default());
        let is_busy = drawer.is_busy.load(Ordering::SeqCst);
        let mut files = match drawer.files.try_lock() {
            Ok(files) => files,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            // The thread that has them gives way to all else, and would be waited for as long.
            Err(TryLockError::WouldBlock) if is_busy => return None,
            Err(TryLockError::WouldBlock) => lock(&drawer.files),
        };
        if !files.is_whole && is_busy {
            return None;
        }
        if files.state == State::Unread {
            files.load(folder, self.store.as_ref());
        }
        let is_begun = !files.files.is_empty() || files.state == State::Read;
        if is_begun {
            files.refresh(folder);
        }
        let unread = files.unread(texts);
        if files.state != State::Read || unread.len() > AT_ONCE {
            let is_wanted = files.state != State::TooLarge;
            drop(files);
            if is_wanted {
                Drawer::fill_soon(&drawer, folder, self.store.clone());
            }
            return None;
        }
        for (path, file) in read(&unread, &HashMap::new(), threads(), until) {
            files.put(&path, file);
        }
        files.is_whole = true;
        let is_meant =
            |path: &Path| path.starts_with(part) && language.owns(path) && language_of(path).is_some();
        let mut all = Cards::default();
        let here = files.files.range(part.to_owned()..).take_while(|(path, _)| path.starts_with(part));
        for (path, file) in here.filter(|(path, _)| is_meant(path) && !texts.contains_key(*path)) {
            // It changes all the time, or there was no time to read it.
            let made = file.made.as_ref()?;
            match &made.card {
                Some(card) => drop(all.cards.insert(path.clone(), Arc::clone(card))),
                None => all.is_blind = true,
            }
        }
        let is_stale = files.unsaved > files.files.len() / 16;
        drop(files);
        if is_stale {
            Drawer::fill_soon(&drawer, folder, self.store.clone());
        }
        for (path, text) in texts.iter().filter(|(path, _)| is_meant(path)) {
            all.cards.insert(path.clone(), Arc::new(Card::of(language_of(path)?, text)));
        }
        // Where nothing is seen, somebody may have asked about what git ignores.
        (!all.cards.is_empty()).then_some(all)
    }

    /// Whether the cards of one of these folders are being made.
    pub(crate) fn is_busy(&self, folders: &[PathBuf]) -> bool {
        let drawers = lock(&self.drawers);
        folders.iter().filter_map(|it| drawers.get(it)).any(|it| it.is_busy.load(Ordering::SeqCst))
    }

    /// Makes the cards of folders in the background, where that was not begun yet.
    pub(crate) fn fill_soon(&self, folders: &[PathBuf]) {
        for folder in folders {
            let drawer = Arc::clone(lock(&self.drawers).entry(folder.clone()).or_default());
            let is_new = drawer.files.try_lock().is_ok_and(|it| it.state == State::Unread);
            if is_new {
                Drawer::fill_soon(&drawer, folder, self.store.clone());
            }
        }
    }
}

impl Drawer {
    /// Makes what is missing and keeps all of it on disk, for as long as somebody has the drawer.
    fn fill_soon(drawer: &Arc<Self>, folder: &Path, store: Option<IndexStore>) {
        if drawer.is_busy.swap(true, Ordering::SeqCst) {
            return;
        }
        let (weak, folder) = (Arc::downgrade(drawer), folder.to_owned());
        let spawned = std::thread::Builder::new().name("index".into()).spawn(move || {
            os::give_way();
            let began = Instant::now();
            let ended = fill(&weak, &folder, store.as_ref());
            tracing::debug!(?folder, is_whole = ended.is_some(), took = ?began.elapsed(), "indexed");
            if let Some(drawer) = weak.upgrade() {
                drawer.is_busy.store(false, Ordering::SeqCst);
            }
        });
        if spawned.is_err() {
            drawer.is_busy.store(false, Ordering::SeqCst);
        }
    }
}

/// `None` where nobody wants it any more, or it is too much.
fn fill(drawer: &Weak<Drawer>, folder: &Path, store: Option<&IndexStore>) -> Option<()> {
    // Many files are copies of others.
    let mut known: HashMap<Key, Arc<Card>> = HashMap::new();
    let mut is_moving = true;
    let filed = loop {
        let drawer_now = drawer.upgrade()?;
        let mut files = lock(&drawer_now.files);
        if files.state == State::Unread {
            files.load(folder, store);
        }
        if is_moving {
            files.refresh(folder);
        }
        if files.state != State::Read {
            return None;
        }
        let unread: Vec<_> = files.unread(&Texts::default()).into_iter().take(PART).collect();
        if unread.is_empty() {
            files.share(&known);
            files.is_whole = true;
            break (std::mem::take(&mut files.unsaved) > 0).then(|| files.filed(folder));
        }
        drop(files);
        drop(drawer_now);
        let made = read(&unread, &known, threads().div_ceil(2), far_off());
        is_moving = made.len() < unread.len();
        let drawer_now = drawer.upgrade()?;
        let mut files = lock(&drawer_now.files);
        for (path, file) in made {
            if let Some(Made { key, card: Some(card), .. }) = &file.made {
                known.insert(*key, Arc::clone(card));
            }
            is_moving |= !files.put(&path, file);
        }
        if known.values().map(|it| it.bytes().len()).sum::<usize>() > CARD_LIMIT {
            tracing::info!(?folder, "too many definitions to be kept");
            *files = Files { state: State::TooLarge, ..Files::default() };
            return None;
        }
    };
    if let (Some(store), Some(filed)) = (store, filed)
        && let Err(error) = store.save(folder, &filed)
    {
        tracing::debug!(?folder, %error, "the index is not kept");
    }
    Some(())
}

impl Files {
    /// Takes what is kept on disk for what the files were.
    fn load(&mut self, folder: &Path, store: Option<&IndexStore>) {
        let filed = store.map(|it| it.load(folder)).unwrap_or_default();
        let file = |Filed { path, stamp, key, card }: Filed| {
            let made = Some(Made { key, card: Some(card), racy: false });
            (folder.join(path), File { stamp, made })
        };
        self.files = filed.into_iter().map(file).collect();
    }

    /// Looks which files there are; what was made of those that changed is forgotten.
    fn refresh(&mut self, folder: &Path) {
        if self.state == State::TooLarge
            || self.state == State::Read && self.vigil.is_still(word_index::matters)
        {
            return;
        }
        self.vigil.begin();
        let (seen, files) = word_index::look(folder);
        if files.len() > ENTRY_LIMIT {
            *self = Self { state: State::TooLarge, ..Self::default() };
            return;
        }
        let mut known = std::mem::take(&mut self.files);
        for (path, stamp) in files.into_iter().filter(|(path, _)| language_of(path).is_some()) {
            let known = known.remove(&path).filter(|it| it.stamp == stamp);
            let made = known.and_then(|it| it.made).filter(|it| !it.racy && it.card.is_some());
            self.files.insert(path, File { stamp, made });
        }
        self.unsaved += known.len();
        self.state = State::Read;
        self.vigil.end(&seen);
    }

    fn unread(&self, texts: &Texts) -> Vec<PathBuf> {
        let unread = self.files.iter().filter(|(path, it)| it.made.is_none() && !texts.contains_key(*path));
        unread.map(|(path, _)| path.clone()).collect()
    }

    /// What was made of a file counts where the file is as it was seen last, and nothing else was made of it since.
    /// Whether that is so.
    fn put(&mut self, path: &Path, file: File) -> bool {
        match self.files.get_mut(path) {
            Some(seen) if seen.stamp != file.stamp => false,
            Some(seen) if seen.made.is_none() => {
                self.unsaved += usize::from(file.made.as_ref().is_some_and(|it| it.card.is_some()));
                *seen = file;
                true
            }
            Some(_) => true,
            None => false,
        }
    }

    /// One card for all files of one text.
    fn share(&mut self, known: &HashMap<Key, Arc<Card>>) {
        for made in self.files.values_mut().filter_map(|it| it.made.as_mut()) {
            if let Some(card) = known.get(&made.key).filter(|_| made.card.is_some()) {
                made.card = Some(Arc::clone(card));
            }
        }
    }

    /// What can be believed later.
    fn filed(&self, folder: &Path) -> Vec<Filed> {
        let sound = self.files.iter().filter_map(|(path, file)| {
            let made = file.made.as_ref().filter(|it| !it.racy)?;
            let path = path.strip_prefix(folder).ok()?.to_owned();
            Some(Filed { path, stamp: file.stamp, key: made.key, card: Arc::clone(made.card.as_ref()?) })
        });
        sound.collect()
    }
}

/// Reads files on some threads; those for which there is no time are left out.
fn read(
    paths: &[PathBuf],
    known: &HashMap<Key, Arc<Card>>,
    n_threads: usize,
    until: Instant,
) -> Vec<(PathBuf, File)> {
    parallel::map(paths, n_threads, until, |path| Some((path.clone(), File::read(path, known)?)))
}

impl File {
    /// `None` when it is gone.
    fn read(path: &Path, known: &HashMap<Key, Arc<Card>>) -> Option<Self> {
        let (language, stamp) = (language_of(path)?, file_scan::stamp(path)?);
        let text = Text::read(path);
        let racy = stamp.age() < RACY || file_scan::stamp(path) != Some(stamp);
        let made = match text {
            Ok(text) => {
                let key = store::key(language.id(), text.as_str());
                let card = known.get(&key).cloned().unwrap_or_else(|| Arc::new(Card::of(language, &text)));
                Made { key, card: Some(card), racy }
            }
            // It defines nothing that anybody could find.
            Err(ReadError::Binary) => {
                Made { key: store::key("", ""), card: Some(Arc::new(Card::default())), racy }
            }
            Err(_) => Made { key: Key::default(), card: None, racy },
        };
        Some(Self { stamp, made: Some(made) })
    }
}

fn far_off() -> Instant {
    Instant::now() + std::time::Duration::from_secs(24 * 60 * 60)
}

#[cfg(test)]
#[path = "index/index_tests.rs"]
mod tests;
