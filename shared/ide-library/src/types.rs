//! Descriptions of records for readers, and the values that stand for them in programs.

use dialect::{Object, RecordType, Value};
use ide_protocol::{Definition, FileRange};

use crate::ambiguity::describe;
use crate::diagnostic_changes::ComparedDiagnostic;
use crate::excerpt::clip;
use crate::functions::diagnostics::place_with_message;
use crate::selection::Selection;
use crate::spelling::display_location;
use crate::symbol::{PastedDefinition, PlaceWithText, Symbol, last_line};

/// Adds to a type's row what its document cannot express.
pub(crate) fn with_words(row: RecordType) -> RecordType {
    match row.signature.split('(').next().unwrap_or_default() {
        "Symbol" => row.label(|fields| describe_record::<Symbol>(fields, |it| it.describe())),
        "Definition" => row
            .label(|fields| describe_record::<PastedDefinition>(fields, |it| describe(&it.into())))
            .stand_in(|fields| {
                let definition: Definition = read::<PastedDefinition>(fields)?.into();
                Value::from_record("Symbol", &Symbol::with_column_of(&definition)).ok()
            }),
        "FileRange" => {
            row.label(|fields| describe_record::<FileRange>(fields, |it| PlaceWithText::from(it).describe()))
                .stand_in(|fields| {
                    // The start of a range over several lines would lose the rest.
                    let range = read::<FileRange>(fields).filter(|it| last_line(it) == it.start.line)?;
                    Value::from_record("Location", &range.location()).ok()
                })
        }
        "Diagnostic" => row.label(|fields| {
            describe_record::<ComparedDiagnostic>(fields, |it| place_with_message(it).describe())
        }),
        "Location" | "Call" => {
            row.label(|fields| describe_record::<PlaceWithText>(fields, |it| it.describe()))
        }
        "Selection" => row.label(|fields| describe_record::<Selection>(fields, |it| it.describe())),
        _ => row,
    }
}

fn describe_record<T: serde::de::DeserializeOwned>(
    fields: &Object,
    tell: impl FnOnce(T) -> String,
) -> String {
    read(fields).map_or_else(String::new, tell)
}

fn read<T: serde::de::DeserializeOwned>(fields: &Object) -> Option<T> {
    Value::Object(fields.clone()).read().ok()
}

impl Symbol {
    /// Describes a symbol: `` `User` at src/a.rs:12 ``.
    fn describe(&self) -> String {
        let Self { name, path, line, .. } = self;
        match (path, line) {
            (Some(path), Some(line)) => format!("`{name}` at {path}:{line}"),
            (Some(path), None) => format!("`{name}` in {path}"),
            _ => format!("`{name}`"),
        }
    }
}

impl PlaceWithText {
    /// Describes a place: ``src/a.rs:12:5, `let user = User::new();` ``.
    pub(crate) fn describe(&self) -> String {
        let external = if self.external { " (external)" } else { "" };
        let line = self.text.as_deref().and_then(|it| it.lines().next());
        let line = line.map(|it| format!(", `{}`", clip(it.trim()))).unwrap_or_default();
        format!("{}{external}{line}", display_location(&self.location()))
    }
}
