//! Programs written as JSON: an object whose only key is a callable is a call of it.
//!
//! A program is in JSON form if all of it is one object or list of literals. It is decoded into the
//! expressions of the text form, at their places in the JSON.

use source_text::Span;

use crate::ast::{Argument, Call, Element, Expression, ExpressionKind, Spelled};
use crate::form::{Form, RESERVED};
use crate::lookalike::{CALLEES, GIVEN, is_quoted_program};
use crate::name::fold;
use crate::registry::Callable;
use crate::{Failure, FailureKind, Failures, Registry};

/// Operators that take one or two operands.
const OPERATORS: &[&str] =
    &["??", "||", "&&", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!"];

/// The depth of objects, and the fields of each, in which a quoted program is searched.
const ENCLOSED: usize = 3;
const FIELDS: usize = 4;

/// The decoded program, and the mistakes in it.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) expression: Expression,
    pub(crate) failures: Vec<Failure>,
}

/// Returns `true` if all of a program is one object or list of literals.
pub(crate) fn is_json_form(expression: &Expression) -> bool {
    let is_container = matches!(expression.kind, ExpressionKind::Object(_) | ExpressionKind::List(_));
    is_container && is_data(expression)
}

fn is_data(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Null
        | ExpressionKind::Bool(_)
        | ExpressionKind::Number(_)
        | ExpressionKind::Text(_)
        | ExpressionKind::Broken => true,
        ExpressionKind::List(elements) => elements.iter().all(|it| !it.spread && is_data(&it.value)),
        ExpressionKind::Object(fields) => fields.iter().all(|(_, value)| is_data(value)),
        _ => false,
    }
}

/// Decodes a program in JSON form.
pub(crate) fn decode(registry: &Registry, source: &str, program: Expression) -> Decoded {
    let mut decoder = Decoder { registry, source, failures: Vec::new() };
    decoder.refuse_listed_call(&program);
    decoder.refuse_enclosed_program(&program);
    decoder.refuse_split_call(&program);
    decoder.refuse_unknown_call(&program);
    let expression = decoder.expression(program);
    Decoded { expression, failures: decoder.failures }
}

struct Decoder<'a> {
    registry: &'a Registry,
    source: &'a str,
    failures: Vec<Failure>,
}

impl<'a> Decoder<'a> {
    fn fail(&mut self, span: Span, kind: FailureKind) {
        self.failures.push(Failure::at(span, kind));
    }

