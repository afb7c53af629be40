//! The setup of a server: its launch, projects and limits.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::fallback::servers::find::config::{Health, SwitchedOff};
use crate::fallback::servers::find::confined::Confinement;
use crate::fallback::servers::find::launch::Launch;
use crate::fallback::servers::find::outside_sources::OutsideSources;
use crate::fallback::servers::find::remedies::Remedies;
use crate::fallback::servers::find::settings;
use crate::fallback::source::languages::{Language, ProjectContext};
use crate::fallback::trust::level::Level;

/// The setup of a server; the same for each of its processes.
#[derive(Clone, Debug)]
pub(crate) struct ServerSetup {
    pub(crate) language: &'static Language,
    pub(crate) launch: Launch,
    /// The supervisor's executable.
    pub(crate) supervisor: PathBuf,
    /// The manifests of its projects.
    pub(crate) projects: Vec<PathBuf>,
    /// The folders of its files.
    pub(crate) folders: BTreeSet<PathBuf>,
    /// The files outside of those folders that manifests name.
    pub(crate) beside: OutsideSources,
    /// The files to open so that it loads their projects.
    pub(crate) anchors: Vec<PathBuf>,
    /// The trust in the workspace.
    pub(crate) level: Level,
    /// The limits at which it is restarted.
    pub(crate) health: Health,
    /// The time without unrequested messages before its replies are cached.
    pub(crate) stillness: Duration,
    /// The folder of the times that servers took to load, if they are kept.
    pub(crate) times: Option<PathBuf>,
    /// The places whose changes it has to be started anew for.
    pub(crate) remedies: Arc<Remedies>,
    /// The corrections of its answers that are switched off.
    pub(crate) switched_off: SwitchedOff,
}

impl ServerSetup {
    /// Returns `true` if it would know more in a trusted workspace.
    pub(crate) fn gains_by_trust(&self) -> bool {
        let options = |level| (self.launch.server.options)(&ProjectContext { level, ..self.ground() });
        let has_more = !self.launch.server.safe_environment.is_empty()
            || options(Level::Trusted) != options(Level::Restricted);
        !self.level.runs_code() && has_more
    }

    /// Returns what it cannot know because the workspace is restricted, if that exists there; blocking.
    pub(crate) fn unknown(&self, manifests: &[PathBuf]) -> Option<&'static str> {
        (self.launch.server.unknown)(&self.ground(), manifests)
    }

    /// Returns the folders whose files are watched: its own, and those that manifests name.
    pub(crate) fn watched(&self) -> BTreeSet<PathBuf> {
        self.folders.union(&self.beside.folders).cloned().collect()
    }

    /// Returns the initialization options: the server's own, merged with the configured ones.
    pub(super) fn options(&self) -> serde_json::Value {
        let Launch { server, options, .. } = &self.launch;
        let ground = self.ground();
        let mut all = (server.options)(&ground);
        settings::merge(&mut all, options.clone());
        all
    }

    fn ground(&self) -> ProjectContext<'_> {
        ProjectContext {
            program: &self.launch.program,
            search_path: self.launch.environment.search_path(),
            projects: &self.projects,
            folders: &self.folders,
            level: self.level,
            target: self.launch.environment.confinement().map(Confinement::target),
        }
    }
}
