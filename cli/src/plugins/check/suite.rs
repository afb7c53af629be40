//! The checks. Each runs with a process of its own. None calls a function that exists.

use std::time::Duration;

use futures::future::{BoxFuture, FutureExt};
use plugin_protocol::schema::Description;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::deviation::{Deviation, shown};
use crate::plugins::check::pipe::{Pipe, error_of};

/// The weight of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Weight {
    /// A host cannot use a plugin without it.
    Must,
    /// A host gets along without it, or some hosts do.
    Should,
}

pub(super) type Checked = Result<(), Deviation>;

/// The facts that the handshake gave, for the checks after it.
pub(super) struct About {
    /// The result of the handshake.
    pub(super) described: Value,
    pub(super) description: Description,
}

pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) weight: Weight,
    /// The way to mend it.
    pub(super) remedy: &'static str,
    /// True if it concerns only plugins that have classes.
    pub(super) is_for_classes: bool,
    /// Runs after the handshake.
    pub(super) run: for<'a> fn(&'a mut Pipe, &'a About) -> BoxFuture<'a, Checked>,
}

macro_rules! checks {
    ($($weight:ident $name:expr, $remedy:literal, $run:ident $(for $classes:ident)?;)*) => {
        &[$(Check {
            name: $name,
            weight: Weight::$weight,
            remedy: $remedy,
            is_for_classes: !stringify!($($classes)?).is_empty(),
            run: |pipe, about| $run(pipe, about).boxed(),
        }),*]
    };
}

/// The name of the check of lines that are no messages.
pub(super) const GARBAGE: &str = "what is no message costs itself only";

/// A function that no plugin has.
const NOBODY: &str = "dialect_check_no_such_function";

/// The largest id that a host may reach: an integer that every reader of JSON keeps.
const MOST_ID: i64 = (1 << 53) - 1;

/// The time to end after the input was closed.
const END: Duration = Duration::from_secs(2);

/// The time for the answer to a shutdown. Other hosts wait longer.
const SHUTDOWN: Duration = Duration::from_secs(10);

pub(super) const CHECKS: &[Check] = checks! {
    Must "every entry of the description can be used",
        "Mend the entries that are named: names are unique, and constants are values of the protocol.",
        entries;
    Should "the description has all its parts",
        "Give `library.version`, and the lists `functions`, `classes` and `constants`, empty ones too.",
        parts;
    Should "every function says its parameters and its effect",
        "Add `params` and `effect` (\"pure\", \"reads\" or \"writes\") to each function: mistakes are told before a call, \
         and nobody is asked about what only reads.",
        signatures;
    Should "no entry is source",
        "Answer the calls in the plugin where it can: source runs one call at a time, without inheritance, generators and \
         imports, and not every host runs it.",
        no_source;
    Must "another version of the host is answered in the same way",
        "Leave the judgement to the host: answer every handshake.",
        other_version;
    Should "a second handshake is answered in the same way",
        "Keep nothing of the first one.",
        second_handshake;
    Must "a function that is not there is an error",
        "Answer {\"error\": {\"code\": -32000, \"message\": \"unknown function NAME (available: …)\"}}.",
        unknown_function;
    Should "that error names the functions that are there",
        "Say \"unknown function NAME (available: a, b)\": whoever misspelled a name can mend it at once.",
        available;
    Should "a method of the protocol that is not known is an error",
        "Answer it with an error. A request without an answer keeps its host waiting.",
        unknown_method;
    Should "environments are answered with null",
        "Answer environment.open and environment.close with null. Older hosts send them.",
        environments;
    Must "ids come back as they were",
        "Keep the id as an integer: hosts count from 1, and one that runs for long counts far.",
        large_ids;
    Must "what has no id gets no answer",
        "Answer only messages with an `id`.",
        notification;
    Must "many requests at once get one answer each",
        "Read line by line, and answer every line. Several may arrive in one piece.",
        many;
    Must "a request that arrives in pieces is read",
        "Read to the end of the line: a message may arrive in several pieces.",
        pieces;
    Should "blank lines, other line ends and spaces are read",
        "Skip blank lines, and leave spaces and \\r to the JSON reader.",
        spacing;
    Should GARBAGE,
        "Skip a line that is no JSON, and go on.",
        garbage;
    Must "null stands for no arguments, and unknown members are ignored",
        "Take `\"args\": null` for no arguments.",
        null_arguments;
    Must "values of a type that is not known are an error",
        "Answer with an error that names the type.",
        unknown_value;
    Must "a large argument is read",
        "Read lines of any length: texts of files are arguments.",
        large_argument;
    Should "a deep argument is read",
        "Read nested lists without a stack for each, or answer with an error where they are too deep.",
        deep_argument;
    Must "text of any language is read",
        "Read and write UTF-8, and escapes such as \\u00e9.",
        unicode;
    Must "classes, methods and objects that are not there are errors",
        "Answer with an error that names what is there.",
        unknown_objects for classes;
    Should "the end of an object that is not there succeeds",
        "Answer object.destroy with null in any case: an object may have ended already.",
        destroy for classes;
    Must "a shutdown is answered, and the end of the input ends it",
        "Answer plugin.shutdown with null, and exit with 0 when the input ends.",
        shutdown;
    Must "the end of the input ends it without a shutdown too",
        "Exit when the input ends: the host may be gone.",
        end_of_input;
};

