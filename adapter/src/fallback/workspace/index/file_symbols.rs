//! The symbols of one text in a compact encoding: the names first, to search them without decoding the rest.

use ide_protocol::{Column, Line, Point};
use source_text::Span;
use syntax::{Kind, Language, Outline};

use crate::fallback::source::outline::{Extent, Node};
use crate::fallback::source::text::Text;

/// One definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SymbolEntry {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The index of the enclosing definition.
    pub(crate) parent: Option<usize>,
    /// The type it belongs to, for a member that stands apart from its type.
    pub(crate) owner: Option<String>,
    pub(crate) whole: Extent,
    pub(crate) name_at: Extent,
}

/// The encoded symbols of one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileSymbols(Box<[u8]>);

impl Default for FileSymbols {
    /// Returns the symbols of a text without definitions.
    fn default() -> Self {
        Self::packed(&[], &[])
    }
}

impl FileSymbols {
    /// Parses a text; blocking.
    pub(crate) fn of_text(language: Language, text: &Text) -> Self {
        let outline = syntax::outline(language, text.as_str());
        Self::packed(&entries(text, &outline), &bases(&outline))
    }

    /// Wraps bytes from [`FileSymbols::bytes`].
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn packed(entries: &[SymbolEntry], bases: &[(usize, &str)]) -> Self {
        let mut to = Encoder::default();
        to.number(entries.len());
        entries.iter().for_each(|it| to.text(&it.name));
        to.number(bases.len());
        for (index, base) in bases {
            to.number(*index);
            to.text(base);
        }
        for (index, entry) in entries.iter().enumerate() {
            to.number(Kind::ALL.iter().position(|it| *it == entry.kind).expect("every kind is in the list"));
            to.number(entry.parent.map_or(0, |it| index - it));
            // An empty text stands for no owner.
            to.text(entry.owner.as_deref().unwrap_or_default());
            let (Extent { start, end }, Extent { start: name, end: name_end }) = (entry.whole, entry.name_at);
            to.point(start, Line::FIRST);
            to.point(end, start.line);
            to.point(name, start.line);
            to.point(name_end, name.line);
        }
        Self(to.0.into())
    }

    /// Returns the names of the definitions, in the order of the text. Invalid bytes have none.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let mut from = Decoder(&self.0);
        let count = from.number().unwrap_or(0);
        (0..count).map_while(move |_| from.text())
    }

    /// Returns the names with their kinds.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (&str, Kind)> {
        self.names().zip(self.entries().into_iter().flatten().map(|it| it.kind))
    }

    /// Returns the base types of definitions as written, each with the index of its definition.
    pub(crate) fn bases(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut from = Decoder(&self.0);
        let names = from.number().unwrap_or(0);
        let _skipped = (0..names).map_while(|_| from.text()).count();
        let count = from.number().unwrap_or(0);
        (0..count).map_while(move |_| Some((from.number()?, from.text()?)))
    }

    /// Decodes all definitions; `None` if the bytes are invalid.
    pub(crate) fn entries(&self) -> Option<Vec<SymbolEntry>> {
        let mut from = Decoder(&self.0);
        let count = from.number()?;
        let names: Vec<&str> = (0..count).map_while(|_| from.text()).collect();
        let n_bases = from.number()?;
        for _ in 0..n_bases {
            from.number()?;
            from.text()?;
        }
        let entry = |(index, name): (usize, &str)| {
            let kind = *Kind::ALL.get(from.number()?)?;
            let parent = match from.number()? {
                0 => None,
                distance => Some(index.checked_sub(distance)?),
            };
            let owner = from.text()?;
            let start = from.point(Line::FIRST)?;
            let end = from.point(start.line)?;
            let name_start = from.point(start.line)?;
            let name_end = from.point(name_start.line)?;
            Some(SymbolEntry {
                name: name.to_owned(),
                kind,
                parent,
                owner: (!owner.is_empty()).then(|| owner.to_owned()),
                whole: Extent { start, end },
                name_at: Extent { start: name_start, end: name_end },
            })
        };
        let entries: Option<Vec<_>> = names.into_iter().enumerate().map(entry).collect();
        entries.filter(|it| it.len() == count)
    }
}

/// Returns whether such definitions are usually named from elsewhere: fields and variables are not.
pub(crate) fn is_declared(kind: Kind) -> bool {
    kind.is_callable() || kind.is_type() || matches!(kind, Kind::Module | Kind::Namespace | Kind::Constant)
}

/// Converts an outline to entries with lines and columns.
pub(crate) fn entries(text: &Text, outline: &Outline) -> Vec<SymbolEntry> {
    let entry = |it: &syntax::Definition| SymbolEntry {
        name: it.name.clone(),
        kind: it.kind,
        parent: it.parent,
        owner: it.owner.clone(),
        whole: extent(text, it.whole),
        name_at: extent(text, it.name_at),
    };
    outline.definitions.iter().map(entry).collect()
}

