//! Expressions of a language of statements, ready to be evaluated. That language says what their names mean.

// Nodes have embedded ones in them, and these have nodes.

use std::sync::Arc;

use source_text::Span;

use crate::Value;
use crate::ast::{Argument, Call, Element, Expression, ExpressionKind, Spelled, TemplatePart};
use crate::node::{ElementNode, FieldPlace, Node, NodeKind};

/// An expression that is ready to be evaluated. A clone is cheap.
#[derive(Clone, Debug)]
pub struct Embedded {
    pub(crate) node: Arc<Node>,
    depth: usize,
}

/// A function that an expression makes: `x => x + 1`.
#[derive(Debug)]
pub struct EmbeddedLambda {
    /// The names of what it takes.
    pub parameters: Vec<String>,
    /// The expression behind `=>`.
    pub body: Embedded,
    /// The place of the whole lambda in the document, in bytes.
    pub span: Span,
}

/// The kinds of node that programs of Dialect do not have.
#[derive(Debug)]
pub(crate) enum EmbeddedNode {
    /// A name, which may change its value.
    Name(String),
    Template(Vec<Node>),
    /// `...xs` as a field.
    Spread(Box<Node>),
    Call(EmbeddedCall),
    Lambda(Arc<EmbeddedLambda>),
    /// `x is mail.NotSent`
    Is {
        of: Box<Node>,
        owner: Option<String>,
        name: String,
    },
    /// `x in xs`
    In {
        item: Box<Node>,
        of: Box<Node>,
    },
    /// `{ return x }`, which the language runs.
    Block,
    /// An expression without a value, with the reason.
    Refused(&'static str),
}

/// A call, whose callee is known when it runs.
#[derive(Debug)]
pub(crate) struct EmbeddedCall {
    pub(crate) callee: EmbeddedCallee,
    pub(crate) or_null: bool,
    pub(crate) arguments: Vec<EmbeddedArgument>,
}

#[derive(Debug)]
pub(crate) enum EmbeddedCallee {
    Name(String),
    Method(Box<Node>, String),
    Value(Box<Node>),
}

#[derive(Debug)]
pub(crate) struct EmbeddedArgument {
    pub(crate) name: Option<String>,
    pub(crate) spread: bool,
    pub(crate) node: Node,
}

/// A step from a variable to a part of it.
pub(crate) enum PlaceStep<'n> {
    Member(&'n str),
    Index(&'n Node),
}

impl Embedded {
    /// Makes an expression ready. The functions that `quoting` names get the name that is their first argument, in
    /// place of its value.
    pub fn new(expression: &Expression, quoting: &[&str]) -> Self {
        Reader { quoting }.whole(expression)
    }

    /// Returns the place.
    pub fn span(&self) -> Span {
        self.node.span
    }

    /// Returns the number of nested expressions in it, itself included.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns `true` for statements between braces, which the language runs.
    pub fn is_block(&self) -> bool {
        matches!(self.node.kind, NodeKind::Embedded(EmbeddedNode::Block))
    }
}

impl EmbeddedNode {
    /// Returns the direct subexpressions that are evaluated with it.
    pub(crate) fn children(&self) -> Vec<&Node> {
        match self {
            Self::Name(_) | Self::Lambda(_) | Self::Block | Self::Refused(_) => Vec::new(),
            Self::Template(parts) => parts.iter().collect(),
            Self::Spread(of) | Self::Is { of, .. } => vec![of],
            Self::In { item, of } => vec![item, of],
            Self::Call(call) => {
                let callee = match &call.callee {
                    EmbeddedCallee::Name(_) => None,
                    EmbeddedCallee::Method(of, _) | EmbeddedCallee::Value(of) => Some(&**of),
                };
                callee.into_iter().chain(call.arguments.iter().map(|it| &it.node)).collect()
            }
        }
    }
}

impl Node {
    /// Returns the name of a variable, and the steps from it, of an expression that can be assigned to.
    pub(crate) fn place(&self) -> Option<(&str, Vec<PlaceStep<'_>>)> {
        let (mut steps, mut at) = (Vec::new(), self);
        loop {
            at = match &at.kind {
                NodeKind::Embedded(EmbeddedNode::Name(name)) => {
                    steps.reverse();
                    return Some((name, steps));
                }
                NodeKind::Member { of, name, .. } => {
                    steps.push(PlaceStep::Member(name));
                    of
                }
                NodeKind::Index { of, index } => {
                    steps.push(PlaceStep::Index(index));
                    of
                }
                _ => return None,
            };
        }
    }

    /// Returns the name that it is.
    pub(crate) fn embedded_name(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Embedded(EmbeddedNode::Name(name)) => Some(name),
            _ => None,
        }
    }
}

/// A reader of syntax trees.
struct Reader<'a> {
    quoting: &'a [&'a str],
}

