//! Progress of a request, for the agent that sent it and for the user who waits.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use agent_client_protocol::{Agent, UntypedMessage};
use ide_protocol::{PROGRESS_METHOD, Progress};
use serde_json::Value;

use super::connection::{Connection, Cx, update_editor};
use crate::fallback::OnProgress;
use crate::loading::{EditorSession, QuestionWait};
use crate::sessions::session_of;

/// Creates the entry that shows the user what a request waits for.
pub(super) fn wait(connection: &Connection, params: &Value, cx: &Cx) -> Arc<QuestionWait> {
    let version = connection.version.load(Ordering::Relaxed);
    // A request without a session fails before its wait would be shown.
    let (session, cx) = (session_of(params).unwrap_or_default(), cx.clone());
    let tell = Arc::new(move |update| {
        if let Err(error) = update_editor(&cx, update) {
            tracing::debug!(?error, "the editor has disconnected");
        }
    });
    connection.loading.begin_question(EditorSession { version, session, tell })
}

/// Returns the callback for progress: it informs the agent, if it sent a token, and the user.
pub(super) fn on_progress(params: &Value, wait: &Arc<QuestionWait>, cx: &Cx) -> OnProgress {
    let token = params.get("progressToken").and_then(Value::as_str).map(str::to_owned);
    let asker = token.zip(session_of(params));
    let (wait, cx) = (Arc::clone(wait), cx.clone());
    Box::new(move |message, percentage| {
        wait.step(&message, percentage);
        if let Some((progress_token, session_id)) = asker.clone() {
            tell_agent(&cx, Progress { session_id, progress_token, message, percentage });
        }
    })
}

fn tell_agent(cx: &Cx, progress: Progress) {
    let sent = UntypedMessage::new(PROGRESS_METHOD, progress)
        .and_then(|notification| cx.send_notification_to(Agent, notification));
    if let Err(error) = sent {
        tracing::debug!(?error, "progress could not be sent");
    }
}
