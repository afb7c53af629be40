//! The tool `ide_operation`: program text in, content blocks out.

pub(crate) mod answer;
mod broken_code;
pub(crate) mod description;
pub(crate) mod dry_run;
pub(crate) mod interpret;
pub(crate) mod rendering;
pub(crate) mod truncation;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ailang::visible_line;
use serde_json::{Map, Value, json};
use source_text::visible;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use crate::acp::prompt::PromptWords;
use crate::acp::upstream::{ProgressStep, TimeLimits, Upstream};
use crate::call_metrics::{CallLog, MeasuredRun};
use crate::config::Config;
use crate::extension::Extensions;
use crate::permission::asker::Asked;
use crate::permission::{Caller, Gate, Waiting};
use crate::plugins::tables::OpenCalls;
use crate::script::{self, Environment, ScriptHost, ScriptRequest};
use crate::session::plugins::{Loaded, SessionPlugins};
use crate::session::routing::{Owner, Routing};
use crate::session::{Attachment, RunningCall};
use crate::skills::SkillContext;
use crate::tool::answer::{Answer, TOOL_NAME};
use crate::tool::broken_code::BrokenCode;
use crate::tool::description::{all, description, only_reads};
use crate::tool::interpret::{RunContext, interpret};

/// The time that a program has after its deadline, when its questions fail, to say what it has done.
const FINISH: Duration = Duration::from_secs(2);

/// The description of the tool for agents.
#[derive(Clone)]
pub(crate) struct ToolDescription {
    pub(crate) description: String,
    /// True when no program changes anything.
    pub(crate) only_reads: bool,
}

/// A call of the tool as it arrives.
#[derive(Clone, Copy)]
pub(crate) struct Received<'a> {
    /// The server that it came over.
    pub(crate) over: &'a Arc<Attachment>,
    pub(crate) call: &'a RunningCall,
    /// The id of the call in updates of the session that made it.
    pub(crate) id: Option<&'a str>,
}

/// The tool of one connection.
pub(crate) struct Tool {
    upstream: Arc<Upstream>,
    gate: Arc<Gate>,
    routing: Arc<Routing>,
    config: Config,
    plugins: SessionPlugins,
    calls: CallLog,
    broken_code: BrokenCode,
    /// The programs in TypeScript, if there is that tool.
    scripts: Option<ScriptHost>,
    described: OnceLock<ToolDescription>,
    /// True when the agent mishandles a first block that is JSON.
    labels_values: AtomicBool,
    /// True when the agent mistreats failed calls, as one that takes the server for broken after a few.
    answers_failures_plainly: AtomicBool,
}

impl Tool {
    pub(crate) fn new(
        upstream: Arc<Upstream>,
        gate: Arc<Gate>,
        routing: Arc<Routing>,
        config: &Config,
    ) -> Self {
        let (config, extensions) = (config.clone(), Arc::new(config.extensions.clone()));
        extensions.prepare();
        let plugins = SessionPlugins::new(config.plugins.clone(), config.skills.clone(), extensions);
        let described = OnceLock::new();
        let (labels_values, answers_failures_plainly) = (AtomicBool::new(false), AtomicBool::new(false));
        let scripts = config.scripts.clone().map(ScriptHost::new);
        let calls = CallLog::new(config.state.as_ref(), config.cache.clone());
        Self {
            upstream,
            gate,
            routing,
            config,
            plugins,
            calls,
            broken_code: BrokenCode::default(),
            scripts,
            described,
            labels_values,
            answers_failures_plainly,
        }
    }

    /// Returns true if there is the tool `script`.
    pub(crate) fn has_scripts(&self) -> bool {
        self.scripts.is_some()
    }

    pub(crate) fn plugins(&self) -> &SessionPlugins {
        &self.plugins
    }

    /// Looks for what the edits of a session broke, if there are new ones.
    pub(crate) fn edits_are_made(&self, session: &str, attachment: &Attachment) {
        if self.config.checks_edits {
            self.broken_code.look(&self.upstream, session, attachment);
        }
    }

    /// Forgets a session that has ended.
    pub(crate) fn session_ends(&self, session: &str) {
        self.broken_code.session_ends(session);
        self.upstream.forget_edits(session);
        self.plugins.prune();
    }

