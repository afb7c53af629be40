//! The folders of a session: access rights, displayed paths, and the indexes of their files.

use std::collections::BTreeSet;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use ide_protocol::{ErrorCode, IdeError, Listing, Reason, is_short_path, short_path};
use serde::{Deserialize, Serialize};
use source_text::from_visible_line;

use super::buffers::{Buffers, Texts};
use super::index::{FolderSymbols, Index};
use super::readable_outside::ReadableOutside;
use super::walk::TreesLeftOut;
use super::word_index::WordIndex;
use super::word_scan::SearchScope;
use super::{path_suggestions, walk};
use crate::fallback::source::languages::Language;
use crate::fallback::trust::level::Level;
use crate::fallback::trust::ownership;
use crate::fallback::trust::store::TrustDecisions;
use crate::fallback::trust::work_trees;
use crate::fallback::trust::work_trees::Repository;
use unpoisoned::lock;

/// The longest time to wait for an index that is being built.
const PATIENCE: Duration = Duration::from_secs(5);

/// The most trees that a remark names.
const TREES_NAMED: usize = 3;

/// The time for which a text of the editor counts as one of the same tree.
const FRESH: Duration = Duration::from_secs(1);

/// The time between two checks of that index.
const LOOK: Duration = Duration::from_millis(20);

/// The folders of one session that questions are answered about, canonical: those of its own tree, or another tree.
#[derive(Debug)]
pub(crate) struct SessionFolders {
    folders: Vec<PathBuf>,
    /// All roots of the session, canonical. Relative paths start from the first.
    roots: Vec<PathBuf>,
    /// The other trees that walks left out.
    left_out: TreesLeftOut,
    /// The files and folders outside that answers and servers of this session made readable.
    allowed: Mutex<Allowed>,
    /// The readable folders outside, found when first needed.
    given: OnceLock<ReadableOutside>,
    /// The repositories that contain the folders.
    repositories: OnceLock<Vec<PathBuf>>,
    installed: Mutex<ReadableOutside>,
    /// The decisions about trust; without them the workspace is not trusted.
    trusts: Option<Arc<TrustDecisions>>,
    buffers: Buffers,
    own_texts: Mutex<Option<OwnTexts>>,
    words: WordIndex,
    index: Index,
}

/// The files and folders outside of a session's own that its answers and servers made readable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Readable {
    /// The files that answers named. They may be read if their folder is readable.
    named: BTreeSet<PathBuf>,
    /// The programs of servers that were started, whose installations are readable.
    programs: BTreeSet<PathBuf>,
    /// The folders of sources that confined programs make.
    made: BTreeSet<PathBuf>,
}

/// All that became readable.
#[derive(Debug, Default)]
struct Allowed {
    all: Readable,
    /// The part since [`SessionFolders::take_news`] was called last, from its first call on.
    news: Option<Readable>,
}

impl Allowed {
    /// Adds a path to one of the sets. Returns `true` if it was not there.
    fn add(&mut self, set: fn(&mut Readable) -> &mut BTreeSet<PathBuf>, path: &Path) -> bool {
        let is_new = set(&mut self.all).insert(path.to_owned());
        if let Some(news) = self.news.as_mut().filter(|_| is_new) {
            set(news).insert(path.to_owned());
        }
        is_new
    }
}

/// The editor's texts without those of other trees, while the editor's are the same.
#[derive(Debug)]
struct OwnTexts {
    all: Texts,
    own: Texts,
    at: Instant,
}

/// An existing file or folder that may be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionPath {
    /// The canonical path.
    pub(crate) path: PathBuf,
    /// The path as displayed to the agent.
    pub(crate) spelling: String,
    /// `true` if it lies outside of the session's folders.
    pub(crate) external: bool,
}

/// A place that a path from the agent leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Located {
    /// The canonical path.
    pub(crate) path: PathBuf,
    /// `true` if a file or folder is there, on disk or in the editor alone.
    pub(crate) exists: bool,
}

