//! Language servers that the editor runs and lends, by the draft `lsp/servers` and `lsp/request` of ACP.
//!
//! The editor is their only client: it starts and ends them, and sends them the texts of its files. Here they are only
//! asked. An error of the editor's own, or an answer that is none, is [`AskError::NotForwarded`](super::request::AskError),
//! never an answer of the server.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_lsp::{ErrorCode, ResponseError};
use futures::future::BoxFuture;
use lsp_types::request::Request;
use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall, Diagnostic, TypeHierarchyItem,
    WorkspaceEdit,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::convert::{
    IncomingCalls, OutgoingCalls, PrepareCalls, PrepareRename, PrepareTypes, PullDiagnostics, Rename,
    Subtypes, Supertypes,
};
use crate::blocking;
use crate::fallback::source::languages::{FileRule, Language, ReadyRule, ServerProfile};
use unpoisoned::lock;

/// The methods that list the servers, and ask one.
const SERVERS: &str = "lsp/servers";
const REQUEST: &str = "lsp/request";

/// The state in which a server takes requests.
const RUNNING: &str = "running";

/// The way to the editor of one session, which lends its language servers.
pub trait Lender: Send + Sync {
    /// Sends a request of the session to the editor; dropping the future cancels it.
    fn request(&self, method: &'static str, params: Value) -> BoxFuture<'static, Result<Value, Refusal>>;
}

/// An error that the editor answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Its message.
    pub message: String,
    /// Its data. An error of the language server has `code` and `message` there.
    pub data: Value,
}

/// The servers of an editor.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listing {
    servers: Vec<Listed>,
    available_methods: BTreeSet<String>,
}

/// A server as the editor lists it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    server_id: String,
    name: String,
    workspace_path: PathBuf,
    #[serde(default)]
    file_extensions: Vec<String>,
    state: String,
    #[serde(default)]
    capabilities: Value,
}

/// A running server of the editor.
#[derive(Clone)]
pub(crate) struct LentServer {
    lender: Arc<dyn Lender>,
    id: String,
    /// The methods that the editor forwards.
    methods: Arc<BTreeSet<String>>,
}

/// A server that can be connected to.
#[derive(Debug)]
pub(crate) struct Offer {
    pub(crate) server: LentServer,
    /// Its profile, without what holds for servers that are started here.
    pub(crate) profile: &'static ServerProfile,
    /// The capabilities that it announced.
    pub(crate) capabilities: Value,
}

/// Returns the editor's server of a language for all of these folders, if it runs one that has a profile.
///
/// # Errors
/// The editor refuses, or its answer cannot be read.
pub(crate) async fn offer(
    lender: &Arc<dyn Lender>,
    language: &'static Language,
    folders: &[PathBuf],
) -> Result<Option<Offer>, String> {
    let listed = lender.request(SERVERS, json!({})).await.map_err(|it| it.message)?;
    let Listing { mut servers, available_methods } =
        serde_json::from_value(listed).map_err(|error| format!("its answer cannot be read: {error}"))?;
    let resolve = move || {
        for it in &mut servers {
            it.workspace_path = it.workspace_path.canonicalize().unwrap_or_default();
        }
        servers
    };
    let servers = blocking::spawn(resolve).await;
    let methods = Arc::new(available_methods);
    let found = language.servers.iter().find_map(|profile| {
        let fitting = servers.iter().filter(|it| it.fits(profile, language, folders));
        // The most specific root counts.
        Some((profile, fitting.max_by_key(|it| it.workspace_path.components().count())?))
    });
    Ok(found.map(|(profile, it)| Offer {
        server: LentServer { lender: Arc::clone(lender), id: it.server_id.clone(), methods },
        profile: as_lent(profile),
        capabilities: it.capabilities.clone(),
    }))
}

impl Listed {
    fn fits(&self, profile: &ServerProfile, language: &Language, folders: &[PathBuf]) -> bool {
        let is_of_language = self.file_extensions.is_empty()
            || self.file_extensions.iter().any(|it| language.may_own(Path::new(&format!("x.{it}"))));
        self.state == RUNNING
            && self.name.replace('_', "-") == profile.name
            && is_of_language
            && self.capabilities.is_object()
            && self.workspace_path.is_absolute()
            && folders.iter().all(|it| it.starts_with(&self.workspace_path))
    }
}

