//! The MCP server, the same over every transport: of one session of ACP, or of clients without one.

mod call;
pub(crate) mod clients;
mod elicitation;
pub(crate) mod http;
mod manual;
pub(crate) mod native;
pub(crate) mod port;
pub mod relay;
pub(crate) mod secret;
mod skill_folders;
pub(crate) mod standalone;

use std::borrow::Cow;
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    ErrorCode, GetSkillRequestParams, GetSkillResult, Implementation, ListResourcesResult, ListSkillsResult,
    ListToolsResult, MetaObject, PaginatedRequestParams, ProgressNotificationParam, ProgressToken,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    ToolAnnotations,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::acp::known_agents::{client_mistreats_failures, client_wants_text};
use crate::acp::sub_agents::call_id;
use crate::acp::upstream::ProgressStep;
use crate::mcp::call::{Call, Event, Question, Request, Start};
use crate::mcp::clients::{Clients, Parked, WORKSPACE};
use crate::mcp::skill_folders::SkillFolders;
use crate::permission::asker::Asked;
use crate::script;
use crate::session::Attachment;
use crate::tool::answer::{Answer, Kind, TOOL_NAME};
use crate::tool::{self, Tool, ToolDescription};

/// The key in a call's `_meta` that asks for the outcome's kind in the result's `_meta`, for its candidates, and for
/// the reasons in its notes.
const OUTCOME: &str = "dialect/outcome";

/// The key in a request's `_meta` for the client that sends it.
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

/// The key of the candidates of an ambiguity, each with a description and its program.
const CANDIDATES: &str = "dialect/candidates";

/// The key of the reasons in the notes, each with a `code` and whether it is a `gap`.
const REASONS: &str = "dialect/reasons";

/// The words under which people look for the tool, for clients that show or search titles.
const TITLE: &str = "Code: definition, references, usages, callers, symbols, rename";

const SCRIPT_TITLE: &str = "Code: a TypeScript program over references, callers, symbols and files";

/// The MCP server of one session of ACP, or of clients without one.
#[derive(Clone)]
pub(crate) struct McpServer {
    tool: Arc<Tool>,
    serves: Serves,
}

/// Those whose calls a server answers.
#[derive(Clone)]
enum Serves {
    /// The agent of one session of ACP.
    Agent(Arc<Attachment>),
    /// Clients that come without a session of ACP.
    Clients(Arc<Clients>),
}

/// The way in which the user is asked about a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asking {
    /// The editor asks.
    Editor,
    /// The client takes requests of its server.
    Request,
    /// The client gets the question as the result of its call, which it sends again with the answer.
    Result,
    /// The client cannot ask.
    Nobody,
}

impl McpServer {
    /// Creates the server of an agent's session.
    pub(crate) fn new(tool: Arc<Tool>, attachment: Arc<Attachment>) -> Self {
        attachment.reached();
        Self { tool, serves: Serves::Agent(attachment) }
    }

    /// Creates the server of clients without a session of ACP.
    fn standalone(tool: Arc<Tool>, clients: Clients) -> Self {
        Self { tool, serves: Serves::Clients(Arc::new(clients)) }
    }

    fn clients(&self) -> Option<&Arc<Clients>> {
        match &self.serves {
            Serves::Agent(_) => None,
            Serves::Clients(clients) => Some(clients),
        }
    }

    /// Returns the session that a request belongs to.
    ///
    /// # Errors
    /// The request names a folder that is not served.
    async fn attachment(&self, context: &RequestContext<RoleServer>) -> Result<Arc<Attachment>, String> {
        match &self.serves {
            Serves::Agent(attachment) => Ok(Arc::clone(attachment)),
            Serves::Clients(clients) => clients.attachment(context.meta.0.0.get(WORKSPACE)).await,
        }
    }

    /// Returns the skills that a client may read.
    async fn skill_folders(&self, context: &RequestContext<RoleServer>) -> Result<SkillFolders, ErrorData> {
        let attachment = self.attachment(context).await.map_err(|it| ErrorData::invalid_params(it, None))?;
        let skills = self.tool.plugins().skills(&attachment).await;
        Ok(SkillFolders::new(manual::folder(), skills.as_deref()))
    }

