//! Built-in functions, which reach the run: rows whose code gets the interpreter.

use std::collections::HashMap;
use std::future::ready;
use std::sync::{Arc, LazyLock};

use dialect::{
    Arguments, Caller, Effect, Function, GivenArgument, Interrupt, Invocation, Library, Notes, Registry,
    Value, Work,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Number;
use source_text::Span;

use super::halt::{Halt, Run, mistake, name_of, noun, spelled, text_of};
use super::interpreter::Interpreter;
use super::scope::Scope;
use super::state::RunState;
use super::{retry, rows};

/// A built-in function.
struct BuiltIn {
    signature: &'static str,
    summary: &'static str,
    code: for<'a> fn(&'a Interpreter, Arguments, Span) -> BoxFuture<'a, Run>,
}

const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        signature: "print(...)",
        summary: "Prints values on a line, with blanks between them.",
        code: print,
    },
    BuiltIn { signature: "alert(...)", summary: "Prints values on a line, as `print` does.", code: print },
    BuiltIn { signature: "console.log(...)", summary: "Prints values on a line.", code: print },
    BuiltIn { signature: "console.info(...)", summary: "Prints values on a line.", code: print },
    BuiltIn { signature: "console.warn(...)", summary: "Prints values on a line.", code: print },
    BuiltIn { signature: "console.error(...)", summary: "Prints values on a line.", code: print },
    BuiltIn { signature: "console.debug(...)", summary: "Prints values on a line.", code: print },
    BuiltIn {
        signature: "now() -> number",
        summary: "Returns the time in whole seconds since 1970.",
        code: |this, _, _| ready(Ok(whole(this.state.now()))).boxed(),
    },
    BuiltIn {
        signature: "wait(seconds: number)",
        summary: "Waits, within the time of the run.",
        code: |this, given, span| {
            let wait = async move {
                this.state.wait(number(&given, "seconds"), span).await?;
                Ok(Value::Null)
            };
            wait.boxed()
        },
    },
    BuiltIn {
        signature: "exponentialBackoff(attempt: number) -> number",
        summary: "Returns the seconds to wait before another attempt, twice as many each time.",
        code: |_, given, span| {
            let seconds = rows::number(retry::backoff(number(&given, "attempt")));
            ready(seconds.map_err(|failure| Halt::of(failure, span))).boxed()
        },
    },
    BuiltIn {
        signature: "retry()",
        summary: "Runs the body of the `try` around it again.",
        code: |_, _, _| ready(Err(Halt::Retry)).boxed(),
    },
    BuiltIn {
        signature: "assert(condition: any, message?: any)",
        summary: "Ends the program unless the condition is true.",
        code: |_, given, span| ready(expect("assert", &given, span)).boxed(),
    },
    BuiltIn {
        signature: "expect(condition: any, message?: any)",
        summary: "Ends the program unless the condition is true.",
        code: |_, given, span| ready(expect("expect", &given, span)).boxed(),
    },
    BuiltIn {
        signature: "expectEqual(actual: any, expected: any)",
        summary: "Ends the program unless both are equal.",
        code: |this, given, span| ready(this.expect_equal(&given, span)).boxed(),
    },
    BuiltIn {
        signature: "expectThrows(error: string, function: () -> any) -> any",
        summary: "Returns the error of that name that a function throws; ends the program without one.",
        code: |this, given, span| this.expect_throws(given, span).boxed(),
    },
    BuiltIn {
        signature: "promptUser(question?: any, options?: List<any>, title?: any, message?: any) -> any",
        summary: "Asks the user, and returns the chosen option; null without one.",
        code: |this, given, span| this.prompt(given, span).boxed(),
    },
    BuiltIn {
        signature: "setInterval(...)",
        summary: "Does not run here.",
        code: |_, _, span| {
            let message = "`setInterval` does not run here: a program ends with its last line";
            ready(Err(Halt::mistake(span, message))).boxed()
        },
    },
];

/// The functions by name.
static BY_NAME: LazyLock<HashMap<&str, &BuiltIn>> =
    LazyLock::new(|| BUILT_IN.iter().map(|it| (name(it), it)).collect());

/// The signatures, which check the arguments.
static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let row = |it: &BuiltIn| {
        let name = name(it);
        let code = move |_: Invocation| async move {
            Err(Interrupt::from(mistake(format!("`{name}` runs in documents alone"))))
        };
        Function::new(it.signature, it.summary, code).effect(Effect::Pure)
    };
    let functions = BUILT_IN.iter().map(row).collect();
    let library = Library { name: "ailang".to_owned(), functions, ..Library::default() };
    Registry::new([library]).expect("the signatures are right, as tests show")
});

fn name(it: &BuiltIn) -> &'static str {
    it.signature.split('(').next().unwrap_or_default()
}

/// Returns the signature and the summary of each method and function that documents have beside those of libraries.
/// The name of a method starts with the class of its receiver: `Text.replace`.
pub fn document_rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = rows::REGISTRY.functions().chain(REGISTRY.functions());
    rows.map(|(_, _, row)| (row.signature.as_str(), row.summary.as_str()))
}

