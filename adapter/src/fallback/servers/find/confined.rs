//! Confines the servers of a workspace: their private folder, their environment, and the wall.

use std::collections::hash_map::DefaultHasher;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder};
use std::hash::{Hash, Hasher};
use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use confinement::{Limits, Origin, Wall};

use super::config::Config;
use crate::fallback::source::languages::Language;
use crate::fallback::trust::ownership;
use crate::fallback::workspace::readable_outside;
use crate::xdg_dirs;

/// The age at which an unused private folder is removed: its contents can be rebuilt.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The same where the workspace is deleted. It may be moved back, or lie on a disk that is not mounted at the moment.
const KEPT_WHEN_DELETED: Duration = Duration::from_secs(24 * 60 * 60);

/// The user's variables that a confined process gets: on language, place and installed tools. All others are
/// withheld, secrets among them.
pub(super) const PASSED: &[&str] = &[
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "GOROOT",
    "JAVA_HOME",
    "JDK_HOME",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "DOTNET_ROOT",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "RBENV_ROOT",
    "NVM_DIR",
    "OPAM_SWITCH_PREFIX",
    "GUIX_LOCPATH",
    "LOCALE_ARCHIVE",
    // Tests find by it what is left of a run.
    "DIALECT_RUN",
];

/// Sections and keys of the user's Cargo configuration with secrets, or with programs outside of the wall.
const CARGO_SECRETS: &[&str] = &[
    "token",
    "secret-key",
    "credential-provider",
    "global-credential-providers",
    "credential-alias",
    "rustc-wrapper",
];

/// A private folder for the confined servers of one language in one workspace. Its parts are created once,
/// before a server runs. Parts that servers can change are never written again: a server could have put links
/// there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PrivateFolder(PathBuf);

/// The confinement of one server: its private folder and its wall.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Confinement {
    private: PrivateFolder,
    target: PathBuf,
    wall: Wall,
    /// The supervisor's executable.
    supervisor: PathBuf,
}

/// The rights of a plugin beyond those of every confined program.
#[derive(Clone, Debug, Default)]
pub struct Widening {
    /// The files and folders that it may read.
    pub read: Vec<PathBuf>,
    /// The folders that it may change.
    pub write: Vec<PathBuf>,
    /// `true` if it may use the network.
    pub network: bool,
}

/// The command of a program behind a wall.
#[derive(Clone, Debug)]
pub struct ConfinedCommand {
    /// The supervisor.
    pub program: PathBuf,
    /// Its arguments, with the program among them. The arguments of that follow.
    pub arguments: Vec<OsString>,
    /// The environment, which replaces the user's.
    pub environment: Vec<(OsString, OsString)>,
}

/// Confines a program that works for these folders of a workspace; blocking. It can read them, its own installation
/// and the tools of the search path. It can change its private folder, which `id` names.
///
/// It has `patience` to end after its input was closed.
///
/// # Errors
/// The private folder cannot be created, or the workspace holds the user's home folder.
pub fn confine(
    id: &str,
    workspace: &[PathBuf],
    (program, origin): (&Path, Origin),
    widening: &Widening,
    patience: Duration,
    config: &Config,
) -> io::Result<ConfinedCommand> {
    let variable = std::env::var_os("PATH").unwrap_or_default();
    let path: Vec<PathBuf> = std::env::split_paths(&variable).filter(|it| it.is_absolute()).collect();
    let confined = Confined { id, workspace, program, origin, path: &path, downloads: &[] };
    let confinement = Confinement::of_program(&confined, config)?;
    let mut wall = confinement.wall.clone().reading(widening.read.iter().cloned());
    wall = wall.writing(widening.write.iter().cloned());
    if widening.network {
        wall = wall.with_network();
    }
    let confinement = Confinement { wall: wall.tidied(), ..confinement };
    let mut arguments: Vec<OsString> = vec!["supervise".into(), "--scratch".into(), "--patience".into()];
    arguments.push(patience.as_millis().to_string().into());
    arguments.extend(confinement.arguments());
    arguments.extend(["--".into(), program.into()]);
    let mut environment = confinement.environment();
    environment.push(("PATH".into(), variable));
    Ok(ConfinedCommand { program: confinement.supervisor, arguments, environment })
}