    /// Returns the description for a session. That of what is built in is made at its first use.
    pub(crate) async fn described(&self, attachment: &Arc<Attachment>) -> ToolDescription {
        let loaded = self.plugins.for_description(attachment).await;
        let describe = || self.describe(&loaded.described);
        let mut description =
            if loaded.is_built_in() { self.described.get_or_init(describe).clone() } else { describe() };
        if let Some(skills) = &loaded.skills {
            description.description.push_str(&skills.description());
            description.only_reads = self.config.read_only || only_reads(loaded.extensions.tables());
        }
        description
    }

    /// Returns the names of the external runtimes of `script`.
    pub(crate) fn runtimes(&self) -> Vec<String> {
        self.scripts.as_ref().map(ScriptHost::runtimes).unwrap_or_default()
    }

    /// Returns the description of `script` for a session.
    pub(crate) async fn script_description(&self, attachment: &Arc<Attachment>) -> ToolDescription {
        if let Some(scripts) = &self.scripts {
            scripts.prepare(attachment.roots());
        }
        let loaded = self.plugins.for_description(attachment).await;
        let registry = all(&loaded.described);
        let only_reads = self.config.read_only;
        let limits = self.scripts.as_ref().map(ScriptHost::limits).unwrap_or_default();
        let mut description = script::description(&registry, &self.runtimes(), only_reads, limits);
        if loaded.skills.is_some() {
            description.push_str(SKILLS);
        }
        ToolDescription { description, only_reads }
    }

    fn describe(&self, extensions: &Extensions) -> ToolDescription {
        let registry = all(extensions);
        let only_reads = self.config.read_only || only_reads(&registry);
        ToolDescription { description: description(&registry, self.config.description_tokens), only_reads }
    }

    /// Sets whether values stand under a line of text.
    pub(crate) fn label_values(&self, label: bool) {
        self.labels_values.store(label, Ordering::Relaxed);
    }

    /// Sets whether a failed program is an ordinary result.
    pub(crate) fn answer_failures_plainly(&self, plainly: bool) {
        self.answers_failures_plainly.store(plainly, Ordering::Relaxed);
    }

    pub(crate) fn answers_failures_plainly(&self) -> bool {
        self.answers_failures_plainly.load(Ordering::Relaxed)
    }

    /// Answers a call. The answer is never an error of the protocol, since agents hide those from their models.
    /// `progress` receives its steps, and says whether the agent shows them.
    pub(crate) async fn answer(
        &self,
        received: Received<'_>,
        name: &str,
        arguments: Option<&Map<String, Value>>,
        progress: (UnboundedSender<ProgressStep>, bool),
    ) -> Answer {
        let request = match Request::read(name, arguments) {
            Ok(request) => request,
            Err(answer) => return answer,
        };
        let measured = self.calls.begin(request.tool(), request.text());
        let running = async {
            match self.routing.owner(received.over, received.id).await {
                Ok(owner) => self.run_for(&owner, received.call, request, progress, &measured).await,
                Err(why) => Some(Answer::failure(why)),
            }
        };
        let answer = tokio::select! {
            answer = running => answer,
            () = received.call.cancelled() => None,
        };
        match answer {
            Some(answer) => {
                measured.finish(&answer);
                answer
            }
            None => Answer::failure(CANCELLED),
        }
    }

    /// Runs a program for the session that the call belongs to. Its turn ends the call, whichever server it came over;
    /// then there is no answer. A sub-agent gets one, since the agent may wait for it in the turn of its parent.
    async fn run_for(
        &self,
        owner: &Owner,
        received: &RunningCall,
        request: Request,
        progress: (UnboundedSender<ProgressStep>, bool),
        measured: &MeasuredRun,
    ) -> Option<Answer> {
        let Owner { attachment, is_sub_agent } = owner;
        if *is_sub_agent {
            received.is_of_another();
        }
        let call = attachment.begin(Value::Null); // no request of the agent has this id
        tokio::select! {
            answer = self.run(attachment, request, progress, measured, received.asked()) => Some(answer),
            () = call.cancelled() => match is_sub_agent {
                true => Some(Answer::failure(CANCELLED)),
                false => {
                    received.cancel(); // a transport sends no answer to a cancelled call
                    None
                }
            }
        }
    }

