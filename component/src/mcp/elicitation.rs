//! Questions to the user of an MCP client: a form with one choice.

use std::collections::BTreeMap;

use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, EnumSchema, InputRequest, InputRequiredResult,
};
use rmcp::service::Peer;
use rmcp::{RoleServer, model::ClientCapabilities};
use serde_json::Value;

use crate::mcp::call::Question;
use crate::permission::asker::PermissionQuestion;

/// The field of the form.
const DECISION: &str = "decision";

/// The key of the question among those that a result asks.
const KEY: &str = "permission";

/// Returns whether a client shows forms to its user. One that names no kind of elicitation has that of forms.
pub(super) fn shows_forms(capabilities: &ClientCapabilities) -> bool {
    capabilities.elicitation.as_ref().is_some_and(|it| it.form.is_some() || it.url.is_none())
}

/// Asks a client that takes requests of its server, and passes its answer on while the call runs.
pub(super) async fn ask(peer: Peer<RoleServer>, mut question: Question) {
    let form = form(&question.question);
    let answered = tokio::select! {
        answered = peer.create_elicitation(form) => answered,
        () = question.withdrawn() => return,
    };
    let choice = match answered {
        Ok(result) => Ok(choice(&question.question, &result)),
        Err(error) => Err(error.to_string()),
    };
    question.answer(choice);
}

/// Returns the result that asks a client which has to send its call again, with `state`.
pub(super) fn required(question: &PermissionQuestion, state: String) -> InputRequiredResult {
    let form = InputRequest::Elicitation(ElicitRequest::new(form(question)));
    InputRequiredResult::new(Some(BTreeMap::from([(KEY.to_owned(), form)])), Some(state))
}

/// Passes on the answer of a call that was sent again.
pub(super) fn answer(question: Question, request: &CallToolRequestParams) {
    let given = request.input_responses.as_ref().and_then(|it| it.get(KEY));
    let result = given.and_then(|it| serde_json::from_value::<ElicitResult>(it.clone()).ok());
    let choice = result.and_then(|it| choice(&question.question, &it));
    question.answer(Ok(choice));
}

fn form(question: &PermissionQuestion) -> ElicitRequestParams {
    let names = question.options.iter().map(|it| it.1.clone()).collect();
    let decision = EnumSchema::builder(names).title("Decision").build();
    let schema = ElicitationSchema::builder().required_enum_schema(DECISION, decision).build_unchecked();
    let call = Some(&question.call).filter(|it| !it.is_empty()).map(|it| format!("Program:\n{it}"));
    let parts = [question.title.clone(), question.description.clone()].into_iter().chain(call);
    let message = parts.filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n\n");
    ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema: schema }
}

/// Returns the id of the chosen option. Declining chooses the one that refuses.
fn choice(question: &PermissionQuestion, result: &ElicitResult) -> Option<String> {
    match result.action {
        ElicitationAction::Accept => {
            let chosen = result.content.as_ref()?.get(DECISION).and_then(Value::as_str)?;
            question.options.iter().find(|it| it.1 == chosen).map(|it| it.0.clone())
        }
        ElicitationAction::Decline => question.refusal.clone(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn question() -> PermissionQuestion {
        let option = |id: &str, name: &str| (id.to_owned(), name.to_owned());
        PermissionQuestion {
            title: "Edit?".into(),
            description: String::new(),
            call: "applyEdits(x)".into(),
            options: vec![option("once", "Allow once"), option("no", "Deny")],
            refusal: Some("no".into()),
        }
    }

    #[test]
    fn a_form_has_the_options_by_name() {
        let form = serde_json::to_value(form(&question())).unwrap();
        assert_eq!(form["message"], "Edit?\n\nProgram:\napplyEdits(x)");
        let decision = &form["requestedSchema"]["properties"]["decision"];
        assert_eq!(
            (&decision["type"], &decision["enum"]),
            (&json!("string"), &json!(["Allow once", "Deny"]))
        );
    }

    #[test]
    fn only_what_was_offered_is_chosen() {
        let chosen = |result: Value| choice(&question(), &serde_json::from_value(result).unwrap());
        let accepted = |it: &str| chosen(json!({"action": "accept", "content": {"decision": it}}));
        assert_eq!(accepted("Allow once").as_deref(), Some("once"));
        assert_eq!(accepted("Allow for ever"), None);
        assert_eq!(chosen(json!({"action": "accept"})), None);
        assert_eq!(chosen(json!({"action": "decline"})).as_deref(), Some("no"));
        assert_eq!(chosen(json!({"action": "cancel"})), None);
    }

    #[test]
    fn forms_are_what_a_client_has_that_names_no_kind() {
        let shows = |it: Value| shows_forms(&serde_json::from_value(it).unwrap());
        assert!(shows(json!({"elicitation": {}})) && shows(json!({"elicitation": {"form": {}, "url": {}}})));
        assert!(!shows(json!({})) && !shows(json!({"elicitation": {"url": {}}})));
    }
}
