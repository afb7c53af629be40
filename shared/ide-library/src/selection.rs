//! Selections as programs hold them, and the search for their text in a file.

use ide_protocol::{Column, FileRange, Line, Point, SourceLine};
use serde::{Deserialize, Serialize};

use crate::spelling::words;

/// A range of a file that the user has selected. An empty one is a cursor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Selection {
    pub(crate) path: String,
    pub(crate) start: Point,
    pub(crate) end: Point,
    /// The text as the user saw it, possibly of an unsaved buffer.
    pub(crate) selected: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) external: bool,
}

impl Selection {
    /// Returns its range, without a text: that of a range is a whole line.
    pub(crate) fn range(&self) -> FileRange {
        let Self { path, start, end, external, .. } = self.clone();
        FileRange { external, ..FileRange::new(path, start, end) }
    }

    /// Writes it as `src/auth.rs:4:12-16`, `src/auth.rs:4:1-6:2`, or `src/auth.rs:4-6` for whole lines.
    pub(crate) fn display(&self) -> String {
        let Self { path, start, end, .. } = self;
        let last = Line::from_index(end.line.index().saturating_sub(1));
        match (start.column, end.column) {
            (from, _) if start == end => format!("{path}:{}:{from}", start.line),
            (Column::FIRST, Column::FIRST) if last > start.line => format!("{path}:{}-{last}", start.line),
            (Column::FIRST, Column::FIRST) if last == start.line => format!("{path}:{last}"),
            (from, to) if start.line == end.line => format!("{path}:{}:{from}-{to}", start.line),
            (from, to) => format!("{path}:{}:{from}-{}:{to}", start.line, end.line),
        }
    }

    /// Describes it: ``src/auth.rs:4:12-16, `User` ``.
    pub(crate) fn describe(&self) -> String {
        let external = if self.external { " (external)" } else { "" };
        let text = self.selected.trim();
        let line: String = text.lines().next().unwrap_or_default().chars().take(80).collect();
        let more = if line.len() < text.len() { " …" } else { "" };
        format!("{}{external}, `{line}`{more}", self.display())
    }

    /// Returns the words of the text, each with its place if the text begins at `start`.
    pub(crate) fn words_from(&self, start: Point) -> impl Iterator<Item = (&str, Point)> {
        self.selected.split('\n').enumerate().flat_map(move |(index, line)| {
            let (first, indent) = (start.line.index(), if index == 0 { start.column.index() } else { 0 });
            words(line).map(move |(at, word)| (word, point(first + index, indent + at)))
        })
    }

    /// Returns the places where the text occurs in these lines of its file: its own place, or else all occurrences.
    pub(crate) fn stands_at(&self, lines: &[SourceLine]) -> Vec<Point> {
        let text = self.selected.trim_end_matches('\n');
        let found = occurrences(lines, text);
        match found.contains(&self.start) {
            true => vec![self.start],
            false => found,
        }
    }

    /// Moves the selection so that its text begins at `start`.
    pub(crate) fn moved_to(self, start: Point) -> Self {
        let end = end_of(start, &self.selected);
        Self { start, end, ..self }
    }
}

/// Returns the text between two points of these lines.
pub(crate) fn between(lines: &[SourceLine], start: Point, end: Point) -> String {
    let within = lines.iter().filter(|it| (start.line..=end.line).contains(&it.line));
    let pieces = within.map(|it| {
        let from = if it.line == start.line { start.column.index() } else { 0 };
        let to = if it.line == end.line { end.column.index() } else { usize::MAX };
        it.text.chars().take(to).skip(from).collect::<String>()
    });
    let mut text = pieces.collect::<Vec<_>>().join("\n");
    // A selection of whole lines ends at the start of a line that is not read.
    if end.column == Column::FIRST && end.line > start.line && lines.iter().all(|it| it.line < end.line) {
        text.push('\n');
    }
    text
}

