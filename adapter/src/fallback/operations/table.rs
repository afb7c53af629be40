//! The table of operations.

use futures::future::BoxFuture;
use ide_protocol::{Envelope, ErrorCode, IdeError, Operation, Request};
use serde_json::Value;

use super::handler::{Call, Handler, ResultOf};
use super::{
    apply, code_actions, definitions_with_references, description, diagnostics, exports, file_definitions,
    files, hierarchy, hit_context, imports, layout, lines, matches, members, navigation, outline,
    recent_changes, references, rename, search, selection, symbols, take_action, texts,
};
use crate::fallback::session::completeness::Qualified;

/// Makes [`answer`], a match over all operations, of the types that implement [`Handler`].
macro_rules! operations {
    ($($handler:path,)*) => {
        /// Answers a request for an operation. `begin` finds the session of the request.
        pub(crate) fn answer<'call>(
            operation: Operation,
            params: Value,
            begin: impl FnOnce(&Envelope) -> Result<Call, IdeError> + Send + 'call,
        ) -> BoxFuture<'call, Result<Value, IdeError>> {
            match operation {
                $(<$handler as Handler>::OPERATION => Box::pin(run::<$handler>(params, begin)),)*
            }
        }
    };
}

operations! {
    definitions_with_references::Definitions,
    navigation::Declarations,
    navigation::TypeDefinitions,
    navigation::Implementations,
    references::References,
    hierarchy::Callers,
    hierarchy::Callees,
    hierarchy::Supertypes,
    hierarchy::Subtypes,
    description::Description,
    outline::Outline,
    file_definitions::FileDefinitions,
    members::Members,
    exports::Exports,
    imports::Imports,
    imports::Importers,
    symbols::Symbols,
    files::Files,
    diagnostics::Diagnostics,
    search::Search,
    hit_context::HitContext,
    matches::Matches,
    lines::Lines,
    texts::Text,
    selection::Selection,
    rename::Rename,
    code_actions::CodeActions,
    take_action::TakeAction,
    layout::Format,
    layout::OrganizeImports,
    texts::Draft,
    apply::Edits,
    apply::EditedTexts,
    recent_changes::RecentChanges,
    apply::Apply,
}

/// Converts the params of a request to the operation's question, and its answer back to JSON.
async fn run<H: Handler>(
    params: Value,
    begin: impl FnOnce(&Envelope) -> Result<Call, IdeError>,
) -> Result<Value, IdeError>
where
    ResultOf<H>: Qualified,
{
    let Request { envelope, question } = serde_json::from_value(params).map_err(|error| {
        let message = format!("The params of `{}` cannot be read: {error}.", H::OPERATION.method());
        IdeError::new(ErrorCode::InvalidRequest, message)
    })?;
    let call = begin(&envelope)?;
    let answer = H::answer(&call, question).await?.noting(call.session.roots.other_tree_remark());
    Ok(serde_json::to_value(answer).expect("results are plain data with text keys"))
}
