//! Kinds of values, and words that are no names.

/// A kind of value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Bool,
    Integer,
    /// A number that other languages may spell with a fraction.
    Float,
    Text,
    List,
    Object,
    Unknown,
}

/// Words that are no names in most languages.
const KEYWORDS: &[&str] = &[
    "not",
    "and",
    "or",
    "in",
    "is",
    "if",
    "else",
    "elif",
    "for",
    "while",
    "def",
    "class",
    "import",
    "from",
    "return",
    "const",
    "var",
    "yield",
    "throw",
    "switch",
    "case",
    "with",
    "lambda",
    "function",
    "typeof",
    "delete",
    "instanceof",
    "new",
    "await",
    "async",
    "try",
    "catch",
    "do",
    "break",
    "continue",
    "void",
];

pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Returns `true` for other languages' null.
pub(super) fn is_nothing(word: &str) -> bool {
    matches!(word, "null" | "None" | "nil" | "undefined" | "NULL")
}

impl Kind {
    pub(super) fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::Float | Self::Unknown)
    }

    pub(super) fn may_be(self, other: Self) -> bool {
        self == Self::Unknown || self == other
    }

    /// Returns `true` if values of these kinds compare in every language as they do here.
    pub(super) fn compares(self, other: Self) -> bool {
        self.is_number() && other.is_number()
            || self.may_be(other)
            || other == Self::Unknown
            || self == Self::Null
            || other == Self::Null
    }
}
