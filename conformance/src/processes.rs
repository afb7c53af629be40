//! The processes of one run: whoever has its name in the environment.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::NamedTempFile;

/// The variable that every process of a run inherits.
pub const VARIABLE: &str = "DIALECT_RUN";

/// The time after which a wait for a process counts as a hang.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A run of real processes.
#[derive(Debug)]
pub struct Run {
    id: String,
    stderr: Option<NamedTempFile>,
}

/// The resources of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holding {
    /// Resident memory in KiB.
    pub resident: u64,
    /// The part of it that is no file's, in KiB: what it has allocated. The rest is its program, as far as it was needed.
    pub allocated: u64,
    pub threads: u64,
    /// Open files, sockets, pipes and watches.
    pub descriptors: u64,
}

/// One process of a run.
#[derive(Clone, Debug)]
pub struct Process {
    pub id: i32,
    /// Its command line, separated by spaces.
    pub command: String,
}

impl Default for Run {
    fn default() -> Self {
        Self::new()
    }
}

impl Run {
    /// With a name that no other run of this machine has.
    pub fn new() -> Self {
        static RUNS: AtomicU32 = AtomicU32::new(0);
        let (process, n) = (std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
        let started = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let started = started.map_or(0, |it| it.as_nanos());
        Self { id: format!("{process}-{n}-{started}"), stderr: NamedTempFile::new().ok() }
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns standard error for its processes: a file.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn stderr(&self) -> Result<std::process::Stdio> {
        let file = self.stderr.as_ref().ok_or_else(|| anyhow!("no temporary file for standard error"))?;
        Ok(File::options().append(true).open(file.path())?.into())
    }

    /// The end of what they wrote.
    pub fn last_words(&self) -> String {
        let text = self.stderr.as_ref().and_then(|it| std::fs::read(it.path()).ok()).unwrap_or_default();
        let tail = &text[text.len().saturating_sub(4000)..];
        format!("standard error:\n{}", String::from_utf8_lossy(tail))
    }

    /// The processes that live now. Those that are dead and not yet buried do not count.
    pub fn living(&self) -> Vec<Process> {
        let marker = format!("{VARIABLE}={}", self.id);
        let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
        processes.flatten().filter_map(|it| living(&it.path(), &marker)).collect()
    }

    /// Returns the number of bytes that they wrote.
    pub fn n_words(&self) -> u64 {
        self.stderr.as_ref().and_then(|it| it.path().metadata().ok()).map_or(0, |it| it.len())
    }

    /// Waits until none lives.
    ///
    /// # Errors
    /// When one still does after `limit`.
    pub async fn gone(&self, limit: Duration) -> Result<()> {
        none_left(|| self.living(), limit).await
    }
}

/// Waits until a look finds no process any more.
///
/// # Errors
/// When it still finds some after `limit`, which are killed then.
pub async fn none_left(look: impl Fn() -> Vec<Process>, limit: Duration) -> Result<()> {
    let started = Instant::now();
    loop {
        let left = look();
        if left.is_empty() {
            return Ok(());
        }
        if started.elapsed() > limit {
            left.iter().for_each(Process::kill);
            bail!("{limit:?} after the end there still were: {left:#?}");
        }
        tokio::time::sleep(Duration::from_millis(10)).await; // nothing tells when a foreign process ends
    }
}

fn living(folder: &Path, marker: &str) -> Option<Process> {
    let environment = std::fs::read(folder.join("environ")).ok()?;
    environment.split(|it| *it == 0).find(|it| *it == marker.as_bytes())?;
    process(folder)
}

/// The processes whose working directory is that folder. Those that are dead and not yet buried have none.
pub fn at_work_in(folder: &Path) -> Vec<Process> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let is_there = |it: &std::path::PathBuf| std::fs::read_link(it.join("cwd")).is_ok_and(|it| it == folder);
    processes.flatten().map(|it| it.path()).filter(is_there).filter_map(|it| process(&it)).collect()
}

/// Returns the processes that have this among their arguments, whatever their environment.
pub fn with_argument(argument: &str) -> Vec<Process> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let all = processes.flatten().filter_map(|it| process(&it.path()));
    all.filter(|it| it.command.split(' ').any(|it| it == argument)).collect()
}

/// Returns the words of all command lines.
pub fn words() -> BTreeSet<String> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return BTreeSet::new() };
    let lines = processes.flatten().filter_map(|it| std::fs::read(it.path().join("cmdline")).ok());
    let words = lines.flat_map(|it| {
        it.split(|byte| *byte == 0).map(|it| String::from_utf8_lossy(it).into_owned()).collect::<Vec<_>>()
    });
    words.collect()
}

fn process(folder: &Path) -> Option<Process> {
    let id = folder.file_name()?.to_str()?.parse().ok()?;
    let command = std::fs::read(folder.join("cmdline")).ok()?;
    Some(Process { id, command: String::from_utf8_lossy(&command).replace('\0', " ").trim().to_owned() })
}

impl Process {
    /// Ends it at once, without its leave.
    pub fn kill(&self) {
        if let Some(id) = Pid::from_raw(self.id) {
            let _ = kill_process(id, Signal::KILL); // it may be gone already
        }
    }

    /// Returns its resources now; zeros when it is gone.
    pub fn holding(&self) -> Holding {
        let folder = format!("/proc/{}", self.id);
        let status = |key| kilobytes(&format!("{folder}/status"), key);
        let descriptors = std::fs::read_dir(format!("{folder}/fd")).map_or(0, |it| it.count() as u64);
        Holding {
            resident: status("VmRSS:"),
            allocated: status("RssAnon:"),
            threads: status("Threads:"),
            descriptors,
        }
    }

    /// Resident memory and its proportional share, in KiB.
    pub fn memory(&self) -> (u64, u64) {
        let folder = format!("/proc/{}", self.id);
        (
            kilobytes(&format!("{folder}/status"), "VmRSS:"),
            kilobytes(&format!("{folder}/smaps_rollup"), "Pss:"),
        )
    }
}

fn kilobytes(path: &str, key: &str) -> u64 {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find_map(|it| it.strip_prefix(key)).unwrap_or_default();
    line.split_whitespace().next().and_then(|it| it.parse().ok()).unwrap_or(0)
}
