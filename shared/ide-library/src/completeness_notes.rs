//! Notes about the completeness and source of answers. Without a note, an answer is complete and comes from a source
//! that understands the code.

use dialect::{Gap, GapCause, Notes};
use ide_protocol::{Completeness, Operation, Reason, Source};

use crate::failure::sentence;

/// Adds a note if the answer is incomplete, or comes from a fallback. Operations of one program mostly have the same
/// reason, which is noted once.
pub(crate) fn note_completeness(operation: Operation, notes: &Notes, answer: &Completeness) {
    note_as(operation, notes, answer, answer.gap());
}

/// Adds a note as [`note_completeness`] does, for an answer that has what a question is about. A failed
/// source or a long list of other symbols may lack a symbol of that name, but none is known to be missing.
pub(crate) fn note_lookup(operation: Operation, notes: &Notes, answer: &Completeness) {
    note_as(operation, notes, answer, answer.gap().filter(|it| *it == ide_protocol::Gap::Time));
}

fn note_as(operation: Operation, notes: &Notes, answer: &Completeness, gap: Option<ide_protocol::Gap>) {
    let earlier: Vec<String> = notes.to_vec().into_iter().map(|it| it.0).collect();
    let words = words_for(operation, answer, &earlier);
    match (answer.is_complete(), words) {
        (true, Some(note)) => notes.add(note),
        (true, None) => {}
        (false, Some(note)) => notes.add_gap(note, what_lacks(answer, gap)),
        (false, None) => notes.pass_gap(what_lacks(answer, gap)),
    }
}

/// Returns what an incomplete answer lacks.
fn what_lacks(answer: &Completeness, gap: Option<ide_protocol::Gap>) -> Gap {
    let cause = match gap {
        Some(ide_protocol::Gap::Time) => GapCause::Time,
        Some(ide_protocol::Gap::Failed) => GapCause::Failed,
        Some(ide_protocol::Gap::Limit) => GapCause::Limit,
        None => GapCause::Unknown,
    };
    let note = answer.note();
    Gap::new(cause, note.as_deref().unwrap_or("a part may be missing").trim_end_matches('.'))
}

/// The words of notes about answers to which something may be missing.
const INCOMPLETE: [&str; 2] = ["Not complete", "may not be complete"];

/// Returns the text of the note, or `None` if notes of the same program say it.
fn words_for(operation: Operation, answer: &Completeness, earlier: &[String]) -> Option<String> {
    let complete = answer.is_complete();
    let is_incomplete = |note: &String| INCOMPLETE.iter().any(|it| note.contains(it));
    let is_noted = |reason: &str| {
        let says_it = |it: &&String| it.contains(reason.trim_end_matches('.'));
        earlier.iter().filter(says_it).any(|it| complete || is_incomplete(it))
    };
    let note = answer.note();
    let head = match (complete, tier(operation, &answer.source)) {
        (true, None) => return note.as_deref().map(sentence),
        (false, None) => {
            if note.is_none() {
                return Some("Not complete.".to_owned());
            }
            let reasons = answer.reasons().iter().filter(|it| !matches!(it, Reason::Unsaid { .. }));
            let reasons: Vec<_> = reasons.map(ToString::to_string).filter(|it| !is_noted(it)).collect();
            return (!reasons.is_empty())
                .then(|| format!("Not complete: {}.", reasons.join("; ").trim_end_matches('.')));
        }
        (true, Some(tier)) => format!("This comes from {tier}, not from a language server"),
        (false, Some(tier)) => {
            format!("This comes from {tier}, not from a language server, and may not be complete")
        }
    };
    let Some(note) = note else { return Some(format!("{head}.")) };
    let why = answer.reasons().iter().find_map(Reason::no_server).map(ToString::to_string);
    if !is_noted(why.as_ref().unwrap_or(&note)) {
        return Some(format!("{head}: {}.", note.trim_end_matches('.')));
    }
    // The rest is not said of every answer without a server.
    let rest = answer.reasons().iter().map(Reason::without_server).filter(|it| !it.is_empty());
    let rest = rest.collect::<Vec<_>>().join("; ");
    (why.is_some() && !rest.is_empty() && !is_noted(&rest)).then(|| sentence(&rest))
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
    use ide_protocol::NoServer;

    use super::*;

    #[test]
    fn what_was_said_is_not_said_again() {
        let symbols = |reasons: &[Reason]| {
            Completeness::with(Source("language-server:x".into()), reasons.iter().cloned())
        };
        let note = |earlier: &[&str], answer: &Completeness| {
            let earlier: Vec<String> = earlier.iter().map(|it| (*it).to_owned()).collect();
            words_for(Operation::Symbols, answer, &earlier)
        };
        let flags = Reason::IgnoredFlags { path: "a".into() };
        let limit = Reason::ServerLimit { server: "x".into(), symbols: 9 };
        let (of_flags, of_limit) = (flags.to_string(), limit.to_string());
        let both = format!("Not complete: {of_flags}; {of_limit}.");
        let partial = symbols(&[flags, limit]);
        for (earlier, expected) in [
            (String::new(), Some(both.clone())),
            (format!("Not complete: {of_flags}."), Some(format!("Not complete: {of_limit}."))),
            (both.clone(), None),
            // A reason that was noted of a complete answer says nothing of this one.
            (sentence(&format!("{of_flags}; {of_limit}")), Some(both)),
        ] {
            assert_eq!(note(&[&earlier], &partial), expected, "{earlier:?}");
        }
        let remark = symbols(&[Reason::NotOwn { name: "User".into() }]);
        let said = "`User` is not the workspace's own.";
        assert_eq!(note(&[said], &remark).as_deref(), Some(said));
    }

    #[test]
    fn a_fallback_is_noted_once_and_what_else_it_says_too() {
        let answer =
            |reasons: &[Reason]| Completeness::with(Source("syntax".into()), reasons.iter().cloned());
        let words =
            |answer: &Completeness, earlier: &[String]| words_for(Operation::Symbols, answer, earlier);
        let why = || NoServer { message: "no server".into(), install: None, retry: None };
        let names_alone = || Reason::NamesAlone { why: why() };
        let head = "This comes from the syntax alone, not from a language server";
        let whole = words(&answer(&[Reason::FromSyntax { why: why() }]), &[]).expect("it is noted");
        assert_eq!(whole, format!("{head}: no server."));
        assert_eq!(words(&answer(&[Reason::FromSyntax { why: why() }]), std::slice::from_ref(&whole)), None);
        let partial = words(&answer(&[names_alone()]), &[whole]).expect("it is less");
        let names = "Names alone are compared, so namesakes may be among them";
        assert_eq!(partial, format!("{head}, and may not be complete: no server. {names}."));
        assert_eq!(words(&answer(&[names_alone()]), std::slice::from_ref(&partial)), None);
        let more = words(&answer(&[Reason::UninferredTypes { why: why() }]), &[partial]);
        assert_eq!(more.as_deref(), Some("Inferred types are missing."));
    }
}
