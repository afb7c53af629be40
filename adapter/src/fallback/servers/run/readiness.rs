//! Readiness of a server: a state machine over its signals, without clocks and sockets.
//!
//! While they load, servers answer "nothing" with success. So a request waits for [`Phase::Ready`], and the
//! waiting user sees what the server does.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::fallback::source::languages::ReadyRule;

/// The time a server may take to start reloading after a manifest changed.
const RELOAD_GRACE: Duration = Duration::from_secs(3);

/// The time it may take to start loading at all; it may have nothing to load.
const FIRST_GRACE: Duration = Duration::from_secs(10);

/// The phase of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It is being started, or soon will be.
    Starting,
    /// It loads the project.
    Loading(LoadingStep),
    /// Its answers count, with its complaint about the project if it has one.
    Ready(Option<Complaint>),
    /// It ended and will be restarted, with the reason.
    Gone(String),
    /// It ended too often and is not restarted, with the reason.
    GivenUp(String),
}

/// The current step of a loading server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LoadingStep {
    /// Its message, as in `cargo metadata: started`; empty before the first one.
    pub(crate) message: String,
    /// The progress in percent, if reported.
    pub(crate) percentage: Option<u32>,
}

/// A problem with the project that the server reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// `true` if the project could not be loaded at all.
    pub(crate) fatal: bool,
    /// The server's message.
    pub(crate) message: String,
}

/// An event in the life of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// It is being started.
    Spawned,
    /// It answered `initialize`.
    Initialized,
    /// `experimental/serverStatus`.
    Status { quiescent: bool, health: Health, message: Option<String> },
    /// `$/progress` started or continued.
    Progress { token: String, message: Option<String>, percentage: Option<u32> },
    /// A line of its log.
    Log { line: String },
    /// `$/progress` ended.
    ProgressEnded { token: String },
    /// A manifest changed and the server was notified: it will reload.
    ManifestChanged,
    /// The server had the time to start to load or reload, and did not.
    Settled,
    /// Its process ended or its connection broke.
    Ended { reason: String },
    /// It ended too often.
    GivenUp { reason: String },
}

/// The health that a server reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    Ok,
    Warning,
    Error,
}

/// The state machine.
#[derive(Clone, Debug)]
pub(crate) struct Readiness {
    rule: ReadyRule,
    /// The number of folders that it loads; some servers report each.
    n_folders: usize,
    /// The number of folders reported as loaded.
    n_told: usize,
    life: LifeStage,
    /// The progress under way, by token.
    active: BTreeMap<String, LoadingStep>,
    /// `true` if loading has ended once in this process.
    loaded: bool,
    quiescent: bool,
    complaint: Option<Complaint>,
    /// `true` if a manifest changed and the server has not started to reload.
    stale: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum LifeStage {
    Starting,
    Alive,
    Gone(String),
    GivenUp(String),
}

impl Readiness {
    /// Starts with a server that is not running yet.
    pub(crate) fn new(rule: ReadyRule, n_folders: usize) -> Self {
        let says_quiescent = matches!(rule, ReadyRule::ServerStatus { .. });
        Self {
            rule,
            n_folders,
            n_told: 0,
            life: LifeStage::Starting,
            active: BTreeMap::new(),
            loaded: rule == ReadyRule::Holds,
            quiescent: !says_quiescent,
            complaint: None,
            stale: false,
        }
    }

    /// Applies a signal.
    pub(crate) fn handle(&mut self, signal: Signal) {
        match signal {
            Signal::Spawned => *self = Self::new(self.rule, self.n_folders),
            Signal::Initialized => self.life = LifeStage::Alive,
            Signal::Status { quiescent, health, message } => self.status(quiescent, health, message),
            Signal::Progress { token, message, percentage } => self.progress(token, message, percentage),
            Signal::ProgressEnded { token } => {
                self.active.remove(&token);
                self.loaded |= self.is_loading(&token);
            }
            Signal::Log { line } => self.log(&line),
            // One that holds questions holds them until it has loaded anew.
            Signal::ManifestChanged => self.stale = self.rule != ReadyRule::Holds,
            Signal::Settled => {
                self.stale = false;
                self.loaded = true;
            }
            Signal::Ended { reason } => self.life = LifeStage::Gone(reason),
            Signal::GivenUp { reason } => self.life = LifeStage::GivenUp(reason),
        }
    }

