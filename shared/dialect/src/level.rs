//! The levels of detail at which documents and declarations are described.

/// A level of detail. Each level includes the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The name and a summary.
    Minimal,
    /// The names of functions and parameters too.
    Compact,
    /// Types, errors' and capabilities' names.
    Standard,
    /// Documentation, examples, advice.
    Detailed,
    /// All of it.
    Complete,
}

impl Level {
    /// All levels, the lowest first.
    pub const ALL: [Self; 5] = [Self::Minimal, Self::Compact, Self::Standard, Self::Detailed, Self::Complete];

    /// Returns the name, as programs, front matter and options spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Compact => "compact",
            Self::Standard => "standard",
            Self::Detailed => "detailed",
            Self::Complete => "complete",
        }
    }

    /// Returns the level of that name, ignoring ASCII case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name().eq_ignore_ascii_case(text.trim()))
    }
}
