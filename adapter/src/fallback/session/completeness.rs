//! The completeness of answers, as the reasons why they are incomplete or unusual.

use ide_protocol::{
    ApplyResult, CodeActionsResult, Completeness, DefinitionsResult, DescriptionResult, DiagnosticsResult,
    EditedTextsResult, EditsResult, ExportsResult, FileDefinitionsResult, FilesResult, HierarchyResult,
    HitContextResult, ImportsResult, LinesResult, MatchesResult, MembersResult, OutlineResult, Reason,
    ReferencesResult, SearchResult, SelectionResult, SymbolsResult, TextResult,
};

use crate::fallback::syntactic::candidate::ServerDefinitions;

/// An answer with its completeness.
pub(crate) trait Qualified: Sized {
    fn standing(&mut self) -> &mut Completeness;

    /// Returns the completeness of the references that come with definitions.
    fn of_references(&mut self) -> Option<&mut Completeness> {
        None
    }

    /// Adds reasons, also to references that come with the answer, and repeats none that are there already.
    fn noting(mut self, reasons: impl IntoIterator<Item = Reason>) -> Self {
        let reasons: Vec<_> = reasons.into_iter().collect();
        if let Some(references) = self.of_references() {
            references.extend(reasons.iter().cloned());
        }
        self.standing().extend(reasons);
        self
    }

    /// Merges the reasons of a search by name into the answer about its result. They come first, and a missing
    /// server is noted once.
    fn of_found(mut self, found: DefinitionsResult) -> Self {
        let standing = self.standing();
        let found = match lacks_server(standing) && lacks_server(&found.completeness) {
            true => &[],
            false => found.completeness.reasons(),
        };
        let reasons = found.iter().chain(standing.reasons()).cloned();
        *standing = Completeness::with(standing.source.clone(), reasons);
        self
    }
}

/// Returns `true` if one of the reasons is that no server answers.
fn lacks_server(answer: &Completeness) -> bool {
    answer.reasons().iter().any(|it| it.no_server().is_some())
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
    ReferencesResult,
    HierarchyResult,
    DescriptionResult,
    OutlineResult,
    SymbolsResult,
    DiagnosticsResult,
    CodeActionsResult,
    EditsResult,
    ApplyResult,
    EditedTextsResult,
    ExportsResult,
    FileDefinitionsResult,
    FilesResult,
    HitContextResult,
    ImportsResult,
    LinesResult,
    MatchesResult,
    MembersResult,
    SearchResult,
    SelectionResult,
    TextResult
);

impl Qualified for DefinitionsResult {
    fn standing(&mut self) -> &mut Completeness {
        &mut self.completeness
    }

    fn of_references(&mut self) -> Option<&mut Completeness> {
        self.references.as_mut().map(Qualified::standing)
    }
}

impl Qualified for ServerDefinitions {
    fn standing(&mut self) -> &mut Completeness {
        self.result.standing()
    }

    fn of_references(&mut self) -> Option<&mut Completeness> {
        self.result.of_references()
    }
}

#[cfg(test)]
mod tests {
    use ide_protocol::{NoServer, Source};

    use super::*;

    fn reason(name: &str) -> Reason {
        Reason::NameNotSearched { name: name.to_owned() }
    }

    fn symbols(reasons: &[Reason]) -> SymbolsResult {
        let source = Source("language-server:x".into());
        let completeness = Completeness::with(source, reasons.iter().cloned());
        SymbolsResult { completeness, total: 0, definitions: Vec::new() }
    }

    fn found(reasons: &[Reason]) -> DefinitionsResult {
        let completeness = Completeness::with(Source("x".into()), reasons.iter().cloned());
        DefinitionsResult { completeness, definitions: Vec::new(), nearest: Vec::new(), references: None }
    }

    #[test]
    fn every_reason_is_said_once() {
        let (a, b) = (reason("a"), reason("b"));
        for (own, more, expected) in [
            (&[][..], &[][..], &[][..]),
            (&[], &[a.clone(), a.clone()], std::slice::from_ref(&a)),
            (std::slice::from_ref(&a), &[b.clone(), a.clone()], &[a.clone(), b.clone()]),
        ] {
            let answer = symbols(own).noting(more.iter().cloned());
            assert_eq!(answer.completeness.reasons(), expected);
            assert_eq!(answer.completeness.is_complete(), expected.is_empty());
        }
    }

    #[test]
    fn how_a_symbol_was_found_counts_for_what_is_said_of_it() {
        let [a, b, c] = ["a", "b", "c"].map(reason);
        let answer = symbols(&[b.clone(), c.clone()]).of_found(found(&[a.clone(), b.clone()]));
        assert_eq!(answer.completeness.reasons(), [a, b, c]);
        let why = NoServer { message: "no server".into(), install: None, retry: None };
        let unseen = Reason::UnseenCode { why: why.clone() };
        let alone = Reason::NamesAlone { why };
        let answer = symbols(std::slice::from_ref(&alone)).of_found(found(std::slice::from_ref(&unseen)));
        assert_eq!(answer.completeness.reasons(), [alone]);
        let answer = symbols(&[]).of_found(found(std::slice::from_ref(&unseen)));
        assert_eq!(answer.completeness.reasons(), [unseen]);
        assert!(!answer.completeness.is_complete());
    }
}
