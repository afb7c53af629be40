//! The `doctor` report: which servers this machine has for a workspace, and how to get the missing ones.

use std::path::{Path, PathBuf};

use super::servers::find::config::Config;
use super::servers::find::detect::DetectedLanguages;
use super::servers::find::launch::Launch;
use super::servers::find::not_found::{InstallHint, NotFound};
use super::servers::find::rejected_servers::RejectedServers;
use super::servers::find::settings::{Settings, SettingsError, WORKSPACE_FILE};
use super::servers::find::{detect, launch, project_files};
use super::session::STARTED_AT_ONCE;
use super::source::languages;
use super::source::languages::Language;
use super::trust::level::Level;
use super::trust::store::TrustDecisions;
use crate::blocking;

/// The report on this machine and some folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The languages of the folders, the largest first.
    pub languages: Vec<LanguageReport>,
    /// The trust level of the folders with its reason, in a sentence, and the wall's mechanisms.
    pub level: String,
    /// A note on the settings, if there is one.
    pub settings: Option<String>,
}

/// The report on one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageReport {
    /// The language's name.
    pub language: &'static str,
    /// The number of its files in the folders.
    pub files: usize,
    /// `true` if its server starts with a session; the others start with the first request.
    pub starts: bool,
    /// The manifests of its projects.
    pub projects: Vec<PathBuf>,
    /// The projects or files that were left out, one sentence each.
    pub notes: Vec<String>,
    /// `true` if its syntax is known: without a server, definitions and references are then answered from it,
    /// less exactly.
    pub has_syntax: bool,
    /// Its server, or the reason why there is none.
    pub server: Result<ServerReport, MissingServer>,
}

/// A server that was found and answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerReport {
    /// Its name.
    pub name: &'static str,
    /// Its executable.
    pub path: PathBuf,
    /// The version that it prints.
    pub version: String,
    /// The preferred servers that are missing or do not work.
    pub passed_over: Vec<String>,
}

/// A server that is missing or does not start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingServer {
    /// Its name.
    pub name: &'static str,
    /// The attempts and their failures.
    pub reason: String,
    /// The first attempt that failed otherwise than by finding nothing.
    pub trouble: Option<String>,
    /// The command that installs it, or other advice to the user.
    pub remedy: String,
}

/// Examines every language of the folders, without starting a server. Runs nothing of the folders.
pub async fn examine(config: &Config, folders: &[PathBuf]) -> Report {
    let folders: Vec<_> = folders.iter().map(|it| it.canonicalize().unwrap_or_else(|_| it.clone())).collect();
    let (level, said_of_level) = level(config, &folders);
    let config = &Config { level: Some(level), ..config.clone() };
    let detected = blocking::spawn({
        let folders = folders.clone();
        move || detect::languages(&folders)
    });
    let detected = detected.await;
    let (settings, said) = match config.settings(&folders) {
        Ok(settings) => (settings, ignored_settings(config, &folders)),
        Err(error) => (Settings::default(), Some(error.to_string())),
    };
    let present = detected.languages();
    let starting: Vec<_> =
        present.iter().filter(|it| it.is_code).take(STARTED_AT_ONCE).map(|it| it.id).collect();
    let mut languages = Vec::new();
    for language in &present {
        let starts = starting.contains(&language.id);
        languages.push(LanguageReport {
            starts,
            ..report(config, &settings, language, &detected, &folders).await
        });
    }
    Report { languages, level: said_of_level, settings: said }
}

/// Finds this machine's server for a language, by the language's id in settings.
///
/// # Errors
/// There is none, or the settings are invalid.
pub async fn find_server(config: &Config, language: &str) -> Result<ServerReport, MissingServer> {
    let missing = |reason: String| MissingServer { name: "", reason, trouble: None, remedy: String::new() };
    let known = languages::rows().find(|it| it.id == language);
    let language = known.ok_or_else(|| missing(format!("there is no language `{language}`")))?;
    let settings = config.settings(&[]).map_err(|error: SettingsError| missing(error.to_string()))?;
    let found = launch::find(
        language,
        &settings.for_language(language),
        &[],
        (config.settled(), config),
        &RejectedServers::default(),
    )
    .await;
    found.map(server_report).map_err(|it| missing_server(&it))
}

