//! Fifty calls that follow each other, in one runtime after the other. Each round runs all of them in turn.
//!
//! Standard input has the runtimes and the number of rounds as JSON; standard output gets the times.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use serde::{Deserialize, Serialize};

use crate::{frames, http};

#[derive(Deserialize)]
struct Setup {
    rounds: usize,
    runtimes: Vec<Runtime>,
}

#[derive(Deserialize)]
pub(crate) struct Runtime {
    name: String,
    kind: Kind,
    command: Vec<String>,
    /// The environment, which replaces that of this process.
    #[serde(default)]
    environment: Vec<(String, PathBuf)>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// The frames of our protocol.
    Frames,
    /// Its program fetches from this process.
    Http,
    /// It runs the program once for each line that it reads, and answers with a line.
    Lines,
}

/// The times of one runtime, in milliseconds.
#[derive(Serialize)]
struct Times {
    name: String,
    /// From the start of a process to its end.
    cold: Vec<f64>,
    /// Computing time of that, of the process alone.
    cpu: Vec<f64>,
    /// In a process that waited for the program; none where that cannot be.
    warm: Vec<f64>,
}

pub(crate) fn main() {
    let mut given = String::new();
    std::io::stdin().read_to_string(&mut given).expect("it is readable");
    let Setup { rounds, runtimes } = serde_json::from_str(&given).expect("it is the setup");
    let server = http::serve();
    let mut all: Vec<Times> = runtimes
        .iter()
        .map(|it| Times { name: it.name.clone(), cold: vec![], cpu: vec![], warm: vec![] })
        .collect();
    let mut waiting: Vec<Option<Child>> =
        runtimes.iter().map(|it| (it.kind == Kind::Lines).then(|| warmed(it))).collect();
    for _ in 0..rounds {
        for ((runtime, times), waiting) in runtimes.iter().zip(&mut all).zip(&mut waiting) {
            let (before, begun) = (cpu(), Instant::now());
            let mut child = runtime.start(server);
            runtime.run(&mut child);
            end(child);
            times.cold.push(begun.elapsed().as_secs_f64() * 1e3);
            times.cpu.push(cpu() - before);
            match (runtime.kind, waiting) {
                (Kind::Frames, _) => times.warm.push(prewarmed(runtime, server)),
                (_, Some(child)) => times.warm.push(timed(|| line(child))),
                (_, None) => {}
            }
        }
    }
    waiting.into_iter().flatten().for_each(end);
    println!("{}", serde_json::to_string(&all).expect("it is data"));
}

impl Runtime {
    fn start(&self, server: u16) -> Child {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).env_clear().envs(self.environment.iter().map(|(key, it)| (key, it)));
        command.env("PORT", server.to_string()).env("TOKEN", http::TOKEN);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts")
    }

    fn run(&self, child: &mut Child) {
        match self.kind {
            Kind::Frames => frames::run(child),
            Kind::Http => {
                let mut said = String::new();
                child.stdout.take().expect("it is a pipe").read_to_string(&mut said).expect("it is text");
                assert_eq!(said.trim(), frames::EXPECTED, "{}", self.name);
            }
            Kind::Lines => line(child),
        }
    }
}

fn end(mut child: Child) {
    drop(child.stdin.take());
    child.wait().expect("it is our child");
}

/// Returns a process that has run the program already.
fn warmed(runtime: &Runtime) -> Child {
    let mut child = runtime.start(0);
    for _ in 0..5 {
        line(&mut child);
    }
    child
}

/// Returns the time of a program in a process that has said that it is ready.
fn prewarmed(runtime: &Runtime, server: u16) -> f64 {
    let mut child = runtime.start(server);
    let mut frames = frames::Frames::default();
    frames.ready(&mut child);
    // The process that says so still goes on to wait for the program.
    std::thread::sleep(std::time::Duration::from_millis(2));
    let time = timed(|| frames.run(&mut child));
    end(child);
    time
}

fn line(child: &mut Child) {
    child.stdin.as_mut().expect("it is a pipe").write_all(b"run\n").expect("it reads");
    let mut said = String::new();
    // It writes nothing more before it is asked, so that nothing is lost with the buffer.
    BufReader::new(child.stdout.as_mut().expect("it is a pipe")).read_line(&mut said).expect("it is text");
    assert_eq!(said.trim(), frames::EXPECTED);
}

fn timed(action: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    action();
    begun.elapsed().as_secs_f64() * 1e3
}

/// Returns the computing time of all processes that this one has waited for, in milliseconds.
fn cpu() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the kernel tells it");
    let (user, system) = (usage.user_time(), usage.system_time());
    [user, system].iter().map(|it| it.tv_sec() as f64 * 1e3 + it.tv_usec() as f64 / 1e3).sum()
}
