//! `rename`: what giving a symbol another name would change.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Notes, Value};
use ide_protocol::{EditsResult, FileRange, Operation};

use super::{Code, asking, plain};
use crate::RenameQuestion;
use crate::excerpt::clip;
use crate::failure::{escape, invalid, of_wire};
use crate::memory::Memory;
use crate::remark::remark_on;
use crate::resolve::Resolver;
use crate::spelling::spell;
use crate::symbol::{Symbol, start_of, target_of};

/// How many of the places that keep the old name are shown.
const SHOWN: usize = 8;

pub(crate) fn code(host: &Arc<Memory>) -> Code {
    Implementation::of("rename(symbol, newName)", asking(host, rename))
}

async fn rename(host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let symbol: Symbol = invocation.arguments.read("symbol")?;
    let new_name = invocation.arguments.text("newName")?.trim().to_owned();
    let definition = Resolver::new(&host, &invocation).only(&symbol).await?;
    let question = RenameQuestion { target: target_of(&definition), new_name };
    let answer = host.rename(question).await.map_err(of_wire)?;
    remark_on(Operation::Rename, &invocation.notes, &answer);
    say_kept(&invocation.notes, &definition.name, &answer);
    match answer.edits.into_iter().next() {
        Some(edit) => Ok(plain(&edit)),
        None => {
            let message = format!("nothing would change by renaming `{}`", definition.name);
            Err(Interrupt::from(invalid(message, "Look at it with findReferences.")))
        }
    }
}

/// Says where the old name stays: names in strings break code that compiles.
fn say_kept(notes: &Notes, name: &str, answer: &EditsResult) {
    let total = answer.mentioned.unwrap_or(0).max(answer.mentions.len() as u64);
    if total == 0 {
        return;
    }
    let shown = &answer.mentions[..answer.mentions.len().min(SHOWN)];
    let lines: String = shown.iter().map(|it| format!("\n  {}", line_of(it))).collect();
    let rest = total - shown.len() as u64;
    let rest = match rest {
        0 => String::new(),
        _ => format!("\n  and {rest} more: brief(search(`.`, `\\b{}\\b`))", escape(name)),
    };
    notes.add(format!("The rename leaves `{name}` in these lines:{lines}{rest}"));
}

/// ``src/main.rs:11:28 comment: // TODO: greet the User``
fn line_of(range: &FileRange) -> String {
    let role = range.role.as_ref().map(|it| format!(" {it}")).unwrap_or_default();
    format!("{}{role}: {}", spell(&start_of(range)), clip(range.text.as_deref().unwrap_or_default().trim()))
}
