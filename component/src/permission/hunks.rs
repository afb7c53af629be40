//! The parser of a file's diff as `ide_operations` sends it.

use ide_protocol::FileEdit;

/// A hunk: lines, and the lines that replace them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hunk<'diff> {
    /// The number of the first line, from 1.
    pub(crate) line: usize,
    pub(crate) old: Vec<&'diff str>,
    pub(crate) new: Vec<&'diff str>,
}

/// Returns whether the diff of a file was cut.
pub(crate) fn is_cut(file: &FileEdit) -> bool {
    file.cut > 0
}

/// Returns the hunks of a file's diff. Lines without a mark stand on both sides.
pub(crate) fn hunks(file: &FileEdit) -> Vec<Hunk<'_>> {
    let mut lines: Vec<&str> = file.diff.lines().collect();
    if is_cut(file) {
        // It says how much was cut.
        lines.pop();
    }
    let mut all = Vec::<Hunk<'_>>::new();
    for line in lines {
        if let Some(at) = line.strip_prefix("@@ ") {
            let line = at.trim().parse().unwrap_or(1);
            all.push(Hunk { line, ..Hunk::default() });
            continue;
        }
        if all.is_empty() {
            all.push(Hunk { line: 1, ..Hunk::default() });
        }
        let Some(hunk) = all.last_mut() else { continue };
        match (line.strip_prefix('-'), line.strip_prefix('+')) {
            (Some(old), _) => hunk.old.push(old),
            (None, Some(new)) => hunk.new.push(new),
            (None, None) => {
                let line = line.strip_prefix(' ').unwrap_or(line);
                hunk.old.push(line);
                hunk.new.push(line);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(diff: &str, cut: u64) -> FileEdit {
        FileEdit { path: "a".into(), changes: 1, diff: diff.into(), cut, fate: None, to: None }
    }

    #[test]
    fn a_diff_is_taken_apart() {
        let cut = file("@@ 1\n-a\n+b\n@@ 12\n+@@ 3\n… and 7 more lines of this diff", 7);
        let expected = [
            Hunk { line: 1, old: vec!["a"], new: vec!["b"] },
            Hunk { line: 12, old: vec![], new: vec!["@@ 3"] },
        ];
        assert_eq!(hunks(&cut), expected);
        assert!(is_cut(&cut) && !is_cut(&file("@@ 1\n-a\n+… and 7 more", 0)));
        assert_eq!(hunks(&file("", 0)), []);
        let odd = file("stays\n-a", 0);
        assert_eq!(hunks(&odd), [Hunk { line: 1, old: vec!["stays", "a"], new: vec!["stays"] }]);
    }
}
