//! Reads lists of places from lines.

use ide_protocol::{Column, Diagnostic, FileRange, Point};
use serde_json::{Map, Value, json};

use super::line::{Rest, end_of_word, points};
use crate::functions::calls::Called;
use crate::spelling::own_name;
use crate::symbol::Symbol;

/// The number of the line, counted from 1, that has another form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadLine(pub(crate) usize);

/// A line of a list, with the path that applies to it.
struct Entry<'t> {
    path: &'t str,
    at: Point,
    end: Option<Point>,
    rest: Rest<'t>,
}

/// Reads ranges.
pub(crate) fn ranges(lines: &str) -> Result<Vec<Value>, BadLine> {
    read(lines, range)
}

/// Reads definitions.
pub(crate) fn definitions(lines: &str) -> Result<Vec<Value>, BadLine> {
    read(lines, definition)
}

/// Reads calls.
pub(crate) fn calls(lines: &str) -> Result<Vec<Value>, BadLine> {
    read(lines, call)
}

/// Reads diagnostics.
pub(crate) fn diagnostics(lines: &str) -> Result<Vec<Value>, BadLine> {
    read(lines, diagnostic)
}

/// The path and the symbols of lines above an entry, which apply to it.
#[derive(Default)]
struct Above<'t> {
    path: &'t str,
    caller: Option<Caller>,
    callee: Option<Symbol>,
}

type ReadEntry = fn(Entry<'_>, &Above<'_>, &[&str]) -> Option<Value>;

fn read(text: &str, one: ReadEntry) -> Result<Vec<Value>, BadLine> {
    let (mut found, mut above) = (Vec::new(), Above::default());
    let mut lines = text.lines().enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let bad = || BadLine(index + 1);
        if line.is_empty() {
            continue;
        }
        if let Some(caller) = header(line, "from", |rest| Caller::read(rest, "")) {
            above.caller = Some(caller);
            continue;
        }
        if let Some(symbol) = header(line, "to", |rest| rest.symbol("")) {
            above.callee = Some(symbol);
            continue;
        }
        let Some(entry) = entry(line, above.path) else {
            above.path = line.strip_suffix(':').ok_or_else(bad)?;
            continue;
        };
        let more: Vec<_> = std::iter::from_fn(|| {
            lines.next_if(|(_, next)| next.starts_with("  ")).map(|(_, next)| &next[2..])
        })
        .collect();
        found.push(one(entry, &above, &more).ok_or_else(bad)?);
    }
    Ok(found)
}