    /// Returns the current phase.
    pub(crate) fn phase(&self) -> Phase {
        match &self.life {
            LifeStage::Starting => Phase::Starting,
            LifeStage::Gone(reason) => Phase::Gone(reason.clone()),
            LifeStage::GivenUp(reason) => Phase::GivenUp(reason.clone()),
            LifeStage::Alive if self.is_ready() => Phase::Ready(self.complaint.clone()),
            LifeStage::Alive => Phase::Loading(self.step()),
        }
    }

    /// Returns `true` if the server is only assumed to load: because a manifest changed, or because servers
    /// of its kind do.
    pub(crate) fn may_have_settled(&self) -> bool {
        let may_have_nothing_to_do = matches!(self.rule, ReadyRule::Progress(_) | ReadyRule::Logs(_))
            && self.life == LifeStage::Alive
            && !self.active.keys().any(|it| self.is_loading(it));
        self.stale && self.quiescent || !self.loaded && may_have_nothing_to_do
    }

    /// Returns the time without signals after which the server is probed, and then counts as settled.
    pub(crate) fn grace(&self) -> Duration {
        match self.rule {
            _ if self.loaded => RELOAD_GRACE,
            ReadyRule::Logs(_) => 3 * FIRST_GRACE,
            _ => FIRST_GRACE,
        }
    }

    fn is_ready(&self) -> bool {
        let busy = self.active.keys().any(|it| self.is_loading(it));
        self.loaded && self.quiescent && !busy && !self.stale
    }

    fn status(&mut self, quiescent: bool, health: Health, message: Option<String>) {
        // Having begun, it will say when it is done.
        self.stale &= quiescent;
        self.quiescent = quiescent;
        self.complaint = (health != Health::Ok).then(|| Complaint {
            fatal: health == Health::Error,
            message: message.unwrap_or_else(|| "it does not say what is wrong".into()),
        });
    }

    fn progress(&mut self, token: String, message: Option<String>, percentage: Option<u32>) {
        if self.is_loading(&token) {
            self.stale = false;
        }
        let step = self.active.entry(token).or_default();
        if let Some(message) = message {
            step.message = message;
        }
        step.percentage = percentage.or(step.percentage);
    }

    fn log(&mut self, line: &str) {
        if let ReadyRule::Logs(texts) = self.rule
            && texts.iter().any(|it| line.contains(it))
        {
            self.n_told += 1;
            self.loaded |= self.n_told >= self.n_folders;
            self.stale = false;
        }
    }

    fn is_loading(&self, token: &str) -> bool {
        match self.rule {
            ReadyRule::ServerStatus { loading } => loading.contains(&token),
            ReadyRule::Progress(loading) => loading == token,
            ReadyRule::Holds | ReadyRule::Logs(_) => false,
        }
    }

