//! The outline: all definitions in a text.

use source_text::Span;

use crate::{Kind, Visibility, signature};

/// The definitions in a text, in order, each before those inside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The definitions, in order of their start.
    pub definitions: Vec<Definition>,
    /// The index of the definition that each one lies in.
    pub(crate) lies_in: Vec<Option<usize>>,
    /// For each one, true if it is an expression. Then the code before its body belongs to the code around it.
    pub(crate) is_expression: Vec<bool>,
    /// Stretches of test code, in order and disjoint.
    pub(crate) tests: Vec<Span>,
    /// Parts of types that declare how they are called, in order and disjoint.
    pub(crate) signatures: Vec<Span>,
    /// True if there may be more: parts of the text do not parse, or it has more definitions than the limit.
    pub is_partial: bool,
}

impl Outline {
    /// Returns the outline of a text that is not parsed: there may be definitions.
    pub(crate) fn of_unparsed() -> Self {
        Self { is_partial: true, ..Self::default() }
    }
}

/// A definition in a file, by its ranges. All spans count bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The name without its container.
    pub name: String,
    /// The kind, which the syntax decides: a function in a class is a method.
    pub kind: Kind,
    /// The definition around it, as an index into [`Outline::definitions`].
    pub parent: Option<usize>,
    /// The owner, if that is written with the name instead of around the definition: the `User` of `func (u
    /// *User) Name()` or `User::name() {}`.
    pub owner: Option<String>,
    /// The whole definition, with the documentation, attributes and decorators before it.
    pub whole: Span,
    /// The range of its name.
    pub name_at: Span,
    /// The head: the part before its body or value, without documentation and attributes.
    pub signature: Span,
    /// The head with the value, if there is one.
    pub with_value: Span,
    /// The visibility, by the keywords or the name's form in the language.
    pub visibility: Visibility,
    /// True for test code: a test, or part of code that only tests use.
    pub is_test: bool,
    /// True if a call or a macro makes it and its name is an argument, as in `it("…")` and `TEST(…)`. Code does not
    /// call it by that name.
    pub is_made: bool,
    /// True if its body is here. Otherwise it is a declaration, or consists of its value.
    pub has_body: bool,
    /// The types that it derives from, extends or implements, as written.
    pub bases: Vec<String>,
}

impl Outline {
    /// Returns the definitions around one, the outermost first.
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

    /// Returns the names of the definitions around one and its owner, the outermost first.
    pub fn container(&self, definition: &Definition) -> Vec<String> {
        let mut path: Vec<String> = self.around(definition).into_iter().map(|it| it.name.clone()).collect();
        path.extend(definition.owner.clone());
        path
    }

    /// Returns the definitions directly inside one, with their indices; for `None`, those at the top level.
    pub fn inside(&self, parent: Option<usize>) -> impl Iterator<Item = (usize, &Definition)> {
        self.definitions.iter().enumerate().filter(move |(_, it)| it.parent == parent)
    }

    /// Returns true if a byte offset lies in test code.
    pub fn is_test(&self, offset: usize) -> bool {
        is_in(&self.tests, offset)
    }

    /// Returns true if a byte offset lies in the signature of the definition around it, see [`Outline::enclosing`]. A
    /// type's signature includes the parts that declare how it is called.
    pub fn is_signature(&self, offset: usize) -> bool {
        self.enclosing(offset).is_some_and(|it| {
            it.signature.range().contains(&offset) || it.kind.is_type() && is_in(&self.signatures, offset)
        })
    }
}

/// Returns true if an offset lies in one of the stretches, which are in order and disjoint.
fn is_in(stretches: &[Span], offset: usize) -> bool {
    let after = stretches.partition_point(|it| it.start <= offset);
    after.checked_sub(1).is_some_and(|last| offset < stretches[last].end)
}

impl Definition {
    /// Returns true if it holds code that runs when called or read.
    pub fn is_code(&self) -> bool {
        self.kind.is_callable() || self.kind == Kind::Property && self.has_body
    }

    /// Returns its head with its value in one line, without its body, cut to a readable width.
    pub fn signature(&self, text: &str) -> String {
        signature::line(text, self.with_value)
    }
}
