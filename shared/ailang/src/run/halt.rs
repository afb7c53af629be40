//! The reasons for which a statement does not go on to the next one, and errors as values.

use std::borrow::Cow;

use dialect::{Advice, Failure, FailureKind, Interrupt, Object, Question, Value, diagnostic, show};
use serde_json::{Number, json};
use source_text::Span;

/// The name of a failed assertion, which no `catch` catches.
const ASSERTION: &str = "AssertionError";

/// The name of the end of a program that takes too long or prints too much, which no `catch` catches.
const LIMIT: &str = "LimitError";

/// The name of `retry()` on its way out of an expression. No error has it.
const RETRY: &str = "retry()";

/// The reason why the next statement does not run.
#[derive(Clone, Debug)]
pub(super) enum Halt {
    /// An error, which can be caught.
    Thrown(Thrown),
    /// A limit that is reached, or a failed assertion.
    Fatal(Box<Failure>),
    /// `return`
    Return(Value),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `retry()`, in a `catch`
    Retry,
}

/// A thrown error.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Thrown {
    /// The error as a value: `{error: "NotFoundError", params: {what: "a"}, message: "…"}`.
    pub(super) error: Value,
    /// The place in the document of the program that runs, if it is known.
    pub(super) span: Option<Span>,
}

pub(super) type Run<T = Value> = Result<T, Halt>;

impl Halt {
    /// Makes an error of a program that does something impossible, such as `"a" - 1`.
    pub(super) fn mistake(span: Span, message: impl Into<String>) -> Self {
        Self::of(mistake(message), span)
    }

    /// Makes the end of a program whose assertion does not hold.
    pub(super) fn assertion(span: Span, message: impl Into<String>) -> Self {
        let failure = Failure::raised(ASSERTION, message);
        Self::Fatal(Box::new(Failure { span: Some(span), ..failure }))
    }

    /// Makes the end of a program that takes too long or prints too much.
    pub(super) fn over_limit(span: Span, message: impl Into<String>) -> Self {
        let failure = Failure::raised(LIMIT, message);
        Self::Fatal(Box::new(Failure { span: Some(span), ..failure }))
    }

    /// Converts the failure of an operation at a place.
    pub(super) fn of(failure: Failure, span: Span) -> Self {
        let failure = Failure { span: failure.span.or(Some(span)), ..failure };
        if matches!(&*failure.kind, FailureKind::Raised { name, .. } if name == RETRY) {
            return Self::Retry;
        }
        let is_fatal = match &*failure.kind {
            FailureKind::LimitReached { .. } => true,
            FailureKind::Raised { name, .. } => name == ASSERTION || name == LIMIT,
            _ => false,
        };
        if is_fatal {
            return Self::Fatal(Box::new(failure));
        }
        Self::Thrown(Thrown { span: failure.span, error: error_of(&failure) })
    }

    /// Converts what stopped a call at a place.
    pub(super) fn of_interrupt(interrupt: Interrupt, span: Span) -> Self {
        match interrupt.into_failure() {
            Ok(failure) => Self::of(failure, span),
            Err(question) => Self::Thrown(Thrown { error: ambiguous(question), span: Some(span) }),
        }
    }

    /// Converts it to what stops the expression around it.
    pub(super) fn into_interrupt(self) -> Interrupt {
        match self {
            Self::Retry => Failure::raised(RETRY, "").into(),
            halt => halt.into_failure().into(),
        }
    }

    /// Converts it to the failure of a whole program, body or lambda.
    pub(super) fn into_failure(self) -> Failure {
        match self {
            Self::Fatal(failure) => *failure,
            Self::Thrown(Thrown { error, span }) => Failure { span, ..failure_of(&error) },
            Self::Return(_) | Self::Break | Self::Continue | Self::Retry => {
                Failure::raised("InternalError", "a loop or a `catch` ended outside of itself")
            }
        }
    }
}

/// Returns what a value is, for messages: `a number`, `an object`, `null`.
pub(super) fn noun(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "true or false".to_owned(),
        Value::Text(_) => "a text".to_owned(),
        Value::List(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Record(record) => format!("a value of the type `{}`", record.type_name),
        value => format!("a {}", value.type_name()),
    }
}

/// Returns a value as text for people: a text as it is, and anything else as JSON.
pub(super) fn spelled(value: &Value) -> Cow<'_, str> {
    value.as_text().map_or_else(|| show(value).into(), Cow::Borrowed)
}

