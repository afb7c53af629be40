//! The seam where the outside comes in: whoever answers questions about the user's code.

use futures::future::BoxFuture;
use ide_protocol::{
    ApplyResult, CodeActionsResult, DefinitionsResult, DescriptionResult, DiagnosticsResult, EditsResult,
    ErrorCode, FilesResult, Hierarchy, HierarchyResult, IdeError, Line, LinesResult, MatchesResult,
    Navigation, Operation, OutlineResult, Point, ReferencesResult, SearchResult, SelectionResult,
    SymbolsResult, Target,
};
use serde::Serialize;

/// An answer that is on its way. Dropping it withdraws the question.
pub type Answer<'host, T> = BoxFuture<'host, Result<T, IdeError>>;

/// Answers questions about the code of one session.
///
/// A question is its request of `ide-protocol` without session, progress token and deadline, which are the
/// implementor's: serialized, it has the request's remaining fields.
pub trait Host: Send + Sync {
    /// Where a symbol is defined.
    fn definitions(&self, question: DefinitionsQuestion) -> Answer<'_, DefinitionsResult>;

    /// Where a symbol leads other than to its definition; `target.at` is given.
    fn navigate(&self, way: Navigation, question: DefinitionsQuestion) -> Answer<'_, DefinitionsResult> {
        let _ = question;
        lacks(way.operation())
    }

    /// Where a symbol is used.
    fn references(&self, question: ReferencesQuestion) -> Answer<'_, ReferencesResult>;

    /// Who calls whom, or which type extends which; `target.at` is given.
    fn hierarchy(&self, way: Hierarchy, question: HierarchyQuestion) -> Answer<'_, HierarchyResult> {
        let _ = question;
        lacks(way.operation())
    }

    /// What a symbol is; `target.at` is given.
    fn description(&self, question: DefinitionsQuestion) -> Answer<'_, DescriptionResult> {
        let _ = question;
        lacks(Operation::Description)
    }

    /// What a file defines.
    fn outline(&self, question: OutlineQuestion) -> Answer<'_, OutlineResult> {
        let _ = question;
        lacks(Operation::Outline)
    }

    /// Which symbols have a name like this.
    fn symbols(&self, question: SymbolsQuestion) -> Answer<'_, SymbolsResult> {
        let _ = question;
        lacks(Operation::Symbols)
    }

    /// Which files there are.
    fn files(&self, question: FilesQuestion) -> Answer<'_, FilesResult> {
        let _ = question;
        lacks(Operation::Files)
    }

    /// What is wrong with the code.
    fn diagnostics(&self, question: DiagnosticsQuestion) -> Answer<'_, DiagnosticsResult> {
        let _ = question;
        lacks(Operation::Diagnostics)
    }

    /// Which lines match a pattern.
    fn search(&self, question: SearchQuestion) -> Answer<'_, SearchResult>;

    /// What code is written like a pattern.
    fn matches(&self, question: MatchesQuestion) -> Answer<'_, MatchesResult> {
        let _ = question;
        lacks(Operation::Matches)
    }

    /// What some lines of a file say.
    fn lines(&self, question: LinesQuestion) -> Answer<'_, LinesResult>;

    /// What the user has selected: in the editor, or, with the source `prompt`, by attaching it to the latest prompt.
    /// There the stretches are as wide as what the user attached says, and what they hold is in their text.
    fn selection(&self, question: SelectionQuestion) -> Answer<'_, SelectionResult>;

    /// What renaming a symbol would change; `target.at` is given.
    fn rename(&self, question: RenameQuestion) -> Answer<'_, EditsResult> {
        let _ = question;
        lacks(Operation::Rename)
    }

    /// What may be done about a place.
    fn code_actions(&self, question: CodeActionsQuestion) -> Answer<'_, CodeActionsResult> {
        let _ = question;
        lacks(Operation::CodeActions)
    }

    /// What one of that would change.
    fn take_action(&self, question: TakeActionQuestion) -> Answer<'_, EditsResult> {
        let _ = question;
        lacks(Operation::TakeAction)
    }

    /// What laying out a file would change.
    fn format(&self, question: FormatQuestion) -> Answer<'_, EditsResult> {
        let _ = question;
        lacks(Operation::Format)
    }

    /// What putting the imports of a file in order would change.
    fn organize_imports(&self, question: OrganizeImportsQuestion) -> Answer<'_, EditsResult> {
        let _ = question;
        lacks(Operation::OrganizeImports)
    }

    /// Makes changes. Whoever may not is stopped before this is asked.
    fn apply(&self, question: ApplyQuestion) -> Answer<'_, ApplyResult> {
        let _ = question;
        lacks(Operation::Apply)
    }
}

/// What a host does not answer, it lacks.
fn lacks<T: Send + 'static>(operation: Operation) -> Answer<'static, T> {
    let message = format!("nobody answers `{operation}` here");
    Box::pin(std::future::ready(Err(IdeError::new(ErrorCode::Unavailable, message))))
}

/// The part of [`ide_protocol::DefinitionsRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DefinitionsQuestion {
    /// Of what.
    pub target: Target,
}

/// The part of [`ide_protocol::ReferencesRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReferencesQuestion {
    /// Of what; `target.at` is given.
    pub target: Target,
    /// Whether the declaration itself counts as a reference.
    pub include_declaration: bool,
}

/// The part of [`ide_protocol::HierarchyRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HierarchyQuestion {
    /// From where; `target.at` is given.
    pub target: Target,
    /// How many steps, from 1.
    pub depth: u32,
}

