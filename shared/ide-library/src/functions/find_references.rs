//! `findReferences`: where a symbol is used.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{Definition, ReferencesResult};

use super::{Code, asking, plain};
use crate::ReferencesQuestion;
use crate::failure::{escape, of_wire};
use crate::memory::Memory;
use crate::remark::remark;
use crate::resolve::Resolver;
use crate::symbol::{Symbol, target_of};

pub(crate) fn code(host: &Arc<Memory>) -> Code {
    Implementation::of("findReferences(symbol, includeDeclaration?)", asking(host, find_references))
}

async fn find_references(host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let symbol: Symbol = invocation.arguments.read("symbol")?;
    let include_declaration: Option<bool> = invocation.arguments.read("includeDeclaration")?;
    let resolver = Resolver::new(&host, &invocation);
    let alike = resolver.alike(&symbol).await?;
    let target = target_of(&alike[0]);
    let question = ReferencesQuestion { target, include_declaration: include_declaration.unwrap_or(false) };
    let answer = host.references(question).await.map_err(of_wire)?;
    resolver.settle(&symbol, &alike, &answer.source)?;
    remark(&invocation.notes, &answer);
    if let Some(note) = mentioned(&alike[0], &answer) {
        invocation.notes.add(note);
    }
    Ok(plain(&answer.references))
}

/// Says that the name stands elsewhere as text, where that casts doubt on the answer. Of one that is empty or not
/// complete, with the program that shows the lines; of one that is small beside what the text says, in a few words,
/// since these are mostly namesakes. Else it would be noise.
fn mentioned(definition: &Definition, answer: &ReferencesResult) -> Option<String> {
    let mentions = answer.mentions.filter(|count| *count > 0)?;
    let name = &definition.name;
    let lines = if mentions == 1 { "1 other line names" } else { &format!("{mentions} other lines name") };
    let used = answer.references.len() as u64;
    if used == 0 || !answer.complete {
        return Some(format!("{lines} `{name}` as text: search(`.`, `\\b{}\\b`)", escape(name)));
    }
    (mentions > used).then(|| format!("{lines} `{name}` as text."))
}
