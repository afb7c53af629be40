//! Keeps the documents for authors of editors true to the types: `schema.json`, and `EDITORS.md` with its examples
//! and tables. `UPDATE_EXPECT=1` rewrites what is generated; examples are written by hand.

#![expect(clippy::disallowed_methods, reason = "the tests read the documents")]

mod editors;
mod examples;
mod golden;
mod schema;
mod tables;

use ide_protocol::{
    ApplyRequest, ApplyResult, ChangedFile, CodeAction, CodeActionsRequest, CodeActionsResult, Definition,
    DefinitionsRequest, DefinitionsResult, DescriptionRequest, DescriptionResult, Diagnostic,
    DiagnosticsRequest, DiagnosticsResult, Edit, EditsRequest, EditsResult, FileEdit, FileRange,
    FilesRequest, FilesResult, FormatRequest, HierarchyRequest, HierarchyResult, IdeError, LinesRequest,
    LinesResult, Link, Location, MatchesRequest, MatchesResult, OrganizeImportsRequest, OutlineRequest,
    OutlineResult, Point, Progress, ReferencesRequest, ReferencesResult, RenameRequest, SearchRequest,
    SearchResult, Selection, SelectionRequest, SelectionResult, SourceLine, SymbolsRequest, SymbolsResult,
    TakeActionRequest, Target,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A type of the wire, as the documents see it.
struct Wire {
    name: &'static str,
    /// Its schema, with references to the definitions of others.
    schema: fn(&mut SchemaGenerator) -> Schema,
    /// Reads a JSON value and writes it again.
    echo: fn(&Value) -> Result<Value, String>,
    /// Reads JSON text and writes it again.
    rewrite: fn(&str) -> Result<String, String>,
}

fn wire<T: JsonSchema + Serialize + DeserializeOwned>(name: &'static str) -> Wire {
    let echo = |json: &Value| {
        let value: T = serde_json::from_value(json.clone()).map_err(|error| error.to_string())?;
        serde_json::to_value(value).map_err(|error| error.to_string())
    };
    let rewrite = |json: &str| {
        let value: T = serde_json::from_str(json).map_err(|error| error.to_string())?;
        serde_json::to_string(&value).map_err(|error| error.to_string())
    };
    Wire { name, schema: SchemaGenerator::subschema_for::<T>, echo, rewrite }
}

/// All types that travel, requests first.
fn types() -> Vec<Wire> {
    vec![
        wire::<DefinitionsRequest>("DefinitionsRequest"),
        wire::<DefinitionsResult>("DefinitionsResult"),
        wire::<ReferencesRequest>("ReferencesRequest"),
        wire::<ReferencesResult>("ReferencesResult"),
        wire::<HierarchyRequest>("HierarchyRequest"),
        wire::<HierarchyResult>("HierarchyResult"),
        wire::<Link>("Link"),
        wire::<DescriptionRequest>("DescriptionRequest"),
        wire::<DescriptionResult>("DescriptionResult"),
        wire::<OutlineRequest>("OutlineRequest"),
        wire::<OutlineResult>("OutlineResult"),
        wire::<SymbolsRequest>("SymbolsRequest"),
        wire::<SymbolsResult>("SymbolsResult"),
        wire::<FilesRequest>("FilesRequest"),
        wire::<FilesResult>("FilesResult"),
        wire::<DiagnosticsRequest>("DiagnosticsRequest"),
        wire::<DiagnosticsResult>("DiagnosticsResult"),
        wire::<Diagnostic>("Diagnostic"),
        wire::<SearchRequest>("SearchRequest"),
        wire::<SearchResult>("SearchResult"),
        wire::<MatchesRequest>("MatchesRequest"),
        wire::<MatchesResult>("MatchesResult"),
        wire::<LinesRequest>("LinesRequest"),
        wire::<LinesResult>("LinesResult"),
        wire::<SelectionRequest>("SelectionRequest"),
        wire::<SelectionResult>("SelectionResult"),
        wire::<RenameRequest>("RenameRequest"),
        wire::<EditsResult>("EditsResult"),
        wire::<Edit>("Edit"),
        wire::<FileEdit>("FileEdit"),
        wire::<CodeActionsRequest>("CodeActionsRequest"),
        wire::<CodeActionsResult>("CodeActionsResult"),
        wire::<CodeAction>("CodeAction"),
        wire::<TakeActionRequest>("TakeActionRequest"),
        wire::<FormatRequest>("FormatRequest"),
        wire::<OrganizeImportsRequest>("OrganizeImportsRequest"),
        wire::<EditsRequest>("EditsRequest"),
        wire::<ApplyRequest>("ApplyRequest"),
        wire::<ApplyResult>("ApplyResult"),
        wire::<ChangedFile>("ChangedFile"),
        wire::<Progress>("Progress"),
        wire::<IdeError>("IdeError"),
        wire::<Target>("Target"),
        wire::<Location>("Location"),
        wire::<Point>("Point"),
        wire::<FileRange>("FileRange"),
        wire::<Definition>("Definition"),
        wire::<Selection>("Selection"),
        wire::<SourceLine>("SourceLine"),
    ]
}
