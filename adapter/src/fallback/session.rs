//! Sessions: their folders, languages and servers.

mod absence;
pub(crate) mod completeness;
mod lent_servers;
pub(crate) mod memory;
pub(crate) mod query_context;
pub(crate) mod result_cache;
pub(crate) mod serving;
pub(crate) mod trees;
pub(crate) mod workspaces;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use absence::{Absence, no_language, no_project, unconfined};
use ide_protocol::{ErrorCode, IdeError, Reason};
use lent_servers::LentServers;
use result_cache::ResultCache;
use serving::Serving;
use tokio::sync::Mutex;
use workspaces::{LeasedServer, ServerSearch, Use, Workspace, Workspaces};

use super::edits::Previews;
use super::edits::code_action_cache::CodeActionCache;
use super::edits::edit_log::EditLog;
use super::servers::find::config::Config;
use super::servers::find::detect::DetectedLanguages;
use super::servers::find::not_found::{InstallHint, NotFound};
use super::servers::find::project_files::Refusal;
use super::servers::find::projects::Projects;
use super::servers::find::remedies::Remedies;
use super::servers::find::settings::{Settings, WORKSPACE_FILE};
use super::servers::find::{detect, launch, outside_sources, project_files};
use super::servers::run::pool::Pool;
use super::servers::run::server::Server;
use super::servers::run::server_setup::ServerSetup;
use super::source::languages;
use super::source::languages::{Language, RootRule};
use super::trust::level::Level;
use super::trust::store::{AskTrust, TrustDecisions};
use super::workspace::buffers::Buffers;
use super::workspace::index::store::IndexStore;
use super::workspace::session_folders::SessionFolders;
use crate::blocking;
use unpoisoned::lock;

/// The time for which a failed search is cached: a server or project may be installed at any moment.
const DISBELIEF: Duration = Duration::from_secs(5);

/// The time after a session's start in which only requests start work, and the maximum while requests come.
const COURTESY: Duration = Duration::from_millis(100);
const COURTESY_LIMIT: Duration = Duration::from_secs(2);

/// The number of servers started before any request: each may take gigabytes.
pub(super) const STARTED_AT_ONCE: usize = 2;

/// A session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) roots: Arc<SessionFolders>,
    /// The previews of edits that may be applied, of all trees of the session.
    pub(crate) previews: Arc<Previews>,
    /// The code actions that were listed, of all trees.
    pub(crate) offers: Arc<CodeActionCache>,
    /// The edits that the agent made, in all trees.
    pub(crate) edit_log: Arc<EditLog>,
    /// The cached results.
    pub(crate) answers: ResultCache,
    /// A lock for writing files, in all trees.
    pub(crate) writing: Arc<Mutex<()>>,
    config: Config,
    trusts: Arc<TrustDecisions>,
    /// The way to ask the user for trust, if there is one.
    ask_trust: Arc<OnceLock<AskTrust>>,
    /// A reference to this session, for the task that awaits the user's answer.
    weak_self: Weak<Self>,
    pool: Arc<Pool>,
    workspaces: Arc<Workspaces>,
    /// The languages and servers found for the folders at the present level of trust.
    found: std::sync::Mutex<Use>,
    /// The languages whose install command an answer has mentioned.
    install_hints: std::sync::Mutex<HashSet<&'static str>>,
    /// `true` once an answer has said that the workspace is restricted.
    is_reserved: AtomicBool,
    /// The questions that were answered by lists of text while a server loaded.
    text_lists: std::sync::Mutex<HashSet<String>>,
    /// The servers that the editor lends.
    lent_servers: LentServers,
}

impl Session {
    /// Creates the session of an own tree without detecting anything.
    pub(crate) fn new(
        roots: Vec<PathBuf>,
        config: Config,
        trusts: Arc<TrustDecisions>,
        (pool, workspaces): (Arc<Pool>, Arc<Workspaces>),
        buffers: Buffers,
    ) -> Arc<Self> {
        let roots = SessionFolders::new(roots).with_buffers(buffers).with_trust(Arc::clone(&trusts));
        let found = workspaces.of(roots.folders(), trusts.level(roots.folders()), &config);
        let workspace = &found.workspace;
        let roots = roots.with_indexes(workspace.index.clone(), workspace.words.clone());
        Arc::new_cyclic(|weak_self| Self {
            roots: Arc::new(roots),
            previews: Arc::default(),
            offers: Arc::default(),
            edit_log: Arc::default(),
            answers: ResultCache::new(config.cache_lookups.clone()),
            writing: Arc::default(),
            config,
            trusts,
            ask_trust: Arc::default(),
            weak_self: Weak::clone(weak_self),
            pool,
            workspaces,
            found: std::sync::Mutex::new(found),
            install_hints: std::sync::Mutex::default(),
            is_reserved: AtomicBool::new(false),
            text_lists: std::sync::Mutex::default(),
            lent_servers: LentServers::default(),
        })
    }

