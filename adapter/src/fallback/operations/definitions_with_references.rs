//! Finds definitions, and the uses of the only one at the same time if they are asked for next.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::{Either, OptionFuture, select};
use ide_protocol::{
    DefinitionsQuestion, DefinitionsResult, IdeError, Location, Operation, Point, ReferencesQuestion,
    ReferencesResult, Target,
};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::definitions::{DefinitionsQuery, definitions_of_name};
use super::dispatch::{ask, language_of};
use super::handler::{Call, Handler};
use super::references::references;
use super::server_query::{Openness, ServerQuery, SyntacticAnswer};
use crate::fallback::servers::run::request::AskError;
use crate::fallback::session::Session;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::languages::Language;
use crate::fallback::source::outline;
use crate::fallback::syntactic::FallbackReason;
use crate::fallback::syntactic::candidate::{ServerDefinitions, plain};
use crate::fallback::workspace::session_folders::SessionFolders;

/// The maximum time that a definition waits for its uses, which are then asked for by themselves.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) struct Definitions;

impl Handler for Definitions {
    const OPERATION: Operation = Operation::Definitions;
    type Question = DefinitionsQuestion;

    async fn answer(call: &Call, question: DefinitionsQuestion) -> Result<DefinitionsResult, IdeError> {
        let DefinitionsQuestion { target, references_next } = question;
        let target = Arc::new(target);
        let Some(at) = &target.at else { return definitions_of_name(call, &target).await };
        let language = language_of(&call.session, &at.path)?;
        let definitions = DefinitionsQuery::new(Arc::clone(&target));
        if !references_next {
            return Ok(ask(call, language, &definitions).await?.result);
        }
        Ok(ask(call, language, &WithReferences { definitions }).await?.result)
    }
}

/// The definitions at a place, with the uses of the one whose name begins there.
///
/// A name elsewhere has its definition in a file that the question does not name. The editor's text of that file is read
/// with the question for the uses.
struct WithReferences {
    definitions: DefinitionsQuery,
}

impl ServerQuery for WithReferences {
    type Answer = ServerDefinitions;
    const SYNTAX: SyntacticAnswer = DefinitionsQuery::SYNTAX;

    async fn ask(&self, asking: &QueryContext, session: &Session) -> Result<ServerDefinitions, Problem> {
        let (target, definitions) = (&self.definitions.target, self.definitions.ask(asking, session));
        // While it loads, the syntax may have all of the definitions sooner.
        if session.is_loading(asking.server.setup.language) {
            return definitions.await;
        }
        // The server answers both at the same time.
        let references = references_at(asking, &session.roots, target);
        let (mut answer, references) = match select(Box::pin(definitions), Box::pin(references)).await {
            Either::Left((answer, references)) => {
                let answer = answer?;
                let left = asking.deadline.saturating_duration_since(Instant::now());
                let references = timeout(PATIENCE.min(left / 2), references);
                let references = is_only_at(&answer.result, target).then_some(references);
                (answer, OptionFuture::from(references).await.and_then(Result::ok).transpose()?.flatten())
            }
            Either::Right((references, definitions)) => (definitions.await?, references?),
        };
        if let (Some((of, references)), [only]) = (references, answer.result.definitions.as_slice())
            && of == Target::of(only)
        {
            answer.result.references = Some(references);
        }
        Ok(answer)
    }

    async fn ask_syntax(
        &self,
        session: &Session,
        language: &'static Language,
        reason: &FallbackReason,
    ) -> Option<ServerDefinitions> {
        self.definitions.ask_syntax(session, language, reason).await
    }

    fn openness(&self, answer: &ServerDefinitions) -> Openness {
        self.definitions.openness(answer)
    }

    fn cache_key(&self) -> Option<Value> {
        Some(json!(["definitions with references", self.definitions.target]))
    }
}

/// Returns `true` if the name of the only definition begins at the target's place.
fn is_only_at(found: &DefinitionsResult, target: &Target) -> bool {
    matches!(found.definitions.as_slice(), [only] if Some(only.name_at.location()) == target.at)
}

/// Returns the uses of the definition whose name begins at the target's place, with that name; `None` if there is none, or
/// they have to be asked for by themselves.
///
/// # Errors
/// The server died, or files changed meanwhile: both questions are asked again.
async fn references_at(
    asking: &QueryContext,
    roots: &SessionFolders,
    target: &Target,
) -> Result<Option<(Target, ReferencesResult)>, Problem> {
    let Some(at @ Location { path, line, column: Some(column) }) = &target.at else { return Ok(None) };
    let path = roots.resolve(path)?.path;
    // Whether the name is defined or used there, the file will be among those with uses.
    file_syntax::prepare(asking, &path).await;
    let nodes = asking.outline(&path).await?;
    let Some(named) = outline::named_at(&nodes, Point { line: *line, column: *column }) else {
        return Ok(None);
    };
    let target = Target { name: Some(plain(&named.node.name).to_owned()), at: Some(at.clone()) };
    let question = ReferencesQuestion { target: target.clone(), include_declaration: false };
    match references(asking, roots, &question).await {
        Ok(answer) => Ok(Some((target, answer))),
        Err(problem @ (Problem::FilesChanged | Problem::Ask(AskError::Died))) => Err(problem),
        Err(Problem::Reported(_) | Problem::Ask(_)) => Ok(None),
    }
}
