//! A file or a part of one, the argument of `codeActions` and `format`.

use dialect::{Interrupt, Invocation};
use ide_protocol::{Definition, FileRange, Location, Point};

use crate::ambiguity::which;
use crate::cached_host::CachedHost;
use crate::failure;
use crate::place_argument::PlaceArgument;
use crate::resolve::Resolver;
use crate::spelling::{ParsedPlace, is_path, symbol_of};
use crate::symbol::{Symbol, whole_lines};

/// A part of a file; without `start` the whole file, without `end` a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FilePart {
    pub(super) path: String,
    pub(super) start: Option<Point>,
    pub(super) end: Option<Point>,
}

/// The part of a definition that is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DefinitionPart {
    /// The name alone.
    Name,
    /// The whole definition, from its documentation to its end.
    All,
}

impl FilePart {
    /// Reads an argument.
    pub(super) async fn read(
        host: &CachedHost,
        invocation: &Invocation,
        parameter: &str,
        within: DefinitionPart,
    ) -> Result<Self, Interrupt> {
        Ok(match invocation.arguments.read(parameter)? {
            PlaceArgument::Selection(selection) => Self::of_range(selection.range()),
            PlaceArgument::Range(range) => Self::of_range(range),
            PlaceArgument::Definition(pasted) => Self::of_definition((*pasted).into(), within),
            PlaceArgument::Location(location) => Self::of_location(location),
            PlaceArgument::Symbol(symbol) => Self::of_symbol(host, invocation, &symbol, within).await?,
            PlaceArgument::Text(text) => Self::of_text(host, invocation, &text, within).await?,
        })
    }

    /// Resolves a place, a file, or a symbol if there is no such file.
    async fn of_text(
        host: &CachedHost,
        invocation: &Invocation,
        text: &str,
        within: DefinitionPart,
    ) -> Result<Self, Interrupt> {
        let text = text.trim();
        if let Some(place) = ParsedPlace::read(text) {
            let range = place.range();
            return Ok(match place.location() {
                location @ Location { column: Some(_), .. } => Self::of_location(location),
                _ => Self::of_range(range),
            });
        }
        let whole = || Self { path: text.to_owned(), start: None, end: None };
        if is_path(text) {
            return Ok(whole());
        }
        match Self::of_symbol(host, invocation, &symbol_of(text), within).await {
            Err(Interrupt::Failure(unknown)) if text.contains('.') && failure::is_unknown(&unknown) => {
                Ok(whole())
            }
            found => found,
        }
    }

    async fn of_symbol(
        host: &CachedHost,
        invocation: &Invocation,
        symbol: &Symbol,
        within: DefinitionPart,
    ) -> Result<Self, Interrupt> {
        let mut found = Resolver::new(host, invocation).symbol(symbol).await?;
        if found.len() > 1 {
            return Err(which(&symbol.name, &found, Some("place")));
        }
        Ok(Self::of_definition(found.remove(0), within))
    }

    fn of_definition(definition: Definition, within: DefinitionPart) -> Self {
        match within {
            DefinitionPart::All => Self::of_range(definition.defined_at),
            DefinitionPart::Name => {
                let FileRange { path, start, .. } = definition.name_at;
                Self { path, start: Some(start), end: None }
            }
        }
    }

    fn of_range(range: FileRange) -> Self {
        Self { path: range.path, start: Some(range.start), end: Some(range.end) }
    }

    /// Converts a location. Without a column it is the line.
    fn of_location(location: Location) -> Self {
        let Location { path, line, column } = location;
        match column {
            Some(column) => Self { path, start: Some(Point { line, column }), end: None },
            None => Self::of_range(whole_lines(&path, line, line)),
        }
    }
}
