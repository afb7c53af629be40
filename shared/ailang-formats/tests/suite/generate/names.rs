//! Types lowered with names are those that programs have.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use ailang::Interface;
use ailang::lower::Lowering;
use ailang::names::SymbolTable;
use ailang::syntax::DefinitionKind;
use dialect::{Parameter, Signature, Type};
use libtest_mimic::Trial;

use super::{folder, read};
use crate::vectors::{NamedTypes, vectors};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![names_change_no_type]
}

/// A comparison of types that have names with types that were lowered for programs.
struct Comparison<'a> {
    named: &'a NamedTypes,
    interface: HashMap<String, Type>,
    /// The pairs of names that are being compared, which are assumed to be equal.
    assumed: HashSet<(String, String)>,
}

impl Comparison<'_> {
    fn equal(&mut self, ours: &Type, theirs: &Type) -> bool {
        if !self.assumed.insert((ours.to_string(), theirs.to_string())) {
            return true;
        }
        let ours = members(ours, &|name| self.named.find(name).cloned());
        let theirs = members(theirs, &|name| self.interface.get(name).cloned());
        ours.len() == theirs.len() && ours.iter().zip(&theirs).all(|(ours, theirs)| self.parts(ours, theirs))
    }

    fn parts(&mut self, ours: &Type, theirs: &Type) -> bool {
        let shell = |ty: &Type| match ty {
            Type::List(_) => Type::List(Type::Any.into()),
            Type::Map(_) | Type::Object => Type::Object,
            Type::Optional(_) => Type::Optional(Type::Any.into()),
            Type::Refined(_, rules) => Type::Refined(Type::Any.into(), rules.clone()),
            Type::Fields(fields) => {
                let field = |it: &Parameter| Parameter { ty: Type::Any, ..it.clone() };
                Type::Fields(sorted(fields).into_iter().map(field).collect())
            }
            Type::Function { parameters, .. } => {
                let parameters = parameters.iter().map(|(name, _)| (name.clone(), Type::Any)).collect();
                Type::Function { parameters, returns: Type::Any.into() }
            }
            ty => ty.clone(),
        };
        let inner = |ty: &Type| match ty {
            Type::Object => vec![Type::Any],
            Type::Fields(fields) => sorted(fields).into_iter().map(|it| it.ty.clone()).collect(),
            ty => ty.parts().into_iter().cloned().collect::<Vec<_>>(),
        };
        let pairs = inner(ours).into_iter().zip(inner(theirs));
        shell(ours) == shell(theirs) && pairs.into_iter().all(|(ours, theirs)| self.equal(&ours, &theirs))
    }
}

/// Sorts fields by their names: constructors take required ones first.
fn sorted(fields: &[Parameter]) -> Vec<&Parameter> {
    let mut fields: Vec<&Parameter> = fields.iter().collect();
    fields.sort_by(|left, right| left.name.cmp(&right.name));
    fields
}

/// Returns the members of a union that names and unions in it stand for. Refinements of one type are joined.
fn members(ty: &Type, behind: &dyn Fn(&str) -> Option<Type>) -> Vec<Type> {
    let mut all: Vec<Type> = match ty {
        Type::Union(inner) => inner.iter().flat_map(|it| members(it, behind)).collect(),
        Type::Named(name) => match behind(name) {
            Some(ty) => members(&ty, behind),
            None => vec![ty.clone()],
        },
        Type::Refined(inner, rules) => match &members(inner, behind)[..] {
            [Type::Refined(inner, earlier)] => {
                let new = rules.iter().filter(|it| !earlier.contains(it));
                vec![Type::Refined(inner.clone(), earlier.iter().chain(new).cloned().collect())]
            }
            _ => vec![ty.clone()],
        },
        ty => vec![ty.clone()],
    };
    let mut seen = HashSet::new();
    all.retain(|it| seen.insert(it.to_string()));
    all
}

/// Compares the types of the tools and errors of a document; returns their number.
fn compare(path: &Path) -> usize {
    let name = path.file_name().expect("it is a file").to_string_lossy().into_owned();
    let documents = read(path);
    if vectors(&documents, &name).is_err() {
        return 0;
    }
    let named = NamedTypes::new(&documents, &name);
    let Ok(interface) = Interface::load(&documents) else { return 0 };
    let records = interface.types().iter().filter_map(|it| Signature::parse(&it.signature).ok());
    let records = records.map(|it| (it.name, Type::Fields(it.parameters)));
    let aliases = interface.aliases().iter().map(|it| (it.name.clone(), it.ty.clone()));
    let interface = records.chain(aliases).collect();
    let mut comparison = Comparison { named: &named, interface, assumed: HashSet::new() };
    let table = SymbolTable::new(&documents);
    let mut lowering = Lowering::new(&table);
    let mut compared = 0;
    for definition in documents.get(&name).expect("it was added").definitions() {
        let name = &definition.name.text;
        let (ours, theirs) = match &definition.kind {
            DefinitionKind::Tool(it) => {
                let tool = named.tools.iter().find(|it| it.name == *name).expect("it is there");
                let returned = lowering.returned(it, 0);
                assert!(comparison.equal(&tool.output, &returned), "{name}: {} {returned}", tool.output);
                (tool.input.clone(), lowering.parameters(Some(&it.parameters), 0))
            }
            DefinitionKind::Error(it) => {
                let ours = named.errors[name].clone().map_or(Type::Object, Type::Fields);
                (ours, lowering.parameters(it.parameters.as_ref(), 0))
            }
            _ => continue,
        };
        let theirs = theirs.map_or(Type::Object, Type::Fields);
        assert!(comparison.equal(&ours, &theirs), "{name}: {ours} {theirs}");
        compared += 1;
    }
    compared
}

fn names_change_no_type() {
    let mut compared = 0;
    for name in ["../ailang/corpus/valid", "../ailang/corpus/skills", "tests/suite/generate"] {
        let files = std::fs::read_dir(folder(name)).expect("it can be listed");
        let files = files.map(|it| it.expect("it can be listed").path());
        let documents = files.filter(|it| it.extension().is_some_and(|it| it == "md"));
        compared += documents.map(|it| compare(&it)).sum::<usize>();
    }
    assert!(compared > 60, "{compared}");
}
