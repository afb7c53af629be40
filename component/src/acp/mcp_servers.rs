//! The edit of `mcpServers` in setup requests, and the choice of the transport to an agent. Pure JSON, for ACP
//! versions 1 and 2.

use std::collections::HashSet;
use std::path::Path;

use serde_json::{Value, json};

/// The name of our server. Not `ide`: a widely used agent reserves that name and hides its tools.
const NAME: &str = "dialect";

/// Returns whether a request sets up a session; each of these may carry `mcpServers`.
pub(crate) fn sets_up_session(method: &str) -> bool {
    matches!(method, "session/new" | "session/load" | "session/resume" | "session/fork")
}

/// Returns whether the agent sends the history of a session before it answers this setup request.
pub(crate) fn is_replayed(method: &str, params: &Value) -> bool {
    match method {
        "session/load" => true,
        "session/resume" => params["replayFrom"].is_object(),
        _ => false,
    }
}

/// A way to give an agent an MCP server, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    /// `mcp/message` on the ACP connection itself.
    Native,
    /// Streamable HTTP on loopback.
    Http,
    /// A process of the agent that speaks MCP on its standard streams. Every agent has to support this one.
    Stdio,
}

/// Returns the best transport that the agent's answer to `initialize` names.
pub(crate) fn choose_transport(initialized: &Value) -> Transport {
    let transports = match &initialized["agentCapabilities"] {
        Value::Null => &initialized["capabilities"]["session"]["mcp"],
        version_1 => &version_1["mcpCapabilities"],
    };
    let takes = |transport: &str| matches!(&transports[transport], Value::Bool(true) | Value::Object(_));
    match () {
        () if takes("acp") => Transport::Native,
        () if takes("http") => Transport::Http,
        () => Transport::Stdio,
    }
}

/// Returns the version of ACP that the agent's answer to `initialize` settles on.
pub(crate) fn protocol_version(initialized: &Value) -> u64 {
    initialized["protocolVersion"].as_u64().unwrap_or(1)
}

/// The address of our server for one setup request, by transport.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Address<'a> {
    Native { server: &'a str },
    Http { url: &'a str, secret: &'a str },
    Stdio { executable: &'a Path, argument: &'a str, variable: &'a str, value: &'a str },
}

/// Adds our server to the params of a setup request. Every other field and entry stays unchanged.
///
/// Returns false when the params cannot be edited: they are not an object, or `mcpServers` is not a list. The agent
/// refuses such requests.
pub(crate) fn attach(params: &mut Value, version: u64, name: &str, address: Address<'_>) -> bool {
    let Some(params) = params.as_object_mut() else { return false };
    let servers = params.entry("mcpServers").or_insert(Value::Null);
    if servers.is_null() {
        *servers = json!([]);
    }
    let Some(servers) = servers.as_array_mut() else { return false };
    servers.push(declaration(name, version, address));
    true
}

/// The names of all MCP servers that one connection has declared, ours and the client's, in lower case.
#[derive(Debug, Default)]
pub(crate) struct ServerNames(HashSet<String>);

impl ServerNames {
    /// Returns `dialect`, or `dialect-2` and so on when the name is taken, and remembers all names of the request.
    /// Names of earlier requests are free again for an agent that keeps servers apart.
    pub(crate) fn choose(&mut self, params: &Value, keeps_apart: bool) -> String {
        let servers = params["mcpServers"].as_array().into_iter().flatten();
        let beside: HashSet<String> =
            servers.filter_map(|it| Some(it["name"].as_str()?.to_ascii_lowercase())).collect();
        let is_free = |name: &String| !beside.contains(name) && (keeps_apart || !self.0.contains(name));
        let numbered = (2..).map(|number| format!("{NAME}-{number}"));
        let name = std::iter::once(NAME.to_owned()).chain(numbered).find(is_free);
        let name = name.expect("the names never end");
        self.0.extend(beside);
        self.0.insert(name.clone());
        name
    }
}

