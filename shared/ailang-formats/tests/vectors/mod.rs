//! Values that judge generated validators: accepted ones and rejected ones for each type of a document.

mod sample;

use std::collections::{HashMap, HashSet};

use ailang::lower::{Lowering, is_registered};
use ailang::names::{Symbol, SymbolTable};
use ailang::syntax::{Definition, DefinitionKind};
use ailang::{Diagnostic, Documents, Severity, Strictness, Values, validate_all};
use dialect::{Parameter, Type};
use serde_json::Value;

use self::sample::samples;

/// The values for one type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Vectors {
    /// The name of the type; `tool.input` for the parameters of a tool, and `tool.output` for its result.
    pub(crate) name: String,
    /// The accepted values.
    pub(crate) ok: Vec<Value>,
    /// The rejected values.
    pub(crate) bad: Vec<Value>,
    /// The values with fields that are not declared, which are accepted as results only, where these fields are
    /// ignored. Empty for everything but `tool.output`.
    pub(crate) newer: Vec<Value>,
}

/// Returns values for each type and each tool of the document at `path`: bounds, texts of several bytes, missing and
/// unknown fields, wrong tags. [`Values::check`] accepts or rejects them. This is for trusted documents: types are
/// expanded without a limit.
///
/// # Errors
/// The errors of the documents with their paths.
pub(crate) fn vectors(documents: &Documents, path: &str) -> Result<Vec<Vectors>, Vec<(String, Diagnostic)>> {
    let all = validate_all(documents, Strictness::Normal).into_iter();
    let errors: Vec<_> = all
        .flat_map(|(path, found)| found.into_iter().map(move |it| (path.to_owned(), it)))
        .filter(|(_, it)| it.severity == Severity::Error)
        .collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let named = NamedTypes::new(documents, path);
    let checked = Expanded::new(&named);
    let types = named.types.iter().map(|(name, _)| (name.clone(), Type::Named(name.as_str().into())));
    let types = types.filter(|(_, ty)| !named.has_function(ty));
    let tools =
        named.tools.iter().filter(|it| !named.has_function(&it.input) && !named.has_function(&it.output));
    let inputs = tools.clone().map(|it| (format!("{}.input", it.name), it.input.clone()));
    let outputs = tools.map(|it| (format!("{}.output", it.name), it.output.clone()));
    Ok(types.chain(inputs).chain(outputs).map(|(name, ty)| checked.vectors(name, &ty)).collect())
}

/// The types of a document that have names, as generated code has them.
pub(crate) struct NamedTypes {
    types: Vec<(String, NamedType)>,
    pub(crate) tools: Vec<Signature>,
    /// The parameters of errors.
    pub(crate) errors: HashMap<String, Option<Vec<Parameter>>>,
}

struct NamedType {
    ty: Type,
    /// `true` for a struct that programs know by name.
    is_record: bool,
}

pub(crate) struct Signature {
    pub(crate) name: String,
    pub(crate) input: Type,
    pub(crate) output: Type,
}

impl NamedTypes {
    pub(crate) fn new(documents: &Documents, path: &str) -> Self {
        let home = documents.index_of(path).expect("there is a document at the path");
        let table = SymbolTable::new(documents);
        let mut lowering = Lowering::new(&table);
        let (_, document) = documents.at(home).expect("it was found");
        let is_type = |it: &&Definition| matches!(it.kind, DefinitionKind::Type(_) | DefinitionKind::Enum(_));
        lowering.keep_names(document.definitions().filter(|it| !is_type(it)).map(|it| it.name.text.clone()));
        let mut named = Self { types: Vec::new(), tools: Vec::new(), errors: HashMap::new() };
        // Of two definitions with the same name, which are equal, the first counts.
        let mut seen = HashSet::new();
        for definition in document.definitions().filter(|it| seen.insert(&it.name.text)) {
            match &definition.kind {
                DefinitionKind::Enum(_) => drop(lowering.mention(definition, home)),
                DefinitionKind::Type(it) if it.parameters.is_empty() => {
                    drop(lowering.mention(definition, home));
                }
                DefinitionKind::Error(_) => named.add_error(&mut lowering, definition, home),
                DefinitionKind::Tool(tool) => {
                    let parameters = lowering.parameters(Some(&tool.parameters), home);
                    let input = parameters.map_or(Type::Object, Type::Fields);
                    let output = lowering.returned(tool, home);
                    named.tools.push(Signature { name: definition.name.text.clone(), input, output });
                    for path in &tool.throws {
                        if let Some(Symbol::Definition(error, there)) = lowering.scope(home).find_path(path) {
                            named.add_error(&mut lowering, error, there);
                        }
                    }
                }
                DefinitionKind::Type(_) | DefinitionKind::Capability(_) => {}
            }
        }
        while let Some(instance) = lowering.next_kept() {
            let is_record = instance.home != lowering.prelude_home() && is_registered(instance.definition);
            let ty = lowering.kept_type(&instance);
            named.types.push((instance.name.to_string(), NamedType { ty, is_record }));
        }
        named
    }

