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
use crate::node::NodeKind;
use crate::{
    Failure, FailureKind, Failures, Limits, Notes, Object, Outcome, Program, Registry, Stop, Success, Value,
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
        self.run_and_bind(registry, limits).await.0
    }

    /// Runs the program like [`Program::run`]. Also returns the values that its lines bound to names, if it succeeds.
    pub async fn run_and_bind(&self, registry: &Registry, limits: &Limits) -> (Outcome, Object) {
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
        let result = self.evaluate(&run).await;
        match result.and_then(|(value, bound)| Ok((presentable(value, self.root.span)?, bound))) {
            Ok((value, bound)) => (Outcome::Success(Success { value, notes: run.notes.to_vec() }), bound),
            Err(stop) => {
                let done = std::mem::take(&mut *run.done.lock().unwrap_or_else(PoisonError::into_inner));
                let outcome = match stop.into_outcome() {
                    Ok(ambiguity) => Outcome::Ambiguity(ambiguity.after(done)),
                    Err(all) => {
                        let failures = Failures { done, ..Failures::from(all) };
                        Outcome::Failure(self.correct(registry, limits, failures))
                    }
                };
                (outcome, Object::default())
            }
        }
    }

    /// Returns the value of the program, and the values that its lines bind.
    async fn evaluate(&self, run: &Arc<Run>) -> Result<(Value, Object), Stop> {
        let env = self.given.values().fold(Env::default(), |env, value| env.bind(value.clone()));
        match &self.root.kind {
            NodeKind::Let { names, bindings, result } if self.binds && run.spend_steps(1) => {
                let env = run.bound(bindings, env, 0).await?;
                let value = run.node(result, &env, 0).await?;
                let bound =
                    names.iter().rev().enumerate().map(|(up, name)| (name.clone(), env.get(up).clone()));
                // Of two bindings of a name, the later one counts.
                let mut bound: Vec<_> = bound.collect();
                bound.reverse();
                Ok((value, bound.into_iter().collect()))
            }
            _ => Ok((run.node(&self.root, &env, 0).await?, Object::default())),
        }
    }
}

/// Returns the value, or a failure if it holds a function, which cannot be shown.
fn presentable(value: Value, span: Span) -> Result<Value, Stop> {
    if value.holds_function() {
        Err(Failure::at(span, FailureKind::FunctionAsResult).into())
    } else {
        Ok(value)
    }
}