impl SessionFolders {
    /// Creates the folders of a session's own tree: its roots without those that are other work trees of the same
    /// repository. Missing folders are kept, because they may be created later.
    pub(crate) fn new(roots: Vec<PathBuf>) -> Self {
        let mut canonical: Vec<PathBuf> = Vec::new();
        for root in roots {
            let root = root.canonicalize().unwrap_or(root);
            if !canonical.contains(&root) {
                canonical.push(root);
            }
        }
        Self::of_trees(own_roots(&canonical), canonical)
    }

    /// Creates the folders for questions about other trees of the same session.
    pub(crate) fn of_other_trees(&self, folders: Vec<PathBuf>) -> Self {
        // Who takes the news of this session takes those of its trees.
        let news = lock(&self.allowed).news.as_ref().map(|_| Readable::default());
        Self {
            trusts: self.trusts.clone(),
            buffers: self.buffers.clone(),
            allowed: Mutex::new(Allowed { news, ..Allowed::default() }),
            ..Self::of_trees(folders, self.roots.clone())
        }
    }

    fn of_trees(folders: Vec<PathBuf>, roots: Vec<PathBuf>) -> Self {
        Self {
            folders,
            roots,
            left_out: TreesLeftOut::default(),
            allowed: Mutex::default(),
            given: OnceLock::new(),
            repositories: OnceLock::new(),
            installed: Mutex::default(),
            trusts: None,
            buffers: Buffers::default(),
            own_texts: Mutex::default(),
            words: WordIndex::default(),
            index: Index::default(),
        }
    }

    /// Uses an editor's buffers, which replace texts on disk.
    pub(crate) fn with_buffers(self, buffers: Buffers) -> Self {
        Self { buffers, ..self }
    }

    /// Returns the editor's buffers.
    pub(crate) fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    /// Uses the user's decisions about trust.
    pub(crate) fn with_trust(self, trusts: Arc<TrustDecisions>) -> Self {
        Self { trusts: Some(trusts), ..self }
    }

    /// Uses indexes of definitions and words.
    pub(crate) fn with_indexes(self, index: Index, words: WordIndex) -> Self {
        Self { index, words, ..self }
    }

    /// Returns the symbols of a language's files in the folders, or below `part`; `None` unless all are
    /// known. Blocking.
    pub(crate) fn symbols(
        &self,
        language: &Language,
        part: Option<&Path>,
        until: Instant,
    ) -> Option<FolderSymbols> {
        let mut all = FolderSymbols::default();
        for folder in walk::outermost(&self.folders).filter(|it| part.is_none_or(|part| part.starts_with(it)))
        {
            let here = self.index.symbols(folder, part.unwrap_or(folder), language, &self.texts(), until)?;
            all.files.extend(here.files);
            all.unreadable.extend(here.unreadable);
        }
        Some(all)
    }

    /// Returns the symbols as [`Self::symbols`], and waits a while if they are being indexed; blocking.
    pub(crate) fn wait_for_symbols(
        &self,
        language: &Language,
        part: Option<&Path>,
        until: Instant,
    ) -> Option<FolderSymbols> {
        let folders: Vec<_> = walk::outermost(&self.folders).cloned().collect();
        let waits_until = until.min(Instant::now() + PATIENCE);
        let mut was_busy = true;
        loop {
            let symbols = self.symbols(language, part, until);
            if symbols.is_some() || !was_busy || Instant::now() >= waits_until {
                return symbols;
            }
            // Indexing may have ended between the two calls.
            was_busy = self.index.is_busy(&folders);
            std::thread::sleep(LOOK);
        }
    }

    /// Starts to index the folders in the background, unless that has begun.
    pub(crate) fn start_indexing(&self) {
        let folders: Vec<_> = walk::outermost(&self.folders).cloned().collect();
        self.index.start_indexing(&folders);
    }

