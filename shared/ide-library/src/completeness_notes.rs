//! Notes about the completeness and source of answers. Without a note, an answer is complete and comes from a source
//! that understands the code.

use dialect::{Gap, GapCause, Notes};
use ide_protocol::{Completeness, Operation, Source};

use crate::failure::sentence;

/// Adds a note if the answer is incomplete, or comes from a fallback. Operations of one program mostly have the same
/// reason, which is noted once.
pub(crate) fn note_completeness(operation: Operation, notes: &Notes, answer: &Completeness) {
    let earlier: Vec<String> = notes.to_vec().into_iter().map(|it| it.0).collect();
    let words = words_for(operation, answer, &earlier);
    match (answer.complete, words) {
        (true, Some(note)) => notes.add(note),
        (true, None) => {}
        (false, Some(note)) => notes.add_gap(note, gap(answer)),
        (false, None) => notes.pass_gap(gap(answer)),
    }
}

/// Adds a note as [`note_completeness`] does, for an answer that has what a question is about. A failed
/// source or a long list of other symbols may lack a symbol of that name, but none is known to be missing.
pub(crate) fn note_lookup(operation: Operation, notes: &Notes, answer: &Completeness) {
    let gap = answer.gap.filter(|it| *it == ide_protocol::Gap::Time);
    note_completeness(operation, notes, &Completeness { gap, ..answer.clone() });
}

/// Returns what an incomplete answer lacks.
pub(crate) fn gap(answer: &Completeness) -> Gap {
    let cause = match answer.gap {
        Some(ide_protocol::Gap::Time) => GapCause::Time,
        Some(ide_protocol::Gap::Failed) => GapCause::Failed,
        Some(ide_protocol::Gap::Limit) => GapCause::Limit,
        None => GapCause::Unknown,
    };
    Gap::new(cause, answer.note.as_deref().unwrap_or("a part may be missing").trim_end_matches('.'))
}

/// The words of notes about answers to which something may be missing.
const INCOMPLETE: [&str; 2] = ["Not complete", "may not be complete"];

/// Returns the text of the note, or `None` if notes of the same program say it.
fn words_for(operation: Operation, answer: &Completeness, earlier: &[String]) -> Option<String> {
    let (complete, note) = (answer.complete, answer.note.as_deref());
    let is_incomplete = |note: &String| INCOMPLETE.iter().any(|it| note.contains(it));
    let is_noted = |reason: &str| {
        let says_it = |it: &&String| it.contains(reason.trim_end_matches('.'));
        earlier.iter().filter(says_it).any(|it| complete || is_incomplete(it))
    };
    let head = match (complete, tier(operation, &answer.source)) {
        (true, None) => return note.map(sentence),
        (false, None) => {
            let Some(note) = note else { return Some("Not complete.".to_owned()) };
            let reasons: Vec<_> = note.split("; ").filter(|it| !is_noted(it)).collect();
            return (!reasons.is_empty())
                .then(|| format!("Not complete: {}.", reasons.join("; ").trim_end_matches('.')));
        }
        (true, Some(tier)) => format!("This comes from {tier}, not from a language server"),
        (false, Some(tier)) => {
            format!("This comes from {tier}, not from a language server, and may not be complete")
        }
    };
    let Some(note) = note else { return Some(format!("{head}.")) };
    let (reason, rest) = note.split_once(". ").unwrap_or((note, ""));
    if !is_noted(reason) {
        return Some(format!("{head}: {}.", note.trim_end_matches('.')));
    }
    (!rest.is_empty() && !is_noted(rest)).then(|| sentence(rest))
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
        Completeness {
            complete,
            source: Source("language-server:x".into()),
            note: Some(note.to_owned()),
            gap: None,
        }
    }

    #[test]
    fn what_was_said_is_not_said_again() {
        let note = |earlier: &[&str], answer: &Completeness| {
            let earlier: Vec<String> = earlier.iter().map(|it| (*it).to_owned()).collect();
            words_for(Operation::Symbols, answer, &earlier)
        };
        let partial = symbols(false, "no macros; only some");
        for (earlier, expected) in [
            (&[][..], Some("Not complete: no macros; only some.")),
            (&["Not complete: no macros."], Some("Not complete: only some.")),
            (&["Not complete: no macros; only some."], None),
            // A reason that was noted of a complete answer says nothing of this one.
            (&["No macros; only some."], Some("Not complete: no macros; only some.")),
        ] {
            assert_eq!(note(earlier, &partial).as_deref(), expected, "{earlier:?}");
        }
        assert_eq!(note(&["No macros."], &symbols(true, "no macros")).as_deref(), Some("No macros."));
    }

    #[test]
    fn a_fallback_is_noted_once_and_what_else_it_says_too() {
        let answer = |complete, note: &str| Completeness {
            complete,
            source: Source("syntax".into()),
            note: Some(note.to_owned()),
            gap: None,
        };
        let words =
            |answer: &Completeness, earlier: &[String]| words_for(Operation::Symbols, answer, earlier);
        let head = "This comes from the syntax alone, not from a language server";
        let whole = words(&answer(true, "no server"), &[]).expect("it is noted");
        assert_eq!(whole, format!("{head}: no server."));
        assert_eq!(words(&answer(true, "no server"), std::slice::from_ref(&whole)), None);
        let partial = words(&answer(false, "no server. Names alone"), &[whole]).expect("it is less");
        assert_eq!(partial, format!("{head}, and may not be complete: no server. Names alone."));
        assert_eq!(words(&answer(false, "no server. Names alone"), std::slice::from_ref(&partial)), None);
        let more = words(&answer(false, "no server. Also others"), &[partial]);
        assert_eq!(more.as_deref(), Some("Also others."));
    }
}
