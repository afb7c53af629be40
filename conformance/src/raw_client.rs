//! A language server asked without anything of ours in between: the measure of what the chain answers.
//!
//! Standard library only, a thread for each direction, and no notion of readiness other than that two rounds
//! of answers agree once the server has called itself quiescent.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

use crate::lsp;
pub use crate::places::Place;

/// The time limit for one answer of the server.
const DEADLINE: Duration = Duration::from_secs(600);

/// The start of a language server: its command and its settings.
#[derive(Clone, Debug)]
pub struct Start {
    pub program: PathBuf,
    pub args: Vec<String>,
    /// Its `initializationOptions`.
    pub options: Value,
    /// True when it reports that its projects are loaded, as rust-analyzer does.
    pub says_status: bool,
}

/// A language server, started and asked.
#[derive(Debug)]
pub struct RawClient {
    start: Start,
    child: Child,
    stdin: ChildStdin,
    messages: Receiver<Value>,
    root: PathBuf,
    next_id: u64,
    capabilities: Value,
    /// The versions of the documents that were shown.
    shown: BTreeMap<PathBuf, i64>,
    has_loaded: bool,
    is_quiescent: bool,
    /// The number of answers that differed from one round to the next.
    pub n_unsettled: usize,
}

/// The options of the profile for workspaces that are not trusted, spelled out once more.
pub fn options(root: &Path) -> Value {
    json!({
        "linkedProjects": [root.join("Cargo.toml")],
        "cargo": {"buildScripts": {"enable": false}},
        "procMacro": {"enable": false},
        "cachePriming": {"enable": false},
        "checkOnSave": false,
        "diagnostics": {"enable": false},
    })
}

impl RawClient {
    /// Starts rust-analyzer in that folder and waits until it calls itself quiescent.
    ///
    /// # Errors
    /// When it does not start, or never does.
    pub fn start(program: &Path, root: &Path) -> Result<Self> {
        let options = options(root);
        Self::start_as(
            Start { program: program.to_owned(), args: Vec::new(), options, says_status: true },
            root,
        )
    }

