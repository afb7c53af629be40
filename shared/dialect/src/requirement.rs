//! The permissions that calls need: declared by rows, and collected for a whole program before it runs.

use std::collections::BTreeMap;
use std::fmt;

use source_text::Span;

/// A permission that has to be given before something may be called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Requirement {
    /// The name of the capability, with its owner: `files/Write`. The language only compares these names.
    pub capability: String,
    /// The values to which the calls are restricted, by parameter of the capability: `paths` → `out/**`.
    /// Absent parameters are not restricted.
    pub restrictions: BTreeMap<String, Vec<String>>,
}

impl Requirement {
    /// Makes a requirement of the whole capability.
    pub fn new(capability: impl Into<String>) -> Self {
        Self { capability: capability.into(), restrictions: BTreeMap::new() }
    }

    /// Restricts a parameter to values.
    #[must_use]
    pub fn restricted(
        mut self,
        parameter: impl Into<String>,
        values: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.restrictions.insert(parameter.into(), values.into_iter().map(Into::into).collect());
        self
    }
}

/// `files/Write (paths: out/**)`
impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.capability)?;
        let each = self.restrictions.iter().map(|(name, values)| format!("{name}: {}", values.join(", ")));
        let each: Vec<String> = each.collect();
        if each.is_empty() { Ok(()) } else { write!(f, " ({})", each.join("; ")) }
    }
}

/// A permission that a program needs, and the call that needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The permission.
    pub requirement: Requirement,
    /// The function or conversion that needs it.
    pub callable: String,
    /// The first place in the program where it is called, named, or may be applied.
    pub span: Span,
}

/// Permissions, each once for each callable that needs it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Needs(Vec<Need>);

impl Needs {
    /// Adds a permission, at the first place of its callable.
    pub(crate) fn add(&mut self, need: Need) {
        let is_it = |it: &&mut Need| it.callable == need.callable && it.requirement == need.requirement;
        match self.0.iter_mut().find(is_it) {
            Some(known) if known.span.start <= need.span.start => {}
            Some(known) => known.span = need.span, // arguments are met before the call around them
            None => self.0.push(need),
        }
    }

    /// Adds those of another part of the program.
    pub(crate) fn merge(&mut self, other: &Self) {
        other.0.iter().for_each(|it| self.add(it.clone()));
    }

    /// Returns them in the order of the program.
    pub(crate) fn in_order(mut self) -> Vec<Need> {
        self.0.sort_by_key(|it| it.span.start);
        self.0
    }
}
