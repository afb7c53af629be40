//! Tables of values.

use plugin_protocol::Value;
use serde_json::Value as Json;
use serde_json::value::RawValue;

use crate::show;

pub(crate) fn run(write: &[(Json, Json)], read: &[(Json, String)]) -> Result<(), String> {
    for (short, expected) in write {
        let written = show::parse(short)?.write("args[0]").map_err(|it| it.to_string());
        let actual = written.map_or_else(|error| error, |it| it.get().to_owned());
        let expected = match expected {
            Json::String(error) => error.clone(),
            json => json.to_string(),
        };
        crate::same(&format!("{short} is sent as"), &[actual], &[expected])?;
    }
    for (json, expected) in read {
        let text = match json {
            Json::String(raw) => raw.clone(),
            json => json.to_string(),
        };
        let raw = RawValue::from_string(text.clone()).map_err(|it| it.to_string())?;
        let read = Value::read(&raw, "result");
        let actual = read.map_or_else(|error| error.to_string(), |it| show::value(&it));
        crate::same(&format!("{text} is read as"), &[actual], std::slice::from_ref(expected))?;
    }
    Ok(())
}
