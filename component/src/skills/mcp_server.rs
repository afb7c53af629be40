//! MCP servers, whose tools a user binds to those of skills. A server starts at the first call of one of its tools, and
//! again at the next call once it has ended.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use dialect::{Arguments, Failure, Value};
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock};
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceExt};
use serde_json::Value as Json;
use source_text::shorten;
use tokio::io::AsyncReadExt;
use tokio::process::Child;
use tokio::sync::Mutex;

use crate::plugins::{LastWords, Launch};

/// The time in which a server must have answered the handshake.
const START: Duration = Duration::from_secs(30);

/// The time that one call may take: less than that of a program, so that its failure names the server.
const CALL: Duration = Duration::from_secs(40);

/// The most bytes that a server may send in one life. A line is kept until its end comes.
const MOST_BYTES: u64 = 64 << 20;

/// The most characters of a server's words in a failure.
const LONGEST_WORDS: usize = 2_000;

/// The MCP servers of a user's settings.
#[derive(Debug)]
pub(crate) struct McpServers {
    launches: BTreeMap<String, Launch>,
    running: Mutex<HashMap<String, Arc<Server>>>,
}

/// A server that runs.
#[derive(Debug)]
struct Server {
    service: RunningService<RoleClient, ()>,
    last_words: LastWords,
    /// The process, which ends with this.
    _child: Child,
}

impl McpServers {
    pub(super) fn new(launches: BTreeMap<String, Launch>) -> Self {
        Self { launches, running: Mutex::default() }
    }

    pub(super) fn has(&self, server: &str) -> bool {
        self.launches.contains_key(server)
    }

    /// Calls a tool of a server. Its result is the structured content, else its text: as JSON if it is some, and as it
    /// is where a text is wanted.
    ///
    /// # Errors
    /// The server does not start, has ended, or says that the call failed.
    pub(super) async fn call(
        &self,
        server: &str,
        tool: &str,
        arguments: &Arguments,
        wants_text: bool,
    ) -> Result<Value, Failure> {
        let failed = |why: String| {
            let message = format!("`{tool}` of the MCP server `{server}` failed: {why}");
            Failure::raised("InternalError", message)
        };
        let running = self.server(server).await.map_err(failed)?;
        let arguments = match Value::Object(arguments.0.clone()).to_json() {
            Json::Object(arguments) => arguments,
            _ => serde_json::Map::new(),
        };
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let called = tokio::time::timeout(CALL, running.service.call_tool(params)).await;
        let called =
            called.map_err(|_| failed(format!("it has not answered within {} s", CALL.as_secs())))?;
        let result = called.map_err(|error| failed(running.last_words.after(&error.to_string())))?;
        let text = text_of(&result);
        match result.is_error == Some(true) {
            true => Err(failed(shorten(&text, LONGEST_WORDS).into_owned())),
            false => Ok(value(result.structured_content, text, wants_text).into()),
        }
    }

    /// Returns a server that runs.
    async fn server(&self, name: &str) -> Result<Arc<Server>, String> {
        let mut running = self.running.lock().await;
        if let Some(server) = running.get(name).filter(|it| !it.service.is_transport_closed()) {
            return Ok(Arc::clone(server));
        }
        let launch = self.launches.get(name).ok_or("the settings do not have it below [skills.mcp]")?;
        let server = Arc::new(Server::start(launch).await?);
        running.insert(name.to_owned(), Arc::clone(&server));
        Ok(server)
    }
}

impl Server {
    async fn start(launch: &Launch) -> Result<Self, String> {
        let mut child = launch.command().spawn().map_err(|error| format!("it does not start: {error}"))?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("it does not start: it has no streams".to_owned());
        };
        let last_words = LastWords::default();
        let name = launch.name.clone().unwrap_or_default();
        tokio::spawn(last_words.clone().read(errors, name));
        let shaken = tokio::time::timeout(START, ().serve((output.take(MOST_BYTES), input))).await;
        let why = match shaken {
            Ok(Ok(service)) => return Ok(Self { service, last_words, _child: child }),
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("it has not answered within {} s", START.as_secs()),
        };
        Err(format!("it does not start: {}", last_words.after(&why)))
    }
}

/// Returns the texts of a result, and what else it has.
fn text_of(result: &CallToolResult) -> String {
    let text = |block: &ContentBlock| match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(_) => "[an image]".to_owned(),
        ContentBlock::Audio(_) => "[a sound]".to_owned(),
        _ => "[a resource]".to_owned(),
    };
    result.content.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// Returns the value of a result for programs.
fn value(structured: Option<Json>, text: String, wants_text: bool) -> Json {
    match structured {
        _ if wants_text && !text.is_empty() => text.into(),
        Some(structured) => structured,
        None => serde_json::from_str(&text).unwrap_or(Json::String(text)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_is_its_structure_or_its_text() {
        let structured = || Some(json!({"sum": 3}));
        assert_eq!(value(structured(), "3".into(), false), json!({"sum": 3}));
        assert_eq!(value(structured(), "3".into(), true), json!("3"));
        assert_eq!(value(None, "[1]".into(), false), json!([1]));
        assert_eq!(value(None, "1 and 2".into(), false), json!("1 and 2"));
    }
}
