//! What questions wait for, as the user sees it in the editor: one entry a session in the list of what is going on. It
//! comes when a wait takes long, changes with what is told, and ends with the last question that waits.
//!
//! It is an entry of our own: the agent's call, which waits, has an id that nobody but agent and editor know.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use crate::lock::lock;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// What the ids of these entries begin with.
pub(crate) const CALL: &str = "dialect-loading-";

/// The entry changes at most this often.
const PACE: Duration = Duration::from_secs(1);

/// Sends a `session/update` to the editor.
pub(crate) type Tell = Arc<dyn Fn(Value) + Send + Sync>;

/// The entries of one connection.
#[derive(Debug)]
pub(crate) struct Loading {
    /// How long a question waits before the user is shown what for.
    patience: Duration,
    entries: Mutex<HashMap<String, Entry>>,
    count: AtomicU64,
}

#[derive(Debug)]
struct Entry {
    id: String,
    title: String,
    since: Instant,
    /// How many questions wait for what it shows.
    waiting: usize,
}

/// The editor's session, in its version of ACP.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) version: u64,
    pub(crate) session: String,
    pub(crate) tell: Tell,
}

/// One question, which may have to wait.
pub(crate) struct Wait {
    loading: Arc<Loading>,
    place: Place,
    step: watch::Sender<Option<String>>,
}

/// A question whose wait is shown.
struct Shown<'a>(&'a Wait);

impl Loading {
    pub(crate) fn new(patience: Duration) -> Arc<Self> {
        Arc::new(Self { patience, entries: Mutex::default(), count: AtomicU64::default() })
    }

    /// A question begins, and may have to wait.
    pub(crate) fn question(self: &Arc<Self>, place: Place) -> Arc<Wait> {
        Arc::new(Wait { loading: Arc::clone(self), place, step: watch::Sender::new(None) })
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        lock(&self.entries)
    }

    fn enter(&self, place: &Place, title: &str) {
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
        let entry = Entry { id, title: title.to_owned(), since: Instant::now(), waiting: 1 };
        entries.insert(place.session.clone(), entry);
    }

    fn change(&self, place: &Place, title: &str) {
        let mut entries = self.entries();
        let Some(entry) = entries.get_mut(&place.session).filter(|it| it.title != title) else { return };
        title.clone_into(&mut entry.title);
        place.update(json!({"sessionUpdate": "tool_call_update", "toolCallId": entry.id, "title": title}));
    }

    fn leave(&self, place: &Place) {
        let mut entries = self.entries();
        let Some(entry) = entries.get_mut(&place.session) else { return };
        entry.waiting -= 1;
        if entry.waiting > 0 {
            return;
        }
        let Entry { id, title, since, .. } = entry;
        let what = title.split_once(':').map_or(title.as_str(), |(server, _)| server);
        let title = format!("Waited {} s for {what}", since.elapsed().as_secs());
        place.update(json!({
            "sessionUpdate": "tool_call_update", "toolCallId": id, "title": title, "status": "completed",
        }));
        entries.remove(&place.session);
    }
}

impl Place {
    fn update(&self, update: Value) {
        (self.tell)(json!({"sessionId": self.session, "update": update}));
    }
}

impl Wait {
    /// The question waits, and for what.
    pub(crate) fn step(&self, message: &str, percentage: Option<u32>) {
        let percentage = percentage.filter(|_| !message.contains('%'));
        let title = percentage.map_or_else(|| message.to_owned(), |it| format!("{message} ({it} %)"));
        self.step.send_replace(Some(title));
    }

    /// Shows what the question waits for, if that takes long; until this is dropped.
    pub(crate) async fn show(&self) -> Infallible {
        let mut steps = self.step.subscribe();
        let title = |it: &Option<String>| it.clone().unwrap_or_default();
        drop(steps.wait_for(Option::is_some).await); // it fails only when the sender, which is ours, is gone
        sleep(self.loading.patience).await;
        self.loading.enter(&self.place, &title(&steps.borrow_and_update()));
        let _shown = Shown(self);
        loop {
            sleep(PACE).await;
            let _sender_is_ours = steps.changed().await;
            self.loading.change(&self.place, &title(&steps.borrow_and_update()));
        }
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        self.0.loading.leave(&self.0.place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use tokio::time::timeout;

    /// An editor's session, and what it was told: seconds, and the update in short.
    fn place(version: u64) -> (Place, Arc<Mutex<Vec<String>>>) {
        let (started, told) = (Instant::now(), Arc::new(Mutex::new(Vec::new())));
        let heard = Arc::clone(&told);
        let tell = Arc::new(move |it: Value| {
            let update = &it["update"];
            let words = ["sessionUpdate", "toolCallId", "title", "status"].map(|key| update[key].as_str());
            let words: Vec<_> = words.into_iter().flatten().collect();
            let line = format!("{} s: {}", started.elapsed().as_secs(), words.join(" | "));
            lock(&heard).push(line);
        });
        (Place { version, session: "s".into(), tell }, told)
    }

    fn check(told: &Mutex<Vec<String>>, expected: Expect) {
        expected.assert_eq(&lock(told).join("\n"));
    }

    const PATIENCE: Duration = Duration::from_secs(5);

    async fn wait_for(wait: &Wait, seconds: f64) {
        let shown = timeout(Duration::from_secs_f64(seconds), wait.show());
        assert!(shown.await.is_err(), "it is shown until it is dropped");
    }

    #[tokio::test(start_paused = true)]
    async fn a_short_wait_is_not_shown() {
        let ((place, told), loading) = (place(1), Loading::new(PATIENCE));
        let wait = loading.question(place.clone());
        wait.step("rust-analyzer: starting", None);
        wait_for(&wait, 4.0).await;
        wait_for(&loading.question(place), 60.0).await; // nor one that is never told of
        check(&told, expect![""]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_one_is_shown_and_changes_at_most_once_a_second() {
        let ((place, told), loading) = (place(1), Loading::new(PATIENCE));
        let wait = loading.question(place);
        let working = async {
            for percent in 0..100 {
                wait.step("rust-analyzer: indexing", Some(percent));
                sleep(Duration::from_millis(130)).await; // never at the same moment as the entry changes
            }
        };
        let _both = tokio::join!(working, wait_for(&wait, 8.5));
        check(
            &told,
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
        let ((place, told), loading) = (place(2), Loading::new(PATIENCE));
        let waits = [loading.question(place.clone()), loading.question(place)];
        waits.iter().for_each(|it| it.step("ty: loading the project", None));
        let _both = tokio::join!(wait_for(&waits[0], 8.0), wait_for(&waits[1], 20.0));
        check(
            &told,
            expect![[r#"
                5 s: tool_call_update | dialect-loading-1 | ty: loading the project | in_progress
                20 s: tool_call_update | dialect-loading-1 | Waited 15 s for ty | completed"#]],
        );
    }
}
