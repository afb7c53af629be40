//! One version of a document, with its types resolved.

use std::collections::{BTreeSet, HashMap};

use dialect::{Parameter, Requirement, Type};
use indexmap::IndexMap;

use crate::Document;
use crate::lower::Lowering;
use crate::names::SymbolTable;
use crate::syntax::{Definition, DefinitionKind, Tool};

/// A version of a document.
pub(super) struct Side<'a> {
    pub(super) document: &'a Document,
    pub(super) definitions: IndexMap<&'a str, &'a Definition>,
    pub(super) tools: IndexMap<&'a str, SideTool<'a>>,
    /// The parameters of the errors.
    pub(super) errors: HashMap<&'a str, Vec<Parameter>>,
    /// The parts of composed capabilities.
    pub(super) parts: HashMap<&'a str, Vec<Requirement>>,
    /// The named types.
    pub(super) types: HashMap<String, Type>,
    /// The named types that callers give, directly or not.
    pub(super) given: BTreeSet<String>,
    /// The named types that callers receive, directly or not.
    pub(super) received: BTreeSet<String>,
}

/// A tool with its types resolved.
pub(super) struct SideTool<'a> {
    pub(super) definition: &'a Definition,
    pub(super) tool: &'a Tool,
    pub(super) parameters: Vec<Parameter>,
    pub(super) result: Type,
    pub(super) requires: Vec<Requirement>,
}

impl<'a> Side<'a> {
    pub(super) fn new(table: &SymbolTable<'a>, home: usize) -> Option<Self> {
        let (_, document) = table.documents.at(home)?;
        let mut lowering = Lowering::keeping_names(table);
        let mut side = Self {
            document,
            definitions: IndexMap::new(),
            tools: IndexMap::new(),
            errors: HashMap::new(),
            parts: HashMap::new(),
            types: HashMap::new(),
            given: BTreeSet::new(),
            received: BTreeSet::new(),
        };
        for definition in document.definitions() {
            side.add(definition, &mut lowering, home);
        }
        while let Some(kept) = lowering.kept_type(side.types.len()) {
            let ty = lowering.behind_name(kept.definition, kept.home);
            side.types.insert(kept.name.to_string(), ty);
        }
        let given = side.tools.values().flat_map(|it| &it.parameters).map(|it| &it.ty);
        let received =
            side.tools.values().map(|it| &it.result).chain(side.errors.values().flatten().map(|it| &it.ty));
        (side.given, side.received) = (side.reached(given), side.reached(received));
        Some(side)
    }

    fn add(&mut self, definition: &'a Definition, lowering: &mut Lowering<'_, 'a>, home: usize) {
        let name = definition.name.text.as_str();
        self.definitions.entry(name).or_insert(definition);
        if lowering.keeps(definition, home) {
            lowering.kept_name(definition, home);
        }
        match &definition.kind {
            DefinitionKind::Tool(tool) => {
                let parameters = lowering.arguments(tool, home);
                let result = lowering.result(tool, home);
                let requires = lowering.required(&tool.requires, home);
                self.tools.insert(name, SideTool { definition, tool, parameters, result, requires });
            }
            DefinitionKind::Error(error) => drop(self.errors.insert(name, lowering.carried_by(error, home))),
            DefinitionKind::Capability(crate::syntax::Capability::Composed(parts)) => {
                self.parts.insert(name, lowering.required(std::slice::from_ref(parts), home));
            }
            _ => {}
        }
    }

    /// Returns the names that types mention, directly or not.
    fn reached<'t>(&'t self, types: impl Iterator<Item = &'t Type>) -> BTreeSet<String> {
        let mut reached = BTreeSet::new();
        let mut pending: Vec<&Type> = types.collect();
        while let Some(ty) = pending.pop() {
            match ty {
                Type::Named(name) if reached.insert(name.to_string()) => {
                    pending.extend(self.types.get(&**name));
                }
                Type::List(inner) | Type::Map(inner) | Type::Optional(inner) | Type::Refined(inner, _) => {
                    pending.push(inner);
                }
                Type::Union(members) => pending.extend(members),
                Type::Fields(fields) => pending.extend(fields.iter().map(|it| &it.ty)),
                _ => {}
            }
        }
        reached
    }
}
