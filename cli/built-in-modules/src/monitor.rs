//! `RuntimeMonitor`: callbacks that are told of calls, and measurements of them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use ailang::{ActiveRun, Event, Methods, Monitor, Observer};
use dialect::{Closure, Failure, Interrupt, Invocation, Value};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use serde_json::{Value as Json, json};
use unpoisoned::lock;

use crate::capabilities::whole;

/// The most callbacks of a monitor.
const MOST_CALLBACKS: usize = 1_000;

/// The callbacks and the measurements of a runtime. A clone is the same monitor.
#[derive(Clone)]
pub(crate) struct RuntimeMonitor {
    run: ActiveRun,
    pub(crate) monitor: Monitor,
    callbacks: Arc<Callbacks>,
}

#[derive(Default)]
struct Callbacks {
    /// The callbacks, each with the method that set it.
    all: Mutex<Vec<(String, Closure)>>,
    /// `true` while callbacks run: what they call themselves is measured alone.
    is_busy: AtomicBool,
}

impl RuntimeMonitor {
    pub(crate) fn new(run: ActiveRun) -> Self {
        Self { run, monitor: Monitor::new(), callbacks: Arc::default() }
    }

    async fn tell(&self, event: Event) {
        if self.callbacks.is_busy.swap(true, Ordering::Relaxed) {
            return;
        }
        let (method, arguments) = told(event);
        let callbacks: Vec<Closure> = {
            let all = lock(&self.callbacks.all);
            all.iter().filter(|(name, _)| name == method).map(|(_, callback)| callback.clone()).collect()
        };
        for callback in callbacks {
            let given = arguments.iter().cloned().map(Value::from).collect();
            if let Err(interrupt) = callback.call(given).await {
                let reason = interrupt.into_failure().map(|it| dialect::diagnostic(&it).message);
                self.run.log(format!("a callback of `{method}` failed: {}", reason.unwrap_or_default()));
            }
        }
        self.callbacks.is_busy.store(false, Ordering::Relaxed);
    }
}

/// Returns the method whose callbacks are told of an event, and what they get.
fn told(event: Event) -> (&'static str, Vec<Json>) {
    match event {
        Event::Started { tool, arguments, at } => {
            ("onToolExecute", vec![tool.into(), arguments, whole(at.floor())])
        }
        Event::Completed { tool, result, milliseconds } => {
            ("onToolComplete", vec![tool.into(), result, whole(milliseconds)])
        }
        Event::Failed { tool, error, milliseconds } => {
            ("onError", vec![error, json!({"tool": tool, "duration": whole(milliseconds)})])
        }
        Event::Capability { tool, capability, .. } => {
            let name = capability.rsplit('/').next().unwrap_or_default().to_owned();
            ("onCapabilityRequest", vec![json!({"capability": name, "tool": tool})])
        }
    }
}

impl Observer for RuntimeMonitor {
    fn observe(&self, event: Event) -> BoxFuture<'_, ()> {
        self.tell(event).boxed()
    }
}

impl Methods for RuntimeMonitor {
    fn call(&self, method: &str, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        ready(self.called(method, &invocation).map_err(Interrupt::from)).boxed()
    }
}

impl RuntimeMonitor {
    fn called(&self, method: &str, invocation: &Invocation) -> Result<Value, Failure> {
        if method == "getMetrics" {
            return Ok(metrics(&self.monitor).into());
        }
        let callback = invocation.arguments.function("callback")?.clone();
        let mut all = lock(&self.callbacks.all);
        if all.len() >= MOST_CALLBACKS {
            return Err(Failure::raised(
                "InternalError",
                format!("a monitor has at most {MOST_CALLBACKS} callbacks"),
            ));
        }
        all.push((method.to_owned(), callback));
        Ok(Value::Null)
    }
}

/// Returns the measurements, with times in whole seconds.
fn metrics(monitor: &Monitor) -> Json {
    let mut metrics = monitor.metrics().json();
    for tool in metrics["toolMetrics"].as_object_mut().into_iter().flat_map(|it| it.values_mut()) {
        tool["lastExecutedAt"] = whole(tool["lastExecutedAt"].as_f64().unwrap_or_default().floor());
    }
    metrics
}
