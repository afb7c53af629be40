//! Finds the calls whose missing parts a program decides on: it counts, compares or negates what they return.
//!
//! The program is read once, with an abstract value for each expression that holds the calls whose gaps it may have.
//! The result is an over-approximation: a branch that does not run, and a value that nobody uses, count too.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use source_text::Span;

use crate::gap::Flow;
use crate::node::{CallNode, ElementNode, LambdaNode, Node, NodeKind};
use crate::registry::{Callable, CallableCode};
use crate::{Effect, Type, Value};

/// The most expressions that are read; beyond, every call counts as decided on.
const MOST: usize = 50_000;

/// The calls of a program whose missing parts it decides on.
#[derive(Debug, Default)]
pub(crate) struct Decisions {
    decided: HashMap<Span, Decision>,
    /// The calls that were read. Others are in lambdas that something unknown calls.
    read: HashSet<Span>,
    /// `true` if the program is too large to tell.
    are_all: bool,
}

/// A decision about what a call returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    /// The function or operator that decides: `count`, `==`. `None` if that cannot be told.
    pub(crate) by: Option<String>,
    /// `true` if it depends on the start of a list alone, so that it is right on a list whose end was cut off.
    pub(crate) is_of_start: bool,
}

impl Decisions {
    /// Reads a program, in which `given` names are bound already.
    pub(crate) fn of(root: &Node, given: usize) -> Self {
        let mut reader = Reader { decisions: Self::default(), steps: 0 };
        let env = (0..given).fold(Scope::default(), |env, _| env.bind(Part::default()));
        let result = reader.node(root, &env);
        // What a lambda does that nobody calls, or that is called elsewhere, is not known.
        reader.call_all(&result, "the program");
        reader.decisions
    }

    /// Returns the decision on what is missing in the results of the call at a place.
    pub(crate) fn on(&self, call: Span) -> Option<Decision> {
        let unknown = || Decision { by: None, is_of_start: false };
        let is_unknown = self.are_all || !self.read.contains(&call);
        self.decided.get(&call).cloned().or_else(|| is_unknown.then(unknown))
    }
}

/// The calls whose gaps a value may have. Each is marked `true` if only the end of a list may be missing, for gaps that
/// are ends.
type Calls = BTreeMap<(usize, usize), bool>;

/// An abstract value: the calls that may have gaps where it lacks something.
#[derive(Clone, Debug, Default)]
struct Part<'p> {
    /// The calls for whose gaps the list or object lacks elements.
    own: Calls,
    /// The calls for whose gaps it, or anything in it, lacks something: a text, a record.
    deep: Calls,
    /// Any of its elements or fields.
    inside: Option<Rc<Part<'p>>>,
    /// The fields that the program spells out.
    fields: BTreeMap<String, Rc<Part<'p>>>,
    /// The functions that it may be.
    functions: Vec<Rc<Code<'p>>>,
    /// `true` if it is an object, and no list.
    is_object: bool,
}

#[derive(Debug)]
enum Code<'p> {
    Lambda(&'p LambdaNode, Scope<'p>),
    Callable(&'p Arc<Callable>, Span),
}

/// The values of names, the innermost first.
#[derive(Clone, Debug, Default)]
struct Scope<'p>(Option<Rc<Bound<'p>>>);

#[derive(Debug)]
struct Bound<'p> {
    value: Part<'p>,
    outer: Scope<'p>,
}

impl<'p> Scope<'p> {
    fn bind(self, value: Part<'p>) -> Self {
        Self(Some(Rc::new(Bound { value, outer: self })))
    }

    fn get(&self, up: usize) -> Part<'p> {
        let outer = std::iter::successors(self.0.as_deref(), |it| it.outer.0.as_deref());
        outer.into_iter().nth(up).map(|it| it.value.clone()).unwrap_or_default()
    }
}

