//! Cutting a value to a budget of bytes. Pure, on JSON; every cut is reported.

use dialect::show;
use serde_json::{Map, Value};

/// One cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Truncation {
    /// The path in the value, like `.users[0].references`; empty for the value itself.
    pub(crate) path: String,
    /// The unit: `items`, `keys`, `lines` or `characters`.
    pub(crate) unit: &'static str,
    /// The number that is left, from the start.
    pub(crate) shown: usize,
    /// The number before the cut.
    pub(crate) total: usize,
}

/// Cuts the largest parts of `value` until it fits `budget` bytes of compact JSON. Returns the cuts.
pub(crate) fn truncate(value: &mut Value, budget: usize) -> Vec<Truncation> {
    let mut cuts = Vec::new();
    shrink(value, budget, String::new(), &mut cuts);
    cuts
}

/// Returns the size of a value as compact JSON, in bytes.
pub(crate) fn size(value: &Value) -> usize {
    show(value).len()
}

/// The number of characters of a place's line that an answer shows.
pub(crate) const LINE: usize = 200;

/// Cuts the lines of places for showing. Programs compute with the whole ones.
pub(crate) fn clip_lines(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(clip_lines),
        Value::Object(fields) => {
            let column = fields.get("start").and_then(|it| it.get("column")).or(fields.get("column"));
            let column = column.and_then(Value::as_u64).and_then(|it| usize::try_from(it).ok());
            if fields.contains_key("path")
                && let Some(column) = column
                && let Some(Value::String(text)) = fields.get_mut("text")
            {
                clip_line(text, column);
            }
            fields.values_mut().for_each(clip_lines);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Cuts a line around a column, and counts what is left out.
fn clip_line(text: &mut String, column: usize) {
    let length = text.chars().count();
    if length <= LINE || text.contains('\n') {
        return;
    }
    let start = if column < LINE / 2 { 0 } else { (column - LINE / 2).min(length - LINE) };
    let shown: String = text.chars().skip(start).take(LINE).collect();
    let before = if start > 0 { format!("+{start}…") } else { String::new() };
    let behind = length - start - LINE;
    let behind = if behind > 0 { format!("…+{behind}") } else { String::new() };
    *text = format!("{before}{shown}{behind}");
}

fn shrink(value: &mut Value, budget: usize, path: String, cuts: &mut Vec<Truncation>) {
    if size(value) <= budget {
        return;
    }
    match value {
        Value::Array(items) => shrink_list(items, budget, path, cuts),
        Value::Object(fields) => shrink_object(fields, budget, path, cuts),
        Value::String(text) => cuts.extend(shrink_text(text, budget, path)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Keeps the first elements that fit, at least one. A single element is cut itself.
fn shrink_list(items: &mut Vec<Value>, budget: usize, path: String, cuts: &mut Vec<Truncation>) {
    let (total, inside) = (items.len(), budget.saturating_sub(2));
    let shown = fitting(items.iter().map(size), inside).max(1);
    items.truncate(shown);
    if shown < total {
        cuts.push(Truncation { path: path.clone(), unit: "items", shown, total });
    }
    if let [only] = &mut items[..] {
        shrink(only, inside, path + "[0]", cuts);
    }
}

/// Returns how many of these sizes fit together, with commas between them.
fn fitting(sizes: impl Iterator<Item = usize>, budget: usize) -> usize {
    let ends = sizes.scan(0, |end, size| {
        *end += size + usize::from(*end > 0);
        Some(*end)
    });
    ends.take_while(|end| *end <= budget).count()
}

/// Takes the excess from the largest field, then from the next one. Drops keys when no field is left to cut.
fn shrink_object(fields: &mut Map<String, Value>, budget: usize, path: String, cuts: &mut Vec<Truncation>) {
    let mut sizes: Vec<_> = fields.iter().map(|(key, value)| (size(value), key.clone())).collect();
    sizes.sort_by(|a, b| b.cmp(a));
    for (before, key) in sizes {
        let excess = object_size(fields).saturating_sub(budget);
        if excess == 0 {
            return;
        }
        let field = fields.get_mut(&key).expect("the key was just listed");
        let inside = format!("{path}{}", step(&key));
        shrink(field, before.saturating_sub(excess).max(SCRAP), inside, cuts);
    }
    if object_size(fields) > budget {
        drop_keys(fields, budget, path, cuts);
    }
}

/// The minimum size of a field that is cut, in bytes, so that one can see what it was.
const SCRAP: usize = 64;

fn object_size(fields: &Map<String, Value>) -> usize {
    let sizes = fields.iter().map(|(key, value)| entry_size(key, value) + 1);
    sizes.sum::<usize>() + 1
}

fn entry_size(key: &str, value: &Value) -> usize {
    size(&Value::from(key)) + 1 + size(value)
}

fn drop_keys(fields: &mut Map<String, Value>, budget: usize, path: String, cuts: &mut Vec<Truncation>) {
    let total = fields.len();
    let sizes = fields.iter().map(|(key, value)| entry_size(key, value));
    let shown = fitting(sizes, budget.saturating_sub(2)).max(1);
    *fields = std::mem::take(fields).into_iter().take(shown).collect();
    if shown < total {
        let inside = format!("{path}.");
        cuts.retain(|it| {
            !it.path.starts_with(&inside) || fields.contains_key(first_key(&it.path[inside.len()..]))
        });
        cuts.push(Truncation { path, unit: "keys", shown, total });
    }
}

fn first_key(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or(path)
}

/// Returns a step of a path: `.key`, or `["odd key"]`.
fn step(key: &str) -> String {
    let is_name = |it: char| it.is_alphanumeric() || it == '_';
    if !key.is_empty() && key.chars().all(is_name) { format!(".{key}") } else { format!("[{}]", show(&key)) }
}

/// Cuts after a line if there is one, or after a character.
fn shrink_text(text: &mut String, budget: usize, path: String) -> Option<Truncation> {
    let end = text_end(text, budget.saturating_sub(2));
    let line_end = text[..end].rfind('\n').filter(|line_end| *line_end * 2 > end);
    let (unit, end) = line_end.map_or(("characters", end), |it| ("lines", it));
    let count = |text: &str| if unit == "lines" { text.lines().count() } else { text.chars().count() };
    let (shown, total) = (count(&text[..end]), count(text));
    text.truncate(end);
    (shown < total).then_some(Truncation { path, unit, shown, total })
}

/// Returns the length of the longest prefix that fits once it is escaped.
fn text_end(text: &str, budget: usize) -> usize {
    let mut used = 0;
    for (index, character) in text.char_indices() {
        used += escaped_size(character);
        if used > budget {
            return index;
        }
    }
    text.len()
}

fn escaped_size(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        '\0'..='\u{1f}' => 6,
        other => other.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(mut value: Value, budget: usize) -> (Value, Vec<String>) {
        let cuts = truncate(&mut value, budget);
        assert!(size(&value) <= budget, "{} > {budget}: {value}", size(&value));
        let words = cuts.iter().map(|it| format!("{} {}/{} {}", it.path, it.shown, it.total, it.unit));
        (value, words.collect())
    }

    #[test]
    fn what_fits_stays() {
        assert_eq!(check(json!({"a": [1, 2]}), 13), (json!({"a": [1, 2]}), vec![]));
    }

    #[test]
    fn a_list_keeps_its_first_items() {
        assert_eq!(check(json!([1, 2, 3, 4]), 5), (json!([1, 2]), vec![" 2/4 items".to_owned()]));
        assert_eq!(check(json!([1, 2, 3, 4]), 7), (json!([1, 2, 3]), vec![" 3/4 items".to_owned()]));
    }

    #[test]
    fn the_largest_list_is_cut_where_it_stands() {
        let many: Vec<_> = (0..1000).collect();
        let (value, cuts) = check(json!({"small": [1, 2, 3], "deep": [{"many": many, "name": "x"}]}), 200);
        assert_eq!(value["small"], json!([1, 2, 3]));
        assert_eq!(value["deep"][0]["name"], "x");
        assert_eq!(cuts.len(), 1, "{cuts:?}");
        assert!(cuts[0].starts_with(".deep[0].many ") && cuts[0].ends_with("/1000 items"), "{cuts:?}");
    }

    #[test]
    fn several_large_fields_are_cut_each() {
        let many: Vec<_> = (0..1000).collect();
        let (_, cuts) = check(json!({"a": many, "b": many}), 500);
        assert_eq!(cuts.len(), 2, "{cuts:?}");
    }

    #[test]
    fn text_is_cut_at_a_line_or_a_character() {
        let lines = "one line\n".repeat(100);
        let (value, cuts) = check(json!(lines), 60);
        assert!(value.as_str().unwrap().ends_with("one line"), "{value}");
        assert_eq!(cuts, [" 5/100 lines"]);
        let (value, cuts) = check(json!("ä\u{1}\"".repeat(100)), 33);
        assert_eq!(
            (value.as_str().unwrap().chars().count(), cuts),
            (9, vec![" 9/300 characters".to_owned()])
        );
    }

    #[test]
    fn keys_go_when_nothing_else_does() {
        let many: Map<_, _> = (0..1000).map(|it| (format!("key{it}"), json!(it))).collect();
        let (value, cuts) = check(Value::Object(many), 100);
        assert_eq!(value["key0"], 0);
        assert!(cuts.len() == 1 && cuts[0].ends_with("/1000 keys"), "{cuts:?}");
    }

    #[test]
    fn the_line_of_a_place_is_clipped_around_its_column() {
        let line = format!("{}needle{}", "a".repeat(1000), "b".repeat(1000));
        let mut value = json!([
            {"path": "a", "start": {"line": 1, "column": 1001}, "text": line},
            {"path": "a", "line": 1, "column": 1, "text": line},
            {"path": "a", "text": line},
            line,
        ]);
        clip_lines(&mut value);
        let text = |index: usize| value[index]["text"].as_str().unwrap_or_default().to_owned();
        assert!(text(0).starts_with("+901…a") && text(0).ends_with("b…+905"), "{}", text(0));
        assert!(text(0).contains("needle"));
        assert!(text(1).starts_with("aaa") && text(1).ends_with("a…+1806"), "{}", text(1));
        assert_eq!((text(2), value[3].as_str()), (line.clone(), Some(line.as_str())));
    }

    #[test]
    fn odd_keys_are_quoted_in_paths() {
        let many: Vec<_> = (0..100).collect();
        let (_, cuts) = check(json!({"src/a.rs": many}), 100);
        assert!(cuts[0].starts_with("[\"src/a.rs\"] "), "{cuts:?}");
    }
}
