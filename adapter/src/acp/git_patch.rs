//! Reads the texts that a patch of git replaces: version 2 of ACP reports edits so.

use std::path::PathBuf;

use crate::fallback::ReportedEdit;

/// The part of a file that is being read.
#[derive(Debug, Default)]
struct Hunk {
    /// The numbers of lines that are still to come, of the text before and after.
    left: (usize, usize),
    before: String,
    after: String,
    /// The texts that the last line belongs to.
    last: (bool, bool),
}

impl Hunk {
    /// Begins one by its header: `@@ -12,3 +12,4 @@ fn main() {`.
    fn begin(header: &str) -> Option<Self> {
        let mut ranges = header.strip_prefix("@@ -")?.split(' ');
        let lines = |range: &str| {
            let (start, lines) = range.split_once(',').unwrap_or((range, "1"));
            start.parse::<usize>().ok().and_then(|_| lines.parse().ok())
        };
        let left = (lines(ranges.next()?)?, lines(ranges.next()?.strip_prefix('+')?)?);
        Some(Self { left, ..Self::default() })
    }

    /// Takes a line; false if it belongs to what comes after.
    fn take(&mut self, line: &str) -> bool {
        if line.starts_with('\\') {
            // "No newline at end of file", of the line above.
            let (of_before, of_after) = self.last;
            for (is_of, text) in [(of_before, &mut self.before), (of_after, &mut self.after)] {
                if is_of && text.ends_with('\n') {
                    text.pop();
                }
            }
            return true;
        }
        if self.left == (0, 0) {
            return false;
        }
        let (mark, text) = (line.get(..1).unwrap_or(" "), line.get(1..).unwrap_or_default());
        self.last = (mark != "+", mark != "-");
        if self.last.0 {
            self.left.0 = self.left.0.saturating_sub(1);
            self.before.extend([text, "\n"]);
        }
        if self.last.1 {
            self.left.1 = self.left.1.saturating_sub(1);
            self.after.extend([text, "\n"]);
        }
        true
    }
}

/// Returns the parts of files that a patch replaces. What it deletes as a whole is left out, and so are files whose
/// names git quotes.
pub(super) fn replaced(patch: &str) -> Vec<ReportedEdit> {
    let (mut edits, mut hunk) = (Vec::new(), None);
    let (mut old, mut new) = (None, None);
    for line in patch.split('\n') {
        if hunk.as_mut().is_some_and(|it: &mut Hunk| it.take(line)) {
            continue;
        }
        edits.extend(hunk.take().and_then(|it| edit(it, old, new)));
        match line.split_once(' ') {
            Some(("---", path)) => old = Some(path),
            Some(("+++", path)) => new = Some(path),
            Some(("@@", _)) => hunk = Hunk::begin(line),
            Some(("diff", _)) => (old, new) = (None, None),
            _ => {}
        }
    }
    edits.extend(hunk.and_then(|it| edit(it, old, new)));
    edits
}

fn edit(hunk: Hunk, old: Option<&str>, new: Option<&str>) -> Option<ReportedEdit> {
    const NOWHERE: &str = "/dev/null";
    fn name(line: &str) -> Option<&str> {
        // A tab ends names with spaces.
        line.split('\t').next().filter(|it| it.starts_with('/'))
    }
    let path = name(new?).filter(|it| *it != NOWHERE)?;
    let before = (name(old?)? != NOWHERE).then_some(hunk.before);
    Some(ReportedEdit { path: PathBuf::from(path), before, after: hunk.after })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(patch: &str) -> Vec<(String, Option<String>, String)> {
        let edits = replaced(patch).into_iter();
        edits.map(|it| (it.path.display().to_string(), it.before, it.after)).collect()
    }

    fn part(path: &str, before: &str, after: &str) -> (String, Option<String>, String) {
        (path.to_owned(), Some(before.to_owned()), after.to_owned())
    }

    #[test]
    fn each_hunk_is_a_part() {
        let patch = "diff --git /w/a b.rs /w/a b.rs\nindex 1..2 100644\n--- /w/a b.rs\t\n+++ /w/a b.rs\t\n\
                     @@ -1,3 +1,3 @@\n one\r\n-two\n+2\n\n@@ -9 +9,2 @@ fn main() {\n--- nine\n+-- 9\n+++ ten\n\
                     \\ No newline at end of file\ndiff --git /w/c /w/d\nrename from /w/c\n--- /w/c\n+++ /w/d\n\
                     @@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n";
        let expected = [
            part("/w/a b.rs", "one\r\ntwo\n\n", "one\r\n2\n\n"),
            part("/w/a b.rs", "-- nine\n", "-- 9\n++ ten"),
            part("/w/d", "a", "b\n"),
        ];
        assert_eq!(told(patch), expected);
    }

    #[test]
    fn files_come_and_go() {
        let new =
            "diff --git /w/a /w/a\nnew file mode 100644\n--- /dev/null\n+++ /w/a\n@@ -0,0 +1,2 @@\n+a\n+b\n";
        assert_eq!(told(new), [("/w/a".to_owned(), None, "a\nb\n".to_owned())]);
        let gone = "diff --git /w/a /w/a\n--- /w/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
        assert!(told(gone).is_empty());
    }

    #[test]
    fn what_is_no_patch_replaces_nothing() {
        for text in [
            "",
            "@@",
            "@@ -1 +1 @@\n-a\n+b",
            "--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b",
            "--- /a\n+++ \"/\\303\"\n@@ -1 +1 @@\n-a\n+b",
            "--- /a\n+++ /a\n@@ -x +1 @@\n-a\n+b",
            "\\ No newline",
            "--- /a\n+++ /a\n@@ -1\n",
        ] {
            assert!(told(text).is_empty(), "{text}");
        }
        assert_eq!(
            told("--- /a\n+++ /a\n@@ -9,9 +9,9 @@\né\n-"),
            [part("/a", "\n\n", "\n")],
            "it is cut off"
        );
    }
}
