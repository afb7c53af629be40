//! Playing a scenario.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use component::State;
use component::audit::{Event, Log};
use component::permission::revoke;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Place, Scenario, Step, server_command};
use crate::chain::{Chain, Notes, Programs, Setup, Shape, start};
use crate::control::Control;
use crate::editor::Editor;
use crate::record::{self, Entry, Record, Way};
use crate::transcript::{Style, transcript};
use crate::workspace::Workspace;

/// The time limit for anything awaited.
const DEADLINE: Duration = Duration::from_secs(120);

struct Stage<'a> {
    scenario: &'a Scenario,
    record: Arc<Record>,
    workspace: Workspace,
    control: Control,
    editor: Editor,
    programs: &'a Programs,
    /// Entries that a step has awaited already.
    awaited: HashSet<usize>,
    state: Option<TempDir>,
    /// The number of lines of the audit that the transcript has.
    audited: usize,
}

/// Plays it once, and gives the transcript.
pub(super) async fn play(
    scenario: &Scenario,
    shape: Shape,
    agent: &[String],
    programs: &Programs,
) -> Result<String> {
    let record = Arc::new(Record::default());
    let files = scenario.files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let workspace = Workspace::new(files)?;
    let control = Control::listen()?;
    let mut setup = Setup::new(shape, programs.clone());
    setup.agent = agent.to_vec();
    setup.record = Some(Arc::clone(&record));
    setup.health = scenario.health;
    setup.asks_for_trust = scenario.asks_for_trust;
    setup.lent_patience = scenario.lent_patience;
    setup.options = scenario.options.iter().map(Into::into).collect();
    let state = scenario.notes.then(TempDir::new).transpose()?;
    setup.notes = state.as_ref().map(|state| Notes {
        folder: workspace.root().join("notes"),
        state: state.path().to_owned(),
        patience: scenario.patience,
        read_only: scenario.read_only,
    });
    let _shims = arm(&mut setup, scenario, &record, &control)?;
    let mut chain = start(&setup)?;
    let editor = editor(&mut chain, scenario, (&record, workspace.root()))?;
    let awaited = HashSet::new();
    let mut stage =
        Stage { scenario, record, workspace, control, editor, programs, awaited, state, audited: 0 };
    let told = stage.perform().await;
    let soiled = stage.editor.soiled();
    stage.editor.peer().close();
    stage.editor.forget();
    let ended = chain.ended().await;
    let told = told?;
    ended?;
    match soiled[..] {
        [] => Ok(told),
        _ => bail!("standard output held what is no message: {soiled:?}"),
    }
}

/// Puts the fake language server, or nothing at all, in the place of a real one.
fn arm(
    setup: &mut Setup,
    scenario: &Scenario,
    record: &Arc<Record>,
    control: &Control,
) -> Result<Option<TempDir>> {
    let control = control.address.to_string();
    if !setup.shape.has_processes() {
        let record = record::listen(record)?.to_string();
        let command = match &scenario.server {
            Some(plan) => server_command(&setup.programs, plan, &record, &control),
            None => vec!["/nowhere/no-language-server".into()],
        };
        setup.server = Some(command);
        return Ok(None);
    }
    setup.environment.push(("FAKE_LANGUAGE_SERVER_CONTROL".into(), control.into()));
    Ok(Some(setup.shim(scenario.server.as_ref())?))
}

fn editor(chain: &mut Chain, scenario: &Scenario, (record, root): (&Arc<Record>, &Path)) -> Result<Editor> {
    let (Some(read), Some(write)) = (chain.read.take(), chain.write.take()) else { bail!("no streams") };
    let log = record::Log::Here { player: "editor", record: Arc::clone(record) };
    Ok(Editor::open(read, write, scenario.answers.clone().filled(root)?, log))
}

