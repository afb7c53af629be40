//! The files as the editor has them, over ACP's `fs/read_text_file` and `fs/write_text_file`.

use std::path::Path;
use std::sync::Arc;

use agent_client_protocol::{Client, ErrorCode, UntypedMessage};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::{Connection, Cx};
use crate::fallback::Editor;
use crate::files;

/// Which of the two methods an editor has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Files {
    reads: bool,
    writes: bool,
}

impl Files {
    /// As the params of `initialize` say.
    pub(super) fn of(initialize: &Value) -> Self {
        let own = ["clientCapabilities", "capabilities"].map(|it| &initialize[it]["fs"]);
        let has = |name: &str| own.iter().any(|it| it[name] == json!(true));
        Self { reads: has("readTextFile"), writes: has("writeTextFile") }
    }
}

/// The editor, on behalf of one session.
pub(super) struct EditorFiles {
    pub(super) files: Files,
    pub(super) session: String,
    pub(super) cx: Cx,
    /// It hears of every text that is written, before it is on disk.
    pub(super) connection: Arc<Connection>,
}

impl EditorFiles {
    /// `None` when it turns out to have no such method.
    async fn ask(&self, method: &str, path: &Path, mut params: Value) -> Option<Result<Value, String>> {
        params["sessionId"] = json!(self.session);
        params["path"] = json!(path);
        let request = UntypedMessage { method: method.to_owned(), params };
        match self.cx.prepare_request_to(Client, request).block_task().await {
            Err(error) if error.code == ErrorCode::METHOD_NOT_FOUND => None,
            answer => Some(answer.map_err(|error| error.message)),
        }
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
                let text = files::text_of(&it).map(str::to_owned);
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_editor_has_it_says() {
        let fs = json!({"readTextFile": true, "writeTextFile": false});
        let reads = Files { reads: true, writes: false };
        assert_eq!(Files::of(&json!({"clientCapabilities": {"fs": fs}})), reads);
        assert_eq!(Files::of(&json!({"capabilities": {"fs": fs}})), reads);
        assert_eq!(Files::of(&json!({"clientCapabilities": {}})), Files::default());
    }
}
