//! The places that plugins come from, in this order: the command line, the user's settings, the user's folder of
//! plugins, and a trusted workspace.
//!
//! ```toml
//! [plugins]
//! paths = ["~/bin/blame"]          # executables
//! folders = ["~/plugins"]          # all executables in them
//!
//! [plugins.profile.blame]          # by the file's name without its extension; in the user's own file only
//! args = ["--short"]
//! env = { LEVEL = "debug" }
//! read = ["~/.gitconfig"]          # may be read behind the wall, besides the workspace
//! write = ["~/notes"]              # may be changed
//! network = true                   # may use the network
//! confined = false                 # runs without a wall, with your rights
//! disabled = true                  # is not started
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use adapter::fallback::{self, ConfinedCommand, Level, Origin, TrustStore, Widening, confine, grounds};
use component::plugins::{Launch, TrustedPlugins, content_hash};
use component::{FoundPlugin, FoundPlugins, PluginFinder, State};
use confinement::Bounds;
use plugin_protocol::session::Settings;
use serde::Deserialize;

/// The file of a workspace's settings.
const WORKSPACE_FILE: &str = ".dialect.toml";

/// The search for plugins.
#[derive(Clone, Debug)]
pub(crate) struct PluginSources {
    /// The executables of the command line.
    given: Vec<PathBuf>,
    /// The user's settings file.
    settings: Option<PathBuf>,
    /// The configuration of language servers, which says what this machine and its user trust.
    fallback: fallback::Config,
    trusted: Option<TrustedPlugins>,
}

#[derive(Debug, Default, Deserialize)]
struct File {
    #[serde(default)]
    plugins: Section,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Section {
    paths: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    profile: BTreeMap<String, Profile>,
}

/// The user's settings of one plugin.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Profile {
    args: Vec<String>,
    env: BTreeMap<String, String>,
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
    network: bool,
    confined: Option<bool>,
    disabled: bool,
}

/// Returns the folder of the user's plugins, beside the user's settings.
pub(crate) fn user_folder() -> Option<PathBuf> {
    Some(fallback::user_settings()?.parent()?.join("plugins"))
}

impl PluginSources {
    /// Creates the search for `given` and for everything that the user has set.
    pub(crate) fn new(given: &[PathBuf], fallback: &fallback::Config) -> Self {
        let (settings, trusted) = (fallback::user_settings(), State::of_user().map(TrustedPlugins::of));
        Self { given: given.to_vec(), settings, fallback: fallback.clone(), trusted }
    }

    /// Returns the search for the component.
    pub(crate) fn finder(self) -> PluginFinder {
        PluginFinder::new(move |roots| self.find(roots))
    }

    /// Finds the plugins for these folders of a workspace; blocking.
    pub(crate) fn find(&self, roots: &[PathBuf]) -> FoundPlugins {
        let mut search = Search::new(self, roots);
        // Settings in the workspace are not the user's, whatever `XDG_CONFIG_HOME` says.
        let bounds = Bounds::new(None, grounds(roots));
        let user = search.read(self.settings.as_deref().filter(|it| !bounds.is_of_workspace(it)));
        search.profiles = user.profile;
        for path in &self.given {
            search.add(&in_search_path(path), None);
        }
        let here = PathBuf::new();
        search.add_section(&here, &user.paths, &user.folders, false);
        let folder = user_folder().filter(|it| it.is_dir() && !bounds.is_of_workspace(it));
        search.add_folder(folder.as_deref(), false);
        if let Some(root) = roots.first().filter(|it| self.is_trusted(it)) {
            let Section { paths, folders, profile } = search.read(Some(&root.join(WORKSPACE_FILE)));
            if !profile.is_empty() {
                let file = root.join(WORKSPACE_FILE);
                let problem =
                    "`plugins.profile` belongs in your own settings: a workspace cannot widen a wall";
                search.problem(&file, problem);
            }
            search.add_section(root, &paths, &folders, true);
        }
        search.found
    }

