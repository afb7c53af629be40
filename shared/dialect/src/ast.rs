//! The syntax tree of programs, and of code in documents.
//!
//! Spans are byte ranges of the text that was read.

pub(crate) mod build;

use serde_json::Number;
use source_text::Span;

use self::build::NOWHERE;
use crate::Form;

/// An expression and its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The kind, with the parts.
    pub kind: ExpressionKind,
    /// The place in bytes, parentheses around the expression included.
    pub span: Span,
    /// The number of nested expressions below this one.
    pub(crate) depth: usize,
}

/// The form of an expression, as it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// The word `null`.
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
    Call(Box<Call>),
    /// `User`
    Name(String),
    /// `x => x.path`
    Lambda {
        /// The names of what it takes.
        parameters: Vec<LambdaParameter>,
        /// The body; in code of documents it may be a [`ExpressionKind::Block`].
        body: Box<Expression>,
    },
    /// `x.path`; `x?.path` is null if there is no such member
    Member {
        /// `x`
        of: Box<Expression>,
        /// `path`
        name: Spelled,
        /// `true` if it is written `?.`.
        or_null: bool,
    },
    /// `xs[0]`
    Index {
        /// `xs`
        of: Box<Expression>,
        /// `0`
        index: Box<Expression>,
    },
    /// `!x`
    Unary {
        /// `!` or `-`; in code of documents also `+` and `await`.
        operator: &'static str,
        /// `x`
        of: Box<Expression>,
    },
    /// `a + b`
    Binary {
        /// One of those in GRAMMAR.md; `===` is `==`, and `!==` is `!=`.
        operator: &'static str,
        /// `a`
        left: Box<Expression>,
        /// `b`; behind `is` a name, or members of one.
        right: Box<Expression>,
    },
    /// `c ? a : b`
    Conditional {
        /// `c`
        condition: Box<Expression>,
        /// `a`
        then: Box<Expression>,
        /// `b`
        otherwise: Box<Expression>,
    },
    /// An expression that could not be read; a failure says why.
    Broken,
    /// `x = 1`, and on the next line `x + 1`
    Let {
        /// Each name and its value, visible in the bindings after it.
        bindings: Vec<(Spelled, Expression)>,
        /// The expression that the block evaluates to.
        result: Box<Expression>,
    },

    // The following are in code of documents only.
    /// `"uses of ${name}"`
    Template(Vec<TemplatePart>),
    /// `/^[a-z]+$/i`
    Pattern {
        /// The text between the slashes, escapes as they are written.
        pattern: String,
        /// The letters behind it.
        flags: String,
    },
    /// `f(x)(y)`: a call of what has no name
    Apply {
        /// `f(x)`
        function: Box<Expression>,
        /// `y`
        arguments: Vec<Argument>,
    },
    /// `{ return x }` behind `=>`: statements, which the caller reads. The span includes the braces.
    Block,
    /// `...xs` as an argument or a field (whose key is then `...`); without anything behind it, what was left out.
    Spread(Option<Box<Expression>>),
}

/// An element of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// `...xs`
    pub spread: bool,
    /// `xs`
    pub value: Expression,
}

/// A name, or the text of a key, and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Spelled {
    /// The name.
    pub text: String,
    /// The place, quotes included.
    pub span: Span,
}

/// A name for what a lambda takes.
#[derive(Clone, Debug, PartialEq)]
pub struct LambdaParameter {
    /// The name, by which the body of the lambda uses the value.
    pub name: Spelled,
    /// `x?`; in code of documents only.
    pub optional: bool,
    /// The place of its type, without the colon; in code of documents only.
    pub ty: Option<Span>,
}

/// A stretch of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum TemplatePart {
    /// The text, with escapes decoded.
    Text(String),
    /// `${name}`
    Expression(Expression),
}

/// A call as it is written: `xs.first()`, `first(xs)`, ``first `x` ``. Names are not resolved yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// `xs` of `xs.first()`: the first argument, unless `xs.first` is itself a function's name.
    pub receiver: Option<Box<Expression>>,
    /// `xs?.first()`: null where `xs` is.
    pub or_null: bool,
    /// The name that is called.
    pub name: Spelled,
    /// The arguments, in the order in which they are written.
    pub arguments: Vec<Argument>,
    /// All arguments and what encloses them.
    pub enclosed: Span,
    /// The form in which the arguments are written.
    pub form: Form,
}

/// An argument as it is written: `x`, or `pattern=x`.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// `pattern=`; positional without.
    pub name: Option<Spelled>,
    /// The value that is given.
    pub value: Expression,
}

