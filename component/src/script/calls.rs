//! The calls of a program: functions of the registry, and functions of files over the overlay.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dialect::{Effect, FailureKind, Limits, Object, Outcome, Program, diagnostic};
use futures::{StreamExt, TryStreamExt};
use ide_protocol::{
    ChangedFile, DraftQuestion, Edit, EditedTextsQuestion, EditedTextsResult, EditsResult, ErrorCode,
    FileEdit, FilesQuestion, FilesResult, IdeError, Operation, SelectionResult, TextQuestion, TextResult,
};
use script_protocol::{CallError, CallOutcome, CallTarget, Candidate, ErrorKind, Exact, too_long};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

use super::clock::Clock;
use super::file_functions::{self, FileArguments, FileFunction};
use super::outputs::Outputs;
use super::overlay::{Known, Overlay};
use super::stubs;
use crate::acp::upstream::{CallClient, ProgressStep, TimeLimits, Upstream};
use crate::audit::Ending;
use crate::call_metrics::{Meter, Said};
use crate::config::Form;
use crate::permission::{Caller, Changes, Gate, Waiting};
use crate::session::plugins::Loaded;
use crate::sync::lock;
use crate::tool::dry_run::{self, DryRun, dry_run};
use crate::tool::interpret::{RunContext, evaluate};

/// The maximum size of one result, in bytes.
const RESULT: usize = 4 * 1024 * 1024;

/// The files of one call that are read at a time.
const READS: usize = 8;

/// The tool's name.
pub(crate) const NAME: &str = "script";

/// The most new text of one program, in bytes: that of one edit.
const CHANGES: usize = 16 * 1024 * 1024;

/// The title of the edit of a whole program.
const TITLE: &str = "Make the changes of a script";

/// The means of the calls of one program: the client, permissions and limits.
pub(crate) struct Environment {
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) gate: Arc<Gate>,
    pub(crate) loaded: Arc<Loaded>,
    /// The call of the tool, whose program is that of the agent.
    pub(crate) caller: Caller,
    pub(crate) selected: Arc<SelectionResult>,
    /// The folders of the session.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) steps: UnboundedSender<ProgressStep>,
    pub(crate) patience: Duration,
    /// The time that one call may take.
    pub(crate) deadline: Duration,
    pub(crate) wait: Option<Duration>,
    pub(crate) read_only: bool,
    /// The measurements of its calls.
    pub(crate) meter: Meter,
}

impl Environment {
    /// Returns a client for one call, with a deadline of its own.
    pub(super) fn client(&self) -> Arc<CallClient> {
        let Self { upstream, caller, selected, steps, deadline, wait, .. } = self;
        let limits = TimeLimits { deadline: Instant::now() + *deadline, wait: *wait };
        Arc::new(upstream.call_client(caller.session.clone(), Arc::clone(selected), limits, steps.clone()))
    }
}

/// The calls of one program.
pub(super) struct Calls {
    environment: Environment,
    clock: Arc<Clock>,
    overlay: Mutex<Overlay>,
    /// The programs of the candidates of ambiguous calls.
    candidates: Mutex<HashMap<u64, Vec<String>>>,
    /// The files that calls have written to disk already.
    written: Mutex<Vec<ChangedFile>>,
    outputs: Arc<Outputs>,
    /// True when nothing is written, and nobody is asked.
    is_dry: bool,
}

impl Calls {
    pub(super) fn new(
        environment: Environment,
        clock: Arc<Clock>,
        outputs: Arc<Outputs>,
        is_dry: bool,
    ) -> Self {
        let (overlay, candidates, written) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { environment, clock, overlay, candidates, written, outputs, is_dry }
    }

    /// Returns the name of what is called, for people.
    pub(super) fn label(target: &CallTarget) -> String {
        match target {
            CallTarget::Function { namespace, name, .. } => format!("{namespace}.{name}"),
            CallTarget::Candidate { .. } => "candidate.choose".to_owned(),
        }
    }

    /// Returns whether a call is one of those that a program may make only so many of. Files change in memory.
    pub(super) fn counts(target: &CallTarget) -> bool {
        match target {
            CallTarget::Function { namespace, name, .. } if namespace == file_functions::NAMESPACE => {
                FileFunction::find(name) == Some(FileFunction::Commit)
            }
            _ => true,
        }
    }

