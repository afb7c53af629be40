//! Excerpts: a line of a text, with carets under a part of it.

use unicode_width::UnicodeWidthChar;

use crate::{Encoding, LineIndex, Span, is_hidden};

/// The most columns of a line that are shown.
const WIDTH: usize = 100;
/// The columns before the span that remain visible if the line is cut.
const LEAD: usize = 40;

/// Returns the line where `span` starts, with carets under the part of the span on that line; at least one
/// caret.
///
/// The carets are aligned in a terminal: tabs and control characters are shown as one column each, and wide
/// characters count two. Invisible characters are shown as U+FFFD. A long line is cut around the span.
///
/// ```
/// # use source_text::{excerpt, LineIndex, Span};
/// let text = "first\nsecond(x)";
/// let index = LineIndex::new(text);
/// assert_eq!(excerpt(text, &index, Span::new(6, 12)), "2 | second(x)\n  | ^^^^^^");
/// ```
pub fn excerpt(text: &str, index: &LineIndex, span: Span) -> String {
    let (line, _) = index.position(text, span.start, Encoding::Utf8);
    let range = index.line_range(text, line).expect("an offset is on a line");
    let cells = cells(&text[range.clone()], |at| {
        let at = range.start + at;
        span.start <= at && at < span.end
    });
    let number = (line + 1).to_string();
    let gutter = " ".repeat(number.len());
    let (shown, carets) = draw(&cells, caret_at(&cells, span.start >= range.end));
    format!("{}\n{gutter} | {carets}", format!("{number} | {shown}").trim_end())
}

/// A character in its displayed form.
struct Cell {
    char: char,
    width: usize,
    marked: bool,
}

fn cells(line: &str, marked: impl Fn(usize) -> bool) -> Vec<Cell> {
    let cell = |(at, char): (usize, char)| {
        let (char, width) = match char.width() {
            Some(_) if is_hidden(char) => (char::REPLACEMENT_CHARACTER, 1),
            Some(width) => (char, width),
            None => (' ', 1),
        };
        Cell { char, width, marked: marked(at) }
    };
    line.char_indices().map(cell).collect()
}

/// Returns the first marked cell, or the one past the last for a span at the line's end.
fn caret_at(cells: &[Cell], at_end: bool) -> usize {
    let marked = cells.iter().position(|cell| cell.marked);
    marked.unwrap_or(if at_end { cells.len() } else { 0 })
}

/// Returns the part of the line around the caret that fits, and the carets.
fn draw(cells: &[Cell], caret: usize) -> (String, String) {
    let start = window_start(cells, caret);
    let (mut shown, mut carets) = (String::new(), String::new());
    let mut columns = 0;
    if start > 0 {
        shown.push('…');
        carets.push(' ');
        columns = 1;
    }
    let mut is_cut = false;
    for (at, cell) in cells.iter().enumerate().skip(start) {
        if columns + cell.width > WIDTH || at - start > 4 * WIDTH {
            is_cut = true;
            break;
        }
        columns += cell.width;
        shown.push(cell.char);
        let mark = if cell.marked || at == caret { '^' } else { ' ' };
        carets.extend(std::iter::repeat_n(mark, cell.width));
    }
    if is_cut {
        shown.push('…');
    }
    if caret >= cells.len() {
        carets.push('^');
    }
    (shown, carets.trim_end().to_owned())
}

/// Returns the start of the shown part: the line's start, unless the caret would be invisible.
fn window_start(cells: &[Cell], caret: usize) -> usize {
    let before: usize = cells[..caret].iter().map(|cell| cell.width).sum();
    let marked: usize = cells[caret..].iter().take_while(|cell| cell.marked).map(|cell| cell.width).sum();
    if before + marked.clamp(1, LEAD) < WIDTH {
        return 0;
    }
    let mut lead = 0;
    let back = cells[..caret].iter().rev().take_while(|cell| {
        lead += cell.width;
        lead <= LEAD
    });
    caret - back.count()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// Checks the excerpt of the span between two `§`.
    fn check(marked: &str, expected: Expect) {
        let mut parts = marked.split('§');
        let [before, inside, after] = std::array::from_fn(|_| parts.next().unwrap());
        let text = format!("{before}{inside}{after}");
        let span = Span::new(before.len(), before.len() + inside.len());
        expected.assert_eq(&excerpt(&text, &LineIndex::new(&text), span));
    }

    #[test]
    fn carets_stand_under_the_span() {
        check(
            "f(§x§)",
            expect![[r#"
            1 | f(x)
              |   ^"#]],
        );
    }

    #[test]
    fn an_empty_span_has_one_caret() {
        check(
            "f(x§§",
            expect![[r#"
            1 | f(x
              |    ^"#]],
        );
        check(
            "f§§(x)",
            expect![[r#"
            1 | f(x)
              | ^"#]],
        );
        check(
            "§§",
            expect![[r#"
            1 |
              | ^"#]],
        );
    }

    #[test]
    fn tabs_and_control_characters_take_one_column() {
        check(
            "\tf(\u{7}§x§)\r\n",
            expect![[r#"
            1 |  f( x)
              |     ^"#]],
        );
    }

    #[test]
    fn wide_characters_take_two_columns_and_combining_ones_none() {
        check(
            "f(`日本`, e\u{301}, §本§)",
            expect![[r#"
                1 | f(`日本`, é, 本)
                  |              ^^"#]],
        );
    }

    #[test]
    fn what_cannot_be_seen_is_shown() {
        check(
            "f(\u{202e}§x§\u{200b})",
            expect![[r#"
                1 | f(�x�)
                  |    ^"#]],
        );
        let marked = format!("x{}", "\u{301}".repeat(10_000));
        let shown = excerpt(&marked, &LineIndex::new(&marked), Span::new(0, 1));
        assert!(shown.len() < 2_000, "{} bytes", shown.len());
    }

    #[test]
    fn of_a_span_of_many_lines_the_first_is_marked() {
        check(
            "a\n  b§(\n1,\n2)§",
            expect![[r#"
            2 |   b(
              |    ^"#]],
        );
        check(
            "a§\n§b",
            expect![[r#"
            1 | a
              |  ^"#]],
        );
    }

    #[test]
    fn a_long_line_is_cut_around_the_span() {
        let long = "x".repeat(5_000);
        check(
            &format!("{long}, §here§, {long}"),
            expect![[r#"
            1 | …xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, here, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
              |                                          ^^^^"#]],
        );
        check(
            &format!("§{long}§"),
            expect![[r#"
            1 | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
        );
    }

    #[test]
    fn an_offset_past_the_end_is_the_end() {
        let text = "ab";
        assert_eq!(excerpt(text, &LineIndex::new(text), Span::new(9, 9)), "1 | ab\n  |   ^");
    }
}
