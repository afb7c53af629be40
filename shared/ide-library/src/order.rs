//! The order of results. Whoever answers, what is not ranked comes in order of path and place, and what lies
//! outside the workspace comes last.

use std::collections::{BTreeMap, BTreeSet};

use ide_protocol::{Hierarchy, Operation};
use serde_json::Value;

/// Orders the lists of an operation's result.
pub(crate) fn ordered(operation: Operation, mut result: Value) -> Value {
    match operation {
        Operation::FileDefinitions => sort(&mut result, "definitions", |it| place(&it["definedAt"])),
        Operation::References => {
            sort(&mut result, "references", place);
            sort(&mut result, "codeMentions", place);
        }
        Operation::Callers => sort_links(&mut result, Hierarchy::Callers),
        Operation::Callees => sort_links(&mut result, Hierarchy::Callees),
        Operation::Supertypes => sort_links(&mut result, Hierarchy::Supertypes),
        Operation::Subtypes => sort_links(&mut result, Hierarchy::Subtypes),
        Operation::Imports | Operation::Importers => sort(&mut result, "imports", |it| place(&it["at"])),
        Operation::Diagnostics => sort(&mut result, "diagnostics", place),
        Operation::Search => sort(&mut result, "hits", place),
        Operation::Matches => sort(&mut result, "matches", place),
        Operation::Files => sort(&mut result, "paths", |it| it.as_str().map(str::to_owned)),
        Operation::Apply | Operation::EditedTexts | Operation::RecentChanges => {
            sort(&mut result, "files", place);
        }
        Operation::Rename
        | Operation::TakeAction
        | Operation::Format
        | Operation::OrganizeImports
        | Operation::Draft
        | Operation::Edits => sort(&mut result, "mentions", place),
        Operation::Definitions => {
            if let Some(references) = result.get_mut("references") {
                *references = ordered(Operation::References, references.take());
            }
        }
        // Ranked: the definitions of the workspace before those of its copies, the likeliest symbol and action first, a
        // type's own members before inherited ones, exports in the order of statements; the hits of the
        // question; or one text.
        Operation::Declarations
        | Operation::TypeDefinitions
        | Operation::Implementations
        | Operation::Symbols
        | Operation::CodeActions
        | Operation::Members
        | Operation::Exports
        | Operation::Description
        | Operation::Outline
        | Operation::HitContext
        | Operation::Lines
        | Operation::Text
        | Operation::Selection => {}
    }
    result
}

/// A place in a file: outside of the workspace or not, path, line and column. What has no start counts by its
/// line.
type Place = (bool, String, u64, u64);

fn place(range: &Value) -> Place {
    let number = |it: &Value| it.as_u64().unwrap_or_default();
    let (start, path) = (&range["start"], range["path"].as_str().unwrap_or_default().to_owned());
    let line = if start.is_null() { &range["line"] } else { &start["line"] };
    (range["external"] == true, path, number(line), number(&start["column"]))
}

fn sort<K: Ord>(result: &mut Value, list: &str, key: impl Fn(&Value) -> K) {
    if let Some(list) = result.get_mut(list).and_then(Value::as_array_mut) {
        list.sort_by_cached_key(key);
    }
}

/// Orders links by their distance from where the walk began, and then by place; and the places of each link.
fn sort_links(result: &mut Value, way: Hierarchy) {
    let Some(links) = result.get_mut("links").and_then(Value::as_array_mut) else { return };
    let (near, far) = if way.is_upstream() { ("to", "from") } else { ("from", "to") };
    let distances = distances(links, near, far);
    links.iter_mut().for_each(|it| sort(it, "at", place));
    links.sort_by_cached_key(|it| {
        let (near, far) = (place(&it[near]["nameAt"]), place(&it[far]["nameAt"]));
        (distances.get(&near).copied(), far, near)
    });
}

