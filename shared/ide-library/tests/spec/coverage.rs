//! Every function, conversion and kind of failure has a case.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use dialect::{FailureKind, Handler, Interrupt, Invocation, Library, Limits, Outcome, Registry, Value, run};
use futures::executor::block_on;
use futures::future::BoxFuture;
use libtest_mimic::Failed;

use crate::all_cases;
use crate::world::World;

/// What has been seen to happen.
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

/// Writes down that it gave a value.
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

fn recorded(mut library: Library, seen: &Seen) -> Library {
    let functions = library.functions.iter_mut().map(|it| (it.signature.clone(), &mut it.code));
    let conversions = library.conversions.iter_mut().map(|it| (it.signature.clone(), &mut it.code));
    for (name, code) in functions.chain(conversions) {
        *code = Arc::new(Recorded { name, code: Arc::clone(code), seen: seen.clone() });
    }
    library
}

/// What the document says to be thrown.
fn failures(library: &Library) -> BTreeSet<String> {
    library.functions.iter().flat_map(|row| &row.fails).map(|it| it.name.clone()).collect()
}

pub(crate) fn everything_has_a_case() -> Result<(), Failed> {
    let seen = Seen::default();
    let library = ide_library::library(Arc::new(World::default()));
    let failures = failures(&library);
    let rows = library.functions.into_iter().map(|it| it.signature);
    let rows = rows.chain(library.conversions.into_iter().map(|it| it.signature));
    let expected: BTreeSet<String> = rows.chain(failures).collect();
    for case in all_cases() {
        let library = ide_library::library(Arc::new(World::of(&case)));
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
