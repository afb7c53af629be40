//! The layout that `gofmt` gives to lists of fields and constants, and to short functions.

use crate::generate::writer::Writer;

/// The longest function on one line, in bytes of its head and its statement. `gofmt` allows a few more.
const LONGEST: usize = 90;

/// A line of a list, with its comment.
pub(super) struct Row {
    pub(super) comment: Vec<String>,
    pub(super) cells: Vec<String>,
}

/// Prints rows in columns. A comment starts new columns; a gap before it sets it apart if there are any.
pub(super) fn rows(all: &[Row], has_gaps: bool, out: &mut Writer) {
    let starts = |at: &usize| *at == 0 || !all[*at].comment.is_empty();
    let mut at = 0;
    while at < all.len() {
        let end = (at + 1..all.len()).find(starts).unwrap_or(all.len());
        if at > 0 && has_gaps {
            out.gap();
        }
        all[at].comment.iter().for_each(|line| out.line(format!("// {line}").trim_end()));
        let section = &all[at..end];
        let width = |column: usize| section.iter().map(|it| it.cells[column].chars().count()).max();
        for row in section {
            let mut line = String::new();
            for (column, cell) in row.cells.iter().enumerate() {
                line.push_str(cell);
                if column + 1 < row.cells.len() {
                    let missing = width(column).unwrap_or_default() - cell.chars().count();
                    line.push_str(&" ".repeat(missing + 1));
                }
            }
            out.line(line);
        }
        at = end;
    }
}

/// Returns `true` if a function of one statement stands on one line.
pub(super) fn is_short(head: &str, statement: &str) -> bool {
    head.len() + statement.len() <= LONGEST
}

/// Prints a function of one statement.
pub(super) fn function(head: &str, statement: &str, out: &mut Writer) {
    if is_short(head, statement) {
        out.line(format!("{head} {{ {statement} }}"));
    } else {
        out.block(format!("{head} {{"), "}", |out| out.line(statement));
    }
}
