//! The stream of entries from a terminal or a pipe. A thread of its own waits for them.

use std::io::{BufRead, IsTerminal};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use tokio::sync::mpsc;

use super::complete::Completions;
use super::editor::Editor;
use super::entry::{Input, Lines, is_open};
use crate::source::text;

/// A stream of entries.
#[derive(Debug)]
pub(super) struct Entries {
    entries: mpsc::Receiver<Result<Input, String>>,
    /// Requests the next entry, so that there is no prompt while a program runs.
    wanted: SyncSender<()>,
}

impl Entries {
    /// Returns the next entry, or why it cannot be read; `None` at the end.
    pub(super) async fn next(&mut self) -> Option<Result<Input, String>> {
        let _ = self.wanted.try_send(()); // full when it was requested already, closed at the end
        self.entries.recv().await
    }
}

/// Returns whether a person types the entries.
pub(super) fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Starts to read entries from standard input.
pub(super) fn read_entries(completions: Completions) -> Entries {
    let (sender, entries) = mpsc::channel(1);
    let (wanted, asked) = sync_channel(1);
    std::thread::spawn(move || {
        if is_interactive() {
            match Editor::new(completions) {
                Ok(mut editor) => send(&mut editor, &sender, &asked),
                Err(error) => drop(sender.blocking_send(Err(error))),
            }
        } else {
            send(&mut Pipe(std::io::stdin().lock()), &sender, &asked);
        }
    });
    Entries { entries, wanted }
}

fn send(lines: &mut impl Lines, entries: &mpsc::Sender<Result<Input, String>>, asked: &Receiver<()>) {
    while asked.recv().is_ok() {
        let entry = loop {
            match lines.entry() {
                None => return,
                Some(Err(problem)) => break Err(problem),
                Some(Ok(text)) => match Input::parse(&text) {
                    Input::Nothing => {}
                    Input::End => return,
                    entry => break Ok(entry),
                },
            }
        };
        if entries.blocking_send(entry).is_err() {
            return;
        }
    }
}

/// Lines without an editor.
struct Pipe<R>(R);

impl<R: BufRead> Lines for Pipe<R> {
    fn entry(&mut self) -> Option<Result<String, String>> {
        let mut entry = String::new();
        loop {
            let mut line = Vec::new();
            match self.0.read_until(b'\n', &mut line) {
                Err(error) => return Some(Err(format!("standard input cannot be read: {error}"))),
                Ok(0) if entry.is_empty() => return None,
                Ok(0) => return Some(Ok(entry)),
                Ok(_) => {}
            }
            match text(line) {
                Err(problem) => return Some(Err(format!("standard input is not UTF-8: {problem}"))),
                Ok(line) => entry.push_str(&line),
            }
            if !is_open(&entry) {
                return Some(Ok(entry));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &[u8]) -> Vec<Result<String, String>> {
        let mut pipe = Pipe(text);
        std::iter::from_fn(|| pipe.entry()).collect()
    }

    #[test]
    fn lines_of_a_pipe_are_programs() {
        let piped = b"1\nbrief(\n  `a`\n)\n\nx = 2\nf = y => y\nf(x)\n`raw\ntext`\n[1,\n\n3]\n(";
        let found: Vec<_> = entries(piped).into_iter().map(|it| it.unwrap().trim().to_owned()).collect();
        assert_eq!(
            found,
            ["1", "brief(\n  `a`\n)", "", "x = 2", "f = y => y\nf(x)", "`raw\ntext`", "[1,\n\n3]", "("]
        );
    }

    #[test]
    fn what_is_not_utf_8_is_said() {
        assert_eq!(
            entries(b"ab\xff\n")[0],
            Err("standard input is not UTF-8: line 1, column 3: the byte 0xff".into())
        );
    }
}
