//! Signatures, in AiLang's spelling:
//! `search(path: string, pattern: string, extension?: string) -> List<FileRange>`.

mod reader;
mod types;

use std::fmt;

use self::reader::Reader;
use crate::Type;
use crate::name::fold;

/// How something is called and what comes back.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The callable's name.
    pub name: String,
    /// Its parameters, in order; optional ones last.
    pub parameters: Vec<Parameter>,
    /// What it gives.
    pub returns: Type,
}

/// A declared parameter, or a field of an object's type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// Its name, by which arguments may be given.
    pub name: String,
    /// What it takes.
    pub ty: Type,
    /// Whether it may be left out: `extension?: string`, `first: number = 1`.
    pub optional: bool,
    /// What it is when it is left out: `first: number = 1`.
    pub default: Option<serde_json::Value>,
    /// Other names by which arguments may be given; a signature's text does not show them.
    pub aliases: Vec<String>,
}

impl Parameter {
    /// The same without refinements.
    pub(crate) fn plain(&self) -> Self {
        Self { ty: self.ty.plain(), ..self.clone() }
    }

    /// Whether an argument of that name is for it, ignoring case and underscores.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        std::iter::once(&self.name).chain(&self.aliases).any(|it| fold(it) == fold(name))
    }
}

/// Why a text is no signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("in `{text}`, at byte {at}: expected {expected}")]
pub struct SignatureError {
    /// The text.
    pub text: String,
    /// Offset in bytes of what is wrong.
    pub at: usize,
    /// What should stand there.
    pub expected: &'static str,
}

impl Signature {
    /// Reads `name(parameter: type, optional?: type, other: type = 1) -> type`; without the arrow it gives `any`.
    ///
    /// # Errors
    /// When the text is not of that form, names a parameter twice, or has a required parameter after an
    /// optional one.
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        Reader::all_of(text, Reader::signature)
    }

    /// The same without refinements: what is read before a first call, where each word is paid for.
    pub(crate) fn plain(&self) -> Self {
        let parameters = self.parameters.iter().map(Parameter::plain).collect();
        Self { name: self.name.clone(), parameters, returns: self.returns.plain() }
    }

    /// How many parameters must be given.
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

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.optional && self.default.is_none() { "?" } else { "" };
        let is_plain = self.name.split('.').all(crate::print::is_plain_key);
        let name = if is_plain { self.name.clone() } else { crate::types::quoted(&self.name) };
        write!(f, "{name}{mark}: {}", self.ty)?;
        self.default.as_ref().map_or(Ok(()), |default| write!(f, " = {default}"))
    }
}

/// Reads a type expression.
pub(crate) fn read_type(text: &str) -> Result<Type, SignatureError> {
    Reader::all_of(text, Reader::ty)
}
