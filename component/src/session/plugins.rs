//! The plugins of one session: found, started, and part of what its programs can name.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use dialect::{Failure, Limits, Need, Program, Requirement};
use futures::StreamExt;
use serde::Serialize;
use source_text::Span;
use tokio::sync::watch;

use crate::extension::{Extension, Extensions};
use crate::permission::{Approval, Caller, Gate, Waiting};
use crate::plugins::tables::{LOAD, Objects, library_name, start_source, tables, unconfined};
use crate::plugins::{Launch, Plugin};
use crate::session::Attachment;
use crate::skills::SkillSettings;
use crate::skills::session::SessionSkills;
use unpoisoned::lock;

/// The number of plugins that start at a time.
const STARTS: usize = 5;

/// The time that a program waits for plugins which start, if it names nothing of theirs.
const BRIEFLY: Duration = Duration::from_secs(1);

/// A plugin that was found and may be started.
#[derive(Clone, Debug)]
pub struct FoundPlugin {
    /// The file, for people.
    pub path: PathBuf,
    /// The way to start it.
    pub launch: Launch,
    /// The hash of its content, if it belongs to the workspace: then the user is asked before it starts.
    pub consent: Option<String>,
    /// The interface document beside it, if there is one.
    pub document: Option<String>,
    /// The way to start the process that runs its source (`source_worker::run`); without one, calls of source fail.
    pub interpreter: Option<Launch>,
}

/// The plugins of some folders.
#[derive(Clone, Debug, Default)]
pub struct FoundPlugins {
    /// The plugins, in the order in which their names count.
    pub plugins: Vec<FoundPlugin>,
    /// The problems, a sentence each.
    pub problems: Vec<String>,
}

/// The search for the plugins of a session, which the program around the component knows how to do. It gets the
/// folders of the session, and may block.
#[derive(Clone)]
pub struct PluginFinder(Arc<Find>);

type Find = dyn Fn(&[PathBuf]) -> FoundPlugins + Send + Sync;

impl PluginFinder {
    /// Wraps the search.
    pub fn new(find: impl Fn(&[PathBuf]) -> FoundPlugins + Send + Sync + 'static) -> Self {
        Self(Arc::new(find))
    }
}

impl fmt::Debug for PluginFinder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PluginFinder")
    }
}

/// The state of a plugin, for people.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PluginReport {
    /// The file.
    pub path: PathBuf,
    /// The name of its library in programs; empty if it did not start.
    pub name: String,
    /// The version that the plugin named in the handshake; empty if it named none.
    pub version: String,
    /// The signatures of its functions.
    pub functions: Vec<String>,
    /// The entries that are not available, each with the reason.
    pub unavailable: Vec<String>,
    /// True if it belongs to the workspace, and starts once its user has allowed it.
    pub asks: bool,
    /// The reason why it is not there, with its last words.
    pub problem: Option<String>,
}

impl PluginReport {
    /// Returns that it is not there, and why, if so.
    fn missing(&self) -> Option<String> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        Some(format!("Not there: the plugin {name}: {}", self.problem.as_ref()?))
    }
}

/// The plugins of a session that run.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// Everything that programs of the session can name.
    pub(crate) extensions: Arc<Extensions>,
    /// Everything but the tools of skills, for descriptions.
    pub(crate) described: Arc<Extensions>,
    /// The skills, if there are any.
    pub(crate) skills: Option<Arc<SessionSkills>>,
    /// The objects that live in plugins.
    pub(crate) objects: Arc<Objects>,
    reports: Vec<PluginReport>,
    /// The problems of the search.
    problems: Vec<String>,
    /// The plugins that run, each with what was found.
    running: Vec<(FoundPlugin, Started)>,
    /// The plugins that the user has to allow first.
    asking: Vec<FoundPlugin>,
}

/// A plugin that runs.
#[derive(Clone, Debug)]
struct Started {
    plugin: Plugin,
    /// The process of its source, or the reason why there is none; `None` if nothing of it is source.
    source: Option<Result<Plugin, String>>,
}

/// The plugins of all sessions of a connection.
#[derive(Debug)]
pub(crate) struct SessionPlugins {
    finder: Option<PluginFinder>,
    skills: Option<SkillSettings>,
    built_in: Arc<Loaded>,
    sessions: Mutex<HashMap<String, Entry>>,
}

/// The plugins of a session, as long as the session is there.
type Entry = (Weak<Attachment>, Arc<OneSession>);

