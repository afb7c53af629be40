//! One call of a tool or a method, and the values that it returns.

use std::sync::Arc;

use ailang::{ActiveRun, Level};
use dialect::{Failure, Invocation, Object, Value};
use serde_json::Value as Json;

use crate::program::Program;

/// A call of a tool.
pub(crate) struct Call {
    pub(crate) run: ActiveRun,
    pub(crate) program: Arc<Program>,
    pub(crate) invocation: Invocation,
}

impl Call {
    /// Returns the text of a required parameter.
    pub(crate) fn text(&self, parameter: &str) -> Result<&str, Failure> {
        self.invocation.arguments.text(parameter)
    }

    /// Returns the failure that throws an error of the modules.
    pub(crate) fn failure(&self, error: &str, params: Json) -> Failure {
        self.run.thrown(&self.run.error(error, params))
    }
}

/// Returns the level that an argument names; `None` without one.
pub(crate) fn level(invocation: &Invocation, parameter: &str) -> Option<Level> {
    Level::parse(invocation.arguments.get(parameter)?.as_text()?)
}

/// Returns the value of a `Result` or an `Option`: `Ok`, `Err`, `Some`.
pub(crate) fn variant(name: &str, value: impl Into<Value>) -> Value {
    let payload = Object::from_iter([("value".to_owned(), value.into())]);
    Object::from_iter([(name.to_owned(), payload.into())]).into()
}

/// Returns `None` of an `Option`.
pub(crate) fn none() -> Value {
    Object::from_iter([("None".to_owned(), Object::new().into())]).into()
}

/// Returns `Ok` of a value or `Err` of an error.
pub(crate) fn result(result: Result<Value, Value>) -> Value {
    match result {
        Ok(value) => variant("Ok", value),
        Err(error) => variant("Err", error),
    }
}
