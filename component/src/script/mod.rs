//! The tool `script`: one TypeScript program that calls the functions of programs, and files of the workspace.
//!
//! The program runs in a process of its own, which only computes. Its calls come back here. Changes of files are kept in
//! an overlay until its end, and then all of them are written, or none.

mod calls;
mod clock;
mod condense;
mod endpoint;
mod file_functions;
mod outputs;
mod overlay;
mod report;
mod request;
mod run;
pub(crate) mod settings;
mod stubs;
mod type_check;
mod worker;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ide_protocol::{DraftQuestion, EditsResult};
use script_protocol::{CallOutcome, Done, ErrorKind, Exact, Start, ToRuntime};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use source_text::visible_line;
use typescript::Program;

use self::calls::Calls;
pub(crate) use self::calls::{Environment, NAME};
use self::clock::Clock;
use self::outputs::Outputs;
use self::report::{Report, refusal};
pub(crate) use self::request::ScriptRequest;
use self::run::{End, PRINTED, run};
use self::stubs::stubs;
use self::type_check::TypeCheck;
use self::worker::Worker;
use crate::acp::upstream::CallClient;
use crate::audit::Ending;
use crate::plugins::tables::ObjectsOfRun;
use crate::script::settings::{ScriptLimits, Scripts};
use crate::session::plugins::{FoundPlugins, Loaded, PluginReport, examined};
use crate::tool::answer::Answer;
use unpoisoned::lock;

/// The maximum size of a program, in bytes.
const SOURCE: usize = 256 * 1024;

/// The maximum number of characters of output in an answer, where the call gives no other, and whatever it gives.
const OUTPUT: usize = 12_000;
const MOST_OUTPUT: usize = 48_000;

/// The name of the runtime that is always there.
const EMBEDDED: &str = "embedded";

/// The longest time that a call may give a program.
const LONGEST: Duration = Duration::from_secs(300);

/// Starts plugins, and returns TypeScript declarations of everything that a program can call with them, and what came of
/// each plugin.
pub async fn declarations(plugins: FoundPlugins) -> (String, Vec<PluginReport>) {
    let declared = |loaded: &Loaded| stubs::declarations(loaded.extensions.tables(), &loaded.objects);
    let (reports, text) = examined(plugins, declared).await;
    (text, reports)
}

/// Returns the description of the tool for agents: when to use it, programs that work, and how calls differ from those
/// of `ide_operation`, whose description lists the functions.
pub(crate) fn description(
    registry: &dialect::Registry,
    runtimes: &[String],
    read_only: bool,
    limits: ScriptLimits,
) -> String {
    let plugins: BTreeSet<&str> = stubs::plugins(registry).collect();
    let plugins = match plugins.len() {
        0 => String::new(),
        _ => {
            let names = plugins.into_iter().collect::<Vec<_>>().join(", ");
            let objects = if stubs::have_objects(registry) {
                "; their objects have methods, and a property is read by `await x.name`"
            } else {
                ""
            };
            format!(" Plugins: {names}; they can be passed functions{objects}.")
        }
    };
    let runtimes = match runtimes {
        [] => String::new(),
        names => format!(" With runtime {}, programs import packages of the workspace.", names.join(" or ")),
    };
    let (begin, example, files) = if read_only { READING } else { WRITING };
    let ScriptLimits { cpu, wall, calls, .. } = limits;
    let limits = format!(
        "
- No other modules, network, processes or environment; {} s of computing, {} s in all, {calls} calls besides those of fs. \
Await every call; Promise.all runs reads in parallel.",
        cpu.as_secs(),
        wall.as_secs()
    );
    format!("{begin}{example}{COMMON}{files}{OUTCOMES}{limits}{plugins}{runtimes}")
}