    /// Returns the editor's texts, which replace those on disk, without those of files in other trees.
    pub(crate) fn texts(&self) -> Texts {
        let texts = self.buffers.texts();
        if texts.is_empty() {
            return texts;
        }
        let mut known = lock(&self.own_texts);
        if let Some(OwnTexts { all, own, at }) = &*known
            && Arc::ptr_eq(all, &texts)
            && at.elapsed() < FRESH
        {
            return Arc::clone(own);
        }
        let is_other = |path: &PathBuf| innermost(&self.folders, path).is_some() && !self.contains(path);
        let own = match texts.keys().any(is_other) {
            false => Arc::clone(&texts),
            true => {
                let own = texts.iter().filter(|(path, _)| !is_other(path));
                Texts::new(own.map(|(path, text)| (path.clone(), Arc::clone(text))).collect())
            }
        };
        *known = Some(OwnTexts { all: texts, own: Arc::clone(&own), at: Instant::now() });
        own
    }

    /// Returns the folders, in the order of the session.
    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Returns all roots of the session, about which the user decides together.
    pub(crate) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Returns the part of a glob below the other tree that its first folders lead to; `None` in the session's own tree.
    /// Blocking.
    pub(crate) fn below_tree(&self, glob: &str) -> Option<String> {
        let is_own = |it: &PathBuf| self.roots.first() == Some(it);
        let glob = glob.strip_prefix("file://").unwrap_or(glob);
        let ends = glob.match_indices('/').map(|(at, _)| at).chain([glob.len()]);
        ends.collect::<Vec<_>>().into_iter().rev().find_map(|end| {
            let folder = self.roots.first()?.join(&glob[..end]).canonicalize().ok()?;
            let tree = innermost(&self.folders, &folder).filter(|it| !is_own(it))?;
            let inner = with_slashes(folder.strip_prefix(tree).ok()?);
            Some(format!("{inner}{}", &glob[end..]))
        })
    }

    /// Returns the remark on answers about another tree than the session's own.
    pub(crate) fn other_tree_remark(&self) -> Option<Reason> {
        let is_own = self.folders.iter().any(|it| self.roots.contains(it));
        let tree = self.folders.first().filter(|_| !is_own)?;
        Some(Reason::OtherTree { path: self.display_path(tree) })
    }

    /// Returns the record of the trees that walks leave out.
    pub(crate) fn left_out(&self) -> &TreesLeftOut {
        &self.left_out
    }

    /// Returns the remark on other trees at a path that were left out of a walk there; blocking.
    pub(crate) fn left_out_remark(&self, start: &Path, with_hidden: bool) -> Option<Reason> {
        let trees = self.left_out.below(start, with_hidden);
        let paths = Listing::of(trees.iter().map(|it| self.display_path(it)), TREES_NAMED);
        (!paths.is_empty()).then_some(Reason::TreesLeftOut { paths })
    }

    /// Returns the folders that were deleted or moved. A folder with texts in the editor does not count as
    /// missing.
    pub(crate) fn missing_folders(&self) -> Vec<&PathBuf> {
        let is_held = |folder: &PathBuf| self.texts().keys().any(|it| it.starts_with(folder));
        self.folders.iter().filter(|it| !it.exists() && !is_held(it)).collect()
    }

    /// Checks that at least one of the folders exists.
    pub(crate) fn check_any_exists(&self) -> Result<(), IdeError> {
        match self.missing_folders_error() {
            Some(error) if self.missing_folders().len() == self.folders.len() => Err(error),
            _ => Ok(()),
        }
    }

    /// Returns the error for a request about all folders, one of which is missing.
    pub(crate) fn missing_folders_error(&self) -> Option<IdeError> {
        let advice = "Open a session in the folder where the workspace is now, or put the folder back.";
        let gone = self.missing_folders_reason()?;
        Some(IdeError::new(ErrorCode::NotFound, gone.to_string()).recovery(advice))
    }

    /// Returns the reason for answers while some folders are missing.
    pub(crate) fn missing_folders_reason(&self) -> Option<Reason> {
        let gone = self.missing_folders();
        (!gone.is_empty()).then(|| missing_folders(&gone))
    }

    /// Returns the scope of text searches in all folders.
    pub(crate) fn search_scope(&self) -> SearchScope {
        self.search_scope_of(self.folders.clone())
    }

    /// Returns the scope of text searches in other folders.
    pub(crate) fn search_scope_of(&self, folders: Vec<PathBuf>) -> SearchScope {
        SearchScope { folders, texts: self.texts(), words: self.words.clone() }
    }

