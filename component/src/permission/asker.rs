//! The people who are asked for permissions in the place of an editor: at a terminal, or behind an MCP client.

use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::acp::upstream::{ClientLink, RequestError};

/// A question to the user about permissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionQuestion {
    /// The functions with what they ask. Words of documents stand in quotes.
    pub title: String,
    /// All permissions with their limits.
    pub description: String,
    /// The call that needs the permissions, as the program has it.
    pub call: String,
    /// The answers, each with its id and its name for people; only those that the declarations allow.
    pub options: Vec<(String, String)>,
    /// The id of the answer that refuses, and no more.
    pub refusal: Option<String>,
}

impl PermissionQuestion {
    /// Reads the params of `session/request_permission` in version 1 of ACP.
    pub(crate) fn read(params: &Value) -> Self {
        let call = &params["toolCall"];
        let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
        let options = params["options"].as_array().into_iter().flatten();
        let refusal = options.clone().find(|it| it["kind"] == "reject_once");
        Self {
            title: text(&call["title"]),
            description: text(&call["content"][0]["content"]["text"]),
            call: text(&call["rawInput"]["program"]),
            options: options.map(|it| (text(&it["optionId"]), text(&it["name"]))).collect(),
            refusal: refusal.map(|it| text(&it["optionId"])),
        }
    }
}

/// The way to ask the user.
pub trait Asker: Send + Sync {
    /// Asks, and returns the id of the chosen option; `None` if the question was dismissed, which denies. The error is
    /// the reason why nobody can be asked.
    fn ask(&self, question: PermissionQuestion) -> BoxFuture<'static, Result<Option<String>, String>>;
}

/// The one who is asked about a call.
#[derive(Clone, Default)]
pub(crate) enum Asked {
    /// The editor of the session.
    #[default]
    Editor,
    /// The user of the client that made the call.
    Client(Arc<dyn Asker>),
    /// Nobody: the client that made the call cannot ask its user.
    Nobody,
}

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Editor => "Editor",
            Self::Client(_) => "Client",
            Self::Nobody => "Nobody",
        })
    }
}

/// An asker in the place of an editor.
pub(crate) struct AskerLink(pub(crate) Arc<dyn Asker>);

impl ClientLink for AskerLink {
    fn request(&self, _: String, params: Value) -> BoxFuture<'static, Result<Value, RequestError>> {
        let answer = self.0.ask(PermissionQuestion::read(&params));
        async move {
            match answer.await {
                Ok(choice) => Ok(outcome(choice)),
                Err(message) => Err(RequestError::Failed { message, data: None }),
            }
        }
        .boxed()
    }

    /// Ignores what editors show beside a question.
    fn notify(&self, _: String, _: Value) {}
}

/// Returns the result of `session/request_permission` for a choice.
pub(crate) fn outcome(choice: Option<String>) -> Value {
    match choice {
        Some(option) => json!({"outcome": {"outcome": "selected", "optionId": option}}),
        None => json!({"outcome": {"outcome": "cancelled"}}),
    }
}
