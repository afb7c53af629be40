//! The progress of a running program on standard error.
//!
//! On a terminal it is one line, which is rewritten and disappears with the program. Elsewhere it is a plain line every
//! few seconds. Standard error is one for the process, and so is the program that is shown.

use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

use crate::output::complain;
use unpoisoned::lock;

/// The time after which a program is shown to run although nothing reports progress.
const QUIET: Duration = Duration::from_millis(300);

/// The shortest time between two plain lines, and before the first.
const PACE: Duration = Duration::from_secs(3);

/// The time between two frames of the line.
const FRAME: Duration = Duration::from_millis(100);

/// The longest message, in characters.
const LONGEST: usize = 200;

/// The program that runs.
static RUNNING: Mutex<Option<Running>> = Mutex::new(None);

struct Running {
    began: Instant,
    /// The time of the latest plain line.
    last_printed: Option<Instant>,
    /// The line of the terminal, once it is shown.
    line: Option<ProgressBar>,
}

/// A guard for a running program. Its line disappears when this is dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct Shown {
    _quiet: AbortOnDropHandle<()>,
}

/// Shows from now on that a program runs.
pub(crate) fn begin() -> Shown {
    *running() = Some(Running { began: Instant::now(), last_printed: None, line: None });
    let quiet = tokio::spawn(async {
        sleep(QUIET).await;
        if let Some(running) = running().as_mut().filter(|_| std::io::stderr().is_terminal()) {
            running.line.get_or_insert_with(|| line(running.began)).set_message("running");
        }
    });
    Shown { _quiet: AbortOnDropHandle::new(quiet) }
}

/// Shows a step of the running program; without one, nothing.
pub(crate) fn step(message: &str) {
    if let Some(running) = running().as_mut() {
        running.step(&ailang::visible_line(message, LONGEST), std::io::stderr().is_terminal());
    }
}

/// Does something to standard error while the line is out of its way.
pub(crate) fn above<T>(write: impl FnOnce() -> T) -> T {
    match running().as_ref().and_then(|it| it.line.as_ref()) {
        Some(line) => line.suspend(write),
        None => write(),
    }
}

impl Running {
    fn step(&mut self, message: &str, is_terminal: bool) {
        if is_terminal {
            self.line.get_or_insert_with(|| line(self.began)).set_message(message.to_owned());
        } else if self.is_due(Instant::now()) {
            complain(message);
        }
    }

    /// Returns whether it is time for a plain line, which then counts as printed.
    fn is_due(&mut self, now: Instant) -> bool {
        let is_due = now.duration_since(self.last_printed.unwrap_or(self.began)) >= PACE;
        if is_due {
            self.last_printed = Some(now);
        }
        is_due
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(line) = running().take().and_then(|it| it.line) {
            line.finish_and_clear();
        }
    }
}

fn running() -> MutexGuard<'static, Option<Running>> {
    lock(&RUNNING)
}

fn line(began: Instant) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}").expect("the template is right");
    let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
        .with_style(style)
        .with_elapsed(began.elapsed());
    line.enable_steady_tick(FRAME);
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_lines_are_few() {
        let began = Instant::now();
        let mut running = Running { began, last_printed: None, line: None };
        let due: Vec<u64> = (0..10).filter(|it| running.is_due(began + Duration::from_secs(*it))).collect();
        assert_eq!(due, [3, 6, 9]);
    }
}
