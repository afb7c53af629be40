//! What one text defines, packed: the names first, to be looked through without unpacking the rest.

use ide_protocol::{Column, Line, Point};
use source_text::Span;
use syntax::{Kind, Language, Outline};

use crate::fallback::source::outline::{Extent, Node};
use crate::fallback::source::text::Text;

/// One definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The definition around it, as an index.
    pub(crate) parent: Option<usize>,
    /// What it belongs to, where that stands apart from it.
    pub(crate) owner: Option<String>,
    pub(crate) whole: Extent,
    pub(crate) name_at: Extent,
}

/// What a text defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Card(Box<[u8]>);

impl Default for Card {
    /// Of a text that defines nothing.
    fn default() -> Self {
        Self::packed(&[], &[])
    }
}

impl Card {
    /// Reads a text; blocking.
    pub(crate) fn of(language: Language, text: &Text) -> Self {
        let outline = syntax::outline(language, text.as_str());
        Self::packed(&entries(text, &outline), &bases(&outline))
    }

    /// A card of what [`Card::bytes`] gave.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn packed(entries: &[Entry], bases: &[(usize, &str)]) -> Self {
        let mut to = Pen::default();
        to.number(entries.len());
        entries.iter().for_each(|it| to.text(&it.name));
        to.number(bases.len());
        for (index, base) in bases {
            to.number(*index);
            to.text(base);
        }
        for (index, entry) in entries.iter().enumerate() {
            to.number(Kind::ALL.iter().position(|it| *it == entry.kind).unwrap_or_default());
            to.number(entry.parent.map_or(0, |it| index - it));
            to.text(entry.owner.as_deref().unwrap_or_default());
            let (Extent { start, end }, Extent { start: name, end: name_end }) = (entry.whole, entry.name_at);
            to.point(start, Line::FIRST);
            to.point(end, start.line);
            to.point(name, start.line);
            to.point(name_end, name.line);
        }
        Self(to.0.into())
    }

    /// The names of the definitions, in the order of the text.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let mut from = Eye(&self.0);
        let count = from.number().unwrap_or_default();
        (0..count).map_while(move |_| from.text())
    }

    /// The names with what each is.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (&str, Kind)> {
        let entries = self.entries().unwrap_or_default();
        self.names().zip(entries.into_iter().map(|it| it.kind))
    }

    /// The types that definitions derive from, as written, each with the index of the definition.
    pub(crate) fn bases(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut from = Eye(&self.0);
        let names = from.number().unwrap_or_default();
        let _skipped = (0..names).map_while(|_| from.text()).count();
        let count = from.number().unwrap_or_default();
        (0..count).map_while(move |_| Some((from.number()?, from.text()?)))
    }

    /// All of it; `None` when it is no card.
    pub(crate) fn entries(&self) -> Option<Vec<Entry>> {
        let mut from = Eye(&self.0);
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
            Some(Entry {
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

/// Whether it is declared for others to name: a value or a part of something seldom is.
pub(crate) fn is_declared(kind: Kind) -> bool {
    kind.is_callable() || kind.is_type() || matches!(kind, Kind::Module | Kind::Namespace | Kind::Constant)
}

/// What an outline has, with lines and columns.
pub(crate) fn entries(text: &Text, outline: &Outline) -> Vec<Entry> {
    let entry = |it: &syntax::Definition| Entry {
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

/// The same, nested, in the shape that a server's outline has.
pub(crate) fn nodes(entries: &[Entry]) -> Vec<Node> {
    // Each stands before those inside it: from the last to the first, whole nodes go to their parents.
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

fn node(entry: &Entry, children: Vec<Node>) -> Node {
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

/// Writes numbers in as few bytes as they need.
#[derive(Debug, Default)]
pub(crate) struct Pen(pub(crate) Vec<u8>);

impl Pen {
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

    /// A point at a line or behind it; one before it is written too.
    fn point(&mut self, point: Point, line: Line) {
        let distance = point.line.index() as i64 - line.index() as i64;
        self.number(((distance << 1) ^ (distance >> 63)) as usize);
        self.number(point.column.index());
    }
}

/// Reads what a pen wrote; `None` where something else stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Eye<'a>(pub(crate) &'a [u8]);

impl<'a> Eye<'a> {
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

    fn card() -> (Text, Outline, Card) {
        let (language, text) = (Language::of_path("a.rs").unwrap(), Text::from(TEXT.to_owned()));
        let outline = syntax::outline(language, text.as_str());
        let card = Card::of(language, &text);
        (text, outline, card)
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        let (text, outline, card) = card();
        assert_eq!(card.entries().unwrap(), entries(&text, &outline));
        let names: Vec<_> = card.names().collect();
        assert_eq!(names, ["User", "name", "User", "fmt", "Named", "inner", "f", "X"]);
        let bases: Vec<_> = card.bases().map(|(index, base)| (names[index], base)).collect();
        assert_eq!(bases, [("User", "fmt::Display"), ("Named", "Clone"), ("Named", "Debug")]);
    }

    #[test]
    fn what_is_no_card_is_not_read_as_one() {
        let (_, _, card) = card();
        for end in 0..card.bytes().len() {
            assert_eq!(Card::from_bytes(&card.bytes()[..end]).entries(), None, "cut at {end}");
        }
        for at in 0..card.bytes().len() {
            for byte in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = card.bytes().to_vec();
                bytes[at] = byte;
                let other = Card::from_bytes(&bytes);
                // Whatever it says, it says it and comes to an end.
                let _ = (other.names().count(), other.bases().count(), other.entries().map(|it| nodes(&it)));
            }
        }
    }
}