impl Stage<'_> {
    async fn perform(&mut self) -> Result<String> {
        for step in &self.scenario.setup {
            self.take(step).await.with_context(|| format!("setup: {step:?}"))?;
        }
        let start = self.record.len();
        for step in &self.scenario.script {
            // Waiting is no step of the story: what is awaited happens before or after it. Some steps tell by themselves.
            if let Some(words) = words_of(step) {
                self.record.step(&words);
            }
            self.take(step).await.with_context(|| format!("{step:?}; so far:\n{}", self.told(start)))?;
        }
        Ok(self.told(start))
    }

    fn told(&self, start: usize) -> String {
        let root = self.workspace.root().display().to_string();
        let programs = self.programs.path("").display().to_string();
        let style = Style {
            names: vec![(root, "<workspace>"), (programs, "<programs>/")],
            server_hears: self.scenario.server_hears.clone(),
            order: self.scenario.order,
        };
        transcript(&self.record.entries(), start, &style)
    }

    async fn take(&mut self, step: &Step) -> Result<()> {
        match step {
            Step::Initialize => {
                let (protocol, meta) = (self.scenario.protocol, &self.scenario.meta);
                self.within("initialize", self.editor.initialize(protocol, meta)).await?;
            }
            Step::SetUp { method, name, id, folder, more } => {
                let params = self.setup_params(id.as_deref(), folder, more)?;
                let setting_up = self.editor.set_up(method, name, params);
                tokio::time::timeout(DEADLINE, setting_up)
                    .await
                    .map_err(|_| anyhow!("no answer to {method}"))??;
            }
            Step::Prompt { name, text } => {
                self.editor.prompt(name, &self.spelled(text))?;
                self.hear(Place::Agent, "session/prompt").await?;
                self.end(name).await?;
            }
            Step::Begin { name, text } => {
                self.editor.prompt(name, &self.spelled(text))?;
                self.hear(Place::Agent, "session/prompt").await?;
            }
            Step::Attach { name, block } => {
                let block = self.filled(block)?;
                self.editor.attach(name, block);
            }
            Step::End { name } => self.end(name).await?,
            Step::Cancel { name } => {
                let session = json!({"sessionId": self.editor.session(name)?});
                self.editor.peer().notify("session/cancel", session);
                self.hear(Place::Agent, "session/cancel").await?;
            }
            Step::Request { method, params } => {
                let params = self.filled(params)?;
                let answer = self.editor.peer().request(method, params).answer();
                // Refused or not is told by the transcript.
                let _answer = self.within(method, async { Ok(answer.await) }).await?;
            }
            Step::Notify { method, params } => {
                let params = self.filled(params)?;
                self.editor.peer().notify(method, params);
                self.hear(Place::Agent, method).await?;
            }
            Step::Count { n, method } => {
                (1..=*n).for_each(|n| self.editor.peer().notify(method, json!({"n": n})));
                for _ in 1..=*n {
                    self.hear(Place::Agent, method).await?;
                }
            }
            Step::Await { place, method } => self.hear(*place, method).await?,
            Step::Tell { command } => self.control.tell(command, DEADLINE)?,
            Step::Write { path, text } => self.workspace.write(path, text)?,
            Step::Answer { method, result } => {
                let held = tokio::time::timeout(DEADLINE, self.editor.held(method)).await;
                let id = held.map_err(|_| anyhow!("no {method} came to be answered"))??;
                // Its line stands behind the request.
                self.record.step(&format!("answer {method} {result}"));
                self.editor.answer(&id, self.filled(result)?);
            }
            Step::Audit => self.tell_audit()?,
            Step::Revoke { capability } => {
                revoke(&self.state()?, Some(self.workspace.root()), capability)?;
            }
            Step::Notes => self.tell_notes(),
            Step::Leave => {
                self.editor.peer().close();
                self.editor.forget();
            }
        }
        Ok(())
    }

    fn state(&self) -> Result<State> {
        let folder = self.state.as_ref().ok_or_else(|| anyhow!("only a chain with notes has a state"))?;
        Ok(State::at(folder.path().join("dialect")))
    }

    /// Returns the entries since the last call, a line each.
    fn tell_audit(&mut self) -> Result<()> {
        let mut lines = Vec::new();
        Log::new(self.state()?).verify(|entry| lines.push(in_short(&entry.event)))?;
        for line in lines.drain(..).skip(self.audited) {
            self.record.step(&line);
            self.audited += 1;
        }
        Ok(())
    }

    fn tell_notes(&self) {
        let found = std::fs::read_dir(self.workspace.root().join("notes")).into_iter().flatten().flatten();
        let mut names: Vec<_> = found.map(|it| it.file_name().display().to_string()).collect();
        names.sort();
        self.record.step(&format!("notes: {}", names.join(", ")));
    }

    async fn within<T>(&self, what: &str, doing: impl Future<Output = Result<T>>) -> Result<T> {
        let done = tokio::time::timeout(DEADLINE, doing).await;
        done.map_err(|_| anyhow!("no answer to {what} within {DEADLINE:?}"))?
    }

    async fn end(&mut self, name: &str) -> Result<()> {
        let ending = tokio::time::timeout(DEADLINE, self.editor.turn(name)).await;
        let _told_by_the_transcript =
            ending.map_err(|_| anyhow!("the turn of `{name}` did not end in time"))??;
        if !self.speaks_version_2() {
            return Ok(());
        }
        // There the answer begins the turn.
        let (awaited, session) = (&self.awaited, self.editor.session(name)?);
        let what = format!("the end of the turn of `{name}`");
        let found = self.record.wait(&what, DEADLINE, |at, it| {
            let (params, is_heard) = (&it.message["params"], it.player == "editor" && it.way == Way::Heard);
            let is_end =
                params["update"]["sessionUpdate"] == "state_update" && params["update"]["state"] == "idle";
            is_heard && is_end && params["sessionId"] == session && !awaited.contains(&at)
        });
        let at = found.await?;
        self.awaited.insert(at);
        Ok(())
    }

    fn speaks_version_2(&self) -> bool {
        let is_it = |it: &Entry| {
            it.player == "editor"
                && it.of.as_deref() == Some("initialize")
                && it.message["result"]["protocolVersion"].as_u64() >= Some(2)
        };
        self.record.entries().iter().any(is_it)
    }

    async fn hear(&mut self, place: Place, method: &str) -> Result<()> {
        let awaited = &self.awaited;
        let what = format!("{method} at the {}", place.name());
        let found = self.record.wait(&what, DEADLINE, |at, it| {
            let is_it = it.player == place.name() && it.way == Way::Heard && it.method() == method;
            is_it && !it.is_response() && !awaited.contains(&at)
        });
        let at = found.await?;
        self.awaited.insert(at);
        Ok(())
    }

    fn setup_params(&self, id: Option<&str>, folder: &str, more: &Value) -> Result<Value> {
        let root = self.workspace.root();
        let cwd = if folder.is_empty() { root.to_owned() } else { root.join(folder) };
        let mut params = json!({"cwd": cwd, "mcpServers": []});
        if let Some(id) = id {
            params["sessionId"] = json!(id);
        }
        for (key, value) in self.filled(more)?.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        Ok(params)
    }

    /// With the workspace's path in its place.
    fn spelled(&self, text: &str) -> String {
        text.replace("<workspace>", &self.workspace.root().display().to_string())
    }

    /// The placeholders replaced.
    fn filled(&self, params: &Value) -> Result<Value> {
        let mut text = self.spelled(&params.to_string());
        for name in ["A", "B", "C"] {
            if let Ok(session) = self.editor.session(name) {
                text = text.replace(&format!("<{name}>"), session);
            }
        }
        Ok(serde_json::from_str(&text)?)
    }
}

