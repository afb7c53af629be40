//! Expressions.

use dialect::ast::{Element, Expression, ExpressionKind, Spelled, TemplatePart};
use dialect::{GivenArgument, Object, Value, show};
use futures::future::BoxFuture;
use source_text::Span;

use super::built_in;
use super::halt::{Halt, Run, noun};
use super::interpreter::Interpreter;
use super::meaning::Meaning;
use super::stack::growing;
use super::variant::variant;

impl Interpreter {
    /// Evaluates an expression.
    pub(super) fn evaluate<'a>(&'a self, expression: &'a Expression) -> BoxFuture<'a, Run> {
        growing(async move {
            self.step(expression.span).await?;
            let _nested = self.state.nested()?;
            self.kind(expression).await
        })
    }

    async fn kind(&self, expression: &Expression) -> Run {
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Null => Ok(Value::Null),
            ExpressionKind::Bool(bool) => Ok(Value::Bool(*bool)),
            ExpressionKind::Number(number) => Ok(Value::Number(number.clone())),
            ExpressionKind::Text(text) => Ok(text.as_str().into()),
            ExpressionKind::Template(parts) => self.template(parts, span).await,
            ExpressionKind::Name(name) => self.name(name, span),
            ExpressionKind::List(elements) => self.list(elements, span).await,
            ExpressionKind::Object(fields) => self.object(fields, span).await,
            ExpressionKind::Call(call) => self.call(call, span).await,
            ExpressionKind::Apply { function, arguments } => {
                let function = self.evaluate(function).await?;
                let arguments = self.arguments(arguments).await?;
                self.apply(&function, arguments, span).await
            }
            ExpressionKind::Lambda { .. } => Ok(self.lambda(expression)),
            ExpressionKind::Member { .. } | ExpressionKind::Index { .. } => self.part(expression).await?,
            ExpressionKind::Unary { operator, of } => self.unary(operator, of, span).await,
            ExpressionKind::Binary { operator, left, right } => {
                self.binary(operator, left, right, span).await
            }
            ExpressionKind::Conditional { condition, then, otherwise } => {
                let chosen = if self.condition(condition).await? { then } else { otherwise };
                self.evaluate(chosen).await
            }
            ExpressionKind::Pattern { pattern, .. } => Ok(pattern.as_str().into()),
            ExpressionKind::Spread(None) => Err(Halt::mistake(span, "what is left out cannot run")),
            ExpressionKind::Spread(Some(_)) | ExpressionKind::Block => {
                Err(Halt::mistake(span, "this has no value of its own"))
            }
            ExpressionKind::Let { .. } | ExpressionKind::Broken => {
                Err(Halt::mistake(span, "this could not be read"))
            }
        }
    }

    /// Evaluates a condition: true or false, or a value that may be missing. `null` and an empty text are false, other
    /// texts and objects are true. Numbers and lists are refused, since languages differ about `0` and `[]`.
    pub(super) async fn condition(&self, expression: &Expression) -> Run<bool> {
        match self.evaluate(expression).await? {
            Value::Bool(bool) => Ok(bool),
            Value::Null => Ok(false),
            Value::Text(text) => Ok(!text.is_empty()),
            Value::Object(_) => Ok(true),
            found => {
                let message = format!("a condition is true or false, not {}; compare it", noun(&found));
                Err(Halt::mistake(expression.span, message))
            }
        }
    }

    async fn template(&self, parts: &[TemplatePart], span: Span) -> Run {
        let mut text = String::new();
        for part in parts {
            match part {
                TemplatePart::Text(part) => text.push_str(part),
                TemplatePart::Expression(part) => {
                    let value = self.evaluate(part).await?;
                    self.spend(value.bytes().saturating_add(text.len()), span)?;
                    text.push_str(&spelled(&value));
                }
            }
        }
        self.measured(text.into(), span)
    }

    /// Returns the value of a name: a variable, a variant, an enum, an error without parameters, or a function.
    fn name(&self, name: &str, span: Span) -> Run {
        if let Some(value) = self.scope.get(name) {
            return Ok(value);
        }
        match self.state.linked.meaning(self.home, name) {
            Some(meaning) => self.meant(name, meaning, span),
            None if built_in::is_function(name) => Ok(self.tool_value(name, span)),
            None => {
                let names = self.scope.names();
                let near = built_in::nearest(name, names.iter().map(String::as_str));
                let near = near.map(|it| format!("; did you mean `{it}`?")).unwrap_or_default();
                Err(Halt::mistake(span, format!("`{name}` was never assigned{near}")))
            }
        }
    }

    /// Returns the value that a meaning has without arguments.
    pub(super) fn meant(&self, name: &str, meaning: &Meaning, span: Span) -> Run {
        match meaning {
            Meaning::Value(value) => Ok(value.clone()),
            Meaning::Variant(name, _) => {
                Ok(Object::from_iter([(name.to_string(), Value::Object(Object::new()))]).into())
            }
            Meaning::Enum(variants) => Ok(variants.iter().cloned().collect::<Object>().into()),
            Meaning::Error(error) => self.error(error, Vec::new(), span),
            Meaning::Tool(tool) => Ok(self.tool_value(tool, span)),
            Meaning::Type(_) | Meaning::Module(_) | Meaning::Nothing => {
                Err(Halt::mistake(span, format!("`{name}` has no value that a program could use")))
            }
        }
    }

    async fn list(&self, elements: &[Element], span: Span) -> Run {
        let mut items = Vec::with_capacity(elements.len());
        for element in elements {
            let value = self.evaluate(&element.value).await?;
            match value {
                Value::List(more) if element.spread => {
                    self.spend(more.len() * 32, span)?;
                    items.extend(more.iter().cloned());
                }
                found if element.spread => {
                    let message = format!("`...` takes a list apart, not {}", noun(&found));
                    return Err(Halt::mistake(element.value.span, message));
                }
                value => items.push(value),
            }
        }
        self.measured(items.into(), span)
    }

    async fn object(&self, fields: &[(Spelled, Expression)], span: Span) -> Run {
        let mut object = Object::new();
        for (key, value) in fields {
            let ExpressionKind::Spread(spread) = &value.kind else {
                let value = self.evaluate(value).await?;
                object.insert(key.text.clone(), value);
                continue;
            };
            let Some(of) = spread else {
                return Err(Halt::mistake(value.span, "what is left out cannot run"));
            };
            let found = self.evaluate(of).await?;
            match found.fields() {
                Some(more) => {
                    self.spend(found.bytes(), span)?;
                    object.extend(more.iter().map(|(key, value)| (key.clone(), value.clone())));
                }
                None if found == Value::Null => {}
                None => {
                    let message = format!("`...` takes an object apart, not {}", noun(&found));
                    return Err(Halt::mistake(of.span, message));
                }
            }
        }
        self.measured(object.into(), span)
    }

    /// Evaluates a member or an element; the inner error is that of a missing one.
    async fn part(&self, expression: &Expression) -> Run<Result<Value, Halt>> {
        match &expression.kind {
            ExpressionKind::Member { of, name, or_null } => {
                if let Some(value) = self.static_member(of, name)? {
                    return Ok(Ok(value));
                }
                let of = self.evaluate(of).await?;
                if of == Value::Null && *or_null {
                    return Ok(Ok(Value::Null));
                }
                Ok(match self.member(&of, &name.text, name.span)? {
                    Some(value) => Ok(value),
                    None if *or_null => Ok(Value::Null),
                    None => self.known_member(&of, &name.text, name.span),
                })
            }
            ExpressionKind::Index { of, index } => {
                let (of, index) = (self.evaluate(of).await?, self.evaluate(index).await?);
                Ok(self.element(&of, &index, expression.span)?.ok_or_else(|| {
                    let index = dialect::show_start(&index, 60);
                    Halt::mistake(expression.span, format!("there is no element {index}"))
                }))
            }
            _ => Ok(Ok(self.evaluate(expression).await?)),
        }
    }

    /// Returns a member of an enum or a module: `Size.Big`, `mail.NotSent`.
    fn static_member(&self, of: &Expression, name: &Spelled) -> Run<Option<Value>> {
        let ExpressionKind::Name(owner) = &of.kind else { return Ok(None) };
        if self.scope.get(owner).is_some() {
            return Ok(None);
        }
        match self.state.linked.meaning(self.home, owner) {
            Some(Meaning::Module(home)) => match self.state.linked.exported(*home, &name.text) {
                Some(meaning) => self.meant(&name.text, meaning, name.span).map(Some),
                None => Err(Halt::mistake(name.span, format!("`{owner}` defines no `{}`", name.text))),
            },
            _ => Ok(None),
        }
    }

    async fn unary(&self, operator: &'static str, of: &Expression, span: Span) -> Run {
        match operator {
            "!" => Ok(Value::Bool(!self.condition(of).await?)),
            "await" => self.evaluate(of).await,
            operator => {
                let value = self.evaluate(of).await?;
                let zero = Value::from(0_u32);
                self.operate(operator, [&zero, &value], [span, of.span], span)
            }
        }
    }

    async fn binary(&self, operator: &'static str, left: &Expression, right: &Expression, span: Span) -> Run {
        match operator {
            "&&" => Ok(Value::Bool(self.condition(left).await? && self.condition(right).await?)),
            "||" => Ok(Value::Bool(self.condition(left).await? || self.condition(right).await?)),
            "??" => match self.part(left).await? {
                Ok(Value::Null) | Err(_) => self.evaluate(right).await,
                Ok(value) => Ok(value),
            },
            "is" => {
                let value = self.evaluate(left).await?;
                self.is(&value, right).map(Value::Bool)
            }
            "in" => {
                let (item, of) = (self.evaluate(left).await?, self.evaluate(right).await?);
                let given = [of, item].map(|value| GivenArgument { name: None, value });
                self.row("contains", given.into(), span).await
            }
            operator => {
                let (one, other) = (self.evaluate(left).await?, self.evaluate(right).await?);
                self.operate(operator, [&one, &other], [left.span, right.span], span)
            }
        }
    }

    /// Applies an operator to two values.
    pub(super) fn operate(
        &self,
        operator: &'static str,
        both: [&Value; 2],
        spans: [Span; 2],
        span: Span,
    ) -> Run {
        self.caller.operate(operator, both, spans, span).map_err(|failure| Halt::of(failure, span))
    }

    /// Returns `true` if a value is of a type, an error or a variant.
    fn is(&self, value: &Value, right: &Expression) -> Run<bool> {
        let (home, name) = match &right.kind {
            ExpressionKind::Name(name) => (self.home, name.as_str()),
            ExpressionKind::Member { of, name, .. } => {
                (self.module(of).unwrap_or(self.home), name.text.as_str())
            }
            _ => return Err(Halt::mistake(right.span, "behind `is` stands the name of a type")),
        };
        self.spend(value.bytes(), right.span)?;
        let is_variant = |name: &str| variant(value).is_some_and(|(tag, _)| tag == name);
        Ok(match self.state.linked.meaning(home, name) {
            Some(Meaning::Error(error)) => super::halt::name_of(value) == Some(&error.name),
            Some(Meaning::Type(ty)) => self.state.linked.values.check(ty, &value.to_json()).is_ok(),
            Some(Meaning::Enum(variants)) => variants.iter().any(|(_, it)| it.equals(value)),
            Some(Meaning::Variant(name, _)) => is_variant(name),
            Some(Meaning::Value(expected)) => expected.equals(value),
            _ => match (name, value) {
                ("string", Value::Text(_))
                | ("number", Value::Number(_))
                | ("bool" | "boolean", Value::Bool(_))
                | ("null", Value::Null)
                | ("List", Value::List(_)) => true,
                ("int", value) => {
                    dialect::Refinement::Integer.holds(value) && matches!(value, Value::Number(_))
                }
                ("Dict" | "Map", value) => value.fields().is_some(),
                (name, _) => is_variant(name),
            },
        })
    }

    fn module(&self, of: &Expression) -> Option<usize> {
        let ExpressionKind::Name(owner) = &of.kind else { return None };
        match self.state.linked.meaning(self.home, owner)? {
            Meaning::Module(home) => Some(*home),
            _ => None,
        }
    }
}

/// Returns a value as text for people: a text as it is, and anything else as JSON.
pub(super) fn spelled(value: &Value) -> String {
    value.as_text().map_or_else(|| show(value), str::to_owned)
}
