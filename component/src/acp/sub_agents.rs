//! The sub-agents of sessions, as the agent reports them in updates: their folders, whether they work, and which calls
//! of tools are theirs.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indexmap::{IndexMap, IndexSet};
use serde_json::Value;
use tokio::sync::watch;

/// The time that a call waits for the update that says whose it is.
const UPDATE_WAIT: Duration = Duration::from_secs(2);

/// The maximum number of calls of tools that are remembered.
const CALLS: usize = 10_000;

/// The keys in the `_meta` of an MCP request that hold the id of a tool's call. Updates of the session name
/// the call by the same id.
const CALL_IDS: [&str; 1] = ["claudecode/toolUseId"];

/// The sub-agents of a connection.
#[derive(Debug, Default)]
pub(crate) struct SubAgents {
    reported: watch::Sender<Reported>,
    /// True after a call that no update was about. Then calls wait for theirs only beside sub-agents.
    leaves_out_calls: AtomicBool,
}

#[derive(Debug, Default)]
struct Reported {
    sessions: HashMap<String, SubAgent>,
    calls: IndexMap<String, ToolCall>,
}

#[derive(Debug)]
struct SubAgent {
    /// The session that started it.
    parent: String,
    /// The folder, where it is another one than its parent's.
    folder: Option<PathBuf>,
    /// The folders beside it, where they are others than its parent's.
    more_folders: Option<Vec<PathBuf>>,
    /// True when the agent never reports folders of its sub-agents.
    is_folder_untold: bool,
    is_at_work: bool,
}

/// A call of a tool in an update of its session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ToolCall {
    session: String,
    /// The call that started the sub-agent which makes this one, where both are reported in one session.
    within: Option<String>,
    /// True when it starts a sub-agent in a folder that is not reported.
    is_apart: bool,
}

/// The maker of a call of our tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Maker {
    /// This session, which may be one of a sub-agent.
    Session(String),
    /// A sub-agent that the agent reports as a part of a session.
    Part,
    /// A sub-agent in a folder of its own that the agent does not name.
    Apart,
    Unknown,
}

fn absolute(path: &str) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}

/// Returns the id of the call of a tool that an MCP request is for, if the agent gives it.
pub(crate) fn call_id(meta: &serde_json::Map<String, Value>) -> Option<&str> {
    CALL_IDS.iter().find_map(|it| meta.get(*it)?.as_str())
}

/// Returns the session of the sub-agent that an update is about, and whether it works, if the update says so.
pub(crate) fn reported_work(update: &Value) -> Option<(&str, bool)> {
    match update["sessionUpdate"].as_str()? {
        "subagent_update" => {
            Some((update["sessionId"].as_str()?, update["state"]["state"].as_str()? != "idle"))
        }
        // The draft before it, which editors of JetBrains read.
        "subagent_spawned" => Some((update["subagentSessionId"].as_str()?, true)),
        "subagent_state_update" => {
            Some((update["subagentSessionId"].as_str()?, update["state"].as_str()? == "running"))
        }
        _ => None,
    }
}

impl SubAgents {
    /// Reads an update of a session.
    pub(crate) fn updated(&self, params: &Value) {
        let Some(session) = params["sessionId"].as_str() else { return };
        let update = &params["update"];
        match update["sessionUpdate"].as_str() {
            Some("subagent_update" | "subagent_spawned" | "subagent_state_update") => {
                self.reported.send_modify(|it| it.sub_agent(session, update));
            }
            Some("tool_call" | "tool_call_update") => {
                if let Some(id) = update["toolCallId"].as_str() {
                    self.reported.send_modify(|it| it.tool_call(session, id, update));
                }
            }
            _ => {}
        }
    }

    /// Sets whether a sub-agent works, where its own session reports that. Returns false for other sessions.
    pub(crate) fn reported(&self, session: &str, is_at_work: bool) -> bool {
        let set = |it: &mut Reported| match it.sessions.get_mut(session) {
            Some(known) => {
                known.is_at_work = is_at_work;
                true
            }
            None => false,
        };
        self.reported.send_if_modified(set)
    }