    /// Creates the session of other trees, with the same decisions, previews and ways to ask, and servers of its own.
    pub(crate) fn of_trees(&self, folders: Vec<PathBuf>) -> Arc<Self> {
        let found = self.workspaces.of(&folders, self.level(), &self.config);
        let workspace = &found.workspace;
        let roots = self.roots.of_other_trees(folders);
        let roots = Arc::new(roots.with_indexes(workspace.index.clone(), workspace.words.clone()));
        Arc::new_cyclic(|weak_self| Self {
            roots,
            previews: Arc::clone(&self.previews),
            offers: Arc::clone(&self.offers),
            edit_log: Arc::clone(&self.edit_log),
            answers: ResultCache::new(self.config.cache_lookups.clone()),
            writing: Arc::clone(&self.writing),
            config: self.config.clone(),
            trusts: Arc::clone(&self.trusts),
            ask_trust: Arc::clone(&self.ask_trust),
            weak_self: Weak::clone(weak_self),
            pool: Arc::clone(&self.pool),
            workspaces: Arc::clone(&self.workspaces),
            found: std::sync::Mutex::new(found),
            install_hints: std::sync::Mutex::default(),
            is_reserved: AtomicBool::new(false),
            text_lists: std::sync::Mutex::default(),
            lent_servers: LentServers::default(),
        })
    }

    /// Returns the time that a server gets to load before the syntax answers.
    pub(crate) fn head_start(&self) -> Duration {
        self.config.head_start
    }

    /// Returns the executable that writes the changes of several files.
    pub(crate) fn program(&self) -> &Path {
        &self.config.supervisor
    }

    /// Starts the servers of the largest languages; none if the user refused to trust the workspace.
    pub(crate) async fn start(&self) {
        self.yield_to_requests().await;
        let known = lock(&self.workspace().detected).is_some();
        // What an earlier session found may have changed.
        let detected = if known { self.detect_languages().await } else { self.known_languages().await };
        let largest: Vec<_> =
            detected.languages().into_iter().filter(|it| it.is_code).take(STARTED_AT_ONCE).collect();
        let syntaxes: Vec<_> = largest.iter().filter_map(|it| it.syntax()).collect();
        // A question that no server answers may come.
        drop(blocking::spawn(move || syntaxes.into_iter().for_each(syntax::Language::prepare)));
        if self.trusts.is_refused(self.roots.roots()) {
            tracing::info!(
                "no language server is started before a question: the user refused to trust the workspace"
            );
            return;
        }
        if !self.pool.has_room() {
            tracing::info!(
                "no language server is started before a question: those that run take all memory they may"
            );
            return;
        }
        for language in largest {
            if let Err(absence) = self.server(language).await {
                tracing::info!(language = language.name, %absence, "no language server");
            }
        }
    }

    /// Waits until the first requests of the session have passed; they start their servers themselves.
    async fn yield_to_requests(&self) {
        // One has the session's name, one has what calls this; every question has one.
        const IDLE: usize = 2;
        let began = Instant::now();
        loop {
            tokio::time::sleep(COURTESY).await;
            if self.weak_self.strong_count() <= IDLE || began.elapsed() >= COURTESY_LIMIT {
                return;
            }
        }
    }

