//! Methods of objects beside the built-in functions: the class of the receiver decides what a method is, and nothing
//! changes for values without a class.

use std::sync::Arc;

use dialect::{
    ARGS, Effect, Failure, FailureKind, Function, Invocation, Library, Limits, Object, Outcome, Program,
    RecordType, Registry, Requirement, Value, explain, run,
};
use futures::FutureExt;
use futures::executor::block_on;
use ide_library::{Answer, Host};
use ide_protocol::{ErrorCode, IdeError, Operation};
use libtest_mimic::Trial;
use serde_json::json;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        the_class_of_the_receiver_decides_what_a_method_is,
        methods_of_a_class_change_nothing_for_other_values
    ]
}

/// Names that classes commonly give to their methods.
const NAMES: &str = "get set commit add remove append push pop insert delete update clear close open read write \
    flush seek tell name value key keys values items entries size length len count empty first last head tail take \
    drop skip limit map filter reduce fold each forEach find findAll search match matches replace split join trim \
    strip lower upper toLowerCase toUpperCase startsWith endsWith contains includes has in is not and or if let \
    quote attempt call apply bind then next send recv receive emit on off once start stop run execute exec eval \
    reset restart pause resume status state info help describe explain show print log debug error text source \
    lines files file path rename move copy clone save load dump parse format toString string number int float \
    bool list dict object sort sortBy sorted order orderBy reverse group groupBy unique distinct union intersect \
    min max sum avg mean range sample shuffle zip flatten flat flatMap slice splice concat index indexOf at nth \
    query select where insertMany fetch fetchone fetchall execute rollback begin cursor connect disconnect apply \
    applyEdits edit preview diff definition references release incr inc dec";

/// A host that nothing is asked of.
struct Nobody;

impl Host for Nobody {
    fn send(&self, _: Operation, _: serde_json::Value) -> Answer<'_, serde_json::Value> {
        let error = IdeError::new(ErrorCode::NotReady, "nothing is asked here");
        async { Err(error) }.boxed()
    }
}

fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = NAMES.split_whitespace().collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns a library as that of a plugin: a class whose methods answer their name and how many arguments they got.
fn plugin() -> Library {
    let method = |name: &'static str| {
        let signature = format!("hello.CounterRef.{name}(self: hello.CounterRef, ...) -> any");
        let answer = move |it: Invocation| async move {
            let count = it.arguments.get(ARGS).and_then(Value::as_list).map_or(0, <[Value]>::len);
            Ok(json!([name, count]).into())
        };
        Function::new(signature, "A method.", answer)
            .effect(Effect::Writes)
            .requires(Requirement::new("plugins/Run"))
    };
    let new = |_: Invocation| async {
        Ok(Value::record("hello.CounterRef", Object::from_iter([("ref".to_owned(), "hello#1:1".into())])))
    };
    let new =
        Function::new("hello.Counter(...) -> hello.CounterRef", "Makes one.", new).effect(Effect::Reads);
    Library {
        name: "hello".to_owned(),
        types: vec![RecordType::new("hello.CounterRef(ref: string)", "A counter.")],
        functions: names().into_iter().map(method).chain([new]).collect(),
        ..Library::default()
    }
}

fn built_in() -> Registry {
    Registry::new([core_library::library(), ide_library::library(Arc::new(Nobody))])
        .expect("they fit together")
}

/// Returns what a program ends in, in words. Where there is no function, it is not told which others there are.
fn answer(registry: &Registry, program: &str) -> String {
    let outcome = block_on(run(registry, program, &Limits::default()));
    match &outcome {
        Outcome::Failure(failures) if failures.all.iter().any(is_unknown) => {
            "there is no such method".to_owned()
        }
        // Where the receiver is not known, the others are not sought.
        Outcome::Failure(failures) => dialect::diagnostic(&failures.all[0]).message,
        _ => explain(&outcome, program).text,
    }
}

