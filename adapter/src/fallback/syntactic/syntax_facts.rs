//! What the syntax says of a place where a name stands: what part it plays there, and what it is in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ide_protocol::{FileRange, Point};
use source_text::Encoding;
use syntax::{Definition, Kept, Language, Outline, Parsed, Visibility};

use crate::fallback::session::query_context::Asking;
use crate::fallback::source::outline::Extent;
use crate::fallback::source::text::Text;
use crate::fallback::workspace::session_folders::Roots;

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

/// What is known of places in a file; `None` where its language's syntax is not, or the text is beyond what is read.
pub(crate) async fn of(
    asking: &Asking,
    roots: &Roots,
    path: &Path,
    extents: &[Extent],
) -> Option<Vec<Usage>> {
    let text = asking.text(path).await?;
    let (place, recall) = (roots.place(path.to_owned()), Arc::clone(asking.recall()));
    let points: Vec<_> = extents.iter().map(|it| it.start).collect();
    let reading = tokio::task::spawn_blocking(move || {
        recall.syntax(&place.path, &text)?.usages(&text, &place.spelling, &points)
    });
    reading.await.ok().flatten()
}

/// The syntax of a file with the text that it is of; `None` where its language's syntax is not known.
pub(crate) async fn syntax(asking: &Asking, path: &Path) -> Option<(Arc<Text>, Arc<Syntax>)> {
    let text = asking.text(path).await?;
    let (path, recall) = (path.to_owned(), Arc::clone(asking.recall()));
    let reading =
        tokio::task::spawn_blocking(move || Some((Arc::clone(&text), recall.syntax(&path, &text)?)));
    reading.await.ok().flatten()
}

/// Those of these places that play a part, file by file; none where no syntax is known.
pub(crate) async fn playing<'a>(
    asking: &Asking,
    roots: &Roots,
    all: impl IntoIterator<Item = &'a (PathBuf, Extent)>,
    part: impl Fn(&Usage) -> bool,
) -> Vec<&'a (PathBuf, Extent)> {
    let mut by_file: BTreeMap<&PathBuf, Vec<&(PathBuf, Extent)>> = BTreeMap::new();
    all.into_iter().for_each(|it| by_file.entry(&it.0).or_default().push(it));
    let mut playing = Vec::new();
    for (path, places) in by_file {
        let extents: Vec<_> = places.iter().map(|(_, it)| *it).collect();
        let usages = of(asking, roots, path, &extents).await.unwrap_or_default();
        playing.extend(places.into_iter().zip(usages).filter(|(_, it)| part(it)).map(|(place, _)| place));
    }
    playing
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

/// The language whose syntax a file has, if it is known.
pub(crate) fn language_of(path: &Path) -> Option<Language> {
    Language::of_path(&path.to_string_lossy())
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