    /// Returns whether a canonical path lies in one of the folders, and there in no other tree; blocking, briefly.
    pub(crate) fn contains(&self, path: &Path) -> bool {
        innermost(&self.folders, path).is_some_and(|it| work_trees::apart(path, it).is_none())
    }

    /// Returns whether a place that a server names belongs to another tree of the session, so that no answer shows it. The
    /// target of a name may lie in a repository of its own, as a library does. Blocking, briefly.
    pub(crate) fn is_elsewhere(&self, path: &Path, is_target: bool) -> bool {
        if let Some(folder) = innermost(&self.folders, path) {
            let tree = work_trees::apart(path, folder);
            return tree.is_some_and(|it| !is_target || work_trees::is_linked(it));
        }
        let Some(tree) = work_trees::around(path) else { return false };
        let own = || self.folders.iter().filter_map(|it| Repository::around(it));
        own().any(|(repository, own)| own != tree && repository.holds(path))
    }

    /// Returns the place that a path from the agent leads to, whether or not it may be read; blocking. Where nothing is
    /// there, it is the place where a new file would be.
    pub(crate) fn locate(&self, asked: &str) -> Option<Located> {
        let exact = |spelled: &str| self.roots.iter().find_map(|root| root.join(spelled).canonicalize().ok());
        let spelled = asked.strip_prefix("file://").unwrap_or(asked);
        let found = exact(spelled).or_else(|| exact(&from_visible_line(asked)?));
        if let Some(path) = found {
            return Some(Located { path, exists: true });
        }
        let path = without_links(&normalize(&self.roots.first()?.join(spelled)))?;
        let exists = self.texts().contains_key(&path);
        Some(Located { path, exists })
    }

    /// Returns the top of the other tree that holds a canonical path: one in a root of the session, or a work tree beside
    /// them of the same repository. Blocking.
    pub(crate) fn tree_of(&self, path: &Path) -> Option<PathBuf> {
        if let Some(root) = innermost(&self.roots, path) {
            let inner = work_trees::below(path, root).map(Path::to_owned);
            return inner.or_else(|| (!self.folders.contains(root)).then(|| root.clone()));
        }
        let tree = work_trees::around(path)?;
        let mut repositories = self.roots.iter().filter_map(|it| Repository::around(it));
        repositories.any(|(it, own)| own != tree && it.holds(path)).then(|| tree.to_owned())
    }

    /// Returns whether a path, canonical or as displayed, is hidden below the session's folders, so that walks do not come to it.
    pub(crate) fn is_hidden(&self, path: impl AsRef<Path>) -> bool {
        let path = self.roots.first().map_or_else(|| path.as_ref().to_owned(), |it| it.join(&path));
        let below = innermost(&self.folders, &path).and_then(|it| path.strip_prefix(it).ok());
        below.is_some_and(|it| it.iter().any(|it| it.as_encoded_bytes().starts_with(b".")))
    }

    /// Describes a canonical path that was found; access is not checked.
    pub(crate) fn place(&self, path: PathBuf) -> SessionPath {
        SessionPath { external: !self.contains(&path), ..self.own_place(path) }
    }

    /// Describes a file that a walk of a place came to. A walk enters no other tree, so that what it finds in the folders is
    /// in them.
    pub(crate) fn place_in_walk(&self, start: &SessionPath, path: PathBuf) -> SessionPath {
        if start.external { self.place(path) } else { self.own_place(path) }
    }

    /// Describes a canonical path in the session's folders.
    fn own_place(&self, path: PathBuf) -> SessionPath {
        SessionPath { spelling: self.display_path(&path), external: false, path }
    }

    /// Formats a path for the agent: relative to the first folder with `/`, otherwise absolute.
    pub(crate) fn display_path(&self, path: &Path) -> String {
        let relative = self.roots.first().and_then(|root| path.strip_prefix(root).ok());
        match relative {
            Some(relative) if relative.as_os_str().is_empty() => ".".into(),
            Some(relative) => with_slashes(relative),
            None => path.to_string_lossy().into_owned(),
        }
    }

