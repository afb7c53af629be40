//! Signatures, in AiLang's syntax: `search(path: string, pattern: string, extension?: string) ->
//! List<FileRange>`.

mod reader;
mod types;

use std::fmt;

use crate::{Parameter, Type};

/// The name, parameters and result of a callable.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The callable's name.
    pub name: String,
    /// The parameters in the order of positional arguments; optional ones are last.
    pub parameters: Vec<Parameter>,
    /// The type of the result.
    pub returns: Type,
    /// `true` if it takes further arguments, which are not known: `greet(name: string, ...)`. Its last
    /// parameters are then [`ARGS`], a list of the further positional ones, and [`KWARGS`], an object of the
    /// named ones. A call may also give these two by name.
    pub is_open: bool,
}

/// The parameter for the further positional arguments of an open signature.
pub const ARGS: &str = "args";

/// The parameter for the further named arguments of an open signature.
pub const KWARGS: &str = "kwargs";

/// The reason why a text is not a signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("in `{text}`, at byte {at}: expected {expected}")]
pub struct SignatureError {
    /// The whole text that was read as a signature.
    pub text: String,
    /// Offset in bytes of what is wrong.
    pub at: usize,
    /// The syntax that is expected there.
    pub expected: &'static str,
}

impl Signature {
    /// Returns the signature without refinements, for catalogues where every token counts.
    pub(crate) fn plain(&self) -> Self {
        let parameters = self.parameters.iter().map(Parameter::plain).collect();
        Self { parameters, returns: self.returns.plain(), ..self.clone() }
    }

    /// Returns the signature with the names of registered types that `rename` gives.
    #[must_use]
    pub fn renamed(&self, rename: &dyn Fn(&str) -> String) -> Self {
        let parameters = self.parameters.iter().map(|it| it.renamed(rename)).collect();
        Self { parameters, returns: self.returns.renamed(rename), ..self.clone() }
    }

    /// Returns the parameters that its text names: without those for further arguments.
    pub fn named_parameters(&self) -> &[Parameter] {
        let further = if self.is_open { 2 } else { 0 };
        &self.parameters[..self.parameters.len() - further]
    }

    /// Returns the number of required parameters.
    pub fn required(&self) -> usize {
        self.parameters.iter().filter(|it| !it.optional).count()
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        let named = self.named_parameters();
        for (index, parameter) in named.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{parameter}")?;
        }
        if self.is_open {
            f.write_str(if named.is_empty() { "..." } else { ", ..." })?;
        }
        write!(f, ") -> {}", self.returns)
    }
}
