//! The steps of an embedder: a library of tables, a registry, a program, and its outcome in words.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use dialect::{
    Binding, Choice, Conversion, Effect, Failure, Form, Function, Interrupt, Invocation, Library, Limits,
    Object, Outcome, Program, Question, RecordType, Registry, RegistryError, Row, Signature, Value, explain,
    run,
};
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::BoxFuture;
use futures::task::Poll;
use libtest_mimic::Trial;
use serde_json::json;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        calls_compose_and_name_their_arguments_as_they_like,
        a_conversion_knows_the_function_that_takes_its_result,
        every_candidate_runs_and_asks_no_more,
        what_a_program_binds_can_be_given_to_the_next,
        nothing_is_bound_by_a_failure_a_question_or_a_call,
        candidates_are_programs_where_the_same_names_are_given,
        what_only_looks_is_asked_for_together_and_comes_in_order,
        what_writes_is_done_alone_and_not_after_a_failure,
        one_registry_is_bound_to_many_programs,
        tables_that_do_not_fit_are_refused,
        an_open_function_gets_what_is_not_known
    ]
}

async fn find_definitions(invocation: Invocation) -> Result<Value, Interrupt> {
    let places = match invocation.arguments.text("name")? {
        "User" => {
            json!([{ "name": "User", "path": "a.rs", "line": 3 }, { "name": "User", "path": "b.rs", "line": 7 }])
        }
        "Item" => json!([{ "name": "Item", "path": "a.rs", "line": 9 }]),
        name => return Err(Failure::raised("notFound", format!("nothing is called `{name}`")).into()),
    };
    Ok(places.into())
}

async fn find_references(invocation: Invocation) -> Result<Value, Interrupt> {
    #[derive(serde::Deserialize)]
    struct Symbol {
        path: String,
        line: Option<u32>,
    }
    let symbol: Symbol = invocation.arguments.read("symbol")?;
    Ok(json!([format!("{}:{}", symbol.path, symbol.line.unwrap_or(1) + 10)]).into())
}

async fn name_to_symbol(invocation: Invocation) -> Result<Value, Interrupt> {
    let Value::List(symbols) = find_definitions(invocation).await? else { unreachable!() };
    if let [symbol] = symbols.as_slice() {
        return Ok(symbol.clone());
    }
    let choice = |value: &Value| Choice {
        description: format!("line {}", value.fields().expect("a record")["line"].to_json()),
        value: Value::record("Symbol", value.fields().expect("a record").clone()),
    };
    let choices = symbols.iter().map(choice).collect();
    Err(Interrupt::Ambiguous(Question { question: "Which one?".to_owned(), argument: None, choices }))
}

fn registry() -> Registry {
    let library = Library {
        aliases: Vec::new(),
        foreign_idioms: Vec::new(),
        name: "test".to_owned(),
        types: vec![RecordType::new("Symbol(name: string, path: string, line?: number)", "A symbol.")],
        functions: vec![
            Function::new("findDefinitions(name: string) -> List<Symbol>", "Where.", find_definitions)
                .alias("findDefinition")
                .effect(Effect::Reads),
            Function::new("findReferences(symbol: Symbol) -> List<string>", "Uses.", find_references)
                .effect(Effect::Reads),
        ],
        conversions: vec![Conversion::new(
            "nameToSymbol(name: string) -> Symbol",
            "By name.",
            name_to_symbol,
        )],
    };
    Registry::new([library]).expect("the tables fit")
}

fn outcome(program: &str) -> Outcome {
    block_on(run(&registry(), program, &Limits::default()))
}

fn words(program: &str) -> String {
    explain(&outcome(program), program).text
}

