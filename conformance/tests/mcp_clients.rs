//! `dialect mcp` with clients that speak MCP and no ACP: rmcp's, our own, and where they are installed the official SDKs,
//! the Inspector and the suite of MCP itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, ensure};
use conformance::mcp::{Client, Era, HttpServer, Server};
use conformance::record::Log;
use conformance::wire::{Peer, open};
use conformance::workspace::Workspace;
use libtest_mimic::{Completion, Failed, Trial};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest,
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability, GetSkillRequestParams,
    Implementation, ProtocolVersion, ReadResourceRequestParams, Request,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, PeerRequestOptions, RequestContext, RunningService,
};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;
use tokio::sync::watch;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = tests![
        async
        a_client_of_each_era_lists_calls_and_answers,
        who_cannot_be_asked_needs_the_flag,
        a_cancelled_call_withdraws_its_question,
        a_call_that_is_sent_again_goes_on_once,
        requests_name_their_workspace,
        a_port_is_open_to_its_own_pages_and_clients_alone,
        a_client_of_each_era_calls_over_http,
        skills_of_the_user_are_read_with_their_files,
    ];
    let trusting = || crate::with_server("rust-analyzer", the_user_is_asked_to_trust_the_workspace);
    let name = "the_user_is_asked_to_trust_the_workspace";
    trials.push(Trial::ignorable_test(name, trusting).with_kind("mcp_clients"));
    trials.extend(CLIENTS.iter().map(|(name, client)| {
        let client = *client;
        Trial::ignorable_test(*name, move || with_tools(name, client)).with_kind("mcp_clients")
    }));
    trials
}

const FILE: &str = "src/lib.py";
const BEFORE: &str = "def load():\n    return 1\n\n\ndef twice():\n    return load() + load()\n";

/// The program that renames `twice`.
const EDIT: &str = "await fs.edit('src/lib.py', 'twice', 'thrice', true)";
const BACK: &str = "await fs.edit('src/lib.py', 'thrice', 'twice', true)";

/// A workspace, and a home without settings.
struct World {
    workspace: Workspace,
    home: TempDir,
}

impl World {
    fn new() -> Result<Self> {
        Ok(Self { workspace: Workspace::new([(FILE, BEFORE)])?, home: TempDir::new()? })
    }

    fn text(&self) -> Result<String> {
        Ok(fs::read_to_string(self.workspace.root().join(FILE))?)
    }

    /// Returns the command of a server, which answers from the syntax alone.
    fn command(&self, more: &[&str]) -> Result<Command> {
        let mut command = Command::new(crate::programs()?.path("dialect-under-test"));
        for variable in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
            command.env(variable, self.home.path());
        }
        command.env_remove("DIALECT_WORKSPACE").env_remove("DIALECT_MCP_TOKEN").current_dir("/");
        let settings = self.home.path().join("dialect");
        fs::create_dir_all(&settings)?;
        fs::write(settings.join("config.toml"), "[languages.python]\ndisabled = true\n")?;
        command.args(["mcp", "--no-server"]).arg("--workspace").arg(self.workspace.root()).args(more);
        Ok(command)
    }

    /// Starts a server at a port of its own, and returns the address.
    async fn listen(&self, more: &[&str], token: Option<&str>) -> Result<(Child, String)> {
        let mut command = self.command(&[&["--http", "127.0.0.1:0"], more].concat())?;
        if let Some(token) = token {
            command.env("DIALECT_MCP_TOKEN", token);
        }
        let mut command = tokio::process::Command::from(command);
        let mut child = command.stderr(Stdio::piped()).stdin(Stdio::null()).kill_on_drop(true).spawn()?;
        let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
        let first = lines.next_line().await?.context("a server that says nothing")?;
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let url = first.split_once("http://").map(|it| it.1).and_then(|it| it.strip_suffix("/mcp"));
        Ok((child, url.ok_or_else(|| anyhow!("no address: {first}"))?.to_owned()))
    }

    async fn client(&self, more: &[&str], era: &Era, user: User) -> Result<Connected> {
        Connected::start(self.command(more)?, era, user).await
    }
}

/// A client with its server.
struct Connected {
    service: RunningService<RoleClient, User>,
    _child: Child,
}

