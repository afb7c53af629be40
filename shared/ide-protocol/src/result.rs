//! Reading results.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::completeness::Completeness;
use crate::error::{ErrorCode, IdeError};
use crate::operation::Operation;

/// Reads the result of an operation.
///
/// # Errors
/// [`ErrorCode::ServerFailed`] if it does not have the type. Errors in the shared fields are found first.
pub fn read_result<R: DeserializeOwned>(operation: Operation, result: Value) -> Result<R, IdeError> {
    let read = Completeness::deserialize(&result).and_then(|_| serde_json::from_value(result));
    read.map_err(|error| {
        let message =
            format!("The answer to `{operation}` does not follow the protocol `ide_operations`: {error}.");
        IdeError::new(ErrorCode::ServerFailed, message)
    })
}
