//! The mock agent: an ACP agent without a mind. A prompt's text is its script, and what came of each command is
//! what it says, so that a whole chain can be driven from the editor's side alone.
//!
//! One command a line:
//!
//! | command | what it does |
//! | --- | --- |
//! | `tools` | lists the tools of every MCP server that the session was given |
//! | `describe` | says what the tool `ide_operation` says of itself |
//! | `call PROGRAM` | calls `ide_operation`; what follows the word, to the line's end, is the program |
//! | `script JSON` | calls `script` with these arguments |
//! | `together` | runs the calls in the lines below at once, and says their answers in order |
//! | `servers` | says the session's `mcpServers` as they came |
//! | `capabilities` | says what the client advertised, as it came |
//! | `early` | says what `--eager` brought |
//! | `request METHOD JSON`, `notify METHOD JSON` | sends that to the client |
//! | `count N METHOD` | sends N notifications, numbered |
//! | `enlarge N METHOD` | sends a request for N bytes and says how many came |
//! | `http METHOD PATH HEADER…` | asks the HTTP server that it was given, without its own headers |
//! | `update JSON` | sends that `session/update` |
//! | `time N COMMAND` | obeys N times, and says how many nanoseconds each took |
//! | `wait` | does nothing until the turn is cancelled |
//! | `line TEXT` | writes that line as it is |
//! | `bytes HEX` | writes those bytes as a line |
//! | `broken ID HEX` | the same, and says the code of the error that answers the id |
//! | `say TEXT` | says it |
//! | `exit` | ends at once |

mod command;
mod servers;
mod session;
mod shapes;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use anyhow::{Result, bail};
use serde_json::{Value, json};
pub use servers::Keeping;
use servers::Servers;
use session::{Session, Turn};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::mcp::{Era, Hears, PROGRESS};
use crate::record::Log;
use crate::wire::{self, Incoming, Peer};
use unpoisoned::lock;

/// Spells bytes as the commands `bytes` and `broken` take them.
pub fn to_hex(bytes: &[u8]) -> String {
    hex::encode(bytes)
}

/// The configuration of an agent.
#[derive(Clone, Debug)]
pub struct Config {
    /// The MCP transports that it advertises beside stdio: `acp`, `http`.
    pub transports: Vec<String>,
    /// The MCP client's way to introduce itself.
    pub era: Era,
    /// The version of ACP that it answers, when the client asks for as much.
    pub protocol: u64,
    /// True when it asks for the progress of its calls, and forwards that to the editor as `_mock/progress`.
    pub progress: bool,
    /// True when it takes additions to its system prompt.
    pub takes_system_prompt: bool,
    /// The name by which it introduces itself.
    pub name: String,
    /// The way in which it keeps the MCP servers of its sessions.
    pub keeping: Keeping,
    /// True when the POST of a cancelled request stays open, and an answer to it is an error.
    pub keeps_posts: bool,
    /// The work before `session/new` is answered.
    pub eager: Option<Eager>,
}

/// The use of MCP servers while the session is still being set up.
#[derive(Clone, Debug)]
pub enum Eager {
    /// Lists the tools, and answers `session/new` only then.
    List,
    /// Calls the tool with this program, and answers `session/new` while the call waits.
    Call(String),
}

impl Default for Config {
    fn default() -> Self {
        Self {
            transports: vec!["http".into()],
            era: Era::Modern,
            protocol: 1,
            progress: false,
            takes_system_prompt: false,
            name: "mock-agent".into(),
            keeping: Keeping::default(),
            keeps_posts: false,
            eager: None,
        }
    }
}

