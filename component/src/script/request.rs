//! The arguments of a call of the tool.

use std::time::Duration;

use serde_json::{Map, Value};

use super::{EMBEDDED, LONGEST, MOST_OUTPUT, OUTPUT, SOURCE};

const EXAMPLE: &str =
    r#"Call it like this: {"code": "const refs = await ide.findReferences('User'); return refs.length"}"#;

/// The names of the arguments.
const NAMES: &[&str] = &["code", "args", "dry_run", "timeout_ms", "max_output", "runtime"];

/// The arguments of a call.
#[derive(Clone, Debug)]
pub(crate) struct ScriptRequest {
    pub(crate) code: String,
    pub(super) arguments: Value,
    pub(super) wall: Option<Duration>,
    pub(super) dry_run: bool,
    pub(super) max_output: usize,
    /// The name of an external runtime; `None` for the engine.
    pub(super) runtime: Option<String>,
}

impl ScriptRequest {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// The mistake, and the right call.
    pub(crate) fn read(arguments: Option<&Map<String, Value>>) -> Result<Self, String> {
        let empty = Map::new();
        let given = arguments.unwrap_or(&empty);
        let code = match given.get("code") {
            Some(Value::String(code)) => unfenced(code),
            Some(_) => return Err(format!("`code` must be a string that holds a program. {EXAMPLE}")),
            None => return Err(format!("The argument `code` is missing. {EXAMPLE}")),
        };
        if code.len() > SOURCE {
            let size = code.len() / 1024;
            return Err(format!(
                "The program has {size} KiB, and the limit is 256 KiB. Pass data as `args`, or read it."
            ));
        }
        // One that is not read could be the wish that nothing is written.
        if let Some(unknown) = given.keys().find(|it| !NAMES.contains(&it.as_str())) {
            return Err(format!("There is no argument `{unknown}`; there are: {}.", NAMES.join(", ")));
        }
        let wall = number(given, "timeout_ms")?.map(|it| Duration::from_millis(it.max(1)).min(LONGEST));
        let max_output =
            number(given, "max_output")?.map_or(OUTPUT, |it| usize::try_from(it).unwrap_or(OUTPUT));
        let dry_run = boolean(given, "dry_run")?;
        let arguments = data(&code, given.get("args"))?;
        let runtime = match given.get("runtime") {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) => Some(name.clone()).filter(|it| *it != EMBEDDED),
            Some(other) => return Err(format!("`runtime` must be the name of a runtime, got {other}.")),
        };
        let max_output = max_output.clamp(200, MOST_OUTPUT);
        Ok(Self { code, arguments, wall, dry_run, max_output, runtime })
    }
}

/// Returns a whole number; some models quote every argument.
fn number(given: &Map<String, Value>, name: &str) -> Result<Option<u64>, String> {
    match given.get(name).filter(|it| !it.is_null()) {
        None => Ok(None),
        Some(it) => {
            let read = it.as_u64().or_else(|| it.as_str()?.trim().parse().ok());
            read.map(Some).ok_or_else(|| format!("`{name}` must be a whole number, got {it}."))
        }
    }
}

fn boolean(given: &Map<String, Value>, name: &str) -> Result<bool, String> {
    match given.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(it)) => Ok(*it),
        Some(Value::String(it)) if it == "true" => Ok(true),
        Some(Value::String(it)) if it == "false" => Ok(false),
        Some(other) => Err(format!("`{name}` must be true or false, got {other}.")),
    }
}

/// Returns the program's data. Some models send an object or a list as a text that holds its JSON; that is read, unless
/// the program reads it.
fn data(code: &str, given: Option<&Value>) -> Result<Value, String> {
    let Some(Value::String(text)) = given else { return Ok(given.cloned().unwrap_or(Value::Null)) };
    let begins = text.trim_start();
    let is_like_json = ["{", "["].iter().any(|open| {
        let inside = begins.strip_prefix(open).map(str::trim_start);
        inside.is_some_and(|it| it.starts_with(['"', '{', '[', '}', ']', '\'']))
    });
    let parses = code.split("JSON.parse(").skip(1).any(|it| it.trim_start().starts_with("args"));
    match serde_json::from_str::<Value>(text) {
        _ if parses => Ok(Value::String(text.clone())),
        Ok(value @ (Value::Object(_) | Value::Array(_))) => Ok(value),
        Err(error) if is_like_json => {
            Err(format!("`args` is a text that holds no JSON: {error}. Send the data itself, not a text."))
        }
        _ => Ok(Value::String(text.clone())),
    }
}

/// Returns a program without the fences of Markdown around it.
fn unfenced(code: &str) -> String {
    let trimmed = code.trim();
    let inside = trimmed.strip_prefix("```").and_then(|it| it.strip_suffix("```"));
    match inside.and_then(|it| it.split_once('\n')) {
        Some((language, inside))
            if ["", "ts", "typescript", "js", "javascript"].contains(&language.trim()) =>
        {
            inside.to_owned()
        }
        _ => code.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(arguments: &Value) -> Result<ScriptRequest, String> {
        ScriptRequest::read(arguments.as_object())
    }

    #[test]
    fn data_reaches_a_program_as_it_is_meant() {
        let plain = "return args.id";
        let parsing = "return JSON.parse( args).id";
        for (code, given, expected) in [
            (plain, json!({"id": 1}), json!({"id": 1})),
            (plain, json!("{\"id\": 1}"), json!({"id": 1})),
            (plain, json!(" [1, {\"a\": null}]\n"), json!([1, {"a": null}])),
            (plain, json!("{}"), json!({})),
            (plain, json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_993_u64)),
            (parsing, json!("{\"id\": 1}"), json!("{\"id\": 1}")),
            // Texts are texts.
            (plain, json!("7"), json!("7")),
            (plain, json!("true"), json!("true")),
            (plain, json!("[x] done"), json!("[x] done")),
            (plain, json!("{name} is here"), json!("{name} is here")),
            (plain, json!(null), json!(null)),
        ] {
            assert_eq!(read(&json!({"code": code, "args": given})).unwrap().arguments, expected, "{given}");
        }
        for text in ["{\"id\": 1", "{'id': 1}", "[{\"a\": }]", "[\"a\", b]"] {
            let refused = read(&json!({"code": plain, "args": text})).unwrap_err();
            assert!(refused.contains("holds no JSON") && refused.contains("at line 1 column "), "{refused}");
        }
    }

    #[test]
    fn no_argument_is_passed_over() {
        let with = |name: &str, value: Value| read(&json!({"code": "1", name: value}));
        assert!(with("dry_run", json!("true")).unwrap().dry_run);
        assert!(!with("dry_run", json!("false")).unwrap().dry_run);
        for (name, value) in [
            ("dry_run", json!("yes")),
            ("dry_run", json!(1)),
            ("dryRun", json!(true)),
            ("arguments", json!({})),
            ("runtime", json!(1)),
            ("timeout_ms", json!(-1)),
            ("max_output", json!([])),
        ] {
            assert!(with(name, value.clone()).unwrap_err().contains(name), "{name} {value}");
        }
        assert!(with("timeout", json!(1)).unwrap_err().contains("timeout_ms"));
    }
}
