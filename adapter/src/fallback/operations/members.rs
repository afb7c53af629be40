//! Lists the members of a type.

use ide_protocol::{ErrorCode, IdeError, MembersQuestion, MembersResult, Operation};

use super::dispatch::language_of;
use super::handler::{Call, Handler};
use crate::fallback::syntactic;

pub(crate) struct Members;

impl Handler for Members {
    const OPERATION: Operation = Operation::Members;
    type Question = MembersQuestion;

    async fn answer(
        call: &Call,
        MembersQuestion { target }: MembersQuestion,
    ) -> Result<MembersResult, IdeError> {
        let Some(at) = &target.at else {
            let message = "`members` needs the place of a definition";
            return Err(IdeError::new(ErrorCode::InvalidRequest, message));
        };
        let language = language_of(&call.session, &at.path)?;
        syntactic::members(&call.session.roots, language, target, call.within.deadline).await
    }
}
