//! Programs written in either form, with the names that the registry has.

use crate::ast::build::{binding, call, call_of, conditional, index, lambda, list, member, node, spelled};
use crate::ast::{Argument, Expression, ExpressionKind};
use crate::ast::{build, build::name};
use crate::lookalike::looks_like_call;
use crate::method::MethodNode;
use crate::node::{CallNode, LambdaNode, Node, NodeKind};
use crate::print::{expression, json_program, print, print_json};
use crate::resolve::arguments::takes;
use crate::{Form, Object, Program, Registry, Value, printer};

impl Program {
    /// Returns the form of the source.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Writes the program in a form. `registry` must be the one that it was read with. Comments are lost.
    pub fn write(&self, registry: &Registry, form: Form) -> String {
        let names = self.given.keys().cloned().collect();
        let mut writer = Writer { registry, form, names, quoting: false };
        let root = unmarked(&self.root);
        match (form, data(root)) {
            (Form::Text, Some(value)) => print(registry, &value),
            (Form::Json, Some(value)) => print_json(registry, &value),
            (Form::Text, None) => printer::text(&mut writer.program(root)),
            (Form::Json, None) => printer::json(&json_program(registry, writer.program(root))),
        }
    }
}

/// Returns what a program without bindings is. In JSON form, `{"let": [[…]]}` marks a whole list as data; each form has
/// a mark of its own, which its printer adds.
fn unmarked(root: &Node) -> &Node {
    match &root.kind {
        NodeKind::Let { bindings, result, .. } if bindings.is_empty() => unmarked(result),
        _ => root,
    }
}

/// Returns the value of a program that would be read as JSON form.
pub(crate) fn data(node: &Node) -> Option<Value> {
    match &node.kind {
        NodeKind::Literal(value) => Some(value.clone()),
        NodeKind::List(elements) => {
            let each = elements.iter().map(|it| data(&it.node).filter(|_| !it.spread));
            each.collect::<Option<Vec<_>>>().map(Value::from)
        }
        NodeKind::Object(fields) => {
            let each = fields.iter().map(|(key, node)| Some((key.clone(), data(node)?)));
            Some(Value::Object(each.collect::<Option<Object>>()?))
        }
        _ => None,
    }
}

/// The syntax trees of resolved expressions, which a printer prints in one form.
struct Writer<'a> {
    registry: &'a Registry,
    form: Form,
    /// The names that are bound here, the innermost last.
    names: Vec<String>,
    /// Inside `quote(…)`.
    quoting: bool,
}