    /// Returns who makes a call, after waiting for the update about it, which the call may overtake.
    pub(crate) async fn maker(&self, call: Option<&str>) -> Maker {
        let Some(call) = call else { return Maker::Unknown };
        if !self.leaves_out_calls.load(Ordering::Relaxed) || !self.reported.borrow().is_empty() {
            let mut reported = self.reported.subscribe();
            let known = reported.wait_for(|it| it.calls.contains_key(call));
            let is_late = tokio::time::timeout(UPDATE_WAIT, known).await.is_err();
            self.leaves_out_calls.fetch_or(is_late, Ordering::Relaxed);
        }
        self.reported.borrow().maker(call)
    }

    pub(crate) fn is_sub_agent(&self, session: &str) -> bool {
        self.reported.borrow().sessions.contains_key(session)
    }

    /// Returns the session at the top of a sub-agent's parents.
    pub(crate) fn root(&self, session: &str) -> String {
        self.reported.borrow().line(session).last().unwrap_or(session).to_owned()
    }

    /// Returns a session and its parents, which may be sub-agents too.
    pub(crate) fn with_parents(&self, session: &str) -> Vec<String> {
        self.reported.borrow().line(session).map(str::to_owned).collect()
    }

    /// Returns the folders of a sub-agent: those that are reported of it or its nearest parent, otherwise those of
    /// the session at the top. The working directory is first.
    pub(crate) fn folders(&self, session: &str, of_top: &[PathBuf]) -> Vec<PathBuf> {
        let reported = self.reported.borrow();
        let folder = reported.folder(session).or(of_top.first());
        let more = reported.more_folders(session).or(of_top.get(1..));
        let all = folder.into_iter().chain(more.into_iter().flatten());
        all.cloned().collect::<IndexSet<_>>().into_iter().collect()
    }

    /// Returns the folder of a sub-agent that was found, not told. The editor knows no session there, so that nothing
    /// can be answered about it.
    pub(crate) fn unreachable(&self, session: &str) -> Option<PathBuf> {
        let reported = self.reported.borrow();
        let line = reported.line(session).filter_map(|it| reported.sessions.get(it));
        line.into_iter().find(|it| it.folder.is_some()).filter(|it| it.is_folder_untold)?.folder.clone()
    }

    /// Returns the sessions of the sub-agents at work whose folders are not told.
    pub(crate) fn untold(&self) -> Vec<String> {
        let reported = self.reported.borrow();
        let is_untold = |it: &SubAgent| it.is_folder_untold && it.is_at_work && it.folder.is_none();
        reported.sessions.iter().filter(|it| is_untold(it.1)).map(|it| it.0.clone()).collect()
    }

    /// Sets the folder of a sub-agent that was found.
    pub(crate) fn found(&self, session: &str, folder: PathBuf) {
        self.reported.send_modify(|it| {
            it.sessions.get_mut(session).into_iter().for_each(|it| it.folder = Some(folder.clone()));
        });
    }

    /// Returns the sessions whose sub-agents are at work.
    pub(crate) fn at_work(&self) -> HashSet<String> {
        let reported = self.reported.borrow();
        let at_work = reported.sessions.iter().filter(|it| it.1.is_at_work);
        at_work.map(|(session, _)| reported.line(session).last().unwrap_or(session).to_owned()).collect()
    }

