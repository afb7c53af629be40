//! `ailang run`: runs the examples of a document as tests.

mod host;
mod permissions;
mod settings;
mod user;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ailang::{ExampleResult, Fixtures, Monitor, Provider, Runtime, RuntimeSetup};
use clap::{Args, ValueEnum};
use futures::FutureExt;
use futures::future::LocalBoxFuture;

use self::host::{RunHost, time};
use self::permissions::{Permissions, named};
use self::settings::Settings;
use self::user::User;
use super::documents::opened;
use super::outcome::{ExitResult, WRONG};
use crate::environment::workspace;
use crate::failure::Failure;
use crate::output::{complain, say, write_out};
use crate::source::read;

#[derive(Clone, Debug, Args)]
pub(super) struct Run {
    /// The document; `-` for standard input
    file: PathBuf,
    /// Run only the example of that id
    #[arg(long, value_name = "ID")]
    example: Option<String>,
    /// Results of tools without a body: JSON of {"tool": [{"args"?, "result" | "error", "repeat"?}]}, taken in order
    #[arg(long, value_name = "FIXTURES")]
    mock: Option<PathBuf>,
    /// The time that the clock shows, and stays at: seconds since 1970, or such as 2026-01-31T12:00:00Z. Waiting then
    /// takes no time
    #[arg(long, value_name = "T", value_parser = time)]
    now: Option<f64>,
    /// A workspace whose code is asked: every function of `dialect eval` is there for tools without a body
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    #[command(flatten)]
    settings: Settings,
    /// Grant a capability for this run without a question, such as email-sender/SendEmail, or its name alone
    #[arg(long, value_name = "CAPABILITY")]
    grant: Vec<String>,
    /// Print measurements of all calls at the end
    #[arg(long, value_enum, value_name = "FORMAT")]
    metrics: Option<MetricsFormat>,
    /// The time limit of each example, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MetricsFormat {
    /// A table for people.
    Table,
    /// JSON for programs.
    Json,
    /// Prometheus' text format.
    Prometheus,
}

/// The part of a run that needs the functions of a workspace.
pub(crate) type Conversation = Box<dyn FnOnce(Arc<dyn Provider>) -> LocalBoxFuture<'static, ExitResult>>;

/// The code that sets up a workspace, with a time limit for its programs in seconds.
pub(crate) type WithWorkspace = fn(PathBuf, u64, Conversation) -> LocalBoxFuture<'static, ExitResult>;

pub(super) fn run(arguments: &Run, with_workspace: WithWorkspace) -> ExitResult {
    let runtime = transport::runtime().map_err(|error| format!("nothing can run: {error}"))?;
    let code = match &arguments.workspace {
        None => runtime.block_on(examples(arguments, Vec::new())),
        Some(folder) => {
            let own = arguments.clone();
            let conversation: Conversation =
                Box::new(|provider| async move { examples(&own, vec![provider]).await }.boxed_local());
            runtime.block_on(with_workspace(folder.clone(), arguments.timeout, conversation))
        }
    };
    runtime.block_on(component::plugins::end_all(crate::os::PLUGIN_WAIT));
    component::flush_call_log(crate::os::LOG_WAIT);
    runtime.shutdown_timeout(crate::os::END_WAIT);
    code
}

/// Runs the examples, and prints their results.
async fn examples(arguments: &Run, providers: Vec<Arc<dyn Provider>>) -> ExitResult {
    let opened = opened(&arguments.file)?.with_files(workspace(arguments.workspace.as_deref())?);
    let user = Arc::new(User::default());
    let fixtures = fixtures(arguments)?;
    let permissions = Permissions::new(arguments.workspace.as_deref(), Arc::clone(&user))?;
    let permissions = Arc::new(match &fixtures {
        Some(fixtures) if providers.is_empty() => permissions.of_fixtures(fixtures.clone()),
        _ => permissions,
    });
    let mut settings = arguments.settings.resolved();
    settings.monitoring |= arguments.metrics.is_some();
    settings.time = Duration::from_secs(arguments.timeout);
    let setup = RuntimeSetup {
        monitor: settings.monitoring.then(Monitor::new),
        settings,
        host: Arc::new(RunHost { now: arguments.now, user: Arc::clone(&user) }),
        providers,
        fixtures,
        gate: Some(Arc::clone(&permissions) as _),
        ..RuntimeSetup::default()
    };
    let runtime = match opened.runtime(setup) {
        Ok(runtime) => runtime,
        Err(reason) => {
            complain(&reason);
            return Ok(WRONG);
        }
    };
    for grant in &arguments.grant {
        permissions.grant(&named(grant, runtime.capabilities())?, runtime.capabilities());
    }
    let mut code = 0;
    for index in chosen(&runtime, arguments.example.as_deref())? {
        if !report(&run_one(&runtime, index, arguments.timeout, &user).await)? {
            code = WRONG;
        }
    }
    if let (Some(format), Some(monitor)) = (arguments.metrics, runtime.monitor()) {
        let metrics = monitor.metrics();
        write_out(&match format {
            MetricsFormat::Table => metrics.table(),
            MetricsFormat::Json => format!("{:#}\n", metrics.json()),
            MetricsFormat::Prometheus => metrics.prometheus(),
        })?;
    }
    Ok(code)
}

/// Reads the fixtures.
fn fixtures(arguments: &Run) -> Result<Option<Fixtures>, Failure> {
    let Some(file) = &arguments.mock else { return Ok(None) };
    let parsed = Fixtures::parse(&read(file)?);
    Ok(Some(parsed.map_err(|error| format!("{}: {error}", file.display()))?))
}

/// Returns the indexes of the examples to run.
fn chosen(runtime: &Runtime, example: Option<&str>) -> Result<Vec<usize>, Failure> {
    let names = runtime.examples();
    let Some(wanted) = example else { return Ok((0..names.len()).collect()) };
    match names.iter().position(|name| name == wanted) {
        Some(index) => Ok(vec![index]),
        None if names.is_empty() => Err("the document has no examples".into()),
        None => Err(format!("there is no example `{wanted}`; there are: {}", names.join(", ")).into()),
    }
}

async fn run_one(runtime: &Runtime, index: usize, seconds: u64, user: &User) -> ExampleResult {
    let result = tokio::select! {
        result = runtime.run_example(index) => result,
        () = user.time_without_answers(Duration::from_secs(seconds)) => None,
    };
    result.unwrap_or_else(|| {
        let name = runtime.examples().into_iter().nth(index).unwrap_or_default();
        ExampleResult::unfinished(name, format!("it takes longer than {seconds} seconds"))
    })
}

/// Prints what an example printed, and whether it succeeded; returns `true` if it did.
fn report(result: &ExampleResult) -> Result<bool, Failure> {
    write_out(&result.output)?;
    result.log.iter().for_each(|line| complain(line));
    match &result.error {
        None => say(&format!("ok: {}", result.name))?,
        Some(error) => {
            say(&format!("failed: {}: {}", result.name, error.message))?;
            complain(&error.text);
        }
    }
    Ok(result.error.is_none())
}
