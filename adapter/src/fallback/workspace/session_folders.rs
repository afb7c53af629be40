//! The folders of a session: what may be read, and how a path is spelled for an agent.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use ide_protocol::{ErrorCode, IdeError};

use super::buffers::{Buffers, Texts};
use super::index::{Cards, Index};
use super::readable_outside::Given;
use super::word_index::Lexicon;
use super::word_scan::Tree;
use super::{path_suggestions, readable_outside, walk};
use crate::fallback::source::languages::Language;
use crate::fallback::trust::level::Level;
use crate::fallback::trust::store::Trusts;
use crate::lock::lock;

/// How long is waited for what the files define, while that is being found out.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often it is looked meanwhile.
const LOOK: Duration = Duration::from_millis(20);

/// The roots of one session, canonical; the first is the one that relative paths start from.
#[derive(Debug)]
pub(crate) struct Roots {
    folders: Vec<PathBuf>,
    /// Files outside that a semantic answer of this session named: they may be read where they are given.
    named: Mutex<HashSet<PathBuf>>,
    /// What lies outside and may be read once it is named; found at the first question about such a file.
    given: OnceLock<Given>,
    /// The repositories that the folders are parts of.
    repositories: OnceLock<Vec<PathBuf>>,
    /// The servers that were started: what they are installed with is given.
    programs: Mutex<HashSet<PathBuf>>,
    installed: Mutex<Given>,
    /// Whether the workspace is trusted; it is not where nobody can say.
    trusts: Option<Arc<Trusts>>,
    buffers: Buffers,
    lexicon: Lexicon,
    index: Index,
}

/// A file or folder of the session that exists and may be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Where it is, canonical.
    pub(crate) path: PathBuf,
    /// How it is spelled for the agent.
    pub(crate) spelling: String,
    /// Whether it lies outside the roots.
    pub(crate) external: bool,
}

impl Roots {
    /// Folders that do not exist are kept as given: they may come into being.
    pub(crate) fn new(folders: Vec<PathBuf>) -> Self {
        let mut canonical: Vec<PathBuf> = Vec::new();
        for folder in folders {
            let folder = folder.canonicalize().unwrap_or(folder);
            if !canonical.contains(&folder) {
                canonical.push(folder);
            }
        }
        Self {
            folders: canonical,
            named: Mutex::default(),
            given: OnceLock::new(),
            repositories: OnceLock::new(),
            programs: Mutex::default(),
            installed: Mutex::default(),
            trusts: None,
            buffers: Buffers::default(),
            lexicon: Lexicon::default(),
            index: Index::default(),
        }
    }

    /// With an editor whose buffers count before what the disk holds.
    pub(crate) fn in_editor(self, buffers: Buffers) -> Self {
        Self { buffers, ..self }
    }

    /// With the user's decisions about trust.
    pub(crate) fn trusting(self, trusts: Arc<Trusts>) -> Self {
        Self { trusts: Some(trusts), ..self }
    }

    /// With what is known of what files define.
    pub(crate) fn with_index(self, index: Index) -> Self {
        Self { index, ..self }
    }

    /// What the files of a language define, in the folders or a part of one; blocking. `None` where that is not known
    /// of all of them.
    pub(crate) fn cards(&self, language: &Language, part: Option<&Path>, until: Instant) -> Option<Cards> {
        let mut all = Cards::default();
        for folder in walk::outermost(&self.folders).filter(|it| part.is_none_or(|part| part.starts_with(it)))
        {
            let here = self.index.cards(folder, part.unwrap_or(folder), language, &self.texts(), until)?;
            all.cards.extend(here.cards);
            all.is_blind |= here.is_blind;
        }
        Some(all)
    }

    /// The same; where it is being found out, that is waited for, for a while.
    pub(crate) fn cards_soon(
        &self,
        language: &Language,
        part: Option<&Path>,
        until: Instant,
    ) -> Option<Cards> {
        let folders: Vec<_> = walk::outermost(&self.folders).cloned().collect();
        let waits_until = until.min(Instant::now() + PATIENCE);
        let mut was_busy = true;
        loop {
            let cards = self.cards(language, part, until);
            if cards.is_some() || !was_busy || Instant::now() >= waits_until {
                return cards;
            }
            // It may have come to its end between the two.
            was_busy = self.index.is_busy(&folders);
            std::thread::sleep(LOOK);
        }
    }

