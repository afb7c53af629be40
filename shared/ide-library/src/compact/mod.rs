//! The compact notation of places: lists of ranges, definitions, calls and diagnostics as lines, like those of grep.
//!
//! A printed list is a program of the same value: a call of `rangeLines`, `definitionLines`, `callLines` or
//! `diagnosticLines`. Every list is read back before it is used; one that would read as anything else stays JSON.
//!
//! A place by itself is printed as the first of such a list.
//!
//! A line is `path:line:column`, words, and after `: ` the text of the source line. What places share is printed once,
//! above them:
//!
//! - `each: WORDS` has words of all places of the list, `PATH: WORDS` the path and words of the lines below it, which
//!   begin with a space;
//! - ` in KIND NAME@LINE:` and ` from NAME@LINE:` have the definition around the lines below it, which begin with two
//!   spaces;
//! - `from NAME@PATH:LINE` and `to NAME@PATH:LINE` have the caller or the callee of all calls below them.
//!
//! A definition has no name, and no kind, that its text has at that place, and no name that its signature has.

mod line;
mod print;
mod read;

use std::collections::{BTreeMap, BTreeSet};

use dialect::show;
use ide_protocol::short_path;
use serde_json::Value;
use source_text::is_visible;

use print::printed;
pub(crate) use read::{BadLine, calls, definitions, diagnostics, ranges};

/// The kinds of lists that have a compact notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Ranges,
    Definitions,
    Calls,
    Diagnostics,
}

impl Kind {
    /// Returns the kind of which the first element of a list seems to be.
    fn of(list: &[Value]) -> Option<Self> {
        let first = list.first()?;
        let has = |key: &str| first.get(key).is_some();
        match () {
            () if has("definedAt") => Some(Self::Definitions),
            () if has("caller") => Some(Self::Calls),
            () if has("severity") => Some(Self::Diagnostics),
            () if has("start") && has("end") => Some(Self::Ranges),
            () => None,
        }
    }

    /// Returns the function that reads the lines.
    fn function(self) -> &'static str {
        match self {
            Self::Ranges => "rangeLines",
            Self::Definitions => "definitionLines",
            Self::Calls => "callLines",
            Self::Diagnostics => "diagnosticLines",
        }
    }

    fn read(self, lines: &str) -> Option<Vec<Value>> {
        match self {
            Self::Ranges => ranges(lines).ok(),
            Self::Definitions => definitions(lines).ok(),
            Self::Calls => calls(lines).ok(),
            Self::Diagnostics => diagnostics(lines).ok(),
        }
    }
}

/// The start of texts that stand for compact lists while a value is printed.
const MARK: &str = "\u{1}compact:";

/// Prints a value as a program of it: lists of places as lines, a text in backticks where that is shorter, and
/// everything else as JSON.
pub fn compact(value: &Value) -> String {
    if has_mark(value) {
        return show(value); // what stands for a list could not be told apart
    }
    let mut parts = Vec::new();
    let mut text = show(&fold(value, true, &mut parts));
    for (index, part) in parts.into_iter().enumerate().rev() {
        text = text.replacen(&show(&mark(index)), &part, 1);
    }
    text
}

