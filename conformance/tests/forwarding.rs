//! Messages of every method of the protocol, and of methods that it may have tomorrow, with fields that nobody
//! knows: each arrives as it was sent. The names are those of the SDK's schema, so that a newer one adds to them.

use std::fmt;

use agent_client_protocol::v1::schema::{
    AGENT_METHOD_NAMES, CLIENT_METHOD_NAMES, PROTOCOL_LEVEL_METHOD_NAMES, PROXY_METHOD_NAMES, SessionUpdate,
};
use agent_client_protocol::v2;
use anyhow::{Context, Result, anyhow, bail, ensure};
use conformance::chain::{Chain, Setup, Shape, start_without_agent};
use conformance::random::Random;
use conformance::record::Log;
use conformance::wire::{self, Answer, Incoming, Peer};
use conformance::workspace::Workspace;
use libtest_mimic::Trial;
use serde::Deserialize;
use serde::de::value::MapDeserializer;
use serde_json::{Map, Value, json};
use tokio::io::split;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

use crate::LIMIT;

pub(crate) fn trials() -> Vec<Trial> {
    tests![
        async
        requests_of_every_method_pass,
        notifications_of_every_method_pass,
        updates_of_every_kind_pass,
        setup_requests_get_a_server_and_pass,
        the_first_request_gets_the_capability_and_passes,
    ]
}

/// The times that each message is sent, with other params each time.
const ROUNDS: usize = 4;

/// Methods that the protocol does not have.
const UNKNOWN: [&str; 6] =
    ["_vendor/thing", "session/of_tomorrow", "tomorrow/thing", "ünknown/méthode", "rpc.discover", "thing"];

/// Requests that set a session up.
const SETUP: [&str; 4] = ["session/new", "session/load", "session/resume", "session/fork"];

/// The methods of every version of the protocol, and some more. Left out are those of the chain itself: envelopes
/// and cancellations are for the next member alone.
fn methods() -> Result<Vec<String>> {
    let tables = [
        serde_json::to_value(AGENT_METHOD_NAMES)?,
        serde_json::to_value(CLIENT_METHOD_NAMES)?,
        serde_json::to_value(v2::schema::AGENT_METHOD_NAMES)?,
        serde_json::to_value(v2::schema::CLIENT_METHOD_NAMES)?,
    ];
    let known = tables.iter().filter_map(Value::as_object).flat_map(Map::values).filter_map(Value::as_str);
    let mut all: Vec<String> = known.chain(UNKNOWN).map(str::to_owned).collect();
    all.sort();
    all.dedup();
    let names = serde_json::to_value(PROXY_METHOD_NAMES)?;
    let of_chain: Vec<_> = names.as_object().into_iter().flat_map(Map::values).collect();
    ensure!(
        !all.iter()
            .any(|it| of_chain.contains(&&json!(it)) || it == PROTOCOL_LEVEL_METHOD_NAMES.cancel_request)
    );
    for expected in
        ["session/options", "session/archive", "elicitation/complete", "auth/login", "fs/read_text_file"]
    {
        ensure!(all.iter().any(|it| it == expected), "`{expected}` is not among {all:?}");
    }
    Ok(all)
}

/// The discriminators of updates that the schema has.
fn updates() -> Result<Vec<&'static str>> {
    /// The names that serde expected.
    #[derive(Debug)]
    struct Expected(&'static [&'static str]);

    impl fmt::Display for Expected {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{:?}", self.0)
        }
    }

    impl std::error::Error for Expected {}

    impl serde::de::Error for Expected {
        fn custom<T: fmt::Display>(_: T) -> Self {
            Self(&[])
        }

        fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
            Self(expected)
        }
    }

    let unknown = MapDeserializer::<_, Expected>::new([("sessionUpdate", "?")].into_iter());
    let Err(Expected(known)) = SessionUpdate::deserialize(unknown) else { bail!("the schema knows `?`") };
    ensure!(known.contains(&"subagent_update"), "{known:?}");
    Ok(known.iter().copied().chain(["of_tomorrow", "_vendor_update"]).collect())
}

/// An end of the chain.
#[derive(Clone, Copy, Debug)]
enum Side {
    Client,
    Agent,
}