fn bases(outline: &Outline) -> Vec<(usize, &str)> {
    let all = outline.definitions.iter().enumerate();
    all.flat_map(|(index, it)| it.bases.iter().map(move |base| (index, base.as_str()))).collect()
}

/// Nests the entries, in the form of a server's outline.
pub(crate) fn nodes(entries: &[SymbolEntry]) -> Vec<Node> {
    // A parent precedes its children: in reverse order, complete nodes move into their parents.
    let mut children: Vec<Vec<Node>> = vec![Vec::new(); entries.len()];
    let mut top = Vec::new();
    for (index, entry) in entries.iter().enumerate().rev() {
        let mut inside = std::mem::take(&mut children[index]);
        inside.reverse();
        let node = node(entry, inside);
        match entry.parent {
            Some(parent) => children[parent].push(node),
            None => top.push(node),
        }
    }
    top.reverse();
    top
}

fn node(entry: &SymbolEntry, children: Vec<Node>) -> Node {
    Node {
        name: entry.name.clone(),
        owner: entry.owner.clone(),
        kind: if entry.kind == Kind::Extension { "object" } else { entry.kind.word() },
        whole: entry.whole,
        name_at: entry.name_at,
        children,
    }
}

fn extent(text: &Text, span: Span) -> Extent {
    Extent { start: text.point(span.start), end: text.point(span.end) }
}

/// An encoder with numbers of variable length.
#[derive(Debug, Default)]
pub(crate) struct Encoder(pub(crate) Vec<u8>);

impl Encoder {
    pub(crate) fn number(&mut self, number: usize) {
        let mut left = number;
        while left >= 0x80 {
            self.0.push(left as u8 & 0x7f | 0x80);
            left >>= 7;
        }
        self.0.push(left as u8);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.0.extend(bytes);
    }

    /// Encodes a point relative to a line, which it may precede.
    fn point(&mut self, point: Point, line: Line) {
        let distance = point.line.index() as i64 - line.index() as i64;
        self.number(((distance << 1) ^ (distance >> 63)) as usize);
        self.number(point.column.index());
    }
}

/// A decoder for what [`Encoder`] wrote; `None` for anything invalid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoder<'a>(pub(crate) &'a [u8]);

impl<'a> Decoder<'a> {
    pub(crate) fn number(&mut self) -> Option<usize> {
        let mut number = 0usize;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        self.fixed(length)
    }

    pub(crate) fn fixed(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn point(&mut self, line: Line) -> Option<Point> {
        let zigzag = self.number()?;
        let distance = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
        let line = usize::try_from(line.index() as i64 + distance).ok()?;
        let column = self.number()?;
        let is_sane = u32::try_from(line).is_ok_and(|it| it < u32::MAX) && column < u32::MAX as usize;
        is_sane.then(|| Point { line: Line::from_index(line), column: Column::from_index(column) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "/// é😀\npub struct User<T> { pub name: String }\nimpl<T> fmt::Display for User<T> {\n    fn fmt(&self) {}\n}\n\
                        trait Named: Clone + Debug {}\nmod inner { fn f() { const X: u8 = 1; } }\n";

    fn symbols() -> (Text, Outline, FileSymbols) {
        let (language, text) = (Language::of_path("a.rs").unwrap(), Text::from(TEXT.to_owned()));
        let outline = syntax::outline(language, text.as_str());
        let symbols = FileSymbols::of_text(language, &text);
        (text, outline, symbols)
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        let (text, outline, symbols) = symbols();
        assert_eq!(symbols.entries().unwrap(), entries(&text, &outline));
        let names: Vec<_> = symbols.names().collect();
        assert_eq!(names, ["User", "name", "User", "fmt", "Named", "inner", "f", "X"]);
        let bases: Vec<_> = symbols.bases().map(|(index, base)| (names[index], base)).collect();
        assert_eq!(bases, [("User", "fmt::Display"), ("Named", "Clone"), ("Named", "Debug")]);
    }

    #[test]
    fn what_is_no_card_is_not_read_as_one() {
        let (_, _, symbols) = symbols();
        for end in 0..symbols.bytes().len() {
            assert_eq!(FileSymbols::from_bytes(&symbols.bytes()[..end]).entries(), None, "cut at {end}");
        }
        for at in 0..symbols.bytes().len() {
            for byte in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = symbols.bytes().to_vec();
                bytes[at] = byte;
                let other = FileSymbols::from_bytes(&bytes);
                // Any result is fine, but it must end without a panic.
                let _ = (other.names().count(), other.bases().count(), other.entries().map(|it| nodes(&it)));
            }
        }
    }
}
