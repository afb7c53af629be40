//! Input line by line, until it is a complete program.

use std::sync::LazyLock;

use component::vocabulary;
use dialect::ast::ExpressionKind;
use dialect::{FailureKind, Limits, Program, Registry, read};

/// Everything that a program can name.
pub(super) static VOCABULARY: LazyLock<Registry> = LazyLock::new(vocabulary);

/// Returns whether an entry needs more lines: a bracket or a text is open, an operator lacks its operand, or a
/// function is bound and not used.
pub(super) fn is_open(text: &str) -> bool {
    if text.trim().is_empty() || text.trim_start().starts_with(':') {
        return false;
    }
    if let Some((_, program)) = with_result(text) {
        return binds_function(&program);
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
        FailureKind::UnterminatedComment => true,
        _ => false,
    }
}

/// Returns the last bound name of a program that ends with a binding, and the program with it as its result; `None` for
/// any other text.
fn with_result(text: &str) -> Option<(String, String)> {
    let failures = read(text).err()?.all;
    let no_result = failures.iter().find_map(|it| match &*it.kind {
        FailureKind::NoResult { name } => Some(name),
        _ => None,
    })?;
    Some((no_result.to_string(), format!("{}\n{no_result}", text.trim_end())))
}

/// Returns whether the last binding of a program is a function, which lives only as long as the program.
fn binds_function(program: &str) -> bool {
    let Ok(program) = read(program) else { return false };
    let ExpressionKind::Let { bindings, .. } = program.kind else { return false };
    bindings.last().is_some_and(|(_, value)| matches!(value.kind, ExpressionKind::Lambda { .. }))
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
    /// `:bindings`: list the names that entries have bound.
    Bindings,
    /// `:help`: show the commands.
    Help,
    /// `:all`: show the last value without cuts.
    All,
    /// Another word behind a colon.
    Unknown(String),
    Program(String),
    /// A program that ends with a binding, with the bound name as its result.
    Binding {
        name: String,
        program: String,
    },
}

impl Input {
    pub(super) fn parse(text: &str) -> Self {
        match text.trim() {
            "" => Self::Nothing,
            "exit" | "quit" | ":quit" | ":q" => Self::End,
            ":bindings" => Self::Bindings,
            ":help" => Self::Help,
            ":all" => Self::All,
            "help" => Self::Program("help()".to_owned()),
            command if command.starts_with(':') => Self::Unknown(command.to_owned()),
            program => match with_result(program) {
                Some((name, program)) => Self::Binding { name, program },
                None => Self::Program(program.to_owned()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_goes_on() {
        for open in [
            "brief(",
            "[1,",
            "`raw",
            "/* why",
            "x = y => y",
            "1 +",
            "{\"search\": {",
            "search(`a`).filter(x =>",
        ] {
            assert!(is_open(open) && !is_given_up(open), "{open}");
            assert!(is_given_up(&format!("{open}\n")), "{open}");
        }
        for whole in
            ["", "1", "brief(search(`.`, `x`))", "x = 1", "x = 1\nx", "1)", "nosuch()", "\"open", ":b"]
        {
            assert!(!is_open(whole), "{whole}");
        }
    }

    #[test]
    fn words_that_are_no_programs() {
        assert_eq!(Input::parse(" \n"), Input::Nothing);
        assert_eq!(Input::parse("exit"), Input::End);
        assert_eq!(Input::parse("help"), Input::Program("help()".to_owned()));
        assert_eq!(Input::parse(" :bindings"), Input::Bindings);
        assert_eq!(Input::parse(":nosuch"), Input::Unknown(":nosuch".to_owned()));
    }

    #[test]
    fn a_binding_alone_is_a_program_with_its_value() {
        for (text, program) in [("x = 1", "x = 1\nx"), ("let x = 1; // one", "let x = 1; // one\nx")] {
            let (name, program) = ("x".to_owned(), program.to_owned());
            assert_eq!(Input::parse(text), Input::Binding { name, program });
        }
        for text in ["x = 1\ny = (x", "x = 1\nx + 1"] {
            assert_eq!(Input::parse(text), Input::Program(text.to_owned()));
        }
    }
}
