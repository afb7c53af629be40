//! `dialect plugins check`: tells the author of a plugin what a host will meet.

mod pipe;
mod suite;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use adapter::fallback::Config;
use clap::Args;
use component::plugins::Launch;
use futures::StreamExt;
use plugin_protocol::schema::Description;
use serde::Serialize;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use crate::arguments::Trust;
use crate::deviation::{Deviation, shown};
use crate::environment::{executable, workspace};
use crate::failure::Failure;
use crate::output::say;
use crate::plugin_sources::PluginSources;
use crate::plugins::check::pipe::Pipe;
use crate::plugins::check::suite::{About, CHECKS, Checked, Weight};

/// The checks that run at once, each with a process of its own.
const AT_ONCE: usize = 4;

#[derive(Debug, Args)]
pub(super) struct Check {
    /// The executable
    path: PathBuf,
    /// Call this function too, with these arguments in JSON (a list, or an object for names); may be repeated. Without
    /// it no function of the plugin is called, since it may change things
    #[arg(long, value_name = "NAME[=ARGUMENTS]")]
    call: Vec<String>,
    /// The folder in which the plugin runs, instead of the current one
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Print one JSON object to standard output
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    trust: Trust,
    /// Arguments for the executable, behind those of your settings
    #[arg(last = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,
}

/// The verdict of a check.
#[derive(Debug, Serialize)]
struct Report {
    check: String,
    weight: Weight,
    #[serde(flatten)]
    verdict: Verdict,
}

#[derive(Debug, Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
enum Verdict {
    Passed,
    Failed { sent: String, came: String, expected: String, remedy: String },
    Skipped { reason: String },
}

impl Report {
    fn new(check: &str, weight: Weight, result: Checked, remedy: &str) -> Self {
        let remedy = remedy.to_owned();
        let verdict = match result {
            Ok(()) => Verdict::Passed,
            Err(Deviation { sent, came, expected }) => Verdict::Failed { sent, came, expected, remedy },
        };
        Self { check: check.to_owned(), weight, verdict }
    }

    fn is_failure(&self, weight: Weight) -> bool {
        self.weight == weight && matches!(self.verdict, Verdict::Failed { .. })
    }
}