    fn text(&self, span: Span) -> &'a str {
        &self.source[span.range()]
    }

    /// Returns the callable of exactly that name: in data, a similar name remains a name.
    fn exact(&self, name: &str) -> Option<&Callable> {
        let callable = self.registry.callable(name)?;
        callable.names().any(|it| it == name).then_some(callable)
    }

    fn expression(&mut self, expression: Expression) -> Expression {
        let Expression { kind, span, depth } = expression;
        let kind = match kind {
            _ if self.failures.len() >= Failures::MOST => ExpressionKind::Broken,
            ExpressionKind::List(elements) => {
                ExpressionKind::List(elements.into_iter().map(|it| self.element(it.value)).collect())
            }
            ExpressionKind::Object(fields) => self.object(fields, span),
            other => other,
        };
        Expression { kind, span, depth }
    }

    /// Decodes an element; `{"spread": xs}` is `...xs`.
    fn element(&mut self, expression: Expression) -> Element {
        match expression.kind {
            ExpressionKind::Object(mut fields) if fields.len() == 1 && fields[0].0.text == "spread" => {
                Element { spread: true, value: self.expression(fields.remove(0).1) }
            }
            kind => Element { spread: false, value: self.expression(Expression { kind, ..expression }) },
        }
    }

    fn object(&mut self, mut fields: Vec<(Spelled, Expression)>, span: Span) -> ExpressionKind {
        if fields.len() != 1 {
            self.refuse_spread_form(&fields, span);
            self.refuse_foreign_call(&fields, span);
            let fields = fields.into_iter().map(|(key, value)| (key, self.expression(value)));
            return ExpressionKind::Object(fields.collect());
        }
        let (key, value) = fields.remove(0);
        if RESERVED.contains(&key.text.as_str()) || OPERATORS.contains(&key.text.as_str()) {
            return self.form(key, value, span);
        }
        let of_type = self.method(&key.text);
        if let Some(callable) = self.exact(&key.text) {
            let names = callable.signature.parameters.iter().map(|it| it.name.clone());
            let names: Vec<String> = names.chain(of_type.clone()).collect();
            let kind = self.call(key, value, &names);
            return match of_type {
                Some(of) => with_receiver(kind, &of),
                None => kind,
            };
        }
        if let Some(parameter) = of_type {
            let kind = self.call(key, value, std::slice::from_ref(&parameter));
            return with_receiver(kind, &parameter);
        }
        if let Some(name) = self.misspelled(&key.text) {
            let call = format!("{{\"{name}\": {}}}", self.text(value.span));
            let data = format!("{{\"quote\": {}}}", self.text(span));
            self.fail(key.span, FailureKind::ObjectCall { call, data });
        }
        let value = self.expression(value);
        ExpressionKind::Object(vec![(key, value)])
    }

    /// Returns the first parameter of the method of exactly that name.
    fn method(&self, name: &str) -> Option<String> {
        let methods = self.registry.methods(name).iter().map(|it| &it.callable.signature);
        let mut exact = methods.filter(|it| it.name.rsplit_once('.').is_some_and(|(_, rest)| rest == name));
        Some(exact.next()?.parameters[0].name.clone())
    }

    /// Returns the name of the callable that the only key of an object probably means.
    fn misspelled(&self, key: &str) -> Option<&str> {
        let callable =
            self.registry.callable(key).or_else(|| self.registry.callable(self.registry.slip(key)?));
        Some(&callable?.signature.name)
    }

    /// Decodes a call. An object with a parameter among its keys is named arguments, a list is positional
    /// ones, and any other value is the only argument.
    fn call(&mut self, name: Spelled, value: Expression, parameters: &[String]) -> ExpressionKind {
        let enclosed = value.span;
        let positional = |value| Argument { name: None, value };
        let arguments = match value.kind {
            ExpressionKind::Object(fields)
                if fields.is_empty() || fields.iter().any(|(key, _)| parameters.contains(&key.text)) =>
            {
                let named = |(key, value)| Argument { name: Some(key), value: self.expression(value) };
                fields.into_iter().map(named).collect()
            }
            ExpressionKind::List(elements) => {
                elements.into_iter().map(|it| positional(self.expression(it.value))).collect()
            }
            kind => vec![positional(self.expression(Expression { kind, ..value }))],
        };
        let form = Form::Json;
        ExpressionKind::Call(Box::new(Call {
            receiver: None,
            or_null: false,
            name,
            arguments,
            enclosed,
            form,
        }))
    }

    /// Decodes a form of the language, such as `{"lambda": {"params": ["x"], "body": …}}`.
    fn form(&mut self, key: Spelled, value: Expression, span: Span) -> ExpressionKind {
        let name = key.text.clone();
        let decoded = match name.as_str() {
            "quote" => Some(quote(key, value)),
            "var" => text_of(&value).map(ExpressionKind::Name),
            "lambda" => self.lambda(value),
            "let" => self.bindings(value),
            "object" => self.pairs(value).map(|value| quote(key, value)),
            "attempt" | "if" => Some(self.call(key, value, &[])),
            "field" | "field?" => self.field(value, name == "field?"),
            "apply" => self.apply(value),
            // It is valid only in a list.
            "spread" => None,
            operator => self.operation(operator, value),
        };
        decoded.unwrap_or_else(|| {
            self.fail(span, FailureKind::LanguageForm { form: name });
            ExpressionKind::Broken
        })
    }

    fn lambda(&mut self, value: Expression) -> Option<ExpressionKind> {
        let ExpressionKind::Object(fields) = value.kind else { return None };
        let (mut parameters, mut body) = (None, None);
        for (key, value) in fields {
            match key.text.as_str() {
                "params" => parameters = Some(names(&value)?.into_iter().map(Into::into).collect()),
                "body" => body = Some(Box::new(self.expression(value))),
                _ => return None,
            }
        }
        Some(ExpressionKind::Lambda { parameters: parameters?, body: body? })
    }

    /// Decodes `[["x", e], …, body]`.
    fn bindings(&mut self, value: Expression) -> Option<ExpressionKind> {
        let mut lines = list(value)?;
        let result = Box::new(self.expression(lines.pop()?));
        let bindings = lines.into_iter().map(|line| self.pair(line)).collect::<Option<_>>()?;
        Some(ExpressionKind::Let { bindings, result })
    }

    /// Decodes `[["key", e], …]`: an object that is data whatever its keys are, with evaluated values.
    fn pairs(&mut self, value: Expression) -> Option<Expression> {
        let (span, depth) = (value.span, value.depth);
        let pairs = list(value)?.into_iter().map(|pair| self.pair(pair)).collect::<Option<_>>()?;
        Some(Expression { kind: ExpressionKind::Object(pairs), span, depth })
    }

    fn pair(&mut self, pair: Expression) -> Option<(Spelled, Expression)> {
        let [name, value] = <[Expression; 2]>::try_from(list(pair)?).ok()?;
        let name = Spelled { text: text_of(&name)?, span: name.span };
        Some((name, self.expression(value)))
    }

    /// Decodes `[{"var": "f"}, 1, …]`.
    fn apply(&mut self, value: Expression) -> Option<ExpressionKind> {
        let enclosed = value.span;
        let mut parts = list(value)?.into_iter().map(|it| self.expression(it));
        let ExpressionKind::Name(name) = parts.next()?.kind else { return None };
        let name = Spelled { text: name, span: enclosed };
        let arguments = parts.map(|value| Argument { name: None, value }).collect();
        let form = Form::Json;
        Some(ExpressionKind::Call(Box::new(Call {
            receiver: None,
            or_null: false,
            name,
            arguments,
            enclosed,
            form,
        })))
    }

    fn field(&mut self, value: Expression, or_null: bool) -> Option<ExpressionKind> {
        let [of, name] = <[Expression; 2]>::try_from(list(value)?).ok()?;
        let name = Spelled { text: text_of(&name)?, span: name.span };
        Some(ExpressionKind::Member { of: Box::new(self.expression(of)), name, or_null })
    }

    fn operation(&mut self, operator: &str, value: Expression) -> Option<ExpressionKind> {
        let operands = match value.kind {
            ExpressionKind::List(_) => list(value)?,
            _ => vec![value],
        };
        let mut operands: Vec<_> = operands.into_iter().map(|it| Box::new(self.expression(it))).collect();
        if operator == "index" {
            let [of, index] = <[Box<Expression>; 2]>::try_from(operands).ok()?;
            return Some(ExpressionKind::Index { of, index });
        }
        let operator = OPERATORS.iter().find(|it| **it == operator)?;
        match (operands.len(), *operator) {
            (1, "!" | "-") => Some(ExpressionKind::Unary { operator, of: operands.remove(0) }),
            (_, "!") => None,
            _ => {
                let [left, right] = <[Box<Expression>; 2]>::try_from(operands).ok()?;
                Some(ExpressionKind::Binary { operator, left, right })
            }
        }
    }

    /// Refuses `["findReferences", "User"]`: a call in another spelling.
    fn refuse_listed_call(&mut self, program: &Expression) {
        let ExpressionKind::List(elements) = &program.kind else { return };
        let Some((first, rest)) = elements.split_first() else { return };
        let Some(name) = text_of(&first.value).filter(|it| self.exact(it).is_some()) else { return };
        let arguments: Vec<&str> = rest.iter().map(|it| self.text(it.value.span)).collect();
        let call = format!("{{\"{name}\": [{}]}}", arguments.join(", "));
        let data = format!("{{\"quote\": {}}}", self.text(program.span));
        self.fail(program.span, FailureKind::ObjectCall { call, data });
    }

    /// Refuses a quoted program in an object: `{"program": "findReferences(`User`)"}`, `{"tool": "…",
    /// "arguments": {"program": "…"}}`.
    fn refuse_enclosed_program(&mut self, program: &Expression) {
        if !matches!(program.kind, ExpressionKind::Object(_)) {
            return;
        }
        if let Some(inside) = self.enclosed(program, ENCLOSED) {
            self.fail(program.span, FailureKind::QuotedProgram { program: inside.trim().to_owned() });
        }
    }

    /// Returns the first quoted program, at most `depth` objects deep: other protocols wrap programs in
    /// objects.
    fn enclosed(&self, expression: &Expression, depth: usize) -> Option<String> {
        let ExpressionKind::Object(fields) = &expression.kind else {
            return text_of(expression).filter(|it| is_quoted_program(self.registry, it));
        };
        let means_something = |key: &str| RESERVED.contains(&key) || self.exact(key).is_some();
        if depth == 0 || fields.iter().any(|(key, _)| means_something(&key.text)) {
            return None;
        }
        fields.iter().take(FIELDS).find_map(|(_, value)| self.enclosed(value, depth - 1))
    }

    /// Refuses one form spread over several fields: `{"if": c, "then": a, "else": b}`, `{"let": {"x": e},
    /// "in": body}`.
    fn refuse_spread_form(&mut self, fields: &[(Spelled, Expression)], span: Span) {
        let field = |names: &[&str]| fields.iter().find(|(key, _)| names.contains(&key.text.as_str()));
        let text = |it: Option<&(Spelled, Expression)>| it.map(|(_, value)| self.text(value.span).to_owned());
        let (then, otherwise) = (text(field(&["then"])), text(field(&["else", "otherwise"])));
        let call = if let (Some(condition), Some(then)) = (text(field(&["if", "condition", "cond"])), then) {
            let otherwise = otherwise.unwrap_or_else(|| "null".to_owned());
            format!("{{\"if\": [{condition}, {then}, {otherwise}]}}")
        } else if let (Some((_, bound)), Some(body)) = (field(&["let"]), text(field(&["in", "body", "do"]))) {
            let ExpressionKind::Object(bound) = &bound.kind else { return };
            let pairs =
                bound.iter().map(|(name, value)| format!("[\"{}\", {}], ", name.text, self.text(value.span)));
            format!("{{\"let\": [{}{body}]}}", pairs.collect::<String>())
        } else {
            return;
        };
        let data = format!("{{\"quote\": {}}}", self.text(span));
        self.fail(span, FailureKind::ObjectCall { call, data });
    }

    /// Refuses `{"function": "findReferences", "arguments": …}`, `{"findDefinition": …, "findReferences":
    /// …}`.
    fn refuse_foreign_call(&mut self, fields: &[(Spelled, Expression)], span: Span) {
        let field = |names: &[&str]| fields.iter().find(|(key, _)| names.contains(&fold(&key.text).as_str()));
        let (callee, given) = (field(CALLEES), field(GIVEN));
        if let (Some((_, callee)), Some((_, given))) = (callee, given)
            && let Some(callable) = text_of(callee).and_then(|it| self.registry.callable(&it))
        {
            let call = format!("{{\"{}\": {}}}", callable.signature.name, self.text(given.span));
            let data = format!("{{\"quote\": {}}}", self.text(span));
            return self.fail(span, FailureKind::ObjectCall { call, data });
        }
        let calls: Vec<String> = fields
            .iter()
            .filter(|(key, _)| self.exact(&key.text).is_some())
            .map(|(key, value)| format!("{{\"{}\": {}}}", key.text, self.text(value.span)))
            .collect();
        if calls.len() > 1 {
            let data = format!("{{\"quote\": {}}}", self.text(span));
            self.fail(span, FailureKind::ObjectCall { call: format!("[{}]", calls.join(", ")), data });
        }
    }

    /// Refuses `{"getUsages": {"symbol": "User"}}`: a program that reads like a call of an unknown function.
    /// As data it would be returned unchanged, and look like an answer.
    fn refuse_unknown_call(&mut self, program: &Expression) {
        let ExpressionKind::Object(fields) = &program.kind else { return };
        let [(key, value)] = fields.as_slice() else { return };
        let known = self.registry.callable(&key.text).is_some()
            || self.method(&key.text).is_some()
            || self.misspelled(&key.text).is_some();
        if known || RESERVED.contains(&key.text.as_str()) || OPERATORS.contains(&key.text.as_str()) {
            return;
        }
        if reads_like_call(&key.text, value) || self.registry.resembles_callable(&key.text) {
            self.fail(key.span, self.registry.unknown_function(key.text.clone()));
        }
    }

    fn refuse_split_call(&mut self, program: &Expression) {
        let ExpressionKind::Object(fields) = &program.kind else { return };
        if let Some(call) = self.call_beside_arguments(fields).filter(|_| fields.len() > 1) {
            let data = format!("{{\"quote\": {}}}", self.text(program.span));
            self.fail(program.span, FailureKind::ObjectCall { call, data });
        }
    }

    /// Returns the call for `{"findReferences": "User", "includeDeclaration": true}`, which has other
    /// arguments beside it.
    fn call_beside_arguments(&self, fields: &[(Spelled, Expression)]) -> Option<String> {
        let (at, callable) =
            fields.iter().enumerate().find_map(|(at, (key, _))| Some((at, self.exact(&key.text)?)))?;
        let parameters = &callable.signature.parameters;
        let is_parameter =
            |key: &Spelled| parameters.iter().any(|it| it.name == key.text || it.aliases.contains(&key.text));
        let others = || fields.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, field)| field);
        if !others().all(|(key, _)| is_parameter(key)) {
            return None;
        }
        let (name, value) = &fields[at];
        let first = match &value.kind {
            ExpressionKind::Object(inner) if inner.iter().any(|(key, _)| is_parameter(key)) => {
                let text = self.text(value.span);
                text[1..text.len() - 1].trim().to_owned()
            }
            _ => format!("\"{}\": {}", parameters.first()?.name, self.text(value.span)),
        };
        let others = others().map(|(key, value)| format!("\"{}\": {}", key.text, self.text(value.span)));
        let all: Vec<String> = std::iter::once(first).chain(others).collect();
        Some(format!("{{\"{}\": {{{}}}}}", name.text, all.join(", ")))
    }
}

