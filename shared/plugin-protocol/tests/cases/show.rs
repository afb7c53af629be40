//! Values and events in short.

use std::collections::BTreeMap;

use plugin_protocol::methods::{Arguments, HostCall};
use plugin_protocol::{Remote, Value};
use serde_json::Value as Json;

/// Returns a value in short: 3 is an integer and 3.0 a float.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(it) => it.to_string(),
        Value::Int(it) => it.to_string(),
        Value::Float(it) => format!("{it:?}"),
        Value::String(it) => format!("{it:?}"),
        Value::List(items) => format!("[{}]", items.iter().map(self::value).collect::<Vec<_>>().join(", ")),
        Value::Dict(entries) => format!("{{{}}}", named(entries)),
        Value::Callback(id) => format!("<{id}>"),
        Value::Remote(Remote { library, class, id }) => format!("<{library}.{class} {id}>"),
    }
}

fn named(entries: &BTreeMap<String, Value>) -> String {
    let one = |(key, it): (&String, &Value)| format!("{key}: {}", value(it));
    entries.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Returns arguments in short.
pub(crate) fn arguments(arguments: &Arguments) -> String {
    let mut shown: Vec<_> = arguments.args.iter().map(value).collect();
    shown.extend(Some(named(&arguments.kwargs)).filter(|it| !it.is_empty()));
    format!("({})", shown.join(", "))
}

/// Returns a call in short.
pub(crate) fn call(call: &HostCall) -> String {
    match call {
        HostCall::Handshake(it) => format!("handshake {} {}", it.protocol, it.host_version),
        HostCall::Function { name, arguments: it } => format!("{name}{}", arguments(it)),
        HostCall::New { class, arguments: it } => format!("new {class}{}", arguments(it)),
        HostCall::Method { object_id, method, arguments: it } => {
            format!("{object_id}.{method}{}", arguments(it))
        }
        HostCall::Destroy { object_id } => format!("destroy {object_id}"),
        HostCall::Shutdown => "shutdown".to_owned(),
        HostCall::Environment => "environment".to_owned(),
    }
}

/// Returns the value of its short form: plain JSON, and objects such as `{"$nan": 0}` for what JSON has not.
pub(crate) fn parse(json: &Json) -> Result<Value, String> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(it) => Value::Bool(*it),
        Json::Number(it) => match it.as_i64() {
            Some(it) => Value::Int(it),
            None => Value::Float(it.as_f64().ok_or("a number")?),
        },
        Json::String(it) => Value::String(it.clone()),
        Json::Array(items) => Value::List(items.iter().map(parse).collect::<Result<_, _>>()?),
        Json::Object(object) => match object.iter().next() {
            Some((key, _)) if key == "$nan" => Value::Float(f64::NAN),
            Some((key, _)) if key == "$inf" => Value::Float(f64::INFINITY),
            Some((key, Json::String(id))) if key == "$callback" => Value::Callback(id.clone()),
            Some((key, Json::Array(parts))) if key == "$remote" => {
                let part = |at: usize| parts[at].as_str().unwrap_or_default().to_owned();
                Value::Remote(Remote { library: part(0), class: part(1), id: part(2) })
            }
            _ => {
                let entry = |(key, it): (&String, &Json)| Ok((key.clone(), parse(it)?));
                Value::Dict(object.iter().map(entry).collect::<Result<_, String>>()?)
            }
        },
    })
}
