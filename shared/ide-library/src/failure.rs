//! Why the library has no answer: errors of the wire, and symbols that are not there.

use dialect::Failure;
use ide_protocol::{DefinitionsResult, ErrorCode, IdeError, LinesResult, Location};

use crate::spelling::{spell, words};

/// The kinds of failure that are the library's own; those of the wire keep the wire's names.
pub(crate) mod name {
    /// Nothing has that name, or nothing is named at that place.
    pub(crate) const UNKNOWN_SYMBOL: &str = "unknownSymbol";
    /// An argument that cannot be what was meant.
    pub(crate) const INVALID_REQUEST: &str = "invalidRequest";
    /// The user has selected nothing.
    pub(crate) const NO_SELECTION: &str = "noSelection";
}

/// The wire's error as a failure.
pub(crate) fn of_wire(error: IdeError) -> Failure {
    let mut failure = Failure::raised(kind_name(error.kind), error.message);
    if let Some(advice) = error.recovery {
        failure = failure.recovery(advice);
    }
    if error.retryable { failure.retryable() } else { failure }
}

/// An argument that fits its type and yet cannot be what was meant.
pub(crate) fn invalid(message: impl Into<String>, advice: impl Into<String>) -> Failure {
    Failure::raised(name::INVALID_REQUEST, message).recovery(advice)
}

/// Nothing has that name; `answer` says what was near, and whether everything was looked at.
pub(crate) fn unknown_name(wanted: &str, answer: &DefinitionsResult) -> Failure {
    let advice = advice_on_name(wanted, &answer.nearest);
    if answer.complete {
        return unknown(format!("no symbol is called `{wanted}`")).recovery(advice);
    }
    let why = answer.note.as_deref().unwrap_or("not everything was looked at");
    unknown(format!("no symbol is called `{wanted}` as far as is known: {why}")).recovery(advice).retryable()
}

fn advice_on_name(wanted: &str, nearest: &[String]) -> String {
    let near: Vec<String> = nearest.iter().take(5).map(|it| format!("`{it}`")).collect();
    match near.as_slice() {
        [] => format!("As text it is found by search(`.`, `{}`).", escape(wanted)),
        [only] => format!("Did you mean {only}?"),
        [init @ .., last] => format!("Did you mean {} or {last}?", init.join(", ")),
    }
}

/// Nothing is named there; `line` says what is.
pub(crate) fn unnamed_place(place: &Location, line: Option<&LinesResult>) -> Failure {
    let text = line.and_then(|it| it.lines.first()).map(|line| line.text.as_str()).unwrap_or_default();
    let names: Vec<String> =
        words(text).take(8).map(|(at, word)| format!("`{word}` at {}", at + 1)).collect();
    let failure = unknown(format!("no symbol is named at {}", spell(place)));
    if names.is_empty() {
        return failure.recovery("Point at a name, `path:line:column`, or give the name itself.");
    }
    failure.recovery(format!("Names of that line, by column: {}.", names.join(", ")))
}

/// Nothing is selected; `note` says what there is instead.
pub(crate) fn nothing_selected(note: Option<&str>) -> Failure {
    let why = note.map(|it| format!(" ({it})")).unwrap_or_default();
    let message = format!("the user has selected nothing, and attached no lines to the prompt{why}");
    Failure::raised(name::NO_SELECTION, message).recovery(
        "Name what is meant, as `User` or `src/auth.rs:12:5`; or ask the user to select the code and attach it.",
    )
}

/// A symbol that is not there.
pub(crate) fn unknown(message: String) -> Failure {
    Failure::raised(name::UNKNOWN_SYMBOL, message)
}

/// As the wire spells it.
fn kind_name(kind: ErrorCode) -> &'static str {
    match kind {
        ErrorCode::InvalidRequest => name::INVALID_REQUEST,
        ErrorCode::NotFound => "notFound",
        ErrorCode::OutsideWorkspace => "outsideWorkspace",
        ErrorCode::Unavailable => "unavailable",
        ErrorCode::NotReady => "notReady",
        ErrorCode::ServerFailed => "serverFailed",
    }
}

/// The text with a large first letter and a full stop, as sentences beside each other need.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", chars.as_str())
}

/// A text as a pattern that matches just it.
pub(crate) fn escape(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for char in text.chars() {
        if r"\.+*?()|[]{}^$".contains(char) {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern
}
