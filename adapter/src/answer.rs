//! Converts the params of a request to the fallback's types, and its answer back to JSON.

use std::sync::Arc;

use ide_protocol::{ErrorCode, Hierarchy, IdeError, Navigation, Operation};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::fallback::{Editor, Fallback, OnProgress};

/// Answers one request for an IDE operation with the fallback.
pub(crate) async fn answer(
    fallback: &Fallback,
    operation: Operation,
    params: Value,
    on_progress: OnProgress,
    editor: Arc<dyn Editor>,
) -> Result<Value, IdeError> {
    match operation {
        Operation::Definitions => write(fallback.definitions(read(operation, params)?, on_progress).await),
        Operation::Declarations => {
            write(fallback.navigate(Navigation::Declarations, read(operation, params)?, on_progress).await)
        }
        Operation::TypeDefinitions => {
            write(fallback.navigate(Navigation::TypeDefinitions, read(operation, params)?, on_progress).await)
        }
        Operation::Implementations => {
            write(fallback.navigate(Navigation::Implementations, read(operation, params)?, on_progress).await)
        }
        Operation::References => write(fallback.references(read(operation, params)?, on_progress).await),
        Operation::Callers => {
            write(fallback.hierarchy(Hierarchy::Callers, read(operation, params)?, on_progress).await)
        }
        Operation::Callees => {
            write(fallback.hierarchy(Hierarchy::Callees, read(operation, params)?, on_progress).await)
        }
        Operation::Supertypes => {
            write(fallback.hierarchy(Hierarchy::Supertypes, read(operation, params)?, on_progress).await)
        }
        Operation::Subtypes => {
            write(fallback.hierarchy(Hierarchy::Subtypes, read(operation, params)?, on_progress).await)
        }
        Operation::Description => write(fallback.description(read(operation, params)?, on_progress).await),
        Operation::Outline => write(fallback.outline(read(operation, params)?, on_progress).await),
        Operation::FileDefinitions => {
            write(fallback.file_definitions(read(operation, params)?, on_progress).await)
        }
        Operation::Members => write(fallback.members(read(operation, params)?).await),
        Operation::Exports => write(fallback.exports(read(operation, params)?).await),
        Operation::Imports => write(fallback.imports(read(operation, params)?).await),
        Operation::Importers => write(fallback.importers(read(operation, params)?).await),
        Operation::Symbols => write(fallback.symbols(read(operation, params)?, on_progress).await),
        Operation::Files => write(fallback.files(read(operation, params)?).await),
        Operation::Diagnostics => write(fallback.diagnostics(read(operation, params)?, on_progress).await),
        Operation::Search => write(fallback.search(read(operation, params)?).await),
        Operation::Matches => write(fallback.matches(read(operation, params)?).await),
        Operation::Lines => write(fallback.lines(read(operation, params)?).await),
        Operation::Rename => write(fallback.rename(read(operation, params)?, on_progress).await),
        Operation::CodeActions => write(fallback.code_actions(read(operation, params)?, on_progress).await),
        Operation::TakeAction => write(fallback.take_action(read(operation, params)?, on_progress).await),
        Operation::Format => write(fallback.format(read(operation, params)?, on_progress).await),
        Operation::OrganizeImports => {
            write(fallback.organize_imports(read(operation, params)?, on_progress).await)
        }
        Operation::Text => write(fallback.text(read(operation, params)?).await),
        Operation::Draft => write(fallback.draft(read(operation, params)?).await),
        Operation::EditedTexts => write(fallback.edited_texts(read(operation, params)?).await),
        Operation::Edits => write(fallback.edits(&read(operation, params)?)),
        Operation::Apply => write(fallback.apply(read(operation, params)?, editor).await),
        Operation::Selection => {
            let message = "Only an editor knows the user's selection.";
            Err(IdeError::new(ErrorCode::Unavailable, message))
        }
    }
}

fn read<T: DeserializeOwned>(operation: Operation, params: Value) -> Result<T, IdeError> {
    serde_json::from_value(params).map_err(|error| {
        let message = format!("The params of `{}` cannot be read: {error}.", operation.method());
        IdeError::new(ErrorCode::InvalidRequest, message)
    })
}

fn write<T: Serialize>(answer: Result<T, IdeError>) -> Result<Value, IdeError> {
    answer.map(|it| serde_json::to_value(it).expect("results are plain data with text keys"))
}
