//! Conversations of the reference implementation, in both directions: our host with what the recorded plugin wrote, and our
//! plugin with what the recorded host wrote.
//!
//! Each side makes the calls that its recorded namesake made, and answers as that did. What it writes otherwise is told, and
//! what it noticed. `@name` stands for a line that conversations share, and `>j` for one as a text of JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use libtest_mimic::Trial;
use literate::{Actual, Case, chapters};
use serde_json::{Value as Json, json};

use plugin_protocol::Value;
use plugin_protocol::connection::{CallId, Host, Plugin, PluginEvent, Ticket};
use plugin_protocol::envelope::ErrorObject;
use plugin_protocol::methods::{HostCall, PluginCall};
use plugin_protocol::schema::Description;
use plugin_protocol::{Limits, Remote};
use serde_json::value::RawValue;

use crate::host::World;

pub(crate) fn trials() -> Vec<Trial> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("recorded");
    chapters(&folder).into_iter().flat_map(|it| it.trials(run)).collect()
}

/// A line of a conversation.
#[derive(Clone, Debug)]
struct Line {
    is_of_host: bool,
    text: String,
}

/// A line, as far as it is a message.
enum Message {
    Request { id: Option<u64>, method: String, params: Option<Json> },
    Response { id: u64, outcome: Result<Json, String> },
    Other,
}

impl Line {
    fn message(&self) -> Message {
        let Ok(json) = serde_json::from_str::<Json>(&self.text) else { return Message::Other };
        let id = json.get("id").and_then(Json::as_u64);
        if let Some(method) = json.get("method").and_then(Json::as_str) {
            return Message::Request { id, method: method.to_owned(), params: json.get("params").cloned() };
        }
        let error = json.get("error").and_then(|it| it.get("message")?.as_str().map(str::to_owned));
        match (id, error) {
            (Some(id), Some(error)) => Message::Response { id, outcome: Err(error) },
            (Some(id), None) => {
                Message::Response { id, outcome: Ok(json.get("result").cloned().unwrap_or_default()) }
            }
            _ => Message::Other,
        }
    }
}

fn run(case: &Case) -> Actual {
    let lines = in_order(lines(case));
    let mut host = OurHost::default();
    let mut plugin = OurPlugin::default();
    for line in &lines {
        match line.is_of_host {
            true => {
                host.writes(line);
                plugin.receives(line);
            }
            false => {
                host.receives(line);
                plugin.writes(line);
            }
        }
    }
    let mut told = vec!["our host:".to_owned()];
    told.extend(host.told.into_iter().map(|it| format!("  {it}")));
    told.push("our plugin:".to_owned());
    told.extend(plugin.told.into_iter().map(|it| format!("  {it}")));
    Actual::new("told", told.join("\n"))
}

fn lines(case: &Case) -> Vec<Line> {
    let shared: BTreeMap<&str, &str> =
        case.inputs_of("line").map(|it| (it.subject.as_str(), it.text.as_str())).collect();
    let talk = case.input("talk").expect("a case is a conversation");
    let line = |line: &str| {
        let (mark, text) = line.split_once(' ').expect("a line has a mark");
        let text = match (mark, text.strip_prefix('@')) {
            (">j" | "<j", _) => serde_json::from_str(text).expect("a text of JSON"),
            (_, Some(name)) => shared[name].to_owned(),
            (_, None) => text.to_owned(),
        };
        Line { is_of_host: mark.starts_with('>'), text }
    };
    talk.lines().map(line).collect()
}

/// Puts each answer behind its request: the recorder took the lines of each direction in order, and those of both together
/// nearly so.
fn in_order(mut lines: Vec<Line>) -> Vec<Line> {
    // No host calls before the handshake is answered.
    let is_answer = |it: &Line| matches!(it.message(), Message::Response { id: 1, .. }) && !it.is_of_host;
    if let Some(at) =
        lines.iter().position(is_answer).filter(|it| lines.iter().take(*it).skip(1).all(|it| it.is_of_host))
    {
        let answer = lines.remove(at);
        lines.insert(1, answer);
    }
    let mut ordered: Vec<Line> = Vec::new();
    let mut early: Vec<Line> = Vec::new();
    for line in lines {
        let is_early = match line.message() {
            Message::Response { id, .. } => !has_request(&ordered, !line.is_of_host, id),
            _ => false,
        };
        // What one side writes stays in its order.
        if is_early || early.iter().any(|it| it.is_of_host == line.is_of_host) {
            early.push(line);
            continue;
        }
        ordered.push(line);
        while let Some(first) = early.first() {
            match first.message() {
                Message::Response { id, .. } if !has_request(&ordered, !first.is_of_host, id) => break,
                _ => ordered.push(early.remove(0)),
            }
        }
    }
    ordered.extend(early);
    ordered
}