    fn asking(&self, context: &RequestContext<RoleServer>) -> Asking {
        if self.clients().is_none() {
            return Asking::Editor;
        }
        let asks = context.client_capabilities().is_some_and(|it| elicitation::shows_forms(&it));
        let is_stateless = context.protocol_version().is_some_and(|it| !has_handshake(&it));
        match (asks, is_stateless) {
            (false, _) => Asking::Nobody,
            (true, false) => Asking::Request,
            (true, true) => Asking::Result,
        }
    }

    /// Begins a call, or goes on with the one that waits for the answer which the request brings.
    async fn begin(
        &self,
        params: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<(Call, UnboundedReceiver<ProgressStep>), String> {
        let request = Request { name: params.name.clone().into_owned(), arguments: params.arguments.clone() };
        if let (Some(clients), Some(state)) = (self.clients(), &params.request_state)
            && let Some(Parked { call, steps, question, .. }) = clients.resume(state, &request)
        {
            elicitation::answer(question, params);
            return Ok((call, steps));
        }
        let (over, asking) = (self.attachment(context).await?, self.asking(context));
        if let Some(clients) = self.clients() {
            clients.turn_begins(&over);
        }
        // Clients without a session of ACP share one of ours, each with ids of its own.
        let is_agent = asking == Asking::Editor;
        let start = Start {
            tool: &self.tool,
            over: &over,
            id: if is_agent { context.id.clone().into_json_value() } else { Value::Null },
            update_id: call_id(&context.meta.0.0).filter(|_| is_agent).map(str::to_owned),
            asked: match asking {
                Asking::Editor => |_| Asked::Editor,
                Asking::Request | Asking::Result => Asked::Client,
                Asking::Nobody => |_| Asked::Nobody,
            },
            is_heard: context.meta.get_progress_token().is_some() || asking == Asking::Result,
        };
        Ok(Call::begin(start, request))
    }

    /// Waits for the answer of a call, or for a question that the client gets as its result. Reports its progress to a
    /// client that gave a token for it.
    async fn next(
        &self,
        call: &mut Call,
        steps: &mut UnboundedReceiver<ProgressStep>,
        context: &RequestContext<RoleServer>,
    ) -> Event {
        let mut reporting = pin!(report(steps, context.meta.get_progress_token(), context.peer.clone()));
        loop {
            tokio::select! {
                biased;
                event = call.next() => match event {
                    Event::Asks(question) if self.asking(context) == Asking::Request => {
                        tokio::spawn(elicitation::ask(context.peer.clone(), question));
                    }
                    event => return event,
                },
                () = context.ct.cancelled() => return Event::Answered(Answer::failure("The call was cancelled.")),
                never = reporting.as_mut() => match never {},
            }
        }
    }

    /// Returns the result of a call that asks the user of a client.
    fn asks(
        &self,
        call: Call,
        steps: UnboundedReceiver<ProgressStep>,
        question: Question,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(clients) = self.clients() else {
            return Err(ErrorData::internal_error("an editor is asked by itself", None));
        };
        let asked = question.question.clone();
        Ok(elicitation::required(&asked, clients.park(call, steps, question)).into())
    }

    /// Returns the declaration of a tool for a client.
    fn declared(
        &self,
        name: &'static str,
        described: ToolDescription,
        schema: Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> rmcp::model::Tool {
        let mut annotations = ToolAnnotations::new();
        annotations.read_only_hint = Some(described.only_reads);
        // The user is asked before any change. Agents assume the worst when a hint is missing, and would ask again before
        // every call, even one that only reads.
        annotations.destructive_hint = Some(false);
        annotations.open_world_hint = Some(false);
        let mut tool = rmcp::model::Tool::new(name, Cow::Owned(described.description), Arc::new(schema));
        if let Some(clients) = self.clients() {
            let can_write = clients.allows_writing || self.asking(context) != Asking::Nobody;
            annotations.read_only_hint = Some(described.only_reads || !can_write);
            annotations.destructive_hint = Some(clients.allows_writing && !described.only_reads);
            tool.title = Some(if name == TOOL_NAME { TITLE } else { SCRIPT_TITLE }.to_owned());
            tool.output_schema = self.is_structured(context).then(|| Arc::new(answer_schema()));
        }
        let mut meta = MetaObject::new();
        meta.0.insert("anthropic/alwaysLoad".into(), Value::Bool(true));
        (tool.annotations, tool.meta) = (Some(annotations), Some(meta));
        tool
    }

    /// Returns true if results have structured content beside their text. Agents treat it differently, but all of them
    /// show text; so the agents of ACP get text alone, and so do clients that are known for it. Others may drop the text,
    /// and get all of it in both.
    fn is_structured(&self, context: &RequestContext<RoleServer>) -> bool {
        self.clients().is_some() && client_name(context).is_none_or(|it| !client_wants_text(&it))
    }

    /// Returns the result of a call.
    fn result(&self, answer: Answer, context: &RequestContext<RoleServer>) -> CallToolResult {
        let structured = self.is_structured(context).then(|| structured(&answer));
        let meta = context.meta.0.0.contains_key(OUTCOME).then(|| outcome(&answer));
        let blocks = answer.blocks.into_iter().map(ContentBlock::text).collect();
        let mut result = match answer.kind {
            Kind::Failure if self.is_plain(context) => CallToolResult::success(blocks),
            Kind::Failure => CallToolResult::error(blocks),
            // An ambiguity is a turn of the conversation, and some agents give up after several errors.
            Kind::Success | Kind::Ambiguity => CallToolResult::success(blocks),
        };
        (result.structured_content, result.meta) = (structured, meta);
        result
    }

    /// Returns whether failures are ordinary results for the agent at the other end.
    fn is_plain(&self, context: &RequestContext<RoleServer>) -> bool {
        self.tool.answers_failures_plainly()
            || client_name(context).is_some_and(|it| client_mistreats_failures(&it))
    }
}

/// Returns the name that a client gives itself. Those of the newest revision say it with each request.
fn client_name(context: &RequestContext<RoleServer>) -> Option<String> {
    let introduced = context.peer.peer_info().map(|it| it.client_info.name.clone());
    introduced.or_else(|| Some(context.meta.0.0.get(CLIENT_INFO)?["name"].as_str()?.to_owned()))
}

/// Returns whether clients of a revision begin with `initialize`, and take requests of their server.
fn has_handshake(version: &ProtocolVersion) -> bool {
    version.as_str() < ProtocolVersion::V_2026_07_28.as_str()
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let tools = ServerCapabilities::builder().enable_tools();
        let implementation = Implementation::new("dialect", env!("CARGO_PKG_VERSION"));
        match self.clients() {
            None => ServerConfig::new(tools.build()).with_server_info(implementation),
            Some(_) => {
                let capabilities = tools.enable_resources().enable_skills().build();
                let config = ServerConfig::new(capabilities).with_server_info(implementation);
                config.with_instructions(manual::INSTRUCTIONS)
            }
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let attachment = self.attachment(&context).await.map_err(|it| ErrorData::invalid_params(it, None))?;
        let described = self.tool.described(&attachment).await;
        let mut tools = vec![self.declared(TOOL_NAME, described, tool::input_schema(), &context)];
        if self.tool.has_scripts() {
            let described = self.tool.script_description(&attachment).await;
            let schema = script::input_schema(&self.tool.runtimes());
            tools.push(self.declared(script::NAME, described, schema, &context));
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
        let (mut call, mut steps) = match self.begin(&request, &context).await {
            Ok(begun) => begun,
            Err(why) => return Ok(self.result(Answer::failure(why), &context).into()),
        };
        match self.next(&mut call, &mut steps, &context).await {
            Event::Answered(answer) => Ok(self.result(answer, &context).into()),
            Event::Asks(question) => self.asks(call, steps, question),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.clients().ok_or_else(|| unknown_method("resources/list"))?;
        Ok(self.skill_folders(&context).await?.resources())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.clients().ok_or_else(|| unknown_method("resources/read"))?;
        self.skill_folders(&context).await?.read(&request.uri).map(Into::into)
    }

    async fn list_skills(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        Ok(self.skill_folders(&context).await?.skills()) // asked only of servers that have them
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        self.skill_folders(&context).await?.get_skill(&request.uri)
    }

    /// Answers a request that MCP does not define, such as a call whose arguments are not an object.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != "tools/call" {
            return Err(unknown_method(request.method));
        }
        let mut refused = self.result(tool::answer_misshapen(), &context);
        refused.result_type = None; // older revisions do not have it, and its absence means complete
        Ok(CustomResult::new(serde_json::to_value(refused).expect("results are plain data")))
    }
}

fn unknown_method(method: impl Into<Cow<'static, str>>) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None)
}

fn outcome(answer: &Answer) -> MetaObject {
    let mut meta = MetaObject::new();
    meta.0.insert(OUTCOME.into(), Value::from(answer.kind.name()));
    if let Some(candidates) = candidates(answer) {
        meta.0.insert(CANDIDATES.into(), candidates);
    }
    if let Some(reasons) = reasons(answer) {
        meta.0.insert(REASONS.into(), reasons);
    }
    meta
}

/// Returns the candidates of an ambiguity.
fn candidates(answer: &Answer) -> Option<Value> {
    let candidate = |it: &dialect::Candidate| json!({"description": it.description, "program": it.program});
    let all: Vec<_> = answer.candidates.iter().map(candidate).collect();
    (!all.is_empty()).then_some(Value::Array(all))
}

/// Returns the reasons in the notes of an answer.
fn reasons(answer: &Answer) -> Option<Value> {
    let reason = |(code, is_gap): (&String, &bool)| json!({"code": code, "gap": is_gap});
    (!answer.reasons.is_empty()).then(|| answer.reasons.iter().map(reason).collect())
}

/// Returns the whole of an answer as structured content, by [`answer_schema`].
fn structured(answer: &Answer) -> Value {
    let (first, more) =
        answer.blocks.split_first().map_or(("", [].as_slice()), |(first, more)| (first, more));
    let mut content = json!({"outcome": answer.kind.name(), "answer": first});
    if !more.is_empty() {
        content["notes"] = json!(more);
    }
    if let Some(candidates) = candidates(answer) {
        content["candidates"] = candidates;
    }
    if let Some(reasons) = reasons(answer) {
        content["reasons"] = reasons;
    }
    content
}

/// Returns the schema of structured content.
fn answer_schema() -> Map<String, Value> {
    let text = |description: &str| json!({"type": "string", "description": description});
    let list = |description: &str, items: Value| json!({"type": "array", "description": description, "items": items});
    let object = |properties: Value| {
        let required: Vec<String> =
            properties.as_object().into_iter().flatten().map(|it| it.0.clone()).collect();
        json!({"type": "object", "properties": properties, "required": required})
    };
    let candidate =
        object(json!({"description": text("What it means"), "program": text("The program to send")}));
    let reason = object(json!({
        "code": text("The name of the reason"),
        "gap": {"type": "boolean", "description": "True when the answer may lack something"},
    }));
    let schema = json!({
        "type": "object",
        "properties": {
            "outcome": {"type": "string", "enum": ["success", "failure", "ambiguity"]},
            "answer": text("The value, the error with what to write instead, or the question"),
            "notes": list("What else there is to say: what may be missing, what was cut", text("One of them")),
            "candidates": list("The programs to choose from, one for each meaning", candidate),
            "reasons": list("Why the answer may be incomplete", reason),
        },
        "required": ["outcome", "answer"],
    });
    match schema {
        Value::Object(schema) => schema,
        _ => unreachable!("the literal above is an object"),
    }
}

/// Sends every step to an agent that gave a token for it, and then waits for ever.
async fn report(
    steps: &mut UnboundedReceiver<ProgressStep>,
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