    /// Finds out in the background what the files define, where that was not begun yet.
    pub(crate) fn index_soon(&self) {
        let folders: Vec<_> = walk::outermost(&self.folders).cloned().collect();
        self.index.fill_soon(&folders);
    }

    /// The texts that count before those on disk.
    pub(crate) fn texts(&self) -> Texts {
        self.buffers.texts()
    }

    /// The folders, the session's own first.
    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// The folders that were deleted or moved away; what the editor holds of one counts for the folder.
    pub(crate) fn gone(&self) -> Vec<&PathBuf> {
        let is_held = |folder: &PathBuf| self.texts().keys().any(|it| it.starts_with(folder));
        self.folders.iter().filter(|it| !it.exists() && !is_held(it)).collect()
    }

    /// Fails when none of the folders is there.
    pub(crate) fn check_there(&self) -> Result<(), IdeError> {
        match self.gone_error() {
            Some(error) if self.gone().len() == self.folders.len() => Err(error),
            _ => Ok(()),
        }
    }

    /// The error of a question about all folders where one is gone.
    pub(crate) fn gone_error(&self) -> Option<IdeError> {
        let advice = "Open a session in the folder where the workspace is now, or put the folder back.";
        Some(IdeError::new(ErrorCode::NotFound, self.missing()?).recovery(advice))
    }

    /// What answers say of folders that are gone while others are there.
    pub(crate) fn missing(&self) -> Option<String> {
        let gone = self.gone();
        (!gone.is_empty()).then(|| said_gone(&gone))
    }

    /// What textual scans look into.
    pub(crate) fn tree(&self) -> Tree {
        self.tree_of(self.folders.clone())
    }

    /// The same for other folders.
    pub(crate) fn tree_of(&self, folders: Vec<PathBuf>) -> Tree {
        Tree { folders, texts: self.texts(), lexicon: self.lexicon.clone() }
    }

    /// Whether a canonical path lies inside a root.
    pub(crate) fn hold(&self, path: &Path) -> bool {
        self.folders.iter().any(|root| path.starts_with(root))
    }

    /// The place of a canonical path that was found, not asked for.
    pub(crate) fn place(&self, path: PathBuf) -> Place {
        Place { spelling: self.spell(&path), external: !self.hold(&path), path }
    }

    /// Relative to the first root with `/`, or absolute.
    pub(crate) fn spell(&self, path: &Path) -> String {
        let relative = self.folders.first().and_then(|root| path.strip_prefix(root).ok());
        match relative {
            Some(relative) if relative.as_os_str().is_empty() => ".".into(),
            Some(relative) => with_slashes(relative),
            None => path.to_string_lossy().into_owned(),
        }
    }

    /// Remembers that a semantic answer named this canonical path, so that it may be read.
    pub(crate) fn remember(&self, path: &Path) {
        if !self.hold(path) {
            let mut named = lock(&self.named);
            named.insert(path.to_owned());
        }
    }

    fn is_named(&self, path: &Path) -> bool {
        lock(&self.named).contains(path)
    }

    /// A server was found for the session: the libraries that it is installed with are given; blocking, the first time.
    pub(crate) fn serve_by(&self, program: &Path) {
        if lock(&self.programs).insert(program.to_owned()) {
            lock(&self.installed).add_installation(program, &self.folders);
        }
    }

    /// Confined builds for the session make their sources in that folder.
    pub(crate) fn build_in(&self, target: &Path) {
        lock(&self.installed).add_target(target);
    }

    /// Whether the text of a file may be given to the agent, by its canonical path: inside of the roots, or in a folder that
    /// the toolchain or the user gave, or, in a trusted workspace, wherever else an answer leads. Blocking, the first time.
    pub(crate) fn may_read(&self, path: &Path) -> bool {
        self.hold(path) || self.is_given(path) || self.is_trusted() && !readable_outside::is_private(path)
    }

    fn is_given(&self, path: &Path) -> bool {
        let find = || self.folders.iter().filter_map(|it| readable_outside::repository(it)).collect();
        self.repositories.get_or_init(find).iter().any(|it| path.starts_with(it))
            || self.is_of_toolchain(path)
    }

    /// Whether a canonical path lies in what a toolchain is installed with, which does not change. Blocking, the first time.
    pub(crate) fn is_of_toolchain(&self, path: &Path) -> bool {
        let given = self.given.get_or_init(|| Given::find(&self.folders));
        given.holds(path) || lock(&self.installed).holds(path)
    }

    fn is_trusted(&self) -> bool {
        self.trusts.as_ref().is_some_and(|it| it.level(&self.folders) == Level::Trusted)
    }

