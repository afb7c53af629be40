//! The reasons why a document cannot be loaded.

use ailang::{Code, Level};

/// The reason why a document cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// A document or package is not there.
    #[error("`{module}` is not there{}", imported_by(.from))]
    ModuleNotFound {
        /// The path or name, as it was asked for.
        module: String,
        /// The document that imports it; empty for a request.
        from: String,
    },
    /// A path is absolute, or leaves its package.
    #[error("`{module}` leaves the package{}", imported_by(.from))]
    OutsidePackage {
        /// The path, as it was asked for.
        module: String,
        /// The document that imports it; empty for a request.
        from: String,
    },
    /// Documents import each other.
    #[error("documents import each other: {}", .path.join(" → "))]
    CircularDependency {
        /// The documents of the circle; the first is the last, too.
        path: Vec<String>,
    },
    /// A document has errors of syntax, or is no text.
    #[error("`{path}` cannot be read: {problem}")]
    Parse {
        /// The document.
        path: String,
        /// The first problem, with its line.
        problem: String,
    },
    /// A document does not fit into the context.
    #[error("`{path}` does not fit into the context: it takes {required} tokens, and {available} are left")]
    ContextBudgetExceeded {
        /// The document.
        path: String,
        /// The tokens that it takes.
        required: usize,
        /// The tokens that are left for it, when others are at their lowest levels.
        available: usize,
    },
    /// The user did not approve a document that loads manually.
    #[error("the user did not approve `{path}`")]
    NotApproved {
        /// The document.
        path: String,
    },
    /// An upgrade to a lower level, or a downgrade to a higher one.
    #[error("`{path}` is at {} already, so {} is no {direction}", .current.name(), .wanted.name())]
    WrongDirection {
        /// The document.
        path: String,
        /// The level at which it is loaded.
        current: Level,
        /// The level that was asked for.
        wanted: Level,
        /// `upgrade` or `downgrade`.
        direction: &'static str,
    },
}

fn imported_by(from: &str) -> String {
    if from.is_empty() { String::new() } else { format!(", but `{from}` imports it") }
}

impl LoadError {
    /// Returns the code of the error.
    pub fn code(&self) -> Code {
        match self {
            Self::ModuleNotFound { .. } => Code::UNRESOLVED_IMPORT,
            Self::OutsidePackage { .. } => Code::IMPORT_ESCAPES,
            Self::CircularDependency { .. } => Code::IMPORT_CYCLE,
            Self::Parse { .. } => Code::UNREADABLE,
            Self::ContextBudgetExceeded { .. } => Code::BUDGET_EXCEEDED,
            Self::NotApproved { .. } => Code::NOT_APPROVED,
            Self::WrongDirection { .. } => Code::WRONG_DIRECTION,
        }
    }
}