/// Returns all occurrences of a text in consecutive lines.
fn occurrences(lines: &[SourceLine], text: &str) -> Vec<Point> {
    let Some(first) = lines.first().filter(|_| !text.is_empty()) else { return Vec::new() };
    let whole = lines.iter().map(|it| it.text.trim_end_matches('\r')).collect::<Vec<_>>().join("\n");
    let place = |at: usize| {
        let before = &whole[..at];
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
        point(first.line.index() + before.matches('\n').count(), column)
    };
    whole.match_indices(text).map(|(at, _)| place(at)).collect()
}

fn end_of(start: Point, text: &str) -> Point {
    let last = text.rsplit('\n').next().unwrap_or_default().chars().count();
    match text.matches('\n').count() {
        0 => point(start.line.index(), start.column.index() + last),
        breaks => point(start.line.index() + breaks, last),
    }
}

fn point(line: usize, column: usize) -> Point {
    Point { line: Line::from_index(line), column: Column::from_index(column) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(start: (usize, usize), end: (usize, usize), selected: &str) -> Selection {
        let (start, end) = (point(start.0 - 1, start.1 - 1), point(end.0 - 1, end.1 - 1));
        Selection { path: "a.rs".into(), start, end, selected: selected.into(), external: false }
    }

    fn lines(first: usize, texts: &[&str]) -> Vec<SourceLine> {
        let line = |(at, text): (usize, &&str)| SourceLine {
            line: Line::from_index(first - 1 + at),
            text: (*text).to_owned(),
        };
        texts.iter().enumerate().map(line).collect()
    }

    #[test]
    fn selections_are_spelled_by_what_they_hold() {
        for (start, end, expected) in [
            ((4, 12), (4, 16), "a.rs:4:12-16"),
            ((4, 1), (5, 1), "a.rs:4"),
            ((4, 1), (7, 1), "a.rs:4-6"),
            ((4, 3), (6, 2), "a.rs:4:3-6:2"),
            ((4, 3), (4, 3), "a.rs:4:3"),
            ((1, 1), (1, 1), "a.rs:1:1"),
        ] {
            assert_eq!(selection(start, end, "").display(), expected);
        }
    }

    #[test]
    fn a_text_is_found_in_its_lines() {
        let text = lines(3, &["let é = User::new(é);", "User", ""]);
        let found = |selected: &str| -> Vec<(u32, u32)> {
            let whole = selection((3, 1), (6, 1), selected);
            whole.stands_at(&text).iter().map(|it| (it.line.get(), it.column.get())).collect()
        };
        assert_eq!(found("new"), [(3, 15)]);
        assert_eq!(found("User"), [(3, 9), (4, 1)]);
        assert_eq!(found("é);\nUser\n"), [(3, 19)]);
        assert_eq!(found("gone"), []);
        assert_eq!(found(""), []);
        let at_its_place = selection((4, 1), (4, 5), "User");
        assert_eq!(at_its_place.stands_at(&text), [point(3, 0)]);
    }

    #[test]
    fn a_selection_ends_where_its_text_does() {
        let moved = |text: &str| selection((1, 1), (9, 1), text).moved_to(point(2, 4)).display();
        assert_eq!(moved("User"), "a.rs:3:5-9");
        assert_eq!(moved("User\nnew"), "a.rs:3:5-4:4");
        assert_eq!(moved("User\n"), "a.rs:3:5-4:1");
    }

    #[test]
    fn the_text_between_points_is_cut_out() {
        let text = lines(3, &["let x = 1;", "let y = 2;"]);
        let cut = |start: (usize, usize), end: (usize, usize)| {
            between(&text, point(start.0 - 1, start.1 - 1), point(end.0 - 1, end.1 - 1))
        };
        assert_eq!(cut((3, 5), (3, 6)), "x");
        assert_eq!(cut((3, 5), (4, 4)), "x = 1;\nlet");
        assert_eq!(cut((3, 1), (5, 1)), "let x = 1;\nlet y = 2;\n");
        assert_eq!(cut((3, 1), (4, 1)), "let x = 1;\n");
        assert_eq!(cut((3, 5), (3, 5)), "");
    }

    #[test]
    fn words_have_their_places() {
        let selected = selection((3, 5), (4, 5), "User,\n  new");
        let words: Vec<_> = selected.words_from(point(2, 4)).collect();
        assert_eq!(words, [("User", point(2, 4)), ("new", point(3, 2))]);
    }
}