impl Config {
    /// From command line arguments: `--mcp http,acp|none`, `--era 2025-06-18`, `--protocol 2`,
    /// `--progress yes`, `--system-prompt yes`, `--eager list`, `--eager PROGRAM`, `--name NAME`, `--keeps by-name` (see [`Keeping`]),
    /// `--posts kept`.
    ///
    /// # Errors
    /// When one is not known.
    pub fn from_arguments(arguments: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut config = Self::default();
        let mut arguments = arguments.into_iter();
        while let (Some(option), value) = (arguments.next(), arguments.next()) {
            let Some(value) = value else { bail!("`{option}` needs a value") };
            match option.as_str() {
                "--mcp" => {
                    config.transports = value.split(',').filter(|it| *it != "none").map(Into::into).collect();
                }
                "--era" => config.era = value.parse()?,
                "--protocol" => config.protocol = value.parse()?,
                "--progress" => config.progress = value == "yes",
                "--system-prompt" => config.takes_system_prompt = value == "yes",
                "--name" => config.name = value,
                "--keeps" => config.keeping = value.parse()?,
                "--posts" => config.keeps_posts = value == "kept",
                "--eager" if value == "list" => config.eager = Some(Eager::List),
                "--eager" => config.eager = Some(Eager::Call(value)),
                _ => bail!("the mock agent has no option `{option}`"),
            }
        }
        Ok(config)
    }
}

/// Runs until the client's bytes end, or a script says `exit`.
pub async fn run(
    config: Config,
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
    log: Log,
) {
    let (peer, mut heard) = wire::open(read, write, log);
    let gone = CancellationToken::new();
    let agent = Arc::new(Agent {
        config,
        peer: peer.clone(),
        gone: gone.clone(),
        client: Mutex::default(),
        servers: Servers::default(),
        sessions: Mutex::default(),
        n_sessions: Mutex::default(),
    });
    let listening = async {
        while let Some(incoming) = heard.recv().await {
            agent.hear(incoming);
        }
    };
    gone.run_until_cancelled(listening).await;
    agent.end();
}

/// Runs on standard input and output.
pub async fn run_on_stdio(config: Config, log: Log) {
    run(config, tokio::io::stdin(), tokio::io::stdout(), log).await;
}

pub(crate) struct Agent {
    config: Config,
    peer: Peer,
    gone: CancellationToken,
    /// The params of `initialize`.
    client: Mutex<Value>,
    servers: Servers,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
    n_sessions: Mutex<u32>,
}

impl Agent {
    fn hear(self: &Arc<Self>, incoming: Incoming) {
        match incoming {
            Incoming::Request { id, method, params } => {
                self.request(id, &method, params.unwrap_or(Value::Null));
            }
            Incoming::Notification { method, params } => {
                let params = params.unwrap_or(Value::Null);
                match method.as_str() {
                    "session/cancel" => self.cancel(&params),
                    "mcp/message" if params["method"] == PROGRESS => {
                        self.hears().iter().for_each(|hears| hears(&params["params"]));
                    }
                    _ => {}
                }
            }
            Incoming::Junk(_) => {}
        }
    }