    /// Returns what a program can do that may make no more calls.
    pub(super) fn too_many(&self, most: usize) -> String {
        let keep = match self.staged() {
            0 => String::new(),
            _ => " Keep the changes so far: `await fs.commit()`.".to_owned(),
        };
        format!(
            "a program may make {most} calls besides those of `fs`, and this is one more. One call can ask for many: \
             await dialect.run(\"[`a`, `b`].map(n => findReferences(n).count())\"). Or catch this error, return what is \
             left, and send it as `args` of the next program.{keep}"
        )
    }

    /// Returns true for calls that have to wait for those before them, and keep those after them waiting.
    pub(super) fn changes(&self, target: &CallTarget) -> bool {
        match target {
            CallTarget::Function { namespace, name, .. } if namespace == file_functions::NAMESPACE => {
                FileFunction::find(name).is_some_and(FileFunction::changes)
            }
            CallTarget::Function { namespace, name, .. } => {
                let registry = self.environment.loaded.extensions.tables();
                // A whole program may do anything.
                stubs::find(registry, namespace, name).is_none_or(|(_, effect)| effect == Effect::Writes)
            }
            CallTarget::Candidate { .. } => true,
        }
    }

    pub(super) async fn call(&self, number: u64, target: CallTarget) -> CallOutcome {
        let label = Self::label(&target);
        match target {
            CallTarget::Candidate { of, index } => {
                let program = lock(&self.candidates).get(&of).and_then(|it| it.get(index).cloned());
                match program {
                    Some(program) => self.run(number, &label, program).await,
                    None => invalid(&label, "there is no such candidate"),
                }
            }
            CallTarget::Function { namespace, name, positional, named } => {
                if let Some(number) = too_long(positional.get()).or_else(|| too_long(named.get())) {
                    let problem = format!("{number} has more than 64 bits; pass it as a text");
                    return invalid(&label, &problem);
                }
                let arguments = (serde_json::from_str(positional.get()), serde_json::from_str(named.get()));
                let (Ok(positional), Ok(named)) = arguments else {
                    return invalid(
                        &label,
                        "a text in the arguments has half of a surrogate pair, which is no character",
                    );
                };
                self.function(number, &label, (&namespace, &name), positional, named).await
            }
        }
    }

    async fn function(
        &self,
        number: u64,
        label: &str,
        (namespace, name): (&str, &str),
        positional: Vec<Value>,
        named: Map<String, Value>,
    ) -> CallOutcome {
        if namespace == file_functions::NAMESPACE {
            let Some(function) = FileFunction::find(name) else {
                return invalid(label, "there is no such function");
            };
            let given = || Said::Text(json!([positional, named]).to_string());
            let call = self.environment.meter.begin(label, given);
            let outcome = match function.arguments(positional, named) {
                Ok(arguments) => self.file(function, label, arguments).await,
                Err(message) => invalid(label, &message),
            };
            if let Some(call) = call {
                let (ending, said) = measured(&outcome);
                call.end_as(ending, said);
            }
            return outcome;
        }
        if (namespace, name) == (stubs::DIALECT, stubs::RUN) {
            let given = named.get("program").or_else(|| positional.first());
            return match given.and_then(Value::as_str) {
                Some(program) => self.run(number, label, program.to_owned()).await,
                None => invalid(label, "`program` must be a string that holds a program of Dialect"),
            };
        }
        if (namespace, name) == (stubs::DIALECT, stubs::OUTPUT) {
            let number =
                |index: usize, name: &str| named.get(name).or_else(|| positional.get(index))?.as_u64();
            let Some(id) = number(0, "id") else {
                return invalid(label, "`id` must be the number of an output");
            };
            let line = |index, name, default| {
                number(index, name).map_or(default, |it| usize::try_from(it).unwrap_or(usize::MAX))
            };
            return match self.outputs.lines(id, line(1, "first", 1), line(2, "last", usize::MAX)) {
                Ok(text) => returned(label, &json!(text), Vec::new()),
                Err(message) => invalid(label, &message),
            };
        }
        let registry = self.environment.loaded.extensions.tables();
        let Some((function, _)) = stubs::find(registry, namespace, name) else {
            return invalid(label, "there is no such function");
        };
        let print = |it: Value| dialect::print(registry, &dialect::Value::from(it));
        let positional = positional.into_iter().map(print);
        let is_name = |it: &str| it.chars().all(|it| it.is_alphanumeric() || it == '_');
        if let Some(key) = named.keys().find(|it| !is_name(it)) {
            return invalid(label, &format!("`{key}` is no name of a parameter"));
        }
        let named = named.into_iter().map(|(key, it)| format!("{key}={}", print(it)));
        let arguments: Vec<String> = positional.chain(named).collect();
        self.run(number, label, format!("{function}({})", arguments.join(", "))).await
    }

