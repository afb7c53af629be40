//! What a text defines.

use source_text::Span;

use crate::{Kind, Visibility, signature};

/// What a text defines: every definition, in order, each before those inside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// In order of their start.
    pub definitions: Vec<Definition>,
    /// In which definition each one lies.
    pub(crate) lies_in: Vec<Option<usize>>,
    /// Of each one whether it is an expression: what stands before its body is in what is around it.
    pub(crate) is_expression: Vec<bool>,
    /// Stretches of test code, in order, apart from each other.
    pub(crate) tests: Vec<Span>,
    /// Parts of types that say how they are called, in order, apart from each other.
    pub(crate) signatures: Vec<Span>,
    /// Whether there may be more: the text has parts that do not parse, or more definitions than are counted.
    pub is_partial: bool,
}

/// One definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its own name, without what qualifies it.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The definition around it, as an index into [`Outline::definitions`].
    pub parent: Option<usize>,
    /// What it belongs to where that stands apart from it: the `User` of `func (u *User) Name()` or `User::name() {}`.
    pub owner: Option<String>,
    /// All of it, with the documentation, attributes and decorators before it.
    pub whole: Span,
    /// Its name.
    pub name_at: Span,
    /// What stands before its body or its value, without documentation and attributes.
    pub signature: Span,
    /// The same with its value, where it has one.
    pub with_value: Span,
    /// From where it may be used.
    pub visibility: Visibility,
    /// Whether it is test code: a test, or part of what only tests use.
    pub is_test: bool,
    /// Whether a call or a macro makes it and its name is one of their arguments, as of `it("…")` and `TEST(…)`: code
    /// does not call it by that name.
    pub is_made: bool,
    /// Whether its body is here: else it is a declaration, or its value is all of it.
    pub has_body: bool,
    /// The types that it derives from, extends or implements, as written.
    pub bases: Vec<String>,
}

impl Outline {
    /// What is around a definition, the outermost first.
    pub fn around(&self, definition: &Definition) -> Vec<&Definition> {
        let mut around = Vec::new();
        let mut next = definition.parent;
        while let Some(parent) = next {
            around.push(&self.definitions[parent]);
            next = self.definitions[parent].parent;
        }
        around.reverse();
        around
    }

    /// What a definition belongs to: the names around it, the outermost first, with its owner.
    pub fn container(&self, definition: &Definition) -> Vec<String> {
        let mut path: Vec<String> = self.around(definition).into_iter().map(|it| it.name.clone()).collect();
        path.extend(definition.owner.clone());
        path
    }

    /// The definitions directly inside of one, or those that are in none.
    pub fn inside(&self, parent: Option<usize>) -> impl Iterator<Item = (usize, &Definition)> {
        self.definitions.iter().enumerate().filter(move |(_, it)| it.parent == parent)
    }

    /// Whether an offset lies in test code.
    pub fn is_test(&self, offset: usize) -> bool {
        is_in(&self.tests, offset)
    }

    /// Whether an offset lies in the signature of what is around it, see [`Outline::enclosing`]: for a type, also in what
    /// it says of how it is called.
    pub fn is_signature(&self, offset: usize) -> bool {
        self.enclosing(offset).is_some_and(|it| {
            it.signature.range().contains(&offset) || it.kind.is_type() && is_in(&self.signatures, offset)
        })
    }
}

/// Whether an offset lies in one of the stretches, which are in order and apart.
fn is_in(stretches: &[Span], offset: usize) -> bool {
    let after = stretches.partition_point(|it| it.start <= offset);
    after.checked_sub(1).is_some_and(|last| offset < stretches[last].end)
}

impl Definition {
    /// Whether it holds code that runs when it is called or read.
    pub fn is_code(&self) -> bool {
        self.kind.is_callable() || self.kind == Kind::Property && self.has_body
    }

    /// What stands before its body in one line, with its value, cut to a width that is worth reading.
    pub fn signature(&self, text: &str) -> String {
        signature::line(text, self.with_value)
    }
}
