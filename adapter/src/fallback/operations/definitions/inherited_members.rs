//! Resolves inherited members: `Sub.width`, defined in `Base`.

use super::by_name::by_name;
use crate::fallback::operations::lookup::supertypes::{bases, in_order, place};
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::names::{Fit, Name};
use crate::fallback::source::outline;
use crate::fallback::syntactic::candidate::{Candidate, of_node, plain};
use crate::fallback::workspace::session_folders::SessionFolders;
use ide_protocol::Reason;

/// The result of looking up a member in a type and its supertypes.
#[derive(Debug)]
pub(crate) enum Member {
    /// The members found, with reasons.
    Of(Vec<Candidate>, Vec<Reason>),
    /// The type is known, but neither it nor its known supertypes have such a member.
    Nothing,
    /// The qualifier is not a known type.
    NoType,
}

/// Looks up a member that the qualifying type inherits. `found` holds all definitions with the member's
/// unqualified name.
pub(crate) async fn member(
    asking: &QueryContext,
    roots: &SessionFolders,
    name: &Name,
    found: &[Candidate],
) -> Result<Member, Problem> {
    let Some((last, path)) = name.path.split_last() else { return Ok(Member::NoType) };
    let of = Name { path: path.to_vec(), last: last.clone() };
    let answer = Box::pin(by_name(asking, roots, &of)).await?;
    let is_type = |it: &Candidate| matches!(it.kind.as_str(), "class" | "struct" | "interface" | "enum");
    let types: Vec<_> = answer.candidates.into_iter().filter(is_type).collect();
    if types.is_empty() || answer.is_near {
        return Ok(Member::NoType);
    }
    let (mut members, mut reasons): (Vec<Candidate>, Vec<Reason>) = (Vec::new(), answer.reasons);
    for of in types {
        let own = place(&of);
        let bases = bases(asking, of).await?;
        for at in in_order(&bases, &own) {
            let Some((base, _)) = bases.get(&at) else { continue };
            let there = members_of(asking, base, &name.last, found).await?;
            let is_last = !there.is_empty() && asking.server.setup.language.members_hide_inherited;
            let inherited = Reason::Inherited { name: name.last.clone(), base: base.name.clone() };
            if at != own && !there.is_empty() && !reasons.contains(&inherited) {
                reasons.push(inherited);
            }
            let is_new = |it: &Candidate| !members.iter().any(|other| place(other) == place(it));
            let new: Vec<_> = there.into_iter().filter(is_new).collect();
            members.extend(new);
            if is_last {
                break;
            }
        }
    }
    Ok(if members.is_empty() { Member::Nothing } else { Member::Of(members, reasons) })
}

/// Returns the members that a type itself defines under a name. Members that its outline omits are taken from
/// `found`.
async fn members_of(
    asking: &QueryContext,
    of: &Candidate,
    name: &str,
    found: &[Candidate],
) -> Result<Vec<Candidate>, Problem> {
    let nodes = asking.outline(&of.path).await?;
    let any = Name::any();
    let all = outline::all(&nodes);
    let is_member = |it: &&outline::NestedNode<'_>| {
        plain(&it.node.name) == name && it.around.last().is_some_and(|it| it.name_at == of.name_at)
    };
    let mut members: Vec<_> = all.iter().filter(is_member).map(|it| of_node(&of.path, it, &any)).collect();
    let is_unlisted = |it: &&Candidate| {
        it.path == of.path && of.whole.holds(it.name_at.start) && it.container.as_ref() == Some(&of.name)
    };
    let unlisted = found.iter().filter(is_unlisted).map(|it| Candidate { fit: Fit::Exact, ..it.clone() });
    for candidate in unlisted {
        if !members.iter().any(|it| place(it) == place(&candidate)) {
            members.push(candidate);
        }
    }
    Ok(crate::fallback::operations::corrections::overloads::wholes(asking, members).await.0)
}
