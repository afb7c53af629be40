//! Diagnostics: messages about a place in a text.

use crate::{Encoding, LineIndex, Span, excerpt};

/// The severity of a diagnostic, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The text is correct, and could be better.
    Info,
    /// The text has a meaning, but probably not the intended one.
    Warning,
    /// The text has no meaning.
    Error,
}

impl Severity {
    /// Returns the word for it, as people and programs read it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A message about a place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity, which decides whether the text can be used.
    pub severity: Severity,
    /// The place; absent if it concerns no place in particular.
    pub span: Option<Span>,
    /// The problem, in a sentence.
    pub message: String,
    /// The correction; may have several lines.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Makes an error without help.
    pub fn error(span: Option<Span>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, span, message: message.into(), help: None }
    }

    /// Adds a correction.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Writes the place, the problem, the line with carets under the place, and the help. Line and column
    /// count from 1, columns in Unicode scalar values. `index` must be that of `text`.
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
