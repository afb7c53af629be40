//! The fake language server: knows code by its words alone, and misbehaves as it is told.
//!
//! Its plan is JSON: `{"ready": "when told", "early": "empty", "faults": [{"on": METHOD, "do": FAULT, "times": N}],
//! "noise": [NOISE]}`, every field optional; a fault that says `"life": N` strikes in the Nth life in a workspace
//! alone. FAULT is one of `die`, `hang`, `deaf` (hangs, and ignores being cancelled), `stuck` (hears and says nothing
//! any more), `null`, `empty`, `error`, `nonsense` (a result of another shape), `modified` (-32801), `busy` (-32802),
//! `grow` (answers, and takes 300 MB more). NOISE is one of `stderr` (a megabyte of it), `notifications` (of a
//! vendor), `junk` (a frame that is no message), `configuration` (asks, and answers nothing before it was answered),
//! `questions` (the same with everything that servers ask). `"answers": {METHOD: RESULT}` are given in place of its own, `~`
//! being the URI of its folder, and `"capabilities": {NAME: VALUE}` said in place of its own; `"diagnostics": "pushed"`
//! says what is wrong unasked, and `"complaint": TEXT` what is wrong with the project. `{"as": {PROGRAM: PLAN}}` is a
//! plan for each name that it is started by.

mod changes;
mod ways;
mod words;

