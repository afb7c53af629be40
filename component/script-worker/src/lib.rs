//! The process that runs one TypeScript program, whose types are erased already: an engine between two pipes.
//!
//! The engine is QuickJS, on a thread of its own. It polls its interrupt handler between instructions, but not inside
//! of long native loops, so the main thread watches its computing time and ends the process where the engine does not
//! stop. Nothing here confines the process; whoever starts it does.

mod engine;
mod locale;
mod output;
mod usage;
mod web;

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use script_protocol::{Decoder, Failed, FailedReason, FromRuntime, ToRuntime};

use crate::engine::{Engine, Prepared};
use crate::output::Output;
pub use crate::usage::PeakMemory;

/// The stack of the thread of the engine: that of the program, and what native code takes.
const STACK: usize = 16 * 1024 * 1024;

/// The computing time that the engine may take to stop by itself.
const GRACE_MS: u64 = 60;

/// Runs one program, whose frames come from `input`. `unconfined` is the reason why the operating system does not
/// confine this process, if it does not.
///
/// It returns when the program has ended, was stopped, or the host is gone. The engine's thread may still run then,
/// so end the process.
pub fn run(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    unconfined: Option<String>,
    memory: PeakMemory,
) {
    let output = Arc::new(Output::new(output));
    let (told, heard) = channel();
    let of_engine = Arc::clone(&output);
    let engine = thread::Builder::new().name("engine".into()).stack_size(STACK).spawn(move || {
        let prepared = Prepared::new();
        of_engine.send(&FromRuntime::Ready { unconfined });
        let mut input = Input { input, decoder: Decoder::default() };
        if let Some(ToRuntime::Start(start)) = input.next() {
            let _ = told.send(start.limits.cpu_ms); // the main thread is there until this one ends
            Engine { prepared, input, output: of_engine, start, memory }.run();
        }
    });
    let Ok(engine) = engine else { return };
    let Ok(limit) = heard.recv() else { return };
    let most = limit + GRACE_MS;
    loop {
        // One thread computes, so it cannot take more time than passes.
        let left = most.saturating_sub(usage::cpu_ms()).max(5);
        match heard.recv_timeout(Duration::from_millis(left)) {
            Err(RecvTimeoutError::Timeout) if usage::cpu_ms() < most => {}
            Err(RecvTimeoutError::Timeout) => {
                return output.send_last(&FromRuntime::Failed(Failed {
                    reason: FailedReason::Cpu,
                    cpu_ms: usage::cpu_ms(),
                    dropped: output.dropped(),
                    ..Failed::default()
                }));
            }
            // The engine has dropped its sender, with or without a panic.
            Ok(_) | Err(RecvTimeoutError::Disconnected) => return drop(engine.join()),
        }
    }
}

/// The frames from the host.
pub(crate) struct Input<R> {
    input: R,
    decoder: Decoder,
}

impl<R: Read> Input<R> {
    /// Waits for the next frame; `None` when the host is gone or sends something else.
    pub(crate) fn next(&mut self) -> Option<ToRuntime> {
        let mut chunk = [0; 64 * 1024];
        loop {
            if let Some(frame) = self.decoder.decode().ok()? {
                return Some(frame);
            }
            match self.input.read(&mut chunk) {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.decoder.push(&chunk[..count]),
            }
        }
    }
}
