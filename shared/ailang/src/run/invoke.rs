//! Calls: of tools, through the registry; of lambdas; and of what makes errors, variants and values of types.

use std::sync::Arc;

use dialect::{Callee, Embedded, EmbeddedLambda, GivenArgument, Interrupt, Object, Value};
use futures::FutureExt;
use source_text::Span;

use super::built_in;
use super::halt::{Halt, Run, Thrown, noun};
use super::interpreter::Interpreter;
use super::meaning::Meaning;
use super::rows::Change;
use super::scope::Scope;
use super::settings::ErrorStrategy;
use super::stack::growing;
use super::state::FailedCall;
use crate::throwable::Throwable;

impl Interpreter {
    /// Calls something.
    pub(super) async fn called(&self, callee: Callee<'_>, given: Vec<GivenArgument>, span: Span) -> Run {
        match callee {
            Callee::Name(name) => self.by_name(name, given, span).await,
            Callee::Definition(owner, name) => self.defined_call(owner, name, given, span).await,
            Callee::Value(function) => self.apply(&function, given, span).await,
            Callee::Method(of, name) => match of.fields().and_then(|fields| fields.get(name)) {
                Some(function @ Value::Function(_)) => self.apply(function, given, span).await,
                _ => self.method(of, name, given, span).await,
            },
            Callee::Place(place, name) => match Change::of(name) {
                Some(change) => self.changing(place, change, given, span).await,
                None => Err(Halt::mistake(span, format!("`{name}` changes nothing"))),
            },
        }
    }

    async fn by_name(&self, name: &str, given: Vec<GivenArgument>, span: Span) -> Run {
        if let Some(function) = self.scope.get(name) {
            return self.apply(&function, given, span).await;
        }
        match self.state.linked.meaning(self.home, name) {
            Some(meaning) => self.meaning_call(name, meaning, given, span).await,
            None if built_in::is_function(name) => self.built_in(name, given, span).await,
            None => self.call_tool(name, given, span).await,
        }
    }

    /// Calls what a name means.
    async fn meaning_call(
        &self,
        name: &str,
        meaning: &Meaning,
        arguments: Vec<GivenArgument>,
        span: Span,
    ) -> Run {
        match meaning {
            Meaning::Tool(tool) | Meaning::Constructed(tool) => self.call_tool(tool, arguments, span).await,
            Meaning::Error(error) => self.error(error, arguments, span),
            Meaning::Variant(name, payload) => {
                let payload = self.named(payload, arguments, span)?;
                self.measured(Object::from_iter([(name.to_string(), payload.into())]).into(), span)
            }
            Meaning::Type(ty) => match ty.named() {
                Some(_) => {
                    let constructed = self.caller.call(name, arguments).await;
                    constructed.map_err(|interrupt| Halt::of_interrupt(interrupt, span))
                }
                None => self.checked(ty, arguments, span),
            },
            Meaning::Value(_) | Meaning::Enum(_) | Meaning::Module(_) | Meaning::Nothing => {
                Err(Halt::mistake(span, format!("`{name}` is nothing that could be called")))
            }
        }
    }

    /// Checks a value that is written as a call of its type: `Email("a@b.co")`.
    fn checked(&self, ty: &dialect::Type, mut arguments: Vec<GivenArgument>, span: Span) -> Run {
        let value = match (arguments.pop(), arguments.is_empty()) {
            (Some(argument), true) => argument.value,
            _ => return Err(Halt::mistake(span, "a value of this type is made of one value")),
        };
        match self.state.linked.values.check(ty, &value.to_json()) {
            Ok(()) => Ok(value),
            Err(problems) => {
                Err(Halt::mistake(span, problems.first().map(ToString::to_string).unwrap_or_default()))
            }
        }
    }

