//! Text with possible line breaks: Wadler's "prettier printer". A group is written on one line if it fits.
//! Otherwise all of its own breaks become line breaks.

/// Columns that are indented.
const INDENT: usize = 2;

/// Text that can be broken.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Doc<'source> {
    Text(&'source str),
    /// A blank, or a line break.
    Line,
    /// Nothing, or a line break.
    Soft,
    /// A line break.
    Hard,
    Indent(Vec<Doc<'source>>),
    Group(Vec<Doc<'source>>),
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Flat,
    Broken,
}

/// Prints the text in lines of at most `width` characters, if its breaks allow it.
pub(super) fn print(doc: &Doc<'_>, width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    let mut stack = vec![(0, Mode::Broken, doc)];
    while let Some((indent, mode, doc)) = stack.pop() {
        match doc {
            Doc::Text(text) => {
                out.push_str(text);
                column = match text.rfind('\n') {
                    Some(end) => text[end + 1..].chars().count(),
                    None => column + text.chars().count(),
                };
            }
            Doc::Line if mode == Mode::Flat => {
                out.push(' ');
                column += 1;
            }
            Doc::Soft if mode == Mode::Flat => {}
            Doc::Line | Doc::Soft | Doc::Hard => {
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', indent));
                column = indent;
            }
            Doc::Indent(docs) => stack.extend(docs.iter().rev().map(|it| (indent + INDENT, mode, it))),
            Doc::Group(docs) => {
                let is_flat = fits(docs, &stack, width.saturating_sub(column));
                let mode = if is_flat { Mode::Flat } else { Mode::Broken };
                stack.extend(docs.iter().rev().map(|it| (indent, mode, it)));
            }
        }
    }
    out
}

/// Returns `true` if a group fits into the rest of the line, with the text behind it up to the next possible
/// break.
fn fits(docs: &[Doc<'_>], after: &[(usize, Mode, &Doc<'_>)], mut left: usize) -> bool {
    let mut after = after.iter().rev();
    let mut stack: Vec<(Mode, &Doc<'_>)> = docs.iter().rev().map(|it| (Mode::Flat, it)).collect();
    let mut inside = stack.len();
    loop {
        let Some((mode, doc)) = stack.pop() else {
            let Some((_, mode, doc)) = after.next() else { return true };
            inside = 0;
            stack.push((*mode, doc));
            continue;
        };
        match doc {
            Doc::Text(text) => {
                let first = text.split('\n').next().unwrap_or_default();
                let Some(rest) = left.checked_sub(first.chars().take(left + 1).count()) else { return false };
                if first.len() < text.len() {
                    return true;
                }
                left = rest;
            }
            Doc::Line if mode == Mode::Flat => {
                let Some(rest) = left.checked_sub(1) else { return false };
                left = rest;
            }
            Doc::Soft if mode == Mode::Flat => {}
            // A group on one line cannot have a hard break.
            Doc::Hard if inside > 0 => return false,
            Doc::Line | Doc::Soft | Doc::Hard => return true,
            Doc::Indent(docs) | Doc::Group(docs) => stack.extend(docs.iter().rev().map(|it| (mode, it))),
        }
    }
}