    /// Records that an answer named a canonical path, so that it may be read.
    pub(crate) fn allow_named(&self, path: &Path) {
        if !self.contains(path) {
            lock(&self.allowed).add(|it| &mut it.named, path);
        }
    }

    fn is_named(&self, path: &Path) -> bool {
        lock(&self.allowed).all.named.contains(path)
    }

    /// Makes the libraries of a server's installation readable; blocking the first time.
    pub(crate) fn allow_installation(&self, program: &Path) {
        let is_new = lock(&self.allowed).add(|it| &mut it.programs, program);
        if is_new {
            lock(&self.installed).add_installation(program, &self.folders);
        }
    }

    /// Returns `true` if the libraries of a server's installation were made readable.
    pub(crate) fn allows_installation(&self, program: &Path) -> bool {
        lock(&self.allowed).all.programs.contains(program)
    }

    /// Makes a folder for sources from confined programs readable.
    pub(crate) fn allow_made_sources(&self, folder: &Path) {
        lock(&self.installed).add_made(folder);
        lock(&self.allowed).add(|it| &mut it.made, folder);
    }

    /// Returns what became readable since this was called last, and nothing at the first call.
    pub(crate) fn take_news(&self) -> Readable {
        lock(&self.allowed).news.replace(Readable::default()).unwrap_or_default()
    }

    /// Returns all that became readable.
    pub(crate) fn readable(&self) -> Readable {
        lock(&self.allowed).all.clone()
    }

    /// Makes readable what was so for this session in another process; blocking.
    pub(crate) fn allow(&self, readable: &Readable) {
        readable.named.iter().for_each(|it| self.allow_named(it));
        readable.programs.iter().for_each(|it| self.allow_installation(it));
        readable.made.iter().for_each(|it| self.allow_made_sources(it));
    }

    /// Returns whether the agent may read the file with this canonical path. Blocking the first time.
    ///
    /// It lies in the session's folders, or in a readable folder outside; in a trusted workspace, anywhere
    /// that is not private.
    pub(crate) fn may_read(&self, path: &Path) -> bool {
        innermost(&self.folders, path).is_some()
            || self.is_given(path)
            || self.is_trusted() && !ownership::is_private(path)
    }

    fn is_given(&self, path: &Path) -> bool {
        let find = || self.folders.iter().filter_map(|it| ownership::repository(it)).collect();
        self.repositories.get_or_init(find).iter().any(|it| path.starts_with(it))
            || self.is_of_toolchain(path)
    }

    /// Returns whether a canonical path lies in a toolchain's installation, which does not change. Blocking
    /// the first time.
    pub(crate) fn is_of_toolchain(&self, path: &Path) -> bool {
        let given = self.given.get_or_init(|| ReadableOutside::find(&self.folders));
        given.holds(path) || lock(&self.installed).holds(path)
    }

    fn is_trusted(&self) -> bool {
        self.trusts.as_ref().is_some_and(|it| it.level(&self.roots) == Level::Trusted)
    }

    /// Returns the remark on places in files that must not be read.
    pub(crate) fn unreadable_remark(&self, paths: &BTreeSet<PathBuf>) -> Option<Reason> {
        let paths = Listing::of(paths.iter().map(|it| self.display_path(it)), 1);
        (!paths.is_empty()).then_some(Reason::NotReadable { paths })
    }

    /// Resolves a path from the agent to an existing file or folder. The end of a path is enough where only one file
    /// has it.
    ///
    /// # Errors
    /// It does not exist, or it lies outside of the folders, possibly behind a symbolic link.
    pub(crate) fn resolve(&self, asked: &str) -> Result<SessionPath, IdeError> {
        let spelled = PathBuf::from(asked.strip_prefix("file://").unwrap_or(asked));
        match self.existing(asked)? {
            Some(place) => Ok(place),
            None => match self.only_ending(&spelled) {
                Some(path) => Ok(self.own_place(path)),
                None => Err(self.absent(asked, &spelled)),
            },
        }
    }

