//! The line editor of a terminal: history, completion, and entries of several lines.

use std::path::PathBuf;

use rustyline::completion::{Completer, Pair};
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Context, Helper};

use super::complete::Completions;
use super::entry::{Lines, is_given_up, is_open};

/// The maximum number of entries in the history.
const HISTORY: usize = 10_000;

pub(super) struct Editor {
    editor: rustyline::Editor<Language, FileHistory>,
    history: Option<PathBuf>,
}

impl Editor {
    pub(super) fn new(completions: Completions) -> Result<Self, String> {
        let mut editor = rustyline::Editor::new().map_err(|error| format!("the terminal: {error}"))?;
        editor.set_helper(Some(Language(completions)));
        editor.set_completion_type(CompletionType::List);
        editor.set_max_history_size(HISTORY).map_err(|error| error.to_string())?;
        let history = history();
        if let Some(path) = &history {
            let _ = editor.load_history(path); // the file does not exist at the first start
        }
        Ok(Self { editor, history })
    }

    fn remember(&mut self, entry: &str) {
        let added = self.editor.add_history_entry(entry).unwrap_or(false);
        let Some(path) = self.history.as_ref().filter(|_| added) else { return };
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        if let Err(error) =
            folder.map_err(ReadlineError::from).and_then(|()| self.editor.append_history(path))
        {
            tracing::warn!(%error, path = %path.display(), "the history is not kept");
            self.history = None;
        }
    }
}

impl Lines for Editor {
    fn entry(&mut self) -> Option<Result<String, String>> {
        if let Some(Language(completions)) = self.editor.helper() {
            completions.symbols.forget();
        }
        loop {
            match self.editor.readline("dialect> ") {
                Ok(entry) => {
                    self.remember(entry.trim_end());
                    return Some(Ok(entry));
                }
                Err(ReadlineError::Interrupted) => {} // Ctrl-C discards the line
                Err(ReadlineError::Eof) => return None,
                Err(error) => return Some(Err(error.to_string())),
            }
        }
    }
}

/// Returns the path of the history file, in the user's state folder.
fn history() -> Option<PathBuf> {
    let given = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|it| it.is_absolute());
    let state = given.or_else(|| Some(std::env::home_dir()?.join(".local/state")))?;
    Some(state.join("dialect/history"))
}

/// The language support of the line editor.
struct Language(Completions);

impl Completer for Language {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, found) = self.0.complete(&line[..at], &line[at..]);
        let pair = |(display, replacement)| Pair { display, replacement };
        Ok((start, found.into_iter().map(pair).collect()))
    }
}

impl Validator for Language {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let goes_on = is_open(context.input()) && !is_given_up(context.input());
        Ok(if goes_on { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}

impl Hinter for Language {
    type Hint = String;
}

impl Highlighter for Language {}

impl Helper for Language {}
