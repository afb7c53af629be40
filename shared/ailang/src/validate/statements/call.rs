//! Checks of calls: known callees, and arguments that fit.

use std::collections::HashSet;

use dialect::ast::{Argument, Call, Expression, ExpressionKind};
use source_text::Span;

use super::expression::HARMLESS;
use super::{KnownType, Walker};
use crate::diagnostic::Code;
use crate::names::{BoundType, Scope, Shape, Symbol};
use crate::syntax::{Definition, DefinitionKind, Parameters, Tool};
use crate::validate::built_in::{BUILT_IN_FUNCTIONS, OBJECTS};
use crate::validate::literal::{Misfit, StaticValue, ValueKind};

/// The methods of lists that call a function with each element.
const OF_ELEMENTS: &[&str] = &["map", "flatMap", "filter", "find", "some", "every", "forEach"];

impl<'w, 'a> Walker<'w, '_, 'a> {
    pub(super) fn call(&mut self, call: &'a Call, expression: &'a Expression) -> KnownType<'w, 'a> {
        let Some(receiver) = &call.receiver else { return self.plain_call(call, expression) };
        if let ExpressionKind::Name(owner) = &receiver.kind
            && self.variable(owner).is_none()
        {
            if OBJECTS.contains(&owner.as_str()) {
                return self.arguments_alone(call);
            }
            self.checker.name_use(owner, receiver.span, self.scope);
            match self.scope.find(owner) {
                Some(Symbol::Module(home)) => return self.module_call(home, owner, call, expression),
                Some(_) => return self.unknown_call(call),
                None => {}
            }
        }
        self.method_call(receiver, call)
    }

    /// Checks a call such as `list.filter(it => …)`, whose lambda has the list's elements.
    fn method_call(&mut self, receiver: &'a Expression, call: &'a Call) -> KnownType<'w, 'a> {
        self.runs_unknown();
        let of = self.expression(receiver);
        let name = call.name.text.as_str();
        self.named(of.as_ref(), &call.name.text, call.name.span);
        let element = of.as_ref().and_then(|of| self.element(of)).filter(|_| OF_ELEMENTS.contains(&name));
        for argument in &call.arguments {
            match &argument.value.kind {
                ExpressionKind::Lambda { parameters, body } => self.lambda(parameters, body, element.clone()),
                _ => {
                    self.expression(&argument.value);
                }
            }
            if let Some(name) = &argument.name {
                self.checker.unresolved_member(&name.text, name.span);
            }
        }
        let of = of?;
        match name {
            "filter" | "reverse" | "sort" if element.is_some() || self.element(&of).is_some() => Some(of),
            "find" => element,
            _ => name.starts_with("unwrap").then(|| self.opened(&of)),
        }
    }

    /// Checks a call of an unknown callee.
    fn unknown_call(&mut self, call: &'a Call) -> KnownType<'w, 'a> {
        self.runs_unknown();
        self.arguments_alone(call)
    }

    /// Checks arguments without known parameters.
    fn arguments_alone(&mut self, call: &'a Call) -> KnownType<'w, 'a> {
        for argument in &call.arguments {
            self.expression(&argument.value);
            if let Some(name) = &argument.name {
                // It may be a field of a variant's payload.
                self.checker.unresolved_member(&name.text, name.span);
            }
        }
        None
    }

    fn plain_call(&mut self, call: &'a Call, expression: &'a Expression) -> KnownType<'w, 'a> {
        let name = call.name.text.as_str();
        if self.variable(name).is_some() {
            self.variable_use(name, call.name.span);
            return self.unknown_call(call);
        }
        self.checker.name_use(name, call.name.span, self.scope);
        match self.scope.find(name) {
            Some(Symbol::Definition(definition, home)) => {
                self.defined_call(definition, home, call, expression)
            }
            Some(Symbol::Opaque) => self.unknown_call(call),
            _ if HARMLESS.contains(&name) || self.scope.has_variant(name) => self.arguments_alone(call),
            _ if BUILT_IN_FUNCTIONS.contains(&name) => self.unknown_call(call),
            _ => {
                self.unknown_tool(call);
                self.unknown_call(call)
            }
        }
    }

    fn unknown_tool(&mut self, call: &Call) {
        let (name, span) = (&call.name.text, call.name.span);
        let is_tool = !name.starts_with(|char: char| char.is_ascii_uppercase());
        let mut known = self.checker.known(self.scope, |symbol| symbol.is_tool() == is_tool);
        known.extend(BUILT_IN_FUNCTIONS.iter().filter(|_| is_tool));
        let kinds = if is_tool { "tool" } else { "error, type or variant" };
        self.error(Code::UNKNOWN_TOOL, span, format!("no {kinds} is called `{name}`"))
            .nearest(name, span, known);
    }

    fn module_call(
        &mut self,
        home: usize,
        owner: &str,
        call: &'a Call,
        expression: &'a Expression,
    ) -> KnownType<'w, 'a> {
        let symbol = self.scope.table.exported(home, &call.name.text);
        self.checker.symbol_use(&call.name.text, call.name.span, symbol);
        match symbol {
            Some(Symbol::Definition(definition, home)) => {
                self.defined_call(definition, home, call, expression)
            }
            _ => {
                let message = format!("the module `{owner}` has no tool `{}`", call.name.text);
                self.error(Code::UNKNOWN_TOOL, call.name.span, message);
                self.unknown_call(call)
            }
        }
    }

    fn defined_call(
        &mut self,
        definition: &'a Definition,
        home: usize,
        call: &'a Call,
        expression: &'a Expression,
    ) -> KnownType<'w, 'a> {
        let scope = self.scope_of(definition, home);
        match &definition.kind {
            DefinitionKind::Tool(tool) => {
                let Tool { parameters, returns, .. } = tool;
                self.check(Some(parameters), scope, call, expression);
                self.runs(definition, tool, scope, call.name.span);
                returns.as_ref().map(|returns| BoundType::new(returns, scope))
            }
            DefinitionKind::Error(error) => {
                self.check(error.parameters.as_ref(), scope, call, expression);
                None
            }
            DefinitionKind::Capability(_) => {
                let message = format!("`{}` is a capability, not a tool", definition.name.text);
                self.error(Code::UNKNOWN_TOOL, call.name.span, message);
                self.arguments_alone(call)
            }
            DefinitionKind::Type(it) => {
                let document = self.scope.table.document(home);
                let Some((maker, tool)) = document.and_then(|it| it.constructor(definition)) else {
                    return self.unknown_call(call);
                };
                self.check(Some(&tool.parameters), scope, call, expression);
                self.runs(maker, tool, scope, call.name.span);
                Some(BoundType::new(&it.ty, scope))
            }
            DefinitionKind::Enum(_) => self.unknown_call(call),
        }
    }

    /// Checks arguments against parameters; without a list of parameters no argument is allowed.
    fn check(
        &mut self,
        parameters: Option<&'a Parameters>,
        scope: Scope<'w, 'a>,
        call: &'a Call,
        expression: &'a Expression,
    ) {
        let list = parameters.map_or(&[] as &[_], |it| &it.list);
        let is_elided = parameters.is_some_and(|it| it.elided);
        let mut given: HashSet<&str> = HashSet::new();
        let mut is_open = is_elided;
        let mut is_misnamed = false;
        let mut surplus: Option<Span> = None;
        for (index, argument) in call.arguments.iter().enumerate() {
            let inferred = self.expression(&argument.value);
            if matches!(argument.value.kind, ExpressionKind::Spread(_)) {
                is_open = true;
                continue;
            }
            if let Some(name) = &argument.name {
                self.checker.parameter_use(parameters, scope.home, &name.text, name.span);
            }
            let parameter = match &argument.name {
                Some(name) => list.iter().find(|it| it.name.text == name.text),
                None => list.get(index),
            };
            let Some(parameter) = parameter else {
                match &argument.name {
                    Some(name) if !is_open => {
                        self.unknown_argument(call, name, list);
                        // The argument may be meant for a parameter that seems to be missing.
                        is_misnamed = true;
                    }
                    None if !is_open => surplus = surplus.or(Some(argument.value.span)),
                    _ => {}
                }
                continue;
            };
            if !given.insert(&parameter.name.text) && argument.name.is_some() {
                let message = format!("`{}` is given by position already", parameter.name.text);
                self.error(Code::ARGUMENT_TWICE, argument.value.span, message);
            }
            if let Some(ty) = &parameter.ty {
                let wanted = BoundType::new(ty, scope);
                self.checker.keys(&argument.value, &wanted);
                if !(parameter.optional && matches!(argument.value.kind, ExpressionKind::Null)) {
                    self.fits(argument, inferred, &wanted, &parameter.name.text);
                }
            }
        }
        if let Some(span) = surplus {
            let message = format!("`{}` takes {} arguments, and has more", call.name.text, list.len());
            self.error(Code::TOO_MANY_ARGUMENTS, span, message);
        }
        let missing = list.iter().filter(|it| it.is_required() && !given.contains(it.name.text.as_str()));
        let missing: Vec<String> = missing.map(|it| format!("`{}`", it.name.text)).collect();
        if !missing.is_empty() && !is_open && !is_misnamed {
            let message = format!("`{}` lacks {}", call.name.text, missing.join(", "));
            self.error(Code::MISSING_ARGUMENT, expression.span, message);
        }
    }

    fn unknown_argument(
        &mut self,
        call: &Call,
        name: &dialect::ast::Spelled,
        list: &[crate::syntax::Parameter],
    ) {
        let message = format!("`{}` has no parameter `{}`", call.name.text, name.text);
        let known: Vec<&str> = list.iter().map(|it| it.name.text.as_str()).collect();
        self.error(Code::UNKNOWN_ARGUMENT, name.span, message).nearest(&name.text, name.span, known);
    }

    fn fits(
        &mut self,
        argument: &'a Argument,
        inferred: KnownType<'w, 'a>,
        wanted: &BoundType<'w, 'a>,
        name: &str,
    ) {
        if let Some(misfit) = self.mismatch(&argument.value, inferred, wanted) {
            let code = if misfit.violates { Code::ARGUMENT_VIOLATES } else { Code::ARGUMENT_TYPE };
            self.error(code, misfit.span, format!("the argument for `{name}` {}", misfit.message));
        }
    }

    /// Returns the mismatch of a value with a type, if there certainly is one.
    pub(super) fn mismatch(
        &mut self,
        value: &'a Expression,
        inferred: KnownType<'w, 'a>,
        wanted: &BoundType<'w, 'a>,
    ) -> Option<Misfit> {
        let mut known = StaticValue::from_expression(value);
        if let ExpressionKind::Name(name) = &value.kind
            && self.variable(name).is_none()
            && self.scope.find(name).is_none()
            && matches!(wanted.view().shape, Shape::Enum(..))
        {
            known.kind = ValueKind::Name(name.clone());
        }
        known.misfit(wanted).or_else(|| {
            let found = plain(&self.opened(&inferred?))?;
            let wanted = plain(wanted).filter(|wanted| *wanted != found)?;
            let message = format!("is {found}, not {wanted}");
            Some(Misfit { span: value.span, message, violates: false })
        })
    }
}

/// Returns a noun for a type that excludes all other types.
fn plain(bound: &BoundType<'_, '_>) -> Option<&'static str> {
    match bound.view().shape {
        Shape::Text => Some("a text"),
        Shape::Number { .. } => Some("a number"),
        Shape::Bool => Some("true or false"),
        Shape::List(_) | Shape::AnyList => Some("a list"),
        Shape::Struct(..) => Some("an object"),
        _ => None,
    }
}