/// A chain with nobody but this test at both ends.
struct Ends {
    chain: Chain,
    client: Peer,
    agent: Peer,
    client_hears: UnboundedReceiver<Incoming>,
    agent_hears: UnboundedReceiver<Incoming>,
    workspace: Workspace,
}

impl Ends {
    fn open() -> Result<Self> {
        let workspace = Workspace::new([("src/lib.rs", "pub fn one() {}\n")])?;
        let mut setup = Setup::new(Shape::InProcess, crate::programs()?);
        setup.server = Some(vec!["/nowhere/no-language-server".into()]);
        let (mut chain, stream) = start_without_agent(&setup)?;
        let (read, write) = chain.read.take().zip(chain.write.take()).ok_or_else(|| anyhow!("no streams"))?;
        let (client, client_hears) = wire::open(read, write, Log::Nowhere);
        let (read, write) = split(stream);
        let (agent, agent_hears) = wire::open(read, write, Log::Nowhere);
        Ok(Self { chain, client, agent, client_hears, agent_hears, workspace })
    }

    /// Opens a chain that is initialized, with a session `s`.
    async fn with_session() -> Result<Self> {
        let mut ends = Self::open()?;
        let initialize = json!({"protocolVersion": 1, "clientCapabilities": {}});
        let initialized =
            json!({"protocolVersion": 1, "agentCapabilities": {"mcpCapabilities": {"http": true}}});
        let (_params, _answer) =
            ends.exchange(Side::Client, "initialize", initialize, &Ok(initialized)).await?;
        let new = json!({"cwd": ends.workspace.root(), "mcpServers": []});
        let session = Ok(json!({"sessionId": "s"}));
        let (_params, _answer) = ends.exchange(Side::Client, "session/new", new, &session).await?;
        Ok(ends)
    }

    /// Sends a request, and has the other end answer it. Returns the params and the answer as they arrive.
    async fn exchange(
        &mut self,
        from: Side,
        method: &str,
        params: Value,
        answer: &Answer,
    ) -> Result<(Value, Answer)> {
        let (sender, receiver, heard) = match from {
            Side::Client => (&self.client, &self.agent, &mut self.agent_hears),
            Side::Agent => (&self.agent, &self.client, &mut self.client_hears),
        };
        let call = sender.request(method, params);
        let arrived = match timeout(LIMIT, heard.recv()).await? {
            Some(Incoming::Request { id, method: arrived, params: Some(params) }) if arrived == method => {
                receiver.respond(&id, answer);
                params
            }
            other => bail!("`{method}` arrived as {other:?}"),
        };
        Ok((arrived, timeout(LIMIT, call.answer()).await?))
    }

    /// Sends a notification. Returns the params as they arrive.
    async fn tell(&mut self, from: Side, method: &str, params: Value) -> Result<Value> {
        let (sender, heard) = match from {
            Side::Client => (&self.client, &mut self.agent_hears),
            Side::Agent => (&self.agent, &mut self.client_hears),
        };
        sender.notify(method, params);
        match timeout(LIMIT, heard.recv()).await? {
            Some(Incoming::Notification { method: arrived, params: Some(params) }) if arrived == method => {
                Ok(params)
            }
            other => bail!("`{method}` arrived as {other:?}"),
        }
    }

    async fn end(self) -> Result<()> {
        self.client.close();
        self.agent.close();
        self.chain.ended().await
    }
}

/// Any JSON, with what is lost easily: the order of keys, the spelling of numbers, empty containers, odd texts.
fn odd(random: &mut Random, depth: usize) -> Value {
    const NUMBERS: [&str; 8] = [
        "0",
        "-7",
        "1.0",
        "0.1",
        "18446744073709551615",
        "-9223372036854775808",
        "5e-324",
        "1.7976931348623157e308",
    ];
    const TEXTS: [&str; 6] = ["", "é😀\u{2028}", "\u{0}\u{7f}\t", "a\"b\\c\nd", "file:///w/a%20b.rs", "null"];
    const KEYS: [&str; 10] = ["zz", "aa", "_meta", "method", "id", "jsonrpc", "params", "", "ä", "serverId"];
    match random.below(if depth == 0 { 4 } else { 6 }) {
        0 => Value::Null,
        1 => json!(random.below(2) == 0),
        2 => serde_json::from_str(random.one::<&str>(&NUMBERS)).expect("each is a number"),
        3 => json!(random.one(&TEXTS)),
        4 => (0..random.below(4)).map(|_| odd(random, depth - 1)).collect(),
        _ => {
            let n = random.below(5);
            Value::Object((0..n).map(|_| ((*random.one(&KEYS)).to_owned(), odd(random, depth - 1))).collect())
        }
    }
}

