//! Assignment of arguments to parameters.

use std::sync::Arc;

use source_text::Span;

use super::Resolver;
use super::call::arguments_of;
use crate::ast::{Argument, Call, Element, Expression, ExpressionKind, Spelled};
use crate::fix::is_nothing;
use crate::name::{is_same_name, nearest};
use crate::node::{Given, Node};
use crate::signature::{ARGS, KWARGS};
use crate::{FailureKind, Form, Limits, Registry, Signature, Type};

/// Names for the parameter of a lambda that is suggested.
const EACH: &[&str] = &["it", "item", "element"];

impl Resolver<'_> {
    /// Resolves the arguments, in the order of their parameters, and reports their mistakes.
    pub(super) fn arguments(&mut self, signature: &Arc<Signature>, call: Call, callee: Span) -> Vec<Given> {
        let (form, enclosed) = (call.form, call.enclosed);
        let arguments = self.spread_object(signature, arguments_of(call), form);
        let Gathering { arguments, positional, further } = gather_further(signature, arguments);
        let mut given: Vec<Given> = Vec::new();
        let lone = lone_missing(signature, &arguments);
        let wanting = lone.filter(|_| strangers(signature, &arguments) == 1);
        let mut broken = false;
        for (position, argument) in arguments.into_iter().enumerate() {
            let place = argument.name.as_ref().map_or(argument.value.span, |name| name.span);
            let slot = match &argument.name {
                Some(name) => parameter(signature, &name.text).map_err(|it| meaning(it, wanting)),
                None if position >= positional => {
                    Err(FailureKind::PositionalAfterNamed { signature: signature.clone() }.into())
                }
                None if position < signature.parameters.len() => Ok(position),
                None => Err(self.too_many(signature, form, enclosed)),
            };
            let slot = slot.and_then(|parameter| free(&given, parameter, signature, lone));
            let node = match &slot {
                Ok(parameter) if signature.parameters[*parameter].ty.takes_function() => {
                    self.refuse_quoted_lambda(&argument.value, form);
                    match self.refuse_members_alone(&argument.value, form) {
                        true => Node { kind: Self::broken(), span: argument.value.span, varies: false },
                        false => self.function_value(argument.value),
                    }
                }
                _ => self.argument_value(argument.value, form),
            };
            match slot {
                Ok(parameter) => given.push(Given { parameter, node }),
                // Only the first of several extra arguments is reported.
                Err(kind) if broken && matches!(*kind, FailureKind::TooManyArguments { .. }) => {}
                Err(kind) => {
                    broken = true;
                    self.fail(place, kind);
                }
            }
        }
        for (parameter, value) in further {
            given.push(Given { parameter, node: self.node(value) });
        }
        if !broken {
            self.check_missing(signature, &given, callee);
        }
        given.sort_by_key(|it| it.parameter);
        given
    }

    /// Refuses `xs.map("x => x + 1")`.
    fn refuse_quoted_lambda(&mut self, value: &Expression, form: Form) {
        let ExpressionKind::Text(text) = &value.kind else { return };
        let (Some(read), failures) = crate::parse::parse(text, &Limits::default()) else { return };
        let is_lambda = matches!(read.kind, ExpressionKind::Lambda { .. }) && failures.is_empty();
        if is_lambda && form == Form::Text {
            let found = self.text(value.span).to_owned();
            self.fail(value.span, FailureKind::NotDialect { found, instead: text.trim().to_owned() });
        }
    }

    /// Refuses ``xs.filter(role == `call`)``, `xs.map(path)`: members of each element, without a name for it.
    fn refuse_members_alone(&mut self, value: &Expression, form: Form) -> bool {
        let mut members = Vec::new();
        let is_path = matches!(value.kind, ExpressionKind::Binary { .. }) && self.is_bare(value);
        let is_function = matches!(&value.kind, ExpressionKind::Name(it) if self.registry.callable_or_foreign(it).is_some());
        if form == Form::Text && !is_path && !is_function {
            self.members_alone(value, &mut members);
        }
        let each = EACH.iter().find(|it| self.scope.find(it).is_none());
        let (Some(each), false) = (each, members.is_empty()) else { return false };
        let (mut body, mut at) = (String::new(), value.span.start);
        for span in members {
            body += &format!("{}{each}.", self.text(Span::new(at, span.start)));
            at = span.start;
        }
        body += self.text(Span::new(at, value.span.end));
        let (found, instead) = (self.text(value.span).to_owned(), format!("{each} => {body}"));
        self.fail(value.span, FailureKind::NotDialect { found, instead });
        true
    }

    /// Collects the places of unbound names, in the order of the text.
    fn members_alone(&self, value: &Expression, members: &mut Vec<Span>) {
        match &value.kind {
            ExpressionKind::Name(name) => {
                let is_known = self.scope.find(name).is_some() || self.scope.near(name).is_some();
                if !is_known && !is_nothing(name) {
                    members.push(value.span);
                }
            }
            ExpressionKind::Member { of, .. } | ExpressionKind::Unary { of, .. } => {
                self.members_alone(of, members);
            }
            ExpressionKind::Binary { operator, left, right } => {
                self.members_alone(left, members);
                if *operator != "is" {
                    self.members_alone(right, members);
                }
            }
            _ => {}
        }
    }

    /// Makes the failure for `count(1, 2, 3)`.
    fn too_many(&self, signature: &Arc<Signature>, form: Form, enclosed: Span) -> Box<FailureKind> {
        let text = self.text(enclosed);
        let all = match form {
            Form::Json => format!("[{text}]"),
            Form::Text => format!("([{}])", text[1..text.len() - 1].trim()),
        };
        let takes_list = matches!(signature.parameters.as_slice(), [it] if matches!(it.ty, Type::List(_)));
        let as_list = takes_list.then_some((enclosed, all));
        FailureKind::TooManyArguments { signature: signature.clone(), as_list }.into()
    }

    /// Reads an object at the end as named arguments if it does not fit its parameter, and its keys are
    /// parameters: ``search({path: `src`, pattern: `TODO`})``, ``search(`src`, {pattern: `TODO`})``.
    fn spread_object(
        &self,
        signature: &Arc<Signature>,
        mut arguments: Vec<Argument>,
        form: Form,
    ) -> Vec<Argument> {
        let Some(Argument { name: None, value }) = arguments.last() else { return arguments };
        let ExpressionKind::Object(fields) = &value.kind else { return arguments };
        let keys: Vec<&str> = fields.iter().map(|(key, _)| key.text.as_str()).collect();
        let position = arguments.len() - 1;
        let is_further = position >= signature.named_parameters().len();
        // In JSON, an object alone is named arguments wherever the parameters are not known.
        let is_data = form == Form::Text || position > 0 || self.is_call(&keys);
        if is_further && is_data && signature.is_open {
            return arguments;
        }
        let fits = !(is_further && signature.is_open)
            && signature.parameters.get(position).is_some_and(|it| takes(self.registry, &it.ty, &keys));
        let is_parameter = |key: &&str| parameter(signature, key).is_ok();
        // An object alone is named arguments even with a slip in its keys, unless it has fields of the type.
        let falls_short = || {
            let parameter = signature.parameters.get(position);
            parameter.is_some_and(|it| shares_field(self.registry, &it.ty, &keys))
        };
        let names = match position {
            0 => keys.iter().any(is_parameter) || !keys.is_empty() && !self.is_call(&keys) && !falls_short(),
            _ => keys.iter().all(is_parameter),
        };
        if fits || !names {
            return arguments;
        }
        let last = arguments.pop().expect("there is a last one");
        let ExpressionKind::Object(fields) = last.value.kind else { unreachable!("matched above") };
        arguments.extend(fields.into_iter().map(|(name, value)| Argument { name: Some(name), value }));
        arguments
    }

    /// Returns `true` for an object that was meant as a call, which is reported elsewhere.
    fn is_call(&self, keys: &[&str]) -> bool {
        matches!(keys, [only] if self.registry.callable(only).is_some() || self.registry.slip(only).is_some())
    }

    fn check_missing(&mut self, signature: &Arc<Signature>, given: &[Given], callee: Span) {
        let is_given = |index: usize| given.iter().any(|it| it.parameter == index);
        if let Some(failure) = missing_parameters(signature, is_given) {
            self.fail(callee, failure);
        }
    }
}