    fn add_error<'a>(&mut self, lowering: &mut Lowering<'_, 'a>, definition: &'a Definition, home: usize) {
        let DefinitionKind::Error(error) = &definition.kind else { return };
        if !self.errors.contains_key(&definition.name.text) {
            let parameters = lowering.parameters(error.parameters.as_ref(), home);
            self.errors.insert(definition.name.text.clone(), parameters);
        }
    }

    fn find(&self, name: &str) -> Option<&NamedType> {
        self.types.iter().find(|(it, _)| it == name).map(|(_, it)| it)
    }

    /// Returns `true` if a type is or contains a function, also behind names.
    fn has_function(&self, ty: &Type) -> bool {
        let mut seen = HashSet::new();
        let mut pending = vec![ty];
        while let Some(ty) = pending.pop() {
            match ty {
                Type::Function { .. } => return true,
                Type::Named(name) if seen.insert(name.clone()) => {
                    pending.extend(self.find(name).map(|it| &it.ty));
                }
                ty => pending.extend(ty.parts()),
            }
        }
        false
    }
}

/// The types of a document as [`Values::check`] takes them: without names, except for structs.
pub(crate) struct Expanded<'m> {
    named: &'m NamedTypes,
    values: Values,
    /// The checks of results.
    lenient: Values,
}

impl<'m> Expanded<'m> {
    pub(crate) fn new(named: &'m NamedTypes) -> Self {
        let mut new = Self { named, values: Values::default(), lenient: Values::default() };
        let records = named.types.iter().filter(|(_, it)| it.is_record).filter_map(|(name, it)| {
            let Type::Fields(fields) = &it.ty else { return None };
            let fields = fields.iter().map(|field| Parameter { ty: new.expand(&field.ty), ..field.clone() });
            Some((name.clone(), fields.collect()))
        });
        let records: HashMap<String, Vec<Parameter>> = records.collect();
        new.lenient = Values::of(records.clone()).ignoring_unknown_fields();
        new.values = Values::of(records);
        new
    }

    /// Expands all names but those of structs.
    pub(crate) fn expand(&self, ty: &Type) -> Type {
        let boxed = |inner: &Type| Box::new(self.expand(inner));
        match ty {
            Type::Named(name) => match self.named.find(name).filter(|it| !it.is_record) {
                Some(behind) => self.expand(&behind.ty),
                None => ty.clone(),
            },
            Type::List(inner) => Type::List(boxed(inner)),
            Type::Map(inner) => match self.expand(inner) {
                Type::Any => Type::Object,
                inner => Type::Map(Box::new(inner)),
            },
            Type::Optional(inner) => Type::Optional(boxed(inner)),
            Type::Union(members) => Type::union(members.iter().map(|it| self.expand(it))),
            Type::Refined(inner, rules) => match self.expand(inner) {
                Type::Refined(inner, mut all) => {
                    for rule in rules {
                        if !all.contains(rule) {
                            all.push(rule.clone());
                        }
                    }
                    Type::Refined(inner, all)
                }
                inner => Type::Refined(Box::new(inner), rules.clone()),
            },
            Type::Fields(fields) => {
                let field = |it: &Parameter| Parameter { ty: self.expand(&it.ty), ..it.clone() };
                Type::Fields(fields.iter().map(field).collect())
            }
            Type::Function { parameters, returns } => {
                let parameters = parameters.iter().map(|(name, ty)| (name.clone(), self.expand(ty)));
                Type::Function { parameters: parameters.collect(), returns: boxed(returns) }
            }
            ty => ty.clone(),
        }
    }

    /// Returns `true` if a value is of a type.
    fn accepts(&self, ty: &Type, value: &Value) -> bool {
        self.values.check(&self.expand(ty), value).is_ok()
    }

    fn vectors(&self, name: String, ty: &Type) -> Vectors {
        let all = samples(self, ty, 0).into_iter().filter(accepted_everywhere);
        let (ok, others): (Vec<Value>, Vec<Value>) = all.partition(|value| self.accepts(ty, value));
        let result = self.expand(ty);
        let is_newer =
            |value: &Value| name.ends_with(".output") && self.lenient.check(&result, value).is_ok();
        let (newer, bad) = others.into_iter().partition(is_newer);
        Vectors { name, ok, bad, newer }
    }
}

/// Returns `true` if every language reads the same value: no number loses digits as a float.
fn accepted_everywhere(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            number.as_f64().is_some_and(|it| it.abs() <= 9_007_199_254_740_992.0 || number.is_f64())
        }
        Value::Array(items) => items.iter().all(accepted_everywhere),
        Value::Object(fields) => fields.values().all(accepted_everywhere),
        _ => true,
    }
}
