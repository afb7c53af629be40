//! Keeps the documents for authors of editors true to the types: `schema.json`, and `EDITORS.md` with its examples
//! and tables. `UPDATE_EXPECT=1` rewrites what is generated; examples are written by hand.

#![expect(clippy::disallowed_methods, reason = "the tests read the documents")]

mod editors;
mod examples;
mod golden;
mod schema;
mod tables;

use ide_protocol::{
    ChangedFile, CodeAction, Definition, Diagnostic, Edit, FileEdit, FileRange, IdeError, Import, Link,
    Location, Operation, Point, Progress, Question, Request, Selection, SourceLine, Target, Visitor,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A type of the wire, by its name in the documents.
struct Wire {
    name: String,
    /// The schema of the type, with references to the definitions of others.
    schema: fn(&mut SchemaGenerator) -> Schema,
    /// Reads a JSON value and writes it again.
    echo: fn(&Value) -> Result<Value, String>,
    /// Reads JSON text and writes it again.
    rewrite: fn(&str) -> Result<String, String>,
}

fn wire<T: JsonSchema + Serialize + DeserializeOwned>() -> Wire {
    let echo = |json: &Value| {
        let value: T = serde_json::from_value(json.clone()).map_err(|error| error.to_string())?;
        serde_json::to_value(value).map_err(|error| error.to_string())
    };
    let rewrite = |json: &str| {
        let value: T = serde_json::from_str(json).map_err(|error| error.to_string())?;
        serde_json::to_string(&value).map_err(|error| error.to_string())
    };
    Wire { name: T::schema_name().into_owned(), schema: SchemaGenerator::subschema_for::<T>, echo, rewrite }
}

/// The request and the result of an operation.
struct Messages;

impl Visitor for Messages {
    type Output = [Wire; 2];

    fn visit<Q: Question>(self) -> [Wire; 2] {
        [wire::<Request<Q>>(), wire::<Q::Result>()]
    }
}

/// All types that travel: the messages of the operations, then the parts of messages.
fn types() -> Vec<Wire> {
    let mut types: Vec<Wire> = Vec::new();
    for message in Operation::ALL.into_iter().flat_map(|it| it.visit(Messages)) {
        if types.iter().all(|it| it.name != message.name) {
            types.push(message);
        }
    }
    types.extend([
        wire::<Link>(),
        wire::<Diagnostic>(),
        wire::<Edit>(),
        wire::<FileEdit>(),
        wire::<CodeAction>(),
        wire::<ChangedFile>(),
        wire::<Progress>(),
        wire::<IdeError>(),
        wire::<Target>(),
        wire::<Location>(),
        wire::<Point>(),
        wire::<FileRange>(),
        wire::<Definition>(),
        wire::<Import>(),
        wire::<Selection>(),
        wire::<SourceLine>(),
    ]);
    types
}
