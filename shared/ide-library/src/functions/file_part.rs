//! A file or a part of one, as `codeActions` and `format` take it: whatever names a place.

use dialect::{Interrupt, Invocation};
use ide_protocol::{Definition, FileRange, Location, Point};

use crate::ambiguity::which;
use crate::failure;
use crate::given::Given;
use crate::memory::Memory;
use crate::resolve::Resolver;
use crate::spelling::Spelled;
use crate::symbol::{Symbol, whole_lines};

/// A part of a file; without `start` all of it, without `end` a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) path: String,
    pub(super) start: Option<Point>,
    pub(super) end: Option<Point>,
}

/// What of a definition is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    /// Where its name stands.
    Name,
    /// All of it.
    All,
}

impl Stretch {
    /// What a parameter was given.
    pub(super) async fn read(
        host: &Memory,
        invocation: &Invocation,
        parameter: &str,
        within: Within,
    ) -> Result<Self, Interrupt> {
        Ok(match invocation.arguments.read(parameter)? {
            Given::Selection(selection) => Self::of_range(selection.range()),
            Given::Range(range) => Self::of_range(range),
            Given::Definition(pasted) => Self::of_definition((*pasted).into(), within),
            Given::Location(location) => Self::of_location(location),
            Given::Symbol(symbol) => Self::of_symbol(host, invocation, &symbol, within).await?,
            Given::Text(text) => Self::of_text(host, invocation, &text, within).await?,
        })
    }

    /// A place, a file, or what has that name where there is no such file.
    async fn of_text(
        host: &Memory,
        invocation: &Invocation,
        text: &str,
        within: Within,
    ) -> Result<Self, Interrupt> {
        let text = text.trim();
        if let Some(place) = Spelled::read(text) {
            let range = place.range();
            return Ok(match place.location() {
                location @ Location { column: Some(_), .. } => Self::of_location(location),
                _ => Self::of_range(range),
            });
        }
        let whole = || Self { path: text.to_owned(), start: None, end: None };
        if text.contains(['/', '\\']) {
            return Ok(whole());
        }
        match Self::of_symbol(host, invocation, &Symbol::named(text), within).await {
            Err(Interrupt::Failure(unknown)) if text.contains('.') && failure::is_unknown(&unknown) => {
                Ok(whole())
            }
            found => found,
        }
    }

    async fn of_symbol(
        host: &Memory,
        invocation: &Invocation,
        symbol: &Symbol,
        within: Within,
    ) -> Result<Self, Interrupt> {
        let mut found = Resolver::new(host, invocation).symbol(symbol).await?;
        if found.len() > 1 {
            return Err(which(&symbol.name, &found, Some("place")));
        }
        Ok(Self::of_definition(found.remove(0), within))
    }

    fn of_definition(definition: Definition, within: Within) -> Self {
        match within {
            Within::All => Self::of_range(definition.defined_at),
            Within::Name => {
                let FileRange { path, start, .. } = definition.name_at;
                Self { path, start: Some(start), end: None }
            }
        }
    }

    fn of_range(range: FileRange) -> Self {
        Self { path: range.path, start: Some(range.start), end: Some(range.end) }
    }

    /// A place without a column is its line.
    fn of_location(location: Location) -> Self {
        let Location { path, line, column } = location;
        match column {
            Some(column) => Self { path, start: Some(Point { line, column }), end: None },
            None => Self::of_range(whole_lines(&path, line, line)),
        }
    }
}
