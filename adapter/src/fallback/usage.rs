//! What the syntax says of a place where a name stands: what part it plays there, and what it is in.

use std::sync::Arc;

use ide_protocol::{FileRange, Point};
use source_text::Encoding;
use syntax::{Definition, Language, Outline, Parsed, Visibility};

use super::outline::Extent;
use super::roots::Place;
use super::text::Text;

/// What is known of one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) role: &'static str,
    /// What it is in: the nearest function- or type-like definition, with the type that it belongs to.
    inside: Option<String>,
    inside_kind: Option<&'static str>,
    is_signature: bool,
    is_public: bool,
    is_test: bool,
}

impl Usage {
    /// A stretch with what is known of it.
    pub(crate) fn onto(self, range: FileRange) -> FileRange {
        FileRange {
            role: Some(self.role.to_owned()),
            inside: self.inside,
            inside_kind: self.inside_kind.map(str::to_owned),
            signature: self.is_signature,
            public: self.is_public,
            test: self.is_test,
            ..range
        }
    }
}

/// What is known of places in a text; `None` where its language's syntax is not, or the text is beyond what is read.
pub(crate) async fn of(text: Arc<Text>, place: Place, extents: Vec<Extent>) -> Option<Vec<Usage>> {
    let reading = tokio::task::spawn_blocking(move || {
        let language = language_of(&place.path)?;
        let points: Vec<_> = extents.iter().map(|it| it.start).collect();
        read(language, &text, &place.spelling, &points)
    });
    reading.await.ok().flatten()
}

/// The language whose syntax a file has, if it is known.
pub(crate) fn language_of(path: &std::path::Path) -> Option<Language> {
    Language::of_path(&path.to_string_lossy())
}

/// What is known of places in a text; blocking.
pub(crate) fn read(language: Language, text: &Text, spelling: &str, points: &[Point]) -> Option<Vec<Usage>> {
    let parsed = Parsed::new(language, text.as_str())?;
    let outline = parsed.outline();
    let is_test_file = language.is_test_path(spelling);
    let usage = |point: &Point| {
        let offset = offset(text, *point);
        let mut usage = at(&parsed, &outline, offset);
        usage.is_test |= is_test_file;
        usage
    };
    Some(points.iter().map(usage).collect())
}

/// Where a point is in a text; its end when it lies beyond.
pub(crate) fn offset(text: &Text, point: Point) -> usize {
    let offset =
        text.index().offset(text.as_str(), point.line.index(), point.column.index(), Encoding::Utf32);
    offset.unwrap_or(text.as_str().len())
}

fn at(parsed: &Parsed<'_>, outline: &Outline, offset: usize) -> Usage {
    let usage =
        Usage { role: parsed.role(offset).word(), is_test: outline.is_test(offset), ..Usage::default() };
    let Some(inside) = outline.enclosing(offset) else { return usage };
    let signature = inside.signature.range();
    Usage {
        inside: Some(qualified(outline, inside, parsed.language().separator())),
        inside_kind: Some(inside.kind.word()),
        is_signature: signature.contains(&offset) && !inside.name_at.range().contains(&offset),
        is_public: inside.visibility == Visibility::Public,
        ..usage
    }
}

/// A name with the type that it belongs to.
pub(crate) fn qualified(outline: &Outline, definition: &Definition, separator: &str) -> String {
    let parent = definition.parent.map(|it| &outline.definitions[it]);
    let owner = definition.owner.clone();
    let owner = owner.or_else(|| parent.filter(|it| it.kind.is_type()).map(|it| it.name.clone()));
    owner.map_or(definition.name.clone(), |owner| format!("{owner}{separator}{}", definition.name))
}
