//! The question to the user as `session/request_permission`. Pure JSON, for ACP versions 1 and 2.

use std::collections::BTreeSet;

use ailang::{
    Capability, GrantScope as Scope, LONGEST_ASK, LONGEST_NAME, plain, quoted, visible, visible_line,
};
use serde_json::{Value, json};

use super::caller::Caller;
use super::changes::Changes;
use super::confirmed_grants::Unconfirmed;
use super::demand::CapabilityDemand;
use crate::tool::answer::TOOL_NAME;

/// The ACP method that asks the user.
pub(crate) const METHOD: &str = "session/request_permission";

/// The maximum size of a shown program, in bytes.
const PROGRAM: usize = 8 * 1024;

/// The maximum number of permissions that a title names.
const NAMED: usize = 3;

/// The difference between a permission that lasts and one for the call that the user sees.
const LASTS: &str = "Later calls that ask for the same run without being shown before.";

/// A permission that is missing.
#[derive(Clone, Debug)]
pub(crate) struct Missing {
    pub(crate) demand: CapabilityDemand,
    pub(crate) capability: Capability,
    /// The functions that need it.
    pub(crate) callables: BTreeSet<String>,
    /// The reason why a lasting permission for it does not count.
    pub(crate) lost: Option<Unconfirmed>,
}

/// One question about some permissions.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) missing: Vec<Missing>,
    /// The scopes that the user can choose from; at least one.
    pub(crate) scopes: BTreeSet<Scope>,
    /// True when the user has allowed it and is asked for how long.
    pub(crate) is_about_time: bool,
    /// True when all scopes are options at once.
    pub(crate) is_direct: bool,
}

/// The answer of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Granted(Scope),
    /// The user allows more than one call; for how long is another question.
    Lasting,
    Denied,
    DeniedForSession,
    /// The user stopped the turn.
    Stopped,
    /// There was no answer, or one that was not offered.
    Cancelled,
}

/// An option of a question. Clients may choose by kind alone, so a question has no two of the same kind, unless it is
/// direct.
struct Choice {
    id: &'static str,
    kind: &'static str,
    name: &'static str,
    reply: Reply,
}

impl Question {
    /// Groups permissions into as few questions as their scopes allow: one where all have a scope in common, or one
    /// for each. Also returns the permissions without a scope that can be granted.
    pub(crate) fn group(missing: Vec<Missing>, available: &BTreeSet<Scope>) -> (Vec<Self>, Vec<Missing>) {
        let scopes = |it: &Missing| &it.capability.scopes & available;
        let (askable, hopeless): (Vec<_>, Vec<_>) =
            missing.into_iter().partition(|it| !scopes(it).is_empty());
        let common = askable.iter().map(scopes).reduce(|a, b| &a & &b).unwrap_or_default();
        let questions = match common.is_empty() {
            true => askable.into_iter().map(|it| Self::new(scopes(&it), vec![it])).collect(),
            false => vec![Self::new(common, askable)],
        };
        (questions, hopeless)
    }

    fn new(scopes: BTreeSet<Scope>, missing: Vec<Missing>) -> Self {
        Self { missing, scopes, is_about_time: false, is_direct: false }
    }

    /// Returns the question for how long something is allowed.
    pub(crate) fn about_time(&self) -> Self {
        Self { is_about_time: true, ..self.clone() }
    }

    /// Returns the smallest scope that can be granted.
    pub(crate) fn shortest(&self) -> Scope {
        *self.scopes.first().expect("a question has a scope")
    }

    /// Returns the demands that the question is about.
    pub(crate) fn demands(&self) -> Vec<CapabilityDemand> {
        self.missing.iter().map(|it| it.demand.clone()).collect()
    }

    /// Returns the params of the request in that version of ACP. `call` names the call in the editor's list.
    pub(crate) fn params(&self, version: u64, call: &str, caller: &Caller) -> Value {
        let session = &caller.session;
        // What lasts is about more than these edits.
        let changes = caller.changes.as_ref().filter(|_| !self.is_about_time);
        let diffs = changes.map(|it| it.diffs(version, caller.workspace.as_deref()));
        let summary = changes.zip(diffs.as_ref()).map(|(changes, diffs)| changes.summary(diffs));
        let (program, cut) = program(&caller.program);
        let lasts = self.is_about_time.then(|| LASTS.to_owned());
        let parts = [Some(self.description()), lasts, summary, cut];
        let description = parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n");
        let title = self.title(changes);
        let text = json!({"type": "content", "content": {"type": "text", "text": description}});
        let content: Vec<_> = [text].into_iter().chain(diffs.into_iter().flat_map(|it| it.content)).collect();
        let mut tool_call = json!({
            "toolCallId": call, "title": title, "kind": self.kind(), "status": "pending",
            "rawInput": {"program": program}, "content": content,
        });
        if let Some(changes) = changes {
            tool_call["locations"] = json!(changes.locations(caller.workspace.as_deref()));
        }
        if version < 2 {
            return json!({"sessionId": session, "toolCall": tool_call, "options": self.options()});
        }
        tool_call["name"] = json!(TOOL_NAME);
        let subject = json!({"type": "tool_call", "toolCall": tool_call});
        json!({
            "sessionId": session, "title": title, "description": description, "subject": subject,
            "options": self.options(),
        })
    }

