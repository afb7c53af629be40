//! Programs written in either form, with the names that the registry has.

mod json;

use crate::lookalike::{is_quoted_program, looks_like_call};
use crate::method::MethodNode;
use crate::node::{CallNode, ElementNode, LambdaNode, Node, NodeKind};
use crate::print::print_in;
use crate::quote::{is_plain_key, print_quoted, print_text};
use crate::resolve::arguments::takes;
use crate::{Form, Program, Registry, Value, tightness};

impl Program {
    /// Returns the form of the source.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Writes the program in a form. `registry` must be the one that it was read with. Comments are lost.
    pub fn write(&self, registry: &Registry, form: Form) -> String {
        let mut writer = Writer {
            registry,
            form,
            names: self.given.keys().cloned().collect(),
            quoting: false,
            out: String::new(),
        };
        match form {
            Form::Text => writer.text_program(&self.root),
            Form::Json => writer.json_program(&self.root),
        }
        writer.out
    }
}

struct Writer<'a> {
    registry: &'a Registry,
    form: Form,
    /// The names that are bound here, the innermost last.
    names: Vec<String>,
    /// Inside `quote(…)`.
    quoting: bool,
    out: String,
}

impl Writer<'_> {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn separated<T>(&mut self, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.push(", ");
            }
            write(self, item);
        }
    }

    /// Returns an unused name, for a binding that the program does not name.
    fn fresh(&self) -> String {
        let taken = |name: &String| self.names.contains(name);
        let mut names = (1..).map(|count| format!("it{count}"));
        names.find(|name| !taken(name)).expect("there is always one more")
    }

    fn name_of(&self, up: usize) -> String {
        self.names[self.names.len() - 1 - up].clone()
    }

    /// Writes a program. Its bindings stand on lines of their own.
    fn text_program(&mut self, root: &Node) {
        if let NodeKind::Let { names, bindings, result } = &root.kind {
            for (name, binding) in names.iter().zip(bindings) {
                self.push(&format!("{name} = "));
                self.text(binding, tightness::LAMBDA);
                // Otherwise a next line that starts with `-` could continue this one.
                self.push(";\n");
                self.names.push(name.clone());
            }
            self.text(result, tightness::LAMBDA);
        } else if is_data(root) && (holds_call(self.registry, root) || encloses_program(self.registry, root))
        {
            self.quoted(root);
        } else {
            self.text(root, tightness::LAMBDA);
        }
    }

    fn quoted(&mut self, node: &Node) {
        let outer = std::mem::replace(&mut self.quoting, true);
        self.push("quote(");
        self.text(node, tightness::LAMBDA);
        self.push(")");
        self.quoting = outer;
    }

    /// Writes an expression where at least that precedence is needed.
    fn text(&mut self, node: &Node, least: usize) {
        if tightness_of(node) < least {
            self.push("(");
            self.loose(node);
            self.push(")");
        } else {
            self.loose(node);
        }
    }

    fn loose(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Literal(value) => self.literal(value),
            // It is no part of a program.
            NodeKind::Embedded(_) => {}
            NodeKind::Function(callable) => self.text_callee(&callable.signature.name),
            NodeKind::Local { up } => {
                let name = self.name_of(*up);
                self.push(&name);
            }
            NodeKind::List(elements) => self.text_list(elements),
            NodeKind::Object(fields) => self.text_object(fields),
            NodeKind::Call(call) => self.text_call(call, 0),
            NodeKind::Apply { function, arguments } => {
                self.text(function, tightness::WHOLE);
                self.text_arguments(arguments);
            }
            NodeKind::Lambda(lambda) => self.text_lambda(lambda),
            NodeKind::Member { of, name, or_null, .. } => {
                self.text(of, tightness::MEMBER);
                self.text_member(name, *or_null);
            }
            NodeKind::Index { of, index } => {
                self.text(of, tightness::MEMBER);
                self.push("[");
                self.text(index, tightness::LAMBDA);
                self.push("]");
            }
            NodeKind::Unary { operator, of } => {
                self.push(operator);
                self.text(of, tightness::UNARY);
            }
            NodeKind::Binary { operator, left, right } => self.text_binary(operator, left, right),
            NodeKind::Conditional { condition, then, otherwise } => {
                self.text(condition, tightness::OPERATORS);
                self.push(" ? ");
                self.text(then, tightness::LAMBDA);
                self.push(" : ");
                self.text(otherwise, tightness::LAMBDA);
            }
            NodeKind::Let { names, bindings, result } => self.text_let(names, bindings, result),
            NodeKind::Attempt(of) => {
                self.push("attempt");
                self.text_arguments([&**of]);
            }
            NodeKind::Method(method) => self.text_method(method),
            NodeKind::OrNull { receiver, call } => self.text_or_null(receiver, call),
        }
    }

    fn literal(&mut self, value: &Value) {
        let text = print_in(self.form, self.registry, value);
        self.push(&text);
    }

    /// Writes a member. One that a name cannot spell is an element of the object.
    fn text_member(&mut self, name: &str, or_null: bool) {
        if is_plain_key(name) {
            self.push(if or_null { "?." } else { "." });
            return self.push(name);
        }
        self.push(if or_null { "?.[" } else { "[" });
        print_text(&mut self.out, name);
        self.push("]");
    }

    fn text_list(&mut self, elements: &[ElementNode]) {
        self.push("[");
        self.separated(elements, |writer, element| {
            writer.push(if element.spread { "..." } else { "" });
            writer.text(&element.node, tightness::LAMBDA);
        });
        self.push("]");
    }

    fn text_object(&mut self, fields: &[(String, Node)]) {
        let is_call = looks_like_call(self.registry, fields.iter().map(|(key, _)| key));
        let quotes = is_call && !self.quoting;
        self.quoting |= quotes;
        self.push(if quotes { "quote({" } else { "{" });
        self.separated(fields, |writer, (key, node)| {
            writer.text_key(key);
            writer.push(": ");
            writer.text(node, tightness::LAMBDA);
        });
        self.push(if quotes { "})" } else { "}" });
        self.quoting &= !quotes;
    }

    fn text_key(&mut self, key: &str) {
        if is_plain_key(key) {
            self.push(key);
        } else {
            print_quoted(&mut self.out, key);
        }
    }

    /// Writes a call whose first `skipped` arguments stand before it.
    fn text_call(&mut self, call: &CallNode, skipped: usize) {
        self.text_callee(&call.callable.signature.name);
        self.text_given(call, skipped);
    }

    /// Writes the arguments of a call, with their brackets.
    fn text_given(&mut self, call: &CallNode, skipped: usize) {
        self.push("(");
        let parameters = &call.callable.signature.parameters;
        self.separated(call.arguments.iter().enumerate().skip(skipped), |writer, (position, given)| {
            if given.parameter != position || writer.needs_name(call, position) {
                writer.push(&format!("{}=", parameters[given.parameter].name));
            }
            writer.text(&given.node, tightness::LAMBDA);
        });
        self.push(")");
    }

    /// Returns `true` for an object that its parameter does not take, which would be read as named arguments.
    fn needs_name(&self, call: &CallNode, position: usize) -> bool {
        let given = &call.arguments[position];
        let NodeKind::Object(fields) = &given.node.kind else { return false };
        let keys: Vec<&str> = fields.iter().map(|(key, _)| key.as_str()).collect();
        let ty = &call.callable.signature.parameters[given.parameter].ty;
        position + 1 == call.arguments.len() && !takes(self.registry, ty, &keys)
    }

    /// Writes the name of a function of the registry. If a binding has that name too, an underscore at the
    /// end avoids it.
    fn text_callee(&mut self, name: &str) {
        self.push(name);
        if self.names.iter().any(|it| it == name) {
            self.push("_");
        }
    }

    fn text_arguments<'n>(&mut self, arguments: impl IntoIterator<Item = &'n Node>) {
        self.push("(");
        self.separated(arguments, |writer, node| writer.text(node, tightness::LAMBDA));
        self.push(")");
    }

    fn text_lambda(&mut self, lambda: &LambdaNode) {
        match lambda.parameters.as_slice() {
            [one] => self.push(one),
            several => self.push(&format!("({})", several.join(", "))),
        }
        self.push(" => ");
        let outer = self.names.len();
        self.names.extend(lambda.parameters.iter().cloned());
        self.text(&lambda.body, tightness::LAMBDA);
        self.names.truncate(outer);
    }

    fn text_binary(&mut self, operator: &str, left: &Node, right: &Node) {
        let (of_left, of_right) = tightness::of_operands(operator);
        self.text(left, of_left);
        self.push(&format!(" {operator} "));
        self.text(right, of_right);
    }

    /// Writes `let(1, x => x + 1)`, nested.
    fn text_let(&mut self, names: &[String], bindings: &[Node], result: &Node) {
        let outer = self.names.len();
        for (name, binding) in names.iter().zip(bindings) {
            self.push("let(");
            self.text(binding, tightness::LAMBDA);
            self.push(&format!(", {name} => "));
            self.names.push(name.clone());
        }
        self.text(result, tightness::LAMBDA);
        self.push(&")".repeat(names.len()));
        self.names.truncate(outer);
    }

    /// Writes `xs?.f(y)`.
    fn text_or_null(&mut self, receiver: &Node, call: &Node) {
        self.text(receiver, tightness::MEMBER);
        self.push("?.");
        self.names.push(String::new());
        match &call.kind {
            NodeKind::Call(call) => self.text_call(call, 1),
            NodeKind::Method(method) => self.text_method_call(method),
            NodeKind::Apply { function, arguments } => {
                self.text(function, tightness::WHOLE);
                self.text_arguments(&arguments[1..]);
            }
            _ => unreachable!("what follows `?.` with brackets is a call"),
        }
        self.names.pop();
    }

    /// Writes `x.m(y)`.
    fn text_method(&mut self, method: &MethodNode) {
        self.text(&method.receiver, tightness::MEMBER);
        self.push(".");
        self.text_method_call(method);
    }

    fn text_method_call(&mut self, method: &MethodNode) {
        self.push(&method.name);
        self.names.push(String::new());
        match &method.any().node.kind {
            NodeKind::Call(call) => self.text_given(call, 1),
            NodeKind::Apply { arguments, .. } => self.text_arguments(&arguments[1..]),
            NodeKind::Attempt(_) => self.push("()"),
            NodeKind::Conditional { then, otherwise, .. } => self.text_arguments([&**then, &**otherwise]),
            _ => self.push("()"),
        }
        self.names.pop();
    }
}

