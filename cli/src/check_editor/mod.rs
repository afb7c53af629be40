//! `dialect check-editor`: tells the author of an editor which operations of `ide_operations` it answers, and how well.

mod cases;
mod editor;
mod report;
mod workspace;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use cases::{Answer, Case, Suite, an_error, error_is_one_of, judge, kept, kind_of};
use clap::Args;
use editor::{DEADLINE, Editor, NO_ANSWER, SESSION};
use ide_protocol::{ErrorCode, Operation, Support, read_capability};
use report::{Outcome, Report};
use serde_json::{Value, json};
use tokio::time::{Duration, Instant};
use workspace::{Folder, VARIABLE};

use crate::deviation::{Deviation, shown};
use crate::environment::executable;
use crate::failure::Failure;
use crate::output::say;
use crate::process::{PeerProcess, Side};

/// The time in which a wrong answer may become right, because a server of the editor is loading.
const LOADING: Duration = Duration::from_secs(60);

/// The JSON-RPC error code for a method that is not there.
const METHOD_NOT_FOUND: i64 = -32601;

#[derive(Debug, Args)]
pub(crate) struct CheckEditor {
    /// Judge an exchange that was recorded, instead of an editor
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    recorded: Option<PathBuf>,
    /// Record the exchange with the editor
    #[arg(long, value_name = "FILE", conflicts_with = "recorded")]
    record: Option<PathBuf>,
    /// Print one JSON object to standard output
    #[arg(long)]
    json: bool,
    /// The editor's command, which speaks ACP as a client on standard input and output
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "recorded")]
    command: Vec<OsString>,
}

