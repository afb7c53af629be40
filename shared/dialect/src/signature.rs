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
    /// Its parameters, in order; optional ones last.
    pub parameters: Vec<Parameter>,
    /// The type of the result.
    pub returns: Type,
}

/// The reason why a text is not a signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("in `{text}`, at byte {at}: expected {expected}")]
pub struct SignatureError {
    /// The text.
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
        Self { name: self.name.clone(), parameters, returns: self.returns.plain() }
    }

    /// Returns the number of required parameters.
    pub fn required(&self) -> usize {
        self.parameters.iter().filter(|it| !it.optional).count()
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        for (index, parameter) in self.parameters.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{parameter}")?;
        }
        write!(f, ") -> {}", self.returns)
    }
}