/// Returns the folders of a session and the repositories around them, canonical; blocking. No program in them is the
/// user's own, and no variable that points there widens a wall.
pub fn grounds(workspace: &[PathBuf]) -> Vec<PathBuf> {
    ownership::grounds(workspace)
}

/// A program that is to be confined.
struct Confined<'a> {
    /// The name of its private folder.
    id: &'a str,
    workspace: &'a [PathBuf],
    program: &'a Path,
    origin: Origin,
    /// The search path.
    path: &'a [PathBuf],
    /// The folders of downloads that it reads.
    downloads: &'a [PathBuf],
}

/// The folders of the compilation databases of a confined server.
#[derive(Clone, Debug)]
pub(crate) struct CompilationFolders {
    /// The folder of the databases; servers may read it.
    pub(crate) databases: PathBuf,
    /// The folder of the index; servers may change it.
    pub(crate) index: PathBuf,
}

impl PrivateFolder {
    /// Creates the folder, and removes those that were unused for a month; blocking. `all` is the parent of
    /// all private folders. `downloads` are the downloads of the user's tools for the language.
    ///
    /// # Errors
    /// The disk refuses.
    fn below(all: &Path, language: &str, workspace: &[PathBuf], downloads: &[PathBuf]) -> io::Result<Self> {
        let mut hasher = DefaultHasher::new();
        (language, workspace, downloads).hash(&mut hasher);
        DirBuilder::new().recursive(true).mode(0o700).create(all)?;
        let private = Self(all.canonicalize()?.join(format!("{language}-{:016x}", hasher.finish())));
        if !private.0.is_dir() {
            let draft = Self(private.0.with_extension(format!("{}.draft", std::process::id())));
            draft.furnish(workspace, downloads)?;
            // Another process may have been faster.
            if fs::rename(&draft.0, &private.0).is_err() {
                fs::remove_dir_all(&draft.0)?;
            }
            remove_unused(all);
        }
        let users = workspace.iter().map(|it| format!("{}\n", it.display())).collect::<String>();
        fs::write(private.used(), users)?;
        Ok(private)
    }

    /// Returns the file that names the workspace; its modification time is the last use of the folder.
    fn used(&self) -> PathBuf {
        self.0.join("used")
    }

    /// Returns the only folder that servers may change.
    fn changeable(&self) -> PathBuf {
        self.0.join("changeable")
    }

    fn home(&self) -> PathBuf {
        self.changeable().join("home")
    }

    fn cargo_home(&self) -> PathBuf {
        self.0.join("cargo")
    }

    /// Returns the folder for build artifacts.
    fn target(&self) -> PathBuf {
        self.changeable().join("target")
    }

    /// Returns the folder for compilation databases, which servers may read. It links to the folder of their
    /// index.
    fn compilation(&self) -> PathBuf {
        self.0.join("clangd")
    }

    /// Returns the folder for the index of a compilation database.
    fn compilation_index(&self) -> PathBuf {
        self.changeable().join("clangd")
    }