/// Returns the failure of a call without some required parameters.
pub(crate) fn missing_parameters(
    signature: &Arc<Signature>,
    is_given: impl Fn(usize) -> bool,
) -> Option<FailureKind> {
    let parameters = signature.parameters.iter().enumerate();
    let missing = parameters.filter(|(index, it)| !it.optional && !is_given(*index));
    let parameters: Vec<String> = missing.map(|(_, it)| it.name.clone()).collect();
    (!parameters.is_empty())
        .then(|| FailureKind::MissingArguments { parameters, signature: signature.clone() })
}

/// Takes the arguments that an open signature does not name out of the list: a list of the positional ones and
/// an object of the named ones, each with its parameter.
fn gather_further(signature: &Signature, arguments: Vec<Argument>) -> Gathering {
    let positional = arguments.iter().take_while(|it| it.name.is_none()).count();
    if !signature.is_open {
        return Gathering { arguments, positional, further: Vec::new() };
    }
    let named = signature.named_parameters().len();
    let gives = |name: &str| arguments.iter().any(|it| it.name.as_ref().is_some_and(|it| it.text == name));
    let (gathers_args, gathers_kwargs) = (!gives(ARGS), !gives(KWARGS));
    // A name that is given twice is kept, to be refused.
    let is_further = |name: &Spelled, so_far: &[(Spelled, Expression)]| {
        signature.parameters.iter().all(|it| !it.is_called(&name.text))
            && so_far.iter().all(|(it, _)| it.text != name.text)
    };
    let (mut kept, mut args, mut kwargs) = (Vec::new(), Vec::new(), Vec::new());
    for (position, argument) in arguments.into_iter().enumerate() {
        match argument.name {
            None if gathers_args && (named..positional).contains(&position) => {
                args.push(Element { spread: false, value: argument.value });
            }
            Some(name) if gathers_kwargs && is_further(&name, &kwargs) => kwargs.push((name, argument.value)),
            name => kept.push(Argument { name, value: argument.value }),
        }
    }
    let values = args.iter().map(|it| &it.value);
    let args = gathered(values).map(|of| of.with(ExpressionKind::List(args)));
    let values = kwargs.iter().map(|(_, value)| value);
    let kwargs = gathered(values).map(|of| of.with(ExpressionKind::Object(kwargs)));
    let further = args.map(|it| (named, it)).into_iter().chain(kwargs.map(|it| (named + 1, it))).collect();
    let positional = if gathers_args { positional.min(named) } else { positional };
    Gathering { arguments: kept, positional, further }
}

