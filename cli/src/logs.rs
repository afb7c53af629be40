//! Logging to standard error or to a file. Standard output belongs to the protocol.
//!
//! On a terminal, control characters in logged texts are escaped, and a line of progress gives way.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::progress;

/// The default filter: our own warnings, and only errors of the libraries. One library warns about every error that is
/// answered, the other about every cancelled call.
const FILTER: &str = "warn,agent_client_protocol=error,rmcp=off";

#[derive(Debug, Args)]
pub(crate) struct Logging {
    /// Write logs to this file instead of standard error; DIALECT_LOG or RUST_LOG set the level, such as `debug`
    #[arg(long, global = true, value_name = "FILE")]
    log: Option<PathBuf>,
}

impl Logging {
    pub(crate) fn begin(&self) -> io::Result<()> {
        let builder = tracing_subscriber::fmt().with_env_filter(filter()).with_span_events(FmtSpan::NONE);
        match &self.log {
            None if io::stderr().is_terminal() => builder.with_ansi(false).with_writer(|| Terminal).init(),
            None => builder.with_ansi(false).with_writer(io::stderr).init(),
            Some(path) => {
                let file = File::options().create(true).append(true).open(path).map_err(|error| {
                    io::Error::new(
                        error.kind(),
                        format!("the log file {} cannot be written: {error}", path.display()),
                    )
                })?;
                builder.with_ansi(false).with_writer(file).init();
            }
        }
        Ok(())
    }
}

/// The terminal as a place for logs. Each write is a whole event.
struct Terminal;

impl Write for Terminal {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let shown = ailang::visible(&String::from_utf8_lossy(event));
        progress::above(|| io::stderr().write_all(shown.as_bytes()))?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

fn filter() -> EnvFilter {
    let wanted = ["DIALECT_LOG", "RUST_LOG"].into_iter().find_map(|it| std::env::var(it).ok());
    EnvFilter::new(wanted.as_deref().unwrap_or(FILTER))
}