    /// Returns whether the settings of a workspace count.
    fn is_trusted(&self, root: &Path) -> bool {
        let saved = || self.fallback.trust_store.clone().or_else(TrustStore::of_user)?.decision(root);
        match self.fallback.level {
            Some(level) => level == Level::Trusted,
            None => saved().unwrap_or(false),
        }
    }
}

/// One search, with what it has found.
struct Search<'a> {
    sources: &'a PluginSources,
    roots: &'a [PathBuf],
    profiles: BTreeMap<String, Profile>,
    seen: BTreeSet<PathBuf>,
    found: FoundPlugins,
}

impl<'a> Search<'a> {
    fn new(sources: &'a PluginSources, roots: &'a [PathBuf]) -> Self {
        let (profiles, seen) = (BTreeMap::new(), BTreeSet::new());
        Self { sources, roots, profiles, seen, found: FoundPlugins::default() }
    }

    fn problem(&mut self, path: &Path, problem: &str) {
        self.found.problems.push(format!("{}: {problem}", path.display()));
    }

    /// Reads the section of a settings file. A missing file has none.
    fn read(&mut self, file: Option<&Path>) -> Section {
        let Some(file) = file else { return Section::default() };
        let text = match std::fs::read_to_string(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Section::default(),
            Err(error) => return self.unread(file, &error.to_string()),
            Ok(text) => text,
        };
        match toml::from_str::<File>(&text) {
            Ok(file) => file.plugins,
            Err(error) => self.unread(file, error.to_string().trim()),
        }
    }

    fn unread(&mut self, file: &Path, problem: &str) -> Section {
        self.problem(file, problem);
        Section::default()
    }

    fn add_section(&mut self, root: &Path, paths: &[PathBuf], folders: &[PathBuf], is_theirs: bool) {
        for path in paths {
            self.add(&root.join(expanded(path)), is_theirs.then_some(()));
        }
        for folder in folders {
            self.add_folder(Some(&root.join(expanded(folder))), is_theirs);
        }
    }

    /// Adds every executable of a folder, in the order of their names.
    fn add_folder(&mut self, folder: Option<&Path>, is_theirs: bool) {
        let Some(folder) = folder else { return };
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.problem(folder, &format!("the folder cannot be read: {error}")),
        };
        let mut paths: Vec<PathBuf> = entries.filter_map(|it| Some(it.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            match path.metadata() {
                Ok(it) if it.is_file() && it.permissions().mode() & 0o111 != 0 => {
                    self.add(&path, is_theirs.then_some(()));
                }
                // A folder within is no mistake, and a link to one is.
                Ok(it) if it.is_dir() && path.is_symlink() => self.problem(&path, "it is no file"),
                Ok(_) => {}
                Err(error) => self.problem(&path, &format!("it leads nowhere: {error}")),
            }
        }
    }

