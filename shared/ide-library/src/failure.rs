//! Failures of the library: errors of the wire, and symbols that do not exist.

use dialect::{Failure, FailureKind};
use ide_protocol::{Definition, DefinitionsResult, ErrorCode, IdeError, LinesResult, Location};

use crate::spelling::{display_location, words};

/// The names of the errors that the library distinguishes, as declared in the interface document.
pub(crate) mod name {
    /// No symbol has that name, or there is no name at that place.
    pub(crate) const UNKNOWN_SYMBOL: &str = "UnknownSymbol";
    /// An argument has the right type and an impossible value.
    pub(crate) const INVALID_REQUEST: &str = "InvalidRequest";
    /// The user has selected nothing.
    pub(crate) const NO_SELECTION: &str = "NoSelection";
    /// There is no such file or folder.
    pub(crate) const NOT_FOUND: &str = "NotFound";
}

/// Converts an error of the wire. Without advice of its own it gets that of the interface document.
pub(crate) fn from_wire(error: IdeError) -> Failure {
    let mut failure = Failure::thrown(name_of(error.kind), [("problem", error.message.into())]);
    if let Some(advice) = error.recovery {
        failure = failure.recovery(advice);
    }
    if error.retryable { failure.retryable() } else { failure }
}

/// Returns the failure for an argument that has the right type and an impossible value.
pub(crate) fn invalid(message: impl Into<String>, advice: impl Into<String>) -> Failure {
    Failure::thrown(name::INVALID_REQUEST, [("problem", message.into().into())]).recovery(advice)
}

/// Returns the failure for a name that no symbol has. `answer` has similar names, and its completeness.
pub(crate) fn unknown_name(wanted: &str, answer: &DefinitionsResult) -> Failure {
    let failure = if answer.completeness.is_complete() {
        unknown(format!("no symbol is called `{wanted}`"), wanted)
    } else {
        let why = answer.completeness.note().unwrap_or_else(|| "not everything was looked at".to_owned());
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

/// Returns the failure for a place without a name. `line` is its line.
pub(crate) fn unnamed_place(place: &Location, line: Option<&LinesResult>) -> Failure {
    let text = line.and_then(|it| it.lines.first()).map(|line| line.text.as_str()).unwrap_or_default();
    let names: Vec<String> =
        words(text).take(8).map(|(at, word)| format!("`{word}` at {}", at + 1)).collect();
    let failure = unknown(format!("no symbol is named at {}", display_location(place)), "");
    if names.is_empty() {
        return failure.recovery("Point at a name, `path:line:column`, or give the name itself.");
    }
    failure.recovery(format!("Names of that line, by column: {}.", names.join(", ")))
}

/// Returns the failure for an empty selection. `note` has the reason.
pub(crate) fn nothing_selected(note: Option<&str>) -> Failure {
    let why = note.map(|it| format!(" ({it})")).unwrap_or_default();
    Failure::thrown(name::NO_SELECTION, [("why", why.into())])
}

/// Returns the failure for a missing symbol. Its advice is to search the text for `wanted`; for a qualified name, for
/// its last part.
pub(crate) fn unknown(problem: String, wanted: &str) -> Failure {
    let pattern = escape(unqualified(wanted));
    Failure::thrown(name::UNKNOWN_SYMBOL, [("problem", problem.into()), ("pattern", pattern.into())])
}

/// Returns the last part of a qualified name: `name` of `App.name` and `app::App::name`. Code rarely spells out the
/// rest.
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

/// Returns true for the failure that no symbol has the given name.
pub(crate) fn is_unknown(failure: &Failure) -> bool {
    matches!(&*failure.kind, FailureKind::Raised { name, .. } if name == self::name::UNKNOWN_SYMBOL)
}

/// Returns true if a file or a symbol at a place was not found.
pub(crate) fn is_not_found(failure: &Failure) -> bool {
    matches!(&*failure.kind, FailureKind::Raised { name, .. } if name == self::name::NOT_FOUND)
}

/// Returns the failure for a symbol that is no longer in the file; `elsewhere` has all definitions of that name.
pub(crate) fn moved_away(name: &str, path: &str, elsewhere: &DefinitionsResult) -> Failure {
    let Some(other) = elsewhere.definitions.iter().find(|it| it.name == name) else {
        return unknown_name(name, elsewhere);
    };
    not_there(name, &format!("`{path}`"), other)
}

/// Returns the failure for a name that is defined only elsewhere; `where_not` continues "is not defined in".
pub(crate) fn not_there(name: &str, where_not: &str, other: &Definition) -> Failure {
    unknown(format!("`{name}` is not defined in {where_not}"), name)
        .recovery(format!("It is defined at {}.", display_location(&other.name_at.location())))
}

/// Returns the name of the error in the interface document.
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

/// Returns the text as a sentence, with a capital letter and a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", chars.as_str())
}

/// Escapes a text to a regular expression that matches exactly it.
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