    /// Returns the languages of the folders, those with most files first.
    pub(crate) async fn languages(&self) -> Vec<&'static Language> {
        self.known_languages().await.languages()
    }

    /// Returns what is found for the folders at the present level of trust.
    fn workspace(&self) -> Arc<Workspace> {
        let level = self.level();
        let mut found = lock(&self.found);
        if found.workspace.level != level {
            let now = self.workspaces.of(self.roots.folders(), level, &self.config);
            // The old server does not fit the level any more.
            std::mem::replace(&mut *found, now).leave();
        }
        Arc::clone(&found.workspace)
    }

    /// Returns the last detected languages. Waits for a first detection that is under way.
    async fn known_languages(&self) -> Arc<DetectedLanguages> {
        let workspace = self.workspace();
        let _detection = workspace.detection.lock().await;
        let known = lock(&workspace.detected).clone();
        match known {
            Some(known) => known,
            None => self.detect_languages().await,
        }
    }

    /// Returns the error for a workspace without a known language.
    pub(crate) async fn no_language(&self) -> IdeError {
        no_language(self.detect_languages().await.as_ref())
    }

    /// Returns the server of a language; the first call finds and starts it.
    ///
    /// # Errors
    /// There is none, with the reason.
    pub(crate) async fn server(&self, language: &'static Language) -> Result<Serving, IdeError> {
        self.server_in(&self.workspace(), language).await
    }

    async fn server_in(
        &self,
        workspace: &Workspace,
        language: &'static Language,
    ) -> Result<Serving, IdeError> {
        let mut found = workspace.searches[language.id].lock().await;
        let is_known = found.as_ref().is_some_and(|it| it.outcome.is_ok() || it.at.elapsed() < DISBELIEF);
        if !is_known {
            *found = Some(self.find(language, workspace.level).await);
        }
        let serving = match found.as_ref().map(|it| &it.outcome) {
            Some(Ok(LeasedServer { lease, left_out, unknown })) => {
                Serving { server: Arc::clone(&lease.server), left_out: left_out.clone(), unknown: *unknown }
            }
            Some(Err(absence)) => return Err(absence.clone()),
            None => unreachable!("it was found just now, or not"),
        };
        drop(found);
        self.allow_sources_of(&serving.server).await;
        Ok(serving)
    }

    /// Makes the libraries readable that come with a server.
    async fn allow_sources_of(&self, server: &Arc<Server>) {
        if self.roots.allows_installation(&server.setup.launch.program) {
            return;
        }
        let (server, roots) = (Arc::clone(server), Arc::clone(&self.roots));
        let allowing = blocking::spawn(move || {
            roots.allow_installation(&server.setup.launch.program);
            let confinement = server.setup.launch.environment.confinement();
            let made = confinement.iter().flat_map(|it| it.made_sources());
            made.for_each(|it| roots.allow_made_sources(&it));
        });
        allowing.await;
    }

    /// Returns the server of a language for a request. Asks the user for trust in the background where that
    /// would improve answers.
    ///
    /// # Errors
    /// As [`Session::server`].
    pub(crate) async fn serving(&self, language: &'static Language) -> Result<Serving, IdeError> {
        let workspace = self.workspace();
        let serving = self.server_in(&workspace, language).await;
        let gains = workspace.searches[language.id].lock().await.as_ref().is_some_and(|it| it.gains);
        let denial = serving.as_ref().ok().and_then(|it| it.server.denial());
        if gains || denial.is_some() {
            self.ask_for_trust(denial.or_else(|| self.ignored_settings()));
        }
        serving
    }

    /// Returns `true` while the server of a language is looked for, starts or loads.
    pub(crate) fn is_loading(&self, language: &'static Language) -> bool {
        let workspace = self.workspace();
        let Ok(found) = workspace.searches[language.id].try_lock() else { return true };
        found.as_ref().is_none_or(|it| it.outcome.as_ref().is_ok_and(|it| it.lease.server.is_loading()))
    }

    /// Returns `true` at the first call with this question, which a list of text answers while a server loads.
    pub(crate) fn is_first_list(&self, question: String) -> bool {
        lock(&self.text_lists).insert(question)
    }

    /// Returns the install command of a language's missing server, at the first call only.
    pub(crate) fn install_hint(&self, language: &'static Language) -> Option<&'static str> {
        let install = self.workspace().searches[language.id].try_lock().ok()?.as_ref()?.install?;
        let mut shown = lock(&self.install_hints);
        shown.insert(language.id).then_some(install)
    }

    /// Returns the way to ask the user for trust, if there is one.
    pub(crate) fn ask_trust(&self) -> Option<&AskTrust> {
        self.ask_trust.get()
    }

    /// Sets the way to ask the user for trust.
    pub(crate) fn ask_trust_with(&self, ask: AskTrust) {
        let _first_counts = self.ask_trust.set(ask);
    }

    /// Returns what a server cannot know in a restricted workspace, if the workspace has such code.
    pub(crate) fn reservation(&self, serving: &Serving) -> Option<Reason> {
        Some(Reason::Restricted {
            server: serving.server.name().to_owned(),
            knows: serving.unknown?.to_owned(),
            is_asking: self.trusts.is_asked(self.roots.roots()),
        })
    }

    /// Returns `true` at the first call, for the answer that tells of the whole workspace.
    pub(crate) fn is_first_reserved(&self) -> bool {
        !self.is_reserved.swap(true, Ordering::Relaxed)
    }

    fn level(&self) -> Level {
        self.trusts.level(self.roots.roots())
    }

    /// Returns a sentence on workspace settings that are ignored in a confined workspace, if there are any.
    fn ignored_settings(&self) -> Option<String> {
        let folder = self.roots.folders().first().filter(|it| has_settings(it))?;
        let is_confined = self.level() == Level::Confined;
        is_confined.then(|| format!("the settings in {} do not count", folder.join(WORKSPACE_FILE).display()))
    }

    /// Asks the user in the background whether to trust the workspace; `denial` is the current obstacle.
    fn ask_for_trust(&self, denial: Option<String>) {
        let folders = self.roots.roots();
        let Some(ask) = self.ask_trust.get().filter(|_| self.trusts.start_asking(folders)) else { return };
        let (answer, folders) = (ask.ask(folders, denial.as_deref()), folders.to_vec());
        let (trusts, weak_self, before) =
            (Arc::clone(&self.trusts), Weak::clone(&self.weak_self), self.workspace());
        tokio::spawn(async move {
            trusts.record_answer(&folders, answer.await);
            if let Some(session) = weak_self.upgrade().filter(|it| it.level() != before.level) {
                session.search_all_again(&before).await;
            }
        });
    }

    /// Searches servers again after the level changed.
    async fn search_all_again(&self, before: &Workspace) {
        for language in languages::rows() {
            if before.searches[language.id].lock().await.is_some() {
                let _absence = self.server(language).await;
            }
        }
    }

    /// Searches a language's server again, because a project was added or removed. A server with the same
    /// projects goes on.
    pub(crate) async fn search_again(&self, language: &'static Language) {
        let Some(session) = self.weak_self.upgrade() else { return };
        // It runs to its end even if the future is dropped: no other request would search again.
        let search = tokio::spawn(async move {
            let workspace = session.workspace();
            let mut found = workspace.searches[language.id].lock().await;
            // The old lease is given back only after the new one was taken.
            *found = Some(session.find(language, workspace.level).await);
        });
        let _runtime_ends = search.await;
    }

    /// Replaces a failed server by another; if there is none, the failed one stays. Returns `true` if a retry
    /// makes sense.
    pub(crate) async fn replace(&self, language: &'static Language, server: &Arc<Server>) -> bool {
        let Some(reason) = server.unfit() else { return false };
        let workspace = self.workspace();
        let mut found = workspace.searches[language.id].lock().await;
        let is_server = |found: &ServerSearch| {
            found.outcome.as_ref().is_ok_and(|it| Arc::ptr_eq(&it.lease.server, server))
        };
        if !found.as_ref().is_some_and(is_server) {
            return true;
        }
        let (program, unfit) = (&server.setup.launch.program, &workspace.unfit);
        unfit.add(program, reason.clone());
        let next = self.find(language, workspace.level).await;
        if next.outcome.is_ok() && !is_server(&next) {
            tracing::warn!(server = server.name(), reason, "another language server takes over");
            *found = Some(next);
        } else {
            unfit.forgive(program);
            server.set_unfit(None);
        }
        true
    }

    /// Detects the languages of the folders.
    async fn detect_languages(&self) -> Arc<DetectedLanguages> {
        let folders = self.roots.folders().to_vec();
        let detected = Arc::new(blocking::spawn(move || detect::languages(&folders)).await);
        *lock(&self.workspace().detected) = Some(Arc::clone(&detected));
        detected
    }

    async fn find(&self, language: &'static Language, level: Level) -> ServerSearch {
        let config = Config { level: Some(level), ..self.config.clone() };
        let outcome = self.setup(language, &config, level).await;
        let is_unheard =
            || level != Level::Trusted && self.roots.folders().first().is_some_and(|it| has_settings(it));
        let gains = match &outcome {
            Ok((setup, _)) => setup.gains_by_trust() || is_unheard(),
            Err(Absence { lacks_trust, .. }) => *lacks_trust || is_unheard(),
        };
        let install = outcome.as_ref().err().and_then(|it| it.install);
        let outcome = match outcome {
            Ok((setup, left_out)) => Ok(self.take(language, setup, left_out).await),
            Err(absence) => Err(absence.error),
        };
        ServerSearch { at: Instant::now(), gains, install, outcome }
    }

    /// Leases the server, and determines its limits while it starts.
    async fn take(
        &self,
        language: &'static Language,
        setup: ServerSetup,
        left_out: Vec<Reason>,
    ) -> LeasedServer {
        let lease = self.pool.lease(setup, self.config.linger);
        let detected = self.known_languages().await;
        let server = Arc::clone(&lease.server);
        let look = blocking::spawn(move || {
            let manifests: Vec<_> = detected.markers_of(language).cloned().collect();
            server.setup.unknown(&manifests)
        });
        LeasedServer { lease, left_out, unknown: look.await }
    }

    async fn setup(
        &self,
        language: &'static Language,
        config: &Config,
        level: Level,
    ) -> Result<(ServerSetup, Vec<Reason>), Absence> {
        let (folders, workspace) = (self.roots.folders(), self.workspace());
        let settings = settings(config, folders)?;
        let (setting, unfit) = (settings.for_language(language), &workspace.unfit);
        let found = launch::find(language, &setting, folders, (level, config), unfit);
        let mut launch = found.await.map_err(|absence| self.not_installed(&absence))?;
        if level == Level::Confined {
            launch.confine(language, folders, config).await.map_err(unconfined)?;
        } else {
            launch.environment.inherit(config.environment.clone());
        }
        let detected = self.detect_languages().await;
        let mut projects = detect::projects(language, &detected, folders, &launch.environment).await;
        if level == Level::Restricted {
            let review = project_files::review(language, &mut projects, folders);
            if review.wants_credentials {
                launch.environment.go_offline();
            }
            if let Some(refusal) = review.refusal().filter(|_| projects.manifests.is_empty()) {
                return Err(self.refused(launch.server.name, refusal));
            }
        }
        let Projects { manifests, folders, left_out, anchors, args } = projects;
        if manifests.is_empty() && language.root == RootRule::CargoWorkspace {
            return Err(no_project(language).into());
        }
        launch.args.extend(args);
        let (all, own, roots) = (manifests.clone(), folders.clone(), Arc::clone(&self.roots));
        let look = blocking::spawn(move || {
            let beside = outside_sources::find(language, &all, &own, |it| roots.is_of_toolchain(it));
            (beside, Arc::new(Remedies::find(language, &own, &all)))
        });
        let (beside, remedies) = look.await;
        let left_out = left_out.into_iter().chain(beside.left_out.iter().cloned()).collect();
        let setup = ServerSetup {
            beside,
            language,
            launch,
            supervisor: config.supervisor.clone(),
            projects: manifests,
            folders,
            anchors,
            level,
            health: config.health.with_memory(settings.memory_percent),
            stillness: config.stillness,
            times: config.index_store.as_ref().map(IndexStore::loading_times),
            remedies,
            switched_off: config.switched_off.clone(),
        };
        Ok((setup, left_out))
    }

    /// Returns the error of a server that is not started because it could run code of the workspace.
    fn refused(&self, server: &str, refusal: &Refusal) -> Absence {
        let message = format!("{server} is not started, the workspace is restricted: {refusal}");
        let error = IdeError::new(ErrorCode::Unavailable, message).recovery(self.how_to_trust());
        Absence { error, lacks_trust: true, install: None }
    }

    fn how_to_trust(&self) -> &'static str {
        match self.ask_trust.get() {
            Some(_) => {
                "It starts when the user, who is asked, trusts the workspace. `search` and `lines` work."
            }
            None => {
                "It starts where there is a wall, or the user trusts the workspace (`--trust`). `search` and `lines` work."
            }
        }
    }

    fn not_installed(&self, absence: &NotFound) -> Absence {
        let lacks_trust = absence.remedy == InstallHint::Trust;
        let advice = match absence.remedy {
            InstallHint::Install(unpacking) if unpacking.starts_with("unpack ") => {
                format!("Install it: {unpacking}, and ask again. Meanwhile `search` and `lines` work.")
            }
            InstallHint::Install(command) => {
                format!("Install it with `{command}` and ask again. Meanwhile `search` and `lines` work.")
            }
            InstallHint::Trust => self.how_to_trust().into(),
            InstallHint::Configure => {
                "`search` and `lines` work; `dialect doctor` shows what is configured.".into()
            }
        };
        let error = IdeError::new(ErrorCode::Unavailable, absence.to_string()).recovery(advice);
        let install = match absence.remedy {
            InstallHint::Install(command) => Some(command),
            InstallHint::Trust | InstallHint::Configure => None,
        };
        Absence { error, lacks_trust, install }
    }
}

/// Returns `true` if a workspace has settings of its own, which need trust.
fn has_settings(folder: &Path) -> bool {
    folder.join(WORKSPACE_FILE).is_file()
}

fn settings(config: &Config, folders: &[PathBuf]) -> Result<Settings, IdeError> {
    config.settings(folders).map_err(|error| {
        let advice = "Correct the file and ask again; `dialect doctor` reads it too.";
        IdeError::new(ErrorCode::Unavailable, error.to_string()).recovery(advice)
    })
}
