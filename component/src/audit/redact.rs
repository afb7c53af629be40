//! The redaction of recorded arguments: enough to see what was done, and no secrets.

use serde_json::{Map, Value};
use source_text::shorten_with_size;

/// The maximum number of characters of a text. The next constant limits lists and objects.
const TEXT: usize = 200;
const ELEMENTS: usize = 20;

/// Returns the arguments without secrets, with long texts and lists cut.
pub(crate) fn redacted(value: &Value) -> Value {
    match value {
        Value::String(text) => shorten_with_size(text, TEXT).into(),
        Value::Array(items) => items.iter().take(ELEMENTS).map(redacted).collect(),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| match is_secret(key) {
                true => (key.clone(), Value::from("<redacted>")),
                false => (key.clone(), redacted(value)),
            };
            Value::Object(fields.iter().take(ELEMENTS).map(field).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

fn is_secret(key: &str) -> bool {
    let key: String = key.to_lowercase().chars().filter(|it| it.is_alphanumeric()).collect();
    let words = ["token", "password", "passphrase", "secret", "credential"];
    words.iter().any(|it| key.contains(it)) || key.ends_with("key")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_left_out_wherever_they_stand() {
        let given =
            json!({"path": "a", "apiKey": "k", "nested": [{"access_token": {"a": 1}, "keyboard": 1}]});
        let expected = json!({
            "path": "a", "apiKey": "<redacted>",
            "nested": [{"access_token": "<redacted>", "keyboard": 1}],
        });
        assert_eq!(redacted(&given), expected);
    }

    #[test]
    fn long_things_are_cut() {
        let cut = redacted(&json!({"text": "ä".repeat(300), "list": vec![1; 100]}));
        assert!(cut["text"].as_str().unwrap().ends_with("ä… (600 bytes)"));
        assert_eq!(cut["list"].as_array().unwrap().len(), ELEMENTS);
    }
}
