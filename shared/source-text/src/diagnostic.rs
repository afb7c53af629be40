//! Something to say about a place of a text.

use crate::{Encoding, LineIndex, Span, excerpt};

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The text means what it says and was probably meant so; it could be better.
    Info,
    /// The text means what it says, but hardly what was meant.
    Warning,
    /// The text has no meaning.
    Error,
}

/// Something to say about a place of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// Where; absent when it is about no place in particular.
    pub span: Option<Span>,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What to write instead; may have several lines.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without help.
    pub fn error(span: Option<Span>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, span, message: message.into(), help: None }
    }

    /// The same with what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The diagnostic in words: its place (line and column from 1, the column in characters), what is
    /// wrong, the line with a caret under the place, and the help. `index` is of `text`.
    pub fn show(&self, text: &str, index: &LineIndex) -> String {
        let mut shown = self.message.clone();
        if let Some(span) = self.span {
            let (line, column) = index.position(text, span.start, Encoding::Utf32);
            let excerpt = excerpt(text, index, span);
            shown = format!("line {}, column {}: {shown}\n{excerpt}", line + 1, column + 1);
        }
        if let Some(help) = &self.help {
            shown.push('\n');
            shown.push_str(help);
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_diagnostic_says_where_what_and_what_instead() {
        let text = "[\n  é.findRefs(`User`)]";
        let at = text.find("findRefs").expect("it is there");
        let diagnostic = Diagnostic::error(Some(Span::new(at, at + 8)), "no function is called `findRefs`")
            .help("did you mean `findReferences`?");
        expect![[r#"
            line 2, column 5: no function is called `findRefs`
            2 |   é.findRefs(`User`)]
              |     ^^^^^^^^
            did you mean `findReferences`?"#]]
        .assert_eq(&diagnostic.show(text, &LineIndex::new(text)));
    }
}
