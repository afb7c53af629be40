//! Tools and parameters.

use source_text::Span;

use super::{Block, CapabilityExpression, Documentation, Literal, Name, Path, Type};

/// `tool search(query: string) -> List<string> requires Read throws NotFound { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// What it takes.
    pub parameters: Parameters,
    /// What it gives; `None` when that is not said.
    pub returns: Option<Type>,
    /// What has to be granted before it runs: all of these.
    pub requires: Vec<CapabilityExpression>,
    /// The errors with which it may fail.
    pub throws: Vec<Path>,
    /// What stands between its braces: a program, or only comments.
    pub body: Option<Block>,
}

/// What stands between the parentheses of a tool, an error, a method or a function type.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The parameters.
    pub list: Vec<Parameter>,
    /// `(...)`: they are left out.
    pub elided: bool,
    /// The parentheses included.
    pub span: Span,
}

/// A declared parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// What it is called.
    pub name: Name,
    /// `name?`: whether it may be left out. One with a default may as well.
    pub optional: bool,
    /// What it takes; `None` when that is not said.
    pub ty: Option<Type>,
    /// The comments around it.
    pub documentation: Documentation,
    /// From its name to its end.
    pub span: Span,
}

impl Parameter {
    /// The value that it has when it is left out.
    pub fn default(&self) -> Option<&Literal> {
        self.ty.as_ref()?.default()
    }

    /// Whether it must be given.
    pub fn is_required(&self) -> bool {
        !self.optional && self.default().is_none()
    }
}
