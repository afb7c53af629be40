//! `members`: the members of a type, its own and those that it inherits.

use std::collections::BTreeSet;
use std::sync::Arc;

use ailang::Implementation;
use dialect::{Gap, GapCause, Interrupt, Invocation, Notes, Value};
use futures::future::join_all;
use ide_protocol::{
    Definition, Hierarchy, HierarchyQuestion, IdeError, MembersQuestion, MembersResult, Operation, Target,
};

use super::find_definitions::shown;
use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::failure::{from_wire, sentence};
use crate::resolve::{Resolver, Subject};
use crate::row::{Code, with_host};
use crate::symbol::Symbol;

/// The number of steps to supertypes.
const DEPTH: u32 = 16;

/// The maximum number of supertypes whose members are listed.
const SUPERTYPES: usize = 50;

/// The maximum number of types that are asked about concurrently.
const AT_A_TIME: usize = 8;

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("members(symbol)", with_host(host, members))
}

async fn members(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let symbol: Symbol = invocation.arguments.read("symbol")?;
    let resolver = Resolver::new(&host, &invocation).about(Subject::Types);
    let parts = resolver.whole(&symbol).await?;
    let mut found = Vec::new();
    for part in &parts {
        let answer = own(&host, part).await.map_err(from_wire)?;
        note_completeness(Operation::Members, &invocation.notes, &answer.completeness);
        add(&mut found, answer.definitions);
    }
    let bases = supertypes(&host, &invocation.notes, &parts[0]).await;
    add_inherited(&host, &invocation.notes, &mut found, bases).await;
    Ok(shown(found))
}

async fn own(host: &CachedHost, of: &Definition) -> Result<MembersResult, IdeError> {
    host.ask(Operation::Members, &MembersQuestion { target: Target::of(of) }).await
}

/// Adds definitions that are not there yet.
fn add(found: &mut Vec<Definition>, more: Vec<Definition>) {
    for it in more {
        if !found.iter().any(|other| other.name_at.location() == it.name_at.location()) {
            found.push(it);
        }
    }
}

/// Returns the supertypes of a type, the nearest first; a failure is noted.
async fn supertypes(host: &CachedHost, notes: &Notes, of: &Definition) -> Vec<Definition> {
    let question = HierarchyQuestion { target: Target::of(of), depth: DEPTH };
    let way = Hierarchy::Supertypes;
    match host.ask(way.operation(), &question).await {
        Ok(answer) => {
            note_completeness(way.operation(), notes, &answer.completeness);
            let mut types = Vec::new();
            // Of libraries, the nearest types are enough to name.
            let of_workspace = answer.links.into_iter().filter(|it| !it.from.name_at.external);
            add(&mut types, of_workspace.map(|it| it.to).collect());
            types
        }
        Err(error) => {
            let reason = format!("members that it inherits are left out: {}", error.message);
            notes.add_gap(sentence(&reason), Gap::new(GapCause::Failed, reason));
            Vec::new()
        }
    }
}

/// Adds the members of the supertypes, without those that a nearer type has under the same name.
async fn add_inherited(
    host: &CachedHost,
    notes: &Notes,
    found: &mut Vec<Definition>,
    mut bases: Vec<Definition>,
) {
    let (mut left_out, mut failed) = (Vec::new(), false);
    bases.retain(|it| {
        let is_here = !it.name_at.external;
        if !is_here {
            left_out.push(format!("`{}`", it.name));
        }
        is_here
    });
    if bases.len() > SUPERTYPES {
        left_out.extend(bases.drain(SUPERTYPES..).map(|it| format!("`{}`", it.name)));
    }
    let mut answers = Vec::new();
    for some in bases.chunks(AT_A_TIME) {
        let asked: Vec<_> = some.iter().map(|base| own(host, base)).collect();
        answers.extend(join_all(asked).await);
    }
    for (base, answer) in bases.iter().zip(answers) {
        match answer {
            Ok(answer) => {
                note_completeness(Operation::Members, notes, &answer.completeness);
                let names: BTreeSet<_> = found.iter().map(|it| it.name.clone()).collect();
                let is_new = |it: &Definition| !names.contains(&it.name) && it.kind != "constructor";
                add(found, answer.definitions.into_iter().filter(is_new).collect());
            }
            Err(_) => {
                failed = true;
                left_out.push(format!("`{}`", base.name));
            }
        }
    }
    if !left_out.is_empty() {
        let reason =
            format!("members that it inherits from types elsewhere are left out: {}", left_out.join(", "));
        let cause = if failed { GapCause::Failed } else { GapCause::Unknown };
        notes.add_gap(sentence(&reason), Gap::new(cause, reason));
    }
}
