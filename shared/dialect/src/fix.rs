//! How to correct a mistake, where there is one way.

use source_text::Span;

use crate::print::print_text;
use crate::{Failure, FailureKind};

impl Failure {
    /// The stretch of the program to replace, and by what.
    pub(crate) fn fix(&self) -> Option<(Span, String)> {
        let span = self.span?;
        match &self.kind {
            FailureKind::UnknownEscape { literal, raw, .. } => Some((*literal, raw.clone()?)),
            FailureKind::MalformedNumber { instead, .. } => Some((span, instead.clone()?)),
            FailureKind::Unclosed { at_end: Some((end, missing)), .. } => {
                Some((Span::new(*end, *end), missing.clone()))
            }
            FailureKind::Unopened { .. } => Some((span, String::new())),
            FailureKind::NotDialect { instead, .. } if !instead.contains('…') => {
                Some((span, instead.clone()))
            }
            FailureKind::BareWord { word, callable: None } => {
                let mut text = String::new();
                print_text(&mut text, word);
                Some((span, text))
            }
            FailureKind::UnknownFunction { nearest, .. } => match nearest.as_slice() {
                [nearest] => Some((span, nearest.name.clone())),
                _ => None,
            },
            FailureKind::UnknownArgument { nearest, .. } => Some((span, nearest.clone()?)),
            _ => None,
        }
    }
}
