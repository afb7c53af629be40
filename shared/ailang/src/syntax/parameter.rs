//! Parameters of tools, errors, methods and function types.

// `parameter` and `types` import each other, because the grammar is recursive: a parameter has a type, and the type of
// a function has parameters.

use source_text::Span;

use super::{Documentation, Literal, Name, Type};

/// The parameters of a tool, an error, a method or a function type.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The parameters.
    pub list: Vec<Parameter>,
    /// `true` for `(...)`, which leaves them out.
    pub elided: bool,
    /// The place, with the parentheses.
    pub span: Span,
}

/// A declared parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The name.
    pub name: Name,
    /// `true` for `name?`. A parameter with a default is optional too.
    pub optional: bool,
    /// The type; `None` if it is missing.
    pub ty: Option<Type>,
    /// The comments around it.
    pub documentation: Documentation,
    /// The place from the name to the end.
    pub span: Span,
}

impl Parameter {
    /// Returns the default.
    pub fn default(&self) -> Option<&Literal> {
        self.ty.as_ref()?.default()
    }

    /// Returns `true` without `?` and without a default.
    pub fn is_required(&self) -> bool {
        !self.optional && self.default().is_none()
    }
}
