//! A language server that the mock editor lends, by the draft `lsp/servers` and `lsp/request` of ACP: a real one, which
//! alone hears of the editor's unsaved texts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use anyhow::Result;
use serde_json::{Value, json};
use unpoisoned::lock;

use crate::raw_client::{self, RawClient, Start};
use crate::wire::Peer;

/// The id that the editor gives the server.
const ID: &str = "rust-analyzer@workspace";

/// The methods that the editor forwards.
const METHODS: [&str; 15] = [
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
    "textDocument/declaration",
    "textDocument/definition",
    "textDocument/diagnostic",
    "textDocument/documentSymbol",
    "textDocument/hover",
    "textDocument/implementation",
    "textDocument/prepareCallHierarchy",
    "textDocument/prepareRename",
    "textDocument/references",
    "textDocument/rename",
    "textDocument/typeDefinition",
    "workspace/symbol",
    "workspace/executeCommand",
];

/// The editor's side of its server, with the unsaved texts.
#[derive(Debug)]
pub struct LentServer {
    listing: Value,
    unsaved: Mutex<BTreeMap<PathBuf, String>>,
    to_server: Mutex<Option<Sender<ToServer>>>,
}

/// A message to the thread that has the server, in the order in which an editor sends them.
enum ToServer {
    Shown { path: PathBuf, text: String },
    Asked { method: String, params: Value, peer: Peer, id: Value },
}

impl LentServer {
    /// Starts rust-analyzer for that folder, and waits until it has loaded.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start(root: &Path) -> Result<Arc<Self>> {
        let mut options = raw_client::options(root);
        options["diagnostics"]["enable"] = json!(true);
        options["cargo"]["sysrootSrc"] = json!(root.join(".library"));
        let start = Start { program: "rust-analyzer".into(), args: Vec::new(), options, says_status: true };
        let client = RawClient::start_as(start, root)?;
        let server = json!({
            "serverId": ID,
            "name": "rust-analyzer",
            "workspacePath": root,
            "languageId": "rust",
            "fileExtensions": ["rs"],
            "state": "running",
            "capabilities": client.capabilities(),
        });
        let (to_server, messages) = channel();
        std::thread::spawn(move || serve(client, &messages));
        Ok(Arc::new(Self {
            listing: json!({"servers": [server], "availableMethods": METHODS}),
            unsaved: Mutex::default(),
            to_server: Mutex::new(Some(to_server)),
        }))
    }

    /// Has the user type: the text is in the editor and in its server, and not on disk.
    pub fn show(&self, path: &Path, text: &str) {
        lock(&self.unsaved).insert(path.to_owned(), text.to_owned());
        if let Some(to_server) = &*lock(&self.to_server) {
            let _stopped = to_server.send(ToServer::Shown { path: path.to_owned(), text: text.to_owned() });
        }
    }

    /// Ends the server. The editor lists it all the same, and refuses what it is asked.
    pub fn stop(&self) {
        *lock(&self.to_server) = None;
    }

    /// Answers a request, if it is one for the server or about an unsaved text.
    pub(crate) fn answers(&self, peer: &Peer, id: &Value, method: &str, params: &Value) -> bool {
        let path = Path::new(params["path"].as_str().unwrap_or_default());
        match method {
            "lsp/servers" => peer.respond(id, &Ok(self.listing.clone())),
            "lsp/request" => self.forward(peer, id, params),
            "fs/read_text_file" => match lock(&self.unsaved).get(path) {
                Some(text) => peer.respond(id, &Ok(json!({"content": text}))),
                None => return false,
            },
            "fs/write_text_file" => {
                let text = params["content"].as_str().unwrap_or_default();
                self.show(path, text);
                return false; // it is written too
            }
            _ => return false,
        }
        true
    }

    fn forward(&self, peer: &Peer, id: &Value, params: &Value) {
        let method = params["method"].as_str().unwrap_or_default().to_owned();
        let refuse = |reason: &str| {
            let data = json!({"reason": reason, "state": "not_running"});
            peer.respond(id, &Err(json!({"code": -32602, "message": reason, "data": data})));
        };
        match &*lock(&self.to_server) {
            _ if params["serverId"] != ID => refuse("unknown_server"),
            _ if !METHODS.contains(&method.as_str()) => refuse("method_not_forwarded"),
            None => refuse("server_not_running"),
            Some(to_server) => {
                let (params, peer, id) = (params["params"].clone(), peer.clone(), id.clone());
                let _stopped = to_server.send(ToServer::Asked { method, params, peer, id });
            }
        }
    }
}

/// Passes messages on until there are no more.
fn serve(mut client: RawClient, messages: &Receiver<ToServer>) {
    while let Ok(message) = messages.recv() {
        match message {
            ToServer::Shown { path, text } => {
                let _ended = client.show(&path, "rust", &text);
            }
            ToServer::Asked { method, params, peer, id } => match client.ask(&method, params) {
                Ok(Ok(result)) => peer.respond(&id, &Ok(json!({"lspResult": result}))),
                Ok(Err(error)) => {
                    let message = error["message"].clone();
                    peer.respond(&id, &Err(json!({"code": -32603, "message": message, "data": error})));
                }
                Err(error) => peer.refuse(&id, -32603, &error.to_string()),
            },
        }
    }
}