#[derive(Debug)]
struct OneSession {
    /// The plugins that need nobody's consent, once they have started.
    started: watch::Receiver<Option<Arc<Loaded>>>,
    /// All of them, once the user has been asked.
    asked: tokio::sync::Mutex<Option<Arc<Loaded>>>,
}

impl SessionPlugins {
    /// Creates the plugins of a connection, none of which runs.
    pub(crate) fn new(
        finder: Option<PluginFinder>,
        skills: Option<SkillSettings>,
        extensions: Arc<Extensions>,
    ) -> Self {
        let built_in = Arc::new(Loaded::none(extensions, None));
        Self { finder, skills, built_in, sessions: Mutex::default() }
    }

    /// Starts the plugins of a session in the background.
    pub(crate) fn begin(&self, attachment: &Arc<Attachment>) {
        self.session(attachment);
    }

    /// Ends the plugins of sessions that are over.
    pub(crate) fn prune(&self) {
        lock(&self.sessions).retain(|_, (attachment, _)| attachment.strong_count() > 0);
    }

    fn session(&self, attachment: &Arc<Attachment>) -> Option<Arc<OneSession>> {
        // A sub-agent in its parent's folders has the same ones.
        let parent = attachment.parent().filter(|it| it.shares_folders(attachment));
        let attachment = parent.unwrap_or(attachment);
        let (finder, skills) = (self.finder.clone(), self.skills.clone());
        if finder.is_none() && skills.is_none() {
            return None;
        }
        self.prune();
        let mut sessions = lock(&self.sessions);
        let (_, session) = sessions.entry(attachment.server.clone()).or_insert_with(|| {
            let (sender, started) = watch::channel(None);
            let (extensions, roots) = (Arc::clone(&self.built_in.extensions), attachment.roots().to_vec());
            tokio::spawn(async move {
                let loading = async {
                    let find = move || {
                        let found = finder.map(|it| (it.0)(&roots)).unwrap_or_default();
                        (found, skills.and_then(|it| SessionSkills::find(&it, &roots)))
                    };
                    let (found, skills) = tokio::task::spawn_blocking(find).await.unwrap_or_default();
                    Loaded::start(&extensions, found, skills).await
                };
                tokio::select! {
                    loaded = loading => {
                        loaded.missing().iter().for_each(|it| tracing::warn!("{it}"));
                        drop(sender.send(Some(Arc::new(loaded))));
                    }
                    () = sender.closed() => {}
                }
            });
            let one = OneSession { started, asked: tokio::sync::Mutex::default() };
            (Arc::downgrade(attachment), Arc::new(one))
        });
        Some(Arc::clone(session))
    }

    /// Returns what there is for the description of the tool, after a moment.
    pub(crate) async fn for_description(&self, attachment: &Arc<Attachment>) -> Arc<Loaded> {
        match self.session(attachment) {
            None => Arc::clone(&self.built_in),
            Some(session) => session.after(BRIEFLY).await.unwrap_or_else(|| Arc::clone(&self.built_in)),
        }
    }

    /// Returns the skills of a session, once they are found.
    pub(crate) async fn skills(&self, attachment: &Arc<Attachment>) -> Option<Arc<SessionSkills>> {
        self.skills.as_ref()?;
        self.session(attachment)?.after(Duration::MAX).await?.skills.clone()
    }

    /// Returns what a program can use. Asks the user about the plugins of the workspace first.
    ///
    /// A program that can be read without the plugins does not wait long for them.
    pub(crate) async fn for_program(
        &self,
        attachment: &Arc<Attachment>,
        gate: &Arc<Gate>,
        caller: &Arc<Caller>,
        waiting: impl Fn() -> Waiting,
    ) -> Arc<Loaded> {
        let Some(session) = self.session(attachment) else { return Arc::clone(&self.built_in) };
        let started = match session.after(BRIEFLY).await {
            Some(started) => started,
            None if self.can_read(&caller.program) => return Arc::clone(&self.built_in),
            None => session.after(Duration::MAX).await.unwrap_or_else(|| Arc::clone(&self.built_in)),
        };
        if started.asking.is_empty() {
            return started;
        }
        let mut asked = session.asked.lock().await;
        if let Some(all) = &*asked {
            return Arc::clone(all);
        }
        let mut found = FoundPlugins::default();
        let mut refused = Vec::new();
        for plugin in started.asking.iter().cloned() {
            match consent(gate, caller, &plugin, waiting()).await {
                Ok(()) => found.plugins.push(plugin),
                Err(failure) => refused.push((plugin, dialect::diagnostic(&failure).message)),
            }
        }
        let all = Arc::new(started.and(&self.built_in.extensions, found, refused).await);
        *asked = Some(Arc::clone(&all));
        all
    }

