//! The edits of a program in a question to the user: a title, a list of files, and diffs within a budget. Pure, for
//! both versions of ACP.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use ailang::{LONGEST_ASK, quoted, visible, visible_line};
use ide_protocol::{Edit, FileEdit, FileOperation, FileTexts};
use serde_json::{Value, json};

use crate::permission::hunks::{Hunk, hunks, is_cut};

/// The maximum number of files that are listed, and of diffs. The next constants are the maximum sizes in bytes: of the
/// list, and of the old and new text of all diffs.
const LISTED: usize = 200;
const LIST_BYTES: usize = 16 * 1024;
const DIFF_BYTES: usize = 256 * 1024;

/// The maximum size of a file's old and new text together, in bytes, where version 1 shows both as a whole. Of a longer
/// one it shows the lines that change, as agents with editing tools of their own do.
const WHOLE_BYTES: usize = 64 * 1024;

/// The maximum length of a path in the list, in characters.
const LONGEST_PATH: usize = 200;

/// The maximum length of a quoted program, in characters.
const LONGEST_PROGRAM: usize = 300;

/// The edits that a program would make.
#[derive(Clone, Debug)]
pub(crate) struct Changes {
    edits: Vec<Edit>,
    /// A program that shows all edits and makes none.
    preview: Option<String>,
    /// The texts of the files before and after all edits, where they are known.
    texts: Vec<FileTexts>,
}

/// The diffs of a question.
pub(super) struct Diffs {
    /// The diffs as content of ACP.
    pub(super) content: Vec<Value>,
    /// The number of files whose diff is left out or cut.
    missing: usize,
}

impl Changes {
    /// Collects edits. `preview` is a program that shows them all and makes none.
    pub(crate) fn new(edits: Vec<Edit>, preview: Option<String>) -> Self {
        Self { edits, preview, texts: Vec::new() }
    }

    /// Adds the texts of the files before and after all edits.
    pub(crate) fn with_texts(self, texts: Vec<FileTexts>) -> Self {
        Self { texts, ..self }
    }

    /// Returns whether the edits are of so few files that their texts may be shown as a whole.
    pub(crate) fn may_show_texts(edits: &[Edit]) -> bool {
        (1..=LISTED).contains(&edits.iter().flat_map(|it| &it.files).count())
    }

    /// Returns the update of a session that shows the changes as made, with the place of every file.
    pub(super) fn made(&self, version: u64, call: &str, workspace: Option<&Path>) -> Value {
        json!({
            "sessionUpdate": if version < 2 { "tool_call" } else { "tool_call_update" },
            "toolCallId": call, "title": self.title().unwrap_or_default(), "kind": "edit", "status": "completed",
            "content": self.diffs(version, workspace).content, "locations": self.locations(workspace),
        })
    }

    /// Returns the places of the changes: the first line of each hunk, since an excerpt does not tell its place.
    pub(super) fn locations(&self, workspace: Option<&Path>) -> Vec<Value> {
        let of_file = |it: &FileEdit| {
            let path = absolute(it.to.as_ref().unwrap_or(&it.path), workspace?)?;
            let mut lines: Vec<Value> =
                hunks(it).iter().map(|hunk| json!({"path": path, "line": hunk.line})).collect();
            if lines.is_empty() {
                lines.push(json!({ "path": path }));
            }
            Some(lines)
        };
        self.files().filter_map(of_file).flatten().take(LISTED).collect()
    }

    fn files(&self) -> impl Iterator<Item = &FileEdit> {
        self.edits.iter().flat_map(|it| &it.files)
    }

    /// Returns a title: ``Rename `a` to `b` in 3 files (+4 -4 lines)``. A single file is named.
    pub(super) fn title(&self) -> Option<String> {
        let (first, others) = self.edits.split_first()?;
        let title = match first.kind {
            // A language server chose this title.
            Some(_) => format!("Take the code action {}", quoted(&first.title, LONGEST_ASK)),
            None => visible_line(&first.title, LONGEST_ASK),
        };
        let more = match others.len() {
            0 => String::new(),
            1 => " and 1 more edit,".to_owned(),
            more => format!(" and {more} more edits,"),
        };
        let files: BTreeSet<&str> = self.files().map(|it| it.path.as_str()).collect();
        let place = match files.first() {
            // Titles of our own may name it already.
            Some(file) if files.len() == 1 && self.edits.len() == 1 && names(first, file) => String::new(),
            Some(file) if files.len() == 1 => format!(" in {}", visible_line(file, LONGEST_PATH)),
            _ => format!(" in {}", counted(files.len(), "file")),
        };
        Some(format!("{title}{more}{place}{}", self.line_counts()))
    }

    /// Returns ` (+5 -3 lines)`, for clients that show no diff before the answer.
    fn line_counts(&self) -> String {
        let count = |mark| self.files().map(|it| marked(it, mark)).sum::<usize>();
        match (count('+'), count('-')) {
            (0, 0) => String::new(),
            (added, removed) => {
                let more = if self.files().any(is_cut) { " and more" } else { "" };
                format!(" (+{added} -{removed} lines{more})")
            }
        }
    }

