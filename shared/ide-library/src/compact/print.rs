//! Prints lists of places as lines.

use ide_protocol::{Diagnostic, FileRange};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Kind;
use super::line::{end, point, symbol, word};
use crate::functions::calls::Called;
use crate::spelling::own_name;
use crate::symbol::Symbol;

/// A printed place: the file, and the line without it. Further lines begin with two spaces.
struct Printed {
    path: String,
    line: String,
}

/// Prints a list, or returns `None` if an element is of another kind.
pub(super) fn printed(kind: Kind, list: &[Value]) -> Option<String> {
    let (mut head, lines) = match kind {
        Kind::Ranges => (String::new(), list.iter().map(range).collect::<Option<Vec<_>>>()?),
        Kind::Definitions => (String::new(), list.iter().map(definition).collect::<Option<Vec<_>>>()?),
        Kind::Calls => calls(list)?,
        Kind::Diagnostics => (String::new(), list.iter().map(diagnostic).collect::<Option<Vec<_>>>()?),
    };
    let mut lines = lines.as_slice();
    while let [first, ..] = lines {
        let together = lines.iter().take_while(|it| it.path == first.path).count();
        let (group, rest) = lines.split_at(together);
        match group {
            [only] => head.push_str(&format!("{}:{}\n", only.path, only.line)),
            group => {
                head.push_str(&format!("{}:\n", first.path));
                group.iter().for_each(|it| head.push_str(&format!(" {}\n", it.line)));
            }
        }
        lines = rest;
    }
    head.truncate(head.trim_end_matches('\n').len());
    Some(head)
}

fn parsed<T: DeserializeOwned>(value: &Value) -> Option<T> {
    serde_json::from_value(value.clone()).ok()
}

fn range(value: &Value) -> Option<Printed> {
    let range: FileRange = parsed(value)?;
    let mut line = format!("{}{}", point(range.start), end(range.start, range.end));
    if let Some(role) = &range.role {
        line.push_str(&format!(" {}", word(role)));
    }
    for (is_so, flag) in flags(&range) {
        if is_so {
            line.push_str(&format!(" {flag}"));
        }
    }
    if let Some(inside) = &range.inside {
        let kind = range.inside_kind.as_deref().map_or(String::new(), |it| format!("{} ", word(it)));
        line.push_str(&format!(" in {kind}{}", word(inside)));
    }
    if !range.bindings.is_empty() {
        line.push_str(" with");
    }
    for (name, bound) in &range.bindings {
        line.push_str(&format!(" {} {}", word(name), word(bound)));
    }
    text(&mut line, range.text.as_deref());
    Some(Printed { path: range.path, line })
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

/// Prints `NAME-POINT KIND NAME in CONTAINER RANGE: text of the name's line`, and below it the first line of the
/// range if that is another one. Without a `nameAt`, the range is first. A signature stands for the text, after ` = `.
fn definition(value: &Value) -> Option<Printed> {
    let (name, kind) = (value["name"].as_str()?, value["kind"].as_str()?);
    let whole: FileRange = parsed(&value["definedAt"])?;
    let name_at: Option<FileRange> = value.get("nameAt").map(parsed).unwrap_or(None);
    let first = name_at.as_ref().unwrap_or(&whole);
    let named_end = first.start.column.index() + name.chars().count();
    let is_exact =
        name_at.is_some() && first.start.line == first.end.line && first.end.column.index() == named_end;
    let mut line = point(first.start);
    if !is_exact {
        line.push_str(&end(first.start, first.end));
    }
    line.push_str(&format!(" {} {}", word(kind), word(name)));
    if let Some(container) = value.get("container") {
        line.push_str(&format!(" in {}", word(container.as_str()?)));
    }
    let is_so = |flag: &str| value[flag] == Value::Bool(true);
    for (is_so, flag) in [(is_so("public"), "public"), (is_so("test"), "test"), (whole.external, "external")]
    {
        if is_so {
            line.push_str(&format!(" {flag}"));
        }
    }
    if name_at.is_some() {
        line.push_str(&format!(" {}{}", point(whole.start), end(whole.start, whole.end)));
    }
    match value["signature"].as_str() {
        Some(signature) => line.push_str(&format!(" = {signature}")),
        None => text(&mut line, first.text.as_deref()),
    }
    if let (Some(name_at), Some(head)) = (&name_at, &whole.text)
        && name_at.start.line != whole.start.line
    {
        line.push_str(&format!("\n  {head}"));
    }
    Some(Printed { path: whole.path, line })
}

/// Prints `RANGE SEVERITY CODE from SOURCE: message`; further lines of the message are indented.
fn diagnostic(value: &Value) -> Option<Printed> {
    let found: Diagnostic = parsed(value)?;
    let severity = value["severity"].as_str()?;
    let mut line = format!("{}{} {severity}", point(found.start), end(found.start, found.end));
    if let Some(code) = &found.code {
        line.push_str(&format!(" {}", word(code)));
    }
    if let Some(source) = &found.source {
        line.push_str(&format!(" from {}", word(source)));
    }
    text(&mut line, Some(&found.message.replace('\n', "\n  ")));
    Some(Printed { path: found.path, line })
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

/// Prints `LINE:COLUMN from CALLER to CALLEE FLAGS: text`. A caller or callee that is the same everywhere is printed once, above.
fn calls(list: &[Value]) -> Option<(String, Vec<Printed>)> {
    let calls: Vec<Called> = list.iter().map(parsed).collect::<Option<_>>()?;
    let first = calls.first()?;
    let from = |it: &Called| (it.caller.clone(), it.inside.clone(), it.inside_kind.clone());
    let same_caller = calls.iter().all(|it| from(it) == from(first));
    let same_callee = calls.iter().all(|it| it.callee == first.callee);
    let mut head = String::new();
    if same_caller {
        head.push_str(&format!("from {}\n", caller(first, "")));
    }
    if same_callee {
        head.push_str(&format!("to {}\n", symbol(&first.callee, "")));
    }
    let line = |it: &Called| {
        let mut line = format!("{}:{}", it.line, it.column);
        if !same_caller {
            line.push_str(&format!(" from {}", caller(it, &it.path)));
        }
        if !same_callee {
            line.push_str(&format!(" to {}", symbol(&it.callee, &it.path)));
        }
        for (is_so, flag) in [(it.test, "test"), (it.external, "external")] {
            if is_so {
                line.push_str(&format!(" {flag}"));
            }
        }
        text(&mut line, it.text.as_deref());
        Printed { path: it.path.clone(), line }
    };
    Some((head, calls.iter().map(line).collect()))
}

fn text(line: &mut String, text: Option<&str>) {
    match text {
        None => {}
        Some("") => line.push(':'),
        Some(text) => line.push_str(&format!(": {text}")),
    }
}
