//! Runs one program, and says what it came to.

use std::sync::Arc;

use crate::tool::Answer;
use crate::upstream::Asker;

/// The tool's description.
pub(crate) fn description() -> String {
    "Use instead of grep, find and reading whole files.".to_owned()
}

/// Runs the program; its questions go through the asker.
pub(crate) async fn interpret(program: String, asker: Arc<Asker>) -> Answer {
    let request = serde_json::json!({"target": {"name": program}});
    match asker.ask::<_, serde_json::Value>(ide_protocol::Operation::Definitions, &request).await {
        Ok(value) => Answer { blocks: vec![value.to_string()], is_error: false },
        Err(error) => Answer::failure(format!("{error} {}", error.recovery.as_deref().unwrap_or_default())),
    }
}
