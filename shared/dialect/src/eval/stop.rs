//! Why an expression has no value.

use source_text::Span;

use crate::{Ambiguity, Failure, FailureKind, Interrupt, Question, Value};

/// So many failures of one program are enough to know.
const ENOUGH: usize = 20;

/// Why an expression has no value: all independent failures, and the first ambiguity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stop {
    pub(crate) failures: Vec<Failure>,
    pub(crate) asked: Option<Box<Asked>>,
}

/// Who has to decide.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    /// The author of the program, among these.
    Author(Ambiguity),
    /// The author, but first whoever runs the lambda: the question is about its parameter, which is another
    /// one in each run.
    Element(Box<ElementQuestion>),
}

/// A question about the value of a lambda's parameter.
#[derive(Clone, Debug)]
pub(crate) struct ElementQuestion {
    /// What the parameter is in this run.
    pub(crate) element: Value,
    pub(crate) question: Question,
    /// Where the program names the parameter, if it does.
    pub(crate) place: Option<Span>,
    /// What is said where nobody knows where the element came from.
    pub(crate) otherwise: Failure,
}

impl PartialEq for Asked {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Author(one), Self::Author(other)) => one == other,
            (Self::Element(one), Self::Element(other)) => one.question == other.question,
            _ => false,
        }
    }
}

impl Stop {
    pub(crate) fn is_empty(&self) -> bool {
        self.failures.is_empty() && self.asked.is_none()
    }

    /// What used up a limit leaves nothing to the rest.
    pub(crate) fn is_enough(&self) -> bool {
        let is_limit = |it: &Failure| matches!(*it.kind, FailureKind::LimitReached { .. });
        self.failures.len() >= ENOUGH || self.failures.last().is_some_and(is_limit)
    }

    pub(crate) fn join(&mut self, other: Self) {
        for failure in other.failures {
            // A lambda that fails in each run fails once for its author.
            if !self.failures.iter().any(|it| it.repeats(&failure)) {
                self.failures.push(failure);
            }
        }
        if self.asked.is_none() {
            self.asked = other.asked;
        }
    }

    pub(crate) fn into_interrupt(self) -> Interrupt {
        Interrupt::Inside(self)
    }

    /// The same, said to be of an element where that is not said yet.
    pub(crate) fn of_element(mut self, element: impl Fn() -> String) -> Self {
        let depends = |it: &&mut Failure| {
            !matches!(*it.kind, FailureKind::LimitReached { .. } | FailureKind::LambdaArity { .. })
        };
        for failure in self.failures.iter_mut().filter(depends) {
            failure.element.get_or_insert_with(&element);
        }
        self
    }

    /// What stopped a callable, with the place of its call for what has none.
    pub(crate) fn from_interrupt(interrupt: Interrupt, span: Span) -> Result<Self, Question> {
        match interrupt {
            Interrupt::Failure(failure) => Ok(failure.or_at(span).into()),
            Interrupt::Ambiguous(question) => Err(question),
            Interrupt::Inside(mut stop) => {
                stop.failures = stop.failures.into_iter().map(|it| it.or_at(span)).collect();
                Ok(stop)
            }
        }
    }

    /// The ambiguity, unless something failed: what fails has to be mended first.
    pub(crate) fn into_outcome(mut self) -> Result<Ambiguity, Vec<Failure>> {
        match self.asked.take().map(|it| *it) {
            Some(Asked::Author(ambiguity)) if self.failures.is_empty() => return Ok(ambiguity),
            Some(Asked::Element(question)) => self.failures.push(question.otherwise),
            _ => {}
        }
        Err(self.failures)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self { failures: vec![failure], asked: None }
    }
}

impl From<Ambiguity> for Stop {
    fn from(ambiguity: Ambiguity) -> Self {
        Self { failures: Vec::new(), asked: Some(Box::new(Asked::Author(ambiguity))) }
    }
}

impl From<ElementQuestion> for Stop {
    fn from(question: ElementQuestion) -> Self {
        Self { failures: Vec::new(), asked: Some(Box::new(Asked::Element(Box::new(question)))) }
    }
}