    /// Returns the folders of the sub-agents at work that are none of these, or that are first but not so here.
    pub(crate) fn elsewhere(&self, here: &[PathBuf]) -> Vec<PathBuf> {
        let reported = self.reported.borrow();
        let at_work = reported.sessions.iter().filter(|it| it.1.is_at_work);
        let of = |session: &str| {
            let folder = reported.folder(session).filter(|it| here.first() != Some(*it));
            let more = reported.more_folders(session).into_iter().flatten().filter(|it| !here.contains(it));
            folder.into_iter().chain(more).cloned().collect::<Vec<_>>()
        };
        at_work.flat_map(|(session, _)| of(session)).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Returns the sub-agents below a session.
    pub(crate) fn below(&self, session: &str) -> Vec<String> {
        self.reported.borrow().below(session)
    }

    /// Forgets which sub-agents of a session are at work: what the agent has replayed of them is history.
    pub(crate) fn restored(&self, session: &str) {
        self.reported.send_modify(|it| {
            for one in it.below(session) {
                it.sessions.get_mut(&one).into_iter().for_each(|it| it.is_at_work = false);
            }
        });
    }

    /// Forgets a session with its sub-agents, and returns these.
    pub(crate) fn end(&self, session: &str) -> Vec<String> {
        let mut below = Vec::new();
        self.reported.send_modify(|it| {
            below = it.below(session);
            it.sessions.retain(|one, _| one != session && !below.contains(one));
            it.calls.retain(|_, call| call.session != session && !below.contains(&call.session));
        });
        below
    }
}

impl Reported {
    fn is_empty(&self) -> bool {
        self.sessions.is_empty() && !self.calls.values().any(|it| it.is_apart)
    }

    fn sub_agent(&mut self, parent: &str, update: &Value) {
        let is_draft = update["sessionUpdate"] != "subagent_update";
        let session = &update[if is_draft { "subagentSessionId" } else { "sessionId" }];
        let Some(session) = session.as_str().filter(|it| *it != parent) else { return };
        let known = self.sessions.entry(session.to_owned()).or_insert_with(|| SubAgent {
            parent: parent.to_owned(),
            folder: None,
            more_folders: None,
            is_folder_untold: is_draft,
            is_at_work: true,
        });
        match update.get("cwd") {
            Some(Value::String(folder)) => known.folder = Some(absolute(folder)),
            Some(Value::Null) => known.folder = None,
            _ => {}
        }
        match update.get("additionalDirectories") {
            Some(Value::Array(more)) => {
                known.more_folders = Some(more.iter().filter_map(Value::as_str).map(absolute).collect());
            }
            Some(Value::Null) => known.more_folders = None,
            _ => {}
        }
        match reported_work(update) {
            Some((_, is_at_work)) => known.is_at_work = is_at_work,
            // Then nobody knows, so that it may be.
            None if update.get("state").is_some_and(Value::is_null) => known.is_at_work = true,
            None => {}
        }
    }

    /// Returns the folder that is reported of a session or its nearest parent.
    fn folder(&self, session: &str) -> Option<&PathBuf> {
        self.line(session).find_map(|it| self.sessions.get(it)?.folder.as_ref())
    }

    fn more_folders(&self, session: &str) -> Option<&[PathBuf]> {
        self.line(session).find_map(|it| self.sessions.get(it)?.more_folders.as_deref())
    }

    fn below(&self, session: &str) -> Vec<String> {
        let is_below = |one: &&String| *one != session && self.line(one).any(|above| above == session);
        self.sessions.keys().filter(is_below).cloned().collect()
    }

    fn tool_call(&mut self, session: &str, id: &str, update: &Value) {
        let within = update["_meta"]["claudeCode"]["parentToolUseId"].as_str();
        let call = self.calls.entry(id.to_owned()).or_default();
        session.clone_into(&mut call.session);
        call.within = within.map(str::to_owned).or_else(|| call.within.take());
        call.is_apart |= update["rawInput"]["isolation"] == "worktree";
        if self.calls.len() > CALLS {
            self.calls.shift_remove_index(0);
        }
    }

    fn maker(&self, call: &str) -> Maker {
        let Some(found) = self.calls.get(call) else { return Maker::Unknown };
        let mut around = found.within.as_ref().and_then(|it| self.calls.get(it));
        for _ in 0..self.calls.len() {
            match around {
                Some(call) if call.is_apart => return Maker::Apart,
                Some(call) => around = call.within.as_ref().and_then(|it| self.calls.get(it)),
                None => break,
            }
        }
        match &found.within {
            Some(_) if !self.sessions.contains_key(&found.session) => Maker::Part,
            _ => Maker::Session(found.session.clone()),
        }
    }

