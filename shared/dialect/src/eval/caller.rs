//! Calls from outside of a program, such as those of statements in documents. They take the same way as a program's:
//! arguments are named, converted and checked, the row is called through the registry, and its result is checked.

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};

use futures::future::BoxFuture;
use source_text::Span;

use super::answers::Answers;
use super::function::BoundFunction;
use super::run::{ResultCheck, Run};
use crate::convert::{Cause, ConversionError, Converter, PathStep};
use crate::registry::Callable;
use crate::resolve::arguments::{missing_parameters, parameter};
use crate::shape::{fits, shape};
use crate::{
    Arguments, Effect, Failure, FailureKind, Form, GivenArgument, Interrupt, Limits, Notes, Object,
    Parameter, Refinement, Registry, Signature, Type, Value, Work,
};

/// A caller of a registry's functions. Its calls count their work together. A clone is the same caller.
#[derive(Clone)]
pub struct Caller {
    run: Arc<Run>,
    arguments: ArgumentCheck,
}

/// The treatment of arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArgumentCheck {
    /// Arguments are converted to the types of the parameters, as in programs.
    #[default]
    Convert,
    /// Arguments must have the types of the parameters already.
    Exact,
    /// Arguments are passed as they are.
    Skip,
}

impl Caller {
    /// Makes a caller of the functions of `registry`, whose work and notes are counted and kept there.
    pub fn new(registry: &Registry, limits: &Limits, work: &Work, notes: &Notes) -> Self {
        let run = Run { results: ResultCheck::Fail, ..Run::new(registry, limits, work, notes) };
        Self { run: Arc::new(run), arguments: ArgumentCheck::Convert }
    }

    /// Sets the checks of its calls.
    #[must_use]
    pub fn checking(self, arguments: ArgumentCheck, results: ResultCheck) -> Self {
        let Run { registry, limits, work, notes, .. } = &*self.run;
        let run = Run { results, ..Run::new(registry, limits, work, notes) };
        Self { run: Arc::new(run), arguments }
    }

    /// Sets the text that the places of its expressions refer to.
    #[must_use]
    pub fn reading(self, source: Arc<str>) -> Self {
        let Run { registry, limits, work, notes, results, .. } = &*self.run;
        let run = Run { results: *results, source, ..Run::new(registry, limits, work, notes) };
        Self { run: Arc::new(run), ..self }
    }

    pub(super) fn run(&self) -> &Arc<Run> {
        &self.run
    }

    /// Returns `true` if there is a function of that name, which may be its name in another language.
    pub fn knows(&self, name: &str) -> bool {
        self.run.registry.callable_or_foreign(name).is_some()
    }

    /// Calls the function of that name, or the one that other languages call so.
    ///
    /// # Errors
    /// There is no such function, the arguments do not fit, or the call was stopped. Failures have no place.
    pub async fn call(&self, name: &str, given: Vec<GivenArgument>) -> Result<Value, Interrupt> {
        let callable = self.callable(name)?;
        let arguments = self.arguments_of(callable, given).await?;
        let notes = self.run.notes.for_call();
        let result = self.run.run_callable(callable, arguments, &notes).await;
        if let Some(rest) = notes.take_rest() {
            notes.add(rest.otherwise);
        }
        self.run.judged_outside(result, &notes, &callable.signature)
    }

    /// Places, converts and checks the arguments of a call, for code that stands in for that of the function.
    ///
    /// # Errors
    /// There is no such function, or the arguments do not fit.
    pub async fn arguments(&self, name: &str, given: Vec<GivenArgument>) -> Result<Arguments, Interrupt> {
        Ok(Arguments(self.arguments_of(self.callable(name)?, given).await?))
    }

    fn callable(&self, name: &str) -> Result<&Arc<Callable>, Failure> {
        let registry = &self.run.registry;
        registry.callable_or_foreign(name).ok_or_else(|| registry.unknown_function(name.to_owned()).into())
    }

