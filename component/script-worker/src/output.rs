//! The frames to the host, which two threads write.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use std::sync::Mutex;
use unpoisoned::lock;

use script_protocol::{FromRuntime, Log, encode};

pub(crate) struct Output {
    writer: Mutex<Box<dyn Write + Send>>,
    /// True when the last frame is written, or the host is gone.
    is_closed: AtomicBool,
    printed: AtomicU64,
    dropped: AtomicU64,
}

impl Output {
    pub(crate) fn new(writer: impl Write + Send + 'static) -> Self {
        let writer: Box<dyn Write + Send> = Box::new(writer);
        let (printed, dropped) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { writer: Mutex::new(writer), is_closed: AtomicBool::new(false), printed, dropped }
    }

    /// Sends a frame. Returns false if it is too long.
    pub(crate) fn send(&self, frame: &FromRuntime) -> bool {
        let Ok(bytes) = encode(frame) else { return false };
        let mut writer = lock(&self.writer);
        if !self.is_closed.load(Ordering::Relaxed) {
            let sent = writer.write_all(&bytes).and_then(|()| writer.flush());
            self.is_closed.fetch_or(sent.is_err(), Ordering::Relaxed);
        }
        true
    }

    /// Sends the last frame, unless one is being sent.
    pub(crate) fn send_last(&self, frame: &FromRuntime) {
        let Ok(mut writer) = self.writer.try_lock() else { return };
        if let Ok(bytes) = encode(frame)
            && !self.is_closed.swap(true, Ordering::Relaxed)
        {
            let _ = writer.write_all(&bytes).and_then(|()| writer.flush());
        }
    }

    /// Sends printed text, until `limit` bytes are sent.
    pub(crate) fn print(&self, text: String, is_error: bool, limit: usize) {
        let bytes = text.len() as u64 + 1;
        if self.printed.load(Ordering::Relaxed) + bytes <= limit as u64 {
            self.printed.fetch_add(bytes, Ordering::Relaxed);
            self.send(&FromRuntime::Log(Log { is_error, text }));
        } else {
            self.dropped.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Returns the number of printed bytes that were not sent.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}
