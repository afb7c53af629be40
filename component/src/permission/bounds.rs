//! The limits of a permission, and whether one limit lies inside another.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// A set of values: paths or hosts. A `!` before a value excludes it.
type Values = BTreeSet<String>;

/// The limits of a capability, by parameter. A value has to fit each set of its parameter; a parameter without sets
/// is free.
///
/// Sets are kept side by side, since the intersection of two globs cannot be written as a glob.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bounds(BTreeMap<String, BTreeSet<Values>>);

impl Bounds {
    /// Builds limits from the allowed values of each parameter.
    pub(crate) fn new(restrictions: &BTreeMap<String, Vec<String>>) -> Self {
        let each = restrictions.iter().map(|(parameter, values)| {
            let values = values.iter().map(|it| without_dots(it).to_owned()).collect();
            (parameter.clone(), BTreeSet::from([values]))
        });
        Self(each.collect())
    }

    /// Returns the limits that keep to both.
    pub(crate) fn meet(mut self, other: Self) -> Self {
        for (parameter, sets) in other.0 {
            self.0.entry(parameter).or_default().extend(sets);
        }
        self
    }

    /// Returns whether everything within `other` lies within these limits. May be false where that cannot be
    /// decided.
    pub(crate) fn cover(&self, other: &Self) -> bool {
        self.0.iter().all(|(parameter, sets)| {
            let theirs = other.0.get(parameter);
            sets.iter().all(|set| theirs.is_some_and(|theirs| theirs.iter().any(|it| contains(set, it))))
        })
    }

    /// Returns a line for each set, like `paths: out/**, docs/**`; none when nothing is limited.
    pub fn lines(&self) -> Vec<String> {
        let line = |parameter: &String, set: &Values| {
            let values: Vec<&str> = set.iter().map(String::as_str).collect();
            format!("{parameter}: {}", values.join(", "))
        };
        self.0.iter().flat_map(|(parameter, sets)| sets.iter().map(move |it| line(parameter, it))).collect()
    }
}

fn without_dots(value: &str) -> &str {
    value.strip_prefix("./").unwrap_or(value)
}

/// Returns whether `outer` allows each value that `inner` allows.
fn contains(outer: &Values, inner: &Values) -> bool {
    let negative =
        |set: &Values| -> Values { set.iter().filter(|it| it.starts_with('!')).cloned().collect() };
    let mut positive = inner.iter().filter(|it| !it.starts_with('!'));
    negative(outer).is_subset(&negative(inner)) && positive.all(|it| outer.iter().any(|by| includes(by, it)))
}

/// Returns whether one pattern includes another. The outer one is the same, a folder's `**`, or `*.` and a domain.
fn includes(outer: &str, inner: &str) -> bool {
    if outer == inner {
        return true;
    }
    if inner.split('/').any(|it| it == "..") || inner.starts_with('/') && !outer.starts_with('/') {
        return false;
    }
    if let Some(folder) = outer.strip_suffix("**") {
        return (folder.is_empty() || folder.ends_with('/'))
            && is_literal(folder)
            && inner.starts_with(folder);
    }
    let Some(domain) = outer.strip_prefix('*') else { return false };
    domain.starts_with('.') && is_literal(domain) && inner.ends_with(domain) && is_host(inner)
}

fn is_literal(text: &str) -> bool {
    !text.contains(['*', '?', '[', '{', '!'])
}

fn is_host(text: &str) -> bool {
    let host = text.strip_prefix("*.").unwrap_or(text);
    host.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '-' | '.' | ':'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bounds(parameter: &str, values: &[&str]) -> Bounds {
        let values = values.iter().map(|it| (*it).to_owned()).collect();
        Bounds::new(&BTreeMap::from([(parameter.to_owned(), values)]))
    }

    #[test]
    fn a_wider_limit_covers_a_narrower_one() {
        for (outer, inner, covers) in [
            (&["src/**"][..], &["src/a.rs"][..], true),
            (&["src/**"], &["src/*"], true),
            (&["src/**"], &["./src/a/**"], true),
            (&["./src/**"], &["src/a.rs", "src/b.rs"], true),
            (&["**"], &["src/**"], true),
            (&["src/**", "docs/**"], &["docs/a.md"], true),
            (&["*.example.com"], &["a.example.com"], true),
            (&["*.example.com"], &["*.a.example.com"], true),
            (&["src/**"], &["src/**", "!src/secret"], true),
            (&["src/**", "!src/secret"], &["src/**", "!src/secret", "!src/b"], true),
            (&["src/**"], &["/etc/passwd"], false),
            (&["**"], &["/etc/passwd"], false),
            (&["**"], &["../other"], false),
            (&["src/**"], &["src/../../etc"], false),
            (&["src/**"], &["srcs/a.rs"], false),
            (&["src**"], &["src/../x"], false),
            (&["src/a.rs"], &["src/**"], false),
            (&["src/*"], &["src/a.rs"], false), // it does, but globs are not understood that far
            (&["*.example.com"], &["example.com.evil.org"], false),
            (&["*.example.com"], &["evil.org/?.example.com"], false),
            (&["src/**", "!src/secret"], &["src/**"], false),
            (&["src/**"], &["src/a", "etc"], false),
            (&[], &["src/a"], false),
        ] {
            assert_eq!(bounds("paths", outer).cover(&bounds("paths", inner)), covers, "{outer:?} {inner:?}");
        }
    }

    #[test]
    fn without_a_limit_everything_is_covered_and_little_covers_it() {
        let (free, limited) = (Bounds::default(), bounds("paths", &["src/**"]));
        assert!(free.cover(&limited) && free.cover(&free));
        assert!(!limited.cover(&free));
        assert!(!limited.cover(&bounds("hosts", &["src/**"])));
    }

    fn any_bounds() -> impl Strategy<Value = Bounds> {
        let value =
            prop::sample::select(vec!["src/**", "src/a", "**", "docs/**", "!src/a", "*.a.org", "x.a.org"]);
        let set = prop::collection::btree_set(value.prop_map(str::to_owned), 0..3);
        let sets = prop::collection::btree_set(set, 0..3);
        let parameter = prop::sample::select(vec!["paths", "hosts"]).prop_map(str::to_owned);
        prop::collection::btree_map(parameter, sets, 0..3).prop_map(Bounds)
    }

    proptest! {
        #[test]
        fn meeting_is_idempotent_commutative_and_associative(
            a in any_bounds(), b in any_bounds(), c in any_bounds(),
        ) {
            let meet = |a: &Bounds, b: &Bounds| a.clone().meet(b.clone());
            prop_assert!(meet(&a, &a) == a);
            prop_assert!(meet(&a, &b) == meet(&b, &a));
            prop_assert!(meet(&meet(&a, &b), &c) == meet(&a, &meet(&b, &c)));
        }

        #[test]
        fn covering_is_an_order_that_meeting_respects(a in any_bounds(), b in any_bounds(), c in any_bounds()) {
            prop_assert!(a.cover(&a));
            prop_assert!(a.cover(&a.clone().meet(b.clone())));
            prop_assert!(!(a.cover(&b) && b.cover(&c)) || a.cover(&c));
            let both = a.clone().meet(b.clone());
            prop_assert_eq!(both.cover(&c), a.cover(&c) && b.cover(&c));
        }
    }
}
