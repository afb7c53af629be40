//! What is typed, line by line, until it is a program.

use std::sync::LazyLock;

use component::vocabulary;
use dialect::{FailureKind, Limits, Program, Registry};

/// Everything that a program can name.
pub(super) static VOCABULARY: LazyLock<Registry> = LazyLock::new(vocabulary);

/// Whether more has to follow: a bracket or a text is open, an operator waits, a name is bound and not used.
pub(super) fn is_open(text: &str) -> bool {
    if text.trim().is_empty() {
        return false;
    }
    match Program::parse(&VOCABULARY, text, &Limits::default()) {
        Ok(_) => false,
        Err(failures) => failures.all.iter().any(|it| waits(&it.kind)),
    }
}

/// Whether the last of several lines is empty, by which somebody who types gives up on what is open.
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

/// What to do with what was typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Nothing,
    End,
    Program(String),
}

impl Entry {
    pub(super) fn of(text: &str) -> Self {
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
        assert_eq!(Entry::of(" \n"), Entry::Nothing);
        assert_eq!(Entry::of("exit"), Entry::End);
        assert_eq!(Entry::of("help"), Entry::Program("help()".to_owned()));
    }
}
