//! Uses of methods that override, implement or are overridden by the one in question, and may run it: calls
//! through a trait, or on a subclass. They are named beside the answer.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use ide_protocol::{Navigation, Operation, Point, Reason};

use super::correction::{Correction, Place, Query, Scope, Uses};
use super::redeclared_members::class_around;
use super::unlisted_references::is_value_of_type;
use crate::fallback::operations::lookup::supertypes;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::languages::ids;
use crate::fallback::source::outline;
use crate::fallback::workspace::format_places::{NAMED, places};

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope =
    Scope { id: "overridden-members", languages: &[ids::PYTHON, ids::RUST], ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::References, Operation::Callers],
    why: "rust-analyzer, ty 0.0.105 and basedpyright 1.40 leave calls through a trait or a base class out of the \
          uses of a method, and those on a subclass that overrides it",
    uses: Some(|query, uses| Box::pin(correct(query, uses))),
    ..Correction::NONE
};

/// The relation of another member to the one in question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Relation {
    /// A call of it may run this one.
    Above,
    /// It replaces this one.
    Below,
}

/// Names the uses of related members among those that lead elsewhere.
async fn correct(query: &Query<'_>, uses: &mut Uses) -> Result<(), Problem> {
    let (asking, roots) = (query.asking(), query.roots());
    if uses.missed.elsewhere.is_empty() || is_value_of_type(asking, query.subject).await? {
        return Ok(());
    }
    let mut known: BTreeMap<&(PathBuf, Point), Option<(Relation, String)>> = BTreeMap::new();
    let mut related: BTreeMap<(Relation, String), BTreeSet<Place>> = BTreeMap::new();
    for led in &uses.missed.elsewhere {
        for to in &led.to {
            if !known.contains_key(to) {
                known.insert(to, relation(query, uses, to).await?);
            }
            if let Some(Some(member)) = known.get(to) {
                related.entry(member.clone()).or_default().insert(led.from.clone());
            }
        }
    }
    for ((relation, name), from) in related {
        let from = file_syntax::with_usage(asking, roots, &from, |it| it.role != "definition").await;
        let from: Vec<_> = from.into_iter().filter(|it| !uses.extents.contains(it)).cloned().collect();
        if from.is_empty() {
            continue;
        }
        let (member, places, is_cut) = (name, places(roots, &from, NAMED), uses.missed.is_cut);
        uses.reasons.push(match relation {
            Relation::Above => Reason::UsesOfOverridden { member, places, is_cut },
            Relation::Below => Reason::UsesOfOverriding { member, places, is_cut },
        });
        uses.noted.extend(from);
    }
    Ok(())
}

/// Returns the relation of the member at a position to the one in question, and its name; `None` if there is none.
async fn relation(
    query: &Query<'_>,
    uses: &Uses,
    to: &(PathBuf, Point),
) -> Result<Option<(Relation, String)>, Problem> {
    let (asking, subject) = (query.asking(), query.subject);
    let nodes = asking.outline(&to.0).await?;
    let Some(member) = outline::named_at(&nodes, to.1) else { return Ok(None) };
    let Some(around) = member.around.last() else { return Ok(None) };
    let owner =
        if around.kind == outline::IMPL { outline::type_of_impl(&around.name) } else { around.name.clone() };
    let language = asking.server.setup.language;
    let name = format!("{owner}{}{}", language.separator, subject.name);
    let relation = match language.id {
        ids::RUST => in_rust(query, uses, to).await?,
        _ if around.kind == "class" => in_python(asking, query, to).await?,
        _ => None,
    };
    Ok(relation.map(|it| (it, name)))
}

/// Follows a method of an `impl` to that of its trait.
async fn in_rust(query: &Query<'_>, uses: &Uses, to: &(PathBuf, Point)) -> Result<Option<Relation>, Problem> {
    let (asking, subject) = (query.asking(), query.subject);
    if declared(asking, &(subject.path.clone(), subject.point)).await?.contains(to) {
        return Ok(Some(Relation::Above));
    }
    let above = declared(asking, to).await?;
    Ok(above.iter().any(|it| uses.home.contains(it)).then_some(Relation::Below))
}

/// Returns the member of a trait that the one at a position implements.
async fn declared(
    asking: &QueryContext,
    (path, point): &(PathBuf, Point),
) -> Result<BTreeSet<(PathBuf, Point)>, Problem> {
    let mut found = BTreeSet::new();
    for target in asking.goto(Navigation::Declarations, path, *point).await? {
        let at = asking.extent(&target.name).await.ok_or(Problem::FilesChanged)?;
        found.insert((target.name.path, at.start));
    }
    Ok(found)
}

async fn in_python(
    asking: &QueryContext,
    query: &Query<'_>,
    to: &(PathBuf, Point),
) -> Result<Option<Relation>, Problem> {
    let own = class_around(asking, &query.subject.path, query.subject.point).await?;
    let (Some(own), Some(other)) = (own, class_around(asking, &to.0, to.1).await?) else { return Ok(None) };
    if supertypes::extends(asking, own.clone(), &other).await? {
        return Ok(Some(Relation::Above));
    }
    Ok(supertypes::extends(asking, other, &own).await?.then_some(Relation::Below))
}