    /// Returns a session and its parents.
    fn line<'a>(&'a self, session: &'a str) -> impl Iterator<Item = &'a str> {
        let above = |it: &&'a str| self.sessions.get(*it).map(|it| it.parent.as_str());
        // Nobody is above itself, whatever an agent reports.
        std::iter::successors(Some(session), above).take(self.sessions.len() + 1)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn update(session: &str, update: &Value) -> Value {
        json!({"sessionId": session, "update": update})
    }

    fn sub_agent(parent: &str, session: &str, more: &Value) -> Value {
        let mut it = json!({"sessionUpdate": "subagent_update", "sessionId": session});
        more.as_object().into_iter().flatten().for_each(|(key, value)| it[key] = value.clone());
        update(parent, &it)
    }

    fn tool_call(session: &str, id: &str, more: &Value) -> Value {
        let mut it = json!({"sessionUpdate": "tool_call", "toolCallId": id});
        more.as_object().into_iter().flatten().for_each(|(key, value)| it[key] = value.clone());
        update(session, &it)
    }

    fn folders(all: &SubAgents, session: &str) -> Vec<PathBuf> {
        all.folders(session, &["/w".into(), "/x".into()])
    }

    fn paths(all: &[&str]) -> Vec<PathBuf> {
        all.iter().map(PathBuf::from).collect()
    }

    #[tokio::test]
    async fn folders_and_work_are_those_of_the_latest_update() {
        let all = SubAgents::default();
        all.updated(&sub_agent("p", "c", &json!({"state": {"state": "running"}})));
        assert_eq!(
            (folders(&all, "c"), all.at_work()),
            (paths(&["/w", "/x"]), HashSet::from(["p".to_owned()]))
        );
        all.updated(&sub_agent("p", "c", &json!({"cwd": "/tree"})));
        all.updated(&sub_agent("c", "d", &json!({})));
        assert_eq!((folders(&all, "d"), all.root("d")), (paths(&["/tree", "/x"]), "p".to_owned()));
        assert_eq!(
            (all.with_parents("d"), all.below("p").len()),
            (vec!["d".into(), "c".into(), "p".into()], 2)
        );
        assert_eq!(all.elsewhere(&paths(&["/w"])), paths(&["/tree"]));
        assert!(all.reported("d", false) && !all.reported("p", true));
        all.updated(&sub_agent("p", "c", &json!({"cwd": null, "state": {"state": "idle"}})));
        assert_eq!((folders(&all, "d"), all.at_work().len()), (paths(&["/w", "/x"]), 0));
        all.updated(&sub_agent("d", "c", &json!({}))); // the parent stays
        assert_eq!(all.root("c"), "p");
        let mut ended = all.end("p");
        ended.sort();
        assert_eq!((ended, all.is_sub_agent("c")), (vec!["c".to_owned(), "d".to_owned()], false));
    }

    #[tokio::test]
    async fn folders_beside_the_working_directory_are_inherited_apart_from_it() {
        let all = SubAgents::default();
        all.updated(&sub_agent("p", "c", &json!({"additionalDirectories": ["/y", "/w"]})));
        all.updated(&sub_agent("c", "d", &json!({"cwd": "/tree"})));
        assert_eq!(
            (folders(&all, "c"), folders(&all, "d")),
            (paths(&["/w", "/y"]), paths(&["/tree", "/y", "/w"]))
        );
        assert_eq!(all.elsewhere(&paths(&["/w", "/x"])), paths(&["/tree", "/y"]));
        all.updated(&sub_agent("c", "d", &json!({"additionalDirectories": [], "cwd": 3})));
        assert_eq!(folders(&all, "d"), paths(&["/tree"]), "what is no folder changes nothing");
        all.updated(&sub_agent("p", "c", &json!({"additionalDirectories": null})));
        assert_eq!(folders(&all, "c"), paths(&["/w", "/x"]));
        assert_eq!(all.elsewhere(&paths(&["/tree"])), paths(&[]), "it is the first of both");
    }

    #[tokio::test]
    async fn every_state_but_idle_may_be_work() {
        let all = SubAgents::default();
        let states =
            ["running", "idle", "requires_action", "idle", "unknown", "idle", "_of_tomorrow", "idle"];
        for state in states.map(|it| json!({"state": it})).into_iter().chain([Value::Null]) {
            all.updated(&sub_agent("p", "c", &json!({ "state": state })));
            assert_eq!(all.at_work().is_empty(), state["state"] == "idle", "{state}");
            all.updated(&sub_agent("p", "c", &json!({"title": "the state stays"})));
            assert_eq!(all.at_work().is_empty(), state["state"] == "idle", "{state}");
        }
    }

    #[tokio::test]
    async fn history_tells_nothing_of_work() {
        let all = SubAgents::default();
        all.updated(&sub_agent("p", "c", &json!({"cwd": "/tree", "state": {"state": "running"}})));
        all.updated(&sub_agent("c", "d", &json!({})));
        all.updated(&sub_agent("q", "e", &json!({})));
        all.restored("p");
        assert_eq!(
            (all.at_work(), folders(&all, "d")),
            (HashSet::from(["q".to_owned()]), paths(&["/tree", "/x"]))
        );
        all.updated(&sub_agent("c", "d", &json!({"state": {"state": "running"}})));
        assert_eq!(all.at_work().len(), 2);
    }

    #[tokio::test]
    async fn drafts_of_updates_tell_of_sub_agents_without_folders() {
        let all = SubAgents::default();
        let draft = |name: &str, more: &Value| {
            let mut it = json!({"sessionUpdate": name, "subagentSessionId": "c"});
            more.as_object().into_iter().flatten().for_each(|(key, value)| it[key] = value.clone());
            update("p", &it)
        };
        all.updated(&draft("subagent_spawned", &json!({"name": "look"})));
        all.updated(&tool_call("c", "t1", &json!({"_meta": {"claudeCode": {"parentToolUseId": "agent"}}})));
        assert_eq!(all.maker(Some("t1")).await, Maker::Session("c".to_owned()));
        assert_eq!(
            (all.untold(), folders(&all, "c"), all.root("c")),
            (vec!["c".to_owned()], paths(&["/w", "/x"]), "p".to_owned())
        );
        all.found("c", "/tree".into());
        assert_eq!((all.untold(), folders(&all, "c")), (Vec::new(), paths(&["/tree", "/x"])));
        assert_eq!(all.elsewhere(&paths(&["/w"])), paths(&["/tree"]));
        for state in ["completed", "cancelled", "failed"] {
            let ended = draft("subagent_state_update", &json!({ "state": state }));
            assert_eq!(reported_work(&ended["update"]), Some(("c", false)));
            all.updated(&ended);
            assert!(all.at_work().is_empty() && all.is_sub_agent("c"));
        }
        all.updated(&sub_agent("p", "d", &json!({})));
        assert!(all.untold().is_empty(), "updates of the standard tell folders");
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_is_made_by_the_session_whose_updates_name_it() {
        let all = SubAgents::default();
        let late = async {
            tokio::task::yield_now().await;
            all.updated(&sub_agent("p", "c", &json!({"cwd": "/tree"})));
            all.updated(&tool_call("c", "t1", &json!({})));
        };
        let (maker, ()) = tokio::join!(all.maker(Some("t1")), late);
        assert_eq!(maker, Maker::Session("c".to_owned()));
        assert_eq!(all.maker(Some("t2")).await, Maker::Unknown);
        assert_eq!(all.maker(None).await, Maker::Unknown);
    }

    #[tokio::test]
    async fn a_sub_agent_without_a_session_is_a_part_or_apart() {
        let all = SubAgents::default();
        let within = |id: &str| json!({"_meta": {"claudeCode": {"parentToolUseId": id}}});
        all.updated(&tool_call("p", "agent", &json!({})));
        all.updated(&tool_call("p", "t1", &within("agent")));
        assert_eq!(all.maker(Some("t1")).await, Maker::Part);
        all.updated(&tool_call("p", "agent", &json!({"rawInput": {"isolation": "worktree"}})));
        all.updated(&tool_call("p", "inner", &within("agent")));
        all.updated(&tool_call("p", "t2", &within("inner")));
        for call in ["t1", "t2"] {
            assert_eq!(all.maker(Some(call)).await, Maker::Apart);
        }
        assert_eq!(all.maker(Some("agent")).await, Maker::Session("p".to_owned()));
    }
}