/// The arguments of a call.
struct Gathering {
    arguments: Vec<Argument>,
    /// The number of them before the first name. None may stand behind a name.
    positional: usize,
    /// The lists and objects of arguments that the signature does not know, by the index of their parameter.
    further: Vec<(usize, Expression)>,
}

/// The place and the depth of expressions that become parts of one.
struct Gathered {
    span: Span,
    depth: usize,
}

impl Gathered {
    fn with(self, kind: ExpressionKind) -> Expression {
        Expression { kind, span: self.span, depth: self.depth + 1 }
    }
}

fn gathered<'a>(values: impl Iterator<Item = &'a Expression>) -> Option<Gathered> {
    values
        .map(|it| Gathered { span: it.span, depth: it.depth })
        .reduce(|a, b| Gathered { span: a.span.join(b.span), depth: a.depth.max(b.depth) })
}

/// Returns the only required parameter without an argument, if there is exactly one.
fn lone_missing<'a>(signature: &'a Signature, arguments: &[Argument]) -> Option<&'a str> {
    let names = arguments.iter().filter_map(|it| it.name.as_ref());
    let positional = arguments.iter().take_while(|it| it.name.is_none()).count();
    let required = signature.parameters.iter().skip(positional).filter(|it| !it.optional);
    let mut missing = required.filter(|it| names.clone().all(|name| !it.is_called(&name.text)));
    let first = missing.next()?;
    missing.next().is_none().then_some(&*first.name)
}

