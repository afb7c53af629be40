//! Lists the code actions at a place.

use std::collections::HashMap;
use std::sync::Arc;

use futures::future::join;
use ide_protocol::{
    CodeAction, CodeActionsQuestion, CodeActionsResult, Column, Completeness, ErrorCode, IdeError, Line,
    Operation, Point, Reason, Source,
};
use source_text::Encoding;

use super::dispatch::{ask, language_of_file};
use super::handler::{Call, Handler};
use super::server_query::ServerQuery;
use super::take_action::refusal;
use crate::fallback::edits::ContentHash;
use crate::fallback::edits::code_action_cache::{CachedAction, CodeActionCache};
use crate::fallback::servers::run::convert::code_action::RawAction;
use crate::fallback::servers::run::convert::diagnostics::RawDiagnostic;
use crate::fallback::session::Session;
use crate::fallback::session::completeness::Qualified;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::outline::Extent;
use crate::fallback::source::text::Text;
use crate::fallback::workspace::session_folders::{SessionFolders, SessionPath};

/// The maximum number of actions in one result.
const SHOWN: usize = 200;

/// The maximum number of characters of a diagnostic's message in `fixes`.
const MESSAGE: usize = 160;

pub(crate) struct CodeActions;

impl Handler for CodeActions {
    const OPERATION: Operation = Operation::CodeActions;
    type Question = CodeActionsQuestion;

    /// Asks the server of the language, and the one of its linter.
    async fn answer(call: &Call, question: CodeActionsQuestion) -> Result<CodeActionsResult, IdeError> {
        let language = language_of_file(&call.session, &question.path)?;
        let Some(stylist) = language.stylist else { return ask(call, language, &question).await };
        match join(ask(call, language, &question), ask(call, stylist, &question)).await {
            (Ok(own), Ok(more)) => Ok(together(vec![own, more])),
            // One that is not installed is missed by nobody.
            (Ok(own), Err(error)) if error.kind == ErrorCode::Unavailable => Ok(own),
            (Ok(some), Err(error)) | (Err(error), Ok(some)) => Ok(without_one(some, error)),
            (Err(error), Err(_)) => Err(error),
        }
    }
}

/// Notes that one of the servers failed.
fn without_one(some: CodeActionsResult, error: IdeError) -> CodeActionsResult {
    some.noting([Reason::ServerFailed { message: error.message }])
}

impl ServerQuery for CodeActionsQuestion {
    type Answer = CodeActionsResult;

    const IS_LENT: bool = false;

    async fn ask(&self, asking: &QueryContext, session: &Session) -> Result<CodeActionsResult, Problem> {
        code_actions(asking, &session.roots, &session.offers, self).await
    }
}

/// The actions that one server offers at a place.
pub(crate) struct OfferedActions {
    pub(crate) place: SessionPath,
    pub(crate) stamp: ContentHash,
    pub(crate) actions: Vec<RawAction>,
    /// `true` if the diagnostics of the file were known.
    pub(crate) is_said: bool,
}

/// Lists the actions at a place and caches them as offers.
async fn code_actions(
    asking: &QueryContext,
    roots: &SessionFolders,
    offers: &CodeActionCache,
    request: &CodeActionsQuestion,
) -> Result<CodeActionsResult, Problem> {
    let name = asking.server.name();
    let OfferedActions { place, stamp, actions, is_said } = offered(asking, roots, request).await?;
    let mut reasons = Vec::new();
    if !is_said {
        reasons.push(Reason::FixesLate { server: name.to_owned() });
    }
    if actions.len() > SHOWN {
        reasons.push(Reason::ActionsCut { shown: SHOWN, total: actions.len() });
    }
    let (mut shown, mut seen) = (Vec::new(), HashMap::new());
    for action in actions.into_iter().take(SHOWN) {
        let same = seen.entry((action.title.clone(), action.kind.clone())).or_insert(0_usize);
        let offer = CachedAction {
            language: asking.server.setup.language,
            request: request.clone(),
            stamp,
            title: action.title.clone(),
            kind: action.kind.clone(),
            index: *same,
        };
        *same += 1;
        let disabled = refusal(asking, &action);
        let fixes = fixes(asking, &place, &action.fixes).await;
        shown.push(CodeAction {
            id: offers.keep(offer),
            title: action.title,
            kind: action.kind,
            preferred: action.is_preferred,
            disabled,
            fixes,
        });
    }
    shown.sort_by_key(|it| (it.disabled.is_some(), !it.preferred));
    Ok(CodeActionsResult {
        completeness: Completeness::with(Source(format!("language-server:{name}")), reasons),
        actions: shown,
    })
}

/// Requests the actions and filters them by place and kind, since some servers return all.
pub(crate) async fn offered(
    asking: &QueryContext,
    roots: &SessionFolders,
    request: &CodeActionsQuestion,
) -> Result<OfferedActions, Problem> {
    if !asking.provides("codeActionProvider") {
        let message = format!("{} offers nothing to do", asking.server.name());
        return Err(IdeError::new(ErrorCode::Unavailable, message).into());
    }
    let (place, text) = text(asking, roots, &request.path).await?;
    let extent = extent(&text, request.start, request.end)?;
    let (mut actions, is_said) = asking.actions(&place.path, extent, request.kind.as_deref()).await?;
    actions.retain(|it| is_of_kind(it.kind.as_deref(), request.kind.as_deref()));
    let mut kept = Vec::new();
    for action in actions {
        if !kept.contains(&action) && is_about(asking, &action, extent).await {
            kept.push(action);
        }
    }
    asking.check_unchanged().await?;
    Ok(OfferedActions { place, stamp: ContentHash::of(text.as_str().as_bytes()), actions: kept, is_said })
}

