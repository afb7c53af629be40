//! Examples that run.
//!
//! A block `run` is the program of an example, behind the definitions of `define`. `fixtures` has results of tools,
//! `answers` has what the user answers, a line each, and `settings` has words: `strict`, `none`, `return`, `log`, `ask`,
//! `grant`.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use ailang::{
    CapabilityMode, Document, Documents, ErrorStrategy, Fixtures, Gate, Host, PermissionRequest, Refusal,
    Runtime, RuntimeSettings, RuntimeSetup, ValidationMode,
};
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::{BoxFuture, ready};
use literate::{Actual, Case};

/// A world whose clock moves only when somebody waits.
#[derive(Debug)]
struct World {
    now: Mutex<f64>,
    waits: Mutex<Vec<String>>,
    answers: Mutex<VecDeque<String>>,
    asked: Mutex<Vec<String>>,
    grants: bool,
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
        ready(if self.0.grants { Ok(()) } else { Err(Refusal::default()) }).boxed()
    }
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
        grants: words.contains(&"grant"),
    });
    let setup = RuntimeSetup {
        settings: settings(&words),
        host: Arc::clone(&world) as Arc<dyn Host>,
        fixtures: case.input("fixtures").map(|it| Fixtures::parse(it).expect("they are fixtures")),
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
        capabilities: if has("ask") || has("grant") { CapabilityMode::Strict } else { CapabilityMode::Audit },
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
