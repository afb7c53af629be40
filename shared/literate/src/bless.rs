//! Writing actual outcomes into a chapter.

use std::ops::Range;

use crate::block::{Block, blocks};

/// Returns the chapter with actual outcomes (kind and text) in place of the expectations at these lines. A
/// line is that of the opening fence, from 1. The rest is unchanged.
pub fn bless(markdown: &str, actual: &[(usize, String, String)]) -> String {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for block in blocks(markdown) {
        let Block::Fence { whole, line, .. } = block else { continue };
        if let Some((_, kind, text)) = actual.iter().find(|(at, ..)| *at == line) {
            edits.push((whole, fenced(kind, text)));
        }
    }
    let mut blessed = markdown.to_owned();
    for (range, text) in edits.into_iter().rev() {
        blessed.replace_range(range, &text);
    }
    blessed
}

/// Returns the text in a fence longer than any run of backticks in it.
fn fenced(kind: &str, text: &str) -> String {
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.is_empty() { "" } else { "\n" };
    format!("{fence}{kind}!\n{text}{end}{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn only_what_came_out_differently_changes() {
        let chapter = "# A\n```in\n1\n```\n```old!\nold\n```\nprose\n```in\n2\n```\n```kept!\nkept\n```\n";
        let blessed = bless(chapter, &[(5, "new".to_owned(), "`` ``` ``\nlines".to_owned())]);
        assert_eq!(
            blessed,
            "# A\n```in\n1\n```\n````new!\n`` ``` ``\nlines\n````\nprose\n```in\n2\n```\n```kept!\nkept\n```\n"
        );
        assert_eq!(cases(&blessed)[0].expected.text, "`` ``` ``\nlines");
        assert_eq!(bless(&blessed, &[]), blessed);
    }

    #[test]
    fn nothing_at_all_can_come_out() {
        assert_eq!(
            bless("# A\n```x!\nold\n```\n", &[(2, "x".to_owned(), String::new())]),
            "# A\n```x!\n```\n"
        );
    }
}