impl Connected {
    async fn start(command: Command, era: &Era, user: User) -> Result<Self> {
        let mut command = tokio::process::Command::from(command);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
        let (input, output) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let lifecycle = match era {
            Era::Modern => {
                ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
            }
            Era::Legacy(_) => ClientLifecycleMode::Initialize,
        };
        let service = user.serve_with_lifecycle((output, input), lifecycle).await?;
        Ok(Self { service, _child: child })
    }

    async fn call(&self, program: &str) -> Result<CallToolResult> {
        self.ask("ide_operation", json!({"program": program})).await
    }

    async fn script(&self, code: &str) -> Result<CallToolResult> {
        self.ask("script", json!({"code": code})).await
    }

    async fn ask(&self, tool: &'static str, arguments: Value) -> Result<CallToolResult> {
        let arguments = arguments.as_object().context("arguments")?.clone();
        let params = CallToolRequestParams::new(tool).with_arguments(arguments);
        Ok(self.service.call_tool(params).await?)
    }
}

/// The user of a client.
#[derive(Clone)]
struct User {
    reply: Reply,
    /// The questions so far.
    asked: Arc<watch::Sender<Vec<String>>>,
}

/// The reaction of a user who is asked.
#[derive(Clone, Copy, PartialEq)]
enum Reply {
    Chooses(&'static str),
    Declines,
    IsSilent,
    /// Nothing: the client has no elicitation.
    IsOutOfReach,
}

impl User {
    fn new(reply: Reply) -> Self {
        Self { reply, asked: Arc::new(watch::Sender::new(Vec::new())) }
    }

    fn n_asked(&self) -> usize {
        self.asked.borrow().len()
    }

    async fn until_asked(&self) -> Result<()> {
        self.asked.subscribe().wait_for(|it| !it.is_empty()).await?;
        Ok(())
    }
}

impl ClientHandler for User {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = (self.reply != Reply::IsOutOfReach).then(ElicitationCapability::new);
        ClientConfig::new(capabilities, Implementation::new("conformance", "0"))
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = params else {
            return Err(ErrorData::invalid_params("not a form", None));
        };
        self.asked.send_modify(|it| it.push(message));
        Ok(match self.reply {
            Reply::Chooses(choice) => {
                ElicitResult::new(ElicitationAction::Accept).with_content(json!({"decision": choice}))
            }
            Reply::Declines | Reply::IsOutOfReach => ElicitResult::new(ElicitationAction::Decline),
            Reply::IsSilent => std::future::pending().await,
        })
    }
}

fn text_of(result: &CallToolResult) -> String {
    let blocks = result.content.iter().filter_map(|it| it.as_text());
    blocks.map(|it| it.text.clone()).collect::<Vec<_>>().join("\n")
}

async fn a_client_of_each_era_lists_calls_and_answers() -> Result<()> {
    for era in [Era::Modern, Era::Legacy("2025-11-25")] {
        let world = World::new()?;
        let user = User::new(Reply::Chooses("Allow once"));
        let client = world.client(&[], &era, user.clone()).await?;
        let tools = client.service.list_all_tools().await?;
        let names: Vec<&str> = tools.iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["ide_operation", "script"], "{era:?}");
        for tool in &tools {
            let annotations = tool.annotations.as_ref().context("annotations")?;
            assert_eq!(
                (annotations.read_only_hint, annotations.destructive_hint),
                (Some(false), Some(false))
            );
            assert!(tool.output_schema.is_some() && tool.title.is_some(), "{era:?}: {}", tool.name);
        }

        let found = client.call("search(`.`, `load`)").await?;
        let structured = found.structured_content.clone().context("structured content")?;
        assert_eq!(structured["outcome"], "success", "{era:?}: {structured}");
        let notes = structured["notes"].as_array().into_iter().flatten();
        let whole = [&structured["answer"]].into_iter().chain(notes).filter_map(Value::as_str);
        assert_eq!(text_of(&found), whole.collect::<Vec<_>>().join("\n"), "{era:?}: all of it is in both");

        let edited = client.script(EDIT).await?;
        assert_eq!(edited.is_error, Some(false), "{era:?}: {}", text_of(&edited));
        assert_eq!((user.n_asked(), world.text()?), (1, BEFORE.replace("twice", "thrice")), "{era:?}");

        let pages = client.service.list_all_resources().await?;
        assert!(pages.len() >= 5, "{era:?}: {pages:?}");
        for page in pages {
            let read = client.service.read_resource(ReadResourceRequestParams::new(page.uri)).await?;
            assert_eq!(read.contents.len(), 1, "{era:?}");
        }
        let uri = "skill://dialect/SKILL.md";
        let skill = client.service.get_skill(GetSkillRequestParams::new(uri)).await?;
        assert_eq!(skill.skill.name(), "dialect", "{era:?}");
        client.service.cancel().await?;
    }
    Ok(())
}

