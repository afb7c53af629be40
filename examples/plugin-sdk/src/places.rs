//! Places in files, as programs know them. A definition or a reference of a program converts to a [`FileRange`].

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::parameters::TYPE;

/// A range of a file of the workspace, as Dialect's `FileRange` has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRange {
    /// The path from the workspace's folder.
    pub path: String,
    /// The first character.
    pub start: Position,
    /// The place behind the last character.
    pub end: Position,
}

/// A place in a file. Both numbers begin at 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// The number of the line, from 1.
    pub line: u32,
    /// The number of the column, from 1, in Unicode scalar values.
    pub column: u32,
}

impl FileRange {
    /// Returns the last line that has a character of the range.
    pub fn last_line(&self) -> u32 {
        let is_before_the_line = self.end.column <= 1 && self.end.line > self.start.line;
        if is_before_the_line { self.end.line - 1 } else { self.end.line }
    }
}

impl JsonSchema for FileRange {
    fn schema_name() -> Cow<'static, str> {
        "FileRange".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object", TYPE: "FileRange"})
    }
}
