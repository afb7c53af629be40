//! Which workspaces the user trusts: what he said for good, which is kept beside his other state, and what he said
//! for as long as this process runs.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::level::Level;
use crate::lock::lock;
use crate::xdg_dirs;

/// What the user decided for good, a file a workspace, all of them for him alone.
#[derive(Clone, Debug)]
pub struct TrustStore(PathBuf);

/// What he decided about one workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Its folder, canonical.
    pub workspace: PathBuf,
    /// The remote that its repository had then; what comes from elsewhere later is another workspace.
    pub remote: Option<String>,
    /// Whether he trusts it.
    pub trusted: bool,
}

/// What the user says when he is asked whether he trusts a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// He does, for as long as this process runs.
    Once,
    /// He does, for good.
    Always,
    /// He does not, for good.
    Never,
    /// He does not say, or not now; he is not asked again while this process runs.
    Nothing,
}

/// Asks the user of a session whether he trusts these folders, with what was denied to them until then; his answer may take
/// for ever.
pub struct AskTrust(Box<Ask>);

type Ask = dyn Fn(&[PathBuf], Option<&str>) -> BoxFuture<'static, Consent> + Send + Sync;

impl AskTrust {
    /// Asks by calling this; it returns at once.
    pub fn new(
        ask: impl Fn(&[PathBuf], Option<&str>) -> BoxFuture<'static, Consent> + Send + Sync + 'static,
    ) -> Self {
        Self(Box::new(ask))
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
    /// In that folder, which need not exist.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// `$XDG_STATE_HOME/dialect/trust`, by default under `~/.local/state`. `None` when the user has no home.
    pub fn of_user() -> Option<Self> {
        Some(Self(xdg_dirs::state()?.join("dialect/trust")))
    }

    /// Keeps what he decided about a folder.
    ///
    /// # Errors
    /// The folder is not there, or the disk refuses.
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

    /// What he decided about a folder; `None` when he did not, or its repository comes from elsewhere now.
    pub fn of(&self, folder: &Path) -> Option<bool> {
        let workspace = folder.canonicalize().ok()?;
        let decision = read(&self.file(&workspace)).ok()?;
        let is_same = decision.workspace == workspace && decision.remote == remote(&workspace);
        is_same.then_some(decision.trusted)
    }

    /// Forgets what he decided about a folder; whether there was anything.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn revoke(&self, folder: &Path) -> io::Result<bool> {
        // One that is gone is known by the path that it had.
        let workspace = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        match fs::remove_file(self.file(&workspace)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            removed => removed.map(|()| true),
        }
    }

    /// Everything that he decided, by folder.
    ///
    /// # Errors
    /// The disk refuses, or a file holds something else.
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
        // FNV-1a: it only has to be the same in every version. What the file says of itself is what counts.
        let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = workspace.as_os_str().as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, mix);
        self.0.join(format!("{hash:016x}.json"))
    }
}

fn read(file: &Path) -> io::Result<Decision> {
    Ok(serde_json::from_str(&fs::read_to_string(file)?)?)
}

/// The first remote of the repository that a folder lies in, without running git.
fn remote(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|it| it.join(".git")).find(|it| it.exists())?;
    let config = fs::read_to_string(shared_folder(git)?.join("config")).ok()?;
    let mut lines = config.lines().map(str::trim).skip_while(|it| !it.starts_with("[remote "));
    lines.find_map(|it| Some(it.strip_prefix("url")?.trim_start().strip_prefix('=')?.trim().to_owned()))
}

/// Where a repository keeps what its work trees share.
fn shared_folder(git: PathBuf) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git);
    }
    let text = fs::read_to_string(&git).ok()?;
    let own = git.parent()?.join(text.strip_prefix("gitdir:")?.trim());
    match fs::read_to_string(own.join("commondir")) {
        Ok(shared) => Some(own.join(shared.trim())),
        Err(_) => Some(own),
    }
}

/// What is known about trust while this process runs.
#[derive(Debug)]
pub(crate) struct Trusts {
    /// The level of every workspace, if that is settled.
    settled: Option<Level>,
    /// The level of workspaces that nothing was said about.
    usual: Level,
    store: Option<TrustStore>,
    said: Mutex<HashMap<Vec<PathBuf>, Standing>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Asking,
    Trusted,
    Refused,
    Unsaid,
}

impl Trusts {
    /// Nothing was asked yet.
    pub(crate) fn new(settled: Option<Level>, usual: Level, store: Option<TrustStore>) -> Self {
        Self { settled, usual, store, said: Mutex::default() }
    }

    /// How far these folders are trusted. A folder that the user refused settles it for all of them.
    pub(crate) fn level(&self, folders: &[PathBuf]) -> Level {
        if let Some(level) = self.settled {
            return level;
        }
        let said = self.said().get(folders).copied();
        let decided: Vec<_> = folders.iter().map(|it| self.decided(it)).collect();
        match said {
            Some(Standing::Trusted) => Level::Trusted,
            Some(Standing::Refused) => Level::Restricted,
            _ if decided.contains(&Some(false)) => Level::Restricted,
            None if !folders.is_empty() && decided.iter().all(|it| *it == Some(true)) => Level::Trusted,
            _ => self.usual,
        }
    }

