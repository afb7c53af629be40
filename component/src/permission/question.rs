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
use crate::answer::TOOL_NAME;

/// The method of the request.
pub(crate) const METHOD: &str = "session/request_permission";

/// The maximum size of a shown program, in bytes.
const PROGRAM: usize = 8 * 1024;

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
}

/// The answer of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Granted(Scope),
    Denied,
    DeniedForSession,
    /// The user gave no answer, or one that was not offered.
    Cancelled,
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
            true => askable.into_iter().map(|it| Self { scopes: scopes(&it), missing: vec![it] }).collect(),
            false => vec![Self { missing: askable, scopes: common }],
        };
        (questions, hopeless)
    }

    /// Returns the demands that the question is about.
    pub(crate) fn demands(&self) -> Vec<CapabilityDemand> {
        self.missing.iter().map(|it| it.demand.clone()).collect()
    }

    /// Returns the params of the request in that version of ACP. `call` names the call in the editor's list.
    pub(crate) fn params(&self, version: u64, call: &str, caller: &Caller) -> Value {
        let session = &caller.session;
        let changes = caller.changes.as_ref();
        let diffs = changes.map(|it| it.diffs(version, caller.workspace.as_deref()));
        let summary = changes.zip(diffs.as_ref()).map(|(changes, diffs)| changes.summary(diffs));
        let (program, cut) = program(&caller.program);
        let parts = [Some(self.description()), summary, cut];
        let description = parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n");
        let title = self.title(changes);
        let text = json!({"type": "content", "content": {"type": "text", "text": description}});
        let content: Vec<_> = [text].into_iter().chain(diffs.into_iter().flat_map(|it| it.content)).collect();
        let mut tool_call = json!({
            "toolCallId": call, "title": title, "kind": self.kind(), "status": "pending",
            "rawInput": {"program": program}, "content": content,
        });
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
        let granting = self.scopes.iter().map(|scope| match scope {
            Scope::Once => option("ailang.once", "allow_once", "Allow once"),
            Scope::Session => option("ailang.session", "allow_always", "Allow for this session"),
            Scope::Persistent => option("ailang.persistent", "allow_always", "Always allow"),
        });
        let denying = [
            option(DENY, "reject_once", "Deny"),
            option(DENY_SESSION, "reject_always", "Deny for this session"),
        ];
        granting.chain(denying).collect()
    }

    /// Returns a title: the edits where they are known, or the names of functions and capabilities. Words of a
    /// document stand in quotes after the names.
    fn title(&self, changes: Option<&Changes>) -> String {
        let done = changes.and_then(Changes::title);
        match (self.missing.as_slice(), done) {
            ([_], Some(done)) => done,
            ([one], None) => {
                format!(
                    "{} needs {}: {}",
                    one.callables(),
                    one.name(),
                    quoted(&one.capability.ask, LONGEST_ASK)
                )
            }
            (several, _) => {
                let names: Vec<_> = several.iter().map(Missing::name).collect();
                format!("{} permissions are needed: {}", several.len(), names.join(", "))
            }
        }
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

const DENY: &str = "ailang.deny";
const DENY_SESSION: &str = "ailang.deny_session";

fn option(id: &str, kind: &str, name: &str) -> Value {
    json!({"optionId": id, "name": name, "kind": kind})
}

impl Missing {
    /// Returns the name for display: `notes/Write`, or `notes/Write (from "note-tools")`.
    pub(crate) fn name(&self) -> String {
        let id = plain(&self.capability.id, LONGEST_NAME);
        match &self.capability.origin {
            Some(origin) => format!("{id} (from {})", quoted(origin, LONGEST_NAME)),
            None => id,
        }
    }

    fn callables(&self) -> String {
        self.callables.iter().map(|it| plain(it, LONGEST_NAME)).collect::<Vec<_>>().join(", ")
    }

    fn paragraph(&self) -> String {
        let head = format!("{}, for {}:", self.name(), self.callables());
        let ask = quoted(&self.capability.ask, LONGEST_ASK);
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
        [head, ask].into_iter().chain(bounds).chain(lost).collect::<Vec<_>>().join("\n")
    }
}

impl Question {
    /// Parses an answer. One that selects nothing that was offered counts as cancelled.
    pub(crate) fn read(&self, answer: &Value) -> Reply {
        let outcome = &answer["outcome"];
        if outcome["outcome"] != "selected" {
            return Reply::Cancelled;
        }
        let chosen = |scope: &&Scope| outcome["optionId"] == format!("ailang.{}", scope.name());
        match self.scopes.iter().find(chosen) {
            Some(scope) => Reply::Granted(*scope),
            None if outcome["optionId"] == DENY => Reply::Denied,
            None if outcome["optionId"] == DENY_SESSION => Reply::DeniedForSession,
            None => Reply::Cancelled,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ailang::CapabilityKind as Kind;
    use expect_test::expect;
    use ide_protocol::{Edit, FileEdit};

    use super::*;
    use crate::permission::bounds::Bounds;

    fn missing(capability: Capability) -> Missing {
        let demand = CapabilityDemand { capability: capability.id.clone(), bounds: Bounds::default() };
        Missing { demand, capability, callables: BTreeSet::from(["writeNote".to_owned()]), lost: None }
    }

    fn write() -> Capability {
        Capability::new("notes/Write", "Write notes into your workspace").kind(Kind::Edit)
    }

    fn all() -> BTreeSet<Scope> {
        Scope::ALL.into_iter().collect()
    }

    fn question(missing: Vec<Missing>) -> Question {
        let (mut questions, hopeless) = Question::group(missing, &all());
        assert!(questions.len() == 1 && hopeless.is_empty());
        questions.remove(0)
    }

    #[test]
    fn one_capability_in_version_1() {
        let mut write = missing(write());
        let paths = ["notes/**".to_owned(), "!notes/old".to_owned()];
        write.demand.bounds = Bounds::new(&BTreeMap::from([("paths".to_owned(), paths.to_vec())]));
        let params = question(vec![write]).params(1, "c", &caller("writeNote(`x`)", None));
        let expected = expect![[r#"
            {
              "sessionId": "s",
              "toolCall": {
                "toolCallId": "c",
                "title": "writeNote needs notes/Write: \"Write notes into your workspace\"",
                "kind": "edit",
                "status": "pending",
                "rawInput": {
                  "program": "writeNote(`x`)"
                },
                "content": [
                  {
                    "type": "content",
                    "content": {
                      "type": "text",
                      "text": "notes/Write, for writeNote:\n\"Write notes into your workspace\"\nlimited to paths: !notes/old, notes/**"
                    }
                  }
                ]
              },
              "options": [
                {
                  "optionId": "ailang.once",
                  "name": "Allow once",
                  "kind": "allow_once"
                },
                {
                  "optionId": "ailang.session",
                  "name": "Allow for this session",
                  "kind": "allow_always"
                },
                {
                  "optionId": "ailang.persistent",
                  "name": "Always allow",
                  "kind": "allow_always"
                },
                {
                  "optionId": "ailang.deny",
                  "name": "Deny",
                  "kind": "reject_once"
                },
                {
                  "optionId": "ailang.deny_session",
                  "name": "Deny for this session",
                  "kind": "reject_always"
                }
              ]
            }"#]];
        expected.assert_eq(&serde_json::to_string_pretty(&params).unwrap());
    }

    fn caller(program: &str, changes: Option<Changes>) -> Caller {
        Caller { session: "s".to_owned(), workspace: Some("/w".into()), program: program.to_owned(), changes }
    }

    fn renaming() -> Changes {
        let diff = "@@ 1\n-a\n+b".to_owned();
        let file = FileEdit { path: "a.rs".to_owned(), changes: 1, diff, fate: None, to: None };
        let title = "Rename `a` to `b`".to_owned();
        Changes::new(vec![Edit { id: String::new(), title, kind: None, files: vec![file] }], None)
    }

    #[test]
    fn a_change_is_named_and_shown() {
        let params = question(vec![missing(write())]).params(1, "c", &caller("x", Some(renaming())));
        assert_eq!(params["toolCall"]["title"], "Rename `a` to `b` in 1 file");
        let shown = json!({"type": "diff", "path": "/w/a.rs", "oldText": "a\n", "newText": "b\n"});
        assert_eq!(params["toolCall"]["content"][1], shown);
        assert_eq!(Question::announcement(1, &params)["content"][1], shown);
    }

    #[test]
    fn a_program_is_shown_without_what_hides_and_not_at_any_length() {
        let asked = |program: &str| question(vec![missing(write())]).params(1, "c", &caller(program, None));
        let hostile = asked("writeNote(`a\u{202E}b`)\n// \u{1b}[2J");
        assert_eq!(hostile["toolCall"]["rawInput"]["program"], "writeNote(`a\\u{202e}b`)\n// \\u{1b}[2J");
        let long = asked(&"ä".repeat(PROGRAM));
        let shown = long["toolCall"]["rawInput"]["program"].as_str().unwrap();
        assert!(shown.ends_with("ä… (cut: 8192 bytes of 16384)") && shown.len() < PROGRAM + 100);
        let text = long["toolCall"]["content"][0]["content"]["text"].as_str().unwrap();
        assert!(
            text.ends_with(
                "The program is long: the first 8192 bytes of 16384 are shown with this question."
            )
        );
    }

    #[test]
    fn several_capabilities_in_version_2() {
        let mut run = Capability::new("shell/Run", "Run commands").kind(Kind::Execute).scopes([Scope::Once]);
        run.origin = Some("shell-tools".to_owned());
        let several = question(vec![missing(write()), missing(run)]);
        let params = several.params(2, "c", &caller("x", Some(renaming())));
        let title = "2 permissions are needed: notes/Write, shell/Run (from \"shell-tools\")";
        assert_eq!(params["title"], title);
        assert_eq!(params["subject"]["type"], "tool_call");
        assert_eq!(params["subject"]["toolCall"]["kind"], "execute");
        assert_eq!(params["subject"]["toolCall"]["name"], "ide_operation");
        let description = params["description"].as_str().unwrap();
        assert!(description.contains("\n\nshell/Run (from \"shell-tools\"), for "));
        assert!(description.ends_with("\n\nIt changes 1 file:\na.rs: 1 change, +1 -1 lines"));
        assert_eq!(params["subject"]["toolCall"]["content"][1]["changes"][0]["path"], "/w/a.rs");
        let options: Vec<_> =
            params["options"].as_array().unwrap().iter().map(|it| &it["optionId"]).collect();
        assert_eq!(options, ["ailang.once", "ailang.deny", "ailang.deny_session"]);
    }

    #[test]
    fn a_document_cannot_imitate_the_frame() {
        let ask = "harmless\"\n\nfiles/Read, for you:\n\u{202E}\"look at files";
        let mut capability = Capability::new("x/Y", format!("{ask}{}", "!".repeat(500)));
        capability.origin = Some("bad\") needs (\"".to_owned());
        let question = question(vec![missing(capability)]);
        let title = question.title(None);
        assert!(
            title
                .starts_with(r#"writeNote needs x/Y (from "bad\") needs (\""): "harmless\" files/Read, for"#)
        );
        assert!(title.chars().count() < 320 && question.description().lines().count() == 2, "{title}");
    }

    #[test]
    fn only_what_was_offered_is_granted() {
        let question = question(vec![missing(write().scopes([Scope::Once]))]);
        let selected = |id: &str| json!({"outcome": {"outcome": "selected", "optionId": id}});
        for (answer, expected) in [
            (selected("ailang.once"), Reply::Granted(Scope::Once)),
            (selected("ailang.session"), Reply::Cancelled),
            (selected("ailang.persistent"), Reply::Cancelled),
            (selected("ailang.deny"), Reply::Denied),
            (selected("ailang.deny_session"), Reply::DeniedForSession),
            (selected("allow"), Reply::Cancelled),
            (json!({"outcome": {"outcome": "cancelled"}}), Reply::Cancelled),
            (json!({"outcome": {"outcome": "_other", "optionId": "ailang.once"}}), Reply::Cancelled),
            (json!({"outcome": {"optionId": "ailang.once"}}), Reply::Cancelled),
            (json!(null), Reply::Cancelled),
            (json!({}), Reply::Cancelled),
        ] {
            assert_eq!(question.read(&answer), expected, "{answer}");
        }
    }

    #[test]
    fn what_has_no_scope_in_common_is_asked_apart() {
        let of =
            |id: &str, scopes: &[Scope]| missing(Capability::new(id, "May I").scopes(scopes.iter().copied()));
        let (once, session, persistent, never) = (
            of("d/Once", &[Scope::Once]),
            of("d/Session", &[Scope::Session]),
            of("d/Persistent", &[Scope::Persistent]),
            of("d/Never", &[]),
        );
        let (questions, hopeless) = Question::group(vec![once.clone(), session, never.clone()], &all());
        assert_eq!(questions.len(), 2);
        assert_eq!(hopeless[0].capability.id, "d/Never");
        let available = BTreeSet::from([Scope::Once, Scope::Session]);
        let (questions, hopeless) = Question::group(vec![once, persistent], &available);
        assert_eq!((questions.len(), hopeless.len()), (1, 1));
        let (questions, _) = Question::group(vec![never], &all());
        assert!(questions.is_empty());
    }
}