async fn skills_of_the_user_are_read_with_their_files() -> Result<()> {
    let head = |id: &str, more: &str| {
        format!("---\nid: {id}\ntitle: It\nsummary: \"Mails: all of them.\"\n{more}---\n")
    };
    let mail = format!(
        "{}\n# Mail\n\nBe polite.\n\n<define>\nfrom \"./types.md\" import Address\n// Sends.\n// @pure\n\
         tool send(to: Address) -> string {{ return to.at }}\n</define>\n",
        head("mail", "version: 1.2.0\n"),
    );
    let types =
        format!("{}\n<define>\n// It.\ntype Address = {{ at: string }}\n</define>\n", head("types", ""));
    let secret = format!("{}\nNot without a question.\n", head("secret", "loading: manual\n"));
    let skills = TempDir::new()?;
    for (path, text) in [
        ("mail/ailang.json", r#"{"name": "mail", "version": "1.2.0", "main": "mail.md"}"#),
        ("mail/mail.md", &mail),
        ("mail/types.md", &types),
        ("secret.md", &secret),
        ("dialect.md", &head("dialect", "")),
    ] {
        let path = skills.path().join(path);
        fs::create_dir_all(path.parent().context("it has a folder")?)?;
        fs::write(path, text)?;
    }
    for era in [Era::Modern, Era::Legacy("2025-11-25")] {
        let world = World::new()?;
        let folder = skills.path().to_str().context("the path is text")?;
        let client = world.client(&["--skills", folder], &era, User::new(Reply::Declines)).await?;
        let listed = client.service.list_all_skills().await?;
        let names: Vec<&str> = listed.iter().map(rmcp::model::Skill::name).collect();
        assert_eq!(names, ["dialect", "mail"], "{era:?}");
        let mail = &listed[1];
        let metadata = &mail.frontmatter.extra["metadata"];
        assert_eq!(
            (&metadata["version"], mail.uri.as_str()),
            (&json!("1.2.0"), "skill://mail/SKILL.md"),
            "{era:?}"
        );
        assert_eq!(mail.frontmatter.description, "Mails: all of them.", "{era:?}");
        let got = client.service.get_skill(GetSkillRequestParams::new(&*mail.uri)).await?;
        assert_eq!(got.skill, *mail, "{era:?}");
        let rmcp::model::SkillResources::Files(files) = &mail.resources else {
            return Err(anyhow!("{era:?}: it has files"));
        };
        let uris: Vec<&str> = files.iter().map(|it| it.uri.as_str()).collect();
        assert_eq!(uris, ["skill://mail/SKILL.md", "skill://mail/types.md"], "{era:?}");
        let pages = client.service.list_all_resources().await?;
        for (file, part) in files.iter().zip(["Be polite.", "type Address"]) {
            assert!(pages.iter().any(|it| it.uri == file.uri), "{era:?}: {}", file.uri);
            let read = client.service.read_resource(ReadResourceRequestParams::new(&*file.uri)).await?;
            let [rmcp::model::ResourceContents::TextResourceContents { text, .. }] = &read.contents[..]
            else {
                return Err(anyhow!("{era:?}: {read:?}"));
            };
            file.verify(text.as_bytes())?;
            assert!(text.contains(part), "{era:?}: {text}");
        }
        client.service.cancel().await?;
    }
    Ok(())
}

async fn who_cannot_be_asked_needs_the_flag() -> Result<()> {
    for era in [Era::Modern, Era::Legacy("2025-11-25")] {
        let world = World::new()?;
        let client = world.client(&[], &era, User::new(Reply::IsOutOfReach)).await?;
        let refused = client.script(EDIT).await?;
        assert_eq!(refused.is_error, Some(true), "{era:?}");
        assert!(text_of(&refused).contains("--allow-write"), "{era:?}: {}", text_of(&refused));
        assert_eq!(world.text()?, BEFORE, "{era:?}");
        let read_only = async |client: &Connected| -> Result<Vec<_>> {
            let tools = client.service.list_all_tools().await?;
            let hints =
                |it: rmcp::model::Tool| it.annotations.map(|it| (it.read_only_hint, it.destructive_hint));
            Ok(tools.into_iter().filter_map(hints).collect())
        };
        assert_eq!(read_only(&client).await?, [(Some(true), Some(false)); 2], "{era:?}");
        let allowed = world.client(&["--allow-write"], &era, User::new(Reply::IsOutOfReach)).await?;
        assert_eq!(read_only(&allowed).await?, [(Some(false), Some(true)); 2], "{era:?}");
        let edited = allowed.script(EDIT).await?;
        assert_eq!(edited.is_error, Some(false), "{era:?}: {}", text_of(&edited));
        assert_eq!(world.text()?, BEFORE.replace("twice", "thrice"), "{era:?}");

        let declining = User::new(Reply::Declines);
        let client = world.client(&[], &era, declining.clone()).await?;
        for asked in 1..3 {
            let refused = client.script(BACK).await?;
            assert!(text_of(&refused).contains("the user refused"), "{era:?}: {}", text_of(&refused));
            assert_eq!(declining.n_asked(), asked, "{era:?}: each call is a new request of the user");
        }
    }
    Ok(())
}

async fn a_cancelled_call_withdraws_its_question() -> Result<()> {
    let world = World::new()?;
    let user = User::new(Reply::IsSilent);
    let client = world.client(&[], &Era::Legacy("2025-11-25"), user.clone()).await?;
    let arguments = json!({"code": EDIT}).as_object().context("arguments")?.clone();
    let params = CallToolRequestParams::new("script").with_arguments(arguments);
    let request = ClientRequest::CallToolRequest(Request::new(params));
    let options = PeerRequestOptions::no_options();
    let running = client.service.send_cancellable_request(request, options).await?;
    user.until_asked().await?;
    running.cancel(None).await?;
    assert_eq!(text_of(&client.call("1 + 1").await?), "2");
    assert_eq!(world.text()?, BEFORE);
    Ok(())
}

/// Checks the rounds of a call that needs the user: its state is good once, and for the same call.
async fn a_call_that_is_sent_again_goes_on_once() -> Result<()> {
    let world = World::new()?;
    let (_child, authority) = world.listen(&[], None).await?;
    let server = HttpServer::new(&json!({"url": format!("http://{authority}/mcp")}))?;
    // Somebody else waits for an answer all the time.
    let waiting = json!({"name": "script", "arguments": {"code": BACK.replace("thrice", "load")}});
    let waiting = post(&server, waiting, &json!({"elicitation": {}})).await?;
    assert_eq!(waiting["result"]["resultType"], "input_required", "{waiting}");
    let ask = async |more: Value| -> Result<Value> {
        let mut params = json!({"name": "script", "arguments": {"code": EDIT}});
        for (key, value) in more.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        post(&server, params, &json!({"elicitation": {}})).await
    };
    let answers =
        |decision: &str| json!({"permission": {"action": "accept", "content": {"decision": decision}}});
    let first = ask(json!({})).await?;
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
    let state = first["result"]["requestState"].clone();
    let other = json!({"code": "return 'another'"});
    let swapped =
        ask(json!({"arguments": other, "requestState": state, "inputResponses": answers("Allow once")}));
    let swapped = swapped.await?["result"]["structuredContent"]["answer"].to_string();
    assert!(swapped.contains("another"), "another call begins anew: {swapped}");
    assert_eq!(world.text()?, BEFORE);
    let used = ask(json!({"requestState": state, "inputResponses": answers("Allow once")})).await?;
    assert_eq!(used["result"]["resultType"], "input_required", "its state was used up: {used}");
    let state = used["result"]["requestState"].clone();
    let done = ask(json!({"requestState": state, "inputResponses": answers("Allow once")})).await?;
    assert_eq!(done["result"]["structuredContent"]["outcome"], "success", "{done}");
    assert_eq!(world.text()?, BEFORE.replace("twice", "thrice"));
    Ok(())
}

/// Checks that a question of the chain itself reaches the user of a client, while one of its calls runs.
fn the_user_is_asked_to_trust_the_workspace() -> Result<()> {
    let manifest = "[package]\nname = \"it\"\nversion = \"0.0.0\"\nedition = \"2024\"\n";
    let files = [("Cargo.toml", manifest), ("src/lib.rs", "pub fn load() {}\npub fn twice() { load() }\n")];
    for era in [Era::Modern, Era::Legacy("2025-11-25")] {
        let world = World { workspace: Workspace::new(files)?, home: TempDir::new()? };
        crate::runtime()?.block_on(async {
            let user = User::new(Reply::Chooses("Not now"));
            let mut command = world.command(&[])?;
            command.env("DIALECT_WALL", "off");
            let client = Connected::start(command, &era, user.clone()).await?;
            let found = client.call("findReferences(`load`)").await?;
            assert!(text_of(&found).contains("in function twice"), "{era:?}: {}", text_of(&found));
            user.until_asked().await?;
            let asked = user.asked.borrow().clone();
            assert!(asked.len() == 1 && asked[0].starts_with("Trust "), "{era:?}: {asked:?}");
            anyhow::Ok(())
        })?;
    }
    Ok(())
}

async fn requests_name_their_workspace() -> Result<()> {
    let (world, other) = (World::new()?, Workspace::new([("only_here.py", "x = 1\n")])?);
    let program = "files(`*.py`)";
    let asked = |folder: &Path| json!({"name": "ide_operation", "arguments": {"program": program}, "_meta": {"dialect/workspace": folder}});
    let entry = |more: &[&str]| -> Result<Value> {
        let command = world.command(more)?;
        let words = |it: &std::ffi::OsStr| it.to_string_lossy().into_owned();
        let arguments: Vec<String> = command.get_args().map(words).collect();
        let variables = command
            .get_envs()
            .filter_map(|(name, value)| Some(json!({"name": words(name), "value": words(value?)})));
        let variables: Vec<Value> = variables.collect();
        Ok(
            json!({"name": "dialect", "command": words(command.get_program()), "args": arguments, "env": variables}),
        )
    };
    let peer = no_agent();
    for era in Era::ALL {
        let client = Client { era, keeps_posts: false, hears: None };
        let server = Server::connect(&entry(&[])?, client, &peer).await?;
        let answer =
            async |params: Value| server.request("tools/call", params).await.map(|it| it.to_string());
        let here = answer(json!({"name": "ide_operation", "arguments": {"program": program}})).await;
        assert!(here.as_ref().is_ok_and(|it| it.contains("lib.py")), "{era:?}: {here:?}");
        let there = answer(asked(other.root())).await;
        assert!(there.as_ref().is_ok_and(|it| it.contains("only_here.py")), "{era:?}: {there:?}");
        let nowhere = answer(asked(Path::new("/no/such/folder"))).await;
        assert!(nowhere.as_ref().is_ok_and(|it| it.contains("/no/such/folder")), "{era:?}: {nowhere:?}");
    }
    let (_child, authority) = world.listen(&[], None).await?;
    let server = HttpServer::new(&json!({"url": format!("http://{authority}/mcp")}))?;
    let refused = post(&server, asked(other.root()), &json!({})).await?.to_string();
    assert!(refused.contains("is not served here") && !refused.contains("only_here.py"), "{refused}");
    let below = post(&server, asked(&world.workspace.root().join("src")), &json!({})).await?.to_string();
    assert!(below.contains("lib.py"), "{below}");
    Ok(())
}

/// Returns a connection to nobody: these servers are reached by themselves.
fn no_agent() -> Peer {
    open(tokio::io::empty(), tokio::io::sink(), Log::Nowhere).0
}

/// Sends a call of the stateless revision.
async fn post(server: &HttpServer, mut params: Value, capabilities: &Value) -> Result<Value> {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": "conformance", "version": "0"});
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let headers = [
        ("content-type", "application/json".to_owned()),
        ("accept", "application/json, text/event-stream".to_owned()),
        ("mcp-protocol-version", "2026-07-28".to_owned()),
        ("mcp-method", "tools/call".to_owned()),
        ("mcp-name", params_name(&message)),
    ];
    let response = server.send("POST", &headers, &message.to_string()).await?;
    serde_json::from_str(&response.body)
        .with_context(|| format!("HTTP {}: {}", response.status, response.body))
}

fn params_name(message: &Value) -> String {
    message["params"]["name"].as_str().unwrap_or_default().to_owned()
}

async fn a_port_is_open_to_its_own_pages_and_clients_alone() -> Result<()> {
    let world = World::new()?;
    let (_child, authority) = world.listen(&[], None).await?;
    let status = async |authority: &str, path: &str, header: (&str, String)| -> Result<u16> {
        let server = HttpServer::new(&json!({"url": format!("http://{authority}{path}")}))?;
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
        let accept = "application/json, text/event-stream".to_owned();
        let headers = [("content-type", "application/json".to_owned()), ("accept", accept), header];
        Ok(server.send("POST", &headers, &message).await?.status)
    };
    let plain = ("x-nothing", String::new());
    assert_ne!(status(&authority, "/mcp", plain.clone()).await?, 403);
    assert_eq!(status(&authority, "/other", plain.clone()).await?, 404);
    assert_eq!(status(&authority, "/mcp", ("origin", "http://evil.example".into())).await?, 403);
    assert_eq!(status(&authority, "/mcp", ("origin", "null".into())).await?, 403);
    assert_ne!(status(&authority, "/mcp", ("origin", format!("http://{authority}"))).await?, 403);
    assert_eq!(status(&authority, "/mcp", ("host", "evil.example".into())).await?, 403);

    let (_guarded, authority) = world.listen(&[], Some("k3y")).await?;
    assert_eq!(status(&authority, "/mcp", plain).await?, 401);
    assert_eq!(status(&authority, "/mcp", ("authorization", "Bearer k3".into())).await?, 401);
    assert_ne!(status(&authority, "/mcp", ("authorization", "Bearer k3y".into())).await?, 401);
    let mut open = world.command(&["--http", "0.0.0.0:0"])?;
    let output = open.stdin(Stdio::null()).output()?;
    ensure!(
        !output.status.success() && String::from_utf8_lossy(&output.stderr).contains("DIALECT_MCP_TOKEN")
    );
    Ok(())
}

async fn a_client_of_each_era_calls_over_http() -> Result<()> {
    let world = World::new()?;
    let (_child, authority) = world.listen(&[], None).await?;
    let entry = json!({"name": "dialect", "type": "http", "url": format!("http://{authority}/mcp")});
    let peer = no_agent();
    for era in Era::ALL {
        let client = Client { era, keeps_posts: false, hears: None };
        let server = Server::connect(&entry, client, &peer).await?;
        let tools = server.tools().await?;
        assert_eq!(tools.len(), 2, "{era:?}");
        let called = server.call("ide_operation", json!({"program": "1 + 1"})).await;
        assert_eq!(called.map_err(|it| anyhow!("{it}"))?["structuredContent"]["answer"], "2", "{era:?}");
    }
    Ok(())
}

/// A client of somebody else, with the test that runs it.
type Theirs = fn(&Tools) -> Result<()>;

const CLIENTS: &[(&str, Theirs)] = &[
    ("mcp-python", python),
    ("mcp-typescript", typescript),
    ("mcp-inspector", inspector),
    ("mcp-conformance", suite),
];

/// The folder of tools: `node_modules` and `python`, a virtual environment.
struct Tools(PathBuf);

impl Tools {
    fn package(&self, name: &str) -> PathBuf {
        self.0.join("node_modules/@modelcontextprotocol").join(name)
    }

    /// Returns node, of the folder or else of the search path.
    fn node(&self) -> Command {
        let own = self.0.join("node_modules/.bin/node");
        Command::new(if own.exists() { own } else { "node".into() })
    }

    fn python(&self) -> PathBuf {
        self.0.join("python/bin/python")
    }

    /// Returns the reason why a client cannot run.
    fn lacks(&self, client: &str) -> Option<String> {
        let check = |command: &mut Command| match command.output() {
            Ok(output) if output.status.success() => None,
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                Some(said.lines().last().unwrap_or("it fails").to_owned())
            }
            Err(error) => Some(error.to_string()),
        };
        let package = match client {
            "mcp-python" => return check(Command::new(self.python()).args(["-c", "from mcp import Client"])),
            "mcp-typescript" => "sdk",
            "mcp-inspector" => "inspector",
            _ => "conformance",
        };
        if !self.package(package).exists() {
            return Some(format!("@modelcontextprotocol/{package} is not installed"));
        }
        let is_new = "process.exit(Number(process.versions.node.split('.')[0]) < 22 ? 1 : 0)";
        let too_old = check(self.node().args(["-e", is_new])).map(|_| "node is older than 22".to_owned());
        if package == "sdk" { None } else { too_old }
    }
}