fn verdict(is_there: bool, came: impl Into<String>, expected: &str) -> Checked {
    match is_there {
        true => Ok(()),
        false => Err(Deviation { sent: String::new(), came: came.into(), expected: expected.to_owned() }),
    }
}

async fn entries(_: &mut Pipe, about: &About) -> Checked {
    let warnings = &about.description.warnings;
    verdict(warnings.is_empty(), warnings.join("; "), "an entry that the host takes as it is")
}

async fn parts(_: &mut Pipe, about: &About) -> Checked {
    let schema = &about.described["schema"];
    let lists = ["functions", "classes", "constants"];
    let mut missing: Vec<_> = lists.into_iter().filter(|it| !schema[it].is_array()).collect();
    if about.description.library.version.is_empty() {
        missing.push("library.version");
    }
    verdict(missing.is_empty(), format!("no {}", missing.join(", no ")), "all of them")
}

async fn signatures(_: &mut Pipe, about: &About) -> Checked {
    let without = |it: &&plugin_protocol::schema::Function| it.signature.is_none() || it.effect.is_none();
    let names: Vec<_> =
        about.description.functions.iter().filter(without).map(|it| it.name.as_str()).collect();
    let came = format!("no `params` or no `effect`: {}", names.join(", "));
    verdict(names.is_empty(), came, "both, for each function")
}

async fn no_source(_: &mut Pipe, about: &About) -> Checked {
    let Description { functions, classes, .. } = &about.description;
    let sources = functions.iter().map(|it| (&it.name, &it.source));
    let sources = sources.chain(classes.iter().map(|it| (&it.name, &it.source)));
    let names: Vec<&str> = sources.filter(|it| it.1.is_some()).map(|it| it.0.as_str()).collect();
    verdict(names.is_empty(), format!("source: {}", names.join(", ")), "entries that the plugin answers")
}

/// Asks for the description again. Its entries may come in any order.
async fn same_description(pipe: &mut Pipe, about: &About, params: Value) -> Checked {
    let answer = pipe.ask(2.into(), "scriptling.handshake", params.clone()).await?;
    let sent = shown(&json!({"method": "scriptling.handshake", "params": params}).to_string());
    match in_order(answer["result"].clone()) == in_order(about.described.clone()) {
        true => Ok(()),
        false => Err(Deviation {
            sent,
            came: shown(&answer.to_string()),
            expected: "the answer of the first handshake".to_owned(),
        }),
    }
}

/// Returns a description with its entries in the order of their names.
fn in_order(mut description: Value) -> Value {
    let name = |it: &Value| it["name"].as_str().unwrap_or_default().to_owned();
    let sort = |entries: &mut Value| {
        entries.as_array_mut().into_iter().for_each(|it| it.sort_by_key(name));
    };
    let lists = description["schema"].as_object_mut();
    for entries in lists.into_iter().flat_map(|it| it.values_mut()) {
        sort(entries);
        for class in entries.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            for list in ["methods", "properties"] {
                class.get_mut(list).into_iter().for_each(sort);
            }
        }
    }
    description
}

