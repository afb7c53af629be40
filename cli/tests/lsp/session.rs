//! Sessions: the files of a case are written and opened, its steps are made, and the last answer is the outcome.
//!
//! `file NAME` writes a file and opens it; `disk NAME` only writes it. `edit NAME` has two texts with `=>` between them.
//! `ask METHOD NAME [MEMBER=JSON …]` has a stretch of the file with `‸` where the request is about, or nothing.
//! `published NAME` waits for its diagnostics, `message` for what the user is
//! shown, and `refreshed` until the client is told to pull diagnostics again. `client` has the capabilities of the client.
//! `eval` runs a Dialect program over the folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use libtest_mimic::{Failed, Trial};
use literate::{Actual, Case};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::client::Client;

struct Session {
    folder: TempDir,
    client: Client,
    /// The texts of the open files.
    texts: BTreeMap<String, String>,
    version: u64,
    /// The open files whose first diagnostics came.
    settled: BTreeSet<String>,
    is_utf8: bool,
    /// True if the client pulls diagnostics, so that none are published.
    pulls: bool,
}

pub(crate) fn outcome(case: &Case) -> Actual {
    let mut session = Session::start(case);
    let mut actual = Actual::new("failure", "the case asks nothing");
    for input in &case.inputs {
        let name = input.subject.as_str();
        match input.kind.as_str() {
            "file" => session.open(name, &input.text),
            "edit" => session.edit(name, &input.text),
            "eval" => actual = session.eval(&input.text),
            "ask" => actual = session.ask(name, &input.text),
            "message" => {
                let shown = session.client.wait(|it| it["method"] == "window/showMessage");
                actual = Actual::new("json", session.shown(&shown["params"]));
            }
            "refreshed" => drop(session.client.wait(|it| it["method"] == "workspace/diagnostic/refresh")),
            "published" => {
                let found = diagnostics_of(&mut session.client, name);
                actual = Actual::new("json", session.shown(&found));
            }
            _ => {}
        }
    }
    assert_eq!(session.client.stop(), Some(0));
    actual
}

/// Waits for the diagnostics of a file.
fn diagnostics_of(client: &mut Client, name: &str) -> Value {
    let message = client.wait(|it| {
        let uri = it["params"]["uri"].as_str().unwrap_or_default();
        it["method"] == "textDocument/publishDiagnostics" && uri.ends_with(&format!("/{name}"))
    });
    message["params"]["diagnostics"].clone()
}

