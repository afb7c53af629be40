//! The definitions of a package by a part of their names.

use ailang::Documents;

use super::outline::definitions;
use crate::answers::{Location, OutlineItem, PackageSymbol};

/// The maximum number of symbols.
const MOST: usize = 1_000;

/// Returns the definitions and their parts whose names contain the letters of `query` in order, ignoring case: those
/// with the exact name first.
pub(crate) fn symbols(documents: &Documents, query: &str) -> Vec<PackageSymbol> {
    let wanted = query.to_lowercase();
    let mut found = Vec::new();
    for (path, document) in documents.iter() {
        for item in definitions(document) {
            let container = item.name.clone();
            let parts = item.children.iter().map(|part| symbol(path, part, &container));
            let own = [symbol(path, &item, "")].into_iter();
            found.extend(own.chain(parts).filter(|it| has_letters(&it.name.to_lowercase(), &wanted)));
        }
    }
    found.sort_by_cached_key(|it| {
        (it.name != query, !it.name.to_lowercase().starts_with(&wanted), it.name.len())
    });
    found.truncate(MOST);
    found
}

fn symbol(path: &str, item: &OutlineItem, container: &str) -> PackageSymbol {
    PackageSymbol {
        name: item.name.clone(),
        kind: item.kind,
        container: container.to_owned(),
        location: Location { path: path.to_owned(), span: item.name_span },
    }
}

fn has_letters(name: &str, letters: &str) -> bool {
    let mut name = name.chars();
    letters.chars().all(|letter| name.any(|it| it == letter))
}