async fn other_version(pipe: &mut Pipe, about: &About) -> Checked {
    let params = json!({
        "protocol": "9.9", "host": "scriptling", "host_version": "99.0.0", "transports": ["json", "other"],
        "capabilities": [], "policy": {"network": false}, "more": 1,
    });
    same_description(pipe, about, params).await
}

async fn second_handshake(pipe: &mut Pipe, about: &About) -> Checked {
    let params = json!({
        "protocol": "1.0", "host": "scriptling", "host_version": "0.23.0", "transports": ["json"],
        "capabilities": ["remote_objects"],
    });
    same_description(pipe, about, params).await
}

/// Calls a function that is not there, and returns the answer.
async fn call_nobody(pipe: &mut Pipe, id: Value, params: Value) -> Result<Value, Deviation> {
    pipe.ask(id, "function.call", params).await
}

/// Returns the text of the error for a function that is not there.
async fn error_of_nobody(pipe: &mut Pipe) -> Result<String, Deviation> {
    let answer = call_nobody(pipe, 2.into(), json!({"name": NOBODY})).await?;
    let sent = json!({"method": "function.call", "params": {"name": NOBODY}}).to_string();
    Ok(error_of(&answer, &sent)?.message)
}

async fn unknown_function(pipe: &mut Pipe, _: &About) -> Checked {
    error_of_nobody(pipe).await.map(drop)
}

async fn available(pipe: &mut Pipe, about: &About) -> Checked {
    let text = error_of_nobody(pipe).await?;
    let mut names = about.description.functions.iter().filter(|it| it.source.is_none());
    verdict(names.all(|it| text.contains(&it.name)), shown(&text), "the names of the functions in it")
}

async fn unknown_method(pipe: &mut Pipe, _: &About) -> Checked {
    let answer = pipe.ask(2.into(), "dialect.no_such_method", json!({})).await?;
    error_of(&answer, "{\"method\": \"dialect.no_such_method\"}").map(drop)
}

async fn environments(pipe: &mut Pipe, _: &About) -> Checked {
    for (id, method) in [(2, "environment.open"), (3, "environment.close")] {
        let answer = pipe.ask(id.into(), method, json!({"id": "1"})).await?;
        let is_null =
            answer["error"].is_null() && matches!(&answer["result"], Value::Null | Value::Object(_));
        if !is_null {
            let expected = "\"result\": null".to_owned();
            return Err(Deviation { sent: method.to_owned(), came: shown(&answer.to_string()), expected });
        }
    }
    Ok(())
}

async fn large_ids(pipe: &mut Pipe, _: &About) -> Checked {
    for id in [1, 1 << 31, MOST_ID] {
        call_nobody(pipe, id.into(), json!({"name": NOBODY})).await?;
    }
    Ok(())
}

async fn notification(pipe: &mut Pipe, _: &About) -> Checked {
    let silent = json!({"jsonrpc": "2.0", "method": "function.call", "params": {"name": NOBODY}});
    pipe.send(&silent).await?;
    call_nobody(pipe, 2.into(), json!({"name": NOBODY})).await?;
    // Whatever else there is came before or with that answer, or soon after it.
    match pipe.next(Instant::now() + Duration::from_millis(200)).await {
        Err(_) => Ok(()),
        Ok(message) => Err(Deviation {
            sent: silent.to_string(),
            came: shown(&message.to_string()),
            expected: "no answer".to_owned(),
        }),
    }
}

async fn many(pipe: &mut Pipe, _: &About) -> Checked {
    let ids = 100..150;
    let request =
        |id: i32| json!({"jsonrpc": "2.0", "id": id, "method": "function.call", "params": {"name": NOBODY}});
    let all: String = ids.clone().map(|id| format!("{}\n", request(id))).collect();
    pipe.write(all.as_bytes()).await?;
    for id in ids {
        pipe.answer(&id.into(), "50 requests in one piece").await?;
    }
    match pipe.next(Instant::now() + Duration::from_millis(100)).await {
        Err(_) => Ok(()),
        Ok(message) => Err(Deviation {
            sent: "50 requests in one piece".to_owned(),
            came: format!("one more: {}", shown(&message.to_string())),
            expected: "50 answers".to_owned(),
        }),
    }
}