    /// Creates all parts, with links to the downloads of the user's tools where tools look for them;
    /// blocking. The wall permits reading those.
    fn furnish(&self, workspace: &[PathBuf], downloads: &[PathBuf]) -> io::Result<()> {
        let parts =
            [self.home(), self.cargo_home(), self.target(), self.compilation(), self.compilation_index()];
        for folder in parts {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let cargo = xdg_dirs::absolute("CARGO_HOME").or_else(|| Some(xdg_dirs::home()?.join(".cargo")));
        // What lies in the workspace is not the user's: its configuration could be a link to a secret.
        let bounds = ownership::bounds(workspace);
        let cargo = cargo
            .filter(|it| !bounds.is_of_workspace(it) && !bounds.is_of_workspace(&it.join("config.toml")));
        if let Some(cargo) = &cargo {
            for part in ["registry", "git"] {
                link(&cargo.join(part), &self.cargo_home().join(part))?;
            }
            let text =
                ["config.toml", "config"].iter().find_map(|it| fs::read_to_string(cargo.join(it)).ok());
            // Without a configuration of the user's, that of the folder is empty.
            fs::write(self.cargo_home().join("config.toml"), without_secrets(&text.unwrap_or_default()))?;
        }
        let (Some(home), cache) = (xdg_dirs::home(), xdg_dirs::cache()) else { return Ok(()) };
        let is_cache = |it: &Path| cache.as_ref().is_some_and(|cache| it.starts_with(cache));
        let is_cargo = |it: &Path| cargo.as_ref().is_some_and(|cargo| it.starts_with(cargo));
        for folder in downloads.iter().filter(|it| !is_cache(it) && !is_cargo(it)) {
            // What is cached has to be written too, so that a confined server makes its own.
            let Ok(below) = folder.strip_prefix(&home) else { continue };
            link(folder, &self.home().join(below))?;
        }
        Ok(())
    }

    /// Returns the variables of a confined process. They replace the user's environment.
    fn environment(&self) -> Vec<(OsString, OsString)> {
        let mut all = harmless_environment();
        let own: [(&str, PathBuf); 3] =
            [("HOME", self.home()), ("CARGO_HOME", self.cargo_home()), ("CARGO_TARGET_DIR", self.target())];
        all.extend(own.map(|(name, folder)| (name.into(), folder.into_os_string())));
        all.extend(rustup_home().map(|it| ("RUSTUP_HOME".into(), it.into_os_string())));
        let fixed =
            [("CARGO_NET_OFFLINE", "true"), ("GOPROXY", "off"), ("GOTOOLCHAIN", "local"), ("GOFLAGS", "")];
        all.extend(fixed.map(|(name, value)| (name.into(), value.into())));
        all
    }
}

impl Confinement {
    /// Confines a server that works for these folders of a workspace; blocking. `program` and the folders of
    /// `path` are installed.
    ///
    /// # Errors
    /// The private folder cannot be created.
    pub(crate) fn new(
        language: &Language,
        workspace: &[PathBuf],
        program: &Path,
        path: &[PathBuf],
        config: &Config,
    ) -> io::Result<Self> {
        let downloads = readable_outside::folders(language, workspace);
        let (origin, downloads) = (Origin::Installed, downloads.as_slice());
        Self::of_program(&Confined { id: language.id, workspace, program, origin, path, downloads }, config)
    }

    /// Confines a look at a program's version; blocking. It reads nothing of the workspace.
    ///
    /// # Errors
    /// The private folder cannot be created.
    pub(crate) fn of_probe(
        workspace: &[PathBuf],
        program: &Path,
        path: &[PathBuf],
        config: &Config,
    ) -> io::Result<Self> {
        let (origin, downloads) = (Origin::Installed, [].as_slice());
        let confined = Confined { id: "probe", workspace, program, origin, path, downloads };
        // The proxies of rustup look for their toolchain.
        let rustup = rustup_home()
            .into_iter()
            .flat_map(|it| ["settings.toml", "toolchains"].map(|part| it.join(part)));
        let bounds = ownership::bounds(workspace);
        Self::walled(
            &confined,
            Wall::system().reading(rustup.filter(|it| !bounds.is_of_workspace(it))),
            config,
        )
    }

    fn of_program(confined: &Confined<'_>, config: &Config) -> io::Result<Self> {
        let Confined { workspace, downloads, .. } = confined;
        if workspace.iter().any(|it| ownership::bounds(&[]).holds_home(it)) {
            let why = "the workspace holds your home folder, with its keys; open a folder in it";
            return Err(io::Error::other(why));
        }
        let wall = Wall::system()
            .reading(downloads.iter().cloned())
            .reading(workspace.iter().cloned())
            .reading(workspace.iter().filter_map(|it| ownership::repository(it)))
            .reading(workspace.iter().flat_map(|it| cargo_files_above(it)));
        Self::walled(confined, wall, config)
    }

