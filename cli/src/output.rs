//! Standard output and standard error, for the subcommands that do not speak a protocol.

use std::io::{ErrorKind, Write};

use crate::Failure;

/// Prints a text and a line's end.
pub(crate) fn say(text: &str) -> Result<(), Failure> {
    write(text, "\n")
}

/// Prints a text as it is.
pub(crate) fn write_out(text: &str) -> Result<(), Failure> {
    write(text, "")
}

fn write(text: &str, end: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match write!(stdout, "{text}{end}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()), // whoever read it has read enough
    }
}

/// Says what has to be said beside the output.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}"); // there is nobody else to tell
}
