//! Pieces → text, with blanks and indentation.

use super::piece::Piece;

/// The indentation of one step, in blanks.
const STEP: usize = 2;

/// The operators that continue a line, or let the next one continue it.
const OPERATORS: &[&str] = &[
    "=", "+", "-", "*", "/", "%", "&&", "||", "??", "->", "=>", "|", "&", "?", ":", "==", "!=", "===", "!==",
    "<=", ">=", "+=", "-=", ".", "?.",
];

/// Prints pieces in lines, without a line break at the end.
pub(super) fn page(pieces: &[Piece<'_>], line_end: &str) -> String {
    let mut page = Page::default();
    let mut code = None;
    for (index, piece) in pieces.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &pieces[before]);
        let lines = match before {
            None => 0,
            Some(before) if before.ends_line() => piece.lines.max(1),
            Some(_) => piece.lines,
        };
        match before {
            Some(before) if lines == 0 => {
                let ternary = page.questions.last().is_some_and(|open| *open > 0);
                if blank(before, piece, pieces.get(index + 1), ternary) {
                    page.text.push(' ');
                }
            }
            Some(_) => page.text.push_str(&line_end.repeat(lines.min(2))),
            None => {}
        }
        if lines > 0 || before.is_none() {
            page.line(piece, code);
        }
        page.piece(piece, pieces.get(index + 1));
        if !piece.is_comment() {
            code = Some(piece);
        }
    }
    page.text
}

#[derive(Default)]
struct Page {
    text: String,
    /// The indentation of the current line.
    indent: usize,
    /// The indentation of the line of each open bracket.
    open: Vec<usize>,
    /// The number of `?` that wait for their `:`, outside of brackets and in each open one.
    questions: Vec<usize>,
}

impl Page {
    fn line(&mut self, piece: &Piece<'_>, before: Option<&Piece<'_>>) {
        let outer = self.open.last().copied();
        self.indent = match outer {
            Some(outer) if piece.is_mark(&[")", "]", "}"]) => outer,
            outer => outer.map_or(0, |outer| outer + STEP) + if goes_on(before, piece) { STEP } else { 0 },
        };
        self.text.extend(std::iter::repeat_n(' ', self.indent));
    }

    fn piece(&mut self, piece: &Piece<'_>, next: Option<&Piece<'_>>) {
        self.text.push_str(piece.text);
        if self.questions.is_empty() {
            self.questions.push(0);
        }
        let waiting = self.questions.last_mut().expect("one was added");
        if piece.is_mark(&["?"]) && !is_optional(next) {
            *waiting += 1;
        } else if piece.is_mark(&[":"]) {
            *waiting = waiting.saturating_sub(1);
        } else if piece.is_mark(&["(", "[", "{"]) {
            self.open.push(self.indent);
            self.questions.push(0);
        } else if piece.is_mark(&[")", "]", "}"]) {
            self.open.pop();
            self.questions.pop();
        }
    }
}

/// Returns `true` if a line that starts with `piece` continues the previous one.
fn goes_on(before: Option<&Piece<'_>>, piece: &Piece<'_>) -> bool {
    let Some(before) = before else { return false };
    let ended = before.is_mark(&[",", ";", "(", "[", "{"]);
    let clause = piece.is_word(&["requires", "throws"]) && !piece.computes;
    !ended && (piece.is_mark(OPERATORS) || before.is_mark(OPERATORS) || clause)
}

/// Returns `true` for the `?` of `name?: T` and `name?`, and `false` for that of `a ? b : c`.
fn is_optional(next: Option<&Piece<'_>>) -> bool {
    next.is_none_or(|next| next.is_mark(&[":", ",", ")", "}", "]"]))
}

/// Returns `true` if a blank stands between two pieces of a line. `ternary` is `true` while a `?` waits for
/// its `:`.
fn blank(a: &Piece<'_>, b: &Piece<'_>, behind: Option<&Piece<'_>>, ternary: bool) -> bool {
    if a.is_comment() || b.is_comment() {
        return !(a.is_mark(&["(", "["]) || b.is_mark(&[",", ")", "]"]));
    }
    if a.is_mark(&["(", "[", ".", "?.", "..."]) || b.is_mark(&[")", "]", ",", ";", ".", "?."]) {
        return false;
    }
    if a.is_mark(&["{"]) && b.is_mark(&["}"]) {
        return false;
    }
    if a.is_mark(&[",", ";", "{", ":"]) || b.is_mark(&["}"]) {
        return true;
    }
    match b.text {
        ":" => ternary,
        "?" => !is_optional(behind),
        "(" | "[" => opens_apart(a, b),
        "<" | ">" if !a.computes => false,
        _ if a.is_mark(&["<"]) && !a.computes => false,
        _ if a.is_mark(&["-", "+", "!", "*", "/", "%", "<", ">"]) => {
            b.spaced || a.is_mark(&[">"]) && !a.computes
        }
        "-" | "+" | "!" | "*" | "/" | "%" | "<" | ">" if a.computes => b.spaced,
        _ => true,
    }
}

/// Returns `true` if a blank precedes a bracket: none does before arguments and an index.
fn opens_apart(a: &Piece<'_>, b: &Piece<'_>) -> bool {
    if a.is_word(&["if", "for", "while", "catch"]) && a.computes
        || a.is_mark(&["=", "=>", "&&", "||", "??", "=="])
    {
        return true;
    }
    if a.computes || a.is_mark(&["-", "+", "!", "*", "/", "%"]) {
        return b.spaced;
    }
    match a.kind {
        super::piece::PieceKind::Word => a.is_word(&["requires", "throws", "import"]),
        _ => !a.is_mark(&[")", "]", "}", ">"]),
    }
}
