//! The conversations of `tests/conversations.json` with a plugin of this kit, line by line.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write, pipe};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::run;
use crate::{Callback, Class, Error, Host, Instance, Level, Plugin};

#[derive(Deserialize, JsonSchema)]
struct Echo {
    x: Value,
}

#[derive(Deserialize, JsonSchema)]
struct Apply {
    f: Callback,
    x: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Start {
    /// The first value; 0 by default.
    start: Option<i64>,
}

#[derive(Deserialize, JsonSchema)]
struct By {
    by: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Wait {
    f: Callback,
}

struct Counter(i64);

fn apply(it: Apply, host: &Host) -> Result<i64, Error> {
    host.log(Level::Info, "applied")?;
    it.f.call(host, &[it.x.into()])
}

fn fail((): (), _: &Host) -> Result<(), Error> {
    Err(Error::new("it is Monday"))
}

fn panics((): (), _: &Host) -> Result<(), Error> {
    panic!("boom in plugin")
}

fn which((): (), _: &Host) -> Result<(), Error> {
    Err(Error::ambiguous("Which one?", [("the first", 1.into()), ("the second", 2.into())]))
}

fn counter(it: By, host: &Host) -> Result<Instance, Error> {
    Ok(host.create("Counter", Counter(it.by)))
}

fn laboratory() -> Plugin {
    let start = |it: Start, _: &Host| Ok(Counter(it.start.unwrap_or(0)));
    let inc = |this: &mut Counter, it: By, _: &Host| {
        this.0 += it.by;
        Ok(this.0)
    };
    let inc_by = |this: &mut Counter, it: Wait, host: &Host| {
        this.0 += it.f.call::<i64>(host, &[])?;
        Ok(this.0)
    };
    let counters = Class::new("Counter", "Counts", start)
        .writes("inc", "Adds", inc)
        .writes("inc_by", "Adds what a function returns", inc_by)
        .settable("value", "The number", |this: &Counter| this.0, |this, value| this.0 = value)
        .property("label", "The text", |this: &Counter| format!("counter:{}", this.0));
    Plugin::new("lab")
        .version("1.2.3")
        .describe("A laboratory")
        .pure("echo", "Returns what it is given", |it: Echo, _: &Host| Ok(it.x))
        .writes("apply", "Calls a function", apply)
        .pure("fail", "Fails", fail)
        .pure("panics", "Panics", panics)
        .pure("which", "Asks", which)
        .writes("counter", "Creates a counter", counter)
        .writes("wait", "Waits for a function", |it: Wait, host: &Host| it.f.call::<()>(host, &[]))
        .class(counters)
        .constant("answer", 42)
}

#[derive(Deserialize, JsonSchema)]
struct Named {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Stream {
    f: Callback,
}

/// The plugin `hello` of the reference.
fn hello() -> Plugin {
    let inc = |this: &mut Counter, it: By, _: &Host| {
        this.0 += it.by;
        Ok(this.0)
    };
    let config = Class::new("Config", "Has a name", |it: Named, _: &Host| Ok(it.name)).reads(
        "get",
        "Returns the name",
        |this: &mut String, _: Named, _: &Host| Ok(this.clone()),
    );
    let counter = Class::new("Counter", "Counts", |it: Start, _: &Host| Ok(Counter(it.start.unwrap_or(0))))
        .writes("inc", "Adds", inc)
        .reads("get", "Returns the number", |this: &mut Counter, (): (), _: &Host| Ok(this.0));
    Plugin::new("hello")
        .version("1.0.0")
        .describe("Hello plugin example")
        .pure("greet", "Greets", |it: Named, _: &Host| Ok(format!("Hello, {}", it.name)))
        .pure("label", "Labels", |it: Named, _: &Host| Ok(format!("built:{}", it.name)))
        .class(config)
        .class(counter)
        .constant("default_name", "World")
}

/// The plugin `properties` of the reference.
fn properties() -> Plugin {
    let add = |this: &mut Counter, it: By, _: &Host| {
        this.0 += it.by;
        Ok(this.0)
    };
    let counter = Class::new("Counter", "Counts", |it: Start, _: &Host| Ok(Counter(it.start.unwrap_or(0))))
        .writes("add", "Adds", add)
        .settable("value", "The number", |this: &Counter| this.0, |this, value| this.0 = value)
        .property("label", "The text", |this: &Counter| format!("counter:{}", this.0));
    Plugin::new("properties").version("1.0.0").describe("Property example plugin").class(counter)
}

/// The plugin `callback` of the reference.
fn callback() -> Plugin {
    let stream = |it: Stream, host: &Host| {
        let tokens = ["Hello", ", ", "Ada"];
        for (index, token) in tokens.iter().enumerate() {
            it.f.call::<Value>(host, &[json!({"index": index, "token": token})])?;
        }
        it.f.call::<Value>(host, &[json!(["done", tokens.len()])])?;
        Ok(tokens.concat())
    };
    Plugin::new("callback")
        .version("1.0.0")
        .describe("Callback streaming example")
        .writes("stream", "Streams", stream)
}

/// The plugin in Rust with which the reference was recorded.
fn rusty() -> Plugin {
    let apply = |it: Apply, host: &Host| {
        host.log(Level::Info, "from rust")?;
        it.f.call::<i64>(host, &[it.x.into()])
    };
    let inc = |this: &mut Counter, it: By, _: &Host| {
        this.0 += it.by;
        Ok(this.0)
    };
    let counter = Class::new("Counter", "Counts", |it: Start, _: &Host| Ok(Counter(it.start.unwrap_or(0))))
        .writes("inc", "Adds", inc)
        .settable("value", "The number", |this: &Counter| this.0, |this, value| this.0 = value);
    let fail = |(): (), _: &Host| -> Result<(), Error> { Err(Error::new("rust says no")) };
    Plugin::new("rusty")
        .version("0.1.0")
        .describe("Rust lab plugin")
        .pure("echo", "Returns what it is given", |it: Echo, _: &Host| Ok(it.x))
        .writes("apply", "Calls a function", apply)
        .pure("fail", "Fails", fail)
        .class(counter)
        .constant("answer", 42)
}

#[derive(Deserialize)]
struct Conversation {
    name: String,
    /// The plugin; that of the laboratory by default.
    #[serde(default)]
    plugin: String,
    #[serde(rename = "why")]
    _why: String,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Step {
    /// A line that the host writes.
    Host(Value),
    /// A line that the plugin has to write. An id that begins with a dollar stands for one of its own choice.
    Plugin(Value),
    /// A line that has at least these members.
    Includes(Value),
}

/// Declares a test for each conversation. The names begin with the ids of the protocol's cases.
macro_rules! conversations {
    ($($test:ident: $name:literal,)*) => {
        $(#[test]
        fn $test() {
            talk($name);
        })*

        #[test]
        fn every_conversation_has_a_test() {
            let names: Vec<_> = all().into_iter().map(|it| it.name).collect();
            assert_eq!(names, [$($name),*]);
        }
    };
}

conversations! {
    p01_description: "a plugin describes itself, and ends",
    values: "values come back as they were",
    p27_p29_callbacks: "a function of the program is called, and its failure is the call's",
    p07_p30_failures: "failures and panics are the errors of their calls",
    p18_arguments: "wrong arguments are told with the signature",
    questions: "a question names its answers",
    p21_p23_objects: "objects have methods and properties, and end",
    p26_order: "calls of one object run in their order",
    p25_overlap: "calls overlap",
    recorded_hello: "recorded: hello",
    recorded_properties: "recorded: properties",
    recorded_callback: "recorded: callback",
    recorded_rusty: "recorded: rusty",
}

fn all() -> Vec<Conversation> {
    serde_json::from_str(include_str!("../../tests/conversations.json")).expect("the file is right")
}

fn talk(name: &str) {
    let conversation = all().into_iter().find(|it| it.name == name).expect("there is one");
    let (input, mut host) = pipe().expect("a pipe");
    let (answers, output) = pipe().expect("a pipe");
    let plugin = match conversation.plugin.as_str() {
        "hello" => hello(),
        "properties" => properties(),
        "callback" => callback(),
        "rusty" => rusty(),
        _ => laboratory(),
    };
    let served = std::thread::spawn(|| run(plugin, input, output));
    let mut answers = BufReader::new(answers);
    let mut ids = HashMap::new();
    for step in conversation.steps {
        let (mut expected, is_whole) = match step {
            Step::Host(mut message) => {
                if let Some(id) = message["id"].as_str().and_then(|it| ids.get(it)).cloned() {
                    message["id"] = id;
                }
                writeln!(host, "{message}").expect("the plugin reads");
                continue;
            }
            Step::Plugin(message) => (message, true),
            Step::Includes(message) => (message, false),
        };
        let mut line = String::new();
        answers.read_line(&mut line).expect("the plugin writes");
        let found: Value = serde_json::from_str(&line).expect("it is JSON");
        if let Some(id) = expected["id"].as_str().filter(|it| it.starts_with('$')) {
            ids.insert(id.to_owned(), found["id"].clone());
            expected["id"] = found["id"].clone();
        }
        let is_right = if is_whole { found == expected } else { includes(&found, &expected) };
        assert!(is_right, "{name}\nexpected {expected}\nfound    {found}");
    }
    drop(host);
    assert_eq!(
        format!("{:?}", served.join().expect("no panic")),
        format!("{:?}", std::process::ExitCode::SUCCESS)
    );
    assert_eq!(answers.lines().count(), 0, "{name}: more lines");
}

/// Returns whether everything that is expected is there.
fn includes(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            expected.iter().all(|(key, it)| found.get(key).is_some_and(|found| includes(found, it)))
        }
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(found, it)| includes(found, it))
        }
        _ => found == expected,
    }
}