    /// Starts a server in that folder, and waits until it says that it has loaded, if it does.
    ///
    /// # Errors
    /// When it does not start, or never does.
    pub fn start_as(start: Start, root: &Path) -> Result<Self> {
        let program = &start.program;
        let mut child = Command::new(program)
            .args(&start.args)
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| program.display().to_string())?;
        let stdin = child.stdin.take().expect("it is piped");
        let messages = read(child.stdout.take().expect("it is piped"));
        let root = root.to_owned();
        let mut client = Self {
            start,
            child,
            stdin,
            messages,
            root,
            next_id: 0,
            capabilities: Value::Null,
            shown: BTreeMap::new(),
            has_loaded: false,
            is_quiescent: false,
            n_unsettled: 0,
        };
        client.shake_hands()?;
        Ok(client)
    }

    fn shake_hands(&mut self) -> Result<()> {
        let uri = uri(&self.root);
        let greeting = self.ask(
            "initialize",
            json!({
                "processId": std::process::id(),
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": "root"}],
                "initializationOptions": self.start.options,
                "capabilities": {
                    "textDocument": {
                        "diagnostic": {},
                        "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
                        "rename": {"prepareSupport": true},
                    },
                    "workspace": {"configuration": true},
                    "window": {"workDoneProgress": true},
                    "experimental": {"serverStatusNotification": true},
                },
            }),
        )?;
        let mut greeting = greeting.map_err(|error| anyhow!("initialize: {error}"))?;
        self.capabilities = greeting["capabilities"].take();
        self.send(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}))?;
        while self.start.says_status && !(self.has_loaded && self.is_quiescent) {
            self.hear(Instant::now() + DEADLINE)?;
        }
        Ok(())
    }

    /// Returns the references of what stands at each of these places, declarations left out, once two rounds of
    /// answers agree. A server that has not loaded everything may give the same wrong answer twice in a row.
    ///
    /// # Errors
    /// When the server fails, or its answers never settle.
    pub fn references(&mut self, of: &[Place]) -> Result<Vec<BTreeSet<Place>>> {
        let mut before = self.round(of)?;
        let started = Instant::now();
        while started.elapsed() < DEADLINE {
            let round = self.round(of)?;
            if round == before {
                return Ok(round);
            }
            self.n_unsettled += round.iter().zip(&before).filter(|(a, b)| a != b).count();
            before = round;
        }
        bail!("no two rounds of answers agreed within {DEADLINE:?}")
    }

    /// Returns `true` if the server knows a definition there. It knows none in code that is not loaded or comes from
    /// a macro.
    ///
    /// # Errors
    /// When the server fails.
    pub fn is_defined(&mut self, at: &Place) -> Result<bool> {
        let params = self.position(at)?;
        let Ok(answer) = self.ask("textDocument/definition", params)? else { return Ok(false) };
        let (path, line, _) = at;
        let uri = uri(&self.root.join(path));
        let is_here = |it: &Value| it["uri"] == uri.as_str() && it["range"]["start"]["line"] == line - 1;
        Ok(answer.as_array().is_some_and(|it| it.iter().any(is_here)) || is_here(&answer))
    }

    /// The document and position of a place, as parameters.
    ///
    /// # Errors
    /// When there is no such line.
    pub fn position(&self, (path, line, column): &Place) -> Result<Value> {
        let column = self.utf16(path, *line, *column)?;
        Ok(json!({
            "textDocument": {"uri": uri(&self.root.join(path))},
            "position": {"line": line - 1, "character": column},
        }))
    }

    fn round(&mut self, of: &[Place]) -> Result<Vec<BTreeSet<Place>>> {
        of.iter().map(|it| self.references_of(it)).collect()
    }

    fn references_of(&mut self, at: &Place) -> Result<BTreeSet<Place>> {
        let mut params = self.position(at)?;
        params["context"] = json!({"includeDeclaration": false});
        let started = Instant::now();
        while started.elapsed() < DEADLINE {
            // Otherwise: content modified, or cancelled by the server, which are no answers.
            if let Ok(answer) = self.ask("textDocument/references", params.clone())? {
                return self.places(&answer);
            }
        }
        bail!("{at:?} was never answered")
    }

    fn places(&self, answer: &Value) -> Result<BTreeSet<Place>> {
        answer.as_array().into_iter().flatten().map(|it| self.place(it)).collect()
    }

    fn place(&self, location: &Value) -> Result<Place> {
        let uri = location["uri"].as_str().unwrap_or_default();
        let path =
            PathBuf::from(uri.strip_prefix("file://").ok_or_else(|| anyhow!("not a file: {location}"))?);
        let start = &location["range"]["start"];
        let (Some(line), Some(character)) = (start["line"].as_u64(), start["character"].as_u64()) else {
            bail!("a location without a position: {location}");
        };
        let text = line_of(&path, line)?;
        let mut units = 0;
        let before = text.chars().take_while(|it| {
            let is_before = units < character;
            units += it.len_utf16() as u64;
            is_before
        });
        let column = before.count() as u64 + 1;
        let path = path.strip_prefix(&self.root).unwrap_or(&path).display().to_string();
        Ok((path, line + 1, column))
    }

    fn utf16(&self, path: &str, line: u64, column: u64) -> Result<u64> {
        let text = line_of(&self.root.join(path), line - 1)?;
        let before = text.chars().take(usize::try_from(column - 1)?);
        Ok(before.map(|it| it.len_utf16() as u64).sum())
    }

    /// Returns the capabilities that the server announced.
    pub fn capabilities(&self) -> &Value {
        &self.capabilities
    }

    /// Opens a document with the text that it has on disk.
    ///
    /// # Errors
    /// When it has none, or the server is gone.
    pub fn open(&mut self, path: &str, language: &str) -> Result<()> {
        let path = self.root.join(path);
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        self.show(&path, language, &text)
    }

    /// Opens a document with that text, or changes it to that.
    ///
    /// # Errors
    /// When the server is gone.
    pub fn show(&mut self, path: &Path, language: &str, text: &str) -> Result<()> {
        let version = self.shown.entry(path.to_owned()).or_insert(0);
        *version += 1;
        let mut document = json!({"uri": uri(path), "version": *version});
        let (method, params) = if *version == 1 {
            document["languageId"] = json!(language);
            document["text"] = json!(text);
            ("textDocument/didOpen", json!({"textDocument": document}))
        } else {
            let params = json!({"textDocument": document, "contentChanges": [{"text": text}]});
            ("textDocument/didChange", params)
        };
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    /// Asks, and gives what is answered: a result, or an error.
    ///
    /// # Errors
    /// When the server fails.
    pub fn ask(&mut self, method: &str, params: Value) -> Result<Result<Value, Value>> {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let deadline = Instant::now() + DEADLINE;
        loop {
            if let Some(mut answer) = self.hear(deadline)?
                && answer["id"] == id
            {
                return Ok(match answer["error"].take() {
                    Value::Null => Ok(answer["result"].take()),
                    error => Err(error),
                });
            }
        }
    }

    /// Takes one message in; gives it when it is an answer.
    fn hear(&mut self, deadline: Instant) -> Result<Option<Value>> {
        let left = deadline.saturating_duration_since(Instant::now());
        let message = self.messages.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => anyhow!("the server said nothing within {DEADLINE:?}"),
            RecvTimeoutError::Disconnected => anyhow!("the server ended"),
        })?;
        match (message["method"].as_str(), message.get("id")) {
            (None, _) => return Ok(Some(message)),
            (Some(method), Some(id)) => {
                let result = match method {
                    "workspace/configuration" => {
                        let n_items = message["params"]["items"].as_array().map_or(0, Vec::len);
                        json!(vec![self.start.options.clone(); n_items])
                    }
                    _ => Value::Null,
                };
                self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}))?;
            }
            (Some("experimental/serverStatus"), None) => {
                self.is_quiescent = message["params"]["quiescent"] == true;
            }
            (Some("$/progress"), None) => {
                self.has_loaded |= message["params"]["value"]["kind"] == "end";
            }
            (Some(_), None) => {}
        }
        Ok(None)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        Ok(lsp::write(&mut self.stdin, message)?)
    }
}

impl Drop for RawClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(stdout: ChildStdout) -> Receiver<Value> {
    let (heard, messages) = channel();
    std::thread::spawn(move || {
        let mut stdout = BufReader::new(stdout);
        while let Ok(Some(message)) = lsp::read(&mut stdout) {
            if heard.send(message).is_err() {
                return;
            }
        }
    });
    messages
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

fn line_of(path: &Path, from_zero: u64) -> Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let line = text.lines().nth(usize::try_from(from_zero)?);
    Ok(line.ok_or_else(|| anyhow!("{} has no line {}", path.display(), from_zero + 1))?.to_owned())
}
