//! Documents → [`Model`].

mod error;

use std::collections::{BTreeMap, HashMap};

use ailang::lower::{Instance, Lowering, Method};
use ailang::names::{Symbol, SymbolTable, prelude};
use ailang::syntax::{self, Definition, DefinitionKind, Documentation, MemberKind, TypeKind};
use ailang::{Capability, Diagnostic, Documents, visible_line};
use dialect::{Requirement, Type};
use sha2::{Digest as _, Sha256};

use super::model::{MethodModel, Model, NamedType, ToolModel};

/// Returns the model of the valid document at `path`, and warnings about what no target can express.
pub(super) fn model(documents: &Documents, path: &str) -> Option<(Model, Vec<Diagnostic>)> {
    let home = documents.index_of(path)?;
    let table = SymbolTable::new(documents);
    let mut lowering = Lowering::new(&table);
    let (_, document) = documents.at(home)?;
    let taken = document.definitions().filter(|it| !is_type(it)).map(|it| it.name.text.clone());
    lowering.keep_names(taken);
    let digest = hex::encode(Sha256::digest(document.source.as_bytes()));
    let mut model = Model::new(path.to_owned(), digest);
    let text =
        |field: &Option<ailang::Field<String>>| field.as_ref().map_or(String::new(), |it| it.value.clone());
    model.id = text(&document.front_matter.id);
    model.title = text(&document.front_matter.title);
    model.summary = text(&document.front_matter.summary);
    let mut reader = Reader { lowering, known: capabilities(&table, documents), model };
    reader.read(home);
    let Reader { lowering, model, .. } = reader;
    let warnings =
        lowering.into_diagnostics().find(|(at, _)| *at == home).map_or_else(Vec::new, |(_, it)| it);
    Some((model.finished(), warnings))
}

/// The longest line of a comment, in characters.
const LONGEST_LINE: usize = 2_000;

fn is_type(definition: &Definition) -> bool {
    matches!(definition.kind, DefinitionKind::Type(_) | DefinitionKind::Enum(_))
}

/// Returns all capabilities, by id.
fn capabilities<'a>(table: &SymbolTable<'a>, documents: &'a Documents) -> HashMap<String, Capability> {
    let lowering = Lowering::new(table);
    let all = documents.iter().map(|(_, it)| it).chain([prelude()]).enumerate();
    let rows = all.flat_map(|(home, document)| {
        document.definitions().filter_map(|it| lowering.capability(it, home)).collect::<Vec<_>>()
    });
    rows.map(|it| (it.id.clone(), it)).collect()
}

/// A reader of one document.
struct Reader<'s, 'a> {
    lowering: Lowering<'s, 'a>,
    known: HashMap<String, Capability>,
    model: Model,
}

