//! Programs written anew, in either form: the same program, with the names that the registry has.

use crate::Form;
use crate::json_form::looks_like_call;
use crate::node::{CallNode, ElementNode, LambdaNode, MethodNode, Node, NodeKind};
use crate::print::{is_plain_key, print_in, print_json, print_quoted, print_text};
use crate::resolve::arguments::takes;
use crate::{Program, Registry, Value};

/// How tightly what is written holds together; the operators stand between.
mod tightness {
    pub(super) const LAMBDA: usize = 0;
    pub(super) const CONDITIONAL: usize = 1;
    pub(super) const OPERATORS: usize = 2;
    pub(super) const SUM: usize = OPERATORS + 5;
    pub(super) const UNARY: usize = 20;
    pub(super) const MEMBER: usize = 21;
    pub(super) const WHOLE: usize = 22;
}

impl Program {
    /// The form in which the program came.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The same program in a form, with `registry` the one that it was read with. Comments are lost.
    pub fn write(&self, registry: &Registry, form: Form) -> String {
        let mut writer = Writer { registry, form, names: Vec::new(), quoting: false, out: String::new() };
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

    /// A name for what the program bound without one.
    fn fresh(&self) -> String {
        let taken = |name: &String| self.names.contains(name);
        let mut names = (1..).map(|count| format!("it{count}"));
        names.find(|name| !taken(name)).expect("there is always one more")
    }

    fn name_of(&self, up: usize) -> String {
        self.names[self.names.len() - 1 - up].clone()
    }

    // Text form.

    /// Bindings of the whole program stand on lines of their own.
    fn text_program(&mut self, root: &Node) {
        if let NodeKind::Let { names, bindings, result } = &root.kind {
            for (name, binding) in names.iter().zip(bindings) {
                self.push(&format!("{name} = "));
                self.text(binding, tightness::LAMBDA);
                // Without it, a next line that starts with `-` could be thought to go on with this one.
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

    /// An expression where what is at least so tight can stand.
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

    /// What JSON form can name but a name cannot spell is an element of the object.
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

    /// A call; its first `skipped` arguments were written before it.
    fn text_call(&mut self, call: &CallNode, skipped: usize) {
        self.text_callee(&call.callable.signature.name);
        self.text_given(call, skipped);
    }

    /// What stands in the brackets of a call, and they.
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

    /// An object that its parameter does not take would be read as named arguments.
    fn needs_name(&self, call: &CallNode, position: usize) -> bool {
        let given = &call.arguments[position];
        let NodeKind::Object(fields) = &given.node.kind else { return false };
        let keys: Vec<&str> = fields.iter().map(|(key, _)| key.as_str()).collect();
        let ty = &call.callable.signature.parameters[given.parameter].ty;
        position + 1 == call.arguments.len() && !takes(self.registry, ty, &keys)
    }

    /// The name of a function of the registry. Where the same name is bound, an underscore at its end says
    /// that the binding is not meant, and nothing else.
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
        let own = tightness::OPERATORS + crate::parse::precedence(operator).expect("it was read as one");
        let compares = crate::parse::is_comparison(operator);
        let (of_left, of_right) = if compares { (tightness::SUM, tightness::SUM) } else { (own, own + 1) };
        self.text(left, of_left);
        self.push(&format!(" {operator} "));
        self.text(right, of_right);
    }

    /// `let(1, x => x + 1)`, one in the other.
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

    /// `xs?.f(y)`
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

    /// `x.m(y)`
    fn text_method(&mut self, method: &MethodNode) {
        self.text(&method.receiver, tightness::MEMBER);
        self.push(".");
        self.text_method_call(method);
    }

    fn text_method_call(&mut self, method: &MethodNode) {
        self.push(&method.name);
        self.names.push(String::new());
        self.text_given(method.call(), 1);
        self.names.pop();
    }

    // JSON form.

    /// `{"m": [x, y]}`, or `{"m": {"of": x, "by": y}}`
    fn json_method(&mut self, method: &MethodNode) {
        let call = method.call();
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

    /// A program that JSON form has no own spelling for is written as in text form.
    fn json_program(&mut self, root: &Node) {
        match &root.kind {
            // Alone, text that is a program would be taken for one in quotes.
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

    /// `{"key": …}`
    fn keyed(&mut self, key: &str, write: impl FnOnce(&mut Self)) {
        self.push(&format!("{{\"{key}\": "));
        write(self);
        self.push("}");
    }

    fn json_list<'n>(&mut self, nodes: impl IntoIterator<Item = &'n Node>) {
        self.push("[");
        self.separated(nodes, Self::json);
        self.push("]");
    }

    fn json(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Literal(value) => self.literal(value),
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

    /// An object that is data whatever its keys are.
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

    /// Positional arguments as long as none is left out, else all by name.
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

    /// The receiver bound to a name, and the call unless that is null.
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

fn tightness_of(node: &Node) -> usize {
    match &node.kind {
        NodeKind::Lambda(_) => tightness::LAMBDA,
        NodeKind::Conditional { .. } => tightness::CONDITIONAL,
        NodeKind::Binary { operator, .. } => {
            tightness::OPERATORS + crate::parse::precedence(operator).expect("it was read as one")
        }
        NodeKind::Unary { .. } => tightness::UNARY,
        NodeKind::Literal(Value::Number(number)) if number.to_string().starts_with('-') => tightness::UNARY,
        NodeKind::Member { .. } | NodeKind::Index { .. } | NodeKind::OrNull { .. } => tightness::MEMBER,
        _ => tightness::WHOLE,
    }
}

/// Whether it would be read as JSON form.
fn is_data(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Literal(_) => true,
        NodeKind::List(elements) => elements.iter().all(|it| !it.spread && is_data(&it.node)),
        NodeKind::Object(fields) => fields.iter().all(|(_, node)| is_data(node)),
        _ => false,
    }
}

/// Whether a field of it, or of an object in it, is text that is a program.
fn encloses_program(registry: &Registry, node: &Node) -> bool {
    let NodeKind::Object(fields) = &node.kind else { return false };
    fields.iter().any(|(_, node)| match &node.kind {
        NodeKind::Literal(Value::Text(text)) => crate::resolve::is_quoted_program(registry, text),
        _ => encloses_program(registry, node),
    })
}

/// Whether part of the data would then be read as a call.
fn holds_call(registry: &Registry, node: &Node) -> bool {
    let names = |text: &String| registry.callable(text).is_some();
    match &node.kind {
        NodeKind::Literal(Value::Text(text)) => crate::resolve::is_quoted_program(registry, text),
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
