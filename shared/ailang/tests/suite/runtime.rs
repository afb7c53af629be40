//! Runtimes as their hosts use them: calls by name, presets, measurements, and runs that are dropped.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ailang::{
    CapabilityMode, Document, Documents, ErrorContext, ErrorStrategy, Event, Fixtures, Gate, Host,
    Implementation, Monitor, Observer, PermissionRequest, Provider, Refusal, Runtime, RuntimeSettings,
    RuntimeSetup, ValidationMode,
};
use dialect::{Handler, Invocation, Limits, Object, Outcome, Value};
use expect_test::expect;
use futures::executor::block_on;
use futures::future::{BoxFuture, pending, ready};
use futures::{FutureExt, poll};
use libtest_mimic::Trial;
use serde_json::{Value as Json, json};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        deep_expressions_in_deep_calls_end,
        a_call_by_name_returns_json_or_the_json_of_an_error,
        a_body_comes_before_an_implementation_and_that_before_fixtures,
        programs_of_dialect_run_over_the_same_tools,
        without_a_gate_nothing_is_permitted_in_strict_mode,
        presets_say_what_they_are_for,
        calls_are_counted_and_timed,
        observers_are_told_and_break_nothing,
        a_deep_run_that_waits_can_be_dropped,
        fixtures_that_are_wrong_say_where,
        a_handled_error_is_recovered_from_by_a_second_call,
        a_recovery_that_fails_gives_the_last_error_after_three_tries,
        what_may_do_harm_is_not_called_again,
        a_registered_error_has_advice_and_is_retried,
        a_runtime_shows_what_it_is_made_of,
        the_user_may_take_their_time_and_a_refusal_has_a_reason
    ]
}

/// A host whose clock goes on by a quarter of a second at each look.
#[derive(Debug, Default)]
struct Ticking(Mutex<f64>);

impl Host for Ticking {
    fn now(&self) -> f64 {
        let mut now = self.0.lock().expect("no test panics while it holds it");
        *now += 0.25;
        *now
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        ready(()).boxed()
    }
}

