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

/// The start of the line that says how much of a diff was cut.
const CUT: &str = "… and ";

/// Returns whether the diff of a file was cut.
pub(crate) fn is_cut(file: &FileEdit) -> bool {
    file.diff.contains("\n… and ")
}

/// Returns the hunks of a diff, and the line that says how much was cut. Lines without a mark stand on both sides.
pub(crate) fn hunks(diff: &str) -> (Vec<Hunk<'_>>, Option<&str>) {
    let (mut all, mut cut) = (Vec::<Hunk<'_>>::new(), None);
    for line in diff.lines() {
        if let Some(at) = line.strip_prefix("@@ ") {
            let line = at.trim().parse().unwrap_or(1);
            all.push(Hunk { line, ..Hunk::default() });
            continue;
        }
        if line.starts_with(CUT) {
            cut = Some(line);
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
    (all, cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_taken_apart() {
        let diff = "@@ 1\n-a\n+b\n@@ 12\n+@@ 3\n… and 7 more lines of this diff";
        let (all, cut) = hunks(diff);
        let expected = [
            Hunk { line: 1, old: vec!["a"], new: vec!["b"] },
            Hunk { line: 12, old: vec![], new: vec!["@@ 3"] },
        ];
        assert_eq!(all, expected);
        assert_eq!(cut, Some("… and 7 more lines of this diff"));
        assert_eq!(hunks(""), (Vec::new(), None));
        let odd = hunks("stays\n-a").0;
        assert_eq!(odd, [Hunk { line: 1, old: vec!["stays", "a"], new: vec!["stays"] }]);
    }
}
