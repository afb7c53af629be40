//! Members that a type has from another one: `Sub.width` where `Base` defines `width`.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;

use ide_protocol::Point;

use super::by_name::by_name;
use super::supertypes;
use crate::fallback::session::query_context::{Asking, Problem};
use crate::fallback::source::names::{Fit, Name};
use crate::fallback::source::outline;
use crate::fallback::syntactic::candidate::{Candidate, of_node, plain};
use crate::fallback::workspace::session_folders::SessionFolders;

/// How many types are looked at.
const TYPES: usize = 64;

/// What a type has of a name.
#[derive(Debug)]
pub(super) enum Member {
    /// These, and what to say of that.
    Of(Vec<Candidate>, Vec<String>),
    /// Nothing: neither the type, nor what it extends as far as that is known.
    Nothing,
    /// What the name is qualified by is no type that is known.
    NoType,
}

/// Where each type stands, with the places of those that it extends, in their order.
type Bases = BTreeMap<Place, (Candidate, Vec<Place>)>;

type Place = (PathBuf, Point);

/// Looks for a member that the type by which the name is qualified does not define itself. `found` has all of its last
/// name.
pub(super) async fn member(
    asking: &Asking,
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
    let (mut members, mut notes): (Vec<Candidate>, Vec<String>) = (Vec::new(), answer.notes);
    for of in types {
        let own = place(&of);
        let bases = bases(asking, of).await?;
        for place in in_order(&bases, &own) {
            let Some((base, _)) = bases.get(&place) else { continue };
            let there = members_of(asking, base, &name.last, found).await?;
            // A trait hides nothing of another one.
            let is_last = !there.is_empty() && asking.server.setup.language.id != "rust";
            let note = format!("`{}` is inherited from `{}`", name.last, base.name);
            if place != own && !there.is_empty() && !notes.contains(&note) {
                notes.push(note);
            }
            let is_new = |it: &Candidate| !members.iter().any(|other| self::place(other) == self::place(it));
            let new: Vec<_> = there.into_iter().filter(is_new).collect();
            members.extend(new);
            if is_last {
                break;
            }
        }
    }
    Ok(if members.is_empty() { Member::Nothing } else { Member::Of(members, notes) })
}

/// What a type extends, those that these extend included, in the order in which a member is looked for.
pub(super) async fn above(asking: &Asking, of: Candidate) -> Result<Vec<Candidate>, Problem> {
    let own = place(&of);
    let bases = bases(asking, of).await?;
    let places = in_order(&bases, &own).into_iter().filter(|it| *it != own);
    Ok(places.filter_map(|it| bases.get(&it)).map(|(base, _)| base.clone()).collect())
}

/// Whether a type extends another one.
pub(super) async fn extends(asking: &Asking, of: Candidate, other: &Candidate) -> Result<bool, Problem> {
    Ok(above(asking, of).await?.iter().any(|it| place(it) == place(other)))
}

/// The type with all that it extends.
async fn bases(asking: &Asking, of: Candidate) -> Result<Bases, Problem> {
    let (mut bases, mut left) = (Bases::new(), VecDeque::from([of]));
    while let Some(next) = left.pop_front() {
        if bases.contains_key(&place(&next)) || bases.len() == TYPES {
            continue;
        }
        let named = supertypes::named(asking, &next).await?;
        bases.insert(place(&next), (next, named.iter().map(place).collect()));
        left.extend(named);
    }
    Ok(bases)
}

/// The order in which a member is looked for: each type before those that it extends, which come in their order; one
/// that several extend comes after all of them.
fn in_order(bases: &Bases, of: &Place) -> Vec<Place> {
    let (mut order, mut left) = (Vec::new(), vec![of.clone()]);
    // Where types extend each other in a circle there would be no end.
    while let Some(next) = left.pop()
        && order.len() < TYPES * TYPES
    {
        let named = bases.get(&next).map(|(_, named)| named.as_slice()).unwrap_or_default();
        left.extend(named.iter().rev().cloned());
        order.push(next);
    }
    let is_last = |at: &usize| !order[at + 1..].contains(&order[*at]);
    (0..order.len()).filter(is_last).map(|at| order[at].clone()).collect()
}

/// What a type defines itself under a name; what an outline does not list is among what was found.
async fn members_of(
    asking: &Asking,
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
    Ok(super::overloads::wholes(asking, members).await.0)
}

fn place(candidate: &Candidate) -> Place {
    (candidate.path.clone(), candidate.name_at.start)
}

#[cfg(test)]
mod tests {
    use ide_protocol::{Column, Line};

    use super::*;
    use crate::fallback::source::outline::Extent;

    #[test]
    fn types_come_before_what_they_extend() {
        let place =
            |line: usize| (PathBuf::from("a"), Point { line: Line::from_index(line), column: Column::FIRST });
        let candidate = |line: usize| {
            let extent = Extent::at(place(line).1);
            let (path, name, kind) = ("a".into(), line.to_string(), "class".to_owned());
            let (whole, name_at, container, fit) = (extent, extent, None, Fit::Exact);
            Candidate { path, name, kind, whole, name_at, container, fit, is_local: false, loaded: true }
        };
        let order = |bases: &[(usize, &[usize])]| {
            let all = bases.iter().map(|(it, named)| {
                (place(*it), (candidate(*it), named.iter().map(|it| place(*it)).collect()))
            });
            let order = in_order(&all.collect(), &place(0));
            order.iter().map(|it| it.1.line.index()).collect::<Vec<_>>()
        };
        assert_eq!(order(&[(0, &[1, 2]), (1, &[3]), (2, &[]), (3, &[])]), [0, 1, 3, 2]);
        assert_eq!(order(&[(0, &[1, 2]), (1, &[3]), (2, &[3]), (3, &[])]), [0, 1, 2, 3]);
        assert_eq!(order(&[(0, &[1]), (1, &[0])]).len(), 2);
    }
}