    /// Runs a program of Dialect. Edits that it applies go into the overlay.
    async fn run(&self, number: u64, label: &str, program: String) -> CallOutcome {
        let loaded = &self.environment.loaded;
        let read = Program::parse(loaded.extensions.tables(), &program, &Limits::default());
        let (effect, stages) = read.as_ref().map_or((Effect::Reads, false), |it| {
            (it.effect(), !it.needs().is_empty() && dry_run::applies_to(it))
        });
        let unseen = match lock(&self.overlay).len() {
            0 => None,
            _ if effect == Effect::Pure => None,
            count => Some(format!(
                "{label} knows the files on disk, without the changes of this program in {}; `await fs.commit()` \
                 writes them first",
                if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
            )),
        };
        if stages {
            return self.stage(number, label, &program).await;
        }
        if self.is_dry && effect == Effect::Writes {
            let message = format!("{label} would change something, and this is a dry run");
            return error(label, ErrorKind::Denied, message);
        }
        let (caller, context) = (Caller { program, ..self.environment.caller.clone() }, self.context());
        let asks = match &read {
            Ok(read) if !read.needs().is_empty() => self.environment.gate.asks(&caller, read.needs()).await,
            _ => false,
        };
        let _pause = asks.then(|| self.clock.pause());
        let (_, outcome) = evaluate(caller, context, &Object::default()).await;
        let outcome = self.outcome(number, label, outcome);
        match (outcome, unseen) {
            (CallOutcome::Success { value, mark, mut notes }, Some(unseen)) => {
                notes.push(unseen);
                CallOutcome::Success { value, mark, notes }
            }
            (outcome, _) => outcome,
        }
    }

    fn outcome(&self, number: u64, label: &str, outcome: Outcome) -> CallOutcome {
        match outcome {
            Outcome::Success(success) => {
                let notes = success.notes.into_iter().map(|it| it.0).collect();
                returned(label, &success.value.to_json(), notes)
            }
            Outcome::Failure(failures) => {
                let diagnostic_texts = failures.all.iter().map(|it| {
                    let shown = diagnostic(it);
                    shown.message + &shown.help.map(|it| format!("\n{it}")).unwrap_or_default()
                });
                let message = diagnostic_texts.collect::<Vec<_>>().join("\n");
                let is_denied = failures.all.iter().any(
                    |it| matches!(&*it.kind, FailureKind::Raised { name, .. } if name == "CapabilityDenied"),
                );
                let is_raised = failures.all.iter().all(|it| matches!(&*it.kind, FailureKind::Raised { .. }));
                let kind = match () {
                    () if is_denied => ErrorKind::Denied,
                    () if is_raised => ErrorKind::Failure,
                    () => ErrorKind::Invalid,
                };
                error(label, kind, message)
            }
            Outcome::Ambiguity(ambiguity) => {
                let each = ambiguity.candidates();
                lock(&self.candidates).insert(number, each.iter().map(|it| it.program.clone()).collect());
                let candidates = each
                    .iter()
                    .map(|it| Candidate { description: it.description.clone(), program: it.program.clone() })
                    .collect();
                CallOutcome::Error(CallError {
                    operation: label.to_owned(),
                    kind: ErrorKind::Ambiguous,
                    message: ambiguity.question().to_owned(),
                    candidates,
                })
            }
        }
    }

    fn client(&self) -> Arc<CallClient> {
        self.environment.client()
    }

    fn context(&self) -> RunContext {
        let Environment { loaded, gate, steps, patience, deadline, meter, .. } = &self.environment;
        RunContext {
            client: self.client(),
            extensions: Arc::clone(&loaded.extensions),
            objects: Arc::clone(&loaded.objects),
            missing: Vec::new(),
            gate: Arc::clone(gate),
            waiting: Waiting { steps: steps.clone(), patience: *patience },
            deadline: *deadline,
            form: Form::Json,
            budget: RESULT,
            bindings: None,
            meter: meter.clone(),
        }
    }

