//! A record as text that is the same in every run: who said what to whom, without ids, ports, paths and times.
//!
//! Each message stands once, when it was heard. What the agent says stands before what the chain asks of the editor
//! later: the two go different ways. `as sent` means equal as JSON, with the keys in the same order.

use std::collections::HashMap;
use std::str::FromStr;

use regex::Regex;
use serde_json::Value;

use crate::record::{Entry, Way};

/// The style of a transcript.
#[derive(Clone, Debug, Default)]
pub struct Style {
    /// Placeholders for paths in the text, the temporary folder's before all others.
    pub names: Vec<(String, &'static str)>,
    /// Methods of the language server's client that are shown; others are not.
    pub server_hears: Vec<String>,
    pub order: Order,
}

/// The order of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// In which they were heard.
    #[default]
    AsHeard,
    /// In each step by who heard them: `by hearer`.
    ByHearer,
    /// After all steps, by who heard them, and for each by session: `by session`.
    BySession,
}

impl FromStr for Order {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> anyhow::Result<Self> {
        match name {
            "by hearer" => Ok(Self::ByHearer),
            "by session" => Ok(Self::BySession),
            _ => anyhow::bail!("no order is called `{name}`"),
        }
    }
}

/// One line, and what it may be sorted by.
struct Line {
    /// The index of its entry.
    at: usize,
    /// Counts the steps before it.
    step: usize,
    hearer: String,
    session: String,
    /// Cancellations stand last: what they cancel may end before or after them.
    is_cancellation: bool,
    text: String,
}

impl Line {
    fn in_session(&self) -> (&str, &str, bool) {
        (&self.hearer, &self.session, self.is_cancellation)
    }
}

/// The transcript of the entries from `start` on.
pub fn transcript(entries: &[Entry], start: usize, style: &Style) -> String {
    let mut lines = lines(entries, start, style);
    match style.order {
        Order::AsHeard => {}
        Order::ByHearer => lines.sort_by(|a, b| (a.step, &a.hearer).cmp(&(b.step, &b.hearer))),
        Order::BySession => lines.sort_by(|a, b| a.in_session().cmp(&b.in_session())),
    }
    let lines: Vec<String> = lines.into_iter().map(|it| it.text).collect();
    normalise(&counted(&lines).join("\n"), style) + "\n"
}

fn lines(entries: &[Entry], start: usize, style: &Style) -> Vec<Line> {
    let mates = mates(entries);
    let mut lines = Vec::new();
    let mut step = 0;
    for (at, entry) in entries.iter().enumerate().skip(start) {
        let mate = mates.get(&at).copied();
        let text = match entry.way {
            Way::Step => {
                step += 1;
                format!("▸ {}", entry.message.as_str().unwrap_or_default())
            }
            Way::Heard if is_shown(entry, style) => line(entries, at, mate),
            _ => continue,
        };
        // The index at which the agent sent it.
        let sent = mate.filter(|_| entry.player == "editor");
        let overtook =
            |it: &&Line| sent.is_some_and(|sent| it.at > sent) && is_asked_by_chain(entries, it.at, &mates);
        let n_overtook = lines.iter().rev().take_while(overtook).count();
        lines.insert(
            lines.len() - n_overtook,
            Line {
                at,
                step,
                hearer: entry.player.clone(),
                session: session(entries, entry),
                is_cancellation: cancelled(entries, entry).is_some(),
                text,
            },
        );
    }
    lines
}

/// Returns `true` for a request that the chain makes of the editor by itself.
fn is_asked_by_chain(entries: &[Entry], at: usize, mates: &HashMap<usize, usize>) -> bool {
    let entry = &entries[at];
    let is_request = entry.message.get("id").is_some() && !entry.is_response();
    entry.player == "editor" && is_request && !mates.contains_key(&at)
}

/// The session that a message is about: that of its request for a response or a cancellation.
fn session(entries: &[Entry], entry: &Entry) -> String {
    let of = |message: &Value| message["params"]["sessionId"].as_str().unwrap_or_default().to_owned();
    if let Some(Some(asked)) = cancelled(entries, entry) {
        return of(&asked.message);
    }
    if !entry.is_response() {
        return of(&entry.message);
    }
    let is_request = |it: &&Entry| {
        it.player == entry.player
            && it.way == Way::Sent
            && !it.is_response()
            && it.message["id"] == entry.message["id"]
    };
    entries.iter().find(is_request).map(|it| of(&it.message)).unwrap_or_default()
}

