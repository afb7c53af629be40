//! The process of one program.

use std::io;
use std::process::Stdio;

use script_protocol::{Decoder, FromRuntime, ToRuntime, TooLong, encode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;

use crate::script_settings::Scripts;

/// A process that waits for its program, or runs it. It is killed when this is dropped.
#[derive(Debug)]
pub(super) struct Worker {
    child: Child,
    input: mpsc::UnboundedSender<Vec<u8>>,
    output: ChildStdout,
    decoder: Decoder,
    chunk: Vec<u8>,
}

impl Worker {
    pub(super) fn start(command: &Scripts) -> io::Result<Self> {
        let mut process = Command::new(&command.program);
        process.args(&command.arguments).env_clear().kill_on_drop(true);
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = process.spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both are pipes")
        };
        let (frames, written) = mpsc::unbounded_channel();
        tokio::spawn(write(input, written));
        let input = frames;
        Ok(Self { child, input, output, decoder: Decoder::default(), chunk: vec![0; 64 * 1024] })
    }

    /// Sends a frame, without waiting. That a process has ended shows in what it sends.
    pub(super) fn send(&self, frame: &ToRuntime) -> Result<(), TooLong> {
        let _ = self.input.send(encode(frame)?); // fails when the process reads no more
        Ok(())
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
        self.child.wait().await.map_or_else(|error| error.to_string(), |status| status.to_string())
    }
}

/// Writes frames, while the other direction is read: a process that prints does not read meanwhile.
async fn write(mut input: ChildStdin, mut frames: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(frame) = frames.recv().await {
        if let Err(error) = input.write_all(&frame).await {
            tracing::debug!(%error, "the process of the script does not read");
            return;
        }
    }
}
