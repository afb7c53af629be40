//! An editor for `dialect check-editor`: it opens a session in the current folder, and answers with a recorded exchange,
//! which its argument names, or with `--fallback` as the adapter does for editors that cannot.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use adapter::fallback::{Caller, Config, Editor, Fallback, Level};
use anyhow::{Context, Result, anyhow};
use conformance::editor::initialize;
use conformance::record::Log;
use conformance::wire::{self, Answer, Incoming};
use futures::future::BoxFuture;
use ide_protocol::Operation;
use serde_json::{Value, json};
use tokio_util::task::TaskTracker;
use unpoisoned::lock;

fn main() -> Result<()> {
    let runtime = tokio::runtime::Runtime::new()?;
    let ended = runtime.block_on(run());
    runtime.shutdown_background(); // standard input may still be read
    ended
}

async fn run() -> Result<()> {
    let argument = std::env::args().nth(1).context("a recorded exchange, or --fallback")?;
    let answers = match argument.as_str() {
        "--fallback" => Answers::Fallback(Box::new(Servers::start()?)),
        path => Answers::Recorded(recorded(Path::new(path))?),
    };
    let answers = Arc::new(answers);
    let (peer, mut heard) =
        wire::open(tokio::io::stdin(), tokio::io::stdout(), Log::from_environment("editor")?);
    let ask = async |method: &str, params| {
        let answer = peer.request(method, params).answer().await;
        answer.map_err(|error| anyhow!("{method}: {error}"))
    };
    ask("initialize", initialize(1, &json!({"ide_operations": true}))).await?;
    let root = std::env::current_dir()?;
    let session = ask("session/new", json!({"cwd": root, "mcpServers": []})).await?["sessionId"].take();
    if let Answers::Fallback(servers) = &*answers {
        servers.fallback.open_session(session.as_str().context("an id")?, vec![root]);
    }
    let asked = TaskTracker::new();
    while let Some(incoming) = heard.recv().await {
        let Incoming::Request { id, method, params } = incoming else { continue };
        let (answers, peer) = (Arc::clone(&answers), peer.clone());
        asked.spawn(async move { peer.respond(&id, &answers.to(&method, params.unwrap_or_default()).await) });
    }
    if let Answers::Fallback(servers) = &*answers {
        servers.fallback.shutdown().await;
    }
    Ok(())
}

enum Answers {
    Recorded(Mutex<Vec<Value>>),
    Fallback(Box<Servers>),
}

/// Reads a recording: one question with its answer a line.
fn recorded(path: &Path) -> Result<Mutex<Vec<Value>>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let exchanges = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    Ok(Mutex::new(exchanges))
}

impl Answers {
    async fn to(&self, method: &str, params: Value) -> Answer {
        match self {
            Self::Recorded(exchanges) => {
                let mut exchanges = lock(exchanges);
                let at =
                    exchanges.iter().position(|it| it["method"] == method && same(&it["params"], &params));
                let missing =
                    || json!({"code": -32603, "message": format!("{method} {params} was not recorded")});
                let mut exchange = exchanges.remove(at.ok_or_else(missing)?);
                match exchange["error"].take() {
                    Value::Null => Ok(exchange["result"].take()),
                    error => Err(error),
                }
            }
            Self::Fallback(servers) => servers.answer(method, params).await,
        }
    }
}

/// Returns true for params that are equal but for the path of the folder that the recording was made in.
fn same(recorded: &Value, params: &Value) -> bool {
    let folder = std::env::current_dir().unwrap_or_default();
    let folder = folder.parent().unwrap_or(&folder).to_string_lossy().into_owned();
    let asked = params.to_string().replace(&folder, "/recorded");
    serde_json::from_str::<Value>(&asked).is_ok_and(|it| it == *recorded)
}

/// The fallback with the texts that the check wants to be unsaved.
struct Servers {
    fallback: Fallback,
    buffers: Arc<Buffers>,
    selection: Value,
}

impl Servers {
    fn start() -> Result<Self> {
        let (root, shown) = (std::env::current_dir()?, std::env::var("DIALECT_CHECK_EDITOR")?);
        let mut shown: Value = serde_json::from_str(&std::fs::read_to_string(shown)?)?;
        let mut config = Config::new(std::env::current_exe()?.with_file_name("dialect-under-test"));
        config.level = Some(Level::Trusted);
        let fallback = Fallback::new(config);
        let unsaved: BTreeMap<String, String> = serde_json::from_value(shown["unsaved"].take())?;
        let texts: BTreeMap<PathBuf, String> =
            unsaved.into_iter().map(|(path, text)| (root.join(path), text)).collect();
        for (path, text) in &texts {
            let _ = fallback.shown_in_editor(path, Some(text.clone()));
        }
        Ok(Self {
            fallback,
            buffers: Arc::new(Buffers(Mutex::new(texts))),
            selection: shown["selection"].take(),
        })
    }

    async fn answer(&self, method: &str, params: Value) -> Answer {
        let operation = Operation::from_method(method);
        let operation =
            operation.ok_or_else(|| json!({"code": -32601, "message": "there is no such method"}))?;
        if operation == Operation::Selection && params["sessionId"] == "check-editor" {
            let mut selection = self.selection.clone();
            selection["text"] = json!("greet");
            return Ok(json!({"complete": true, "source": "editor", "selections": [selection]}));
        }
        let caller = Caller { editor: Arc::clone(&self.buffers) as _, ..Caller::default() };
        let answer = self.fallback.answer(operation, params, caller).await;
        for (path, text) in &*lock(&self.buffers.0) {
            let _ = self.fallback.shown_in_editor(path, Some(text.clone()));
        }
        answer.map_err(|error| json!({"code": error.kind.code(), "message": error.message, "data": error}))
    }
}

/// The unsaved texts of files, which writing saves.
struct Buffers(Mutex<BTreeMap<PathBuf, String>>);

impl Editor for Buffers {
    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Option<Result<String, String>>> {
        let text = lock(&self.0).get(path).cloned();
        Box::pin(async { text.map(Ok) })
    }

    fn write<'a>(&'a self, path: &'a Path, text: String) -> BoxFuture<'a, Option<Result<(), String>>> {
        let written = std::fs::write(path, &text).map_err(|error| error.to_string());
        lock(&self.0).insert(path.to_owned(), text);
        Box::pin(async { Some(written) })
    }
}
