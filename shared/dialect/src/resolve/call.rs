//! Resolution of calls to functions.

use std::sync::Arc;

use source_text::Span;

use super::Resolver;
use crate::ast::{Argument, Call, Expression, ExpressionKind, Spelled};
use crate::lookalike::is_quoted_program;
use crate::name::fold;
use crate::node::{CallNode, Given, MethodNode, Node, NodeKind};
use crate::registry::Callable;
use crate::{FailureKind, Form, Limit, Type};

/// The name that a receiver is bound to; no program can spell it.
const RECEIVER: &str = "?.";

impl Resolver<'_> {
    pub(super) fn call(&mut self, call: Call, span: Span) -> NodeKind {
        let call = self.dotted(call);
        if call.or_null {
            return self.or_null(call, span);
        }
        if self.is_local_function(&call.name.text) {
            return self.apply(call);
        }
        if self.is_broken_idiom(&call) {
            return Self::broken();
        }
        if call.receiver.is_some() && !self.registry.methods(&call.name.text).is_empty() {
            return self.method(call, span);
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
                let prints = matches!(
                    call.name.text.as_str(),
                    "print" | "println" | "log" | "puts" | "echo" | "return"
                );
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

    /// Resolves `x.m()` once for each type that has `m`. The value of `x` decides which call runs.
    fn method(&mut self, mut call: Call, span: Span) -> NodeKind {
        let receiver = call.receiver.take().expect("the caller has seen it");
        let at = receiver.span;
        let receiver = self.boxed(*receiver);
        let bound = ExpressionKind::Name(RECEIVER.to_owned());
        call.receiver = Some(Box::new(Expression { kind: bound, span: at, depth: 0 }));
        self.scope.bind(RECEIVER, false);
        let failures = self.failures.len();
        let methods = self.registry.methods(&call.name.text);
        let otherwise = self.registry.callable_or_foreign(&call.name.text).cloned();
        let is_alternative = self.is_alternative;
        let mut nodes = Vec::new();
        for callable in methods.iter().map(|it| &it.callable).chain(&otherwise) {
            // The other calls have the same mistakes in their arguments.
            if self.failures.len() == failures {
                nodes.push(self.call_node(callable.clone(), call.clone(), span));
            }
            self.is_alternative = true;
            // Each is an alternative in those around it, so that their number is exponential in the depth.
            if self.alternatives > self.limits.alternatives() && self.failures.len() == failures {
                let (limit, at_most) = (Limit::Steps, self.limits.steps);
                self.fail(span, FailureKind::LimitReached { limit, at_most });
            }
        }
        self.is_alternative = is_alternative;
        self.scope.unbind(1);
        if self.failures.len() > failures {
            return Self::broken();
        }
        let otherwise = otherwise.and_then(|_| nodes.pop()).map(Box::new);
        let calls = methods.iter().map(|it| it.of.clone()).zip(nodes).collect();
        NodeKind::Method(MethodNode { name: call.name.text, receiver, calls, otherwise })
    }

    fn call_node(&mut self, callable: Arc<Callable>, call: Call, span: Span) -> Node {
        let mark = self.scope.mark();
        let kind = self.call_of(callable, call);
        Node { kind, span, varies: self.scope.varies_since(mark) }
    }

    /// Resolves `x?.f()`: binds the receiver, and calls `f` unless it is null.
    fn or_null(&mut self, mut call: Call, span: Span) -> NodeKind {
        let receiver = call.receiver.take().expect("`?.` follows a receiver");
        let at = receiver.span;
        let receiver = self.boxed(*receiver);
        self.scope.bind(RECEIVER, false);
        let kind = ExpressionKind::Name(RECEIVER.to_owned());
        call.receiver = Some(Box::new(Expression { kind, span: at, depth: 0 }));
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
