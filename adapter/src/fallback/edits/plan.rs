//! Plans edits: converts a server's steps into changes of bytes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use ide_protocol::{Listing, Reason};

use super::diff::{Diff, diff};
use super::draft::{Draft, DraftOperation, check, drafts};
use super::file_change::{Change, ContentHash, FileChange, FileOperation};
use super::plan_error::{LARGEST, PlanError};
use super::write::is_same;
use crate::fallback::servers::run::convert::workspace_edit::{Existing, RawChange, RawStep};
use crate::fallback::source::text::{Columns, MARK, Text};
use crate::fallback::workspace::session_folders::{SessionFolders, SessionPath};

/// The maximum number of skipped files that a reason names.
const SHOWN: usize = 10;

/// The planned changes of some files.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Sorted by path, each once. Unchanged files are left out.
    pub(crate) files: Vec<FileChange>,
    /// Files that should change and are skipped: they are not UTF-8, so places in them are not exact.
    pub(crate) left_out: Vec<String>,
}

impl Plan {
    /// Returns all changes, for edits that need each of them.
    ///
    /// # Errors
    /// A file was skipped.
    pub(crate) fn whole(self) -> Result<Vec<FileChange>, PlanError> {
        match self.left_out.into_iter().next() {
            None => Ok(self.files),
            Some(file) => Err(PlanError::NotUtf8(file)),
        }
    }

    /// Names the skipped files.
    pub(crate) fn skipped(&self) -> Option<Reason> {
        let paths = Listing::of(self.left_out.iter().cloned(), SHOWN);
        (!paths.is_empty()).then_some(Reason::NotUtf8 { paths })
    }
}

/// Plans the changes of each file; blocking.
///
/// # Errors
/// A change lies outside the roots, cannot be read, or overlaps another: then nothing is planned.
pub(crate) fn plan(roots: &SessionFolders, steps: Vec<RawStep>, columns: Columns) -> Result<Plan, PlanError> {
    let size = steps.iter().map(|it| if let RawStep::Change(it) = it { it.text.len() } else { 0 }).sum();
    if size > LARGEST {
        return Err(PlanError::TooLarge(size));
    }
    let drafts: BTreeMap<PathBuf, Draft> = drafts(roots, steps)?;
    let mut plan = Plan { files: Vec::new(), left_out: Vec::new() };
    for (path, draft) in drafts {
        let file = plan_file(roots, path, draft, columns, &mut plan.left_out)?;
        plan.files.extend(Some(file).filter(|it| it.count > 0 || it.fate != FileOperation::Stays));
    }
    Ok(plan)
}

fn plan_file(
    roots: &SessionFolders,
    path: PathBuf,
    draft: Draft,
    columns: Columns,
    left_out: &mut Vec<String>,
) -> Result<FileChange, PlanError> {
    let place = roots.place(path);
    let fate = fate(roots, &place, draft.fate)?;
    if let FileOperation::FolderMoved(_) = fate {
        let (stamp, changes) = (ContentHash::of(b""), Vec::new());
        return Ok(FileChange {
            place,
            fate,
            stamp,
            is_unsaved: false,
            changes,
            diff: Diff::default(),
            count: 0,
        });
    }
    let before = before(roots, &place, &fate)?;
    let changes = match fate {
        FileOperation::Deleted => vec![Change { bytes: 0..before.bytes.len(), text: String::new() }],
        _ if before.text.lossy || before.text.is_utf16 => {
            left_out.extend((!draft.changes.is_empty()).then(|| place.spelling.clone()));
            Vec::new()
        }
        _ => changes(&place, &before, &draft.changes, columns)?,
    };
    let Before { text, bytes, is_unsaved } = before;
    let mut file = FileChange {
        place,
        fate,
        stamp: ContentHash::of(&bytes),
        is_unsaved,
        changes,
        diff: Diff::default(),
        count: 0,
    };
    let after = Text::from(String::from_utf8_lossy(&file.applied(&bytes)).into_owned());
    file.diff = diff(text.as_str(), after.as_str());
    file.count = if file.diff.hunks == 0 { 0 } else { file.diff.hunks.max(file.changes.len()) };
    Ok(file)
}