    /// Whether the user refused to trust one of these folders.
    pub(crate) fn is_refused(&self, folders: &[PathBuf]) -> bool {
        self.settled.is_none()
            && (self.said().get(folders) == Some(&Standing::Refused)
                || folders.iter().any(|it| self.decided(it) == Some(false)))
    }

    /// Whether the user is being asked about them.
    pub(crate) fn is_asked(&self, folders: &[PathBuf]) -> bool {
        self.said().get(folders) == Some(&Standing::Asking)
    }

    /// Whether he is to be asked now; from then on he is being asked.
    pub(crate) fn begin(&self, folders: &[PathBuf]) -> bool {
        let is_decided = self.settled.is_some()
            || folders.is_empty()
            || folders.iter().any(|it| self.decided(it) == Some(false))
            || folders.iter().all(|it| self.decided(it) == Some(true));
        let mut said = self.said();
        let is_new = !is_decided && !said.contains_key(folders);
        if is_new {
            said.insert(folders.to_vec(), Standing::Asking);
        }
        is_new
    }

    /// He answered; what he said for good is kept, or counts for this process where it cannot be kept.
    pub(crate) fn settle(&self, folders: &[PathBuf], consent: Consent) {
        let standing = match consent {
            Consent::Once | Consent::Always => Standing::Trusted,
            Consent::Never => Standing::Refused,
            Consent::Nothing => Standing::Unsaid,
        };
        let is_kept = matches!(consent, Consent::Always | Consent::Never)
            && self.store.as_ref().is_some_and(|it| keep_all(it, folders, consent == Consent::Always));
        let mut said = self.said();
        if is_kept && consent == Consent::Always {
            // So that taking it back counts at once.
            said.remove(folders);
        } else {
            said.insert(folders.to_vec(), standing);
        }
    }

    fn decided(&self, folder: &Path) -> Option<bool> {
        self.store.as_ref()?.of(folder)
    }

    fn said(&self) -> MutexGuard<'_, HashMap<Vec<PathBuf>, Standing>> {
        lock(&self.said)
    }
}

fn keep_all(store: &TrustStore, folders: &[PathBuf], trusted: bool) -> bool {
    let kept = folders.iter().try_for_each(|it| store.keep(it, trusted));
    if let Err(error) = &kept {
        tracing::warn!(%error, "whether a workspace is trusted could not be kept");
    }
    kept.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_decision_is_for_a_path_and_a_remote() {
        let dir = tempfile::tempdir().unwrap();
        let (workspace, store) = (dir.path().join("w"), TrustStore::at(dir.path().join("state/trust")));
        let config = workspace.join(".git/config");
        fs::create_dir_all(config.parent().unwrap()).unwrap();
        fs::write(&config, "[core]\n\turl = x\n[remote \"origin\"]\n\turl = https://a/b\n").unwrap();
        assert_eq!(store.of(&workspace), None);
        store.keep(&workspace, true).unwrap();
        assert_eq!(store.of(&workspace), Some(true));
        let [decision] = &store.all().unwrap()[..] else { panic!("one was kept") };
        assert_eq!(decision.remote.as_deref(), Some("https://a/b"));
        let mode = fs::metadata(store.file(&decision.workspace)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::write(&config, "[remote \"origin\"]\n\turl = https://evil/b\n").unwrap();
        assert_eq!(store.of(&workspace), None);
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
        let run = |wall| Trusts::new(None, if wall { Confined } else { Restricted }, Some(store.clone()));
        for (name, consent, level, walled, then, asks_then) in [
            ("once", Consent::Once, Trusted, Trusted, Restricted, true),
            ("always", Consent::Always, Trusted, Trusted, Trusted, false),
            ("never", Consent::Never, Restricted, Restricted, Restricted, false),
            ("nothing", Consent::Nothing, Restricted, Confined, Restricted, true),
        ] {
            let folders = folder(name);
            for (wall, before, after) in [(false, Restricted, level), (true, Confined, walled)] {
                let trusts = run(wall);
                assert!(trusts.begin(&folders) && trusts.is_asked(&folders), "{name}");
                assert_eq!(trusts.level(&folders), before, "{name}");
                trusts.settle(&folders, consent);
                assert_eq!((trusts.level(&folders), trusts.begin(&folders)), (after, false), "{name}");
                assert_eq!(trusts.is_refused(&folders), consent == Consent::Never);
                if !wall {
                    let next = run(false);
                    assert_eq!((next.level(&folders), next.begin(&folders)), (then, asks_then), "{name}");
                    let _ = store.revoke(&folders[0]).unwrap();
                }
            }
        }
        let always = vec![dir.path().join("always").canonicalize().unwrap()];
        assert_eq!(run(true).level(&always), Trusted);
        store.revoke(&always[0]).unwrap();
        assert_eq!(run(true).level(&always), Confined);
        assert_eq!(Trusts::new(Some(Restricted), Confined, None).level(&always), Restricted);
    }
}