/// The parts of the description that differ where nothing may be changed: its start, an example, and the functions of files.
type Parts = (&'static str, &'static str, &'static str);

const WRITING: Parts = (
    "\
Runs one TypeScript program over this workspace instead of many tool calls: where later calls depend on earlier results, \
over several items or files, where much is read to answer little, or to edit text in several files. Only what it prints \
and returns comes back. For one question use ide_operation.
",
    "
const refs = await ide.findReferences('validateToken')
const byFile = Object.groupBy(refs.filter(r => r.role === 'call' && !r.test), r => r.path)
for (const path of Object.keys(byFile)) {
  const text = await fs.read(path)
  if (!text.includes('audit(')) await fs.edit(path, 'validateToken(token)', 'audit(validateToken(token))', true)
}
return Object.keys(byFile)
",
    "
  ide.rename(symbol, newName): Edit and the like are previews; `await ide.applyEdits(edit)` makes them part of the changes.
- fs.read(path): string, fs.read(paths): string[], fs.list(globOrFolder): string[] (all files below but ignored ones, sorted), \
fs.exists(path), fs.write(path, text), fs.edit(path, find, replace, all?) replaces the only place (or all), fs.remove(path), \
fs.rename(from, to).
- Changes are written when the program ends well: all or none, after one question to the user. `dry_run` shows them. Reads \
of fs see them at once; functions of ide see the disk.",
);

const READING: Parts = (
    "\
Runs one TypeScript program over this workspace instead of many tool calls: where later calls depend on earlier results, \
over several items or files, or where much is read to answer little. Only what it prints and returns comes back. It changes \
nothing. For one question use ide_operation.
",
    "
const refs = await ide.findReferences('validateToken')
const byFile = Object.groupBy(refs.filter(r => r.role === 'call' && !r.test), r => r.path)
const paths = Object.keys(byFile)
const texts = await fs.read(paths)
return paths.filter((path, i) => !texts[i].includes('audit('))
",
    "
- fs.read(path): string, fs.read(paths): string[], fs.list(globOrFolder): string[] (all files below but ignored ones, sorted), \
fs.exists(path). Nothing can be written: this is a read-only Dialect.",
);

const COMMON: &str = "
- Every function of ide_operation is in `ide` (lists, texts and grouping are JavaScript's): `await ide.search('src', \
'TODO')`, or with names: `await ide.findCallers({symbol: 'User.load', depth: 2})`. Results are plain objects:
  FileRange {path, start: {line, column}, end, text, in, inKind, role, test}; Definition {name, kind, path, line, signature, \
definedAt: FileRange}; Call {caller, callee, path, line, text, in, test}; Edit {id, title, files: [{path, diff}]}";

const OUTCOMES: &str = "
- A failed call throws with the remedy. `const r = await ide.findDefinitions.outcome(name)` never throws: r.outcome is \
'success' (r.value, r.notes), 'failure' (r.error.message) or 'ambiguity' (r.candidates: await r.candidates[0].choose()).";

/// Returns the JSON schema of the arguments.
pub(crate) fn input_schema(runtimes: &[String]) -> Map<String, Value> {
    let mut schema = json!({
        "type": "object",
        "properties": {
            "code": {"type": "string", "description": "TypeScript; top-level await and return work"},
            "args": {"type": ["object", "array", "string", "number", "boolean", "null"], "description": "Data for the program, its global `args`"},
            "dry_run": {"type": "boolean", "description": "Show the changes and write nothing"},
            "timeout_ms": {"type": "integer", "minimum": 1, "maximum": 300_000},
            "max_output": {"type": "integer", "minimum": 200, "maximum": MOST_OUTPUT},
        },
        "required": ["code"],
    });
    if !runtimes.is_empty() {
        let names: Vec<&str> = [EMBEDDED].into_iter().chain(runtimes.iter().map(String::as_str)).collect();
        schema["properties"]["runtime"] =
            json!({"enum": names, "description": "Others than embedded can import the workspace's packages"});
    }
    match schema {
        Value::Object(schema) => schema,
        _ => unreachable!("the literal above is an object"),
    }
}

/// The processes and outputs of one connection's programs.
#[derive(Debug)]
pub(crate) struct ScriptHost {
    settings: Scripts,
    /// A process that waits for the next program.
    ready: Mutex<Option<Worker>>,
    outputs: Arc<Outputs>,
    type_check: Arc<TypeCheck>,
}

impl ScriptHost {
    pub(crate) fn new(settings: Scripts) -> Self {
        Self { settings, ready: Mutex::default(), outputs: Arc::default(), type_check: Arc::default() }
    }

    /// Returns the limits of a program.
    pub(crate) fn limits(&self) -> ScriptLimits {
        self.settings.limits
    }

    /// Prepares for the first program of a session: a process that waits for it, and the type checker.
    pub(crate) fn prepare(&self, roots: &[PathBuf]) {
        let mut ready = lock(&self.ready);
        if ready.is_none() {
            *ready = Worker::start(&self.settings).ok();
        }
        drop(ready);
        if let Some(checker) = &self.settings.checker {
            self.type_check.prepare(checker.clone(), roots.to_vec());
        }
    }

    /// Runs a program, and writes its changes.
    pub(crate) async fn answer(&self, request: ScriptRequest, environment: Environment) -> Answer {
        let begun = Instant::now();
        let functions = stubs(environment.loaded.extensions.tables(), &environment.loaded.objects);
        let is_external = request.runtime.is_some();
        let program = match Program::read(&request.code, &functions, is_external) {
            Ok(program) => program,
            Err(problems) => {
                return refusal(&request.code, &problems, &environment.loaded.missing_in(&request.code));
            }
        };
        let mut limits = self.settings.limits;
        limits.wall = request.wall.unwrap_or(limits.wall);
        let worker = match &request.runtime {
            None => self.worker().map_err(|error| {
                let command = self.settings.program.display();
                format!("No process for the program can be started ({command}: {error}).")
            }),
            Some(runtime) => self.external(runtime, environment.roots.clone()).await,
        };
        let worker = match worker {
            Ok(worker) => worker,
            Err(why) => return Answer::failure(why),
        };
        // An external runtime has modules that the declarations do not know.
        let checker = self.settings.checker.as_ref().filter(|_| !is_external);
        let tables = environment.loaded.extensions.tables();
        let types = || stubs::declarations(tables, &environment.loaded.objects);
        let checking = self.type_check.start(
            checker,
            self.settings.limits.checking,
            &environment.roots,
            &request.code,
            types,
        );
        let clock = Arc::new(Clock::start(limits.wall));
        let draft_client = environment.client();
        let (outputs, is_dry) = (Arc::clone(&self.outputs), request.dry_run);
        let (objects, loaded) = (environment.loaded.objects.run(), Arc::clone(&environment.loaded));
        let (sender, invoked) = tokio::sync::mpsc::unbounded_channel();
        let calls = Arc::new(Calls::new(environment, Arc::clone(&clock), outputs, sender, is_dry));
        let hash = hex::encode(&Sha256::digest(&request.code)[..8]);
        let record = RunRecord { calls: Arc::clone(&calls), begun, hash, is_written: false };
        let start = start(&program, functions, &request, &limits);
        let line = |place| program.place(place).line;
        let ran = run(worker, start, Arc::clone(&calls), invoked, &clock, limits.calls, line).await;
        keep_objects(&objects, &ran.end);
        let (mut refused, mut preview) = (None, None);
        if matches!(ran.end, End::Done(_)) && calls.staged() > 0 {
            match request.dry_run {
                true => preview = Some(shown(&calls, &draft_client).await),
                false => refused = written(&calls).await,
            }
        }
        let findings = checking.findings(matches!(ran.end, End::Done(_))).await;
        let missing = missing(&loaded, &request.code, &ran.end);
        let dropped: Vec<String> = calls.files().into_iter().map(|it| it.path).collect();
        let time = begun.elapsed();
        let report = Report {
            source: &request.code,
            program: &program,
            ran: &ran,
            limits: &limits,
            time,
            max_output: request.max_output,
            written: &calls.written(),
            dropped: &dropped,
            refused,
            preview,
            findings,
            missing,
            outputs: &self.outputs,
        };
        let (answer, outcome) = (report.answer(), report.outcome_word());
        calls.ended(answer.kind.into(), outcome);
        record.finish(outcome, ran.calls.len()).await;
        answer
    }

    /// Returns the names of the external runtimes.
    pub(crate) fn runtimes(&self) -> Vec<String> {
        self.settings.runtimes.iter().map(|it| it.name.clone()).collect()
    }

    /// Starts the process of an external runtime in the session's folder.
    async fn external(&self, name: &str, roots: Vec<PathBuf>) -> Result<Worker, String> {
        let Some(runtime) = self.settings.runtimes.iter().find(|it| it.name == name).cloned() else {
            let names: Vec<String> = self.runtimes().into_iter().chain([EMBEDDED.to_owned()]).collect();
            let names = names.join(", ");
            return Err(format!(
                "There is no runtime `{name}`; there are: {names}. The user names others in the settings."
            ));
        };
        let folder = roots.first().cloned();
        let found = tokio::task::spawn_blocking(move || runtime.find(&roots)).await;
        let command = found.map_err(|error| error.to_string()).and_then(|it| it);
        let command = command.map_err(|why| format!("The runtime `{name}` cannot run: {why}."))?;
        let started = Worker::start_external(command, folder.as_deref()).await;
        started.map_err(|error| format!("The runtime `{name}` cannot be started: {error}."))
    }

    /// Takes the process that waits, and starts the next.
    fn worker(&self) -> std::io::Result<Worker> {
        let ready = lock(&self.ready).take();
        let worker = match ready {
            Some(worker) => worker,
            None => Worker::start(&self.settings)?,
        };
        *lock(&self.ready) = Worker::start(&self.settings).ok();
        Ok(worker)
    }
}

/// Shows the changes of a program that writes nothing.
async fn shown(calls: &Calls, client: &CallClient) -> String {
    let question = DraftQuestion { title: "Dry run".to_owned(), files: calls.files() };
    let drafted: Result<EditsResult, _> = client.ask(ide_protocol::Operation::Draft, &question).await;
    drafted.map_or_else(|error| error.message, |it| diffs(&it))
}

/// Writes the changes of a program that has ended well. Returns why they are not written.
async fn written(calls: &Calls) -> Option<String> {
    let CallOutcome::Error(error) = calls.commit("The changes").await else { return None };
    if error.kind == ErrorKind::Denied {
        calls.ended(Ending::Denied, "denied");
    }
    Some(error.message)
}

/// Returns the plugins that are not there and that a program which failed may have meant: all of them where it uses a
/// name that nobody has.
fn missing(loaded: &Loaded, program: &str, end: &End) -> Vec<String> {
    match end {
        End::Failed(failed) if failed.name == "ReferenceError" => loaded.missing(),
        End::Failed(_) => loaded.missing_in(program),
        End::Done(_) | End::Late | End::Died(_) => Vec::new(),
    }
}

/// Keeps the objects of plugins that the value of a program has.
fn keep_objects(objects: &ObjectsOfRun, end: &End) {
    let End::Done(Done { value: Some(value), .. }) = end else { return };
    // A value that cannot be read has texts that are no names of objects.
    if let Ok(value) = serde_json::from_str::<Value>(value.get()) {
        objects.keep(&value.into());
    }
}

/// The outcome of a program that was stopped by its agent or user.
const CANCELLED: &str = "cancelled";

/// The line about a program in the audit log. It is written however the program ends.
struct RunRecord {
    calls: Arc<Calls>,
    begun: Instant,
    /// The start of the hash of the program.
    hash: String,
    is_written: bool,
}

impl RunRecord {
    /// Writes the line about a program that has ended by itself.
    async fn finish(mut self, outcome: &'static str, made: usize) {
        self.is_written = true;
        self.calls.record(self.numbers(Some(made)), outcome).await;
    }

    fn numbers(&self, made: Option<usize>) -> Value {
        let written: Vec<String> =
            self.calls.written().into_iter().map(|it| it.to.unwrap_or(it.path)).collect();
        json!({
            "calls": made, "written": written.len(), "paths": written, "dropped": self.calls.staged(),
            "ms": u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX), "source": self.hash,
        })
    }
}

impl Drop for RunRecord {
    fn drop(&mut self) {
        if !self.is_written {
            let (calls, numbers) = (Arc::clone(&self.calls), self.numbers(None));
            tokio::spawn(async move { calls.record(numbers, CANCELLED).await });
        }
    }
}

fn start(
    program: &Program,
    functions: Vec<script_protocol::Stub>,
    request: &ScriptRequest,
    limits: &ScriptLimits,
) -> ToRuntime {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |it| it.as_secs_f64());
    ToRuntime::Start(Box::new(Start {
        code: program.code.clone(),
        name: "program.ts".to_owned(),
        functions,
        arguments: Exact::new(request.arguments.to_string()),
        now: (now * 1000.0).floor(),
        seed: 1,
        limits: script_protocol::Limits {
            cpu_ms: u64::try_from(limits.cpu.as_millis()).unwrap_or(u64::MAX),
            memory: limits.memory,
            stack: 768 * 1024,
            output: PRINTED,
        },
    }))
}

