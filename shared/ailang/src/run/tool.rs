//! The code of a tool: its body, or what the host provides.

use std::sync::Arc;

use dialect::{Failure, Handler, Interrupt, Invocation, Value};
use futures::future::BoxFuture;

use super::halt::Halt;
use super::interpreter::Interpreter;
use super::scope::Scope;
use super::stack::growing;
use super::state::RunState;

/// The body of a tool as its code.
pub(super) struct Body {
    pub(super) state: Arc<RunState>,
    pub(super) tool: String,
}

impl Handler for Body {
    fn call(&self, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        let (state, tool) = (Arc::clone(&self.state), self.tool.clone());
        growing(async move {
            let result = run(&state, &tool, invocation).await;
            result.map_err(|halt| {
                let failure = halt.into_failure();
                // The place is in the body, and the caller may be in another document.
                state.trace(&tool, failure.span);
                Interrupt::from(Failure { span: None, ..failure })
            })
        })
    }
}

async fn run(state: &Arc<RunState>, tool: &str, invocation: Invocation) -> Result<Value, Halt> {
    let _deeper = state.deeper()?;
    let linked = Arc::clone(&state.linked);
    let body = linked.tools.get(tool).and_then(|it| Some((it.place.0, linked.body(it)?)));
    let Some((home, (declared, body))) = body else { return Ok(Value::Null) };
    let scope = Arc::new(Scope::default());
    for parameter in &declared.parameters.list {
        let value = invocation.arguments.get(&parameter.name.text).cloned();
        scope.declare(&parameter.name.text, value.unwrap_or_default());
    }
    let interpreter = Interpreter::new(Arc::clone(state), home, scope, invocation.work, &invocation.notes);
    match interpreter.items(&body.items).await {
        Ok(()) => Ok(Value::Null),
        Err(Halt::Return(value)) => Ok(value),
        Err(halt) => Err(halt),
    }
}