    /// Confines a program that may reach its installation, the tools of the search path, its private folder and what the
    /// wall has already.
    fn walled(confined: &Confined<'_>, wall: Wall, config: &Config) -> io::Result<Self> {
        let Confined { id, workspace, program, origin, path, downloads } = confined;
        let bounds = ownership::bounds(workspace);
        let in_cache = || Some(xdg_dirs::cache()?.join("dialect/confined"));
        let all = config.confined_folders.clone().or_else(in_cache);
        let all = all.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is no home folder"))?;
        if config.confined_folders.is_none() && bounds.is_of_workspace(&all) {
            let why =
                "your cache folder lies in the workspace, which could put links there; set XDG_CACHE_HOME";
            return Err(io::Error::other(why));
        }
        let private = PrivateFolder::below(&all, id, workspace, downloads)?;
        let wall = wall
            .reading(confinement::installation(program, path, &bounds, *origin))
            .reading(path.iter().flat_map(|it| confinement::tools(it, &bounds)))
            .reading([private.0.clone()])
            .watching(private.changeable());
        // 0 is no limit, as without a known size of the memory.
        let usual = Limits::default();
        let disk = config.disk().unwrap_or(usual.disk);
        let limits = Limits { memory: config.health.memory.unwrap_or_default(), disk, ..usual };
        Ok(Self {
            target: private.target(),
            private,
            wall: Wall { limits, ..wall.tidied() },
            supervisor: config.supervisor.clone(),
        })
    }

    /// Returns the supervisor's executable.
    pub(crate) fn supervisor(&self) -> &Path {
        &self.supervisor
    }

    /// Returns the folders of compilation databases and of their index.
    pub(crate) fn compilation(&self) -> CompilationFolders {
        CompilationFolders { databases: self.private.compilation(), index: self.private.compilation_index() }
    }

    /// Returns the arguments with which the supervisor builds the wall.
    pub(crate) fn arguments(&self) -> [OsString; 2] {
        let wall = serde_json::to_string(&self.wall);
        // Paths that are no text cannot be passed on; such a server does not start.
        ["--wall".into(), wall.unwrap_or_else(|error| error.to_string()).into()]
    }

    /// Returns the folder for build artifacts.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Returns the folders of the sources that confined programs make: builds, and the standard library that ty
    /// unpacks.
    pub(crate) fn made_sources(&self) -> [PathBuf; 2] {
        [self.target.clone(), self.private.home().join(".cache/ty/vendored/typeshed")]
    }

    /// Returns the environment of a confined process, without the variables that its launch pins.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        self.private.environment()
    }
}

/// Returns the folder of rustup's toolchains and settings.
pub(super) fn rustup_home() -> Option<PathBuf> {
    xdg_dirs::absolute("RUSTUP_HOME").or_else(|| Some(xdg_dirs::home()?.join(".rustup")))
}

/// Returns the user's variables on language, place and installed tools.
fn harmless_environment() -> Vec<(OsString, OsString)> {
    let is_passed =
        |name: &OsStr| name.to_str().is_some_and(|it| PASSED.contains(&it) || it.starts_with("LC_"));
    std::env::vars_os().filter(|(name, _)| is_passed(name)).collect()
}

/// Returns the variables with which a tool is looked at where no wall stands: without the user's secrets.
pub(crate) fn probe_environment() -> Vec<(OsString, OsString)> {
    const PLACES: &[&str] = &["HOME", "CARGO_HOME", "RUSTUP_HOME", "TMPDIR"];
    let places = PLACES.iter().filter_map(|it| Some((OsString::from(it), std::env::var_os(it)?)));
    harmless_environment().into_iter().chain(places).collect()
}

/// Messages of operating systems and libraries about refused access.
const REFUSALS: &[&str] = &[
    "Permission denied",
    "permission denied",
    "Operation not permitted",
    "operation not permitted",
    "Read-only file system",
    "read-only file system",
    "EACCES",
    "EPERM",
    "EROFS",
];

/// Messages of package managers about a missing download, with the command that fetches it.
const MISSING_DOWNLOADS: &[(&str, &str)] = &[
    ("--offline", "cargo fetch"),
    ("offline was specified", "cargo fetch"),
    ("GOPROXY=off", "go mod download"),
];

