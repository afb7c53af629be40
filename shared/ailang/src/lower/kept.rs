//! Types under their own names, for formats that have definitions too.
//!
//! Programs see only structs by name. A schema or a comparison keeps aliases and enums as well.

use std::sync::Arc;

use dialect::{Parameter, Requirement, Type};

use super::Lowering;
use super::types::{TypeContext, enumerated};
use crate::Document;
use crate::names::{Symbol, SymbolTable};
use crate::syntax::{
    self, CapabilityExpression, Definition, DefinitionKind, ErrorDefinition, Member, Path, Tool,
};

/// The maximum length of a chain of aliases.
const LONGEST_CHAIN: usize = 64;

/// The types that were named so far, in the order of their first use.
#[derive(Debug, Default)]
pub(crate) struct KeptTypes<'a> {
    all: Vec<KeptType<'a>>,
}

/// A type with its name.
#[derive(Clone, Debug)]
pub(crate) struct KeptType<'a> {
    pub(crate) definition: &'a Definition,
    /// The index of its document.
    pub(crate) home: usize,
    /// The name; numbered if another document has a type of the same name.
    pub(crate) name: Arc<str>,
}

impl<'s, 'a> Lowering<'s, 'a> {
    /// Creates a pass that expands only generic types and those of the prelude.
    pub(crate) fn keeping_names(table: &'s SymbolTable<'a>) -> Self {
        let mut lowering = Self::new(table);
        lowering.kept = Some(KeptTypes::default());
        lowering
    }

    /// Returns the type at an index of the order of first uses.
    pub(crate) fn kept_type(&self, index: usize) -> Option<KeptType<'a>> {
        self.kept.as_ref()?.all.get(index).cloned()
    }

    /// Returns `true` if the names of a definition are kept: it is a type without parameters, or an enum.
    pub(crate) fn keeps(&self, definition: &Definition, home: usize) -> bool {
        let is_plain = match &definition.kind {
            DefinitionKind::Type(it) => it.parameters.is_empty(),
            DefinitionKind::Enum(_) => true,
            _ => false,
        };
        is_plain && self.kept.is_some() && home != self.table.prelude_home()
    }

    /// Returns the name under which a type is kept.
    pub(crate) fn kept_name(&mut self, definition: &'a Definition, home: usize) -> Arc<str> {
        let kept = self.kept.get_or_insert_default();
        if let Some(known) = kept.all.iter().find(|it| std::ptr::eq(it.definition, definition)) {
            return Arc::clone(&known.name);
        }
        let plain = definition.name.text.as_str();
        let is_free = |name: &str| kept.all.iter().all(|it| *it.name != *name);
        let numbered = (2..).map(|number| format!("{plain}{number}"));
        let mut names = std::iter::once(plain.to_owned()).chain(numbered);
        let name: Arc<str> = names.find(|it| is_free(it)).unwrap_or_default().into();
        kept.all.push(KeptType { definition, home, name: Arc::clone(&name) });
        name
    }

    /// Returns the type behind a definition's `=`.
    pub(crate) fn behind_name(&mut self, definition: &'a Definition, home: usize) -> Type {
        self.reset();
        self.behind(definition, home)
    }

    fn behind(&mut self, definition: &'a Definition, home: usize) -> Type {
        let place = TypeContext::new(self.scope(home));
        match &definition.kind {
            DefinitionKind::Type(it) => self.ty(&it.ty, &place),
            DefinitionKind::Enum(it) => enumerated(it),
            _ => Type::Any,
        }
    }

    /// Expands a kept name, unless it is that of a struct.
    pub(super) fn opened(&mut self, ty: Type) -> Type {
        let mut ty = ty;
        for _ in 0..LONGEST_CHAIN {
            let Type::Named(name) = &ty else { break };
            let known = self.kept.iter().flat_map(|it| &it.all).find(|it| it.name == *name).cloned();
            let Some(KeptType { definition, home, .. }) = known else { break };
            match self.behind(definition, home) {
                Type::Fields(_) => break,
                inner => ty = inner,
            }
        }
        ty
    }

    /// Returns the parameters of a tool in their order; none if they are left out.
    pub(crate) fn arguments(&mut self, tool: &'a Tool, home: usize) -> Vec<Parameter> {
        self.reset();
        let place = TypeContext::new(self.scope(home));
        let parameters = tool.parameters.list.iter();
        parameters.map(|it| self.parameter(&it.name.text, it.optional, it.ty.as_ref(), &place)).collect()
    }

    /// Returns the type of a tool's result; `any` if it has none.
    pub(crate) fn result(&mut self, tool: &'a Tool, home: usize) -> Type {
        self.reset();
        let place = TypeContext::new(self.scope(home));
        tool.returns.as_ref().map_or(Type::Any, |ty| self.ty(ty, &place))
    }

    /// Returns the parameters of an error in their order.
    pub(crate) fn carried_by(&mut self, error: &'a ErrorDefinition, home: usize) -> Vec<Parameter> {
        self.carried(error, home)
    }

    /// Returns the requirements that expressions mean.
    pub(crate) fn required(&self, expressions: &'a [CapabilityExpression], home: usize) -> Vec<Requirement> {
        self.requirements(expressions, home)
    }

    /// Returns the parameters of a capability in their order.
    pub(crate) fn limits(&mut self, parameters: &'a [Member], home: usize) -> Vec<Parameter> {
        self.reset();
        let place = TypeContext::new(self.scope(home));
        self.fields(parameters, &place).unwrap_or_default()
    }

    /// Returns the definition that a path means in the document at `home`, with the index of its document.
    pub(crate) fn meant(&self, path: &Path, home: usize) -> Option<(&'a Definition, usize)> {
        match self.scope(home).find_path(path)? {
            Symbol::Definition(definition, there) => Some((definition, there)),
            _ => None,
        }
    }

    /// Returns `true` if the index is that of the prelude.
    pub(crate) fn is_prelude(&self, home: usize) -> bool {
        home == self.table.prelude_home()
    }

    /// Returns the document at an index.
    pub(crate) fn document_at(&self, home: usize) -> &'a Document {
        self.document(home)
    }

    /// Returns the default of a type as JSON.
    pub(crate) fn default_of(&self, ty: &syntax::Type, home: usize) -> Option<serde_json::Value> {
        Some(super::literal::value(ty.default()?, ty, self.scope(home)))
    }
}
