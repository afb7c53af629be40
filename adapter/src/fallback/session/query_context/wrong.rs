//! The questions what is wrong with a file.

use std::path::Path;

use lsp_types::request::Request;
use serde_json::Value;

use super::QueryContext;
use crate::fallback::servers::run::convert;
use crate::fallback::servers::run::convert::{PullDiagnostics, RawDiagnostic, tsserver};
use crate::fallback::servers::run::server::AskError;
use crate::fallback::source::languages::Diagnoses;

impl QueryContext {
    /// What the server finds wrong with a file as it is now; `None` when it does not say in time. It is opened for that:
    /// of what is closed many servers find nothing.
    pub(crate) async fn diagnostics(&self, path: &Path) -> Result<Option<Vec<RawDiagnostic>>, AskError> {
        Ok(self.wrong(path).await?.map(|it| convert::diagnostics(path, &it)))
    }

    /// The same as it came.
    pub(crate) async fn wrong(&self, path: &Path) -> Result<Option<Vec<Value>>, AskError> {
        let Some(text) = self.text(path).await else { return Ok(Some(Vec::new())) };
        let text = text.sent(self.life.columns);
        match self.profile().diagnoses {
            _ if self.provides("diagnosticProvider") => self.pulled(path, &text).await,
            Diagnoses::Tsserver => self.known_to_tsserver(path, &text).await,
            Diagnoses::Registers => {
                // One that is too old to be asked says it by itself.
                tokio::select! {
                    biased;
                    () = self.life.registered.wait_until_registered(PullDiagnostics::METHOD) => {}
                    said = self.heard(path, &text, true) => return said,
                }
                self.pulled(path, &text).await
            }
            how => self.heard(path, &text, how == Diagnoses::InParts).await,
        }
    }

    /// What the server says when it is asked.
    async fn pulled(&self, path: &Path, text: &str) -> Result<Option<Vec<Value>>, AskError> {
        let Some(params) = convert::pull_params(path) else { return Ok(Some(Vec::new())) };
        self.show(path, text).await;
        let report = self.ask::<PullDiagnostics>(params).await?;
        Ok(report["items"].as_array().cloned())
    }

    /// What TypeScript's own server says when it is asked through the one in front of it.
    async fn known_to_tsserver(&self, path: &Path, text: &str) -> Result<Option<Vec<Value>>, AskError> {
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

    /// What the server says by itself once it is shown the file anew.
    async fn heard(&self, path: &Path, text: &str, in_parts: bool) -> Result<Option<Vec<Value>>, AskError> {
        let version = {
            let mut documents = self.life.documents.lock().await;
            let (messages, version) = match self.profile().files.awaits_diagnostics {
                true => documents.show_anew(path, text),
                false => documents.show_again(path, text),
            };
            self.life.tell(messages);
            version
        };
        self.life.published(path, version, in_parts, self.deadline).await
    }

    async fn show(&self, path: &Path, text: &str) {
        let mut documents = self.life.documents.lock().await;
        self.life.show(documents.keep_open(path, text));
    }
}
