//! `rename`: the edit that renames a symbol.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Notes, Value};
use ide_protocol::{EditsResult, FileRange, Operation, RenameQuestion, Target};

use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::excerpt::clip;
use crate::failure::{escape, from_wire, invalid};
use crate::resolve::Resolver;
use crate::row::{Code, plain_edit, with_host};
use crate::spelling::display_location;
use crate::symbol::Symbol;

/// The maximum number of shown places that keep the old name.
const SHOWN: usize = 8;

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("rename(symbol, newName)", with_host(host, rename))
}

async fn rename(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let symbol: Symbol = invocation.arguments.read("symbol")?;
    let new_name = invocation.arguments.text("newName")?.trim().to_owned();
    let definition = Resolver::new(&host, &invocation).only(&symbol).await?;
    let question = RenameQuestion { target: Target::of(&definition), new_name };
    let answer = host.ask(Operation::Rename, &question).await.map_err(from_wire)?;
    note_completeness(Operation::Rename, &invocation.notes, &answer.completeness);
    note_kept_names(&invocation.notes, &definition.name, &answer);
    match answer.edits.into_iter().next() {
        Some(edit) => Ok(plain_edit(edit)),
        None => {
            let message = format!("nothing would change by renaming `{}`", definition.name);
            Err(Interrupt::from(invalid(message, "Look at it with findReferences.")))
        }
    }
}

/// Notes the places that keep the old name, because names in strings break code that compiles.
fn note_kept_names(notes: &Notes, name: &str, answer: &EditsResult) {
    let total = answer.mentioned.unwrap_or(0).max(answer.mentions.len() as u64);
    if total == 0 {
        return;
    }
    let shown = &answer.mentions[..answer.mentions.len().min(SHOWN)];
    let rest = total - shown.len() as u64;
    let rest = (rest > 0).then(|| format!("and {rest} more: brief(search(`.`, `\\b{}\\b`))", escape(name)));
    let lines = shown.iter().map(line_of).chain(rest);
    notes.add_lines(format!("The rename leaves `{name}` in these lines:"), lines);
}

/// Describes a place: ``src/main.rs:11:28 comment: // TODO: greet the User``.
fn line_of(range: &FileRange) -> String {
    let role = range.role.as_ref().map(|it| format!(" {it}")).unwrap_or_default();
    format!(
        "{}{role}: {}",
        display_location(&range.location()),
        clip(range.text.as_deref().unwrap_or_default().trim())
    )
}