use std::collections::HashMap;
use std::io::{self, BufReader, BufWriter, Stdin, Stdout, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use words::Words;

use crate::record::Log;
use crate::{control, lsp};
use unpoisoned::lock;

/// Methods that need the code to be loaded.
const QUESTIONS: [&str; 4] =
    ["workspace/symbol", "textDocument/references", "textDocument/definition", "textDocument/documentSymbol"];

struct Server {
    plan: Value,
    log: Log,
    output: Mutex<BufWriter<Stdout>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    root: PathBuf,
    /// The texts of open documents.
    open: HashMap<PathBuf, String>,
    is_ready: bool,
    /// True when it has reported that it loads.
    is_loading: bool,
    /// True when the harness made it ready before it reported so.
    is_told: bool,
    /// Requests that hang, and whether a cancellation ends them.
    hanging: Vec<(Value, bool)>,
    /// The number of times that each fault has struck.
    struck: Vec<u64>,
    /// Questions that wait for the client's answer to ours.
    held: Vec<Value>,
    /// The number of this server's own requests without an answer.
    n_asked: usize,
    /// Counts from 1; 0 where no fault asks.
    life: u64,
}

/// Serves standard input until it ends or the client says `exit`.
///
/// # Errors
/// When a stream breaks.
pub fn run(plan: Value, log: Log, commands: Option<TcpStream>) -> io::Result<()> {
    let n_faults = plan["faults"].as_array().map_or(0, Vec::len);
    let n_asked = questions(&plan).len();
    let state = State { struck: vec![0; n_faults], n_asked, ..State::default() };
    let output = Mutex::new(BufWriter::new(io::stdout()));
    let server = Arc::new(Server { plan, log, output, state: Mutex::new(state) });
    if let Some(commands) = commands {
        let told = Arc::clone(&server);
        std::thread::spawn(move || control::each(commands, |command| told.obey(command)));
    }
    server.serve(&mut BufReader::new(io::stdin()))
}

fn makes(plan: &Value, noise: &str) -> bool {
    plan["noise"].as_array().is_some_and(|it| it.contains(&json!(noise)))
}

/// Returns the requests that it sends: method and params of each.
fn questions(plan: &Value) -> Vec<(&'static str, Value)> {
    let configuration = ("workspace/configuration", json!({"items": [{"section": "fake"}]}));
    if makes(plan, "questions") {
        let registration =
            json!({"registrations": [{"id": "r", "method": "workspace/didChangeWatchedFiles"}]});
        return vec![
            configuration,
            ("client/registerCapability", registration),
            ("window/workDoneProgress/create", json!({"token": "t"})),
            ("workspace/applyEdit", json!({"edit": {"changes": {}}})),
            ("window/showMessageRequest", json!({"type": 3, "message": "?", "actions": [{"title": "Yes"}]})),
            ("workspace/workspaceFolders", Value::Null),
        ];
    }
    if makes(plan, "configuration") { vec![configuration] } else { Vec::new() }
}

impl Server {
    fn serve(&self, input: &mut BufReader<Stdin>) -> io::Result<()> {
        while let Some(message) = lsp::read(input)? {
            self.log.heard(message.clone(), None);
            match (message["method"].as_str(), &message["id"]) {
                (Some("exit"), _) => return Ok(()),
                (Some(method), Value::Null) => self.notified(method, &message["params"])?,
                (Some(method), id) => self.asked(id, method, &message)?,
                (None, _) => self.answered(&message)?,
            }
        }
        Ok(())
    }

    fn notified(&self, method: &str, params: &Value) -> io::Result<()> {
        match method {
            "initialized" if self.fault(method).is_some() => Err(io::Error::other("told to die")),
            "initialized" => self.load(),
            "$/cancelRequest" => self.cancel(&params["id"]),
            "textDocument/didOpen" => self.hold(params, &params["textDocument"]["text"]),
            "textDocument/didChange" => self.hold(params, &params["contentChanges"][0]["text"]),
            "textDocument/didClose" => self.hold(params, &Value::Null),
            _ => Ok(()),
        }
    }

    /// The client says what a document holds; without a text, the disk does.
    fn hold(&self, params: &Value, text: &Value) -> io::Result<()> {
        let path = words::path_of(params["textDocument"]["uri"].as_str().unwrap_or_default());
        {
            let open = &mut lock(&self.state).open;
            match text.as_str() {
                Some(text) => open.insert(path, text.to_owned()),
                None => open.remove(&path),
            };
        }
        self.publish(&params["textDocument"])
    }

    /// As rust-analyzer does it: not quiescent, fetching, quiescent.
    fn load(&self) -> io::Result<()> {
        self.make_noise()?;
        self.status(false)?;
        let is_told = {
            let mut state = lock(&self.state);
            state.is_loading = true;
            state.is_told
        };
        match self.plan["ready"].as_str() {
            Some("when told" | "never") if !is_told => Ok(()),
            _ => self.be_ready(),
        }
    }

    /// Not before it has said that it loads: what would come of the other order is nobody's question.
    fn be_told(&self) -> io::Result<()> {
        let is_loading = {
            let mut state = lock(&self.state);
            state.is_told = true;
            state.is_loading
        };
        if is_loading { self.be_ready() } else { Ok(()) }
    }

    fn be_ready(&self) -> io::Result<()> {
        for (token, kind) in [("rustAnalyzer/Fetching", "begin"), ("rustAnalyzer/Fetching", "end")] {
            let value = json!({"kind": kind, "title": "Fetching"});
            self.notify("$/progress", json!({"token": token, "value": value}))?;
        }
        lock(&self.state).is_ready = true;
        self.status(true)
    }

    /// `progress 25 indexing 12/48`: how far it says to be.
    fn progress(&self, words: &str) -> io::Result<()> {
        let (percentage, message) = words.split_once(' ').unwrap_or((words, ""));
        let value =
            json!({"kind": "report", "message": message, "percentage": percentage.parse().unwrap_or(0)});
        self.notify("$/progress", json!({"token": "rustAnalyzer/Fetching", "value": value}))
    }

    fn status(&self, quiescent: bool) -> io::Result<()> {
        let complaint = &self.plan["complaint"];
        let health = if complaint.is_null() { "ok" } else { "warning" };
        let status = json!({"health": health, "quiescent": quiescent, "message": complaint});
        self.notify("experimental/serverStatus", status)
    }

    fn make_noise(&self) -> io::Result<()> {
        if makes(&self.plan, "stderr") {
            io::stderr().write_all("noise on standard error\n".repeat(45_000).as_bytes())?;
        }
        if makes(&self.plan, "notifications") {
            self.notify("vendor/unheardOf", json!(["an", "array"]))?;
            self.notify("telemetry/event", json!(null))?;
            self.notify("$/progress", json!({"token": 7, "value": {"items": []}}))?;
        }
        if makes(&self.plan, "junk") {
            self.raw("Content-Length: 9\r\n\r\nnot JSON!")?;
        }
        questions(&self.plan).into_iter().try_for_each(|(method, params)| {
            self.write(&json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params}))
        })
    }

    /// The client answered a question of ours: when that was the last, what waited for it goes on. A client that
    /// refuses one waits for ever.
    fn answered(&self, answer: &Value) -> io::Result<()> {
        let held = {
            let mut state = lock(&self.state);
            state.n_asked -= usize::from(answer["error"].is_null());
            if state.n_asked > 0 {
                return Ok(());
            }
            std::mem::take(&mut state.held)
        };
        held.iter().try_for_each(|it| self.asked(&it["id"], it["method"].as_str().unwrap_or_default(), it))
    }

    fn asked(&self, id: &Value, method: &str, message: &Value) -> io::Result<()> {
        if method == "initialize" {
            self.begin_life(&message["params"])?;
        }
        if lock(&self.state).n_asked > 0 && !matches!(method, "initialize" | "shutdown") {
            lock(&self.state).held.push(message.clone());
            return Ok(());
        }
        match self.fault(method) {
            Some(fault) if fault == "grow" => {
                std::mem::forget(vec![1_u8; 300_000_000]);
                self.answer(id, self.result(method, &message["params"]))
            }
            Some(fault) => self.misbehave(id, &fault),
            None => self.answer(id, self.result(method, &message["params"])),
        }
    }

    /// The fault that strikes now, if one does.
    fn fault(&self, method: &str) -> Option<String> {
        let mut state = lock(&self.state);
        if !state.is_ready && QUESTIONS.contains(&method) {
            return Some(self.plan["early"].as_str().unwrap_or("empty").to_owned());
        }
        for (at, fault) in self.plan["faults"].as_array().into_iter().flatten().enumerate() {
            let is_left = fault["times"].as_u64().is_none_or(|times| state.struck[at] < times);
            let is_now = fault["life"].as_u64().is_none_or(|life| state.life == life);
            if fault["on"] == method && is_left && is_now {
                state.struck[at] += 1;
                return Some(fault["do"].as_str().unwrap_or_default().to_owned());
            }
        }
        None
    }

    fn misbehave(&self, id: &Value, fault: &str) -> io::Result<()> {
        match fault {
            "die" => Err(io::Error::other("told to die")),
            "hang" | "deaf" => {
                lock(&self.state).hanging.push((id.clone(), fault == "hang"));
                Ok(())
            }
            "stuck" => loop {
                std::thread::park();
            },
            "null" => self.answer(id, Ok(Value::Null)),
            "empty" => self.answer(id, Ok(json!([]))),
            "nonsense" => self.answer(id, Ok(json!({"unheard": "of"}))),
            "modified" => self.answer(id, Err((-32801, "content modified"))),
            "busy" => self.answer(id, Err((-32802, "server cancelled"))),
            _ => self.answer(id, Err((-32603, "the fake server was told to fail"))),
        }
    }

    fn cancel(&self, id: &Value) -> io::Result<()> {
        let is_ended = {
            let mut state = lock(&self.state);
            let found = state.hanging.iter().position(|(hanging, heeds)| hanging == id && *heeds);
            found.map(|at| state.hanging.swap_remove(at)).is_some()
        };
        if is_ended { self.answer(id, Err((-32800, "cancelled"))) } else { Ok(()) }
    }

    /// Obeys the commands of the harness while the server runs.
    fn obey(&self, command: &str) {
        let (word, rest) = command.split_once(' ').unwrap_or((command, ""));
        let obeyed = match word {
            "ready" => self.be_told(),
            "progress" => self.progress(rest),
            "busy" => {
                lock(&self.state).is_ready = false;
                self.status(false)
            }
            "die" => {
                // The main thread sits in a read; ending the whole process is what dying means.
                eprintln!("told to die");
                control::end_process()
            }
            _ => Err(io::Error::other(format!("no command `{command}`"))),
        };
        if let Err(error) = obeyed {
            eprintln!("fake-language-server: {command}: {error}");
        }
    }

    fn result(&self, method: &str, params: &Value) -> Result<Value, (i64, &'static str)> {
        let words = {
            let state = lock(&self.state);
            Words::of(&state.root, &state.open)
        };
        if let Some(answer) = self.plan["answers"].get(method) {
            let uri = format!("file://{}", lock(&self.state).root.display());
            let text = answer.to_string().replace('~', &uri);
            return serde_json::from_str(&text).map_err(|_| (-32603, "the plan is no JSON"));
        }
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        Ok(match method {
            "initialize" => self.initialized(),
            "shutdown" => Value::Null,
            "workspace/symbol" => words.symbols(params["query"].as_str().unwrap_or_default()),
            "textDocument/documentSymbol" => words.symbols_of(&params["textDocument"]["uri"]),
            "textDocument/definition" => words.definitions(params),
            "textDocument/references" => words.references(params),
            "textDocument/rename" => words.renamed_module(params).unwrap_or_else(|| words.renamed(params)),
            "textDocument/declaration" => words.definitions(params),
            "textDocument/typeDefinition" => words.type_definitions(params),
            "textDocument/implementation" => words.implementations(params),
            "textDocument/hover" => words.hover(params),
            "textDocument/prepareCallHierarchy" | "textDocument/prepareTypeHierarchy" => {
                words.prepared(params)
            }
            "callHierarchy/incomingCalls" => words.incoming(params),
            "callHierarchy/outgoingCalls" => words.outgoing(params),
            "typeHierarchy/supertypes" => words.supertypes(params),
            "typeHierarchy/subtypes" => words.subtypes(params),
            "textDocument/diagnostic" => json!({"kind": "full", "items": words.wrong(uri)}),
            "textDocument/codeAction" => words.actions(params),
            "codeAction/resolve" => {
                let mut whole = params.clone();
                whole["edit"] = params["data"].clone();
                whole
            }
            "textDocument/formatting" | "textDocument/rangeFormatting" => {
                Words::formatted(&self.text_of(uri), &params["range"])
            }
            "workspace/executeCommand" => {
                let params = json!({"edit": params["arguments"][0]});
                let ask = json!({"jsonrpc": "2.0", "id": "edit", "method": "workspace/applyEdit", "params": params});
                self.write(&ask).map_err(|_| (-32603, "nobody hears"))?;
                Value::Null
            }
            _ => return Err((-32601, "the fake server has no such method")),
        })
    }

    /// Learns where it works, and how often it has done so there before if that matters.
    fn begin_life(&self, params: &Value) -> io::Result<()> {
        let root =
            params["workspaceFolders"][0]["uri"].as_str().or(params["rootUri"].as_str()).unwrap_or_default();
        let root = words::path_of(root);
        let counts = self.plan["faults"].as_array().into_iter().flatten().any(|it| it["life"].is_u64());
        let mut state = lock(&self.state);
        if counts {
            let file = root.join(".lives");
            state.life = std::fs::read_to_string(&file).map_or(0, |it| it.len() as u64) + 1;
            std::fs::write(file, "|".repeat(usize::try_from(state.life).unwrap_or_default()))?;
        }
        state.root = root;
        Ok(())
    }

    fn initialized(&self) -> Value {
        let mut capabilities = json!({
            "textDocumentSync": 1, "definitionProvider": true, "renameProvider": true, "referencesProvider": true,
            "documentSymbolProvider": true, "workspaceSymbolProvider": true, "declarationProvider": true,
            "typeDefinitionProvider": true, "implementationProvider": true, "hoverProvider": true,
            "callHierarchyProvider": true, "typeHierarchyProvider": true, "documentFormattingProvider": true,
            "documentRangeFormattingProvider": true, "codeActionProvider": {"resolveProvider": true},
            "executeCommandProvider": {"commands": changes::COMMANDS},
        });
        if !self.pushes() {
            capabilities["diagnosticProvider"] = json!({});
        }
        for (name, value) in self.plan["capabilities"].as_object().into_iter().flatten() {
            capabilities[name] = value.clone();
        }
        json!({"serverInfo": {"name": "fake-language-server"}, "capabilities": capabilities})
    }

    fn pushes(&self) -> bool {
        self.plan["diagnostics"] == "pushed"
    }

    /// Returns the text of a document.
    fn text_of(&self, uri: &str) -> String {
        let path = words::path_of(uri);
        let open = lock(&self.state).open.get(&path).cloned();
        open.or_else(|| std::fs::read_to_string(path).ok()).unwrap_or_default()
    }

    /// Says what is wrong with a document, of that version.
    fn publish(&self, document: &Value) -> io::Result<()> {
        if !self.pushes() || document["version"].is_null() {
            return Ok(());
        }
        let words = {
            let state = lock(&self.state);
            Words::of(&state.root, &state.open)
        };
        let wrong = words.wrong(document["uri"].as_str().unwrap_or_default());
        let params = json!({"uri": document["uri"], "version": document["version"], "diagnostics": wrong});
        self.notify("textDocument/publishDiagnostics", params)
    }

    fn answer(&self, id: &Value, result: Result<Value, (i64, &'static str)>) -> io::Result<()> {
        self.write(&match result {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err((code, message)) => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
            }
        })
    }

    fn notify(&self, method: &str, params: Value) -> io::Result<()> {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    fn write(&self, message: &Value) -> io::Result<()> {
        lsp::write(&mut *lock(&self.output), message)
    }

    fn raw(&self, text: &str) -> io::Result<()> {
        let mut output = lock(&self.output);
        output.write_all(text.as_bytes())?;
        output.flush()
    }
}
