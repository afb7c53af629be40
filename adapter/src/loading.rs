//! Shows the user in the editor what requests wait for, with one tool call for each session.
//!
//! It appears after a delay, follows the progress, and completes with the last waiting request. The tool call
//! is our own, because the id of the agent's call is not known here.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};
use source_text::visible_line;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use unpoisoned::lock;

/// The prefix of the ids of these tool calls.
pub(crate) const CALL: &str = "dialect-loading-";

/// The shortest time between two updates of a tool call.
const PACE: Duration = Duration::from_secs(1);

/// A callback that sends a `session/update` to the editor.
pub(crate) type SendUpdate = Arc<dyn Fn(Value) + Send + Sync>;

/// The tool calls of one connection.
#[derive(Debug)]
pub(crate) struct Loading {
    /// The delay before the user sees that a request waits.
    patience: Duration,
    entries: Mutex<HashMap<String, LoadingEntry>>,
    count: AtomicU64,
}

#[derive(Debug)]
struct LoadingEntry {
    id: String,
    title: String,
    since: Instant,
    /// The number of requests that wait in this session.
    waiting: usize,
}

/// A session of the editor, with its version of ACP.
#[derive(Clone)]
pub(crate) struct EditorSession {
    pub(crate) version: u64,
    pub(crate) session: String,
    pub(crate) tell: SendUpdate,
}

/// One request, which may have to wait.
pub(crate) struct QuestionWait {
    loading: Arc<Loading>,
    place: EditorSession,
    step: watch::Sender<Option<String>>,
}

/// A guard for a request whose wait is shown.
struct VisibleWait<'a>(&'a QuestionWait);

impl Loading {
    pub(crate) fn new(patience: Duration) -> Arc<Self> {
        Arc::new(Self { patience, entries: Mutex::default(), count: AtomicU64::default() })
    }

    /// Registers a request that may have to wait.
    pub(crate) fn begin_question(self: &Arc<Self>, place: EditorSession) -> Arc<QuestionWait> {
        Arc::new(QuestionWait { loading: Arc::clone(self), place, step: watch::Sender::new(None) })
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<String, LoadingEntry>> {
        lock(&self.entries)
    }

    fn enter(&self, place: &EditorSession, title: &str) {
        let mut entries = self.entries();
        if let Some(entry) = entries.get_mut(&place.session) {
            entry.waiting += 1;
            return;
        }
        let id = format!("{CALL}{}", self.count.fetch_add(1, Ordering::Relaxed) + 1);
        let kind = if place.version < 2 { "tool_call" } else { "tool_call_update" };
        place.update(json!({
            "sessionUpdate": kind, "toolCallId": id, "title": title, "kind": "other", "status": "in_progress",
        }));
        let entry = LoadingEntry { id, title: title.to_owned(), since: Instant::now(), waiting: 1 };
        entries.insert(place.session.clone(), entry);
    }

    fn change(&self, place: &EditorSession, title: &str) {
        let mut entries = self.entries();
        let Some(entry) = entries.get_mut(&place.session).filter(|it| it.title != title) else { return };
        title.clone_into(&mut entry.title);
        place.update(json!({"sessionUpdate": "tool_call_update", "toolCallId": entry.id, "title": title}));
    }

    fn leave(&self, place: &EditorSession) {
        let mut entries = self.entries();
        let Some(entry) = entries.get_mut(&place.session) else { return };
        entry.waiting -= 1;
        if entry.waiting > 0 {
            return;
        }
        let LoadingEntry { id, title, since, .. } = entry;
        let what = title.split_once(':').map_or(title.as_str(), |(server, _)| server);
        let title = format!("Waited {} s for {what}", since.elapsed().as_secs());
        place.update(json!({
            "sessionUpdate": "tool_call_update", "toolCallId": id, "title": title, "status": "completed",
        }));
        entries.remove(&place.session);
    }
}

impl EditorSession {
    fn update(&self, mut update: Value) {
        if let Some(Value::String(title)) = update.get_mut("title") {
            *title = visible_line(title, usize::MAX); // of a language server
        }
        (self.tell)(json!({"sessionId": self.session, "update": update}));
    }
}

impl QuestionWait {
    /// Sets the step of progress that the request waits for.
    pub(crate) fn step(&self, message: &str, percentage: Option<u32>) {
        let percentage = percentage.filter(|_| !message.contains('%'));
        let title = percentage.map_or_else(|| message.to_owned(), |it| format!("{message} ({it} %)"));
        self.step.send_replace(Some(title));
    }