pub(crate) async fn run(arguments: CheckEditor) -> Result<ExitCode, Failure> {
    let suite = Suite::read();
    let report = match &arguments.recorded {
        Some(path) => check(&suite, Editor::recorded(path)?).await?,
        None => check_command(&suite, &arguments).await?,
    };
    say(&if arguments.json { report.to_json().to_string() } else { report.to_string() })?;
    Ok(if report.is_passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn check_command(suite: &Suite, arguments: &CheckEditor) -> Result<Report, Failure> {
    let folder = Folder::write(&suite.files)?;
    let process = PeerProcess::find(Side::Editor, executable()?, &arguments.command)?;
    let process = process.within(&folder.root(), VARIABLE, folder.shown());
    let record = arguments.record.as_ref().map(std::fs::File::create).transpose()?;
    let checked = editor::talk(process.clone(), async |connection, state| {
        check(suite, Editor::live(connection, state, folder, record).await?).await
    });
    let checked = checked.await;
    match process.ended().await {
        Err(error) if checked.is_err() => Err(error.into()), // says more than the connection's own error
        _ => checked,
    }
}

/// Asks an editor everything, and judges its answers.
async fn check(suite: &Suite, editor: Editor) -> Result<Report, Failure> {
    let support = read_capability(&editor.initialize);
    let client = ["clientInfo", "info"].iter().map(|it| &editor.initialize[*it]).find(|it| it.is_object());
    let client = client.cloned().unwrap_or_default();
    let mut check =
        Check { suite, editor, support, kept: BTreeMap::new(), loaded_by: Instant::now() + LOADING };
    let mut outcomes: BTreeMap<Operation, Outcome> = BTreeMap::new();
    for operation in Operation::ALL {
        let advertised = check.support.has(operation);
        let outcome = if advertised { Outcome::default() } else { Outcome::absent("it is not advertised") };
        outcomes.insert(operation, outcome);
    }
    for case in &suite.cases {
        let operation = Operation::from_name(&case.operation).expect("a test reads the cases");
        let outcome = outcomes.get_mut(&operation).expect("each operation has one");
        if outcome.is_absent() {
            continue;
        }
        // Each operation is asked for a session that is not there before it is asked for anything else.
        if outcome.asked == 0 {
            check.ask_for_nobody(case, operation, outcome).await?;
        }
        check.ask(case, operation, outcome).await?;
    }
    Ok(Report { client, outcomes })
}

struct Check<'a> {
    suite: &'a Suite,
    editor: Editor,
    support: Support,
    /// The values of answers that later questions need.
    kept: BTreeMap<String, Value>,
    loaded_by: Instant,
}

impl Check<'_> {
    /// Returns the params of a question.
    fn params(&self, case: &Case, session: &str) -> Result<Value, String> {
        let question = self.editor.folder.question(&self.suite.files, &case.ask, &self.kept)?;
        let mut params = json!({
            "sessionId": session,
            "progressToken": case.name,
            "deadlineMs": u64::try_from(DEADLINE.as_millis()).unwrap_or(u64::MAX),
            "aFieldOfLaterVersions": true,
        });
        let fields = question.as_object().cloned().unwrap_or_default();
        params.as_object_mut().expect("it is one").extend(fields);
        Ok(params)
    }

    /// Asks the question of a case, and judges the answer.
    async fn ask(&mut self, case: &Case, operation: Operation, outcome: &mut Outcome) -> Result<(), Failure> {
        let params = match self.params(case, SESSION) {
            Ok(params) => params,
            Err(reason) => {
                outcome.skip(&case.name, &reason);
                return Ok(());
            }
        };
        let (suite, kept_before, loaded_by) = (self.suite, &self.kept, self.loaded_by);
        let judged = |answer: &Answer| judge(case, operation, &suite.files, kept_before, answer);
        let settled = |answer: &Answer| {
            judged(answer).is_ok() || !may_be_loading(answer) || Instant::now() >= loaded_by
        };
        let answer = self.editor.ask(&operation.method(), params.clone(), settled).await?;
        if let Some(reason) = is_absent(&answer) {
            *outcome = Outcome::absent(reason);
            return Ok(());
        }
        let mut verdict = judge(case, operation, &self.suite.files, &self.kept, &answer);
        self.kept.extend(kept(case, &answer));
        if verdict.is_ok() {
            verdict = self.texts_are_there(case).await?;
        }
        outcome.add(&case.name, verdict.map_err(|it| Deviation { sent: sent(operation, &params), ..it }));
        Ok(())
    }

    /// Asks for a session that the editor has not opened.
    async fn ask_for_nobody(
        &mut self,
        case: &Case,
        operation: Operation,
        outcome: &mut Outcome,
    ) -> Result<(), Failure> {
        let Ok(params) = self.params(case, "nobody") else { return Ok(()) };
        let answer = self.editor.ask(&operation.method(), params.clone(), |_| true).await?;
        if let Some(reason) = is_absent(&answer) {
            *outcome = Outcome::absent(reason);
            return Ok(());
        }
        let kinds = [ErrorCode::NotFound];
        let verdict = match &answer {
            Ok(result) => {
                let came = shown(&result.to_string());
                Err(Deviation { came, expected: an_error(&kinds), ..Deviation::default() })
            }
            Err(error) => error_is_one_of(&kinds, error),
        };
        let name = "a session that is not open is not found";
        outcome.add(name, verdict.map_err(|it| Deviation { sent: sent(operation, &params), ..it }));
        Ok(())
    }

    /// Checks that files have the lines that a case promises.
    async fn texts_are_there(&mut self, case: &Case) -> Result<Result<(), Deviation>, Failure> {
        let method = Operation::Text.method();
        let by_editor = self.support.has(Operation::Text).then_some(method.as_str());
        for (path, line) in &case.texts {
            let text = self.editor.text(path, by_editor).await?;
            if !text.as_str().unwrap_or_default().lines().any(|it| it == line) {
                let expected = format!("the line `{line}` in {path} afterwards");
                return Ok(Err(Deviation {
                    came: shown(&text.to_string()),
                    expected,
                    ..Deviation::default()
                }));
            }
        }
        Ok(Ok(()))
    }
}

/// Returns the words for a question.
fn sent(operation: Operation, params: &Value) -> String {
    let mut params = params.clone();
    let fields = params.as_object_mut().expect("params are an object");
    for field in ["progressToken", "deadlineMs", "aFieldOfLaterVersions"] {
        fields.shift_remove(field);
    }
    shown(&format!("{} {params}", operation.method()))
}

/// Returns why an operation is absent although it was advertised.
fn is_absent(answer: &Answer) -> Option<&'static str> {
    let error = answer.as_ref().err()?;
    if error["code"] == METHOD_NOT_FOUND {
        return Some("it was advertised, and answers that it is not there");
    }
    (kind_of(error) == Ok(ErrorCode::Unavailable)).then_some("the editor has no source for it here")
}

/// Returns whether a wrong answer may become right when a server has loaded.
fn may_be_loading(answer: &Answer) -> bool {
    match answer {
        Ok(result) => result["complete"] == false,
        Err(error) => error["code"] != NO_ANSWER && kind_of(error) == Ok(ErrorCode::NotReady),
    }
}
