//! One call of a tool, which may ask the user of its client before it is answered.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use rmcp::model::JsonObject;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

use crate::acp::upstream::ProgressStep;
use crate::permission::asker::{Asked, Asker, PermissionQuestion};
use crate::session::Attachment;
use crate::tool::answer::Answer;
use crate::tool::{Received, Tool, broken};

/// The reason why a question has no answer.
const GONE: &str = "the call has ended";

/// The tool that a client calls, with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    /// The name of the tool.
    pub(super) name: String,
    pub(super) arguments: Option<JsonObject>,
}

/// A running call. It ends when this is dropped.
pub(super) struct Call {
    pub(super) request: Request,
    questions: UnboundedReceiver<Question>,
    answer: AbortOnDropHandle<Answer>,
}

/// The next event of a call.
pub(super) enum Event {
    Asks(Question),
    Answered(Answer),
}

/// A question of a running call, with the way back for its answer.
pub(super) struct Question {
    pub(super) question: PermissionQuestion,
    reply: oneshot::Sender<Result<Option<String>, String>>,
}

impl Question {
    /// Waits until nobody wants the answer any more.
    pub(super) async fn withdrawn(&mut self) {
        self.reply.closed().await;
    }

    /// Answers with the id of an option, with nothing, or with the reason why nobody is asked.
    pub(super) fn answer(self, answer: Result<Option<String>, String>) {
        let _nobody_waits = self.reply.send(answer);
    }
}

/// The surroundings in which a call begins.
pub(super) struct Start<'a> {
    pub(super) tool: &'a Arc<Tool>,
    pub(super) over: &'a Arc<Attachment>,
    /// The id by which the client may cancel it.
    pub(super) id: Value,
    /// The id of the call in updates of the session.
    pub(super) update_id: Option<String>,
    /// Returns who is asked, given the asker that hands questions to [`Call::next`].
    pub(super) asked: fn(Arc<dyn Asker>) -> Asked,
    /// True when somebody sees its progress, or waits for the user with it.
    pub(super) is_heard: bool,
}

impl Call {
    /// Begins a call, in a task of its own. Also returns the steps of its progress.
    pub(super) fn begin(start: Start<'_>, request: Request) -> (Self, UnboundedReceiver<ProgressStep>) {
        let Start { tool, over, id, update_id, asked, is_heard } = start;
        let (sender, questions) = unbounded_channel();
        let (progress, steps) = unbounded_channel();
        let call = over.begin_asking(id, asked(Arc::new(Channel(sender))));
        let (tool, over, wanted) = (Arc::clone(tool), Arc::clone(over), request.clone());
        let answer = tokio::spawn(async move {
            let received = Received { over: &over, call: &call, id: update_id.as_deref() };
            tool.answer(received, &wanted.name, wanted.arguments.as_ref(), (progress, is_heard)).await
        });
        (Self { request, questions, answer: AbortOnDropHandle::new(answer) }, steps)
    }

    /// Waits for the answer or the next question. Loses nothing when it is dropped.
    pub(super) async fn next(&mut self) -> Event {
        tokio::select! {
            biased;
            answered = &mut self.answer => {
                Event::Answered(answered.unwrap_or_else(|stopped| Answer::failure(broken(&stopped))))
            }
            Some(question) = self.questions.recv() => Event::Asks(question),
        }
    }
}

/// Hands the questions of a call to whoever waits for its answer.
struct Channel(UnboundedSender<Question>);

impl Asker for Channel {
    fn ask(&self, question: PermissionQuestion) -> BoxFuture<'static, Result<Option<String>, String>> {
        let (reply, answered) = oneshot::channel();
        let (sent, call) = (self.0.send(Question { question, reply }), self.0.clone());
        async move {
            sent.map_err(|_| GONE.to_owned())?;
            tokio::select! {
                answer = answered => answer.unwrap_or_else(|_| Err(GONE.to_owned())),
                () = call.closed() => Err(GONE.to_owned()),
            }
        }
        .boxed()
    }
}
