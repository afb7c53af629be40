//! Notes about the completeness and source of answers. Without a note, an answer is complete and comes from a source
//! that understands the code.

use dialect::Notes;
use ide_protocol::{Completeness, Operation, Source};

use crate::failure::sentence;

/// Adds a note if the answer is incomplete, or comes from a fallback.
pub(crate) fn note_completeness(operation: Operation, notes: &Notes, answer: &Completeness) {
    let earlier = notes.to_vec();
    let is_noted = |reason: &str| earlier.iter().any(|it| it.0.contains(reason));
    if let Some(note) = words_for(operation, answer, is_noted) {
        notes.add(note);
    }
}

/// Returns the text of the note. `is_noted` is true for a reason that an earlier note gives.
fn words_for(operation: Operation, answer: &Completeness, is_noted: impl Fn(&str) -> bool) -> Option<String> {
    let (complete, note) = (answer.complete, answer.note.as_deref());
    let tier = tier(operation, &answer.source);
    let come = if is_one(operation) { "comes" } else { "come" };
    let head = match (complete, tier) {
        (true, None) => return note.map(sentence),
        (true, Some(tier)) => format!("The {operation} {come} from {tier}, not from a language server"),
        (false, None) => format!("The answer to `{}` is not complete", asked(operation)),
        (false, Some(tier)) => {
            format!("The {operation} {come} from {tier}, not from a language server, and may not be complete")
        }
    };
    let (reason, rest) = note.and_then(|it| it.split_once(". ")).unwrap_or_default();
    let unnoted: Vec<_> = note.iter().flat_map(|it| it.split("; ")).filter(|it| !is_noted(it)).collect();
    Some(match note {
        // The operations of one program mostly have the same reason.
        Some(note) if tier.is_none() && unnoted.is_empty() => {
            match format!("{head}: {}.", note.trim_end_matches('.')) {
                same if is_noted(&same) => same,
                _ => format!("{head}, for the same reason."),
            }
        }
        Some(_) if tier.is_none() => format!("{head}: {}.", unnoted.join("; ").trim_end_matches('.')),
        Some(_) if tier.is_some() && !rest.is_empty() && is_noted(reason) => {
            format!("{head}, for the same reason. {}", sentence(rest))
        }
        Some(note) => format!("{head}: {}.", note.trim_end_matches('.')),
        None => format!("{head}."),
    })
}

/// Returns the agent's name of an operation, which may be that of another function.
fn asked(operation: Operation) -> &'static str {
    match operation {
        Operation::Matches => "findCode",
        Operation::FileDefinitions => "definitions",
        other => other.name(),
    }
}

/// Returns true if the operation's name is in the singular.
fn is_one(operation: Operation) -> bool {
    use Operation::{Description, Format, Outline, Rename, TakeAction};
    matches!(operation, Description | Outline | Rename | TakeAction | Format)
}

/// Returns the fallback that answered an operation for which only a language server understands the code.
fn tier(operation: Operation, source: &Source) -> Option<&'static str> {
    use Operation::{
        Apply, Exports, FileDefinitions, Files, Importers, Imports, Lines, Matches, Members, Search,
        Selection,
    };
    let is_of_text = matches!(operation, Search | Matches | Files | Lines | Selection | Apply);
    let is_of_syntax = matches!(operation, FileDefinitions | Members | Exports | Imports | Importers);
    let needs_understanding = !is_of_text && !is_of_syntax;
    match source.0.as_str() {
        "syntax" if needs_understanding => Some("the syntax alone"),
        "text" if needs_understanding => Some("a scan of the text"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(complete: bool, note: &str) -> Completeness {
        Completeness { complete, source: Source("language-server:x".into()), note: Some(note.to_owned()) }
    }

    #[test]
    fn what_was_said_is_not_said_again() {
        let note = |earlier: &[&str], answer: &Completeness| {
            words_for(Operation::Symbols, answer, |reason| earlier.iter().any(|it| it.contains(reason)))
        };
        let partial = symbols(false, "no macros; only some");
        let head = "The answer to `symbols` is not complete";
        for (earlier, expected) in [
            (&[][..], format!("{head}: no macros; only some.")),
            (&["The answer to `definitions` is not complete: no macros."], format!("{head}: only some.")),
            (&["Because of no macros; cut.", "It is only some."], format!("{head}, for the same reason.")),
        ] {
            assert_eq!(note(earlier, &partial).as_deref(), Some(expected.as_str()), "{earlier:?}");
        }
        assert_eq!(note(&["No macros."], &symbols(true, "no macros")).as_deref(), Some("No macros."));
    }
}
