//! The rules of a schema for single values, also those in `allOf`.

use std::collections::BTreeSet;

use ailang::schema::step_of;
use ailang::syntax::{LiteralKind, Refinement};
use serde_json::Value;

use super::keyword::Keywords;
use crate::bridges::node::refinement;

/// The keywords that are rules for single values.
pub(super) const FACETS: &[&str] = &[
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
];

/// Keywords with their values, each perhaps several times.
pub(super) struct Facets<'v> {
    all: Vec<(&'v str, &'v Value)>,
    /// The keywords that a type has used.
    used: BTreeSet<&'static str>,
}

impl<'v> Facets<'v> {
    /// Collects the rules of a schema, and of the parts of `allOf` that have nothing else.
    pub(super) fn of(keywords: &'v Keywords) -> Self {
        let mut all = Vec::new();
        let parts = keywords.get("allOf").and_then(Value::as_array).into_iter().flatten();
        let parts = parts.filter_map(Value::as_object).filter(|it| is_of_facets(it));
        for keywords in std::iter::once(keywords).chain(parts) {
            let facets = keywords.iter().filter(|(key, value)| is_facet(key, value));
            all.extend(facets.map(|(key, value)| (key.as_str(), value)));
        }
        Self { all, used: BTreeSet::new() }
    }

    /// Returns `true` if the parts of an `allOf` have rules alone.
    pub(super) fn covers(&self, parts: &[Value]) -> bool {
        parts.iter().all(|part| part.as_object().is_some_and(is_of_facets))
    }

    pub(super) fn has_any(&self, keys: &[&str]) -> bool {
        self.all.iter().any(|(key, _)| keys.contains(key))
    }

    /// Returns the values of a keyword.
    pub(super) fn values(&mut self, key: &'static str) -> Vec<&'v Value> {
        self.used.insert(key);
        self.all.iter().filter(|(it, _)| *it == key).map(|(_, value)| *value).collect()
    }

    /// Returns the largest value of a keyword.
    pub(super) fn largest(&mut self, key: &'static str) -> Option<f64> {
        self.values(key).into_iter().filter_map(Value::as_f64).reduce(f64::max)
    }

    /// Returns the smallest value of a keyword.
    pub(super) fn smallest(&mut self, key: &'static str) -> Option<f64> {
        self.values(key).into_iter().filter_map(Value::as_f64).reduce(f64::min)
    }

    pub(super) fn flag(&mut self, key: &'static str) -> bool {
        self.values(key).contains(&&Value::Bool(true))
    }

    /// Returns the refinements for a number of elements.
    pub(super) fn sized(&mut self, least: &'static str, most: &'static str) -> Vec<Refinement> {
        let least = match self.largest(least) {
            Some(0.0) | None => None,
            Some(1.0) => Some(refinement("nonEmpty", None)),
            Some(count) => Some(refinement("minItems", Some(LiteralKind::Number(count)))),
        };
        let most = self.smallest(most).map(|it| refinement("maxItems", Some(LiteralKind::Number(it))));
        least.into_iter().chain(most).collect()
    }

    /// Returns the keywords that no type has used.
    pub(super) fn unused(&self) -> Vec<&'v str> {
        let mut unused: Vec<&str> =
            self.all.iter().map(|(key, _)| *key).filter(|it| !self.used.contains(it)).collect();
        unused.dedup();
        unused
    }
}

fn is_of_facets(keywords: &Keywords) -> bool {
    keywords.iter().all(|(key, value)| is_facet(key, value))
}

/// Returns `true` for a rule, also for a step that only a comment names.
pub(super) fn is_facet(key: &str, value: &Value) -> bool {
    FACETS.contains(&key) || key == "$comment" && step_of(value).is_some()
}