    /// Resolves a whole path from the agent to an existing file or folder.
    ///
    /// # Errors
    /// As for [`Self::resolve`].
    pub(crate) fn resolve_exactly(&self, asked: &str) -> Result<SessionPath, IdeError> {
        let spelled = Path::new(asked.strip_prefix("file://").unwrap_or(asked));
        self.existing(asked)?.ok_or_else(|| self.absent(asked, spelled))
    }

    /// Resolves a whole path from the agent to a file that may not exist yet.
    ///
    /// # Errors
    /// It lies outside of the folders, possibly behind a symbolic link.
    pub(crate) fn resolve_new(&self, asked: &str) -> Result<SessionPath, IdeError> {
        if let Some(place) = self.existing(asked)? {
            return Ok(place);
        }
        let spelled = Path::new(asked.strip_prefix("file://").unwrap_or(asked));
        let root = self.roots.first().ok_or_else(|| self.outside(asked))?;
        let path = normalize(&root.join(spelled));
        match without_links(&path).filter(|it| self.contains(it)) {
            Some(path) => Ok(self.own_place(path)),
            None => Err(self.outside(asked)),
        }
    }

    /// Resolves a whole path from the agent, as it is or as a line of an answer escapes it; `None` if nothing is there.
    fn existing(&self, asked: &str) -> Result<Option<SessionPath>, IdeError> {
        match (self.resolve_spelling(asked)?, from_visible_line(asked)) {
            (None, Some(unescaped)) => self.resolve_spelling(&unescaped),
            (found, _) => Ok(found),
        }
    }

    /// Resolves a whole path as it is spelled; `None` if nothing is there.
    fn resolve_spelling(&self, asked: &str) -> Result<Option<SessionPath>, IdeError> {
        let spelled = PathBuf::from(asked.strip_prefix("file://").unwrap_or(asked));
        if spelled.as_os_str().is_empty() {
            let advice = "Name a file or folder relative to the session's root, or `.` for the root itself.";
            return Err(IdeError::new(ErrorCode::InvalidRequest, "the path is empty").recovery(advice));
        }
        for root in &self.roots {
            match root.join(&spelled).canonicalize() {
                Ok(path) if self.contains(&path) => return Ok(Some(self.own_place(path))),
                Ok(path) if self.is_named(&path) => {
                    return match self.may_read(&path) {
                        true => Ok(Some(self.place(path))),
                        false => Err(self.not_readable_error(asked)),
                    };
                }
                Ok(_) => return Err(self.outside(asked)),
                Err(error) if is_absence(&error) => {
                    let path = normalize(&root.join(&spelled));
                    // The file exists only in the editor.
                    if self.contains(&path) && self.texts().contains_key(&path) {
                        return Ok(Some(self.own_place(path)));
                    }
                }
                Err(error) => return Err(unreadable(asked, &error)),
            }
        }
        self.of_short_form(asked)
    }

    /// Resolves the short form of a path that an answer named.
    fn of_short_form(&self, asked: &str) -> Result<Option<SessionPath>, IdeError> {
        if !is_short_path(asked) {
            return Ok(None);
        }
        let is_meant = |path: &&PathBuf| short_path(&path.to_string_lossy()).as_deref() == Some(asked);
        let found: BTreeSet<_> = lock(&self.allowed).all.named.iter().filter(is_meant).cloned().collect();
        let mut found = found.into_iter();
        match (found.next(), found.next()) {
            (None, _) => Ok(None),
            (Some(path), None) if self.may_read(&path) => Ok(Some(self.place(path))),
            (Some(_), None) => Err(self.not_readable_error(asked)),
            (Some(one), Some(other)) => {
                let all = [one, other].into_iter().chain(found);
                let all: Vec<_> = all.map(|it| format!("`{}`", self.display_path(&it))).collect();
                let message = format!("`{asked}` stands for {} files", all.len());
                Err(IdeError::new(ErrorCode::InvalidRequest, message)
                    .recovery(format!("Write the path of one: {}.", all.join(", "))))
            }
        }
    }

    /// Returns the only file of the folders whose path ends like this.
    fn only_ending(&self, spelled: &Path) -> Option<PathBuf> {
        let is_plain = spelled.components().all(|it| matches!(it, Component::Normal(_)));
        let mut found =
            self.folders.iter().filter(|_| is_plain).flat_map(|root| path_suggestions::ending(spelled, root));
        let only = found.next()?;
        let path = only.canonicalize().ok().filter(|_| found.next().is_none())?;
        self.contains(&path).then_some(path)
    }