/// Returns the number of links from the beginning of the walk to each symbol. The walk begins where the first
/// link does.
fn distances(links: &[Value], near: &str, far: &str) -> BTreeMap<Place, usize> {
    let ends = |link: &Value| (place(&link[near]["nameAt"]), place(&link[far]["nameAt"]));
    let ends: Vec<_> = links.iter().map(ends).collect();
    let mut distances = BTreeMap::new();
    // Several symbols can be asked about at once; nothing leads to them.
    let led_to = |it: &Place| ends.iter().any(|(near, far)| far == it && near != it);
    let starts = ends.iter().map(|(near, _)| near).filter(|it| !led_to(it));
    let mut next: Vec<_> = ends.first().map(|(near, _)| near).into_iter().chain(starts).cloned().collect();
    for distance in 0.. {
        next.retain(|it| !distances.contains_key(it));
        if next.is_empty() {
            break;
        }
        distances.extend(next.iter().map(|it| (it.clone(), distance)));
        let led: BTreeSet<_> =
            ends.iter().filter(|(near, _)| next.contains(near)).map(|(_, far)| far).collect();
        next = led.into_iter().cloned().collect();
    }
    distances
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(path: &str, line: u32, external: bool) -> Value {
        let point = json!({"line": line, "column": 1});
        json!({"path": path, "line": line, "start": point, "end": point, "external": external})
    }

    /// The kind of element of each list of each operation.
    fn element(at: Value) -> Value {
        let path = at["path"].clone();
        let (path, line, start) = (path, at["line"].clone(), at["start"].clone());
        let external = at["external"].clone();
        json!({
            "path": path, "line": line, "start": start, "external": external,
            "nameAt": at, "definedAt": at, "at": at,
        })
    }

    #[test]
    fn every_list_that_is_not_ranked_is_in_order_of_path_and_place() {
        let places =
            [at("a.rs", 2, false), at("a.rs", 10, false), at("b.rs", 1, false), at("/std/a.rs", 1, true)];
        let wanted: Vec<_> = places.into_iter().map(element).collect();
        let mut mixed = wanted.clone();
        mixed.reverse();
        mixed.swap(0, 2);
        let mut unordered = Vec::new();
        for operation in Operation::ALL {
            let root = element(at("c.rs", 1, false));
            let links = |others: &[Value]| -> Vec<Value> {
                let upstream = matches!(operation, Operation::Callers | Operation::Subtypes);
                let link = |other: &Value| match upstream {
                    true => json!({"from": other, "to": root}),
                    false => json!({"from": root, "to": other}),
                };
                others.iter().map(link).collect()
            };
            let result = |others: &[Value]| {
                json!({
                    "definitions": others, "references": others, "codeMentions": others, "imports": others,
                    "diagnostics": others, "hits": others, "matches": others, "files": others,
                    "mentions": others,
                    "links": links(others),
                    "paths": others.iter().map(|it| it["path"].clone()).collect::<Vec<_>>(),
                })
            };
            let (found, all) = (ordered(operation, result(&mixed)), result(&wanted));
            let lists = |it: &Value| it.as_object().expect("it has lists").clone();
            let is_ordered = lists(&found).iter().any(|(name, list)| {
                list == &all[name]
                    || name == "paths"
                        && list.as_array().is_some_and(|it| it.is_sorted_by_key(Value::to_string))
            });
            if !is_ordered {
                unordered.push(operation.name());
            }
        }
        let ranked = [
            "definitions",
            "declarations",
            "typeDefinitions",
            "implementations",
            "description",
            "outline",
            "members",
            "exports",
            "symbols",
            "hitContext",
            "lines",
            "text",
            "selection",
            "codeActions",
        ];
        assert_eq!(unordered, ranked);
    }

    #[test]
    fn the_nearest_links_come_first() {
        let symbol = |line| element(at("a.rs", line, false));
        let link = |from, to| json!({"from": symbol(from), "to": symbol(to)});
        let links = json!({"links": [link(9, 5), link(1, 9), link(7, 5), link(5, 1), link(2, 7)]});
        let found = ordered(Operation::Callers, links);
        let lines = found["links"].as_array().expect("it has links").iter();
        let lines: Vec<_> = lines.map(|it| (it["from"]["line"].clone(), it["to"]["line"].clone())).collect();
        let expected = [(7, 5), (9, 5), (1, 9), (2, 7), (5, 1)].map(|(from, to)| (json!(from), json!(to)));
        assert_eq!(lines, expected);
    }
}
