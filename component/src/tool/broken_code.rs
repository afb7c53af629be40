//! The errors that an agent's edits brought. They are looked for between its calls, so that the next answer can name them
//! without waiting.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ide_library::{broken_line, broken_since_prompt};
use ide_protocol::Diagnostic;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use crate::acp::upstream::{TimeLimits, Upstream};
use crate::session::Attachment;
use unpoisoned::lock;

/// The time that a look may take.
const LOOK: Duration = Duration::from_secs(120);

/// The looks for errors in all sessions of a connection, by the sessions' ids.
#[derive(Default)]
pub(crate) struct BrokenCode(Mutex<HashMap<String, Arc<Looks>>>);

/// The looks for errors in one session.
#[derive(Default)]
struct Looks(Mutex<State>);

#[derive(Default)]
struct State {
    /// The present look. It ends when this is dropped.
    looking: Option<AbortOnDropHandle<()>>,
    /// The errors that the last look has found, and no answer has named.
    found: Vec<Diagnostic>,
    /// The errors that answers have named, and that are still there: by file, rule and words.
    told: HashSet<Told>,
}

type Told = (String, Option<String>, String);

impl BrokenCode {
    /// Looks for errors in the background, if the agent has made edits since the last look. The answering side has to take
    /// texts that are not on disk.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub(crate) fn look(&self, upstream: &Arc<Upstream>, session: &str, attachment: &Attachment) {
        if !upstream.may_compare() {
            return;
        }
        // Edits that are made while it looks are counted, and need another look.
        let Some(edits) = upstream.unseen_edits(session) else { return };
        let looks = Arc::clone(lock(&self.0).entry(session.to_owned()).or_default());
        let limits = TimeLimits { deadline: Instant::now() + LOOK, wait: Some(Duration::ZERO) };
        let (steps, _nobody_hears) = unbounded_channel();
        let client = upstream.call_client(session.to_owned(), attachment.selected(), limits, steps);
        let (upstream, session, found_by) = (Arc::clone(upstream), session.to_owned(), Arc::clone(&looks));
        let looking = tokio::spawn(async move {
            if let Some(found) = broken_since_prompt(Arc::new(client)).await {
                upstream.edits_seen(&session, edits);
                lock(&found_by.0).found_all(found);
            }
        });
        lock(&looks.0).looking = Some(AbortOnDropHandle::new(looking));
    }

    /// Ends the present look, since it could delay a call. An unfinished one is begun again after the call.
    pub(crate) fn pause(&self, session: &str) {
        if let Some(looks) = lock(&self.0).get(session) {
            lock(&looks.0).looking = None;
        }
    }

    /// Takes the line about errors that no answer has named yet.
    pub(crate) fn take_line(&self, session: &str) -> Option<String> {
        let looks = lock(&self.0).get(session).cloned()?;
        lock(&looks.0).take_line()
    }

    /// Forgets a session that has ended.
    pub(crate) fn session_ends(&self, session: &str) {
        lock(&self.0).remove(session);
    }
}

impl State {
    /// Takes the errors of a look. Those that were named already are left out while they stay.
    fn found_all(&mut self, found: Vec<Diagnostic>) {
        let there: HashSet<_> = found.iter().map(told).collect();
        self.told.retain(|it| there.contains(it));
        self.found = found.into_iter().filter(|it| !self.told.contains(&told(it))).collect();
    }

    fn take_line(&mut self) -> Option<String> {
        let found = std::mem::take(&mut self.found);
        self.told.extend(found.iter().map(told));
        broken_line(&found)
    }
}

fn told(it: &Diagnostic) -> Told {
    (it.path.clone(), it.code.clone(), it.message.clone())
}

#[cfg(test)]
mod tests {
    use std::sync::Weak;

    use futures::future::BoxFuture;
    use ide_protocol::{Column, Line, Point, Severity, Support};
    use serde_json::{Value, json};

    use super::*;
    use crate::acp::upstream::{ClientLink, RequestError};
    use crate::session::Attachments;

    fn error(message: &str) -> Diagnostic {
        let at = Point { line: Line::FIRST, column: Column::FIRST };
        let (severity, message, path) = (Severity::Error, message.to_owned(), "a.rs".to_owned());
        Diagnostic { severity, message, code: None, source: None, path, start: at, end: at }
    }

    /// A client whose agent has put an error into the one file, and a file elsewhere that had one before.
    #[derive(Default)]
    struct Broken {
        /// The way to an edit while the client is asked, if the agent makes one.
        edits_meanwhile: Mutex<Option<Weak<Upstream>>>,
    }