impl Reader<'_> {
    fn node(&self, expression: &Expression) -> Node {
        Node { kind: self.kind(expression), span: expression.span, varies: false }
    }

    fn whole(&self, expression: &Expression) -> Embedded {
        let node = Arc::new(self.node(expression));
        Embedded { depth: node.depth(), node }
    }

    fn boxed(&self, expression: &Expression) -> Box<Node> {
        Box::new(self.node(expression))
    }

    fn kind(&self, expression: &Expression) -> NodeKind {
        let embedded = match &expression.kind {
            ExpressionKind::Null => return NodeKind::Literal(Value::Null),
            ExpressionKind::Bool(bool) => return NodeKind::Literal((*bool).into()),
            ExpressionKind::Number(number) => return NodeKind::Literal(Value::Number(number.clone())),
            ExpressionKind::Text(text) | ExpressionKind::Pattern { pattern: text, .. } => {
                return NodeKind::Literal(text.as_str().into());
            }
            ExpressionKind::List(elements) => {
                return NodeKind::List(elements.iter().map(|it| self.element(it)).collect());
            }
            ExpressionKind::Object(fields) => {
                return NodeKind::Object(fields.iter().map(|(key, value)| self.field(key, value)).collect());
            }
            ExpressionKind::Member { of, name, or_null } => {
                let (of, name) = (self.boxed(of), name.text.clone());
                return NodeKind::Member { of, name, or_null: *or_null, place: FieldPlace::default() };
            }
            ExpressionKind::Index { of, index } => {
                return NodeKind::Index { of: self.boxed(of), index: self.boxed(index) };
            }
            ExpressionKind::Unary { operator: "await", of } => return self.kind(of),
            ExpressionKind::Unary { operator, of } => {
                return NodeKind::Unary { operator, of: self.boxed(of) };
            }
            ExpressionKind::Binary { operator: "is", left, right } => self.test(left, right),
            ExpressionKind::Binary { operator: "in", left, right } => {
                EmbeddedNode::In { item: self.boxed(left), of: self.boxed(right) }
            }
            ExpressionKind::Binary { operator, left, right } => {
                return NodeKind::Binary { operator, left: self.boxed(left), right: self.boxed(right) };
            }
            ExpressionKind::Conditional { condition, then, otherwise } => {
                return NodeKind::Conditional {
                    condition: self.boxed(condition),
                    then: self.boxed(then),
                    otherwise: self.boxed(otherwise),
                };
            }
            ExpressionKind::Name(name) => EmbeddedNode::Name(name.clone()),
            ExpressionKind::Template(parts) => {
                EmbeddedNode::Template(parts.iter().map(|it| self.part(it, expression.span)).collect())
            }
            ExpressionKind::Call(call) => EmbeddedNode::Call(self.call(call)),
            ExpressionKind::Apply { function, arguments } => EmbeddedNode::Call(EmbeddedCall {
                callee: EmbeddedCallee::Value(self.boxed(function)),
                or_null: false,
                arguments: arguments.iter().map(|it| self.argument(it)).collect(),
            }),
            ExpressionKind::Lambda { parameters, body } => EmbeddedNode::Lambda(Arc::new(EmbeddedLambda {
                parameters: parameters.iter().map(|it| it.name.text.clone()).collect(),
                body: self.whole(body),
                span: expression.span,
            })),
            ExpressionKind::Block => EmbeddedNode::Block,
            ExpressionKind::Spread(None) => EmbeddedNode::Refused("what is left out cannot run"),
            ExpressionKind::Spread(Some(_)) => EmbeddedNode::Refused("this has no value of its own"),
            ExpressionKind::Let { .. } | ExpressionKind::Broken => {
                EmbeddedNode::Refused("this could not be read")
            }
        };
        NodeKind::Embedded(embedded)
    }

    fn element(&self, element: &Element) -> ElementNode {
        ElementNode { spread: element.spread, node: self.node(&element.value) }
    }

    fn field(&self, key: &Spelled, value: &Expression) -> (String, Node) {
        let node = match &value.kind {
            ExpressionKind::Spread(Some(of)) => {
                let kind = NodeKind::Embedded(EmbeddedNode::Spread(self.boxed(of)));
                Node { kind, span: of.span, varies: false }
            }
            _ => self.node(value),
        };
        (key.text.clone(), node)
    }

    fn part(&self, part: &TemplatePart, span: Span) -> Node {
        match part {
            TemplatePart::Text(text) => {
                Node { kind: NodeKind::Literal(text.as_str().into()), span, varies: false }
            }
            TemplatePart::Expression(expression) => self.node(expression),
        }
    }

    /// Reads `x is Exact`, `x is mail.NotSent`.
    fn test(&self, of: &Expression, name: &Expression) -> EmbeddedNode {
        let of = self.boxed(of);
        match &name.kind {
            ExpressionKind::Name(name) => EmbeddedNode::Is { of, owner: None, name: name.clone() },
            ExpressionKind::Member { of: owner, name, .. } => match &owner.kind {
                ExpressionKind::Name(owner) => {
                    EmbeddedNode::Is { of, owner: Some(owner.clone()), name: name.text.clone() }
                }
                _ => EmbeddedNode::Is { of, owner: None, name: name.text.clone() },
            },
            _ => EmbeddedNode::Refused("behind `is` stands the name of a type"),
        }
    }

    fn call(&self, call: &Call) -> EmbeddedCall {
        let name = call.name.text.clone();
        let is_quoting = call.receiver.is_none() && self.quoting.contains(&name.as_str());
        let callee = match &call.receiver {
            Some(receiver) => EmbeddedCallee::Method(self.boxed(receiver), name),
            None => EmbeddedCallee::Name(name),
        };
        let mut arguments: Vec<_> = call.arguments.iter().map(|it| self.argument(it)).collect();
        if let (true, Some(first), Some(written)) =
            (is_quoting, arguments.first_mut(), call.arguments.first())
            && let ExpressionKind::Name(name)
            | ExpressionKind::Member { name: Spelled { text: name, .. }, .. } = &written.value.kind
        {
            first.node.kind = NodeKind::Literal(name.as_str().into());
        }
        EmbeddedCall { callee, or_null: call.or_null, arguments }
    }

    fn argument(&self, argument: &Argument) -> EmbeddedArgument {
        let (spread, value) = match &argument.value.kind {
            ExpressionKind::Spread(Some(of)) => (true, &**of),
            _ => (false, &argument.value),
        };
        let name = argument.name.as_ref().map(|name| name.text.clone());
        EmbeddedArgument { name, spread, node: self.node(value) }
    }
}
