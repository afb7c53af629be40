//! The editor's files, over ACP's `fs/read_text_file` and `fs/write_text_file`, and its language servers, over the draft
//! `lsp/servers` and `lsp/request`.

use std::path::Path;
use std::sync::Arc;

use agent_client_protocol::{Client, Error, ErrorCode, UntypedMessage};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::connection::{Connection, Cx};
use super::file_messages;
use super::file_messages::FileCapabilities;
use crate::fallback::{Editor, Lender, Refusal};
use unpoisoned::lock;

/// The editor as the file system of one session.
pub(super) struct EditorFiles {
    pub(super) files: FileCapabilities,
    pub(super) session: String,
    pub(super) cx: Cx,
    /// The connection, whose fallback learns of each written text before it is on disk.
    pub(super) connection: Arc<Connection>,
}

impl EditorFiles {
    /// Sends one file request; `None` if the editor has no such method.
    async fn ask(&self, method: &str, path: &Path, mut params: Value) -> Option<Result<Value, String>> {
        params["sessionId"] = json!(self.session);
        params["path"] = json!(path);
        let request = UntypedMessage { method: method.to_owned(), params };
        match self.cx.prepare_request_to(Client, request).block_task().await {
            Err(error) if error.code == ErrorCode::METHOD_NOT_FOUND => None,
            answer => Some(answer.map_err(|error| reason(&error))),
        }
    }
}

/// The editor as the host of language servers for one session.
pub(super) struct EditorServers {
    pub(super) session: String,
    pub(super) cx: Cx,
}

impl Lender for EditorServers {
    fn request(&self, method: &'static str, mut params: Value) -> BoxFuture<'static, Result<Value, Refusal>> {
        params["sessionId"] = json!(self.session);
        let request = UntypedMessage { method: method.to_owned(), params };
        let asked = self.cx.prepare_request_to(Client, request).block_task();
        let refusal = |it: Error| Refusal { message: it.message, data: it.data.unwrap_or_default() };
        async move { asked.await.map_err(refusal) }.boxed()
    }
}

/// Returns `true` if the editor lends its language servers, by the params of `initialize`.
pub(super) fn lends_servers(initialize: &Value) -> bool {
    ["clientCapabilities", "capabilities"].iter().any(|it| initialize[it]["lsp"].is_object())
}

/// Returns what an error says: its message, and the details that SDKs put beside it.
fn reason(error: &Error) -> String {
    let data = error.data.as_ref().unwrap_or(&Value::Null);
    let details = [data, &data["details"], &data["message"]].into_iter().find_map(Value::as_str);
    match details.filter(|it| !it.is_empty() && !error.message.contains(it)) {
        Some(details) => format!("{}: {details}", error.message),
        None => error.message.clone(),
    }
}

impl Editor for EditorFiles {
    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Option<Result<String, String>>> {
        async move {
            if !self.files.reads {
                return None;
            }
            let answer = self.ask("fs/read_text_file", path, json!({})).await?;
            Some(answer.and_then(|it| {
                let text = file_messages::text_of(&it).map(str::to_owned);
                text.ok_or_else(|| "its answer has no `content`".to_owned())
            }))
        }
        .boxed()
    }

    fn write<'a>(&'a self, path: &'a Path, text: String) -> BoxFuture<'a, Option<Result<(), String>>> {
        async move {
            if !self.files.writes {
                return None;
            }
            let fallback = &self.connection.fallback;
            let write = fallback.write_begins(path, text.clone());
            let answer = self.ask("fs/write_text_file", path, json!({ "content": text })).await;
            fallback.write_ends(&write, matches!(answer, Some(Ok(_))));
            Some(answer?.map(drop))
        }
        .boxed()
    }

    fn keep_reading(&self, path: &Path) {
        lock(&self.connection.touched).request(&self.session, path.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_says_that_servers_are_lent() {
        let lends = |lsp: Value| lends_servers(&json!({"clientCapabilities": {"lsp": lsp}}));
        assert!(lends(json!({})) && lends(json!({"later": true})));
        assert!(lends_servers(&json!({"capabilities": {"lsp": {}}})), "version 2 of ACP");
        assert!(!lends(Value::Null) && !lends(json!(true)) && !lends_servers(&json!({})));
    }

    #[test]
    fn the_details_of_an_error_are_told() {
        let words = |data: Value| reason(&Error::internal_error().data(data));
        for data in [
            json!({"details": "read-only file"}),
            json!("read-only file"),
            json!({"message": "read-only file"}),
        ] {
            assert_eq!(words(data), "Internal error: read-only file");
        }
        assert_eq!(words(json!({"code": 3})), "Internal error");
    }
}
