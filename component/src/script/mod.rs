//! The tool `script`: one TypeScript program that calls the functions of programs, and files of the workspace.
//!
//! The program runs in a process of its own, which only computes. Its calls come back here. Changes of files are kept in
//! an overlay until its end, and then all of them are written, or none.

mod calls;
mod clock;
mod condense;
mod files;
mod overlay;
mod report;
mod run;
mod stubs;
mod worker;

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ide_protocol::{DraftQuestion, EditsResult};
use script_protocol::{CallOutcome, Start, ToRuntime};
use serde_json::{Map, Value, json};
use typescript::Program;

use self::calls::Calls;
pub(crate) use self::calls::Environment;
use self::clock::Clock;
use self::report::{Report, refusal};
use self::run::{End, run};
use self::stubs::stubs;
use self::worker::{Worker, WorkerCommand};
use crate::answer::Answer;
use crate::sync::lock;

/// The tool's name.
pub(crate) const NAME: &str = "script";

/// The maximum size of a program, in bytes.
const SOURCE: usize = 256 * 1024;

/// The maximum number of characters of output in an answer, where the call gives no other, and whatever it gives.
const OUTPUT: usize = 12_000;
const MOST_OUTPUT: usize = 48_000;

/// The number of outputs that are kept to be read later.
const KEPT: usize = 8;

/// The settings of the tool `script`.
#[derive(Clone, Debug)]
pub struct Scripts {
    command: WorkerCommand,
    /// The limits of one program.
    pub limits: Limits,
}

/// The limits of one program.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The time that it may compute. Waiting for calls does not count.
    pub cpu: Duration,
    /// The time that it may take, with its calls. Waiting for the user does not count.
    pub wall: Duration,
    /// The memory of the engine, in bytes.
    pub memory: usize,
    /// The number of calls.
    pub calls: usize,
}

impl Default for Limits {
    /// Returns 2 s of computing, 60 s in all, 64 MiB and 256 calls.
    fn default() -> Self {
        let (cpu, wall) = (Duration::from_secs(2), Duration::from_secs(60));
        Self { cpu, wall, memory: 64 * 1024 * 1024, calls: 256 }
    }
}

/// The longest time that a call may give a program.
const LONGEST: Duration = Duration::from_secs(300);

impl Scripts {
    /// Returns the settings with the command of a process that runs one program, whose frames come over its standard
    /// streams (`script_worker::run`).
    pub fn new(program: impl Into<PathBuf>, arguments: impl IntoIterator<Item = OsString>) -> Self {
        let command = WorkerCommand { program: program.into(), arguments: arguments.into_iter().collect() };
        Self { command, limits: Limits::default() }
    }
}

/// The arguments of a call.
#[derive(Clone, Debug)]
pub(crate) struct ScriptRequest {
    pub(crate) code: String,
    arguments: Value,
    wall: Option<Duration>,
    dry_run: bool,
    max_output: usize,
}

impl ScriptRequest {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// What is wrong, and how to call.
    pub(crate) fn read(arguments: Option<&Map<String, Value>>) -> Result<Self, String> {
        let empty = Map::new();
        let given = arguments.unwrap_or(&empty);
        let code = match given.get("code") {
            Some(Value::String(code)) => unfenced(code),
            Some(_) => return Err(format!("`code` must be a string that holds a program. {EXAMPLE}")),
            None => return Err(format!("The argument `code` is missing. {EXAMPLE}")),
        };
        if code.len() > SOURCE {
            let size = code.len() / 1024;
            return Err(format!(
                "The program has {size} KiB, and the limit is 256 KiB. Pass data as `args`, or read it."
            ));
        }
        let number = |name: &str| match given.get(name).filter(|it| !it.is_null()) {
            None => Ok(None),
            Some(it) => {
                let read = it.as_u64().or_else(|| it.as_str()?.trim().parse().ok());
                read.map(Some).ok_or_else(|| format!("`{name}` must be a whole number, got {it}."))
            }
        };
        let wall = number("timeout_ms")?.map(|it| Duration::from_millis(it.max(1)).min(LONGEST));
        let max_output = number("max_output")?.map_or(OUTPUT, |it| usize::try_from(it).unwrap_or(OUTPUT));
        let dry_run = matches!(given.get("dry_run"), Some(Value::Bool(true)));
        let arguments = given.get("args").cloned().unwrap_or(Value::Null);
        Ok(Self { code, arguments, wall, dry_run, max_output: max_output.clamp(200, MOST_OUTPUT) })
    }
}

const EXAMPLE: &str =
    r#"Call it like this: {"code": "const refs = await ide.findReferences('User'); return refs.length"}"#;