async fn pieces(pipe: &mut Pipe, _: &About) -> Checked {
    let request = json!({"jsonrpc": "2.0", "id": 2, "method": "function.call", "params": {"name": NOBODY}});
    let line = format!("{request}\n");
    let (start, end) = line.split_at(line.len() / 2);
    pipe.write(start.as_bytes()).await?;
    tokio::time::sleep(Duration::from_millis(50)).await; // so that it is read alone
    pipe.write(end.as_bytes()).await?;
    pipe.answer(&2.into(), &format!("{start} and then {end}")).await.map(drop)
}

async fn spacing(pipe: &mut Pipe, _: &About) -> Checked {
    let sent = format!(
        "\n  \r\n {{ \"params\" : {{ \"name\" : \"{NOBODY}\" }} , \"method\" : \"function.call\" , \"id\" : 2 , \
         \"jsonrpc\" : \"2.0\" }} \r\n"
    );
    pipe.write(sent.as_bytes()).await?;
    pipe.answer(&2.into(), &sent).await.map(drop)
}

async fn garbage(pipe: &mut Pipe, _: &About) -> Checked {
    pipe.write(b"hello\n[1,\n\"text\"\n\xff\xfe\n").await?;
    call_nobody(pipe, 2.into(), json!({"name": NOBODY})).await.map(drop)
}

async fn null_arguments(pipe: &mut Pipe, _: &About) -> Checked {
    let params = json!({"name": NOBODY, "args": null, "kwargs": null, "more": {"x": 1}});
    call_nobody(pipe, 2.into(), params).await.map(drop)
}

async fn unknown_value(pipe: &mut Pipe, _: &About) -> Checked {
    let params = json!({"name": NOBODY, "args": [{"type": "zzz", "value": 1}]});
    call_nobody(pipe, 2.into(), params).await.map(drop)
}

async fn large_argument(pipe: &mut Pipe, _: &About) -> Checked {
    let text = "x".repeat(5 << 20);
    let params = json!({"name": NOBODY, "args": [{"type": "string", "value": text}]});
    call_nobody(pipe, 2.into(), params).await.map(drop)
}

async fn deep_argument(pipe: &mut Pipe, _: &About) -> Checked {
    let depth = 500;
    let value = r#"{"type":"list","items":["#.repeat(depth) + r#"{"type":"null"}"# + &"]}".repeat(depth);
    let head = r#"{"jsonrpc":"2.0","id":2,"method":"function.call","params":{"name":""#;
    let sent = format!("{head}{NOBODY}\",\"args\":[{value}]}}}}\n");
    pipe.write(sent.as_bytes()).await?;
    pipe.answer(&2.into(), &format!("an argument of {depth} lists in each other")).await.map(drop)
}

async fn unicode(pipe: &mut Pipe, _: &About) -> Checked {
    let text = "é😀 \u{2028} \u{0}\u{7f}";
    let params = json!({"name": NOBODY, "args": [{"type": "string", "value": text}], "kwargs": {"é": {"type": "null"}}});
    call_nobody(pipe, 2.into(), params).await?;
    let escaped = r#"{"jsonrpc":"2.0","id":3,"method":"function.call","params":{"name":"dialect_\u0063heck_\ud83d\ude00"}}"#;
    pipe.write(format!("{escaped}\n").as_bytes()).await?;
    pipe.answer(&3.into(), escaped).await.map(drop)
}

async fn unknown_objects(pipe: &mut Pipe, _: &About) -> Checked {
    let calls = [
        (2, "object.new", json!({"class": "DialectCheckNoSuchClass"})),
        (3, "object.call_method", json!({"object_id": "999999", "method": "nosuch"})),
    ];
    for (id, method, params) in calls {
        let answer = pipe.ask(id.into(), method, params.clone()).await?;
        error_of(&answer, &json!({"method": method, "params": params}).to_string())?;
    }
    Ok(())
}