/// Runs a client. Where it is not installed the test counts as ignored, or as failed if `DIALECT_REQUIRE_SERVERS` names it.
fn with_tools(client: &str, test: Theirs) -> Result<Completion, Failed> {
    let home = std::env::var_os("AILANG_TOOLS").map(|it| Tools(it.into()));
    let lacks = match &home {
        None => Some("`AILANG_TOOLS` names no folder of tools".to_owned()),
        Some(tools) => tools.lacks(client),
    };
    match (home, lacks) {
        (Some(tools), None) => {
            test(&tools).map(|()| Completion::Completed).map_err(|error| Failed::from(format!("{error:#}")))
        }
        (_, reason) => {
            let reason = format!("`{client}` is not installed: {}", reason.unwrap_or_default());
            let required = std::env::var("DIALECT_REQUIRE_SERVERS").unwrap_or_default();
            match required.split(',').any(|it| it.trim() == client) {
                true => Err(Failed::from(reason)),
                false => Ok(Completion::ignored_with(reason)),
            }
        }
    }
}

/// Runs a command to its end, and returns its standard output.
fn output(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("{command:?}"))?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "{command:?}: {}\n{out}\n{err}", output.status);
    Ok(out.into_owned())
}

/// Runs an official SDK over both transports, and checks what it saw.
fn sdk(name: &str, begin: impl Fn() -> Command) -> Result<()> {
    for is_http in [false, true] {
        let world = World::new()?;
        let mut client = begin();
        let runtime = crate::runtime()?;
        let _server = match is_http {
            true => {
                let (child, authority) = runtime.block_on(world.listen(&[], None))?;
                client.arg(format!("http://{authority}/mcp"));
                Some(child)
            }
            false => {
                let server = world.command(&[])?;
                client.arg(server.get_program()).args(server.get_args());
                client.envs(server.get_envs().filter_map(|(name, value)| Some((name, value?))));
                None
            }
        };
        let said = output(&mut client).with_context(|| format!("{name}, HTTP: {is_http}"))?;
        let said: Value = serde_json::from_str(said.trim()).with_context(|| said.clone())?;
        let expected = json!({
            "tools": ["ide_operation", "script"], "call": {"outcome": "success", "answer": "1"},
            "edit": "success", "pages": 5, "declined": "failure", "after": "2",
        });
        assert_eq!(said, expected, "{name}, HTTP: {is_http}");
        assert_eq!(world.text()?, BEFORE.replace("twice", "thrice"), "{name}, HTTP: {is_http}");
    }
    Ok(())
}