impl<'a> Reader<'_, 'a> {
    fn read(&mut self, home: usize) {
        let document = self.lowering.document(home);
        let scope = self.lowering.scope(home);
        // Of two definitions with the same name, which are equal, the first counts.
        let counts = |it: &&Definition| matches!(scope.find(&it.name.text), Some(Symbol::Definition(found, _)) if std::ptr::eq(found, *it));
        let definitions: Vec<&'a Definition> = document.definitions().filter(counts).collect();
        for definition in &definitions {
            match &definition.kind {
                DefinitionKind::Enum(_) => drop(self.lowering.mention(definition, home)),
                DefinitionKind::Type(it) if it.parameters.is_empty() => {
                    drop(self.lowering.mention(definition, home));
                }
                DefinitionKind::Error(_) => self.error(definition, home),
                DefinitionKind::Capability(_) => {
                    let id = self.lowering.capability(definition, home).map(|it| it.id);
                    id.into_iter().for_each(|id| drop(self.asked(Requirement::new(id))));
                }
                DefinitionKind::Type(_) | DefinitionKind::Tool(_) => {}
            }
        }
        for definition in definitions {
            self.tool(definition, home);
        }
        while let Some(instance) = self.lowering.next_kept() {
            let ty = self.lowering.kept_type(&instance);
            let (fields, methods) = self.lowering.kept_members(&instance);
            let methods = methods.into_iter().map(method).collect();
            self.model.types.push(NamedType { fields, methods, ..named(&instance, ty) });
        }
    }

    fn tool(&mut self, definition: &'a Definition, home: usize) {
        let DefinitionKind::Tool(tool) = &definition.kind else { return };
        let parameters = self.lowering.parameters(Some(&tool.parameters), home);
        let returns = self.lowering.returned(tool, home);
        let requires = self.lowering.requirements(&tool.requires, home);
        let requires = requires.into_iter().fold(Vec::new(), |mut all: Vec<Requirement>, it| {
            let new = self.asked(it).into_iter().filter(|it| !all.contains(it)).collect::<Vec<_>>();
            all.extend(new);
            all
        });
        for path in &tool.throws {
            if let Some(Symbol::Definition(error, there)) = self.lowering.scope(home).find_path(path) {
                self.error(error, there);
            }
        }
        let deprecated = definition.documentation.tag("deprecated").map(|it| it.text.trim().to_owned());
        let comments = tool.parameters.list.iter().map(|it| (&it.name, &it.documentation));
        self.model.tools.push(ToolModel {
            name: definition.name.text.clone(),
            docs: documentation(&definition.documentation),
            deprecated,
            may_repeat: definition.documentation.may_repeat(),
            parameters,
            parts: comments_of(comments),
            returns,
            requires,
            throws: tool.throws.iter().map(|it| it.name.text.clone()).collect(),
        });
    }

    /// Adds the capability of a requirement to the model; returns the requirements of its parts if it is composed.
    fn asked(&mut self, requirement: Requirement) -> Vec<Requirement> {
        let (mut simple, mut pending, mut seen) = (Vec::new(), vec![requirement], Vec::new());
        while let Some(requirement) = pending.pop() {
            let Some(capability) = self.known.get(&requirement.capability) else { continue };
            if seen.contains(&requirement) {
                continue;
            }
            seen.push(requirement.clone());
            pending.extend(capability.parts.iter().rev().cloned());
            if !capability.parts.is_empty() {
                continue;
            }
            if self.model.capabilities.iter().all(|it| it.id != capability.id) {
                self.model.capabilities.push(capability.clone());
            }
            simple.push(requirement);
        }
        simple
    }
}

/// Returns a type with its comments.
fn named(instance: &Instance<'_>, ty: Type) -> NamedType {
    let definition = instance.definition;
    let (mut parts, mut variants) = (BTreeMap::new(), Vec::new());
    match &definition.kind {
        DefinitionKind::Enum(it) => {
            parts = comments_of(it.variants.iter().map(|it| (&it.name, &it.documentation)));
            variants =
                it.variants.iter().map(|it| (it.name.text.clone(), ailang::lower::wire_value(it))).collect();
        }
        DefinitionKind::Type(syntax::TypeDefinition {
            ty: syntax::Type { kind: TypeKind::Struct(members), .. },
            ..
        }) => {
            let fields = members.iter().filter(|it| matches!(it.kind, MemberKind::Field { .. }));
            parts = comments_of(fields.map(|it| (&it.name, &it.documentation)));
        }
        _ => {}
    }
    let docs = documentation(&definition.documentation);
    let name = instance.name.to_string();
    NamedType { docs, parts, variants, ..NamedType::new(name, ty) }
}

fn method(it: Method<'_>) -> MethodModel {
    MethodModel {
        name: it.member.name.text.clone(),
        docs: documentation(&it.member.documentation),
        parameters: it.parameters,
        returns: it.returns,
    }
}

fn comments_of<'d>(
    all: impl Iterator<Item = (&'d syntax::Name, &'d Documentation)>,
) -> BTreeMap<String, String> {
    let documented = all.filter(|(_, it)| !it.text.trim().is_empty());
    documented.map(|(name, it)| (name.text.clone(), documentation(it))).collect()
}

/// Returns the text of a comment without what could disturb its reader.
fn documentation(documentation: &Documentation) -> String {
    let lines = documentation.text.trim().lines().map(|it| visible_line(it, LONGEST_LINE));
    lines.collect::<Vec<_>>().join("\n")
}
