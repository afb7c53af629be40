//! Capabilities → questions for the user, and requirements of calls.

use std::collections::BTreeSet;

use dialect::{Parameter, Requirement};

use super::Lowering;
use super::types::TypeContext;
use crate::capability::{Capability, CapabilityKind, GrantScope};
use crate::names::Symbol;
use crate::syntax::{
    self, CapabilityExpression, Definition, DefinitionKind, GrantArgument, Literal, LiteralKind, Member,
};

impl<'a> Lowering<'_, 'a> {
    /// Returns the row of a capability of the document at the index `home`; `None` for any other definition.
    pub fn capability(&self, definition: &'a Definition, home: usize) -> Option<Capability> {
        let DefinitionKind::Capability(it) = &definition.kind else { return None };
        let id = self.capability_id(definition, home);
        let kind = if home == self.table.prelude_home() {
            prelude_kind(&definition.name.text)
        } else {
            CapabilityKind::Other
        };
        Some(match it {
            syntax::Capability::Composed(parts) => {
                Capability::composed(id, self.requirements(std::slice::from_ref(parts), home))
            }
            syntax::Capability::Declared { ask, scope, parameters, .. } => {
                Capability::new(id, ask.as_ref().map(text).unwrap_or_default())
                    .kind(kind)
                    .scopes(scope.as_deref().map_or(GrantScope::ALL.into(), scopes))
                    .parameters(parameters.iter().map(|it| it.name.text.clone()))
            }
        })
    }

    /// Returns the capabilities that a tool requires, each with the tool's kind of access.
    pub(crate) fn kinds(&self, definition: &'a Definition, home: usize) -> Vec<(String, CapabilityKind)> {
        let DefinitionKind::Tool(tool) = &definition.kind else { return Vec::new() };
        let has = |tag| definition.documentation.tag(tag).is_some();
        let kind = match () {
            () if has("destructive") => CapabilityKind::Delete,
            () if has("readOnly") || has("pure") => CapabilityKind::Read,
            () => CapabilityKind::Edit,
        };
        self.requirements(&tool.requires, home).into_iter().map(|it| (it.capability, kind)).collect()
    }

    /// Returns the id of the document and the name in it: `email-sender/SendEmail`.
    fn capability_id(&self, definition: &Definition, home: usize) -> String {
        let id = self.document(home).front_matter.id.as_ref().map_or("", |id| id.value.as_str());
        format!("{id}/{}", definition.name.text)
    }

    /// Returns the parameters of a capability in order.
    pub fn limits(&mut self, parameters: &'a [Member], home: usize) -> Vec<Parameter> {
        self.reset();
        let place = TypeContext::new(self.scope(home));
        self.fields(parameters, &place).unwrap_or_default()
    }

    /// Returns the requirements of expressions of the document at the index `home`: each capability once for
    /// each set of restrictions.
    pub fn requirements(&self, expressions: &'a [CapabilityExpression], home: usize) -> Vec<Requirement> {
        let mut all: Vec<Requirement> = Vec::new();
        for (path, arguments) in expressions.iter().flat_map(CapabilityExpression::atoms) {
            let Some(Symbol::Definition(definition, there)) = self.scope(home).find_path(path) else {
                continue;
            };
            let DefinitionKind::Capability(it) = &definition.kind else { continue };
            let mut requirement = Requirement::new(self.capability_id(definition, there));
            for (index, argument) in arguments.iter().enumerate() {
                if let Some(name) = parameter(it, index, argument) {
                    requirement = requirement.restricted(name, values(&argument.value));
                }
            }
            if !all.contains(&requirement) {
                all.push(requirement);
            }
        }
        all
    }
}

impl<'a> Lowering<'_, 'a> {
    /// Returns the questions for the user, without duplicates; a composed capability has those of its parts.
    pub(super) fn asks(&self, expressions: &'a [CapabilityExpression], home: usize) -> Vec<String> {
        let mut asks: Vec<String> = Vec::new();
        for (path, _) in expressions.iter().flat_map(CapabilityExpression::atoms) {
            let Some(Symbol::Definition(definition, there)) = self.scope(home).find_path(path) else {
                continue;
            };
            let Some(capability) = self.capability(definition, there) else { continue };
            if !capability.ask.is_empty() {
                let scopes: Vec<&str> = capability.scopes.iter().map(|it| it.name()).collect();
                let ask = format!("- `{}`: {} ({})", definition.name.text, capability.ask, scopes.join(", "));
                asks.extend((!asks.contains(&ask)).then_some(ask));
            }
        }
        asks
    }
}

/// Returns the kind of a capability of the prelude.
fn prelude_kind(name: &str) -> CapabilityKind {
    match name {
        "FileSystemRead" => CapabilityKind::Read,
        "FileSystemWrite" => CapabilityKind::Edit,
        "ProcessExecution" => CapabilityKind::Execute,
        "NetworkAccess" => CapabilityKind::Fetch,
        _ => CapabilityKind::Other,
    }
}

/// Returns the name of the parameter that an argument sets.
fn parameter(capability: &syntax::Capability, index: usize, argument: &GrantArgument) -> Option<String> {
    if let Some(name) = &argument.name {
        return Some(name.text.clone());
    }
    match capability {
        syntax::Capability::Declared { parameters, .. } => {
            parameters.get(index).map(|it: &Member| it.name.text.clone())
        }
        syntax::Capability::Composed(_) => None,
    }
}

/// Returns the values to which an argument restricts its parameter.
fn values(literal: &Literal) -> Vec<String> {
    match &literal.kind {
        LiteralKind::List(items) => items.iter().map(text).collect(),
        _ => vec![text(literal)],
    }
}

fn text(literal: &Literal) -> String {
    match &literal.kind {
        LiteralKind::Text(text) => text.clone(),
        LiteralKind::Number(number) => number.to_string(),
        LiteralKind::Bool(value) => value.to_string(),
        LiteralKind::Name(path) => path.text(),
        _ => String::new(),
    }
}

/// Returns the known scopes. Without any, the capability can never be granted.
fn scopes(literals: &[Literal]) -> BTreeSet<GrantScope> {
    let scope = |literal: &Literal| GrantScope::ALL.into_iter().find(|it| it.name() == text(literal));
    literals.iter().filter_map(scope).collect()
}
