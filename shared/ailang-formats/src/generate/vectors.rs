//! Values for tests of generated validators: accepted ones and rejected ones for each type.

mod sample;

use std::collections::HashMap;

use ailang::{Documents, Values};
use dialect::Type;
use serde_json::{Value, json};

use self::sample::samples;
use super::model::Model;
use super::target::{DocumentErrors, valid_model};

/// The values for one type.
#[derive(Clone, Debug, PartialEq)]
pub struct Vectors {
    /// The name of the type; `tool.input` for the parameters of a tool, and `tool.output` for its result.
    pub name: String,
    /// The accepted values.
    pub ok: Vec<Value>,
    /// The rejected values.
    pub bad: Vec<Value>,
    /// The values with fields that are not declared, which are accepted as results only, where these fields are
    /// ignored. Empty for everything but `tool.output`.
    pub newer: Vec<Value>,
}

/// Returns values for each type and each tool of the document at `path`: bounds, texts of several bytes, missing and
/// unknown fields, wrong tags. [`Values::check`] accepts or rejects them. This is for trusted documents: types are
/// expanded without a limit.
///
/// # Errors
/// The errors of the documents with their paths; empty without a document at `path`.
pub fn vectors(documents: &Documents, path: &str) -> Result<Vec<Vectors>, DocumentErrors> {
    let (model, _) = valid_model(documents, path)?;
    let checked = Expanded::new(&model);
    let types = model.types.iter().map(|it| (it.name.clone(), Type::Named(it.name.as_str().into())));
    let types = types.filter(|(_, ty)| !model.has_function(ty));
    let tools = model.tools.iter().filter(|it| !model.takes_function(it));
    let inputs = tools.clone().map(|it| (format!("{}.input", it.name), it.input()));
    let outputs = tools.map(|it| (format!("{}.output", it.name), it.returns.clone()));
    let all = types.chain(inputs).chain(outputs);
    Ok(all.map(|(name, ty)| checked.vectors(name, &ty)).collect())
}

/// The types of a model as [`Values::check`] takes them: without names, except for structs.
pub(super) struct Expanded<'m> {
    pub(super) model: &'m Model,
    values: Values,
    /// The checks of results.
    lenient: Values,
}

impl<'m> Expanded<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        let mut new = Self { model, values: Values::default(), lenient: Values::default() };
        let records = model.types.iter().filter(|it| it.is_record).filter_map(|it| {
            let Type::Fields(fields) = &it.ty else { return None };
            let fields =
                fields.iter().map(|field| dialect::Parameter { ty: new.expand(&field.ty), ..field.clone() });
            Some((it.name.clone(), fields.collect()))
        });
        let records: HashMap<String, Vec<dialect::Parameter>> = records.collect();
        new.lenient = Values::of(records.clone()).ignoring_unknown_fields();
        new.values = Values::of(records);
        new
    }

    /// Expands all names but those of structs.
    pub(super) fn expand(&self, ty: &Type) -> Type {
        let boxed = |inner: &Type| Box::new(self.expand(inner));
        match ty {
            Type::Named(name) => match self.model.named(name).filter(|it| !it.is_record) {
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
                let field =
                    |it: &dialect::Parameter| dialect::Parameter { ty: self.expand(&it.ty), ..it.clone() };
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
    pub(super) fn accepts(&self, ty: &Type, value: &Value) -> bool {
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

impl Vectors {
    /// Returns the values as JSON: `{"name": …, "ok": […], "bad": […], "newer": […]}`.
    pub fn to_json(&self) -> Value {
        json!({"name": self.name, "ok": self.ok, "bad": self.bad, "newer": self.newer})
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ailang::Document;
    use ailang::lower::Lowering;
    use ailang::names::SymbolTable;
    use ailang::syntax::DefinitionKind;

    use super::*;

    /// Compares the types of tools and errors, lowered with names and then expanded, with those of programs.
    fn compare(path: &Path) -> usize {
        #[expect(clippy::disallowed_methods, reason = "tests read documents")]
        let source =
            std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut documents = Documents::new();
        documents.insert("a.md", Document::parse(source));
        let Ok((model, _)) = valid_model(&documents, "a.md") else { return 0 };
        let expanded = Expanded::new(&model);
        let table = SymbolTable::new(&documents);
        let mut lowering = Lowering::new(&table);
        let document = documents.get("a.md").expect("it was added");
        let mut compared = 0;
        for definition in document.definitions() {
            let (parameters, ours) = match &definition.kind {
                DefinitionKind::Tool(it) => {
                    let ours =
                        model.tools.iter().find(|it| it.name == definition.name.text).expect("it is there");
                    assert_eq!(
                        expanded.expand(&ours.returns),
                        lowering.returned(it, 0),
                        "{}",
                        definition.name.text
                    );
                    (Some(&it.parameters), ours.parameters.clone())
                }
                DefinitionKind::Error(it) => {
                    let ours =
                        model.errors.iter().find(|it| it.name == definition.name.text).expect("it is there");
                    (it.parameters.as_ref(), ours.parameters.clone())
                }
                _ => continue,
            };
            let ours = ours.map(|it| expanded.expand(&Type::Fields(it)));
            assert_eq!(
                ours,
                lowering.parameters(parameters, 0).map(Type::Fields),
                "{}",
                definition.name.text
            );
            compared += 1;
        }
        compared
    }

    #[test]
    fn names_change_no_type() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut compared = 0;
        for folder in ["../ailang/corpus/valid", "../ailang/corpus/skills", "tests/suite/generate"]
            .map(|it| folder.join(it))
        {
            #[expect(clippy::disallowed_methods, reason = "tests read documents")]
            let files = std::fs::read_dir(folder).expect("it can be listed");
            let files = files.map(|it| it.expect("it can be listed").path());
            compared += files
                .filter(|it| it.extension().is_some_and(|it| it == "md"))
                .map(|it| compare(&it))
                .sum::<usize>();
        }
        assert!(compared > 60, "{compared}");
    }
}
