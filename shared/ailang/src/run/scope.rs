//! Variables: a scope for each run of a program, a body or a lambda.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use unpoisoned::lock;

use dialect::Value;

/// The variables of one function, and those around it. Blocks have no variables of their own.
#[derive(Debug, Default)]
pub(super) struct Scope {
    variables: Mutex<HashMap<String, Value>>,
    outer: Option<Arc<Scope>>,
}

impl Scope {
    /// Makes the scope of a lambda inside of `outer`.
    pub(super) fn inside(outer: &Arc<Self>) -> Self {
        Self { variables: Mutex::default(), outer: Some(Arc::clone(outer)) }
    }

    /// Returns the value of a variable.
    pub(super) fn get(&self, name: &str) -> Option<Value> {
        self.with(name, |value| value.clone())
    }

    /// Applies `change` to a variable, wherever it was declared; `None` if there is none.
    pub(super) fn with<T>(&self, name: &str, change: impl FnOnce(&mut Value) -> T) -> Option<T> {
        let mut scope = self;
        loop {
            let mut variables = lock(&scope.variables);
            if let Some(value) = variables.get_mut(name) {
                return Some(change(value));
            }
            drop(variables);
            scope = scope.outer.as_deref()?;
        }
    }

    /// Assigns a variable; declares it here if it does not exist.
    pub(super) fn assign(&self, name: &str, value: Value) {
        let mut value = Some(value);
        let is_known =
            self.with(name, |old| std::mem::replace(old, value.take().unwrap_or_default())).is_some();
        if !is_known {
            self.declare(name, value.unwrap_or_default());
        }
    }

    /// Declares a variable here, and returns the value that a variable of that name had here before.
    pub(super) fn declare(&self, name: &str, value: Value) -> Option<Value> {
        self.lock().insert(name.to_owned(), value)
    }

    /// Ends the declaration of a variable, and restores the one before.
    pub(super) fn restore(&self, name: &str, before: Option<Value>) {
        let mut variables = self.lock();
        match before {
            Some(value) => variables.insert(name.to_owned(), value),
            None => variables.remove(name),
        };
    }

    /// Returns the value of a variable that is declared here.
    pub(super) fn get_own(&self, name: &str) -> Option<Value> {
        self.lock().get(name).cloned()
    }

    /// Returns the names of all variables, for suggestions.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.lock().keys().cloned().collect();
        names.extend(self.outer.iter().flat_map(|outer| outer.names()));
        names.sort();
        names
    }

    /// Takes all variables out.
    pub(super) fn take(&self) -> HashMap<String, Value> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Value>> {
        lock(&self.variables)
    }
}
