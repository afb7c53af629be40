//! What this machine has for a workspace, for people: which servers were found, what is missing, how to get it.

use super::servers::find::config::Config;
use super::servers::find::detect::DetectedLanguages;
use super::servers::find::launch::{InstallHint, Launch, NotFound};
use super::servers::find::rejected_servers::RejectedServers;
use super::servers::find::settings::{Settings, SettingsError, WORKSPACE_FILE};
use super::servers::find::{detect, launch, project_files};
use super::session::STARTED_AT_ONCE;
use super::source::languages;
use super::source::languages::{LANGUAGES, Language};
use super::trust::level::Level;
use super::trust::store::Trusts;
use crate::blocking;
use std::path::{Path, PathBuf};

/// This machine and some folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The languages that the folders hold, the largest first, and what is there for them.
    pub languages: Vec<LanguageReport>,
    /// The languages that they do not hold.
    pub absent: Vec<&'static str>,
    /// How far the folders are trusted and why, in a sentence, and what holds the wall.
    pub level: String,
    /// What is to be said about settings.
    pub settings: Option<String>,
}

/// One language, as far as this machine and some folders go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageReport {
    /// As people call it.
    pub language: &'static str,
    /// How many files of it the folders hold.
    pub files: usize,
    /// Whether its server starts with a session; the others start when they are asked.
    pub starts: bool,
    /// The manifests of its projects there.
    pub projects: Vec<PathBuf>,
    /// What was left out, in a sentence each.
    pub notes: Vec<String>,
    /// Whether its syntax is known: then definitions and references are answered without a server, if less well.
    pub has_syntax: bool,
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
    /// What came before it in the order of preference and is not there or does not work.
    pub passed_over: Vec<String>,
}

/// A server that was not found or does not start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingServer {
    /// Its name.
    pub name: &'static str,
    /// What was tried and what came of it.
    pub reason: String,
    /// What to do about it, in a sentence.
    pub remedy: String,
}

/// Looks at every language that the folders hold, without starting a server. Nothing of the folders is run.
pub async fn examine(config: &Config, folders: &[PathBuf]) -> Report {
    let folders: Vec<_> = folders.iter().map(|it| it.canonicalize().unwrap_or_else(|_| it.clone())).collect();
    let (level, said_of_level) = level(config, &folders);
    let config = &Config { level: Some(level), ..config.clone() };
    let census = blocking::spawn({
        let folders = folders.clone();
        move || detect::census(&folders)
    });
    let census = census.await;
    let (settings, said) = match config.settings(&folders) {
        Ok(settings) => (settings, unheard(config, &folders)),
        Err(error) => (Settings::default(), Some(error.to_string())),
    };
    let present = census.languages();
    let starting: Vec<_> =
        present.iter().filter(|it| it.is_code).take(STARTED_AT_ONCE).map(|it| it.id).collect();
    let mut languages = Vec::new();
    for language in &present {
        let starts = starting.contains(&language.id);
        languages
            .push(LanguageReport { starts, ..report(config, &settings, language, &census, &folders).await });
    }
    let absent = LANGUAGES.iter().filter(|it| !present.iter().any(|other| other.id == it.id));
    Report { languages, absent: absent.map(|it| it.name).collect(), level: said_of_level, settings: said }
}

/// The server that this machine has for a language, by the id that settings know it by.
///
/// # Errors
/// There is none, or the settings cannot be used.
pub async fn find_server(config: &Config, language: &str) -> Result<ServerReport, MissingServer> {
    let missing = |reason: String| MissingServer { name: "", reason, remedy: String::new() };
    let known = languages::rows().find(|it| it.id == language);
    let language = known.ok_or_else(|| missing(format!("there is no language `{language}`")))?;
    let settings = config.settings(&[]).map_err(|error: SettingsError| missing(error.to_string()))?;
    let found =
        launch::find(language, &settings.of(language), &[], config.settled(), &RejectedServers::default())
            .await;
    found.map(server_report).map_err(|it| missing_server(&it))
}

async fn report(
    config: &Config,
    settings: &Settings,
    language: &'static Language,
    census: &DetectedLanguages,
    folders: &[PathBuf],
) -> LanguageReport {
    let mut report = LanguageReport {
        language: language.name,
        files: census.files(language),
        starts: false,
        projects: Vec::new(),
        notes: Vec::new(),
        has_syntax: language.has_syntax(),
        server: Err(MissingServer { name: "", reason: String::new(), remedy: String::new() }),
    };
    report.server = match launch::find(
        language,
        &settings.of(language),
        folders,
        config.settled(),
        &RejectedServers::default(),
    )
    .await
    {
        Ok(launch) => {
            let mut projects = detect::projects(language, census, folders, &launch.environment).await;
            if config.settled() == Level::Restricted {
                project_files::review(language, &mut projects, folders);
            }
            report.projects = projects.manifests;
            report.notes = projects.left_out;
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
        InstallHint::Install(command) => format!("Install it: {command}"),
        InstallHint::Trust => "It starts where there is a wall, or with `--trust`".to_owned(),
        InstallHint::Configure => "Change the settings".to_owned(),
    };
    MissingServer { name: absence.server, reason: absence.to_string(), remedy }
}

/// How far the folders are trusted, and why.
fn level(config: &Config, folders: &[PathBuf]) -> (Level, String) {
    let trusts = Trusts::new(config.level, config.usual_level(), config.trust_store.clone());
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

/// Settings of a workspace that is not trusted have no say.
fn unheard(config: &Config, folders: &[PathBuf]) -> Option<String> {
    let file = folders.first().map(|it: &PathBuf| it.join(WORKSPACE_FILE))?;
    let is_unheard = config.level != Some(Level::Trusted) && Path::is_file(&file);
    is_unheard.then(|| {
        format!("`{WORKSPACE_FILE}` is there and is ignored: the workspace is not trusted (`--trust`)")
    })
}
