//! The level of trust in a workspace.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Three levels of trust in a workspace, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Language servers run no code of the workspace, by their settings. Used without a wall, and for refused
    /// workspaces.
    Restricted,
    /// Language servers run what they need behind a wall. The operating system blocks the user's files, the
    /// network and other processes.
    Confined,
    /// Language servers run what they need with the user's rights, because the user chose so.
    Trusted,
}

impl Level {
    /// All levels, the lowest first.
    pub const ALL: [Self; 3] = [Self::Restricted, Self::Confined, Self::Trusted];

    /// Returns whether language servers may run code of the workspace.
    pub fn runs_code(self) -> bool {
        self != Self::Restricted
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Restricted => "restricted",
            Self::Confined => "confined",
            Self::Trusted => "trusted",
        })
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|it| it.to_string() == word);
        found.ok_or_else(|| format!("expected `restricted`, `confined` or `trusted`, got `{word}`"))
    }
}