/// Returns a program without the fences of Markdown around it.
fn unfenced(code: &str) -> String {
    let trimmed = code.trim();
    let inside = trimmed.strip_prefix("```").and_then(|it| it.strip_suffix("```"));
    match inside.and_then(|it| it.split_once('\n')) {
        Some((language, inside))
            if ["", "ts", "typescript", "js", "javascript"].contains(&language.trim()) =>
        {
            inside.to_owned()
        }
        _ => code.to_owned(),
    }
}

/// Returns TypeScript declarations of everything that a program can call, without plugins.
pub fn declarations() -> String {
    stubs::declarations(&crate::vocabulary())
}

/// Returns the description of the tool for agents: when to use it, programs that work, and how calls differ from those
/// of `ide_operation`, whose description lists the functions.
pub(crate) fn description(registry: &dialect::Registry) -> String {
    let plugins: BTreeSet<&str> = stubs::plugins(registry).collect();
    let plugins = match plugins.len() {
        0 => String::new(),
        _ => format!(" Plugins: {}.", plugins.into_iter().collect::<Vec<_>>().join(", ")),
    };
    format!("{DESCRIPTION}{plugins}")
}

const DESCRIPTION: &str = "\
Runs one TypeScript program over this workspace instead of many tool calls: where later calls depend on earlier results, \
over several items or files, or where much is read to answer little. Only what it prints and returns comes back. For one \
question use ide_operation.

const refs = await ide.findReferences('validateToken')
const byFile = Object.groupBy(refs.filter(r => r.role === 'call' && !r.test), r => r.path)
for (const path of Object.keys(byFile)) {
  const text = await fs.read(path)
  if (!text.includes('audit(')) await fs.edit(path, 'validateToken(token)', 'audit(validateToken(token))', true)
}
return Object.keys(byFile)

