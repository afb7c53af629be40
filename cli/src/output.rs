//! Standard output and standard error, for the subcommands that do not speak a protocol.
//!
//! A terminal obeys control characters, and texts of a workspace may hold any. So they are escaped there, and nowhere
//! else: a pipe gets the text itself.

use std::borrow::Cow;
use std::io::{ErrorKind, IsTerminal, Write};

use source_text::{visible, visible_line};

use crate::failure::Failure;

/// Prints a text and a line break.
pub(crate) fn say(text: &str) -> Result<(), Failure> {
    write(text, "\n")
}

/// Prints one line, in which nothing hides and no name breaks it.
pub(crate) fn say_line(line: &str) -> Result<(), Failure> {
    say(&visible_line(line, usize::MAX))
}

/// Prints a text in which everything foreign is escaped already, with its colours, and a line break.
pub(crate) fn say_safe(text: &str) -> Result<(), Failure> {
    finished(writeln!(std::io::stdout().lock(), "{text}"))
}

/// Prints a text without a line break.
pub(crate) fn write_out(text: &str) -> Result<(), Failure> {
    write(text, "")
}

fn write(text: &str, end: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    let text = shown_on(text, stdout.is_terminal());
    finished(write!(stdout, "{text}{end}").and_then(|()| stdout.flush()))
}

fn finished(written: std::io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()), // the reader has closed the pipe
    }
}

/// Prints a message to standard error.
pub(crate) fn complain(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let text = shown_on(text, stderr.is_terminal());
    let _ = writeln!(stderr, "{text}"); // there is no other place to report it
}

/// Returns a text as a stream gets it: on a terminal, controls and characters without a shape are escaped.
pub(crate) fn shown_on(text: &str, is_terminal: bool) -> Cow<'_, str> {
    if is_terminal { Cow::Owned(visible(text)) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_no_control_and_a_pipe_gets_all() {
        let hostile = "a\u{1b}]0;title\u{7}\u{9b}2J\r\u{202e}b\u{2066}\tc\u{7f}\nd";
        let shown = shown_on(hostile, true);
        assert_eq!(shown, r"a\u{1b}]0;title\u{7}\u{9b}2J\u{d}\u{202e}b\u{2066}	c\u{7f}".to_owned() + "\nd");
        assert_eq!(shown_on(hostile, false), hostile);
    }
}