    async fn run(
        &self,
        attachment: &Arc<Attachment>,
        request: Request,
        progress: (UnboundedSender<ProgressStep>, bool),
        measured: &MeasuredRun,
        asked: Asked,
    ) -> Answer {
        let Config { deadline, patience, .. } = self.config;
        let (program, wait) = request.program();
        let Some(session) = attachment.session().await else {
            return Answer::failure(
                "This tool server belongs to no session yet: the agent has not answered the request that sets \
                 the session up. Call again once the session is open.",
            );
        };
        measured.belongs_to(&session, attachment.workspace());
        self.broken_code.pause(&session);
        let (steps, is_heard) = progress;
        let patience = if is_heard { patience } else { deadline };
        let waiting = || Waiting { steps: steps.clone(), patience };
        let (session_id, workspace) = (session.clone(), attachment.workspace());
        let caller = Caller { session: session_id, workspace, program, changes: None, asked };
        let caller = Arc::new(caller);
        let loaded = self.plugins.for_program(attachment, &self.gate, &caller, waiting).await;
        self.gate.learn(&loaded.extensions.catalogue);
        let skills = loaded.skills.clone();
        let PromptWords { text, files } = attachment.words();
        let about = SkillContext { text: format!("{text}{}", caller.program), files };
        let matching = skills.as_ref().map(|it| it.matching(&about));
        let (asking, progress) = (Arc::clone(&caller), (steps, patience));
        let id = session.clone();
        let prepared = Prepared { attachment, session, caller, loaded, progress, wait };
        let mut answer = self.run_prepared(prepared, request, measured).await;
        answer.blocks.extend(self.broken_code.take_line(&id).map(|it| visible(&it)));
        self.edits_are_made(&id, attachment);
        answer.blocks.extend(matching.unwrap_or_default());
        if let Some(skills) = skills {
            self.gate.record_loaded(&asking, skills.changes()).await;
        }
        answer
    }

    /// Runs a program with everything that it can name.
    async fn run_prepared(&self, prepared: Prepared<'_>, request: Request, measured: &MeasuredRun) -> Answer {
        let Config { deadline, form, budget, .. } = self.config;
        let Prepared { attachment, session, caller, loaded, progress: (steps, patience), wait } = prepared;
        if let (Request::Script(request), Some(scripts)) = (request, &self.scripts) {
            let environment = Environment {
                upstream: Arc::clone(&self.upstream),
                gate: Arc::clone(&self.gate),
                loaded,
                caller: Caller::clone(&caller),
                selected: attachment.selected(),
                roots: attachment.roots().to_vec(),
                steps,
                patience,
                deadline,
                wait: self.config.wait,
                read_only: self.config.read_only,
                meter: measured.meter(),
            };
            return scripts.answer(request, environment).await;
        }
        let waiting = Waiting { steps: steps.clone(), patience };
        let objects = Arc::clone(&loaded.objects);
        let limits = TimeLimits { deadline: Instant::now() + deadline, wait: wait.or(self.config.wait) };
        let client =
            Arc::new(self.upstream.call_client(session.clone(), attachment.selected(), limits, steps));
        let (gate, extensions) = (Arc::clone(&self.gate), Arc::clone(&loaded.extensions));
        let (client_of_run, bindings) = (Arc::clone(&client), self.config.bindings.clone());
        let context = RunContext {
            client: client_of_run,
            extensions,
            objects,
            is_part: false,
            missing: loaded.missing(),
            gate,
            waiting,
            while_asking: None,
            deadline,
            form,
            budget,
            bindings,
            meter: measured.meter(),
        };
        // In a task of its own, so that a computing program does not delay messages.
        let open = Arc::new(OpenCalls::default());
        let running = Arc::clone(&open).during(interpret(Caller::clone(&caller), context));
        let interpreter = AbortOnDropHandle::new(tokio::spawn(running));
        tokio::select! {
            biased;
            answered = interpreter => match answered {
                Ok(answer) if self.labels_values.load(Ordering::Relaxed) => answer.labelled(),
                Ok(answer) => answer,
                Err(stopped) => Answer::failure(broken(&stopped)),
            },
            () = client.expired_for(FINISH) => Answer::failure(too_late(deadline, &open)),
        }
    }
}

