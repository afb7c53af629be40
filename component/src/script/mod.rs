//! The tool `script`: one TypeScript program that calls the functions of programs, and files of the workspace.
//!
//! The program runs in a process of its own, which only computes. Its calls come back here. Changes of files are kept in
//! an overlay until its end, and then all of them are written, or none.

mod calls;
mod clock;
mod condense;
mod files;
mod outputs;
mod overlay;
mod report;
mod run;
mod stubs;
mod worker;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ide_protocol::{DraftQuestion, EditsResult};
use script_protocol::{CallOutcome, Start, ToRuntime};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use typescript::Program;

use self::calls::Calls;
pub(crate) use self::calls::{Environment, NAME};
use self::clock::Clock;
use self::outputs::Outputs;
use self::report::{Report, refusal};
use self::run::{End, run};
use self::stubs::stubs;
use self::worker::Worker;
use crate::answer::Answer;
use crate::script_settings::{ScriptLimits, Scripts};
use crate::sync::lock;

/// The maximum size of a program, in bytes.
const SOURCE: usize = 256 * 1024;

/// The maximum number of characters of output in an answer, where the call gives no other, and whatever it gives.
const OUTPUT: usize = 12_000;
const MOST_OUTPUT: usize = 48_000;

/// The longest time that a call may give a program.
const LONGEST: Duration = Duration::from_secs(300);

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
                let command = self.settings.program.display();
                return Answer::failure(format!(
                    "No process for the program can be started ({command}: {error})."
                ));
            }
        };
        let clock = Arc::new(Clock::start(limits.wall));
        let draft_client = environment.client();
        let calls = Arc::new(Calls::new(environment, Arc::clone(&clock), Arc::clone(&self.outputs)));
        let start = start(&program, functions, &request, &limits);
        let line = |place| program.place(place).line;
        let ran = run(worker, start, Arc::clone(&calls), &clock, limits.calls, line).await;
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
            outputs: &self.outputs,
        };
        let (answer, outcome) = (report.answer(), report.outcome_word());
        let hash: String = Sha256::digest(&request.code)[..8].iter().map(|it| format!("{it:02x}")).collect();
        let numbers = json!({
            "calls": ran.calls.len(), "written": calls.written().len(), "dropped": calls.staged(),
            "ms": u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX), "source": hash,
        });
        calls.record(numbers, outcome).await;
        answer
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
