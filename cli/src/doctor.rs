//! `dialect doctor`: reports the languages of a workspace, their servers, and what is missing.

use std::fmt::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::ExitCode;

use adapter::fallback::{
    LanguageReport, MissingServer, Report, ServerReport, TrustStore, examine, user_settings,
};

use crate::arguments::Doctor;
use crate::chain::fallback_config;
use crate::environment::{executable, workspace};
use crate::failure::Failure;
use crate::output::say;
use crate::plugins;

pub(crate) async fn run(arguments: Doctor) -> Result<ExitCode, Failure> {
    let workspace = workspace(arguments.workspace.as_deref())?;
    let executable = executable()?;
    let mut config = fallback_config(executable.clone());
    arguments.trust.set_up(&mut config)?;
    config.user_settings = user_settings();
    config.trust_store = TrustStore::of_user();
    let report = examine(&config, std::slice::from_ref(&workspace)).await;
    let loopback = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map(drop);
    let mut text = format!("dialect {}, {}\n", env!("CARGO_PKG_VERSION"), executable.display());
    if let Err(error) = &loopback {
        line(
            &mut text,
            &format!("No port can be opened on 127.0.0.1 ({error}): agents cannot reach the tool."),
        );
    }
    if let Some(file) = config.user_settings.as_ref().filter(|it| it.exists()) {
        line(&mut text, &format!("settings {}", file.display()));
    }
    text.push_str(&describe(&workspace, &report));
    let (plugins, problems) = plugins::plugins_of(&arguments.plugins.plugins, &config, workspace).await?;
    if !plugins.is_empty() || !problems.is_empty() {
        line(&mut text, &format!("\nplugins\n{}", plugins::describe(&plugins, &problems).trim_end()));
    }
    say(text.trim_end())?;
    let has_plugins = problems.is_empty() && plugins.iter().all(|it| it.problem.is_none());
    let is_well = loopback.is_ok() && has_plugins && !report.languages.iter().any(lacks_server);
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Describes the languages of the workspace with their servers, then those without files.
fn describe(workspace: &Path, report: &Report) -> String {
    let mut text = format!("workspace {}\n", workspace.display());
    line(&mut text, &report.level);
    report.settings.iter().for_each(|it| line(&mut text, it));
    if report.languages.is_empty() {
        line(
            &mut text,
            "\nNo file of a language that has a server here. `search`, `lines` and `source` work.",
        );
    }
    for language in &report.languages {
        describe_language(&mut text, workspace, language);
    }
    if !report.absent.is_empty() {
        line(&mut text, &format!("\nNot in this workspace: {}", report.absent.join(", ")));
    }
    text
}

fn describe_language(text: &mut String, workspace: &Path, report: &LanguageReport) {
    let files = if report.files == 1 { "1 file".to_owned() } else { format!("{} files", report.files) };
    let starts = if report.starts { "starts with a session" } else { "starts when it is asked" };
    match &report.server {
        Ok(ServerReport { name, path, version, passed_over }) => {
            line(text, &format!("\n{}: {files}; its server {starts}", report.language));
            let version = version.lines().next().unwrap_or_default();
            let named = if version.contains(name) { version.to_owned() } else { format!("{name} {version}") };
            line(text, &format!("  {named}\n    {}", path.display()));
            passed_over.iter().for_each(|it| line(text, &format!("    before it: {it}")));
            if report.has_syntax {
                line(
                    text,
                    "  Until it is ready, definitions come from the syntax, references from the text.",
                );
            }
        }
        Err(MissingServer { name, reason, remedy }) => {
            line(text, &format!("\n{}: {files}", report.language));
            line(text, &format!("  {name} is missing: {reason}\n  {remedy}"));
            line(text, "  Until then, `search`, `lines` and `source` of places work.");
            if report.has_syntax {
                line(text, "  Definitions come from the syntax, references from the text.");
            }
        }
    }
    describe_projects(text, workspace, report);
    report.notes.iter().for_each(|note| line(text, &format!("  {note}")));
}

/// The maximum number of listed projects of a language.
const SHOWN: usize = 10;

fn describe_projects(text: &mut String, workspace: &Path, report: &LanguageReport) {
    for project in report.projects.iter().take(SHOWN) {
        let shown = project.strip_prefix(workspace).unwrap_or(project);
        line(text, &format!("  project {}", shown.display()));
    }
    let more = report.projects.len().saturating_sub(SHOWN);
    if more > 0 {
        line(text, &format!("  and {more} more"));
    }
}

/// Returns whether a main language of the workspace has no server.
fn lacks_server(report: &LanguageReport) -> bool {
    report.starts && report.server.is_err()
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("a string takes everything");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(starts: bool, server: Result<ServerReport, MissingServer>) -> Report {
        let language = LanguageReport {
            language: "Rust",
            files: 1,
            starts,
            projects: vec!["/w/Cargo.toml".into()],
            notes: vec![],
            has_syntax: true,
            server,
        };
        Report {
            languages: vec![language],
            absent: vec!["Python"],
            level: "restricted: nobody said anything".to_owned(),
            settings: None,
        }
    }

    fn missing() -> MissingServer {
        MissingServer {
            name: "rust-analyzer",
            reason: "it is not on the search path".to_owned(),
            remedy: "Install it: rustup component add rust-analyzer".to_owned(),
        }
    }

    #[test]
    fn what_is_missing_comes_with_its_command() {
        let report = report(true, Err(missing()));
        assert!(lacks_server(&report.languages[0]));
        let expected = "workspace /w\nrestricted: nobody said anything\n\nRust: 1 file\n  rust-analyzer is missing: it is not on the search path\n  \
                        Install it: rustup component add rust-analyzer\n  Until then, `search`, `lines` and \
                        `source` of places work.\n  Definitions come from the syntax, references from the \
                        text.\n  project Cargo.toml\n\nNot in this workspace: Python\n";
        assert_eq!(describe(Path::new("/w"), &report), expected);
    }

    #[test]
    fn what_is_there_comes_with_what_was_passed_over() {
        let server = ServerReport {
            name: "rust-analyzer",
            path: "/bin/ra".into(),
            version: "1.0".to_owned(),
            passed_over: vec!["no `a` is in the search path".to_owned()],
        };
        let expected = "\nRust: 1 file; its server starts when it is asked\n  rust-analyzer 1.0\n    /bin/ra\n    \
                        before it: no `a` is in the search path\n  Until it is ready, definitions come from the \
                        syntax, references from the text.\n  project Cargo.toml\n";
        let text = describe(Path::new("/w"), &report(false, Ok(server)));
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn a_language_beside_the_main_ones_is_no_trouble() {
        assert!(!lacks_server(&report(false, Err(missing())).languages[0]));
    }
}