    fn absent(&self, asked: &str, spelled: &Path) -> IdeError {
        let Some(root) = self.roots.first() else {
            return IdeError::new(ErrorCode::NotFound, "the session has no folder");
        };
        let lexical = normalize(&root.join(spelled));
        let lexical = without_links(&lexical).unwrap_or(lexical);
        let Some(root) = innermost(&self.folders, &lexical) else { return self.outside(asked) };
        let neighbours = path_suggestions::suggest(&lexical, root);
        let error =
            IdeError::new(ErrorCode::NotFound, format!("no file or folder `{asked}` in the workspace"));
        if neighbours.is_empty() {
            return error.recovery("Give a path relative to the session's root, such as `.`.");
        }
        let list: Vec<_> = neighbours.iter().map(|it| format!("`{}`", self.display_path(it))).collect();
        error.recovery(format!("There are: {}.", list.join(", ")))
    }

    /// Returns the error for a file that an answer named but that must not be read.
    pub(crate) fn not_readable_error(&self, asked: &str) -> IdeError {
        let message = format!("`{asked}` lies outside of the workspace and its toolchain; it is not read");
        let advice = match self.is_trusted() {
            true => "Files of the system and private files of the user are never read.",
            false => {
                "The workspace's own code led there. The user can add that folder to the session, or trust the workspace (`--trust`)."
            }
        };
        IdeError::new(ErrorCode::OutsideWorkspace, message).recovery(advice)
    }

    fn outside(&self, asked: &str) -> IdeError {
        let roots: Vec<_> = self.roots.iter().map(|it| format!("`{}`", it.display())).collect();
        IdeError::new(ErrorCode::OutsideWorkspace, format!("`{asked}` lies outside the workspace")).recovery(
            format!(
                "Only files in {} may be read, and files of toolchains and libraries that a definition or reference named.",
                roots.join(", ")
            ),
        )
    }
}

fn missing_folders(gone: &[&PathBuf]) -> Reason {
    Reason::FoldersGone { paths: gone.iter().map(|it| it.display().to_string()).collect() }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns the error for a path that exists but cannot be read.
pub(crate) fn unreadable(asked: &str, error: &io::Error) -> IdeError {
    IdeError::new(ErrorCode::NotFound, format!("`{asked}` cannot be read: {error}"))
}

/// Returns the innermost of these folders that holds a path.
fn innermost<'folders>(folders: &'folders [PathBuf], path: &Path) -> Option<&'folders PathBuf> {
    let holding = folders.iter().filter(|it| path.starts_with(it));
    holding.max_by_key(|it| it.components().count())
}

/// Returns the roots of a session without those in other work trees of a repository that an earlier root is of.
fn own_roots(roots: &[PathBuf]) -> Vec<PathBuf> {
    let (mut own, mut trees): (Vec<PathBuf>, Vec<(Repository, PathBuf)>) = (Vec::new(), Vec::new());
    for root in roots {
        let around = Repository::around(root);
        let is_other = |(repository, tree): &(Repository, PathBuf)| {
            trees.iter().any(|(earlier, of)| earlier == repository && of != tree)
        };
        if !around.as_ref().is_some_and(is_other) {
            own.push(root.clone());
            trees.extend(around);
        }
    }
    own
}

fn with_slashes(relative: &Path) -> String {
    let parts: Vec<_> = relative.iter().map(|it| it.to_string_lossy()).collect();
    parts.join("/")
}

/// Resolves the links of a path whose end is missing; `None` behind a link that leads nowhere.
fn without_links(path: &Path) -> Option<PathBuf> {
    let folder = path.ancestors().skip(1).find(|it| it.symlink_metadata().is_ok())?;
    Some(folder.canonicalize().ok()?.join(path.strip_prefix(folder).ok()?))
}

/// Removes `.` and `..` without reading the disk.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
#[path = "session_folders_tests.rs"]
mod tests;
