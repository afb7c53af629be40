//! `dialect doctor`: what this machine has for a workspace, and what it lacks.

use std::fmt::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::ExitCode;

use adapter::fallback::{Config, LanguageReport, MissingServer, ServerReport, examine};

use crate::Failure;
use crate::arguments::{Doctor, executable, workspace};
use crate::output::say;

pub(crate) async fn run(arguments: Doctor) -> Result<ExitCode, Failure> {
    let workspace = workspace(arguments.workspace.as_deref())?;
    let executable = executable()?;
    let reports = examine(&Config::new(executable.clone()), std::slice::from_ref(&workspace)).await;
    let loopback = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map(drop);
    let mut text = format!("dialect {}, {}\n", env!("CARGO_PKG_VERSION"), executable.display());
    if let Err(error) = &loopback {
        line(
            &mut text,
            &format!("Nothing can be bound on 127.0.0.1 ({error}): agents cannot reach the tool."),
        );
    }
    text.push_str(&describe(&workspace, &reports));
    say(text.trim_end())?;
    let is_well = loopback.is_ok() && !reports.iter().any(lacks_server);
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Languages that are there first, and what they lack.
fn describe(workspace: &Path, reports: &[LanguageReport]) -> String {
    let mut text = format!("workspace {}\n", workspace.display());
    let (present, absent): (Vec<_>, Vec<_>) = reports.iter().partition(|it| it.files > 0);
    if present.is_empty() {
        line(
            &mut text,
            "\nNo file of a language that has a server here. `search`, `lines` and `source` work.",
        );
    }
    for report in present {
        describe_language(&mut text, workspace, report);
    }
    if !absent.is_empty() {
        let names: Vec<_> = absent.iter().map(|it| it.language).collect();
        line(&mut text, &format!("\nNot in this workspace: {}", names.join(", ")));
    }
    text
}

fn describe_language(text: &mut String, workspace: &Path, report: &LanguageReport) {
    let files = if report.files == 1 { "1 file".to_owned() } else { format!("{} files", report.files) };
    line(text, &format!("\n{}: {files}", report.language));
    match &report.server {
        Ok(ServerReport { name, path, version }) => {
            let named = if version.starts_with(name) { version.clone() } else { format!("{name} {version}") };
            line(text, &format!("  {named}\n    {}", path.display()));
        }
        Err(MissingServer { name, reason, install }) => {
            line(text, &format!("  {name} is missing: {reason}\n  Install it: {install}"));
            line(text, "  Until then, `search`, `lines` and `source` of places work.");
        }
    }
    for project in &report.projects {
        let shown = project.strip_prefix(workspace).unwrap_or(project);
        line(text, &format!("  project {}", shown.display()));
    }
    report.notes.iter().for_each(|note| line(text, &format!("  {note}")));
}

fn lacks_server(report: &LanguageReport) -> bool {
    report.files > 0 && report.server.is_err()
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("a string takes everything");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(files: usize, server: Result<ServerReport, MissingServer>) -> LanguageReport {
        LanguageReport {
            language: "Rust",
            files,
            projects: vec!["/w/Cargo.toml".into()],
            notes: vec![],
            server,
        }
    }

    #[test]
    fn what_is_missing_comes_with_its_command() {
        let missing = MissingServer {
            name: "rust-analyzer",
            reason: "it is not on the search path".to_owned(),
            install: "rustup component add rust-analyzer",
        };
        let report = report(1, Err(missing));
        assert!(lacks_server(&report));
        let expected = "workspace /w\n\nRust: 1 file\n  rust-analyzer is missing: it is not on the search path\n  \
                        Install it: rustup component add rust-analyzer\n  Until then, `search`, `lines` and \
                        `source` of places work.\n  project Cargo.toml\n";
        assert_eq!(describe(Path::new("/w"), &[report]), expected);
    }

    #[test]
    fn a_language_that_is_not_there_is_no_trouble() {
        let server =
            ServerReport { name: "rust-analyzer", path: "/bin/ra".into(), version: "1.0".to_owned() };
        let report = report(0, Ok(server));
        assert!(!lacks_server(&report));
        assert!(describe(Path::new("/w"), &[report]).ends_with("Not in this workspace: Rust\n"));
    }
}
