//! Standard output and standard error, for the subcommands that do not speak a protocol.

use std::io::{ErrorKind, Write};

use crate::failure::Failure;

/// Prints a text and a line break.
pub(crate) fn say(text: &str) -> Result<(), Failure> {
    write(text, "\n")
}

/// Prints a text without a line break.
pub(crate) fn write_out(text: &str) -> Result<(), Failure> {
    write(text, "")
}

fn write(text: &str, end: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match write!(stdout, "{text}{end}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()), // the reader has closed the pipe
    }
}

/// Prints a message to standard error.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}"); // there is no other place to report it
}
