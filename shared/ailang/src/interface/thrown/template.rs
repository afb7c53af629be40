//! Texts with holes, which what an error carries fills.

use dialect::ast::{Expression, ExpressionKind, TemplatePart};

use super::evaluate::Known;

/// A text with holes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Template(Vec<Piece>);

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    /// What fills the hole, and how the document writes it.
    Hole(Expression, String),
}

impl Template {
    /// The template of a property. `text` is the document's.
    pub(crate) fn of(expression: &Expression, text: &str) -> Self {
        let piece = |part: &TemplatePart| match part {
            TemplatePart::Text(text) => Piece::Text(text.clone()),
            TemplatePart::Expression(inner) => {
                Piece::Hole(inner.clone(), text.get(inner.span.range()).unwrap_or_default().to_owned())
            }
        };
        match &expression.kind {
            ExpressionKind::Text(text) => Self(vec![Piece::Text(text.clone())]),
            ExpressionKind::Template(parts) => Self(parts.iter().map(piece).collect()),
            _ => Self::default(),
        }
    }

    /// What it says. A hole that comes to nothing stays as it is written.
    pub(super) fn filled(&self, known: &Known<'_>) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Hole(expression, written) => {
                known.filling(expression).unwrap_or_else(|| format!("${{{written}}}"))
            }
        };
        self.0.iter().map(piece).collect()
    }

    /// What it says, when no hole comes to nothing.
    pub(super) fn complete(&self, known: &Known<'_>) -> Option<String> {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => Some(text.clone()),
            Piece::Hole(expression, _) => known.filling(expression),
        };
        self.0.iter().map(piece).collect()
    }
}
