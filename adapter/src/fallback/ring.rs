//! The last words of a process: the end of what it writes to standard error.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

/// How much is kept.
const LIMIT: usize = 64 * 1024;

/// Keeps the end of a stream. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ring(Arc<Mutex<VecDeque<u8>>>);

impl Ring {
    /// Reads the stream to its end, always: a full pipe would stop who writes it.
    pub(crate) async fn drain(self, mut stream: impl AsyncRead + Unpin) {
        let mut chunk = vec![0; 8 * 1024];
        while let Ok(count @ 1..) = stream.read(&mut chunk).await {
            self.push(&chunk[..count]);
        }
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(bytes);
        let surplus = kept.len().saturating_sub(LIMIT);
        kept.drain(..surplus);
    }

    /// The last `count` lines that say something, joined by ` | `; empty when there are none.
    pub(crate) fn last_lines(&self, count: usize) -> String {
        let bytes: Vec<u8> = self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
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
        let ring = Ring::default();
        let mut text = "x".repeat(LIMIT) + "\n";
        text += "one\n\n  two\nthree";
        ring.clone().drain(text.as_bytes()).await;
        assert_eq!(ring.last_lines(2), "two | three");
        assert_eq!(Ring::default().last_lines(2), "");
    }
}
