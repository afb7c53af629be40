//! Texts that a question is about, in place of those on disk.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
}
