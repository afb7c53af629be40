//! Requests about changes: code actions, formatting and renames.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ide_protocol::{ErrorCode, IdeError, Point};
use serde_json::Value;

use super::{Problem, QueryContext};
use crate::blocking;
use crate::fallback::edits;
use crate::fallback::edits::{FileChange, Plan};
use crate::fallback::servers::run::convert;
use crate::fallback::servers::run::convert::code_action;
use crate::fallback::servers::run::convert::code_action::{Indentation, RawAction, RawCommand};
use crate::fallback::servers::run::convert::diagnostics::diagnostics;
use crate::fallback::servers::run::convert::workspace_edit::RawStep;
use crate::fallback::servers::run::request::AskError;
use crate::fallback::source::outline::Extent;
use crate::fallback::source::text::LoneReturn;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The time after its answer within which a command may still request its edit.
const LATE_EDIT: Duration = Duration::from_millis(300);

impl QueryContext {
    /// Returns the actions for a range. The flag is `false` if the server published no diagnostics in time,
    /// on which most actions depend. Empty if the file cannot be read.
    pub(crate) async fn actions(
        &self,
        path: &Path,
        extent: Extent,
        kind: Option<&str>,
    ) -> Result<(Vec<RawAction>, bool), AskError> {
        let wrong = self.raw_diagnostics(path).await?;
        let Some(text) = self.text(path).await else { return Ok((Vec::new(), true)) };
        let (is_said, columns) = (wrong.is_some(), self.process.columns);
        let concerns = |it: &Value| {
            let raw = diagnostics(path, std::slice::from_ref(it)).pop();
            raw.and_then(|it| it.at.extent(&text, columns)).is_some_and(|it| it.touches(extent))
        };
        // Without diagnostics in time `is_said` is false, which the answer reports.
        let wrong: Vec<Value> = wrong.unwrap_or_default().into_iter().filter(concerns).collect();
        let range = convert::range(&text, extent, columns);
        let params = range.and_then(|it| code_action::actions_params(path, &it, &wrong, kind));
        let Some(params) = params else { return Ok((Vec::new(), true)) };
        self.open(path, &text).await;
        let response = self.ask::<convert::CodeActions>(params).await?;
        Ok((code_action::actions(path, &response), is_said))
    }

    /// Resolves an action's edit, where the server sends it only on request.
    pub(crate) async fn resolved(&self, path: &Path, action: RawAction) -> Result<RawAction, AskError> {
        let resolves = self.process.capabilities["codeActionProvider"]["resolveProvider"] == true;
        match &action.value {
            Some(value) if action.edit.is_none() && resolves => {
                let whole = self.ask::<convert::ResolveAction>(value.clone()).await?;
                Ok(code_action::action(path, &whole).unwrap_or(action))
            }
            _ => Ok(action),
        }
    }

    /// Returns `true` if the server announced actions of a kind, or does not list its kinds.
    pub(crate) fn offers(&self, kind: &str) -> bool {
        let own = &self.process.capabilities["codeActionProvider"];
        let is_it =
            |it: &Value| it.as_str().is_some_and(|it| it == kind || it.starts_with(&format!("{kind}.")));
        own["codeActionKinds"].as_array().map_or(*own == Value::Bool(true), |it| it.iter().any(is_it))
    }

    /// Returns `true` if a command is one of the server's own.
    pub(crate) fn has_command(&self, name: &str) -> bool {
        let own = self.process.capabilities["executeCommandProvider"]["commands"].as_array();
        own.is_some_and(|it| it.iter().any(|own| own == name))
    }

    /// Runs a command of the server and returns the edits that it requests. They are not applied.
    pub(crate) async fn run(&self, command: &RawCommand) -> Result<Vec<Value>, AskError> {
        let _one_at_a_time = self.process.command.lock().await;
        let mut offered = self.process.offered.capture();
        let done = self.ask::<convert::ExecuteCommand>(command.params()).await;
        let mut edits = Vec::new();
        while let Ok(edit) = offered.try_recv() {
            edits.push(edit);
        }
        if edits.is_empty() && done.is_ok() {
            // Some ask only when they have answered.
            let late = tokio::time::timeout(LATE_EDIT, offered.recv()).await;
            edits.extend(late.ok().flatten());
        }
        // That its edit was not made, it may take for a failure.
        if edits.is_empty() { done.map(|_| edits) } else { Ok(edits) }
    }

    /// Returns the server's edits that format a file, or a range of it.
    pub(crate) async fn format_edits(
        &self,
        path: &Path,
        extent: Option<Extent>,
        indentation: Indentation,
    ) -> Result<Value, AskError> {
        let Some(text) = self.text(path).await else { return Ok(Value::Null) };
        let range = extent.and_then(|it| convert::range(&text, it, self.process.columns));
        let params = code_action::formatting_params(path, range.as_ref(), indentation);
        let Some(params) = params else { return Ok(Value::Null) };
        {
            let mut documents = self.process.documents.lock().await;
            self.process.tell(documents.keep_open(path, &text.text_for_server(self.process.columns)));
        }
        match range {
            Some(_) => self.ask::<convert::RangeFormatting>(params).await,
            None => self.ask::<convert::Formatting>(params).await,
        }
    }