impl Session {
    fn start(case: &Case) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for input in case.inputs.iter().filter(|it| matches!(it.kind.as_str(), "file" | "disk")) {
            let path = folder.path().join(&input.subject);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, format!("{}\n", input.text)).unwrap();
        }
        let is_utf8 = case.input("encoding") == Some("utf-8");
        let encoding = if is_utf8 { "utf-8" } else { "utf-16" };
        let usual = json!({"general": {"positionEncodings": [encoding]}, "textDocument": {"rename": {"prepareSupport": true}}});
        let capabilities = case.input("client").map_or(usual, |it| serde_json::from_str(it).unwrap());
        let client = Client::start(&uri(folder.path()), &capabilities);
        let pulls = capabilities.pointer("/workspace/diagnostics/refreshSupport").is_some();
        let (texts, settled) = (BTreeMap::new(), BTreeSet::new());
        Self { folder, client, texts, version: 1, settled, is_utf8, pulls }
    }

    fn uri(&self, name: &str) -> String {
        uri(&self.folder.path().join(name))
    }

    fn open(&mut self, name: &str, text: &str) {
        let text = format!("{text}\n");
        let language = if Path::new(name).extension().is_some_and(|it| it == "dialect") {
            "dialect"
        } else {
            "markdown"
        };
        let document = json!({"uri": self.uri(name), "languageId": language, "version": 1, "text": text});
        self.client.tell("textDocument/didOpen", &json!({"textDocument": document}));
        self.texts.insert(name.to_owned(), text);
    }

    /// Waits for the diagnostics of every file as it was opened, so that later ones are about an edit.
    fn settle(&mut self) {
        for name in self.texts.keys().filter(|name| !self.pulls && !self.settled.contains(*name)) {
            diagnostics_of(&mut self.client, name);
        }
        self.settled.extend(self.texts.keys().cloned());
        self.client.heard.clear();
    }

    fn edit(&mut self, name: &str, edit: &str) {
        self.settle();
        let (old, new) = edit.split_once("\n=>\n").unwrap();
        let start = self.texts[name].find(old).unwrap();
        let (from, to) = (self.position(name, start), self.position(name, start + old.len()));
        let changes = json!([{"range": {"start": from, "end": to}, "text": new}]);
        self.version += 1;
        let document = json!({"uri": self.uri(name), "version": self.version});
        self.texts.get_mut(name).unwrap().replace_range(start..start + old.len(), new);
        self.client
            .tell("textDocument/didChange", &json!({"textDocument": document, "contentChanges": changes}));
    }

    fn position(&self, name: &str, offset: usize) -> Value {
        let before = &self.texts[name][..offset];
        let line = before.matches('\n').count();
        let typed = before.rsplit('\n').next().unwrap();
        let column = if self.is_utf8 { typed.len() } else { typed.encode_utf16().count() };
        json!({"line": line, "character": column})
    }

    fn ask(&mut self, asked: &str, marked: &str) -> Actual {
        let mut words = asked.split_whitespace();
        let (method, name) = (words.next().unwrap(), words.next().unwrap_or_default());
        let mut params = json!({});
        if method == "workspace/executeCommand" {
            self.settle();
        }
        if name != "-" {
            params["textDocument"] = json!({"uri": self.uri(name)});
        }
        if let Some((before, after)) = marked.split_once('‸') {
            let at = self.texts[name].find(&format!("{before}{after}")).unwrap() + before.len();
            let position = self.position(name, at);
            params["range"] = json!({"start": position, "end": position});
            params["positions"] = json!([position]);
            params["position"] = position;
        }
        for word in words {
            let (member, value) = word.split_once('=').unwrap();
            let value = value.replace("FOLDER", &uri(self.folder.path()));
            params[member] = serde_json::from_str(&value).unwrap();
        }
        match self.client.ask(method, &params) {
            Ok(result) if method.contains("semanticTokens") => {
                Actual::new("tokens", self.tokens(name, &result))
            }
            Ok(result) => Actual::new("json", self.shown(&result)),
            Err(error) => Actual::new("error", error["message"].as_str().unwrap().to_owned()),
        }
    }

    /// Runs a Dialect program in the folder as agents do: with a server of its own.
    fn eval(&self, program: &str) -> Actual {
        let folder = self.folder.path();
        let own = tempfile::tempdir().unwrap(); // what a workspace holds, servers do not write to
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_dialect"))
            .args(["eval", program])
            .current_dir(folder)
            .env("XDG_CACHE_HOME", own.path().join("cache"))
            .env("XDG_STATE_HOME", own.path().join("state"))
            .env("XDG_CONFIG_HOME", own.path().join("config"))
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        if !output.status.success() {
            let text = text(&output.stdout) + &text(&output.stderr);
            return Actual::new("failure", text.lines().next().unwrap_or_default().to_owned());
        }
        match serde_json::from_slice(&output.stdout) {
            Ok(value) => Actual::new("json", self.shown(&value)),
            Err(_) => Actual::new("text", text(&output.stdout)),
        }
    }

    /// Returns semantic tokens as lines: the text, its kind, and `*` for a definition.
    fn tokens(&self, name: &str, result: &Value) -> String {
        let numbers: Vec<usize> =
            result["data"].as_array().unwrap().iter().map(|it| it.as_u64().unwrap() as usize).collect();
        let lines: Vec<Vec<u16>> =
            self.texts[name].lines().map(|line| line.encode_utf16().collect()).collect();
        let (mut line, mut start) = (0, 0);
        let mut shown = String::new();
        for token in numbers.chunks_exact(5) {
            start = if token[0] == 0 { start + token[1] } else { token[1] };
            line += token[0];
            let text = String::from_utf16(&lines[line][start..start + token[2]]).unwrap();
            let kind = self.client.token_types[token[3]].as_str().unwrap();
            shown.push_str(&format!("{text} {kind}{}\n", if token[4] == 1 { "*" } else { "" }));
        }
        shown.trim_end().to_owned()
    }

    fn shown(&self, value: &Value) -> String {
        let text = serde_json::to_string_pretty(&flat(value)).unwrap();
        text.replace(&uri(self.folder.path()), "FOLDER")
    }
}

/// Returns a message with each range on a line.
fn flat(value: &Value) -> Value {
    match value {
        Value::Object(members) if members.contains_key("start") && members.contains_key("end") => {
            let place = |it: &Value| format!("{}:{}", it["line"], it["character"]);
            format!("{}-{}", place(&members["start"]), place(&members["end"])).into()
        }
        Value::Object(members) => {
            let each = members.iter().map(|(name, value)| (name.clone(), flat(value)));
            let mut flat: Map<String, Value> = each.collect();
            // The protocol's library keeps files in no order.
            if flat.keys().all(|it| it.starts_with("file://")) {
                flat.sort_keys();
            }
            flat.into()
        }
        Value::Array(items) => items.iter().map(flat).collect(),
        value => value.clone(),
    }
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.canonicalize().unwrap_or_else(|_| path.to_owned()).display())
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("a port serves this machine", a_port_serves_this_machine),
        Trial::test("the server ends with its client", ends_with_its_client),
    ]
}

fn a_port_serves_this_machine() -> Result<(), Failed> {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::process::{Command, Stdio};
    let mut server = Command::new(env!("CARGO_BIN_EXE_ailang"))
        .args(["lsp", "--port", "0"])
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    BufReader::new(server.stderr.take().unwrap()).read_line(&mut line)?;
    let address = line.trim().rsplit(' ').next().unwrap().to_owned();
    let mut stream = std::net::TcpStream::connect(&address)?;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;
    write!(stream, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    let mut start = [0; 15];
    stream.read_exact(&mut start)?;
    server.kill()?;
    server.wait()?;
    if address.starts_with("127.0.0.1:") && start == *b"Content-Length:" {
        return Ok(());
    }
    Err(line.into())
}

/// The end of standard input ends the server, and so does `exit` without `shutdown`.
fn ends_with_its_client() -> Result<(), Failed> {
    use std::process::{Command, Stdio};
    let mut server = Command::new(env!("CARGO_BIN_EXE_ailang"))
        .arg("lsp")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    drop(server.stdin.take());
    if server.wait()?.code() == Some(0) { Ok(()) } else { Err("it should end with success".into()) }
}