fn declaration(name: &str, version: u64, address: Address<'_>) -> Value {
    match address {
        Address::Native { server } => json!({"type": "acp", "name": name, "serverId": server}),
        Address::Http { url, secret } => {
            let authorization = json!({"name": "Authorization", "value": format!("Bearer {secret}")});
            json!({"type": "http", "name": name, "url": url, "headers": [authorization]})
        }
        Address::Stdio { executable, argument, variable, value } => {
            let mut entry = json!({
                "name": name,
                "command": executable.to_string_lossy(),
                "args": [argument],
                "env": [{"name": variable, "value": value}],
            });
            if version >= 2 {
                entry["type"] = json!("stdio"); // version 1 has no tag here, and strict agents refuse one
            }
            entry
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NATIVE: Address<'_> = Address::Native { server: "s1" };

    #[test]
    fn the_best_advertised_transport_is_chosen() {
        for (capabilities, expected) in [
            (json!({"mcpCapabilities": {"acp": true, "http": true}}), Transport::Native),
            (json!({"mcpCapabilities": {"acp": false, "http": true, "sse": true}}), Transport::Http),
            (json!({"mcpCapabilities": {"sse": true}}), Transport::Stdio),
            (json!({"mcpCapabilities": null}), Transport::Stdio),
            (json!({}), Transport::Stdio),
        ] {
            let answer = json!({"protocolVersion": 1, "agentCapabilities": capabilities});
            assert_eq!(choose_transport(&answer), expected, "{answer}");
        }
        for (mcp, expected) in [
            (json!({"stdio": {}, "http": {}, "acp": {}}), Transport::Native),
            (json!({"stdio": {}, "http": {}}), Transport::Http),
            (json!({"stdio": {}, "http": null}), Transport::Stdio),
        ] {
            let answer = json!({"protocolVersion": 2, "capabilities": {"session": {"mcp": mcp}}});
            assert_eq!(choose_transport(&answer), expected, "{answer}");
        }
        assert_eq!(choose_transport(&json!("ready")), Transport::Stdio);
    }

    #[test]
    fn a_session_is_resumed_without_its_history_unless_that_is_asked_for() {
        let from = |from: Value| json!({"sessionId": "s", "replayFrom": from});
        assert!(is_replayed("session/load", &json!({})) && !is_replayed("session/new", &from(json!({}))));
        assert!(is_replayed("session/resume", &from(json!({"type": "start"}))));
        assert!(
            !is_replayed("session/resume", &from(Value::Null)) && !is_replayed("session/resume", &json!({}))
        );
    }

    #[test]
    fn unknown_fields_and_entries_stay_in_their_order() {
        let before =
            r#"{"zeta":1,"mcpServers":[{"type":"carrier-pigeon","coop":7}],"cwd":"/w","_meta":{"a":1.5}}"#;
        let mut params: Value = serde_json::from_str(before).unwrap();
        assert!(attach(&mut params, 1, NAME, NATIVE));
        let ours = r#",{"type":"acp","name":"dialect","serverId":"s1"}]"#;
        assert_eq!(params.to_string(), before.replacen(']', ours, 1));
    }

    #[test]
    fn a_missing_list_is_made_and_a_wrong_one_is_left_to_the_agent() {
        for mut params in [json!({"cwd": "/w"}), json!({"cwd": "/w", "mcpServers": null})] {
            assert!(attach(&mut params, 1, NAME, NATIVE));
            assert_eq!(params["mcpServers"][0]["serverId"], "s1");
        }
        for before in [json!({"mcpServers": "none"}), json!([1]), json!(null)] {
            let mut params = before.clone();
            assert!(!attach(&mut params, 1, NAME, NATIVE));
            assert_eq!(params, before);
        }
    }

    #[test]
    fn a_taken_name_is_avoided() {
        let with = |names: &[&str]| {
            let servers: Vec<_> = names.iter().map(|it| json!({"name": it})).collect();
            json!({"mcpServers": servers})
        };
        for keeps_apart in [true, false] {
            let params = with(&["Dialect", "dialect-2", ""]);
            assert_eq!(ServerNames::default().choose(&params, keeps_apart), "dialect-3");
        }
        let mut names = ServerNames::default();
        assert_eq!(names.choose(&with(&["dialect-2"]), false), "dialect");
        assert_eq!(
            names.choose(&with(&[]), false),
            "dialect-3",
            "the client had the second in another session"
        );
        assert_eq!(names.choose(&with(&[]), true), "dialect");
        assert_eq!(names.choose(&json!("nonsense"), false), "dialect-4");
    }

    #[test]
    fn standard_streams_are_tagged_only_in_version_2() {
        let address = Address::Stdio {
            executable: Path::new("/bin/it"),
            argument: "relay",
            variable: "RELAY",
            value: "127.0.0.1:1",
        };
        let entry = declaration("dialect", 1, address);
        let expected = json!({
            "name": "dialect", "command": "/bin/it", "args": ["relay"],
            "env": [{"name": "RELAY", "value": "127.0.0.1:1"}],
        });
        assert_eq!(entry, expected);
        assert_eq!(declaration("dialect", 2, address)["type"], "stdio");
    }

    #[test]
    fn http_carries_its_secret_in_a_header() {
        let entry = declaration("dialect", 1, Address::Http { url: "http://127.0.0.1:9/a/mcp", secret: "k" });
        assert_eq!(entry["headers"], json!([{"name": "Authorization", "value": "Bearer k"}]));
        assert_eq!(entry["type"], "http");
    }
}
