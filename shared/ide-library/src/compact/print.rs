//! Prints lists of places as lines.

use ide_protocol::{Diagnostic, FileRange};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Kind;
use super::line::{end, name_of, point, said_by, symbol, word};
use crate::functions::calls::Called;
use crate::spelling::own_name;
use crate::symbol::Symbol;

/// A printed place. What several places share is printed once above them.
struct Printed {
    path: String,
    /// The position, with the words that only this kind of place has.
    at: String,
    /// Words that are printed above all places of a list or a file that have them.
    words: Vec<String>,
    /// The definition around it: `in function load@12`, `from method A.f@3`.
    around: Option<String>,
    /// The rest of the line, and further lines, which begin with two spaces.
    rest: String,
}

/// Prints a list, or returns `None` if an element is of another kind. In the short style, a definition has no kind and
/// no name that its text says too.
pub(super) fn printed(kind: Kind, list: &[Value], is_short: bool) -> Option<String> {
    let mut text = String::new();
    match kind {
        Kind::Ranges => write_list(&mut text, list.iter().map(range).collect::<Option<_>>()?),
        Kind::Definitions => {
            let definition = |it| definition(it, is_short);
            write_list(&mut text, list.iter().map(definition).collect::<Option<_>>()?);
        }
        Kind::Calls => calls(&mut text, list)?,
        Kind::Diagnostics => write_list(&mut text, list.iter().map(diagnostic).collect::<Option<_>>()?),
    }
    text.truncate(text.trim_end_matches('\n').len());
    Some(text)
}

/// Writes places: first what all have, then each file.
fn write_list(text: &mut String, mut places: Vec<Printed>) {
    if places.chunk_by(|a, b| a.path == b.path).nth(1).is_some() {
        let common = take_common(&mut places);
        if !common.is_empty() {
            text.push_str(&format!("each: {}\n", common.join(" ")));
        }
    }
    for file in places.chunk_by_mut(|a, b| a.path == b.path) {
        write_file(text, file);
    }
}

/// Takes the words that all of several places have.
fn take_common(places: &mut [Printed]) -> Vec<String> {
    let [first, _, ..] = places else { return Vec::new() };
    let mut common = first.words.clone();
    common.retain(|word| places.iter().all(|it| it.words.contains(word)));
    places.iter_mut().for_each(|it| it.words.retain(|word| !common.contains(word)));
    common
}

/// Writes the places of one file: `PATH: WORDS`, and below it those in the same definition together.
fn write_file(text: &mut String, places: &mut [Printed]) {
    if let [only] = places {
        text.push_str(&format!("{}:{}\n", only.path, only.line(true)));
        return;
    }
    let common = take_common(places);
    let words = if common.is_empty() { String::new() } else { format!(" {}", common.join(" ")) };
    text.push_str(&format!("{}:{words}\n", places[0].path));
    for together in places.chunk_by(|a, b| a.around.is_some() && a.around == b.around) {
        match together {
            [first, _, ..] => {
                text.push_str(&format!(" {}:\n", first.around.as_deref().unwrap_or_default()));
                together.iter().for_each(|it| text.push_str(&format!("  {}\n", it.line(false))));
            }
            _ => together.iter().for_each(|it| text.push_str(&format!(" {}\n", it.line(true)))),
        }
    }
}

impl Printed {
    /// Returns the line without the path.
    fn line(&self, with_around: bool) -> String {
        let around = self.around.iter().filter(|_| with_around);
        let words: String = self.words.iter().chain(around).map(|it| format!(" {it}")).collect();
        format!("{}{words}{}", self.at, self.rest)
    }
}

fn parsed<T: DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

fn range(value: &Value) -> Option<Printed> {
    let range: FileRange = parsed(value)?;
    let at = format!("{}{}", point(range.start), end(range.start, range.end));
    let flags = flags(&range).into_iter().filter(|it| it.0).map(|it| it.1.to_owned());
    let words = range.role.as_deref().map(word).into_iter().chain(flags).collect();
    let around = range.inside.as_ref().map(|inside| {
        let kind = range.inside_kind.as_deref().map_or(String::new(), |it| format!("{} ", word(it)));
        let line = range.inside_line.map_or(String::new(), |it| format!("@{it}"));
        format!("in {kind}{}{line}", word(inside))
    });
    let mut rest = String::new();
    if !range.bindings.is_empty() {
        rest.push_str(" with");
    }
    for (name, bound) in &range.bindings {
        rest.push_str(&format!(" {} {}", word(name), word(bound)));
    }
    text(&mut rest, range.text.as_deref());
    Some(Printed { path: range.path, at, words, around, rest })
}