impl Writer<'_> {
    /// Returns the tree of a whole program. In text, its bindings stand on lines of their own.
    fn program(&mut self, root: &Node) -> Expression {
        match &root.kind {
            NodeKind::Let { names, bindings, result } => self.bindings(names, bindings, result),
            _ => self.tree(root),
        }
    }

    fn tree(&mut self, it: &Node) -> Expression {
        match &it.kind {
            NodeKind::Literal(value) => expression(self.form, self.registry, value),
            // It is no part of a program.
            NodeKind::Embedded(_) => node(ExpressionKind::Broken),
            NodeKind::Function(callable) => name(&self.callee(&callable.signature.name)),
            NodeKind::Local { up } => name(&self.names[self.names.len() - 1 - up]),
            NodeKind::List(elements) => list(elements.iter().map(|it| (it.spread, self.tree(&it.node)))),
            NodeKind::Object(fields) => self.object(fields),
            NodeKind::Call(call) => {
                let arguments = self.given(call, None);
                call_of(None, false, &self.callee(&call.callable.signature.name), arguments)
            }
            NodeKind::Apply { function, arguments } => {
                let function = Box::new(self.tree(function));
                node(ExpressionKind::Apply { function, arguments: self.positional(arguments) })
            }
            NodeKind::Lambda(it) => self.lambda(it),
            NodeKind::Member { of, name, or_null, .. } => member(self.tree(of), name, *or_null),
            NodeKind::Index { of, index: at } => index(self.tree(of), self.tree(at)),
            NodeKind::Unary { operator, of } => {
                node(ExpressionKind::Unary { operator, of: self.tree(of).into() })
            }
            NodeKind::Binary { operator, left, right } => {
                build::binary(operator, self.tree(left), self.tree(right))
            }
            NodeKind::Conditional { condition, then, otherwise } => {
                conditional(self.tree(condition), self.tree(then), self.tree(otherwise))
            }
            NodeKind::Let { names, bindings, result } => match self.form {
                Form::Text => self.nested_bindings(names, bindings, result),
                Form::Json => self.bindings(names, bindings, result),
            },
            NodeKind::Attempt(of) => call("attempt", [self.tree(of)]),
            NodeKind::Method(method) => self.method(method),
            NodeKind::OrNull { receiver, call } => self.or_null(receiver, call),
        }
    }

    fn object(&mut self, fields: &[(String, Node)]) -> Expression {
        let quotes = !self.quoting && looks_like_call(self.registry, fields.iter().map(|(key, _)| key));
        let outer = self.quoting;
        self.quoting |= quotes && self.form == Form::Text;
        let fields = fields.iter().map(|(key, value)| (spelled(key), self.tree(value))).collect();
        self.quoting = outer;
        let object = node(ExpressionKind::Object(fields));
        if quotes { call("quote", [object]) } else { object }
    }

    /// Returns the name of a function of the registry. If a binding has that name too, an underscore at the end avoids
    /// it in text.
    fn callee(&self, name: &str) -> String {
        let is_bound = self.form == Form::Text && self.names.iter().any(|it| it == name);
        if is_bound { format!("{name}_") } else { name.to_owned() }
    }

    fn positional<'n>(&mut self, arguments: impl IntoIterator<Item = &'n Node>) -> Vec<Argument> {
        arguments.into_iter().map(|it| Argument { name: None, value: self.tree(it) }).collect()
    }

    /// Returns the arguments of a call. Those without a name are in the order of the parameters; in JSON form, either
    /// all have names or none. `receiver` is what the first one is bound to, if the call is one of a method.
    fn given(&mut self, call: &CallNode, receiver: Option<&Node>) -> Vec<Argument> {
        let is_named = |it: &Self, position: usize| {
            call.arguments[position].parameter != position
                || receiver.is_none() && it.is_named_object(call, position)
        };
        let named: Vec<bool> = (0..call.arguments.len()).map(|position| is_named(self, position)).collect();
        let all = self.form == Form::Json && named.contains(&true);
        let mut arguments = Vec::with_capacity(named.len());
        for (position, (given, is_named)) in call.arguments.iter().zip(named).enumerate() {
            let parameter = &call.callable.signature.parameters[given.parameter].name;
            let value = match receiver {
                Some(receiver) if position == 0 => self.tree(receiver),
                Some(_) => self.bound("", |it| it.tree(&given.node)),
                None => self.tree(&given.node),
            };
            arguments.push(Argument { name: (all || is_named).then(|| spelled(parameter)), value });
        }
        arguments
    }

    /// Returns `true` for an object that its parameter does not take, which would be read as named arguments.
    fn is_named_object(&self, call: &CallNode, position: usize) -> bool {
        let given = &call.arguments[position];
        let NodeKind::Object(fields) = &given.node.kind else { return false };
        let keys: Vec<&str> = fields.iter().map(|(key, _)| key.as_str()).collect();
        let ty = &call.callable.signature.parameters[given.parameter].ty;
        position + 1 == call.arguments.len() && !takes(self.registry, ty, &keys)
    }

    /// Returns a tree in which one more name is bound.
    fn bound<T>(&mut self, name: &str, tree: impl FnOnce(&mut Self) -> T) -> T {
        self.names.push(name.to_owned());
        let tree = tree(self);
        self.names.pop();
        tree
    }

    fn lambda(&mut self, it: &LambdaNode) -> Expression {
        let outer = self.names.len();
        self.names.extend(it.parameters.iter().cloned());
        let body = self.tree(&it.body);
        self.names.truncate(outer);
        lambda(&it.parameters.iter().map(String::as_str).collect::<Vec<_>>(), body)
    }

    fn bindings(&mut self, names: &[String], bindings: &[Node], result: &Node) -> Expression {
        let outer = self.names.len();
        let mut lines = Vec::with_capacity(bindings.len());
        for (name, value) in names.iter().zip(bindings) {
            lines.push((spelled(name), self.tree(value)));
            self.names.push(name.clone());
        }
        let result = Box::new(self.tree(result));
        self.names.truncate(outer);
        node(ExpressionKind::Let { bindings: lines, result })
    }

    /// Returns `let(1, x => x + 1)`, nested.
    fn nested_bindings(&mut self, names: &[String], bindings: &[Node], result: &Node) -> Expression {
        match self.bindings(names, bindings, result).kind {
            ExpressionKind::Let { bindings, result } => {
                let outwards = bindings.into_iter().rev();
                outwards.fold(*result, |body, (name, value)| binding(&name.text, value, body))
            }
            _ => unreachable!("bindings are a `Let`"),
        }
    }

    /// Returns an unused name, for a binding that the program does not name.
    fn fresh(&self) -> String {
        let taken = |name: &String| self.names.contains(name);
        let mut names = (1..).map(|count| format!("it{count}"));
        names.find(|name| !taken(name)).expect("there is always one more")
    }

    /// Returns `x.m(y)`; in JSON form `{"m": [x, y]}`, or `{"m": {"of": x, "by": y}}`.
    fn method(&mut self, method: &MethodNode) -> Expression {
        if self.form == Form::Text {
            let receiver = self.tree(&method.receiver);
            return call_of(Some(receiver), false, &method.name, self.behind_receiver(&method.any().node));
        }
        let any = method.any();
        let Some(call) = any.call() else {
            let name = self.fresh();
            let receiver = self.tree(&method.receiver);
            let result = Box::new(self.bound(&name, |it| it.tree(&any.node)));
            return node(ExpressionKind::Let { bindings: vec![(spelled(&name), receiver)], result });
        };
        let arguments = self.given(call, Some(&method.receiver));
        call_of(None, false, &method.name, arguments)
    }

    /// Returns the arguments behind the receiver of a call, which is bound to its first argument.
    fn behind_receiver(&mut self, it: &Node) -> Vec<Argument> {
        self.bound("", |writer| match &it.kind {
            NodeKind::Call(call) => {
                let mut all = writer.given(call, None);
                all.remove(0);
                all
            }
            NodeKind::Apply { arguments, .. } => writer.positional(&arguments[1..]),
            NodeKind::Conditional { then, otherwise, .. } => writer.positional([&**then, &**otherwise]),
            _ => Vec::new(),
        })
    }

    /// Returns `xs?.f(y)`; in JSON form a binding of the receiver, and the call unless that is null.
    fn or_null(&mut self, receiver: &Node, call: &Node) -> Expression {
        if self.form == Form::Json {
            let fresh = self.fresh();
            let value = self.tree(receiver);
            let is_null = build::binary("==", name(&fresh), build::null());
            let result = self.bound(&fresh, |it| conditional(is_null, build::null(), it.tree(call)));
            let bindings = vec![(spelled(&fresh), value)];
            return node(ExpressionKind::Let { bindings, result: Box::new(result) });
        }
        let receiver = self.tree(receiver);
        let name = match &call.kind {
            NodeKind::Call(call) => self.callee(&call.callable.signature.name),
            NodeKind::Method(method) => method.name.clone(),
            NodeKind::Apply { function, .. } => match self.bound("", |it| it.tree(function)).kind {
                ExpressionKind::Name(name) => name,
                _ => unreachable!("what is called has a name"),
            },
            _ => unreachable!("what follows `?.` with brackets is a call"),
        };
        let arguments = match &call.kind {
            NodeKind::Method(method) => self.bound("", |it| it.behind_receiver(&method.any().node)),
            _ => self.behind_receiver(call),
        };
        call_of(Some(receiver), true, &name, arguments)
    }
}
