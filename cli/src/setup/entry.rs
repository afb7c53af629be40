//! Entries in settings of others, which keep their comments and their formatting.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;
use toml_edit::{DocumentMut, Item, Table};

use super::clients::Format;

/// Returns the text of settings in which the keys `at` have that value.
///
/// # Errors
/// The text is not in the format, or one of the keys has a value that is not a table.
pub(super) fn set(format: Format, text: &str, at: &[String], value: &Value) -> Result<String, String> {
    match format {
        Format::Json => set_json(text, at, value),
        Format::Toml => set_toml(text, at, value),
    }
}

/// Returns the text of settings without the keys `at`; `None` if they are not there.
///
/// # Errors
/// The text is not in the format.
pub(super) fn removed(format: Format, text: &str, at: &[String]) -> Result<Option<String>, String> {
    let Some((last, parents)) = at.split_last() else { return Ok(None) };
    match format {
        Format::Json => {
            let root = read_json(text)?;
            let mut object = root.object_value();
            for key in parents {
                object = object.and_then(|it| it.object_value(key));
            }
            let Some(property) = object.and_then(|it| it.get(last)) else { return Ok(None) };
            property.remove();
            Ok(Some(root.to_string()))
        }
        Format::Toml => {
            let mut document = read_toml(text)?;
            let mut table = Some(document.as_table_mut() as &mut dyn toml_edit::TableLike);
            for key in parents {
                table = table.and_then(|it| it.get_mut(key)).and_then(Item::as_table_like_mut);
            }
            let gone = table.and_then(|it| it.remove(last));
            Ok(gone.map(|_| document.to_string()))
        }
    }
}

fn read_json(text: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| format!("it is not JSON: {error}"))
}

fn set_json(text: &str, at: &[String], value: &Value) -> Result<String, String> {
    let root = read_json(text)?;
    let no_table = |what: &str| format!("{what} is not an object");
    let mut object = root.object_value_or_create().ok_or_else(|| no_table("the whole file"))?;
    let (last, parents) = at.split_last().expect("an entry has a key");
    for key in parents {
        object = object.object_value_or_create(key).ok_or_else(|| no_table(&format!("`{key}`")))?;
    }
    set_property(&object, last, json_input(value));
    let written = root.to_string();
    Ok(if text.trim().is_empty() { written.trim_end().to_owned() + "\n" } else { written })
}

fn set_property(object: &CstObject, key: &str, value: CstInputValue) {
    match object.get(key) {
        Some(property) => property.set_value(value),
        None => drop(object.append(key, value)),
    }
}

fn json_input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(is_so) => CstInputValue::Bool(*is_so),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(json_input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(key, it)| (key.clone(), json_input(it))).collect())
        }
    }
}

fn read_toml(text: &str) -> Result<DocumentMut, String> {
    text.parse::<DocumentMut>().map_err(|error| format!("it is not TOML: {error}"))
}

fn set_toml(text: &str, at: &[String], value: &Value) -> Result<String, String> {
    let mut document = read_toml(text)?;
    let (last, parents) = at.split_last().expect("an entry has a key");
    let mut table = document.as_table_mut() as &mut dyn toml_edit::TableLike;
    for key in parents {
        let parent = table.entry(key).or_insert_with(|| {
            let mut parent = Table::new();
            parent.set_implicit(true); // only its own tables have headings
            Item::Table(parent)
        });
        table = parent.as_table_like_mut().ok_or_else(|| format!("`{key}` is not a table"))?;
    }
    table.insert(last, toml_item(value));
    Ok(document.to_string())
}

fn toml_item(value: &Value) -> Item {
    match value {
        Value::Object(fields) => {
            let mut table = Table::new();
            for (key, it) in fields {
                table.insert(key, toml_item(it));
            }
            Item::Table(table)
        }
        other => Item::Value(toml_value(other)),
    }
}

fn toml_value(value: &Value) -> toml_edit::Value {
    match value {
        Value::Bool(is_so) => (*is_so).into(),
        Value::Number(number) => number.as_i64().unwrap_or_default().into(),
        Value::Array(items) => toml_edit::Value::Array(items.iter().map(toml_value).collect()),
        other => other.as_str().unwrap_or_default().into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(keys: &[&str]) -> Vec<String> {
        keys.iter().map(|it| (*it).to_owned()).collect()
    }

    #[test]
    fn comments_and_formatting_stay() {
        let entry = json!({"command": "dialect", "args": ["mcp"]});
        for (format, keys, before, expected) in [
            (
                Format::Json,
                ["mcpServers", "dialect"],
                "{\n  // mine\n  \"theme\": \"dark\", /* and this */\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"},\n  },\n}\n",
                "{\n  // mine\n  \"theme\": \"dark\", /* and this */\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"},\n    \"dialect\": {\n      \"command\": \"dialect\",\n      \"args\": [\"mcp\"],\n    },\n  },\n}\n",
            ),
            (
                Format::Json,
                ["mcpServers", "dialect"],
                "",
                "{\n  \"mcpServers\": {\n    \"dialect\": {\n      \"command\": \"dialect\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
            ),
            (
                Format::Toml,
                ["mcp_servers", "dialect"],
                "# mine\nmodel = 'x' # and this\n\n[mcp_servers.other]\ncommand = \"y\"\n",
                "# mine\nmodel = 'x' # and this\n\n[mcp_servers.other]\ncommand = \"y\"\n\n[mcp_servers.dialect]\ncommand = \"dialect\"\nargs = [\"mcp\"]\n",
            ),
        ] {
            let written = set(format, before, &at(&keys), &entry).unwrap();
            assert_eq!(written, expected);
            let again = set(format, &written, &at(&keys), &entry).unwrap();
            assert_eq!(again, written);
            let gone = removed(format, &written, &at(&keys)).unwrap().unwrap();
            assert_eq!(removed(format, &gone, &at(&keys)), Ok(None));
        }
    }

    #[test]
    fn what_is_no_table_is_refused() {
        let entry = json!({"command": "dialect"});
        for (format, text) in [
            (Format::Json, "[1]"),
            (Format::Json, "{\"mcp\": 1}"),
            (Format::Json, "{"),
            (Format::Toml, "mcp = 1"),
            (Format::Toml, "= 1"),
        ] {
            assert!(set(format, text, &at(&["mcp", "dialect"]), &entry).is_err(), "{text}");
        }
    }
}
