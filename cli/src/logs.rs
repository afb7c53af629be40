//! Logging to standard error or to a file. Standard output belongs to the protocol.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use clap::Args;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

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
            None => {
                builder.with_writer(io::stderr).with_ansi(io::IsTerminal::is_terminal(&io::stderr())).init();
            }
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

fn filter() -> EnvFilter {
    let wanted = ["DIALECT_LOG", "RUST_LOG"].into_iter().find_map(|it| std::env::var(it).ok());
    EnvFilter::new(wanted.as_deref().unwrap_or(component::LOG_FILTER))
}
