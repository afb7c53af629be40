//! Failures of the code behind a document, as programs see them.

use ailang::{Documents, Implementation, Interface};
use dialect::{Failure, Interrupt, Invocation, Limits, Outcome, Registry, Value, explain, run};
use futures::executor::block_on;
use literate::Actual;
use serde_json::Value as Json;

/// Returns the time of all cases, in seconds since the Unix epoch.
fn now() -> f64 {
    1_000.0
}

/// Runs the program with tools that behave as `code` says.
///
/// Each tool has one of `{"throws": name, "carries": {…}, "says": "…"}`, `{"gives": value}` and `{"calls":
/// parameter}`.
pub(crate) fn of(documents: &Documents, program: &str, code: &str) -> Actual {
    let interface = match Interface::load(documents) {
        Ok(interface) => interface.with_clock(now),
        Err(rejected) => return Actual::new("rejected", rejected.to_string()),
    };
    let code: Json = serde_json::from_str(code).expect("code is told in JSON");
    let definitions = documents.iter().flat_map(|(_, document)| document.definitions());
    let tools = definitions.filter(|it| it.kind.keyword() == "tool").map(|it| it.name.text.clone());
    let tools = tools.map(|name| (name.clone(), acting(&code[&name])));
    let library = interface.library("test", tools).expect("each tool does something");
    let library = match origin(&interface) {
        true => ailang::foreign(library, "them").expect("it may stand beside ours"),
        false => library,
    };
    let registry = Registry::new([library]).expect("the rows fit");
    let outcome = block_on(run(&registry, program, &Limits::default()));
    let name = match &outcome {
        Outcome::Success(_) => "success",
        Outcome::Failure(_) => "failure",
        Outcome::Ambiguity(_) => "ambiguity",
    };
    Actual::new(name, explain(&outcome, program).text)
}

/// Returns `true` if the document is third-party.
fn origin(interface: &Interface) -> bool {
    interface.capabilities().iter().any(|it| it.id.ends_with("/Theirs"))
}

fn acting(what: &Json) -> Implementation {
    let what = what.clone();
    Implementation::new(move |invocation: Invocation| {
        let what = what.clone();
        async move {
            match what["calls"].as_str() {
                Some(f) => invocation.arguments.function(f)?.call(vec!["x".into()]).await,
                None => act(&what, invocation),
            }
        }
    })
}

fn act(what: &Json, invocation: Invocation) -> Result<Value, Interrupt> {
    if let Some(name) = what["throws"].as_str() {
        let carries = what["carries"].as_object().cloned().unwrap_or_default();
        let carried = carries.iter().map(|(name, value)| (name.as_str(), Value::from(value.clone())));
        let failure = match what["says"].as_str() {
            Some(message) => Failure::raised(name, message),
            None => Failure::thrown(name, carried),
        };
        return Err(failure.into());
    }
    match what.get("gives") {
        Some(value) => Ok(value.clone().into()),
        None => Ok(Value::Object(invocation.arguments.0)),
    }
}