    impl ClientLink for Broken {
        fn request(&self, method: String, params: Value) -> BoxFuture<'static, Result<Value, RequestError>> {
            let edits = lock(&self.edits_meanwhile).take().and_then(|it| it.upgrade());
            edits.into_iter().for_each(|it| it.edits("s"));
            let answer = match method.as_str() {
                "_ide_operations/recentChanges" => {
                    json!({"files": [{"path": "a.rs", "before": "whole\n", "after": "new\nbroken\n"}]})
                }
                _ => {
                    let error = |path: &str, line: u32| {
                        let at = json!({"line": line, "column": 1});
                        json!({"severity": "error", "message": "no", "path": path, "start": at, "end": at})
                    };
                    let is_broken = params["unsavedTexts"][0]["text"] == "new\nbroken\n";
                    let here = is_broken.then(|| error("a.rs", 2));
                    let all: Vec<_> = here.into_iter().chain([error("b.rs", 1)]).collect();
                    json!({"files": 2, "diagnostics": all})
                }
            };
            let mut answer = answer;
            (answer["complete"], answer["source"]) = (json!(true), json!("test"));
            Box::pin(std::future::ready(Ok(answer)))
        }

        fn notify(&self, _: String, _: Value) {}
    }

    /// A session, and the client that its looks ask.
    struct Looked {
        client: Arc<Broken>,
        upstream: Arc<Upstream>,
        broken_code: BrokenCode,
        attachment: Arc<Attachment>,
    }

    impl Looked {
        fn new(support: Support) -> Self {
            let client = Arc::<Broken>::default();
            let upstream = Arc::new(Upstream::new(Arc::clone(&client) as _));
            upstream.offers(support);
            let attachment = Attachments::default().open("dialect".into(), Vec::new());
            Self { client, upstream, broken_code: BrokenCode::default(), attachment }
        }

        /// Looks to the end; false if there is nothing to look for.
        async fn look(&self) -> bool {
            self.broken_code.look(&self.upstream, "s", &self.attachment);
            let looking = lock(&self.broken_code.0).get("s").and_then(|it| lock(&it.0).looking.take());
            match looking {
                Some(looking) => looking.await.is_ok(),
                None => false,
            }
        }

        fn take_line(&self) -> Option<String> {
            self.broken_code.take_line("s")
        }
    }

    #[tokio::test]
    async fn the_line_comes_of_a_look_after_an_edit() {
        let session = Looked::new(Support::none());
        session.upstream.edits("s");
        assert!(!session.look().await, "the client takes no texts");
        session.upstream.offers(Support::full().with_unsaved_texts());
        assert!(session.look().await);
        assert_eq!(session.take_line().unwrap(), "Your edits broke something: a.rs:2:1: error: no");
        assert_eq!(session.take_line(), None);
        assert!(!session.look().await, "nothing was edited since");
        session.upstream.edits("s");
        assert!(session.look().await);
        assert_eq!(session.take_line(), None, "it was named already");
    }

    #[tokio::test]
    async fn an_edit_during_a_look_is_looked_for_next() {
        let session = Looked::new(Support::full().with_unsaved_texts());
        session.upstream.edits("s");
        *lock(&session.client.edits_meanwhile) = Some(Arc::downgrade(&session.upstream));
        assert!(session.look().await);
        assert!(session.look().await, "the look had begun before the second edit");
        assert!(!session.look().await);
        session.upstream.edits("s");
        session.broken_code.look(&session.upstream, "s", &session.attachment);
        session.broken_code.pause("s");
        assert!(session.look().await, "the look before it was not finished");
        session.broken_code.session_ends("s");
        session.upstream.forget_edits("s");
        assert!(!session.look().await);
    }

    #[tokio::test]
    async fn a_reported_edit_is_looked_for_again_when_its_call_has_ended() {
        let session = Looked::new(Support::full().with_unsaved_texts());
        session.upstream.edits_reported("s", "1");
        assert!(session.look().await);
        session.upstream.call_ends("s", "2");
        assert!(!session.look().await, "that call has reported none");
        session.upstream.call_ends("s", "1");
        assert!(session.look().await, "it may have been made since the look");
        session.upstream.call_ends("s", "1");
        assert!(!session.look().await);
    }

    #[test]
    fn an_error_is_named_once_until_it_is_gone() {
        let mut state = State::default();
        let mut found = |messages: &[&str]| {
            state.found_all(messages.iter().map(|it| error(it)).collect());
            state.take_line().map(|it| it.matches("error: ").count())
        };
        assert_eq!(found(&[]), None);
        assert_eq!(found(&["a"]), Some(1));
        assert_eq!(found(&["a"]), None);
        assert_eq!(found(&["b", "a"]), Some(1));
        assert_eq!(found(&[]), None);
        assert_eq!(found(&["a"]), Some(1), "it came again");
    }
}
