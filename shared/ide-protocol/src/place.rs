//! Positions and ranges in the user's files. Lines and columns count from 1; columns count Unicode scalar values.

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
            /// The first one, whose number is 1.
            pub const FIRST: Self = Self(NonZeroU32::MIN);

            /// Creates it from a number that counts from 1; `None` for 0.
            pub fn new(from_one: u32) -> Option<Self> {
                NonZeroU32::new(from_one).map(Self)
            }

            /// Creates it from an index that counts from 0. An index beyond `u32` saturates.
            pub fn from_index(from_zero: usize) -> Self {
                let index = u32::try_from(from_zero).unwrap_or(u32::MAX);
                Self(NonZeroU32::MIN.saturating_add(index))
            }

            /// Returns the index that counts from 0.
            pub fn index(self) -> usize {
                self.0.get() as usize - 1
            }

            /// Returns the number that counts from 1.
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

/// A position in a file, or a whole line.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Location {
    /// The file: relative to the session's root with `/`, or absolute if it lies outside.
    pub path: String,
    /// The line, from 1.
    pub line: Line,
    /// The column, from 1. Without it the whole line is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<Column>,
}

/// A range of a file, with what is known of the symbol around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct FileRange {
    /// The file: relative to the session's root with `/`, or absolute if it lies outside.
    pub path: String,
    /// The point before the first character.
    pub start: Point,
    /// The end, exclusive.
    pub end: Point,
    /// The text of its first line, trimmed. Of a line with more than 10,000 characters it is the part around the start:
    /// `+N…` and `…+N` count the characters before and behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The name of the enclosing symbol.
    #[serde(default, rename = "in", skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    /// The kind of the enclosing symbol, in the words of a definition's `kind`.
    #[serde(default, rename = "inKind", skip_serializing_if = "Option::is_none")]
    pub inside_kind: Option<String>,
    /// The line of the enclosing symbol's name, in the same file.
    #[serde(default, rename = "inLine", skip_serializing_if = "Option::is_none")]
    pub inside_line: Option<Line>,
    /// The role of a reference: `call` (also a macro or decorator), `construct` (`new X()`, `X { … }`), `import`, `read`
    /// (also a pattern that takes it apart), `write`, `type` (used as a type), `implementation` (implemented or
    /// extended), `definition`. Mentions that no compiler reads have `documentation`, `comment` or `string`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// True in the signature of the enclosing symbol: in parameters, results, bounds, base types.
    #[serde(default, skip_serializing_if = "is_false")]
    pub signature: bool,
    /// True if the enclosing symbol is public.
    #[serde(default, skip_serializing_if = "is_false")]
    pub public: bool,
    /// True in test code.
    #[serde(default, skip_serializing_if = "is_false")]
    pub test: bool,
    /// True if a reference lies in another package than the definition: another crate, Go package, npm package.
    #[serde(default, skip_serializing_if = "is_false")]
    pub outside: bool,
    /// True for a file outside the session's roots: a dependency, the standard library.
    #[serde(default, skip_serializing_if = "is_false")]
    pub external: bool,
    /// For a match of a syntax pattern: the text of each named hole, cut to a reasonable length.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bindings: BTreeMap<String, String>,
    /// For a hit of a search: the text of each named group of the pattern, by its name. The text of a group that took
    /// no part is empty.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<String, String>,
}

impl FileRange {
    /// Creates a range with no further information. A path outside the session's roots is absolute.
    pub fn new(path: impl Into<String>, start: Point, end: Point) -> Self {
        Self {
            path: path.into(),
            start,
            end,
            text: None,
            inside: None,
            inside_kind: None,
            inside_line: None,
            role: None,
            signature: false,
            public: false,
            test: false,
            outside: false,
            external: false,
            bindings: BTreeMap::new(),
            groups: BTreeMap::new(),
        }
    }

    /// Returns the place of its start.
    pub fn location(&self) -> Location {
        Location { path: self.path.clone(), line: self.start.line, column: Some(self.start.column) }
    }
}

/// A range of a file that the user has selected. An empty range, whose end is its start, is a cursor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Selection {
    /// The file: relative to the session's root with `/`, or absolute if it lies outside.
    pub path: String,
    /// The point before the first character.
    pub start: Point,
    /// The end, exclusive.
    pub end: Point,
    /// The selected text as the user sees it, with line breaks as `\n`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// True for a file outside the session's roots.
    #[serde(default, skip_serializing_if = "is_false")]
    pub external: bool,
}

/// The definition of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Definition {
    /// The symbol's own name, without its container.
    pub name: String,
    /// The kind: an LSP `SymbolKind` in camel case (`function`, `struct`, `enumMember`, …), or `impl`.
    pub kind: String,
    /// The whole definition, with documentation and attributes if the source includes them.
    pub defined_at: FileRange,
    /// The name itself, the place to ask for references. It is seldom the first token of the definition.
    pub name_at: FileRange,
    /// The symbol that contains it: a module, a type, an `impl`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// The head in one line, without its body, but with the value of a constant. Where it is given, the ranges need no
    /// `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// True if it is declared public. The definition around it may hide it all the same.
    #[serde(default, skip_serializing_if = "is_false")]
    pub public: bool,
    /// True for test code.
    #[serde(default, skip_serializing_if = "is_false")]
    pub test: bool,
}

impl Definition {
    /// Creates a definition with no further information.
    pub fn new(
        name: impl Into<String>,
        kind: impl Into<String>,
        defined_at: FileRange,
        name_at: FileRange,
    ) -> Self {
        Self {
            name: name.into(),
            kind: kind.into(),
            defined_at,
            name_at,
            container: None,
            signature: None,
            public: false,
            test: false,
        }
    }
}

/// Returns true for a flag that the wire leaves out.
pub(crate) fn is_false(flag: &bool) -> bool {
    !*flag
}
