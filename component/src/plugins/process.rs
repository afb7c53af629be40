//! The process of a plugin. It leads a process group of its own, which is killed when the process is over or
//! this value is dropped. A supervisor in between also ends what left the group.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::plugins::Launch;
use unpoisoned::lock;

/// The variable that tells plugins the version of their host.
const PEER: &str = "SCRIPTLING_PLUGIN_PEER";

/// The bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// The chunks that wait to be parsed. A plugin that writes faster has to wait.
const CHUNKS: usize = 16;

/// The bytes of standard error that are kept.
const LAST_WORDS: usize = 8 * 1024;

/// The lines of it that the reason of an end shows.
const SHOWN_LINES: usize = 3;

/// The time between the ends of the output, of standard error and of the process, if one causes the others. A child
/// of the plugin may keep the pipes open.
const LATE: Duration = Duration::from_millis(500);

/// An event of a process.
#[derive(Debug)]
pub(super) enum Happening {
    Output(Vec<u8>),
    /// The output ended, and the process goes on.
    OutputEnded,
    /// The process is over, and its output is read.
    Exited(String),
}

#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    group: Option<Pid>,
    is_supervisor: bool,
    input: Option<mpsc::UnboundedSender<Vec<u8>>>,
    /// The number of bytes that wait to be written.
    unread: Arc<AtomicUsize>,
    unread_bytes: usize,
    output: mpsc::Receiver<Vec<u8>>,
    last_words: LastWords,
    output_ended: bool,
    status: Option<String>,
    /// The time at which the output or the process ended, whichever came first.
    since: Option<Instant>,
    reported_output_end: bool,
}

impl Process {
    pub(super) fn spawn(launch: &Launch) -> io::Result<Self> {
        let mut child = launch.command().env(PEER, &launch.settings.host_version).spawn()?;
        let (input, written) = mpsc::unbounded_channel();
        let (read, output) = mpsc::channel(CHUNKS);
        let last_words = LastWords::default();
        let file = || launch.program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = launch.name.clone().unwrap_or_else(file);
        let unread = Arc::new(AtomicUsize::new(0));
        child.stdin.take().map(|it| tokio::spawn(write(it, written, unread.clone())));
        child.stdout.take().map(|it| tokio::spawn(read_all(it, read)));
        child.stderr.take().map(|it| tokio::spawn(last_words.clone().read(it, name)));
        let group = child.id().and_then(|it| i32::try_from(it).ok()).and_then(Pid::from_raw);
        Ok(Self {
            child,
            group,
            is_supervisor: launch.is_supervisor,
            input: Some(input),
            unread,
            unread_bytes: launch.unread_bytes,
            output,
            last_words,
            output_ended: false,
            status: None,
            since: None,
            reported_output_end: false,
        })
    }

    /// Writes, without waiting.
    pub(super) fn write(&mut self, bytes: Vec<u8>) {
        let Some(input) = self.input.as_ref().filter(|_| !bytes.is_empty()) else { return };
        let unread = self.unread.fetch_add(bytes.len(), Ordering::Relaxed) + bytes.len();
        let _ = input.send(bytes);
        if unread > self.unread_bytes {
            self.last_words.push(b"\nkilled, since it does not read its input\n");
            self.close_input();
            self.kill();
        }
    }

    /// Closes the input after what was written.
    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    /// Kills the process and its group. A supervisor is left to kill also what left the group.
    pub(super) fn kill(&mut self) {
        let Some(group) = self.group else { return };
        // Any of them may be gone already.
        let Some(children) = children(group).filter(|it| self.is_supervisor && !it.is_empty()) else {
            let _ = kill_process_group(group, Signal::KILL);
            return;
        };
        for child in children {
            let _ = kill_process(child, Signal::KILL);
        }
    }

    /// Waits for what happens next. It may be dropped and called again.
    pub(super) async fn next(&mut self) -> Happening {
        loop {
            let late = self.since.map(|it| it + LATE);
            let may_be_late = late.is_some() && (!self.reported_output_end || self.status.is_some());
            let is_late = tokio::select! {
                chunk = self.output.recv(), if !self.output_ended => match chunk {
                    Some(chunk) => return Happening::Output(chunk),
                    None => {
                        self.output_ended = true;
                        false
                    }
                },
                status = self.child.wait(), if self.status.is_none() => {
                    self.status = Some(status.map_or_else(|it| it.to_string(), |it| it.to_string()));
                    let group = self.group.take();
                    group.map(|it| kill_process_group(it, Signal::KILL)); // what is left of it
                    false
                }
                () = self.last_words.ended.cancelled(), if self.status.is_some() && self.output_ended => false,
                () = sleep_until(late.unwrap_or_else(Instant::now)), if may_be_late => true,
            };
            self.since.get_or_insert_with(Instant::now);
            match &self.status {
                Some(status) if is_late || (self.output_ended && self.last_words.ended.is_cancelled()) => {
                    return Happening::Exited(self.last_words.after(status));
                }
                None if is_late => {
                    self.reported_output_end = true;
                    return Happening::OutputEnded;
                }
                _ => {}
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the children of a process; `None` if the operating system has no list.
fn children(process: Pid) -> Option<Vec<Pid>> {
    let process = process.as_raw_nonzero();
    let list = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).ok()?;
    Some(list.split_ascii_whitespace().filter_map(|it| Pid::from_raw(it.parse().ok()?)).collect())
}

async fn write(
    mut stdin: ChildStdin,
    mut written: mpsc::UnboundedReceiver<Vec<u8>>,
    unread: Arc<AtomicUsize>,
) {
    while let Some(bytes) = written.recv().await {
        if let Err(error) = stdin.write_all(&bytes).await {
            tracing::debug!(%error, "the plugin does not read any more");
            return;
        }
        unread.fetch_sub(bytes.len(), Ordering::Relaxed);
    }
}

async fn read_all(mut stdout: impl AsyncRead + Unpin, read: mpsc::Sender<Vec<u8>>) {
    let mut chunk = vec![0; CHUNK];
    while let Ok(count @ 1..) = stdout.read(&mut chunk).await {
        if read.send(chunk[..count].to_vec()).await.is_err() {
            return;
        }
    }
}

/// The end of what a plugin wrote to standard error.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastWords {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    /// Cancelled when the stream has ended.
    ended: CancellationToken,
}

impl LastWords {
    /// Reads the stream to its end, always: a full pipe would block its writer.
    pub(crate) async fn read(self, mut stderr: impl AsyncRead + Unpin, name: String) {
        let mut chunk = vec![0; CHUNK];
        while let Ok(count @ 1..) = stderr.read(&mut chunk).await {
            for line in String::from_utf8_lossy(&chunk[..count]).lines() {
                tracing::debug!(plugin = name, "{line}");
            }
            self.push(&chunk[..count]);
        }
        self.ended.cancel();
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = lock(&self.bytes);
        kept.extend(bytes);
        let surplus = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..surplus);
    }

    /// Returns a status, followed by the last lines.
    pub(crate) fn after(&self, status: &str) -> String {
        let bytes: Vec<u8> = lock(&self.bytes).iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<_> = text.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
        match &lines[lines.len().saturating_sub(SHOWN_LINES)..] {
            [] => status.to_owned(),
            lines => format!("{status}; its last words: {}", lines.join(" | ")),
        }
    }
}
