//! Built-in functions, and those of built-in objects.

use dialect::ast::{Argument, ExpressionKind};
use dialect::{Object, Value, show};
use serde_json::Number;
use source_text::Span;

use super::expression::spelled;
use super::halt::{Halt, Run, name_of, noun};
use super::interpreter::Interpreter;
use crate::BUILT_IN_FUNCTIONS;

/// The built-in objects.
pub(super) const OBJECTS: &[&str] = crate::validate::OBJECTS;

/// Returns `true` for a built-in function.
pub(super) fn is_function(name: &str) -> bool {
    BUILT_IN_FUNCTIONS.contains(&name)
}

/// Returns the most similar name, if one is similar.
pub(super) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let near = known.map(|known| (strsim::damerau_levenshtein(name, known), known));
    near.filter(|(distance, known)| *distance <= known.len().max(3) / 3).min().map(|(_, known)| known)
}

impl Interpreter {
    /// Calls a built-in function.
    pub(super) async fn global(&self, name: &str, arguments: &[Argument], span: Span) -> Run {
        if name == "expectThrows" {
            return self.expect_throws(arguments, span).await;
        }
        let values = match name {
            "promptUser" => self.prompt(arguments, span).await?,
            _ => self.positional(arguments).await?,
        };
        self.global_values(name, values, span).await
    }

    /// Calls a built-in function with values.
    pub(super) async fn global_values(&self, name: &str, values: Vec<Value>, span: Span) -> Run {
        let first = values.first();
        match name {
            "print" | "alert" => self.print(&values, span),
            "now" => Ok(whole(self.state.now())),
            "wait" => {
                let seconds = number(first, span)?;
                self.state.wait(seconds, span).await.map(|()| Value::Null)
            }
            "exponentialBackoff" => float(super::retry::backoff(number(first, span)?), span),
            "retry" => Err(Halt::Retry),
            "assert" | "expect" => match first {
                Some(Value::Bool(true)) => Ok(Value::Null),
                found => {
                    let message = values.get(1).map_or_else(|| failed(name, found), spelled);
                    Err(Halt::assertion(span, message))
                }
            },
            "expectEqual" => self.expect_equal(&values, span),
            "promptUser" => {
                let options = values.get(1).and_then(Value::as_list).unwrap_or_default();
                let options: Vec<String> = options.iter().map(spelled).collect();
                let question = first.map(spelled).unwrap_or_default();
                self.state.ask(&question, options, span).await
            }
            other => Err(Halt::mistake(
                span,
                format!("`{other}` does not run here: a program ends with its last line"),
            )),
        }
    }

    /// Evaluates the arguments of `promptUser`: a question and its options, or by name a title, a message and options.
    async fn prompt(&self, arguments: &[Argument], span: Span) -> Run<Vec<Value>> {
        let given = self.arguments(arguments).await?;
        if given.iter().all(|it| it.name.is_none()) {
            return Ok(given.into_iter().map(|it| it.value).collect());
        }
        let mut named = self.named(&["title", "message", "options"].map(str::to_owned), given, span)?;
        let lines = ["title", "message"].into_iter().filter_map(|name| named.get(name));
        let question = lines.map(spelled).collect::<Vec<_>>().join("\n");
        Ok(vec![question.into(), named.swap_remove("options").unwrap_or_default()])
    }

    /// Prints values on a line, with blanks between them.
    fn print(&self, values: &[Value], span: Span) -> Run {
        let bytes = values.iter().map(Value::bytes).fold(0, usize::saturating_add);
        self.spend(bytes, span)?;
        let line = values.iter().map(spelled).collect::<Vec<_>>().join(" ");
        let line = self.measured(line.into(), span)?;
        self.state.print(line.as_text().unwrap_or_default(), span)?;
        Ok(Value::Null)
    }

    fn expect_equal(&self, values: &[Value], span: Span) -> Run {
        let [left, right, ..] = values else {
            return Err(Halt::mistake(span, "`expectEqual` compares two values"));
        };
        self.spend(left.bytes().saturating_add(right.bytes()), span)?;
        if left.equals(right) {
            return Ok(Value::Null);
        }
        let shown = |value: &Value| dialect::show_start(value, 300);
        Err(Halt::assertion(span, format!("expected {}, got {}", shown(right), shown(left))))
    }