    /// Puts the edits that a program would apply into the overlay.
    async fn stage(&self, number: u64, label: &str, program: &str) -> CallOutcome {
        if self.environment.read_only {
            return read_only(label);
        }
        let client = self.client();
        let extensions = &self.environment.loaded.extensions;
        let shown = match dry_run(program, &client, extensions, &Object::default()).await {
            DryRun::Ends(outcome) => return self.outcome(number, label, outcome),
            DryRun::Changes(None) => {
                let message = "its edits are not known, so that they cannot be made with the other changes; apply \
                               them with ide_operation";
                return error(label, ErrorKind::Failure, message.to_owned());
            }
            DryRun::Changes(Some(shown)) => shown,
        };
        let question = EditedTextsQuestion { edits: shown.ids };
        let texts: Result<EditedTextsResult, IdeError> = client.ask(Operation::EditedTexts, &question).await;
        let files = match texts {
            Ok(texts) => texts.files,
            Err(why) => return failed(label, why),
        };
        let changed_files = ide_library::changed_files(&changed(&shown.edits));
        match lock(&self.overlay).take(files) {
            Ok(()) => returned(label, &json!(changed_files), Vec::new()),
            Err(path) => error(
                label,
                ErrorKind::Failure,
                format!(
                    "this program has changed `{path}` already, and the edit is for its text on disk; write the \
                     changes first: await fs.commit()"
                ),
            ),
        }
    }

    async fn file(&self, function: FileFunction, label: &str, arguments: FileArguments) -> CallOutcome {
        if function.changes() && self.environment.read_only {
            return read_only(label);
        }
        let mut notes = Vec::new();
        let done = match function {
            FileFunction::Read => match arguments.paths {
                None => self.read(&arguments.path).await.map(|(_, text, _)| json!(text)),
                Some(paths) => self.read_all(paths).await.map(|it| json!(it)),
            },
            FileFunction::Exists => self.exists(&arguments.path).await.map(|it| json!(it)),
            FileFunction::List => {
                let listed = self.list(arguments.glob.as_deref().unwrap_or(".")).await;
                listed.map(|(paths, note)| {
                    notes.extend(note);
                    json!(paths)
                })
            }
            FileFunction::Write => self.write(arguments.path, arguments.text).await.map(|()| Value::Null),
            FileFunction::Edit => self.edit(label, arguments).await,
            FileFunction::Remove => self.remove(&arguments.path).await.map(|()| Value::Null),
            FileFunction::Rename => self.rename(&arguments.from, &arguments.to).await.map(|()| Value::Null),
            FileFunction::Commit => return self.commit(label).await,
        };
        match done {
            Ok(value) => returned(label, &value, notes),
            Err(why) => failed(label, why),
        }
    }

    /// Returns the path of a file as answers spell it, its text, and its text on disk if it is not changed here.
    async fn read(&self, path: &str) -> Result<(String, String, Option<String>), IdeError> {
        let normal = self.normal(path);
        match lock(&self.overlay).known(&normal) {
            Known::Text(text) => return Ok((normal, text.to_owned(), None)),
            Known::Gone => {
                let message = format!("this program has removed or moved `{normal}`");
                return Err(IdeError::new(ErrorCode::NotFound, message));
            }
            Known::No => {}
        }
        let question = TextQuestion { path: path.to_owned() };
        let TextResult { path, text, .. } = self.client().ask(Operation::Text, &question).await?;
        match lock(&self.overlay).known(&path) {
            Known::Text(text) => Ok((path, text.to_owned(), None)),
            _ => Ok((path, text.clone(), Some(text))),
        }
    }

    /// Returns the texts of files, in their order.
    async fn read_all(&self, paths: Vec<String>) -> Result<Vec<String>, IdeError> {
        let each = paths.into_iter().map(|path| async move { Ok(self.read(&path).await?.1) });
        futures::stream::iter(each).buffered(READS).try_collect().await
    }

    fn normal(&self, path: &str) -> String {
        let workspace = self.environment.caller.workspace.as_ref().and_then(|it| it.to_str());
        file_functions::normal(path, workspace)
    }

