//! Which permissions calls need: said by rows, and found for a whole program before any of it runs.

use std::collections::BTreeMap;
use std::fmt;

use source_text::Span;

use crate::{Effect, Function};

/// A permission that somebody has to give before something may be called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Requirement {
    /// Whose and which: `files/Write`. The language only compares these names.
    pub capability: String,
    /// What the calls keep to, by parameter of the capability: `paths` → `out/**`. They keep to one of the values of
    /// each parameter that is here; a parameter that is absent restricts nothing.
    pub restrictions: BTreeMap<String, Vec<String>>,
}

impl Requirement {
    /// The whole capability, unrestricted.
    pub fn new(capability: impl Into<String>) -> Self {
        Self { capability: capability.into(), restrictions: BTreeMap::new() }
    }

    /// The same, kept to those values of a parameter.
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

/// What a program needs before it runs, and for which of its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The permission.
    pub requirement: Requirement,
    /// The function or conversion that has to have it.
    pub callable: String,
    /// The first place of the program where it is called, named, or may be applied.
    pub span: Span,
}

impl Function {
    /// What calling it needs, when it is a row of that library. A row that writes and names no capability needs one
    /// of its own name, so that a forgotten line asks for permission instead of doing harm.
    pub fn requirements(&self, library: &str) -> Vec<Requirement> {
        if self.requires.is_empty() && self.effect == Effect::Writes {
            let name = self.signature.split('(').next().unwrap_or_default().trim();
            return vec![Requirement::new(format!("{library}/{name}"))];
        }
        self.requires.clone()
    }
}
