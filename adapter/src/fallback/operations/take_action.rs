//! Resolves a code action to the edits it would make.

use std::sync::Arc;

use ide_protocol::{
    Completeness, Edit, EditsResult, ErrorCode, IdeError, Operation, Reason, Source, TakeActionQuestion,
};
use serde_json::Value;

use super::code_actions::{OfferedActions, offered};
use super::dispatch::ask;
use super::handler::{Call, Handler};
use super::server_query::{Openness, ServerQuery};
use crate::fallback::edits::code_action_cache::CachedAction;
use crate::fallback::edits::{FileChange, Preview, Previews};
use crate::fallback::servers::run::convert::code_action::{RawAction, RawCommand};
use crate::fallback::servers::run::request::AskError;
use crate::fallback::session::Session;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::workspace::session_folders::SessionFolders;

/// Final segments of the names of commands that only request edits. Other commands may run tests, tools or the
/// network.
const EDITING: &[&str] = &[
    "applyFix",
    "applyTweak",
    "applyRename",
    "applyAutofix",
    "applyFormat",
    "applyOrganizeImports",
    "applyWorkspaceEdit",
    "applyCodeAction",
    "applyRefactoring",
    "organizeImports",
    "apply_fix",
    "apply_edit",
    "add_import",
];

pub(crate) struct TakeAction;

impl Handler for TakeAction {
    const OPERATION: Operation = Operation::TakeAction;
    type Question = TakeActionQuestion;

    async fn answer(call: &Call, question: TakeActionQuestion) -> Result<EditsResult, IdeError> {
        let offer = call.session.offers.find(&question.action).ok_or_else(|| {
            let message = format!("there is no code action `{}` in this session (any more)", question.action);
            IdeError::new(ErrorCode::NotFound, message).recovery("List the actions again with codeActions.")
        })?;
        ask(call, offer.language, &*offer).await
    }
}

impl ServerQuery for CachedAction {
    type Answer = EditsResult;

    const IS_LENT: bool = false;

    async fn ask(&self, asking: &QueryContext, session: &Session) -> Result<EditsResult, Problem> {
        take_action(asking, &session.roots, &session.previews, self).await
    }

    fn openness(&self, answer: &EditsResult) -> Openness {
        // A fix is local and fully visible in the preview; a refactoring depends on all uses.
        let is_fix = |it: &Edit| it.kind.as_deref().is_some_and(|it| it.starts_with("quickfix"));
        Openness::open_if(!answer.edits.iter().all(is_fix))
    }
}

/// Requests the offered action again and previews its edits.
async fn take_action(
    asking: &QueryContext,
    roots: &Arc<SessionFolders>,
    previews: &Previews,
    offer: &CachedAction,
) -> Result<EditsResult, Problem> {
    let OfferedActions { place, stamp, actions, .. } = offered(asking, roots, &offer.request).await?;
    if stamp != offer.stamp {
        return Err(gone(format!("`{}` has changed since `{}` was offered", place.spelling, offer.title)));
    }
    let mut same = actions.into_iter().filter(|it| it.title == offer.title && it.kind == offer.kind);
    let name = asking.server.name();
    let Some(action) = same.nth(offer.index) else {
        return Err(gone(format!("{name} does not offer `{}` any more", offer.title)));
    };
    if let Some(why) = refusal(asking, &action) {
        return Err(impossible(format!("`{}` cannot be taken: {why}", action.title)));
    }
    let action = asking.resolved(&place.path, action).await.map_err(|error| refused(asking, offer, error))?;
    let edits = edits(asking, &action).await?.map_err(|error| refused(asking, offer, error))?;
    let files = planned(asking, roots, &edits).await?;
    if files.is_empty() {
        return Err(impossible(format!("`{}` would change nothing", action.title)));
    }
    let undone = left_undone(&action);
    let preview = Preview { title: action.title, kind: action.kind, files };
    Ok(EditsResult {
        completeness: Completeness::with(Source(format!("language-server:{name}")), undone),
        edits: vec![previews.keep("edit", preview)],
        mentions: Vec::new(),
        mentioned: None,
    })
}

/// Returns the edits of an action: its own if present, otherwise those that its command requests.
pub(crate) async fn edits(
    asking: &QueryContext,
    action: &RawAction,
) -> Result<Result<Vec<Value>, AskError>, Problem> {
    Ok(match (&action.edit, &action.command) {
        (Some(edit), _) => Ok(vec![edit.clone()]),
        (None, Some(command)) => {
            if let Some(why) = not_run(asking, &command.name) {
                return Err(impossible(format!("`{}` cannot be taken: {why}", action.title)));
            }
            asking.run(command).await
        }
        (None, None) => Ok(Vec::new()),
    })
}

/// Returns the reason why an action cannot be taken here, if any.
pub(crate) fn refusal(asking: &QueryContext, action: &RawAction) -> Option<String> {
    if let Some(why) = &action.disabled {
        return Some(why.clone());
    }
    let RawCommand { name, .. } = action.command.as_ref().filter(|_| action.edit.is_none())?;
    let has_more = action.value.as_ref().is_some_and(|it| !it["data"].is_null());
    // `codeAction/resolve` may still provide the edit.
    if has_more { None } else { not_run(asking, name) }
}

/// Returns the reason why a command is not run here, if any.
fn not_run(asking: &QueryContext, name: &str) -> Option<String> {
    match () {
        () if !asking.has_command(name) => Some(format!("an editor would have to run `{name}`")),
        () if !only_edits(name) => {
            Some(format!("it runs `{name}`, which may do other things than change files"))
        }
        () => None,
    }
}

/// Returns `true` if a command is known to only request edits.
fn only_edits(name: &str) -> bool {
    let last = name.rsplit(['.', '/', ':']).next().unwrap_or(name);
    EDITING.iter().any(|it| it.eq_ignore_ascii_case(last))
}

/// Notes the command that an editor would run after the edit; it is not run here.
fn left_undone(action: &RawAction) -> Option<Reason> {
    let command = action.command.as_ref().filter(|_| action.edit.is_some())?;
    Some(Reason::CommandNotRun { command: command.name.clone() })
}

/// Plans the combined changes of the edits.
pub(crate) async fn planned(
    asking: &QueryContext,
    roots: &Arc<SessionFolders>,
    edits: &[Value],
) -> Result<Vec<FileChange>, Problem> {
    let mut steps = Vec::new();
    for edit in edits {
        steps.extend(asking.steps(edit)?);
    }
    asking.plan_all(roots, steps).await
}

fn gone(message: String) -> Problem {
    let error = IdeError::new(ErrorCode::InvalidRequest, message);
    error.recovery("List the actions again with codeActions, and take one of those.").into()
}

fn impossible(message: String) -> Problem {
    let error = IdeError::new(ErrorCode::InvalidRequest, message);
    error.recovery("Take another one, or change the files yourself.").into()
}

fn refused(asking: &QueryContext, offer: &CachedAction, error: AskError) -> Problem {
    match error {
        AskError::Refused { message, .. } => {
            impossible(format!("{} refuses `{}`: {message}", asking.server.name(), offer.title))
        }
        error => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_only_edit_are_known_by_name() {
        for name in ["clangd.applyFix", "ruff.applyAutofix", "_typescript.organizeImports", "gopls.apply_fix"]
        {
            assert!(only_edits(name), "{name}");
        }
        for name in ["gopls.run_tests", "gopls.tidy", "x.applyFixAndRun", "editor.action.rename", ""] {
            assert!(!only_edits(name), "{name}");
        }
    }
}