- Every function of ide_operation is in `ide` (lists, texts and grouping are JavaScript's): `await ide.search('src', \
'TODO')`, or with names: `await ide.findCallers({symbol: 'User.load', depth: 2})`. Results are plain objects:
  FileRange {path, start: {line, column}, end, text, in, inKind, role, test}; Definition {name, kind, path, line, signature, \
definedAt: FileRange}; Call {caller, callee, path, line, text, in, test}; Edit {id, title, files: [{path, diff}]}
  ide.rename(symbol, newName): Edit and the like are previews; `await ide.applyEdits(edit)` makes them part of the changes.
- fs.read(path): string, fs.list(globOrFolder): string[], fs.exists(path), fs.write(path, text), fs.edit(path, find, replace, \
all?) replaces the only place (or all), fs.remove(path), fs.rename(from, to).
- Changes are written when the program ends well: all or none, after one question to the user. `dry_run` shows them. Reads \
of fs see them at once; functions of ide see the disk.
- A failed call throws with the remedy. `const r = await ide.findDefinitions.outcome(name)` never throws: r.outcome is \
'success' (r.value, r.notes), 'failure' (r.error.message) or 'ambiguity' (r.candidates: await r.candidates[0].choose()).
- No other modules, network, processes or environment; 2 s of computing, 256 calls, 60 s. Await every call; Promise.all \
runs reads in parallel.";

/// Returns the JSON schema of the arguments.
pub(crate) fn input_schema() -> Map<String, Value> {
    let schema = json!({
        "type": "object",
        "properties": {
            "code": {"type": "string", "description": "TypeScript; top-level await and return work"},
            "args": {"description": "Data for the program, its global `args`"},
            "dry_run": {"type": "boolean", "description": "Show the changes and write nothing"},
            "timeout_ms": {"type": "integer", "minimum": 1, "maximum": 300_000},
            "max_output": {"type": "integer", "minimum": 200, "maximum": MOST_OUTPUT},
        },
        "required": ["code"],
    });
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
}

/// The latest outputs that were shortened, with their ids.
#[derive(Debug, Default)]
pub(crate) struct Outputs(Mutex<VecDeque<(u64, Arc<str>)>>);

impl Outputs {
    /// Keeps an output; returns how to read it.
    fn keep(&self, text: String) -> String {
        let mut outputs = lock(&self.0);
        let id = outputs.back().map_or(1, |it| it.0 + 1);
        let lines = text.lines().count();
        outputs.push_back((id, text.into()));
        while outputs.len() > KEPT {
            outputs.pop_front();
        }
        format!("(shortened; `await dialect.output({id}, FIRST, LAST)` has its {lines} lines)")
    }

    /// Returns lines of an output, from 1 and inclusive.
    fn lines(&self, id: u64, first: usize, last: usize) -> Result<String, String> {
        let outputs = lock(&self.0);
        match outputs.iter().find(|it| it.0 == id) {
            Some((_, text)) => {
                let count = last.saturating_sub(first.max(1)) + 1;
                Ok(text.lines().skip(first.max(1) - 1).take(count).collect::<Vec<_>>().join("\n"))
            }
            None => {
                let ids: Vec<String> = outputs.iter().map(|it| it.0.to_string()).collect();
                Err(format!("no output {id} is kept; there are: {}", ids.join(", ")))
            }
        }
    }
}

impl ScriptHost {
    pub(crate) fn new(settings: Scripts) -> Self {
        Self { settings, ready: Mutex::default(), outputs: Arc::default() }
    }

    /// Runs a program, and writes its changes.
    pub(crate) async fn answer(&self, request: ScriptRequest, environment: Environment) -> Answer {
        let begun = Instant::now();
        let functions = stubs(environment.loaded.extensions.tables());
        let program = match Program::read(&request.code, &functions, module) {
            Ok(program) => program,
            Err(problems) => return refusal(&request.code, &problems),
        };
        let mut limits = self.settings.limits;
        limits.wall = request.wall.unwrap_or(limits.wall);
        let worker = match self.worker() {
            Ok(worker) => worker,
            Err(error) => {
                let command = self.settings.command.program.display();
                return Answer::failure(format!(
                    "No process for the program can be started ({command}: {error})."
                ));
            }
        };
        let clock = Arc::new(Clock::start(limits.wall));
        let draft_client = environment.client();
        let calls = Arc::new(Calls::new(environment, Arc::clone(&clock), Arc::clone(&self.outputs)));
        let start = start(&program, functions, &request, &limits);
        let ran = run(worker, start, Arc::clone(&calls), &clock, limits.calls).await;
        let (mut refused, mut preview) = (None, None);
        let staged = calls.staged();
        if matches!(ran.end, End::Done(_)) && staged > 0 {
            if request.dry_run {
                let question = DraftQuestion { title: "Dry run".to_owned(), files: calls.files() };
                let drafted: Result<EditsResult, _> =
                    draft_client.ask(ide_protocol::Operation::Draft, &question).await;
                preview = Some(drafted.map_or_else(|error| error.message, |it| diffs(&it)));
            } else if let CallOutcome::Error(error) = calls.commit("The changes").await {
                refused = Some(error.message);
            }
        }
        let keep = |text: String| self.outputs.keep(text);
        let report = Report {
            source: &request.code,
            program: &program,
            ran: &ran,
            limits: &limits,
            time: begun.elapsed(),
            max_output: request.max_output,
            written: &calls.written(),
            dropped: calls.staged(),
            refused,
            preview,
            kept: &keep,
        };
        report.answer()
    }

    /// Takes the process that waits, and starts the next.
    fn worker(&self) -> std::io::Result<Worker> {
        let ready = lock(&self.ready).take();
        let worker = match ready {
            Some(worker) => worker,
            None => Worker::start(&self.settings.command)?,
        };
        *lock(&self.ready) = Worker::start(&self.settings.command).ok();
        Ok(worker)
    }
}

fn start(
    program: &Program,
    functions: Vec<script_protocol::Stub>,
    request: &ScriptRequest,
    limits: &Limits,
) -> ToRuntime {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |it| it.as_secs_f64());
    ToRuntime::Start(Box::new(Start {
        code: program.code.clone(),
        name: "program.ts".to_owned(),
        functions,
        arguments: request.arguments.clone(),
        now: (now * 1000.0).floor(),
        seed: 1,
        limits: script_protocol::Limits {
            cpu_ms: u64::try_from(limits.cpu.as_millis()).unwrap_or(u64::MAX),
            memory: limits.memory,
            stack: 768 * 1024,
            output: 5 * 1024 * 1024,
        },
    }))
}

/// Returns the expression of a module that programs can import.
fn module(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix("./").unwrap_or(name);
    let name = name.strip_suffix(".ts").or_else(|| name.strip_suffix(".js")).unwrap_or(name);
    match name {
        "dialect" | "ide" | "tools" | "tsforge-tools" => Some("$modules.dialect"),
        "fs" | "node:fs" | "fs/promises" | "node:fs/promises" => Some("$modules.files"),
        "path" | "node:path" => Some("$modules.path"),
        _ => None,
    }
}

/// Returns the changes of edits, for a reader.
fn diffs(drafted: &EditsResult) -> String {
    let files = drafted.edits.iter().flat_map(|it| &it.files);
    let each = files.map(|it| {
        let what = match (&it.fate, &it.to) {
            (_, Some(to)) => format!(" → {to}"),
            (Some(fate), None) => format!(" ({})", format!("{fate:?}").to_lowercase()),
            (None, None) => String::new(),
        };
        format!("{}{what}\n{}", it.path, it.diff).trim_end().to_owned()
    });
    let each: Vec<String> = each.collect();
    format!("Would write, and has not written:\n{}", each.join("\n"))
}