    /// Adds an executable. `theirs` marks one of the workspace.
    fn add(&mut self, path: &Path, theirs: Option<()>) {
        let file = match path.canonicalize() {
            Ok(file) if file.is_file() => file,
            Ok(_) => return self.problem(path, "it is no file"),
            Err(error) => return self.problem(path, &error.to_string()),
        };
        let is_executable = file.metadata().is_ok_and(|it| it.permissions().mode() & 0o111 != 0);
        if !is_executable {
            return self.problem(path, &format!("it cannot be executed: chmod +x {}", file.display()));
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let profile = self.profiles.get(&name).cloned().unwrap_or_default();
        if profile.disabled || !self.seen.insert(file.clone()) {
            return;
        }
        let consent = match theirs.map(|()| content_hash(&file)) {
            None => None,
            Some(Ok(hash)) if self.sources.trusted.as_ref().is_some_and(|it| it.has(&file, &hash)) => None,
            Some(Ok(hash)) => Some(hash),
            Some(Err(error)) => return self.problem(path, &error.to_string()),
        };
        match self.launch(&name, &file, &profile) {
            Ok(launch) => {
                let document = document(&file);
                let (path, interpreter) = (path.to_owned(), self.interpreter());
                self.found.plugins.push(FoundPlugin { path, launch, consent, document, interpreter });
            }
            Err(problem) => self.problem(path, &problem),
        }
    }

    /// Returns the way to start a plugin: behind a wall, where this machine can build one.
    fn launch(&self, name: &str, file: &Path, profile: &Profile) -> Result<Launch, String> {
        let is_confined = profile.confined.unwrap_or(self.sources.fallback.wall);
        if is_confined && !self.sources.fallback.wall {
            let why = "this machine cannot build the wall that its `confined = true` wants";
            return Err(format!("{why}; see `dialect doctor`"));
        }
        let mut launch =
            if is_confined { self.confined(name, file, profile)? } else { self.supervised(name, file) };
        launch.folder = self.roots.first().cloned();
        launch.arguments.extend(profile.args.iter().map(OsString::from));
        launch.environment.extend(profile.env.iter().map(|(name, value)| (name.into(), value.into())));
        Ok(launch)
    }

    /// Returns the way to start the process that runs the source of a plugin, if this program has the interpreter.
    fn interpreter(&self) -> Option<Launch> {
        #[cfg(feature = "plugin-source")]
        return Some(crate::source_process::launch(&self.sources.fallback.supervisor));
        #[cfg(not(feature = "plugin-source"))]
        None
    }

    fn supervised(&self, name: &str, file: &Path) -> Launch {
        let mut launch = Launch::new(&self.sources.fallback.supervisor);
        let patience = Settings::default().exit.as_millis().to_string();
        let arguments = ["supervise", "--patience", &patience, "--"];
        launch.arguments = arguments.iter().map(OsString::from).chain([file.into()]).collect();
        (launch.is_supervisor, launch.name) = (true, Some(name.to_owned()));
        launch
    }

    fn confined(&self, name: &str, file: &Path, profile: &Profile) -> Result<Launch, String> {
        let paths = |it: &[PathBuf]| it.iter().map(|it| expanded(it)).collect();
        let Profile { read, write, network, .. } = profile;
        let widening = Widening { read: paths(read), write: paths(write), network: *network };
        let (id, patience) = (format!("plugin-{name}"), Settings::default().exit);
        let command =
            confine(&id, self.roots, (file, Origin::Brought), &widening, patience, &self.sources.fallback);
        let ConfinedCommand { program, arguments, environment } =
            command.map_err(|error| format!("it cannot be confined: {error}"))?;
        let (mut launch, environment) = (Launch::new(program), environment.into_iter().collect());
        (launch.arguments, launch.environment, launch.clears_environment) = (arguments, environment, true);
        (launch.is_supervisor, launch.name) = (true, Some(name.to_owned()));
        Ok(launch)
    }
}

/// Returns the interface document beside a plugin: `todo.py.md` for `todo.py`. A link would read what the plugin may not.
fn document(file: &Path) -> Option<String> {
    let mut name = file.file_name()?.to_owned();
    name.push(".md");
    let document = file.with_file_name(name);
    Some(document).filter(|it| !it.is_symlink()).and_then(|it| std::fs::read_to_string(it).ok())
}

/// Returns the path with the user's home folder in place of `~`.
pub(crate) fn expanded(path: &Path) -> PathBuf {
    let below = path.strip_prefix("~").ok().map(Path::to_owned);
    let home = std::env::var_os("HOME").map(PathBuf::from);
    below.zip(home).map_or_else(|| path.to_owned(), |(below, home)| home.join(below))
}

/// Returns the path of a program that is named alone and not in the current folder.
fn in_search_path(path: &Path) -> PathBuf {
    let is_name = path.components().count() == 1 && !path.exists();
    which::which(path).ok().filter(|_| is_name).unwrap_or_else(|| path.to_owned())
}