/// Reads a line `from NAME@…` or `to NAME@…`, which is about the calls below it.
fn header<T>(line: &str, word: &str, read: impl Fn(&mut Rest<'_>) -> Option<T>) -> Option<T> {
    let mut rest = Rest(line.strip_prefix(word)?);
    let read = read(&mut rest)?;
    rest.0.is_empty().then_some(read)
}

/// A caller, with the qualified name and the kind of the definition if they are known.
#[derive(Clone)]
struct Caller {
    symbol: Symbol,
    inside: Option<(String, String)>,
}

impl Caller {
    /// Reads `NAME@LINE`, that with ` in KIND QUALIFIED-NAME`, or `KIND QUALIFIED-NAME@LINE`.
    fn read(rest: &mut Rest<'_>, here: &str) -> Option<Self> {
        let mut ahead = *rest;
        if let Some(symbol) = ahead.symbol(here) {
            *rest = ahead;
            let is_inside = ahead.word().is_some_and(|it| it == "in");
            let inside = is_inside.then(|| ahead.word().zip(ahead.word()).map(|(kind, name)| (name, kind)));
            if inside.is_some() {
                *rest = ahead;
            }
            return Some(Self { symbol, inside: inside.flatten() });
        }
        let kind = rest.word()?;
        let qualified = rest.symbol(here)?;
        let symbol = Symbol { name: own_name(&qualified.name).to_owned(), ..qualified.clone() };
        Some(Self { symbol, inside: Some((qualified.name, kind)) })
    }
}

/// Reads the start of a line: ` LINE:COLUMN` below a path, or else `path:LINE:COLUMN`.
fn entry<'t>(line: &'t str, above: &'t str) -> Option<Entry<'t>> {
    if let Some(own) = line.strip_prefix(' ') {
        return from_point(above, own);
    }
    let colons = line.char_indices().filter(|(_, it)| *it == ':').map(|(index, _)| index);
    colons.into_iter().find_map(|colon| from_point(&line[..colon], &line[colon + 1..]))
}

fn from_point<'t>(path: &'t str, text: &'t str) -> Option<Entry<'t>> {
    let length = end_of_word(text);
    let (at, end) = points(&text[..length])?;
    Some(Entry { path, at, end, rest: Rest(&text[length..]) })
}

fn range(entry: Entry<'_>, _: &Above<'_>, more: &[&str]) -> Option<Value> {
    let Entry { path, at, end, mut rest } = entry;
    let mut range = FileRange::new(path, at, end?);
    while let Some(word) = rest.word() {
        match word.as_str() {
            "signature" => range.signature = true,
            "public" => range.public = true,
            "test" => range.test = true,
            "outside" => range.outside = true,
            "external" => range.external = true,
            "in" => {
                let first = rest.word()?;
                let is_name =
                    matches!(rest.0, "" | ":") || rest.0.starts_with(": ") || rest.0.starts_with(" with ");
                if is_name {
                    range.inside = Some(first);
                } else {
                    range.inside_kind = Some(first);
                    range.inside = Some(rest.word()?);
                }
            }
            "with" => {
                while rest.0.starts_with(' ') {
                    range.bindings.insert(rest.word()?, rest.word()?);
                }
            }
            _ if range.role.is_none() => range.role = Some(word),
            _ => return None,
        }
    }
    range.text = rest.text()?.map(str::to_owned);
    more.is_empty().then(|| json!(range))
}

fn definition(entry: Entry<'_>, _: &Above<'_>, more: &[&str]) -> Option<Value> {
    let Entry { path, at, end, mut rest } = entry;
    let (kind, name) = (rest.word()?, rest.word()?);
    let (mut container, mut external, mut whole) = (None, false, None);
    let (mut public, mut test, mut signature) = (false, false, None);
    while let Some(word) = rest.word() {
        match word.as_str() {
            "in" => container = Some(rest.word()?),
            "public" => public = true,
            "test" => test = true,
            "external" => external = true,
            "=" => signature = std::mem::take(&mut rest.0).strip_prefix(' '),
            range => whole = points(range).and_then(|(start, end)| Some((start, end?))),
        }
    }
    let text = rest.text()?.map(str::to_owned);
    let mut fields = Map::from_iter([("name".to_owned(), json!(name)), ("kind".to_owned(), json!(kind))]);
    let range = |start, end, text| FileRange { text, external, ..FileRange::new(path, start, end) };
    match whole {
        None => {
            fields.insert("definedAt".into(), json!(range(at, end?, text)));
        }
        Some((start, last)) => {
            let own = Point { column: Column::from_index(at.column.index() + name.chars().count()), ..at };
            let head =
                if start.line == at.line { text.clone() } else { more.first().map(|it| (*it).to_owned()) };
            fields.insert("definedAt".into(), json!(range(start, last, head)));
            fields.insert("nameAt".into(), json!(range(at, end.unwrap_or(own), text)));
        }
    }
    if let Some(container) = container {
        fields.insert("container".into(), json!(container));
    }
    if let Some(signature) = signature {
        fields.insert("signature".into(), json!(signature));
    }
    for (is_so, flag) in [(public, "public"), (test, "test")] {
        if is_so {
            fields.insert(flag.into(), json!(true));
        }
    }
    fields.extend([("path".to_owned(), json!(path)), ("line".to_owned(), json!(at.line))]);
    Some(fields.into())
}

fn call(entry: Entry<'_>, above: &Above<'_>, more: &[&str]) -> Option<Value> {
    let Entry { path, at, end, mut rest } = entry;
    let (mut caller, mut callee) = (above.caller.clone(), above.callee.clone());
    let (mut external, mut test) = (false, false);
    while rest.0.starts_with(' ') {
        match rest.word()?.as_str() {
            "from" => caller = Some(Caller::read(&mut rest, path)?),
            "to" => callee = Some(rest.symbol(path)?),
            "external" => external = true,
            "test" => test = true,
            _ => return None,
        }
    }
    let text = rest.text()?.map(str::to_owned);
    let Caller { symbol: caller, inside } = caller?;
    let (inside, inside_kind) = inside.unzip();
    let called = Called {
        caller,
        callee: callee?,
        path: path.to_owned(),
        line: at.line,
        column: at.column,
        text,
        external,
        inside,
        inside_kind,
        test,
    };
    (end.is_none() && more.is_empty()).then(|| json!(called))
}

fn diagnostic(entry: Entry<'_>, _: &Above<'_>, more: &[&str]) -> Option<Value> {
    let Entry { path, at, end, mut rest } = entry;
    let severity = rest.word()?;
    let (mut code, mut source) = (None, None);
    while rest.0.starts_with(' ') {
        match rest.word()? {
            from if from == "from" => source = Some(rest.word()?),
            given if code.is_none() => code = Some(given),
            _ => return None,
        }
    }
    let first = rest.text()?.unwrap_or_default();
    let message = [first].iter().chain(more).copied().collect::<Vec<_>>().join("\n");
    let mut fields =
        Map::from_iter([("severity".to_owned(), json!(severity)), ("message".to_owned(), json!(message))]);
    fields.extend(code.map(|it| ("code".to_owned(), json!(it))));
    fields.extend(source.map(|it| ("source".to_owned(), json!(it))));
    fields.extend(
        [("path", json!(path)), ("start", json!(at)), ("end", json!(end?))]
            .map(|(key, it)| (key.to_owned(), it)),
    );
    let diagnostic: Diagnostic = serde_json::from_value(fields.into()).ok()?;
    Some(json!(diagnostic))
}
