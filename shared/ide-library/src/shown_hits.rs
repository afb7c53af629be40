//! Completes the hits that an answer shows with the code around them, if their search left it out.

use std::collections::HashMap;

use dialect::{Note, Notes};
use ide_protocol::{Completeness, FileRange, HitContextQuestion, Operation, Point, Reason, Source};
use serde_json::{Map, Value};

use crate::Host;
use crate::completeness_notes::note_completeness;
use crate::later_context::LaterContext;

/// The fields of a hit that have the code around it.
const FACTS: [&str; 7] = ["in", "inKind", "inLine", "role", "signature", "public", "test"];

/// Adds the code around the hits in a value. Of a list, an answer shows at most the first `most_shown` elements. Returns
/// notes on hits whose code is not known; `None` if the value has no hits without.
pub async fn complete_hits(
    later: &LaterContext,
    host: &(dyn Host + 'static),
    value: &mut Value,
    most_shown: impl FnOnce(&[Value]) -> usize,
) -> Option<Vec<Note>> {
    let shown = match value {
        Value::Array(list) => {
            let end = most_shown(list).min(list.len());
            &mut list[..end]
        }
        other => std::slice::from_mut(other),
    };
    let mut by_path: Vec<(String, Vec<FileRange>)> = Vec::new();
    shown.iter().for_each(|it| {
        each_hit(it, &mut |hit| {
            let Some(searched) = later.searched(&hit) else { return };
            match by_path.iter_mut().find(|it| it.0 == searched) {
                Some((_, hits)) if hits.contains(&hit) => {}
                Some((_, hits)) => hits.push(hit),
                None => by_path.push((searched, vec![hit])),
            }
        });
    });
    if by_path.is_empty() {
        return None;
    }
    let (notes, mut known) = (Notes::default(), HashMap::new());
    for (path, mut hits) in by_path {
        // Each file is parsed once.
        hits.sort_by_cached_key(place);
        let files = hits.chunk_by(|a, b| a.path == b.path).count();
        let question = HitContextQuestion { path, hits };
        let completeness = match host.ask(Operation::HitContext, &question).await {
            Ok(answer) => {
                known.extend(answer.hits.into_iter().map(|it| (place(&it), it)));
                answer.completeness
            }
            Err(_) => Completeness::with(Source("text".into()), [Reason::UnknownContext { files }]),
        };
        note_completeness(Operation::Search, &notes, &completeness);
    }
    shown.iter_mut().for_each(|it| fill(it, &known));
    Some(notes.to_vec())
}

/// The path, start and end of a hit.
type Place = (String, Point, Point);

fn place(hit: &FileRange) -> Place {
    (hit.path.clone(), hit.start, hit.end)
}

/// Reads an object that is a hit without the code around it.
fn bare_hit(fields: &Map<String, Value>) -> Option<FileRange> {
    let is_bare = fields.contains_key("path")
        && fields.contains_key("start")
        && !FACTS.iter().any(|it| fields.contains_key(*it));
    is_bare.then(|| serde_json::from_value(Value::Object(fields.clone())).ok()).flatten()
}

/// Visits the hits in a value that have no code around them.
fn each_hit(value: &Value, visit: &mut impl FnMut(FileRange)) {
    match value {
        Value::Array(list) => list.iter().for_each(|it| each_hit(it, visit)),
        Value::Object(fields) => match bare_hit(fields) {
            Some(hit) => visit(hit),
            None => fields.values().for_each(|it| each_hit(it, visit)),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn fill(value: &mut Value, known: &HashMap<Place, FileRange>) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|it| fill(it, known)),
        Value::Object(fields) => match bare_hit(fields) {
            Some(hit) => {
                if let Some(found) = known.get(&place(&hit)) {
                    // Two searches may have found the same place with other groups.
                    let whole = FileRange { groups: hit.groups, text: hit.text, ..found.clone() };
                    *value = serde_json::to_value(whole).expect("ranges are plain data");
                }
            }
            None => fields.values_mut().for_each(|it| fill(it, known)),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
#[path = "shown_hits_tests.rs"]
mod tests;
