//! Programs with the frames that their process sends, each in a process of its own, behind the strictest wall. This
//! program is that process too.
//!
//! A chapter's program is JavaScript. Its functions are those of `answer` below.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod node;

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Arguments;
use literate::{Actual, Case, chapters};
use script_protocol::{
    Answered, CallError, CallOutcome, CallTarget, Candidate, Decoder, ErrorKind, Exact, FailedReason,
    FromRuntime, Limits, Start, Stub, ToRuntime, encode,
};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The private memory of the process, in bytes.
const MEMORY: u64 = 512 * 1024 * 1024;

/// The limits of a program here: tight, so that tests are short.
const LIMITS: Limits = Limits { cpu_ms: 500, memory: 16 * 1024 * 1024, stack: 768 * 1024, output: 5_000_000 };

/// The processor time beyond its limit after which a program counts as not stopped. The bench of scripts measures it.
const OVERSHOOT: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("worker") {
        let memory = script_worker::PeakMemory::open();
        let unconfined = confinement::isolate(MEMORY).err().map(|it| it.to_string());
        script_worker::run(std::io::stdin(), std::io::stdout(), unconfined, memory);
        return ExitCode::SUCCESS;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("spec");
    let mut trials: Vec<_> = chapters(&folder).into_iter().flat_map(|it| it.trials(run)).collect();
    trials.extend(node::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn run(case: &Case) -> Actual {
    let code = case.input("js").unwrap();
    let mut worker = Worker::start();
    worker.send(&ToRuntime::Start(Box::new(start(code))));
    let begun = Instant::now();
    let mut told = Vec::new();
    let (kind, message) = loop {
        match worker.next() {
            None => break ("died".to_owned(), worker.child.wait().unwrap().to_string()),
            Some(FromRuntime::Ready { unconfined }) => assert_eq!(unconfined, None),
            Some(FromRuntime::Log(log)) => {
                told.push(if log.is_error { format!("! {}", log.text) } else { log.text });
            }
            Some(FromRuntime::Call(call)) => {
                let outcome = answer(&call.target);
                worker.send(&ToRuntime::Answered(Answered { call: call.call, outcome }));
            }
            Some(FromRuntime::Returned(_)) => unreachable!("no call of these programs takes functions"),
            Some(FromRuntime::Done(done)) => {
                if let Some(value) = done.value {
                    told.push(format!("= {value}"));
                }
                let places =
                    done.unawaited.iter().map(|it| format!("not awaited: {}:{}", it.line, it.column));
                told.extend(places);
                break ("done".to_owned(), String::new());
            }
            Some(FromRuntime::Failed(failed)) => {
                // Where a limit stops a program is not the same each time.
                let is_limit = [FailedReason::Cpu, FailedReason::Memory].contains(&failed.reason);
                let places = failed.stack.iter().filter(|_| !is_limit).map(|it| {
                    format!("\n  at {}:{} {}", it.place.line, it.place.column, it.function)
                        .trim_end()
                        .to_owned()
                });
                let call = failed.call.map(|it| format!(" (call {it})")).unwrap_or_default();
                let name = if failed.name.is_empty() { "" } else { &format!("{}: ", failed.name) };
                let message = format!("{name}{}{call}{}", failed.message, places.collect::<String>());
                let kind = serde_json::to_value(failed.reason).unwrap();
                if failed.reason == FailedReason::Cpu {
                    let limit = Duration::from_millis(LIMITS.cpu_ms);
                    worker.child.wait().unwrap();
                    let cpu = Duration::from_millis(failed.cpu_ms);
                    assert!(cpu < limit + OVERSHOOT, "{cpu:?} of {:?}", begun.elapsed());
                }
                break (kind.as_str().unwrap().to_owned(), message);
            }
        }
    };
    if told.len() > 20 {
        told = vec!["(it printed without end)".to_owned()];
    }
    told.extend(Some(message).filter(|it| !it.is_empty()));
    Actual::new(kind, told.join("\n"))
}

fn start(code: &str) -> Start {
    let stub = |name: &str, parameters: &[&str]| Stub {
        namespace: "test".into(),
        name: name.into(),
        parameters: parameters.iter().map(|it| (*it).to_owned()).collect(),
        ..Stub::default()
    };
    Start {
        code: format!("(async () => {{{code}\n}})"),
        name: "program.ts".into(),
        functions: vec![
            stub("echo", &["value", "times"]),
            stub("fail", &["why"]),
            stub("ask", &["name"]),
            stub("partial", &[]),
        ],
        arguments: Exact::new(r#"{"given": [1, 2], "id": 9007199254740993}"#.to_owned()),
        now: 1_700_000_000_000.0,
        seed: 7,
        limits: LIMITS,
    }
}

/// Answers a call: `echo` with its arguments, `fail` with a failure, `ask` with an ambiguity, `partial` with a note.
fn answer(target: &CallTarget) -> CallOutcome {
    let success = |it: Value, notes: &[&str]| {
        let Exact { json, mark } = Exact::new(it.to_string());
        let value = RawValue::from_string(json).unwrap();
        CallOutcome::Success { value, mark, notes: notes.iter().map(|it| (*it).to_owned()).collect() }
    };
    match target {
        CallTarget::Candidate { of, index } => success(json!([of, index]), &[]),
        CallTarget::Function { name, positional, named, .. } => match name.as_str() {
            "echo" => {
                let positional: Value = serde_json::from_str(positional.get()).unwrap();
                let named: Value = serde_json::from_str(named.get()).unwrap();
                success(json!([positional, named]), &[])
            }
            "partial" => success(json!([1]), &["there may be more"]),
            "ask" => CallOutcome::Error(CallError {
                operation: "test.ask".into(),
                kind: ErrorKind::Ambiguous,
                message: "which one?".into(),
                candidates: ["one", "two"]
                    .map(|it| Candidate { description: it.into(), program: format!("ask(`{it}`)") })
                    .into(),
            }),
            _ => CallOutcome::Error(CallError {
                operation: "test.fail".into(),
                kind: ErrorKind::Failure,
                message: "it failed".into(),
                candidates: Vec::new(),
            }),
        },
    }
}

struct Worker {
    child: Child,
    decoder: Decoder,
}

impl Worker {
    fn start() -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("worker").env_clear();
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        Self { child, decoder: Decoder::default() }
    }

    fn send(&mut self, frame: &ToRuntime) {
        let _ = self.child.stdin.as_mut().unwrap().write_all(&encode(frame).unwrap()); // it may have ended
    }

    fn next(&mut self) -> Option<FromRuntime> {
        let mut chunk = [0; 65536];
        loop {
            if let Some(frame) = self.decoder.decode().unwrap() {
                return Some(frame);
            }
            match self.child.stdout.as_mut().unwrap().read(&mut chunk).unwrap() {
                0 => return None,
                count => self.decoder.push(&chunk[..count]),
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
