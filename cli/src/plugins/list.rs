//! `dialect plugins list`: starts plugins, and prints what each offers.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use adapter::fallback::{Config, TrustStore, user_settings};
use clap::Args;
use component::{FoundPlugins, PluginReport, examine};
use serde_json::json;
use source_text::{visible_json, visible_line};

use crate::arguments::{Plugins, Trust};
use crate::environment::{executable, workspace};
use crate::failure::Failure;
use crate::output::say;
use crate::plugin_sources::PluginSources;

#[derive(Debug, Args)]
pub(super) struct List {
    /// The workspace whose plugins count, instead of the current folder
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Print one JSON object to standard output
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    plugins: Plugins,
    #[command(flatten)]
    trust: Trust,
}

pub(super) async fn run(arguments: List) -> Result<ExitCode, Failure> {
    let root = workspace(arguments.workspace.as_deref())?;
    let mut config = Config::new(executable()?);
    arguments.trust.set_up(&mut config)?;
    config.user_settings = user_settings();
    config.trust_store = TrustStore::of_user();
    let (reports, problems) = plugins_of(&arguments.plugins.plugins, &config, root).await?;
    if arguments.json {
        say(&visible_json(&json!({"plugins": reports, "problems": problems}).to_string()))?;
    } else if reports.is_empty() && problems.is_empty() {
        say("No plugins. To add one: dialect plugins add PATH")?;
    } else {
        say(describe(&reports, &problems).trim_end())?;
    }
    let is_well = problems.is_empty() && reports.iter().all(|it| it.problem.is_none());
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Starts the plugins of a workspace. Returns what came of each, and the problems of the search.
pub(crate) async fn plugins_of(
    given: &[PathBuf],
    config: &Config,
    root: PathBuf,
) -> Result<(Vec<PluginReport>, Vec<String>), Failure> {
    let sources = PluginSources::new(given, config);
    let found = tokio::task::spawn_blocking(move || sources.find(&[root])).await?;
    let FoundPlugins { plugins, problems } = found;
    Ok((examine(FoundPlugins { plugins, problems: Vec::new() }).await, problems))
}

/// Describes plugins with what they offer, and problems of the search.
pub(crate) fn describe(reports: &[PluginReport], problems: &[String]) -> String {
    let mut text = String::new();
    let mut line = |words: &str| {
        writeln!(text, "{}", visible_line(words, usize::MAX)).expect("a string takes everything");
    };
    for it in reports {
        let path = it.path.display();
        let (head, below) = match &it.problem {
            None if it.asks => {
                let asks = "of the workspace: you are asked before it starts; to allow it now";
                (path.to_string(), format!("{asks}: dialect plugins trust {path}"))
            }
            Some(problem) => (path.to_string(), format!("not there: {problem}")),
            None => (format!("{} {}", it.name, it.version), path.to_string()),
        };
        line(&head);
        line(&format!("  {below}"));
        it.functions.iter().for_each(|it| line(&format!("  {it}")));
        it.unavailable.iter().for_each(|it| line(&format!("  left out: {it}")));
    }
    problems.iter().for_each(|it| line(it));
    text
}
