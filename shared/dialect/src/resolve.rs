//! What was written → what it names. Everything that can be checked before anything runs is checked here,
//! for the whole program.

use std::sync::Arc;

use source_text::Span;

use crate::ast::{Argument, Call, Expression, ExpressionKind};
use crate::name::{fold, nearest};
use crate::registry::Callable;
use crate::{Effect, Failure, FailureKind, Limits, Registry, Signature, Type, Value};

/// A program whose names are found and whose calls fit their signatures.
#[derive(Debug)]
pub struct Program {
    pub(crate) source: String,
    pub(crate) root: Node,
    effect: Effect,
}

impl Program {
    /// Reads and checks a program.
    ///
    /// # Errors
    /// Everything that is wrong with it; at least one failure.
    pub fn parse(registry: &Registry, source: &str, limits: &Limits) -> Result<Self, Vec<Failure>> {
        let expression = crate::parse::parse(source, limits)?;
        let mut resolver = Resolver { registry, failures: Vec::new(), effect: Effect::Pure };
        let root = resolver.node(expression);
        if !resolver.failures.is_empty() {
            return Err(resolver.failures);
        }
        Ok(Self { source: source.to_owned(), root, effect: resolver.effect })
    }

    /// What running it may do to the world at most: the gravest of its calls and of the conversions that
    /// their arguments may need.
    pub fn effect(&self) -> Effect {
        self.effect
    }
}

/// An expression whose names are found.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    pub(crate) span: Span,
}

/// What it evaluates to, or how.
#[derive(Debug)]
pub(crate) enum NodeKind {
    Literal(Value),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
    Call(CallNode),
}

/// A call whose arguments are matched with parameters.
#[derive(Debug)]
pub(crate) struct CallNode {
    pub(crate) callable: Arc<Callable>,
    /// In the order of the parameters.
    pub(crate) arguments: Vec<Given>,
    /// From the opening bracket to the closing one, both included.
    pub(crate) brackets: Span,
}

/// An argument and the index of its parameter.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) parameter: usize,
    pub(crate) node: Node,
}

struct Resolver<'registry> {
    registry: &'registry Registry,
    failures: Vec<Failure>,
    effect: Effect,
}

impl Resolver<'_> {
    fn fail(&mut self, span: Span, kind: FailureKind) {
        self.failures.push(Failure::at(span, kind));
    }

    fn node(&mut self, expression: Expression) -> Node {
        let span = expression.span;
        let kind = match expression.kind {
            ExpressionKind::Null => NodeKind::Literal(Value::Null),
            ExpressionKind::Bool(bool) => NodeKind::Literal(bool.into()),
            ExpressionKind::Number(number) => NodeKind::Literal(Value::Number(number)),
            ExpressionKind::Text(text) => NodeKind::Literal(text.into()),
            ExpressionKind::List(items) => {
                NodeKind::List(items.into_iter().map(|item| self.node(item.value)).collect())
            }
            ExpressionKind::Object(fields) => NodeKind::Object(
                fields.into_iter().map(|(key, value)| (key.text, self.node(value))).collect(),
            ),
            ExpressionKind::Call(call) => return self.call(call, span),
            ExpressionKind::Name(word) => {
                let callable = self.registry.callable(&word).map(|it| it.signature.clone());
                self.fail(span, FailureKind::BareWord { word, callable });
                NodeKind::Literal(Value::Null)
            }
            _ => {
                self.fail(span, FailureKind::Unsupported);
                NodeKind::Literal(Value::Null)
            }
        };
        Node { kind, span }
    }

    fn call(&mut self, call: Call, span: Span) -> Node {
        let Some(callable) = self.registry.callable(&call.name.text).cloned() else {
            let kind = self.registry.unknown(call.name.text);
            self.fail(call.name.span, kind);
            for argument in call.arguments {
                self.node(argument.value);
            }
            return Node { kind: NodeKind::Literal(Value::Null), span };
        };
        self.note_effect(&callable);
        let arguments = self.arguments(&callable.signature, call.arguments, call.name.span);
        Node { kind: NodeKind::Call(CallNode { callable, arguments, brackets: call.brackets }), span }
    }

    /// A call does what its function does, and conversions of its arguments may look at the world.
    fn note_effect(&mut self, callable: &Callable) {
        let converts = |ty: &Type| {
            self.registry
                .conversions()
                .iter()
                .any(|it| ty.named().is_some() && it.signature.returns.named() == ty.named())
        };
        let reads = callable.signature.parameters.iter().any(|it| converts(&it.ty));
        let of_arguments = if reads { Effect::Reads } else { Effect::Pure };
        self.effect = self.effect.max(callable.effect).max(of_arguments);
    }

    fn arguments(
        &mut self,
        signature: &Arc<Signature>,
        arguments: Vec<Argument>,
        callee: Span,
    ) -> Vec<Given> {
        let mut given: Vec<Given> = Vec::new();
        let mut named = false;
        let mut broken = false;
        for argument in arguments {
            let place = argument.name.as_ref().map_or(argument.value.span, |name| name.span);
            let slot = match &argument.name {
                Some(name) => {
                    named = true;
                    self.parameter(signature, &name.text)
                }
                None if named => Err(FailureKind::PositionalAfterNamed { signature: signature.clone() }),
                None if given.len() < signature.parameters.len() => Ok(given.len()),
                None => Err(FailureKind::TooManyArguments { signature: signature.clone() }),
            };
            let node = self.node(argument.value);
            match slot {
                Ok(parameter) if given.iter().any(|it| it.parameter == parameter) => {
                    broken = true;
                    let parameter = signature.parameters[parameter].name.clone();
                    self.fail(
                        place,
                        FailureKind::RepeatedArgument { parameter, signature: signature.clone() },
                    );
                }
                Ok(parameter) => given.push(Given { parameter, node }),
                Err(kind) => {
                    broken = true;
                    self.fail(place, kind);
                }
            }
        }
        if !broken {
            self.check_missing(signature, &given, callee);
        }
        given.sort_by_key(|it| it.parameter);
        given
    }

    fn parameter(&self, signature: &Arc<Signature>, name: &str) -> Result<usize, FailureKind> {
        let found = signature.parameters.iter().position(|it| fold(&it.name) == fold(name));
        found.ok_or_else(|| {
            let names = signature.parameters.iter().map(|it| it.name.as_str());
            let nearest = nearest(name, names).first().map(|&name| name.to_owned());
            FailureKind::UnknownArgument { name: name.to_owned(), nearest, signature: signature.clone() }
        })
    }

    fn check_missing(&mut self, signature: &Arc<Signature>, given: &[Given], callee: Span) {
        for (index, parameter) in signature.parameters.iter().enumerate() {
            if !parameter.optional && given.iter().all(|it| it.parameter != index) {
                let parameter = parameter.name.clone();
                self.fail(callee, FailureKind::MissingArgument { parameter, signature: signature.clone() });
            }
        }
    }
}
