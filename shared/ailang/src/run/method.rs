//! Calls of methods: rows of the receiver's class, shared functions, and tools, which take the receiver first.

use std::iter::once;

use dialect::{GivenArgument, Place, Value};
use source_text::Span;

use super::halt::{Halt, Run, noun};
use super::interpreter::Interpreter;
use super::place::Step;
use super::rows::{self, Change};
use super::variant::{thrown, unwrapped};

impl Interpreter {
    /// Calls a method of a value. What a `Result` has beside its own methods are those of its value.
    pub(super) async fn method(
        &self,
        of: Value,
        name: &str,
        arguments: Vec<GivenArgument>,
        span: Span,
    ) -> Run {
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
    pub(super) async fn changing(
        &self,
        place: Place,
        change: Change,
        given: Vec<GivenArgument>,
        span: Span,
    ) -> Run {
        let nothing = GivenArgument { name: None, value: Vec::new().into() };
        let given = once(nothing).chain(given).collect();
        let arguments = self.methods.arguments(change.row, given).await;
        let arguments = arguments.map_err(|interrupt| Halt::of_interrupt(interrupt, span))?;
        let mut values = change.values(&arguments).map_err(|failure| Halt::of(failure, span))?;
        for value in &mut values {
            *value = self.inserted(std::mem::take(value), place.steps.len() + 1, span)?;
        }
        let most = self.state.limits.list_length;
        let place = (place.variable, Step::all(&place.steps, span)?);
        let changed = self.change(&place, span, move |slot| match slot {
            Value::List(items) if items.len() + values.len() <= most => Ok((change.apply)(items, values)),
            Value::List(_) => Err(format!("a list has at most {most} elements")),
            found => Err(format!("{} is no list", noun(found))),
        })?;
        changed.map_err(|message| Halt::mistake(span, message))
    }
}