    fn can_read(&self, program: &str) -> bool {
        Program::parse(self.built_in.extensions.tables(), program, &Limits::default()).is_ok()
    }
}

impl OneSession {
    /// Returns the plugins that have started within that time.
    async fn after(&self, time: Duration) -> Option<Arc<Loaded>> {
        let mut started = self.started.clone();
        let waited = tokio::time::timeout(time, started.wait_for(Option::is_some)).await;
        waited.ok()?.ok()?.clone()
    }
}

/// Asks the user whether a plugin of the workspace may start. The answer holds for this content of the file.
async fn consent(
    gate: &Arc<Gate>,
    caller: &Arc<Caller>,
    plugin: &FoundPlugin,
    waiting: Waiting,
) -> Result<(), Failure> {
    let hash = plugin.consent.clone().unwrap_or_default();
    let callable = plugin.path.display().to_string();
    let requirement = Requirement::new(LOAD).restricted("program", [format!("{callable} sha256:{hash}")]);
    Approval::request(gate, caller, &[Need { callable, requirement, span: Span::new(0, 0) }], waiting)
        .await
        .map(drop)
}

impl Loaded {
    /// Returns whether there is nothing but what is built in.
    pub(crate) fn is_built_in(&self) -> bool {
        self.running.is_empty() && self.skills.is_none()
    }

    fn none(extensions: Arc<Extensions>, skills: Option<Arc<SessionSkills>>) -> Self {
        let (reports, problems, running, asking) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (described, objects) = (Arc::clone(&extensions), Arc::default());
        Self { extensions, described, skills, objects, reports, problems, running, asking }
    }

    /// Starts the plugins that need no consent.
    async fn start(extensions: &Extensions, found: FoundPlugins, skills: Option<Arc<SessionSkills>>) -> Self {
        let FoundPlugins { plugins, problems } = found;
        let (asking, at_once): (Vec<_>, Vec<_>) = plugins.into_iter().partition(|it| it.consent.is_some());
        Self { asking, problems, ..Self::of(extensions, run(at_once).await, skills) }
    }

    /// Returns the plugins and documents of skills that are not there, each with the reason.
    pub(crate) fn missing(&self) -> Vec<String> {
        let missing = self.reports.iter().filter_map(PluginReport::missing);
        let problems = self.problems.iter().map(|it| format!("Not there: the plugin {it}"));
        let skills = self.skills.iter().flat_map(|it| it.problems());
        missing.chain(problems).chain(skills.map(|it| format!("Not there: the skill {it}"))).collect()
    }

    /// Returns the plugins that are not there and whose files have a name that a program mentions.
    pub(crate) fn missing_in(&self, program: &str) -> Vec<String> {
        let words: HashSet<&str> =
            program.split(|it: char| !it.is_alphanumeric() && it != '_' && it != '-').collect();
        let names_it = |it: &&PluginReport| {
            let stem = it.path.file_stem().unwrap_or_default().to_string_lossy();
            words.contains(&*stem) || words.contains(&*stem.replace('-', "_"))
        };
        self.reports.iter().filter(names_it).filter_map(PluginReport::missing).collect()
    }

    /// Returns these and further plugins.
    async fn and(
        &self,
        extensions: &Extensions,
        found: FoundPlugins,
        refused: Vec<(FoundPlugin, String)>,
    ) -> Self {
        let running = self.running.iter().map(|(found, started)| (found.clone(), Ok(started.clone())));
        let refused = refused.into_iter().map(|(found, why)| (found, Err(why)));
        let all = running.chain(run(found.plugins).await).chain(refused).collect();
        Self { problems: self.problems.clone(), ..Self::of(extensions, all, self.skills.clone()) }
    }

