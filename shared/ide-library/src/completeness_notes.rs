//! What an answer says about itself → the short note that an agent has to read. No note means: complete, and
//! from whoever understands the code.

use dialect::Notes;
use ide_protocol::{
    ApplyResult, CodeActionsResult, DefinitionsResult, DescriptionResult, DiagnosticsResult, EditsResult,
    FilesResult, HierarchyResult, LinesResult, MatchesResult, Operation, OutlineResult, ReferencesResult,
    SearchResult, SelectionResult, Source, SymbolsResult,
};

use crate::failure::sentence;

/// What every answer says about itself.
pub(crate) trait Answered {
    /// What was asked.
    const OPERATION: Operation;
    /// Whether it is all there is, who says so, and what they have to add.
    fn standing(&self) -> (bool, &Source, Option<&str>);
}

macro_rules! answered {
    ($($result:ty: $operation:ident),*) => {
        $(impl Answered for $result {
            const OPERATION: Operation = Operation::$operation;
            fn standing(&self) -> (bool, &Source, Option<&str>) {
                (self.complete, &self.source, self.note.as_deref())
            }
        })*
    };
}

answered!(
    DefinitionsResult: Definitions,
    ReferencesResult: References,
    HierarchyResult: Callers,
    DescriptionResult: Description,
    OutlineResult: Outline,
    SymbolsResult: Symbols,
    FilesResult: Files,
    DiagnosticsResult: Diagnostics,
    SearchResult: Search,
    MatchesResult: Matches,
    LinesResult: Lines,
    SelectionResult: Selection,
    CodeActionsResult: CodeActions,
    EditsResult: Rename,
    ApplyResult: Apply
);

/// Says what keeps this answer from being the whole truth, if anything.
pub(crate) fn remark<A: Answered>(notes: &Notes, answer: &A) {
    remark_on(A::OPERATION, notes, answer);
}

/// The same of an operation whose answers have the form of another's.
pub(crate) fn remark_on<A: Answered>(operation: Operation, notes: &Notes, answer: &A) {
    let told = notes.to_vec();
    let is_told = |reason: &str| told.iter().any(|it| it.0.contains(reason));
    if let Some(note) = words_for(operation, answer, is_told) {
        notes.add(note);
    }
}

/// `is_told` says whether an earlier note gives that reason.
fn words_for<A: Answered>(
    operation: Operation,
    answer: &A,
    is_told: impl Fn(&str) -> bool,
) -> Option<String> {
    let (complete, source, note) = answer.standing();
    let tier = tier(operation, source);
    let come = if is_one(operation) { "comes" } else { "come" };
    let head = match (complete, tier) {
        (true, None) => return note.map(sentence),
        (true, Some(tier)) => format!("The {operation} {come} from {tier}, not from a language server"),
        (false, None) => format!("The answer to `{}` is not complete", asked(operation)),
        (false, Some(tier)) => {
            format!("The {operation} {come} from {tier}, not from a language server, and may not be complete")
        }
    };
    let (reason, rest) = note.and_then(|it| it.split_once(". ")).unwrap_or_default();
    let untold: Vec<_> = note.iter().flat_map(|it| it.split("; ")).filter(|it| !is_told(it)).collect();
    Some(match note {
        // The parts of one program have mostly the same to say.
        Some(note) if tier.is_none() && untold.is_empty() => {
            match format!("{head}: {}.", note.trim_end_matches('.')) {
                same if is_told(&same) => same,
                _ => format!("{head}, for the same reason."),
            }
        }
        Some(_) if tier.is_none() => format!("{head}: {}.", untold.join("; ").trim_end_matches('.')),
        Some(_) if tier.is_some() && !rest.is_empty() && is_told(reason) => {
            format!("{head}, for the same reason. {}", sentence(rest))
        }
        Some(note) => format!("{head}: {}.", note.trim_end_matches('.')),
        None => format!("{head}."),
    })
}

/// What an agent calls it, where the operation's name is that of another function.
fn asked(operation: Operation) -> &'static str {
    match operation {
        Operation::Matches => "findCode",
        other => other.name(),
    }
}

/// Whether the operation's name is that of one thing.
fn is_one(operation: Operation) -> bool {
    use Operation::{Description, Format, Outline, Rename, TakeAction};
    matches!(operation, Description | Outline | Rename | TakeAction | Format)
}

/// What stands in for the understanding of the code, where that is what was asked for.
fn tier(operation: Operation, source: &Source) -> Option<&'static str> {
    use Operation::{Apply, Files, Lines, Matches, Search, Selection};
    let needs_understanding = !matches!(operation, Search | Matches | Files | Lines | Selection | Apply);
    match source.0.as_str() {
        "syntax" if needs_understanding => Some("the syntax alone"),
        "text" if needs_understanding => Some("a scan of the text"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(complete: bool, note: &str) -> SymbolsResult {
        let (source, note) = (Source("language-server:x".into()), Some(note.to_owned()));
        SymbolsResult { complete, source, note, total: 0, definitions: Vec::new() }
    }

    #[test]
    fn what_was_said_is_not_said_again() {
        let told = |earlier: &[&str], answer: &SymbolsResult| {
            words_for(Operation::Symbols, answer, |reason| earlier.iter().any(|it| it.contains(reason)))
        };
        let partial = symbols(false, "no macros; only some");
        let head = "The answer to `symbols` is not complete";
        for (earlier, expected) in [
            (&[][..], format!("{head}: no macros; only some.")),
            (&["The answer to `definitions` is not complete: no macros."], format!("{head}: only some.")),
            (&["Because of no macros; cut.", "It is only some."], format!("{head}, for the same reason.")),
        ] {
            assert_eq!(told(earlier, &partial).as_deref(), Some(expected.as_str()), "{earlier:?}");
        }
        assert_eq!(told(&["No macros."], &symbols(true, "no macros")).as_deref(), Some("No macros."));
    }
}
