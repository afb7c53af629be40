//! `ErrorHandler`: errors with advice, and calls that are repeated.

use std::sync::Arc;

use ailang::{ActiveRun, ErrorContext, Methods};
use dialect::{Failure, Interrupt, Invocation, Object, Value};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value as Json, json};

use crate::call::{Call, result};

/// Makes a handler of errors.
pub(crate) fn make(call: &Call) -> Result<Value, Failure> {
    let handler = Handler { run: call.run.clone(), errors: ailang::ErrorHandler::default() };
    Ok(handler.into_value(&call.invocation))
}

/// A handler of errors. A clone is the same handler.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) run: ActiveRun,
    pub(crate) errors: ailang::ErrorHandler,
}

impl Handler {
    /// Returns the handler as a value of the program.
    pub(crate) fn into_value(self, invocation: &Invocation) -> Value {
        let run = self.run.clone();
        let methods: Arc<dyn Methods> = Arc::new(self);
        run.object("ErrorHandler", Object::new(), &methods, invocation)
    }

    async fn called(&self, method: &str, invocation: &Invocation) -> Result<Value, Interrupt> {
        let arguments = &invocation.arguments;
        let error = arguments.get("error").unwrap_or(&Value::Null);
        let context = arguments.get("context").map(Value::to_json).unwrap_or_default();
        Ok(match method {
            "registerError" => {
                let definition = definition(&error.to_json()).map_err(|it| invalid(&it))?;
                self.errors.register(&definition).map_err(|it| invalid(&it))?;
                Value::Null
            }
            "handleError" => {
                result(self.run.recover(&self.errors, error, call_of(&context), invocation).await)
            }
            "getRecoveryStrategy" => {
                let params = arguments.get("params").map(Value::to_json).unwrap_or_default();
                let advice = self.run.recovery(&self.errors, arguments.text("errorType")?, &params);
                advice.unwrap_or_default().into()
            }
            "logError" => {
                self.errors.log(&error.to_json(), call_of(&context).as_ref());
                self.run.log(self.errors.lines().pop().unwrap_or_default());
                Value::Null
            }
            _ => {
                return Err(Failure::raised("InternalError", format!("nothing implements `{method}`")).into());
            }
        })
    }
}

impl Methods for Handler {
    fn call(&self, method: &str, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        let (this, method) = (self.clone(), method.to_owned());
        async move { this.called(&method, &invocation).await }.boxed()
    }
}

fn invalid(reason: &str) -> Failure {
    let reason = reason.lines().next().unwrap_or_default();
    Failure::raised("ValidationError", format!("this error cannot be registered: {reason}"))
}

/// Returns the call that a context names.
fn call_of(context: &Json) -> Option<ErrorContext> {
    let params = match Value::from(context["params"].clone()) {
        Value::Object(params) => params,
        _ => Object::new(),
    };
    Some(ErrorContext { tool: context["tool"].as_str()?.to_owned(), params })
}

/// Writes an error as a document does. Its parameters are those that its words name.
fn definition(error: &Json) -> Result<String, String> {
    let text = |name: &str| error[name].as_str();
    let name = text("name").unwrap_or_default();
    if !is_name(name) {
        return Err(format!("`{name}` is no name of an error, such as `BusyError`"));
    }
    let after = text("retryAfter");
    if let Some(after) = after.filter(|it| !is_name(it)) {
        return Err(format!("`retryAfter` names a parameter, and `{after}` is none"));
    }
    let words = [text("message"), text("recovery")];
    let mut parameters: Vec<&str> = words.into_iter().flatten().flat_map(holes).chain(after).collect();
    parameters.sort_unstable();
    parameters.dedup();
    let parameters: Vec<String> = parameters.iter().map(|it| format!("{it}?: any")).collect();
    let mut properties = vec![format!("message = {}", json!(text("message").unwrap_or_default()))];
    properties.extend(text("recovery").map(|it| format!("recovery = {}", json!(it))));
    properties.push(format!("retryable = {}", error["retryable"] == true || after.is_some()));
    properties.extend(after.map(|it| format!("retryAfter = {it}")));
    properties.extend(error["maxRetries"].as_u64().map(|it| format!("maxRetries = {it}")));
    Ok(format!("error {name}({}) {{ {} }}", parameters.join(", "), properties.join(", ")))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_alphabetic())
        && text.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

/// Returns the names that the holes of a template start with.
fn holes(text: &str) -> impl Iterator<Item = &str> {
    text.split("${").skip(1).filter_map(|rest| {
        let end = rest.find(|char: char| !(char.is_ascii_alphanumeric() || char == '_'))?;
        Some(&rest[..end]).filter(|name| is_name(name) && *name != "now")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_takes_what_its_words_name() {
        let error = json!({"name": "BusyError", "message": "Until ${at}: ${why}", "retryAfter": "at"});
        let expected = "error BusyError(at?: any, why?: any) { message = \"Until ${at}: ${why}\", retryable = true, \
                        retryAfter = at }";
        assert_eq!(definition(&error).as_deref(), Ok(expected));
        ailang::ErrorHandler::default().register(expected).unwrap();
        for name in ["busy error", "", "A) { } error B"] {
            assert!(definition(&json!({"name": name, "message": ""})).is_err(), "{name}");
        }
    }
}