    async fn arguments_of(
        &self,
        callable: &Callable,
        given: Vec<GivenArgument>,
    ) -> Result<Object, Interrupt> {
        let placed = placed(&callable.signature, given)?;
        let mut arguments = Vec::with_capacity(placed.len());
        for (index, value) in placed {
            let parameter = &callable.signature.parameters[index];
            arguments.push((index, self.argument(value, parameter, callable).await?));
        }
        Ok(self.run.named(&callable.signature, arguments.into_iter(), 0))
    }

    async fn argument(
        &self,
        value: Value,
        parameter: &Parameter,
        callable: &Callable,
    ) -> Result<Value, Interrupt> {
        let types = self.run.registry.types();
        let is_left_out = parameter.optional && value == Value::Null;
        if self.arguments == ArgumentCheck::Skip || is_left_out || fits(types, &value, &parameter.ty) {
            return Ok(value);
        }
        let converter = Converter::new(&self.run, &callable.signature);
        let converted = match self.arguments {
            ArgumentCheck::Exact => match shape(types, &value, &parameter.ty) {
                Some(Value::Function(function)) => {
                    converter.convert(Value::Function(function), &parameter.ty).await
                }
                Some(value) => return Ok(value),
                None => Err(ConversionError { path: Vec::new(), cause: self.misfit(value, &parameter.ty) }),
            },
            _ => converter.convert(value, &parameter.ty).await,
        };
        converted.map_err(|ConversionError { path, cause }| match cause {
            Cause::Interrupt(interrupt) => interrupt,
            cause => self.refused(cause, &path, callable, parameter),
        })
    }

    fn misfit(&self, found: Value, expected: &Type) -> Cause {
        let broken = |inner: &Type, refinements: &[Refinement]| {
            shape(self.run.registry.types(), &found, inner)?;
            refinements.iter().find(|it| !it.holds(&found)).cloned()
        };
        match expected {
            Type::Refined(inner, refinements) => match broken(inner, refinements) {
                Some(refinement) => Cause::Broken { found, refinement },
                None => Cause::NoWay { found, expected: expected.clone() },
            },
            _ => Cause::NoWay { found, expected: expected.clone() },
        }
    }

    fn refused(
        &self,
        cause: Cause,
        path: &[PathStep],
        callable: &Callable,
        parameter: &Parameter,
    ) -> Interrupt {
        Failure::from(self.run.conversion_failure(cause, path, &callable.signature, parameter)).into()
    }

    /// Applies a binary operator that evaluates both of its operands.
    ///
    /// # Errors
    /// The operands do not fit, or the result does not.
    pub fn operate(
        &self,
        operator: &'static str,
        [left, right]: [&Value; 2],
        spans: [Span; 2],
        span: Span,
    ) -> Result<Value, Failure> {
        let both = [Cow::Borrowed(left), Cow::Borrowed(right)];
        self.run.operate(operator, both, spans, span).map_err(|mut stop| stop.failures.swap_remove(0))
    }

    /// Checks a new value against the limits, and counts its bytes.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn measured(&self, value: Value) -> Result<Value, Failure> {
        self.run.measured(value)
    }

    /// Checks a value that becomes a part of another one, so many levels inside of it, and counts its bytes.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn inserted(&self, value: Value, level: usize) -> Result<Value, Failure> {
        self.run.inserted(value, level)
    }

    /// Makes a function value, for functions that call back. `source` is its text. It gets as many arguments as
    /// `parameters` has names; with several, functions that call it with the items of a list also pass their indexes.
    pub fn function(
        &self,
        source: &str,
        parameters: &[String],
        code: impl Fn(Vec<Value>) -> BoxFuture<'static, Result<Value, Interrupt>> + Send + Sync + 'static,
    ) -> Value {
        let (run, code) = (Arc::clone(&self.run), Arc::new(code));
        Value::Function(BoundFunction::native(run, source, Some(parameters), code))
    }

    /// Makes a function value that gets every argument it is called with, and in programs of calls has the name `name`:
    /// see [`Program::of_call`](crate::Program::of_call).
    pub fn named_function(
        &self,
        name: &str,
        code: impl Fn(Vec<Value>) -> BoxFuture<'static, Result<Value, Interrupt>> + Send + Sync + 'static,
    ) -> Value {
        Value::Function(BoundFunction::native(Arc::clone(&self.run), name, None, Arc::new(code)))
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").field("arguments", &self.arguments).finish_non_exhaustive()
    }
}

