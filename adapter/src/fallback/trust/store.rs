//! The user's decisions about trusting workspaces: lasting ones on disk, others for this process.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::level::Level;
use super::ownership::{self, is_inside};
use super::work_trees;
use crate::xdg_dirs;
use unpoisoned::lock;

/// The user's lasting decisions on disk: one file for each workspace, readable by the user alone.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrustStore(PathBuf);

/// A decision about one workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The workspace's folder, canonical.
    pub workspace: PathBuf,
    /// The git remote at the time of the decision. With another remote it is another workspace.
    pub remote: Option<String>,
    /// `true` if the user trusts it.
    pub trusted: bool,
}

/// The user's answer when asked to trust a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Consent {
    /// Trust for this process.
    Once,
    /// Lasting trust.
    Always,
    /// Lasting refusal.
    Never,
    /// No answer, or "not now". The user is not asked again by this process.
    Nothing,
}

/// A function that asks the user of a session to trust these folders. It receives the access that was denied
/// before; the answer may never come. Clones share it.
#[derive(Clone)]
pub struct AskTrust(Arc<Ask>);

type Ask = dyn Fn(&[PathBuf], Option<&str>) -> BoxFuture<'static, Consent> + Send + Sync;

impl AskTrust {
    /// Wraps a function that returns at once with a future of the answer.
    pub fn new(
        ask: impl Fn(&[PathBuf], Option<&str>) -> BoxFuture<'static, Consent> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(ask))
    }

    pub(crate) fn ask(&self, folders: &[PathBuf], denial: Option<&str>) -> BoxFuture<'static, Consent> {
        (self.0)(folders, denial)
    }
}

impl fmt::Debug for AskTrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AskTrust").finish_non_exhaustive()
    }
}

impl TrustStore {
    /// Uses that folder, which need not exist.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// Uses `$XDG_STATE_HOME/dialect/trust`, by default under `~/.local/state`. `None` when the user has no
    /// home.
    pub fn of_user() -> Option<Self> {
        Some(Self(xdg_dirs::state()?.join("dialect/trust")))
    }

    /// Stores a decision about a folder.
    ///
    /// # Errors
    /// The folder does not exist, or writing fails.
    pub fn keep(&self, folder: &Path, trusted: bool) -> io::Result<()> {
        let workspace = folder.canonicalize()?;
        let decision = Decision { remote: remote(&workspace), workspace, trusted };
        DirBuilder::new().recursive(true).mode(0o700).create(&self.0)?;
        let file = self.file(&decision.workspace);
        let draft = file.with_extension(format!("{}.draft", std::process::id()));
        let mut draft_file =
            OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&draft)?;
        draft_file.write_all(serde_json::to_string(&decision)?.as_bytes())?;
        fs::rename(draft, file)
    }

    /// Returns the decision about a folder; `None` if there is none or its git remote has changed.
    pub fn decision(&self, folder: &Path) -> Option<bool> {
        let workspace = folder.canonicalize().ok()?;
        let decision = read(&self.file(&workspace)).ok()?;
        let is_same = decision.workspace == workspace && decision.remote == remote(&workspace);
        is_same.then_some(decision.trusted)
    }

    /// Deletes the decision about a folder; `false` if there was none.
    ///
    /// # Errors
    /// The file cannot be deleted.
    pub fn revoke(&self, folder: &Path) -> io::Result<bool> {
        // A folder that is gone is known by its former path.
        let workspace = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        match fs::remove_file(self.file(&workspace)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            removed => removed.map(|()| true),
        }
    }

    /// Returns all decisions, sorted by folder.
    ///
    /// # Errors
    /// A file cannot be read or parsed.
    pub fn all(&self) -> io::Result<Vec<Decision>> {
        let files = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            files => files?,
        };
        let paths = files.flatten().map(|it| it.path());
        let kept = paths.filter(|it| it.extension().is_some_and(|it| it == "json"));
        let mut all = kept.map(|it| read(&it)).collect::<io::Result<Vec<_>>>()?;
        all.sort_by(|a, b| a.workspace.cmp(&b.workspace));
        Ok(all)
    }

    fn file(&self, workspace: &Path) -> PathBuf {
        // FNV-1a, which must stay the same in every version. A collision is harmless: the path in the file
        // decides.
        let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = workspace.as_os_str().as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, mix);
        self.0.join(format!("{hash:016x}.json"))
    }
}

fn read(file: &Path) -> io::Result<Decision> {
    Ok(serde_json::from_str(&fs::read_to_string(file)?)?)
}

