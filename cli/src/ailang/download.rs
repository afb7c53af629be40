//! The progress of long downloads on standard error: a line that is rewritten on a terminal, and elsewhere a plain line
//! every few seconds.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use packages::{Download, OnDownload};

use crate::output::complain;
use unpoisoned::lock;

/// The time after which a download is a long one.
const LONG: Duration = Duration::from_secs(1);

/// The shortest time between two plain lines.
const PACE: Duration = Duration::from_secs(5);

/// The download that is running.
struct Running {
    url: String,
    began: Instant,
    /// The time of the latest plain line.
    last_printed: Option<Instant>,
    /// The line of the terminal, once it is shown.
    line: Option<ProgressBar>,
}

/// Returns what shows downloads that take long.
pub(super) fn shown() -> OnDownload {
    let running: Mutex<Option<Running>> = Mutex::new(None);
    Arc::new(move |download: &Download| {
        let mut running = lock(&running);
        if running.as_ref().is_none_or(|it| it.url != download.url) {
            let (url, began) = (download.url.clone(), Instant::now());
            *running = Some(Running { url, began, last_printed: None, line: None });
        }
        if let Some(it) = running.as_mut().filter(|it| it.began.elapsed() > LONG) {
            it.show(download, Instant::now());
        }
        if download.total == Some(download.received) {
            *running = None;
        }
    })
}

impl Running {
    fn show(&mut self, download: &Download, now: Instant) {
        let text = text(download);
        if std::io::stderr().is_terminal() {
            self.line.get_or_insert_with(line).set_message(text);
        } else if self.last_printed.is_none_or(|last_printed| now.duration_since(last_printed) > PACE) {
            self.last_printed = Some(now);
            complain(&text);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(line) = &self.line {
            line.finish_and_clear();
        }
    }
}

fn line() -> ProgressBar {
    let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    line.with_style(
        ProgressStyle::with_template("{wide_msg}").unwrap_or_else(|_| ProgressStyle::default_bar()),
    )
}

/// Returns `https://x.example/a.tgz: 1.50 MiB of 20.00 MiB`.
fn text(download: &Download) -> String {
    let Download { url, received, total } = download;
    let total = total.map_or_else(String::new, |total| format!(" of {}", HumanBytes(total)));
    format!("{url}: {}{total}", HumanBytes(*received))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_is_shown_with_its_size() {
        let url = "https://x.example/a.tgz".to_owned();
        let download = Download { url, received: 3 << 19, total: Some(20 << 20) };
        assert_eq!(text(&download), "https://x.example/a.tgz: 1.50 MiB of 20.00 MiB");
        assert_eq!(text(&Download { total: None, ..download }), "https://x.example/a.tgz: 1.50 MiB");
    }
}
