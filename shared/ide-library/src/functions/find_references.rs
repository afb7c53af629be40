//! `findReferences`: the uses of a symbol.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{Definition, Location, Operation, ReferencesQuestion, ReferencesResult, Target};

use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::failure::{escape, from_wire};
use crate::resolve::Resolver;
use crate::row::{Code, plain, with_host};
use crate::symbol::Symbol;

/// The name of the function. What makes its argument asks for the uses at the same time.
pub(crate) const NAME: &str = "findReferences";

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("findReferences(symbol, includeDeclaration?)", with_host(host, find_references))
}

async fn find_references(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let symbol: Symbol = invocation.arguments.read("symbol")?;
    let include_declaration: Option<bool> = invocation.arguments.read("includeDeclaration")?;
    let include_declaration = include_declaration.unwrap_or(false);
    let resolver = Resolver::new(&host, &invocation).references_next(!include_declaration);
    let alike = resolver.alike(&symbol).await?;
    let target = Target::of(&alike[0]);
    let known = host.take_references(&invocation.notes, &target).filter(|_| !include_declaration);
    let answer = match known {
        Some(known) => known,
        None => {
            let question = ReferencesQuestion { target, include_declaration };
            host.ask(Operation::References, &question).await.map_err(from_wire)?
        }
    };
    resolver.settle(&symbol, &alike, &answer.completeness.source)?;
    note_completeness(Operation::References, &invocation.notes, &answer.completeness);
    if let Some(note) = mentioned(&alike[0], &answer) {
        invocation.notes.add(note);
    }
    Ok(plain(&answer.references))
}

/// Returns a note about other code with the name for an empty answer: the places of few lines, or else the program that
/// shows all. Lines of comments and strings use nothing.
fn mentioned(definition: &Definition, answer: &ReferencesResult) -> Option<String> {
    let mentions = answer.mentions.filter(|count| *count > 0)?;
    // Beside uses, such code was looked at, and the answer says what may be more of them.
    if !answer.references.is_empty() {
        return None;
    }
    let name = &definition.name;
    match answer.code_mentions.as_deref() {
        Some([]) => None,
        Some(code) => Some(format!("No use of `{name}`; the name is also at {}.", places(code))),
        None => {
            let lines = if mentions == 1 { "line has" } else { "lines have" };
            let search = format!("search(`.`, `\\b{}\\b`)", escape(name));
            Some(format!("No use of `{name}`; {mentions} other {lines} the name: {search}"))
        }
    }
}

/// Returns places as text, each path once: `src/a.rs:3, :8; src/b.rs:1`.
fn places(of: &[Location]) -> String {
    let mut text = String::new();
    for (index, Location { path, line, .. }) in of.iter().enumerate() {
        let is_same = index > 0 && of[index - 1].path == *path;
        match (index, is_same) {
            (0, _) => text += &format!("{path}:{line}"),
            (_, true) => text += &format!(", :{line}"),
            (_, false) => text += &format!("; {path}:{line}"),
        }
    }
    text
}
