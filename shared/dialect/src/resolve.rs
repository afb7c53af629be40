//! Name resolution: syntax tree → resolved program. Everything that can be checked before a program runs is
//! checked here.

pub(crate) mod arguments;
mod call;
mod foreign_idiom;
mod interpolation;
mod need;
mod scope;

use std::collections::HashSet;
use std::sync::Arc;

use scope::Scope;
use source_text::Span;

use crate::ast::{Element, Expression, ExpressionKind, LambdaParameter, Spelled};
use crate::failure::Expected;
use crate::form::is_literal;
use crate::json_form::{self, is_json_form};
use crate::lookalike::is_quoted_program;
use crate::node::{ElementNode, FieldPlace, LambdaNode, Node, NodeKind};
use crate::requirement::Needs;
use crate::{Effect, Failure, FailureKind, Failures, Form, Limits, Object, Registry, Value};

/// A resolved program, and the mistakes in it.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) root: Node,
    pub(crate) form: Form,
    /// The effect of it without its calls of methods.
    pub(crate) effect: Effect,
    /// The permissions that it needs without its calls of methods.
    pub(crate) needs: Needs,
    /// `true` if its lines bind names.
    pub(crate) binds: bool,
    /// `true` if it calls methods of types, whose receivers decide what runs.
    pub(crate) has_methods: bool,
    pub(crate) failures: Vec<Failure>,
}

/// Resolves the names of a program, in which those of `given` are bound already.
pub(crate) fn resolve(
    registry: &Registry,
    source: &str,
    expression: Expression,
    limits: &Limits,
    given: &Object,
) -> Resolved {
    let mut resolver = Resolver {
        registry,
        source,
        scope: Scope::given(given.keys()),
        quoting: false,
        is_alternative: false,
        alternatives: 0,
        limits,
        effect: Effect::Pure,
        needs: Needs::default(),
        has_methods: false,
        failures: Vec::new(),
    };
    let is_json = is_json_form(&expression);
    let form = if is_json { Form::Json } else { Form::Text };
    let expression = if is_json {
        let decoded = json_form::decode(registry, source, expression);
        resolver.failures = decoded.failures;
        decoded.expression
    } else {
        resolver.refuse_mixed(&expression);
        resolver.refuse_quoted(&expression);
        resolver.refuse_uncalled(&expression);
        expression
    };
    let binds = matches!(expression.kind, ExpressionKind::Let { .. });
    let root = resolver.node(expression);
    let Resolver { effect, needs, has_methods, failures, .. } = resolver;
    Resolved { root, form, effect, needs, binds, has_methods, failures }
}

struct Resolver<'a> {
    registry: &'a Registry,
    source: &'a str,
    scope: Scope,
    /// `true` inside `quote(…)`, where objects are data whatever their keys are.
    quoting: bool,
    /// `true` inside a call that is resolved once more, for another type of its receiver.
    is_alternative: bool,
    /// The expressions in such calls so far.
    alternatives: usize,
    limits: &'a Limits,
    /// The gravest effect of the calls so far.
    effect: Effect,
    needs: Needs,
    has_methods: bool,
    failures: Vec<Failure>,
}

impl<'a> Resolver<'a> {
    fn fail(&mut self, span: Span, kind: impl Into<Box<FailureKind>>) {
        self.failures.push(Failure::at(span, kind));
    }