fn has_request(lines: &[Line], of_host: bool, wanted: u64) -> bool {
    lines
        .iter()
        .filter(|it| it.is_of_host == of_host)
        .any(|it| matches!(it.message(), Message::Request { id: Some(id), .. } if id == wanted))
}

/// Our host, in place of the recorded one.
#[derive(Default)]
struct OurHost {
    world: World,
    /// The ids of our calls, by those of the recorded ones.
    ids: BTreeMap<u64, u64>,
    /// The callbacks that wait, by the ids of the plugin's requests.
    tickets: BTreeMap<u64, Ticket>,
    /// The answers without the recorded host's word, by the ids of the plugin's requests.
    answered: BTreeMap<u64, Json>,
    /// A call that was written without the recorded host's word.
    written: Option<Json>,
    told: Vec<String>,
}

impl OurHost {
    fn writes(&mut self, line: &Line) {
        match line.message() {
            Message::Request { id: Some(id), method, params } => self.calls(id, &method, params, &line.text),
            Message::Response { id, outcome } => self.answers(id, outcome, &line.text),
            _ => self.told.push(format!("does not write {}", short(&line.text))),
        }
    }

    fn calls(&mut self, id: u64, method: &str, params: Option<Json>, text: &str) {
        let call = HostCall::read(method, raw(params).as_deref());
        let session = &mut self.world.session;
        let called = match call {
            Ok(HostCall::Handshake(_)) => session.start(self.world.now).map_err(|it| it.to_string()),
            Ok(HostCall::Shutdown) => {
                session.shutdown(self.world.now);
                Ok(())
            }
            Ok(call) => session.call(&call).map(drop).map_err(|it| it.to_string()),
            Err(error) => Err(error.message),
        };
        let ours = self.output().into_iter().find(|it| it.get("method").is_some());
        let Some(ours) = ours.or_else(|| self.written.take()) else {
            let why = called.err().unwrap_or_else(|| "nothing is written".to_owned());
            return self.told.push(format!("does not call {}: {why}", short(text)));
        };
        self.ids.extend(ours["id"].as_u64().map(|it| (id, it)));
        let mut theirs: Json = serde_json::from_str(text).expect("it was read");
        theirs["id"] = ours["id"].clone();
        if method == "scriptling.handshake" {
            theirs["params"] = ours["params"].clone(); // the version of the host is ours
        }
        self.told.extend(difference(&ours, &theirs));
    }

    fn answers(&mut self, id: u64, outcome: Result<Json, String>, text: &str) {
        let ours = match (self.answered.remove(&id), self.tickets.remove(&id)) {
            (Some(answered), _) => Some(answered),
            (None, Some(ticket)) => {
                let value = outcome.map(|it| {
                    let raw = raw(Some(it)).expect("there is one");
                    Value::read(&raw, "result").expect("the recorded host writes values")
                });
                self.world.session.answer_callback(ticket, value.as_ref().map_err(String::as_str));
                self.output().into_iter().next()
            }
            (None, None) => None,
        };
        let theirs: Json = serde_json::from_str(text).expect("it was read");
        match ours {
            Some(ours) => self.told.extend(difference(&ours, &theirs)),
            None => self.told.push(format!("does not answer {}", short(text))),
        }
    }