fn python(tools: &Tools) -> Result<()> {
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp_clients/client.py");
    for mode in ["2026-07-28", "legacy"] {
        sdk(&format!("python, {mode}"), || {
            let mut command = Command::new(tools.python());
            command.arg(&driver).arg(mode);
            command
        })?;
    }
    Ok(())
}

fn typescript(tools: &Tools) -> Result<()> {
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp_clients/client.mjs");
    sdk("typescript", || {
        let mut command = tools.node();
        command.arg(&driver).env("SDK", tools.package("sdk"));
        command
    })
}

fn inspector(tools: &Tools) -> Result<()> {
    let world = World::new()?;
    let (_child, authority) = crate::runtime()?.block_on(async { world.listen(&[], None).await })?;
    let server = world.command(&[])?;
    let stdio: Vec<_> = [server.get_program()].into_iter().chain(server.get_args()).map(Into::into).collect();
    let over_http = vec![format!("http://{authority}/mcp").into(), "--transport".into(), "http".into()];
    for target in [stdio, over_http] {
        let target: Vec<std::ffi::OsString> = target;
        let ask = |arguments: &[&str]| -> Result<Value> {
            let mut command = tools.node();
            command.arg(tools.package("inspector/cli/build/cli.js")).arg("--cli");
            command.envs(server.get_envs().filter_map(|(name, value)| Some((name, value?))));
            let said = output(command.args(&target).args(arguments))?;
            serde_json::from_str(&said).with_context(|| said.clone())
        };
        let listed = ask(&["--method", "tools/list"])?;
        assert_eq!(listed["tools"].as_array().map(Vec::len), Some(2), "{listed}");
        let call = ["--method", "tools/call", "--tool-name", "ide_operation", "--tool-arg", "program=1 + 1"];
        assert_eq!(ask(&call)?["structuredContent"]["answer"], "2");
    }
    Ok(())
}