async fn destroy(pipe: &mut Pipe, _: &About) -> Checked {
    let answer = pipe.ask(2.into(), "object.destroy", json!({"object_id": "999999"})).await?;
    verdict(answer["error"].is_null(), shown(&answer.to_string()), "\"result\": null")
}

async fn shutdown(pipe: &mut Pipe, _: &About) -> Checked {
    let request = json!({"jsonrpc": "2.0", "id": 2, "method": "plugin.shutdown"});
    pipe.send(&request).await?;
    let answer = pipe.answer_within(&2.into(), &request.to_string(), SHUTDOWN).await?;
    if !answer["error"].is_null() {
        let (sent, came) = (request.to_string(), shown(&answer.to_string()));
        return Err(Deviation { sent, came, expected: "\"result\": null".to_owned() });
    }
    ended(pipe, "plugin.shutdown, and the end of the input").await
}

async fn end_of_input(pipe: &mut Pipe, _: &About) -> Checked {
    ended(pipe, "the end of the input").await
}

async fn ended(pipe: &mut Pipe, sent: &str) -> Checked {
    let came = match pipe.end(END).await {
        Some(status) if status.success() => return Ok(()),
        Some(status) => status.to_string(),
        None => format!("it still ran {} s later", END.as_secs()),
    };
    let words = pipe.last_words();
    let came = if words.is_empty() { came } else { format!("{came}; its last words: {words}") };
    Err(Deviation { sent: sent.to_owned(), came, expected: "exit code 0".to_owned() })
}

/// Calls a function, as its user allowed, and reads its result.
pub(super) async fn call(pipe: &mut Pipe, name: &str, arguments: &Value) -> Checked {
    let wire = |it: &Value| {
        wire(it).and_then(|it| serde_json::from_str::<Value>(it.get()).map_err(|it| it.to_string()))
    };
    let params = match arguments {
        Value::Array(items) => {
            items.iter().map(wire).collect::<Result<Value, _>>().map(|it| json!({"name": name, "args": it}))
        }
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, it)| Ok((key.clone(), wire(it)?)));
            fields.collect::<Result<Value, String>>().map(|it| json!({"name": name, "kwargs": it}))
        }
        Value::Null => Ok(json!({"name": name})),
        other => wire(other).map(|it| json!({"name": name, "args": [it]})),
    };
    let deviation = |came: String, expected: &str| Deviation {
        sent: name.to_owned(),
        came,
        expected: expected.to_owned(),
    };
    let params = params.map_err(|it| deviation(it, "arguments that the protocol has"))?;
    let request = json!({"jsonrpc": "2.0", "id": 2, "method": "function.call", "params": params});
    pipe.send(&request).await?;
    let answer = pipe.answer_within(&2.into(), &request.to_string(), Duration::from_secs(30)).await?;
    let result = to_raw_value(&answer["result"]).unwrap_or_else(|_| RawValue::NULL.to_owned());
    if !answer["error"].is_null() {
        return Err(deviation(shown(&answer.to_string()), "a result"));
    }
    let read = plugin_protocol::Value::read(&result, "result");
    read.map(drop)
        .map_err(|error| deviation(format!("{}: {error}", shown(result.get())), "a value of the protocol"))
}

/// Returns a value of the protocol for JSON.
fn wire(value: &Value) -> Result<Box<RawValue>, String> {
    fn convert(value: &Value) -> plugin_protocol::Value {
        use plugin_protocol::Value as Wire;
        match value {
            Value::Null => Wire::Null,
            Value::Bool(it) => Wire::Bool(*it),
            Value::Number(it) => {
                it.as_i64().map_or_else(|| Wire::Float(it.as_f64().unwrap_or(f64::NAN)), Wire::Int)
            }
            Value::String(it) => Wire::String(it.clone()),
            Value::Array(items) => Wire::List(items.iter().map(convert).collect()),
            Value::Object(fields) => {
                Wire::Dict(fields.iter().map(|(key, it)| (key.clone(), convert(it))).collect())
            }
        }
    }
    convert(value).write("arguments").map_err(|it| it.to_string())
}
