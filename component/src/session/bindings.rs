//! Names that keep their values from one program to the next, for a person who sends several.

use std::sync::{Arc, Mutex};

use dialect::Object;

use unpoisoned::lock;

/// The names that earlier programs bound, with their values. A clone is the same set.
#[derive(Clone, Debug, Default)]
pub struct Bindings(Arc<Mutex<Object>>);

impl Bindings {
    /// Returns the names with their values, in the order in which they were first bound.
    pub fn list(&self) -> Object {
        lock(&self.0).clone()
    }

    /// Keeps what a program bound, in place of earlier values of the same names. Returns the names of functions, which
    /// are not kept.
    pub(crate) fn keep(&self, bound: Object) -> Vec<String> {
        let mut kept = lock(&self.0);
        let mut functions = Vec::new();
        for (name, value) in bound.iter() {
            if value.holds_function() {
                kept.shift_remove(name);
                functions.push(name.clone());
            } else {
                kept.insert(name.clone(), value.clone());
            }
        }
        functions
    }
}

/// Returns a note on functions that were not kept.
pub(crate) fn functions_note(functions: &[String]) -> Option<String> {
    let names = functions.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
    let note = || {
        format!("Not kept for the next program: {names}. Functions end with theirs; repeat the line there.")
    };
    (!functions.is_empty()).then(note)
}
