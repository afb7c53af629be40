//! Types of expressions, as far as signatures tell them before a program runs: members that a value cannot have,
//! and results that a function may not give.
//!
//! A type that is not certain is unknown, and nothing is reported about it.

mod known;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use known::{Known, Member};
use source_text::Span;

use crate::method::{MethodCall, MethodNode, allow_all};
use crate::name::is_same_name;
use crate::node::{CallNode, LambdaNode, Node, NodeKind};
use crate::{Failure, FailureKind, Failures, Object, Registry, Type, Value};

/// The most expressions whose types are inferred; a function is inferred again for each use.
const STEPS: usize = 20_000;
/// The bound names whose types are copied in one step.
const SCOPE: usize = 16;
/// The most functions that are applied inside each other.
const DEPTH: usize = 8;

/// Returns the mistakes that the types of a program show, and marks the calls of methods that are possible.
/// The names of `given` are bound in the program.
pub(crate) fn mistakes(
    registry: &Registry,
    program: &Node,
    given: &Object,
    has_methods: bool,
) -> Vec<Failure> {
    let mut inference = Inference {
        registry,
        bound: Vec::new(),
        steps: STEPS,
        depth: 0,
        attempts: 0,
        has_methods,
        is_untouched: false,
        is_cut: false,
        failures: Vec::new(),
    };
    if has_methods {
        inference.bound = given.values().map(|it| inference.of_given(it)).collect();
    }
    inference.of(program);
    if has_methods && inference.is_cut {
        allow_all(program);
    }
    inference.failures
}

struct Inference<'a> {
    registry: &'a Registry,
    /// The types of the names that are bound here, the innermost last.
    bound: Vec<Known>,
    /// The number of steps that are left.
    steps: usize,
    /// The number of functions that are being applied.
    depth: usize,
    /// The number of `attempt(…)` around this expression, which make data of failures.
    attempts: usize,
    /// `true` if the program calls methods of types.
    has_methods: bool,
    /// `true` in a function that is bound to a name, whose uses tell which methods it calls.
    is_untouched: bool,
    /// `true` if a part was not inferred.
    is_cut: bool,
    failures: Vec<Failure>,
}

/// The types that the variables of a generic signature stand for.
type Variables = HashMap<Arc<str>, Known>;

