//! Who calls whom, and which type extends which.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Definition, FileRange, Operation, Source, Target};

/// A way through the calls or the types: the operations that ask and answer alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hierarchy {
    /// To the functions that call one.
    Callers,
    /// To the functions that one calls.
    Callees,
    /// To the types that one extends or implements.
    Supertypes,
    /// To the types that extend or implement one.
    Subtypes,
}

impl Hierarchy {
    /// The operation that goes this way.
    pub fn operation(self) -> Operation {
        match self {
            Self::Callers => Operation::Callers,
            Self::Callees => Operation::Callees,
            Self::Supertypes => Operation::Supertypes,
            Self::Subtypes => Operation::Subtypes,
        }
    }

    /// Whether it leads to where the links come from: from what is called to who calls.
    pub fn is_upstream(self) -> bool {
        matches!(self, Self::Callers | Self::Subtypes)
    }
}

/// Asks who calls whom, or which type extends which, from one symbol on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HierarchyRequest {
    /// The ACP session on whose behalf this is asked.
    pub session_id: String,
    /// Where progress of this request is reported, if anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<String>,
    /// Milliseconds within which an answer is of use; what is known by then is better than nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// Milliseconds to wait for a source that is still loading, before a lower tier answers; 0 is not at all. Without it,
    /// as long as the deadline allows. Whoever is ready may always take until the deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// From where; as in `ReferencesRequest`.
    pub target: Target,
    /// How many steps: 1 is who calls it, 2 also who calls those.
    #[serde(default = "one")]
    pub depth: u32,
}

fn one() -> u32 {
    1
}

/// Who calls whom, or which type extends which.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HierarchyResult {
    /// False while more may come: indexing, a lower tier, a limit.
    pub complete: bool,
    /// Who answered.
    pub source: Source,
    /// Why it is not complete, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The nearest first, then in order of path and line; each once, also where they run in circles.
    pub links: Vec<Link>,
}

/// One calls, or extends, the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    /// Who calls, or extends.
    pub from: Definition,
    /// What is called, or extended.
    pub to: Definition,
    /// Where the calls stand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<FileRange>,
}