    /// Returns a line for each file, and a note on what the list and the diffs leave out.
    pub(super) fn summary(&self, diffs: &Diffs) -> String {
        let count = self.files().count();
        let mut lines = vec![format!("It changes {}:", counted(count, "file"))];
        let mut size = 0;
        for file in self.files().take(LISTED) {
            let line = line(file);
            size += line.len();
            if size > LIST_BYTES {
                break;
            }
            lines.push(line);
        }
        let unlisted = count + 1 - lines.len();
        if unlisted > 0 {
            lines.push(format!("and {}", counted(unlisted, "more file")));
        }
        if diffs.missing > 0 || unlisted > 0 {
            lines.push(self.rest(diffs.missing));
        }
        lines.join("\n")
    }

    /// Returns a note on what the diffs leave out, and how to see it.
    fn rest(&self, missing: usize) -> String {
        let files = counted(missing, "file");
        match &self.preview {
            Some(program) => {
                let program = visible_line(program, LONGEST_PROGRAM);
                format!("Not shown here: changes of {files}. This program shows all of them: {program}")
            }
            None => format!("Not shown here: changes of {files}. Deny, and have the agent show them first."),
        }
    }

    /// Returns the diffs that fit, in the form of that version of ACP. Paths are relative to `workspace`.
    pub(super) fn diffs(&self, version: u64, workspace: Option<&Path>) -> Diffs {
        let (mut shown, mut missing, mut size) = (Vec::new(), 0, 0);
        for file in self.files().filter(|it| !it.diff.is_empty()) {
            let diff = workspace.and_then(|it| FileDiff::new(file, it));
            match diff.filter(|it| shown.len() < LISTED && size + it.size() <= DIFF_BYTES) {
                Some(diff) => {
                    size += diff.size();
                    shown.push(diff);
                }
                None => missing += 1,
            }
        }
        if version < 2 {
            self.show_whole(&mut shown, size);
        }
        missing += shown.iter().filter(|it| it.whole.is_none() && is_cut(it.file)).count();
        let content = match version {
            0 | 1 => texts(&shown),
            _ => self.as_patch(&shown, workspace).into_iter().collect(),
        };
        Diffs { content, missing }
    }

