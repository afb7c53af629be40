//! Changes of types, errors, capabilities and words.

use std::collections::BTreeSet;

use ailang::GrantScope;
use ailang::print::{Comments, Printer};
use ailang::syntax::{Capability, Definition, DefinitionKind, ErrorDefinition, Literal, LiteralKind};
use source_text::Span;

use super::{Comparer, Direction, Impact};

impl Comparer<'_, '_> {
    /// Compares everything but tools.
    pub(super) fn definitions(&mut self) {
        let (old, new) = (self.old, self.new);
        for (name, definition) in old.definitions.iter().filter(|(name, _)| !old.tools.contains_key(*name)) {
            match new.definitions.get(name).filter(|it| is_alike(it, definition)) {
                Some(other) => self.definition(name, definition, other),
                None => {
                    let message = format!("the {} `{name}` is gone", definition.kind.keyword());
                    self.removed(Impact::Major, "definitionRemoved", name, message, definition.name.span);
                }
            }
        }
        for (name, definition) in new.definitions.iter().filter(|(name, _)| !new.tools.contains_key(*name)) {
            if !old.definitions.get(name).is_some_and(|it| is_alike(it, definition)) {
                let message = format!("the {} `{name}` is new", definition.kind.keyword());
                self.changed(Impact::Minor, "definitionAdded", name, message, definition.name.span);
            }
        }
    }

    fn definition(&mut self, name: &str, old: &Definition, new: &Definition) {
        match (&old.kind, &new.kind) {
            (DefinitionKind::Error(before), DefinitionKind::Error(after)) => {
                self.error(name, before, after, new);
            }
            (DefinitionKind::Capability(before), DefinitionKind::Capability(after)) => {
                self.capability(name, before, after, new);
            }
            _ => self.named_type(name, old, new),
        }
    }

    /// Compares a type in the directions in which it is used; in both if no tool uses it, because other documents may.
    fn named_type(&mut self, name: &str, old: &Definition, new: &Definition) {
        let span = new.name.span;
        if old.is_plain_type() && new.is_plain_type() {
            self.compared_type(name, name, span);
        } else {
            let text = |document, it| Printer::new(document, Comments::Tags).defined(it);
            if text(self.old.document, old) != text(self.new.document, new) {
                let message =
                    "the generic type changed; it is compared for each choice of its arguments".to_owned();
                self.changed(Impact::Minor, "typeChanged", name, message, span);
            }
            for instance in self.old.instances.get(name).into_iter().flatten() {
                self.compared_type(name, instance, span);
            }
        }
    }

    /// Compares the type called `name` in both versions, if both have it. `subject` is the definition.
    fn compared_type(&mut self, subject: &str, name: &str, span: Span) {
        let (Some(before), Some(after)) = (self.old.types.get(name), self.new.types.get(name)) else {
            return;
        };
        let is_given = self.old.given.contains(name) && self.new.given.contains(name);
        let is_received = self.old.received.contains(name) && self.new.received.contains(name);
        let is_unused = !is_given && !is_received;
        if is_given || is_unused {
            let rules = ("typeNarrowed", "typeWidened");
            self.typed(Direction::Given, subject, (before, after), span, rules);
        }
        if is_received || is_unused {
            let rules = ("typeWidened", "typeNarrowed");
            self.typed(Direction::Received, subject, (before, after), span, rules);
        }
    }

    fn error(&mut self, name: &str, old: &ErrorDefinition, new: &ErrorDefinition, definition: &Definition) {
        let span = definition.name.span;
        let none = Vec::new();
        let (before, after) =
            (self.old.errors.get(name).unwrap_or(&none), self.new.errors.get(name).unwrap_or(&none));
        for (index, parameter) in before.iter().enumerate() {
            let subject = format!("{name}.{}", parameter.name);
            match after.get(index) {
                Some(other) if other.name == parameter.name => {
                    let (types, rules) = ((&parameter.ty, &other.ty), ("errorWidened", "errorNarrowed"));
                    self.typed(Direction::Received, &subject, types, span, rules);
                }
                _ => {
                    let message = format!(
                        "parameter {} was `{}`; handlers bind by position",
                        index + 1,
                        parameter.name
                    );
                    self.changed(Impact::Major, "errorParameters", &subject, message, span);
                }
            }
        }
        for parameter in after.iter().skip(before.len()) {
            let message = format!("the parameter `{}` is new", parameter.name);
            self.changed(Impact::Minor, "errorParameterAdded", name, message, span);
        }
        let names = old.properties.iter().chain(&new.properties).map(|it| it.name.text.as_str());
        let mut seen: Vec<&str> = Vec::new();
        for property in names {
            if seen.contains(&property) {
                continue;
            }
            seen.push(property);
            let text = |document: &ailang::Document, error: &ErrorDefinition| {
                error.property(property).map(|it| document.text(it.value.span).to_owned())
            };
            if text(self.old.document, old) != text(self.new.document, new) {
                let impact = if property.starts_with("retry") { Impact::Minor } else { Impact::Patch };
                self.changed(impact, "errorText", name, format!("`{property}` changed"), span);
            }
        }
    }