impl<'p> Part<'p> {
    fn join(mut self, other: &Self) -> Self {
        self.is_object &= other.is_object;
        for (mine, more) in [(&mut self.own, &other.own), (&mut self.deep, &other.deep)] {
            for (call, is_end) in more {
                *mine.entry(*call).or_insert(*is_end) &= is_end;
            }
        }
        self.inside = match (self.inside, &other.inside) {
            (Some(mine), Some(more)) => Some(Rc::new(Self::clone(&mine).join(more))),
            (mine, more) => mine.or_else(|| more.clone()),
        };
        // A field that one of them does not spell out may be anything inside of it.
        if !self.fields.is_empty() || !other.fields.is_empty() {
            self = self.spilt();
            let other = other.clone().spilt();
            self.inside = match (self.inside, other.inside) {
                (Some(mine), Some(more)) => Some(Rc::new(Self::clone(&mine).join(&more))),
                (mine, more) => mine.or(more),
            };
        }
        for code in &other.functions {
            if !self.functions.iter().any(|it| Rc::ptr_eq(it, code)) {
                self.functions.push(Rc::clone(code));
            }
        }
        self
    }

    /// Moves the fields to the unnamed contents.
    fn spilt(mut self) -> Self {
        let fields = std::mem::take(&mut self.fields);
        self.inside = fields.values().fold(self.inside, |inside, field| {
            Some(Rc::new(inside.map_or_else(|| Self::clone(field), |it| Self::clone(&it).join(field))))
        });
        self
    }

    /// Returns any of its elements or fields.
    fn element(&self) -> Self {
        let inside = self.clone().spilt().inside.map(|it| Self::clone(&it)).unwrap_or_default();
        inside.join(&Self { deep: self.deep.clone(), ..Self::default() })
    }

    fn field(&self, name: &str) -> Self {
        match self.fields.get(name) {
            Some(field) => Self::clone(field).join(&Self { deep: self.deep.clone(), ..Self::default() }),
            None => self.element(),
        }
    }

    /// Returns a list of such elements, which lacks what the list `of` lacks.
    fn list_of(of: &Self, element: Self) -> Self {
        Self { own: joined(&of.own, &of.deep), inside: Some(Rc::new(element)), ..Self::default() }
    }

    /// Returns all calls that it, or anything in it, has gaps of.
    fn all(&self) -> Calls {
        let mut all = joined(&self.own, &self.deep);
        for part in self.inside.iter().chain(self.fields.values()) {
            all = joined(&all, &part.all());
        }
        all
    }

    /// Returns a text made of it.
    fn as_text(&self) -> Self {
        Self { deep: unordered(self.all()), ..Self::default() }
    }

    /// Returns the same elements in another order: its end is anywhere.
    fn reordered(mut self) -> Self {
        self.own = unordered(self.own);
        self.deep = unordered(self.deep);
        self
    }
}

fn joined(one: &Calls, other: &Calls) -> Calls {
    let mut all = one.clone();
    for (call, is_end) in other {
        *all.entry(*call).or_insert(*is_end) &= is_end;
    }
    all
}

fn unordered(calls: Calls) -> Calls {
    calls.into_keys().map(|it| (it, false)).collect()
}

struct Reader {
    decisions: Decisions,
    steps: usize,
}