/// Returns the changes of edits, for a reader.
fn diffs(drafted: &EditsResult) -> String {
    let files = drafted.edits.iter().flat_map(|it| &it.files);
    let each = files.map(|it| {
        let what = match (&it.fate, &it.to) {
            (_, Some(to)) => format!(" → {}", visible_line(to, usize::MAX)),
            (Some(fate), None) => format!(" ({})", format!("{fate:?}").to_lowercase()),
            (None, None) => String::new(),
        };
        format!("{}{what}\n{}", visible_line(&it.path, usize::MAX), it.diff).trim_end().to_owned()
    });
    let each: Vec<String> = each.collect();
    format!("Would write, and has not written:\n{}", each.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_says_when_to_use_it_and_when_not() {
        for (read_only, edits) in [(false, true), (true, false)] {
            let text =
                description(&dialect::Registry::new([]).unwrap(), &[], read_only, ScriptLimits::default());
            let (first, _) = text.split_once("\n").unwrap();
            assert!(
                first.contains("instead of many tool calls: where later calls depend on earlier results")
            );
            assert!(first.contains("For one question use ide_operation."));
            assert_eq!(first.contains("to edit text in several files"), edits, "{first}");
            assert_eq!(first.contains("It changes nothing."), !edits, "{first}");
        }
    }
}
