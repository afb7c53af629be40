//! Reads lists of places from lines.

use ide_protocol::{Column, FileRange, Point};
use serde_json::{Map, Value, json};

use super::line::{Rest, end_of_word, name_of, points, said_by};
use crate::diagnostic_changes::ComparedDiagnostic;
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

/// The words of lines above an entry, which apply to it.
#[derive(Default)]
struct Above<'t> {
    /// The words of a line `each: WORDS`, with a space before each.
    each: &'t str,
    path: &'t str,
    /// The words of a line `PATH: WORDS`, with a space before each.
    words: &'t str,
    /// The definition of a line ` in NAME:` or ` from NAME:`, with a space before it.
    around: Option<&'t str>,
    caller: Option<Caller>,
    callee: Option<Symbol>,
}

type ReadEntry = fn(Entry<'_>, &Above<'_>, &[&str]) -> Option<Value>;

fn read(text: &str, one: ReadEntry) -> Result<Vec<Value>, BadLine> {
    let (mut found, mut above) = (Vec::new(), Above::default());
    let mut lines = text.lines().enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let bad = || BadLine(index + 1);
        if line.is_empty() || above.takes(line) {
            continue;
        }
        let is_inside = line.starts_with("  ") && above.around.is_some();
        if !is_inside {
            above.around = None;
        }
        if !line.starts_with(' ') {
            above.words = ""; // a path of its own
        }
        let entry = entry(if is_inside { &line[1..] } else { line }, above.path).ok_or_else(bad)?;
        let more: Vec<_> = std::iter::from_fn(|| {
            lines.next_if(|(_, next)| next.starts_with("  ") && !is_inside).map(|(_, next)| &next[2..])
        })
        .collect();
        found.push(one(entry, &above, &more).ok_or_else(bad)?);
    }
    Ok(found)
}

impl<'t> Above<'t> {
    /// Takes a line that is no entry.
    fn takes(&mut self, line: &'t str) -> bool {
        if let Some(caller) = header(line, "from", |rest| Caller::read(rest, "")) {
            self.caller = Some(caller);
        } else if let Some(symbol) = header(line, "to", |rest| rest.symbol("")) {
            *self = Self { callee: Some(symbol), caller: self.caller.take(), ..Self::default() };
        } else if let Some(words) = line.strip_prefix("each:") {
            self.each = words;
        } else if entry(line, self.path).is_some() || line.starts_with("  ") {
            return false;
        } else if let Some(around) = line.strip_suffix(':').filter(|it| it.starts_with(' ')) {
            self.around = Some(around);
        } else {
            let at = line.len() - line.chars().rev().take_while(|it| *it != ':').count();
            let Some(path) = line[..at].strip_suffix(':') else { return false };
            (self.path, self.words, self.around) = (path, &line[at..], None);
        }
        true
    }

    /// Returns the words that apply to an entry.
    fn words(&self) -> impl Iterator<Item = Rest<'t>> {
        [self.each, self.words].into_iter().filter(|it| !it.is_empty()).map(Rest)
    }
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

fn range(entry: Entry<'_>, above: &Above<'_>, more: &[&str]) -> Option<Value> {
    let Entry { path, at, end, mut rest } = entry;
    let mut range = FileRange::new(path, at, end?);
    for mut words in above.words().chain(above.around.map(Rest)) {
        range_words(&mut range, &mut words)?;
    }
    range_words(&mut range, &mut rest)?;
    range.text = rest.text()?.map(str::to_owned);
    more.is_empty().then(|| json!(range))
}

