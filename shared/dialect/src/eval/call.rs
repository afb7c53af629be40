//! Calls: arguments are evaluated concurrently, converted, and given to the callable. The result is checked.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use foldhash::fast::RandomState;
use source_text::Span;

use super::answers::Answers;
use super::run::{Env, Evaluated, ResultCheck, Run};
use crate::candidates::{self, ProgramPlace};
use crate::convert::{Cause, ConversionError, Converter, PathStep};
use crate::interrupt::{ElementQuestion, PendingQuestion};
use crate::method::MethodNode;
use crate::mismatch::{mismatch, type_errors};
use crate::node::{CallNode, Given, Node, NodeKind};
use crate::registry::{Callable, CallableCode, RegisteredConversion};
use crate::shape::{default, fits, shape};
use crate::value::Fields;
use crate::{
    Arguments, Choice, Effect, Failure, FailureKind, Interrupt, Invocation, Notes, Object, Parameter,
    Question, Record, Remaining, Signature, Stop, Value,
};
use unpoisoned::lock;

impl Run {
    pub(super) async fn call(
        self: &Arc<Self>,
        call: &CallNode,
        node: &Node,
        env: Env,
        depth: usize,
    ) -> Result<Value, Stop> {
        let signature = &call.callable.signature;
        let inner = env.clone();
        let each = call.arguments.iter().map(move |it| self.argument(signature, it, node, &inner, depth));
        let mut values = self.gather(each).await?;
        self.leave_out(call, node, &mut values);
        let given = call.arguments.iter().map(|it| it.parameter).zip(values);
        let arguments = self.named(signature, given, depth);
        let notes = self.notes.for_call();
        let result = self.run_callable(&call.callable, arguments.clone(), &notes).await;
        if let Some(rest) = notes.take_rest() {
            match candidates::with_rest(self, call, node, &rest) {
                Some(program) => notes.add_program(&rest.words, &program),
                None => notes.add(rest.otherwise),
            }
        }
        let result = self.judged(result, &notes, signature, node.span);
        result.map_err(|interrupt| {
            let mut stop = self.stopped(interrupt, call, &arguments, node, &env).at_call(node.span);
            stop.is_beyond_elements |= leaves_nothing(&stop, &arguments, node.span);
            stop
        })
    }

    /// Leaves out the elements for which this call was stopped in the run before.
    fn leave_out(&self, call: &CallNode, node: &Node, values: &mut [Value]) {
        let here = self.left_out.iter().filter(|it| it.call == Some(node.span));
        let left_out: Vec<&Value> = here.map(|it| &it.element).collect();
        if left_out.is_empty() {
            return;
        }
        for (given, value) in call.arguments.iter().zip(values) {
            let Value::List(list) = value else { continue };
            let (lost, kept): (Vec<Value>, Vec<Value>) =
                list.iter().cloned().partition(|it| left_out.contains(&it));
            if !lost.is_empty() {
                self.left_all_out.fetch_or(kept.is_empty(), Ordering::Relaxed);
                let (done, of) = (kept.len(), list.len());
                let program = candidates::with_elements(self, &given.node, lost);
                let remaining = Remaining { done, of, program };
                lock(&self.shortened).push(remaining);
                *list = kept.into();
                return;
            }
        }
    }

