//! The names that are bound at an expression.

use crate::name::nearest;

/// The bindings around an expression, the innermost last, and which of them were referred to.
#[derive(Debug, Default)]
pub(super) struct Scope {
    bound: Vec<Bound>,
    /// Indexes into `bound`, of everything that was referred to so far.
    referred: Vec<usize>,
}

#[derive(Debug)]
struct Bound {
    name: String,
    /// `Some(true)` for a lambda, `None` for a parameter, whose value is unknown before the program runs.
    is_function: Option<bool>,
}

/// A point in reading a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    bound: usize,
    referred: usize,
}

impl Scope {
    /// Returns the scope of a program in which these names are bound to values that are no functions.
    pub(super) fn given<'a>(names: impl Iterator<Item = &'a String>) -> Self {
        let mut scope = Self::default();
        names.for_each(|name| scope.bind(name, false));
        scope
    }

    pub(super) fn bind(&mut self, name: &str, is_function: bool) {
        self.bound.push(Bound { name: name.to_owned(), is_function: Some(is_function) });
    }

    pub(super) fn bind_parameter(&mut self, name: &str) {
        self.bound.push(Bound { name: name.to_owned(), is_function: None });
    }

    pub(super) fn unbind(&mut self, count: usize) {
        self.bound.truncate(self.bound.len() - count);
        let left = self.bound.len();
        self.referred.retain(|index| *index < left);
    }

    /// Returns the index of the innermost binding of a name, which must match exactly.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.bound.iter().rposition(|it| it.name == name)
    }

    /// Returns how many bindings ago the name was bound, and records the reference.
    pub(super) fn refer(&mut self, name: &str) -> Option<usize> {
        let index = self.find(name)?;
        self.referred.push(index);
        Some(self.bound.len() - 1 - index)
    }

    /// Returns `true` if a name is bound to a function, or `None` if that is unknown.
    pub(super) fn is_function(&self, name: &str) -> Option<bool> {
        let index = self.find(name)?;
        self.bound[index].is_function
    }

    pub(super) fn near(&self, name: &str) -> Option<String> {
        nearest(name, self.bound.iter().map(|it| it.name.as_str())).first().map(|&it| it.to_owned())
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { bound: self.bound.len(), referred: self.referred.len() }
    }

    /// Returns `true` if a parameter bound before the mark has been referred to since.
    pub(super) fn varies_since(&self, mark: Mark) -> bool {
        let is_parameter = |index: &usize| *index < mark.bound && self.bound[*index].is_function.is_none();
        self.referred.get(mark.referred..).is_some_and(|since| since.iter().any(is_parameter))
    }
}
