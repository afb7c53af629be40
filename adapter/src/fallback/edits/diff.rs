//! Line diffs for readers.

use std::collections::HashMap;

use dissimilar::Chunk;
use serde::{Deserialize, Serialize};
use source_text::LineIndex;

/// The maximum number of lines in the diff of one file.
const LINES: usize = 120;

/// The maximum number of characters shown of a line.
const WIDTH: usize = 240;

/// The maximum number of lines that are compared; longer texts become one hunk. The comparison takes
/// quadratic time.
const COMPARED: usize = 4_000;

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
    let lines: Vec<String> = hunks.iter().flat_map(Hunk::lines).collect();
    let cut = lines.len().saturating_sub(LINES);
    let mut text = lines[..lines.len() - cut].join("\n");
    if cut > 0 {
        text += &format!("\n… and {cut} more lines of this diff");
    }
    Diff { text, hunks: hunks.len(), cut }
}

/// A hunk: lines that replace others.
#[derive(Debug, Default)]
struct Hunk<'text> {
    /// The number of the first line, from 1.
    line: usize,
    old: Vec<&'text str>,
    new: Vec<&'text str>,
}

impl Hunk<'_> {
    /// Splits off the unchanged lines, which the comparison includes where they are few.
    fn apart(self) -> Vec<Self> {
        if self.old.len() != self.new.len() {
            return vec![self];
        }
        let mut hunks: Vec<Self> = Vec::new();
        let pairs = self.old.into_iter().zip(self.new).enumerate();
        for (index, (old, new)) in pairs.filter(|(_, (old, new))| old != new) {
            let line = self.line + index;
            match hunks.last_mut().filter(|it| it.line + it.old.len() == line) {
                Some(hunk) => {
                    hunk.old.push(old);
                    hunk.new.push(new);
                }
                None => hunks.push(Self { line, old: vec![old], new: vec![new] }),
            }
        }
        hunks
    }

    fn lines(&self) -> Vec<String> {
        let shown = |mark: char, line: &str| {
            let line = line.trim_end_matches(['\n', '\r']);
            let cut: String = line.chars().take(WIDTH).collect();
            let end = if cut.len() < line.len() { "…" } else { "" };
            format!("{mark}{cut}{end}")
        };
        let head = format!("@@ {}", self.line);
        let old = self.old.iter().map(|it| shown('-', it));
        let new = self.new.iter().map(|it| shown('+', it));
        [head].into_iter().chain(old).chain(new).collect()
    }
}

/// Computes the hunks: each line becomes one character, and the characters are compared.
fn hunks<'text>(before: &'text str, after: &'text str) -> Vec<Hunk<'text>> {
    let (old, new) = (lines(before), lines(after));
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[start..], &new[start..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    let whole = || Hunk { line: start + 1, old: old.to_vec(), new: new.to_vec() };
    // A comparison takes in what stands between changes that are near to each other; where lines stay where they
    // are, as in a rename, there is nothing to compare.
    let paired =
        old.len() == new.len() && old.iter().zip(new).filter(|(a, b)| a == b).count() * 2 >= old.len();
    if paired || old.len() + new.len() > COMPARED {
        return whole().apart();
    }
    let mut letters = HashMap::new();
    let (before, after) = (spelled(old, &mut letters), spelled(new, &mut letters));
    let (mut hunks, mut hunk) = (Vec::new(), None::<Hunk<'_>>);
    let (mut at_old, mut at_new) = (0, 0);
    for chunk in dissimilar::diff(&before, &after) {
        let count = match chunk {
            Chunk::Equal(it) | Chunk::Delete(it) | Chunk::Insert(it) => it.chars().count(),
        };
        let line = start + at_old + 1;
        let open = || Hunk { line, ..Hunk::default() };
        match chunk {
            Chunk::Equal(_) => hunks.extend(hunk.take()),
            Chunk::Delete(_) => {
                hunk.get_or_insert_with(open).old.extend(&old[at_old..at_old + count]);
            }
            Chunk::Insert(_) => {
                hunk.get_or_insert_with(open).new.extend(&new[at_new..at_new + count]);
            }
        }
        at_old += if matches!(chunk, Chunk::Insert(_)) { 0 } else { count };
        at_new += if matches!(chunk, Chunk::Delete(_)) { 0 } else { count };
    }
    hunks.extend(hunk);
    hunks.into_iter().flat_map(Hunk::apart).collect()
}

fn lines(text: &str) -> Vec<&str> {
    LineIndex::new(text).whole_lines(text).collect()
}

/// Maps each line to a character; equal lines have the same one.
fn spelled<'text>(lines: &[&'text str], letters: &mut HashMap<&'text str, char>) -> String {
    let letter = |line: &&'text str| {
        let next = u32::try_from(letters.len()).ok().and_then(|it| char::from_u32(FIRST + it));
        *letters.entry(line).or_insert(next.expect("there are fewer lines than characters"))
    };
    lines.iter().map(letter).collect()
}

/// The first character of the mapping: from here on, no character ends a word.
const FIRST: u32 = 0x2_0000;

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

    #[test]
    fn large_texts_are_compared_in_time() {
        let before: String = (0..60_000).map(|it| format!("{it}\n")).collect();
        let after: String = (0..60_000).map(|it| format!("{}\n", it * 7 % 60_001)).collect();
        assert_eq!(diff(&before, &after).hunks, 1);
    }
}