fn calls_compose_and_name_their_arguments_as_they_like() {
    assert_eq!(words("findReferences(findDefinition(`Item`))"), r#"["a.rs:19"]"#);
    assert_eq!(words("find_references(symbol=FINDDEFINITION('Item'),) // yes"), r#"["a.rs:19"]"#);
    assert_eq!(words(r#"findReferences({"name": "Item", "path": "c.rs", "more": [1]})"#), r#"["c.rs:11"]"#);
}

fn a_conversion_knows_the_function_that_takes_its_result() {
    let taken_by = |invocation: Invocation| async move {
        let name = invocation.consumer.map_or_else(|| "nobody".to_owned(), |it| it.name.clone());
        let text = invocation.arguments.text("text")?.to_owned();
        let fields = [("by".to_owned(), name.into()), ("text".to_owned(), text.into())];
        Ok(Value::record("Taken", fields.into_iter().collect()))
    };
    let by = |invocation: Invocation| async move {
        assert_eq!(invocation.consumer, None, "a function is no conversion");
        Ok(invocation.arguments.get("taken").expect("it is required").fields().expect("a record")["by"]
            .clone())
    };
    let map = |invocation: Invocation| async move {
        let items = invocation.arguments.list("items")?.to_vec();
        Ok(Value::from(invocation.arguments.function("with")?.call_each(&items).await?))
    };
    let library = Library {
        aliases: Vec::new(),
        foreign_idioms: Vec::new(),
        name: "test".to_owned(),
        types: vec![RecordType::new("Taken(by: string, text: string)", "Who takes it.")],
        functions: vec![
            Function::new("one(taken: Taken) -> string", "Takes it.", by),
            Function::new("other(taken: Taken) -> string", "Takes it.", by),
            Function::new("map(items: List<any>, with: (item: any) -> any) -> List<any>", "Each.", map),
        ],
        conversions: vec![Conversion::new("textToTaken(text: string) -> Taken", "By text.", taken_by)],
    };
    let registry = Registry::new([library]).expect("the tables fit");
    let text = |program: &str| explain(&block_on(run(&registry, program, &Limits::default())), program).text;
    assert_eq!(text("[one(`a`), other(`a`), `b`.one()]"), r#"["one","other","one"]"#);
    assert_eq!(text("map([`a`], other)"), r#"["other"]"#);
    // Choices are only shown, and nobody takes them.
    let shown = text("one([`a`, `b`])");
    assert!(shown.contains("taken(`nobody`, `a`)"), "{shown}");
}

fn every_candidate_runs_and_asks_no_more() {
    for program in ["findReferences(`User`)", "[findReferences(findDefinition(`User`)), 1]"] {
        let Outcome::Ambiguity(ambiguity) = outcome(program) else { panic!("{program}") };
        assert_eq!(ambiguity.candidates().len(), 2);
        for candidate in ambiguity.candidates() {
            assert!(candidate.program.contains("symbol(`User`, `"), "{candidate:?}");
            assert!(matches!(outcome(&candidate.program), Outcome::Success(_)), "{candidate:?}");
        }
    }
}

/// Runs programs one after the other, and passes on what each binds. Returns the words of each outcome.
fn session<'a>(programs: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let (registry, limits, mut given) = (registry(), Limits::default(), Object::default());
    let answer = |program: &str| {
        let outcome = match Program::parse_with(&registry, program, &limits, &given) {
            Err(failures) => Outcome::Failure(failures),
            Ok(parsed) => {
                let (outcome, bound) = block_on(parsed.run_and_bind(&registry, &limits));
                for (name, value) in bound.iter() {
                    given.insert(name.clone(), value.clone());
                }
                outcome
            }
        };
        explain(&outcome, program).text
    };
    programs.into_iter().map(answer).collect()
}

fn what_a_program_binds_can_be_given_to_the_next() {
    let answers = session([
        "x = findDefinition(`Item`)\ny = 2\nx.name",
        "findReferences(x)",
        r#"{"findReferences": {"var": "x"}}"#,
        "y = y + 1\nz = y\ny",
        "[y, z, y + z]",
    ]);
    assert_eq!(answers, [r#""Item""#, r#"["a.rs:19"]"#, r#"["a.rs:19"]"#, "3", "[3,3,6]"]);
}

fn nothing_is_bound_by_a_failure_a_question_or_a_call() {
    for program in ["x = 1\nx.nosuch", "x = 1\nfindReferences(`User`)", "let(1, x => x + 1)", "1"] {
        let answers = session([program, "x"]);
        assert!(answers[1].contains("`x`") && answers[1] != "1", "{program}: {answers:?}");
    }
}

fn candidates_are_programs_where_the_same_names_are_given() {
    let registry = registry();
    let given: Object = [("name".to_owned(), Value::from("User"))].into_iter().collect();
    let parse = |program: &str| {
        Program::parse_with(&registry, program, &Limits::default(), &given).expect("it is a program")
    };
    let program = parse("findReferences(name)");
    let Outcome::Ambiguity(ambiguity) = block_on(program.run(&registry, &Limits::default())) else {
        panic!("there are two definitions of User")
    };
    for candidate in ambiguity.candidates() {
        let outcome = block_on(parse(&candidate.program).run(&registry, &Limits::default()));
        assert!(matches!(outcome, Outcome::Success(_)), "{candidate:?}");
    }
    assert_eq!(program.write(&registry, Form::Json), r#"{"findReferences": [{"var": "name"}]}"#);
}

/// Lets other tasks that are ready run first.
async fn give_way() {
    let mut gave = false;
    futures::future::poll_fn(|context| {
        if std::mem::replace(&mut gave, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Returns a registry, its count of calls, and the most calls at a time. It has `look(at: number) -> number`,
/// `change(at: number) -> number`, which fails at 3, and `each(list: List<any>, f: (item: any) -> any) ->
/// List<any>`.
fn counting() -> (Registry, Arc<AtomicUsize>, Arc<AtomicUsize>) {
    let (most, done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let running = Arc::new(AtomicUsize::new(0));
    let (most_seen, all_done) = (Arc::clone(&most), Arc::clone(&done));
    let look = move |invocation: Invocation| {
        let (running, most, done) = (Arc::clone(&running), Arc::clone(&most_seen), Arc::clone(&all_done));
        async move {
            let now = running.fetch_add(1, Ordering::Relaxed) + 1;
            most.fetch_max(now, Ordering::Relaxed);
            let at: u32 = invocation.arguments.read("at")?;
            // The first to come is the last to be done.
            for _ in 0..20_u32.saturating_sub(at) {
                give_way().await;
            }
            running.fetch_sub(1, Ordering::Relaxed);
            done.fetch_add(1, Ordering::Relaxed);
            if at == 3 { Err(Failure::raised("three", "three").into()) } else { Ok(at.into()) }
        }
    };
    let each = |invocation: Invocation| async move {
        let (list, f) = (invocation.arguments.list("list")?, invocation.arguments.function("f")?);
        Ok(f.call_each(list).await?.into())
    };
    let library = Library {
        name: "counting".to_owned(),
        functions: vec![
            Function::new("look(at: number) -> number", "Looks.", look.clone()).effect(Effect::Reads),
            Function::new("change(at: number) -> number", "Changes.", look),
            Function::new("each(list: List<any>, f: (item: any) -> any) -> List<any>", "f of each.", each)
                .effect(Effect::Pure),
        ],
        ..Library::default()
    };
    (Registry::new([library]).expect("the tables fit"), most, done)
}

fn what_only_looks_is_asked_for_together_and_comes_in_order() {
    for program in [
        format!("[{}]", (4..24).map(|at| format!("look({at})")).collect::<Vec<_>>().join(", ")),
        format!("each([{}], look)", (4..24).map(|at| at.to_string()).collect::<Vec<_>>().join(", ")),
    ] {
        let (registry, most, _) = counting();
        let Outcome::Success(success) = block_on(run(&registry, &program, &Limits::default())) else {
            panic!("{program}")
        };
        assert_eq!(success.value.to_json(), json!((4..24).collect::<Vec<_>>()));
        assert_eq!(most.load(Ordering::Relaxed), 8, "{program}");
    }
}

fn what_writes_is_done_alone_and_not_after_a_failure() {
    for program in ["[change(4), change(3), change(5), change(6)]", "each([4, 3, 5, 6], x => change(x))"] {
        let (registry, most, done) = counting();
        assert!(matches!(block_on(run(&registry, program, &Limits::default())), Outcome::Failure(_)));
        assert_eq!(most.load(Ordering::Relaxed), 1, "{program}");
        assert_eq!(done.load(Ordering::Relaxed), 2, "{program}");
    }
}

/// A binding that answers for one function, and records the calls.
struct Instead(Arc<Mutex<Vec<String>>>);

impl Binding for Instead {
    fn call(&self, row: Row<'_>, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        self.0.lock().expect("nobody panics").push(format!("{}/{}", row.library, row.name));
        if row.name == "findReferences" {
            return std::future::ready(Ok(json!(["bound"]).into())).boxed();
        }
        row.code.call(invocation)
    }

    fn failed(&self, row: Row<'_>, failure: &Failure) {
        self.0.lock().expect("nobody panics").push(format!("{}: {}", row.name, failure.span.is_some()));
    }
}

fn one_registry_is_bound_to_many_programs() {
    let registry = registry();
    let called = Arc::new(Mutex::new(Vec::new()));
    let bound = registry.bound(Instead(Arc::clone(&called)));
    let told = |registry: &Registry| {
        let program = r#"findReferences("Item")"#;
        explain(&block_on(run(registry, program, &Limits::default())), program).text
    };
    assert_eq!(told(&bound), r#"["bound"]"#);
    assert_eq!(*called.lock().expect("nobody panics"), ["test/nameToSymbol", "test/findReferences"]);
    assert_eq!(told(&registry), r#"["a.rs:19"]"#, "who is not bound calls the row's own code");
    let more = bound.with(Library { name: "more".to_owned(), ..Library::default() }).expect("it fits");
    assert_eq!(told(&more), r#"["bound"]"#, "what comes later is bound too");
}

fn tables_that_do_not_fit_are_refused() {
    let nothing = |_| async { Ok(Value::Null) };
    let function = |signature: &str| Function::new(signature, "", nothing);
    let library =
        |functions: Vec<Function>| Library { name: "test".to_owned(), functions, ..Library::default() };
    let refused = |library: Library| Registry::new([library]).expect_err("it does not fit");
    assert!(matches!(refused(library(vec![function("f(")])), RegistryError::Signature { .. }));
    assert!(matches!(
        refused(library(vec![function("f(a?: any, b: any)")])),
        RegistryError::Signature { .. }
    ));
    let twice = library(vec![function("findAll()"), function("f()").alias("find_all")]);
    assert_eq!(
        refused(twice).to_string(),
        "library `test`: the name `find_all` is taken by `findAll() -> any`"
    );
    assert!(matches!(refused(library(vec![function("Quote()")])), RegistryError::Reserved { .. }));
    let unknown = library(vec![function("f(g: (x: Missing) -> any)")]);
    assert!(matches!(refused(unknown), RegistryError::UnknownType { ty, .. } if ty == "Missing"));
    let conversion = Conversion::new("c(a: string, b: string) -> number", "", nothing);
    let conversions = Library { conversions: vec![conversion], ..Library::default() };
    assert!(matches!(refused(conversions), RegistryError::Conversion { .. }));
}

/// Returns what an open function gets, and how a method of its library is called.
fn open() -> Registry {
    let echo = |invocation: Invocation| {
        std::future::ready(Ok::<_, Interrupt>(Value::Object(invocation.arguments.0)))
    };
    let call = |invocation: Invocation| async move {
        let args = invocation.arguments.list("args")?.to_vec();
        let Some(Value::Function(function)) = args.first() else { return Ok(Value::Null) };
        function.call(vec![2_u32.into()]).await
    };
    let library = Library {
        name: "far".to_owned(),
        types: vec![RecordType::new("far.Thing(ref: string)", "A thing.")],
        functions: vec![
            Function::new("far.echo(...)", "Echoes.", echo).effect(Effect::Reads),
            Function::new("far.say(text: string, ...)", "Echoes.", echo).effect(Effect::Reads),
            Function::new("far.call(...)", "Calls.", call).effect(Effect::Reads),
            Function::new("far.Thing.name(self: far.Thing, ...)", "Echoes.", echo).effect(Effect::Reads),
        ],
        ..Library::default()
    };
    Registry::new([library]).expect("the tables fit")
}

fn an_open_function_gets_what_is_not_known() {
    for (program, expected) in [
        ("far.echo()", "{}"),
        ("far.echo(1, [2])", r#"{"args":[1,[2]]}"#),
        ("far.echo(`a`, x=1, y=far.echo(2))", r#"{"args":["a"],"kwargs":{"x":1,"y":{"args":[2]}}}"#),
        ("far.echo(args=[1], kwargs={x: 2})", r#"{"args":[1],"kwargs":{"x":2}}"#),
        ("far.echo({x: 1})", r#"{"args":[{"x":1}]}"#),
        (r#"{"far.echo": "a"}"#, r#"{"args":["a"]}"#),
        (r#"{"far.echo": ["a", 1]}"#, r#"{"args":["a",1]}"#),
        (r#"{"far.echo": {"x": 1}}"#, r#"{"kwargs":{"x":1}}"#),
        (r#"{"far.echo": {"args": [1], "kwargs": {"x": 2}}}"#, r#"{"args":[1],"kwargs":{"x":2}}"#),
        ("far.say(`a`, 1)", r#"{"text":"a","args":[1]}"#),
        ("far.say(text=`a`, x=1)", r#"{"text":"a","kwargs":{"x":1}}"#),
        (r#"{"far.say": {"text": "a", "x": 1}}"#, r#"{"text":"a","kwargs":{"x":1}}"#),
        ("far.call(x => x + 1)", "3"),
        ("far.thing(`t`).name(1)", r#"{"self":{"ref":"t"},"args":[1]}"#),
        ("1.echo()", "unknown"),
    ] {
        let shown = match block_on(run(&open(), program, &Limits::default())) {
            Outcome::Success(success) => success.value.to_json().to_string(),
            _ if expected == "unknown" => expected.to_owned(),
            other => explain(&other, program).text,
        };
        assert_eq!(shown, expected, "{program}");
    }
    for (program, expected) in [
        ("far.echo(x=1, x=2)", "x"),
        ("far.echo(x=1, 2)", "named"),
        ("far.say()", "text"),
        ("far.echo(nobody(1))", "nobody"),
    ] {
        let text = explain(&block_on(run(&open(), program, &Limits::default())), program).text;
        assert!(text.contains(expected), "{program}: {text}");
    }
    let shown = Signature::parse("f(a: string, ...)").expect("it is one").to_string();
    assert_eq!(shown, "f(a: string, ...) -> any");
    for wrong in ["f(..., a: string)", "f(args: string, ...)", "f(..)"] {
        assert!(Signature::parse(wrong).is_err(), "{wrong}");
    }
}
