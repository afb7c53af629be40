//! What this machine has for a workspace, for people: which servers were found, what is missing, how to get it.

use std::path::PathBuf;

use super::Config;
use super::detect;
use super::languages::LANGUAGES;
use super::session;

/// One language, as far as this machine and some folders go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageReport {
    /// As people call it.
    pub language: &'static str,
    /// How many files of it the folders hold.
    pub files: usize,
    /// The manifests of its projects there.
    pub projects: Vec<PathBuf>,
    /// What was left out, in a sentence each.
    pub notes: Vec<String>,
    /// Its server, or why there is none.
    pub server: Result<ServerReport, MissingServer>,
}

/// A server that was found and answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerReport {
    /// Its name.
    pub name: &'static str,
    /// Its executable.
    pub path: PathBuf,
    /// What it says its version is.
    pub version: String,
}

/// A server that was not found or does not start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingServer {
    /// Its name.
    pub name: &'static str,
    /// What was tried and what came of it.
    pub reason: String,
    /// The command that installs it.
    pub install: &'static str,
}

/// Looks at every known language, without starting a server. Nothing of the folders is run.
pub async fn examine(config: &Config, folders: &[PathBuf]) -> Vec<LanguageReport> {
    let folders: Vec<_> = folders.iter().map(|it| it.canonicalize().unwrap_or_else(|_| it.clone())).collect();
    let census = tokio::task::spawn_blocking({
        let folders = folders.clone();
        move || detect::census(&folders)
    });
    let census = census.await.unwrap_or_default();
    let mut reports = Vec::new();
    for language in LANGUAGES {
        let name = language.server.name;
        let mut report = LanguageReport {
            language: language.name,
            files: census.files(language),
            projects: Vec::new(),
            notes: Vec::new(),
            server: Err(MissingServer { name, reason: String::new(), install: language.server.install }),
        };
        match session::launch(config, language, &folders).await {
            Ok(launch) => {
                let projects = detect::projects(language, &census, &folders, &launch.environment).await;
                report.projects = projects.manifests;
                report.notes = projects.left_out;
                report.server = Ok(ServerReport { name, path: launch.program, version: launch.version });
            }
            Err(absence) => {
                report.server =
                    Err(MissingServer { name, reason: absence.to_string(), install: absence.install });
            }
        }
        reports.push(report);
    }
    reports
}