/// An object with these fields, of which some are unlike what the protocol expects, and unknown ones around.
fn object(random: &mut Random, fields: &Value) -> Value {
    let mut all = Map::new();
    all.insert("unknownBefore".to_owned(), odd(random, 4));
    for (key, value) in fields.as_object().into_iter().flatten() {
        let value = if random.below(6) == 0 { odd(random, 3) } else { value.clone() };
        all.insert(key.clone(), value);
    }
    all.insert("_meta".to_owned(), odd(random, 2));
    all.insert("unknownAfter".to_owned(), odd(random, 4));
    Value::Object(all)
}

/// Params that make sense for some method, and for the others do not.
fn params(random: &mut Random) -> Value {
    let fields = json!({
        "sessionId": "s", "cwd": "/nowhere", "path": "/nowhere/a.rs", "content": "text", "line": 3,
        "prompt": [
            {"type": "text", "text": "look", "annotations": null},
            {"type": "resource_link", "uri": "file:///nowhere/a.rs"},
        ],
        "configId": "model", "value": "fast",
        "configOptions": [{"configId": "fast", "type": "boolean", "value": true}],
        "title": "A title", "mode": "form", "requestedSchema": {"type": "object"}, "elicitationId": "e",
        "toolCall": {"toolCallId": "t"}, "options": [{"optionId": "o", "kind": "allow_once"}],
        "serverId": "nobody", "requestId": "1", "method": "tools/list", "replayFrom": {"type": "start"},
    });
    object(random, &fields)
}

fn answer(random: &mut Random) -> Answer {
    let fields =
        json!({"stopReason": "end_turn", "content": "text", "configOptions": [], "action": "accept"});
    let object = object(random, &fields);
    match random.below(4) {
        0 => Err(json!({"code": -32002, "message": "no such thing", "data": object})),
        1 => Ok(odd(random, 2)),
        _ => Ok(object),
    }
}

/// Compares as JSON values with the order of keys.
fn same(what: &str, arrived: &impl serde::Serialize, sent: &impl serde::Serialize) -> Result<()> {
    let (arrived, sent) = (serde_json::to_string(arrived)?, serde_json::to_string(sent)?);
    ensure!(arrived == sent, "{what} arrived as\n{arrived}\nand was sent as\n{sent}");
    Ok(())
}

async fn requests_of_every_method_pass() -> Result<()> {
    let (mut ends, mut random, mut n) = (Ends::with_session().await?, Random::new(7), 0);
    for method in methods()? {
        for from in [Side::Client, Side::Agent] {
            // These are told apart below.
            if matches!(from, Side::Client) && (method == "initialize" || SETUP.contains(&method.as_str())) {
                continue;
            }
            for _ in 0..ROUNDS {
                let (params, answer) = (params(&mut random), answer(&mut random));
                let exchanged = ends.exchange(from, &method, params.clone(), &answer).await;
                let (arrived, answered) = exchanged.with_context(|| format!("{from:?}: {params}"))?;
                same(&method, &arrived, &params)?;
                same(&format!("the answer to `{method}`"), &answered, &answer)?;
                n += 1;
            }
        }
    }
    ensure!(n > 200, "only {n} requests");
    ends.end().await
}

async fn notifications_of_every_method_pass() -> Result<()> {
    let (mut ends, mut random) = (Ends::with_session().await?, Random::new(8));
    for method in methods()? {
        for from in [Side::Client, Side::Agent] {
            for _ in 0..ROUNDS {
                let params = params(&mut random);
                let told = ends.tell(from, &method, params.clone()).await;
                same(&method, &told.with_context(|| format!("{from:?}: {params}"))?, &params)?;
            }
        }
    }
    ends.end().await
}

