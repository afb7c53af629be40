//! Recovery from errors: calls that are repeated after a wait.

use std::sync::Arc;

use dialect::{Advice, GivenArgument, Notes, Value, Work};
use serde_json::Value as Json;
use source_text::Span;

use super::errors::{ErrorContext, ErrorHandler};
use super::linked::Linked;
use super::retry::{Tries, first_delay};
use super::state::RunState;
use crate::throwable::Bindings;

/// Handles an error: logs it, waits as it says, and repeats its call, where a second call does no harm and may help.
///
/// # Errors
/// The error, if no second call is made; otherwise the error of the last call.
pub(super) async fn recover(
    state: &Arc<RunState>,
    errors: &ErrorHandler,
    error: &Value,
    call: Option<(String, Vec<GivenArgument>)>,
    (work, notes): (&Work, &Notes),
) -> Result<Value, Value> {
    let tool = call.as_ref().map(|(tool, _)| ErrorContext { tool: tool.clone(), ..ErrorContext::default() });
    let json = error.to_json();
    errors.log(&json, tool.as_ref());
    let may_repeat = |tool: &str| state.linked.tools.get(tool).is_some_and(|it| it.may_repeat);
    let delay = first_delay(&advice(state, errors, &json), state.settings().seed);
    let Some((delay, (tool, given))) = delay.zip(call.filter(|(tool, _)| may_repeat(tool))) else {
        return Err(error.clone());
    };
    if state.wait(delay, Span::default()).await.is_err() {
        return Err(error.clone());
    }
    let again = state.retrying(Tries { tries: 2, waited: delay });
    let result = again.called(&tool, given, (work, notes)).await;
    if let Err(error) = &result {
        errors.log(&error.to_json(), None);
    }
    result
}

/// Returns what an error says about another try: its own words, those of its declaration, and those that were registered.
fn advice(state: &RunState, errors: &ErrorHandler, error: &Json) -> Advice {
    let now = state.now();
    let known = Bindings { params: &error["params"], now: Some(now) };
    let name = error["error"].as_str().unwrap_or_default();
    let declared =
        state.linked.error(state.linked.home, name).map(|it| it.advice(&known)).unwrap_or_default();
    let registered = errors.registered(name).map(|it| it.advice(&known)).unwrap_or_default();
    let own = error["retryAfter"].as_f64().map(|after| (after - now).ceil().max(0.0));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates, and is not negative"
    )]
    let own = own.map(|it| it as u64);
    Advice {
        retryable: declared.retryable || registered.retryable || error["retryable"] == true,
        wait: own.or(declared.wait).or(registered.wait),
        most_retries: declared.most_retries.or(registered.most_retries),
        ..declared
    }
}

/// Returns the advice of an error that a document declares or that was registered.
pub(super) fn recovery(
    linked: &Linked,
    errors: &ErrorHandler,
    error: &str,
    known: &Bindings<'_>,
) -> Option<String> {
    let declared = linked.error(linked.home, error).into_iter().chain(errors.registered(error));
    declared.into_iter().find_map(|it| it.recovery.as_ref().map(|it| it.filled(known)))
}