/// Returns `true` for a call of nothing that there is, or of the only method, on a value of another type.
fn is_unknown(failure: &Failure) -> bool {
    match &*failure.kind {
        FailureKind::UnknownFunction { .. } | FailureKind::NoMethod { .. } => true,
        FailureKind::WrongType { signature, .. } | FailureKind::NothingGiven { signature, .. } => {
            signature.name.starts_with("hello.CounterRef.")
        }
        _ => false,
    }
}

/// Checks that all calls of common names on an object reach the object, and that they need its permission alone.
fn the_class_of_the_receiver_decides_what_a_method_is() {
    let registry = built_in().with(plugin()).expect("it fits beside the others");
    let mut wrong = Vec::new();
    for name in names() {
        for count in 0..4 {
            let arguments = ["`k`", "2", "{a: 1}"][..count].join(", ");
            let json_arguments: String = [", \"k\"", ", 2", ", [1]"][..count].concat();
            let call = format!("{name}({arguments})");
            let expected = json!([name, count]).to_string();
            for (program, expected) in [
                (format!("hello.Counter(5).{call}"), expected.clone()),
                (format!("c = hello.Counter(5)\nc.{call}"), expected.clone()),
                (format!("c = hello.Counter(5)\nc?.{call}"), expected.clone()),
                (format!("f = x => x.{call}\nf(hello.Counter(5))"), expected.clone()),
                (format!("{name} = hello.Counter(5)\n{name}.{call}"), expected.clone()),
                (format!("[hello.Counter(5)].map({name} => {name}.{call})"), format!("[{expected}]")),
                (format!("{{\"{name}\": [{{\"hello.Counter\": [5]}}{json_arguments}]}}"), expected.clone()),
            ] {
                // These are forms of the language in JSON.
                let is_form =
                    matches!(name, "if" | "let" | "quote" | "attempt" | "apply" | "object" | "index");
                if program.starts_with('{') && is_form
                    || ["if", "let", "quote", "attempt"].contains(&name) && program.starts_with(name)
                {
                    continue;
                }
                let outcome = block_on(run(&registry, &program, &Limits::default()));
                let found = match &outcome {
                    Outcome::Success(it) => it.value.to_json().to_string(),
                    _ => explain(&outcome, &program).text,
                };
                let parsed = Program::parse(&registry, &program, &Limits::default());
                let needs =
                    parsed.map(|it| it.needs().iter().map(|it| it.callable.clone()).collect::<Vec<_>>());
                let own = vec![format!("hello.CounterRef.{name}")];
                if found != expected || needs.as_ref().ok() != Some(&own) {
                    wrong.push(format!("{program}\n  {found}\n  {needs:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} calls:\n{}", wrong.len(), wrong.join("\n"));
}

/// Checks that calls on values without a class end alike with and without a class that has methods of those names. The
/// short form writes each call in one of three ways.
fn methods_of_a_class_change_nothing_for_other_values() {
    let without = built_in();
    let with = without.with(plugin()).expect("it fits beside the others");
    let mut wrong = Vec::new();
    let mut turn = 0;
    for name in names() {
        turn += 1; // so that the next name is written in other ways
        for arguments in ["", "1", "x => x", "`a`, `b`"] {
            for value in ["`abc`", "[3, 1, 2]", "[]", "{a: 1}", "(1 + 1)", "null"] {
                let ways = [
                    format!("{value}.{name}({arguments})"),
                    format!("v = {value}\nv.{name}({arguments})"),
                    format!("f = v => v.{name}({arguments})\nf({value})"),
                ];
                turn += 1;
                let is_tried = |way: usize| literate::is_long("loops") || way == turn % ways.len();
                for program in ways.iter().enumerate().filter(|it| is_tried(it.0)).map(|it| it.1) {
                    let answers = [&without, &with].map(|it| answer(it, program));
                    if answers[0] != answers[1] {
                        wrong.push(format!("{program}\n  {}\n  {}", answers[0], answers[1]));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} calls:\n{}", wrong.len(), wrong.join("\n"));
}
