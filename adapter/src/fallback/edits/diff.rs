//! Line diffs for readers.

use serde::{Deserialize, Serialize};
use source_text::{Hunk, LineIndex, hunks};

/// The maximum number of lines in the diff of one file.
const LINES: usize = 120;

/// The maximum number of characters shown of a line.
const WIDTH: usize = 240;

/// The diff of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Diff {
    /// The differing lines, after `@@` and the first line's number. Of a cut diff, the last line says so.
    pub(crate) text: String,
    /// The number of hunks.
    pub(crate) hunks: usize,
    /// The number of lines that the text leaves out.
    pub(crate) cut: usize,
}

/// Compares two texts.
pub(crate) fn diff(before: &str, after: &str) -> Diff {
    let hunks = hunks(before, after);
    let (old, new) = (whole_lines(before), whole_lines(after));
    let lines: Vec<String> = hunks.iter().flat_map(|it| lines(it, &old, &new)).collect();
    let cut = lines.len().saturating_sub(LINES);
    let mut text = lines[..lines.len() - cut].join("\n");
    if cut > 0 {
        text += &format!("\n… and {cut} more lines of this diff");
    }
    Diff { text, hunks: hunks.len(), cut }
}

fn whole_lines(text: &str) -> Vec<&str> {
    LineIndex::new(text).whole_lines(text).collect()
}

/// Prints a hunk: the number of its first line, and the lines of both texts.
fn lines(hunk: &Hunk, old: &[&str], new: &[&str]) -> Vec<String> {
    let shown = |mark: char, line: &str| {
        let line = line.trim_end_matches(['\n', '\r']);
        let cut: String = line.chars().take(WIDTH).collect();
        let end = if cut.len() < line.len() { "…" } else { "" };
        format!("{mark}{cut}{end}")
    };
    let head = format!("@@ {}", hunk.old.start + 1);
    let old = old[hunk.old.clone()].iter().map(|it| shown('-', it));
    let new = new[hunk.new.clone()].iter().map(|it| shown('+', it));
    [head].into_iter().chain(old).chain(new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_shown_with_its_line() {
        let before = "a\nb\nc\nd\ne\n";
        for (after, shown, count) in [
            (before, "", 0),
            ("a\nB\nc\nd\ne\n", "@@ 2\n-b\n+B", 1),
            ("A\nb\nc\nd\nE\n", "@@ 1\n-a\n+A\n@@ 5\n-e\n+E", 2),
            ("A\nb\nC\nd\ne\n", "@@ 1\n-a\n+A\n@@ 3\n-c\n+C", 2),
            ("a\nb\nc\nx\ny\nd\ne\n", "@@ 4\n+x\n+y", 1),
            ("a\ne\n", "@@ 2\n-b\n-c\n-d", 1),
            ("a\nb\nc\nd\ne", "@@ 5\n-e\n+e", 1),
            ("a\nb\nc\nd\r x\ne\n", "@@ 4\n-d\n+d\n+ x", 1),
        ] {
            assert_eq!(
                diff(before, after),
                Diff { text: shown.to_owned(), hunks: count, cut: 0 },
                "{after:?}"
            );
        }
    }

    /// Nearby changes are separate hunks.
    #[test]
    fn lines_that_stay_are_not_shown() {
        for (n_lines, every) in [(60, 3), (60, 2), (6_000, 100)] {
            let line = |name: &str, it: usize| match it % every {
                0 => format!("fn f{it}(x: {name}) {{\n"),
                _ => "}\n".to_owned(),
            };
            let text = |name: &str| (0..n_lines).map(|it| line(name, it)).collect::<String>();
            let Diff { text: shown, hunks, .. } = diff(&text("Doc"), &text("CodeDoc"));
            assert_eq!(hunks, n_lines / every);
            let stays = shown.lines().filter(|it| it.ends_with('}')).count();
            assert_eq!(stays, 0, "{shown}");
        }
    }

    #[test]
    fn long_diffs_and_lines_are_cut() {
        let (before, after) = ("a\n".repeat(300), "b\n".repeat(300));
        let Diff { text: shown, hunks, cut } = diff(&before, &after);
        assert_eq!((shown.lines().count(), hunks, cut), (LINES + 1, 1, 481));
        assert!(shown.ends_with("… and 481 more lines of this diff"), "{shown}");
        let shown = diff("", &"x".repeat(1000)).text;
        assert_eq!(shown.chars().count(), "@@ 1\n+".len() + WIDTH + 1);
    }
}
