//! The diff of one file as the wire has it, taken apart.

use ide_protocol::FileEdit;

/// Lines that stand in the place of others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stretch<'diff> {
    /// The first line, from 1.
    pub(super) line: usize,
    pub(super) old: Vec<&'diff str>,
    pub(super) new: Vec<&'diff str>,
}

/// How the line begins that says how much of a diff is cut.
const CUT: &str = "… and ";

/// Returns whether a preview does not show all that changes.
pub(crate) fn is_cut(file: &FileEdit) -> bool {
    file.diff.contains("\n… and ")
}

/// Returns the stretches of a diff, and the line that says how much is cut. Lines without a mark stand on both sides.
pub(super) fn stretches(diff: &str) -> (Vec<Stretch<'_>>, Option<&str>) {
    let (mut all, mut cut) = (Vec::<Stretch<'_>>::new(), None);
    for line in diff.lines() {
        if let Some(at) = line.strip_prefix("@@ ") {
            let line = at.trim().parse().unwrap_or(1);
            all.push(Stretch { line, ..Stretch::default() });
            continue;
        }
        if line.starts_with(CUT) {
            cut = Some(line);
            continue;
        }
        if all.is_empty() {
            all.push(Stretch { line: 1, ..Stretch::default() });
        }
        let Some(stretch) = all.last_mut() else { continue };
        match (line.strip_prefix('-'), line.strip_prefix('+')) {
            (Some(old), _) => stretch.old.push(old),
            (None, Some(new)) => stretch.new.push(new),
            (None, None) => {
                let line = line.strip_prefix(' ').unwrap_or(line);
                stretch.old.push(line);
                stretch.new.push(line);
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
        let (all, cut) = stretches(diff);
        let expected = [
            Stretch { line: 1, old: vec!["a"], new: vec!["b"] },
            Stretch { line: 12, old: vec![], new: vec!["@@ 3"] },
        ];
        assert_eq!(all, expected);
        assert_eq!(cut, Some("… and 7 more lines of this diff"));
        assert_eq!(stretches(""), (Vec::new(), None));
        let odd = stretches("stays\n-a").0;
        assert_eq!(odd, [Stretch { line: 1, old: vec!["stays", "a"], new: vec!["stays"] }]);
    }
}