    /// Calls a function of a built-in object, of a module, or a variant of a type.
    async fn defined_call(&self, owner: &str, name: &str, given: Vec<GivenArgument>, span: Span) -> Run {
        let defined = match self.state.linked.meaning(self.home, owner) {
            Some(Meaning::Module(home)) => self.state.linked.exported(*home, name),
            Some(_) => self.state.linked.meaning(self.home, name),
            None => return self.object_call(owner, name, given, span).await,
        };
        match defined {
            Some(meaning) => self.meaning_call(name, meaning, given, span).await,
            None => Err(Halt::mistake(span, format!("`{owner}` defines no `{name}`"))),
        }
    }

    /// Calls a function of a built-in object.
    async fn object_call(&self, object: &str, name: &str, given: Vec<GivenArgument>, span: Span) -> Run {
        let whole = format!("{object}.{name}");
        if built_in::is_function(&whole) {
            return self.built_in(&whole, given, span).await;
        }
        match self.methods.knows(&whole) {
            true => self.row(&whole, given, span).await,
            false => Err(Halt::mistake(span, format!("`{object}` has no function `{name}`"))),
        }
    }

    /// Names arguments by the parameters in their order.
    pub(super) fn named(
        &self,
        parameters: &[String],
        arguments: Vec<GivenArgument>,
        span: Span,
    ) -> Run<Object> {
        let mut object = Object::new();
        for (index, argument) in arguments.into_iter().enumerate() {
            let name = argument.name.or_else(|| parameters.get(index).cloned());
            let known = name.filter(|name| parameters.contains(name) && !object.contains_key(name));
            let Some(name) = known else {
                let message = format!("the parameters are ({})", parameters.join(", "));
                return Err(Halt::mistake(span, message));
            };
            object.insert(name, argument.value);
        }
        Ok(object)
    }

    /// Makes an error as a value.
    pub(super) fn error(&self, error: &Throwable, arguments: Vec<GivenArgument>, span: Span) -> Run {
        let given = match &error.carries {
            Some(parameters) => {
                let names: Vec<String> = parameters.iter().map(|it| it.name.clone()).collect();
                self.named(&names, arguments, span)?
            }
            None => {
                let named = arguments.into_iter().enumerate();
                named
                    .map(|(index, it)| {
                        (it.name.unwrap_or_else(|| crate::lower::payload_name(index)), it.value)
                    })
                    .collect()
            }
        };
        let given = Value::Object(given).to_json();
        let params = error.carried(&self.state.linked.values, &given).map_err(|problems| {
            let problem = problems.first().map(ToString::to_string).unwrap_or_default();
            Halt::mistake(span, format!("`{}` does not take these: {problem}", error.name))
        })?;
        self.measured(error.json(&params, self.state.now()).into(), span)
    }

    /// Calls a tool as programs of Dialect do, and treats its errors as the settings say.
    pub(super) async fn call_tool(&self, tool: &str, arguments: Vec<GivenArgument>, span: Span) -> Run {
        let may_repeat = self.state.linked.tools.get(tool).is_some_and(|it| it.may_repeat);
        let kept = may_repeat.then(|| arguments.clone());
        let result = self.state.call(&self.caller, tool, arguments).await;
        let result = result.map_err(|interrupt| Halt::of_interrupt(interrupt, span));
        if let (Some(arguments), Err(Halt::Thrown(thrown))) = (kept, &result) {
            let (tool, error) = (tool.to_owned(), thrown.error.clone());
            self.state.keep_failed(FailedCall { tool, arguments, error });
        }
        match (self.state.settings().errors, result) {
            (ErrorStrategy::Return, Ok(value)) if super::variant::unwrapped(&value).is_none() => {
                self.measured(tagged("Ok", value), span)
            }
            (ErrorStrategy::Return, Err(Halt::Thrown(Thrown { error, .. }))) => {
                self.state.forget_trace();
                self.measured(tagged("Err", error), span)
            }
            (ErrorStrategy::Log, Err(Halt::Thrown(Thrown { error, .. }))) => {
                self.state.forget_trace();
                self.state
                    .log(format!("{tool}: {}", super::halt::text_of(&error, "message").unwrap_or_default()));
                Ok(Value::Null)
            }
            (_, result) => result,
        }
    }

