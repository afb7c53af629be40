//! How far a question has come: for whoever asked it, and for the user who looks at the editor meanwhile.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use agent_client_protocol::{Agent, UntypedMessage};
use ide_protocol::{PROGRESS_METHOD, Progress};
use serde_json::Value;

use super::{Connection, Cx, update_editor};
use crate::fallback::OnProgress;
use crate::loading::{Place, Wait};
use crate::sessions::session_of;

/// A question of that session begins; what the user sees of its wait.
pub(super) fn wait(connection: &Connection, params: &Value, cx: &Cx) -> Arc<Wait> {
    let version = connection.version.load(Ordering::Relaxed);
    let (session, cx) = (session_of(params).unwrap_or_default(), cx.clone());
    let tell = Arc::new(move |update| {
        if let Err(error) = update_editor(&cx, update) {
            tracing::debug!(?error, "the editor is gone");
        }
    });
    connection.loading.question(Place { version, session, tell })
}

/// Where each step goes: to whoever asked, if it wants to hear, and to the user.
pub(super) fn on_progress(params: &Value, wait: &Arc<Wait>, cx: &Cx) -> OnProgress {
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
        tracing::debug!(?error, "nobody hears progress");
    }
}