/// A file, and the text that it is to have.
#[derive(Clone, Debug)]
pub(crate) struct WantedText {
    pub(crate) path: PathBuf,
    /// The text that the change is for; `None` if the file is created.
    pub(crate) before: Option<String>,
    /// The new text; `None` if the file is deleted.
    pub(crate) after: Option<String>,
    pub(crate) to: Option<PathBuf>,
}

/// Plans giving files new texts; blocking.
///
/// # Errors
/// A file has another text than the one that the change is for, or may not be changed: then nothing is planned.
pub(crate) fn plan_texts(
    roots: &SessionFolders,
    wanted: Vec<WantedText>,
) -> Result<Vec<FileChange>, PlanError> {
    let size = wanted.iter().filter_map(|it| it.after.as_ref()).map(String::len).sum();
    if size > LARGEST {
        return Err(PlanError::TooLarge(size));
    }
    let (mut fates, mut files) = (drafts(roots, steps(&wanted))?, Vec::new());
    for WantedText { path, before: expected, after, .. } in wanted {
        check(roots, &path)?;
        let operation = fates.remove(&path).unwrap_or_default().fate;
        let place = roots.place(path);
        let fate = fate(roots, &place, operation)?;
        let Before { text, bytes, is_unsaved } = before(roots, &place, &fate)?;
        if text.lossy || text.is_utf16 {
            return Err(PlanError::NotUtf8(place.spelling));
        }
        if text.as_str() != expected.as_deref().unwrap_or_default() {
            return Err(PlanError::Conflict(place.spelling));
        }
        let mark = bytes.len() - text.as_str().len();
        let after = after.unwrap_or_default();
        let changes = match fate {
            FileOperation::Deleted => vec![Change { bytes: 0..bytes.len(), text: String::new() }],
            _ => difference(text.as_str(), &after, mark).into_iter().collect(),
        };
        let stamp = ContentHash::of(&bytes);
        let diff = diff(text.as_str(), &after);
        let count = diff.hunks;
        let file = FileChange { place, fate, stamp, is_unsaved, changes, diff, count };
        files.extend(Some(file).filter(|it| it.count > 0 || it.fate != FileOperation::Stays));
    }
    files.sort_by(|a, b| a.place.path.cmp(&b.place.path));
    Ok(files)
}

/// Returns the steps that create, move and delete the files.
fn steps(wanted: &[WantedText]) -> Vec<RawStep> {
    let step = |it: &WantedText| match it {
        WantedText { before: None, path, .. } => {
            Some(RawStep::Create { path: path.clone(), existing: Existing::Refuse })
        }
        WantedText { after: None, path, .. } => Some(RawStep::Delete { path: path.clone(), may_lack: false }),
        WantedText { to: Some(to), path, .. } => {
            Some(RawStep::Move { from: path.clone(), to: to.clone(), existing: Existing::Refuse })
        }
        _ => None,
    };
    wanted.iter().filter_map(step).collect()
}

/// Returns the change between two texts: the part between their common start and their common end.
fn difference(before: &str, after: &str, mark: usize) -> Option<Change> {
    if before == after {
        return None;
    }
    let common = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| -> usize {
        a.zip(b).take_while(|(a, b)| a == b).map(|(it, _)| it.len_utf8()).sum()
    };
    let start = common(&mut before.chars(), &mut after.chars());
    let (rest_before, rest_after) = (&before[start..], &after[start..]);
    let end = common(&mut rest_before.chars().rev(), &mut rest_after.chars().rev());
    let text = rest_after[..rest_after.len() - end].to_owned();
    Some(Change { bytes: start + mark..before.len() - end + mark, text })
}

