//! Notes about the completeness and source of answers. Without a note, an answer is complete and comes from a source
//! that understands the code.

use dialect::{Gap, GapCause, Note, NoteReason, Notes};
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
    let earlier: Vec<_> = notes.to_vec().into_iter().flat_map(|it| it.reasons).collect();
    let note = note_of(operation, answer, &earlier);
    match (answer.is_complete(), note) {
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

/// Returns the note, or `None` if notes of the same program say it. `earlier` has the reasons in them.
fn note_of(operation: Operation, answer: &Completeness, earlier: &[NoteReason]) -> Option<Note> {
    let complete = answer.is_complete();
    let reasons = || answer.reasons().iter().map(to_note_reason);
    let said = |text: String| Note { text, reasons: reasons().collect() };
    let is_noted = |it: &Reason| earlier.contains(&to_note_reason(it));
    let head = match (complete, tier(operation, &answer.source)) {
        (true, None) => return answer.note().map(|it| said(sentence(&it))),
        (false, None) => {
            if answer.note().is_none() {
                return Some(said("Not complete.".to_owned()));
            }
            let new = answer.reasons().iter().filter(|it| !is_noted(it)).collect::<Vec<_>>();
            return words(new.iter().map(ToString::to_string))
                .map(|it| said(format!("Not complete: {}.", it.trim_end_matches('.'))));
        }
        (true, Some(tier)) => format!("This comes from {tier}, not from a language server"),
        (false, Some(tier)) => {
            format!("This comes from {tier}, not from a language server, and may not be complete")
        }
    };
    let Some(note) = answer.note() else { return Some(said(format!("{head}."))) };
    let shared: Vec<_> = reasons().filter(|it| it.shared.is_some()).collect();
    let is_shared = |it: &NoteReason| {
        let mut known = earlier.iter().filter(|known| complete || known.is_gap);
        known.any(|known| known.shared == it.shared)
    };
    let is_known = match &shared[..] {
        [] => answer.reasons().iter().all(is_noted),
        shared => shared.iter().all(is_shared),
    };
    if !is_known {
        return Some(said(format!("{head}: {}.", note.trim_end_matches('.'))));
    }
    // Why no server answers was said; the rest was not.
    let rest = answer.reasons().iter().filter(|it| !is_noted(it)).map(Reason::without_server);
    words(rest).map(|it| said(sentence(&it)))
}

/// Joins the texts that say something; `None` if none does.
fn words(texts: impl Iterator<Item = String>) -> Option<String> {
    let texts: Vec<_> = texts.filter(|it| !it.is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

fn to_note_reason(reason: &Reason) -> NoteReason {
    NoteReason {
        code: reason.code(),
        is_gap: reason.is_gap(),
        text: reason.to_string(),
        shared: reason.no_server().map(ToString::to_string),
    }
}

/// Returns the fallback that answered an operation for which only a language server understands the code.
fn tier(operation: Operation, source: &Source) -> Option<&'static str> {
    use Operation::{
        Apply, EditedTexts, Exports, FileDefinitions, Files, Importers, Imports, Lines, Matches, Members,
        RecentChanges, Search, Selection,
    };
    let is_of_text = matches!(
        operation,
        Search | Matches | Files | Lines | Selection | Apply | EditedTexts | RecentChanges
    );
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

    /// Returns the words of the note on each answer, if those before it are of the same program.
    fn notes(answers: &[&Completeness]) -> Vec<Option<String>> {
        let mut earlier = Vec::new();
        let note = |answer: &&Completeness| {
            let note = note_of(Operation::Symbols, answer, &earlier)?;
            earlier.extend(note.reasons);
            Some(note.text)
        };
        answers.iter().map(note).collect()
    }

    #[test]
    fn what_was_said_is_not_said_again() {
        let answer = |reasons: &[&Reason]| {
            let source = Source("language-server:x".into());
            Completeness::with(source, reasons.iter().copied().cloned())
        };
        let flags = Reason::IgnoredFlags { path: "a".into() };
        let limit = Reason::ServerLimit { server: "x".into(), symbols: 9 };
        let (one, both) = (answer(&[&flags]), answer(&[&flags, &limit]));
        let said = |text: String| Some(format!("Not complete: {text}."));
        let (of_one, of_both) = (said(flags.to_string()), said(format!("{flags}; {limit}")));
        assert_eq!(notes(&[&both, &both, &one]), [of_both, None, None]);
        assert_eq!(notes(&[&one, &both]), [of_one, said(limit.to_string())]);
        let remark = answer(&[&Reason::NotOwn { name: "User".into() }]);
        let own = || Some("`User` is not the workspace's own.".to_owned());
        assert_eq!(notes(&[&remark, &remark]), [own(), own()]);
        let silent = Completeness::reported(false, Source("editor".into()), None, None);
        assert_eq!(notes(&[&silent]), [Some("Not complete.".to_owned())]);
    }

    #[test]
    fn a_fallback_is_noted_once_and_what_else_it_says_too() {
        let answer = |reason: Reason| Completeness::with(Source("syntax".into()), [reason]);
        let why = || NoServer { message: "no server".into(), install: None, retry: None };
        let whole = answer(Reason::FromSyntax { why: why() });
        let partial = answer(Reason::NamesAlone { why: why() });
        let other = answer(Reason::UninferredTypes { why: why() });
        let head = "This comes from the syntax alone, not from a language server";
        let names = "Names alone are compared, so namesakes may be among them";
        assert_eq!(
            notes(&[&whole, &whole, &partial, &partial, &whole, &other]),
            [
                Some(format!("{head}: no server.")),
                None,
                Some(format!("{head}, and may not be complete: no server. {names}.")),
                None,
                None,
                Some("Inferred types are missing.".to_owned()),
            ]
        );
        let odd = Completeness::reported(true, Source("syntax".into()), Some("tags alone".into()), None);
        assert_eq!(notes(&[&odd, &odd]), [Some(format!("{head}: tags alone.")), None]);
    }
}
