//! One session: its folders, and the servers found for what they hold.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ide_protocol::{ErrorCode, IdeError};
use tokio::sync::Mutex;

use super::Config;
use super::detect::{self, Census, Projects};
use super::languages::{self, Language};
use super::launch::{self, Launch, NotFound};
use super::life::Setup;
use super::pool::{Lease, Pool};
use super::roots::Roots;
use super::server::Server;

/// How long "there is none" is believed: somebody may be installing a server or creating a project right now.
const DISBELIEF: Duration = Duration::from_secs(5);

/// One session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) roots: Arc<Roots>,
    config: Config,
    pool: Arc<Pool>,
    found: Mutex<Option<Found>>,
}

#[derive(Debug)]
struct Found {
    at: Instant,
    leases: Vec<Lease>,
    /// Projects that were left out, for a note.
    left_out: Vec<String>,
    /// Why there is no server, when there is none.
    absence: Option<IdeError>,
}

/// The servers of a session.
#[derive(Clone, Debug)]
pub(crate) struct Servers {
    /// The one of the language with most files first.
    pub(crate) all: Vec<Arc<Server>>,
    pub(crate) left_out: Vec<String>,
}

impl Session {
    /// Looks at nothing yet.
    pub(crate) fn new(roots: Vec<PathBuf>, config: Config, pool: Arc<Pool>) -> Self {
        Self { roots: Arc::new(Roots::new(roots)), config, pool, found: Mutex::default() }
    }

    /// The servers for what the folders hold, found and started at the first call.
    ///
    /// # Errors
    /// There is none, and why.
    pub(crate) async fn servers(&self) -> Result<Servers, IdeError> {
        let mut found = self.found.lock().await;
        let is_known = found.as_ref().is_some_and(|it| it.absence.is_none() || it.at.elapsed() < DISBELIEF);
        if !is_known {
            *found = Some(self.find().await);
        }
        match &*found {
            Some(Found { absence: Some(absence), .. }) => Err(absence.clone()),
            Some(found) => Ok(Servers {
                all: found.leases.iter().map(|it| Arc::clone(&it.server)).collect(),
                left_out: found.left_out.clone(),
            }),
            None => Ok(Servers { all: Vec::new(), left_out: Vec::new() }),
        }
    }

    /// Looks again: a project came or went. Servers whose projects are the same go on.
    pub(crate) async fn look_again(&self) {
        let mut found = self.found.lock().await;
        // The old leases are given back only after the new ones were taken.
        *found = Some(self.find().await);
    }

    async fn find(&self) -> Found {
        let folders = self.roots.folders().to_vec();
        let census = tokio::task::spawn_blocking({
            let folders = folders.clone();
            move || detect::census(&folders)
        });
        let census = census.await.unwrap_or_default();
        let mut found = Found { at: Instant::now(), leases: Vec::new(), left_out: Vec::new(), absence: None };
        let mut absences = Vec::new();
        for language in census.languages() {
            match self.setup(language, &census, &folders).await {
                Ok((setup, left_out)) => {
                    found.leases.push(self.pool.lease(setup));
                    found.left_out.extend(left_out);
                }
                Err(absence) => absences.push(absence),
            }
        }
        if found.leases.is_empty() {
            found.absence = Some(absences.into_iter().next().unwrap_or_else(|| no_language(&census)));
        }
        found
    }

    async fn setup(
        &self,
        language: &'static Language,
        census: &Census,
        folders: &[PathBuf],
    ) -> Result<(Setup, Vec<String>), IdeError> {
        let mut launch = launch(&self.config, language, folders).await.map_err(|it| not_installed(&it))?;
        let Projects { manifests, folders, left_out } =
            detect::projects(language, census, folders, &launch.environment).await;
        if !self.config.trust && detect::asks_for_credentials(&folders) {
            launch.environment.go_offline();
        }
        if manifests.is_empty() {
            return Err(no_project(language));
        }
        let setup = Setup {
            language,
            launch,
            supervisor: self.config.supervisor.clone(),
            projects: manifests,
            folders,
            trust: self.config.trust,
        };
        Ok((setup, left_out))
    }
}

/// The server of a language: the one that was chosen, else the one that is found.
pub(super) async fn launch(
    config: &Config,
    language: &'static Language,
    folders: &[PathBuf],
) -> Result<Launch, NotFound> {
    if let Some(command) = config.servers.get(language.id)
        && let Some(launch) = launch::chosen(command, folders).await
    {
        return Ok(launch);
    }
    launch::find(language, folders).await
}

fn not_installed(absence: &NotFound) -> IdeError {
    let advice =
        format!("Install it with `{}` and ask again. Meanwhile `search` and `lines` work.", absence.install);
    IdeError::new(ErrorCode::Unavailable, absence.to_string()).recovery(advice)
}

fn no_project(language: &Language) -> IdeError {
    let markers = language.markers.join(" or ");
    let message =
        format!("the workspace holds {} files but no project: there is no {markers}", language.name);
    IdeError::new(ErrorCode::Unavailable, message).recovery("`search` and `lines` work.")
}

fn no_language(census: &Census) -> IdeError {
    let there = match census.commonest() {
        kinds if kinds.is_empty() => "no source files were found".to_owned(),
        kinds => format!("the workspace holds {kinds} files"),
    };
    let message = format!(
        "no language server is known for this workspace: {there}; known are those for {}",
        languages::names()
    );
    IdeError::new(ErrorCode::Unavailable, message).recovery("`search` and `lines` work in every workspace.")
}