    async fn exists(&self, path: &str) -> Result<bool, IdeError> {
        match self.read(path).await {
            Ok(_) => Ok(true),
            Err(error) if error.kind == ErrorCode::NotFound => Ok(false),
            // A folder, or a file that is no text.
            Err(error) if error.kind == ErrorCode::InvalidRequest => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Returns the paths, and a note if there may be more.
    async fn list(&self, glob: &str) -> Result<(Vec<String>, Option<String>), IdeError> {
        let question = FilesQuestion { glob: glob.to_owned() };
        let found: Result<FilesResult, IdeError> = self.client().ask(Operation::Files, &question).await;
        let overlay = lock(&self.overlay);
        let (new, gone) = overlay.listed();
        let new: Vec<_> = new.into_iter().filter(|it| matches(glob, it)).map(str::to_owned).collect();
        let (found, note) = match found {
            Ok(found) => {
                let may_lack = !found.completeness.is_complete();
                let why = found.completeness.note().unwrap_or_else(|| format!("of {}", found.total));
                (found.paths, may_lack.then(|| format!("fs.list(`{glob}`) has not all paths: {why}")))
            }
            Err(error) if error.kind == ErrorCode::NotFound && !new.is_empty() => (Vec::new(), None),
            Err(error) => return Err(error),
        };
        let mut paths: Vec<String> = found.into_iter().filter(|it| !gone.contains(&it.as_str())).collect();
        paths.extend(new);
        paths.sort();
        paths.dedup();
        Ok((paths, note))
    }

    async fn write(&self, path: String, text: String) -> Result<(), IdeError> {
        let (path, found) = match self.read(&path).await {
            Ok((path, _, found)) => (path, found),
            Err(error) if error.kind == ErrorCode::NotFound => (self.normal(&path), None),
            Err(error) => return Err(error),
        };
        self.put(&path, text, found)
    }

    /// Gives a file of the overlay a text.
    fn put(&self, path: &str, text: String, found: Option<String>) -> Result<(), IdeError> {
        let mut overlay = lock(&self.overlay);
        if overlay.size() + text.len() > CHANGES {
            let message = format!("`{path}` would bring the changes of this program above 16 MiB");
            return Err(IdeError::new(ErrorCode::InvalidRequest, message)
                .recovery("Write the changes so far with `await fs.commit()`, or change less."));
        }
        overlay.write(path, text, found);
        Ok(())
    }

    async fn edit(&self, label: &str, arguments: FileArguments) -> Result<Value, IdeError> {
        let (path, text, found) = self.read(&arguments.path).await?;
        let (text, count) = file_functions::replaced(&text, &arguments)
            .map_err(|message| IdeError::new(ErrorCode::InvalidRequest, format!("{label}: {message}")))?;
        self.put(&path, text, found)?;
        Ok(json!(count))
    }

    async fn remove(&self, path: &str) -> Result<(), IdeError> {
        let (path, _, found) = self.read(path).await?;
        lock(&self.overlay).remove(&path, found);
        Ok(())
    }

    async fn rename(&self, from: &str, to: &str) -> Result<(), IdeError> {
        let (from, _, found) = self.read(from).await?;
        if self.exists(to).await? {
            let message = format!("`{to}` is there already");
            return Err(IdeError::new(ErrorCode::InvalidRequest, message)
                .recovery("Remove it first, or choose another path."));
        }
        lock(&self.overlay).rename(&from, &self.normal(to), found);
        Ok(())
    }

    /// Returns the number of files that would be written.
    pub(super) fn staged(&self) -> usize {
        lock(&self.overlay).len()
    }

    /// Sets the outcome of the program in its measurements: a word of the report.
    pub(super) fn ended(&self, ending: Ending, word: &str) {
        let error = (ending == Ending::Failure).then(|| word.to_owned());
        self.environment.meter.ended(ending, error);
    }

    /// Writes a line about the program into the audit log.
    pub(super) async fn record(&self, numbers: Value, outcome: &str) {
        let Environment { gate, caller, .. } = &self.environment;
        gate.record_run(caller, NAME, numbers, outcome.to_owned()).await;
    }

    /// Shows a call as progress.
    pub(super) fn show(&self, number: usize, target: &CallTarget, line: Option<u32>) {
        let line = line.map(|it| format!(" (line {it})")).unwrap_or_default();
        let message = format!("{number}: {}{line}", Self::label(target));
        // Fails when the agent shows no progress.
        let _ = self.environment.steps.send(ProgressStep { message, percentage: None });
    }

    /// Returns the changes that would be written.
    pub(super) fn files(&self) -> Vec<ide_protocol::FileTexts> {
        lock(&self.overlay).files()
    }

    /// Returns the files that are written.
    pub(super) fn written(&self) -> Vec<ChangedFile> {
        lock(&self.written).clone()
    }

    /// Writes all changes, once the user permits it, or none of them.
    pub(super) async fn commit(&self, label: &str) -> CallOutcome {
        let files = lock(&self.overlay).files();
        if files.is_empty() || self.is_dry {
            return returned(label, &json!([]), Vec::new());
        }
        let question = DraftQuestion { title: TITLE.to_owned(), files };
        let client = self.client();
        let drafted: Result<EditsResult, IdeError> = client.ask(Operation::Draft, &question).await;
        let edits = match drafted {
            Ok(drafted) => drafted.edits,
            Err(why) => return failed(label, why),
        };
        let registry = self.environment.loaded.extensions.tables();
        let each: Vec<Value> = edits.iter().map(|it| json!({ "id": it.id })).collect();
        let ids = dialect::print(registry, &dialect::Value::from(Value::Array(each)));
        let caller = Caller { program: format!("applyEdits({ids})"), ..self.environment.caller.clone() };
        let pause = self.clock.pause();
        let (_, outcome) = evaluate(caller, self.context(), &Object::default()).await;
        drop(pause);
        if let Outcome::Success(_) = &outcome {
            lock(&self.written).extend(changed(&edits));
            let Environment { gate, caller, .. } = &self.environment;
            gate.show_made(caller, &Changes::new(edits, None));
            *lock(&self.overlay) = Overlay::default();
        }
        self.outcome(0, label, outcome)
    }
}

/// Returns the files that edits change.
fn changed(edits: &[Edit]) -> Vec<ChangedFile> {
    let files = edits.iter().flat_map(|it| &it.files);
    let changed = files.map(|it| {
        let FileEdit { path, changes, fate, to, .. } = it.clone();
        ChangedFile { path, changes, fate, to }
    });
    changed.collect()
}

/// Returns whether a glob of `files` matches a path: a name in any folder, a path, or a folder.
fn matches(glob: &str, path: &str) -> bool {
    let glob = glob.trim_start_matches("./").trim_end_matches('/');
    if glob.is_empty() || glob == "." || path == glob || path.starts_with(&format!("{glob}/")) {
        return true;
    }
    let pattern = if glob.contains('/') { glob.to_owned() } else { format!("**/{glob}") };
    let matcher = globset::GlobBuilder::new(&pattern).literal_separator(true).build();
    matcher.is_ok_and(|it| it.compile_matcher().is_match(path))
}

fn error(label: &str, kind: ErrorKind, message: String) -> CallOutcome {
    CallOutcome::Error(CallError { operation: label.to_owned(), kind, message, candidates: Vec::new() })
}

/// Returns the outcome of a call of a file, and its words.
fn measured(outcome: &CallOutcome) -> ((Ending, Option<String>), Said) {
    match outcome {
        CallOutcome::Success { value, .. } => ((Ending::Success, None), Said::Text(value.get().to_owned())),
        CallOutcome::Error(error) => {
            let said = Said::Text(error.message.clone());
            match error.kind {
                ErrorKind::Denied => ((Ending::Denied, None), said),
                ErrorKind::Ambiguous => ((Ending::Ambiguity, None), said),
                kind => ((Ending::Failure, Some(format!("{kind:?}").to_lowercase())), said),
            }
        }
    }
}

fn invalid(label: &str, message: &str) -> CallOutcome {
    error(label, ErrorKind::Invalid, format!("{label}: {message}"))
}

fn read_only(label: &str) -> CallOutcome {
    let message = "this is a read-only Dialect, which changes no files; only the user can start it without \
                   `--read-only`";
    error(label, ErrorKind::Denied, message.to_owned())
}

fn failed(label: &str, why: IdeError) -> CallOutcome {
    let kind = match why.kind {
        ErrorCode::InvalidRequest => ErrorKind::Invalid,
        _ => ErrorKind::Failure,
    };
    let recovery = why.recovery.map(|it| format!("\n{it}")).unwrap_or_default();
    error(label, kind, why.message + &recovery)
}

fn returned(label: &str, value: &Value, notes: Vec<String>) -> CallOutcome {
    let text = value.to_string();
    if text.len() > RESULT {
        let message =
            format!("{label} returns {} MiB, and the limit is 4 MiB; ask for less", text.len() >> 20);
        return error(label, ErrorKind::Limit, message);
    }
    let Exact { json, mark } = Exact::new(text);
    let value = RawValue::from_string(json).expect("it was just written as JSON");
    CallOutcome::Success { value, mark, notes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_files_are_listed_by_the_same_globs() {
        for (glob, path, expected) in [
            ("**/*", "a/b.ts", true),
            ("*.ts", "a/b.ts", true),
            ("src/*.ts", "src/a/b.ts", false),
            ("src/**/*.ts", "src/a/b.ts", true),
            ("src", "src/a/b.ts", true),
            (".", "x", true),
            ("sr", "src/a", false),
        ] {
            assert_eq!(matches(glob, path), expected, "{glob} {path}");
        }
    }
}
