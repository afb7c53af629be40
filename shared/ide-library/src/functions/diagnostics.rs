//! `diagnostics`: the errors and warnings in the code, and those that edits bring or end.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Failure, Interrupt, Invocation, Notes, Value};
use ide_protocol::{
    ChangePoint, Completeness, Diagnostic, DiagnosticsQuestion, DiagnosticsResult, EditedTextsQuestion,
    FileTexts, Gap, Listing, Operation, Reason, RecentChangesQuestion, Severity, Source, UnsavedText,
};
use serde::Deserialize;

use crate::Host;
use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::diagnostic_changes::{Change, ComparedDiagnostic, changes};
use crate::excerpt::clip;
use crate::failure::{from_wire, invalid};
use crate::row::{Code, plain, with_host};
use crate::spelling::display_location;
use crate::symbol::PlaceWithText;

/// The maximum number of files named in a reason.
const NAMED: usize = 5;

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("diagnostics(path?, since?, after?)", with_host(host, diagnostics))
}

/// An edit as an agent may paste it; only its id is read.
#[derive(Clone, Debug, Deserialize)]
struct Named {
    id: String,
}

async fn diagnostics(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let path: Option<String> = invocation.arguments.read("path")?;
    let path = path.map(|it| it.trim().to_owned()).filter(|it| !matches!(it.as_str(), "" | "." | "./"));
    let since: Option<ChangePoint> = invocation.arguments.read("since")?;
    let after: Option<Vec<Named>> = invocation.arguments.read("after")?;
    let notes = &invocation.notes;
    let (files, gap) = match (since, after) {
        (None, None) => {
            let question = DiagnosticsQuestion { path, ..DiagnosticsQuestion::default() };
            let answer = host.ask(Operation::Diagnostics, &question).await.map_err(from_wire)?;
            note_completeness(Operation::Diagnostics, notes, &answer.completeness);
            return Ok(plain(&answer.diagnostics));
        }
        (Some(_), Some(_)) => {
            let failure = invalid(
                "`since` and `after` are two comparisons",
                "Give one: `since` for edits that were made, `after` for previews.",
            );
            return Err(failure.argument("after").into());
        }
        (Some(since), None) => {
            let question = RecentChangesQuestion { since, path: path.clone() };
            let answer = host.ask(Operation::RecentChanges, &question).await.map_err(from_wire)?;
            note_completeness(Operation::RecentChanges, notes, &answer.completeness);
            let gap = not_taken_away(answer.files.iter().filter(|it| it.before.is_none()));
            (answer.files, gap)
        }
        (None, Some(edits)) => {
            let edits = edits.into_iter().map(|it| it.id).collect();
            let answer = host.ask(Operation::EditedTexts, &EditedTextsQuestion { edits }).await;
            let answer = answer.map_err(from_wire)?;
            note_completeness(Operation::EditedTexts, notes, &answer.completeness);
            let goes = |it: &&FileTexts| it.before.is_some() && (it.after.is_none() || it.to.is_some());
            let gap = not_taken_away(answer.files.iter().filter(goes));
            (answer.files, gap)
        }
    };
    let comparison = Comparison { path, files };
    if let Some(gap) = gap {
        let completeness = Completeness::with(Source("text".into()), [gap]);
        note_completeness(Operation::RecentChanges, notes, &completeness);
    }
    Ok(plain(&comparison.compared(&host, notes).await?))
}

/// Returns the reason for files that are only on one side of a comparison, while the other side sees them too.
fn not_taken_away<'a>(files: impl Iterator<Item = &'a FileTexts>) -> Option<Reason> {
    let paths: Vec<_> = files.map(|it| it.path.clone()).collect();
    (!paths.is_empty()).then(|| Reason::NotTakenAway { paths: Listing::of(paths, NAMED) })
}

/// The two sides of a comparison: files with their texts before and after.
struct Comparison {
    path: Option<String>,
    files: Vec<FileTexts>,
}

impl Comparison {
    /// Returns the diagnostics that are on one side alone, in order of path and place.
    async fn compared(&self, host: &CachedHost, notes: &Notes) -> Result<Vec<ComparedDiagnostic>, Failure> {
        if self.files.is_empty() {
            return Ok(Vec::new());
        }
        let after = self.ask(host, self.after()).await?;
        let before = self.ask(host, self.before()).await?;
        for answer in [&after, &before] {
            note_completeness(Operation::Diagnostics, notes, &answer.completeness);
        }
        Ok(changes(before.diagnostics, after.diagnostics, &self.files))
    }

    /// Returns the texts before.
    fn before(&self) -> Vec<UnsavedText> {
        let text = |it: &FileTexts| Some(UnsavedText { path: it.path.clone(), text: it.before.clone()? });
        self.files.iter().filter_map(text).collect()
    }