    fn step(&self) -> LoadingStep {
        // Before any progress is reported, the step is empty.
        self.active.values().next_back().cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    const RULE: ReadyRule = ReadyRule::ServerStatus { loading: &["Fetching"] };

    fn status(quiescent: bool, health: Health) -> Signal {
        Signal::Status { quiescent, health, message: (health != Health::Ok).then(|| "broken".into()) }
    }

    fn progress(token: &str, message: &str) -> Signal {
        Signal::Progress { token: token.into(), message: Some(message.into()), percentage: Some(50) }
    }

    fn ended(token: &str) -> Signal {
        Signal::ProgressEnded { token: token.into() }
    }

    /// Compares the phase after each signal.
    fn check(signals: Vec<Signal>, expected: Expect) {
        let mut readiness = Readiness::new(RULE, 1);
        let phases: Vec<_> = signals
            .into_iter()
            .map(|it| {
                readiness.handle(it);
                format!("{:?}", readiness.phase())
            })
            .collect();
        expected.assert_eq(&phases.join("\n"));
    }

    fn loaded() -> Vec<Signal> {
        vec![
            Signal::Initialized,
            status(false, Health::Ok),
            progress("Fetching", "metadata"),
            ended("Fetching"),
            status(true, Health::Ok),
        ]
    }

    #[test]
    fn ready_means_loaded_and_quiescent() {
        check(
            loaded(),
            expect![[r#"
            Loading(LoadingStep { message: "", percentage: None })
            Loading(LoadingStep { message: "", percentage: None })
            Loading(LoadingStep { message: "metadata", percentage: Some(50) })
            Loading(LoadingStep { message: "", percentage: None })
            Ready(None)"#]],
        );
    }

    #[test]
    fn quiescence_before_the_first_load_is_none() {
        check(
            vec![Signal::Initialized, status(true, Health::Ok)],
            expect![[r#"
            Loading(LoadingStep { message: "", percentage: None })
            Loading(LoadingStep { message: "", percentage: None })"#]],
        );
    }

    #[test]
    fn other_progress_is_told_but_does_not_count() {
        let index = vec![progress("Indexing", "3/7"), ended("Indexing")];
        check(
            [loaded(), index].concat(),
            expect![[r#"
            Loading(LoadingStep { message: "", percentage: None })
            Loading(LoadingStep { message: "", percentage: None })
            Loading(LoadingStep { message: "metadata", percentage: Some(50) })
            Loading(LoadingStep { message: "", percentage: None })
            Ready(None)
            Ready(None)
            Ready(None)"#]],
        );
    }

    #[test]
    fn a_changed_manifest_waits_for_the_next_load() {
        let again = vec![
            Signal::ManifestChanged,
            status(false, Health::Ok),
            progress("Fetching", "metadata"),
            ended("Fetching"),
            status(true, Health::Error),
        ];
        check(
            [loaded(), again].concat(),
            expect![[r#"
            Loading(LoadingStep { message: "", percentage: None })
            Loading(LoadingStep { message: "", percentage: None })
            Loading(LoadingStep { message: "metadata", percentage: Some(50) })
            Loading(LoadingStep { message: "", percentage: None })
            Ready(None)
            Loading(LoadingStep { message: "", percentage: None })
            Loading(LoadingStep { message: "", percentage: None })
            Loading(LoadingStep { message: "metadata", percentage: Some(50) })
            Loading(LoadingStep { message: "", percentage: None })
            Ready(Some(Complaint { fatal: true, message: "broken" }))"#]],
        );
        check(
            [loaded(), vec![Signal::ManifestChanged, Signal::Settled]].concat(),
            expect![[r#"
            Loading(LoadingStep { message: "", percentage: None })
            Loading(LoadingStep { message: "", percentage: None })
            Loading(LoadingStep { message: "metadata", percentage: Some(50) })
            Loading(LoadingStep { message: "", percentage: None })
            Ready(None)
            Loading(LoadingStep { message: "", percentage: None })
            Ready(None)"#]],
        );
    }

    #[test]
    fn a_new_life_starts_from_nothing() {
        let death = vec![Signal::Ended { reason: "killed".into() }, Signal::Spawned, Signal::Initialized];
        check(
            [loaded(), death].concat(),
            expect![[r#"
            Loading(LoadingStep { message: "", percentage: None })
            Loading(LoadingStep { message: "", percentage: None })
            Loading(LoadingStep { message: "metadata", percentage: Some(50) })
            Loading(LoadingStep { message: "", percentage: None })
            Ready(None)
            Gone("killed")
            Starting
            Loading(LoadingStep { message: "", percentage: None })"#]],
        );
    }
}
