//! Cutting a value to a budget of bytes: pure, on JSON, and never without saying so.

use dialect::show;
use serde_json::{Map, Value};

/// One thing that was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Where it stands in the value: `.users[0].references`; empty for the value itself.
    pub(crate) path: String,
    /// What is counted: `items`, `keys`, `lines`, `characters`.
    pub(crate) unit: &'static str,
    /// How many are left, the first ones.
    pub(crate) shown: usize,
    /// How many there were.
    pub(crate) total: usize,
}

/// Cuts the largest parts of `value` until it fits `budget` bytes of compact JSON, and says what was cut.
pub(crate) fn cut(value: &mut Value, budget: usize) -> Vec<Cut> {
    let mut cuts = Vec::new();
    shrink(value, budget, String::new(), &mut cuts);
    cuts
}

/// The size of a value as the JSON that is shown.
pub(crate) fn size(value: &Value) -> usize {
    show(value).len()
}

fn shrink(value: &mut Value, budget: usize, path: String, cuts: &mut Vec<Cut>) {
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

/// Keeps the first elements that fit, at least one, which then is cut itself.
fn shrink_list(items: &mut Vec<Value>, budget: usize, path: String, cuts: &mut Vec<Cut>) {
    let (total, inside) = (items.len(), budget.saturating_sub(2));
    let shown = fitting(items.iter().map(size), inside).max(1);
    items.truncate(shown);
    if shown < total {
        cuts.push(Cut { path: path.clone(), unit: "items", shown, total });
    }
    if let [only] = &mut items[..] {
        shrink(only, inside, path + "[0]", cuts);
    }
}

/// How many of these sizes fit together, each but the first after a comma.
fn fitting(sizes: impl Iterator<Item = usize>, budget: usize) -> usize {
    let ends = sizes.scan(0, |end, size| {
        *end += size + usize::from(*end > 0);
        Some(*end)
    });
    ends.take_while(|end| *end <= budget).count()
}

/// Takes the excess from the largest field, and from the next one when that did not do. What no field can
/// give, keys must.
fn shrink_object(fields: &mut Map<String, Value>, budget: usize, path: String, cuts: &mut Vec<Cut>) {
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

/// What is left of a field at the least, so that one can see what it was.
const SCRAP: usize = 64;

fn object_size(fields: &Map<String, Value>) -> usize {
    let sizes = fields.iter().map(|(key, value)| entry_size(key, value) + 1);
    sizes.sum::<usize>() + 1
}

fn entry_size(key: &str, value: &Value) -> usize {
    size(&Value::from(key)) + 1 + size(value)
}

fn drop_keys(fields: &mut Map<String, Value>, budget: usize, path: String, cuts: &mut Vec<Cut>) {
    let total = fields.len();
    let sizes = fields.iter().map(|(key, value)| entry_size(key, value));
    let shown = fitting(sizes, budget.saturating_sub(2)).max(1);
    *fields = std::mem::take(fields).into_iter().take(shown).collect();
    if shown < total {
        let inside = format!("{path}.");
        cuts.retain(|it| {
            !it.path.starts_with(&inside) || fields.contains_key(first_key(&it.path[inside.len()..]))
        });
        cuts.push(Cut { path, unit: "keys", shown, total });
    }
}

fn first_key(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or(path)
}

/// `.key`, or `["odd key"]`.
fn step(key: &str) -> String {
    let is_name = |it: char| it.is_alphanumeric() || it == '_';
    if !key.is_empty() && key.chars().all(is_name) { format!(".{key}") } else { format!("[{}]", show(&key)) }
}

/// Cuts after a line if there is one, else after a character.
fn shrink_text(text: &mut String, budget: usize, path: String) -> Option<Cut> {
    let end = text_end(text, budget.saturating_sub(2));
    let line_end = text[..end].rfind('\n').filter(|line_end| *line_end * 2 > end);
    let (unit, end) = line_end.map_or(("characters", end), |it| ("lines", it));
    let count = |text: &str| if unit == "lines" { text.lines().count() } else { text.chars().count() };
    let (shown, total) = (count(&text[..end]), count(text));
    text.truncate(end);
    (shown < total).then_some(Cut { path, unit, shown, total })
}

/// The end of the longest start that fits once it is escaped.
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
    use super::*;
    use serde_json::json;

    fn check(mut value: Value, budget: usize) -> (Value, Vec<String>) {
        let cuts = cut(&mut value, budget);
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
    fn odd_keys_are_quoted_in_paths() {
        let many: Vec<_> = (0..100).collect();
        let (_, cuts) = check(json!({"src/a.rs": many}), 100);
        assert!(cuts[0].starts_with("[\"src/a.rs\"] "), "{cuts:?}");
    }
}