    fn text(&self, span: Span) -> &'a str {
        &self.source[span.range()]
    }

    fn broken() -> NodeKind {
        NodeKind::Literal(Value::Null)
    }

    /// Refuses a program in quotes, which would evaluate to itself, as if it had run.
    fn refuse_quoted(&mut self, expression: &Expression) {
        if let ExpressionKind::Text(text) = &expression.kind
            && is_quoted_program(self.registry, text)
        {
            self.fail(expression.span, FailureKind::QuotedProgram { program: text.trim().to_owned() });
        }
    }

    /// Refuses `() => e` as a whole program, for which `e` is written.
    fn refuse_uncalled(&mut self, expression: &Expression) {
        if let ExpressionKind::Lambda { parameters, body } = &expression.kind
            && parameters.is_empty()
        {
            let found = self.text(expression.span).to_owned();
            let instead = self.text(body.span).to_owned();
            self.fail(expression.span, FailureKind::NotDialect { found, instead });
        }
    }

    /// Refuses a call in JSON form with other expressions in it.
    fn refuse_mixed(&mut self, expression: &Expression) {
        let ExpressionKind::Object(fields) = &expression.kind else { return };
        if let [(key, value)] = fields.as_slice() {
            self.refuse_object_call(expression.span, key, value);
        }
    }

    /// Refuses `{findReferences: …}`, where an object is data.
    fn refuse_object_call(&mut self, span: Span, key: &Spelled, value: &Expression) {
        if self.quoting || self.registry.callable(&key.text).is_none() {
            return;
        }
        let value = self.text(value.span);
        let call = match value.strip_prefix('{').and_then(|it| it.strip_suffix('}')) {
            Some(named) => format!("{}({})", key.text, named.trim()),
            None => format!("{}({value})", key.text),
        };
        let data = format!("quote({})", self.text(span));
        self.fail(span, FailureKind::ObjectCall { call, data });
    }

    fn node(&mut self, expression: Expression) -> Node {
        let mark = self.scope.mark();
        let span = expression.span;
        self.alternatives += usize::from(self.is_alternative);
        let kind = self.kind(expression.kind, span);
        Node { kind, span, varies: self.scope.varies_since(mark) }
    }

    fn boxed(&mut self, expression: Expression) -> Box<Node> {
        Box::new(self.node(expression))
    }

    fn kind(&mut self, kind: ExpressionKind, span: Span) -> NodeKind {
        match kind {
            _ if self.failures.len() >= Failures::MOST => Self::broken(),
            ExpressionKind::Null | ExpressionKind::Broken => NodeKind::Literal(Value::Null),
            ExpressionKind::Bool(bool) => NodeKind::Literal(bool.into()),
            ExpressionKind::Number(number) => NodeKind::Literal(Value::Number(number)),
            ExpressionKind::Text(text) => self.literal_text(text, span),
            ExpressionKind::List(elements) => {
                NodeKind::List(elements.into_iter().map(|it| self.element(it)).collect())
            }
            ExpressionKind::Object(fields) => self.object(fields),
            ExpressionKind::Call(call) => self.call(*call, span),
            ExpressionKind::Name(name) => self.name(name, span),
            ExpressionKind::Lambda { parameters, body } => self.lambda(span, parameters, *body),
            ExpressionKind::Member { of, name, or_null } => self.member(of, name, or_null, span),
            ExpressionKind::Index { of, index } => {
                if self.refuse_index_call(&of, &index, span) {
                    return Self::broken();
                }
                NodeKind::Index { of: self.boxed(*of), index: self.boxed(*index) }
            }
            ExpressionKind::Unary { operator, of } => NodeKind::Unary { operator, of: self.boxed(*of) },
            ExpressionKind::Binary { operator, left, right } => {
                if self.refuse_bare_text(span, &[&left, &right]) {
                    return Self::broken();
                }
                NodeKind::Binary { operator, left: self.boxed(*left), right: self.boxed(*right) }
            }
            ExpressionKind::Conditional { condition, then, otherwise } => NodeKind::Conditional {
                condition: self.boxed(*condition),
                then: self.boxed(*then),
                otherwise: self.boxed(*otherwise),
            },
            ExpressionKind::Let { bindings, result } => self.bindings(bindings, *result),
            ExpressionKind::Template(_)
            | ExpressionKind::Pattern { .. }
            | ExpressionKind::Apply { .. }
            | ExpressionKind::Block
            | ExpressionKind::Spread(_) => unreachable!("these stand in documents, and this is a program"),
        }
    }

    /// Refuses `${x}` in raw text if `x` is an expression that may have been meant.
    fn literal_text(&mut self, text: String, span: Span) -> NodeKind {
        if self.text(span).starts_with('`')
            && let Some(kind) = self.interpolation(&text)
        {
            self.fail(span, kind);
        }
        NodeKind::Literal(text.into())
    }

    fn element(&mut self, element: Element) -> ElementNode {
        ElementNode { spread: element.spread, node: self.node(element.value) }
    }

    fn object(&mut self, fields: Vec<(Spelled, Expression)>) -> NodeKind {
        let mut nodes = Vec::with_capacity(fields.len());
        let mut keys = HashSet::new();
        for (key, value) in fields {
            if !keys.insert(key.text.clone()) {
                self.fail(key.span, FailureKind::RepeatedKey { key: key.text.clone() });
            }
            let is_short = key.span == value.span;
            match &value.kind {
                ExpressionKind::Name(name) if is_short && self.scope.find(name).is_none() => {
                    self.fail(key.span, FailureKind::FieldWithoutValue { key: key.text });
                }
                _ => nodes.push((key.text, self.node(value))),
            }
        }
        NodeKind::Object(nodes)
    }

    fn name(&mut self, name: String, span: Span) -> NodeKind {
        if let Some(up) = self.scope.refer(&name) {
            return NodeKind::Local { up };
        }
        let callable = self.registry.callable(&name).map(|it| it.signature.clone());
        let nearest = self.scope.near(&name);
        self.fail(span, FailureKind::BareWord { word: name, callable, nearest });
        Self::broken()
    }

    /// Refuses ``findReferences[`User`]``.
    fn refuse_index_call(&mut self, of: &Expression, index: &Expression, span: Span) -> bool {
        let ExpressionKind::Name(name) = &of.kind else { return false };
        let calls = self.scope.find(name).is_none() && self.registry.callable(name).is_some();
        if calls {
            let (found, instead) = (self.text(span).to_owned(), format!("{name}({})", self.text(index.span)));
            self.fail(span, FailureKind::NotDialect { found, instead });
        }
        calls
    }

    fn member(&mut self, of: Box<Expression>, name: Spelled, or_null: bool, span: Span) -> NodeKind {
        if self.refuse_bare_text(span, &[&of]) {
            return Self::broken();
        }
        NodeKind::Member { of: self.boxed(*of), name: name.text, or_null, place: FieldPlace::default() }
    }

    /// Refuses `src/main.rs` without quotes, which reads as a division of unbound names.
    fn refuse_bare_text(&mut self, span: Span, parts: &[&Expression]) -> bool {
        let text = self.text(span);
        let is_bare = parts.iter().all(|part| self.is_bare(part))
            && parts.iter().any(|part| !matches!(part.kind, ExpressionKind::Number(_)))
            && !text.contains(char::is_whitespace);
        if is_bare {
            let word = text.to_owned();
            let callable = self.registry.callable(&word).map(|it| it.signature.clone());
            self.fail(span, FailureKind::BareWord { word, callable, nearest: None });
        }
        is_bare
    }

    fn is_bare(&self, expression: &Expression) -> bool {
        match &expression.kind {
            ExpressionKind::Name(name) => self.scope.find(name).is_none(),
            ExpressionKind::Number(_) => true,
            ExpressionKind::Member { of, .. } => self.is_bare(of),
            ExpressionKind::Binary { operator: "/" | "-", left, right } => {
                self.is_bare(left) && self.is_bare(right)
            }
            _ => false,
        }
    }

    fn lambda(&mut self, span: Span, parameters: Vec<LambdaParameter>, body: Expression) -> NodeKind {
        for parameter in &parameters {
            self.refuse_literal(&parameter.name);
            self.scope.bind_parameter(&parameter.name.text);
        }
        let body = self.node(body);
        let depth = body.depth();
        self.scope.unbind(parameters.len());
        let parameters = parameters.into_iter().map(|it| it.name.text).collect();
        NodeKind::Lambda(Arc::new(LambdaNode { span, parameters, body, depth }))
    }

    /// Refuses to bind `true`, which would still be the literal.
    fn refuse_literal(&mut self, name: &Spelled) {
        if is_literal(&name.text) {
            let found = self.text(name.span).to_owned();
            self.fail(name.span, FailureKind::Unexpected { expected: Expected::Name, found });
        }
    }

    fn bindings(&mut self, bindings: Vec<(Spelled, Expression)>, result: Expression) -> NodeKind {
        let names = bindings.iter().map(|(name, _)| name.text.clone()).collect();
        let mut nodes = Vec::with_capacity(bindings.len());
        for (name, value) in bindings {
            let is_function = matches!(value.kind, ExpressionKind::Lambda { .. });
            nodes.push(self.node(value));
            self.refuse_literal(&name);
            self.scope.bind(&name.text, is_function);
        }
        let result = Box::new(self.node(result));
        self.scope.unbind(nodes.len());
        NodeKind::Let { names, bindings: nodes, result }
    }
}
