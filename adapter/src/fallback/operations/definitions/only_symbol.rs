//! The only symbol with a name.

use std::sync::Arc;

use ide_protocol::{DefinitionsResult, ErrorCode, IdeError, Target};

use super::definitions_of_name;
use crate::fallback::operations::handler::Call;

/// Resolves a name to its only symbol, pinned to its definition; also returns the definitions found.
///
/// # Errors
/// No symbol or several have the name, or no language can answer.
pub(crate) async fn only_symbol(
    call: &Call,
    target: Target,
) -> Result<(Target, DefinitionsResult), IdeError> {
    let name = target.name.clone().unwrap_or_default();
    let found = definitions_of_name(call, &Arc::new(target)).await?;
    let definition = match found.definitions.as_slice() {
        [one] => one,
        [] => return Err(unknown(&name, &found)),
        several => {
            let message = format!("{} symbols are called `{name}`: say which, by its place", several.len());
            return Err(IdeError::new(ErrorCode::InvalidRequest, message));
        }
    };
    Ok((Target::of(definition), found))
}

fn unknown(name: &str, found: &DefinitionsResult) -> IdeError {
    if !found.completeness.is_complete() {
        let why = found.completeness.note();
        let why = why.unwrap_or_else(|| "not everything could be looked at".to_owned());
        let message = format!("nothing called `{name}` is known yet: {why}");
        return IdeError::new(ErrorCode::NotReady, message);
    }
    let error = IdeError::new(ErrorCode::NotFound, format!("nothing is called `{name}`"));
    let near: Vec<_> = found.nearest.iter().take(5).map(|it| format!("`{it}`")).collect();
    if near.is_empty() { error } else { error.recovery(format!("There are {}.", near.join(", "))) }
}