/// Lines that follow themselves stand once, with their number.
fn counted(lines: &[String]) -> Vec<String> {
    let runs = lines.chunk_by(|a, b| a == b);
    runs.map(|it| if it.len() > 1 { format!("{}  ×{}", it[0], it.len()) } else { it[0].clone() }).collect()
}

fn is_shown(entry: &Entry, style: &Style) -> bool {
    match entry.player.as_str() {
        "server" => style.server_hears.iter().any(|it| it == entry.method()),
        // What the agent says to its MCP servers it tells in its own words. How long one waits for a server depends on
        // the machine.
        _ => entry.method() != "mcp/message" && !is_loading(entry) && !accepts_prompt(entry),
    }
}

/// Returns `true` if it accepts a prompt in version 2 of ACP. Conductors let the first update overtake it, or not.
fn accepts_prompt(entry: &Entry) -> bool {
    let result = &entry.message["result"];
    entry.of.as_deref() == Some("session/prompt") && result.is_object() && result["stopReason"].is_null()
}

/// Returns `true` if it shows what a question waits for.
fn is_loading(entry: &Entry) -> bool {
    let call = entry.message["params"]["update"]["toolCallId"].as_str();
    call.is_some_and(|it| it.starts_with("dialect-loading-"))
}

/// For each message that was heard: the one that was sent on the other side, the n-th for the n-th of its method.
fn mates(entries: &[Entry]) -> HashMap<usize, usize> {
    let mut sent: HashMap<(&str, &str, bool), Vec<usize>> = HashMap::new();
    for (at, entry) in entries.iter().enumerate().filter(|(_, it)| it.way == Way::Sent) {
        sent.entry((&entry.player, entry.method(), entry.is_response())).or_default().push(at);
    }
    let mut n_heard: HashMap<(&str, &str, bool), usize> = HashMap::new();
    let mut mates = HashMap::new();
    for (at, entry) in entries.iter().enumerate().filter(|(_, it)| it.way == Way::Heard) {
        let Some(other) = other_end(&entry.player) else { continue };
        if is_hop_local(entry.method()) || is_loading(entry) {
            continue;
        }
        let key = (other, entry.method(), entry.is_response());
        let n = n_heard.entry(key).or_default();
        if let Some(mate) = sent.get(&key).and_then(|it| it.get(*n)) {
            mates.insert(at, *mate);
        }
        *n += 1;
    }
    mates
}

/// Messages that the chain makes or answers itself, whoever sends one of the same name.
fn is_hop_local(method: &str) -> bool {
    method.starts_with("_ide_operations/") || method == "$/cancel_request"
}

fn other_end(player: &str) -> Option<&'static str> {
    match player {
        "editor" => Some("agent"),
        "agent" => Some("editor"),
        _ => None,
    }
}

fn line(entries: &[Entry], at: usize, mate: Option<usize>) -> String {
    let entry = &entries[at];
    let from = match (entry.player.as_str(), mate) {
        (player, Some(_)) => other_end(player).unwrap_or_default(),
        ("server", None) => "adapter",
        _ => "chain",
    };
    let mark = if entry.is_response() { " answered" } else { "" };
    let head = format!("{from} → {}  {}{mark}", entry.player, entry.method());
    if let Some(text) = spoken(&entry.message) {
        return said(&head, text);
    }
    if entry.player == "server" {
        return format!("{head}  {}", asked_of_server(entries, entry));
    }
    let content = content(&entry.message);
    match mate.map(|mate| &entries[mate].message) {
        Some(sent) if same(self::content(sent), content) => {
            format!("{head}  {}as sent", stop_reason(entry).unwrap_or_default())
        }
        _ => match cancelled(entries, entry) {
            Some(asked) => format!("{head}  of {}", asked.map_or("nothing that was asked", Entry::method)),
            None => {
                let content = content.map(|it| without_announced(entries, at, it));
                format!("{head}  {}", content.as_ref().map(shortened).unwrap_or_default())
            }
        },
    }
}