impl Inference<'_> {
    fn of(&mut self, node: &Node) -> Known {
        match self.steps.checked_sub(1) {
            Some(left) => self.steps = left,
            None => {
                self.is_cut = true;
                return Known::Unknown;
            }
        }
        match &node.kind {
            NodeKind::Literal(value) => Known::of_value(value),
            NodeKind::List(elements) => {
                let elements = elements.iter().map(|it| match (self.of(&it.node), it.spread) {
                    (Known::List(inner), true) => Known::clone(&inner),
                    (_, true) => Known::Unknown,
                    (known, false) => known,
                });
                Known::list(Known::one_of(elements.collect::<Vec<_>>()))
            }
            NodeKind::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| (name.clone(), self.of(value)));
                Known::Object(fields.collect::<Vec<_>>().into())
            }
            NodeKind::Call(call) => self.call(call),
            NodeKind::Function(callable) => Known::Callable(callable.clone()),
            NodeKind::Embedded(_) => Known::Unknown,
            NodeKind::Local { up } => {
                let known = self.local(*up);
                // As a value it may be called with anything.
                if self.has_methods && matches!(known, Known::Lambda(..)) {
                    self.apply(&known, Vec::new());
                }
                known
            }
            NodeKind::Apply { function, arguments } => {
                let function = self.callee(function);
                let arguments = arguments.iter().map(|it| self.of(it)).collect();
                self.apply(&function, arguments)
            }
            NodeKind::Lambda(lambda) => {
                self.lambda(lambda, Vec::new());
                self.count_copy(self.bound.len());
                Known::Lambda(lambda.clone(), self.bound.as_slice().into())
            }
            NodeKind::Member { of, name, or_null, .. } => self.member(of, name, *or_null, node.span),
            NodeKind::Index { of, index } => self.index(of, index, node.span),
            NodeKind::Unary { operator, of } => {
                self.of(of);
                if *operator == "!" { Known::Bool } else { Known::Number }
            }
            NodeKind::Binary { operator, left, right } => {
                let (left, right) = (self.of(left), self.of(right));
                binary(operator, left, right)
            }
            NodeKind::Conditional { condition, then, otherwise } => {
                self.of(condition);
                let branches = [self.of(then), self.of(otherwise)];
                Known::one_of(branches)
            }
            NodeKind::Let { bindings, result, .. } => self.with_bound(bindings, result),
            NodeKind::Attempt(of) => {
                self.attempts += 1;
                self.of(of);
                self.attempts -= 1;
                Known::Unknown
            }
            NodeKind::Method(method) => self.method(method),
            NodeKind::OrNull { receiver, call } => self.with_bound([&**receiver], call),
        }
    }

    fn local(&self, up: usize) -> Known {
        let index = self.bound.len().checked_sub(up + 1);
        index.and_then(|it| self.bound.get(it)).cloned().unwrap_or(Known::Unknown)
    }

    /// Infers what is called, which is no value to anything else.
    fn callee(&mut self, node: &Node) -> Known {
        match &node.kind {
            NodeKind::Local { up } => self.local(*up),
            _ => self.of(node),
        }
    }

    /// Infers the value of a name. A function is inferred again for each use.
    fn value_of_name(&mut self, node: &Node) -> Known {
        let is_untouched = self.is_untouched;
        self.is_untouched |= matches!(node.kind, NodeKind::Lambda(_));
        let known = match node.kind {
            NodeKind::Local { up } => self.local(up),
            _ => self.of(node),
        };
        self.is_untouched = is_untouched;
        known
    }

    /// Returns what is known of a value that a name has before the program runs.
    fn of_given(&self, value: &Value) -> Known {
        match value {
            Value::Record(record) => self
                .registry
                .registered_type(&record.type_name)
                .map_or(Known::Unknown, |it| Known::Record(it.clone())),
            value => Known::of_value(value),
        }
    }

    /// Counts a copy of a scope of so many names.
    fn count_copy(&mut self, length: usize) {
        self.steps = self.steps.saturating_sub(length / SCOPE);
    }

    /// Infers the types of values, and then of an expression in which they are bound.
    fn with_bound<'n>(&mut self, values: impl IntoIterator<Item = &'n Node>, result: &Node) -> Known {
        let before = self.bound.len();
        for value in values {
            let known = self.value_of_name(value);
            self.bound.push(known);
        }
        let known = self.of(result);
        self.bound.truncate(before);
        known
    }

    /// Infers the arguments that are values before the functions, whose parameters depend on them.
    fn call(&mut self, call: &CallNode) -> Known {
        let signature = call.callable.precise().clone();
        let mut variables = Variables::new();
        for takes_function in [false, true] {
            for given in &call.arguments {
                let Some(parameter) = signature.parameters.get(given.parameter) else { continue };
                match (parameter.ty.takes_function(), takes_function) {
                    (true, true) => self.function(&given.node, &parameter.ty, &mut variables),
                    (false, false) => {
                        let known = self.of(&given.node);
                        self.unify(&parameter.ty, &known, &mut variables);
                    }
                    _ => {}
                }
            }
        }
        self.known(&signature.returns, &variables)
    }

    /// Infers an argument that is a function, and checks its result.
    fn function(&mut self, node: &Node, ty: &Type, variables: &mut Variables) {
        let declared = ty.alternatives().into_iter().find_map(|it| match it {
            Type::Function { parameters, returns } => Some((parameters, returns)),
            _ => None,
        });
        let Some((parameters, returns)) = declared else { return };
        let arguments = parameters.iter().map(|(_, ty)| self.known(ty, variables)).collect();
        let result = match &node.kind {
            NodeKind::Lambda(lambda) => {
                let result = self.lambda(lambda, arguments);
                if let Some(found) = result.wrong_for(returns) {
                    let kind = FailureKind::LambdaResult { expected: Type::clone(returns), found };
                    self.report(lambda.body.span, kind);
                }
                result
            }
            _ => {
                let function = self.callee(node);
                self.apply(&function, arguments)
            }
        };
        self.unify(returns, &result, variables);
    }

    /// Infers the result of a lambda; parameters without an argument are unknown.
    fn lambda(&mut self, lambda: &LambdaNode, arguments: Vec<Known>) -> Known {
        let before = self.bound.len();
        let unknown = std::iter::repeat(Known::Unknown);
        self.bound.extend(arguments.into_iter().chain(unknown).take(lambda.parameters.len()));
        let result = self.of(&lambda.body);
        self.bound.truncate(before);
        result
    }

    fn apply(&mut self, function: &Known, arguments: Vec<Known>) -> Known {
        match function {
            Known::Callable(callable) => self.known(&callable.signature.returns, &Variables::new()),
            Known::Lambda(lambda, scope) if self.depth < DEPTH => {
                self.count_copy(scope.len());
                let here = std::mem::replace(&mut self.bound, scope.to_vec());
                self.depth += 1;
                let result = self.lambda(lambda, arguments);
                self.depth -= 1;
                self.bound = here;
                result
            }
            Known::Lambda(..) => {
                self.is_cut = true;
                Known::Unknown
            }
            _ => Known::Unknown,
        }
    }

    /// Infers `x.m()`, whose function depends on the type of `x`.
    fn method(&mut self, method: &MethodNode) -> Known {
        let receiver = self.callee(&method.receiver);
        let mut calls = Vec::new();
        let is_known = possible(method, &receiver, &mut calls);
        let calls: Vec<&MethodCall> = if is_known { calls } else { method.calls.iter().collect() };
        if !self.is_untouched {
            calls.iter().for_each(|it| it.is_possible.store(true, Ordering::Relaxed));
        }
        self.bound.push(receiver);
        let known = match calls.as_slice() {
            [call] if call.failures.is_empty() => self.of(&call.node),
            _ => {
                for call in calls.iter().filter_map(|it| it.call()) {
                    call.arguments.iter().for_each(|it| drop(self.of(&it.node)));
                }
                Known::Unknown
            }
        };
        self.bound.pop();
        known
    }

    fn member(&mut self, of: &Node, name: &str, or_null: bool, span: Span) -> Known {
        match self.of(of).member(name, &|ty| self.known(ty, &Variables::new())) {
            Member::Known(known) => known,
            Member::Absent { .. } if or_null => Known::Unknown,
            Member::Absent { found, members } => self.absent(name, found, members, of, span),
        }
    }

    fn index(&mut self, of: &Node, index: &Node, span: Span) -> Known {
        let (known, at) = (self.of(of), self.of(index));
        match (&known, &at, &index.kind) {
            (Known::List(inner), Known::Number, _) => Known::clone(inner),
            (Known::Map(inner), ..) => Known::clone(inner),
            (Known::Record(_) | Known::Object(_), _, NodeKind::Literal(Value::Text(name))) => {
                match known.member(name, &|ty| self.known(ty, &Variables::new())) {
                    Member::Known(known) => known,
                    Member::Absent { found, members } => self.absent(name, found, members, of, span),
                }
            }
            _ => Known::Unknown,
        }
    }

    fn absent(
        &mut self,
        name: &str,
        found: String,
        mut members: Vec<String>,
        of: &Node,
        span: Span,
    ) -> Known {
        members.extend(self.registry.methods_of(&found));
        self.report(Span::new(of.span.end, span.end), FailureKind::no_member(name, found, members));
        Known::Unknown
    }

    /// Reports a mistake once, however often its function is used.
    fn report(&mut self, span: Span, kind: FailureKind) {
        if self.failures.len() >= Failures::MOST {
            return;
        }
        let failure = Failure::at(span, kind);
        if self.attempts == 0 && !self.failures.iter().any(|it| it.span == failure.span) {
            self.failures.push(failure);
        }
    }

    /// Returns what is known of a value of a declared type.
    fn known(&self, ty: &Type, variables: &Variables) -> Known {
        match ty {
            Type::Any | Type::Object | Type::Function { .. } => Known::Unknown,
            Type::Null => Known::Null,
            Type::Bool => Known::Bool,
            Type::Number => Known::Number,
            Type::Text => Known::Text,
            Type::Literal(literal) => Known::of_literal(literal),
            Type::List(inner) => Known::list(self.known(inner, variables)),
            Type::Map(inner) => Known::Map(self.known(inner, variables).into()),
            Type::Fields(fields) => {
                let fields = fields.iter().map(|it| (it.name.clone(), self.known(&it.ty, variables)));
                Known::Fields(fields.collect::<Vec<_>>().into())
            }
            Type::Optional(inner) => Known::one_of([Known::Null, self.known(inner, variables)]),
            Type::Refined(inner, _) => self.known(inner, variables),
            Type::Union(members) => {
                Known::one_of(members.iter().map(|it| self.known(it, variables)).collect::<Vec<_>>())
            }
            Type::Named(name) => match self.registry.registered_type(name) {
                Some(shape) => Known::Record(shape.clone()),
                None => variables.get(name).cloned().unwrap_or(Known::Unknown),
            },
        }
    }

    /// Binds the variables of a declared type to the parts of a value that they stand for.
    fn unify(&self, ty: &Type, known: &Known, variables: &mut Variables) {
        match (ty, known) {
            (Type::Named(name), known) if self.registry.types().is_variable(name) => {
                let known = match variables.remove(name) {
                    Some(other) => Known::one_of([other, known.clone()]),
                    None => known.clone(),
                };
                variables.insert(name.clone(), known);
            }
            (Type::Optional(inner) | Type::Refined(inner, _), known) => self.unify(inner, known, variables),
            (Type::List(inner), Known::List(element)) => self.unify(inner, element, variables),
            (Type::Map(inner), Known::Map(element)) => self.unify(inner, element, variables),
            (Type::List(inner) | Type::Map(inner), _) => self.unify(inner, &Known::Unknown, variables),
            _ => {}
        }
    }
}

