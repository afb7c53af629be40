//! Texts that a question is about, in place of those on disk.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::{ErrorCode, IdeError};

/// The field of a request with such texts, and of the capability that says that they are taken.
pub const UNSAVED_TEXTS: &str = "unsavedTexts";

/// The text that a file is to have, and has not on disk.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnsavedText {
    /// The file, its whole path. It may be missing on disk.
    pub path: String,
    /// The text.
    pub text: String,
}

impl UnsavedText {
    /// Takes the texts out of the params of a request.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn take(params: &mut Value) -> Result<Vec<Self>, IdeError> {
        let Some(texts) = params.as_object_mut().and_then(|it| it.remove(UNSAVED_TEXTS)) else {
            return Ok(Vec::new());
        };
        serde_json::from_value(texts).map_err(|error| {
            let message = format!("`{UNSAVED_TEXTS}` cannot be read: {error}");
            IdeError::new(ErrorCode::InvalidRequest, message)
        })
    }

    /// Puts texts into the params of a request, in place of those that are there of the same files.
    pub fn put(params: &mut Value, texts: &[Self]) {
        let own = params.get_mut(UNSAVED_TEXTS).and_then(Value::as_array_mut).map(std::mem::take);
        let others = own.into_iter().flatten();
        let others = others.filter(|own| !texts.iter().any(|it| own["path"] == it.path));
        let all: Vec<_> = others.chain(texts.iter().map(|it| json!(it))).collect();
        if !all.is_empty() {
            params[UNSAVED_TEXTS] = all.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_taken_out_of_the_params() {
        let mut params = json!({"path": "a.rs", "unsavedTexts": [{"path": "b.rs", "text": "x"}]});
        let texts = vec![UnsavedText { path: "b.rs".to_owned(), text: "x".to_owned() }];
        assert_eq!(UnsavedText::take(&mut params), Ok(texts));
        assert_eq!(params, json!({"path": "a.rs"}));
        assert_eq!(UnsavedText::take(&mut params), Ok(Vec::new()));
        let refused = UnsavedText::take(&mut json!({"unsavedTexts": [1]})).unwrap_err();
        assert!(refused.message.starts_with("`unsavedTexts` cannot be read: "), "{}", refused.message);
    }

    #[test]
    fn texts_of_the_same_file_are_replaced() {
        let text = |path: &str, text: &str| UnsavedText { path: path.to_owned(), text: text.to_owned() };
        let mut params = json!({"path": "a.rs"});
        UnsavedText::put(&mut params, &[]);
        assert_eq!(params, json!({"path": "a.rs"}));
        UnsavedText::put(&mut params, &[text("a", "1"), text("b", "1")]);
        UnsavedText::put(&mut params, &[text("b", "2")]);
        assert_eq!(UnsavedText::take(&mut params), Ok(vec![text("a", "1"), text("b", "2")]));
    }
}