impl From<Spelled> for LambdaParameter {
    fn from(name: Spelled) -> Self {
        Self { name, optional: false, ty: None }
    }
}

impl ExpressionKind {
    /// Returns the direct subexpressions, without those in a [`ExpressionKind::Block`].
    pub fn children(&self) -> Vec<&Expression> {
        let mut children = Vec::new();
        self.each_child(&mut |child| children.push(child));
        children
    }

    /// Calls `visit` with each of them, in order.
    pub(crate) fn each_child<'a>(&'a self, visit: &mut impl FnMut(&'a Expression)) {
        match self {
            Self::Null
            | Self::Bool(_)
            | Self::Number(_)
            | Self::Text(_)
            | Self::Name(_)
            | Self::Pattern { .. }
            | Self::Block
            | Self::Broken => {}
            Self::List(elements) => elements.iter().for_each(|it| visit(&it.value)),
            Self::Object(fields) => fields.iter().for_each(|(_, value)| visit(value)),
            Self::Call(call) => {
                call.receiver.iter().for_each(|it| visit(it));
                call.arguments.iter().for_each(|it| visit(&it.value));
            }
            Self::Apply { function, arguments } => {
                visit(function);
                arguments.iter().for_each(|it| visit(&it.value));
            }
            Self::Template(parts) => parts.iter().filter_map(TemplatePart::expression).for_each(visit),
            Self::Spread(of) => of.iter().for_each(|it| visit(it)),
            Self::Lambda { body: of, .. } | Self::Member { of, .. } | Self::Unary { of, .. } => visit(of),
            Self::Index { of, index } => [of, index].into_iter().for_each(|it| visit(it)),
            Self::Binary { left, right, .. } => [left, right].into_iter().for_each(|it| visit(it)),
            Self::Conditional { condition, then, otherwise } => {
                [condition, then, otherwise].into_iter().for_each(|it| visit(it));
            }
            Self::Let { bindings, result } => {
                bindings.iter().for_each(|(_, value)| visit(value));
                visit(result);
            }
        }
    }

    /// Calls `visit` with each of the direct subexpressions of a program, in order.
    pub(crate) fn each_child_mut(&mut self, visit: &mut impl FnMut(&mut Expression)) {
        match self {
            Self::List(elements) => elements.iter_mut().for_each(|it| visit(&mut it.value)),
            Self::Object(fields) => fields.iter_mut().for_each(|(_, value)| visit(value)),
            Self::Call(call) => {
                call.receiver.iter_mut().for_each(|it| visit(it));
                call.arguments.iter_mut().for_each(|it| visit(&mut it.value));
            }
            Self::Lambda { body: of, .. } | Self::Member { of, .. } | Self::Unary { of, .. } => visit(of),
            Self::Index { of, index } => [of, index].into_iter().for_each(|it| visit(it)),
            Self::Binary { left, right, .. } => [left, right].into_iter().for_each(|it| visit(it)),
            Self::Conditional { condition, then, otherwise } => {
                [condition, then, otherwise].into_iter().for_each(|it| visit(it));
            }
            Self::Let { bindings, result } => {
                bindings.iter_mut().for_each(|(_, value)| visit(value));
                visit(result);
            }
            // Expressions without parts, and those of documents.
            _ => {}
        }
    }
}

impl Expression {
    /// Clears all places, so that expressions from different texts can be compared.
    pub(crate) fn forget_places(&mut self) {
        (self.span, self.depth) = (NOWHERE, 0);
        let forget = |it: &mut Spelled| it.span = NOWHERE;
        match &mut self.kind {
            ExpressionKind::Object(fields) | ExpressionKind::Let { bindings: fields, .. } => {
                fields.iter_mut().for_each(|(name, _)| forget(name));
            }
            ExpressionKind::Call(call) => {
                forget(&mut call.name);
                call.enclosed = NOWHERE;
                call.arguments.iter_mut().filter_map(|it| it.name.as_mut()).for_each(forget);
            }
            ExpressionKind::Lambda { parameters, .. } => {
                parameters.iter_mut().for_each(|it| forget(&mut it.name));
            }
            ExpressionKind::Member { name, .. } => forget(name),
            _ => {}
        }
        self.kind.each_child_mut(&mut Self::forget_places);
    }
}

impl TemplatePart {
    fn expression(&self) -> Option<&Expression> {
        match self {
            Self::Text(_) => None,
            Self::Expression(expression) => Some(expression),
        }
    }
}
