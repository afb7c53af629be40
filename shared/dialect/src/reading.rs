//! The parts of a function's results that a program may look at, known before it runs. So a part that is costly can be
//! left out of results and filled in where they are shown.

use crate::Value;
use crate::name::is_same_name;
use crate::node::{CallNode, ElementNode, Node, NodeKind};
use crate::program::Program;
use crate::registry::Callable;

/// The values whose parts may be left out, and the functions that take them without looking at these parts.
#[derive(Clone, Copy, Debug)]
pub struct Costly<'a> {
    /// The function that returns a list of such values.
    pub function: &'a str,
    /// The libraries whose functions call it for nobody else. A function of another one may look at what it returns.
    pub libraries: &'a [&'a str],
    /// The fields that hold nothing of these parts. Every other field counts as one of them.
    pub other_fields: &'a [&'a str],
    /// The functions that take such values, or lists of them, without looking at these parts.
    pub takers: &'a [(&'a str, Taker)],
}

/// The result of a function that does not look at the parts of its first argument itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taker {
    /// Elements of its argument, perhaps chosen by a function: `filter`.
    Elements,
    /// Elements of its argument in the fields of an object: `groupBy`.
    Groups,
    /// The results of a function, one for each element: `map`.
    Results,
    /// Neither: a count, a text.
    Other,
}

/// The things that a program may do with parts of a function's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// It may look at them.
    MayLook,
    /// It does not look at them, but its value may hold them.
    MayShow,
    /// It neither looks at them nor holds them.
    Neither,
}

impl Program {
    /// Returns what it may do with the costly parts of a function's results. `MayLook` is the answer wherever that
    /// cannot be known.
    pub fn reading(&self, costly: &Costly<'_>) -> Reading {
        let mut reader = Reader { costly, may_look: false, has_objects: false, is_in_objects: false };
        let mut holds = reader.node(&self.root, &mut vec![false; self.given.len()]);
        if reader.has_objects {
            // A field of an object may then hold a whole value, whatever it is called.
            reader.is_in_objects = true;
            holds = reader.node(&self.root, &mut vec![false; self.given.len()]);
        }
        match (reader.may_look, holds) {
            (true, _) => Reading::MayLook,
            (false, true) => Reading::MayShow,
            (false, false) => Reading::Neither,
        }
    }
}

struct Reader<'a> {
    costly: &'a Costly<'a>,
    may_look: bool,
    /// True if an object was read that may hold costly parts in its fields.
    has_objects: bool,
    /// True if what may hold costly parts may be such an object.
    is_in_objects: bool,
}