/// Returns the arguments in the order of their parameters, each with the index of its parameter. Those that an open
/// signature does not name are gathered.
fn placed(signature: &Arc<Signature>, given: Vec<GivenArgument>) -> Result<Vec<(usize, Value)>, Failure> {
    let named = signature.named_parameters().len();
    let mut placed: Vec<(usize, Value)> = Vec::with_capacity(given.len());
    let (mut further, mut further_named) = (Vec::new(), Object::new());
    for (position, GivenArgument { name, value }) in given.into_iter().enumerate() {
        let index = match name {
            Some(name) => match parameter(signature, &name) {
                Ok(index) => index,
                Err(_) if signature.is_open && !further_named.contains_key(&name) => {
                    further_named.insert(name, value);
                    continue;
                }
                Err(kind) => return Err(Failure::from(*kind)),
            },
            None if position < named => position,
            None if signature.is_open => {
                further.push(value);
                continue;
            }
            None => {
                let signature = Arc::clone(signature);
                return Err(FailureKind::TooManyArguments { signature, as_list: None }.into());
            }
        };
        place(&mut placed, index, value, signature)?;
    }
    if !further.is_empty() {
        place(&mut placed, named, further.into(), signature)?;
    }
    if !further_named.is_empty() {
        place(&mut placed, named + 1, further_named.into(), signature)?;
    }
    placed.sort_by_key(|(index, _)| *index);
    match missing_parameters(signature, |index| placed.iter().any(|(taken, _)| *taken == index)) {
        Some(failure) => Err(failure.into()),
        None => Ok(placed),
    }
}

/// Adds an argument of a parameter that has none.
fn place(
    placed: &mut Vec<(usize, Value)>,
    index: usize,
    value: Value,
    signature: &Arc<Signature>,
) -> Result<(), Failure> {
    if placed.iter().any(|(taken, _)| *taken == index) {
        let parameter = signature.parameters[index].name.clone();
        let signature = Arc::clone(signature);
        return Err(FailureKind::RepeatedArgument { parameter, meant: None, signature }.into());
    }
    placed.push((index, value));
    Ok(())
}

impl Run {
    /// Makes a run without a program, which may write.
    fn new(registry: &Registry, limits: &Limits, work: &Work, notes: &Notes) -> Self {
        Self {
            registry: registry.clone(),
            limits: *limits,
            source: "".into(),
            form: Form::Text,
            effect: Effect::Writes,
            notes: notes.clone(),
            calls: Arc::default(),
            work: work.clone(),
            done: Mutex::default(),
            left_out: Vec::new(),
            left_all_out: AtomicBool::new(false),
            shortened: Mutex::default(),
            answers: Answers::default(),
            earlier: None,
            results: ResultCheck::Fail,
            program: None,
            decisions: OnceLock::new(),
        }
    }
}

