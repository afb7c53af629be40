//! A program as it was written.

use serde_json::Number;
use source_text::Span;

/// An expression and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expression {
    pub(crate) kind: ExpressionKind,
    pub(crate) span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ExpressionKind {
    /// `null`
    Null,
    /// `true`
    Bool(bool),
    /// `3`
    Number(Number),
    /// `` `User` ``
    Text(String),
    /// `[1, 2]`
    List(Vec<Expression>),
    /// `{path: "src"}`
    Object(Vec<(Spelled, Expression)>),
    /// ``search(`src`, pattern=`TODO`)``
    Call(Call),
    /// `User`
    Name(String),
}

/// A name, or the text of a key, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spelled {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: Spelled,
    pub(crate) arguments: Vec<Argument>,
    /// From the opening bracket to the closing one, both included.
    pub(crate) brackets: Span,
}

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Argument {
    /// `pattern=`; positional without.
    pub(crate) name: Option<Spelled>,
    pub(crate) value: Expression,
}
