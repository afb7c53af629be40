//! Lists what a module offers to others.

use std::time::Instant;

use ide_protocol::{Completeness, ErrorCode, ExportsQuestion, ExportsResult, IdeError, Operation, Source};

use super::handler::{Call, Handler};
use super::imports::check_language;
use crate::fallback::syntactic::exports;
use crate::fallback::syntactic::modules::Modules;
use crate::fallback::workspace::session_folders::SessionFolders;

pub(crate) struct Exports;

impl Handler for Exports {
    const OPERATION: Operation = Operation::Exports;
    type Question = ExportsQuestion;

    async fn answer(call: &Call, question: ExportsQuestion) -> Result<ExportsResult, IdeError> {
        let deadline = call.within.deadline;
        call.blocking(move |session| answer(&session.roots, &question.path, deadline)).await
    }
}

fn answer(roots: &SessionFolders, path: &str, deadline: Instant) -> Result<ExportsResult, IdeError> {
    let place = roots.resolve(path)?;
    let file = match place.path.is_dir() {
        false => place.path,
        true => Modules::new(roots).index_of(&place.path).ok_or_else(|| no_index(path))?,
    };
    check_language(path, &file)?;
    let mut exports = exports::Exports::new(roots, deadline);
    let definitions = exports.of_file(&file);
    let completeness = Completeness::with(Source("syntax".into()), exports.reasons());
    Ok(ExportsResult { completeness, definitions })
}

fn no_index(path: &str) -> IdeError {
    let message =
        format!("the folder `{path}` has no index file, such as `index.ts`, `__init__.py` or `lib.rs`");
    IdeError::new(ErrorCode::InvalidRequest, message).recovery(format!(
        "Name one of its files; files(`{path}`) lists them. definitions(`{path}`) lists all definitions."
    ))
}