pub(super) async fn run(arguments: Check) -> Result<ExitCode, Failure> {
    let root = workspace(arguments.workspace.as_deref())?;
    let mut config = Config::new(executable()?);
    arguments.trust.set_up(&mut config)?;
    let mut launch = launch_of(arguments.path.clone(), &config, root).await?;
    launch.arguments.extend(arguments.arguments);
    let calls = arguments.call.iter().map(|it| call_of(it)).collect::<Result<Vec<_>, _>>()?;
    let reports = check(&launch, &calls).await?;
    let failed = reports.iter().any(|it| it.is_failure(Weight::Must));
    if arguments.json {
        say(&json!({"path": arguments.path, "passed": !failed, "checks": reports}).to_string())?;
    } else {
        say(described(&reports).trim_end())?;
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Returns the way in which sessions start this plugin.
async fn launch_of(path: PathBuf, config: &Config, root: PathBuf) -> Result<Launch, Failure> {
    // Paths without a slash are looked for in the search path; here the file is meant.
    let file = path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?;
    let sources = PluginSources::new(std::slice::from_ref(&file), config);
    let mut found = tokio::task::spawn_blocking(move || sources.find(&[root])).await?;
    let at = found.plugins.iter().position(|it| it.path == file);
    match at.map(|at| found.plugins.swap_remove(at)) {
        Some(plugin) => Ok(plugin.launch),
        None => {
            let name = file.display().to_string();
            let problem = found.problems.into_iter().find(|it| it.starts_with(&name));
            Err(problem.unwrap_or_else(|| format!("{name} is disabled in your settings")).into())
        }
    }
}

/// Reads `NAME` or `NAME=JSON`.
fn call_of(text: &str) -> Result<(String, Value), Failure> {
    let Some((name, arguments)) = text.split_once('=') else { return Ok((text.to_owned(), Value::Null)) };
    let arguments = serde_json::from_str(arguments);
    let arguments =
        arguments.map_err(|error| format!("--call {text}: the arguments are no JSON: {error}"))?;
    Ok((name.to_owned(), arguments))
}

async fn check(launch: &Launch, calls: &[(String, Value)]) -> Result<Vec<Report>, Failure> {
    let remedy = "Answer scriptling.handshake within 5 s with {\"protocol\": \"1.0\", \"transport\": \"json\", \
                  \"library\": {\"name\": \"…\"}, \"schema\": {…}}.";
    let first = "the handshake is answered";
    let about = match about(launch).await {
        Ok(about) => about,
        Err(deviation) => return Ok(vec![Report::new(first, Weight::Must, Err(deviation), remedy)]),
    };
    let mut strays = Vec::new();
    let mut reports = vec![Report::new(first, Weight::Must, Ok(()), remedy)];
    let runs = CHECKS.iter().map(async |check| {
        if check.is_for_classes && about.description.classes.is_empty() {
            let verdict = Verdict::Skipped { reason: "it has no classes".to_owned() };
            return (Report { check: check.name.to_owned(), weight: check.weight, verdict }, Vec::new());
        }
        let (result, mut strays) = ready(launch, async |pipe| (check.run)(pipe, &about).await).await;
        if check.name == suite::GARBAGE {
            strays.clear(); // it may be told of in some way, and the next check is about that
        }
        (Report::new(check.name, check.weight, result, check.remedy), strays)
    });
    let mut done = futures::stream::iter(runs).buffered(AT_ONCE);
    while let Some((report, said)) = done.next().await {
        strays.extend(said);
        reports.push(report);
    }
    drop(done);
    for (name, arguments) in calls {
        let (result, said) = ready(launch, async |pipe| suite::call(pipe, name, arguments).await).await;
        strays.extend(said);
        let remedy = "Answer with {\"result\": {\"type\": …}}, a value of the protocol.";
        reports.push(Report::new(&format!("{name} returns a value"), Weight::Must, result, remedy));
    }
    let (count, line) = (strays.len(), strays.into_iter().next());
    let result = line.map_or(Ok(()), |came| {
        let came = if count > 1 { format!("{came}, and {} more", count - 1) } else { came };
        Err(Deviation {
            sent: String::new(),
            came,
            expected: "one JSON object a line, and nothing else".to_owned(),
        })
    });
    let remedy =
        "Write what is for people to standard error: other hosts end at the first line that is no message.";
    reports.push(Report::new("standard output has nothing but messages", Weight::Must, result, remedy));
    Ok(reports)
}

/// Starts the plugin, and reads its description.
async fn about(launch: &Launch) -> Result<About, Deviation> {
    let mut pipe = start(launch)?;
    let mut answer = pipe.handshake(&launch.settings.host_version).await?;
    let described = answer["result"].take();
    let refused = |came: String| Deviation {
        sent: "scriptling.handshake".to_owned(),
        came,
        expected: "the description of a library".to_owned(),
    };
    if !answer["error"].is_null() {
        return Err(refused(shown(&answer.to_string())));
    }
    let raw = to_raw_value(&described).map_err(|it| refused(it.to_string()))?;
    let description = Description::read(Some(&raw)).map_err(|it| refused(it.to_string()))?;
    let _ = pipe.end(launch.settings.exit).await; // checks of their own tell how it ends
    Ok(About { described, description })
}

fn start(launch: &Launch) -> Result<Pipe, Deviation> {
    Pipe::start(launch)
        .map_err(|error| Deviation { came: format!("it does not start: {error}"), ..Deviation::default() })
}

/// Starts the plugin, makes the handshake, and runs a check. Returns also the lines that were no messages.
async fn ready(launch: &Launch, run: impl AsyncFnOnce(&mut Pipe) -> Checked) -> (Checked, Vec<String>) {
    let mut pipe = match start(launch) {
        Ok(pipe) => pipe,
        Err(deviation) => return (Err(deviation), Vec::new()),
    };
    let result = match pipe.handshake(&launch.settings.host_version).await {
        Ok(_) => run(&mut pipe).await,
        Err(deviation) => Err(deviation),
    };
    (result, std::mem::take(&mut pipe.strays))
}

fn described(reports: &[Report]) -> String {
    let mut text = String::new();
    let mut line = |words: &str| writeln!(text, "{words}").expect("a string takes everything");
    for report in reports {
        let Report { check, weight, verdict } = report;
        match verdict {
            Verdict::Passed => line(&format!("passed   {check}")),
            Verdict::Skipped { reason } => line(&format!("skipped  {check}: {reason}")),
            Verdict::Failed { sent, came, expected, remedy } => {
                let word = if *weight == Weight::Must { "FAILED " } else { "warning" };
                line(&format!("{word}  {check}"));
                for (name, words) in
                    [("sent", sent), ("came", came), ("expected", expected), ("remedy", remedy)]
                {
                    if !words.is_empty() {
                        line(&format!("         {name}: {words}"));
                    }
                }
            }
        }
    }
    let count = |is: &dyn Fn(&Report) -> bool| reports.iter().filter(|it| is(it)).count();
    let passed = count(&|it| matches!(it.verdict, Verdict::Passed));
    let (failed, warned) =
        (count(&|it| it.is_failure(Weight::Must)), count(&|it| it.is_failure(Weight::Should)));
    line(&format!("{passed} passed, {failed} failed, {warned} warnings"));
    text
}
