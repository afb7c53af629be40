//! From what a server would change to changes of bytes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use ide_protocol::{ErrorCode, IdeError};
use source_text::Encoding;

use super::diff::diff;
use super::write::is_same;
use super::{Change, FileChange, Stamp};
use crate::fallback::convert::workspace_edit::{RawChange, Unfit};
use crate::fallback::roots::Roots;
use crate::fallback::text::{ReadError, Text};

/// Why changes cannot be shown and made exactly.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unplanned {
    #[error(transparent)]
    Unfit(#[from] Unfit),
    #[error("it would change {0}, outside of the workspace")]
    Outside(String),
    #[error("`{0}` cannot be changed: {1}")]
    Unreadable(String, ReadError),
    #[error("the editor has unsaved changes of `{0}`")]
    Unsaved(String),
    #[error("`{0}` cannot be changed: it is no UTF-8")]
    NotUtf8(String),
    #[error("its changes of `{0}` overlap, or lie beyond its end")]
    Overlapping(String),
}

impl From<Unplanned> for IdeError {
    fn from(unplanned: Unplanned) -> Self {
        let error = Self::new(ErrorCode::InvalidRequest, format!("nothing is changed: {unplanned}"));
        match unplanned {
            Unplanned::Unfit(Unfit::Nonsense(_)) | Unplanned::Overlapping(_) => {
                Self { kind: ErrorCode::ServerFailed, ..error }
            }
            Unplanned::Outside(_) => error.recovery("What is defined there is not yours to change."),
            Unplanned::Unsaved(_) => error.recovery("Ask the user to save the file."),
            _ => error.recovery("Change the files yourself; findReferences lists the places."),
        }
    }
}

/// The changes of each file, in order of path; blocking. Files whose text would stay as it is are left out.
///
/// # Errors
/// Something of it lies outside the roots, cannot be read, or does not fit together: then none of it is planned.
pub(crate) fn plan(
    roots: &Roots,
    changes: Vec<RawChange>,
    encoding: Encoding,
) -> Result<Vec<FileChange>, Unplanned> {
    let mut by_path: BTreeMap<PathBuf, Vec<RawChange>> = BTreeMap::new();
    for change in changes {
        by_path.entry(change.at.path.clone()).or_default().push(change);
    }
    let files = by_path.into_iter().map(|(path, changes)| plan_file(roots, &path, &changes, encoding));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    Ok(files.into_iter().filter(|it| it.count > 0).collect())
}

fn plan_file(
    roots: &Roots,
    path: &Path,
    raw: &[RawChange],
    encoding: Encoding,
) -> Result<FileChange, Unplanned> {
    let place = roots.place(path.to_owned());
    if place.external {
        return Err(Unplanned::Outside(format!("`{}`", place.spelling)));
    }
    let unreadable = |error| Unplanned::Unreadable(place.spelling.clone(), error);
    let (text, bytes) = Text::read_with_bytes(path).map_err(unreadable)?;
    let in_editor = roots.texts().get(path).is_some_and(|it| !is_same(it.as_str(), text.as_str()));
    if in_editor {
        return Err(Unplanned::Unsaved(place.spelling));
    }
    if text.lossy {
        return Err(Unplanned::NotUtf8(place.spelling));
    }
    // A byte order mark is no part of the text that servers see.
    let mark = bytes.len() - text.as_str().len();
    let broken = || Unplanned::Overlapping(place.spelling.clone());
    let mut changes = Vec::new();
    for RawChange { at, text: new } in raw {
        let Range { start, end } = at.bytes(&text, encoding).ok_or_else(broken)?;
        changes.push(Change { bytes: start + mark..end + mark, text: with_breaks_of(&text, new) });
    }
    let changes = in_order(changes).ok_or_else(broken)?;
    let stamp = Stamp::of(&bytes);
    let mut file = FileChange { place, stamp, changes, diff: String::new(), count: 0 };
    let after = String::from_utf8_lossy(&file.applied(&bytes)[mark..]).into_owned();
    let (diff, hunks) = diff(text.as_str(), &after);
    let count = if hunks == 0 { 0 } else { hunks.max(file.changes.len()) };
    (file.diff, file.count) = (diff, count);
    Ok(file)
}

/// New text with the line breaks of the file that it comes into.
fn with_breaks_of(text: &Text, new: &str) -> String {
    let breaks = text.as_str().matches('\n').count();
    let with_return = text.as_str().matches("\r\n").count();
    let plain = new.replace("\r\n", "\n");
    if with_return * 2 > breaks { plain.replace('\n', "\r\n") } else { plain }
}

/// The changes in order, those that change nothing left out; `None` when some overlap. Insertions at one place stay in the
/// order in which they came.
pub(crate) fn in_order(mut changes: Vec<Change>) -> Option<Vec<Change>> {
    changes.sort_by_key(|it| (it.bytes.start, it.bytes.end));
    changes.dedup_by(|a, b| a == b && !a.bytes.is_empty());
    let are_apart = changes.windows(2).all(|it| it[0].bytes.end <= it[1].bytes.start);
    are_apart.then_some(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(bytes: Range<usize>, text: &str) -> Change {
        Change { bytes, text: text.into() }
    }

    #[test]
    fn changes_are_put_in_order_and_held_apart() {
        let given = vec![change(5..6, "b"), change(1..2, "a"), change(5..5, "1"), change(5..5, "2")];
        let texts: Vec<_> = in_order(given).unwrap().into_iter().map(|it| it.text).collect();
        assert_eq!(texts, ["a", "1", "2", "b"]);
        assert_eq!(in_order(vec![change(1..3, ""), change(2..4, "")]), None);
        assert_eq!(in_order(vec![change(1..3, "x"), change(1..3, "x")]).unwrap().len(), 1);
    }

    #[test]
    fn new_lines_break_as_those_of_the_file() {
        for (file, new, expected) in
            [("a\r\nb\r\n", "x\ny", "x\r\ny"), ("a\nb\n", "x\r\ny", "x\ny"), ("", "x\n", "x\n")]
        {
            assert_eq!(with_breaks_of(&Text::from(file.to_owned()), new), expected);
        }
    }
}
