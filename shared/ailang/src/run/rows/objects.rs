//! Methods of objects, and JSON.

use dialect::{Failure, Function, Invocation, Value, show};

use super::row::pure;
use crate::run::halt::mistake;

pub(super) fn rows() -> Vec<Function> {
    vec![
        pure(
            "Object.entries(object: object) -> List<any>",
            "Lists the fields, a list of name and value each; Dialect maps over `keys`.",
            entries,
        ),
        pure("JSON.parse(text: string) -> any", "Reads JSON; in Dialect JSON is a program already.", |it| {
            let text = it.arguments.text("text")?;
            it.work.spend(text.len())?;
            let parsed: Result<serde_json::Value, _> = serde_json::from_str(text);
            Ok(parsed.map_err(|error| mistake(format!("this is no JSON: {error}")))?.into())
        }),
        pure(
            "JSON.stringify(value: any, replacer?: any, indent?: any) -> string",
            "Writes a value as JSON, texts in quotes and with an indent over several lines; Dialect's `toText` \
             leaves a text as it is.",
            stringify,
        ),
    ]
}

fn entries(invocation: &Invocation) -> Result<Value, Failure> {
    let fields = invocation.arguments.get("object").and_then(Value::fields);
    let fields = fields.ok_or_else(|| mistake("the fields of an object are listed"))?;
    let pairs = fields.iter().map(|(key, value)| vec![key.as_str().into(), value.clone()].into());
    Ok(pairs.collect::<Vec<Value>>().into())
}

fn stringify(invocation: &Invocation) -> Result<Value, Failure> {
    let value = invocation.arguments.get("value").unwrap_or(&Value::Null);
    invocation.work.check_room(value.bytes())?;
    Ok(match invocation.arguments.get("indent") {
        Some(Value::Number(_)) => format!("{:#}", value.to_json()).into(),
        _ => show(value).into(),
    })
}
