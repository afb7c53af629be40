//! Errors at run time: what one says with the values that it carries, and its JSON.

mod evaluate;

use dialect::ast::{Expression, ExpressionKind, TemplatePart};
use dialect::{Parameter, Type};
use serde_json::{Map, Value, json};

use crate::Interface;
use crate::trust::{LONGEST_RECOVERY, plain};
use crate::values::Problem;
use evaluate::{Known, spelled};

/// An error that documents declare, as it is thrown.
#[derive(Clone, Debug)]
pub(crate) struct Throwable {
    pub(crate) name: String,
    /// What it carries; `None` when the document leaves it open.
    pub(crate) carries: Option<Vec<Parameter>>,
    pub(crate) message: Template,
    pub(crate) recovery: Option<Template>,
    pub(crate) is_retryable: bool,
    pub(crate) retry_after: Option<Expression>,
}

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

    /// On one line, cut to what advice may have. A hole that comes to nothing stays as it is written.
    fn filled(&self, known: &Known<'_>) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Hole(expression, written) => {
                known.value(expression).map_or_else(|| format!("${{{written}}}"), |it| spelled(&it))
            }
        };
        plain(&self.0.iter().map(piece).collect::<String>(), LONGEST_RECOVERY)
    }
}

impl Interface {
    /// The JSON of the error of that name: `{"error", "params", "message", "recovery", "retryable", "retryAfter"}`,
    /// without `recovery` and `retryAfter` where it has none. `now` is the time in seconds since the start of 1970.
    ///
    /// # Errors
    /// When no document declares it, or it does not carry that.
    pub fn thrown(&self, name: &str, params: &Map<String, Value>, now: f64) -> Result<Value, Vec<Problem>> {
        let Some(error) = self.throwables.iter().find(|it| it.name == name) else {
            return Err(vec![Problem::new("error", "the name of an error of the documents", &name.into())]);
        };
        let given = Value::Object(params.clone());
        let carries = error.carries.clone().map_or(Type::Object, Type::Fields);
        let params = self.values().coerce(&carries, &given)?.value;
        Ok(error.json(&params, now))
    }
}

impl Throwable {
    fn json(&self, params: &Value, now: f64) -> Value {
        let known = Known { params, now };
        let message = self.message.filled(&known);
        let mut json =
            json!({"error": self.name, "params": params, "message": message, "retryable": self.is_retryable});
        if let Some(recovery) = &self.recovery {
            json["recovery"] = recovery.filled(&known).into();
        }
        let after = self.retry_after.as_ref().and_then(|it| known.value(it));
        if let Some(after) = after.filter(Value::is_number) {
            json["retryAfter"] = after;
        }
        json
    }
}