/// Returns the first line of a confined server's output that reports a refusal.
pub(crate) fn denial(words: &str) -> Option<String> {
    let line = words.lines().find(|line| REFUSALS.iter().any(|it| line.contains(it)))?;
    Some(line.trim().chars().take(200).collect())
}

/// Returns the complaint of a confined server. A missing download becomes one line, with the command that fetches it.
pub(crate) fn explained(complaint: &str) -> String {
    let Some((_, command)) = MISSING_DOWNLOADS.iter().find(|(words, _)| complaint.contains(words)) else {
        return complaint.to_owned();
    };
    let first = complaint.lines().next().unwrap_or_default().trim_end_matches('.');
    format!("{first}; it has no network: run `{command}` in a terminal and ask again")
}

/// Returns the files that Cargo reads in the folders above a workspace; it fails where it cannot read one.
/// Leaves out links, which might lead elsewhere, and files with secrets.
fn cargo_files_above(workspace: &Path) -> Vec<PathBuf> {
    const FILES: &[&str] = &["Cargo.toml", ".cargo/config.toml", ".cargo/config"];
    let all = workspace.ancestors().skip(1).flat_map(|it| FILES.iter().map(|name| it.join(name)));
    let plain = all.filter(|it| it.canonicalize().is_ok_and(|canonical| canonical == *it) && it.is_file());
    let is_harmless = |it: &PathBuf| {
        let has_secrets = |text: &str| {
            CARGO_SECRETS.iter().any(|secret| *secret != "rustc-wrapper" && text.contains(secret))
        };
        // The content of an unreadable file is unknown.
        fs::read_to_string(it).is_ok_and(|text| !has_secrets(&text))
    };
    plain.filter(is_harmless).collect()
}

/// Creates a link to an existing target. Does nothing if the path exists: a linked folder already has what
/// lies deeper.
pub(crate) fn link(target: &Path, at: &Path) -> io::Result<()> {
    if !target.exists() || at.symlink_metadata().is_ok() {
        return Ok(());
    }
    if let Some(folder) = at.parent() {
        fs::create_dir_all(folder)?;
    }
    symlink(target, at)
}

/// Removes secrets from the user's Cargo configuration; empty if it cannot be parsed.
fn without_secrets(config: &str) -> String {
    fn prune(table: &mut toml::Table) {
        table.retain(|key, _| !CARGO_SECRETS.contains(&key));
        table.iter_mut().filter_map(|(_, it)| it.as_table_mut()).for_each(prune);
    }
    let Ok(mut table) = config.parse::<toml::Table>() else { return String::new() };
    // Variables of processes, and programs that hand out credentials.
    for section in ["env", "credential-alias"] {
        table.remove(section);
    }
    prune(&mut table);
    toml::to_string(&table).unwrap_or_else(|_| String::new())
}

