//! Resolution of calls to functions.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use source_text::Span;

use super::Resolver;
use crate::ast::{Argument, Call, Expression, ExpressionKind, Spelled};
use crate::form::RESERVED;
use crate::lookalike::is_quoted_program;
use crate::method::{MethodCall, MethodNode};
use crate::name::fold;
use crate::node::{CallNode, Given, Node, NodeKind};
use crate::registry::Callable;
use crate::{Effect, FailureKind, Form, Limit, Type};

/// The name that a receiver is bound to; no program can spell it.
const RECEIVER: &str = "?.";

/// Functions of other languages for what every program does with its value.
const PRINTS: [&str; 6] = ["print", "println", "log", "puts", "echo", "return"];

impl Resolver<'_> {
    pub(super) fn call(&mut self, call: Call, span: Span) -> NodeKind {
        let call = self.dotted(call);
        if call.or_null {
            return self.or_null(call, span);
        }
        if self.is_broken_idiom(&call) {
            return Self::broken();
        }
        if self.may_be_method(&call) { self.method(call, span) } else { self.function(call, span) }
    }

    /// Returns `true` if the receiver decides what `x.m()` is.
    fn may_be_method(&self, call: &Call) -> bool {
        let Some(receiver) = &call.receiver else { return false };
        if self.registry.methods(&call.name.text).is_empty() {
            return false;
        }
        match &receiver.kind {
            ExpressionKind::Name(name) => self.scope.find(name).is_some(),
            // Mistakes in calls of these are known by how they are written.
            kind => !is_plain(kind) || !self.is_function_of_any(&call.name.text),
        }
    }

    fn is_function_of_any(&self, name: &str) -> bool {
        self.registry.callable_or_foreign(name).is_some()
            || !self.registry.foreign_idioms(name).is_empty()
            || self.scope.find(name).is_some()
            || RESERVED.contains(&fold(name).as_str())
            || PRINTS.contains(&name)
    }

    /// Resolves a call of a function: of the program, of the registry, of another language, or of this one.
    fn function(&mut self, call: Call, span: Span) -> NodeKind {
        if self.is_local_function(&call.name.text) {
            return self.apply(call);
        }
        if let Some(instead) = self.foreign_idiom(&call) {
            let found = self.text(span).to_owned();
            self.fail(span, FailureKind::NotDialect { found, instead });
            return Self::broken();
        }
        if let Some(callable) = self.registry.callable_or_foreign(&call.name.text).cloned() {
            if self.refuse_prefix(&callable, &call) {
                return Self::broken();
            }
            if let Some(instead) = self.limited(&callable, &call, span) {
                let found = self.text(span).to_owned();
                self.fail(span, FailureKind::NotDialect { found, instead });
                return Self::broken();
            }
            return self.call_of(callable, call);
        }
        if let Some(kind) = self.form_of_language(&call, span) {
            return kind;
        }
        if self.scope.find(&call.name.text).is_some() {
            self.fail(call.name.span, FailureKind::NotFunction { name: call.name.text.clone() });
        } else if let Some(instead) = self.without_callee(&call) {
            let found = self.text(span).to_owned();
            self.fail(span, FailureKind::NotDialect { found, instead });
            return Self::broken();
        } else {
            let kind = self.registry.unknown_function(call.name.text.clone());
            self.fail(call.name.span, kind);
        }
        for value in arguments_of(call).into_iter().map(|it| it.value) {
            self.node(value);
        }
        Self::broken()
    }

    /// Returns the argument of `print(x)`, or the program in ``ide_operation("f(`x`)")``.
    fn without_callee(&self, call: &Call) -> Option<String> {
        let [Argument { value, .. }] = call.arguments.as_slice() else { return None };
        match &value.kind {
            ExpressionKind::Text(text) if is_quoted_program(self.registry, text) => {
                Some(text.trim().to_owned())
            }
            _ => {
                let prints = PRINTS.contains(&call.name.text.as_str());
                prints.then(|| self.text(value.span).to_owned())
            }
        }
    }

    /// Makes a call of `hello.greet` of `hello.greet(x)`, if there is that function and `hello` is not bound.
    fn dotted(&self, mut call: Call) -> Call {
        let Some(receiver) = &call.receiver else { return call };
        let Some(path) = self.path(receiver) else { return call };
        let name = format!("{path}.{}", call.name.text);
        if self.registry.callable_or_foreign(&name).is_some()
            || !self.registry.foreign_idioms(&name).is_empty()
        {
            call.name = Spelled { text: name, span: receiver.span.join(call.name.span) };
            call.receiver = None;
        }
        call
    }

    fn path(&self, expression: &Expression) -> Option<String> {
        match &expression.kind {
            ExpressionKind::Name(name) => self.scope.find(name).is_none().then(|| name.clone()),
            ExpressionKind::Member { of, name, or_null: false } => {
                Some(format!("{}.{}", self.path(of)?, name.text))
            }
            _ => None,
        }
    }

    /// Refuses ``ide.findReferences(`User`)``: an unbound word before the dot, which would be one argument
    /// too many.
    fn refuse_prefix(&mut self, callable: &Callable, call: &Call) -> bool {
        let Some(Expression { kind: ExpressionKind::Name(prefix), span, .. }) = call.receiver.as_deref()
        else {
            return false;
        };
        let suffices = call.arguments.len() >= callable.signature.required().max(1);
        // Functions of these take their arguments in another order.
        let is_module = matches!(prefix.as_str(), "re" | "regex" | "os" | "np" | "pd" | "Math" | "math");
        if self.scope.find(prefix).is_some() || !suffices || is_module {
            return false;
        }
        let place = span.join(call.name.span);
        let found = self.text(place).to_owned();
        let is_its_own = self.registry.callable(&call.name.text).is_some();
        let name = if is_its_own { &call.name.text } else { &callable.signature.name };
        self.fail(place, FailureKind::NotDialect { found, instead: name.clone() });
        true
    }

    /// Returns the equivalent of ``findReferences(`User`, limit=5)``, which takes the first of the result.
    fn limited(&self, callable: &Callable, call: &Call, span: Span) -> Option<String> {
        const LIMITS: [&str; 8] =
            ["limit", "max", "maxresults", "count", "top", "headlimit", "maxcount", "n"];
        let is_known = |it: &str| callable.signature.parameters.iter().any(|known| known.is_called(it));
        let mut limits = call.arguments.iter().filter_map(|it| Some((it.name.as_ref()?, &it.value)));
        let (name, value) =
            limits.find(|(name, _)| LIMITS.contains(&&*fold(&name.text)) && !is_known(&name.text))?;
        let gives_list = matches!(callable.signature.returns, Type::List(_));
        if call.form == Form::Json || !gives_list || self.registry.callable("take").is_none() {
            return None;
        }
        let before = self.source[span.start..name.span.start].trim_end();
        let after = &self.source[value.span.end..span.end];
        let (before, after) = match before.strip_suffix(',') {
            Some(before) => (before, after),
            None => (before, after.trim_start().strip_prefix(',').unwrap_or(after).trim_start()),
        };
        Some(format!("{before}{after}.take({})", self.text(value.span)))
    }

    /// Resolves `x.m()` once for each type that has `m`, and as the function `m`. The type of `x` decides which call
    /// runs; its mistakes, needs and effect count alone.
    fn method(&mut self, mut call: Call, span: Span) -> NodeKind {
        let receiver = call.receiver.take().expect("the caller has seen it");
        let at = receiver.span;
        let receiver = self.boxed(*receiver);
        call.receiver = Some(self.bind_receiver(&receiver, at));
        let name = call.name.text.clone();
        let is_function = self.is_function_of_any(&name);
        let methods =
            self.registry.methods(&name).iter().map(|it| Some((it.of.clone(), it.callable.clone())));
        let is_alternative = self.is_alternative;
        let mut calls = Vec::new();
        for method in methods.chain(is_function.then_some(None)) {
            calls.push(self.method_call(method, call.clone(), span));
            self.is_alternative = true;
        }
        self.is_alternative = is_alternative;
        self.scope.unbind(1);
        self.has_methods = true;
        NodeKind::Method(MethodNode { name, receiver, calls })
    }

    /// Resolves one of the calls that a call of a method may be. Each is resolved in those around it, so that their
    /// number is exponential in the depth.
    fn method_call(
        &mut self,
        method: Option<(Arc<str>, Arc<Callable>)>,
        call: Call,
        span: Span,
    ) -> MethodCall {
        let failures = mem::take(&mut self.failures);
        let needs = mem::take(&mut self.needs);
        let effect = mem::replace(&mut self.effect, Effect::Pure);
        let mark = self.scope.mark();
        let of = method.as_ref().map(|(of, _)| of.clone());
        let kind = match method {
            _ if self.alternatives > self.limits.alternatives() => {
                let (limit, at_most) = (Limit::Steps, self.limits.steps);
                self.fail(span, FailureKind::LimitReached { limit, at_most });
                Self::broken()
            }
            Some((_, callable)) => self.call_of(callable, call),
            None => self.function(call, span),
        };
        MethodCall {
            of,
            node: Node { kind, span, varies: self.scope.varies_since(mark) },
            failures: mem::replace(&mut self.failures, failures),
            needs: mem::replace(&mut self.needs, needs),
            effect: mem::replace(&mut self.effect, effect),
            is_possible: AtomicBool::new(false),
        }
    }

    /// Binds the value of a receiver, and returns the expression for it.
    fn bind_receiver(&mut self, receiver: &Node, at: Span) -> Box<Expression> {
        match receiver.varies {
            true => self.scope.bind_parameter(RECEIVER),
            false => self.scope.bind(RECEIVER, false),
        }
        let kind = ExpressionKind::Name(RECEIVER.to_owned());
        Box::new(Expression { kind, span: at, depth: 0 })
    }

    /// Resolves `x?.f()`: binds the receiver, and calls `f` unless it is null.
    fn or_null(&mut self, mut call: Call, span: Span) -> NodeKind {
        let receiver = call.receiver.take().expect("`?.` follows a receiver");
        let at = receiver.span;
        let receiver = self.boxed(*receiver);
        call.receiver = Some(self.bind_receiver(&receiver, at));
        call.or_null = false;
        let call = Expression { kind: ExpressionKind::Call(Box::new(call)), span, depth: 0 };
        let call = Box::new(self.node(call));
        self.scope.unbind(1);
        NodeKind::OrNull { receiver, call }
    }

    /// Returns `true` if a bound name is called. A function of the registry precedes a parameter of that
    /// name, whose value is unknown here.
    fn is_local_function(&self, name: &str) -> bool {
        match self.scope.is_function(name) {
            Some(is_function) => is_function,
            None => self.scope.find(name).is_some() && self.registry.callable(name).is_none(),
        }
    }

    fn apply(&mut self, call: Call) -> NodeKind {
        let function = Box::new(self.node(Expression {
            kind: ExpressionKind::Name(call.name.text.clone()),
            span: call.name.span,
            depth: 0,
        }));
        let mut arguments = Vec::new();
        for argument in arguments_of(call) {
            if let Some(name) = argument.name {
                self.fail(name.span, FailureKind::NamedForLambda { name: name.text });
            }
            arguments.push(self.node(argument.value));
        }
        NodeKind::Apply { function, arguments }
    }

    fn call_of(&mut self, callable: Arc<Callable>, call: Call) -> NodeKind {
        let (enclosed, form) = (call.enclosed, call.form);
        let place = call.name.span;
        let arguments = self.arguments(&callable.signature, call, place);
        self.note_call(&callable, place);
        for Given { parameter, node } in &arguments {
            let ty = &callable.signature.parameters[*parameter].ty;
            if gives(node) != Some(ty) {
                self.note_conversion(ty, node.span);
            }
        }
        NodeKind::Call(CallNode { callable, arguments, enclosed, form })
    }

    /// Resolves `quote(e)`, `attempt(e)`, `if(c, a, b)`, which are not functions because functions get
    /// values.
    fn form_of_language(&mut self, call: &Call, span: Span) -> Option<NodeKind> {
        let name = fold(&call.name.text);
        let count = match name.as_str() {
            "quote" | "attempt" => 1,
            "let" => 2,
            "if" => 3,
            _ => return None,
        };
        let arguments = arguments_of(call.clone());
        let named = arguments.iter().any(|it| it.name.is_some());
        if named || arguments.len() != count {
            self.fail(span, FailureKind::LanguageForm { form: name });
            return Some(Self::broken());
        }
        if name == "let" {
            return Some(self.let_form(arguments, span));
        }
        let quoting = self.quoting;
        self.quoting |= name == "quote";
        let mut nodes: Vec<Node> = arguments.into_iter().map(|it| self.node(it.value)).collect();
        self.quoting = quoting;
        let mut next = || Box::new(nodes.remove(0));
        Some(match name.as_str() {
            "quote" => next().kind,
            "attempt" => NodeKind::Attempt(next()),
            _ => NodeKind::Conditional { condition: next(), then: next(), otherwise: next() },
        })
    }

    /// Resolves `let(1, x => x + 1)`.
    fn let_form(&mut self, arguments: Vec<Argument>, span: Span) -> NodeKind {
        let mut values = arguments.into_iter().map(|it| it.value);
        if let (Some(value), Some(Expression { kind: ExpressionKind::Lambda { mut parameters, body }, .. })) =
            (values.next(), values.next())
            && parameters.len() == 1
        {
            return self.bindings(vec![(parameters.remove(0).name, value)], *body);
        }
        self.fail(span, FailureKind::LanguageForm { form: "let".to_owned() });
        Self::broken()
    }

    /// Resolves an argument that must be a function, which may be one of the registry: `xs.map(size)`.
    pub(super) fn function_value(&mut self, argument: Expression) -> Node {
        if let ExpressionKind::Name(name) = &argument.kind
            && self.scope.find(name).is_none()
            && let Some(callable) = self.registry.callable_or_foreign(name).cloned()
        {
            self.note_call(&callable, argument.span);
            callable.signature.parameters.iter().for_each(|it| self.note_conversion(&it.ty, argument.span));
            return Node { kind: NodeKind::Function(callable), span: argument.span, varies: false };
        }
        self.node(argument)
    }

    /// Resolves an argument. Objects are data; one that looks like a call in JSON form is refused.
    pub(super) fn argument_value(&mut self, value: Expression, form: Form) -> Node {
        if let (Form::Text, ExpressionKind::Object(fields)) = (form, &value.kind)
            && let [(key, inner)] = fields.as_slice()
        {
            self.refuse_object_call(value.span, key, inner);
        }
        self.node(value)
    }
}