/// The scenarios of MCP's suite that ask for what no server of code has, with the reason.
const NOT_APPLICABLE: &[(&str, &str)] = &[
    ("server-stateless", FIXTURE),
    ("completion-complete", NONE),
    ("tools-call-simple-text", FIXTURE),
    ("tools-call-image", FIXTURE),
    ("tools-call-audio", FIXTURE),
    ("tools-call-embedded-resource", FIXTURE),
    ("tools-call-mixed-content", FIXTURE),
    ("tools-call-error", FIXTURE),
    ("tools-call-with-progress", FIXTURE),
    ("tools-call-with-logging", FIXTURE),
    ("tools-call-sampling", FIXTURE),
    ("tools-call-elicitation", FIXTURE),
    ("elicitation-sep1034-defaults", FIXTURE),
    ("elicitation-sep1330-enums", FIXTURE),
    ("resources-read-text", FIXTURE),
    ("resources-read-binary", FIXTURE),
    ("resources-templates-read", FIXTURE),
    ("resources-subscribe", NONE),
    ("resources-unsubscribe", NONE),
    ("logging-set-level", NONE),
    ("prompts-list", NONE),
    ("prompts-get-simple", NONE),
    ("prompts-get-with-args", NONE),
    ("prompts-get-embedded-resource", NONE),
    ("prompts-get-with-image", NONE),
    ("caching", NONE),
    ("input-required-result-basic-elicitation", FIXTURE),
    ("input-required-result-basic-sampling", FIXTURE),
    ("input-required-result-basic-list-roots", FIXTURE),
    ("input-required-result-request-state", FIXTURE),
    ("input-required-result-multiple-input-requests", FIXTURE),
    ("input-required-result-multi-round", FIXTURE),
    ("input-required-result-non-tool-request", FIXTURE),
    ("input-required-result-result-type", FIXTURE),
    ("input-required-result-tampered-state", FIXTURE),
    ("input-required-result-capability-check", FIXTURE),
    ("tasks-lifecycle", NONE),
    ("tasks-capability-negotiation", NONE),
    ("tasks-wire-fields", NONE),
    ("tasks-request-state-removal", NONE),
    ("tasks-mrtr-input", NONE),
    ("tasks-request-headers", NONE),
    ("tasks-dispatch-and-envelope", NONE),
    ("tasks-required-task-error", NONE),
    ("tasks-mrtr-composition", NONE),
    ("json-schema-2020-12", FIXTURE),
    ("http-custom-header-server-validation", FIXTURE),
];