/// The part of [`ide_protocol::OutlineRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutlineQuestion {
    /// The file.
    pub path: String,
}

/// The part of [`ide_protocol::SymbolsRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SymbolsQuestion {
    /// A part of the name, or its letters in their order.
    pub query: String,
    /// Only those in this file or folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// The part of [`ide_protocol::FilesRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FilesQuestion {
    /// As in a `.gitignore`, or a folder.
    pub glob: String,
}

/// The part of [`ide_protocol::DiagnosticsRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DiagnosticsQuestion {
    /// A file or a folder; without it all of the workspace is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// The part of [`ide_protocol::SearchRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchQuestion {
    /// A file or a folder, relative to the session's root.
    pub path: String,
    /// A regular expression in the syntax of Rust's `regex` crate, matched line by line.
    pub pattern: String,
    /// Only files whose name ends so: `.rs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extension: Option<String>,
}

/// The part of [`ide_protocol::MatchesRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchesQuestion {
    /// Code with holes.
    pub pattern: String,
    /// A file, a folder or a glob.
    pub path: String,
    /// Only in this language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// The part of [`ide_protocol::LinesRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LinesQuestion {
    /// The file.
    pub path: String,
    /// The first line, from 1.
    pub first: Line,
    /// The last line, inclusive; beyond the end means to the end.
    pub last: Line,
}

/// The part of [`ide_protocol::SelectionRequest`] that the library decides: nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SelectionQuestion {}

/// The part of [`ide_protocol::RenameRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RenameQuestion {
    /// Of what; `target.at` is given.
    pub target: Target,
    /// What it is to be called.
    pub new_name: String,
}

/// The part of [`ide_protocol::CodeActionsRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CodeActionsQuestion {
    /// The file.
    pub path: String,
    /// Where it starts in the file; without it all of the file is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Point>,
    /// Where it ends, exclusive; without it the place is a point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<Point>,
    /// Only those of this kind or of one below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// The part of [`ide_protocol::TakeActionRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TakeActionQuestion {
    /// The `id` of the code action.
    pub action: String,
}

/// The part of [`ide_protocol::FormatRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FormatQuestion {
    /// The file.
    pub path: String,
    /// Where the part starts; without it all of the file is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Point>,
    /// Where it ends, exclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<Point>,
}

/// The part of [`ide_protocol::OrganizeImportsRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OrganizeImportsQuestion {
    /// The file.
    pub path: String,
}

/// The part of [`ide_protocol::ApplyRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ApplyQuestion {
    /// The `id` of each edit.
    pub edits: Vec<String>,
}

#[cfg(test)]
mod tests {
    use ide_protocol::{
        ApplyRequest, CodeActionsRequest, DefinitionsRequest, FormatRequest, LinesRequest, Location,
        MatchesRequest, OrganizeImportsRequest, ReferencesRequest, RenameRequest, SearchRequest,
        SelectionRequest, TakeActionRequest,
    };
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::*;

    /// The question with a session is the request, no field more and none less.
    fn check<Request: Serialize + DeserializeOwned>(question: &impl Serialize) {
        let mut params = json!(question);
        params["sessionId"] = json!("s");
        let request: Request = serde_json::from_value(params.clone()).expect("it is the request");
        let again: Value = json!(request);
        assert_eq!(again.as_object().map(sorted), params.as_object().map(sorted));
    }

    fn sorted(object: &serde_json::Map<String, Value>) -> Vec<(&String, &Value)> {
        let mut fields: Vec<_> = object.iter().collect();
        fields.sort_by_key(|(key, _)| *key);
        fields
    }

    #[test]
    fn questions_are_requests_without_the_session() {
        let at = Some(Location { path: "a.rs".into(), line: Line::FIRST, column: None });
        let target = Target { name: Some("User".into()), at };
        check::<DefinitionsRequest>(&DefinitionsQuestion { target: target.clone() });
        check::<RenameRequest>(&RenameQuestion { target: target.clone(), new_name: "Account".into() });
        let point = Some(Point { line: Line::FIRST, column: ide_protocol::Column::FIRST });
        let (path, kind) = ("a.rs".to_owned(), Some("quickfix".to_owned()));
        check::<CodeActionsRequest>(&CodeActionsQuestion {
            path: path.clone(),
            start: point,
            end: point,
            kind,
        });
        check::<TakeActionRequest>(&TakeActionQuestion { action: "action-1".into() });
        check::<FormatRequest>(&FormatQuestion { path: path.clone(), start: point, end: None });
        check::<OrganizeImportsRequest>(&OrganizeImportsQuestion { path });
        check::<ApplyRequest>(&ApplyQuestion { edits: vec!["rename-1".into()] });
        check::<ReferencesRequest>(&ReferencesQuestion { target, include_declaration: true });
        let (path, pattern) = ("src".to_owned(), "a".to_owned());
        for extension in [None, Some(".rs".to_owned())] {
            check::<SearchRequest>(&SearchQuestion {
                path: path.clone(),
                pattern: pattern.clone(),
                extension,
            });
        }
        for language in [None, Some("rust".to_owned())] {
            let (pattern, path) = (pattern.clone(), path.clone());
            check::<MatchesRequest>(&MatchesQuestion { pattern, path, language });
        }
        check::<LinesRequest>(&LinesQuestion { path, first: Line::FIRST, last: Line::FIRST });
        check::<SelectionRequest>(&SelectionQuestion::default());
    }
}