/// Returns a question to the user without the tool call, if that is equal to the announced one. Its options are in the
/// line then.
fn without_announced(entries: &[Entry], at: usize, question: &Value) -> Value {
    let mut question = question.clone();
    let Some(call) = question.get_mut("toolCall") else { return question };
    let updates = entries[..at].iter().rev().map(|it| &it.message["params"]["update"]);
    let mut announced = updates.filter(|it| it["sessionUpdate"] == "tool_call");
    let announced = announced.find(|it| it["toolCallId"] == call["toolCallId"]);
    let fields = call.as_object().into_iter().flatten();
    if announced.is_some_and(|it| fields.clone().all(|(key, value)| it[key] == *value)) {
        *call = "as announced".into();
    }
    question
}

/// Equal as JSON values, with keys in the same order.
fn same(a: Option<&Value>, b: Option<&Value>) -> bool {
    a.map(Value::to_string) == b.map(Value::to_string)
}

/// Returns the content of a message: its params, result, error, or the rest of the line.
fn content(message: &Value) -> Option<&Value> {
    ["params", "result", "error", "junk"].into_iter().find_map(|it| message.get(it))
}

/// The text of an agent that speaks.
fn spoken(message: &Value) -> Option<&str> {
    let update = &message["params"]["update"];
    (update["sessionUpdate"] == "agent_message_chunk").then(|| update["content"]["text"].as_str())?
}

fn said(head: &str, text: &str) -> String {
    match text.contains('\n') {
        true => format!("{head}\n    {}", text.replace('\n', "\n    ")),
        false => format!("{head}  {text}"),
    }
}

/// Returns the content of a message to the language server, in LSP's own counting.
fn asked_of_server(entries: &[Entry], entry: &Entry) -> String {
    if let Some(asked) = cancelled(entries, entry) {
        return format!("of {}", asked.map_or("nothing that was asked", Entry::method));
    }
    let params = &entry.message["params"];
    let uri = params["textDocument"]["uri"].as_str().or(params["rootUri"].as_str());
    let place = params.get("position").map(|it| format!(" {}:{}", it["line"], it["character"]));
    format!("{}{}", uri.unwrap_or_default(), place.unwrap_or_default())
}

/// Returns the reason for a turn's end, if it is not the usual one.
fn stop_reason(entry: &Entry) -> Option<String> {
    let reason = entry.message["result"]["stopReason"].as_str()?;
    (reason != "end_turn").then(|| format!("{reason}, "))
}

/// For a cancellation: the request that it cancels, if that was heard.
fn cancelled<'a>(entries: &'a [Entry], entry: &Entry) -> Option<Option<&'a Entry>> {
    let id = match entry.method() {
        "$/cancel_request" => &entry.message["params"]["requestId"],
        "$/cancelRequest" => &entry.message["params"]["id"],
        _ => return None,
    };
    let is_it = |it: &&Entry| {
        it.player == entry.player && it.way == Way::Heard && it.message["id"] == *id && !it.is_response()
    };
    Some(entries.iter().rev().find(is_it))
}

fn shortened(value: &Value) -> String {
    const WIDTH: usize = 600;
    let text = value.to_string();
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}

fn normalise(text: &str, style: &Style) -> String {
    let named = style.names.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    let mut normal = named;
    for (pattern, name) in [
        (r"127\.0\.0\.1:\d+", "127.0.0.1:<port>"),
        // How a process ended may be known at once or a moment later.
        (r" \(it ended \(.*|[;] its last words: .*| \(its last words: .*", ""),
        (r"\b[0-9a-f]{64}\b", "<secret>"),
        (r"\b[0-9a-f]{32}\b", "<id>"),
        (r#""progressToken":"[^"]*""#, r#""progressToken":<token>"#),
        (r#""deadlineMs":\d+"#, r#""deadlineMs":<ms>"#),
    ] {
        let pattern = Regex::new(pattern).expect("written here");
        normal = pattern.replace_all(&normal, name).into_owned();
    }
    normal
}