/// Counts the arguments that have the name of no parameter.
fn strangers(signature: &Signature, arguments: &[Argument]) -> usize {
    let names = arguments.iter().filter_map(|it| it.name.as_ref());
    names.filter(|name| signature.parameters.iter().all(|known| !known.is_called(&name.text))).count()
}

/// Suggests the missing parameter for an unknown argument that resembles none.
fn meaning(mut kind: Box<FailureKind>, wanting: Option<&str>) -> Box<FailureKind> {
    if let FailureKind::UnknownArgument { nearest: nearest @ None, .. } = &mut *kind {
        *nearest = wanting.map(str::to_owned);
    }
    kind
}

/// Returns the index of the parameter of that name.
pub(crate) fn parameter(signature: &Arc<Signature>, name: &str) -> Result<usize, Box<FailureKind>> {
    let found = signature.parameters.iter().position(|it| it.is_called(name));
    found.ok_or_else(|| {
        let names = signature.parameters.iter().map(|it| it.name.as_str());
        let nearest = nearest(name, names).first().map(|&name| name.to_owned());
        FailureKind::UnknownArgument { name: name.to_owned(), nearest, signature: signature.clone() }.into()
    })
}

/// Returns the parameter if it has no argument yet. In the failure, a positional argument may be meant for
/// the missing parameter: ``search(`User`, path=`src`)``.
fn free(
    given: &[Given],
    parameter: usize,
    signature: &Arc<Signature>,
    missing: Option<&str>,
) -> Result<usize, Box<FailureKind>> {
    let Some(taken) = given.iter().find(|it| it.parameter == parameter) else { return Ok(parameter) };
    let start = Span::new(taken.node.span.start, taken.node.span.start);
    let meant = missing.map(|name| (start, format!("{name}=")));
    let parameter = signature.parameters[parameter].name.clone();
    Err(FailureKind::RepeatedArgument { parameter, meant, signature: signature.clone() }.into())
}

/// Returns `true` if one of the keys is a field of the type, or if the type is an object's.
fn shares_field(registry: &Registry, ty: &Type, keys: &[&str]) -> bool {
    let fields = ty.named().and_then(|it| registry.registered_type(it)).map(|it| &it.signature.parameters);
    fields.is_some_and(|it| it.iter().any(|field| keys.iter().any(|key| is_same_name(key, &field.name))))
        || registry
            .types()
            .alternatives(ty)
            .into_iter()
            .any(|it| matches!(it, Type::Fields(_) | Type::Map(_)))
}

/// Returns `true` if an object with these keys may be of that type.
pub(crate) fn takes(registry: &Registry, ty: &Type, keys: &[&str]) -> bool {
    match registry.types().resolved(ty) {
        Type::Any | Type::Object | Type::Map(_) => true,
        Type::Optional(inner) | Type::List(inner) | Type::Refined(inner, _) => takes(registry, inner, keys),
        Type::Union(members) => members.iter().any(|it| takes(registry, it, keys)),
        Type::Fields(fields) => {
            let mut required = fields.iter().filter(|it| !it.optional);
            required.all(|it| keys.iter().any(|key| is_same_name(key, &it.name)))
                && keys.iter().any(|key| fields.iter().any(|it| is_same_name(key, &it.name)))
        }
        Type::Named(name) => {
            let sources = registry.conversions().iter().filter(|it| it.signature.returns == *ty);
            let sources = sources.filter_map(|it| it.signature.parameters[0].ty.named());
            let mut shapes = [name].into_iter().chain(sources).filter_map(|it| registry.registered_type(it));
            shapes.any(|shape| {
                let mut required = shape.signature.parameters.iter().filter(|it| !it.optional);
                required.all(|it| keys.iter().any(|key| is_same_name(key, &it.name)))
            })
        }
        _ => false,
    }
}
