//! One program in the engine, with its event loop.

use std::cell::Cell;
use std::io::Read;
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::context::EvalOptions;
use rquickjs::prelude::{Func, Opt};
use rquickjs::{
    CatchResultExt, CaughtError, Coerced, Context, Ctx, Function, Object, Persistent, Runtime, Value,
};
use script_protocol::{
    Answered, Call, CallOutcome, CallTarget, Callback, Done, Exact, Failed, FailedReason, FromRuntime,
    PRELUDE, Place, Returned, Start, ToRuntime,
};
use serde_json::value::RawValue;

use crate::output::Output;
use crate::usage::PeakMemory;
use crate::{Input, locale, usage, web};

/// An engine that waits for its program: what can be made before is made.
pub(crate) struct Prepared {
    runtime: Runtime,
    context: Context,
    prelude: Persistent<Function<'static>>,
}

impl Prepared {
    /// Makes an engine with the prelude, which has not run; `None` if there is no memory.
    pub(crate) fn new() -> Option<Self> {
        let runtime = Runtime::new().ok()?;
        let context = Context::full(&runtime).ok()?;
        let prelude = context.with(|ctx| {
            let prelude: Function<'_> = ctx.eval(PRELUDE)?;
            rquickjs::Result::Ok(Persistent::save(&ctx, prelude))
        });
        Some(Self { runtime, context, prelude: prelude.ok()? })
    }
}

pub(crate) struct Engine<R> {
    pub(crate) prepared: Option<Prepared>,
    pub(crate) input: Input<R>,
    pub(crate) output: Arc<Output>,
    pub(crate) start: Box<Start>,
    pub(crate) memory: PeakMemory,
}

/// The computing time that is left after the limit, in milliseconds, to learn where the program was.
const LEARN_MS: u64 = 20;

/// The jobs that run meanwhile: those between an interrupted function and the end of the program.
const LEARN_JOBS: usize = 1_000;

/// The end of a run that the host is told of.
type Ended = Result<Done, Failed>;

impl<R: Read> Engine<R> {
    pub(crate) fn run(mut self) {
        let before = self.memory.bytes();
        let was_stopped = Rc::new(Cell::new(false));
        let Some(ended) = self.evaluate(&was_stopped) else { return }; // the host is gone
        let took_memory = self.memory.bytes().saturating_sub(before) > self.start.limits.memory / 2;
        let (dropped, cpu_ms) = (self.output.dropped(), usage::cpu_ms());
        let frame = match ended {
            Ok(done) => FromRuntime::Done(Done { dropped, cpu_ms, ..done }),
            Err(failed) => {
                let reason = match failed.reason {
                    _ if was_stopped.get() => FailedReason::Cpu,
                    _ if is_out_of_memory(&failed, took_memory) => FailedReason::Memory,
                    reason => reason,
                };
                match reason {
                    // The engine's words for it say less.
                    FailedReason::Cpu | FailedReason::Memory => {
                        let stack = if is_of_engine(&failed) { failed.stack } else { Vec::new() };
                        FromRuntime::Failed(Failed { reason, stack, dropped, cpu_ms, ..Failed::default() })
                    }
                    _ => FromRuntime::Failed(Failed { reason, dropped, cpu_ms, ..failed }),
                }
            }
        };
        if !self.output.send(&frame) {
            let message =
                "the program's value is too large to return; return less, or print a summary".to_owned();
            let failed = Failed { name: "RangeError".into(), message, dropped, cpu_ms, ..Failed::default() };
            self.output.send(&FromRuntime::Failed(failed));
        }
    }