    fn of(
        extensions: &Extensions,
        started: Vec<(FoundPlugin, Result<Started, String>)>,
        skills: Option<Arc<SessionSkills>>,
    ) -> Self {
        let mut all = Self::none(Arc::new(extensions.clone()), skills);
        let names: Vec<String> = started
            .iter()
            .filter_map(|it| it.1.as_ref().ok())
            .flat_map(|it| {
                it.plugin.description().functions.iter().map(|it| it.name.clone()).collect::<Vec<_>>()
            })
            .collect();
        let is_alone = |name: &str| names.iter().filter(|it| it.as_str() == name).count() == 1;
        let mut extensions = extensions.clone();
        for (found, started) in started {
            let report = all.add(&mut extensions, &found, started.as_ref(), is_alone);
            let has_problem = report.problem.is_some();
            all.reports.push(report);
            all.running.extend(started.ok().filter(|_| !has_problem).map(|it| (found, it)));
        }
        if let Some(skills) = &all.skills {
            skills.add_own(&mut extensions);
        }
        all.described = Arc::new(extensions.clone());
        if let Some(skills) = &all.skills {
            skills.add_tools(&mut extensions);
        }
        all.extensions = Arc::new(extensions);
        all
    }

    /// Adds a plugin, and says what came of it.
    fn add(
        &self,
        extensions: &mut Extensions,
        found: &FoundPlugin,
        started: Result<&Started, &String>,
        is_alone: impl Fn(&str) -> bool,
    ) -> PluginReport {
        let nothing = PluginReport { path: found.path.clone(), ..PluginReport::default() };
        let Started { plugin, source } = match started {
            Ok(started) => started,
            Err(problem) => return PluginReport { problem: Some(problem.clone()), ..nothing },
        };
        let description = plugin.description();
        let report = PluginReport {
            name: library_name(&description),
            version: description.library.version.clone(),
            ..nothing
        };
        if extensions.catalogue.is_taken(&report.name) {
            let problem = format!("ignored: duplicate library `{}`", report.name);
            return PluginReport { problem: Some(problem), ..report };
        }
        let document = found.document.as_deref();
        let runs = source.as_ref().and_then(|it| it.as_ref().ok());
        let mut made = tables(plugin, runs, &self.objects, extensions.tables(), document, is_alone);
        let problem = source.as_ref().and_then(|it| it.as_ref().err());
        made.unavailable.extend(problem.map(|it| format!("its source does not run: {it}")));
        let unconfined = runs.and_then(unconfined);
        made.unavailable.extend(unconfined.map(|it| format!("its source is not confined: {it}")));
        let functions = made.library.functions.iter().map(|it| it.signature.clone()).collect();
        let origin = Some(report.name.clone());
        let added =
            extensions.add(Extension { library: made.library, origin, capabilities: made.capabilities });
        let problem = added.err().map(|it| it.to_string());
        PluginReport { functions, unavailable: made.unavailable, problem, ..report }
    }
}

/// Starts plugins, several at a time. The order stays.
async fn run(found: Vec<FoundPlugin>) -> Vec<(FoundPlugin, Result<Started, String>)> {
    let start = |it: FoundPlugin| async move {
        let started = started(&it).await;
        (it, started)
    };
    futures::stream::iter(found).map(start).buffered(STARTS).collect().await
}

/// Starts a plugin, and the process of its source.
async fn started(found: &FoundPlugin) -> Result<Started, String> {
    let plugin = Plugin::start(found.launch.clone()).await.map_err(|error| error.to_string())?;
    let source = match &found.interpreter {
        Some(launch) => start_source(launch, &plugin).await,
        None => None,
    };
    Ok(Started { plugin, source })
}

/// Starts plugins, and says what each offers, or why it does not. Those that need the user's consent are not started.
pub async fn examine(found: FoundPlugins) -> Vec<PluginReport> {
    examined(found, |_| ()).await.0
}

/// As [`examine`], with what `look` finds while the plugins run.
pub(crate) async fn examined<T>(
    found: FoundPlugins,
    look: impl FnOnce(&Loaded) -> T,
) -> (Vec<PluginReport>, T) {
    let loaded = Loaded::start(&Extensions::built_in(), found, None).await;
    let report =
        |it: &FoundPlugin| PluginReport { path: it.path.clone(), asks: true, ..PluginReport::default() };
    let asking = loaded.asking.iter().map(report);
    let reports = loaded.reports.iter().cloned().chain(asking).collect();
    let seen = look(&loaded);
    for (_, Started { plugin, source }) in &loaded.running {
        let _ = plugin.shutdown().await; // how it ends is for `check`
        if let Some(Ok(source)) = source {
            let _ = source.shutdown().await;
        }
    }
    (reports, seen)
}