/// Reads the first remote of the repository that contains a folder, without running git.
fn remote(folder: &Path) -> Option<String> {
    let shared = work_trees::claimed_shared_folder(work_trees::around(folder)?)?;
    let config = fs::read_to_string(shared.join("config")).ok()?;
    let mut lines = config.lines().map(str::trim).skip_while(|it| !it.starts_with("[remote "));
    lines.find_map(|it| Some(it.strip_prefix("url")?.trim_start().strip_prefix('=')?.trim().to_owned()))
}

/// The trust in workspaces while this process runs.
#[derive(Debug)]
pub(crate) struct TrustDecisions {
    /// The level of every workspace, when the command line sets it.
    settled: Option<Level>,
    /// The level of workspaces without a decision.
    usual: Level,
    store: Option<TrustStore>,
    answers: Mutex<HashMap<Vec<PathBuf>, AskState>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AskState {
    QueryContext,
    Trusted,
    Refused,
    Unsaid,
}

impl TrustDecisions {
    /// Starts with no answers of this process.
    pub(crate) fn new(settled: Option<Level>, usual: Level, store: Option<TrustStore>) -> Self {
        Self { settled, usual, store, answers: Mutex::default() }
    }

    /// Returns the level for these folders. One refused folder restricts all of them. So does one that holds the user's
    /// home folder, unless the user trusts it: a wall would open everything of the user.
    pub(crate) fn level(&self, folders: &[PathBuf]) -> Level {
        let level = self.chosen_level(folders);
        let bounds = || ownership::bounds(&[]);
        match level == Level::Confined && folders.iter().any(|it| bounds().holds_home(it)) {
            true => Level::Restricted,
            false => level,
        }
    }

    fn chosen_level(&self, folders: &[PathBuf]) -> Level {
        if let Some(level) = self.settled {
            return level;
        }
        let said = self.answers().get(folders).copied();
        let decided: Vec<_> = folders.iter().map(|it| self.decided(it)).collect();
        match said {
            Some(AskState::Trusted) => Level::Trusted,
            Some(AskState::Refused) => Level::Restricted,
            _ if decided.contains(&Some(false)) => Level::Restricted,
            None if !folders.is_empty() && decided.iter().all(|it| *it == Some(true)) => Level::Trusted,
            _ => self.usual_of(folders),
        }
    }

    /// Returns the level without a decision. The user's settings do not count where they lie in the workspace.
    fn usual_of(&self, folders: &[PathBuf]) -> Level {
        let is_theirs = || xdg_dirs::config().is_some_and(|it| is_inside(&it, &ownership::grounds(folders)));
        if self.usual == Level::Trusted && is_theirs() { Level::Restricted } else { self.usual }
    }

    /// Returns whether the user refused to trust one of these folders.
    pub(crate) fn is_refused(&self, folders: &[PathBuf]) -> bool {
        self.settled.is_none()
            && (self.answers().get(folders) == Some(&AskState::Refused)
                || folders.iter().any(|it| self.decided(it) == Some(false)))
    }

    /// Returns whether the user is being asked about these folders.
    pub(crate) fn is_asked(&self, folders: &[PathBuf]) -> bool {
        self.answers().get(folders) == Some(&AskState::QueryContext)
    }

    /// Returns whether to ask the user now, and then marks the folders as being asked.
    pub(crate) fn start_asking(&self, folders: &[PathBuf]) -> bool {
        let is_decided = self.settled.is_some()
            || folders.is_empty()
            || folders.iter().any(|it| self.decided(it) == Some(false))
            || folders.iter().all(|it| self.decided(it) == Some(true));
        let mut said = self.answers();
        let is_new = !is_decided && !said.contains_key(folders);
        if is_new {
            said.insert(folders.to_vec(), AskState::QueryContext);
        }
        is_new
    }

    /// Records the user's answer. A lasting answer is stored, or counts for this process if it cannot be
    /// stored.
    pub(crate) fn record_answer(&self, folders: &[PathBuf], consent: Consent) {
        let standing = match consent {
            Consent::Once | Consent::Always => AskState::Trusted,
            Consent::Never => AskState::Refused,
            Consent::Nothing => AskState::Unsaid,
        };
        let is_kept = matches!(consent, Consent::Always | Consent::Never)
            && self.store.as_ref().is_some_and(|it| keep_all(it, folders, consent == Consent::Always));
        let mut said = self.answers();
        if is_kept && consent == Consent::Always {
            // Only the stored decision counts, so that revoking it takes effect at once.
            said.remove(folders);
        } else {
            said.insert(folders.to_vec(), standing);
        }
    }

