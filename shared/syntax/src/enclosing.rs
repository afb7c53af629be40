//! What a place is in.

use crate::{Definition, Outline};

impl Outline {
    /// The innermost definition around an offset.
    pub fn at(&self, offset: usize) -> Option<&Definition> {
        let after = self.definitions.partition_point(|it| it.whole.start <= offset);
        let mut next = after.checked_sub(1);
        while let Some(index) = next {
            let definition = &self.definitions[index];
            if offset < definition.whole.end {
                return Some(definition);
            }
            next = definition.parent;
        }
        None
    }

    /// The nearest function- or type-like definition around an offset, itself included at its own name; else the
    /// nearest other one that is no local variable: a constant, a module, a test's group.
    pub fn enclosing(&self, offset: usize) -> Option<&Definition> {
        let innermost = self.at(offset)?;
        let mut outwards = self.around(innermost);
        outwards.push(innermost);
        outwards.reverse();
        let code = outwards.iter().position(|it| it.is_code() || it.kind.is_type());
        outwards.get(code.unwrap_or(0)).copied()
    }
}
