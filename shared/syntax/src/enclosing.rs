//! The definitions around a place.

use crate::{Definition, Outline};

impl Outline {
    /// Returns the innermost definition around a byte offset.
    pub fn at(&self, offset: usize) -> Option<&Definition> {
        self.outwards(offset).next()
    }

    /// Returns the nearest function- or type-like definition around a byte offset, including the one whose name is
    /// there. Without one, returns the nearest other that is no local variable: a constant, a module, a group of
    /// tests.
    pub fn enclosing(&self, offset: usize) -> Option<&Definition> {
        let is_code = |it: &&Definition| it.is_code() || it.kind.is_type();
        self.outwards(offset).find(is_code).or_else(|| self.at(offset))
    }

    /// Returns the definitions around a byte offset, the innermost first.
    fn outwards(&self, offset: usize) -> impl Iterator<Item = &Definition> {
        let after = self.definitions.partition_point(|it| it.whole.start <= offset);
        let out = |it: &usize| self.lies_in[*it];
        let around = std::iter::successors(after.checked_sub(1), out);
        let is_before_body =
            move |it: usize| self.is_expression[it] && offset < self.definitions[it].signature.end;
        let around = around.filter(move |it| !is_before_body(*it)).map(|it| &self.definitions[it]);
        around.skip_while(move |it| it.whole.end <= offset)
    }
}
