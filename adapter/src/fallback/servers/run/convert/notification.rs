//! Notifications in both directions: document changes to a server, and its readiness signals.

use std::path::PathBuf;

use lsp_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, FileChangeType, FileEvent, TextDocumentContentChangeEvent,
    TextDocumentIdentifier, TextDocumentItem, VersionedTextDocumentIdentifier,
};
use serde_json::Value;

use super::uri;
use crate::fallback::servers::run::documents::Message;
use crate::fallback::servers::run::readiness::{Health, Signal};
use crate::fallback::source::languages::{DiskEvent, Language};

/// A notification about documents, with its parameters.
pub(crate) enum Notice {
    Open(DidOpenTextDocumentParams),
    Change(DidChangeTextDocumentParams),
    Close(DidCloseTextDocumentParams),
    Watched(DidChangeWatchedFilesParams),
}

/// Converts a message; `None` for a path without a URI.
pub(crate) fn notice(message: Message, language: &Language) -> Option<Notice> {
    Some(match message {
        Message::Open { path, version, text } => Notice::Open(DidOpenTextDocumentParams {
            text_document: TextDocumentItem {
                uri: uri(&path)?,
                language_id: language.file_id(&path).unwrap_or(language.id).to_owned(),
                version,
                text,
            },
        }),
        Message::Change { path, version, text } => Notice::Change(DidChangeTextDocumentParams {
            text_document: VersionedTextDocumentIdentifier { uri: uri(&path)?, version },
            content_changes: vec![TextDocumentContentChangeEvent { range: None, range_length: None, text }],
        }),
        Message::Close { path } => Notice::Close(DidCloseTextDocumentParams {
            text_document: TextDocumentIdentifier { uri: uri(&path)? },
        }),
        Message::Watched(files) => {
            let event = |(path, event): (PathBuf, DiskEvent)| {
                let typ = match event {
                    DiskEvent::Created => FileChangeType::CREATED,
                    DiskEvent::Changed => FileChangeType::CHANGED,
                    DiskEvent::Deleted => FileChangeType::DELETED,
                };
                Some(FileEvent { uri: uri(&path)?, typ })
            };
            Notice::Watched(DidChangeWatchedFilesParams {
                changes: files.into_iter().filter_map(event).collect(),
            })
        }
    })
}

/// Reads a readiness signal from a notification, leniently: servers put odd values into progress.
pub(crate) fn signal(method: &str, params: &Value) -> Option<Signal> {
    match method {
        "$/progress" => progress(params),
        "experimental/serverStatus" => Some(Signal::Status {
            quiescent: params["quiescent"].as_bool().unwrap_or(false),
            health: match params["health"].as_str() {
                Some("error") => Health::Error,
                Some("warning") => Health::Warning,
                _ => Health::Ok,
            },
            message: params["message"].as_str().map(str::to_owned),
        }),
        "window/logMessage" => Some(Signal::Log { line: params["message"].as_str()?.to_owned() }),
        _ => None,
    }
}

fn progress(params: &Value) -> Option<Signal> {
    let token = match &params["token"] {
        Value::String(token) => token.clone(),
        Value::Number(token) => token.to_string(),
        _ => return None,
    };
    let value = &params["value"];
    match value["kind"].as_str()? {
        "end" => Some(Signal::ProgressEnded { token }),
        "begin" | "report" => {
            let said = [&value["title"], &value["message"]];
            let words: Vec<_> = said.iter().filter_map(|it| it.as_str()).collect();
            Some(Signal::Progress {
                token,
                message: (!words.is_empty()).then(|| words.join(" ")),
                percentage: value["percentage"].as_u64().and_then(|it| u32::try_from(it).ok()),
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn odd_notifications_are_no_signal() {
        let progress = |value: Value| signal("$/progress", &json!({"token": 7, "value": value}));
        assert_eq!(progress(json!({"kind": "end"})), Some(Signal::ProgressEnded { token: "7".into() }));
        assert_eq!(progress(json!([{"name": "a partial result"}])), None);
        assert_eq!(signal("$/progress", &json!(null)), None);
        assert_eq!(signal("telemetry/event", &json!({})), None);
        let status = signal("experimental/serverStatus", &json!({"health": "purple", "quiescent": "no"}));
        assert_eq!(status, Some(Signal::Status { quiescent: false, health: Health::Ok, message: None }));
    }
}
