//! Every function, conversion, operation and kind of failure has a case.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use dialect::{FailureKind, Handler, Interrupt, Invocation, Library, Limits, Outcome, Registry, Value, run};
use futures::executor::block_on;
use futures::future::BoxFuture;
use ide_library::{Answer, Host};
use ide_protocol::Operation;
use libtest_mimic::Failed;

use super::all_cases;
use super::world::World;

/// The names seen so far.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<BTreeSet<String>>>);

impl Seen {
    fn add(&self, name: String) {
        self.0.lock().expect("no test panics while it writes").insert(name);
    }

    fn missing(&self, expected: &BTreeSet<String>) -> Vec<String> {
        expected.difference(&self.0.lock().expect("no test panics while it writes")).cloned().collect()
    }
}

/// A function that records that it was called.
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

/// A host that records the operations that it is asked for.
struct RecordingHost {
    world: World,
    seen: Seen,
}

impl Host for RecordingHost {
    fn send(&self, operation: Operation, question: serde_json::Value) -> Answer<'_, serde_json::Value> {
        self.seen.add(operation.method());
        self.world.send(operation, question)
    }
}

fn recorded(mut library: Library, seen: &Seen) -> Library {
    let functions = library.functions.iter_mut().map(|it| (it.signature.clone(), &mut it.code));
    let conversions = library.conversions.iter_mut().map(|it| (it.signature.clone(), &mut it.code));
    for (name, code) in functions.chain(conversions) {
        *code = Arc::new(Recorded { name, code: Arc::clone(code), seen: seen.clone() });
    }
    library
}

/// Returns the errors that the document declares.
fn failures(library: &Library) -> BTreeSet<String> {
    library.functions.iter().flat_map(|row| &row.fails).map(|it| it.name.clone()).collect()
}

pub(crate) fn everything_has_a_case() -> Result<(), Failed> {
    let seen = Seen::default();
    let library = ide_library::library(Arc::new(World::default()));
    let failures = failures(&library);
    let rows = library.functions.into_iter().map(|it| it.signature);
    let rows = rows.chain(library.conversions.into_iter().map(|it| it.signature));
    // The component previews edits again, which it shows to the user, completes the hits that it shows, and asks for the
    // texts of scripts.
    let of_component = [Operation::Edits, Operation::HitContext, Operation::Text, Operation::Draft];
    let asked = Operation::ALL.into_iter().filter(|it| !of_component.contains(it)).map(Operation::method);
    let expected: BTreeSet<String> = rows.chain(failures).chain(asked).collect();
    for case in all_cases() {
        let host = RecordingHost { world: World::of(&case), seen: seen.clone() };
        let library = ide_library::library(Arc::new(host));
        let registry = Registry::new([recorded(library, &seen)]).expect("the tables fit");
        let program = case.input("dialect").expect("the case has a program");
        if let Outcome::Failure(failures) = block_on(run(&registry, program, &Limits::default())) {
            for failure in failures.all {
                if let FailureKind::Raised { name, message, advice, .. } = *failure.kind {
                    let words = format!("{message} {}", advice.recovery.unwrap_or_default());
                    assert!(!words.contains("${"), "{program}: a hole of the document is empty: {words}");
                    seen.add(name);
                }
            }
        }
    }
    let missing = seen.missing(&expected);
    if missing.is_empty() { Ok(()) } else { Err(Failed::from(format!("no case for {missing:?}"))) }
}
