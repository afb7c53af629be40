//! Requests for diagnostics.

use std::path::Path;

use lsp_types::request::Request;
use serde_json::Value;

use super::QueryContext;
use crate::fallback::servers::run::convert;
use crate::fallback::servers::run::convert::diagnostics::{RawDiagnostic, diagnostics, pull_params};
use crate::fallback::servers::run::convert::{PullDiagnostics, tsserver};
use crate::fallback::servers::run::request::AskError;
use crate::fallback::source::languages::DiagnosticsRule;

impl QueryContext {
    /// Returns the diagnostics of a file; `None` on a timeout. Opens the file first, since many servers check
    /// only open ones.
    pub(crate) async fn diagnostics(&self, path: &Path) -> Result<Option<Vec<RawDiagnostic>>, AskError> {
        Ok(self.raw_diagnostics(path).await?.map(|it| diagnostics(path, &it)))
    }

    /// Returns the diagnostics as the server sent them.
    pub(crate) async fn raw_diagnostics(&self, path: &Path) -> Result<Option<Vec<Value>>, AskError> {
        let Some(text) = self.text(path).await else { return Ok(Some(Vec::new())) };
        let text = text.text_for_server(self.process.columns);
        match self.profile().diagnoses {
            _ if self.provides("diagnosticProvider") => self.requested(path, &text).await,
            // It publishes them to the editor alone.
            _ if self.process.requests.is_lent() => Err(self.not_offered(PullDiagnostics::METHOD)),
            DiagnosticsRule::Tsserver => self.requested_of_tsserver(path, &text).await,
            DiagnosticsRule::Registers => {
                // One that is too old to be asked says it by itself.
                tokio::select! {
                    biased;
                    () = self.process.registered.wait_until_registered(PullDiagnostics::METHOD) => {}
                    said = self.published_again(path, &text, true) => return said,
                }
                self.requested(path, &text).await
            }
            how => self.published_again(path, &text, how == DiagnosticsRule::InParts).await,
        }
    }

    /// Requests the diagnostics.
    async fn requested(&self, path: &Path, text: &str) -> Result<Option<Vec<Value>>, AskError> {
        let Some(params) = pull_params(path) else { return Ok(Some(Vec::new())) };
        self.show(path, text).await;
        let report = self.ask::<PullDiagnostics>(params).await?;
        Ok(report["items"].as_array().cloned())
    }

    /// Requests the diagnostics of TypeScript's own server through the one in front of it.
    async fn requested_of_tsserver(&self, path: &Path, text: &str) -> Result<Option<Vec<Value>>, AskError> {
        let Some(questions) = tsserver::questions(path) else { return Ok(None) };
        self.show(path, text).await;
        let mut found = Vec::new();
        for question in questions {
            let answer = self.ask::<convert::ExecuteCommand>(question).await?;
            let Some(some) = tsserver::diagnostics(&answer) else { return Ok(None) };
            found.extend(some);
        }
        Ok(Some(found))
    }

    /// Sends the file again, and waits for published diagnostics.
    async fn published_again(
        &self,
        path: &Path,
        text: &str,
        in_parts: bool,
    ) -> Result<Option<Vec<Value>>, AskError> {
        let version = {
            let mut documents = self.process.documents.lock().await;
            let (messages, version) = match self.profile().files.awaits_diagnostics {
                true => documents.show_anew(path, text),
                false => documents.show_again(path, text),
            };
            self.process.tell(messages);
            version
        };
        self.process.published(path, version, in_parts, self.deadline).await
    }

    async fn show(&self, path: &Path, text: &str) {
        let mut documents = self.process.documents.lock().await;
        self.process.show(documents.keep_open(path, text));
    }
}
