//! Input line by line, until it is a complete program.

use std::sync::LazyLock;

use component::vocabulary;
use dialect::{FailureKind, Limits, Program, Registry};

/// Everything that a program can name.
pub(super) static VOCABULARY: LazyLock<Registry> = LazyLock::new(vocabulary);

/// Returns whether an entry needs more lines: a bracket or a text is open, an operator lacks its operand, or a
/// bound name is unused.
pub(super) fn is_open(text: &str) -> bool {
    if text.trim().is_empty() {
        return false;
    }
    match Program::parse(&VOCABULARY, text, &Limits::default()) {
        Ok(_) => false,
        Err(failures) => failures.all.iter().any(|it| waits(&it.kind)),
    }
}

/// Returns whether the last of several lines is empty, which ends an incomplete entry.
pub(super) fn is_given_up(text: &str) -> bool {
    text.rsplit_once('\n').is_some_and(|(_, last)| last.trim().is_empty())
}

fn waits(kind: &FailureKind) -> bool {
    match kind {
        FailureKind::Unclosed { at_end, .. } => at_end.is_some(),
        FailureKind::UnterminatedText { quote, .. } => *quote == '`',
        FailureKind::Unexpected { found, .. } => found.is_empty(),
        FailureKind::UnterminatedComment | FailureKind::NoResult { .. } => true,
        _ => false,
    }
}

/// A source of entries.
pub(super) trait Lines {
    /// Returns the next entry; `None` at the end. Only the last one may be incomplete.
    fn entry(&mut self) -> Option<Result<String, String>>;
}

/// The meaning of an entry.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Input {
    Nothing,
    End,
    Program(String),
}

impl Input {
    pub(super) fn parse(text: &str) -> Self {
        match text.trim() {
            "" => Self::Nothing,
            "exit" | "quit" => Self::End,
            "help" => Self::Program("help()".to_owned()),
            program => Self::Program(program.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_goes_on() {
        for open in
            ["brief(", "[1,", "`raw", "/* why", "x = 1", "1 +", "{\"search\": {", "search(`a`).filter(x =>"]
        {
            assert!(is_open(open) && !is_given_up(open), "{open}");
            assert!(is_given_up(&format!("{open}\n")), "{open}");
        }
        for whole in ["", "1", "brief(search(`.`, `x`))", "x = 1\nx", "1)", "nosuch()", "\"open"] {
            assert!(!is_open(whole), "{whole}");
        }
    }

    #[test]
    fn words_that_are_no_programs() {
        assert_eq!(Input::parse(" \n"), Input::Nothing);
        assert_eq!(Input::parse("exit"), Input::End);
        assert_eq!(Input::parse("help"), Input::Program("help()".to_owned()));
    }
}