/// The scenario calls a tool or reads a page of the suite's own example server.
const FIXTURE: &str = "asks for a tool or page of the example server";

/// The scenario needs what the server does not declare: prompts, completion, tasks, subscriptions or logging.
const NONE: &str = "asks for what the server does not declare";

/// Runs MCP's own suite for two revisions.
fn suite(tools: &Tools) -> Result<()> {
    let world = World::new()?;
    let runtime = crate::runtime()?;
    let (_child, authority) = runtime.block_on(world.listen(&[], None))?;
    let reasons: BTreeMap<&str, &str> = NOT_APPLICABLE.iter().copied().collect();
    let mut unused: BTreeSet<&str> = reasons.keys().copied().collect();
    for revision in ["2026-07-28", "2025-11-25"] {
        let mut command = tools.node();
        command.arg(tools.package("conformance/dist/index.js")).arg("server");
        command.args(["--url", &format!("http://{authority}/mcp"), "--requirements", revision]);
        let output = command.current_dir(world.home.path()).stdin(Stdio::null()).output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        let (_, summary) = said.split_once("=== SUMMARY ===").with_context(|| said.clone().into_owned())?;
        let failed = summary.lines().filter_map(|it| it.strip_prefix("✗ ")?.split(':').next());
        let failed: BTreeSet<&str> = failed.collect();
        let unexpected: Vec<&&str> = failed.iter().filter(|it| !reasons.contains_key(**it)).collect();
        assert!(unexpected.is_empty(), "{revision}: {unexpected:?}\n{summary}");
        unused.retain(|it| !failed.contains(it));
    }
    assert!(unused.is_empty(), "these pass, or are no scenarios: {unused:?}");
    Ok(())
}
