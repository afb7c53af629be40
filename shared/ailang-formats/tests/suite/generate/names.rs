//! Types lowered with names, and then expanded, are those that programs have.

use std::path::Path;

use ailang::lower::Lowering;
use ailang::names::SymbolTable;
use ailang::syntax::DefinitionKind;
use dialect::Type;
use libtest_mimic::Trial;

use super::{folder, read};
use crate::vectors::{Expanded, NamedTypes, vectors};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![names_change_no_type]
}

/// Compares the types of the tools and errors of a document; returns their number.
fn compare(path: &Path) -> usize {
    let name = path.file_name().expect("it is a file").to_string_lossy().into_owned();
    let documents = read(path);
    if vectors(&documents, &name).is_err() {
        return 0;
    }
    let named = NamedTypes::new(&documents, &name);
    let expanded = Expanded::new(&named);
    let table = SymbolTable::new(&documents);
    let mut lowering = Lowering::new(&table);
    let mut compared = 0;
    for definition in documents.get(&name).expect("it was added").definitions() {
        let name = &definition.name.text;
        let (ours, theirs) = match &definition.kind {
            DefinitionKind::Tool(it) => {
                let tool = named.tools.iter().find(|it| it.name == *name).expect("it is there");
                assert_eq!(expanded.expand(&tool.output), lowering.returned(it, 0), "{name}");
                (tool.input.clone(), lowering.parameters(Some(&it.parameters), 0))
            }
            DefinitionKind::Error(it) => {
                let ours = named.errors[name].clone().map_or(Type::Object, Type::Fields);
                (ours, lowering.parameters(it.parameters.as_ref(), 0))
            }
            _ => continue,
        };
        assert_eq!(expanded.expand(&ours), theirs.map_or(Type::Object, Type::Fields), "{name}");
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