async fn report(
    config: &Config,
    settings: &Settings,
    language: &'static Language,
    detected: &DetectedLanguages,
    folders: &[PathBuf],
) -> LanguageReport {
    let mut report = LanguageReport {
        language: language.name,
        files: detected.files(language),
        starts: false,
        projects: Vec::new(),
        notes: Vec::new(),
        has_syntax: language.has_syntax(),
        server: Err(MissingServer { name: "", reason: String::new(), trouble: None, remedy: String::new() }),
    };
    report.server = match launch::find(
        language,
        &settings.for_language(language),
        folders,
        (config.settled(), config),
        &RejectedServers::default(),
    )
    .await
    {
        Ok(launch) => {
            let mut projects = detect::projects(language, detected, folders, &launch.environment).await;
            if config.settled() == Level::Restricted {
                project_files::review(language, &mut projects, folders);
            }
            report.projects = projects.manifests;
            report.notes = projects.left_out.iter().map(ToString::to_string).collect();
            Ok(server_report(launch))
        }
        Err(absence) => Err(missing_server(&absence)),
    };
    report
}

fn server_report(launch: Launch) -> ServerReport {
    let Launch { server, program, version, passed_over, .. } = launch;
    ServerReport { name: server.name, path: program, version, passed_over }
}

fn missing_server(absence: &NotFound) -> MissingServer {
    let remedy = match absence.remedy {
        InstallHint::Install(command) => command.to_owned(),
        InstallHint::Trust => "it starts where there is a wall, or with `--trust`".to_owned(),
        InstallHint::Configure => "change the settings".to_owned(),
    };
    let trouble = absence.tried.iter().find(|it| !it.ends_with("is in the search path")).cloned();
    MissingServer { name: absence.server, reason: absence.to_string(), trouble, remedy }
}

/// Returns the trust level of the folders, with its reason.
fn level(config: &Config, folders: &[PathBuf]) -> (Level, String) {
    let trusts = TrustDecisions::new(config.level, config.usual_level(), config.trust_store.clone());
    let level = trusts.level(folders);
    let wall = super::servers::find::config::wall();
    let why = match (level, &wall) {
        (Level::Trusted, _) if config.level.is_some() => {
            "for this once, by `--trust`: servers run its code as you".into()
        }
        (Level::Trusted, _) if config.usual_level() == Level::Trusted => {
            "your settings say so of every workspace: servers run its code as you".into()
        }
        (Level::Trusted, _) => {
            "you said so: servers run its code as you; `dialect trust revoke` takes it back".into()
        }
        (Level::Confined, Ok(standing)) => {
            format!("servers run its code behind a wall ({}), so nothing gets out", standing.mechanisms)
        }
        (Level::Confined, Err(absent)) => format!("but there is no wall, so no server starts: {absent}"),
        (Level::Restricted, _) if trusts.is_refused(folders) => {
            "you refused it: servers run no code of it; `dialect trust revoke` takes it back".into()
        }
        (Level::Restricted, _) if config.level.is_some() => {
            "for this once, by `--level`: servers run no code of it".into()
        }
        (Level::Restricted, Err(absent)) => format!(
            "there is no wall here ({absent}), so servers run no code of it; `dialect trust allow` changes that"
        ),
        (Level::Restricted, Ok(_)) => "servers run no code of it; `dialect trust allow` changes that".into(),
    };
    (level, format!("{level}: {why}"))
}

impl Config {
    fn settled(&self) -> Level {
        self.level.unwrap_or_else(|| self.usual_level())
    }
}

/// Returns a note if the workspace's settings are ignored because it is not trusted.
fn ignored_settings(config: &Config, folders: &[PathBuf]) -> Option<String> {
    let file = folders.first().map(|it: &PathBuf| it.join(WORKSPACE_FILE))?;
    let is_unheard = config.level != Some(Level::Trusted) && Path::is_file(&file);
    is_unheard.then(|| {
        format!("`{WORKSPACE_FILE}` is there and is ignored: the workspace is not trusted (`--trust`)")
    })
}
