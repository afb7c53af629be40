//! What the syntax says of a place where a name stands: what part it plays there, and what it is in.

use crate::fallback::source::languages::language_of;
use crate::fallback::source::text::Text;
use std::path::Path;

use ide_protocol::{FileRange, Point};
use source_text::Encoding;
use syntax::{Definition, Kept, Outline, Parsed, Visibility};

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
    /// Whether it makes a type out of another one that is no mere interface. What defines a member apart from its type
    /// names the type as well.
    pub(crate) fn is_implementation(&self) -> bool {
        let is_else = matches!(self.inside_kind, Some("interface" | "function" | "method" | "constructor"));
        self.role == "implementation" && !is_else
    }

    /// Whether it is code in the body of a macro.
    pub(crate) fn is_in_macro(&self) -> bool {
        self.inside_kind == Some("macro")
            && !matches!(self.role, "documentation" | "comment" | "string" | "definition")
    }

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

/// The syntax of one text, kept.
#[derive(Debug)]
pub(crate) struct Syntax {
    tree: Kept,
    outline: Outline,
}

impl Syntax {
    /// Reads a text; blocking. `None` where its language's syntax is not known, or the text is beyond what is read.
    pub(crate) fn read(path: &Path, text: &Text) -> Option<Self> {
        let parsed = Parsed::new(language_of(path)?, text.as_str())?;
        Some(Self { outline: parsed.outline(), tree: parsed.keep() })
    }

    /// What the text defines that was read.
    pub(crate) fn outline(&self) -> &Outline {
        &self.outline
    }

    /// What is known of places in the text that was read.
    pub(crate) fn usages(&self, text: &Text, spelling: &str, points: &[Point]) -> Option<Vec<Usage>> {
        let parsed = self.tree.over(text.as_str())?;
        Some(in_parsed(&parsed, &self.outline, spelling, points.iter().map(|it| offset(text, *it))))
    }
}

/// What is known of places in a text; blocking.
pub(crate) fn read(path: &Path, text: &Text, spelling: &str, points: &[Point]) -> Option<Vec<Usage>> {
    Syntax::read(path, text)?.usages(text, spelling, points)
}

/// What is known of places in a text that is parsed already, by their offsets.
pub(crate) fn in_parsed(
    parsed: &Parsed<'_>,
    outline: &Outline,
    spelling: &str,
    offsets: impl Iterator<Item = usize>,
) -> Vec<Usage> {
    let is_test_file = parsed.language().is_test_path(spelling);
    let usage = |offset| {
        let mut usage = at(parsed, outline, offset);
        usage.is_test |= is_test_file;
        usage
    };
    offsets.map(usage).collect()
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
    Usage {
        inside: Some(qualified(outline, inside, parsed.language().separator())),
        inside_kind: Some(inside.kind.word()),
        is_signature: outline.is_signature(offset) && !inside.name_at.range().contains(&offset),
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