    /// Returns a tool or a built-in function as a value.
    pub(super) fn tool_value(&self, tool: &str, span: Span) -> Value {
        let (this, name) = (self.clone(), tool.to_owned());
        let signature = self.state.linked.registry.signatures().find(|it| it.name == tool);
        let first = signature.and_then(|it| it.parameters.first().map(|it| it.name.clone()));
        // One parameter, so that no index is passed to a tool that is called with the items of a list.
        let parameters = [first.unwrap_or_else(|| "value".to_owned())];
        self.caller.function(tool, &parameters, move |arguments| {
            let (this, name) = (this.clone(), name.clone());
            let call = async move {
                let given = arguments.into_iter().map(|value| GivenArgument { name: None, value }).collect();
                let result = match built_in::is_function(&name) {
                    true => this.built_in(&name, given, span).await,
                    false => this.call_tool(&name, given, span).await,
                };
                result.map_err(|halt| Interrupt::from(halt.into_failure()))
            };
            call.boxed()
        })
    }

    /// Calls a function value.
    pub(super) async fn apply(&self, function: &Value, arguments: Vec<GivenArgument>, span: Span) -> Run {
        let names = match function {
            Value::Function(closure) if arguments.iter().any(|it| it.name.is_some()) => closure.parameters(),
            _ => {
                let values = arguments.into_iter().map(|it| it.value).collect();
                return self.apply_values(function, values, span).await;
            }
        };
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let mut named = self.named(&names, arguments, span)?;
        // A parameter without an argument is null, also before one that has its argument by name.
        let values = names.iter().map(|name| named.swap_remove(name).unwrap_or_default()).collect();
        self.apply_values(function, values, span).await
    }

    /// Calls a function value with values.
    pub(super) async fn apply_values(&self, function: &Value, arguments: Vec<Value>, span: Span) -> Run {
        let Value::Function(closure) = function else {
            return Err(Halt::mistake(span, format!("{} cannot be called", noun(function))));
        };
        closure.call(arguments).await.map_err(|interrupt| Halt::of_interrupt(interrupt, span))
    }

    /// Makes a function of a lambda, which uses the variables around it.
    pub(super) fn function(&self, lambda: &Arc<EmbeddedLambda>) -> Value {
        self.state.keep(&self.scope);
        let (_, source) = self.state.linked.source(self.home);
        let text = source.get(lambda.span.range()).unwrap_or_default();
        let (this, code) = (self.clone(), Arc::clone(lambda));
        self.caller.function(&shortened(text), &lambda.parameters, move |arguments| {
            let (this, lambda) = (this.clone(), Arc::clone(&code));
            growing(async move { this.run_lambda(&lambda, arguments).await })
        })
    }

    async fn run_lambda(&self, lambda: &EmbeddedLambda, arguments: Vec<Value>) -> Result<Value, Interrupt> {
        let scope = Scope::inside(&self.scope);
        let mut arguments = arguments.into_iter();
        for parameter in &lambda.parameters {
            let value = arguments.next().unwrap_or_default();
            // A change of the parameter copies the value.
            self.work.spend(value.bytes())?;
            scope.declare(parameter, value);
        }
        let this = Self { scope: Arc::new(scope), ..self.clone() };
        this.lambda_result(&lambda.body).await.map_err(|halt| halt.into_failure().into())
    }

    async fn lambda_result(&self, body: &Embedded) -> Run {
        let _deeper = self.state.deeper()?;
        self.step(body.span()).await?;
        if !body.is_block() {
            return self.ready(body).await;
        }
        let Some(block) = self.state.linked.lambda_body(self.home, body.span().start) else {
            return Err(Halt::mistake(body.span(), "this could not be read"));
        };
        match self.items(&block.items).await {
            Ok(()) => Ok(Value::Null),
            Err(Halt::Return(value)) => Ok(value),
            Err(halt) => Err(halt),
        }
    }
}

/// Returns the variant of a `Result`.
fn tagged(name: &str, value: Value) -> Value {
    let payload = Object::from_iter([("value".to_owned(), value)]);
    Object::from_iter([(name.to_owned(), payload.into())]).into()
}

/// Returns the start of a text, for messages.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