/// Returns a step as its line in the transcript, if it stands there before it is taken.
fn words_of(step: &Step) -> Option<String> {
    Some(match step {
        Step::Initialize => "initialize".to_owned(),
        Step::SetUp { method, name, .. } => format!("{method} as {name}"),
        Step::Prompt { name, text } => format!("prompt {name}: {}", text.replace('\n', " · ")),
        Step::Begin { name, text } => format!("begin {name}: {}", text.replace('\n', " · ")),
        Step::Attach { name, block } => format!("attach {name}: {block}"),
        Step::End { .. } | Step::Await { .. } | Step::Audit | Step::Notes | Step::Answer { .. } => {
            return None;
        }
        Step::Revoke { capability } => format!("revoke {capability}"),
        Step::Cancel { name } => format!("cancel {name}"),
        Step::Request { method, params } => format!("request {method} {params}"),
        Step::Notify { method, params } => format!("notify {method} {params}"),
        Step::Count { n, method } => format!("{n} × {method}"),
        Step::Tell { command } => format!("tell the server: {command}"),
        Step::Write { path, .. } => format!("write {path}"),
        Step::Leave => "leave".to_owned(),
    })
}

/// `audit: granted notes/Write (session) by user`
fn in_short(event: &Event) -> String {
    let word = |value: Value| value.as_str().unwrap_or_default().to_owned();
    let scope = event.scope.as_ref().map_or_else(String::new, |it| format!(" ({it})"));
    let reason = event.reason.as_ref().map_or_else(String::new, |it| format!(": {it}"));
    let (action, by) = (word(json!(event.action)), word(json!(event.by)));
    format!("audit: {action} {}{scope} by {by}{reason}", event.capability)
}