    /// Gives diffs the whole texts of their files, as version 1 means them, while they fit. `size` is that of all
    /// excerpts.
    fn show_whole(&self, shown: &mut [FileDiff<'_>], mut size: usize) {
        for diff in shown {
            let of_file = |it: &&FileTexts| it.path == diff.file.path && it.to == diff.file.to;
            let whole = self.texts.iter().find(of_file).map(whole).filter(|[old, new]| old != new);
            let Some(whole) = whole else { continue };
            let (before, after) = (diff.size(), whole.iter().map(String::len).sum::<usize>());
            if after <= WHOLE_BYTES && size - before + after <= DIFF_BYTES {
                size = size - before + after;
                diff.whole = Some(whole);
            }
        }
    }

    /// Returns version 2's only diff: all files with their operations, and a patch of those that are shown.
    fn as_patch(&self, shown: &[FileDiff<'_>], workspace: Option<&Path>) -> Option<Value> {
        let change = |file: &FileEdit| {
            let path = absolute(&file.path, workspace?)?;
            let to = file.to.as_ref().and_then(|it| absolute(it, workspace?));
            Some(match (file.fate, to) {
                (Some(FileOperation::Created), _) => json!({"operation": "add", "path": path}),
                (Some(FileOperation::Deleted), _) => json!({"operation": "delete", "path": path}),
                (_, Some(to)) => json!({"operation": "move", "oldPath": path, "path": to}),
                (_, None) => json!({"operation": "modify", "path": path}),
            })
        };
        let changes: Vec<Value> = self.files().filter_map(change).take(LISTED).collect();
        let mut diff = json!({"type": "diff", "changes": changes});
        if !shown.is_empty() {
            let text: String = shown.iter().map(FileDiff::as_patch).collect();
            diff["patch"] = json!({"format": "git_patch", "text": text});
        }
        (!changes.is_empty()).then_some(diff)
    }
}

fn names(edit: &Edit, file: &str) -> bool {
    edit.kind.is_none() && edit.title.contains(&format!("`{file}`"))
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Returns the number of lines of a diff with that mark.
fn marked(file: &FileEdit, mark: char) -> usize {
    file.diff.lines().filter(|it| it.starts_with(mark)).count()
}

/// Returns the line of a file: `src/auth.rs: 3 changes, +5 -3 lines`.
fn line(file: &FileEdit) -> String {
    let FileEdit { path, changes, fate, to, .. } = file;
    let path = visible_line(path, LONGEST_PATH);
    let s = if *changes == 1 { "" } else { "s" };
    let more = if is_cut(file) { " and more" } else { "" };
    let lines = format!("+{} -{} lines{more}", marked(file, '+'), marked(file, '-'));
    match (fate, to) {
        (Some(FileOperation::Created), _) => format!("{path}: created, {lines}"),
        (Some(FileOperation::Deleted), _) => format!("{path}: deleted"),
        (_, Some(to)) if *changes == 0 => format!("{path}: moved to {}", visible_line(to, LONGEST_PATH)),
        (_, Some(to)) => format!("{path}: moved to {}, {lines}", visible_line(to, LONGEST_PATH)),
        (_, None) => format!("{path}: {changes} change{s}, {lines}"),
    }
}

/// Returns the absolute path of a file; `None` where its name has invisible characters. The list shows those
/// escaped.
fn absolute(path: &str, workspace: &Path) -> Option<String> {
    let absolute = workspace.join(path).to_string_lossy().into_owned();
    (visible_line(&absolute, usize::MAX) == absolute).then_some(absolute)
}

/// The diff of one file, escaped.
struct FileDiff<'edit> {
    file: &'edit FileEdit,
    path: String,
    to: Option<String>,
    /// The lines of each hunk, before and after.
    excerpts: Vec<[String; 2]>,
    /// The whole text, before and after.
    whole: Option<[String; 2]>,
}

impl<'edit> FileDiff<'edit> {
    /// Builds the diff of a file; `None` where a path has invisible characters.
    fn new(file: &'edit FileEdit, workspace: &Path) -> Option<Self> {
        let path = absolute(&file.path, workspace)?;
        let to = match &file.to {
            Some(to) => Some(absolute(to, workspace)?),
            None => None,
        };
        let excerpt = |it: &Hunk<'_>| [&it.old, &it.new].map(|side| visible(&lines(side)));
        let excerpts = hunks(file).iter().map(excerpt).collect();
        Some(Self { file, path, to, excerpts, whole: None })
    }

    fn size(&self) -> usize {
        self.excerpts.iter().flatten().map(String::len).sum()
    }

    /// Returns version 1's diffs: the whole text, or one for each hunk, with the lines of the file and nothing else.
    fn as_texts(&self) -> Vec<Value> {
        let path = self.to.as_ref().unwrap_or(&self.path);
        let is_new = self.file.fate == Some(FileOperation::Created);
        let diff = |[old, new]: &[String; 2]| {
            let old = (!is_new).then_some(old);
            json!({"type": "diff", "path": path, "oldText": old, "newText": new})
        };
        self.whole.as_ref().map_or_else(|| self.excerpts.iter().map(diff).collect(), |it| vec![diff(it)])
    }

    /// Returns the section of a Git patch, without context lines.
    fn as_patch(&self) -> String {
        let path = in_patch(&self.path);
        let to = self.to.as_deref().map_or_else(|| path.clone(), in_patch);
        let (kind, old, new) = match self.file.fate {
            Some(FileOperation::Created) => ("new file mode 100644\n".to_owned(), "/dev/null", to.as_str()),
            Some(FileOperation::Deleted) => {
                ("deleted file mode 100644\n".to_owned(), path.as_str(), "/dev/null")
            }
            Some(FileOperation::Moved) => {
                (format!("rename from {path}\nrename to {to}\n"), path.as_str(), to.as_str())
            }
            None => (String::new(), path.as_str(), to.as_str()),
        };
        let mut patch = format!("diff --git {path} {to}\n{kind}--- {old}\n+++ {new}\n");
        let mut shift = 0;
        for it in hunks(self.file) {
            let (n_old, n_new) = (it.old.len(), it.new.len());
            // Git gives the line before where a side has no lines.
            let before = |line: usize, count: usize| if count == 0 { line.saturating_sub(1) } else { line };
            let new_line = it.line.saturating_add_signed(shift);
            let (old_at, new_at) = (before(it.line, n_old), before(new_line, n_new));
            patch += &format!("@@ -{old_at},{n_old} +{new_at},{n_new} @@\n");
            it.old.iter().for_each(|line| patch.extend(["-", &visible(line), "\n"]));
            it.new.iter().for_each(|line| patch.extend(["+", &visible(line), "\n"]));
            shift += n_new.cast_signed() - n_old.cast_signed();
        }
        patch
    }
}

/// Returns version 1's diffs of files. A whole text has all edits of its file, so it stands once.
fn texts(shown: &[FileDiff<'_>]) -> Vec<Value> {
    let mut wholes = HashSet::new();
    let mut content = Vec::new();
    for diff in shown {
        if diff.whole.is_none() || wholes.insert(&diff.file.path) {
            content.extend(diff.as_texts());
        }
    }
    content
}

/// Returns the escaped text of a file before and after.
fn whole(texts: &FileTexts) -> [String; 2] {
    [&texts.before, &texts.after].map(|it| visible(it.as_deref().unwrap_or_default()))
}

fn lines(lines: &[&str]) -> String {
    lines.iter().flat_map(|it| [*it, "\n"]).collect()
}

/// Returns a path as Git quotes it.
fn in_patch(path: &str) -> String {
    let is_plain = |it: u8| matches!(it, b' '..=b'~') && it != b'"' && it != b'\\';
    if path.bytes().all(is_plain) {
        return path.to_owned();
    }
    let quote = |it: u8| if is_plain(it) { char::from(it).to_string() } else { format!("\\{it:03o}") };
    format!("\"{}\"", path.bytes().map(quote).collect::<String>())
}

#[cfg(test)]
#[path = "changes_tests.rs"]
mod tests;
