//! The names that are bound at an expression.

use std::collections::HashMap;
use std::mem;

use foldhash::fast::RandomState;

use crate::name::nearest;

/// The most bindings among which a similar name is sought, the innermost ones.
const NEAR: usize = 100;

/// The bindings around an expression, the innermost last, and which of them were referred to.
#[derive(Debug, Default)]
pub(super) struct Scope {
    bound: Vec<Bound>,
    /// The indexes into `bound` of each name, so that a program of many bindings is resolved in linear time.
    indexes: HashMap<String, Vec<usize>, RandomState>,
    /// The outermost parameter that the current expression refers to, as an index into `bound`.
    parameter: Option<usize>,
}

#[derive(Debug)]
struct Bound {
    name: String,
    /// `Some(true)` for a lambda, `None` for a parameter, whose value is unknown before the program runs.
    is_function: Option<bool>,
}

/// The point in reading a program at which an expression starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    bound: usize,
    /// The parameter that was referred to before, by the expression around it.
    parameter: Option<usize>,
}

impl Scope {
    /// Returns the scope of a program in which these names are bound to values that are no functions.
    pub(super) fn given<'a>(names: impl Iterator<Item = &'a String>) -> Self {
        let mut scope = Self::default();
        names.for_each(|name| scope.bind(name, false));
        scope
    }

    pub(super) fn bind(&mut self, name: &str, is_function: bool) {
        self.push(name, Some(is_function));
    }

    pub(super) fn bind_parameter(&mut self, name: &str) {
        self.push(name, None);
    }

    fn push(&mut self, name: &str, is_function: Option<bool>) {
        self.indexes.entry(name.to_owned()).or_default().push(self.bound.len());
        self.bound.push(Bound { name: name.to_owned(), is_function });
    }

    pub(super) fn unbind(&mut self, count: usize) {
        for bound in self.bound.drain(self.bound.len() - count..) {
            self.indexes.get_mut(&bound.name).and_then(Vec::pop);
        }
    }

    /// Returns the index of the innermost binding of a name, which must match exactly.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.indexes.get(name)?.last().copied()
    }

    /// Returns how many bindings ago the name was bound, and records the reference.
    pub(super) fn refer(&mut self, name: &str) -> Option<usize> {
        let index = self.find(name)?;
        if self.bound[index].is_function.is_none() {
            self.parameter = Some(self.parameter.map_or(index, |outermost| outermost.min(index)));
        }
        Some(self.bound.len() - 1 - index)
    }

    /// Returns `true` if a name is bound to a function, or `None` if that is unknown.
    pub(super) fn is_function(&self, name: &str) -> Option<bool> {
        let index = self.find(name)?;
        self.bound[index].is_function
    }

    pub(super) fn near(&self, name: &str) -> Option<String> {
        let near = self.bound.iter().rev().take(NEAR).rev().map(|it| it.name.as_str());
        nearest(name, near).first().map(|&it| it.to_owned())
    }

    /// Starts an expression.
    pub(super) fn mark(&mut self) -> Mark {
        Mark { bound: self.bound.len(), parameter: mem::take(&mut self.parameter) }
    }

    /// Ends the expression that started at the mark. Returns `true` if it refers to a parameter bound before.
    pub(super) fn varies_since(&mut self, mark: Mark) -> bool {
        // Those bound since are unbound by now, so that the expression around it does not refer to them.
        let outer = self.parameter.filter(|index| *index < mark.bound);
        self.parameter = [outer, mark.parameter].into_iter().flatten().min();
        outer.is_some()
    }
}