/// Returns a file of the workspace with its text.
pub(crate) async fn text(
    asking: &QueryContext,
    roots: &SessionFolders,
    path: &str,
) -> Result<(SessionPath, Arc<Text>), Problem> {
    let place = roots.resolve(path)?;
    if place.external {
        let message = format!("`{}` lies outside of the workspace", place.spelling);
        let error = IdeError::new(ErrorCode::OutsideWorkspace, message);
        return Err(error.recovery("What is there is not yours to change.").into());
    }
    match asking.text(&place.path).await {
        Some(text) => Ok((place, text)),
        None => Err(IdeError::new(ErrorCode::NotFound, format!("`{path}` is no text")).into()),
    }
}

/// Returns `true` if the action fixes a diagnostic at the place, or names no diagnostics.
async fn is_about(asking: &QueryContext, action: &RawAction, place: Extent) -> bool {
    for it in &action.fixes {
        if asking.extent(&it.at).await.is_some_and(|it| it.touches(place)) {
            return true;
        }
    }
    action.fixes.is_empty()
}

/// Returns `true` if a kind is the wanted one or below it: `refactor.extract` is a `refactor`.
fn is_of_kind(kind: Option<&str>, wanted: Option<&str>) -> bool {
    let Some(wanted) = wanted else { return true };
    let rest = kind.and_then(|it| it.strip_prefix(wanted));
    rest.is_some_and(|it| it.is_empty() || it.starts_with('.'))
}

/// Returns the extent of a request: the whole file, a point or a range. Surrounding blanks are trimmed, so
/// whole lines shrink to their content.
///
/// # Errors
/// The start is beyond the end of the file.
pub(crate) fn extent(text: &Text, start: Option<Point>, end: Option<Point>) -> Result<Extent, IdeError> {
    let offset =
        |it: Point| text.index().offset(text.as_str(), it.line.index(), it.column.index(), Encoding::Utf32);
    let all = text.as_str();
    let from = match start {
        None => 0,
        Some(start) => offset(start).ok_or_else(|| beyond(text, start.line))?,
    };
    let to = match (start, end) {
        (None, _) => all.len(),
        (Some(_), Some(end)) => offset(end).unwrap_or(all.len()).max(from),
        (Some(_), None) => from,
    };
    let part = &all[from..to];
    let from = from + (part.len() - part.trim_start().len());
    let to = (from + part.trim().len()).max(from);
    let point = |offset| {
        let (line, column) = text.index().position(all, offset, Encoding::Utf32);
        Point { line: Line::from_index(line), column: Column::from_index(column) }
    };
    Ok(Extent { start: point(from), end: point(to) })
}

fn beyond(text: &Text, line: Line) -> IdeError {
    let message = format!("the file has no line {line}: it has {}", text.line_count());
    IdeError::new(ErrorCode::InvalidRequest, message).recovery("Give a place in the file.")
}

/// Formats the fixed diagnostics as `src/a.rs:3:5: unused import`.
async fn fixes(asking: &QueryContext, place: &SessionPath, wrong: &[RawDiagnostic]) -> Vec<String> {
    let mut shown = Vec::new();
    for it in wrong {
        let Some(extent) = asking.extent(&it.at).await else { continue };
        let line: String = it.message.lines().next().unwrap_or_default().chars().take(MESSAGE).collect();
        let Point { line: at, column } = extent.start;
        shown.push(format!("{}:{at}:{column}: {line}", place.spelling));
    }
    shown
}

/// Merges the actions of several servers of a language.
fn together(results: Vec<CodeActionsResult>) -> CodeActionsResult {
    let sources: Vec<_> = results.iter().map(|it| it.completeness.source.0.clone()).collect();
    CodeActionsResult {
        completeness: Completeness::merged(
            Source(sources.join(", ")),
            results.iter().map(|it| &it.completeness),
        ),
        actions: results.into_iter().flat_map(|it| it.actions).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_a_tree() {
        for (kind, wanted, is_it) in [
            (Some("refactor.extract"), "refactor", true),
            (Some("refactor"), "refactor", true),
            (Some("refactoring"), "refactor", false),
            (Some("quickfix"), "refactor", false),
            (None, "quickfix", false),
        ] {
            assert_eq!(is_of_kind(kind, Some(wanted)), is_it, "{kind:?}");
        }
        assert!(is_of_kind(None, None));
    }

    #[test]
    fn a_place_is_what_stands_there() {
        let text = Text::from("  let é = 1;\n\nend\n".to_owned());
        let point =
            |line, column| Point { line: Line::new(line).unwrap(), column: Column::new(column).unwrap() };
        let shown = |start, end| {
            let Extent { start, end } = extent(&text, start, end).unwrap();
            format!("{}:{}-{}:{}", start.line, start.column, end.line, end.column)
        };
        assert_eq!(shown(None, None), "1:3-3:4");
        assert_eq!(shown(Some(point(1, 1)), Some(point(2, 1))), "1:3-1:13");
        assert_eq!(shown(Some(point(1, 7)), None), "1:7-1:7");
        assert_eq!(shown(Some(point(1, 7)), Some(point(1, 7))), "1:7-1:7");
        assert_eq!(shown(Some(point(3, 2)), Some(point(9, 1))), "3:2-3:4");
        assert_eq!(shown(Some(point(1, 99)), Some(point(1, 99))), "1:13-1:13");
        assert!(extent(&text, Some(point(9, 1)), None).is_err());
    }
}
