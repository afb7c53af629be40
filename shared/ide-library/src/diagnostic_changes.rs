//! The diagnostics that an edit brings, and those that it ends. What stays is told by the file, the rule and the words;
//! places are compared through the lines that the edit moves.

use std::collections::HashMap;

use ide_protocol::{Diagnostic, FileTexts, Line};
use serde::{Deserialize, Serialize};
use source_text::{Hunk, hunks};

/// A diagnostic as programs have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ComparedDiagnostic {
    #[serde(flatten)]
    pub(crate) diagnostic: Diagnostic,
    /// The difference to the other side of a comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) change: Option<Change>,
}

/// The difference that edits make to a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Change {
    /// It is there after them alone.
    New,
    /// It is there before them alone.
    Gone,
}

impl Change {
    /// Returns what stands before the severity.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::New => "new ",
            Self::Gone => "gone ",
        }
    }
}

/// Returns the diagnostics that are on one side of an edit alone, in order of path and place. A file that is only on one
/// side has no diagnostics on the other.
pub(crate) fn changes(
    mut before: Vec<Diagnostic>,
    mut after: Vec<Diagnostic>,
    files: &[FileTexts],
) -> Vec<ComparedDiagnostic> {
    let goes = |it: &FileTexts| it.after.is_none() || it.to.is_some();
    before.retain(|it| !files.iter().any(|file| file.path == it.path && file.before.is_none()));
    after.retain(|it| !files.iter().any(|file| file.path == it.path && goes(file)));
    let moves: HashMap<&str, Moves> = files.iter().map(|it| (it.path.as_str(), Moves::of(it))).collect();
    let mut found: Vec<_> = after.into_iter().map(Some).collect();
    let mut gone: Vec<_> = before.into_iter().map(Some).collect();
    // The surest first: a line that only moved has its diagnostic at the same column.
    for is_same in [same_place, same_line, same_hunk] {
        for old in &mut gone {
            let Some(it) = old.as_ref() else { continue };
            let moves = moves.get(it.path.as_str());
            let stays = |new: &&mut Option<Diagnostic>| {
                new.as_ref().is_some_and(|new| is_same_kind(it, new, moves) && is_same(it, new, moves))
            };
            if let Some(new) = found.iter_mut().find(stays) {
                (*new, *old) = (None, None);
            }
        }
    }
    let compared = |change| move |diagnostic| ComparedDiagnostic { diagnostic, change: Some(change) };
    let new = found.into_iter().flatten().map(compared(Change::New));
    let mut all: Vec<_> = gone.into_iter().flatten().map(compared(Change::Gone)).chain(new).collect();
    all.sort_by(|a, b| {
        let (a, b) = (&a.diagnostic, &b.diagnostic);
        (&a.path, a.start, a.severity).cmp(&(&b.path, b.start, b.severity))
    });
    all
}

/// The lines of a file that an edit moves.
struct Moves<'f> {
    /// The path after the edit.
    path: &'f str,
    hunks: Vec<Hunk>,
}

/// The lines where a line of the first text is in the second.
enum Moved<'m> {
    /// The line is there, at this index.
    To(usize),
    /// Other lines replace it.
    Replaced(&'m Hunk),
}

impl<'f> Moves<'f> {
    fn of(file: &'f FileTexts) -> Self {
        let hunks = match (&file.before, &file.after) {
            (Some(before), Some(after)) => hunks(before, after),
            _ => Vec::new(),
        };
        Self { path: file.to.as_ref().unwrap_or(&file.path), hunks }
    }

    fn line(&self, line: Line) -> Moved<'_> {
        let line = line.index();
        let mut moved = line;
        for hunk in &self.hunks {
            if hunk.old.contains(&line) {
                return Moved::Replaced(hunk);
            }
            if hunk.old.end <= line {
                moved = hunk.new.end + (line - hunk.old.end);
            }
        }
        Moved::To(moved)
    }
}

fn is_same_kind(old: &Diagnostic, new: &Diagnostic, moves: Option<&Moves<'_>>) -> bool {
    let path = moves.map_or(old.path.as_str(), |it| it.path);
    let kind = |it: &Diagnostic| (it.severity, it.code.clone(), it.source.clone());
    path == new.path && old.message == new.message && kind(old) == kind(new)
}

