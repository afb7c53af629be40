//! Templates: texts with holes for the parameters of an error.

use dialect::ast::{Expression, ExpressionKind, TemplatePart};

use super::evaluate::Bindings;

/// A text with holes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Template(Vec<TemplatePiece>);

#[derive(Clone, Debug)]
enum TemplatePiece {
    Text(String),
    /// An expression, and its spelling in the document.
    Hole(Expression, String),
}

impl Template {
    /// Creates the template of a property. `text` is that of the document.
    pub(crate) fn new(expression: &Expression, text: &str) -> Self {
        let piece = |part: &TemplatePart| match part {
            TemplatePart::Text(text) => TemplatePiece::Text(text.clone()),
            TemplatePart::Expression(inner) => TemplatePiece::Hole(
                inner.clone(),
                text.get(inner.span.range()).unwrap_or_default().to_owned(),
            ),
        };
        match &expression.kind {
            ExpressionKind::Text(text) => Self(vec![TemplatePiece::Text(text.clone())]),
            ExpressionKind::Template(parts) => Self(parts.iter().map(piece).collect()),
            _ => Self::default(),
        }
    }

    /// Fills all holes. A hole without a value keeps its spelling.
    pub(crate) fn filled(&self, known: &Bindings<'_>) -> String {
        self.0.iter().map(|piece| piece.filled(known)).collect()
    }

    /// Fills all holes; `None` if one has no value.
    pub(crate) fn complete(&self, known: &Bindings<'_>) -> Option<String> {
        let piece = |piece: &TemplatePiece| match piece {
            TemplatePiece::Text(text) => Some(text.clone()),
            TemplatePiece::Hole(expression, _) => known.filling(expression),
        };
        self.0.iter().map(piece).collect()
    }
}

impl TemplatePiece {
    fn filled(&self, known: &Bindings<'_>) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Hole(expression, written) => {
                known.filling(expression).unwrap_or_else(|| format!("${{{written}}}"))
            }
        }
    }
}
