//! The last output of a process: the tail of its standard error.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use unpoisoned::lock;

/// The number of bytes that are kept.
const LIMIT: usize = 64 * 1024;

/// The time to wait for output after the process ended; a child process may keep the stream open.
const LATE: Duration = Duration::from_millis(500);

/// The tail of a stream; clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct OutputTail {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    ended: CancellationToken,
}

impl OutputTail {
    /// Reads the stream to its end, always: a full pipe would block its writer.
    pub(crate) async fn drain(self, mut stream: impl AsyncRead + Unpin) {
        let mut chunk = vec![0; 8 * 1024];
        while let Ok(count @ 1..) = stream.read(&mut chunk).await {
            self.push(&chunk[..count]);
        }
        self.ended.cancel();
    }

    /// Waits until all output of an ended process is read.
    pub(crate) async fn read_up(&self) {
        let _ = timeout(LATE, self.ended.cancelled()).await;
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = lock(&self.bytes);
        kept.extend(bytes);
        let surplus = kept.len().saturating_sub(LIMIT);
        kept.drain(..surplus);
    }

    /// Returns the last `count` non-empty lines, joined by ` | `.
    pub(crate) fn last_lines(&self, count: usize) -> String {
        let bytes: Vec<u8> = lock(&self.bytes).iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<_> = text.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
        lines[lines.len().saturating_sub(count)..].join(" | ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_end_is_kept() {
        let ring = OutputTail::default();
        let mut text = "x".repeat(LIMIT) + "\n";
        text += "one\n\n  two\nthree";
        ring.clone().drain(text.as_bytes()).await;
        assert_eq!(ring.last_lines(2), "two | three");
        assert_eq!(OutputTail::default().last_lines(2), "");
    }
}