    /// Shows what the request waits for after a delay, until this future is dropped.
    pub(crate) async fn show(&self) -> Infallible {
        let mut steps = self.step.subscribe();
        let title = |it: &Option<String>| it.clone().expect("a step is never taken back");
        drop(steps.wait_for(Option::is_some).await); // it fails only when the sender, which is ours, is gone
        sleep(self.loading.patience).await;
        self.loading.enter(&self.place, &title(&steps.borrow_and_update()));
        let _shown = VisibleWait(self);
        loop {
            sleep(PACE).await;
            let _sender_is_ours = steps.changed().await;
            self.loading.change(&self.place, &title(&steps.borrow_and_update()));
        }
    }
}

impl Drop for VisibleWait<'_> {
    fn drop(&mut self) {
        self.0.loading.leave(&self.0.place);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use tokio::time::timeout;

    use super::*;

    /// Returns an editor's session and the updates it received, each with the seconds since the start.
    fn place(version: u64) -> (EditorSession, Arc<Mutex<Vec<String>>>) {
        let (started, updates) = (Instant::now(), Arc::new(Mutex::new(Vec::new())));
        let heard = Arc::clone(&updates);
        let tell = Arc::new(move |it: Value| {
            let update = &it["update"];
            let words = ["sessionUpdate", "toolCallId", "title", "status"].map(|key| update[key].as_str());
            let words: Vec<_> = words.into_iter().flatten().collect();
            let line = format!("{} s: {}", started.elapsed().as_secs(), words.join(" | "));
            lock(&heard).push(line);
        });
        (EditorSession { version, session: "s".into(), tell }, updates)
    }

    fn check(updates: &Mutex<Vec<String>>, expected: Expect) {
        expected.assert_eq(&lock(updates).join("\n"));
    }

    const PATIENCE: Duration = Duration::from_secs(5);

    async fn wait_for(wait: &QuestionWait, seconds: f64) {
        let shown = timeout(Duration::from_secs_f64(seconds), wait.show());
        assert!(shown.await.is_err(), "it is shown until it is dropped");
    }

    #[tokio::test(start_paused = true)]
    async fn a_short_wait_is_not_shown() {
        let ((place, updates), loading) = (place(1), Loading::new(PATIENCE));
        let wait = loading.begin_question(place.clone());
        wait.step("rust-analyzer: starting", None);
        wait_for(&wait, 4.0).await;
        wait_for(&loading.begin_question(place), 60.0).await; // nor one that is never told of
        check(&updates, expect![""]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_one_is_shown_and_changes_at_most_once_a_second() {
        let ((place, updates), loading) = (place(1), Loading::new(PATIENCE));
        let wait = loading.begin_question(place);
        let working = async {
            for percent in 0..100 {
                wait.step("rust-analyzer: indexing", Some(percent));
                sleep(Duration::from_millis(130)).await; // never at the same moment as the entry changes
            }
        };
        let _both = tokio::join!(working, wait_for(&wait, 8.5));
        check(
            &updates,
            expect![[r#"
                5 s: tool_call | dialect-loading-1 | rust-analyzer: indexing (38 %) | in_progress
                6 s: tool_call_update | dialect-loading-1 | rust-analyzer: indexing (46 %)
                7 s: tool_call_update | dialect-loading-1 | rust-analyzer: indexing (53 %)
                8 s: tool_call_update | dialect-loading-1 | rust-analyzer: indexing (61 %)
                8 s: tool_call_update | dialect-loading-1 | Waited 3 s for rust-analyzer | completed"#]],
        );
    }

    #[tokio::test(start_paused = true)]
    async fn questions_of_a_session_share_an_entry() {
        let ((place, updates), loading) = (place(2), Loading::new(PATIENCE));
        let waits = [loading.begin_question(place.clone()), loading.begin_question(place)];
        waits.iter().for_each(|it| it.step("ty: loading the project", None));
        let _both = tokio::join!(wait_for(&waits[0], 8.0), wait_for(&waits[1], 20.0));
        check(
            &updates,
            expect![[r#"
                5 s: tool_call_update | dialect-loading-1 | ty: loading the project | in_progress
                20 s: tool_call_update | dialect-loading-1 | Waited 15 s for ty | completed"#]],
        );
    }
}
