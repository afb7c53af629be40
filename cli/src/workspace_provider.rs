//! The code of a workspace behind tools: each call is a program for the chain that agents use.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use agent_client_protocol::Error;
use ailang::Provider;
use component::vocabulary;
use dialect::{Failure, FailureKind, Handler, Interrupt, Invocation, Object, Value};
use futures::FutureExt;
use futures::future::{BoxFuture, LocalBoxFuture};
use serde_json::{Value as Json, json};

use crate::ailang::Conversation;
use crate::answer::Answer;
use crate::arguments::Trust;
use crate::environment::workspace;
use crate::eval::chain_for;
use crate::failure::Failure as Failed;
use crate::output::complain;
use crate::progress;
use crate::stub::{Session, converse};

/// Sets up the chain in a workspace, and runs `conversation` with a provider of its functions.
pub(crate) fn within(
    folder: PathBuf,
    timeout: u64,
    conversation: Conversation,
) -> LocalBoxFuture<'static, Result<u8, Failed>> {
    let conversation = async move {
        let folder = workspace(Some(&folder))?;
        let chain = chain_for(Trust::default(), &[], timeout, None)?;
        let names = vocabulary().signatures().map(|it| it.name.clone()).collect();
        let shown = progress::begin();
        let asking = converse(chain, &folder, Box::new(progress::step), async |session| {
            let code = conversation(Arc::new(Workspace { session, names })).await;
            drop(shown);
            Ok::<_, Error>(code)
        });
        asking.await?
    };
    conversation.boxed_local()
}

/// The functions of a workspace.
struct Workspace {
    session: Session,
    names: HashSet<String>,
}

impl Provider for Workspace {
    fn implementation(&self, tool: &str) -> Option<Arc<dyn Handler>> {
        if !self.names.contains(tool) {
            return None;
        }
        let (session, tool) = (self.session.clone(), tool.to_owned());
        Some(Arc::new(move |invocation: Invocation| {
            let (session, program) = (session.clone(), call(&tool, &invocation.arguments.0));
            async move { value(&ask(&session, &program).await) }
        }))
    }

    fn run(&self, program: &str) -> Option<BoxFuture<'static, Result<String, String>>> {
        let (session, program) = (self.session.clone(), program.to_owned());
        let answer = async move {
            let answer = ask(&session, &program).await;
            match answer["outcome"].as_str() {
                Some("success") => Ok(answer["value"].to_string()),
                _ => Err(answer["message"].as_str().unwrap_or_default().to_owned()),
            }
        };
        Some(answer.boxed())
    }
}

/// Returns the call as a program.
fn call(tool: &str, arguments: &Object) -> String {
    let each = arguments.iter().map(|(name, value)| format!("{name}=quote({})", dialect::show(value)));
    format!("{tool}({})", each.collect::<Vec<_>>().join(", "))
}

/// Runs a program, and returns its outcome as JSON. Notes go to standard error.
async fn ask(session: &Session, program: &str) -> Json {
    match session.ask(program).await {
        Ok(result) => {
            let answer = Answer::of(&result).to_json();
            let notes = answer["notes"].as_array().into_iter().flatten();
            notes.filter_map(Json::as_str).for_each(complain);
            answer
        }
        Err(error) => json!({"outcome": "failure", "message": error.to_string()}),
    }
}

/// Returns the value of an outcome, or its failure.
fn value(answer: &Json) -> Result<Value, Interrupt> {
    let message = answer["message"].as_str().unwrap_or_default();
    match answer["outcome"].as_str() {
        Some("success") => Ok(answer["value"].clone().into()),
        Some("ambiguity") => {
            let each = answer["candidates"].as_array().into_iter().flatten();
            let candidates = each.map(|it| json!({"label": it["description"], "program": it["program"]}));
            let candidates = Value::from(Json::Array(candidates.collect()));
            let carries = [("question", message.into()), ("candidates", candidates)];
            Err(with_message(Failure::thrown("AmbiguousError", carries), message))
        }
        _ => Err(with_message(Failure::thrown("InternalError", [("message", message.into())]), message)),
    }
}

fn with_message(mut failure: Failure, words: &str) -> Interrupt {
    if let FailureKind::Raised { message, .. } = &mut *failure.kind {
        words.clone_into(message);
    }
    failure.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_a_program_whose_arguments_are_data() {
        let arguments = Object::from_iter([
            ("symbol".to_owned(), Value::from(json!({"name": "a`b", "line": 3}))),
            ("all".to_owned(), true.into()),
        ]);
        let program = call("findReferences", &arguments);
        assert_eq!(program, r#"findReferences(symbol=quote({"name":"a`b","line":3}), all=quote(true))"#);
        assert!(dialect::read(&program).is_ok());
    }

    #[test]
    fn an_outcome_is_a_value_or_an_error() {
        assert_eq!(value(&json!({"outcome": "success", "value": [1]})), Ok(Value::from(json!([1]))));
        let question = json!({"outcome": "ambiguity", "message": "Which?", "candidates": [
            {"description": "one", "program": "1"}, {"description": "two", "program": "2"}
        ]});
        let failure = value(&question).unwrap_err().into_failure().unwrap();
        let FailureKind::Raised { name, message, carries, .. } = *failure.kind else {
            panic!("it is raised")
        };
        assert_eq!((name.as_str(), message.as_str()), ("AmbiguousError", "Which?"));
        assert_eq!(carries["candidates"].to_json()[1], json!({"label": "two", "program": "2"}));
    }
}
