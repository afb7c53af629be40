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
use crate::{
    Failure, FailureKind, Failures, Limits, Notes, Outcome, Program, Registry, Stop, Success, Value,
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
            steps: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            done: Mutex::default(),
        });
        let result = run.node(&self.root, &Env::default(), 0).await;
        match result.and_then(|value| presentable(value, self.root.span)) {
            Ok(value) => Outcome::Success(Success { value, notes: run.notes.to_vec() }),
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

/// Returns the value, or a failure if it holds a function, which cannot be shown.
fn presentable(value: Value, span: Span) -> Result<Value, Stop> {
    if holds_function(&value) {
        Err(Failure::at(span, FailureKind::FunctionAsResult).into())
    } else {
        Ok(value)
    }
}

fn holds_function(value: &Value) -> bool {
    match value {
        Value::Function(_) => true,
        Value::List(items) => items.iter().any(holds_function),
        value => value.fields().is_some_and(|fields| fields.values().any(holds_function)),
    }
}
