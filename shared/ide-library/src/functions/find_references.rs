//! `findReferences`: the uses of a symbol.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{Definition, Operation, ReferencesQuestion, ReferencesResult};

use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::failure::{escape, from_wire};
use crate::resolve::Resolver;
use crate::row::{Code, plain, with_host};
use crate::symbol::{Symbol, target_of};

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("findReferences(symbol, includeDeclaration?)", with_host(host, find_references))
}

async fn find_references(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let symbol: Symbol = invocation.arguments.read("symbol")?;
    let include_declaration: Option<bool> = invocation.arguments.read("includeDeclaration")?;
    let resolver = Resolver::new(&host, &invocation);
    let alike = resolver.alike(&symbol).await?;
    let target = target_of(&alike[0]);
    let question = ReferencesQuestion { target, include_declaration: include_declaration.unwrap_or(false) };
    let answer = host.ask(Operation::References, &question).await.map_err(from_wire)?;
    resolver.settle(&symbol, &alike, &answer.completeness.source)?;
    note_completeness(Operation::References, &invocation.notes, &answer.completeness);
    if let Some(note) = mentioned(&alike[0], &answer) {
        invocation.notes.add(note);
    }
    Ok(plain(&answer.references))
}

/// Returns a note about mentions of the name as text, if they cast doubt on the answer. For an empty or incomplete
/// answer it has the program that shows the lines. For an answer with few uses beside many mentions it is short,
/// since these mostly mean other symbols. Otherwise there is no note.
fn mentioned(definition: &Definition, answer: &ReferencesResult) -> Option<String> {
    let mentions = answer.mentions.filter(|count| *count > 0)?;
    let name = &definition.name;
    let lines = if mentions == 1 { "1 other line names" } else { &format!("{mentions} other lines name") };
    let used = answer.references.len() as u64;
    if used == 0 || !answer.completeness.complete {
        return Some(format!("{lines} `{name}` as text: search(`.`, `\\b{}\\b`)", escape(name)));
    }
    (mentions > used).then(|| format!("{lines} `{name}` as text."))
}
