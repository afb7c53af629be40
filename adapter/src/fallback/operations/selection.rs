//! The user's selection, which no language server knows.

use ide_protocol::{ErrorCode, IdeError, Operation, SelectionQuestion};

use super::handler::{Call, Handler, ResultOf};

pub(crate) struct Selection;

impl Handler for Selection {
    const OPERATION: Operation = Operation::Selection;
    type Question = SelectionQuestion;

    async fn answer(_: &Call, _: SelectionQuestion) -> Result<ResultOf<Self>, IdeError> {
        Err(IdeError::new(ErrorCode::Unavailable, "Only an editor knows the user's selection."))
    }
}