/// A call whose session is known.
struct Prepared<'a> {
    attachment: &'a Arc<Attachment>,
    session: String,
    caller: Arc<Caller>,
    loaded: Arc<Loaded>,
    /// The receiver of its steps, and the time that it waits for the user.
    progress: (UnboundedSender<ProgressStep>, Duration),
    /// The time that it wants to wait for loading servers.
    wait: Option<Duration>,
}

/// A call of one of the tools.
enum Request {
    /// A program of Dialect, and the time that it wants to wait for loading servers.
    Program(String, Option<Duration>),
    /// A program in TypeScript.
    Script(ScriptRequest),
}

impl Request {
    fn read(name: &str, arguments: Option<&Map<String, Value>>) -> Result<Self, Answer> {
        match name {
            script::NAME => ScriptRequest::read(arguments).map(Self::Script).map_err(Answer::failure),
            _ => Ok(Self::Program(program(arguments)?, wait(arguments)?)),
        }
    }

    /// Returns the name of the tool.
    fn tool(&self) -> &'static str {
        match self {
            Self::Program(..) => TOOL_NAME,
            Self::Script(_) => script::NAME,
        }
    }

    /// Returns the text of the program.
    fn text(&self) -> &str {
        match self {
            Self::Program(program, _) => program,
            Self::Script(request) => &request.code,
        }
    }

    /// Returns the text of the program, and the time that it wants to wait.
    fn program(&self) -> (String, Option<Duration>) {
        match self {
            Self::Program(program, wait) => (program.clone(), *wait),
            Self::Script(request) => (request.code.clone(), None),
        }
    }
}

/// The sentence about skills in the description of `script`.
const SKILLS: &str = " skills.skill(name) shows a skill; its tools are functions in a namespace of its name.";

/// The maximum length of a line of a plugin in an answer, in characters.
const LONGEST_LINE: usize = 200;

const CANCELLED: &str = "The call was cancelled.";

/// Returns the program in a call's arguments, or an answer that says how to call.
fn program(arguments: Option<&Map<String, Value>>) -> Result<String, Answer> {
    match arguments.and_then(|it| it.get("program")) {
        Some(Value::String(program)) => Ok(program.clone()),
        Some(other) => Err(Answer::failure(format!(
            "`program` must be a string that holds a program, not {}. {EXAMPLE}",
            kind(other)
        ))),
        None => Err(Answer::failure(format!("The argument `program` is missing. {EXAMPLE}"))),
    }
}

/// Returns the time that a call wants to wait for loading servers, if it gives one.
fn wait(arguments: Option<&Map<String, Value>>) -> Result<Option<Duration>, Answer> {
    let Some(given) = arguments.and_then(|it| it.get("wait")).filter(|it| !it.is_null()) else {
        return Ok(None);
    };
    // Some models quote every argument.
    let seconds = given.as_f64().or_else(|| given.as_str()?.trim().parse().ok());
    let wait = seconds.and_then(|it| Duration::try_from_secs_f64(it).ok());
    wait.map(Some).ok_or_else(|| {
        let problem = "`wait` must be a number of seconds, at least 0";
        Answer::failure(format!("{problem}, got {given}: {{\"program\": \"…\", \"wait\": 0}}"))
    })
}

/// Answers a call whose arguments are not an object.
pub(crate) fn answer_misshapen() -> Answer {
    Answer::failure(format!("The arguments must be an object with one field. {EXAMPLE}"))
}

const EXAMPLE: &str = r#"Call it like this: {"program": "findReferences(`User`)"}"#;

const WAIT: &str = "Seconds to wait for language servers that still load, then syntax answers; 0: at once";

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Explains a program that goes on computing, or waits for a plugin. Questions about code fail at the deadline.
fn too_late(deadline: Duration, open: &OpenCalls) -> String {
    let seconds = deadline.as_secs_f64();
    match &open.waiting()[..] {
        [(name, None), ..] => format!(
            "Stopped after {seconds} s, while waiting for the plugin's answer to `{name}`. It may still be at work; \
             ask it for less."
        ),
        [(name, Some(line)), ..] => format!(
            "Stopped after {seconds} s, while waiting for the plugin's answer to `{name}`. Meanwhile it wrote a line \
             that is no message, and was passed over: {}",
            visible_line(line, LONGEST_LINE)
        ),
        [] => format!("Stopped after {seconds} s of computing. Ask for less in one program."),
    }
}