    /// Returns the texts after, at the places that the files have then.
    fn after(&self) -> Vec<UnsavedText> {
        let text = |it: &FileTexts| {
            let path = it.to.as_ref().unwrap_or(&it.path).clone();
            Some(UnsavedText { path, text: it.after.clone()? })
        };
        self.files.iter().filter_map(text).collect()
    }

    /// Asks for the diagnostics of one side.
    async fn ask(&self, host: &CachedHost, texts: Vec<UnsavedText>) -> Result<DiagnosticsResult, Failure> {
        let languages_of = self.files.iter().map(|it| it.path.clone()).collect();
        let question = DiagnosticsQuestion { path: self.path.clone(), languages_of };
        host.ask_about(Operation::Diagnostics, &question, &texts).await.map_err(from_wire)
    }
}

/// Returns the errors that the agent's edits have brought since the user's last prompt, worst first; `None` if that is
/// not known for certain.
pub async fn broken_since_prompt(host: Arc<dyn Host>) -> Option<Vec<Diagnostic>> {
    let is_answered = |it: &Reason| !matches!(it, Reason::FilesNotAnswered { .. });
    let is_sure = |it: &Completeness| {
        it.gap().is_none_or(|it| it == Gap::Limit) && it.reasons().iter().all(is_answered)
    };
    let host = CachedHost::new(host);
    let question = RecentChangesQuestion { since: ChangePoint::Prompt, path: None };
    let changed = host.ask(Operation::RecentChanges, &question).await.ok()?;
    let comparison = Comparison { path: None, files: changed.files };
    if comparison.files.is_empty() {
        return Some(Vec::new());
    }
    let mut after =
        comparison.ask(&host, comparison.after()).await.ok().filter(|it| is_sure(&it.completeness))?;
    after.diagnostics.retain(|it| it.severity == Severity::Error);
    if after.diagnostics.is_empty() {
        return Some(Vec::new());
    }
    let before =
        comparison.ask(&host, comparison.before()).await.ok().filter(|it| is_sure(&it.completeness))?;
    let changes = changes(before.diagnostics, after.diagnostics, &comparison.files);
    Some(changes.into_iter().filter(|it| it.change == Some(Change::New)).map(|it| it.diagnostic).collect())
}

/// Returns a line that names the errors that edits brought; `None` if there are none.
pub fn broken_line(errors: &[Diagnostic]) -> Option<String> {
    let (first, more) = errors.split_first()?;
    let place = place_with_message(ComparedDiagnostic { diagnostic: first.clone(), change: None });
    let (at, words) = (display_location(&place.location()), clip(place.text.as_deref().unwrap_or_default()));
    let rest = match more.len() {
        0 => String::new(),
        count => format!(" (and {count} more: diagnostics(since=`session`))"),
    };
    Some(format!("Your edits broke something: {at}: {words}{rest}"))
}

/// Returns the place of a diagnostic, with its message as the text.
pub(crate) fn place_with_message(compared: ComparedDiagnostic) -> PlaceWithText {
    let ComparedDiagnostic { diagnostic, change } = compared;
    let Diagnostic { severity, message, code, path, start, .. } = diagnostic;
    let (change, severity) = (change.map_or("", Change::mark), word(severity));
    let code = code.map(|it| format!("[{it}]")).unwrap_or_default();
    // One line each, because brief counts lines.
    let message = message.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let text = Some(format!("{change}{severity}{code}: {message}"));
    PlaceWithText { path, line: start.line, column: Some(start.column), text, external: false }
}

/// Returns the severity in the text of such a place; `None` for other texts.
pub(crate) fn severity_in(text: &str) -> Option<Severity> {
    let marks = [Change::New, Change::Gone].map(Change::mark);
    let text = marks.iter().find_map(|it| text.strip_prefix(it)).unwrap_or(text);
    let severities = [Severity::Error, Severity::Warning, Severity::Information, Severity::Hint];
    severities.into_iter().find(|it| {
        let rest = text.strip_prefix(word(*it));
        rest.is_some_and(|it| it.starts_with(": ") || it.starts_with('[') && it.contains("]: "))
    })
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    }
}

#[cfg(test)]
mod tests {
    use ide_protocol::{Column, Line, Point};

    use super::*;

    #[test]
    fn the_severity_is_read_as_it_is_written() {
        let start = Point { line: Line::FIRST, column: Column::FIRST };
        for severity in [Severity::Error, Severity::Warning, Severity::Information, Severity::Hint] {
            for (code, change) in [(None, None), (Some("a::[b]".to_owned()), Some(Change::Gone))] {
                let (message, path) = ("no\n  such".to_owned(), "a.rs".to_owned());
                let diagnostic =
                    Diagnostic { severity, message, code, source: None, path, start, end: start };
                let text = place_with_message(ComparedDiagnostic { diagnostic, change }).text.unwrap();
                assert_eq!(severity_in(&text), Some(severity), "{text}");
            }
        }
        for text in ["error!(\"no\");", "errors: 3", "hint[0]", "let x = 1; // error: no"] {
            assert_eq!(severity_in(text), None, "{text}");
        }
    }
}