/// A provider of one tool.
struct One(&'static str, Arc<dyn Handler>);

impl Provider for One {
    fn implementation(&self, tool: &str) -> Option<Arc<dyn Handler>> {
        (tool == self.0).then(|| Arc::clone(&self.1))
    }
}

fn runtime(code: &str, setup: RuntimeSetup) -> Runtime {
    let text = format!("---\nid: test\ntitle: T\nsummary: T.\n---\n<define>\n{code}\n</define>\n");
    let mut documents = Documents::new();
    documents.insert("test.md", Document::parse(text));
    Runtime::new(documents, "test.md", setup).expect("it is valid")
}

fn audited() -> RuntimeSetup {
    let settings = RuntimeSettings { capabilities: CapabilityMode::Audit, ..RuntimeSettings::default() };
    RuntimeSetup { settings, libraries: vec![core_library::library()], ..RuntimeSetup::default() }
}

/// Expressions are evaluated without a limit of their own on the stack, which grows with calls.
fn deep_expressions_in_deep_calls_end() {
    for (open, close) in [("[", "]"), ("(1 + ", ")"), ("!(", ")"), ("{ a: ", " }"), ("[0].map(x => ", ")")] {
        let deep = format!("{}f(n + 1){}", open.repeat(60), close.repeat(60));
        let runtime = runtime(&format!("tool f(n: number) -> any {{ return {deep} }}"), audited());
        let error = call(&runtime, "f", &json!({"n": 0})).expect_err("it has no end");
        assert!(error["message"].as_str().is_some_and(|it| it.contains("deep")), "{error}");
    }
}

fn call(runtime: &Runtime, tool: &str, params: &Json) -> Result<Json, Json> {
    let Value::Object(params) = Value::from(params.clone()) else { panic!("parameters have names") };
    block_on(runtime.call(tool, params))
}

const TOOLS: &str = "
error Busy(part: string) { message = \"${part} is busy\", recovery = \"Wait for ${part}.\" }
capability Count { ask = \"Allow counting\" }
// @readOnly
tool twice(n: number) -> number { return n * 2 }
tool count(text: string) -> int requires Count throws Busy";

fn a_call_by_name_returns_json_or_the_json_of_an_error() {
    let runtime = runtime(TOOLS, audited());
    assert_eq!(call(&runtime, "twice", &json!({"n": "4"})), Ok(json!(8)));
    let wrong = call(&runtime, "twice", &json!({"n": "four"})).unwrap_err();
    assert_eq!((&wrong["error"], &wrong["params"]["field"]), (&json!("ValidationError"), &json!("n")));
    let unknown = call(&runtime, "twise", &json!({})).unwrap_err();
    assert_eq!(unknown["error"], "NotFoundError");
    assert!(unknown["recovery"].as_str().is_some_and(|it| it.contains("twice")), "{unknown}");
    assert_eq!(call(&runtime, "count", &json!({"text": ""})).unwrap_err()["error"], "NotImplementedError");
    let advice = runtime.recovery("Busy", &json!({"part": "disk"}));
    assert_eq!((advice.as_deref(), runtime.recovery("Odd", &json!({}))), (Some("Wait for disk."), None));
}

fn a_body_comes_before_an_implementation_and_that_before_fixtures() {
    let count =
        |invocation: Invocation| async move { Ok(invocation.arguments.text("text")?.chars().count().into()) };
    let fixtures =
        r#"{"count": [{"result": 100, "repeat": true}], "twice": [{"result": 0, "repeat": true}]}"#;
    let fixtures = Some(Fixtures::parse(fixtures).expect("they are fixtures"));
    let mocked = runtime(TOOLS, RuntimeSetup { fixtures: fixtures.clone(), ..audited() });
    assert_eq!(call(&mocked, "count", &json!({"text": "abc"})), Ok(json!(100)));
    assert_eq!(call(&mocked, "twice", &json!({"n": 1})), Ok(json!(2)));
    let code = Implementation::new(count).into_code();
    let bound = RuntimeSetup { fixtures, providers: vec![Arc::new(One("count", code))], ..audited() };
    assert_eq!(call(&runtime(TOOLS, bound), "count", &json!({"text": "abc"})), Ok(json!(3)));
}

fn programs_of_dialect_run_over_the_same_tools() {
    let runtime = runtime(TOOLS, audited());
    let outcome = block_on(dialect::run(&runtime.registry(), "twice(twice(`3`))", &Limits::default()));
    let Outcome::Success(success) = outcome else { panic!("{outcome:?}") };
    assert_eq!(success.value, 12_u32.into());
}

fn without_a_gate_nothing_is_permitted_in_strict_mode() {
    let fixtures =
        Some(Fixtures::parse(r#"{"count": [{"result": 1, "repeat": true}]}"#).expect("they are fixtures"));
    let strict = runtime(
        TOOLS,
        RuntimeSetup { fixtures, libraries: vec![core_library::library()], ..RuntimeSetup::default() },
    );
    let denied = call(&strict, "count", &json!({"text": "a"})).unwrap_err();
    assert_eq!(
        (&denied["error"], &denied["params"]["capability"]),
        (&json!("CapabilityDeniedError"), &json!("test/Count"))
    );
    assert_eq!(call(&strict, "twice", &json!({"n": 1})), Ok(json!(2)));
}

fn presets_say_what_they_are_for() {
    let shown = |it: RuntimeSettings| (it.capabilities, it.validation, it.errors, it.monitoring);
    let (development, production, testing) =
        (RuntimeSettings::development(), RuntimeSettings::production(), RuntimeSettings::testing());
    assert_eq!(
        [shown(development), shown(production), shown(testing)],
        [
            (CapabilityMode::Permissive, ValidationMode::Strict, ErrorStrategy::Throw, true),
            (CapabilityMode::Strict, ValidationMode::Runtime, ErrorStrategy::Return, true),
            (CapabilityMode::Audit, ValidationMode::Strict, ErrorStrategy::Log, false),
        ]
    );
}

/// Returns the surroundings of a tool that counts once, and then fails.
fn counting() -> RuntimeSetup {
    let fixtures = r#"{"count": [
        {"result": 3},
        {"error": {"name": "Busy", "params": {"part": "disk"}}}
    ]}"#;
    let fixtures = Some(Fixtures::parse(fixtures).expect("they are fixtures"));
    RuntimeSetup { host: Arc::new(Ticking::default()), fixtures, ..audited() }
}

fn monitored() -> (Runtime, Monitor) {
    let monitor = Monitor::new();
    (runtime(TOOLS, RuntimeSetup { monitor: Some(monitor.clone()), ..counting() }), monitor)
}

fn calls_are_counted_and_timed() {
    let (runtime, monitor) = monitored();
    let _ = call(&runtime, "count", &json!({"text": "some words to count"}));
    let _ = call(&runtime, "count", &json!({"text": "more"}));
    let _ = call(&runtime, "count", &json!({}));
    monitor.cache_lookup(true);
    monitor.cache_lookup(false);
    let metrics = monitor.metrics();
    assert_eq!((metrics.error_rate, metrics.cache_hit_rate, metrics.capability_denial_rate), (0.5, 0.5, 0.0));
    expect![[r#"
        tool   calls  errors  refused  median ms  95 % ms  max ms  tokens in  tokens out
        count      2       1        1      250.0    250.0   250.0         13          25
    "#]]
    .assert_eq(&metrics.table());
    expect![[r##"
        # HELP ailang_tool_calls_total Finished calls.
        # TYPE ailang_tool_calls_total counter
        ailang_tool_calls_total{tool="count"} 2
        # HELP ailang_tool_errors_total Calls that failed.
        # TYPE ailang_tool_errors_total counter
        ailang_tool_errors_total{tool="count"} 1
        # HELP ailang_tool_refused_total Calls whose arguments were refused.
        # TYPE ailang_tool_refused_total counter
        ailang_tool_refused_total{tool="count"} 1
        # HELP ailang_tool_tokens_in_total Estimated tokens of arguments.
        # TYPE ailang_tool_tokens_in_total counter
        ailang_tool_tokens_in_total{tool="count"} 13
        # HELP ailang_tool_tokens_out_total Estimated tokens of results.
        # TYPE ailang_tool_tokens_out_total counter
        ailang_tool_tokens_out_total{tool="count"} 25
        # HELP ailang_tool_duration_seconds Durations of calls.
        # TYPE ailang_tool_duration_seconds summary
        ailang_tool_duration_seconds{tool="count",quantile="0.5"} 0.25
        ailang_tool_duration_seconds{tool="count",quantile="0.95"} 0.25
        ailang_tool_duration_seconds_sum{tool="count"} 0.5
        ailang_tool_duration_seconds_count{tool="count"} 2
        # HELP ailang_capability_denial_ratio Denied capabilities.
        # TYPE ailang_capability_denial_ratio gauge
        ailang_capability_denial_ratio 0
        # HELP ailang_cache_hit_ratio Look-ups in caches that found something.
        # TYPE ailang_cache_hit_ratio gauge
        ailang_cache_hit_ratio 0.5
    "##]]
    .assert_eq(&metrics.prometheus());
    let json = metrics.json();
    assert_eq!(
        (&json["totalToolExecutions"], &json["toolMetrics"]["count"]["errorCount"]),
        (&json!(2), &json!(1))
    );
}

/// An observer that notes the kinds of events, and cannot bear failures.
#[derive(Default)]
struct Seen(Mutex<Vec<&'static str>>);

impl Observer for Seen {
    fn observe(&self, event: Event) -> BoxFuture<'_, ()> {
        let kind = match event {
            Event::Started { .. } => "started",
            Event::Completed { .. } => "completed",
            Event::Failed { .. } => "failed",
            Event::Capability { .. } => "capability",
        };
        self.0.lock().expect("no test panics while it holds it").push(kind);
        async move { assert!(kind != "failed", "it cannot bear failures") }.boxed()
    }
}

fn observers_are_told_and_break_nothing() {
    let seen = Arc::new(Seen::default());
    let setup = RuntimeSetup { observer: Some(Arc::clone(&seen) as _), ..counting() };
    let runtime = runtime(TOOLS, setup);
    assert_eq!(call(&runtime, "count", &json!({"text": "a"})), Ok(json!(3)));
    assert_eq!(call(&runtime, "count", &json!({"text": "a"})).unwrap_err()["error"], "Busy");
    let seen = seen.0.lock().expect("no test panics while it holds it");
    assert_eq!(*seen, ["started", "capability", "completed", "started", "capability", "failed"]);
}

fn a_deep_run_that_waits_can_be_dropped() {
    let never = Implementation::new(|_: Invocation| pending()).into_code();
    let code = "tool never() -> int\ntool deep(n: int) -> int { if (n == 0) { return never() } else { return [n - 1].map(m => deep(m))[0] } }";
    let setup = RuntimeSetup { providers: vec![Arc::new(One("never", never))], ..audited() };
    let runtime = runtime(code, setup);
    let params = Object::from_iter([("n".to_owned(), 60_u32.into())]);
    block_on(async {
        let mut run = Box::pin(runtime.call("deep", params));
        for _ in 0..100 {
            assert!(poll!(run.as_mut()).is_pending());
        }
        drop(run);
    });
}

fn fixtures_that_are_wrong_say_where() {
    for (text, part) in [
        ("[]", "expected a map"),
        ("{\"a\": [{}]}", "entry 1 of `a`"),
        ("{\"a\": [{\"result\": 1, \"error\": \"E\"}]}", "either"),
        ("{\"a\": [{\"reslut\": 1}]}", "reslut"),
        ("{\"a\": [\n{\"result\": }]}", "line 2"),
    ] {
        let error = Fixtures::parse(text).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    assert!(Fixtures::parse("{\"a\": [{\"result\": null}]}").is_ok());
}

/// A host whose clock moves when somebody waits, and who notes each wait.
#[derive(Debug, Default)]
struct Waiting {
    now: Mutex<f64>,
    waits: Mutex<Vec<f64>>,
}

impl Host for Waiting {
    fn now(&self) -> f64 {
        *self.now.lock().expect("no test panics while it holds it")
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        *self.now.lock().expect("no test panics while it holds it") += duration.as_secs_f64();
        self.waits.lock().expect("no test panics while it holds it").push(duration.as_secs_f64());
        ready(()).boxed()
    }
}

const RETRIED: &str = "
error Busy(part: string) { message = \"${part} is busy\", recovery = \"Wait.\", retryable = true }
error Limited(resetAt: Timestamp) { message = \"limited\", recovery = \"Wait.\", retryable = true, retryAfter = resetAt }
// @readOnly
tool look(n: int) -> int throws Busy, Limited
tool change(n: int) -> int throws Busy, Limited";

/// Handles an error of a tool whose later calls have those results; returns the outcome, and the waits.
fn handled(tool: &str, error: &Json, fixtures: &str) -> (Result<Json, Json>, Vec<f64>, Runtime) {
    let host = Arc::new(Waiting::default());
    let fixtures = Some(Fixtures::parse(fixtures).expect("they are fixtures"));
    let setup = RuntimeSetup { host: Arc::clone(&host) as _, fixtures, ..audited() };
    let runtime = runtime(RETRIED, setup);
    let params = Object::from_iter([("n".to_owned(), 1_u32.into())]);
    let context = ErrorContext { tool: tool.to_owned(), params };
    let result = block_on(runtime.handle_error(error.clone(), context));
    let waits = host.waits.lock().expect("no test panics while it holds it").clone();
    (result, waits, runtime)
}

fn a_handled_error_is_recovered_from_by_a_second_call() {
    let busy = json!({"error": "Busy", "params": {"part": "disk"}, "message": "disk is busy"});
    let (result, waits, runtime) = handled("look", &busy, r#"{"look": [{"result": 5}]}"#);
    assert_eq!(result, Ok(json!(5)));
    let [wait] = waits[..] else { panic!("{waits:?}") };
    assert!((0.4..=0.6).contains(&wait), "{wait} is not half a second, more or less a fifth");
    assert_eq!(runtime.errors().lines(), ["look: Busy: disk is busy"]);
    let limited = json!({"error": "Limited", "params": {"resetAt": 30}, "message": "limited"});
    let (result, waits, _) = handled("look", &limited, r#"{"look": [{"result": 6}]}"#);
    assert_eq!((result, waits), (Ok(json!(6)), vec![30.0]));
}

fn a_recovery_that_fails_gives_the_last_error_after_three_tries() {
    let busy = json!({"error": "Busy", "params": {"part": "disk"}, "message": "disk is busy"});
    let fixtures = r#"{"look": [
        {"error": {"name": "Busy", "params": {"part": "second"}}},
        {"error": {"name": "Busy", "params": {"part": "third"}}},
        {"result": 7}
    ]}"#;
    let (result, waits, runtime) = handled("look", &busy, fixtures);
    assert_eq!(result.unwrap_err()["message"], "third is busy");
    assert_eq!(waits.len(), 2, "the error is that of the first try");
    assert_eq!(runtime.errors().lines(), ["look: Busy: disk is busy", "Busy: third is busy"]);
    let far = json!({"error": "Limited", "params": {"resetAt": 61}, "message": "limited"});
    let (result, waits, _) = handled("look", &far, r#"{"look": [{"result": 1}]}"#);
    assert_eq!((result.is_err(), waits.len()), (true, 0), "nobody waits for more than a minute");
}

fn what_may_do_harm_is_not_called_again() {
    let busy = json!({"error": "Busy", "params": {"part": "disk"}, "message": "disk is busy"});
    let (result, waits, runtime) = handled("change", &busy, r#"{"change": [{"result": 5}]}"#);
    assert_eq!((result, waits), (Err(busy), Vec::new()));
    assert_eq!(runtime.recovery("Busy", &json!({"part": "disk"})).as_deref(), Some("Wait."));
}

fn a_registered_error_has_advice_and_is_retried() {
    let (_, _, runtime) = handled("look", &json!("odd"), "{}");
    assert_eq!(runtime.errors().lines(), ["look: \"odd\""]);
    assert_eq!(runtime.recovery("Flaky", &json!({"host": "a.org"})), None);
    let definition = "error Flaky(host: string) { message = \"${host} went away\", recovery = \"Ask ${host} again.\", retryable = true }";
    runtime.errors().register(definition).expect("it is a definition");
    let advice = runtime.recovery("Flaky", &json!({"host": "a.org"}));
    assert_eq!(advice.as_deref(), Some("Ask a.org again."));
    let context = ErrorContext { tool: "look".to_owned(), params: Object::new() };
    let flaky = json!({"error": "Flaky", "params": {"host": "a.org"}, "message": "a.org went away"});
    let result = block_on(runtime.handle_error(flaky, context));
    assert_eq!(result.unwrap_err()["error"], "ValidationError", "the call was made, without its argument");
    for wrong in ["error Flaky(", "tool f() -> int", ""] {
        assert!(runtime.errors().register(wrong).is_err(), "{wrong}");
    }
}

fn a_runtime_shows_what_it_is_made_of() {
    let runtime = runtime(TOOLS, audited());
    assert!(runtime.capabilities().iter().any(|it| it.id == "test/Count" && it.ask == "Allow counting"));
    assert!(runtime.values().check(&dialect::Type::Number, &json!(1)).is_ok());
    assert_eq!(
        (runtime.settings().capabilities, runtime.monitor().is_some()),
        (CapabilityMode::Audit, false)
    );
}

/// A gate that takes five minutes to refuse.
struct Slow(Arc<Waiting>);

impl Gate for Slow {
    fn permits(&self, request: PermissionRequest) -> BoxFuture<'static, Result<(), Refusal>> {
        *self.0.now.lock().expect("no test panics while it holds it") += 300.0;
        let has_argument = request.arguments.get("text").is_some();
        let reason = format!("the user said no to {} ({has_argument})", request.tool);
        ready(Err(Refusal { reason, recovery: "Ask the user.".to_owned() })).boxed()
    }
}

fn the_user_may_take_their_time_and_a_refusal_has_a_reason() {
    let host = Arc::new(Waiting::default());
    let gate: Arc<dyn Gate> = Arc::new(Slow(Arc::clone(&host)));
    let fixtures = Some(Fixtures::parse("{\"count\": [{\"result\": 1}]}").expect("they are fixtures"));
    let code = "capability Count { ask = \"Allow counting\" }
        tool count(text: string) -> int requires Count
        // @readOnly
        tool careful(text: string) -> int {
            try { return count(text) } catch CapabilityDeniedError(capability) { wait(1)
            return 0 } }";
    let setup = RuntimeSetup {
        host,
        gate: Some(gate),
        fixtures,
        libraries: vec![core_library::library()],
        ..RuntimeSetup::default()
    };
    let runtime = runtime(code, setup);
    assert_eq!(call(&runtime, "careful", &json!({"text": "a"})), Ok(json!(0)));
    let denied = call(&runtime, "count", &json!({"text": "a"})).unwrap_err();
    assert_eq!(denied["message"], "`count` is not permitted: the user said no to count (true)");
    assert_eq!(denied["recovery"], "Ask the user.");
}
