//! Measures what a plugin's call costs beyond the pipe, and how many calls a second fit. The plugin is this program
//! itself, started once more.

use std::io::{BufRead, BufReader, Write, stdin, stdout};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use component::plugins::{Callbacks, Launch, Plugin};
use dialect_plugin::Host;
use futures::StreamExt;
use plugin_protocol::Value;
use plugin_protocol::methods::Arguments;
use schemars::JsonSchema;
use serde::Deserialize;

/// The calls of one round.
const CALLS: u32 = 20_000;

/// The rounds, of which the median counts.
const ROUNDS: usize = 5;

/// The bytes of the text that goes there and back.
const TEXT: usize = 64;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("kit") => {
            let echo = |it: Echo, _: &Host| Ok(it.text);
            dialect_plugin::Plugin::new("bench").pure("echo", "Returns its text", echo).serve()
        }
        Some("lines") => lines(),
        Some("bare") => bare_answers(),
        _ => {
            let runtime = tokio::runtime::Runtime::new().expect("a runtime");
            runtime.block_on(measure());
            ExitCode::SUCCESS
        }
    }
}

/// Returns every line as it is: the pipe alone.
fn lines() -> ExitCode {
    let mut output = stdout().lock();
    for line in stdin().lock().lines().map_while(Result::ok) {
        output.write_all(line.as_bytes()).and_then(|()| output.write_all(b"\n")).expect("the pipe is open");
        output.flush().expect("the pipe is open");
    }
    ExitCode::SUCCESS
}

/// Answers each request with the text of its line, with no more work than to find it: the least that a plugin can do.
fn bare_answers() -> ExitCode {
    let handshake = r#"{"protocol":"1.0","transport":"json","library":{"name":"bench"},"schema":{"functions":[{"name":"echo"}]}}"#;
    let mut output = stdout().lock();
    for line in stdin().lock().lines().map_while(Result::ok) {
        let id = line.split("\"id\":").nth(1).and_then(|it| it.split([',', '}']).next()).unwrap_or("null");
        let result = match line.find("\"args\":[") {
            _ if line.contains("scriptling.handshake") => handshake,
            Some(at) => line[at + 8..].strip_suffix("]}}").unwrap_or("null"),
            None => "null",
        };
        writeln!(output, "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}").expect("the pipe is open");
        output.flush().expect("the pipe is open");
    }
    ExitCode::SUCCESS
}

async fn measure() {
    let pipe = median((0..ROUNDS).map(|_| pipe()).collect());
    println!("| | µs a call | calls a second |\n|---|---:|---:|");
    row("the bare pipe, one line there and back at a time", pipe);
    for (name, mode) in [("a plugin that only copies", "bare"), ("a plugin of the kit", "kit")] {
        for in_flight in [1, 8, 64] {
            let mut rounds = Vec::new();
            for _ in 0..ROUNDS {
                rounds.push(calls(mode, in_flight).await);
            }
            let words = format!("{name}, {in_flight} in flight");
            row(&words, median(rounds));
        }
    }
}

fn row(name: &str, each: Duration) {
    println!("| {name} | {:.1} | {:.0} |", each.as_secs_f64() * 1e6, 1.0 / each.as_secs_f64());
}

fn median(mut rounds: Vec<Duration>) -> Duration {
    rounds.sort();
    rounds[rounds.len() / 2] / CALLS
}

/// Sends the bytes of the same calls through a process that returns them.
fn pipe() -> Duration {
    let own = std::env::current_exe().expect("it runs");
    let mut child =
        Command::new(own).arg("lines").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("it is piped");
    let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
    let text = "x".repeat(TEXT);
    let line = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1000,\"method\":\"function.call\",\"params\":{{\"name\":\"echo\",\"args\":\
         [{{\"type\":\"string\",\"value\":\"{text}\"}}]}}}}\n"
    );
    let mut answer = String::new();
    let started = Instant::now();
    for _ in 0..CALLS {
        answer.clear();
        input.write_all(line.as_bytes()).expect("the pipe is open");
        output.read_line(&mut answer).expect("the pipe is open");
    }
    let time = started.elapsed();
    drop(input);
    let _ = child.wait();
    time
}

async fn calls(mode: &str, in_flight: usize) -> Duration {
    let own = std::env::current_exe().expect("it runs");
    let launch = Launch { arguments: vec![mode.into()], ..Launch::new(own) };
    let plugin = Plugin::start(launch).await.expect("it starts");
    let text = "x".repeat(TEXT);
    let call = async |_: u32| {
        let arguments = Arguments { args: vec![Value::String(text.clone())], ..Arguments::default() };
        let answer = plugin.call("echo", arguments, Callbacks::default()).await;
        assert!(matches!(answer, Ok(Value::String(it)) if it.len() == TEXT), "an echo");
    };
    let started = Instant::now();
    futures::stream::iter(0..CALLS).map(call).buffer_unordered(in_flight).for_each(async |()| ()).await;
    let time = started.elapsed();
    plugin.shutdown().await.expect("it ends");
    time
}
