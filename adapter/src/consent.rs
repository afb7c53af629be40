//! The permission request that asks the user to trust a workspace: pure JSON, for versions 1 and 2 of ACP.

use std::path::PathBuf;

use serde_json::{Value, json};
use source_text::visible_line;

use crate::fallback::Consent;

/// The request's method.
pub(crate) const METHOD: &str = "session/request_permission";

/// The tool call's id in the editor's list of calls.
pub(crate) const CALL: &str = "dialect-trust";

const DESCRIPTION: &str = "Language servers know more of a project when they may run code of it: build scripts, \
procedural macros, plugins, its own interpreter. Until you say so, none of it runs, and the agent gets the answers \
that are possible without. What you say for good is kept outside of the project; `dialect trust` shows it and takes \
it back.";

/// The description for a confined workspace; `{}` stands for the denied access.
const CONFINED: &str = "Language servers of this project run behind a wall that keeps them from your files and the \
network. It was in the way: {}. Trusting the project takes the wall away: its code then runs with your rights. What you say \
for good is kept outside of the project; `dialect trust` shows it and takes it back.";

/// Returns the request's params for a version of ACP. `denial` describes an access that the wall denied.
pub(crate) fn question(version: u64, session: &str, folders: &[PathBuf], denial: Option<&str>) -> Value {
    let names: Vec<_> =
        folders.iter().map(|it| visible_line(&it.display().to_string(), usize::MAX)).collect();
    let title = format!("Trust {}? Language servers may then run code of it", names.join(" and "));
    let description = match denial {
        Some(denial) => CONFINED.replace("{}", &visible_line(denial, usize::MAX)),
        None => DESCRIPTION.to_owned(),
    };
    let content = json!([{"type": "content", "content": {"type": "text", "text": description}}]);
    let mut call =
        json!({"toolCallId": CALL, "title": title, "kind": "other", "status": "pending", "content": content});
    let options = json!([
        {"optionId": "once", "name": "Trust for now", "kind": "allow_once"},
        {"optionId": "always", "name": "Always trust", "kind": "allow_always"},
        {"optionId": "later", "name": "Not now", "kind": "reject_once"},
        {"optionId": "never", "name": "Never", "kind": "reject_always"},
    ]);
    if version < 2 {
        return json!({"sessionId": session, "toolCall": call, "options": options});
    }
    call["name"] = json!(CALL);
    let subject = json!({"type": "tool_call", "toolCall": call});
    json!({
        "sessionId": session, "title": title, "description": description, "subject": subject, "options": options,
    })
}

/// Returns the update that completes the tool call in the editor's list.
pub(crate) fn completed_update(session: &str, consent: Consent) -> Value {
    let status = if matches!(consent, Consent::Once | Consent::Always) { "completed" } else { "failed" };
    let update = json!({"sessionUpdate": "tool_call_update", "toolCallId": CALL, "status": status});
    json!({"sessionId": session, "update": update})
}

/// Returns the update that shows the tool call before the question is sent.
pub(crate) fn pending_update(version: u64, question: &Value) -> Value {
    let (call, kind) = match version {
        0 | 1 => (&question["toolCall"], "tool_call"),
        _ => (&question["subject"]["toolCall"], "tool_call_update"),
    };
    let mut update = json!({"sessionUpdate": kind});
    call.as_object().into_iter().flatten().for_each(|(key, value)| update[key] = value.clone());
    json!({"sessionId": question["sessionId"], "update": update})
}

/// Reads the user's choice from the editor's response. Anything unexpected is no consent.
pub(crate) fn answer(result: &Value) -> Consent {
    let outcome = &result["outcome"];
    match (outcome["outcome"].as_str(), outcome["optionId"].as_str()) {
        (Some("selected"), Some("once")) => Consent::Once,
        (Some("selected"), Some("always")) => Consent::Always,
        (Some("selected"), Some("never")) => Consent::Never,
        _ => Consent::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_consents_is_consent() {
        let selected = |id: &str| answer(&json!({"outcome": {"outcome": "selected", "optionId": id}}));
        let all = ["once", "always", "never", "later", "yes"].map(selected);
        use Consent::{Always, Never, Nothing, Once};
        assert_eq!(all, [Once, Always, Never, Nothing, Nothing]);
        for odd in [json!(null), json!({"outcome": "once"}), json!({"outcome": {"outcome": "cancelled"}})] {
            assert_eq!(answer(&odd), Nothing);
        }
    }

    #[test]
    fn a_folder_cannot_hide_its_name() {
        let asked = question(2, "s", &["/home/o'brien/w\u{202e}tsurt\u{200b}é".into()], None);
        let expected =
            "Trust /home/o'brien/w\\u{202e}tsurt\\u{200b}é? Language servers may then run code of it";
        assert_eq!(asked["title"], expected);
    }

    #[test]
    fn both_versions_have_the_same_options() {
        let [one, two] = [1, 2].map(|version| question(version, "s", &["/w".into()], None));
        assert_eq!(one["options"], two["options"]);
        assert_eq!(one["toolCall"]["title"], two["title"]);
        assert_eq!(pending_update(1, &one)["update"]["sessionUpdate"], "tool_call");
        assert_eq!(pending_update(2, &two)["update"]["toolCallId"], CALL);
    }
}
