//! The MCP server of one attachment, the same over every transport.

pub(crate) mod http;
pub(crate) mod native;
pub(crate) mod port;
pub mod relay;
pub(crate) mod secret;

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    ErrorCode, Implementation, ListToolsResult, MetaObject, PaginatedRequestParams,
    ProgressNotificationParam, ProgressToken, ServerCapabilities, ServerConfig, ToolAnnotations,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::acp::known_agents::client_mistreats_failures;
use crate::acp::sub_agents::call_id;
use crate::acp::upstream::ProgressStep;
use crate::script;
use crate::session::Attachment;
use crate::tool::answer::{Answer, Kind, TOOL_NAME};
use crate::tool::{self, Received, Tool, ToolDescription};

/// The key in a call's `_meta` that asks for the outcome's kind in the result's `_meta`, for its candidates, and for
/// the reasons in its notes.
const OUTCOME: &str = "dialect/outcome";

/// The key in a request's `_meta` for the client that sends it.
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

/// The key of the candidates of an ambiguity, each with a description and its program.
const CANDIDATES: &str = "dialect/candidates";

/// The key of the reasons in the notes, each with a `code` and whether it is a `gap`.
const REASONS: &str = "dialect/reasons";

/// The MCP server of one attachment.
#[derive(Clone)]
pub(crate) struct McpServer {
    tool: Arc<Tool>,
    attachment: Arc<Attachment>,
}

impl McpServer {
    pub(crate) fn new(tool: Arc<Tool>, attachment: Arc<Attachment>) -> Self {
        attachment.reached();
        Self { tool, attachment }
    }

    /// Runs a call, and reports its progress to an agent that gave a token for it.
    async fn call(&self, request: &CallToolRequestParams, context: &RequestContext<RoleServer>) -> Answer {
        let call = self.attachment.begin(context.id.clone().into_json_value());
        let (steps, heard) = unbounded_channel();
        let token = context.meta.get_progress_token();
        let is_heard = token.is_some();
        let (name, arguments) = (&request.name, request.arguments.as_ref());
        let from = Received { over: &self.attachment, call: &call, id: call_id(&context.meta.0.0) };
        let answer = self.tool.answer(from, name, arguments, (steps, is_heard));
        let reporting = report(heard, token, context.peer.clone());
        tokio::select! {
            biased;
            answer = answer => answer,
            () = context.ct.cancelled() => Answer::failure("The call was cancelled."),
            never = reporting => match never {},
        }
    }
}

impl McpServer {
    /// Returns whether failures are ordinary results for the agent at the other end.
    fn is_plain(&self, context: &RequestContext<RoleServer>) -> bool {
        let introduced = context.peer.peer_info().map(|it| it.client_info.name.clone());
        // Clients of the newest revision say it with each request.
        let with_request = || Some(context.meta.0.0.get(CLIENT_INFO)?["name"].as_str()?.to_owned());
        let client = introduced.or_else(with_request);
        self.tool.answers_failures_plainly() || client.is_some_and(|it| client_mistreats_failures(&it))
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let tools = ServerCapabilities::builder().enable_tools().build();
        let implementation = Implementation::new("dialect", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(tools).with_server_info(implementation)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools = vec![declaration(self.tool.described(&self.attachment).await)];
        if self.tool.has_scripts() {
            let description = self.tool.script_description(&self.attachment).await;
            tools.push(script_declaration(description, &self.tool.runtimes()));
        }
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let is_script = request.name == script::NAME && self.tool.has_scripts();
        if request.name != TOOL_NAME && !is_script {
            let message = format!("there is no tool `{}` here, only `{}`", request.name, TOOL_NAME);
            return Err(ErrorData::invalid_params(message, None));
        }
        let answer = self.call(&request, &context).await;
        let meta = context.meta.0.0.contains_key(OUTCOME).then(|| outcome(&answer));
        let mut result = result(answer, self.is_plain(&context));
        result.meta = meta;
        Ok(result.into())
    }

    /// Answers a request that MCP does not define, such as a call whose arguments are not an object.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != "tools/call" {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None));
        }
        let mut refused = result(tool::answer_misshapen(), self.is_plain(&context));
        refused.result_type = None; // older revisions do not have it, and its absence means complete
        Ok(CustomResult::new(serde_json::to_value(refused).expect("results are plain data")))
    }
}

fn declaration(described: ToolDescription) -> rmcp::model::Tool {
    let mut meta = MetaObject::new();
    meta.0.insert("anthropic/alwaysLoad".into(), Value::Bool(true));
    let mut annotations = ToolAnnotations::new();
    annotations.read_only_hint = Some(described.only_reads);
    // The component asks the user before any change. Agents assume the worst when a hint is missing, and would ask
    // again before every call, even one that only reads.
    annotations.destructive_hint = Some(false);
    annotations.open_world_hint = Some(false);
    let description = Cow::Owned(described.description);
    let mut tool = rmcp::model::Tool::new(TOOL_NAME, description, Arc::new(tool::input_schema()));
    tool.annotations = Some(annotations);
    tool.meta = Some(meta);
    tool
}

fn script_declaration(description: ToolDescription, runtimes: &[String]) -> rmcp::model::Tool {
    let mut tool = declaration(description);
    tool.name = Cow::Borrowed(script::NAME);
    tool.input_schema = Arc::new(script::input_schema(runtimes));
    tool
}

/// Returns a result of text alone. Agents treat structured content differently, but all of them show text.
fn result(answer: Answer, is_plain: bool) -> CallToolResult {
    let blocks = answer.blocks.into_iter().map(ContentBlock::text).collect();
    match answer.kind {
        Kind::Failure if is_plain => CallToolResult::success(blocks),
        Kind::Failure => CallToolResult::error(blocks),
        // An ambiguity is a turn of the conversation, and some agents give up after several errors.
        Kind::Success | Kind::Ambiguity => CallToolResult::success(blocks),
    }
}

fn outcome(answer: &Answer) -> MetaObject {
    let mut meta = MetaObject::new();
    meta.0.insert(OUTCOME.into(), Value::from(answer.kind.name()));
    let each = answer.candidates.iter();
    let candidates: Vec<_> =
        each.map(|it| json!({"description": it.description, "program": it.program})).collect();
    if !candidates.is_empty() {
        meta.0.insert(CANDIDATES.into(), Value::Array(candidates));
    }
    if !answer.reasons.is_empty() {
        let reason = |(code, is_gap): (&String, &bool)| json!({"code": code, "gap": is_gap});
        meta.0.insert(REASONS.into(), answer.reasons.iter().map(reason).collect());
    }
    meta
}

/// Sends every step to an agent that gave a token for it, and then waits for ever.
async fn report(
    mut steps: UnboundedReceiver<ProgressStep>,
    token: Option<ProgressToken>,
    peer: Peer<RoleServer>,
) -> Infallible {
    let Some(token) = token else { return std::future::pending().await };
    let mut sent = 0.0;
    while let Some(step) = steps.recv().await {
        sent += 1.0;
        let progress = ProgressNotificationParam::new(token.clone(), sent).with_message(message(&step));
        if let Err(error) = peer.notify_progress(progress).await {
            tracing::debug!(%error, "the agent does not hear progress");
        }
    }
    std::future::pending().await
}

fn message(step: &ProgressStep) -> String {
    match step.percentage {
        Some(percentage) if !step.message.contains('%') => format!("{} ({percentage} %)", step.message),
        _ => step.message.clone(),
    }
}