/// Returns `true` for an expression whose value has no methods of types: a literal, or a result of arithmetic.
fn is_plain(kind: &ExpressionKind) -> bool {
    match kind {
        ExpressionKind::Null
        | ExpressionKind::Bool(_)
        | ExpressionKind::Number(_)
        | ExpressionKind::Text(_)
        | ExpressionKind::Object(_)
        | ExpressionKind::Lambda { .. }
        | ExpressionKind::Unary { .. } => true,
        ExpressionKind::List(elements) => elements.iter().all(|it| !it.spread && is_plain(&it.value.kind)),
        ExpressionKind::Binary { operator, left, right } => match *operator {
            "+" => is_plain(&left.kind) || is_plain(&right.kind),
            operator => !matches!(operator, "??" | "&&" | "||"),
        },
        _ => false,
    }
}

/// Returns the type of an expression's value, if it is known.
fn gives(node: &Node) -> Option<&Type> {
    match &node.kind {
        NodeKind::Call(call) => Some(&call.callable.signature.returns),
        _ => None,
    }
}

/// Returns the arguments with the receiver as the first.
pub(super) fn arguments_of(call: Call) -> Vec<Argument> {
    let receiver = call.receiver.map(|it| Argument { name: None, value: *it });
    receiver.into_iter().chain(call.arguments).collect()
}
