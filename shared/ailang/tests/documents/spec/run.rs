//! Examples that run.
//!
//! A block `run` is the program of an example, behind the definitions of `define`. `fixtures` has results of tools,
//! `answers` has what the user answers, a line each, and `settings` has words: `strict`, `none`, `return`, `log`, `ask`,
//! `grant`, `grant-once` (the first permission alone), `alone` (without the built-in modules).
//!
//! A block `file PATH` is a file below the folder that the built-in modules know, and `link PATH` a symbolic link to what
//! it says. `server` has the answers of HTTP servers by method and URL.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use ailang::{
    CapabilityMode, Document, Documents, ErrorStrategy, Fixtures, Gate, Host, PermissionRequest, Refusal,
    Runtime, RuntimeSettings, RuntimeSetup, ValidationMode,
};
use built_in_modules::{BuiltInModules, HttpRequest, HttpResponse, Transport};
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::{BoxFuture, ready};
use literate::{Actual, Case};
use serde::Deserialize;
use tempfile::TempDir;

/// A world whose clock moves only when somebody waits.
#[derive(Debug)]
struct World {
    now: Mutex<f64>,
    waits: Mutex<Vec<String>>,
    answers: Mutex<VecDeque<String>>,
    asked: Mutex<Vec<String>>,
    /// The permissions that are granted from now on.
    grants: Mutex<usize>,
}

impl Host for World {
    fn now(&self) -> f64 {
        *lock(&self.now)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        *lock(&self.now) += duration.as_secs_f64();
        lock(&self.waits).push(format!("{:.2}", duration.as_secs_f64()));
        ready(()).boxed()
    }

    fn ask(&self, question: &str, options: &[String]) -> BoxFuture<'static, Result<Option<String>, String>> {
        lock(&self.asked).push(format!("{question} [{}]", options.join(", ")));
        ready(Ok(lock(&self.answers).pop_front())).boxed()
    }
}

struct Asked(Arc<World>);

impl Gate for Asked {
    fn permits(&self, request: PermissionRequest) -> BoxFuture<'static, Result<(), Refusal>> {
        let names: Vec<String> = request.requires.iter().map(ToString::to_string).collect();
        lock(&self.0.asked).push(format!("{} needs {}", request.tool, names.join(", ")));
        let mut grants = lock(&self.0.grants);
        let is_granted = *grants > 0;
        *grants = grants.saturating_sub(1);
        ready(if is_granted { Ok(()) } else { Err(Refusal::default()) }).boxed()
    }
}

/// An answer of a server.
#[derive(Clone, Deserialize)]
struct Answer {
    status: u16,
    #[serde(default)]
    body: serde_json::Value,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    location: Option<String>,
}

/// Servers that answer as a case says, and a note of what they were asked.
struct Servers {
    answers: HashMap<String, Answer>,
    world: Arc<World>,
}

impl Transport for Servers {
    fn send(&self, request: HttpRequest) -> BoxFuture<'static, Result<HttpResponse, String>> {
        let HttpRequest { method, url, headers, body } = request;
        let headers: String = headers.iter().map(|(name, value)| format!(" {name}: {value}")).collect();
        let body = body.map(|it| format!(" {it}")).unwrap_or_default();
        lock(&self.world.asked).push(format!("{method} {url}{headers}{body}"));
        let answer = self.answers.get(&format!("{method} {url}")).cloned();
        let response = answer.map(|it| HttpResponse {
            status: it.status,
            media_type: if it.text.is_some() { "text/plain" } else { "application/json" }.to_owned(),
            location: it.location,
            body: it.text.unwrap_or_else(|| it.body.to_string()).into_bytes(),
        });
        ready(response.ok_or_else(|| "nobody is there".to_owned())).boxed()
    }
}

/// Writes the files of a case.
fn written(case: &Case) -> TempDir {
    let folder = tempfile::tempdir().expect("there is room");
    let place = |path: &str| {
        let path = folder.path().join(path);
        let parent = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(parent).expect("there is room");
        path
    };
    for input in case.inputs_of("file") {
        std::fs::write(place(&input.subject), format!("{}\n", input.text)).expect("there is room");
    }
    for input in case.inputs_of("link") {
        rustix::fs::symlink(input.text.trim(), place(&input.subject)).expect("there is room");
    }
    folder
}

