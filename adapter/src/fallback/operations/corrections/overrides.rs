//! Uses of overriding and overridden methods, which the servers of TypeScript and C++ mix with those of one
//! method.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use futures::future::try_join_all;
use ide_protocol::{Hierarchy, Operation, Point};

use super::correction::{Context, Correction, MixedUses, Query, Related, Scope, Uses};
use crate::fallback::operations::lookup::mentions::{declared, extents};
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::languages::ids;
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::{Candidate, plain};

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope =
    Scope { id: "overrides", languages: &[ids::TYPESCRIPT, ids::C], ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::References, Operation::Callers, Operation::Implementations],
    why: "tsc 7.0 and clangd 22.1 mix the references to a method with those to the methods that it \
          overrides and that override it",
    uses: Some(|query, uses| Box::pin(correct(query, uses))),
    related: Some(|context, related| Box::pin(correct_related(context, related))),
    ..Correction::NONE
};

/// Finds the uses of overriding and overridden methods, and removes their declarations.
async fn correct(query: &Query<'_>, uses: &mut Uses) -> Result<(), Problem> {
    let (asking, subject) = (query.asking(), query.subject);
    let relatives = Relatives::of(asking, &subject.path, subject.point).await?;
    uses.apart = relatives.apart(asking, &uses.extents).await?;
    if !query.include_declaration {
        uses.extents.retain(|(path, it)| !relatives.has(path, it.start));
    }
    if query.context.operation == Operation::References {
        uses.reasons.extend(uses.apart.remarks(asking, query.roots(), false));
    }
    Ok(())
}

/// Finds the calls of overriding and overridden methods.
async fn correct_related(context: &Context<'_>, related: &mut Related) -> Result<(), Problem> {
    if related.way == Hierarchy::Callers {
        let Candidate { path, name_at, .. } = &related.of;
        let relatives = Relatives::of(context.asking, path, name_at.start).await?;
        let places = related.listed.iter().flat_map(|(_, places)| places);
        related.apart = relatives.apart(context.asking, places).await?;
    }
    Ok(())
}

/// The maximum number of uses that are resolved.
const ASKED: usize = 1000;

/// The number of requests at the same time.
const AT_ONCE: usize = 8;

/// The overriding and overridden members that a server mixes with one member, by the positions of their
/// names.
pub(crate) struct Relatives(BTreeMap<(PathBuf, Point), String>);

impl Relatives {
    /// Finds the relatives of the member whose name is at `point`.
    pub(crate) async fn of(asking: &QueryContext, path: &Path, point: Point) -> Result<Self, Problem> {
        let mut relatives = BTreeMap::new();
        let language = asking.server.setup.language;
        if !SCOPE.applies(asking) {
            return Ok(Self(relatives));
        }
        let Some((own, own_name)) = owner(asking, path, point).await? else { return Ok(Self(relatives)) };
        for (other, extent) in declarations(asking, path, point).await? {
            let Some((owner, name)) = owner(asking, &other, extent.start).await? else { continue };
            // A method defined outside of its class is not nested in it, so compare the qualified names.
            let is_own = match language.declares_apart {
                true => name == own_name,
                false => (other.as_path(), owner) == (path, own),
            };
            if !is_own {
                relatives.insert((other, extent.start), name);
            }
        }
        // An interface may be written in several pieces.
        for place in asking.places(path, point).await? {
            relatives.remove(&place);
        }
        Ok(Self(relatives))
    }

    /// Returns the uses that resolve to relatives alone.
    pub(crate) async fn apart(
        &self,
        asking: &QueryContext,
        uses: impl IntoIterator<Item = &(PathBuf, Extent)>,
    ) -> Result<MixedUses, Problem> {
        let mut apart = MixedUses::default();
        if self.0.is_empty() {
            return Ok(apart);
        }
        let uses: Vec<_> = uses.into_iter().filter(|(path, it)| !self.has(path, it.start)).collect();
        if uses.len() > ASKED {
            apart.mixed = self.0.values().cloned().collect();
            return Ok(apart);
        }
        for some in uses.chunks(AT_ONCE) {
            let led = try_join_all(some.iter().map(|(path, it)| self.led(asking, path, it.start))).await?;
            for (place, names) in some.iter().zip(led).filter(|(_, names)| !names.is_empty()) {
                apart.uses.insert((*place).clone());
                apart.names.extend(names);
            }
        }
        Ok(apart)
    }

    /// Returns `true` if a relative has its name at `point`.
    pub(crate) fn has(&self, path: &Path, point: Point) -> bool {
        self.0.contains_key(&(path.to_owned(), point))
    }

    /// Returns the relatives that the name resolves to; empty if it also resolves to anything other than a
    /// relative.
    async fn led(&self, asking: &QueryContext, path: &Path, point: Point) -> Result<Vec<String>, Problem> {
        let mut names = Vec::new();
        for target in asking.definition(path, point).await?.iter() {
            let extent = asking.extent(&target.name).await.ok_or(Problem::FilesChanged)?;
            match self.0.get(&(target.name.path.clone(), extent.start)) {
                Some(name) => names.push(name.clone()),
                None => return Ok(Vec::new()),
            }
        }
        Ok(names)
    }
}

/// Returns the places that the server lists as declarations of the symbol. Some servers list them as
/// references.
async fn declarations(
    asking: &QueryContext,
    path: &Path,
    point: Point,
) -> Result<BTreeSet<(PathBuf, Extent)>, Problem> {
    if !asking.server.setup.language.declares_apart {
        return declared(asking, path, point).await;
    }
    let all = asking.references(path, point, true).await?.unwrap_or_default();
    extents(asking, &all).await
}

/// Returns the position of the owning type's name, and the member's qualified name. For a method defined
/// outside of its type, the position is that of the method's own name.
async fn owner(asking: &QueryContext, path: &Path, point: Point) -> Result<Option<(Point, String)>, Problem> {
    let nodes = asking.outline(path).await?;
    let Some(member) = outline::named_at(&nodes, point) else { return Ok(None) };
    let owner = member.around.last().filter(|it| matches!(it.kind, "class" | "interface" | "struct"));
    let separator = asking.server.setup.language.separator;
    let named = |owner: &str| format!("{owner}{separator}{}", plain(&member.node.name));
    let apart = member.node.owner.as_deref().map(|it| it.rsplit(separator).next().unwrap_or(it));
    let apart = apart.map(|it| (member.node.name_at.start, named(it)));
    Ok(owner.map(|it| (it.name_at.start, named(&it.name))).or(apart))
}
