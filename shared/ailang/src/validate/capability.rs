//! Rule 2: required capabilities are defined, and have a question for the user.

use std::collections::{BTreeSet, HashSet};

use source_text::Severity;

use super::Checker;
use super::literal::StaticValue;
use super::name::define_or_import;
use super::types::TypePosition;
use crate::diagnostic::Code;
use crate::names::{BoundType, OccurrenceKind, Scope, Symbol};
use crate::syntax::{
    Capability, CapabilityExpression, Definition, DefinitionKind, GrantArgument, Literal, LiteralKind,
    Member, MemberKind, Path,
};

/// The names of the scopes.
pub(super) const SCOPES: [&str; 3] = ["once", "session", "persistent"];

impl<'a> Checker<'_, 'a> {
    pub(super) fn capability(
        &mut self,
        definition: &'a Definition,
        it: &'a Capability,
        scope: Scope<'_, 'a>,
    ) {
        match it {
            Capability::Composed(parts) => {
                self.capability_expression(parts, scope);
                self.composed(definition, parts, scope);
            }
            Capability::Declared { ask, scope: scopes, others, parameters } => {
                self.ask(definition, ask.as_ref());
                self.scopes(scopes.as_deref().unwrap_or_default());
                for (name, _) in others {
                    let message = format!("a capability has no `{}`", name.text);
                    self.error(Code::CAPABILITY_PROPERTY, name.span, message)
                        .help("it has `ask`, `scope`, and parameters such as `paths?: List<PathPattern>`")
                        .nearest(&name.text, name.span, ["ask", "scope"]);
                }
                self.capability_parameters(parameters, scope);
            }
        }
    }

    fn capability_parameters(&mut self, parameters: &'a [Member], scope: Scope<'_, 'a>) {
        self.no_duplicates(parameters.iter().map(|it| &it.name), Code::DUPLICATE_PARAMETER, "parameter");
        for parameter in parameters {
            self.small_initial(&parameter.name, "parameter");
            self.defines(&parameter.name, OccurrenceKind::Parameter);
            if let MemberKind::Field { ty, .. } = &parameter.kind {
                self.ty(ty, scope, &HashSet::new(), TypePosition::Value);
            }
        }
    }

    fn ask(&mut self, definition: &Definition, ask: Option<&Literal>) {
        let is_given = match ask {
            Some(Literal { kind: LiteralKind::Text(text), .. }) => !text.trim().is_empty(),
            Some(Literal { kind: LiteralKind::Broken, .. }) => true,
            _ => false,
        };
        if !is_given {
            let message =
                format!("the capability `{}` does not say what the user is asked", definition.name.text);
            let span = ask.map_or(definition.name.span, |ask| ask.span);
            self.error(Code::MISSING_ASK, span, message).help("write `ask = \"Allow …\"` between its braces");
        }
    }

    fn scopes(&mut self, scopes: &[Literal]) {
        for scope in scopes {
            let known = matches!(&scope.kind, LiteralKind::Text(text) if SCOPES.contains(&text.as_str()));
            if known || scope.kind == LiteralKind::Broken {
                continue;
            }
            let message = format!("`{}` is no scope", self.document.text(scope.span));
            self.error(Code::SCOPE, scope.span, message)
                .help("the scopes are `once`, `session` and `persistent`");
        }
    }

    /// Checks the capabilities that a tool requires, or that a capability is composed of.
    pub(super) fn capability_expression(
        &mut self,
        expression: &'a CapabilityExpression,
        scope: Scope<'_, 'a>,
    ) {
        for (path, arguments) in expression.atoms() {
            self.required(path, arguments, scope);
        }
    }

    fn required(&mut self, path: &'a Path, arguments: &'a [GrantArgument], scope: Scope<'_, 'a>) {
        let (name, span) = (path.text(), path.span());
        self.path_use(path, scope.find_path(path), scope);
        match scope.find_path(path) {
            Some(Symbol::Opaque) => {}
            Some(Symbol::Definition(Definition { kind: DefinitionKind::Capability(it), .. }, home)) => {
                self.grant_uses(it, home, arguments);
                self.grant_arguments(it, path, arguments, Scope { home, local: &[], ..scope });
            }
            Some(symbol) => {
                let message = format!("`{name}` is a {}, not a capability", kind_of(&symbol));
                self.error(Code::NOT_A_CAPABILITY, span, message);
            }
            None => {
                let known = self.known(scope, |symbol| kind_of(symbol) == "capability");
                let message = format!("no capability is called `{name}`");
                self.unknown(Code::UNKNOWN_CAPABILITY, span, message)
                    .help(define_or_import(
                        &format!("capability {name} {{ ask = \"Allow …\" }}"),
                        &name,
                        &["capability"],
                    ))
                    .nearest(&name, span, known);
            }
        }
    }

    /// Checks that the limits of a capability are its parameters, and of their types.
    fn grant_arguments(
        &mut self,
        capability: &'a Capability,
        path: &Path,
        arguments: &'a [GrantArgument],
        scope: Scope<'_, 'a>,
    ) {
        let parameters: &[Member] = match capability {
            Capability::Declared { parameters, .. } => parameters,
            Capability::Composed(_) => &[],
        };
        self.no_duplicates(
            arguments.iter().filter_map(|it| it.name.as_ref()),
            Code::ARGUMENT_TWICE,
            "argument",
        );
        for (index, argument) in arguments.iter().enumerate() {
            let parameter = match &argument.name {
                Some(name) => parameters.iter().find(|it| it.name.text == name.text),
                None => parameters.get(index),
            };
            match parameter.map(|it| &it.kind) {
                Some(MemberKind::Field { ty, .. }) => {
                    let value = StaticValue::from_literal(&argument.value);
                    if let Some(misfit) = value.misfit(&BoundType::new(ty, scope)) {
                        let message = format!("the limit {}", misfit.message);
                        self.error(Code::CAPABILITY_ARGUMENT, misfit.span, message);
                    }
                }
                Some(MemberKind::Method { .. }) => {}
                None => {
                    let (span, name) = match &argument.name {
                        Some(name) => (name.span, name.text.as_str()),
                        None => (argument.value.span, self.document.text(argument.value.span)),
                    };
                    let names: Vec<&str> = parameters.iter().map(|it| it.name.text.as_str()).collect();
                    let message = format!("the capability `{}` has no parameter `{name}`", path.text());
                    self.error(Code::CAPABILITY_PARAMETER, span, message).nearest(name, span, names);
                }
            }
        }
    }

    /// Returns the simple capabilities in all expressions; `None` if one is unknown.
    pub(super) fn atoms_of(
        &mut self,
        expressions: &'a [CapabilityExpression],
        scope: Scope<'_, 'a>,
    ) -> Option<Vec<&'a Definition>> {
        let mut walk = CapabilityWalk::default();
        for expression in expressions {
            self.steps = walk.expression(expression, scope, self.steps);
        }
        (!walk.is_open && self.steps > 0).then_some(walk.atoms)
    }

    /// Reports a composed capability that contains itself, or whose parts share no scope.
    fn composed(
        &mut self,
        definition: &'a Definition,
        parts: &'a CapabilityExpression,
        scope: Scope<'_, 'a>,
    ) {
        let mut walk = CapabilityWalk { root: Some(definition), ..CapabilityWalk::default() };
        self.steps = walk.expression(parts, scope, self.steps);
        let (name, span) = (&definition.name.text, definition.name.span);
        if walk.is_cyclic {
            self.error(Code::CAPABILITY_CYCLE, span, format!("the capability `{name}` is a part of itself"));
        } else if walk.scopes.is_some_and(|scopes| scopes.is_empty()) {
            let message =
                format!("the parts of `{name}` have no scope in common, so each is asked for alone");
            self.diagnostics.report(Severity::Warning, Code::EMPTY_SCOPE, span, message);
        }
    }
}

