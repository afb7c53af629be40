//! How much is told of something: of a document, or of what it declares.

/// How much is told: each level tells all that the one before tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// What it is: its name and a summary.
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

    /// As programs, front matter and options spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Compact => "compact",
            Self::Standard => "standard",
            Self::Detailed => "detailed",
            Self::Complete => "complete",
        }
    }

    /// The level of that name, in any case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name().eq_ignore_ascii_case(text.trim()))
    }
}