    /// Returns the call for the type of the receiver, or of the elements of a list.
    pub(super) fn method<'n>(&self, method: &'n MethodNode, receiver: &Value) -> Result<&'n Node, Failure> {
        match method.of_value(receiver) {
            Some(call) => call.failures.first().map_or(Ok(&call.node), |it| Err(it.clone())),
            None => {
                let (name, found) = (method.name.clone(), receiver.type_name().to_owned());
                let kind = FailureKind::NoMethod { name, found, types: method.types() };
                Err(Failure::at(method.receiver.span, kind))
            }
        }
    }

    /// Calls a function of the registry with values, for a library.
    pub(crate) async fn call_with(
        self: &Arc<Self>,
        callable: &Arc<Callable>,
        values: Vec<Value>,
        place: Span,
        depth: usize,
    ) -> Result<Value, Stop> {
        let signature = &callable.signature;
        let mut converted = Vec::new();
        for (parameter, value) in signature.parameters.iter().zip(values) {
            let found = value.clone();
            let converter = Converter::new(self, signature);
            let value = converter.convert(value, &parameter.ty).await.map_err(|error| match error.cause {
                Cause::Interrupt(interrupt) => interrupt,
                cause => {
                    Failure::from(self.conversion_failure(cause, &error.path, signature, parameter)).into()
                }
            });
            match value {
                Ok(value) => converted.push(value),
                Err(interrupt) => return Err(self.of_element(interrupt, &found, signature)),
            }
        }
        let first = converted.first().cloned().unwrap_or_default();
        let arguments = self.named(signature, converted.into_iter().enumerate(), depth);
        let notes = self.notes.for_call();
        let result = self.run_callable(callable, arguments, &notes).await;
        if let Some(rest) = notes.take_rest() {
            notes.add(rest.otherwise);
        }
        let result = self.judged(result, &notes, signature, place);
        result.map_err(|interrupt| self.of_element(interrupt, &first, signature))
    }

    /// Returns what stopped a function of the registry that ran with an element of a list.
    fn of_element(&self, interrupt: Interrupt, element: &Value, signature: &Arc<Signature>) -> Stop {
        match interrupt {
            Interrupt::Failure(failure) => failure.into(),
            Interrupt::Inside(stop) => stop,
            Interrupt::Ambiguous(question) => {
                let written = self.print_short(element);
                let program = written.map(|it| format!("{}({it})", signature.name));
                let kind = FailureKind::AmbiguousElement { element: self.print_start(element), program };
                let element = element.clone();
                ElementQuestion { element, question, place: None, otherwise: kind.into() }.into()
            }
        }
    }

    fn argument<'a>(
        self: &'a Arc<Self>,
        signature: &'a Arc<Signature>,
        given: &'a Given,
        call: &'a Node,
        env: &Env,
        depth: usize,
    ) -> Evaluated<'a> {
        let parameter = &signature.parameters[given.parameter];
        self.node(&given.node, env, depth).then(env, move |value, env| {
            if parameter.optional && value == Value::Null
                || fits(self.registry.types(), &value, &parameter.ty)
            {
                return Evaluated::now(Ok(value));
            }
            Evaluated::later(self.converted(value, signature, given, call, env.clone()))
        })
    }

    async fn converted(
        &self,
        value: Value,
        signature: &Arc<Signature>,
        given: &Given,
        call: &Node,
        env: Env,
    ) -> Result<Value, Stop> {
        let parameter = &signature.parameters[given.parameter];
        let whole = value.clone();
        let converter = Converter::new(self, signature);
        converter.convert(value, &parameter.ty).await.map_err(|ConversionError { path, cause }| {
            let place = ProgramPlace::part(&given.node, &whole, &path);
            match cause {
                Cause::Interrupt(interrupt) => Stop::from_interrupt(interrupt, place.node.span)
                    .unwrap_or_else(|question| self.ask(question, &place, call, &env, signature)),
                cause => {
                    Failure::at(place.node.span, self.conversion_failure(cause, &path, signature, parameter))
                        .into()
                }
            }
        })
    }

    pub(super) fn conversion_failure(
        &self,
        cause: Cause,
        path: &[PathStep],
        signature: &Arc<Signature>,
        parameter: &Parameter,
    ) -> FailureKind {
        let (signature, name) = (signature.clone(), parameter.name.clone() + &display_path(path));
        match cause {
            Cause::NoWay { found, expected } => {
                let found = mismatch(&self.registry, &found, &expected);
                FailureKind::WrongType { signature, parameter: name, expected, found }
            }
            Cause::Broken { found, refinement } => {
                let value = self.print_start(&found);
                FailureKind::BrokenRefinement { signature, parameter: name, refinement, value }
            }
            Cause::Nothing(expected) => FailureKind::NothingGiven { signature, parameter: name, expected },
            Cause::Interrupt(_) => unreachable!("interrupts are passed on"),
        }
    }

    /// Gives failures of a callable the place of its call, and makes ambiguities of its questions.
    fn stopped(
        &self,
        interrupt: Interrupt,
        call: &CallNode,
        arguments: &Object,
        node: &Node,
        env: &Env,
    ) -> Stop {
        let signature = &call.callable.signature;
        let place = |failure: &Failure| {
            let name = failure.argument.as_ref()?;
            call.arguments.iter().find(|it| signature.parameters[it.parameter].name == *name)
        };
        let interrupt = match interrupt {
            Interrupt::Failure(failure) => {
                let span = place(&failure).map_or(node.span, |given| given.node.span);
                return failure.or_at(span).into();
            }
            other => other,
        };
        match Stop::from_interrupt(interrupt, node.span) {
            Ok(stop) => self.about_element(stop, call, arguments, node, env),
            Err(question) => {
                let place = ProgramPlace::of_question(call, node, &question);
                self.ask(question, &place, node, env, signature)
            }
        }
    }

    /// Asks about a place: the author of the program, or the caller of the lambda around it.
    fn ask(
        &self,
        question: Question,
        place: &ProgramPlace<'_>,
        call: &Node,
        env: &Env,
        signature: &Arc<Signature>,
    ) -> Stop {
        if let NodeKind::Local { up } = &place.node.kind
            && place.node.varies
            && place.is_whole()
        {
            let element = env.get(*up).clone();
            let kind = FailureKind::AmbiguousElement {
                element: self.print_start(&element),
                program: candidates::inlined(self, call, env),
            };
            let otherwise = Failure::at(place.node.span, kind);
            let place = Some(place.node.span);
            return ElementQuestion { element, question, place, otherwise }.into();
        }
        if place.node.varies {
            let program = candidates::inlined(self, call, env);
            let kind =
                FailureKind::AmbiguousElement { element: self.text(place.node.span).to_owned(), program };
            return Failure::at(place.node.span, kind).into();
        }
        if let Err(failure) = self.check_question(place, &question) {
            return failure.or_at(place.node.span).into();
        }
        match candidates::ambiguity(self, place, question) {
            Some(ambiguity) => ambiguity.into(),
            None => {
                let found = "question with fewer than two different choices".to_owned();
                let kind =
                    FailureKind::BrokenPromise { signature: signature.clone(), found, parts: Vec::new() };
                Failure::at(place.node.span, kind).into()
            }
        }
    }

    /// Asks about an element of a list that this call iterated over. Its candidates write out the list with
    /// that element decided.
    fn about_element(
        &self,
        mut stop: Stop,
        call: &CallNode,
        arguments: &Object,
        node: &Node,
        env: &Env,
    ) -> Stop {
        let Some(PendingQuestion::Element(question)) = stop.question.as_deref() else { return stop };
        let signature = &call.callable.signature;
        let found = call.arguments.iter().find_map(|given| {
            let value = arguments.get(&signature.parameters[given.parameter].name)?;
            let equal = value.as_list()?.iter().enumerate().filter(|(_, it)| **it == question.element);
            let equal: Vec<usize> = equal.map(|(index, _)| index).collect();
            (!equal.is_empty()).then_some((given, value, equal))
        });
        let Some((given, whole, equal)) = found else { return stop };
        let mut question = question.question.clone();
        let (elements, is_beyond_elements) = (std::mem::take(&mut stop.elements), stop.is_beyond_elements);
        let path = [PathStep::Element(equal[0])];
        let place = match equal.len() {
            1 => ProgramPlace::part(&given.node, whole, &path),
            _ => {
                let decide = |choice: &mut Choice| choice.value = with_elements(whole, &equal, &choice.value);
                question.choices.iter_mut().for_each(decide);
                ProgramPlace::part(&given.node, whole, &[])
            }
        };
        let asked = self.ask(question, &place, node, env, signature);
        stop.question = None;
        stop.join(asked);
        Stop { elements, is_beyond_elements, ..stop }
    }

    pub(super) async fn run_callable(
        self: &Arc<Self>,
        callable: &Callable,
        arguments: Object,
        notes: &Notes,
    ) -> Result<Value, Interrupt> {
        // Pure calls are bounded by the limits on steps and values.
        if callable.effect > Effect::Pure {
            self.count_call()?;
        }
        match &callable.code {
            CallableCode::Constructor(shape) => {
                let record = Record { type_name: shape.name.clone(), fields: arguments };
                Ok(self.measured(Value::Record(record))?)
            }
            CallableCode::Function(row) => {
                let written = (callable.effect == Effect::Writes)
                    .then(|| self.print_call(&callable.signature, &arguments));
                let question = (callable.effect == Effect::Reads)
                    .then(|| Answers::question(&callable.signature, &arguments))
                    .flatten();
                if let Some(value) = self.answered(question.as_deref(), notes) {
                    return Ok(value);
                }
                let invocation = self.invocation(arguments, notes);
                let value =
                    self.registry.call(callable.row(row), row.error_template.as_ref(), invocation).await?;
                lock(&self.done).extend(written);
                let value = self.checked(value, &callable.signature, notes)?;
                self.answers.keep(question, &value, notes);
                Ok(value)
            }
        }
    }

    pub(crate) async fn run_conversion(
        &self,
        route: &RegisteredConversion,
        value: Value,
        consumer: Option<&Arc<Signature>>,
    ) -> Result<Value, Interrupt> {
        if route.effect > Effect::Pure {
            self.count_call()?;
        }
        let arguments = Object::from_iter([(route.signature.parameters[0].name.clone(), value)]);
        let notes = self.notes.for_call();
        let question = (route.effect == Effect::Reads)
            .then(|| Answers::question(&route.signature, &arguments))
            .flatten();
        if let Some(value) = self.answered(question.as_deref(), &notes) {
            return self.judged_conversion(value, &notes, &route.signature);
        }
        let consumer = consumer.cloned();
        let invocation = Invocation { consumer, ..self.invocation(arguments, &notes) };
        let value = self.registry.call(route.row(), route.error_template.as_ref(), invocation).await?;
        let value = self.checked(value, &route.signature, &notes)?;
        self.answers.keep(question, &value, &notes);
        self.judged_conversion(value, &notes, &route.signature)
    }

    fn invocation(&self, arguments: Object, notes: &Notes) -> Invocation {
        let (notes, work) = (notes.clone(), self.work.clone());
        Invocation { arguments: Arguments(arguments), notes, limits: self.limits, work, consumer: None }
    }

    /// Checks a result of a library's code, and makes the declared records of plain objects.
    fn checked(&self, value: Value, signature: &Arc<Signature>, notes: &Notes) -> Result<Value, Interrupt> {
        if self.results == ResultCheck::Skip || fits(self.registry.types(), &value, &signature.returns) {
            return Ok(self.measured(value)?);
        }
        let Some(value) = shape(self.registry.types(), &value, &signature.returns) else {
            let found = value.type_name().to_owned();
            let parts = type_errors(&self.registry, &value, &signature.returns);
            let kind = FailureKind::BrokenPromise { signature: signature.clone(), found, parts };
            let failure = Failure::from(kind);
            return match kept(value, &failure, self.results, notes) {
                Some(value) => Ok(self.measured(value)?),
                None => Err(failure.into()),
            };
        };
        Ok(self.measured(value)?)
    }

    /// Returns the call in the form in which a reader sees it.
    fn print_call(&self, signature: &Signature, arguments: &Object) -> String {
        let written: Vec<String> = arguments.values().map(|it| self.print_start(it)).collect();
        format!("{}({})", signature.name, written.join(", "))
    }

    /// Names the arguments, which `values` has in the order of the parameters. An optional one that is null
    /// or absent gets its default, or is left out. Functions among them get the depth.
    pub(super) fn named(
        &self,
        signature: &Signature,
        values: impl Iterator<Item = (usize, Value)>,
        depth: usize,
    ) -> Object {
        let mut values = values.peekable();
        let mut arguments = Fields::with_capacity_and_hasher(values.size_hint().0, RandomState::default());
        for (index, parameter) in signature.parameters.iter().enumerate() {
            let value = values.next_if(|(given, _)| *given == index).map(|(_, value)| at_depth(value, depth));
            let value = value.filter(|value| *value != Value::Null || !parameter.optional);
            if let Some(value) = value.or_else(|| default(self.registry.types(), parameter)) {
                arguments.insert(parameter.name.clone(), value);
            }
        }
        arguments.into()
    }
}

