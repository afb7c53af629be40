//! The variables that decide what is found and how it runs.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use super::confined::PASSED;
use crate::fallback::source::languages;
use crate::fallback::source::languages::OutsideFolder;

/// The variables that this crate reads by name, beside those that confined processes get.
const READ: &[&str] =
    &["HOME", "PATH", "LD_LIBRARY_PATH", "CARGO_HOME", "RUSTUP_HOME", "TMPDIR", "PYTHONPATH"];

/// The beginnings of such names: the user's folders, languages, and our own settings.
const READ_PREFIXES: &[&str] = &["XDG_", "LC_", "DIALECT_"];

/// The variables that change nothing of what is found.
const IGNORED: &[&str] = &["TERM", "DIALECT_LOG", "DIALECT_SERVER"];

/// Returns the variables of this process that decide what is found and how confined processes run. Two processes with
/// equal ones find the same.
pub fn environment_that_counts() -> BTreeMap<OsString, OsString> {
    let of_languages = languages::rows().flat_map(|it| it.given).filter_map(|it| match it {
        OutsideFolder::Variable(name, _) => Some(*name),
        _ => None,
    });
    let names: Vec<_> = of_languages.chain(PASSED.iter().copied()).chain(READ.iter().copied()).collect();
    let counts = |name: &OsStr| {
        name.to_str().is_some_and(|it| {
            !IGNORED.contains(&it)
                && (names.contains(&it) || READ_PREFIXES.iter().any(|prefix| it.starts_with(prefix)))
        })
    };
    std::env::vars_os().filter(|(name, _)| counts(name)).collect()
}
