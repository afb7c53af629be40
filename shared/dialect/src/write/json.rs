//! Writing programs in JSON form.

use super::{Writer, encloses_program};
use crate::Value;
use crate::lookalike::looks_like_call;
use crate::method::MethodNode;
use crate::node::{CallNode, ElementNode, LambdaNode, Node, NodeKind};
use crate::print::print_json;
use crate::quote::print_quoted;

impl Writer<'_> {
    /// Writes `{"m": [x, y]}`, or `{"m": {"of": x, "by": y}}`.
    fn json_method(&mut self, method: &MethodNode) {
        let any = method.any();
        let Some(call) = any.call() else { return self.json_bound(&method.receiver, &any.node) };
        let parameters = &call.callable.signature.parameters;
        let is_positional = call.arguments.iter().enumerate().all(|(at, given)| given.parameter == at);
        self.keyed(&method.name, |writer| {
            writer.push(if is_positional { "[" } else { "{" });
            writer.separated(call.arguments.iter().enumerate(), |writer, (at, given)| {
                if !is_positional {
                    print_quoted(&mut writer.out, &parameters[given.parameter].name);
                    writer.push(": ");
                }
                if at == 0 {
                    return writer.json(&method.receiver);
                }
                writer.names.push(String::new());
                writer.json(&given.node);
                writer.names.pop();
            });
            writer.push(if is_positional { "]" } else { "}" });
        });
    }

    /// Writes a program. One without a spelling in JSON form is written as in text form.
    pub(super) fn json_program(&mut self, root: &Node) {
        match &root.kind {
            // A text that is a program would be refused as a quoted program.
            NodeKind::Literal(value @ Value::Text(_)) => {
                let text = print_json(self.registry, value);
                self.push(&text);
            }
            NodeKind::Object(fields) if encloses_program(self.registry, root) => self.json_pairs(fields),
            NodeKind::List(_) => {
                let starts_with_name = matches!(&root.kind, NodeKind::List(elements) if elements.first().is_some_and(
                    |it| matches!(&it.node.kind, NodeKind::Literal(Value::Text(text)) if self.registry.callable(text).is_some())
                ));
                if starts_with_name {
                    self.keyed("let", |writer| writer.json_list([root]));
                } else {
                    self.json(root);
                }
            }
            _ => self.json(root),
        }
    }

    /// Writes an object with one key, whose value `write` writes: `{"key": …}`.
    fn keyed(&mut self, key: &str, write: impl FnOnce(&mut Self)) {
        self.push(&format!("{{\"{key}\": "));
        write(self);
        self.push("}");
    }

    /// Writes a binding of the receiver, and an expression with it.
    fn json_bound(&mut self, receiver: &Node, node: &Node) {
        let name = self.fresh();
        self.keyed("let", |writer| {
            writer.push("[");
            writer.json_pair(&name, receiver);
            writer.push(", ");
            writer.names.push(name.clone());
            writer.json(node);
            writer.names.pop();
            writer.push("]");
        });
    }

    fn json_list<'n>(&mut self, nodes: impl IntoIterator<Item = &'n Node>) {
        self.push("[");
        self.separated(nodes, Self::json);
        self.push("]");
    }

    fn json(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Literal(value) => self.literal(value),
            // It is no part of a program.
            NodeKind::Embedded(_) => {}
            NodeKind::Function(callable) => {
                let name = callable.signature.name.clone();
                self.keyed("var", |writer| print_quoted(&mut writer.out, &name));
            }
            NodeKind::Local { up } => {
                let name = self.name_of(*up);
                self.keyed("var", |writer| print_quoted(&mut writer.out, &name));
            }
            NodeKind::List(elements) => self.json_elements(elements),
            NodeKind::Object(fields) => self.json_object(fields),
            NodeKind::Call(call) => self.json_call(call),
            NodeKind::Apply { function, arguments } => {
                self.keyed("apply", |writer| writer.json_list([&**function].into_iter().chain(arguments)));
            }
            NodeKind::Lambda(lambda) => self.json_lambda(lambda),
            NodeKind::Member { of, name, or_null, .. } => {
                self.keyed(if *or_null { "field?" } else { "field" }, |writer| {
                    writer.push("[");
                    writer.json(of);
                    writer.push(", ");
                    print_quoted(&mut writer.out, name);
                    writer.push("]");
                });
            }
            NodeKind::Index { of, index } => {
                self.keyed("index", |writer| writer.json_list([&**of, &**index]));
            }
            NodeKind::Unary { operator, of } => self.keyed(operator, |writer| writer.json_list([&**of])),
            NodeKind::Binary { operator, left, right } => {
                self.keyed(operator, |writer| writer.json_list([&**left, &**right]));
            }
            NodeKind::Conditional { condition, then, otherwise } => {
                self.keyed("if", |writer| writer.json_list([&**condition, &**then, &**otherwise]));
            }
            NodeKind::Let { names, bindings, result } => self.json_let(names, bindings, result),
            NodeKind::Attempt(of) => self.keyed("attempt", |writer| writer.json_list([&**of])),
            NodeKind::Method(method) => self.json_method(method),
            NodeKind::OrNull { receiver, call } => self.json_or_null(receiver, call),
        }
    }

    fn json_elements(&mut self, elements: &[ElementNode]) {
        self.push("[");
        self.separated(elements, |writer, element| {
            if element.spread {
                writer.keyed("spread", |writer| writer.json(&element.node));
            } else {
                writer.json(&element.node);
            }
        });
        self.push("]");
    }

    fn json_object(&mut self, fields: &[(String, Node)]) {
        if looks_like_call(self.registry, fields.iter().map(|(key, _)| key)) {
            return self.json_pairs(fields);
        }
        self.push("{");
        self.separated(fields, |writer, (key, node)| {
            print_quoted(&mut writer.out, key);
            writer.push(": ");
            writer.json(node);
        });
        self.push("}");
    }

    /// Writes an object that is data whatever its keys are.
    fn json_pairs(&mut self, fields: &[(String, Node)]) {
        self.keyed("object", |writer| {
            writer.push("[");
            writer.separated(fields, |writer, (key, node)| writer.json_pair(key, node));
            writer.push("]");
        });
    }

    fn json_pair(&mut self, key: &str, node: &Node) {
        self.push("[");
        print_quoted(&mut self.out, key);
        self.push(", ");
        self.json(node);
        self.push("]");
    }

    /// Writes a call: with positional arguments if none is left out, with named ones otherwise.
    fn json_call(&mut self, call: &CallNode) {
        let parameters = &call.callable.signature.parameters;
        let is_positional = call.arguments.iter().enumerate().all(|(at, given)| given.parameter == at)
            && (0..call.arguments.len()).all(|at| !self.needs_name(call, at));
        self.keyed(&call.callable.signature.name.clone(), |writer| {
            if is_positional {
                return writer.json_list(call.arguments.iter().map(|it| &it.node));
            }
            writer.push("{");
            writer.separated(&call.arguments, |writer, given| {
                print_quoted(&mut writer.out, &parameters[given.parameter].name);
                writer.push(": ");
                writer.json(&given.node);
            });
            writer.push("}");
        });
    }

    fn json_lambda(&mut self, lambda: &LambdaNode) {
        self.keyed("lambda", |writer| {
            writer.push("{\"params\": [");
            writer.separated(&lambda.parameters, |writer, name| print_quoted(&mut writer.out, name));
            writer.push("], \"body\": ");
            let outer = writer.names.len();
            writer.names.extend(lambda.parameters.iter().cloned());
            writer.json(&lambda.body);
            writer.names.truncate(outer);
            writer.push("}");
        });
    }

    fn json_let(&mut self, names: &[String], bindings: &[Node], result: &Node) {
        let outer = self.names.len();
        self.keyed("let", |writer| {
            writer.push("[");
            for (name, binding) in names.iter().zip(bindings) {
                writer.json_pair(name, binding);
                writer.push(", ");
                writer.names.push(name.clone());
            }
            writer.json(result);
            writer.push("]");
        });
        self.names.truncate(outer);
    }

    /// Writes a binding of the receiver, and the call unless that is null.
    fn json_or_null(&mut self, receiver: &Node, call: &Node) {
        let name = self.fresh();
        self.keyed("let", |writer| {
            writer.push("[");
            writer.json_pair(&name, receiver);
            writer.push(&format!(", {{\"if\": [{{\"==\": [{{\"var\": \"{name}\"}}, null]}}, null, "));
            writer.names.push(name.clone());
            writer.json(call);
            writer.names.pop();
            writer.push("]}]");
        });
    }
}