/// Returns the index of the line in the second text; `None` if the edit replaced it.
fn line_after(old: &Diagnostic, moves: Option<&Moves<'_>>) -> Option<usize> {
    match moves.map(|it| it.line(old.start.line)) {
        None => Some(old.start.line.index()),
        Some(Moved::To(line)) => Some(line),
        Some(Moved::Replaced(_)) => None,
    }
}

fn same_place(old: &Diagnostic, new: &Diagnostic, moves: Option<&Moves<'_>>) -> bool {
    same_line(old, new, moves) && old.start.column == new.start.column
}

fn same_line(old: &Diagnostic, new: &Diagnostic, moves: Option<&Moves<'_>>) -> bool {
    line_after(old, moves) == Some(new.start.line.index())
}

/// Returns `true` if the edit replaced the line of one by that of the other.
fn same_hunk(old: &Diagnostic, new: &Diagnostic, moves: Option<&Moves<'_>>) -> bool {
    let moved = moves.map(|it| it.line(old.start.line));
    matches!(moved, Some(Moved::Replaced(hunk)) if hunk.new.contains(&new.start.line.index()))
}

#[cfg(test)]
mod tests {
    use ide_protocol::{Column, Point, Severity};

    use super::*;

    fn diagnostic(path: &str, line: usize, message: &str) -> Diagnostic {
        let at = Point { line: Line::from_index(line), column: Column::FIRST };
        let (message, path) = (message.to_owned(), path.to_owned());
        Diagnostic { severity: Severity::Error, message, code: None, source: None, path, start: at, end: at }
    }

    fn file(before: Option<&str>, after: Option<&str>, to: Option<&str>) -> FileTexts {
        let own = |it: Option<&str>| it.map(str::to_owned);
        FileTexts { path: "a".into(), before: own(before), after: own(after), to: own(to) }
    }

    /// Returns the changes as `+` and `-` with path, line and message.
    fn compared(
        before: &[(&str, usize, &str)],
        after: &[(&str, usize, &str)],
        file: FileTexts,
    ) -> Vec<String> {
        let all = |of: &[(&str, usize, &str)]| of.iter().map(|(a, b, c)| diagnostic(a, *b, c)).collect();
        let changes = changes(all(before), all(after), &[file]);
        let mark = |it: &ComparedDiagnostic| if it.change == Some(Change::New) { '+' } else { '-' };
        let line = |it: &ComparedDiagnostic| it.diagnostic.start.line.index();
        changes
            .iter()
            .map(|it| format!("{}{}:{} {}", mark(it), it.diagnostic.path, line(it), it.diagnostic.message))
            .collect()
    }

    #[test]
    fn what_only_moves_stays() {
        let moved = || file(Some("1\n2\n3\n"), Some("0\n1\n2\nx\n3\n"), None);
        let at = |line| ("a", line, "m");
        assert_eq!(compared(&[at(0), at(2)], &[at(1), at(4)], moved()), [""; 0]);
        assert_eq!(
            compared(&[at(0)], &[at(1), at(3)], moved()),
            ["+a:3 m"],
            "the same words elsewhere are new"
        );
        assert_eq!(compared(&[at(0), at(1)], &[at(2)], moved()), ["-a:0 m"]);
        assert_eq!(compared(&[("b", 0, "m")], &[("b", 1, "m")], moved()), ["-b:0 m", "+b:1 m"]);
    }

    #[test]
    fn what_stays_on_a_line_that_changed_is_not_new() {
        let changed = || file(Some("1\n2\n3\n"), Some("1\nx\ny\n3\n"), None);
        assert_eq!(compared(&[("a", 1, "m")], &[("a", 2, "m")], changed()), [""; 0]);
        assert_eq!(compared(&[("a", 1, "m")], &[("a", 2, "n")], changed()), ["-a:1 m", "+a:2 n"]);
        assert_eq!(compared(&[("a", 1, "m")], &[("a", 1, "m"), ("a", 2, "m")], changed()), ["+a:2 m"]);
    }

    #[test]
    fn files_come_go_and_move() {
        let at = [("a", 0, "m")];
        assert_eq!(compared(&at, &at, file(None, Some("1\n"), None)), ["+a:0 m"], "it cannot be taken away");
        assert_eq!(compared(&at, &at, file(Some("1\n"), None, None)), ["-a:0 m"]);
        let moved = [("a", 0, "m"), ("b", 0, "m")];
        assert_eq!(compared(&at, &moved, file(Some("1\n"), Some("1\n"), Some("b"))), [""; 0]);
    }
}
