//! A program as it was written.

use serde_json::Number;
use source_text::Span;

use crate::Form;

/// An expression and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expression {
    pub(crate) kind: ExpressionKind,
    /// Its parentheses included.
    pub(crate) span: Span,
    /// How many expressions stand in each other in this one.
    pub(crate) depth: usize,
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
    /// `[1, ...more]`
    List(Vec<Element>),
    /// `{path: "src"}`
    Object(Vec<(Spelled, Expression)>),
    /// ``search(`src`, pattern=`TODO`)``, `xs.first()`
    Call(Call),
    /// `User`
    Name(String),
    /// `x => x.path`
    Lambda { parameters: Vec<Spelled>, body: Box<Expression> },
    /// `x.path`; `x?.path` is null where there is none
    Member { of: Box<Expression>, name: Spelled, or_null: bool },
    /// `xs[0]`
    Index { of: Box<Expression>, index: Box<Expression> },
    /// `!x`
    Unary { operator: &'static str, of: Box<Expression> },
    /// `a + b`
    Binary { operator: &'static str, left: Box<Expression>, right: Box<Expression> },
    /// `c ? a : b`
    Conditional { condition: Box<Expression>, then: Box<Expression>, otherwise: Box<Expression> },
    /// What could not be read; reported by the parser.
    Broken,
    /// `x = 1`, and on the next line `x + 1`
    Let { bindings: Vec<(Spelled, Expression)>, result: Box<Expression> },
}

/// An element of a list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Element {
    /// `...xs`
    pub(crate) spread: bool,
    pub(crate) value: Expression,
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
    /// `xs` of `xs.first()`: the first argument, unless `xs.first` is itself a function's name.
    pub(crate) receiver: Option<Box<Expression>>,
    /// `xs?.first()`: null where `xs` is.
    pub(crate) or_null: bool,
    pub(crate) name: Spelled,
    pub(crate) arguments: Vec<Argument>,
    /// All arguments and what encloses them, and how they are written.
    pub(crate) enclosed: Span,
    pub(crate) form: Form,
}

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Argument {
    /// `pattern=`; positional without.
    pub(crate) name: Option<Spelled>,
    pub(crate) value: Expression,
}

impl ExpressionKind {
    /// The expressions directly in this one.
    pub(crate) fn children(&self) -> Vec<&Expression> {
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::Name(_) | Self::Broken => {
                Vec::new()
            }
            Self::List(elements) => elements.iter().map(|it| &it.value).collect(),
            Self::Object(fields) => fields.iter().map(|(_, value)| value).collect(),
            Self::Call(call) => call
                .receiver
                .iter()
                .map(|it| &**it)
                .chain(call.arguments.iter().map(|it| &it.value))
                .collect(),
            Self::Lambda { body: of, .. } | Self::Member { of, .. } | Self::Unary { of, .. } => vec![of],
            Self::Index { of, index } => vec![of, index],
            Self::Binary { left, right, .. } => vec![left, right],
            Self::Conditional { condition, then, otherwise } => vec![condition, then, otherwise],
            Self::Let { bindings, result } => {
                bindings.iter().map(|(_, value)| value).chain([&**result]).collect()
            }
        }
    }
}