    /// Runs a function that has to throw an error.
    async fn expect_throws(&self, arguments: &[Argument], span: Span) -> Run {
        let [error, function] = arguments else {
            return Err(Halt::mistake(span, "`expectThrows` takes an error and a function"));
        };
        let expected = match &error.value.kind {
            ExpressionKind::Name(name) => name.clone(),
            ExpressionKind::Member { name, .. } => name.text.clone(),
            _ => name_of(&self.evaluate(&error.value).await?).unwrap_or("Error").to_owned(),
        };
        let function = self.evaluate(&function.value).await?;
        match self.apply_values(&function, Vec::new(), span).await {
            Err(Halt::Thrown(thrown)) => {
                let found = name_of(&thrown.error).unwrap_or("Error").to_owned();
                if expected == "Error" || expected == found {
                    return Ok(thrown.error);
                }
                let message = format!(
                    "expected `{expected}`, but `{found}` was thrown: {}",
                    super::halt::text_of(&thrown.error, "message").unwrap_or_default()
                );
                Err(Halt::assertion(span, message))
            }
            Ok(_) => Err(Halt::assertion(span, format!("expected `{expected}`, but nothing was thrown"))),
            Err(other) => Err(other),
        }
    }

    /// Calls a function of a built-in object.
    pub(super) fn object_call(&self, object: &str, name: &str, values: &[Value], span: Span) -> Run {
        let bytes = values.iter().map(Value::bytes).fold(0, usize::saturating_add);
        self.spend(bytes, span)?;
        let first = values.first().unwrap_or(&Value::Null);
        let result = match (object, name) {
            ("console", "log" | "error" | "warn" | "info" | "debug") => return self.print(values, span),
            ("JSON", "stringify") => match values.get(2) {
                Some(Value::Number(_)) => format!("{:#}", first.to_json()).into(),
                _ => show(first).into(),
            },
            ("JSON", "parse") => {
                let text = first.as_text().ok_or_else(|| Halt::mistake(span, "`JSON.parse` reads a text"))?;
                let parsed: Result<serde_json::Value, _> = serde_json::from_str(text);
                parsed.map_err(|error| Halt::mistake(span, format!("this is no JSON: {error}")))?.into()
            }
            ("Object", _) => {
                let method = super::method::of_object(name, fields(first, span)?, &values[1..]);
                method.ok_or_else(|| Halt::mistake(span, format!("`Object` has no function `{name}`")))?
            }
            ("Math", _) => math(name, values, span)?,
            _ => return Err(Halt::mistake(span, format!("`{object}` has no function `{name}`"))),
        };
        self.measured(result, span)
    }
}

fn failed(name: &str, found: Option<&Value>) -> String {
    match found {
        Some(Value::Bool(_)) => format!("`{name}` failed: the condition is false"),
        Some(value) => format!("`{name}` takes true or false, not {}", noun(value)),
        None => format!("`{name}` takes a condition"),
    }
}

fn fields(value: &Value, span: Span) -> Run<&Object> {
    value.fields().ok_or_else(|| Halt::mistake(span, format!("this is {}, not an object", noun(value))))
}

/// Returns a number that is given.
pub(super) fn number(value: Option<&Value>, span: Span) -> Run<f64> {
    match value {
        Some(Value::Number(number)) => Ok(number.as_f64().unwrap_or_default()),
        Some(found) => Err(Halt::mistake(span, format!("a number is expected here, not {}", noun(found)))),
        None => Err(Halt::mistake(span, "a number is expected here")),
    }
}

fn math(name: &str, values: &[Value], span: Span) -> Run {
    let first = number(values.first(), span)?;
    let each = || values.iter().map(|value| number(Some(value), span));
    let result = match name {
        "floor" => first.floor(),
        "ceil" => first.ceil(),
        "round" => (first + 0.5).floor(),
        "trunc" => first.trunc(),
        "abs" => first.abs(),
        "sqrt" => first.sqrt(),
        "min" => each().collect::<Run<Vec<f64>>>()?.into_iter().fold(first, f64::min),
        "max" => each().collect::<Run<Vec<f64>>>()?.into_iter().fold(first, f64::max),
        "pow" => first.powf(number(values.get(1), span)?),
        _ => return Err(Halt::mistake(span, format!("`Math` has no function `{name}`"))),
    };
    float(result, span)
}

/// Returns a number as a value; integers without a fraction.
pub(super) fn float(number: f64, span: Span) -> Run {
    crate::values::number(number)
        .map(Value::Number)
        .ok_or_else(|| Halt::mistake(span, "the number does not fit"))
}

/// Returns whole seconds.
fn whole(seconds: f64) -> Value {
    Value::Number(crate::values::number(seconds.floor()).unwrap_or(Number::from(0)))
}