    /// Returns the update that shows the call before the question.
    pub(crate) fn announcement(version: u64, params: &Value) -> Value {
        let (tool_call, name) = match version {
            0 | 1 => (&params["toolCall"], "tool_call"),
            _ => (&params["subject"]["toolCall"], "tool_call_update"),
        };
        let mut update = json!({"sessionUpdate": name});
        let fields = tool_call.as_object().into_iter().flatten();
        fields.for_each(|(key, value)| update[key] = value.clone());
        update
    }

    fn options(&self) -> Value {
        let option = |it: Choice| json!({"optionId": it.id, "name": it.name, "kind": it.kind});
        self.choices().into_iter().map(option).collect()
    }

    fn choices(&self) -> Vec<Choice> {
        let choice = |id, kind, name, reply| Choice { id, kind, name, reply };
        let (session, always) = (Reply::Granted(Scope::Session), Reply::Granted(Scope::Persistent));
        if self.is_about_time {
            return vec![
                choice("ailang.session", "allow_once", "For this session", session),
                choice("ailang.persistent", "allow_always", "Always, in this folder", always),
                choice("ailang.deny", "reject_once", "Deny", Reply::Denied),
            ];
        }
        let once = choice("ailang.once", "allow_once", "Allow once", Reply::Granted(Scope::Once));
        let once = Some(once).filter(|_| self.scopes.contains(&Scope::Once));
        let denying = [
            choice("ailang.deny", "reject_once", "Deny", Reply::Denied),
            choice("ailang.deny_session", "reject_always", "Deny for this session", Reply::DeniedForSession),
        ];
        if self.is_direct {
            let lasting = [
                (Scope::Session, choice("ailang.session", "allow_always", "Allow for this session", session)),
                (Scope::Persistent, choice("ailang.persistent", "allow_always", "Always allow", always)),
            ];
            let lasting = lasting.into_iter().filter(|(scope, _)| self.scopes.contains(scope));
            return once.into_iter().chain(lasting.map(|it| it.1)).chain(denying).collect();
        }
        let lasting = match (self.scopes.contains(&Scope::Session), self.scopes.contains(&Scope::Persistent))
        {
            (true, true) => {
                Some(choice("ailang.lasting", "allow_always", "Allow, and do not ask again…", Reply::Lasting))
            }
            (true, false) => {
                Some(choice("ailang.session", "allow_always", "Allow for this session", session))
            }
            (false, true) => Some(choice("ailang.persistent", "allow_always", "Always allow", always)),
            (false, false) => None,
        };
        [once, lasting].into_iter().flatten().chain(denying).collect()
    }

    /// Returns a title: the edits where they are known, or the functions with what they ask. Words of a document stand
    /// in quotes after the names.
    fn title(&self, changes: Option<&Changes>) -> String {
        let [_] = self.missing.as_slice() else { return self.asks() };
        match changes.and_then(Changes::title) {
            Some(done) => done,
            None if self.is_about_time => format!("For how long: {}", self.asks()),
            None => self.asks(),
        }
    }

    fn asks(&self) -> String {
        let named = self.missing.iter().take(NAMED).map(Missing::phrase);
        let more = self.missing.len().saturating_sub(NAMED);
        let more = (more > 0).then(|| format!("and {more} more"));
        named.chain(more).collect::<Vec<_>>().join("; ")
    }

    fn description(&self) -> String {
        self.missing.iter().map(Missing::paragraph).collect::<Vec<_>>().join("\n\n")
    }

    fn kind(&self) -> &'static str {
        self.missing.iter().map(|it| it.capability.kind).max().map_or("other", |it| it.name())
    }
}

/// Returns a program for display, and a note when it was cut.
fn program(program: &str) -> (String, Option<String>) {
    if program.len() <= PROGRAM {
        return (visible(program), None);
    }
    let end = (0..=PROGRAM).rfind(|it| program.is_char_boundary(*it)).expect("0 is a boundary");
    let shown = format!("{} bytes of {}", end, program.len());
    let cut = format!("The program is long: the first {shown} are shown with this question.");
    (format!("{}… (cut: {shown})", visible(&program[..end])), Some(cut))
}

impl Missing {
    /// Returns the functions with what they ask, for people: `writeNote (from "note-tools"): "Write notes"`. The name
    /// of the capability says nothing to them.
    pub(crate) fn phrase(&self) -> String {
        let callables: Vec<_> = self.callables.iter().map(|it| plain(it, LONGEST_NAME)).collect();
        let origin = self.capability.origin.as_ref();
        let origin = origin.map(|it| format!(" (from {})", quoted(it, LONGEST_NAME))).unwrap_or_default();
        format!("{}{origin}: {}", callables.join(", "), quoted(&self.capability.ask, LONGEST_ASK))
    }

    fn paragraph(&self) -> String {
        let bounds = self
            .demand
            .bounds
            .lines()
            .into_iter()
            .map(|it| format!("limited to {}", visible_line(&it, LONGEST_ASK)));
        let lost = self
            .lost
            .as_ref()
            .map(|why| format!("you are asked again because your saved permission does not count: {why}"));
        [self.phrase()].into_iter().chain(bounds).chain(lost).collect::<Vec<_>>().join("\n")
    }
}

impl Question {
    /// Parses an answer. One that selects nothing that was offered counts as cancelled.
    pub(crate) fn read(&self, answer: &Value) -> Reply {
        let outcome = &answer["outcome"];
        if outcome["outcome"] != "selected" {
            return Reply::Cancelled;
        }
        let chosen = self.choices().into_iter().find(|it| outcome["optionId"] == it.id);
        chosen.map_or(Reply::Cancelled, |it| it.reply)
    }
}

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