/// Makes a call one of a method. Its receiver is the first argument, or the one named `of`.
fn with_receiver(mut kind: ExpressionKind, of: &str) -> ExpressionKind {
    if let ExpressionKind::Call(call) = &mut kind {
        let is_receiver = |it: &Argument| it.name.as_ref().is_none_or(|name| name.text == of);
        if let Some(at) = call.arguments.iter().position(is_receiver) {
            call.receiver = Some(Box::new(call.arguments.remove(at).value));
        }
    }
    kind
}

/// Returns `true` for `{"getUsages": …}` and `{"get_usages": …}`: a name of several words is rarely the only
/// key of data.
fn reads_like_call(key: &str, value: &Expression) -> bool {
    let is_name = key.chars().all(|it| it.is_ascii_alphanumeric() || it == '_' || it == '.');
    let has_words = key.chars().skip(1).any(|it| it.is_ascii_uppercase() || it == '_' || it == '.');
    let is_argument =
        matches!(value.kind, ExpressionKind::Object(_) | ExpressionKind::List(_) | ExpressionKind::Text(_));
    is_name && has_words && key.starts_with(|it: char| it.is_ascii_lowercase()) && is_argument
}

/// Marks data as such, so that as an argument it is never taken for the arguments of a call.
fn quote(key: Spelled, value: Expression) -> ExpressionKind {
    let enclosed = value.span;
    let name = Spelled { text: "quote".to_owned(), span: key.span };
    let arguments = vec![Argument { name: None, value }];
    let form = Form::Json;
    ExpressionKind::Call(Box::new(Call { receiver: None, or_null: false, name, arguments, enclosed, form }))
}

fn text_of(expression: &Expression) -> Option<String> {
    match &expression.kind {
        ExpressionKind::Text(text) => Some(text.clone()),
        _ => None,
    }
}

fn list(expression: Expression) -> Option<Vec<Expression>> {
    match expression.kind {
        ExpressionKind::List(elements) => Some(elements.into_iter().map(|it| it.value).collect()),
        _ => None,
    }
}

fn names(expression: &Expression) -> Option<Vec<Spelled>> {
    let ExpressionKind::List(elements) = &expression.kind else { return None };
    let name = |it: &Element| Some(Spelled { text: text_of(&it.value)?, span: it.value.span });
    elements.iter().map(name).collect()
}