/// Keeps the value of a call that broke its promise.
fn kept(value: Value, failure: &Failure, results: ResultCheck, notes: &Notes) -> Option<Value> {
    match results {
        ResultCheck::Fail => None,
        ResultCheck::Skip => Some(value),
        ResultCheck::Note => {
            notes.add(crate::explain::diagnostic(failure).message);
            Some(value)
        }
    }
}

/// Returns the list with the element at several indexes. Deciding one of several equal elements would leave
/// the question open.
fn with_elements(list: &Value, indexes: &[usize], element: &Value) -> Value {
    let mut items: Vec<Value> = list.as_list().unwrap_or_default().to_vec();
    indexes.iter().for_each(|index| items[*index] = element.clone());
    Value::List(items.into())
}

/// Returns `true` if a call was stopped for every element of a list.
fn leaves_nothing(stop: &Stop, arguments: &Object, call: Span) -> bool {
    let stopped: Vec<&Value> =
        stop.elements.iter().filter(|it| it.call == Some(call)).map(|it| &it.element).collect();
    let is_stopped = |it: &[Value]| it.len() <= stopped.len() && it.iter().all(|it| stopped.contains(&it));
    !stopped.is_empty() && arguments.values().filter_map(Value::as_list).any(is_stopped)
}

/// Returns the path to a part of an argument, if it leads through a field.
fn display_path(path: &[PathStep]) -> String {
    let Some(last) = path.iter().rposition(|it| matches!(it, PathStep::Field(_))) else {
        return String::new();
    };
    let step = |step: &PathStep| match step {
        PathStep::Element(index) => format!("[{index}]"),
        PathStep::Field(name) => format!(".{name}"),
    };
    path[..=last].iter().map(step).collect()
}

fn at_depth(value: Value, depth: usize) -> Value {
    match value {
        Value::Function(closure) => Value::Function(closure.at_depth(depth)),
        other => other,
    }
}