fn tightness_of(node: &Node) -> usize {
    match &node.kind {
        NodeKind::Lambda(_) => tightness::LAMBDA,
        NodeKind::Conditional { .. } => tightness::CONDITIONAL,
        NodeKind::Binary { operator, .. } => tightness::of_operator(operator),
        NodeKind::Unary { .. } => tightness::UNARY,
        NodeKind::Literal(Value::Number(number)) => tightness::of_number(number),
        NodeKind::Member { .. } | NodeKind::Index { .. } | NodeKind::OrNull { .. } => tightness::MEMBER,
        _ => tightness::WHOLE,
    }
}

/// Returns `true` if it would be read as JSON form.
pub(crate) fn is_data(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Literal(_) => true,
        NodeKind::List(elements) => elements.iter().all(|it| !it.spread && is_data(&it.node)),
        NodeKind::Object(fields) => fields.iter().all(|(_, node)| is_data(node)),
        _ => false,
    }
}

/// Returns `true` if a field of it, or of an object in it, is text that is a program.
fn encloses_program(registry: &Registry, node: &Node) -> bool {
    let NodeKind::Object(fields) = &node.kind else { return false };
    fields.iter().any(|(_, node)| match &node.kind {
        NodeKind::Literal(Value::Text(text)) => is_quoted_program(registry, text),
        _ => encloses_program(registry, node),
    })
}

/// Returns `true` if a part of the data would be read as a call.
fn holds_call(registry: &Registry, node: &Node) -> bool {
    let names = |text: &str| registry.callable(text).is_some();
    match &node.kind {
        NodeKind::Literal(Value::Text(text)) => is_quoted_program(registry, text),
        NodeKind::List(elements) => {
            let starts = matches!(elements.first().map(|it| &it.node.kind), Some(NodeKind::Literal(Value::Text(text))) if names(text));
            starts
                || elements
                    .iter()
                    .any(|it| !matches!(it.node.kind, NodeKind::Literal(_)) && holds_call(registry, &it.node))
        }
        NodeKind::Object(fields) => {
            looks_like_call(registry, fields.iter().map(|(key, _)| key))
                || fields
                    .iter()
                    .any(|(_, node)| !matches!(node.kind, NodeKind::Literal(_)) && holds_call(registry, node))
        }
        _ => false,
    }
}