    /// Returns `true` if the symbol there can be renamed, or the server cannot tell.
    pub(crate) async fn can_rename(&self, path: &Path, point: Point) -> Result<bool, AskError> {
        let says = self.process.capabilities["renameProvider"]["prepareProvider"] == Value::Bool(true);
        if !says {
            return Ok(true);
        }
        let Some(params) = self.place(path, point).await else { return Ok(false) };
        Ok(!self.ask::<convert::PrepareRename>(params).await?.is_null())
    }

    /// Opens those of these files whose lines the server counts in several ways. In open documents all ways agree.
    pub(crate) async fn open_lone_returns<'a>(&self, paths: impl Iterator<Item = &'a PathBuf>) {
        if self.process.columns.lone_return != LoneReturn::SentAsFeed {
            return;
        }
        for path in paths {
            let text = self.text(path).await.filter(|it| it.index().has_lone_returns());
            let Some(text) = text else { continue };
            let mut documents = self.process.documents.lock().await;
            self.process.tell(documents.keep_open(path, &text.text_for_server(self.process.columns)));
        }
    }

    /// Finds a file among these whose lines the server counts in several ways, since it is not open.
    async fn unclear_lines(&self, steps: &[RawStep]) -> Option<PathBuf> {
        if self.process.columns.lone_return != LoneReturn::SentAsFeed {
            return None;
        }
        for path in edits::paths(steps) {
            let has_any = self.text(path).await.is_some_and(|it| it.index().has_lone_returns());
            if has_any && self.process.documents.lock().await.version(path).is_none() {
                return Some(path.to_owned());
            }
        }
        None
    }

    /// Returns the server's edit for renaming the symbol there: a `WorkspaceEdit`, or null.
    pub(crate) async fn rename(&self, path: &Path, point: Point, new: &str) -> Result<Value, AskError> {
        let Some(mut params) = self.place(path, point).await else { return Ok(Value::Null) };
        params["newName"] = new.into();
        self.ask::<convert::Rename>(params).await
    }

    /// Plans the changes of steps, to the byte, in the files as the server knows them.
    pub(crate) async fn plan_all(
        &self,
        roots: &Arc<SessionFolders>,
        steps: Vec<RawStep>,
    ) -> Result<Vec<FileChange>, Problem> {
        let plan = self.plan(roots, steps).await?;
        Ok(plan.whole().map_err(IdeError::from)?)
    }

    /// Plans the changes of steps, and skips files without an exact text.
    pub(crate) async fn plan(
        &self,
        roots: &Arc<SessionFolders>,
        steps: Vec<RawStep>,
    ) -> Result<Plan, Problem> {
        for path in edits::paths(&steps) {
            self.text(path).await; // so that it is among those that must not move
        }
        if let Some(path) = self.of_another_version(&steps).await {
            let name = self.server.name();
            let message = format!(
                "nothing is changed: the edit of {name} is for another version of `{}`",
                roots.display_path(&path)
            );
            let error = IdeError::new(ErrorCode::ServerFailed, message).recovery("Ask again.");
            return Err(IdeError { retryable: true, ..error }.into());
        }
        if let Some(path) = self.unclear_lines(&steps).await {
            let (name, path) = (self.server.name(), roots.display_path(&path));
            let message = format!(
                "nothing is changed: carriage returns without line feeds make {name} count the lines of `{path}` in \
                 two ways"
            );
            let error = IdeError::new(ErrorCode::ServerFailed, message);
            return Err(error.recovery("Change it yourself.").into());
        }
        let (roots, columns) = (Arc::clone(roots), self.process.columns);
        let planning = blocking::spawn(move || edits::plan(&roots, steps, columns));
        let planned = planning.await;
        self.check_unchanged().await?;
        Ok(planned.map_err(IdeError::from)?)
    }

    /// Finds a file for which the steps expect another version than the server has.
    async fn of_another_version(&self, steps: &[RawStep]) -> Option<PathBuf> {
        if self.process.requests.is_lent() {
            return None; // its versions are the editor's, and the texts are compared with the editor's afterwards
        }
        let documents = self.process.documents.lock().await;
        let changes =
            steps.iter().filter_map(|it| if let RawStep::Change(it) = it { Some(it) } else { None });
        let mut others = changes.filter(|it| {
            let sent = documents.version(&it.at.path);
            it.version.is_some_and(|version| sent.is_some_and(|sent| sent != version))
        });
        others.next().map(|it| it.at.path.clone())
    }
}