/// Makes an error as a value, as [`Interface::thrown`](crate::Interface::thrown) does.
pub(super) fn error_value(name: &str, params: Value, message: String, advice: &Advice) -> Value {
    let mut fields = Object::from_iter([
        ("error".to_owned(), name.into()),
        ("params".to_owned(), params),
        ("message".to_owned(), message.into()),
        ("retryable".to_owned(), advice.retryable.into()),
    ]);
    if let Some(recovery) = &advice.recovery {
        fields.insert("recovery".to_owned(), recovery.as_str().into());
    }
    if let Some(wait) = advice.wait {
        fields.insert("wait".to_owned(), Value::Number(wait.into()));
    }
    if let Some(after) = &advice.after {
        fields.insert("retryAfter".to_owned(), Value::Number(after.clone()));
    }
    if let Some(for_user) = &advice.for_user {
        fields.insert("userMessage".to_owned(), for_user.as_str().into());
    }
    if let Some(most) = advice.most_retries {
        fields.insert("maxRetries".to_owned(), Value::Number(most.into()));
    }
    Value::Object(fields)
}

/// Returns a text field of an error.
pub(super) fn text_of<'v>(error: &'v Value, field: &str) -> Option<&'v str> {
    error.fields()?.get(field)?.as_text()
}

/// Returns the name of an error; `None` for other values.
pub(super) fn name_of(error: &Value) -> Option<&str> {
    text_of(error, "message").and(text_of(error, "error"))
}

/// Converts a failure to an error value: those of arguments are validation errors.
pub(super) fn error_of(failure: &Failure) -> Value {
    let said = diagnostic(failure);
    let (name, params) = match &*failure.kind {
        FailureKind::Raised { name, message, carries, advice } => {
            let message = if message.is_empty() { said.message } else { message.clone() };
            return error_value(name, carries.clone().into(), message, advice);
        }
        FailureKind::WrongType { parameter, expected, .. }
        | FailureKind::NothingGiven { parameter, expected, .. } => {
            ("ValidationError", json!({"field": parameter, "expected": expected.to_string()}))
        }
        FailureKind::BrokenRefinement { parameter, refinement, .. } => {
            ("ValidationError", json!({"field": parameter, "expected": refinement.to_string()}))
        }
        FailureKind::UnreadableArgument { parameter, reason } => {
            ("ValidationError", json!({"field": parameter, "expected": reason}))
        }
        FailureKind::MissingArguments { parameters, .. } => {
            ("ValidationError", json!({"field": parameters.join(", "), "expected": "a value"}))
        }
        FailureKind::UnknownArgument { name, .. } => {
            ("ValidationError", json!({"field": name, "expected": "a parameter of that name"}))
        }
        FailureKind::RepeatedArgument { parameter, .. } => {
            ("ValidationError", json!({"field": parameter, "expected": "one value"}))
        }
        FailureKind::TooManyArguments { signature, .. } => {
            ("ValidationError", json!({"field": signature.name, "expected": "fewer arguments"}))
        }
        FailureKind::UnknownFunction { name, .. } => ("NotFoundError", json!({"what": name})),
        _ => ("InternalError", json!({"message": said.message})),
    };
    let advice = Advice { recovery: said.help, ..Advice::default() };
    error_value(name, params.into(), said.message, &advice)
}

fn ambiguous(question: Question) -> Value {
    let each = question
        .choices
        .iter()
        .map(|choice| json!({"label": choice.description, "program": choice.value.to_json()}));
    let candidates: Vec<serde_json::Value> = each.collect();
    let params = json!({"question": question.question, "candidates": candidates}).into();
    let advice = Advice { retryable: true, ..Advice::default() };
    error_value("AmbiguousError", params, question.question, &advice)
}

/// Makes the failure of a program that does something impossible.
pub(super) fn mistake(message: impl Into<String>) -> Failure {
    let message: String = message.into();
    let carries = Object::from_iter([("message".to_owned(), message.as_str().into())]);
    let advice = Advice::default();
    FailureKind::Raised { name: "InternalError".to_owned(), message, carries, advice }.into()
}

/// Converts an error value to a failure that keeps its words.
pub(super) fn failure_of(error: &Value) -> Failure {
    let field = |name: &str| error.fields().and_then(|fields| fields.get(name));
    let carries = field("params").and_then(Value::fields).cloned().unwrap_or_default();
    let number = |name: &str| match field(name) {
        Some(Value::Number(number)) => Some(number),
        _ => None,
    };
    let advice = Advice {
        recovery: text_of(error, "recovery").map(str::to_owned),
        retryable: field("retryable") == Some(&Value::Bool(true)),
        wait: number("wait").and_then(Number::as_u64),
        after: number("retryAfter").cloned(),
        for_user: text_of(error, "userMessage").map(str::to_owned),
        most_retries: number("maxRetries").and_then(Number::as_u64),
    };
    let name = name_of(error).unwrap_or("InternalError").to_owned();
    let message = text_of(error, "message").unwrap_or_default().to_owned();
    FailureKind::Raised { name, message, carries, advice }.into()
}
