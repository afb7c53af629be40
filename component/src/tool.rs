//! The tool `ide_operation`: program text in, content blocks out.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use crate::interpret;
use crate::session::{Attachment, RunningCall};
use crate::upstream::{Asker, Step, Upstream};

/// The tool's name.
pub(crate) const NAME: &str = "ide_operation";

/// What a call comes to: text blocks, the value or the message alone in the first.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) blocks: Vec<String>,
    pub(crate) kind: Kind,
}

/// The three outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Success,
    Failure,
    Ambiguity,
}

impl Kind {
    /// For programs that have to tell them apart.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Ambiguity => "ambiguity",
        }
    }
}

impl Answer {
    pub(crate) fn failure(text: impl Into<String>) -> Self {
        Self { blocks: vec![text.into()], kind: Kind::Failure }
    }
}

/// The tool of one connection.
pub(crate) struct Tool {
    upstream: Arc<Upstream>,
    deadline: Duration,
    budget: usize,
}

impl Tool {
    pub(crate) fn new(upstream: Arc<Upstream>, deadline: Duration, budget: usize) -> Self {
        Self { upstream, deadline, budget }
    }

    /// Answers a call: never an error of the protocol, which agents hide from their models.
    pub(crate) async fn answer(
        &self,
        attachment: &Attachment,
        call: &RunningCall,
        arguments: Option<&Map<String, Value>>,
        steps: UnboundedSender<Step>,
    ) -> Answer {
        let program = match program(arguments) {
            Ok(program) => program,
            Err(answer) => return answer,
        };
        tokio::select! {
            answer = self.run(attachment, program, steps) => answer,
            () = call.cancelled() => Answer::failure("The call was cancelled."),
        }
    }

    async fn run(&self, attachment: &Attachment, program: String, steps: UnboundedSender<Step>) -> Answer {
        let deadline = Instant::now() + self.deadline;
        let Some(session) = attachment.session().await else {
            return Answer::failure(
                "This tool server belongs to no session yet: the agent has not answered the request that sets \
                 the session up. Call again once the session is open.",
            );
        };
        let asker = Arc::new(self.upstream.asker(session, deadline, steps));
        // Off the connection's task, so that a program that computes does not hold messages up.
        let interpreter = tokio::spawn(interpret::interpret(program, Arc::clone(&asker), self.budget));
        match tokio::time::timeout_at(deadline, AbortOnDropHandle::new(interpreter)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(stopped)) => Answer::failure(broken(&stopped)),
            Err(_) => Answer::failure(too_late(self.deadline, &asker)),
        }
    }
}

/// The program in a call's arguments, or how to call.
fn program(arguments: Option<&Map<String, Value>>) -> Result<String, Answer> {
    match arguments.and_then(|it| it.get("program")) {
        Some(Value::String(program)) => Ok(program.clone()),
        Some(other) => Err(Answer::failure(format!(
            "`program` must be a string that holds a program, not {}. {EXAMPLE}",
            kind(other)
        ))),
        None => Err(Answer::failure(format!("The argument `program` is missing. {EXAMPLE}"))),
    }
}

const EXAMPLE: &str = r#"Call it like this: {"program": "findReferences(`User`)"}"#;

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn too_late(deadline: Duration, asker: &Asker) -> String {
    let seconds = deadline.as_secs_f64();
    match asker.waiting_for() {
        Some(questions) => format!(
            "Stopped after {seconds} s, while waiting for an answer to {questions}. The same program may succeed \
             later; a narrower one (a folder, one name) may succeed now."
        ),
        None => format!("Stopped after {seconds} s of computing. Ask for less in one program."),
    }
}

fn broken(stopped: &tokio::task::JoinError) -> String {
    tracing::error!(%stopped, "the interpreter stopped");
    "The interpreter broke down on this program, which is a bug in Dialect. Try it in smaller steps."
        .to_owned()
}

/// The arguments' schema.
pub(crate) fn input_schema() -> Map<String, Value> {
    let schema = json!({
        "type": "object",
        "properties": {
            "program": {"type": "string", "description": "A Dialect program, e.g. findReferences(`User`)"},
        },
        "required": ["program"],
    });
    match schema {
        Value::Object(schema) => schema,
        _ => unreachable!("the literal above is an object"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(arguments: Value) -> String {
        let answer = program(arguments.as_object()).unwrap_err();
        assert_eq!(answer.kind, Kind::Failure);
        answer.blocks.concat()
    }

    #[test]
    fn wrong_arguments_are_answered_with_the_right_call() {
        for (arguments, problem) in [
            (json!(null), "is missing"),
            (json!({"code": "1"}), "is missing"),
            (json!({"program": 7}), "not a number"),
            (json!({"program": {"findReferences": "User"}}), "not an object"),
        ] {
            let text = refused(arguments);
            assert!(text.contains(problem) && text.contains(EXAMPLE), "{text}");
        }
        assert_eq!(program(json!({"program": "1", "extra": 2}).as_object()), Ok("1".to_owned()));
    }
}
