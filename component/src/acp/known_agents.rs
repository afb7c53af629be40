//! Agents that are treated differently, by the name in their answer to `initialize`: those that keep MCP servers apart,
//! read JSON again, or get failed programs as ordinary results.

use serde_json::Value;

/// The agents that keep MCP servers apart by session, by the name in their answer to `initialize`. `conformance/agents`
/// asks two sessions in two folders at the same time. OpenCode passes too, but seems to keep servers by folder.
const KEEP_SERVERS_APART: [&str; 6] = [
    "@agentclientprotocol/claude-agent-acp",
    "@agentclientprotocol/codex-acp",
    "Kimi Code CLI",
    "gemini-cli",
    "goose",
    "qwen-code",
];

/// Returns true if the agent reads a first block that is JSON again as structured content. Such an agent drops the
/// whole answer when that is not an object. Gemini CLI does (seen with 0.61).
pub(crate) fn rereads_json(initialized: &Value) -> bool {
    agent_name(initialized) == Some("gemini-cli")
}

/// The agents that get failed programs as ordinary results, by the name in their answer to `initialize`. A program that
/// fails is no fault of the server.
///
/// Hermes counts failed calls, and switches the server off for a minute after three in a row (seen with 0.19). Gemini CLI
/// (0.61) and Qwen Code (0.24) wrap failures into JSON inside of JSON, in which the lines of an explanation are lost. Other
/// agents hand a failure on as it is, and mark it for the model and the user.
const MISTREAT_FAILURES: [&str; 3] = ["hermes-agent", "gemini-cli", "qwen-code"];

/// The MCP clients of the same kind, by the start of the name that they give the server. Hermes has the one that Python's
/// SDK gives to clients without a name. Others of that name raise failures as exceptions, or show their first block alone.
const CLIENTS_THAT_MISTREAT_FAILURES: [&str; 3] = ["mcp", "gemini-cli-mcp-client", "qwen-cli-mcp-client"];

/// The MCP clients that get the text of results alone, by the start of the name that they give the server. Claude Code
/// (2.1.332), Codex (0.171) and Qwen Code (0.24) show their models structured content in its place, as JSON in which the
/// lines of an answer are escaped. Copilot CLI (1.0.102) shows both, and moves what is then too long to a file.
const CLIENTS_OF_TEXT: [&str; 4] = ["claude-code", "codex-mcp-client", "copilot-cli", "qwen-cli-mcp-client"];

/// Returns true if the agent gets failed programs as ordinary results.
pub(crate) fn mistreats_failures(initialized: &Value) -> bool {
    agent_name(initialized).is_some_and(|it| MISTREAT_FAILURES.contains(&it))
}

/// Returns true if an MCP client of that name gets failed programs as ordinary results.
pub(crate) fn client_mistreats_failures(name: &str) -> bool {
    is_named(&CLIENTS_THAT_MISTREAT_FAILURES, name)
}

/// Returns true if an MCP client of that name gets the text of results alone.
pub(crate) fn client_wants_text(name: &str) -> bool {
    is_named(&CLIENTS_OF_TEXT, name)
}

/// Returns true if the name is one of the known ones. Qwen Code puts that of the server behind its own.
fn is_named(known: &[&str], name: &str) -> bool {
    known.iter().any(|it| name.strip_prefix(it).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')))
}

/// Returns true if the agent keeps MCP servers apart by session. Others may keep them by name: one reuses the first
/// session's server for the second, another refuses the second session.
pub(crate) fn keeps_servers_apart(initialized: &Value) -> bool {
    agent_name(initialized).is_some_and(|it| KEEP_SERVERS_APART.contains(&it))
}

fn agent_name(initialized: &Value) -> Option<&str> {
    [&initialized["agentInfo"], &initialized["info"]].into_iter().find_map(|it| it["name"].as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn some_agents_mistreat_failures() {
        for (name, counts) in [
            ("hermes-agent", true),
            ("gemini-cli", true),
            ("qwen-code", true),
            ("Hermes-Agent", false),
            ("hermes", false),
            ("not-hermes-agent", false),
            ("goose", false),
            ("mcp", false),
        ] {
            for key in ["agentInfo", "info"] {
                assert_eq!(mistreats_failures(&json!({key: {"name": name}})), counts, "{name}");
            }
        }
        for other in [json!({}), json!({"agentInfo": "hermes-agent"}), json!({"title": "hermes-agent"})] {
            assert!(!mistreats_failures(&other), "{other}");
        }
        for (name, mistreats, wants_text) in [
            ("mcp", true, false),
            ("gemini-cli-mcp-client", true, false),
            ("qwen-cli-mcp-client-dialect", true, true),
            ("claude-code", false, true),
            ("copilot-cli", false, true),
            ("opencode", false, false),
            ("hermes-agent", false, false),
            ("mcpx", false, false),
            ("", false, false),
        ] {
            assert_eq!(
                (client_mistreats_failures(name), client_wants_text(name)),
                (mistreats, wants_text),
                "{name}"
            );
        }
    }

    #[test]
    fn agents_that_reread_json_are_known_by_name() {
        let named = |name: &str| json!({"protocolVersion": 1, "agentInfo": {"name": name, "version": "1"}});
        assert!(rereads_json(&named("gemini-cli")));
        assert!(!rereads_json(&named("goose")));
        assert!(!rereads_json(&json!({"protocolVersion": 1})));
    }

    #[test]
    fn only_agents_that_are_known_to_are_trusted_to_keep_servers_apart() {
        let version_1 = json!({"agentInfo": {"name": "goose", "version": "1"}});
        let version_2 = json!({"protocolVersion": 2, "info": {"name": "goose", "version": "1"}});
        assert!(keeps_servers_apart(&version_1) && keeps_servers_apart(&version_2));
        for other in [json!({"agentInfo": {"name": "hermes-agent"}}), json!({}), json!("ready")] {
            assert!(!keeps_servers_apart(&other), "{other}");
        }
    }
}
