//! The process of one program.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use script_protocol::{Decoder, FromRuntime, ToRuntime, TooLong, encode};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::{Notify, mpsc};
use tokio_util::task::AbortOnDropHandle;

use super::endpoint::{Endpoint, Streams};
use crate::script::settings::{FrameTransport, RuntimeCommand, Scripts};
use unpoisoned::lock;

/// The bytes of standard error that are kept, and the lines of them that are shown.
const LAST_WORDS: usize = 8 * 1024;
const LAST_LINES: usize = 3;

/// The bytes that wait for a process to read them, above which it is asked nothing more.
const MOST_UNREAD: usize = 16 * 1024 * 1024;

/// The bytes that are on their way to a process and that it has not read yet.
#[derive(Debug, Default)]
struct Unread {
    bytes: AtomicUsize,
    /// Notified when it has read something.
    changed: Notify,
}

/// A process that waits for its program, or runs it. It is killed when this is dropped.
pub(super) struct Worker {
    child: Child,
    /// Closes with the process.
    _endpoint: Option<Endpoint>,
    input: mpsc::UnboundedSender<Vec<u8>>,
    /// Holds the input open.
    _writing: AbortOnDropHandle<()>,
    unread: Arc<Unread>,
    output: Box<dyn AsyncRead + Send + Unpin>,
    decoder: Decoder,
    chunk: Vec<u8>,
    /// The end of what an external runtime wrote to standard error.
    last_words: Arc<Mutex<Vec<u8>>>,
}

impl Worker {
    pub(super) fn start(command: &Scripts) -> io::Result<Self> {
        let mut process = Command::new(&command.program);
        process.args(&command.arguments).env_clear().kill_on_drop(true).stderr(Stdio::null());
        Self::spawn(process)
    }

    /// Starts an external runtime in a folder. It ends with its input, and what it started with it.
    pub(super) async fn start_external(command: RuntimeCommand, folder: Option<&Path>) -> io::Result<Self> {
        let mut process = Command::new(&command.program);
        process.args(&command.arguments).env_clear().envs(command.environment);
        folder.map(|it| process.current_dir(it));
        process.stderr(Stdio::piped());
        let mut worker = match command.transport {
            FrameTransport::Streams => Self::spawn(process)?,
            FrameTransport::Loopback => Self::spawn_with_endpoint(process).await?,
        };
        if let Some(stderr) = worker.child.stderr.take() {
            tokio::spawn(read_last(stderr, Arc::clone(&worker.last_words)));
        }
        Ok(worker)
    }

    fn spawn(mut process: Command) -> io::Result<Self> {
        process.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = process.spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both are pipes")
        };
        Ok(Self::over(child, input, output))
    }

    /// Starts a process whose frames go over loopback. Its standard input only tells it when to end.
    async fn spawn_with_endpoint(mut process: Command) -> io::Result<Self> {
        let (endpoint, Streams { input, output }) = Endpoint::open().await?;
        process.envs(endpoint.environment()).kill_on_drop(true);
        process.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = process.spawn()?;
        if let Some(mut stdout) = child.stdout.take() {
            let ended = endpoint.end();
            // What is printed there goes nowhere; its end is that of the process.
            tokio::spawn(async move {
                let _ = tokio::io::copy(&mut stdout, &mut tokio::io::sink()).await;
                ended.await;
            });
        }
        Ok(Self { _endpoint: Some(endpoint), ..Self::over(child, input, output) })
    }

    fn over(
        child: Child,
        input: impl AsyncWrite + Send + Unpin + 'static,
        output: impl AsyncRead + Send + Unpin + 'static,
    ) -> Self {
        let (frames, written) = mpsc::unbounded_channel();
        let unread = Arc::<Unread>::default();
        let writing = AbortOnDropHandle::new(tokio::spawn(write(input, written, Arc::clone(&unread))));
        Self {
            child,
            _endpoint: None,
            _writing: writing,
            unread,
            input: frames,
            output: Box::new(output),
            decoder: Decoder::default(),
            chunk: vec![0; 64 * 1024],
            last_words: Arc::default(),
        }
    }

    /// Sends a frame, without waiting. That a process has ended shows in what it sends.
    pub(super) fn send(&self, frame: &ToRuntime) -> Result<(), TooLong> {
        let bytes = encode(frame)?;
        self.unread.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
        let _ = self.input.send(bytes); // fails when the process reads no more
        Ok(())
    }

    /// Returns true if the process reads what it is sent, more or less.
    pub(super) fn keeps_up(&self) -> bool {
        self.unread.bytes.load(Ordering::Relaxed) < MOST_UNREAD
    }

    /// Waits until the process has read something.
    pub(super) fn has_read(&self) -> impl Future<Output = ()> + use<> {
        let unread = Arc::clone(&self.unread);
        async move { unread.changed.notified().await }
    }

    /// Waits for the next frame; `None` when the process has ended. It may be dropped and called again.
    ///
    /// # Errors
    /// The process sends something else.
    pub(super) async fn next(&mut self) -> Result<Option<FromRuntime>, String> {
        loop {
            if let Some(frame) = self.decoder.decode()? {
                return Ok(Some(frame));
            }
            match self.output.read(&mut self.chunk).await {
                Ok(0) | Err(_) => return Ok(None),
                Ok(count) => self.decoder.push(&self.chunk[..count]),
            }
        }
    }

    /// Returns how a process has ended, for people.
    pub(super) async fn status(&mut self) -> String {
        let status =
            self.child.wait().await.map_or_else(|error| error.to_string(), |status| status.to_string());
        let words = String::from_utf8_lossy(&lock(&self.last_words)).into_owned();
        let lines: Vec<&str> = words.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
        match &lines[lines.len().saturating_sub(LAST_LINES)..] {
            [] => status,
            lines => format!("{status}; its last words: {}", lines.join(" | ")),
        }
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Worker").field("child", &self.child).finish_non_exhaustive()
    }
}

/// Keeps the end of a stream.
async fn read_last(mut stream: ChildStderr, last: Arc<Mutex<Vec<u8>>>) {
    let mut chunk = vec![0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut chunk).await {
        let mut last = lock(&last);
        last.extend_from_slice(&chunk[..count]);
        let surplus = last.len().saturating_sub(LAST_WORDS);
        last.drain(..surplus);
    }
}

/// Writes frames, while the other direction is read: a process that prints does not read meanwhile.
async fn write(
    mut input: impl AsyncWrite + Unpin,
    mut frames: mpsc::UnboundedReceiver<Vec<u8>>,
    unread: Arc<Unread>,
) {
    while let Some(frame) = frames.recv().await {
        if let Err(error) = input.write_all(&frame).await {
            tracing::debug!(%error, "the process of the script does not read");
            return;
        }
        unread.bytes.fetch_sub(frame.len(), Ordering::Relaxed);
        unread.changed.notify_one();
    }
}