/// A walk over the parts of a composed capability.
#[derive(Default)]
struct CapabilityWalk<'a> {
    root: Option<&'a Definition>,
    seen: HashSet<*const Definition>,
    /// The simple capabilities.
    atoms: Vec<&'a Definition>,
    /// `true` if a part is unknown.
    is_open: bool,
    /// The scopes that all parts so far share.
    scopes: Option<BTreeSet<&'static str>>,
    is_cyclic: bool,
}

impl<'a> CapabilityWalk<'a> {
    /// Visits at most `steps` parts; returns the number of steps left.
    fn expression(
        &mut self,
        expression: &'a CapabilityExpression,
        scope: Scope<'_, 'a>,
        mut steps: usize,
    ) -> usize {
        let mut pending: Vec<(&'a Path, Scope<'_, 'a>)> =
            expression.atoms().into_iter().map(|(path, _)| (path, scope)).collect();
        while let Some((path, scope)) = pending.pop() {
            let Some(left) = steps.checked_sub(1) else { break };
            steps = left;
            let Some(Symbol::Definition(definition, home)) = scope.find_path(path) else {
                self.is_open = true;
                continue;
            };
            if self.root.is_some_and(|root| std::ptr::eq(definition, root)) {
                self.is_cyclic = true;
                continue;
            }
            if !self.seen.insert(definition) {
                continue;
            }
            let local = if home == scope.home { scope.local } else { &[] };
            let there = Scope { home, local, ..scope };
            match &definition.kind {
                DefinitionKind::Capability(Capability::Composed(parts)) => {
                    pending.extend(parts.atoms().into_iter().map(|(path, _)| (path, there)));
                }
                DefinitionKind::Capability(Capability::Declared { scope: scopes, .. }) => {
                    self.atoms.push(definition);
                    self.intersect(scopes.as_deref());
                }
                _ => {}
            }
        }
        steps
    }

    fn intersect(&mut self, scopes: Option<&[Literal]>) {
        let granted: BTreeSet<&'static str> = match scopes {
            None => SCOPES.into_iter().collect(),
            Some(scopes) => {
                let has = |name: &&str| {
                    scopes.iter().any(|it| matches!(&it.kind, LiteralKind::Text(text) if text == name))
                };
                SCOPES.into_iter().filter(has).collect()
            }
        };
        self.scopes = Some(match self.scopes.take() {
            None => granted,
            Some(before) => before.intersection(&granted).copied().collect(),
        });
    }
}

/// Returns the noun for the meaning of a name.
pub(super) fn kind_of(symbol: &Symbol<'_>) -> &'static str {
    match symbol {
        Symbol::Definition(definition, _) => definition.kind.keyword(),
        Symbol::Module(_) => "module",
        Symbol::Opaque => "name",
    }
}
