//! Coverage: each function and each kind of failure has a case, and replacements of foreign idioms parse.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use dialect::{
    FailureKind, Handler, Interrupt, Invocation, Limits, Outcome, Program, Registry, Value, WrittenArguments,
    run,
};
use futures::executor::block_on;
use futures::future::BoxFuture;
use libtest_mimic::Failed;

use super::{all_cases, limits, world};

/// The names of successful functions and of failures so far.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<BTreeSet<String>>>);

impl Seen {
    fn add(&self, name: String) {
        self.0.lock().expect("no test panics while it writes").insert(name);
    }
}

/// A function that records its successful calls.
struct Recorded {
    name: String,
    code: Arc<dyn Handler>,
    seen: Seen,
}

impl Handler for Recorded {
    fn call(&self, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        let (name, seen, value) = (self.name.clone(), self.seen.clone(), self.code.call(invocation));
        Box::pin(async move {
            let value = value.await;
            if value.is_ok() {
                seen.add(name);
            }
            value
        })
    }
}

/// Returns the names of the library's errors, from its source.
fn kinds() -> Vec<String> {
    let source = include_str!("../../src/failure.rs");
    let lines = source.lines().filter_map(|line| line.trim().strip_prefix("pub(crate) const "));
    let kinds =
        lines.filter_map(|line| Some(line.split_once("&str = \"")?.1.trim_end_matches("\";").to_owned()));
    kinds.collect()
}

pub(crate) fn everything_has_a_case() -> Result<(), Failed> {
    let seen = Seen::default();
    let mut library = core_library::library();
    let mut expected: BTreeSet<String> = kinds().into_iter().collect();
    let declared = library.functions.iter().flat_map(|row| &row.fails).map(|it| it.name.clone());
    assert_eq!(expected, declared.collect(), "what the code names, and what the document says to be thrown");
    for row in &mut library.functions {
        expected.insert(row.signature.clone());
        row.code = Arc::new(Recorded {
            name: row.signature.clone(),
            code: Arc::clone(&row.code),
            seen: seen.clone(),
        });
    }
    let registry = Registry::new([library, world::world()]).expect("the tables fit");
    for case in all_cases() {
        let program = case.input("dialect").expect("the case has a program");
        if let Outcome::Failure(failures) = block_on(run(&registry, program, &limits(&case))) {
            for failure in failures.all {
                if let FailureKind::Raised { name, message, advice, .. } = *failure.kind {
                    let words = format!("{message} {}", advice.recovery.unwrap_or_default());
                    assert!(!words.contains("${"), "{program}: a hole of the document is empty: {words}");
                    seen.add(name);
                }
            }
        }
    }
    let seen = seen.0.lock().expect("no test panics while it writes");
    let missing: Vec<_> = expected.difference(&seen).collect();
    if missing.is_empty() { Ok(()) } else { Err(Failed::from(format!("no case for {missing:?}"))) }
}

/// Tries each idiom with lists and functions as arguments, in all combinations.
pub(crate) fn every_habit_leads_to_a_program() -> Result<(), Failed> {
    let arguments = ["[1, 2]", "x => x", "(a, b) => a - b", "`name`", "1", "x => x > 1"];
    let names = ["key", "reverse"];
    let registry = world::registry();
    for habit in core_library::library().foreign_idioms {
        let mut offered = Vec::new();
        for first in arguments {
            for rest in [
                &[][..],
                &["2"],
                &["[3]"],
                &["x => x"],
                &["`name`"],
                &["(a, b) => b - a"],
                &["1", "2"],
                &["`\\s+`", "`-`"],
            ] {
                for named in 0..=names.len() {
                    let named = names[..named].iter().map(|name| (*name, "x => x")).collect();
                    let positional = [first].iter().chain(rest).copied().collect();
                    offered.extend((habit.rewrite)(&WrittenArguments { positional, named }));
                }
            }
            let named = vec![("reverse", "true")];
            offered.extend((habit.rewrite)(&WrittenArguments { positional: vec![first], named }));
            let named = vec![("reverse", "true")];
            offered.extend((habit.rewrite)(&WrittenArguments { positional: vec![first, "x => x"], named }));
        }
        if offered.is_empty() {
            return Err(Failed::from(format!("`{}` leads nowhere", habit.name)));
        }
        for program in offered {
            if let Err(failures) = Program::parse(&registry, &program, &Limits::default()) {
                let is_argument = failures.all.iter().all(|it| it.kind.name() != "unknownFunction");
                if !is_argument {
                    return Err(Failed::from(format!("`{}` offers {program}: {failures:?}", habit.name)));
                }
            }
        }
    }
    Ok(())
}