impl Interrupt {
    /// Returns the first failure, or the question.
    ///
    /// # Errors
    /// The question, if nothing failed.
    pub fn into_failure(self) -> Result<Failure, crate::Question> {
        match self {
            Self::Failure(failure) => Ok(failure),
            Self::Ambiguous(question) => Err(question),
            Self::Inside(stop) => stop.into_first(),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use futures::executor::block_on;

    use super::*;
    use crate::{Function, Invocation, Library, RecordType, diagnostic};

    fn registry() -> Registry {
        let echo = |invocation: Invocation| async move { Ok(Value::Object(invocation.arguments.0)) };
        let apply = |invocation: Invocation| async move {
            invocation
                .arguments
                .function("f")?
                .call(vec![invocation.arguments.get("to").cloned().unwrap_or_default()])
                .await
        };
        let library = Library {
            name: "test".to_owned(),
            types: vec![RecordType::new("Point(x: number, y?: number)", "A point.")],
            functions: vec![
                Function::new("pair(count: number, name?: string) -> object", "Echoes.", echo),
                Function::new("at(point: Point) -> object", "Echoes.", echo),
                Function::new("give(f: (item: any) -> number, to: any) -> number", "Calls.", apply),
                Function::new("wrong() -> number", "Lies.", |_| async { Ok("no number".into()) }),
                Function::new("all(first: any, ...) -> object", "Echoes.", echo),
            ],
            ..Library::default()
        };
        Registry::new([library]).unwrap()
    }

    fn caller(notes: &Notes) -> Caller {
        Caller::new(&registry(), &Limits::default(), &Work::new(&Limits::default()), notes)
    }

    fn given(values: &[(&str, serde_json::Value)]) -> Vec<GivenArgument> {
        let argument = |(name, value): &(&str, serde_json::Value)| GivenArgument {
            name: (!name.is_empty()).then(|| (*name).to_owned()),
            value: value.clone().into(),
        };
        values.iter().map(argument).collect()
    }

    fn called(caller: &Caller, name: &str, values: &[(&str, serde_json::Value)]) -> String {
        match block_on(caller.call(name, given(values))) {
            Ok(value) => value.to_json().to_string(),
            Err(interrupt) => diagnostic(&interrupt.into_failure().unwrap()).message,
        }
    }

    #[test]
    fn arguments_are_placed_converted_and_checked() {
        let caller = caller(&Notes::default());
        assert_eq!(
            called(&caller, "pair", &[("", 1.into()), ("name", "a".into())]),
            r#"{"count":1,"name":"a"}"#
        );
        assert_eq!(called(&caller, "pair", &[("count", "7".into())]), r#"{"count":7}"#);
        for (values, message) in [
            (&[][..], "count"),
            (&[("cuont", 1.into())], "cuont"),
            (&[("", 1.into()), ("count", 1.into())], "count"),
            (&[("", 1.into()), ("", "a".into()), ("", 3.into())], "pair"),
            (&[("", "many".into()), ("", "a".into())], "number"),
        ] {
            let found = called(&caller, "pair", values);
            assert!(found.contains(message), "{found}");
        }
        assert!(called(&caller, "piar", &[]).contains("piar"));
        let open = [("", 1.into()), ("", 2.into()), ("", 3.into()), ("x", 4.into())];
        assert_eq!(called(&caller, "all", &open), r#"{"first":1,"args":[2,3],"kwargs":{"x":4}}"#);
        assert!(called(&caller, "all", &[("first", 1.into()), ("first", 2.into())]).contains("first"));
    }

    #[test]
    fn checks_can_be_exact_or_left_out() {
        let notes = Notes::default();
        let exact = caller(&notes).checking(ArgumentCheck::Exact, ResultCheck::Fail);
        assert!(called(&exact, "pair", &[("", "7".into())]).contains("number"));
        assert_eq!(called(&exact, "at", &[("", serde_json::json!({"x": 1}))]), r#"{"point":{"x":1}}"#);
        assert!(called(&exact, "wrong", &[]).contains("number"));
        let open = caller(&notes).checking(ArgumentCheck::Skip, ResultCheck::Note);
        assert_eq!(called(&open, "pair", &[("", "7".into())]), r#"{"count":"7"}"#);
        assert_eq!(called(&open, "wrong", &[]), r#""no number""#);
        assert_eq!(notes.to_vec().len(), 1);
    }

    #[test]
    fn a_function_from_outside_is_called_back_and_its_result_checked() {
        let caller = caller(&Notes::default());
        let apply = |result: Value| {
            let code = move |_: Vec<Value>| futures::future::ready(Ok(result.clone())).boxed();
            let f = caller.function("x => …", &["x".to_owned()], code);
            let given = [f, 3_u32.into()].map(|value| GivenArgument { name: None, value });
            block_on(caller.call("give", given.into()))
        };
        assert_eq!(apply(5_u32.into()), Ok(5_u32.into()));
        let failure = apply("text".into()).unwrap_err().into_failure().unwrap();
        assert!(matches!(&*failure.kind, FailureKind::LambdaResult { .. }), "{failure:?}");
    }
}