fn range_words(range: &mut FileRange, rest: &mut Rest<'_>) -> Option<()> {
    while rest.0.starts_with(' ') {
        let word = rest.word()?;
        match word.as_str() {
            "signature" => range.signature = true,
            "public" => range.public = true,
            "test" => range.test = true,
            "outside" => range.outside = true,
            "external" => range.external = true,
            "in" => {
                let mut ahead = *rest;
                let first = ahead.word()?;
                let is_name =
                    matches!(ahead.0, "" | ":") || ahead.0.starts_with(": ") || ahead.0.starts_with(" with ");
                if !is_name && !ahead.0.starts_with('@') {
                    (range.inside_kind, *rest) = (Some(first), ahead);
                }
                let (name, line) = rest.name()?;
                (range.inside, range.inside_line) = (Some(name), line);
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
    Some(())
}

fn definition(entry: Entry<'_>, above: &Above<'_>, more: &[&str]) -> Option<Value> {
    let Entry { path, at, end, mut rest } = entry;
    let mut read = DefinitionWords::default();
    if !read.short(at, rest) {
        read = DefinitionWords { kind: Some(rest.word()?), name: Some(rest.word()?), ..read };
    }
    for mut words in above.words().chain(above.around.map(Rest)) {
        read.take(&mut words)?;
    }
    read.take(&mut rest)?;
    let DefinitionWords { kind, name, container, external, whole, public, test, signature } = read;
    let (kind, name) = (kind?, name?);
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

/// The parts of a definition that were read so far from its line.
#[derive(Default)]
struct DefinitionWords<'t> {
    kind: Option<String>,
    name: Option<String>,
    container: Option<String>,
    external: bool,
    whole: Option<(Point, Point)>,
    public: bool,
    test: bool,
    signature: Option<&'t str>,
}

impl<'t> DefinitionWords<'t> {
    /// Reads the name, and the kind if none is written, from the text of a line `NAME-POINT KIND RANGE …: text`, or the
    /// name from the signature of a line `NAME-POINT KIND RANGE … = signature`.
    fn short(&mut self, at: Point, mut rest: Rest<'_>) -> bool {
        let range = |it: &str| points(it).and_then(|(start, end)| end.map(|_| start));
        let Some(first) = rest.word() else { return false };
        let (kind, start) = match range(&first) {
            Some(start) => (None, Some(start)),
            None => (Some(first), rest.word().and_then(|it| range(&it))),
        };
        let Some(start) = start else { return false };
        while rest.0.starts_with(' ') && !rest.0.starts_with(" = ") && rest.word().is_some() {}
        if let (Some(kind), Some(signature)) = (&kind, rest.0.strip_prefix(" = ")) {
            self.kind = Some(kind.clone());
            self.name = name_of(signature).map(str::to_owned);
            return self.name.is_some();
        }
        let Ok(text) = rest.text().flatten().ok_or(()) else { return false };
        let Some((name, before)) = said_by(text, at, start) else { return false };
        self.name = Some(name.to_owned());
        self.kind = Some(kind.unwrap_or_else(|| before.to_owned()));
        true
    }

    fn take(&mut self, rest: &mut Rest<'t>) -> Option<()> {
        while rest.0.starts_with(' ') {
            match rest.word()?.as_str() {
                "in" => self.container = Some(rest.word()?),
                "public" => self.public = true,
                "test" => self.test = true,
                "external" => self.external = true,
                "=" => self.signature = std::mem::take(&mut rest.0).strip_prefix(' '),
                word => match points(word).and_then(|(start, end)| Some((start, end?))) {
                    Some(range) => self.whole = Some(range),
                    // The kind of the short form, which is read already.
                    None if self.whole.is_none() && self.kind.as_deref() == Some(word) => {}
                    None => return None,
                },
            }
        }
        Some(())
    }
}

fn call(entry: Entry<'_>, above: &Above<'_>, more: &[&str]) -> Option<Value> {
    let Entry { path, at, end, mut rest } = entry;
    let mut read =
        CallWords { caller: above.caller.clone(), callee: above.callee.clone(), ..Default::default() };
    for mut words in above.words().chain(above.around.map(Rest)) {
        read.take(&mut words, path)?;
    }
    read.take(&mut rest, path)?;
    let CallWords { caller, callee, external, test } = read;
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

/// The parts of a call that were read so far from its line.
#[derive(Default)]
struct CallWords {
    caller: Option<Caller>,
    callee: Option<Symbol>,
    external: bool,
    test: bool,
}

impl CallWords {
    fn take(&mut self, rest: &mut Rest<'_>, path: &str) -> Option<()> {
        while rest.0.starts_with(' ') {
            match rest.word()?.as_str() {
                "from" => self.caller = Some(Caller::read(rest, path)?),
                "to" => self.callee = Some(rest.symbol(path)?),
                "external" => self.external = true,
                "test" => self.test = true,
                _ => return None,
            }
        }
        Some(())
    }
}

fn diagnostic(entry: Entry<'_>, above: &Above<'_>, more: &[&str]) -> Option<Value> {
    let Entry { path, at, end, mut rest } = entry;
    let mut change = None;
    for mut words in above.words() {
        change = Some(words.word()?);
    }
    let mut severity = rest.word()?;
    if matches!(severity.as_str(), "new" | "gone") {
        (change, severity) = (Some(severity), rest.word()?);
    }
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
    fields.extend(change.map(|it| ("change".to_owned(), json!(it))));
    let diagnostic: ComparedDiagnostic = serde_json::from_value(fields.into()).ok()?;
    Some(json!(diagnostic))
}
