//! Syntactic facts about a place: the role of the name there, and the definition around it.

use std::path::Path;
use std::sync::OnceLock;

use ide_protocol::{FileRange, Line, Point};
use source_text::Encoding;
use syntax::{Definition, Kept, Outline, Parsed, Visibility};

use crate::fallback::source::languages::language_of;
use crate::fallback::source::text::Text;

/// What is known of one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) role: &'static str,
    /// The nearest function or type around it, qualified by its type.
    inside: Option<String>,
    inside_kind: Option<&'static str>,
    inside_line: Option<Line>,
    is_signature: bool,
    is_public: bool,
    is_test: bool,
    /// False for keywords and punctuation.
    pub(crate) is_name: bool,
    /// The path of the Rust attribute around it: `derive`, `serde`.
    attribute: Option<String>,
}

impl Usage {
    /// Returns whether it implements or extends a type.
    ///
    /// Interfaces that extend others, and members defined apart from their type, do not count.
    pub(crate) fn is_implementation(&self) -> bool {
        let is_else = matches!(self.inside_kind, Some("interface" | "function" | "method" | "constructor"));
        self.role == "implementation" && !is_else
    }

    /// Returns whether its code runs there: it is called or constructed.
    pub(crate) fn is_call(&self) -> bool {
        matches!(self.role, "call" | "construct")
    }

    /// Returns whether it is code in the body of a macro.
    pub(crate) fn is_in_macro(&self) -> bool {
        self.inside_kind == Some("macro")
            && !matches!(self.role, "documentation" | "comment" | "string" | "definition")
    }

    /// Returns whether a macro other than the compiler's own may read it: it is code, or text in an attribute.
    ///
    /// Definitions do not count, since they are no uses.
    pub(crate) fn is_macro_input(&self) -> bool {
        match (self.role, self.attribute.as_deref()) {
            ("documentation" | "comment" | "definition", _) => false,
            ("string", None) => false,
            (_, attribute) => attribute.is_none_or(|it| !BUILT_IN.contains(&it)),
        }
    }

    /// Returns whether it is in a `#[derive(…)]`.
    pub(crate) fn is_derived(&self) -> bool {
        self.attribute.as_deref() == Some("derive")
    }

    /// Adds the facts to a range.
    pub(crate) fn add_to(self, range: FileRange) -> FileRange {
        FileRange {
            role: Some(self.role.to_owned()),
            inside: self.inside,
            inside_kind: self.inside_kind.map(str::to_owned),
            inside_line: self.inside_line,
            signature: self.is_signature,
            public: self.is_public,
            test: self.is_test,
            ..range
        }
    }
}

/// The attributes that only the compiler reads, and whose names and strings stand for no code.
const BUILT_IN: &[&str] = &[
    "allow",
    "cfg",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "forbid",
    "ignore",
    "must_use",
    "path",
    "should_panic",
    "warn",
];

/// The syntax tree of one text, and its outline once that was asked for.
#[derive(Debug)]
pub(crate) struct Syntax {
    tree: Kept,
    outline: OnceLock<Outline>,
}

impl Syntax {
    /// Parses a text; `None` without a grammar, or if the text is too large. Blocking.
    pub(crate) fn read(path: &Path, text: &Text) -> Option<Self> {
        let tree = Parsed::new(language_of(path)?, text.as_str())?.keep();
        Some(Self { tree, outline: OnceLock::new() })
    }

    /// Returns the outline of the text, which must be the parsed one. The first time is blocking: it takes as long as
    /// parsing.
    pub(crate) fn outline(&self, text: &Text) -> &Outline {
        let outline = || self.tree.over(text.as_str()).map(|it| it.outline()).unwrap_or_default();
        self.outline.get_or_init(outline)
    }

    /// Returns true if the outline was asked for before.
    pub(crate) fn has_outline(&self) -> bool {
        self.outline.get().is_some()
    }

    /// Returns the facts about places in the text, which must be the parsed one. Blocking, as [`Self::outline`].
    pub(crate) fn usages(&self, text: &Text, spelling: &str, points: &[Point]) -> Option<Vec<Usage>> {
        let parsed = self.tree.over(text.as_str())?;
        let offsets = points.iter().map(|it| offset(text, *it));
        Some(in_parsed(&parsed, self.outline(text), text, spelling, offsets))
    }

    /// Returns the roles of the names at places in the text, which must be the parsed one. They need no outline.
    pub(crate) fn roles(&self, text: &Text, points: &[Point]) -> Option<Vec<&'static str>> {
        let parsed = self.tree.over(text.as_str())?;
        Some(points.iter().map(|it| parsed.role(offset(text, *it)).word()).collect())
    }
}

/// Parses a text, and returns the facts about places in it; blocking.
pub(crate) fn read(path: &Path, text: &Text, spelling: &str, points: &[Point]) -> Option<Vec<Usage>> {
    Syntax::read(path, text)?.usages(text, spelling, points)
}

/// Returns the facts about places in a parsed text, by their offsets.
pub(crate) fn in_parsed(
    parsed: &Parsed<'_>,
    outline: &Outline,
    text: &Text,
    spelling: &str,
    offsets: impl Iterator<Item = usize>,
) -> Vec<Usage> {
    let is_test_file = parsed.language().is_test_path(spelling);
    let usage = |offset| {
        let mut usage = at(parsed, outline, text, offset);
        usage.is_test |= is_test_file;
        usage
    };
    offsets.map(usage).collect()
}

/// Converts a point to a byte offset; a point beyond the text becomes its end.
pub(crate) fn offset(text: &Text, point: Point) -> usize {
    let offset =
        text.index().offset(text.as_str(), point.line.index(), point.column.index(), Encoding::Utf32);
    offset.unwrap_or(text.as_str().len())
}

fn at(parsed: &Parsed<'_>, outline: &Outline, text: &Text, offset: usize) -> Usage {
    let usage = Usage {
        role: parsed.role(offset).word(),
        is_test: outline.is_test(offset),
        is_name: parsed.is_name(offset),
        attribute: parsed.attribute(offset).map(str::to_owned),
        ..Usage::default()
    };
    let Some(inside) = outline.enclosing(offset) else { return usage };
    Usage {
        inside: Some(qualified(outline, inside, parsed.language().separator())),
        inside_kind: Some(inside.kind.word()),
        inside_line: Some(text.point(inside.name_at.start).line),
        is_signature: outline.is_signature(offset) && !inside.name_at.range().contains(&offset),
        is_public: inside.visibility == Visibility::Public,
        ..usage
    }
}

/// Returns a definition's name, qualified by its type.
pub(crate) fn qualified(outline: &Outline, definition: &Definition, separator: &str) -> String {
    let parent = definition.parent.map(|it| &outline.definitions[it]);
    let owner = definition.owner.clone();
    let owner = owner.or_else(|| parent.filter(|it| it.kind.is_type()).map(|it| it.name.clone()));
    owner.map_or(definition.name.clone(), |owner| format!("{owner}{separator}{}", definition.name))
}
