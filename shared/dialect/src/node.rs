//! Resolved programs: expressions whose names have their meaning.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use source_text::Span;

use crate::embedded::EmbeddedNode;
use crate::method::MethodNode;
use crate::registry::Callable;
use crate::{Form, Object, Value};

/// An expression whose names are resolved.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    pub(crate) span: Span,
    /// `true` if it names a parameter of a lambda around it, so that it may differ from call to call.
    pub(crate) varies: bool,
}

/// The kinds of resolved expression.
#[derive(Debug)]
pub(crate) enum NodeKind {
    Literal(Value),
    List(Vec<ElementNode>),
    Object(Vec<(String, Node)>),
    Call(CallNode),
    /// A function of the registry as a value: `xs.map(size)`
    Function(Arc<Callable>),
    /// The value that was bound `up` bindings ago.
    Local {
        up: usize,
    },
    /// A call of what a name is bound to.
    Apply {
        function: Box<Node>,
        arguments: Vec<Node>,
    },
    Lambda(Arc<LambdaNode>),
    Member {
        of: Box<Node>,
        name: String,
        or_null: bool,
        place: FieldPlace,
    },
    Index {
        of: Box<Node>,
        index: Box<Node>,
    },
    Unary {
        operator: &'static str,
        of: Box<Node>,
    },
    Binary {
        operator: &'static str,
        left: Box<Node>,
        right: Box<Node>,
    },
    Conditional {
        condition: Box<Node>,
        then: Box<Node>,
        otherwise: Box<Node>,
    },
    Let {
        names: Vec<String>,
        bindings: Vec<Node>,
        result: Box<Node>,
    },
    /// `attempt(e)`: the value, failure or ambiguity of `e` as data.
    Attempt(Box<Node>),
    /// `x.m()` where types have that method: the receiver is bound before the call of its type is evaluated.
    Method(MethodNode),
    /// A part of an expression that is no program.
    Embedded(EmbeddedNode),
    /// `xs?.f()`: null where the receiver, bound before the call is evaluated, is null.
    OrNull {
        receiver: Box<Node>,
        call: Box<Node>,
    },
}

/// A cached position of a field, which is the same in all records of one type.
#[derive(Debug, Default)]
pub(crate) struct FieldPlace(AtomicUsize);

impl FieldPlace {
    /// Returns the field of exactly that name.
    pub(crate) fn find<'v>(&self, fields: &'v Object, name: &str) -> Option<&'v Value> {
        if let Some((key, value)) = fields.get_index(self.0.load(Ordering::Relaxed))
            && key == name
        {
            return Some(value);
        }
        let (index, _, value) = fields.get_full(name)?;
        self.0.store(index, Ordering::Relaxed);
        Some(value)
    }
}

/// An element of a list.
#[derive(Debug)]
pub(crate) struct ElementNode {
    pub(crate) spread: bool,
    pub(crate) node: Node,
}

/// A call whose arguments are matched with parameters.
#[derive(Debug)]
pub(crate) struct CallNode {
    pub(crate) callable: Arc<Callable>,
    /// In the order of the parameters.
    pub(crate) arguments: Vec<Given>,
    /// All arguments and what encloses them.
    pub(crate) enclosed: Span,
    pub(crate) form: Form,
}

/// An argument and the index of its parameter.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) parameter: usize,
    pub(crate) node: Node,
}

/// `x => x.path`
#[derive(Debug)]
pub(crate) struct LambdaNode {
    pub(crate) span: Span,
    pub(crate) parameters: Vec<String>,
    pub(crate) body: Node,
    /// The number of nested expressions in it.
    pub(crate) depth: usize,
}

impl Node {
    /// Calls `visit` with each name in this expression that is bound outside of it: its place, and how many
    /// bindings ago it was bound, seen from this expression.
    pub(crate) fn visit_free(&self, visit: &mut impl FnMut(Span, usize)) {
        self.visit_inside(0, visit);
    }

    /// Returns the depth of nested expressions while it is evaluated. The body of a lambda counts when the
    /// lambda is called.
    pub(crate) fn depth(&self) -> usize {
        match &self.kind {
            NodeKind::Lambda(_) => 1,
            _ => 1 + self.children().into_iter().map(|(_, child)| child.depth()).max().unwrap_or(0),
        }
    }

    fn visit_inside(&self, inside: usize, visit: &mut impl FnMut(Span, usize)) {
        if let NodeKind::Local { up } = self.kind
            && up >= inside
        {
            visit(self.span, up - inside);
        }
        for (bound, child) in self.children() {
            child.visit_inside(inside + bound, visit);
        }
    }

    /// Returns the direct subexpressions, each with the number of names that are bound for it.
    pub(crate) fn children(&self) -> Vec<(usize, &Self)> {
        let nodes: Vec<&Self> = match &self.kind {
            NodeKind::Literal(_) | NodeKind::Function(_) | NodeKind::Local { .. } => Vec::new(),
            NodeKind::List(elements) => elements.iter().map(|it| &it.node).collect(),
            NodeKind::Object(fields) => fields.iter().map(|(_, node)| node).collect(),
            NodeKind::Call(call) => call.arguments.iter().map(|it| &it.node).collect(),
            NodeKind::Apply { function, arguments } => [&**function].into_iter().chain(arguments).collect(),
            NodeKind::Member { of, .. } | NodeKind::Unary { of, .. } | NodeKind::Attempt(of) => vec![of],
            NodeKind::Index { of, index } => vec![of, index],
            NodeKind::Binary { left, right, .. } => vec![left, right],
            NodeKind::Conditional { condition, then, otherwise } => vec![condition, then, otherwise],
            NodeKind::Embedded(embedded) => embedded.children(),
            NodeKind::Lambda(lambda) => return vec![(lambda.parameters.len(), &lambda.body)],
            NodeKind::OrNull { receiver, call } => return vec![(0, receiver), (1, call)],
            // The other calls have the same arguments.
            NodeKind::Method(method) => return vec![(0, &*method.receiver), (1, &method.any().node)],
            NodeKind::Let { bindings, result, .. } => {
                return bindings.iter().chain([&**result]).enumerate().collect();
            }
        };
        nodes.into_iter().map(|node| (0, node)).collect()
    }
}
