//! The library's types: what symbols and places are made of, and how a reader is told which one it is.

use dialect::{Object, RecordType, Value};
use ide_protocol::{Definition, FileRange};

use crate::ambiguity::describe;
use crate::selection::Selection;
use crate::spelling::spell;
use crate::symbol::{PastedDefinition, Sight, Symbol, last_line, start_of};

/// All types, in the order in which they are shown.
pub(crate) fn rows() -> Vec<RecordType> {
    vec![
        RecordType::new(
            "Symbol(name: string, path?: string, line?: number, column?: number)",
            "Something that code names; `path` and `line` say which definition of that name.",
        )
        .label(|fields| read::<Symbol>(fields).map_or_else(String::new, |it| it.describe())),
        RecordType::new(
            "Definition(name: string, kind: string, definedAt: FileRange, nameAt?: FileRange, container?: string)",
            "Where a symbol is defined: all of it, and its name.",
        )
        .label(|fields| {
            read::<PastedDefinition>(fields).map_or_else(String::new, |it| describe(&it.into()))
        })
        .stand_in(|fields| {
            let definition: Definition = read::<PastedDefinition>(fields)?.into();
            Value::from_record("Symbol", &Symbol::with_column_of(&definition)).ok()
        }),
        RecordType::new(
            "FileRange(path: string, start: Point, end: Point, text?: string, in?: string, external?: boolean)",
            "A stretch of a file, its end exclusive; `text` is its line, `in` the symbol around it, `external` \
             says that it is outside the workspace.",
        )
        .label(|fields| {
            read::<FileRange>(fields).map_or_else(String::new, |it| Sight::from(it).describe())
        })
        .stand_in(|fields| {
            // Where it starts says no more of it than that.
            let range = read::<FileRange>(fields).filter(|it| last_line(it) == it.start.line)?;
            Value::from_record("Location", &start_of(&range)).ok()
        }),
        RecordType::new(
            "Location(path: string, line: number, column?: number, text?: string, external?: boolean)",
            "A place in a file; the text `path:line:column` stands for it.",
        )
        .label(|fields| read::<Sight>(fields).map_or_else(String::new, |it| it.describe())),
        RecordType::new(
            "Selection(path: string, start: Point, end: Point, selected: string, external?: boolean)",
            "What the user selected, and where; as a symbol it is what its text names.",
        )
        .label(|fields| read::<Selection>(fields).map_or_else(String::new, |it| it.describe())),
        RecordType::new("Point(line: number, column: number)", "A line and a column, both from 1."),
    ]
}

fn read<T: serde::de::DeserializeOwned>(fields: &Object) -> Option<T> {
    Value::Object(fields.clone()).read().ok()
}

impl Symbol {
    /// `` `User` at src/a.rs:12 ``
    fn describe(&self) -> String {
        let Self { name, path, line, .. } = self;
        match (path, line) {
            (Some(path), Some(line)) => format!("`{name}` at {path}:{line}"),
            (Some(path), None) => format!("`{name}` in {path}"),
            _ => format!("`{name}`"),
        }
    }
}

impl Sight {
    /// ``src/a.rs:12:5, `let user = User::new();` ``
    pub(crate) fn describe(&self) -> String {
        let external = if self.external { " (external)" } else { "" };
        let line = self.text.as_deref().and_then(|it| it.lines().next());
        let line = line.map(|it| format!(", `{}`", it.trim())).unwrap_or_default();
        format!("{}{external}{line}", spell(&self.location()))
    }
}
