//! Reasons why a program cannot run.

use std::ops::Range;

use oxc_diagnostics::OxcDiagnostic;
use thiserror::Error;

/// A reason why a program cannot run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Problem {
    /// The bytes that it is about.
    pub span: Range<usize>,
    /// The problem, in a sentence without a full stop.
    pub message: String,
    /// The code to write instead, or advice; `None` if nothing is known.
    pub help: Option<String>,
}

impl From<&OxcDiagnostic> for Problem {
    fn from(diagnostic: &OxcDiagnostic) -> Self {
        let label = diagnostic.labels.iter().next();
        let span = label.map_or(0..0, |it| {
            let start = it.offset() as usize;
            start..start + it.len() as usize
        });
        let help = diagnostic.help.as_ref().map(ToString::to_string);
        Self { span, message: diagnostic.message.to_string(), help }
    }
}
