//! Tests that the permissions of a program are known before it runs, and cover everything that runs.

use std::sync::{Arc, Mutex};

use dialect::{
    Conversion, Effect, Function, Handler, Interrupt, Invocation, Library, Limits, Outcome, Program,
    RecordType, Registry, Requirement, Value,
};
use futures::executor::block_on;
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        the_needs_of_a_program_are_those_of_everything_that_it_can_run,
        a_need_says_where_and_is_told_once,
        a_registry_knows_what_its_programs_can_need
    ]
}

/// The names of the code that ran, in order.
type Ran = Arc<Mutex<Vec<&'static str>>>;

/// Returns code that records its name and returns the value.
fn gives(ran: &Ran, name: &'static str, value: serde_json::Value) -> impl Handler + 'static {
    let ran = Arc::clone(ran);
    move |_: Invocation| {
        ran.lock().expect("no test panics with it").push(name);
        std::future::ready(Ok::<Value, Interrupt>(value.clone().into()))
    }
}

fn row(ran: &Ran, signature: &str, name: &'static str, value: serde_json::Value) -> Function {
    Function::new(signature, "A row.", gives(ran, name, value))
}

fn library(ran: &Ran) -> Library {
    let net = Requirement::new("web/Fetch").restricted("hosts", ["a.example"]);
    let map = |invocation: Invocation| async move {
        let items = invocation.arguments.list("items")?.to_vec();
        Ok(Value::from(invocation.arguments.function("with")?.call_each(&items).await?))
    };
    let page = serde_json::json!({"url": "u"});
    Library {
        aliases: Vec::new(),
        foreign_idioms: Vec::new(),
        name: "test".to_owned(),
        types: vec![
            RecordType::new("Page(url: string)", "A page."),
            RecordType::new("Site(host: string)", "A site."),
        ],
        functions: vec![
            row(ran, "write(text: string) -> null", "write", serde_json::Value::Null),
            row(ran, "files.remove(path: string) -> null", "remove", serde_json::Value::Null)
                .requires(Requirement::new("files/Write"))
                .requires(Requirement::new("files/Remove")),
            row(ran, "fetch(url: string) -> string", "fetch", "body".into())
                .effect(Effect::Reads)
                .requires(net.clone()),
            row(ran, "size(page: Page) -> number", "size", 3.into()).effect(Effect::Pure),
            row(ran, "sizes(pages: List<Page>) -> number", "sizes", 3.into()).effect(Effect::Pure),
            row(ran, "pure(text: string) -> string", "pure", "x".into()).effect(Effect::Pure),
            Function::new("map(items: List<any>, with: (item: any) -> any) -> List<any>", "Each.", map)
                .effect(Effect::Pure),
        ],
        conversions: vec![
            Conversion::new(
                "openPage(url: string) -> Page",
                "Looks it up.",
                gives(ran, "openPage", page.clone()),
            )
            .requires(net),
            Conversion::new("home(site: Site) -> Page", "Its first page.", gives(ran, "home", page))
                .requires(Requirement::new("web/Home")),
        ],
    }
}

/// Programs, the permissions that they need, and the callables that need these.
const CASES: &[(&str, &[(&str, &str)])] = &[
    ("1 + 2", &[]),
    ("pure(`a`)", &[]),
    ("write(`a`)", &[("write", "test/write")]),
    ("WRITE(`a`)", &[("write", "test/write")]),
    ("files.remove(`a`)", &[("files.remove", "files/Write"), ("files.remove", "files/Remove")]),
    ("fetch(`u`)", &[("fetch", "web/Fetch")]),
    ("`u`.fetch()", &[("fetch", "web/Fetch")]),
    (r#"{"fetch": {"url": "u"}}"#, &[("fetch", "web/Fetch")]),
    ("write(fetch(`u`))", &[("write", "test/write"), ("fetch", "web/Fetch")]),
    ("map([`u`], u => fetch(u))", &[("fetch", "web/Fetch")]),
    ("map([`u`], fetch)", &[("fetch", "web/Fetch")]),
    ("f = u => fetch(u)\nmap([`u`], f)", &[("fetch", "web/Fetch")]),
    ("f = u => fetch(u)\n1", &[("fetch", "web/Fetch")]),
    ("false ? write(`a`) : 1", &[("write", "test/write")]),
    ("attempt(write(`a`))", &[("write", "test/write")]),
    ("null?.write()", &[("write", "test/write")]),
    ("quote({fetch: `u`})", &[]),
    ("size(page(`u`))", &[]),
    ("size(`u`)", &[("openPage", "web/Fetch"), ("home", "web/Home")]),
    ("sizes([`u`])", &[("openPage", "web/Fetch"), ("home", "web/Home")]),
    ("map([`u`], size)", &[("openPage", "web/Fetch"), ("home", "web/Home")]),
    ("size(site(`h`))", &[("openPage", "web/Fetch"), ("home", "web/Home")]),
];

fn the_needs_of_a_program_are_those_of_everything_that_it_can_run() {
    let ran = Ran::default();
    let registry = Registry::new([library(&ran)]).unwrap();
    for (source, expected) in CASES {
        let program = Program::parse(&registry, source, &Limits::default())
            .unwrap_or_else(|failures| panic!("{source}: {failures:?}"));
        let needs = program.needs().iter().map(|it| (&*it.callable, &*it.requirement.capability));
        assert_eq!(needs.collect::<Vec<_>>(), *expected, "{source}");
        let outcome = block_on(program.run(&registry, &Limits::default()));
        assert!(!matches!(outcome, Outcome::Failure(_)), "{source}: {outcome:?}");
        for name in ran.lock().unwrap().drain(..) {
            let is_free = ["size", "sizes", "pure"].contains(&name);
            let is_known = expected.iter().any(|(callable, _)| callable.rsplit('.').next() == Some(name));
            assert!(is_free || is_known, "{source} ran {name}");
        }
    }
}

fn a_need_says_where_and_is_told_once() {
    let registry = Registry::new([library(&Ran::default())]).unwrap();
    let program = Program::parse(&registry, "fetch(fetch(`u`))", &Limits::default()).unwrap();
    let [need] = program.needs() else { panic!("{:?}", program.needs()) };
    assert_eq!(need.span.range(), 0..5);
    assert_eq!(need.requirement, Requirement::new("web/Fetch").restricted("hosts", ["a.example"]));
}

fn a_registry_knows_what_its_programs_can_need() {
    let registry = Registry::new([library(&Ran::default())]).unwrap();
    let names: Vec<&str> = registry.requirements().map(|it| &*it.capability).collect();
    assert_eq!(names, ["test/write", "files/Write", "files/Remove", "web/Fetch", "web/Fetch", "web/Home"]);
    assert_eq!(Registry::default().requirements().count(), 0);
}
