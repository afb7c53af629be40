//! What this machine has for a workspace, for people: which servers were found, what is missing, how to get it.

use std::path::{Path, PathBuf};

use super::Config;
use super::detect::{self, Census};
use super::languages::{self, LANGUAGES, Language};
use super::launch::{self, Launch, NotFound, Remedy};
use super::session::STARTED_AT_ONCE;
use super::settings::{Settings, SettingsError, WORKSPACE_FILE};
use super::unfit::Unfit;

/// This machine and some folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The languages that the folders hold, the largest first, and what is there for them.
    pub languages: Vec<LanguageReport>,
    /// The languages that they do not hold.
    pub absent: Vec<&'static str>,
    /// What the user said of trust, in a sentence.
    pub trust: String,
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
    let (trust, said_of_trust) = trust(config, &folders);
    let config = &Config { trust, ..config.clone() };
    let census = tokio::task::spawn_blocking({
        let folders = folders.clone();
        move || detect::census(&folders)
    });
    let census = census.await.unwrap_or_default();
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
    Report { languages, absent: absent.map(|it| it.name).collect(), trust: said_of_trust, settings: said }
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
    let found = launch::find(language, &settings.of(language), &[], config.trust, &Unfit::default()).await;
    found.map(server_report).map_err(|it| missing_server(&it))
}

async fn report(
    config: &Config,
    settings: &Settings,
    language: &'static Language,
    census: &Census,
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
        config.trust,
        &Unfit::default(),
    )
    .await
    {
        Ok(launch) => {
            let projects = detect::projects(language, census, folders, &launch.environment).await;
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
        Remedy::Install(command) => format!("Install it: {command}"),
        Remedy::Trust => "It starts with `--trust`".to_owned(),
        Remedy::Configure => "Change the settings".to_owned(),
    };
    MissingServer { name: absence.server, reason: absence.to_string(), remedy }
}

/// Whether the folders are trusted, and who says so.
fn trust(config: &Config, folders: &[PathBuf]) -> (bool, String) {
    let decided = |it: &PathBuf| config.trust_store.as_ref()?.of(it);
    let (trusted, why) = match folders.iter().map(decided).reduce(|a, b| Some(a? && b?)).flatten() {
        _ if config.trust => (true, "trusted for this once: `--trust`"),
        Some(true) => (true, "trusted: you said so; `dialect trust revoke` takes it back"),
        Some(false) => (false, "not trusted: you said so; `dialect trust revoke` lets you be asked again"),
        None => (false, "not trusted yet: servers run no code of it; `dialect trust allow` changes that"),
    };
    (trusted, why.to_owned())
}

/// Settings of a workspace that is not trusted have no say.
fn unheard(config: &Config, folders: &[PathBuf]) -> Option<String> {
    let file = folders.first().map(|it: &PathBuf| it.join(WORKSPACE_FILE))?;
    let is_unheard = !config.trust && Path::is_file(&file);
    is_unheard.then(|| {
        format!("`{WORKSPACE_FILE}` is there and has no say: the workspace is not trusted (`--trust`)")
    })
}