    fn evaluate(&mut self, was_stopped: &Rc<Cell<bool>>) -> Option<Ended> {
        let limits = self.start.limits;
        let Some(Prepared { runtime, context, prelude }) = self.prepared.take() else {
            return Some(Err(out_of_memory()));
        };
        runtime.set_memory_limit(limits.memory);
        runtime.set_max_stack_size(limits.stack);
        let stopped = Rc::clone(was_stopped);
        runtime.set_interrupt_handler(Some(Box::new(move || {
            let more = if stopped.get() { LEARN_MS } else { 0 };
            let stops = usage::cpu_ms() >= limits.cpu_ms + more;
            stopped.set(stopped.get() || stops);
            stops
        })));
        runtime.set_host_promise_rejection_tracker(Some(Box::new(|ctx, promise, reason, is_handled| {
            if let Ok(rejected) = ctx.globals().get::<_, Function<'_>>("$rejected") {
                let _ = rejected.call::<_, ()>((promise, reason, is_handled)); // fails without memory alone
            }
        })));
        let ended = context.with(|ctx| match self.prepare(&ctx, prelude) {
            Ok(control) => self.turn(&ctx, &control, was_stopped),
            Err(failed) => Some(Err(failed)),
        });
        // Freeing a deep structure takes time, and the process is about to end.
        std::mem::forget(context);
        std::mem::forget(runtime);
        ended
    }

    /// Runs the prelude, then the program up to its first wait.
    fn prepare<'js>(
        &self,
        ctx: &Ctx<'js>,
        prelude: Persistent<Function<'static>>,
    ) -> Result<Object<'js>, Failed> {
        let made = (|| {
            let host = Object::new(ctx.clone())?;
            let (output, limit) = (Arc::clone(&self.output), self.start.limits.output);
            let print = move |text: Coerced<String>, is_error: bool| output.print(text.0, is_error, limit);
            host.set("print", Func::from(print))?;
            let output = Arc::clone(&self.output);
            let call = move |call: f64, target: String, line: Opt<u32>, column: Opt<u32>| {
                send_call(&output, call, &target, line.0.zip(column.0))
            };
            host.set("call", Func::from(call))?;
            let output = Arc::clone(&self.output);
            let returned = move |call: f64, callback: f64, outcome: String| {
                send_returned(&output, call, callback, &outcome);
            };
            host.set("returned", Func::from(returned))?;
            locale::install(&host)?;
            web::install(&host)?;
            let Start { functions, arguments, now, seed, name, .. } = &*self.start;
            let options = serde_json::json!({
                "functions": functions, "arguments": arguments, "now": now, "seed": seed, "name": name,
            });
            prelude.restore(ctx)?.call::<_, Object<'js>>((host, ctx.json_parse(options.to_string())?))
        })();
        let control = made.catch(ctx).map_err(|error| described(ctx, None, &error))?;
        let options = options(&self.start.name);
        let program = ctx.eval_with_options::<Value<'js>, _>(self.start.code.as_str(), options).catch(ctx);
        let program = program.map_err(|error| described(ctx, Some(&control), &error))?;
        let started = control.get::<_, Function<'js>>("run").and_then(|it| it.call::<_, ()>((program,)));
        started.catch(ctx).map_err(|error| described(ctx, Some(&control), &error))?;
        Ok(control)
    }

    /// Runs what can run, and waits for answers, until the program has ended. Returns `None` if the host is gone.
    fn turn<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        control: &Object<'js>,
        was_stopped: &Cell<bool>,
    ) -> Option<Ended> {
        let call = |name: &str| control.get::<_, Function<'js>>(name);
        let state = || -> rquickjs::Result<(String, u32)> {
            let state: Object<'js> = call("state")?.call(())?;
            Ok((state.get("promise")?, state.get("waiting")?))
        };
        loop {
            while !was_stopped.get() && ctx.execute_pending_job() {}
            if was_stopped.get() {
                return Some(Err(stopped(ctx, control)));
            }
            let Ok((state, waiting)) = state().catch(ctx) else { return Some(Err(unreadable())) };
            if state == "rejected" {
                let error = call("ending").and_then(|it| it.call::<_, Value<'js>>(())).catch(ctx);
                return Some(Err(error.map_or_else(|_| unreadable(), |it| read_failure(ctx, &it))));
            }
            if waiting == 0 {
                if state == "resolved" {
                    let ending = call("ending").and_then(|it| it.call::<_, Value<'js>>(()));
                    return Some(match ending.catch(ctx) {
                        Ok(value) => read_ending(ctx, &value),
                        Err(error) => Err(described(ctx, Some(control), &error)),
                    });
                }
                match call("tick").and_then(|it| it.call::<_, bool>(())).catch(ctx) {
                    Ok(true) => continue,
                    Ok(false) => {}
                    Err(error) => return Some(Err(described(ctx, Some(control), &error))),
                }
                return Some(Err(Failed { reason: FailedReason::Deadlock, ..Failed::default() }));
            }
            let received = match self.input.next()? {
                ToRuntime::Answered(Answered { call: number, outcome }) => {
                    let (kind, text, notes, mark) = answered(outcome);
                    call("settle").and_then(|it| it.call::<_, ()>((number as f64, kind, text, notes, mark)))
                }
                ToRuntime::Callback(Callback { call: number, callback, function, arguments }) => {
                    let Exact { json, mark } = arguments;
                    let numbers = (number as f64, callback as f64, function as f64);
                    call("callback")
                        .and_then(|it| it.call::<_, ()>((numbers.0, numbers.1, numbers.2, json, mark)))
                }
                ToRuntime::Start(_) => return None,
            };
            if let Err(error) = received.catch(ctx) {
                return Some(Err(described(ctx, Some(control), &error)));
            }
        }
    }
}

/// Returns the outcome of a call in the words of the prelude.
fn answered(outcome: CallOutcome) -> (&'static str, String, Vec<String>, Option<String>) {
    match outcome {
        CallOutcome::Success { value, mark, notes } => ("value", value.get().to_owned(), notes, mark),
        CallOutcome::Error(error) => {
            ("error", serde_json::to_string(&error).unwrap_or_default(), Vec::new(), None)
        }
    }
}

/// Returns the error of a program that was interrupted, with its place. The interrupted function rejects its promise,
/// and so do those that wait for it.
fn stopped<'js>(ctx: &Ctx<'js>, control: &Object<'js>) -> Failed {
    let call = |name: &str| control.get::<_, Function<'js>>(name);
    let is_rejected = || {
        let state = call("state").and_then(|it| it.call::<_, Object<'js>>(()));
        state.and_then(|it| it.get::<_, String>("promise")).is_ok_and(|it| it == "rejected")
    };
    for _ in 0..LEARN_JOBS {
        if is_rejected() {
            let error = call("ending").and_then(|it| it.call::<_, Value<'js>>(())).catch(ctx);
            return error.map_or_else(|_| Failed::default(), |it| read_failure(ctx, &it));
        }
        if !ctx.execute_pending_job() {
            break;
        }
    }
    Failed::default()
}

fn options(name: &str) -> EvalOptions {
    let mut options = EvalOptions::default();
    options.filename = Some(name.to_owned());
    options
}

/// Sends a call; returns what is wrong with it.
fn send_call(output: &Output, call: f64, target: &str, place: Option<(u32, u32)>) -> Option<String> {
    let target = match serde_json::from_str::<CallTarget>(target) {
        Ok(target) => target,
        Err(error) => return Some(error.to_string()),
    };
    let place = place.map(|(line, column)| Place { line, column });
    let sent = output.send(&FromRuntime::Call(Call { call: call as u64, target, place }));
    (!sent).then(|| "the arguments are too large".to_owned())
}

/// Sends what a function of the program returned, as JSON.
fn send_returned(output: &Output, call: f64, callback: f64, outcome: &str) {
    let (call, callback) = (call as u64, callback as u64);
    let outcome = serde_json::from_str(outcome).unwrap_or_else(|error| Err(error.to_string()));
    if !output.send(&FromRuntime::Returned(Returned { call, callback, outcome })) {
        let outcome = Err("the result is too large".to_owned());
        output.send(&FromRuntime::Returned(Returned { call, callback, outcome }));
    }
}

/// The message about a program that leaves nothing to read: it changed what JavaScript itself needs, or memory ran out.
const UNREADABLE: &str = "the error that was thrown cannot be read";

fn unreadable() -> Failed {
    Failed { name: "Error".into(), message: UNREADABLE.into(), ..Failed::default() }
}

fn out_of_memory() -> Failed {
    Failed { reason: FailedReason::Memory, ..Failed::default() }
}

/// Returns whether an error is the engine's own about memory. After it ran out, the engine throws `null`, or loses
/// what should settle promises.
fn is_out_of_memory(failed: &Failed, took_memory: bool) -> bool {
    let says_so = failed.message.contains("out of memory") && failed.name != "Error";
    let is_odd =
        failed.reason == FailedReason::Deadlock || ["null", UNREADABLE].contains(&failed.message.as_str());
    failed.reason == FailedReason::Memory || says_so || (is_odd && took_memory)
}

/// Returns whether an error is that of the engine at a limit, whose place is that where the program was stopped.
fn is_of_engine(failed: &Failed) -> bool {
    failed.name == "InternalError" && ["interrupted", "out of memory"].contains(&failed.message.as_str())
}

/// Returns an error as data. The prelude reads the parts of it.
fn described<'js>(ctx: &Ctx<'js>, control: Option<&Object<'js>>, error: &CaughtError<'js>) -> Failed {
    let value = match error {
        CaughtError::Exception(exception) => exception.as_value().clone(),
        CaughtError::Value(value) => value.clone(),
        CaughtError::Error(error) => {
            return Failed { name: "Error".into(), message: error.to_string(), ..Failed::default() };
        }
    };
    let describe = control.and_then(|it| it.get::<_, Function<'js>>("describe").ok());
    let description = describe.and_then(|it| it.call::<_, Value<'js>>((value.clone(),)).ok());
    match description {
        Some(description) => read_failure(ctx, &description),
        None => Failed { message: format!("{value:?}"), ..Failed::default() },
    }
}

/// Reads what the prelude says of an error.
fn read_failure<'js>(ctx: &Ctx<'js>, description: &Value<'js>) -> Failed {
    let text = ctx.json_stringify(description.clone()).ok().flatten().and_then(|it| it.to_string().ok());
    text.and_then(|it| serde_json::from_str(&it).ok()).unwrap_or_else(unreadable)
}

/// Reads what the prelude says of a program that has ended.
fn read_ending<'js>(ctx: &Ctx<'js>, description: &Value<'js>) -> Ended {
    let Some(object) = description.as_object() else { return Err(unreadable()) };
    if let Ok(Some(failed)) = object.get::<_, Option<Value<'js>>>("failed") {
        return Err(read_failure(ctx, &failed));
    }
    let text = object.get::<_, Option<String>>("value").catch(ctx);
    let text = text.map_err(|error| described(ctx, None, &error))?;
    let value = text.and_then(|it| RawValue::from_string(it).ok());
    let places = object.get::<_, Vec<Vec<u32>>>("unawaited").unwrap_or_default();
    let unawaited = places.iter().map(|it| Place { line: it[0], column: it[1] }).collect();
    Ok(Done { value, unawaited, ..Done::default() })
}