/// Returns `true` for a built-in function.
pub(super) fn is_function(name: &str) -> bool {
    BY_NAME.contains_key(name)
}

/// Returns the most similar name, if one is similar.
pub(super) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let near = known.map(|known| (strsim::damerau_levenshtein(name, known), known));
    near.filter(|(distance, known)| *distance <= known.len().max(3) / 3).min().map(|(_, known)| known)
}

impl Interpreter {
    /// Makes the interpreter of an example or a body.
    pub(super) fn new(
        state: Arc<RunState>,
        home: usize,
        scope: Arc<Scope>,
        work: Work,
        notes: &Notes,
    ) -> Self {
        let caller = state.caller(&work, notes).reading(state.linked.text(home));
        let of = |registry: &Registry| Caller::new(registry, &state.limits, &work, notes);
        let (methods, built_in) = (of(&state.linked.methods), of(&REGISTRY));
        Self { state, home, scope, caller, methods, built_in, work }
    }

    /// Calls a built-in function.
    pub(super) async fn built_in(&self, name: &str, given: Vec<GivenArgument>, span: Span) -> Run {
        let arguments = self.built_in.arguments(name, given).await;
        let arguments = arguments.map_err(|interrupt| Halt::of_interrupt(interrupt, span))?;
        match BY_NAME.get(name) {
            Some(it) => (it.code)(self, arguments, span).await,
            None => Err(Halt::mistake(span, format!("there is no function `{name}`"))),
        }
    }

    /// Asks the user. A question may have a title and a message, a line each.
    async fn prompt(&self, given: Arguments, span: Span) -> Run {
        let lines = ["title", "question", "message"].into_iter().filter_map(|name| given.get(name));
        let question = lines.map(spelled).collect::<Vec<_>>().join("\n");
        let options = given.get("options").and_then(Value::as_list).unwrap_or_default();
        self.state.ask(&question, options.iter().map(|it| spelled(it).into_owned()).collect(), span).await
    }

    fn expect_equal(&self, given: &Arguments, span: Span) -> Run {
        let [actual, expected] = ["actual", "expected"].map(|it| given.get(it).unwrap_or(&Value::Null));
        self.spend(actual.bytes().saturating_add(expected.bytes()), span)?;
        if actual.equals(expected) {
            return Ok(Value::Null);
        }
        let shown = |value: &Value| dialect::show_start(value, 300);
        Err(Halt::assertion(span, format!("expected {}, got {}", shown(expected), shown(actual))))
    }

    /// Runs a function that has to throw an error.
    async fn expect_throws(&self, given: Arguments, span: Span) -> Run {
        let expected = given.get("error").and_then(Value::as_text).unwrap_or_default();
        let function = given.get("function").unwrap_or(&Value::Null);
        match self.apply_values(function, Vec::new(), span).await {
            Err(Halt::Thrown(thrown)) => {
                let found = name_of(&thrown.error).unwrap_or("Error").to_owned();
                if expected == "Error" || expected == found {
                    return Ok(thrown.error);
                }
                let message = format!(
                    "expected `{expected}`, but `{found}` was thrown: {}",
                    text_of(&thrown.error, "message").unwrap_or_default()
                );
                Err(Halt::assertion(span, message))
            }
            Ok(_) => Err(Halt::assertion(span, format!("expected `{expected}`, but nothing was thrown"))),
            Err(other) => Err(other),
        }
    }
}

fn print(this: &Interpreter, given: Arguments, span: Span) -> BoxFuture<'_, Run> {
    let print = async move {
        if let Some(name) = given.get("kwargs").and_then(Value::fields).and_then(|it| it.keys().next()) {
            return Err(Halt::mistake(span, format!("values are printed without names, such as `{name}`")));
        }
        let values = given.get("args").and_then(Value::as_list).unwrap_or_default();
        let bytes = values.iter().map(Value::bytes).fold(0, usize::saturating_add);
        this.spend(bytes, span)?;
        let line = values.iter().map(spelled).collect::<Vec<_>>().join(" ");
        let line = this.measured(line.into(), span)?;
        this.state.print(line.as_text().unwrap_or_default(), span)?;
        Ok(Value::Null)
    };
    print.boxed()
}

fn expect(name: &str, given: &Arguments, span: Span) -> Run {
    let message = match given.get("condition") {
        Some(Value::Bool(true)) => return Ok(Value::Null),
        Some(Value::Bool(false)) => format!("`{name}` failed: the condition is false"),
        found => format!("`{name}` takes true or false, not {}", noun(found.unwrap_or(&Value::Null))),
    };
    Err(Halt::assertion(span, given.get("message").map_or(message, |it| spelled(it).into_owned())))
}

fn number(given: &Arguments, parameter: &str) -> f64 {
    match given.get(parameter) {
        Some(Value::Number(number)) => number.as_f64().unwrap_or_default(),
        _ => 0.0,
    }
}

/// Returns whole seconds.
fn whole(seconds: f64) -> Value {
    Value::Number(crate::values::number(seconds.floor()).unwrap_or(Number::from(0)))
}
