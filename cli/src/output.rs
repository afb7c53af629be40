//! Standard output, for the subcommands that do not speak a protocol on it.

use std::io::{ErrorKind, Write};

use crate::Failure;

/// Prints a text and a line's end.
pub(crate) fn say(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()), // whoever read it has read enough
    }
}
