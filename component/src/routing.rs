//! The session that a call belongs to. Some agents keep MCP servers by name, and send the calls of one session to the
//! server of another.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::join_all;

use crate::answer::TOOL_NAME;
use crate::session::{Attachment, Attachments};
use crate::sync::lock;

/// The time that a call waits for the agent to connect to the servers of all sessions at work.
const CONNECT_WAIT: Duration = Duration::from_secs(2);

/// The running turns of a connection, and the check of calls against them.
#[derive(Debug, Default)]
pub(crate) struct Routing {
    attachments: Arc<Attachments>,
    /// The number of running turns of each session that has any.
    turns: Mutex<HashMap<String, usize>>,
    /// True when the agent is known to keep servers apart by session.
    is_trusted: AtomicBool,
}

impl Routing {
    pub(crate) fn new(attachments: Arc<Attachments>) -> Self {
        Self { attachments, ..Self::default() }
    }

    /// Sets whether the agent is known to keep servers apart by session, so that every call is where it belongs.
    pub(crate) fn trust(&self, trust: bool) {
        self.is_trusted.store(trust, Ordering::Relaxed);
    }

    pub(crate) fn trusts(&self) -> bool {
        self.is_trusted.load(Ordering::Relaxed)
    }

    pub(crate) fn turn_begins(&self, session: &str) {
        *lock(&self.turns).entry(session.to_owned()).or_default() += 1;
    }

    pub(crate) fn turn_ends(&self, session: &str) {
        let mut turns = lock(&self.turns);
        if let Some(running) = turns.get_mut(session) {
            *running -= 1;
            if *running == 0 {
                turns.remove(session);
            }
        }
    }

    /// Sets whether a session is at work, where the agent reports that by itself.
    pub(crate) fn reported(&self, session: &str, is_at_work: bool) {
        match is_at_work {
            true => drop(lock(&self.turns).insert(session.to_owned(), 1)),
            false => self.session_ends(session),
        }
    }

    pub(crate) fn session_ends(&self, session: &str) {
        lock(&self.turns).remove(session);
    }

    /// Returns the server of the session that a call over `attachment` belongs to. That is `attachment`, unless its
    /// session rests while another one in the same folders is at work.
    ///
    /// # Errors
    /// The answer to the call when it seems to belong to a session in other folders, or when that cannot be told.
    pub(crate) async fn owner(&self, attachment: &Arc<Attachment>) -> Result<Arc<Attachment>, String> {
        let Some(session) = attachment.known_session().filter(|_| !self.trusts()) else {
            return Ok(Arc::clone(attachment));
        };
        let is_at_work = lock(&self.turns).contains_key(&session);
        let others = self.others_at_work(&session);
        match others.as_slice() {
            [] => Ok(Arc::clone(attachment)),
            _ if is_at_work => self.tell_apart(attachment, &session, &others).await,
            [other] if other.shares_folders(attachment) => Ok(Arc::clone(other)),
            [other, ..] => Err(foreign(attachment, other)),
        }
    }

    /// Returns one server of each session that is at work, except for `session`.
    fn others_at_work(&self, session: &str) -> Vec<Arc<Attachment>> {
        let at_work: Vec<String> = lock(&self.turns).keys().filter(|it| *it != session).cloned().collect();
        at_work.iter().filter_map(|it| self.attachments.of(it)).collect()
    }

    /// Accepts a call of a session that works beside others, once the agent is connected to the servers of all of
    /// them. An agent that never connects to one may send its calls here.
    async fn tell_apart(
        &self,
        attachment: &Arc<Attachment>,
        session: &str,
        others: &[Arc<Attachment>],
    ) -> Result<Arc<Attachment>, String> {
        let elsewhere = others.iter().filter(|it| !it.shares_folders(attachment));
        let connecting = join_all(elsewhere.map(|it| it.until_reached()));
        if tokio::time::timeout(CONNECT_WAIT, connecting).await.is_ok() {
            return Ok(Arc::clone(attachment));
        }
        let now = self.others_at_work(session);
        let unreached = now.iter().find(|it| !it.shares_folders(attachment) && !it.is_reached());
        unreached.map_or_else(|| Ok(Arc::clone(attachment)), |other| Err(unclear(attachment, other)))
    }
}

