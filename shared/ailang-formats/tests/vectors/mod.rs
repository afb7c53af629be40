//! Values that judge generated validators: accepted ones and rejected ones for each type of a document.

mod mutation;
mod sample;

use std::collections::{HashMap, HashSet};

use ailang::lower::Lowering;
use ailang::names::{Symbol, SymbolTable};
use ailang::syntax::{Definition, DefinitionKind};
use ailang::{Diagnostic, Documents, Severity, Strictness, Values, validate_all};
use dialect::{Parameter, Refinement, Type};
use serde_json::{Number, Value};

use self::mutation::mutate;
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
    /// True if a schema accepts more, because it has no rule for a step such as 0.01.
    pub(crate) is_loose: bool,
}

/// Returns values for each type and each tool of the document at `path`: bounds, texts of several bytes, missing and
/// unknown fields, wrong tags. [`Values::check`] accepts or rejects them.
///
/// # Errors
/// The errors of the documents with their paths.
pub(crate) fn vectors(documents: &Documents, path: &str) -> Result<Vec<Vectors>, Vec<(String, Diagnostic)>> {
    mutated_vectors(documents, path, 0)
}

/// Returns values as [`vectors`] does, and for each type so many more that differ from these in one part.
///
/// # Errors
/// The errors of the documents with their paths.
pub(crate) fn mutated_vectors(
    documents: &Documents,
    path: &str,
    more: usize,
) -> Result<Vec<Vectors>, Vec<(String, Diagnostic)>> {
    let all = validate_all(documents, Strictness::Normal).into_iter();
    let errors: Vec<_> = all
        .flat_map(|(path, found)| found.into_iter().map(move |it| (path.to_owned(), it)))
        .filter(|(_, it)| it.severity == Severity::Error)
        .collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let named = NamedTypes::new(documents, path);
    let checked = Checked::new(&named);
    let mut rng = fastrand::Rng::with_seed(7);
    let types = named.types.iter().map(|(name, _)| (name.clone(), Type::Named(name.as_str().into())));
    let types = types.filter(|(_, ty)| !named.has_function(ty));
    let tools =
        named.tools.iter().filter(|it| !named.has_function(&it.input) && !named.has_function(&it.output));
    let inputs = tools.clone().map(|it| (format!("{}.input", it.name), it.input.clone()));
    let outputs = tools.map(|it| (format!("{}.output", it.name), it.output.clone()));
    let all = types.chain(inputs).chain(outputs);
    Ok(all.map(|(name, ty)| checked.vectors(name, &ty, more, &mut rng)).collect())
}

/// The types of a document that have names, as generated code has them.
pub(crate) struct NamedTypes {
    types: Vec<(String, Type)>,
    pub(crate) tools: Vec<Signature>,
    /// The parameters of errors.
    pub(crate) errors: HashMap<String, Option<Vec<Parameter>>>,
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
            let ty = lowering.kept_type(&instance);
            named.types.push((instance.name.to_string(), ty));
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

    pub(crate) fn find(&self, name: &str) -> Option<&Type> {
        self.types.iter().find(|(it, _)| it == name).map(|(_, it)| it)
    }

    /// Returns the steps whose multiples a type has, also behind names.
    fn steps(&self, ty: &Type) -> Vec<Number> {
        let (mut steps, mut seen, mut pending) = (Vec::new(), HashSet::new(), vec![ty]);
        while let Some(ty) = pending.pop() {
            match ty {
                Type::Named(name) if seen.insert(name.clone()) => pending.extend(self.find(name)),
                ty => pending.extend(ty.parts()),
            }
            if let Type::Refined(_, rules) = ty {
                steps.extend(rules.iter().filter_map(|it| match it {
                    Refinement::MultipleOf(step) => Some(step.clone()),
                    _ => None,
                }));
            }
        }
        steps
    }

    /// Returns `true` if a type is or contains a function, also behind names.
    fn has_function(&self, ty: &Type) -> bool {
        let mut seen = HashSet::new();
        let mut pending = vec![ty];
        while let Some(ty) = pending.pop() {
            match ty {
                Type::Function { .. } => return true,
                Type::Named(name) if seen.insert(name.clone()) => {
                    pending.extend(self.find(name));
                }
                ty => pending.extend(ty.parts()),
            }
        }
        false
    }
}

/// The named types of a document with their checks.
struct Checked<'m> {
    named: &'m NamedTypes,
    values: Values,
    /// The checks of results.
    lenient: Values,
}

impl<'m> Checked<'m> {
    fn new(named: &'m NamedTypes) -> Self {
        let types: HashMap<String, Type> = named.types.iter().cloned().collect();
        let lenient = Values::of(types.clone()).ignoring_unknown_fields();
        Self { named, values: Values::of(types), lenient }
    }

    /// Returns `true` if a value is of a type.
    fn accepts(&self, ty: &Type, value: &Value) -> bool {
        self.values.check(ty, value).is_ok()
    }

    fn vectors(&self, name: String, ty: &Type, more: usize, rng: &mut fastrand::Rng) -> Vectors {
        let mut all = samples(self, ty, 0);
        mutate(&mut all, more, rng, |value| self.accepts(ty, value));
        let steps = self.named.steps(ty);
        // Beyond 2^53 the digits of a number are not those of its float.
        let most = if steps.is_empty() { f64::INFINITY } else { 9_007_199_254_740_992.0 };
        let all = all.into_iter().filter(|it| accepted_everywhere(it, most));
        let (ok, others): (Vec<Value>, Vec<Value>) = all.partition(|value| self.accepts(ty, value));
        let is_newer = |value: &Value| name.ends_with(".output") && self.lenient.check(ty, value).is_ok();
        let (newer, bad): (Vec<Value>, Vec<Value>) = others.into_iter().partition(is_newer);
        Vectors { name, ok, bad, newer, is_loose: steps.iter().any(|it| !ailang::schema::is_exact(it)) }
    }
}

/// Returns `true` if every language reads the same value: no number loses digits as a float.
fn accepted_everywhere(value: &Value, most: f64) -> bool {
    match value {
        Value::Number(number) => number
            .as_f64()
            .is_some_and(|it| it.abs() <= most && (it.abs() <= 9_007_199_254_740_992.0 || number.is_f64())),
        Value::Array(items) => items.iter().all(|it| accepted_everywhere(it, most)),
        Value::Object(fields) => fields.values().all(|it| accepted_everywhere(it, most)),
        _ => true,
    }
}