/// Converts the operation; fails if the editor has unsaved changes in a file that moves or goes.
fn fate(
    roots: &SessionFolders,
    place: &SessionPath,
    draft: DraftOperation,
) -> Result<FileOperation, PlanError> {
    let fate = match draft {
        DraftOperation::Stays => return Ok(FileOperation::Stays),
        DraftOperation::Created => return Ok(FileOperation::Created),
        DraftOperation::Moved(to) => FileOperation::Moved(roots.place(to)),
        DraftOperation::FolderMoved(to) => FileOperation::FolderMoved(roots.place(to)),
        DraftOperation::Deleted => FileOperation::Deleted,
    };
    match roots.texts().keys().find(|it| it.starts_with(&place.path)) {
        Some(unsaved) => Err(PlanError::Unsaved(roots.display_path(unsaved))),
        None => Ok(fate),
    }
}

/// The content of a file.
struct Before {
    text: Text,
    /// The bytes with the byte order mark, which is not part of the text that servers see.
    bytes: Vec<u8>,
    is_unsaved: bool,
}

fn before(roots: &SessionFolders, place: &SessionPath, fate: &FileOperation) -> Result<Before, PlanError> {
    if *fate == FileOperation::Created {
        return Ok(Before { text: Text::from(String::new()), bytes: Vec::new(), is_unsaved: false });
    }
    let on_disk = Text::read_with_bytes(&place.path);
    if let Some(shown) = roots.texts().get(&place.path)
        && !on_disk.as_ref().is_ok_and(|(text, _)| is_same(shown.as_str(), text.as_str()))
    {
        let (text, bytes) = (Text::clone(shown), shown.as_str().as_bytes().to_vec());
        return Ok(Before { text, bytes, is_unsaved: true });
    }
    let (text, bytes) = on_disk.map_err(|error| PlanError::Unreadable(place.spelling.clone(), error))?;
    Ok(Before { text, bytes, is_unsaved: false })
}

fn changes(
    place: &SessionPath,
    before: &Before,
    raw: &[RawChange],
    columns: Columns,
) -> Result<Vec<Change>, PlanError> {
    let Before { text, bytes, .. } = before;
    let mark = bytes.len() - text.as_str().len();
    let broken = || PlanError::Overlapping(place.spelling.clone());
    let mut changes = Vec::new();
    for RawChange { at, text: new, .. } in raw {
        let Range { start, end } = at.bytes(text, columns).ok_or_else(broken)?;
        // The file keeps its mark, also where the server writes one.
        let new = new.strip_prefix(MARK).filter(|_| start == 0).unwrap_or(new);
        changes.push(Change { bytes: start + mark..end + mark, text: with_breaks_of(text, new) });
    }
    in_order(changes).ok_or_else(broken)
}

/// Adapts the line breaks of new text to those of the file.
fn with_breaks_of(text: &Text, new: &str) -> String {
    let breaks = text.as_str().matches('\n').count();
    let with_return = text.as_str().matches("\r\n").count();
    let plain = new.replace("\r\n", "\n");
    if with_return * 2 > breaks { plain.replace('\n', "\r\n") } else { plain }
}

/// Sorts the changes and removes duplicates; `None` if some overlap. Insertions at one place keep their
/// order.
pub(crate) fn in_order(mut changes: Vec<Change>) -> Option<Vec<Change>> {
    changes.sort_by_key(|it| (it.bytes.start, it.bytes.end));
    changes.dedup_by(|a, b| a == b && !a.bytes.is_empty());
    let are_apart = changes.windows(2).all(|it| it[0].bytes.end <= it[1].bytes.start);
    are_apart.then_some(changes)
}

/// Returns the existing paths that the steps change.
pub(crate) fn paths(steps: &[RawStep]) -> impl Iterator<Item = &Path> {
    steps.iter().filter_map(|it| match it {
        RawStep::Change(change) => Some(change.at.path.as_path()),
        RawStep::Move { from: path, .. } | RawStep::Delete { path, .. } => Some(path.as_path()),
        RawStep::Create { .. } => None,
    })
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
