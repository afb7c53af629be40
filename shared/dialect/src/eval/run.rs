//! One run of one program: its limits, its counters, and the values of its names.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use source_text::Span;

use super::answers::Answers;
use crate::decisions::{Decision, Decisions};
use crate::interrupt::StoppedElement;
use crate::node::Node;
use crate::print::print_short;
use crate::{
    Effect, Embedding, Failure, FailureKind, Form, Limit, Limits, Notes, Registry, Remaining, Stop, Value,
    Work,
};

/// An expression's value, now or later.
pub(crate) type Evaluated<'a, T = Value> = crate::evaluated::Evaluated<'a, T, Stop>;

/// The number of calls at a time, if the program does not write.
pub(crate) const MAX_CONCURRENT: usize = 8;

/// The treatment of results that do not have the type that the signature promises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultCheck {
    /// The call fails, as in programs.
    #[default]
    Fail,
    /// A note says so.
    Note,
    /// Results are passed on as they are.
    Skip,
}

/// One run of one program.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) registry: Registry,
    pub(crate) limits: Limits,
    pub(crate) source: Arc<str>,
    pub(crate) form: Form,
    pub(super) effect: Effect,
    pub(super) notes: Notes,
    pub(super) calls: Arc<AtomicUsize>,
    pub(super) work: Work,
    /// The calls that changed the world, in the form in which a reader sees them.
    pub(super) done: Mutex<Vec<String>>,
    /// The elements of lists that calls leave out, since the run before was stopped for them.
    pub(super) left_out: Vec<StoppedElement>,
    /// `true` if a list lost all of its elements.
    pub(super) left_all_out: AtomicBool,
    /// The lists that lost elements.
    pub(super) shortened: Mutex<Vec<Remaining>>,
    /// The answers of this run, for a second one.
    pub(super) answers: Answers,
    /// The answers of the run before.
    pub(super) earlier: Option<Answers>,
    pub(super) results: ResultCheck,
    /// The program; `None` for calls from outside of programs.
    pub(super) program: Option<(Arc<Node>, usize)>,
    /// The decisions of the program on what answers lack, found when the first one lacks something.
    pub(super) decisions: OnceLock<Decisions>,
}

/// The values that names are bound to, the innermost first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Env(Option<Arc<Frame>>);

struct Frame {
    value: Value,
    outer: Env,
    /// The maximum nesting of functions in the values that are bound here and further out.
    functions: usize,
    /// The language around the expression, if it is not a program.
    embedding: Option<Arc<dyn Embedding>>,
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame")
            .field("value", &self.value)
            .field("outer", &self.outer)
            .finish_non_exhaustive()
    }
}

/// Drops the frames one after the other. There may be as many as a program has lines, too many for recursion.
impl Drop for Frame {
    fn drop(&mut self) {
        // A function uses the frames around it, so it is dropped before them.
        self.value = Value::Null;
        let mut outer = self.outer.0.take();
        while let Some(mut frame) = outer.and_then(Arc::into_inner) {
            frame.value = Value::Null;
            outer = frame.outer.0.take();
        }
    }
}

impl Env {
    pub(crate) fn bind(self, value: Value) -> Self {
        let functions = self.functions_with(&value);
        let embedding = self.embedding().cloned();
        Self(Some(Arc::new(Frame { value, outer: self, functions, embedding })))
    }

    /// Returns the environment of an expression in a language of statements.
    pub(super) fn embedded(embedding: Arc<dyn Embedding>) -> Self {
        let (value, outer) = (Value::Null, Self::default());
        Self(Some(Arc::new(Frame { value, outer, functions: 0, embedding: Some(embedding) })))
    }

    /// Returns the language around the expression, if it is not a program.
    pub(super) fn embedding(&self) -> Option<&Arc<dyn Embedding>> {
        self.0.as_ref()?.embedding.as_ref()
    }

    /// Returns how many functions are in each other in the values that are bound.
    pub(super) fn functions(&self) -> usize {
        self.0.as_ref().map_or(0, |frame| frame.functions)
    }

    /// Returns how many there are when this value is bound, too. A function that uses just these values is
    /// beside them, as in lines that each bind one.
    fn functions_with(&self, value: &Value) -> usize {
        let is_beside = value.as_function().is_some_and(|it| it.scope() == self.address());
        if is_beside { self.functions() } else { value.functions().max(self.functions()) }
    }

    /// Returns the address of the values, which identifies them.
    pub(super) fn address(&self) -> *const () {
        self.0.as_ref().map_or(std::ptr::null(), |frame| Arc::as_ptr(frame).cast())
    }

    /// Gives the innermost name another value, in place unless a closure still uses the old one.
    pub(crate) fn rebind(&mut self, value: Value) {
        let frame = self.0.as_mut().expect("a name is bound");
        match Arc::get_mut(frame) {
            Some(frame) => {
                frame.functions = frame.outer.functions_with(&value);
                frame.value = value;
            }
            None => *self = frame.outer.clone().bind(value),
        }
    }

    pub(crate) fn get(&self, up: usize) -> &Value {
        let mut frame = self.0.as_deref().expect("the resolver found the binding");
        for _ in 0..up {
            frame = frame.outer.0.as_deref().expect("the resolver found the binding");
        }
        &frame.value
    }

    /// Returns all values, that of the innermost name first.
    pub(super) fn values(&self) -> impl Iterator<Item = &Value> {
        std::iter::successors(self.0.as_deref(), |frame| frame.outer.0.as_deref()).map(|it| &it.value)
    }
}

impl Run {
    /// Returns the gravest effect that the program can have.
    pub(crate) fn effect(&self) -> Effect {
        self.effect
    }

    pub(crate) fn text(&self, span: Span) -> &str {
        &self.source[span.range()]
    }

    /// Returns the value for a sentence about it; a huge one as an ellipsis.
    pub(crate) fn print_start(&self, value: &Value) -> String {
        self.print_short(value).unwrap_or_else(|| "…".to_owned())
    }

    /// Returns the value as a part of a program, or `None` for a huge one.
    pub(crate) fn print_short(&self, value: &Value) -> Option<String> {
        print_short(self.form, &self.registry, value)
    }

    /// Counts steps, and returns `true` if they were left.
    pub(super) fn spend_steps(&self, steps: usize) -> bool {
        self.work.spend_steps(steps)
    }

    /// Returns the decision of the program on what the call at a place lacks.
    pub(super) fn decision_on(&self, call: Span) -> Option<Decision> {
        let (root, given) = self.program.as_ref()?;
        self.decisions.get_or_init(|| Decisions::of(root, *given)).on(call)
    }

    pub(crate) fn count_call(&self) -> Result<(), Failure> {
        if self.calls.fetch_add(1, Ordering::Relaxed) < self.limits.calls {
            return Ok(());
        }
        Err(FailureKind::LimitReached { limit: Limit::Calls, at_most: self.limits.calls }.into())
    }
}

pub(super) fn wrong_operand(
    operator: &'static str,
    expected: &'static str,
    found: &Value,
    span: Span,
) -> Stop {
    let found = found.type_name().to_owned();
    Failure::at(span, FailureKind::WrongOperand { operator, expected, found }).into()
}
