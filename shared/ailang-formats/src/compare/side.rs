//! One version of a document, with its types resolved.

use std::collections::{BTreeSet, HashMap};

use ailang::Document;
use ailang::lower::Lowering;
use ailang::names::SymbolTable;
use ailang::syntax::{Definition, DefinitionKind, Tool};
use dialect::{Parameter, Requirement, Type};
use indexmap::IndexMap;

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
    /// The names of the types that a generic type stands for.
    pub(super) instances: HashMap<&'a str, Vec<String>>,
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
        let mut lowering = Lowering::new(table);
        let others = document.definitions().filter(|it| !it.is_plain_type());
        lowering.keep_names_of_data(others.map(|it| it.name.text.clone()));
        let mut side = Self {
            document,
            definitions: IndexMap::new(),
            tools: IndexMap::new(),
            errors: HashMap::new(),
            parts: HashMap::new(),
            types: HashMap::new(),
            instances: HashMap::new(),
            given: BTreeSet::new(),
            received: BTreeSet::new(),
        };
        // Types of the document come first, so that none of another one takes their names.
        for definition in document.definitions().filter(|it| it.is_plain_type()) {
            drop(lowering.mention(definition, home));
        }
        for definition in document.definitions() {
            side.add(definition, &mut lowering, home);
        }
        while let Some(kept) = lowering.next_kept() {
            let ty = lowering.kept_type(&kept);
            side.types.insert(kept.name.to_string(), ty);
            if kept.home == home && !kept.definition.is_plain_type() {
                side.instances.entry(&kept.definition.name.text).or_default().push(kept.name.to_string());
            }
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
        match &definition.kind {
            DefinitionKind::Tool(tool) => {
                let parameters = lowering.parameters(Some(&tool.parameters), home).unwrap_or_default();
                let result = lowering.returned(tool, home);
                let requires = lowering.requirements(&tool.requires, home);
                self.tools.insert(name, SideTool { definition, tool, parameters, result, requires });
            }
            DefinitionKind::Error(error) => {
                let carried = lowering.parameters(error.parameters.as_ref(), home);
                self.errors.insert(name, carried.unwrap_or_default());
            }
            DefinitionKind::Capability(ailang::syntax::Capability::Composed(parts)) => {
                self.parts.insert(name, lowering.requirements(std::slice::from_ref(parts), home));
            }
            _ => {}
        }
    }

    /// Returns the type behind a name, which may have refinements; they are joined with those of the type.
    pub(super) fn behind(&self, named: &Type) -> Option<Type> {
        match named {
            Type::Named(name) => self.types.get(&**name).cloned(),
            Type::Refined(inner, rules) => Some(match self.behind(inner)? {
                Type::Refined(inner, earlier) => Type::Refined(inner, [earlier, rules.clone()].concat()),
                inner => Type::Refined(Box::new(inner), rules.clone()),
            }),
            _ => None,
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
                Type::Function { .. } => {}
                ty => pending.extend(ty.parts()),
            }
        }
        reached
    }
}