    fn capability(&mut self, name: &str, old: &Capability, new: &Capability, definition: &Definition) {
        let span = definition.name.span;
        match (old, new) {
            (Capability::Composed(_), Capability::Composed(_)) => {
                let none = Vec::new();
                let before = self.old.parts.get(name).unwrap_or(&none);
                let after = self.new.parts.get(name).unwrap_or(&none);
                self.requirements(name, before, after, span);
            }
            (
                Capability::Declared { ask, scope, parameters, .. },
                Capability::Declared { ask: new_ask, scope: new_scope, parameters: new_parameters, .. },
            ) => {
                if ask.as_ref().map(text) != new_ask.as_ref().map(text) {
                    self.changed(
                        Impact::Minor,
                        "askChanged",
                        name,
                        "the question to the user changed".to_owned(),
                        span,
                    );
                }
                self.scopes(name, &scopes(scope.as_deref()), &scopes(new_scope.as_deref()), span);
                for gone in parameters
                    .iter()
                    .filter(|it| new_parameters.iter().all(|new| new.name.text != it.name.text))
                {
                    let message = format!("the limit `{}` is gone", gone.name.text);
                    self.changed(Impact::Major, "limitRemoved", name, message, span);
                }
                for added in new_parameters
                    .iter()
                    .filter(|it| parameters.iter().all(|old| old.name.text != it.name.text))
                {
                    let message = format!("the limit `{}` is new", added.name.text);
                    self.changed(Impact::Minor, "limitAdded", name, message, span);
                }
            }
            _ => {
                let message = "it was composed or declared, and is the other now".to_owned();
                self.changed(Impact::Major, "capabilityChanged", name, message, span);
            }
        }
    }

    /// Compares the scopes that the user may grant.
    fn scopes(&mut self, name: &str, old: &BTreeSet<String>, new: &BTreeSet<String>, span: Span) {
        let listed =
            |names: Vec<&String>| names.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
        let (gone, added) =
            (old.difference(new).collect::<Vec<_>>(), new.difference(old).collect::<Vec<_>>());
        if !gone.is_empty() {
            let message = format!("the user can no longer grant it for {}", listed(gone));
            self.changed(Impact::Major, "scopeNarrowed", name, message, span);
        }
        if !added.is_empty() {
            let message = format!("the user can grant it for {} too", listed(added));
            self.changed(Impact::Minor, "scopeWidened", name, message, span);
        }
    }

    /// Compares the front matter, and then the texts as a whole.
    pub(super) fn words(&mut self) {
        let (old, new) = (&self.old.document.front_matter, &self.new.document.front_matter);
        let id = |it: &ailang::FrontMatter| it.id.as_ref().map(|it| it.value.clone());
        if id(old) != id(new) {
            let message = "the id changed; imports and grants name it".to_owned();
            self.changed(Impact::Major, "idChanged", "id", message, new.span);
        }
        if old.loading() != new.loading() {
            let message = format!("it was loaded {}, and is {}", old.loading().name(), new.loading().name());
            self.changed(Impact::Minor, "loadingChanged", "loading", message, new.span);
        }
        if self.changes.is_empty() && self.old.document.source != self.new.document.source {
            let message = "only words, examples or the layout changed".to_owned();
            self.changed(Impact::Patch, "wordsChanged", "document", message, new.span);
        }
    }
}

/// Returns `true` if definitions are of the same kind; types and enums are.
fn is_alike(left: &Definition, right: &Definition) -> bool {
    let kind = |it: &Definition| match it.kind {
        DefinitionKind::Enum(_) => "type",
        ref kind => kind.keyword(),
    };
    kind(left) == kind(right)
}

fn text(literal: &Literal) -> String {
    match &literal.kind {
        LiteralKind::Text(text) => text.clone(),
        LiteralKind::Name(path) => path.text(),
        _ => String::new(),
    }
}

/// Returns the scopes that a capability allows; without a choice all of them.
fn scopes(literals: Option<&[Literal]>) -> BTreeSet<String> {
    match literals {
        Some(literals) => literals.iter().map(text).collect(),
        None => GrantScope::ALL.iter().map(|it| it.name().to_owned()).collect(),
    }
}