/// Returns the words for a call whose task broke down.
pub(crate) fn broken(stopped: &tokio::task::JoinError) -> String {
    tracing::error!(%stopped, "the interpreter stopped");
    "The interpreter broke down on this program, which is a bug in Dialect. Try it in smaller steps."
        .to_owned()
}

/// Returns the JSON schema of the arguments.
pub(crate) fn input_schema() -> Map<String, Value> {
    let schema = json!({
        "type": "object",
        "properties": {
            "program": {"type": "string", "description": "A Dialect program, e.g. findReferences(`User`)"},
            "wait": {"type": "number", "minimum": 0, "description": WAIT},
        },
        "required": ["program"],
    });
    match schema {
        Value::Object(schema) => schema,
        _ => unreachable!("the literal above is an object"),
    }
}

#[cfg(test)]
mod tests {
    use futures::future::BoxFuture;
    use ide_protocol::{Progress, Support};
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::acp::upstream::{ClientLink, RequestError};
    use crate::session::Attachments;
    use crate::tool::answer::Kind;

    /// A client that never answers, and notifies when a request is dropped.
    #[derive(Clone, Default)]
    struct Silent(Arc<tokio::sync::Notify>);

    impl ClientLink for Silent {
        fn request(&self, _: String, _: Value) -> BoxFuture<'static, Result<Value, RequestError>> {
            let withdrawn = Withdrawn(Arc::clone(&self.0));
            Box::pin(async move {
                let _withdrawn = withdrawn;
                std::future::pending().await
            })
        }

