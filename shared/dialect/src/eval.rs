//! Evaluation of programs.

mod answers;
mod call;
mod caller;
mod embedded;
mod function;
mod gaps;
mod gather;
mod measure;
mod member;
mod node;
mod operator;
mod run;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use source_text::Span;

use self::answers::Answers;
pub use self::caller::{ArgumentCheck, Caller};
pub use self::run::ResultCheck;
pub(crate) use self::run::{Env, MAX_CONCURRENT, Run};
use crate::node::NodeKind;
use crate::{
    Effect, Failure, FailureKind, Failures, Limits, Notes, Object, Outcome, Partial, Program, Registry, Stop,
    Success, Value, Work, show,
};
use unpoisoned::lock;

/// Reads, checks and runs a program.
pub async fn run(registry: &Registry, source: &str, limits: &Limits) -> Outcome {
    match Program::parse(registry, source, limits) {
        Ok(program) => program.run(registry, limits).await,
        Err(failures) => Outcome::Failure(failures),
    }
}

impl Program {
    /// Runs the program. `registry` must be the one that it was read with, or that one with a binding.
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
            calls: Arc::default(),
            work: Work::new(limits),
            done: Mutex::default(),
            left_out: Vec::new(),
            left_all_out: AtomicBool::new(false),
            shortened: Mutex::default(),
            answers: Answers::default(),
            earlier: None,
            results: ResultCheck::Fail,
            program: Some((Arc::clone(&self.root), self.given.len())),
            decisions: OnceLock::new(),
        });
        let stop = match self.success(&run).await {
            Ok((success, bound)) => return (Outcome::Success(success), bound),
            Err(stop) => stop,
        };
        let partial = self.partial(&run, &stop).await;
        let done = std::mem::take(&mut *lock(&run.done));
        let outcome = match stop.into_outcome() {
            Ok(ambiguity) => Outcome::Ambiguity(ambiguity.after(done).without_elements(partial)),
            Err(all) => {
                let failures = Failures { done, partial: partial.map(Box::new), ..Failures::from(all) };
                Outcome::Failure(self.correct(registry, limits, failures))
            }
        };
        (outcome, Object::default())
    }

    /// Returns the value of the program for its reader, and the values that its lines bind.
    async fn success(&self, run: &Arc<Run>) -> Result<(Success, Object), Stop> {
        let (value, bound) = self.evaluate(run).await?;
        let value = run.presentable(value, self.root.span)?;
        Ok((Success { value, notes: run.notes.to_vec(), program: None }, bound))
    }

    /// Runs the program again without the elements of lists for which it was stopped. Both runs count together.
    async fn partial(&self, run: &Arc<Run>, stop: &Stop) -> Option<Partial> {
        let left_out = stop.separable().to_vec();
        if left_out.is_empty() || self.effect() == Effect::Writes {
            return None;
        }
        let rerun = Arc::new(Run {
            registry: run.registry.clone(),
            source: run.source.clone(),
            notes: Notes::default(),
            calls: run.calls.clone(),
            work: run.work.clone(),
            done: Mutex::default(),
            left_out,
            left_all_out: AtomicBool::new(false),
            shortened: Mutex::default(),
            answers: Answers::default(),
            earlier: Some(run.answers.clone()),
            program: run.program.clone(),
            decisions: OnceLock::new(),
            ..**run
        });
        let (success, _) = self.success(&rerun).await.ok()?;
        let mut left_out: Vec<String> =
            rerun.left_out.iter().map(|it| rerun.print_start(&it.element)).collect();
        let mut seen = HashSet::new();
        left_out.retain(|it| seen.insert(it.clone()));
        if rerun.left_all_out.load(Ordering::Relaxed) {
            return None;
        }
        let Success { value, notes, .. } = success;
        let (json, notes) = (value.to_json(), notes.into_iter().map(|it| it.text).collect());
        let mut shortened = std::mem::take(&mut *lock(&rerun.shortened));
        let rest = match stop.may_pass_later() && shortened.len() == 1 {
            true => shortened.pop(),
            false => None,
        };
        Some(Partial { json, text: show(&value), notes, left_out, rest })
    }

    /// Returns the value of the program, and the values that its lines bind.
    async fn evaluate(&self, run: &Arc<Run>) -> Result<(Value, Object), Stop> {
        let env = self.given.values().fold(Env::default(), |env, value| env.bind(value.clone()));
        match &self.root.kind {
            NodeKind::Let { names, bindings, result } if self.binds && run.spend_steps(1) => {
                let env = run.bound(bindings, env, 0).await?;
                let value = run.node(result, &env, 0).await?;
                let bound = names.iter().rev().zip(env.values());
                // Of two bindings of a name, the later one counts.
                let mut bound: Vec<_> = bound.map(|(name, value)| (name.clone(), value.clone())).collect();
                bound.reverse();
                Ok((value, bound.into_iter().collect()))
            }
            _ => Ok((run.node(&self.root, &env, 0).await?, Object::default())),
        }
    }
}

impl Run {
    /// Returns the value, or a failure if it cannot be shown: it holds a function, or its text would be huge.
    fn presentable(&self, value: Value, span: Span) -> Result<Value, Stop> {
        if value.holds_function() {
            return Err(Failure::at(span, FailureKind::FunctionAsResult).into());
        }
        self.count_shown(&value).map_err(|it| it.or_at(span))?;
        Ok(value)
    }
}