/// Collects the calls that may run for a receiver of a type. Returns `false` if that may be any of them.
fn possible<'n>(method: &'n MethodNode, receiver: &Known, calls: &mut Vec<&'n MethodCall>) -> bool {
    let call = match receiver {
        Known::Unknown => return false,
        Known::OneOf(all) => return all.iter().all(|it| possible(method, it, calls)),
        Known::List(inner) => {
            let mut of_elements = Vec::new();
            let is_known = possible(method, inner, &mut of_elements);
            match method.of_list(|| None) {
                Some(call) => Some(call),
                None if is_known => {
                    calls.extend(of_elements);
                    return true;
                }
                None => return false,
            }
        }
        Known::Record(shape) => method.of_type(&shape.name),
        _ => method.of_others(),
    };
    calls.extend(call.filter(|it| !calls.iter().any(|known| std::ptr::eq(*known, *it))));
    call.is_some()
}

fn binary(operator: &str, left: Known, right: Known) -> Known {
    match (operator, left, right) {
        ("??", left, right) => Known::one_of([left, right]),
        ("+", Known::Number, Known::Number) | ("-" | "*" | "/" | "%", ..) => Known::Number,
        ("+", Known::Text, _) | ("+", _, Known::Text) => Known::Text,
        ("+", ..) => Known::Unknown,
        _ => Known::Bool,
    }
}

/// Returns `true` for two spellings of one field's name.
fn is_field(name: &str, wanted: &str) -> bool {
    name == wanted || is_same_name(name, wanted)
}