pub(crate) fn of(case: &Case, documents: &Documents) -> Actual {
    let mut documents = documents.clone();
    let path = match case.input("run") {
        Some(program) => {
            let definitions = case.input("define").unwrap_or_default();
            let output =
                case.input("output").map(|it| format!("````output\n{it}\n````\n")).unwrap_or_default();
            let text = format!(
                "---\nid: test\ntitle: Test\nsummary: For tests.\n---\n\n<define>\n{definitions}\n</define>\n\n\
                 <example id=\"it\">\n````\n{program}\n````\n{output}</example>\n"
            );
            documents.insert("test.md", Document::parse(text));
            "test.md".to_owned()
        }
        None => documents.iter().next().expect("there is a document").0.to_owned(),
    };
    let words: Vec<&str> = case.input("settings").unwrap_or_default().split_whitespace().collect();
    let answers = case.input("answers").unwrap_or_default().lines().map(str::to_owned).collect();
    let world = Arc::new(World {
        now: Mutex::new(1_000.0),
        waits: Mutex::default(),
        answers: Mutex::new(answers),
        asked: Mutex::default(),
        grants: Mutex::new(match () {
            () if words.contains(&"grant") => usize::MAX,
            () => usize::from(words.contains(&"grant-once")),
        }),
    });
    let folder = written(case);
    let answers = case.input("server").map(|it| serde_json::from_str(it).expect("they are answers"));
    let servers = Servers { answers: answers.unwrap_or_default(), world: Arc::clone(&world) };
    let modules = BuiltInModules::new(folder.path(), folder.path()).with_transport(Arc::new(servers));
    let setup = RuntimeSetup {
        settings: settings(&words),
        host: Arc::clone(&world) as Arc<dyn Host>,
        fixtures: case.input("fixtures").map(|it| Fixtures::parse(it).expect("they are fixtures")),
        modules: (!words.contains(&"alone")).then(|| Arc::new(modules) as _),
        gate: Some(Arc::new(Asked(Arc::clone(&world)))),
        libraries: vec![core_library::library()],
        ..RuntimeSetup::default()
    };
    let runtime = match Runtime::new(documents, &path, setup) {
        Ok(runtime) => runtime,
        Err(message) => return Actual::new("refused", message),
    };
    let (mut text, mut failed) = (String::new(), false);
    for index in 0..runtime.examples().len() {
        let result = block_on(runtime.run_example(index)).expect("there is an example");
        text.push_str(&shortened(&result.output));
        result.log.iter().for_each(|line| text.push_str(&format!("log: {line}\n")));
        if let Some(error) = result.error {
            failed = true;
            text.push_str(&format!("{}\n", error.text));
        }
    }
    lock(&world.asked).iter().for_each(|it| text.push_str(&format!("asked: {it}\n")));
    let waits = lock(&world.waits);
    if !waits.is_empty() {
        text.push_str(&format!("waited: {} s\n", waits.join(", ")));
    }
    Actual::new(if failed { "fails" } else { "prints" }, text.trim_end())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no test panics while it holds it")
}

/// Returns the output, or the start of a long one.
fn shortened(output: &str) -> String {
    let lines = output.lines().count();
    match lines {
        ..100 => output.to_owned(),
        _ => format!("{}\n… ({lines} lines)\n", output.lines().next().unwrap_or_default()),
    }
}

fn settings(words: &[&str]) -> RuntimeSettings {
    let has = |word| words.contains(&word);
    RuntimeSettings {
        capabilities: if has("ask") || has("grant") || has("grant-once") {
            CapabilityMode::Strict
        } else {
            CapabilityMode::Audit
        },
        validation: match () {
            () if has("strict") => ValidationMode::Strict,
            () if has("none") => ValidationMode::None,
            () => ValidationMode::Runtime,
        },
        errors: match () {
            () if has("return") => ErrorStrategy::Return,
            () if has("log") => ErrorStrategy::Log,
            () => ErrorStrategy::Throw,
        },
        ..RuntimeSettings::default()
    }
}
