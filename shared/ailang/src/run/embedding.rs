//! The language around expressions, which Dialect evaluates: the meanings of names, and the rules of documents.

use std::sync::Arc;

use dialect::ast::Expression;
use dialect::{Callee, Embedded, EmbeddedLambda, Embedding, GivenArgument, Interrupt, Object, Value};
use futures::FutureExt;
use futures::future::BoxFuture;
use source_text::Span;

use super::built_in;
use super::halt::{Halt, Run, spelled};
use super::interpreter::Interpreter;
use super::meaning::Meaning;
use super::place::Step;
use super::rows::Change;
use super::stack::growing;
use super::variant::variant;
use crate::validate::OBJECTS;

impl Interpreter {
    /// Evaluates an expression.
    pub(super) fn evaluate<'a>(&'a self, expression: &'a Expression) -> BoxFuture<'a, Run> {
        growing(async move { self.ready(&self.state.linked.embedded(self.home, expression)).await })
    }

    /// Evaluates an expression that is ready.
    pub(super) async fn ready(&self, expression: &Embedded) -> Run {
        let _nested = self.state.nested(expression.depth())?;
        let value = self.caller.evaluate(expression, Arc::new(self.clone())).await;
        value.map_err(|interrupt| Halt::of_interrupt(interrupt, expression.span()))
    }

    /// Evaluates a condition: true or false, or a value that may be missing.
    pub(super) fn condition<'a>(&'a self, expression: &'a Expression) -> BoxFuture<'a, Run<bool>> {
        growing(async move {
            let condition = self.state.linked.embedded(self.home, expression);
            let _nested = self.state.nested(condition.depth())?;
            let holds = self.caller.holds(&condition, Arc::new(self.clone())).await;
            holds.map_err(|interrupt| Halt::of_interrupt(interrupt, expression.span))
        })
    }

    /// Returns the variable and the steps into it that an assignable expression means.
    pub(super) async fn place(&self, target: &Expression) -> Run<(String, Vec<Step>)> {
        let embedded = self.state.linked.embedded(self.home, target);
        let place = self.caller.place(&embedded, Arc::new(self.clone())).await;
        match place.map_err(|interrupt| Halt::of_interrupt(interrupt, target.span))? {
            Some(place) => Ok((place.variable, Step::all(&place.steps, target.span)?)),
            None => {
                Err(Halt::mistake(target.span, "only variables, their members and their elements can change"))
            }
        }
    }

    /// Returns the value of a name: a variable, a variant, an enum, an error without parameters, or a function.
    fn value_of(&self, name: &str, span: Span) -> Run {
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
    fn meant(&self, name: &str, meaning: &Meaning, span: Span) -> Run {
        match meaning {
            Meaning::Value(value) => Ok(value.clone()),
            Meaning::Variant(name, _) => {
                Ok(Object::from_iter([(name.to_string(), Value::Object(Object::new()))]).into())
            }
            Meaning::Enum(variants) => Ok(variants.iter().cloned().collect::<Object>().into()),
            Meaning::Error(error) => self.error(error, Vec::new(), span),
            Meaning::Tool(tool) => Ok(self.tool_value(tool, span)),
            Meaning::Type(_) | Meaning::Constructed(_) | Meaning::Module(_) | Meaning::Nothing => {
                Err(Halt::mistake(span, format!("`{name}` has no value that a program could use")))
            }
        }
    }

    /// Returns the meaning of a name that is no variable.
    fn meaning(&self, name: &str) -> Option<&Meaning> {
        match self.scope.get(name) {
            Some(_) => None,
            None => self.state.linked.meaning(self.home, name),
        }
    }

    /// Returns a definition of a module: `mail.NotSent`.
    fn definition(&self, owner: &str, name: &str, span: Span) -> Run<Option<Value>> {
        let Some(Meaning::Module(home)) = self.meaning(owner) else { return Ok(None) };
        match self.state.linked.exported(*home, name) {
            Some(meaning) => self.meant(name, meaning, span).map(Some),
            None => Err(Halt::mistake(span, format!("`{owner}` defines no `{name}`"))),
        }
    }

    /// Returns `true` if a value is of a type, an error or a variant.
    fn is_of(&self, value: &Value, owner: Option<&str>, name: &str, span: Span) -> Run<bool> {
        self.spend(value.bytes(), span)?;
        let home = match owner.and_then(|owner| self.state.linked.meaning(self.home, owner)) {
            Some(Meaning::Module(home)) => *home,
            _ => self.home,
        };
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
}

impl Embedding for Interpreter {
    fn name(&self, name: &str, span: Span) -> Result<Value, Interrupt> {
        self.value_of(name, span).map_err(Halt::into_interrupt)
    }

    fn defined(&self, owner: &str, name: &str, span: Span) -> Result<Option<Value>, Interrupt> {
        self.definition(owner, name, span).map_err(Halt::into_interrupt)
    }

    fn calls_definition(&self, owner: &str, name: &str) -> bool {
        match self.meaning(owner) {
            Some(Meaning::Module(_)) => true,
            Some(Meaning::Type(_)) => {
                matches!(self.state.linked.meaning(self.home, name), Some(Meaning::Variant(..)))
            }
            Some(_) => false,
            None => OBJECTS.contains(&owner) && self.scope.get(owner).is_none(),
        }
    }

    fn changes(&self, variable: &str, method: &str) -> bool {
        Change::of(method).is_some() && self.scope.get(variable).is_some()
    }

    fn call<'a>(
        &'a self,
        callee: Callee<'a>,
        given: Vec<GivenArgument>,
        span: Span,
    ) -> BoxFuture<'a, Result<Value, Interrupt>> {
        async move { self.called(callee, given, span).await.map_err(Halt::into_interrupt) }.boxed()
    }

    fn lambda(&self, lambda: &Arc<EmbeddedLambda>) -> Value {
        self.function(lambda)
    }

    /// `null` and an empty text are false, other texts and objects are true. Numbers and lists are no conditions, since
    /// languages differ about `0` and `[]`.
    fn holds(&self, value: &Value) -> Option<bool> {
        match value {
            Value::Bool(bool) => Some(*bool),
            Value::Null => Some(false),
            Value::Text(text) => Some(!text.is_empty()),
            Value::Object(_) => Some(true),
            _ => None,
        }
    }

    fn member(&self, of: &Value, name: &str, span: Span) -> Result<Option<Value>, Interrupt> {
        self.member_of(of, name, span).map_err(Halt::into_interrupt)
    }

    fn element(&self, of: &Value, index: &Value, span: Span) -> Result<Option<Value>, Interrupt> {
        self.element_of(of, index, span).map_err(Halt::into_interrupt)
    }

    fn is(&self, value: &Value, owner: Option<&str>, name: &str, span: Span) -> Result<bool, Interrupt> {
        self.is_of(value, owner, name, span).map_err(Halt::into_interrupt)
    }

    fn spelled(&self, value: &Value) -> String {
        spelled(value).into_owned()
    }
}
