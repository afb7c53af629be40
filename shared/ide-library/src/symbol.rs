//! Symbols and definitions as programs hold them.

use ide_protocol::{Column, Definition, FileRange, Line, Location, Point};
use serde::{Deserialize, Serialize};

use crate::spelling::symbol_of;

/// A symbol: every definition of a name, those in one file, or the one at a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "GivenSymbol")]
pub(crate) struct Symbol {
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<Line>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<Column>,
}

/// A symbol as programs give it: its name may say the place too, as in `User@src/auth.rs:12`.
#[derive(Deserialize)]
struct GivenSymbol {
    name: String,
    path: Option<String>,
    line: Option<Line>,
    column: Option<Column>,
}

impl From<GivenSymbol> for Symbol {
    fn from(given: GivenSymbol) -> Self {
        match given {
            GivenSymbol { name, path: None, line: None, column: None } => symbol_of(&name),
            GivenSymbol { name, path, line, column } => Self { name, path, line, column },
        }
    }
}

impl Symbol {
    /// Returns the symbol for every definition of a name.
    pub(crate) fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), path: None, line: None, column: None }
    }

    /// Returns the symbol of a definition. It has no column, so that it survives edits in its line. An `impl` only
    /// uses the name of its type, so it needs the column.
    pub(crate) fn from_definition(definition: &Definition) -> Self {
        let FileRange { path, start, .. } = &definition.name_at;
        let column = (definition.kind == "impl").then_some(start.column);
        Self { path: Some(path.clone()), line: Some(start.line), column, ..Self::named(&definition.name) }
    }

    /// Writes the symbol as `NAME@PATH:LINE`, with a column if it has one.
    pub(crate) fn text(&self) -> String {
        let Self { name, path, line, column } = self;
        let path = path.as_deref().unwrap_or_default();
        let numbers = line.map(|it| it.to_string()).into_iter().chain(column.map(|it| it.to_string()));
        let numbers: String = numbers.map(|it| format!(":{it}")).collect();
        format!("{name}@{path}{numbers}")
    }

    /// Returns the symbol of a definition with its column, which distinguishes it from others on its line.
    pub(crate) fn with_column_of(definition: &Definition) -> Self {
        Self { column: Some(definition.name_at.start.column), ..Self::from_definition(definition) }
    }
}

/// A definition as an agent may paste it; `nameAt` is optional.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PastedDefinition {
    name: String,
    kind: String,
    defined_at: FileRange,
    name_at: Option<FileRange>,
    container: Option<String>,
}

impl From<PastedDefinition> for Definition {
    fn from(pasted: PastedDefinition) -> Self {
        let PastedDefinition { name, kind, mut defined_at, name_at, container } = pasted;
        let name_at = name_at.unwrap_or_else(|| defined_at.clone());
        if defined_at.start.line == name_at.start.line {
            // Both ranges may have the same text: keep it once.
            defined_at.text = defined_at.text.or_else(|| name_at.text.clone());
        }
        Self { container, ..Self::new(name, kind, defined_at, name_at) }
    }
}

/// A definition as a program gets it: with the path and the line of its name beside the ranges.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ShownDefinition {
    #[serde(flatten)]
    definition: Definition,
    path: String,
    line: Line,
}

impl From<Definition> for ShownDefinition {
    fn from(mut definition: Definition) -> Self {
        let Definition { defined_at, name_at, .. } = &mut definition;
        if defined_at.start.line == name_at.start.line && defined_at.text.is_none() {
            defined_at.text.clone_from(&name_at.text);
        }
        let (path, line) = (name_at.path.clone(), name_at.start.line);
        Self { definition, path, line }
    }
}

/// A place with its text, if known, as `brief` prints it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlaceWithText {
    pub(crate) path: String,
    pub(crate) line: Line,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<Column>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) external: bool,
}

impl PlaceWithText {
    /// Returns the place without its text.
    pub(crate) fn location(&self) -> Location {
        Location { path: self.path.clone(), line: self.line, column: self.column }
    }
}

impl From<Location> for PlaceWithText {
    fn from(place: Location) -> Self {
        let Location { path, line, column } = place;
        Self { path, line, column, text: None, external: false }
    }
}

impl From<FileRange> for PlaceWithText {
    fn from(range: FileRange) -> Self {
        let FileRange { path, start, text, external, .. } = range;
        Self { path, line: start.line, column: Some(start.column), text, external }
    }
}

/// Returns the range of the whole lines from `first` to `last`, inclusive.
pub(crate) fn whole_lines(path: &str, first: Line, last: Line) -> FileRange {
    let at = |line| Point { line, column: Column::FIRST };
    FileRange::new(path, at(first), at(Line::from_index(last.index() + 1)))
}

/// Returns the last line that a range has a part of.
pub(crate) fn last_line(range: &FileRange) -> Line {
    let Point { line, column } = range.end;
    let ends_before = column == Column::FIRST && line > range.start.line;
    let last = if ends_before { Line::from_index(line.index() - 1) } else { line };
    last.max(range.start.line)
}
