//! Calls of methods: rows of the receiver's class, shared functions, and tools, which take the receiver first.

use std::iter::once;

use dialect::ast::{Call, Expression};
use dialect::{GivenArgument, Value};
use source_text::Span;

use super::halt::{Halt, Run, noun};
use super::interpreter::Interpreter;
use super::place::place_of;
use super::rows::{self, Change};
use super::variant::{thrown, unwrapped};

impl Interpreter {
    /// Calls a method.
    pub(super) async fn method_call(&self, receiver: &Expression, call: &Call, span: Span) -> Run {
        let name = call.name.text.as_str();
        if let Some(change) = Change::of(name)
            && place_of(receiver).is_some_and(|(it, _)| self.scope.get(it).is_some())
        {
            return self.changing(receiver, change, call, span).await;
        }
        let of = self.evaluate(receiver).await?;
        if of == Value::Null && call.or_null {
            return Ok(Value::Null);
        }
        let arguments = self.arguments(&call.arguments).await?;
        match of.fields().and_then(|fields| fields.get(name)) {
            Some(function @ Value::Function(_)) => self.apply(function, arguments, span).await,
            _ => self.method(of, name, arguments, span).await,
        }
    }

    /// Calls a method of a value. What a `Result` has beside its own methods are those of its value.
    async fn method(&self, of: Value, name: &str, arguments: Vec<GivenArgument>, span: Span) -> Run {
        let given = |of: Value| once(GivenArgument { name: None, value: of }).chain(arguments).collect();
        if let Some(row) = rows::of_any(&self.methods, name) {
            return self.row(&row, given(of), span).await;
        }
        let of = match unwrapped(&of) {
            Some(result) => result.map_err(|error| thrown(error, span))?,
            None => of,
        };
        match rows::method_of(&self.methods, &of, name) {
            Some(row) => self.row(&row, given(of), span).await,
            None if self.caller.knows(name) => self.call_tool(name, given(of), span).await,
            None => Err(Halt::mistake(span, format!("{} has no method `{name}`", noun(&of)))),
        }
    }

    /// Calls a row of values.
    pub(super) async fn row(&self, name: &str, given: Vec<GivenArgument>, span: Span) -> Run {
        let result = self.methods.call(name, given).await;
        result.map_err(|interrupt| Halt::of_interrupt(interrupt, span))
    }

    /// Changes a list in its variable. The row of the method checks the arguments, without the list, of which there is
    /// no copy so.
    async fn changing(&self, receiver: &Expression, change: Change, call: &Call, span: Span) -> Run {
        let place = self.place(receiver).await?;
        let nothing = GivenArgument { name: None, value: Vec::new().into() };
        let given = once(nothing).chain(self.arguments(&call.arguments).await?).collect();
        let arguments = self.methods.arguments(change.row, given).await;
        let arguments = arguments.map_err(|interrupt| Halt::of_interrupt(interrupt, span))?;
        let mut values = change.values(&arguments).map_err(|failure| Halt::of(failure, span))?;
        for value in &mut values {
            *value = self.inserted(std::mem::take(value), place.1.len() + 1, span)?;
        }
        let most = self.state.limits.list_length;
        let changed = self.change(&place, receiver.span, move |slot| match slot {
            Value::List(items) if items.len() + values.len() <= most => Ok((change.apply)(items, values)),
            Value::List(_) => Err(format!("a list has at most {most} elements")),
            found => Err(format!("{} is no list", noun(found))),
        })?;
        changed.map_err(|message| Halt::mistake(span, message))
    }
}