impl Reader<'_> {
    /// Returns whether the value of an expression may hold costly parts. `env` says that of the names bound around it.
    fn node(&mut self, node: &Node, env: &mut Vec<bool>) -> bool {
        match &node.kind {
            NodeKind::Literal(_) => false,
            NodeKind::Local { up } => env[env.len() - 1 - up],
            NodeKind::Function(callable) => {
                self.runs(callable);
                callable.signature.name == self.costly.function
            }
            NodeKind::Lambda(lambda) => self.lambda(&lambda.body, lambda.parameters.len(), false, env),
            NodeKind::List(elements) => {
                let each = elements.iter().map(|ElementNode { node, .. }| self.node(node, env));
                each.fold(false, |any, it| any | it)
            }
            NodeKind::Object(fields) => {
                let holds = fields.iter().fold(false, |any, (_, field)| any | self.node(field, env));
                self.has_objects |= holds;
                holds
            }
            NodeKind::Call(call) => self.call(call, env),
            NodeKind::Apply { function, arguments } => {
                let holds = self.node(function, env);
                self.looks_at(arguments, env);
                holds
            }
            NodeKind::Member { of, name, .. } => {
                let holds = self.node(of, env);
                self.member(holds, name)
            }
            NodeKind::Index { of, index } => {
                let holds = self.node(of, env);
                self.looks_at([&**index], env);
                match &index.kind {
                    NodeKind::Literal(Value::Number(_)) => holds,
                    NodeKind::Literal(Value::Text(name)) => self.member(holds, name),
                    _ => {
                        self.may_look |= holds;
                        false
                    }
                }
            }
            NodeKind::Binary { operator: "??", left, right } => self.node(left, env) | self.node(right, env),
            NodeKind::Binary { operator: "==" | "!=", left, right } if is_null(left) || is_null(right) => {
                self.node(left, env);
                self.node(right, env);
                false
            }
            NodeKind::Binary { left, right, .. } => {
                self.looks_at([&**left, &**right], env);
                false
            }
            // What failed is shown in words.
            NodeKind::Unary { of, .. } | NodeKind::Attempt(of) => {
                self.looks_at([&**of], env);
                false
            }
            NodeKind::Conditional { condition, then, otherwise } => {
                self.looks_at([&**condition], env);
                self.node(then, env) | self.node(otherwise, env)
            }
            NodeKind::Let { bindings, result, .. } => {
                let outside = env.len();
                for binding in bindings {
                    let holds = self.node(binding, env);
                    env.push(holds);
                }
                let holds = self.node(result, env);
                env.truncate(outside);
                holds
            }
            NodeKind::Method(method) => {
                let receiver = self.node(&method.receiver, env);
                env.push(receiver);
                let holds = method.calls.iter().fold(false, |any, it| any | self.node(&it.node, env));
                env.pop();
                holds
            }
            NodeKind::OrNull { receiver, call } => {
                let receiver = self.node(receiver, env);
                env.push(receiver);
                let holds = self.node(call, env);
                env.pop();
                holds
            }
            NodeKind::Embedded(_) => {
                self.may_look = true;
                true
            }
        }
    }

    /// Reads expressions whose values are looked at as wholes.
    fn looks_at<'n>(&mut self, nodes: impl IntoIterator<Item = &'n Node>, env: &mut Vec<bool>) {
        for node in nodes {
            let holds = self.node(node, env);
            self.may_look |= holds;
        }
    }

    /// Returns whether the body of a function may hold parts, if its parameters do or do not.
    fn lambda(&mut self, body: &Node, parameters: usize, hold: bool, env: &mut Vec<bool>) -> bool {
        let outside = env.len();
        env.resize(outside + parameters, hold);
        let holds = self.node(body, env);
        env.truncate(outside);
        holds
    }

    /// Returns whether a field may hold parts.
    fn member(&mut self, holds: bool, name: &str) -> bool {
        let is_other = self.costly.other_fields.iter().any(|it| is_same_name(it, name));
        self.may_look |= holds && !is_other;
        holds && self.is_in_objects
    }

    fn call(&mut self, call: &CallNode, env: &mut Vec<bool>) -> bool {
        self.runs(&call.callable);
        let arguments: Vec<&Node> = call.arguments.iter().map(|it| &it.node).collect();
        let name = call.callable.signature.name.as_str();
        if name == self.costly.function {
            self.looks_at(arguments, env);
            return true;
        }
        let Some(taker) = self.taker(name) else {
            self.looks_at(arguments, env);
            return false;
        };
        let Some((first, others)) = arguments.split_first() else { return false };
        let taken = self.node(first, env);
        let mut results = false;
        for other in others {
            results |= match &other.kind {
                NodeKind::Lambda(lambda) => self.lambda(&lambda.body, lambda.parameters.len(), taken, env),
                NodeKind::Function(callable) => self.applied(callable, taken),
                NodeKind::Literal(Value::Number(_)) => false,
                // A function by another name, or the name of a field.
                _ => {
                    self.looks_at([*other], env);
                    self.may_look |= taken;
                    false
                }
            };
        }
        self.has_objects |= taken && taker == Taker::Groups;
        match taker {
            Taker::Elements | Taker::Groups => taken,
            Taker::Results => results,
            Taker::Other => false,
        }
    }

    /// Returns whether what a named function returns for a value may hold parts.
    fn applied(&mut self, callable: &Callable, taken: bool) -> bool {
        self.runs(callable);
        let name = callable.signature.name.as_str();
        let taker = self.taker(name);
        self.may_look |= taken && taker.is_none();
        self.has_objects |= taken && taker == Some(Taker::Groups);
        name == self.costly.function || taken && matches!(taker, Some(Taker::Elements | Taker::Groups))
    }

    /// Notes a function whose code may call anything.
    fn runs(&mut self, callable: &Callable) {
        self.may_look |= !self.costly.libraries.contains(&&*callable.library);
    }

    fn taker(&self, name: &str) -> Option<Taker> {
        self.costly.takers.iter().find(|it| it.0 == name).map(|it| it.1)
    }
}

fn is_null(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Literal(Value::Null))
}