/// Returns the words of a range that are either there or not.
pub(super) fn flags(range: &FileRange) -> [(bool, &'static str); 5] {
    [
        (range.signature, "signature"),
        (range.public, "public"),
        (range.test, "test"),
        (range.outside, "outside"),
        (range.external, "external"),
    ]
}

/// Prints `NAME-POINT KIND NAME RANGE FLAGS in CONTAINER: text of the name's line`, and below it the first line of
/// the range if that is another one. Without a `nameAt`, the range is first. A signature stands for the text, after
/// ` = `.
fn definition(value: &Value, is_short: bool) -> Option<Printed> {
    let (name, kind) = (value["name"].as_str()?, value["kind"].as_str()?);
    let whole: FileRange = parsed(&value["definedAt"])?;
    let name_at: Option<FileRange> = value.get("nameAt").map(parsed).unwrap_or(None);
    let first = name_at.as_ref().unwrap_or(&whole);
    let named_end = first.start.column.index() + name.chars().count();
    let is_exact =
        name_at.is_some() && first.start.line == first.end.line && first.end.column.index() == named_end;
    let mut at = point(first.start);
    if !is_exact {
        at.push_str(&end(first.start, first.end));
    }
    let said = first.text.as_deref().filter(|_| is_short && is_exact && value.get("signature").is_none());
    let said = said.and_then(|it| said_by(it, first.start, whole.start));
    match said {
        Some((own, before)) if own == name && before == kind => {}
        Some((own, _)) if own == name => at.push_str(&format!(" {}", word(kind))),
        None if is_short && is_exact && value["signature"].as_str().and_then(name_of) == Some(name) => {
            at.push_str(&format!(" {}", word(kind)));
        }
        _ => at.push_str(&format!(" {} {}", word(kind), word(name))),
    }
    if name_at.is_some() {
        at.push_str(&format!(" {}{}", point(whole.start), end(whole.start, whole.end)));
    }
    let is_so = |flag: &str| value[flag] == Value::Bool(true);
    let flags = [(is_so("public"), "public"), (is_so("test"), "test"), (whole.external, "external")];
    let words = flags.into_iter().filter(|it| it.0).map(|it| it.1.to_owned()).collect();
    let around = match value.get("container") {
        Some(container) => Some(format!("in {}", word(container.as_str()?))),
        None => None,
    };
    let mut rest = String::new();
    match value["signature"].as_str() {
        Some(signature) => rest.push_str(&format!(" = {signature}")),
        None => text(&mut rest, first.text.as_deref()),
    }
    if let (Some(name_at), Some(head)) = (&name_at, &whole.text)
        && name_at.start.line != whole.start.line
    {
        rest.push_str(&format!("\n  {head}"));
    }
    Some(Printed { path: whole.path, at, words, around, rest })
}

/// Prints `RANGE CHANGE SEVERITY CODE from SOURCE: message`; further lines of the message are indented.
fn diagnostic(value: &Value) -> Option<Printed> {
    let found: Diagnostic = parsed(value)?;
    let at = format!("{}{}", point(found.start), end(found.start, found.end));
    let words = value["change"].as_str().map(str::to_owned).into_iter().collect();
    let mut rest = format!(" {}", value["severity"].as_str()?);
    rest.extend(found.code.as_deref().map(|it| format!(" {}", word(it))));
    if let Some(source) = &found.source {
        rest.push_str(&format!(" from {}", word(source)));
    }
    text(&mut rest, Some(&found.message.replace('\n', "\n  ")));
    Some(Printed { path: found.path, at, words, around: None, rest })
}

/// Writes a caller: `KIND QUALIFIED-NAME@LINE` if the definition around the call is the caller. Otherwise it is
/// `NAME@LINE`, and ` in KIND QUALIFIED-NAME` if there is such a definition.
fn caller(call: &Called, here: &str) -> String {
    let (Some(inside), Some(kind)) = (&call.inside, &call.inside_kind) else {
        return symbol(&call.caller, here);
    };
    if own_name(inside) == call.caller.name {
        let qualified = Symbol { name: inside.clone(), ..call.caller.clone() };
        return format!("{} {}", word(kind), symbol(&qualified, here));
    }
    format!("{} in {} {}", symbol(&call.caller, here), word(kind), word(inside))
}

/// Prints `LINE:COLUMN FLAGS to CALLEE from CALLER: text`. A caller or callee that several calls share is printed once,
/// above.
fn calls(text: &mut String, list: &[Value]) -> Option<()> {
    let calls: Vec<Called> = list.iter().map(parsed).collect::<Option<_>>()?;
    let first = calls.first()?;
    let from = |it: &Called| (it.caller.clone(), it.inside.clone(), it.inside_kind.clone());
    let same_caller = calls.iter().all(|it| from(it) == from(first));
    if same_caller {
        text.push_str(&format!("from {}\n", caller(first, "")));
    }
    let same_callee = |a: &Called, b: &Called| a.callee == b.callee;
    let line = |it: &Called, with_callee| printed_call(it, !same_caller, with_callee);
    let mut by_callee = String::new();
    for toward in calls.chunk_by(same_callee) {
        by_callee.push_str(&format!("to {}\n", symbol(&toward[0].callee, "")));
        write_list(&mut by_callee, toward.iter().map(|it| line(it, false)).collect());
    }
    let mut by_place = String::new();
    write_list(&mut by_place, calls.iter().map(|it| line(it, true)).collect());
    let is_by_callee = calls.chunk_by(same_callee).count() * 2 <= calls.len().max(2);
    let shorter = if is_by_callee || by_callee.len() < by_place.len() { by_callee } else { by_place };
    text.push_str(&shorter);
    Some(())
}

fn printed_call(call: &Called, with_caller: bool, with_callee: bool) -> Printed {
    let mut at = format!("{}:{}", call.line, call.column);
    if with_callee {
        at.push_str(&format!(" to {}", symbol(&call.callee, &call.path)));
    }
    let flags = [(call.test, "test"), (call.external, "external")];
    let words = flags.into_iter().filter(|it| it.0).map(|it| it.1.to_owned()).collect();
    let around = with_caller.then(|| format!("from {}", caller(call, &call.path)));
    let mut rest = String::new();
    text(&mut rest, call.text.as_deref());
    Printed { path: call.path.clone(), at, words, around, rest }
}

fn text(line: &mut String, text: Option<&str>) {
    match text {
        None => {}
        Some("") => line.push(':'),
        Some(text) => line.push_str(&format!(": {text}")),
    }
}