    fn receives(&mut self, line: &Line) {
        let mut text = line.text.clone();
        if let Message::Response { id, .. } = line.message()
            && let Some(ours) = self.ids.get(&id).filter(|it| **it != id)
        {
            let mut json: Json = serde_json::from_str(&text).expect("it was read");
            json["id"] = (*ours).into();
            text = json.to_string();
        }
        let known = self.world.tickets.len();
        self.world.session.receive(format!("{text}\n").as_bytes(), self.world.now);
        self.world.collect();
        self.told.append(&mut self.world.events);
        if let Message::Request { id: Some(id), .. } = line.message() {
            self.tickets.extend(self.world.tickets.get(known).map(|it| (id, *it)));
        }
        for message in self.output() {
            match message["id"].as_u64() {
                Some(id) if message.get("method").is_none() => drop(self.answered.insert(id, message)),
                _ => self.written = Some(message),
            }
        }
    }

    fn output(&mut self) -> Vec<Json> {
        messages(&self.world.session.take_output())
    }
}

/// Our plugin, in place of the recorded one.
struct OurPlugin {
    plugin: Plugin,
    tickets: BTreeMap<u64, (Ticket, HostCall)>,
    /// The answers without the recorded plugin's word.
    answered: BTreeMap<u64, Json>,
    told: Vec<String>,
}

impl Default for OurPlugin {
    fn default() -> Self {
        let (tickets, answered, told) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        Self { plugin: Plugin::new(Limits::default()), tickets, answered, told }
    }
}

impl OurPlugin {
    fn receives(&mut self, line: &Line) {
        self.plugin.receive(format!("{}\n", line.text).as_bytes());
        while let Some(event) = self.plugin.next_event() {
            match event {
                PluginEvent::Call { ticket: Some(ticket), call } => {
                    // The call was read as it was meant if it is written the same.
                    let theirs: Json = serde_json::from_str(&line.text).unwrap_or_default();
                    let only = |it: &Json| json!({"method": it["method"], "params": it["params"]});
                    match written_call(&call) {
                        Some(ours) => self.told.extend(difference(&only(&ours), &only(&theirs))),
                        None => self.told.push(format!("cannot write what it read: {}", short(&line.text))),
                    }
                    if let Some(id) = theirs["id"].as_u64() {
                        self.tickets.insert(id, (ticket, call));
                    }
                }
                PluginEvent::Call { ticket: None, .. } => self.told.push("a call without answer".to_owned()),
                PluginEvent::Answer { outcome, .. } => match outcome {
                    Ok(value) => self.told.push(format!("is answered {}", crate::show::value(&value))),
                    Err(error) => self.told.push(format!("is answered: {error}")),
                },
                PluginEvent::Skipped(broken) => {
                    self.told.push(format!("skipped {}: {}", broken.excerpt, broken.reason));
                }
                PluginEvent::Closed(reason) => self.told.push(format!("closed: {reason}")),
            }
        }
        for answer in messages(&self.plugin.take_output()) {
            self.answered.extend(answer["id"].as_u64().map(|it| (it, answer.clone())));
        }
    }

    fn writes(&mut self, line: &Line) {
        let theirs: Json = serde_json::from_str(&line.text).unwrap_or_default();
        let ours = match line.message() {
            Message::Response { id, outcome } => {
                match (self.answered.remove(&id), self.tickets.remove(&id)) {
                    (Some(answered), _) => Some(answered),
                    (None, Some((ticket, call))) => {
                        self.answer(ticket, &call, outcome);
                        messages(&self.plugin.take_output()).into_iter().next()
                    }
                    (None, None) => None,
                }
            }
            Message::Request { method, params, .. } => self.calls(&method, params, &theirs["id"]),
            Message::Other => return,
        };
        match ours {
            Some(ours) => self.told.extend(difference(&ours, &theirs)),
            None => self.told.push(format!("does not write {}", short(&line.text))),
        }
    }

    fn calls(&mut self, method: &str, params: Option<Json>, id: &Json) -> Option<Json> {
        let call = PluginCall::read(method, raw(params).as_deref()).ok()?;
        self.plugin.call(&call).ok()?;
        let mut ours = messages(&self.plugin.take_output()).into_iter().next()?;
        ours["id"] = id.clone();
        Some(ours)
    }

