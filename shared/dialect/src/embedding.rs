//! The interface between expressions and the language of statements around them.

use std::sync::Arc;

use futures::future::BoxFuture;
use source_text::Span;

use crate::embedded::EmbeddedLambda;
use crate::{GivenArgument, Interrupt, Value};

/// The language around expressions: the meanings of names, and the rules in which its expressions differ from those of
/// programs.
pub trait Embedding: Send + Sync {
    /// Returns the value of a name.
    ///
    /// # Errors
    /// The name has none.
    fn name(&self, name: &str, span: Span) -> Result<Value, Interrupt>;

    /// Returns the value of `owner.name`, if the owner is no value but a place of definitions.
    ///
    /// # Errors
    /// The owner does not define the name, or that has no value.
    fn defined(&self, owner: &str, name: &str, span: Span) -> Result<Option<Value>, Interrupt>;

    /// Returns `true` if `owner.name(…)` calls a definition and no method of a value.
    fn calls_definition(&self, owner: &str, name: &str) -> bool;

    /// Returns `true` if `variable.method(…)` changes the variable in its place.
    fn changes(&self, variable: &str, method: &str) -> bool;

    /// Calls something.
    fn call<'a>(
        &'a self,
        callee: Callee<'a>,
        given: Vec<GivenArgument>,
        span: Span,
    ) -> BoxFuture<'a, Result<Value, Interrupt>>;

    /// Makes a function.
    fn lambda(&self, lambda: &Arc<EmbeddedLambda>) -> Value;

    /// Returns the answer to a condition; `None` for a value that is none.
    fn holds(&self, value: &Value) -> Option<bool>;

    /// Returns a member of a value; `None` if there is none.
    ///
    /// # Errors
    /// The value is an error itself.
    fn member(&self, of: &Value, name: &str, span: Span) -> Result<Option<Value>, Interrupt>;

    /// Returns an element of a value; `None` if there is none.
    ///
    /// # Errors
    /// The value is an error itself.
    fn element(&self, of: &Value, index: &Value, span: Span) -> Result<Option<Value>, Interrupt>;

    /// Returns `true` if a value is of a type, an error or a variant.
    ///
    /// # Errors
    /// The work of looking at the value is too much.
    fn is(&self, value: &Value, owner: Option<&str>, name: &str, span: Span) -> Result<bool, Interrupt>;

    /// Returns a value as a part of a text. A text is its own part.
    fn spelled(&self, value: &Value) -> String;
}

/// The callee of a call in a document: the expression before the parentheses.
#[derive(Debug)]
pub enum Callee<'a> {
    /// `f(…)`
    Name(&'a str),
    /// `mail.send(…)`
    Definition(&'a str, &'a str),
    /// `x.m(…)`
    Method(Value, &'a str),
    /// `list.push(…)`, where the list is a variable or a part of one.
    Place(Place, &'a str),
    /// `f(x)(…)`
    Value(Value),
}

/// A variable, or a part of one, which can change.
#[derive(Clone, Debug)]
pub struct Place {
    /// The name of the variable.
    pub variable: String,
    /// The names of members and the indexes on the way to the part.
    pub steps: Vec<Value>,
}
