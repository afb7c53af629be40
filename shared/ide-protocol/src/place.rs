//! Places in the user's files. Lines and columns count from 1; columns count Unicode scalar values.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! counted_from_one {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(transparent)]
        pub struct $name(NonZeroU32);

        impl $name {
            /// The first one.
            pub const FIRST: Self = Self(NonZeroU32::MIN);

            /// From a number that counts from 1; `None` for 0.
            pub fn new(from_one: u32) -> Option<Self> {
                NonZeroU32::new(from_one).map(Self)
            }

            /// From an index that counts from 0, as offsets into a text do. An index beyond `u32` saturates.
            pub fn from_index(from_zero: usize) -> Self {
                let index = u32::try_from(from_zero).unwrap_or(u32::MAX);
                Self(NonZeroU32::MIN.saturating_add(index))
            }

            /// As an index that counts from 0.
            pub fn index(self) -> usize {
                self.0.get() as usize - 1
            }

            /// As a number that counts from 1.
            pub fn get(self) -> u32 {
                self.0.get()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

counted_from_one! {
    /// A line of a file, counted from 1.
    Line
}
counted_from_one! {
    /// A column of a line, counted from 1 in Unicode scalar values.
    Column
}

/// A point between two characters of a file: before the character at `column` of `line`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// The line, from 1.
    pub line: Line,
    /// The column, from 1, in Unicode scalar values.
    pub column: Column,
}

/// A place that one can point at, without extent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Location {
    /// The file: relative to the session's root with `/`, or absolute where it lies outside.
    pub path: String,
    /// The line, from 1.
    pub line: Line,
    /// The column, from 1. Without it the whole line is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<Column>,
}

/// A stretch of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct FileRange {
    /// The file: relative to the session's root with `/`, or absolute where it lies outside.
    pub path: String,
    /// Where it starts.
    pub start: Point,
    /// Where it ends, exclusive.
    pub end: Point,
    /// The text of the line where it starts, trimmed to a sane width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The name of the symbol that encloses it.
    #[serde(default, rename = "in", skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    /// What the symbol that encloses it is, in the words of a definition's `kind`.
    #[serde(default, rename = "inKind", skip_serializing_if = "Option::is_none")]
    pub inside_kind: Option<String>,
    /// Of a reference, what part the name plays there: `call` (or made, or applied), `import`, `read`, `write`, `type`
    /// (where a type is expected), `implementation` (implemented, extended, added to), `definition`; and of mentions that
    /// no compiler reads, `documentation`, `comment`, `string`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// True in the signature of the symbol that encloses it: in parameters, results, bounds, base types.
    #[serde(default, skip_serializing_if = "is_false")]
    pub signature: bool,
    /// True when the symbol that encloses it says that it may be used from everywhere.
    #[serde(default, skip_serializing_if = "is_false")]
    pub public: bool,
    /// True in test code.
    #[serde(default, skip_serializing_if = "is_false")]
    pub test: bool,
    /// True when a reference lies in another package than the definition: another crate, Go package, npm package.
    #[serde(default, skip_serializing_if = "is_false")]
    pub outside: bool,
    /// True for a file outside the session's roots: a dependency, the standard library.
    #[serde(default, skip_serializing_if = "is_false")]
    pub external: bool,
    /// Of code that is written like a pattern, the text that each named hole stands for, cut to a sane length.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bindings: BTreeMap<String, String>,
}

impl FileRange {
    /// A stretch of which nothing else is known. A path outside the session's roots is absolute.
    pub fn new(path: impl Into<String>, start: Point, end: Point) -> Self {
        Self {
            path: path.into(),
            start,
            end,
            text: None,
            inside: None,
            inside_kind: None,
            role: None,
            signature: false,
            public: false,
            test: false,
            outside: false,
            external: false,
            bindings: BTreeMap::new(),
        }
    }
}

/// A stretch of a file that the user has selected. An empty one, whose end is its start, is a cursor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Selection {
    /// The file: relative to the session's root with `/`, or absolute where it lies outside.
    pub path: String,
    /// Where it starts.
    pub start: Point,
    /// Where it ends, exclusive.
    pub end: Point,
    /// What is selected, as the user sees it, line breaks as `\n`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// True for a file outside the session's roots.
    #[serde(default, skip_serializing_if = "is_false")]
    pub external: bool,
}

/// Where a symbol is defined.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Definition {
    /// The symbol's own name, without its container.
    pub name: String,
    /// What it is, as LSP's `SymbolKind` in camel case (`function`, `struct`, `enumMember`, …), or `impl`.
    pub kind: String,
    /// The whole definition, its documentation and attributes included where the source gives them.
    pub defined_at: FileRange,
    /// The name itself: where to ask for references. Languages put other tokens first.
    pub name_at: FileRange,
    /// The symbol that it belongs to: a module, a type, an `impl`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
}

fn is_false(flag: &bool) -> bool {
    !*flag
}
