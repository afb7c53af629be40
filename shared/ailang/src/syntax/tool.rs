//! Tools.

use super::{Block, CapabilityExpression, Parameters, Path, Type};

/// A tool: `tool search(query: string) -> List<string> requires Read throws NotFound { … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The parameters.
    pub parameters: Parameters,
    /// The type of the result; `None` if it is missing.
    pub returns: Option<Type>,
    /// The capabilities that all have to be granted before it runs.
    pub requires: Vec<CapabilityExpression>,
    /// The errors that it may throw.
    pub throws: Vec<Path>,
    /// The body: statements, or only comments.
    pub body: Option<Block>,
}
