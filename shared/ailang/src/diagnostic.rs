//! Diagnostics: the place, the severity and the remedy of a mistake in a document.

mod code;
mod json;
mod show;

pub use code::Code;
pub use source_text::Severity;
use source_text::Span;

/// A mistake or an advice, at a place of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of mistake.
    pub code: Code,
    /// The severity.
    pub severity: Severity,
    /// The place, in bytes of the document.
    pub span: Span,
    /// The mistake, in a sentence.
    pub message: String,
    /// The remedy; may have several lines.
    pub help: Option<String>,
    /// Alternative edits; each corrects the mistake alone.
    pub fixes: Vec<Fix>,
    /// Other places that matter.
    pub related: Vec<Related>,
}

/// An edit that corrects a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The label of the edit: "write `string`".
    pub title: String,
    /// The bytes to replace.
    pub span: Span,
    /// The replacement.
    pub replacement: String,
}

/// Another place that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The path of the document; `None` for the document of the diagnostic.
    pub path: Option<String>,
    /// The place in that document, in bytes.
    pub span: Span,
    /// The relation of that place to the mistake.
    pub message: String,
}

impl Diagnostic {
    /// Sets the remedy.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }

    /// Adds another place of the same document.
    pub(crate) fn related(&mut self, span: Span, message: impl Into<String>) -> &mut Self {
        self.related.push(Related { path: None, span, message: message.into() });
        self
    }

    /// Adds an edit, and a remedy that mentions it if there is none.
    pub(crate) fn replace(
        &mut self,
        title: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> &mut Self {
        let (title, replacement) = (title.into(), replacement.into());
        if self.help.is_none() {
            self.help = Some(format!("{title}: `{}`", replacement.trim()));
        }
        self.fixes.push(Fix { title, span, replacement });
        self
    }

    /// Adds an edit for each candidate that is spelled almost like `name`, the nearest first.
    pub(crate) fn nearest<'name>(
        &mut self,
        name: &str,
        span: Span,
        candidates: impl IntoIterator<Item = &'name str>,
    ) -> &mut Self {
        let nearest = nearest(name, candidates);
        let Some(first) = nearest.first() else { return self };
        self.help = Some(format!("did you mean `{first}`?"));
        for name in nearest {
            let title = format!("write `{name}`");
            self.fixes.push(Fix { title, span, replacement: name.to_owned() });
        }
        self
    }
}

/// Returns at most three names that differ by at most two letters or in case alone, the nearest first.
pub(crate) fn nearest<'name>(
    name: &str,
    candidates: impl IntoIterator<Item = &'name str>,
) -> Vec<&'name str> {
    /// The length from which a name is no typing mistake; comparing longer ones is slow.
    const LONGEST: usize = 80;
    let distance = |candidate: &str| {
        if candidate.eq_ignore_ascii_case(name) {
            return 0;
        }
        strsim::damerau_levenshtein(candidate, name)
    };
    let close_enough = |distance: usize| distance <= 2 && distance * 2 < name.len().max(2);
    let mut found: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= 2 && name.len() <= LONGEST)
        .map(|candidate| (distance(candidate), candidate))
        .filter(|(distance, candidate)| close_enough(*distance) && *candidate != name)
        .collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().take(3).map(|(_, name)| name).collect()
}

/// The diagnostics that were found so far.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    found: Vec<Diagnostic>,
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<T: IntoIterator<Item = Diagnostic>>(found: T) -> Self {
        Self { found: found.into_iter().collect() }
    }
}

impl Diagnostics {
    pub(crate) fn report(
        &mut self,
        severity: Severity,
        code: Code,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.found.push(Diagnostic {
            code,
            severity,
            span,
            message: message.into(),
            help: None,
            fixes: Vec::new(),
            related: Vec::new(),
        });
        self.found.last_mut().expect("it was just added")
    }

    pub(crate) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.report(Severity::Error, code, span, message)
    }

    /// Adds a warning without a remedy; returns it, to add one.
    pub fn warning(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.report(Severity::Warning, code, span, message)
    }

    /// Returns the number of diagnostics, to notice later that some were added.
    pub(crate) fn len(&self) -> usize {
        self.found.len()
    }

    /// Drops all but the first `count` diagnostics.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.found.truncate(count);
    }

    /// Returns the diagnostics by place and code, without duplicates.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.found.sort_by(|left, right| {
            let key = |it: &Diagnostic| (it.span.start, it.code, it.span.end);
            key(left).cmp(&key(right)).then_with(|| left.message.cmp(&right.message))
        });
        self.found.dedup();
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_little_are_offered() {
        assert_eq!(nearest("sned", ["send", "end", "receive"]), ["send"]);
        assert_eq!(
            nearest("receiveMail", ["receiveMails", "receivedMails"]),
            ["receiveMails", "receivedMails"]
        );
        assert_eq!(nearest("email", ["Email", "email"]), ["Email"]);
        assert!(nearest("A", ["B", "AB"]).is_empty());
    }
}