const REMEDY: &str = "tell the user: this agent shares MCP servers between sessions, so that each folder needs an \
                      agent process of its own.";

fn foreign(attachment: &Attachment, other: &Attachment) -> String {
    let (here, there) = (shown(attachment.folder()), shown(other.folder()));
    format!(
        "This call came over the MCP server `{}` of the session in {here}, where no turn is running. A turn is \
         running in {there}, so this call is not answered from {here}. Call `{TOOL_NAME}` of the MCP server `{}` \
         instead. If there is none, {REMEDY}",
        attachment.name, other.name
    )
}

fn unclear(attachment: &Attachment, other: &Attachment) -> String {
    let (here, there) = (shown(attachment.folder()), shown(other.folder()));
    format!(
        "Turns are running in {here} and in {there}, and the agent has not connected to the MCP server `{}` of the \
         latter. Whether this call over `{}` is about {here} cannot be told, so it is not answered. Call again when \
         the other turn is over. If that does not help, {REMEDY}",
        other.name, attachment.name
    )
}

fn shown(folder: &Path) -> String {
    format!("`{}`", folder.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two sessions in these folders, named by them, and the routing of their calls.
    fn sessions(one: &str, two: &str) -> (Routing, Arc<Attachment>, Arc<Attachment>) {
        let attachments = Arc::<Attachments>::default();
        let first = attachments.open("dialect".into(), vec![one.into()]);
        let second = attachments.open("dialect-2".into(), vec![two.into()]);
        first.belongs_to("one");
        second.belongs_to("two");
        (Routing::new(attachments), first, second)
    }

    #[tokio::test]
    async fn a_call_over_a_server_whose_session_rests_is_refused_with_the_right_server() {
        let (routing, first, second) = sessions("/one", "/two");
        assert!(Arc::ptr_eq(&routing.owner(&first).await.unwrap(), &first), "nobody is at work");
        routing.turn_begins("two");
        let refused = routing.owner(&first).await.unwrap_err();
        assert!(refused.contains("in `/one`") && refused.contains("server `dialect-2` instead"), "{refused}");
        assert!(Arc::ptr_eq(&routing.owner(&second).await.unwrap(), &second));
        routing.turn_begins("two");
        routing.turn_ends("two");
        assert!(routing.owner(&first).await.is_err(), "one of two turns is still running");
        routing.turn_ends("two");
        assert!(routing.owner(&first).await.is_ok());
        routing.turn_begins("two");
        routing.trust(true);
        assert!(Arc::ptr_eq(&routing.owner(&first).await.unwrap(), &first));
    }

    #[tokio::test]
    async fn in_the_same_folder_the_call_is_of_the_session_at_work() {
        let (routing, first, second) = sessions("/one", "/one");
        routing.turn_begins("two");
        assert!(Arc::ptr_eq(&routing.owner(&first).await.unwrap(), &second));
        routing.turn_begins("one");
        assert!(Arc::ptr_eq(&routing.owner(&first).await.unwrap(), &first));
    }

    #[tokio::test(start_paused = true)]
    async fn sessions_at_work_are_told_apart_by_the_servers_that_the_agent_has_connected_to() {
        let (routing, first, second) = sessions("/one", "/two");
        routing.turn_begins("one");
        routing.turn_begins("two");
        let refused = routing.owner(&first).await.unwrap_err();
        assert!(refused.contains("not connected to the MCP server `dialect-2`"), "{refused}");
        let (answered, ()) = tokio::join!(routing.owner(&first), async { second.reached() });
        assert!(Arc::ptr_eq(&answered.unwrap(), &first));
    }

    #[tokio::test]
    async fn a_session_that_is_being_set_up_may_call() {
        let (routing, ..) = sessions("/one", "/two");
        routing.reported("one", true);
        let third = routing.attachments.open("dialect-3".into(), vec!["/three".into()]);
        assert!(Arc::ptr_eq(&routing.owner(&third).await.unwrap(), &third));
        third.belongs_to("three");
        assert!(routing.owner(&third).await.is_err());
        routing.reported("one", false);
        assert!(routing.owner(&third).await.is_ok());
    }
}
