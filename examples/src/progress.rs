//! The progress of a question on standard error.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use tokio::time::{Instant, interval_at};

/// The time between two looks at the progress.
const PACE: Duration = Duration::from_secs(1);

/// The time between two plain lines.
const PLAIN_PACE: Duration = Duration::from_secs(5);

/// The time between two plain lines of the same message.
const SAME_PACE: Duration = Duration::from_secs(30);

/// The widest line that is rewritten: one that wraps cannot be erased.
const WIDTH: usize = 76;

/// A line that is rewritten on a terminal; elsewhere, a plain line now and then.
pub(crate) struct Progress {
    is_terminal: bool,
}

impl Progress {
    pub(crate) fn on_standard_error() -> Self {
        Self { is_terminal: std::io::stderr().is_terminal() }
    }

    /// Waits for `work`, and shows `latest` and the elapsed time meanwhile.
    pub(crate) async fn during<T>(
        &self,
        work: impl Future<Output = T>,
        latest: impl Fn() -> Option<String>,
    ) -> T {
        let began = Instant::now();
        let pace = if self.is_terminal { PACE } else { PLAIN_PACE };
        let mut ticks = interval_at(began + PACE, pace);
        let mut work = std::pin::pin!(work);
        let mut last = (String::new(), began);
        loop {
            tokio::select! {
                done = &mut work => {
                    self.erase();
                    return done;
                }
                _ = ticks.tick() => {
                    let message = latest().unwrap_or_else(|| "waiting for an answer".to_owned());
                    if self.is_terminal || message != last.0 || last.1.elapsed() >= SAME_PACE {
                        self.show(&line(&message, began.elapsed()));
                        last = (message, Instant::now());
                    }
                }
            }
        }
    }

    fn show(&self, line: &str) {
        let (before, after) = if self.is_terminal { ("\r\x1b[K", "") } else { ("", "\n") };
        write(&format!("{before}{line}{after}"));
    }

    fn erase(&self) {
        if self.is_terminal {
            write("\r\x1b[K");
        }
    }
}

/// Writes to standard error. Progress that cannot be shown does not end the tour.
fn write(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// Formats a message with the elapsed time as one line within [`WIDTH`].
fn line(message: &str, elapsed: Duration) -> String {
    let time = format!(" ({} s)", elapsed.as_secs());
    let room = WIDTH.saturating_sub("   … ".len() + time.len());
    let words: Vec<&str> = message.split_whitespace().collect();
    let message: String = words.join(" ").chars().filter(|it| !it.is_control()).take(room).collect();
    format!("   … {message}{time}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fits_and_keeps_the_time() {
        let elapsed = Duration::from_secs(13);
        assert_eq!(line("indexing:   12/48\n(25 %)", elapsed), "   … indexing: 12/48 (25 %) (13 s)");
        let long = line(&"x".repeat(200), elapsed);
        assert!(long.len() - "…".len() < WIDTH && long.ends_with("x (13 s)"), "{long}");
    }
}