impl Reader {
    fn node<'p>(&mut self, node: &'p Node, env: &Scope<'p>) -> Part<'p> {
        self.steps += 1;
        if self.steps > MOST {
            self.decisions.are_all = true;
            return Part::default();
        }
        match &node.kind {
            NodeKind::Literal(_) | NodeKind::Embedded(_) => Part::default(),
            NodeKind::Local { up } => env.get(*up),
            NodeKind::Lambda(lambda) => function(Code::Lambda(lambda, env.clone())),
            NodeKind::Function(callable) => function(Code::Callable(callable, node.span)),
            NodeKind::List(elements) => self.list(elements, env),
            NodeKind::Object(fields) => {
                let fields = fields.iter().map(|(name, it)| (name.clone(), Rc::new(self.node(it, env))));
                Part { fields: fields.collect(), is_object: true, ..Part::default() }
            }
            NodeKind::Call(call) => self.call(call, node.span, env),
            NodeKind::Apply { function, arguments } => {
                let function = self.node(function, env);
                let arguments: Vec<_> = arguments.iter().map(|it| self.node(it, env)).collect();
                self.apply(&function, &arguments)
            }
            NodeKind::Member { of, name, .. } => self.member(of, name, env),
            NodeKind::Index { of, index } => self.index(of, index, env),
            NodeKind::Unary { operator, of } => {
                let of = self.node(of, env);
                self.decide(&of, operator);
                Part::default()
            }
            NodeKind::Binary { operator, left, right } => self.binary(operator, left, right, env),
            NodeKind::Conditional { condition, then, otherwise } => {
                let condition = self.node(condition, env);
                self.decide(&condition, "if");
                self.node(then, env).join(&self.node(otherwise, env))
            }
            NodeKind::Let { bindings, result, .. } => {
                let bind = |env: Scope<'p>, it: &'p Node| {
                    let value = self.node(it, &env);
                    env.bind(value)
                };
                let env = bindings.iter().fold(env.clone(), bind);
                self.node(result, &env)
            }
            NodeKind::Attempt(of) => {
                let of = self.node(of, env);
                Part { inside: Some(Rc::new(of)), ..Part::default() }
            }
            NodeKind::Method(method) => {
                let env = env.clone().bind(self.node(&method.receiver, env));
                let each = method.calls.iter().map(|it| &it.node);
                each.fold(Part::default(), |all, call| all.join(&self.node(call, &env)))
            }
            NodeKind::OrNull { receiver, call } => {
                let env = env.clone().bind(self.node(receiver, env));
                self.node(call, &env)
            }
        }
    }

    fn list<'p>(&mut self, elements: &'p [ElementNode], env: &Scope<'p>) -> Part<'p> {
        elements.iter().fold(Part::default(), |mut list, ElementNode { spread, node }| {
            let value = self.node(node, env);
            let (own, element) = match spread {
                true => (joined(&value.own, &value.deep), value.element()),
                false => (Calls::new(), value),
            };
            list.own = joined(&list.own, &own);
            list.inside = Some(Rc::new(match &list.inside {
                Some(inside) => Part::clone(inside).join(&element),
                None => element,
            }));
            list
        })
    }

    fn member<'p>(&mut self, of: &'p Node, name: &str, env: &Scope<'p>) -> Part<'p> {
        let of = self.node(of, env);
        // `list.field` is that of its only element.
        self.decide_on(&of.own, name, false);
        if name == "length" && !of.fields.contains_key(name) {
            self.decide_on(&of.deep, name, false);
        }
        let field = of.field(name);
        // The list may have elements that are records, too.
        if of.fields.contains_key(name) { field } else { field.clone().join(&field.element()) }
    }