    fn request(self: &Arc<Self>, id: Value, method: &str, params: Value) {
        match method {
            "initialize" => {
                let answer = shapes::initialized(&self.config, &params);
                *lock(&self.client) = params;
                self.peer.respond(&id, &Ok(answer));
            }
            "session/new" | "session/fork" => self.set_up(id, self.new_id(), params, true),
            "session/load" | "session/resume" => match params["sessionId"].as_str() {
                None | Some("missing") => self.peer.refuse(&id, -32002, "the mock agent has no such session"),
                Some(session) => self.set_up(id, session.to_owned(), params, false),
            },
            "session/prompt" => self.prompt(id, &params),
            "session/close" | "session/archive" => {
                lock(&self.sessions).remove(params["sessionId"].as_str().unwrap_or_default());
                self.peer.respond(&id, &Ok(json!({})));
            }
            "_mock/echo" => self.peer.respond(&id, &Ok(params)),
            "_mock/broken" => {
                let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"?"}}"#);
                self.peer.raw(line.bytes().map(|it| if it == b'?' { 0xff } else { it }).collect::<Vec<_>>());
            }
            "_mock/enlarge" => {
                let letters = usize::try_from(params["bytes"].as_u64().unwrap_or(0)).unwrap_or(0);
                self.peer.respond(&id, &Ok(json!({"text": "x".repeat(letters)})));
            }
            _ => self.peer.refuse(&id, -32601, &format!("the mock agent has no method `{method}`")),
        }
    }

    /// Returns the listener for progress: the editor, if this agent asks for any.
    fn hears(&self) -> Option<Hears> {
        let peer = self.peer.clone();
        self.config
            .progress
            .then(|| Arc::new(move |it: &Value| peer.notify("_mock/progress", it.clone())) as Hears)
    }

    fn new_id(&self) -> String {
        let mut n = lock(&self.n_sessions);
        *n += 1;
        format!("session-{n}")
    }

    /// Returns the negotiated version of ACP.
    fn version(&self) -> u64 {
        self.config.protocol.min(lock(&self.client)["protocolVersion"].as_u64().unwrap_or(1))
    }

    /// Sets a session up, after the updates in the `_meta` of the request, which are its history.
    fn set_up(self: &Arc<Self>, id: Value, name: String, params: Value, is_new: bool) {
        for update in params["_meta"]["history"].as_array().into_iter().flatten() {
            self.peer.notify("session/update", json!({"sessionId": name, "update": update}));
        }
        if let Some(refusal) = self.servers.refusal(self.config.keeping, &params["mcpServers"]) {
            return self.peer.refuse(&id, -32603, &refusal);
        }
        let session = Arc::new(Session::new(name.clone(), &params));
        lock(&self.sessions).insert(name.clone(), Arc::clone(&session));
        let agent = Arc::clone(self);
        tokio::spawn(async move {
            agent.be_eager(&session).await;
            agent.peer.respond(&id, &Ok(if is_new { json!({"sessionId": name}) } else { json!({}) }));
        });
    }

    async fn be_eager(self: &Arc<Self>, session: &Arc<Session>) {
        match &self.config.eager {
            None if matches!(self.config.keeping, Keeping::BySession | Keeping::UniqueNames) => {}
            None => drop(session.list_tools(self).await), // the first session to be set up is the first to connect
            Some(Eager::List) => {
                let listed = session.list_tools(self).await;
                session.early.send_replace(Some(listed));
            }
            Some(Eager::Call(program)) => session.call_early(self, program).await,
        }
    }

    fn prompt(self: &Arc<Self>, id: Value, params: &Value) {
        let name = params["sessionId"].as_str().unwrap_or_default();
        let Some(session) = lock(&self.sessions).get(name).cloned() else {
            return self.peer.refuse(&id, -32602, &format!("the mock agent has no session `{name}`"));
        };
        let script = shapes::text_of(&params["prompt"]);
        let turn = Turn::new(Arc::clone(self), session);
        if self.version() < 2 {
            tokio::spawn(async move {
                let stop_reason = turn.play(&script).await;
                turn.agent.peer.respond(&id, &Ok(json!({"stopReason": stop_reason})));
            });
            return;
        }
        // Version 2 answers when the prompt is accepted.
        self.peer.respond(&id, &Ok(json!({"messageId": "prompt"})));
        self.peer.notify("session/update", shapes::running(name));
        let name = name.to_owned();
        tokio::spawn(async move {
            let stop_reason = turn.play(&script).await;
            turn.agent.peer.notify("session/update", shapes::idle(&name, stop_reason));
        });
    }

    fn cancel(&self, params: &Value) {
        let session = params["sessionId"].as_str().unwrap_or_default();
        if let Some(session) = lock(&self.sessions).get(session) {
            session.cancel();
        }
    }

    /// Everything that a session holds is let go: server processes, connections.
    fn end(&self) {
        self.peer.close(); // first: an agent that is gone answers nothing more
        lock(&self.sessions).drain().for_each(|(_, it)| it.cancel());
    }
}