    fn decided(&self, folder: &Path) -> Option<bool> {
        let decision = self.store.as_ref()?.decision(folder)?;
        // A workspace cannot hold the user's word about itself.
        let is_theirs = || {
            let grounds = ownership::grounds(&[folder.to_owned()]);
            self.store.as_ref().is_some_and(|it| is_inside(&it.0, &grounds))
        };
        Some(decision && !is_theirs())
    }

    fn answers(&self) -> MutexGuard<'_, HashMap<Vec<PathBuf>, AskState>> {
        lock(&self.answers)
    }
}

fn keep_all(store: &TrustStore, folders: &[PathBuf], trusted: bool) -> bool {
    let kept = folders.iter().try_for_each(|it| store.keep(it, trusted));
    if let Err(error) = &kept {
        tracing::warn!(%error, "the decision about trust could not be saved");
    }
    kept.is_ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_decision_is_for_a_path_and_a_remote() {
        let dir = tempfile::tempdir().unwrap();
        let (workspace, store) = (dir.path().join("w"), TrustStore::at(dir.path().join("state/trust")));
        let config = workspace.join(".git/config");
        fs::create_dir_all(config.parent().unwrap()).unwrap();
        fs::write(&config, "[core]\n\turl = x\n[remote \"origin\"]\n\turl = https://a/b\n").unwrap();
        assert_eq!(store.decision(&workspace), None);
        store.keep(&workspace, true).unwrap();
        assert_eq!(store.decision(&workspace), Some(true));
        let [decision] = &store.all().unwrap()[..] else { panic!("one was kept") };
        assert_eq!(decision.remote.as_deref(), Some("https://a/b"));
        let mode = fs::metadata(store.file(&decision.workspace)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::write(&config, "[remote \"origin\"]\n\turl = https://evil/b\n").unwrap();
        assert_eq!(store.decision(&workspace), None);
        assert!(store.revoke(&workspace).unwrap() && !store.revoke(&workspace).unwrap());
        assert_eq!(store.all().unwrap(), []);
    }

    #[test]
    fn a_work_tree_has_the_remote_of_its_repository() {
        let dir = tempfile::tempdir().unwrap();
        let own = dir.path().join("main/.git/worktrees/tree");
        fs::create_dir_all(&own).unwrap();
        fs::create_dir(dir.path().join("tree")).unwrap();
        fs::write(dir.path().join("main/.git/config"), "[remote \"o\"]\nurl=u\n").unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        fs::write(dir.path().join("tree/.git"), format!("gitdir: {}\n", own.display())).unwrap();
        assert_eq!(remote(&dir.path().join("tree")).as_deref(), Some("u"));
    }

    #[test]
    fn he_is_asked_once_and_never_when_he_decided() {
        let dir = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            fs::create_dir(dir.path().join(name)).unwrap();
            vec![dir.path().join(name).canonicalize().unwrap()]
        };
        let store = TrustStore::at(dir.path().join("state"));
        use Level::{Confined, Restricted, Trusted};
        let run =
            |wall| TrustDecisions::new(None, if wall { Confined } else { Restricted }, Some(store.clone()));
        for (name, consent, level, walled, then, asks_then) in [
            ("once", Consent::Once, Trusted, Trusted, Restricted, true),
            ("always", Consent::Always, Trusted, Trusted, Trusted, false),
            ("never", Consent::Never, Restricted, Restricted, Restricted, false),
            ("nothing", Consent::Nothing, Restricted, Confined, Restricted, true),
        ] {
            let folders = folder(name);
            for (wall, before, after) in [(false, Restricted, level), (true, Confined, walled)] {
                let trusts = run(wall);
                assert!(trusts.start_asking(&folders) && trusts.is_asked(&folders), "{name}");
                assert_eq!(trusts.level(&folders), before, "{name}");
                trusts.record_answer(&folders, consent);
                assert_eq!((trusts.level(&folders), trusts.start_asking(&folders)), (after, false), "{name}");
                assert_eq!(trusts.is_refused(&folders), consent == Consent::Never);
                if !wall {
                    let next = run(false);
                    assert_eq!(
                        (next.level(&folders), next.start_asking(&folders)),
                        (then, asks_then),
                        "{name}"
                    );
                    let _ = store.revoke(&folders[0]).unwrap();
                }
            }
        }
        let always = vec![dir.path().join("always").canonicalize().unwrap()];
        assert_eq!(run(true).level(&always), Trusted);
        store.revoke(&always[0]).unwrap();
        assert_eq!(run(true).level(&always), Confined);
        assert_eq!(TrustDecisions::new(Some(Restricted), Confined, None).level(&always), Restricted);
    }
}
