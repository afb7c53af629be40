//! Evaluation of programs.

mod call;
mod function;
mod gather;
mod measure;
mod member;
mod node;
mod operator;
mod run;

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};

use source_text::Span;

pub(crate) use self::run::{Env, MAX_CONCURRENT, Run};
use crate::write::makes;
use crate::{
    Failure, FailureKind, Failures, Limits, Notes, Outcome, Program, Registry, Stop, Success, Value, Work,
    show,
};

/// Reads, checks and runs a program.
pub async fn run(registry: &Registry, source: &str, limits: &Limits) -> Outcome {
    match Program::parse(registry, source, limits) {
        Ok(program) => program.run(registry, limits).await,
        Err(failures) => Outcome::Failure(failures),
    }
}

impl Program {
    /// Runs the program. `registry` must be the one that it was read with.
    pub async fn run(&self, registry: &Registry, limits: &Limits) -> Outcome {
        let run = Arc::new(Run {
            registry: registry.clone(),
            limits: *limits,
            source: self.source.clone(),
            form: self.form,
            effect: self.effect(),
            notes: Notes::default(),
            calls: AtomicUsize::new(0),
            work: Work::new(limits),
            done: Mutex::default(),
        });
        let result = run.node(&self.root, &Env::default(), 0).await;
        match result.and_then(|value| run.presentable(value, self.root.span)) {
            Ok(value) => {
                let program = quoted_data(registry, &value, limits);
                Outcome::Success(Success { value, notes: run.notes.to_vec(), program })
            }
            Err(stop) => {
                let done = std::mem::take(&mut *run.done.lock().unwrap_or_else(PoisonError::into_inner));
                match stop.into_outcome() {
                    Ok(ambiguity) => Outcome::Ambiguity(ambiguity.after(done)),
                    Err(all) => {
                        let failures = Failures { done, ..Failures::from(all) };
                        Outcome::Failure(self.correct(registry, limits, failures))
                    }
                }
            }
        }
    }
}

impl Run {
    /// Returns the value, or a failure if it cannot be shown: it holds a function, or its text would be huge.
    fn presentable(&self, value: Value, span: Span) -> Result<Value, Stop> {
        if holds_function(&value) {
            return Err(Failure::at(span, FailureKind::FunctionAsResult).into());
        }
        self.count_shown(&value).map_err(|it| it.or_at(span))?;
        Ok(value)
    }
}

/// Returns `quote(…)` around the JSON of a value that would be read as something else.
fn quoted_data(registry: &Registry, value: &Value, limits: &Limits) -> Option<String> {
    /// The most bytes of JSON that are read again. A longer answer is seldom sent back.
    const LONGEST: usize = 1 << 17;
    let is_plain =
        matches!(value, Value::Null | Value::Bool(_) | Value::Number(_)) || value.bytes() > 4 * LONGEST;
    let json = (!is_plain).then(|| show(value)).filter(|it| it.len() <= LONGEST)?;
    let reads = Program::parse(registry, &json, limits).is_ok_and(|it| makes(&it.root, value));
    (!reads).then(|| format!("quote({json})"))
}

fn holds_function(value: &Value) -> bool {
    match value {
        Value::Function(_) => true,
        Value::List(items) => items.iter().any(holds_function),
        value => value.fields().is_some_and(|fields| fields.values().any(holds_function)),
    }
}