    fn index<'p>(&mut self, of: &'p Node, index: &'p Node, env: &Scope<'p>) -> Part<'p> {
        let (list, at) = (self.node(of, env), self.node(index, env));
        let is_from_start =
            matches!(&index.kind, NodeKind::Literal(Value::Number(it)) if it.as_u64().is_some());
        self.decide(&at, "[]");
        self.decide_on(&joined(&list.own, &list.deep), "[]", is_from_start);
        match &index.kind {
            NodeKind::Literal(Value::Text(name)) => list.field(name),
            _ => list.element(),
        }
    }

    fn binary<'p>(
        &mut self,
        operator: &'static str,
        left: &'p Node,
        right: &'p Node,
        env: &Scope<'p>,
    ) -> Part<'p> {
        let (left, right) = (self.node(left, env), self.node(right, env));
        match operator {
            // Joins texts. Numbers that come of what is missing are decided on where they are made.
            "+" => left.as_text().join(&right.as_text()),
            "??" => {
                // Only what is no list may be null.
                self.decide_on(&left.deep, operator, false);
                left.join(&right)
            }
            _ => {
                self.decide(&left, operator);
                self.decide(&right, operator);
                Part::default()
            }
        }
    }

    fn call<'p>(&mut self, call: &'p CallNode, span: Span, env: &Scope<'p>) -> Part<'p> {
        let mut arguments: Vec<Option<Part<'p>>> = vec![None; call.callable.signature.parameters.len()];
        for given in &call.arguments {
            let value = self.node(&given.node, env);
            arguments[given.parameter] = Some(self.converted(value, &call.callable, given.parameter));
        }
        self.called(&call.callable, arguments, span)
    }

    /// Returns an argument as its parameter takes it. Of a list where one value is wanted, the only element is taken.
    fn converted<'p>(&mut self, value: Part<'p>, callable: &Callable, parameter: usize) -> Part<'p> {
        let signature = &callable.signature;
        let mut part = Some(&value);
        let mut wanted = &signature.parameters[parameter].ty;
        while let Some(it) = part {
            if !takes_list(wanted) && !it.is_object {
                self.decide_on(&it.own, &signature.name, false);
            }
            (part, wanted) = match wanted {
                Type::List(inner) => (it.inside.as_deref(), &**inner),
                _ => (None, wanted),
            };
        }
        value
    }

    fn called<'p>(
        &mut self,
        callable: &'p Callable,
        arguments: Vec<Option<Part<'p>>>,
        span: Span,
    ) -> Part<'p> {
        let flow = match &callable.code {
            CallableCode::Constructor(_) => {
                let names = callable.signature.parameters.iter().map(|it| it.name.clone());
                let fields = names.zip(arguments).filter_map(|(name, it)| Some((name, Rc::new(it?))));
                return Part { fields: fields.collect(), ..Part::default() };
            }
            CallableCode::Function(row) => row.flow,
        };
        let result = self.flow(flow, &callable.signature.name, arguments);
        if callable.effect == Effect::Pure {
            return result;
        }
        self.decisions.read.insert(span);
        let own = Calls::from([((span.start, span.end), true)]);
        result.join(&match &callable.signature.returns {
            Type::List(_) => Part { own, ..Part::default() },
            _ => Part { deep: own, ..Part::default() },
        })
    }

    /// Returns the result of a function of that flow, called `by`.
    fn flow<'p>(&mut self, flow: Flow, by: &str, mut arguments: Vec<Option<Part<'p>>>) -> Part<'p> {
        if flow == Flow::Decides || arguments.is_empty() {
            return self.decides(by, arguments.into_iter().flatten().collect());
        }
        let first = arguments.remove(0).unwrap_or_default();
        let others: Vec<Part<'p>> = arguments.into_iter().flatten().collect();
        let (functions, others): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|it| !it.functions.is_empty());
        if flow != Flow::Merged {
            others.iter().for_each(|it| self.decide(it, by));
        }
        let element = first.element();
        let own = joined(&first.own, &first.deep);
        let given = self.each(&functions, &first, by);
        // Which function it is was lost on the way.
        self.decisions.are_all |= matches!(flow, Flow::Each | Flow::Chosen) && functions.is_empty();
        match flow {
            Flow::Each => Part::list_of(&first, given),
            // What is left may be nothing, so that there is no first element any more.
            Flow::Chosen | Flow::Part => {
                self.decide(&given, by);
                first.reordered()
            }
            Flow::Ordered => {
                self.decide(if functions.is_empty() { &element } else { &given }, by);
                first.reordered()
            }
            Flow::Distinct => {
                self.decide(if functions.is_empty() { &element } else { &given }, by);
                if !functions.is_empty() {
                    self.decide_on(&own, by, true);
                }
                first
            }
            Flow::First => {
                self.decide_on(&own, by, true);
                element
            }
            Flow::Element | Flow::Extreme => {
                self.decide_on(&own, by, false);
                self.decide(&given, by);
                if flow == Flow::Extreme {
                    self.decide(&element, by);
                }
                others.iter().fold(element, Part::join)
            }
            Flow::Grouped => {
                self.decide(&given, by);
                let groups = Some(Rc::new(Part::list_of(&first, element)));
                Part { own, inside: groups, is_object: true, ..Part::default() }
            }
            Flow::Flattened => Part {
                own: joined(&own, &unordered(joined(&element.own, &element.deep))),
                inside: Some(Rc::new(element.element().join(&Part { own: Calls::new(), ..element }))),
                ..Part::default()
            },
            Flow::Names => Part { own, ..Part::default() },
            Flow::Merged => {
                let other = others.into_iter().next().unwrap_or_default();
                self.decide_on(&joined(&other.own, &other.deep), by, false);
                first.join(&other)
            }
            Flow::Text => {
                self.decide(&given, by);
                first.as_text()
            }
            Flow::Decides => unreachable!("it is answered above"),
        }
    }

    /// Returns the result of functions for any element of a list, which get its index too.
    fn each<'p>(&mut self, functions: &[Part<'p>], list: &Part<'p>, by: &str) -> Part<'p> {
        let takes_index =
            |it: &Rc<Code<'_>>| matches!(&**it, Code::Lambda(lambda, _) if lambda.parameters.len() > 1);
        if functions.iter().any(|it| it.functions.iter().any(takes_index)) {
            self.decide_on(&joined(&list.own, &list.deep), by, true);
        }
        let element = list.element();
        let apply = |all: Part<'p>, it: &Part<'p>| {
            let result = self.apply(it, &[element.clone(), Part::default()]);
            all.join(&result)
        };
        functions.iter().fold(Part::default(), apply)
    }

    /// Decides on all arguments. Functions among them are called with anything that is in the others.
    fn decides<'p>(&mut self, by: &str, arguments: Vec<Part<'p>>) -> Part<'p> {
        let (functions, others): (Vec<_>, Vec<_>) =
            arguments.into_iter().partition(|it| !it.functions.is_empty());
        others.iter().for_each(|it| self.decide(it, by));
        let anything = others.iter().fold(Part::default(), |all, it| all.join(it).join(&it.element()));
        for function in &functions {
            let result = self.apply(function, &[anything.clone(), anything.clone(), anything.clone()]);
            self.decide(&result, by);
        }
        Part::default()
    }

    fn apply<'p>(&mut self, function: &Part<'p>, arguments: &[Part<'p>]) -> Part<'p> {
        if function.functions.is_empty() {
            // Which function it is was lost on the way.
            self.decisions.are_all = true;
            return Part::default();
        }
        let mut result = Part::default();
        for code in &function.functions {
            let value = match &**code {
                Code::Lambda(lambda, env) => {
                    let arguments = arguments.iter().cloned().chain(std::iter::repeat_with(Part::default));
                    let given = arguments.take(lambda.parameters.len());
                    let env = given.fold(env.clone(), Scope::bind);
                    self.node(&lambda.body, &env)
                }
                Code::Callable(callable, span) => {
                    let mut given: Vec<_> = arguments.iter().cloned().map(Some).collect();
                    given.resize(callable.signature.parameters.len(), None);
                    let given = given
                        .into_iter()
                        .enumerate()
                        .map(|(index, it)| it.map(|it| self.converted(it, callable, index)));
                    let given = given.collect();
                    self.called(callable, given, *span)
                }
            };
            result = result.join(&value);
        }
        result
    }

    /// Calls the functions in a value that leaves the program, and decides on what they return.
    fn call_all(&mut self, value: &Part<'_>, by: &str) {
        if !value.functions.is_empty() {
            let result = self.apply(value, &[]);
            self.decide(&result, by);
        }
        value.inside.iter().chain(value.fields.values()).for_each(|it| self.call_all(it, by));
    }

    /// Decides on all that a value, or anything in it, lacks.
    fn decide(&mut self, on: &Part<'_>, by: &str) {
        self.decide_on(&unordered(on.all()), by, false);
        self.call_all(on, by);
    }

    fn decide_on(&mut self, calls: &Calls, by: &str, is_of_start: bool) {
        for (&(start, end), is_end) in calls {
            let decision = Decision { by: Some(by.to_owned()), is_of_start: is_of_start && *is_end };
            let known =
                self.decisions.decided.entry(Span::new(start, end)).or_insert_with(|| decision.clone());
            if known.is_of_start && !decision.is_of_start {
                *known = decision;
            }
        }
    }
}

fn function(code: Code<'_>) -> Part<'_> {
    Part { functions: vec![Rc::new(code)], ..Part::default() }
}

/// Returns `true` if a value of that type may be a list.
fn takes_list(ty: &Type) -> bool {
    match ty {
        Type::List(_) | Type::Any => true,
        Type::Optional(inner) | Type::Refined(inner, _) => takes_list(inner),
        Type::Union(members) => members.iter().any(takes_list),
        _ => false,
    }
}