    fn answer(&mut self, ticket: Ticket, call: &HostCall, outcome: Result<Json, String>) {
        let outcome = match outcome {
            Ok(result) => result,
            Err(error) => return self.plugin.answer(ticket, Err(ErrorObject::new(error))),
        };
        let result = raw(Some(outcome));
        match call {
            HostCall::Handshake(_) => match Description::read(result.as_deref()) {
                Ok(description) => self.plugin.answer_handshake(ticket, &description),
                Err(error) => {
                    self.told.push(format!("has no such description: {error}"));
                    self.plugin.answer_done(ticket);
                }
            },
            HostCall::New { .. } => {
                let part = |json: &Json, name: &str| json[name].as_str().unwrap_or_default().to_owned();
                let json = result
                    .as_ref()
                    .and_then(|it| serde_json::from_str::<Json>(it.get()).ok())
                    .unwrap_or_default();
                let id = part(&json, "id");
                let object = Remote { library: part(&json, "library"), class: part(&json, "class"), id };
                self.plugin.answer_object(ticket, &object);
            }
            HostCall::Function { .. } | HostCall::Method { .. } => {
                match result.map(|it| Value::read(&it, "result")).transpose() {
                    Ok(value) => self.plugin.answer(ticket, Ok(&value.unwrap_or_default())),
                    Err(error) => {
                        self.told.push(format!("has no such value: {error}"));
                        self.plugin.answer_done(ticket);
                    }
                }
            }
            HostCall::Destroy { .. } | HostCall::Shutdown | HostCall::Environment => {
                self.plugin.answer_done(ticket);
            }
        }
    }
}

/// Returns the message that our host writes for a call.
fn written_call(call: &HostCall) -> Option<Json> {
    let mut host = Host::new(Limits::default());
    let CallId(_) = host.call(call).ok()?;
    messages(&host.take_output()).into_iter().next()
}

fn messages(output: &[u8]) -> Vec<Json> {
    let lines = crate::lines(output).expect("whole lines of JSON are written");
    lines.iter().map(|it| serde_json::from_str(it).expect("it was read")).collect()
}

fn raw(json: Option<Json>) -> Option<Box<RawValue>> {
    json.map(|it| RawValue::from_string(it.to_string()).expect("it is JSON"))
}

fn short(text: &str) -> String {
    let start: String = text.chars().take(120).collect();
    if start.len() < text.len() { format!("{start}…") } else { start }
}

/// Returns how two messages differ, member by member; nothing if they mean the same.
fn difference(ours: &Json, theirs: &Json) -> Vec<String> {
    let mut found = Vec::new();
    compare("", Some(&plain(ours)), Some(&plain(theirs)), &mut found);
    found
}

fn compare(at: &str, ours: Option<&Json>, theirs: Option<&Json>, found: &mut Vec<String>) {
    match (ours, theirs) {
        (ours, theirs) if ours == theirs => {}
        (Some(Json::Object(ours)), Some(Json::Object(theirs))) => {
            let keys: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
            for key in keys {
                let at = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                compare(&at, ours.get(key), theirs.get(key), found);
            }
        }
        (Some(Json::Array(ours)), Some(Json::Array(theirs))) if ours.len() == theirs.len() => {
            for (index, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                compare(&format!("{at}[{index}]"), Some(ours), Some(theirs), found);
            }
        }
        (ours, theirs) => {
            let shown = |it: Option<&Json>| it.map_or("none".to_owned(), |it| short(&it.to_string()));
            found.push(format!("{at}: ours {}, theirs {}", shown(ours), shown(theirs)));
        }
    }
}

/// Returns a message without the forms that mean the same: an empty list without items, no result for null, 3 for 3.0, and
/// the code of an error, which nobody reads.
fn plain(json: &Json) -> Json {
    match json {
        Json::Array(items) => items.iter().map(plain).collect(),
        Json::Object(members) => {
            let is_empty = |it: &Json| match it {
                Json::Null => true,
                Json::String(it) => it.is_empty(),
                Json::Array(it) => it.is_empty(),
                Json::Object(it) => it.is_empty(),
                Json::Bool(_) | Json::Number(_) => false,
            };
            let kept = members.iter().filter(|(key, it)| match key.as_str() {
                "value" | "id" => true,
                "code" => false,
                _ => !is_empty(it),
            });
            kept.map(|(key, it)| (key.clone(), plain(it))).collect()
        }
        Json::Number(it) => match it.as_f64().filter(|it| it.fract() == 0.0 && it.abs() < 1e15) {
            Some(whole) => json!(whole as i64),
            None => json.clone(),
        },
        other => other.clone(),
    }
}