/// Removes the private folders that no server has used for a month, and those of deleted workspaces, such as the work trees
/// of finished tasks, after a day.
fn remove_unused(all: &Path) {
    for folder in fs::read_dir(all).into_iter().flatten().flatten() {
        let used = folder.path().join("used");
        let Ok(Ok(age)) = fs::metadata(&used).and_then(|it| it.modified()).map(|it| it.elapsed()) else {
            continue;
        };
        let is_deleted = || {
            let workspace = fs::read_to_string(&used).unwrap_or_default();
            !workspace.is_empty() && workspace.lines().all(|it| !Path::new(it).exists())
        };
        let is_old = age > KEPT || age > KEPT_WHEN_DELETED && is_deleted();
        if is_old && let Err(error) = fs::remove_dir_all(folder.path()) {
            tracing::debug!(folder = %folder.path().display(), %error, "an unused folder could not be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn a_workspace_has_a_folder_that_goes_when_nobody_uses_it() {
        let dir = tempfile::tempdir().unwrap();
        let private = |name: &str, language: &str| {
            PrivateFolder::below(dir.path(), language, &[PathBuf::from(name)], &[]).unwrap()
        };
        let (old, same, other) = (private("/old", "c"), private("/old", "c"), private("/old", "rust"));
        assert!(old == same && old != other);
        let leave_unused = |folder: &PrivateFolder, time: Duration| {
            let used = fs::File::options().write(true).open(folder.used()).unwrap();
            used.set_modified(SystemTime::now() - time).unwrap();
        };
        leave_unused(&old, 2 * KEPT);
        let new = private("/new", "c");
        assert!(new.target().is_dir() && !old.0.exists() && other.0.is_dir());
        let here = private(dir.path().to_str().unwrap(), "c");
        [&here, &new].into_iter().for_each(|it| leave_unused(it, 2 * KEPT_WHEN_DELETED));
        private("/newer", "c");
        assert!(here.0.is_dir(), "its workspace is there");
        assert!(!new.0.exists(), "its workspace is gone");
    }

    #[test]
    fn what_a_server_put_into_its_folder_is_never_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let outside = dir.path().join("outside");
        fs::create_dir(&outside).unwrap();
        let private = || PrivateFolder::below(&dir.path().join("all"), "rust", &["/w".into()], &[]).unwrap();
        let before = private();
        for folder in [before.home(), before.target(), before.compilation_index()] {
            fs::remove_dir_all(&folder).unwrap();
            symlink(&outside, &folder).unwrap();
        }
        assert_eq!(private(), before);
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        let changeable = before.changeable();
        let written = [before.used(), before.cargo_home(), before.compilation()];
        assert!(written.iter().all(|it| !it.starts_with(&changeable)), "{written:?}");
    }

    #[test]
    fn the_users_settings_alone_limit_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        let (settings, workspace) = (dir.path().join("config.toml"), [dir.path().join("w")]);
        fs::create_dir(&workspace[0]).unwrap();
        fs::write(workspace[0].join(".dialect.toml"), "disk_gigabytes = 0\n").unwrap();
        let mut config = Config::new(PathBuf::new());
        config.confined_folders = Some(dir.path().join("all"));
        config.user_settings = Some(settings.clone());
        let program = Path::new("/bin/sh");
        let (id, origin, path, downloads) = ("c", Origin::Installed, &[][..], &[][..]);
        let usual = Limits::default().disk;
        for (text, disk) in [
            ("", usual),
            ("disk_gigabytes = 3\n", 3_000_000_000),
            ("disk_gigabytes = 0\n", 0),
            ("disk_gigabytes = 99999999999999999\n", u64::MAX),
            ("disk_gigabytes = -1\n", usual),
        ] {
            fs::write(&settings, text).unwrap();
            let confined = Confined { id, workspace: &workspace, program, origin, path, downloads };
            let confinement = Confinement::of_program(&confined, &config).unwrap();
            assert_eq!(confinement.wall.limits.disk, disk, "{text}");
        }
    }

    #[test]
    fn what_is_missing_or_refused_is_said_with_its_remedy() {
        let offline = "`cargo metadata` failed: error: no matching package named `a` found\nAs a reminder, you're using offline mode (--offline)";
        assert_eq!(
            explained(offline),
            "`cargo metadata` failed: error: no matching package named `a` found; it has no network: run `cargo fetch` in a terminal and ask again"
        );
        assert_eq!(explained("broken manifest"), "broken manifest");
        assert_eq!(
            denial("loading\n  cannot open /x: Permission denied (os error 13)\n").as_deref(),
            Some("cannot open /x: Permission denied (os error 13)")
        );
        assert_eq!(denial("it ended"), None);
    }

    #[test]
    fn tokens_of_the_users_cargo_stay_with_the_user() {
        let config = "[registries.a]\nindex = \"https://a\"\ntoken = \"s3cret\"\n[env]\nA = \"s3cret\"\n\
                      [source.crates-io]\nreplace-with = \"a\"\n[build]\nrustc-wrapper = \"sccache\"\njobs = 2\n";
        let kept = without_secrets(config);
        assert!(!kept.contains("s3cret") && !kept.contains("sccache"), "{kept}");
        assert!(
            kept.contains("replace-with") && kept.contains("https://a") && kept.contains("jobs = 2"),
            "{kept}"
        );
        assert_eq!(without_secrets("= broken"), "");
    }
}