/// Returns `true` if a text in a value holds the start of a mark.
fn has_mark(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(MARK),
        Value::Array(items) => items.iter().any(has_mark),
        Value::Object(fields) => fields.iter().any(|(key, it)| key.contains(MARK) || has_mark(it)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Returns the paths of a list of places in its order, if it is one that [`compact`] prints as lines.
pub fn paths_of(value: &Value) -> Option<Vec<&str>> {
    let list = value.as_array()?;
    let kind = Kind::of(list)?;
    list.iter()
        .map(|it| match kind {
            Kind::Definitions => it["definedAt"]["path"].as_str(),
            Kind::Ranges | Kind::Calls | Kind::Diagnostics => it["path"].as_str(),
        })
        .collect()
}

/// Replaces the paths of libraries in a value by their short forms, unless two of its paths would look alike.
pub fn shorten_paths(value: &mut Value) {
    let mut paths = BTreeSet::new();
    each_path(value, &mut |path| {
        paths.insert(path.clone());
    });
    let mut forms: BTreeMap<String, Option<String>> = paths.iter().map(|it| (it.clone(), None)).collect();
    for path in &paths {
        if let Some(short) = short_path(path) {
            forms.entry(short).and_modify(|it| *it = None).or_insert_with(|| Some(path.clone()));
        }
    }
    let short_of: BTreeMap<_, _> =
        forms.into_iter().filter_map(|(short, path)| Some((path?, short))).collect();
    if !short_of.is_empty() {
        each_path(value, &mut |path| {
            if let Some(short) = short_of.get(path) {
                path.clone_from(short);
            }
        });
    }
}

/// Visits the fields `path` of objects, at any depth.
fn each_path(value: &mut Value, visit: &mut impl FnMut(&mut String)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|it| each_path(it, visit)),
        Value::Object(fields) => {
            if let Some(Value::String(path)) = fields.get_mut("path") {
                visit(path);
            }
            fields.values_mut().for_each(|it| each_path(it, visit));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn mark(index: usize) -> String {
    format!("{MARK}{index}\u{1}")
}

/// The fields that hold text of files, which may have several lines.
const TEXTS: [&str; 3] = ["text", "diff", "selected"];

/// Replaces what is printed otherwise than as JSON by marks, and adds its program to `parts`. Only the value itself and
/// text of files is printed on several lines: names of files and words of others may hold line breaks too.
fn fold(value: &Value, has_lines: bool, parts: &mut Vec<String>) -> Value {
    let program = match value {
        Value::Array(list) => list_program(list),
        Value::Object(_) => place_program(value),
        Value::String(text) if has_lines || !text.contains('\n') => text_program(text),
        _ => None,
    };
    if let Some(program) = program {
        parts.push(program);
        return mark(parts.len() - 1).into();
    }
    match value {
        Value::Array(list) => list.iter().map(|it| fold(it, false, parts)).collect(),
        Value::Object(fields) => {
            let field =
                |(key, it): (&String, &Value)| (key.clone(), fold(it, TEXTS.contains(&key.as_str()), parts));
            fields.iter().map(field).collect()
        }
        other => other.clone(),
    }
}

/// Returns the lines of a list, in the shortest style that reads as that list.
fn lines_of(kind: Kind, list: &[Value]) -> Option<String> {
    let reads_as = |lines: &String| kind.read(lines).is_some_and(|it| it == list);
    [true, false].into_iter().filter_map(|is_short| printed(kind, list, is_short)).find(reads_as)
}

/// Returns the call that reads the lines of a list, if they read as that list.
fn list_program(list: &[Value]) -> Option<String> {
    let kind = Kind::of(list)?;
    let lines = lines_of(kind, list)?;
    let function = kind.function();
    Some(match quoted(&lines) {
        Some(_) if lines.contains('\n') => format!("{function}(`\n{lines}\n`)"),
        Some(quoted) => format!("{function}({quoted})"),
        None => {
            let lines: Vec<_> = lines.lines().map(|it| show(&it)).collect();
            format!("{function}([\n{}\n])", lines.join(",\n"))
        }
    })
}

/// Returns the call that reads the lines of one place, if that is shorter than JSON.
fn place_program(place: &Value) -> Option<String> {
    let program = format!("{}.first()", list_program(std::slice::from_ref(place))?);
    (program.len() < show(place).len()).then_some(program)
}

/// Returns a text in backticks, if that is shorter than JSON.
fn text_program(text: &str) -> Option<String> {
    quoted(text).filter(|it| it.len() < show(&text).len())
}

/// Returns a text in backticks, in which all characters stand for themselves.
fn quoted(text: &str) -> Option<String> {
    (!text.contains('`') && is_visible(text)).then(|| format!("`{text}`"))
}

#[cfg(test)]
mod tests;
