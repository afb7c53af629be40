//! The session that a call belongs to. Some agents keep MCP servers by name, and send the calls of one session to the
//! server of another.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::join_all;
use serde_json::Value;

use crate::acp::sub_agents::{Maker, SubAgents};
use crate::session::{Attachment, Attachments, worktrees};
use crate::tool::answer::TOOL_NAME;
use unpoisoned::lock;

/// The time that a call waits for the agent to connect to the servers of all sessions at work.
const CONNECT_WAIT: Duration = Duration::from_secs(2);

/// The running turns of a connection, and the check of calls against them.
#[derive(Debug, Default)]
pub(crate) struct Routing {
    attachments: Arc<Attachments>,
    /// The number of running turns of each session that has any.
    turns: Mutex<HashMap<String, usize>>,
    sub_agents: SubAgents,
    /// True when the agent is known to keep servers apart by session.
    is_trusted: AtomicBool,
}

/// The session that made a call.
#[derive(Debug)]
pub(crate) struct Owner {
    /// The MCP server that the session is attached to.
    pub(crate) attachment: Arc<Attachment>,
    /// True when a sub-agent made it, which may go on when the turn of its parent is stopped.
    pub(crate) is_sub_agent: bool,
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
        if self.sub_agents.reported(session, is_at_work) {
            return;
        }
        match is_at_work {
            true => drop(lock(&self.turns).insert(session.to_owned(), 1)),
            false => drop(lock(&self.turns).remove(session)),
        }
    }

    /// Reads an update of a session: what it says of sub-agents and their calls.
    pub(crate) fn updated(&self, params: &Value) {
        self.sub_agents.updated(params);
    }

    pub(crate) fn sub_agents(&self) -> &SubAgents {
        &self.sub_agents
    }

    /// Forgets a session, and returns its sub-agents, which end with it.
    pub(crate) fn session_ends(&self, session: &str) -> Vec<String> {
        lock(&self.turns).remove(session);
        self.sub_agents.end(session)
    }

    /// Returns the session that made a call over `attachment`. `call` is the id of the call in updates of its session, if
    /// the agent gives it.
    ///
    /// # Errors
    /// The answer to the call when it seems to be about other folders, or when that cannot be told.
    pub(crate) async fn owner(
        &self,
        attachment: &Arc<Attachment>,
        call: Option<&str>,
    ) -> Result<Owner, String> {
        let maker = self.sub_agents.maker(call).await;
        self.find_folders().await;
        let is_sub_agent = match &maker {
            Maker::Session(session) => self.sub_agents.is_sub_agent(session),
            Maker::Part | Maker::Apart => true,
            Maker::Unknown => false,
        };
        let attachment = match maker {
            Maker::Session(session) if is_sub_agent => match self.sub_agents.unreachable(&session) {
                Some(folder) => return Err(unreachable(attachment, &folder)),
                None => self.of_sub_agent(attachment, &session),
            },
            Maker::Session(session) => match self.attachments.of(&session) {
                Some(named) if attachment.known_session().is_some_and(|it| it != session) => named,
                _ => self.of_turns(attachment).await?,
            },
            Maker::Apart => return Err(apart(attachment)),
            Maker::Part => self.of_turns(attachment).await?,
            Maker::Unknown => {
                let elsewhere = self.sub_agents.elsewhere(attachment.roots());
                match elsewhere.as_slice() {
                    [] => self.of_turns(attachment).await?,
                    folders => return Err(untold(attachment, folders)),
                }
            }
        };
        Ok(Owner { attachment, is_sub_agent })
    }

    /// Finds the work trees of sub-agents whose folders the agent does not report. Names of work trees end with the ids of
    /// their sessions there.
    async fn find_folders(&self) {
        for session in self.sub_agents.untold() {
            let Some(parent) = self.attachments.of(&self.sub_agents.root(&session)) else { continue };
            let name = session.clone();
            let finding = move || worktrees::of_session(&name, parent.folder());
            if let Ok(Some(folder)) = tokio::task::spawn_blocking(finding).await {
                self.sub_agents.found(&session, folder);
            }
        }
    }

    /// Returns the server of a sub-agent's session, in its folder.
    fn of_sub_agent(&self, over: &Arc<Attachment>, session: &str) -> Arc<Attachment> {
        let root = self.sub_agents.root(session);
        let parent = self.attachments.of(&root).unwrap_or_else(|| Arc::clone(over));
        let roots = self.sub_agents.folders(session, parent.roots());
        match self.attachments.of(session) {
            Some(known) if known.roots() == roots => known,
            moved => {
                moved.into_iter().for_each(|it| self.attachments.close(&it));
                self.attachments.open_below(&parent, session, roots)
            }
        }
    }

    /// Returns the server of the session that a call over `attachment` belongs to, by the sessions that are at work.
    /// That is `attachment`, unless its session rests while another one in the same folders is at work.
    async fn of_turns(&self, attachment: &Arc<Attachment>) -> Result<Arc<Attachment>, String> {
        let Some(session) = attachment.known_session().filter(|_| !self.trusts()) else {
            return Ok(Arc::clone(attachment));
        };
        let is_at_work = self.at_work().contains(&session);
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
        let at_work = self.at_work();
        at_work.iter().filter(|it| *it != session).filter_map(|it| self.attachments.of(it)).collect()
    }

    /// Returns the sessions whose turn is running, or that have a sub-agent at work.
    fn at_work(&self) -> HashSet<String> {
        let mut at_work = self.sub_agents.at_work();
        at_work.extend(lock(&self.turns).keys().cloned());
        at_work
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

fn untold(attachment: &Attachment, folders: &[PathBuf]) -> String {
    let here = shown(attachment.folder());
    let there: Vec<String> = folders.iter().map(|it| shown(it)).collect();
    format!(
        "Sub-agents are at work in {}, and the agent does not say whether this call is one of theirs or about {here}. So \
         it is not answered. Call again when they are done, or use your other tools.",
        there.join(", ")
    )
}

fn apart(attachment: &Attachment) -> String {
    let here = shown(attachment.folder());
    format!(
        "You are a sub-agent in a worktree of your own, and the agent does not say which folder that is. `{TOOL_NAME}` \
         would answer about {here}, so it does not. Use your other tools, or tell whoever started you to do without a \
         worktree."
    )
}

fn unreachable(attachment: &Attachment, folder: &Path) -> String {
    let (here, there) = (shown(attachment.folder()), shown(folder));
    format!(
        "You are a sub-agent in the worktree {there}, and the editor has not been told of it. `{TOOL_NAME}` would answer \
         about {here}, so it does not. Use your other tools, or tell whoever started you to do without a worktree."
    )
}

fn shown(folder: &Path) -> String {
    format!("`{}`", folder.display())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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

    async fn owner(routing: &Routing, over: &Arc<Attachment>) -> Result<Arc<Attachment>, String> {
        routing.owner(over, None).await.map(|it| it.attachment)
    }

    #[tokio::test]
    async fn a_call_over_a_server_whose_session_rests_is_refused_with_the_right_server() {
        let (routing, first, second) = sessions("/one", "/two");
        assert!(Arc::ptr_eq(&owner(&routing, &first).await.unwrap(), &first), "nobody is at work");
        routing.turn_begins("two");
        let refused = owner(&routing, &first).await.unwrap_err();
        assert!(refused.contains("in `/one`") && refused.contains("server `dialect-2` instead"), "{refused}");
        assert!(Arc::ptr_eq(&owner(&routing, &second).await.unwrap(), &second));
        routing.turn_begins("two");
        routing.turn_ends("two");
        assert!(owner(&routing, &first).await.is_err(), "one of two turns is still running");
        routing.turn_ends("two");
        assert!(owner(&routing, &first).await.is_ok());
        routing.turn_begins("two");
        routing.trust(true);
        assert!(Arc::ptr_eq(&owner(&routing, &first).await.unwrap(), &first));
    }

    #[tokio::test]
    async fn in_the_same_folder_the_call_is_of_the_session_at_work() {
        let (routing, first, second) = sessions("/one", "/one");
        routing.turn_begins("two");
        assert!(Arc::ptr_eq(&owner(&routing, &first).await.unwrap(), &second));
        routing.turn_begins("one");
        assert!(Arc::ptr_eq(&owner(&routing, &first).await.unwrap(), &first));
    }

    #[tokio::test(start_paused = true)]
    async fn sessions_at_work_are_told_apart_by_the_servers_that_the_agent_has_connected_to() {
        let (routing, first, second) = sessions("/one", "/two");
        routing.turn_begins("one");
        routing.turn_begins("two");
        let refused = owner(&routing, &first).await.unwrap_err();
        assert!(refused.contains("not connected to the MCP server `dialect-2`"), "{refused}");
        let (answered, ()) = tokio::join!(owner(&routing, &first), async { second.reached() });
        assert!(Arc::ptr_eq(&answered.unwrap(), &first));
    }

    #[tokio::test]
    async fn a_session_that_is_being_set_up_may_call() {
        let (routing, ..) = sessions("/one", "/two");
        routing.reported("one", true);
        let third = routing.attachments.open("dialect-3".into(), vec!["/three".into()]);
        assert!(Arc::ptr_eq(&owner(&routing, &third).await.unwrap(), &third));
        third.belongs_to("three");
        assert!(owner(&routing, &third).await.is_err());
        routing.reported("one", false);
        assert!(owner(&routing, &third).await.is_ok());
    }

    fn sub_agent(parent: &str, session: &str, folder: &Value) -> Value {
        let update = json!({"sessionUpdate": "subagent_update", "sessionId": session, "cwd": folder});
        json!({"sessionId": parent, "update": update})
    }

    fn tool_call(session: &str, id: &str) -> Value {
        json!({"sessionId": session, "update": {"sessionUpdate": "tool_call", "toolCallId": id}})
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_of_a_sub_agent_is_about_its_folder() {
        let (routing, first, _) = sessions("/one", "/two");
        routing.trust(true);
        routing.turn_begins("one");
        routing.updated(&sub_agent("one", "child", &json!("/tree")));
        routing.updated(&tool_call("child", "t1"));
        routing.updated(&tool_call("one", "t2"));
        let child = routing.owner(&first, Some("t1")).await.unwrap();
        assert_eq!((child.attachment.folder(), child.is_sub_agent), (Path::new("/tree"), true));
        assert_eq!(child.attachment.known_session().as_deref(), Some("child"));
        let again = routing.owner(&first, Some("t1")).await.unwrap();
        assert!(Arc::ptr_eq(&again.attachment, &child.attachment));
        let own = routing.owner(&first, Some("t2")).await.unwrap();
        assert!(Arc::ptr_eq(&own.attachment, &first) && !own.is_sub_agent);
        for untied in [None, Some("t3")] {
            let refused = routing.owner(&first, untied).await.unwrap_err();
            assert!(refused.contains("at work in `/tree`") && refused.contains("about `/one`"), "{refused}");
        }
        routing.updated(&sub_agent("one", "child", &json!(null)));
        let back = routing.owner(&first, Some("t1")).await.unwrap();
        assert_eq!((back.attachment.folder(), back.is_sub_agent), (Path::new("/one"), true));
        assert!(routing.owner(&first, None).await.is_ok());
        assert_eq!(routing.session_ends("one"), ["child"]);
    }

    #[tokio::test]
    async fn a_sub_agent_at_work_counts_as_work_of_its_parent() {
        let (routing, first, second) = sessions("/one", "/two");
        let state = |state: &str| {
            let state = json!({"state": state});
            json!({"sessionId": "one", "update":
                {"sessionUpdate": "subagent_update", "sessionId": "child", "state": state}})
        };
        routing.updated(&state("running"));
        routing.turn_begins("two");
        second.reached();
        first.reached();
        assert!(Arc::ptr_eq(&owner(&routing, &first).await.unwrap(), &first), "it is the child's");
        routing.updated(&state("idle"));
        assert!(owner(&routing, &first).await.is_err());
    }
}
