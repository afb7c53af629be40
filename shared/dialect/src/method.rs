//! Calls of methods: the calls that `x.m()` may be, and which of them by the type of `x`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::node::{CallNode, Node, NodeKind};
use crate::requirement::Needs;
use crate::{Effect, Failure, Value};

/// A call whose callable depends on the type of its receiver.
#[derive(Debug)]
pub(crate) struct MethodNode {
    pub(crate) name: String,
    pub(crate) receiver: Box<Node>,
    /// One for each type that has the method, and then the one for all other values, if there is one.
    pub(crate) calls: Vec<MethodCall>,
}

/// One of the calls that `x.m()` may be. Its first argument is what the receiver is bound to.
#[derive(Debug)]
pub(crate) struct MethodCall {
    /// The type, or `None` for all other values.
    pub(crate) of: Option<Arc<str>>,
    pub(crate) node: Node,
    /// The mistakes in this call, which count if it is the one that runs.
    pub(crate) failures: Vec<Failure>,
    pub(crate) needs: Needs,
    pub(crate) effect: Effect,
    /// Set by the inference of types.
    pub(crate) is_possible: AtomicBool,
}

impl MethodCall {
    /// Returns the call, if it is one of a function of the registry.
    pub(crate) fn call(&self) -> Option<&CallNode> {
        match &self.node.kind {
            NodeKind::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Returns `true` if it takes lists as they are.
    fn takes_list(&self) -> bool {
        self.call().is_some_and(|it| it.callable.takes_list)
    }
}

impl MethodNode {
    /// Returns the calls that may run, as far as types are known.
    pub(crate) fn possible(&self) -> Vec<&MethodCall> {
        let marked = self.calls.iter().filter(|it| it.is_possible.load(Ordering::Relaxed));
        let marked: Vec<_> = marked.collect();
        if marked.is_empty() { self.calls.iter().collect() } else { marked }
    }

    /// Returns a call without mistakes. All of them have the same arguments.
    pub(crate) fn any(&self) -> &MethodCall {
        let possible = self.possible();
        possible.iter().find(|it| it.failures.is_empty()).copied().unwrap_or(possible[0])
    }

    /// Returns the call that runs for a value.
    pub(crate) fn of_value(&self, receiver: &Value) -> Option<&MethodCall> {
        if let [only] = self.possible().as_slice() {
            return Some(only);
        }
        match receiver {
            Value::List(items) => self.of_list(|| self.of_value(items.first().unwrap_or(&Value::Null))),
            Value::Record(record) => self.of_type(&record.type_name),
            _ => self.of_others(),
        }
    }

    /// Returns the call for values of a registered type.
    pub(crate) fn of_type(&self, name: &str) -> Option<&MethodCall> {
        self.calls.iter().find(|it| it.of.as_deref() == Some(name)).or_else(|| self.of_others())
    }

    /// Returns the call for a list: what takes lists, or else the call for its elements.
    pub(crate) fn of_list<'n>(
        &'n self,
        of_elements: impl FnOnce() -> Option<&'n MethodCall>,
    ) -> Option<&'n MethodCall> {
        self.otherwise().filter(|it| it.takes_list()).or_else(of_elements)
    }

    /// Returns the call for values whose types have no such method. Without a function of that name, it is the only
    /// one that there is, which may convert them.
    pub(crate) fn of_others(&self) -> Option<&MethodCall> {
        self.otherwise().or_else(|| self.calls.first().filter(|_| self.calls.len() == 1))
    }

    fn otherwise(&self) -> Option<&MethodCall> {
        self.calls.last().filter(|it| it.of.is_none())
    }

    /// Returns the types that have it.
    pub(crate) fn types(&self) -> Vec<String> {
        self.calls.iter().filter_map(|it| Some(it.of.as_deref()?.to_owned())).collect()
    }
}

/// The parts of a program that depend on which calls of methods may run.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) effect: Effect,
    pub(crate) needs: Needs,
    pub(crate) failures: Vec<Failure>,
}

impl Settled {
    /// Adds what the possible calls of methods in an expression need. A call of a method fails here if all of the
    /// possible ones are mistakes; otherwise the value of the receiver decides.
    pub(crate) fn add(&mut self, node: &Node) {
        let NodeKind::Method(method) = &node.kind else {
            return node.children().into_iter().for_each(|(_, child)| self.add(child));
        };
        self.add(&method.receiver);
        let possible = method.possible();
        if possible.iter().all(|it| !it.failures.is_empty()) {
            let new = |it: &&Failure| !self.failures.contains(it);
            let failures: Vec<_> = possible[0].failures.iter().filter(new).cloned().collect();
            self.failures.extend(failures);
            return;
        }
        for call in possible.into_iter().filter(|it| it.failures.is_empty()) {
            self.effect = self.effect.max(call.effect);
            self.needs.merge(&call.needs);
            self.add(&call.node);
        }
    }
}

/// Makes all calls of methods possible, where types could not be inferred.
pub(crate) fn allow_all(node: &Node) {
    let NodeKind::Method(method) = &node.kind else {
        return node.children().into_iter().for_each(|(_, child)| allow_all(child));
    };
    allow_all(&method.receiver);
    for call in &method.calls {
        call.is_possible.store(true, Ordering::Relaxed);
        allow_all(&call.node);
    }
}
