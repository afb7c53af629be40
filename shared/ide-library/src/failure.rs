//! Why the library has no answer: errors of the wire, and symbols that are not there.

use dialect::{Failure, FailureKind};
use ide_protocol::{DefinitionsResult, ErrorCode, IdeError, LinesResult, Location};

use crate::spelling::{spell, words};

/// The names of the errors that the library tells apart, as the document declares them.
pub(crate) mod name {
    /// Nothing has that name, or nothing is named at that place.
    pub(crate) const UNKNOWN_SYMBOL: &str = "UnknownSymbol";
    /// An argument that cannot be what was meant.
    pub(crate) const INVALID_REQUEST: &str = "InvalidRequest";
    /// The user has selected nothing.
    pub(crate) const NO_SELECTION: &str = "NoSelection";
    /// There is no such file or folder.
    pub(crate) const NOT_FOUND: &str = "NotFound";
}

/// The wire's error as a failure. What it does not advise, the document does.
pub(crate) fn of_wire(error: IdeError) -> Failure {
    let mut failure = Failure::thrown(name_of(error.kind), [("problem", error.message.into())]);
    if let Some(advice) = error.recovery {
        failure = failure.recovery(advice);
    }
    if error.retryable { failure.retryable() } else { failure }
}

/// An argument that fits its type and yet cannot be what was meant.
pub(crate) fn invalid(message: impl Into<String>, advice: impl Into<String>) -> Failure {
    Failure::thrown(name::INVALID_REQUEST, [("problem", message.into().into())]).recovery(advice)
}

/// Nothing has that name; `answer` says what was near, and whether everything was looked at.
pub(crate) fn unknown_name(wanted: &str, answer: &DefinitionsResult) -> Failure {
    let failure = if answer.complete {
        unknown(format!("no symbol is called `{wanted}`"), wanted)
    } else {
        let why = answer.note.as_deref().unwrap_or("not everything was looked at");
        unknown(format!("no symbol is called `{wanted}` as far as is known: {why}"), wanted).retryable()
    };
    match meant(&answer.nearest) {
        Some(advice) => failure.recovery(advice),
        None => failure,
    }
}

fn meant(nearest: &[String]) -> Option<String> {
    let near: Vec<String> = nearest.iter().take(5).map(|it| format!("`{it}`")).collect();
    Some(match near.as_slice() {
        [] => return None,
        [only] => format!("Did you mean {only}?"),
        [init @ .., last] => format!("Did you mean {} or {last}?", init.join(", ")),
    })
}

/// Nothing is named there; `line` says what is.
pub(crate) fn unnamed_place(place: &Location, line: Option<&LinesResult>) -> Failure {
    let text = line.and_then(|it| it.lines.first()).map(|line| line.text.as_str()).unwrap_or_default();
    let names: Vec<String> =
        words(text).take(8).map(|(at, word)| format!("`{word}` at {}", at + 1)).collect();
    let failure = unknown(format!("no symbol is named at {}", spell(place)), "");
    if names.is_empty() {
        return failure.recovery("Point at a name, `path:line:column`, or give the name itself.");
    }
    failure.recovery(format!("Names of that line, by column: {}.", names.join(", ")))
}

/// Nothing is selected; `note` says what there is instead.
pub(crate) fn nothing_selected(note: Option<&str>) -> Failure {
    let why = note.map(|it| format!(" ({it})")).unwrap_or_default();
    Failure::thrown(name::NO_SELECTION, [("why", why.into())])
}

/// A symbol is not there; as text it may be found as `wanted`, of a qualified name as the name itself.
pub(crate) fn unknown(problem: String, wanted: &str) -> Failure {
    let pattern = escape(unqualified(wanted));
    Failure::thrown(name::UNKNOWN_SYMBOL, [("problem", problem.into()), ("pattern", pattern.into())])
}

/// `name` of `App.name` and `app::App::name`: few texts spell out where a name belongs.
fn unqualified(wanted: &str) -> &str {
    let is_in_name = |it: char| it.is_alphanumeric() || it == '_';
    let is_separator = |it: char| matches!(it, ':' | '.' | '#');
    match wanted.rsplit_once(is_separator) {
        Some((_, name))
            if !name.is_empty() && wanted.chars().all(|it| is_in_name(it) || is_separator(it)) =>
        {
            name
        }
        _ => wanted,
    }
}

/// Whether nothing has the name that was given.
pub(crate) fn is_unknown(failure: &Failure) -> bool {
    matches!(&*failure.kind, FailureKind::Raised { name, .. } if name == self::name::UNKNOWN_SYMBOL)
}

/// As the document spells it.
fn name_of(kind: ErrorCode) -> &'static str {
    match kind {
        ErrorCode::InvalidRequest => name::INVALID_REQUEST,
        ErrorCode::NotFound => name::NOT_FOUND,
        ErrorCode::OutsideWorkspace => "OutsideWorkspace",
        ErrorCode::Unavailable => "Unavailable",
        ErrorCode::NotReady => "NotReady",
        ErrorCode::ServerFailed => "ServerFailed",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_qualified_name_is_looked_for_by_itself() {
        for (wanted, expected) in [
            ("App.debug", "debug"),
            ("app::App::debug", "debug"),
            ("debug", "debug"),
            ("src/app.py", "src/app.py"),
            ("geo::operator==", "geo::operator=="),
            ("3.", "3."),
        ] {
            assert_eq!(unqualified(wanted), expected);
        }
    }
}