        fn notify(&self, _: String, _: Value) {}
    }

    struct Withdrawn(Arc<tokio::sync::Notify>);

    impl Drop for Withdrawn {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }

    fn tool(silent: &Silent, support: Support) -> (Tool, Arc<Upstream>) {
        let upstream = Arc::new(Upstream::new(Arc::new(silent.clone())));
        upstream.offers(support);
        let mut config = Config::new("dialect");
        config.state = None;
        let gate = gate(Arc::new(silent.clone()), &config);
        (Tool::new(Arc::clone(&upstream), gate, Arc::default(), &config), upstream)
    }

    fn gate(client: Arc<dyn ClientLink>, config: &Config) -> Arc<Gate> {
        let catalogue = config.extensions.catalogue.clone();
        Arc::new(Gate::new(client, catalogue, config.state.as_ref(), config.read_only))
    }

    fn arguments(program: &str) -> Map<String, Value> {
        Map::from_iter([("program".to_owned(), json!(program))])
    }

    fn attachment() -> Arc<Attachment> {
        let attachment = Attachments::default().open("dialect".into(), Vec::new());
        attachment.belongs_to("s");
        attachment
    }

    fn received<'a>(over: &'a Arc<Attachment>, call: &'a RunningCall) -> Received<'a> {
        Received { over, call, id: None }
    }

    #[test]
    fn the_hint_is_true_of_what_programs_can_name() {
        let hint = |change: fn(&mut Config)| {
            let mut config = Config::new("dialect");
            change(&mut config);
            let client: Arc<dyn ClientLink> = Arc::new(Silent::default());
            let gate = gate(Arc::clone(&client), &config);
            let tool = Tool::new(Arc::new(Upstream::new(client)), gate, Arc::default(), &config);
            tool.describe(&config.extensions).only_reads
        };
        fn extend(config: &mut Config) {
            let code = |_| std::future::ready(Ok::<_, dialect::Interrupt>(dialect::Value::Null));
            let row = dialect::Function::new("note(text: string) -> null", "Does it.", code);
            let library =
                dialect::Library { name: "notes".into(), functions: vec![row], ..Default::default() };
            config.extend(crate::Extension { library, ..Default::default() }).unwrap();
        }
        assert!(!hint(|_| {})); // one function applies edits
        assert!(hint(|config| config.read_only = true));
        assert!(hint(|config| {
            extend(config);
            config.read_only = true;
        }));
    }

    #[tokio::test(start_paused = true)]
    async fn the_deadline_says_what_was_waited_for() {
        let silent = Silent::default();
        let (tool, upstream) = tool(&silent, Support::full());
        let attachment = attachment();
        let call = attachment.begin(json!(1));
        let (steps, _heard) = unbounded_channel();
        let arguments = arguments("findDefinitions(`User`)");
        let answering = tool.answer(received(&attachment, &call), TOOL_NAME, Some(&arguments), (steps, true));
        let progressing = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let (message, percentage) = ("rust-analyzer: indexing 12/48".to_owned(), None);
            let (session_id, progress_token) = ("s".to_owned(), "dialect-0".to_owned());
            upstream.progress(Progress { session_id, progress_token, message, percentage });
            silent.0.notified().await; // the question is withdrawn
        };
        let (answer, ()) = tokio::join!(answering, progressing);
        assert_eq!(answer.kind, Kind::Failure);
        let expected = "line 1, column 1: the time was up while waiting for an answer to `definitions` (last heard: \
                        rust-analyzer: indexing 12/48)\n";
        assert!(answer.blocks[0].starts_with(expected), "{answer:?}");
    }

    #[tokio::test]
    async fn cancelling_a_call_withdraws_its_question() {
        let silent = Silent::default();
        let (tool, _) = tool(&silent, Support::full());
        let attachment = attachment();
        let call = attachment.begin(json!(1));
        let (steps, _heard) = unbounded_channel();
        let arguments = arguments("findDefinitions(`User`)");
        let answering = tool.answer(received(&attachment, &call), TOOL_NAME, Some(&arguments), (steps, true));
        attachment.cancel(&json!(1));
        assert_eq!(answering.await, Answer::failure("The call was cancelled."));
    }

    #[tokio::test]
    async fn it_says_when_nobody_upstream_answers() {
        let (tool, _) = tool(&Silent::default(), Support::none());
        let attachment = attachment();
        let call = attachment.begin(json!(1));
        let (steps, _heard) = unbounded_channel();
        let answer = tool
            .answer(
                received(&attachment, &call),
                TOOL_NAME,
                Some(&arguments("search(`.`, `x`)")),
                (steps, true),
            )
            .await;
        assert_eq!(answer.kind, Kind::Failure);
        let text = answer.blocks.concat();
        assert!(
            text.contains("Nobody in this chain answers `search`") && text.contains("dialect agent --"),
            "{text}"
        );
    }

    fn refused(arguments: Value) -> String {
        let answer = program(arguments.as_object()).unwrap_err();
        assert_eq!(answer.kind, Kind::Failure);
        answer.blocks.concat()
    }

    #[test]
    fn a_labelled_value_is_no_json_and_words_stay() {
        let value = Answer::new(vec!["[1]".into(), "note".into()], Kind::Success);
        assert_eq!(value.labelled().blocks, ["The value is\n[1]", "note"]);
        assert_eq!(Answer::failure("no").labelled(), Answer::failure("no"));
    }

    #[test]
    fn wrong_arguments_are_answered_with_the_right_call() {
        for (arguments, problem) in [
            (json!(null), "is missing"),
            (json!({"code": "1"}), "is missing"),
            (json!({"program": 7}), "not a number"),
            (json!({"program": {"findReferences": "User"}}), "not an object"),
        ] {
            let text = refused(arguments);
            assert!(text.contains(problem) && text.contains(EXAMPLE), "{text}");
        }
        assert_eq!(program(json!({"program": "1", "extra": 2}).as_object()), Ok("1".to_owned()));
    }

    #[test]
    fn a_call_says_how_long_it_waits() {
        let given = |value: Value| wait(json!({"program": "1", "wait": value}).as_object());
        for (value, seconds) in [(json!(null), None), (json!(0), Some(0.0)), (json!(2.5), Some(2.5))] {
            assert_eq!(given(value), Ok(seconds.map(Duration::from_secs_f64)));
        }
        assert_eq!(given(json!("5")), Ok(Some(Duration::from_secs(5))));
        assert_eq!(wait(None), Ok(None));
        for value in [json!(-1), json!("none"), json!([0]), json!(1e300)] {
            let text = given(value).unwrap_err().blocks.concat();
            assert!(text.contains("number of seconds") && text.contains("\"wait\": 0"), "{text}");
        }
    }
}