/// Returns the profile of a server without what holds for those that are started and sent texts here. One is made for
/// each row of the table, once.
fn as_lent(profile: &'static ServerProfile) -> &'static ServerProfile {
    static LENT: Mutex<BTreeMap<&str, &ServerProfile>> = Mutex::new(BTreeMap::new());
    let made = || {
        let files = FileRule {
            only_open: false,
            needs_anchor: false,
            announces: false,
            needs_disk: false,
            awaits_diagnostics: false,
            reopens: false,
            included: &[],
            ..profile.files
        };
        let (ready, starts_cheaply) = (ReadyRule::Holds, false);
        &*Box::leak(Box::new(ServerProfile { ready, files, starts_cheaply, ..*profile }))
    };
    lock(&LENT).entry(profile.name).or_insert_with(made)
}

impl LentServer {
    /// Returns `true` if the editor forwards requests of that method.
    pub(super) fn forwards(&self, method: &str) -> bool {
        self.methods.contains(method)
    }

    /// Asks the server through the editor; dropping the future cancels the request.
    ///
    /// # Errors
    /// The server answers an error, or the editor does not pass the request or its answer on.
    pub(super) async fn ask<R: Request>(self, params: R::Params) -> async_lsp::Result<R::Result> {
        let params = serde_json::to_value(params)?;
        let request = json!({"serverId": self.id, "method": R::METHOD, "params": params});
        let mut answer = match self.lender.request(REQUEST, request).await {
            Ok(answer) => answer,
            Err(refusal) => return Err(error_of(refusal)),
        };
        let result = answer.get_mut("lspResult").map(Value::take);
        let result = result.ok_or_else(|| not_forwarded("the answer has no `lspResult`".to_owned()))?;
        let read = check(R::METHOD, &result).and_then(|()| serde_json::from_value(result));
        read.map_err(|error| not_forwarded(format!("the answer to `{}` cannot be read: {error}", R::METHOD)))
    }
}

/// Checks the answers that are read without types.
fn check(method: &str, result: &Value) -> serde_json::Result<()> {
    fn is<T: for<'a> Deserialize<'a>>(result: &Value) -> serde_json::Result<()> {
        T::deserialize(result).map(drop)
    }
    match method {
        PullDiagnostics::METHOD => is::<Vec<Diagnostic>>(&result["items"]),
        PrepareCalls::METHOD => is::<Option<Vec<CallHierarchyItem>>>(result),
        IncomingCalls::METHOD => is::<Option<Vec<CallHierarchyIncomingCall>>>(result),
        OutgoingCalls::METHOD => is::<Option<Vec<CallHierarchyOutgoingCall>>>(result),
        PrepareTypes::METHOD | Supertypes::METHOD | Subtypes::METHOD => {
            is::<Option<Vec<TypeHierarchyItem>>>(result)
        }
        PrepareRename::METHOD => is::<Option<serde_json::Map<String, Value>>>(result),
        Rename::METHOD => is::<Option<WorkspaceEdit>>(result),
        _ => Ok(()),
    }
}

/// Returns the error of the server that the editor passed on, or that it passed nothing on.
fn error_of(Refusal { message, mut data }: Refusal) -> async_lsp::Error {
    let code = data["code"].as_i64().and_then(|it| i32::try_from(it).ok());
    match (code, data["message"].as_str()) {
        (Some(code), Some(said)) => {
            let mut error = ResponseError::new(ErrorCode(code), said);
            error.data = Some(data["data"].take()).filter(|it| !it.is_null());
            error.into()
        }
        _ => not_forwarded(message),
    }
}

fn not_forwarded(reason: String) -> async_lsp::Error {
    async_lsp::Error::Routing(reason)
}

impl fmt::Debug for LentServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LentServer").field("id", &self.id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use lsp_types::request::Shutdown;

    use super::*;
    use crate::fallback::servers::run::request::AskError;
    use crate::fallback::source::languages;

    /// An editor that answers everything with this.
    struct Says(Result<Value, Refusal>);

    impl Lender for Says {
        fn request(&self, _: &'static str, _: Value) -> BoxFuture<'static, Result<Value, Refusal>> {
            std::future::ready(self.0.clone()).boxed()
        }
    }

    fn asked<R: Request>(params: R::Params, says: Result<Value, Refusal>) -> Result<R::Result, AskError> {
        let (lender, methods): (Arc<dyn Lender>, _) = (Arc::new(Says(says)), Arc::default());
        let server = LentServer { lender, id: "1".to_owned(), methods };
        server.ask::<R>(params).now_or_never().expect("the editor answers at once").map_err(AskError::from)
    }

    #[test]
    fn what_is_no_answer_of_the_server_is_not_forwarded() {
        let is_forwarded = |says: Value| match asked::<PrepareCalls>(json!({}), Ok(says.clone())) {
            Ok(_) => true,
            Err(AskError::NotForwarded(_)) => false,
            Err(error) => panic!("{says}: {error}"),
        };
        assert!(is_forwarded(json!({"lspResult": null})) && is_forwarded(json!({"lspResult": []})));
        for says in [
            json!(null),
            json!([]),
            json!({}),
            json!({"result": null}),
            json!({"lspResult": "everywhere"}),
            json!({"lspResult": [{"name": "check"}]}),
        ] {
            assert!(!is_forwarded(says.clone()), "{says}");
        }
        for says in [json!({}), json!({"items": 1}), json!({"kind": "unchanged"}), json!(null)] {
            let answer = asked::<PullDiagnostics>(json!({}), Ok(json!({ "lspResult": says })));
            assert!(matches!(answer, Err(AskError::NotForwarded(_))), "{answer:?}");
        }
        asked::<Shutdown>((), Ok(json!({"lspResult": null}))).unwrap();
    }

    #[test]
    fn errors_of_the_server_have_its_code() {
        let refused = |data: Value| {
            let refusal = Refusal { message: "failed".to_owned(), data };
            match asked::<Rename>(json!({}), Err(refusal)) {
                Err(AskError::Refused { code, message }) => format!("{code} {message}"),
                Err(AskError::NotForwarded(reason)) => format!("not forwarded: {reason}"),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(refused(json!({"code": -32801, "message": "modified"})), "-32801 modified");
        for data in [json!(null), json!("busy"), json!({"reason": "unknown_server"}), json!({"code": 1})] {
            assert_eq!(refused(data), "not forwarded: failed");
        }
    }

    #[tokio::test]
    async fn the_most_specific_running_server_of_the_language_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let below = root.join("below");
        std::fs::create_dir(&below).unwrap();
        let rust = languages::rows().find(|it| it.id == "rust").unwrap();
        let chosen = async |servers: Value| {
            let listing = json!({"servers": servers, "availableMethods": []});
            let lender: Arc<dyn Lender> = Arc::new(Says(Ok(listing)));
            let found = offer(&lender, rust, std::slice::from_ref(&below)).await;
            found.map(|it| it.map(|it| it.server.id))
        };
        let server = |id: &str, more: Value| {
            let mut server = json!({
                "serverId": id, "name": "rust-analyzer", "workspacePath": root, "state": "running", "capabilities": {}
            });
            more.as_object().unwrap().iter().for_each(|(key, value)| server[key] = value.clone());
            server
        };
        let specific = server("specific", json!({"workspacePath": below, "name": "rust_analyzer"}));
        let all =
            json!([server("wide", json!({})), specific, server("2", json!({"fileExtensions": ["rs"]}))]);
        assert_eq!(chosen(all).await, Ok(Some("specific".to_owned())));
        for other in [
            json!({"name": "mine"}),
            json!({"state": "starting"}),
            json!({"state": "later"}),
            json!({"workspacePath": root.join("beside")}),
            json!({"workspacePath": "below"}),
            json!({"fileExtensions": ["py"]}),
            json!({"capabilities": null}),
        ] {
            assert_eq!(chosen(json!([server("1", other.clone())])).await, Ok(None), "{other}");
        }
        assert!(chosen(json!([{"name": "rust-analyzer"}])).await.is_err());
        assert!(chosen(json!("all of them")).await.is_err());
    }
}
