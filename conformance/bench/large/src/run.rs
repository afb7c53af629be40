//! Runs a process, and says what it took.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wait4::Wait4;

/// So many bytes of what it says are kept: the memory of who starts a process counts as the process's own.
const OUTPUT: u64 = 1024 * 1024;

/// The resources and the output of one process.
#[derive(Clone, Debug)]
pub struct Run {
    pub wall: Duration,
    pub cpu: Duration,
    /// The most memory that it held, in bytes.
    pub peak: u64,
    pub output: String,
}

/// Returns a command that finds no language server: with an empty search path and without a home, where installers put
/// theirs. It answers without the background process.
fn alone(program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).env("PATH", "").env("DIALECT_SERVER", "off");
    for variable in ["HOME", "CARGO_HOME", "RUSTUP_HOME"] {
        command.env_remove(variable);
    }
    command
}

/// Runs a program to its end, without the background process.
pub fn run(program: &Path, arguments: &[&str]) -> Run {
    measured(alone(program, arguments))
}

/// Runs a program to its end. The background process answers whose socket is in that folder; the first call starts it.
pub fn run_with_background(program: &Path, arguments: &[&str], folder: &Path) -> Run {
    let mut command = alone(program, arguments);
    command.env("DIALECT_SERVER", "on").env("XDG_RUNTIME_DIR", folder);
    measured(command)
}

fn measured(mut command: Command) -> Run {
    let began = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{} does not start: {error}", command.get_program().display()));
    let (mut output, mut pipe) = (Vec::new(), child.stdout.take().expect("it is piped"));
    pipe.by_ref().take(OUTPUT).read_to_end(&mut output).expect("a pipe can be read");
    io::copy(&mut pipe, &mut io::sink()).expect("a pipe can be read");
    let used = child.wait4().expect("it is our child").rusage;
    Run {
        wall: began.elapsed(),
        cpu: used.utime + used.stime,
        peak: used.maxrss,
        output: String::from_utf8_lossy(&output).into_owned(),
    }
}

/// Runs all of them in turns, so that a busy moment hits all, and gives the runs of each.
pub fn in_turns(rounds: usize, all: &[&dyn Fn() -> Run]) -> Vec<Vec<Run>> {
    // The first turn fills the page cache.
    all.iter().for_each(|it| drop(it()));
    let mut runs = vec![Vec::new(); all.len()];
    for _ in 0..rounds {
        all.iter().zip(&mut runs).for_each(|(it, runs)| runs.push(it()));
    }
    runs
}

/// The median of some figure of the runs.
pub fn median(runs: &[Run], figure: impl Fn(&Run) -> f64) -> f64 {
    let mut figures: Vec<f64> = runs.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// Milliseconds.
pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// `wall | CPU | peak memory`, the medians.
pub fn figures(runs: &[Run]) -> String {
    let (wall, cpu) = (median(runs, |it| ms(it.wall)), median(runs, |it| ms(it.cpu)));
    let peak = median(runs, |it| it.peak as f64 / 1024.0 / 1024.0);
    format!("{wall:.0} | {cpu:.0} | {peak:.0}")
}

/// ripgrep's program: `$RG`, or what the search path has.
pub fn ripgrep() -> std::path::PathBuf {
    if let Some(path) = std::env::var_os("RG") {
        return path.into();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&path).map(|it| it.join("rg"));
    found.find(|it| it.is_file()).expect("ripgrep is needed: `pip install ripgrep`, or its path in RG")
}