async fn updates_of_every_kind_pass() -> Result<()> {
    let (mut ends, mut random) = (Ends::with_session().await?, Random::new(9));
    for kind in updates()? {
        for _ in 0..ROUNDS {
            let fields = json!({
                "toolCallId": "t", "title": "Edit", "status": "completed", "kind": "edit",
                "content": [
                    {"type": "diff", "path": "/nowhere/a.rs", "oldText": null, "newText": "text"},
                    {"type": "diff", "changes": [{"operation": "add", "path": "/nowhere/b.rs"}], "patch": null},
                    {"type": "session", "sessionId": "child"}, {"type": "of_tomorrow"},
                ],
                "locations": [{"path": "/nowhere/a.rs", "line": 1}],
                "sessionId": "child", "state": {"state": "running"}, "cwd": "/nowhere/tree",
                "additionalDirectories": ["/nowhere/more"], "capabilities": {"cancel": {}},
                "messageId": "m", "configOptions": [], "availableCommands": [],
            });
            let mut update = Map::from_iter([("sessionUpdate".to_owned(), json!(kind))]);
            update.extend(object(&mut random, &fields).as_object().cloned().unwrap_or_default());
            let params = object(&mut random, &json!({"sessionId": "s"}));
            let mut params = params.as_object().cloned().unwrap_or_default();
            params.insert("update".to_owned(), Value::Object(update));
            let params = Value::Object(params);
            same(kind, &ends.tell(Side::Agent, "session/update", params.clone()).await?, &params)?;
        }
    }
    ends.end().await
}

async fn setup_requests_get_a_server_and_pass() -> Result<()> {
    let (mut ends, mut random) = (Ends::with_session().await?, Random::new(10));
    for method in SETUP {
        for round in 0..ROUNDS {
            let session = format!("{method} {round}");
            let mut params =
                object(&mut random, &json!({"configOptions": [{"configId": "model", "value": "fast"}]}));
            params["cwd"] = json!(ends.workspace.root());
            params["mcpServers"] =
                json!([object(&mut random, &json!({"type": "carrier-pigeon", "name": "coop"}))]);
            params["sessionId"] = json!(session);
            let mut result = object(&mut random, &json!({"configOptions": [], "modes": {}}));
            result["sessionId"] = json!(format!("{session} of the agent"));
            let result = Ok(result);
            let (mut arrived, answered) =
                ends.exchange(Side::Client, method, params.clone(), &result).await?;
            let ours = arrived["mcpServers"].as_array_mut().and_then(Vec::pop);
            let name = ours.as_ref().and_then(|it| it["name"].as_str()).unwrap_or_default();
            ensure!(name.starts_with("dialect"), "{method}: {ours:?}");
            same(method, &arrived, &params)?;
            same(method, &answered, &result)?;
        }
    }
    ends.end().await
}

async fn the_first_request_gets_the_capability_and_passes() -> Result<()> {
    let (mut ends, mut random) = (Ends::open()?, Random::new(11));
    for _ in 0..ROUNDS {
        let mut params = object(&mut random, &json!({}));
        params["protocolVersion"] = json!(1);
        params["clientCapabilities"] =
            object(&mut random, &json!({"session": {"configOptions": {"boolean": {}}}}));
        params["clientCapabilities"]["fs"] = json!({"readTextFile": true, "tomorrow": [1.0]});
        params["clientCapabilities"]["_meta"] = object(&mut random, &json!({"vendor": 1}));
        let capabilities = json!({"sessionCapabilities": {"options": {}, "archive": {}, "fork": {}}});
        let mut result = object(&mut random, &json!({"agentCapabilities": capabilities, "authMethods": []}));
        result["protocolVersion"] = json!(1);
        let result = Ok(result);
        let (mut arrived, answered) =
            ends.exchange(Side::Client, "initialize", params.clone(), &result).await?;
        let meta = arrived["clientCapabilities"]["_meta"].as_object_mut();
        let ours = meta.and_then(|it| it.shift_remove("ide_operations"));
        ensure!(ours.is_some_and(|it| it["version"] == 1), "{arrived}");
        same("initialize", &arrived, &params)?;
        same("initialize", &answered, &result)?;
    }
    ends.end().await
}
