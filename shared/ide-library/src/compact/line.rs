//! Words and positions in a compact line.

use dialect::show;
use ide_protocol::{Column, Line, Point};

use crate::symbol::Symbol;

/// The rest of a line while it is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest<'t>(pub(super) &'t str);

impl<'t> Rest<'t> {
    /// Takes the next word. A quoted one is a JSON text.
    pub(super) fn word(&mut self) -> Option<String> {
        let rest = self.0.strip_prefix(' ')?;
        if rest.starts_with('"') {
            let mut words = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            let word = words.next()?.ok()?;
            self.0 = &rest[words.byte_offset()..];
            return Some(word);
        }
        let (word, rest) = rest.split_at(end_of_word(rest));
        self.0 = rest;
        Some(word.to_owned()).filter(|it| !it.is_empty())
    }

    /// Takes the next words `NAME@PATH:LINE:COLUMN`, where the path `here` is left out.
    pub(super) fn symbol(&mut self, here: &str) -> Option<Symbol> {
        let (name, place) = match self.0.starts_with(" \"") {
            true => {
                let name = self.word()?;
                let (place, rest) = self.0.split_at(end_of_word(self.0));
                self.0 = rest;
                (name, place.strip_prefix('@')?.to_owned())
            }
            false => {
                let word = self.word()?;
                let (name, place) = word.split_once('@')?;
                (name.to_owned(), place.to_owned())
            }
        };
        if place.is_empty() {
            return Some(Symbol::named(name));
        }
        let (path, mut numbers) = numbers_at_end(&place);
        let line = if numbers.is_empty() { None } else { Some(Line::new(numbers.remove(0))?) };
        let column = if numbers.is_empty() { None } else { Some(Column::new(numbers.remove(0))?) };
        let path = if path.is_empty() { here } else { path };
        Some(Symbol { path: Some(path.to_owned()), line, column, ..Symbol::named(name) })
    }

    /// Takes the next word as a name with the line of its definition: `load@12`, or `load`.
    pub(super) fn name(&mut self) -> Option<(String, Option<Line>)> {
        let is_quoted = self.0.starts_with(" \"");
        let word = self.word()?;
        let number = |text: &str| Line::new(text.parse().ok()?);
        if is_quoted {
            let Some(behind) = self.0.strip_prefix('@') else { return Some((word, None)) };
            let (line, rest) = behind.split_at(end_of_word(behind));
            self.0 = rest;
            return Some((word, Some(number(line)?)));
        }
        match word.split_once('@') {
            Some((name, line)) => Some((name.to_owned(), Some(number(line)?))),
            None => Some((word, None)),
        }
    }

    /// Takes the text after `: `, if there is one. `None` if something else is left.
    pub(super) fn text(self) -> Option<Option<&'t str>> {
        match self.0 {
            "" => Some(None),
            ":" => Some(Some("")),
            rest => rest.strip_prefix(": ").map(Some),
        }
    }
}

/// Returns the length of the word at the start, before a space or the colon of the text.
pub(super) fn end_of_word(rest: &str) -> usize {
    let is_end = |(index, it): &(usize, char)| {
        *it == ' ' || (*it == ':' && matches!(&rest[index + 1..], "") || rest[*index..].starts_with(": "))
    };
    rest.char_indices().find(is_end).map_or(rest.len(), |(index, _)| index)
}

/// Splits up to two numbers after colons from the end of a place.
fn numbers_at_end(place: &str) -> (&str, Vec<u32>) {
    let (mut path, mut numbers) = (place, Vec::new());
    while numbers.len() < 2 {
        let (before, last) = path.rsplit_once(':').unwrap_or(("", path));
        let Ok(number) = last.parse() else { break };
        numbers.insert(0, number);
        path = before;
    }
    (path, numbers)
}

/// Writes a word, quoted where it would read as something else.
pub(super) fn word(text: &str) -> String {
    let is_odd = text.is_empty()
        || text.ends_with(':')
        || text.contains(": ")
        || text.contains(|it: char| it.is_whitespace() || it.is_control() || matches!(it, '"' | '@'));
    if is_odd { show(&text) } else { text.to_owned() }
}

/// Writes a symbol; its path is left out if it is `here`.
pub(super) fn symbol(symbol: &Symbol, here: &str) -> String {
    let Symbol { name, path, line, column } = symbol;
    let name = word(name);
    let path = path.as_deref().map_or("", |it| if it == here && line.is_some() { "" } else { it });
    let colon = if path.is_empty() { "" } else { ":" };
    let line = line.map_or(String::new(), |it| format!("{colon}{it}"));
    let column = column.map_or(String::new(), |it| format!(":{it}"));
    format!("{name}@{path}{line}{column}")
}

/// Returns the name at a point in the text of its line, and the word before it. The text is trimmed; its indentation is
/// that of the definition's start.
pub(super) fn said_by(text: &str, at: Point, start: Point) -> Option<(&str, &str)> {
    let indent = at.column.index().checked_sub(start.column.index())?;
    let (offset, _) = text.char_indices().nth(indent)?;
    let (before, behind) = text.split_at(offset);
    let is_of_name = |it: char| it.is_alphanumeric() || matches!(it, '_' | '$');
    let own = &behind[..behind.find(|it| !is_of_name(it)).unwrap_or(behind.len())];
    let before = before.trim_end().rsplit(' ').next().unwrap_or_default();
    (!own.is_empty()).then_some((own, before))
}

/// Returns the name that a signature defines: the last word before its parameters, its type or its value.
pub(super) fn name_of(signature: &str) -> Option<&str> {
    let behind = ["pub(", "package(", "private("].iter().find_map(|it| signature.strip_prefix(it));
    let signature = behind.and_then(|it| it.split_once(") ")).map_or(signature, |(_, rest)| rest);
    let head = &signature
        [..signature.find(['(', '<', '[', ':', '=', '!', '?', ';', ',', '{']).unwrap_or(signature.len())];
    let name = head.split_whitespace().last()?;
    name.chars().all(|it| it.is_alphanumeric() || matches!(it, '_' | '$' | '#')).then_some(name)
}

/// Writes a point as `LINE:COLUMN`.
pub(super) fn point(point: Point) -> String {
    format!("{}:{}", point.line, point.column)
}

/// Writes the end of a range: `-COLUMN` in the same line, or else `-LINE:COLUMN`.
pub(super) fn end(start: Point, end: Point) -> String {
    if start.line == end.line { format!("-{}", end.column) } else { format!("-{}", point(end)) }
}

/// Reads `LINE:COLUMN`, with the end of a range if there is one.
pub(super) fn points(text: &str) -> Option<(Point, Option<Point>)> {
    let (start, end) = text.split_once('-').map_or((text, None), |(start, end)| (start, Some(end)));
    let start = read_point(start)?;
    let end = match end {
        None => None,
        Some(end) if end.contains(':') => Some(read_point(end)?),
        Some(end) => Some(Point { line: start.line, column: Column::new(end.parse().ok()?)? }),
    };
    Some((start, end))
}

fn read_point(text: &str) -> Option<Point> {
    let (line, column) = text.split_once(':')?;
    Some(Point { line: Line::new(line.parse().ok()?)?, column: Column::new(column.parse().ok()?)? })
}
