//! The reasons for which an evaluation stops: failures, and questions that several values answer.

use source_text::Span;

use crate::{Ambiguity, Failure, FailureKind, Value};

/// The reason why an evaluation stops.
#[derive(Clone, Debug, PartialEq)]
pub enum Interrupt {
    /// The evaluation fails, with its reason.
    Failure(Failure),
    /// A function, conversion or coercion found several meanings of its argument.
    Ambiguous(Question),
    /// A function that was called back was stopped.
    Inside(Stop),
}

/// A function's question, which of several values is meant. The evaluator makes an
/// [`Ambiguity`](crate::Ambiguity) of it, by writing each value in place of the ambiguous expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// ``The name `User` is defined in 2 places.``
    pub question: String,
    /// The expression that the values replace: the argument for this parameter, or the whole call if `None`.
    /// The whole call of a conversion is the expression that it converts.
    pub argument: Option<String>,
    /// The answers, at least two.
    pub choices: Vec<Choice>,
}

/// One value that decides a [`Question`].
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The description, for the reader.
    pub description: String,
    /// The value to write into the program.
    pub value: Value,
}

/// The most failures of one program that are collected.
const ENOUGH: usize = 20;

/// The reasons why an expression has no value: all independent failures, and the first ambiguity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stop {
    pub(crate) failures: Vec<Failure>,
    pub(crate) question: Option<Box<PendingQuestion>>,
    /// The elements of lists for which a function was stopped.
    pub(crate) elements: Vec<StoppedElement>,
    /// `true` if something was stopped besides for elements: without them there still is no value.
    pub(crate) is_beyond_elements: bool,
}

/// An element of a list for which a function was stopped.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StoppedElement {
    pub(crate) element: Value,
    /// The place of the call that went over the list; `None` until the stop reaches it.
    pub(crate) call: Option<Span>,
}

/// A question, by who can ask it.
#[derive(Clone, Debug)]
pub(crate) enum PendingQuestion {
    /// A question with its programs, ready for the author.
    Program(Ambiguity),
    /// A question about a lambda's parameter, which differs from call to call. The caller of the lambda
    /// completes it.
    Element(Box<ElementQuestion>),
}

impl PendingQuestion {
    /// Returns the question.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Program(ambiguity) => ambiguity.question(),
            Self::Element(question) => &question.question.question,
        }
    }
}

/// A question about the value of a lambda's parameter.
#[derive(Clone, Debug)]
pub(crate) struct ElementQuestion {
    /// The value of the parameter in this call.
    pub(crate) element: Value,
    pub(crate) question: Question,
    /// The place where the program names the parameter, if it does.
    pub(crate) place: Option<Span>,
    /// The failure to report if the element cannot be located in a list.
    pub(crate) otherwise: Failure,
}

impl PartialEq for PendingQuestion {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Program(one), Self::Program(other)) => one == other,
            (Self::Element(one), Self::Element(other)) => one.question == other.question,
            _ => false,
        }
    }
}

impl Stop {
    pub(crate) fn is_empty(&self) -> bool {
        self.failures.is_empty() && self.question.is_none()
    }

    /// Returns `true` if there is no point in continuing: after many failures, or when a limit is used up.
    pub(crate) fn is_enough(&self) -> bool {
        let is_limit = |it: &Failure| matches!(*it.kind, FailureKind::LimitReached { .. });
        self.failures.len() >= ENOUGH || self.failures.last().is_some_and(is_limit)
    }

    pub(crate) fn join(&mut self, other: Self) {
        let is_beyond = |it: &Self| it.is_beyond_elements || !it.is_empty() && it.elements.is_empty();
        self.is_beyond_elements = is_beyond(self) || is_beyond(&other);
        self.elements.extend(other.elements);
        for failure in other.failures {
            // The same failure of a lambda in each call is reported once.
            if !self.failures.iter().any(|it| it.repeats(&failure)) {
                self.failures.push(failure);
            }
        }
        if self.question.is_none() {
            self.question = other.question;
        }
    }

    /// Returns the first failure, or the question.
    pub(crate) fn into_first(mut self) -> Result<Failure, Question> {
        match self.question.take().map(|it| *it) {
            _ if !self.failures.is_empty() => Ok(self.failures.swap_remove(0)),
            Some(PendingQuestion::Element(question)) => Err(question.question),
            Some(PendingQuestion::Program(ambiguity)) => {
                Ok(Failure::raised("ambiguous", ambiguity.question()))
            }
            None => unreachable!("something stopped it"),
        }
    }

    pub(crate) fn into_interrupt(self) -> Interrupt {
        Interrupt::Inside(self)
    }

    /// Returns the elements without which the expression may have a value.
    pub(crate) fn separable(&self) -> &[StoppedElement] {
        if self.is_beyond_elements || self.is_enough() { &[] } else { &self.elements }
    }

    /// Returns `true` if asking again may succeed where it was stopped.
    pub(crate) fn may_pass_later(&self) -> bool {
        self.question.is_none() && self.failures.iter().all(Failure::may_pass_later)
    }

    /// Marks it as stopped for an element, unless it is for elements of a list further inside alone.
    pub(crate) fn for_element(mut self, element: &Value) -> Self {
        if self.elements.is_empty() || self.is_beyond_elements {
            self.elements = vec![StoppedElement { element: element.clone(), call: None }];
            self.is_beyond_elements = false;
        }
        self
    }

    /// Gives the elements that have no call this one.
    pub(crate) fn at_call(mut self, call: Span) -> Self {
        self.elements.iter_mut().for_each(|it| _ = it.call.get_or_insert(call));
        self
    }

    /// Marks the failures with their element, if they have none.
    pub(crate) fn of_element(mut self, element: impl Fn() -> String) -> Self {
        let depends = |it: &&mut Failure| {
            !matches!(*it.kind, FailureKind::LimitReached { .. } | FailureKind::LambdaArity { .. })
        };
        for failure in self.failures.iter_mut().filter(depends) {
            failure.element.get_or_insert_with(&element);
        }
        self
    }

    /// Converts what stopped a callable, and gives failures without a place the place of its call.
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

    /// Returns the ambiguity, unless something failed: failures must be corrected first.
    pub(crate) fn into_outcome(mut self) -> Result<Ambiguity, Vec<Failure>> {
        match self.question.take().map(|it| *it) {
            Some(PendingQuestion::Program(ambiguity)) if self.failures.is_empty() => return Ok(ambiguity),
            Some(PendingQuestion::Element(question)) => self.failures.push(question.otherwise),
            _ => {}
        }
        Err(self.failures)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self { failures: vec![failure], ..Self::default() }
    }
}

impl From<Ambiguity> for Stop {
    fn from(ambiguity: Ambiguity) -> Self {
        Self { question: Some(Box::new(PendingQuestion::Program(ambiguity))), ..Self::default() }
    }
}

impl From<ElementQuestion> for Stop {
    fn from(question: ElementQuestion) -> Self {
        Self { question: Some(Box::new(PendingQuestion::Element(Box::new(question)))), ..Self::default() }
    }
}

impl From<Failure> for Interrupt {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}