    /// What an answer says of places in files that it may not show.
    pub(crate) fn unread(&self, paths: &BTreeSet<PathBuf>) -> Option<String> {
        let first = paths.first()?;
        let more = match paths.len() - 1 {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        Some(format!(
            "`{}`{more}: outside of the workspace and of what its toolchain gave; not read",
            self.spell(first)
        ))
    }

    /// The existing file or folder that a path of the agent's means.
    ///
    /// # Errors
    /// It does not exist, or it lies outside the roots, a symbolic link's target included.
    pub(crate) fn resolve(&self, asked: &str) -> Result<Place, IdeError> {
        let spelled = PathBuf::from(asked.strip_prefix("file://").unwrap_or(asked));
        if spelled.as_os_str().is_empty() {
            let advice = "Name a file or folder relative to the session's root, or `.` for the root itself.";
            return Err(IdeError::new(ErrorCode::InvalidRequest, "the path is empty").recovery(advice));
        }
        for root in &self.folders {
            match root.join(&spelled).canonicalize() {
                Ok(path) if self.hold(&path) => return Ok(self.place(path)),
                Ok(path) if self.is_named(&path) => {
                    return match self.may_read(&path) {
                        true => Ok(self.place(path)),
                        false => Err(self.withheld(asked)),
                    };
                }
                Ok(_) => return Err(self.outside(asked)),
                Err(error) if is_absence(&error) => {
                    let path = normalize(&root.join(&spelled));
                    // It exists in the editor only.
                    if self.hold(&path) && self.texts().contains_key(&path) {
                        return Ok(self.place(path));
                    }
                }
                Err(error) => return Err(unreadable(asked, &error)),
            }
        }
        Err(self.absent(asked, &spelled))
    }

    fn absent(&self, asked: &str, spelled: &Path) -> IdeError {
        let Some(root) = self.folders.first() else {
            return IdeError::new(ErrorCode::NotFound, "the session has no folder");
        };
        let lexical = normalize(&root.join(spelled));
        if !self.hold(&lexical) {
            return self.outside(asked);
        }
        let neighbours = path_suggestions::of(&lexical, root);
        let error =
            IdeError::new(ErrorCode::NotFound, format!("no file or folder `{asked}` in the workspace"));
        if neighbours.is_empty() {
            return error.recovery("Give a path relative to the session's root, such as `.`.");
        }
        let list: Vec<_> = neighbours.iter().map(|it| format!("`{}`", self.spell(it))).collect();
        error.recovery(format!("There are: {}.", list.join(", ")))
    }

    /// The error for a file that an answer named and that may not be read.
    pub(crate) fn withheld(&self, asked: &str) -> IdeError {
        let message =
            format!("`{asked}` lies outside of the workspace and of what its toolchain gave; it is not read");
        let advice = match self.is_trusted() {
            true => "It is of the system or private to the user: nothing there is read.",
            false => {
                "The workspace chose where the answer led. The user can open that folder in the session too, or trust the workspace (`--trust`)."
            }
        };
        IdeError::new(ErrorCode::OutsideWorkspace, message).recovery(advice)
    }

    fn outside(&self, asked: &str) -> IdeError {
        let roots: Vec<_> = self.folders.iter().map(|it| format!("`{}`", it.display())).collect();
        IdeError::new(ErrorCode::OutsideWorkspace, format!("`{asked}` lies outside the workspace")).recovery(
            format!(
                "Only what lies in {} may be read, and outside of it the files of toolchains and libraries that a definition or reference named.",
                roots.join(", ")
            ),
        )
    }
}

fn said_gone(gone: &[&PathBuf]) -> String {
    let names: Vec<_> = gone.iter().map(|it| format!("`{}`", it.display())).collect();
    let of = if gone.len() == 1 { "the session's folder" } else { "the session's folders" };
    let is = if gone.len() == 1 { "is" } else { "are" };
    format!("{of} {} {is} gone (deleted, moved or not mounted)", names.join(", "))
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The error for a path that exists but cannot be read.
pub(crate) fn unreadable(asked: &str, error: &io::Error) -> IdeError {
    IdeError::new(ErrorCode::NotFound, format!("`{asked}` cannot be read: {error}"))
}

fn with_slashes(relative: &Path) -> String {
    let parts: Vec<_> = relative.iter().map(|it| it.to_string_lossy()).collect();
    parts.join("/")
}

/// Takes `.` and `..` out without asking the disk.
fn normalize(path: &Path) -> PathBuf {
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
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn paths_resolve_inside_the_roots_only() {
        let dir = tempfile::tempdir().unwrap();
        let outside = dir.path().canonicalize().unwrap().join("outside.rs");
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("src/auth")).unwrap();
        fs::write(root.join("src/auth/user.rs"), "struct User;").unwrap();
        fs::write(&outside, "secret").unwrap();
        std::os::unix::fs::symlink(&outside, root.join("src/link.rs")).unwrap();
        let roots = Roots::new(vec![root.clone()]);

        for asked in ["src/auth/user.rs", "./src/auth/user.rs", "src/../src/auth/user.rs"] {
            assert_eq!(roots.resolve(asked).unwrap().spelling, "src/auth/user.rs", "{asked}");
        }
        let absolute = root.join("src/auth/user.rs");
        assert_eq!(roots.resolve(absolute.to_str().unwrap()).unwrap().spelling, "src/auth/user.rs");
        assert_eq!(roots.resolve(".").unwrap().spelling, ".");

        for asked in ["../outside.rs", "src/link.rs", "/etc/passwd", "../nothing", "src/../../outside.rs"] {
            assert_eq!(roots.resolve(asked).unwrap_err().kind, ErrorCode::OutsideWorkspace, "{asked}");
        }
        roots.remember(&outside);
        let withheld = roots.resolve(outside.to_str().unwrap()).unwrap_err();
        assert_eq!(withheld.kind, ErrorCode::OutsideWorkspace);
        assert!(
            withheld.message.contains("it is not read") && withheld.recovery.unwrap().contains("--trust")
        );
    }

    #[test]
    fn a_named_file_is_read_where_it_is_given() {
        let dir = tempfile::tempdir().unwrap();
        let repository = dir.path().canonicalize().unwrap().join("repository");
        let beside = dir.path().canonicalize().unwrap().join("beside.rs");
        fs::create_dir_all(repository.join(".git")).unwrap();
        fs::create_dir_all(repository.join("part")).unwrap();
        fs::write(repository.join("sibling.rs"), "").unwrap();
        fs::write(&beside, "").unwrap();
        let untrusted = Roots::new(vec![repository.join("part")]);
        let trusted = Roots::new(vec![repository.join("part")]).trusting(Arc::new(Trusts::new(
            Some(Level::Trusted),
            Level::Restricted,
            None,
        )));
        let sibling = repository.join("sibling.rs");
        let passwords = Path::new("/etc/passwd").canonicalize().unwrap();
        for (roots, path, is_read) in [
            (&untrusted, &sibling, true),
            (&untrusted, &beside, false),
            (&trusted, &beside, true),
            (&trusted, &passwords, false),
        ] {
            let asked = path.to_str().unwrap();
            assert_eq!(roots.resolve(asked).unwrap_err().kind, ErrorCode::OutsideWorkspace, "{asked}");
            roots.remember(path);
            assert_eq!(roots.resolve(asked).is_ok(), is_read, "{asked}");
            assert_eq!(roots.may_read(path), is_read, "{asked}");
        }
    }

    #[test]
    fn a_folder_that_is_gone_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|it| dir.path().canonicalize().unwrap().join(it));
        fs::create_dir_all(&one).unwrap();
        fs::create_dir_all(&other).unwrap();
        let roots = Roots::new(vec![one.clone(), other.clone()]);
        assert!(roots.check_there().is_ok() && roots.missing().is_none());
        fs::rename(&one, dir.path().join("moved")).unwrap();
        assert!(roots.check_there().is_ok() && roots.missing().unwrap().contains("one` is gone"));
        fs::remove_dir(&other).unwrap();
        let error = roots.check_there().unwrap_err();
        assert!(error.message.contains("other` are gone") && error.recovery.is_some(), "{error:?}");
    }

    #[test]
    fn a_missing_path_names_its_neighbours() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("src/auth")).unwrap();
        fs::write(dir.path().join("src/auth/user.rs"), "").unwrap();
        let roots = Roots::new(vec![dir.path().to_owned()]);
        for asked in ["user.rs", "src/auth/users.rs", "src/user.rs", "sources/auth/user.rs"] {
            let error = roots.resolve(asked).unwrap_err();
            assert_eq!(error.kind, ErrorCode::NotFound);
            assert!(error.recovery.unwrap().contains("`src/auth/user.rs`"), "{asked}");
        }
        assert!(roots.resolve("scr").unwrap_err().recovery.unwrap().contains("`src`"));
    }
}
