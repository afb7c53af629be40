//! `definitions`, `exports`, `imports`, `importers`: the contents of files as data.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{
    ExportsQuestion, FileDefinitionsQuestion, FileRange, Import, ImportersQuestion, ImportsQuestion,
    ImportsResult, Operation,
};

use super::find_definitions::shown;
use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::failure::from_wire;
use crate::row::{Code, plain, with_host};
use crate::spelling::ParsedPlace;

pub(crate) fn codes(host: &Arc<CachedHost>) -> [Code; 4] {
    [
        Implementation::of("definitions(path, kind?)", with_host(host, definitions)),
        Implementation::of("exports(path)", with_host(host, exports)),
        Implementation::of("imports(path)", with_host(host, imports)),
        Implementation::of("importers(path)", with_host(host, importers)),
    ]
}

async fn definitions(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let kind: Option<String> = invocation.arguments.read("kind")?;
    let kind = kind.map(|it| it.trim().to_owned());
    let question = FileDefinitionsQuestion { path: path(&invocation)?, kind };
    let answer = host.ask(Operation::FileDefinitions, &question).await.map_err(from_wire)?;
    note_completeness(Operation::FileDefinitions, &invocation.notes, &answer.completeness);
    Ok(shown(answer.definitions))
}

async fn exports(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let question = ExportsQuestion { path: path(&invocation)? };
    let answer = host.ask(Operation::Exports, &question).await.map_err(from_wire)?;
    note_completeness(Operation::Exports, &invocation.notes, &answer.completeness);
    Ok(shown(answer.definitions))
}

async fn imports(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let question = ImportsQuestion { path: path(&invocation)? };
    let answer = host.ask(Operation::Imports, &question).await.map_err(from_wire)?;
    Ok(listed(Operation::Imports, &invocation, &answer))
}

async fn importers(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let question = ImportersQuestion { path: path(&invocation)? };
    let answer = host.ask(Operation::Importers, &question).await.map_err(from_wire)?;
    Ok(listed(Operation::Importers, &invocation, &answer))
}

fn listed(operation: Operation, invocation: &Invocation, answer: &ImportsResult) -> Value {
    note_completeness(operation, &invocation.notes, &answer.completeness);
    plain(&answer.imports.iter().cloned().map(range).collect::<Vec<_>>())
}

/// Returns the range of an import, with what it imports in its bindings.
fn range(import: Import) -> FileRange {
    let Import { at, module, names, file, external } = import;
    // A program may look into the names of each import, also where there are none.
    let facts = [("module", Some(module)), ("names", Some(names.join(", "))), ("file", file)];
    let bindings = facts.into_iter().filter_map(|(name, fact)| Some((name.to_owned(), fact?))).collect();
    FileRange { role: Some("import".to_owned()), text: None, outside: external, bindings, ..at }
}

/// Returns the path of the argument `path`, which may be a place in the file.
fn path(invocation: &Invocation) -> Result<String, Interrupt> {
    let written = invocation.arguments.text("path")?.trim();
    Ok(ParsedPlace::read(written).map_or_else(|| written.to_owned(), |it| it.location().path))
}
