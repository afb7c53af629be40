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
use crate::{plugins, server};

pub(crate) async fn run(arguments: Doctor) -> Result<ExitCode, Failure> {
    let workspace = workspace(arguments.workspace.as_deref())?;
    let executable = executable()?;
    let mut config = fallback_config(executable.clone());
    config.user_settings = user_settings();
    arguments.trust.set_up(&mut config)?;
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
    for status in adapter::background::status().await.unwrap_or_default() {
        line(&mut text, &format!("background {}", server::describe(&status).trim_end()));
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

/// Describes the workspace: the languages whose servers work, then what is missing, the main languages first.
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
    let ready = report.languages.iter().filter_map(|it| Some((it, it.server.as_ref().ok()?)));
    let ready: Vec<String> = ready.flat_map(|(it, server)| ready_lines(workspace, it, server)).collect();
    let mut missing: Vec<_> =
        report.languages.iter().filter_map(|it| Some((it, it.server.as_ref().err()?))).collect();
    missing.sort_by_key(|(it, _)| (!it.starts, !it.has_syntax));
    let lines: Vec<String> = missing.iter().map(|(it, server)| missing_line(it, server)).collect();
    for (title, lines) in [("\nReady", ready), ("\nMissing, with what installs it", lines)] {
        if !lines.is_empty() {
            line(&mut text, title);
            lines.iter().for_each(|it| line(&mut text, &format!("  {it}")));
        }
    }
    if !missing.is_empty() {
        let has_syntax = missing.iter().any(|(it, _)| it.has_syntax);
        line(&mut text, if has_syntax { WITH_SYNTAX } else { WITHOUT_SYNTAX });
    }
    text
}

const WITH_SYNTAX: &str = "  Without a server, `search`, `lines` and `source` work; of code, also definitions, by syntax, and \
                           references, by text.";
const WITHOUT_SYNTAX: &str = "  Without a server, `search`, `lines` and `source` work.";

fn counted(report: &LanguageReport) -> String {
    let files = if report.files == 1 { "1 file".to_owned() } else { format!("{} files", report.files) };
    format!("{}, {files}", report.language)
}

/// Returns a line for a language whose server works, and one for each of its notes.
fn ready_lines(workspace: &Path, report: &LanguageReport, server: &ServerReport) -> Vec<String> {
    let ServerReport { name, path, version, passed_over } = server;
    let version = version.lines().next().unwrap_or_default();
    let named = if version.contains(name) { version.to_owned() } else { format!("{name} {version}") };
    let mut words = format!("{}: {named}, {}", counted(report), path.display());
    match report.projects.as_slice() {
        [] => {}
        [only] => {
            let shown = only.strip_prefix(workspace).unwrap_or(only);
            words.push_str(&format!("; project {}", shown.display()));
        }
        several => words.push_str(&format!("; {} projects", several.len())),
    }
    let trouble = passed_over.iter().find(|it| !it.ends_with("is in the search path"));
    words.extend(trouble.map(|it| format!("; another does not work: {}", one_line(it))));
    std::iter::once(words).chain(report.notes.iter().map(|note| format!("  {}", one_line(note)))).collect()
}

fn missing_line(report: &LanguageReport, server: &MissingServer) -> String {
    let trouble = server.trouble.as_ref().map(|it| format!(" ({})", one_line(it))).unwrap_or_default();
    format!("{}: {}{trouble}", counted(report), server.remedy)
}

fn one_line(text: &str) -> String {
    /// The longest reason, in characters.
    const LONGEST: usize = 200;
    ailang::visible_line(text, LONGEST)
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

    fn language(
        language: &'static str,
        starts: bool,
        server: Result<ServerReport, MissingServer>,
    ) -> LanguageReport {
        let (projects, notes) = (vec!["/w/Cargo.toml".into()], Vec::new());
        LanguageReport { language, files: 1, starts, projects, notes, has_syntax: starts, server }
    }

    fn missing(remedy: &str, trouble: Option<&str>) -> Result<ServerReport, MissingServer> {
        Err(MissingServer {
            name: "x",
            reason: "x is not installed or does not start: no `x` is in the search path".to_owned(),
            trouble: trouble.map(str::to_owned),
            remedy: remedy.to_owned(),
        })
    }

    fn found() -> Result<ServerReport, MissingServer> {
        let passed_over = vec!["no `a` is in the search path".to_owned()];
        Ok(ServerReport {
            name: "rust-analyzer",
            path: "/bin/ra".into(),
            version: "1.0".to_owned(),
            passed_over,
        })
    }

    #[test]
    fn what_works_comes_first_and_each_thing_is_one_line() {
        let languages = vec![
            language("Markdown", false, missing("unpack https://x.example into the search path", None)),
            language("Rust", true, found()),
            language("Python", true, missing("pip install ty", Some("`ty` failed:\nexit status 1"))),
        ];
        let report = Report { languages, level: "confined: behind a wall".to_owned(), settings: None };
        expect_test::expect![[r"
            workspace /w
            confined: behind a wall

            Ready
              Rust, 1 file: rust-analyzer 1.0, /bin/ra; project Cargo.toml

            Missing, with what installs it
              Python, 1 file: pip install ty (`ty` failed:\nexit status 1)
              Markdown, 1 file: unpack https://x.example into the search path
              Without a server, `search`, `lines` and `source` work; of code, also definitions, by syntax, and references, by text.
        "]]
        .assert_eq(&describe(Path::new("/w"), &report));
    }

    #[test]
    fn a_language_beside_the_main_ones_is_no_trouble() {
        assert!(!lacks_server(&language("Markdown", false, missing("", None))));
        assert!(lacks_server(&language("Python", true, missing("", None))));
    }
}
