//! Completeness and notes of answers.

use ide_protocol::{
    CodeActionsResult, Completeness, DefinitionsResult, DescriptionResult, DiagnosticsResult, EditsResult,
    HierarchyResult, OutlineResult, ReferencesResult, SymbolsResult,
};

use crate::fallback::syntactic::candidate::ServerDefinitions;

/// The separator between the sentences of a note.
const BETWEEN: &str = "; ";

/// An answer with a completeness flag and a note.
pub(crate) trait Qualified: Sized {
    fn standing(&mut self) -> &mut Completeness;

    /// Marks the answer as incomplete for these reasons; repeats none that the note has already.
    fn qualified<'a>(mut self, because: impl IntoIterator<Item = &'a str>) -> Self {
        let standing = self.standing();
        for reason in because {
            standing.complete = false;
            add(&mut standing.note, reason);
        }
        self
    }

    /// Adds a note that does not make the answer incomplete.
    fn noting(mut self, what: Option<&str>) -> Self {
        let note = &mut self.standing().note;
        what.into_iter().for_each(|it| add(note, it));
        self
    }

    /// Merges the completeness and note of a search by name into the answer about its result. The search's
    /// note comes first, and a missing server is noted once.
    fn of_found(mut self, found: DefinitionsResult) -> Self {
        let Completeness { complete, note, gap, .. } = self.standing();
        let found = found.completeness;
        *complete &= found.complete;
        *gap = (*gap).max(found.gap);
        let own = note.take();
        *note = found.note.filter(|_| found.source.0 != "syntax" || own.is_none());
        own.iter().flat_map(|it| it.split(BETWEEN)).for_each(|it| add(note, it));
        self
    }
}

/// Returns whether a note has the whole reason, which may have the mark between reasons in it.
fn has_reason(note: &str, reason: &str) -> bool {
    let bounded = |it: &str| [BETWEEN, it, BETWEEN].concat();
    bounded(note).contains(&bounded(reason))
}

fn add(note: &mut Option<String>, reason: &str) {
    match note {
        Some(note) if has_reason(note, reason) => {}
        Some(note) => note.extend([BETWEEN, reason]),
        None => *note = Some(reason.to_owned()),
    }
}

macro_rules! qualified {
    ($($result:ty),*) => {
        $(impl Qualified for $result {
            fn standing(&mut self) -> &mut Completeness {
                &mut self.completeness
            }
        })*
    };
}

qualified!(
    DefinitionsResult,
    ReferencesResult,
    HierarchyResult,
    DescriptionResult,
    OutlineResult,
    SymbolsResult,
    DiagnosticsResult,
    CodeActionsResult,
    EditsResult
);

impl Qualified for ServerDefinitions {
    fn standing(&mut self) -> &mut Completeness {
        self.result.standing()
    }
}

#[cfg(test)]
mod tests {
    use ide_protocol::Source;

    use super::*;

    fn symbols(note: Option<&str>) -> SymbolsResult {
        let (source, note) = (Source("language-server:x".into()), note.map(str::to_owned));
        SymbolsResult {
            completeness: Completeness { complete: true, source, note, gap: None },
            total: 0,
            definitions: Vec::new(),
        }
    }

    #[test]
    fn every_reason_is_said_once() {
        for (note, because, complete, expected) in [
            (None, &[][..], true, None),
            (Some("a"), &[], true, Some("a")),
            (None, &["a"], false, Some("a")),
            (Some("a; b"), &["b", "c"], false, Some("a; b; c")),
            (Some("ab"), &["a", "a"], false, Some("ab; a")),
            (None, &["a; b", "a; b"], false, Some("a; b")),
        ] {
            let qualified = symbols(note).qualified(because.iter().copied());
            assert_eq!(
                (qualified.completeness.complete, qualified.completeness.note.as_deref()),
                (complete, expected),
                "{note:?} {because:?}"
            );
        }
    }

    #[test]
    fn how_a_symbol_was_found_counts_for_what_is_said_of_it() {
        let found = |source: &str, complete, note: &str| DefinitionsResult {
            completeness: Completeness {
                complete,
                source: Source(source.into()),
                note: Some(note.to_owned()),
                gap: None,
            },
            definitions: Vec::new(),
            nearest: Vec::new(),
        };
        let qualified = symbols(Some("b; c")).of_found(found("language-server:x", false, "a; b"));
        assert_eq!(
            (qualified.completeness.complete, qualified.completeness.note.as_deref()),
            (false, Some("a; b; c"))
        );
        let qualified = symbols(Some("no server")).of_found(found("syntax", true, "no server. Install it."));
        assert_eq!(
            (qualified.completeness.complete, qualified.completeness.note.as_deref()),
            (true, Some("no server"))
        );
        let qualified = symbols(None).of_found(found("syntax", true, "no server"));
        assert_eq!(qualified.completeness.note.as_deref(), Some("no server"));
    }
}
