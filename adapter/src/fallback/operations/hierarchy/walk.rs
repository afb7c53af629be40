//! A breadth-first walk over a hierarchy.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use ide_protocol::{FileRange, Hierarchy, Link, Operation, Point, Reason};

use super::items::{Neighbour, Node, identity, prepared, taken_for};
use crate::fallback::operations::corrections;
use crate::fallback::operations::corrections::correction::{Context, MixedUses, Related};
use crate::fallback::operations::lookup::candidates::{file_range, write};
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::Candidate;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The maximum number of links in one result.
pub(super) const LINKS: usize = 500;

/// The maximum number of symbols queried.
pub(super) const ASKED: usize = 200;

/// A breadth-first walk.
pub(super) struct Walk<'a> {
    pub(super) asking: &'a QueryContext,
    pub(super) roots: &'a SessionFolders,
    pub(super) way: Hierarchy,
    pub(super) links: Vec<Link>,
    pub(super) reasons: Vec<Reason>,
    /// The symbols visited.
    pub(super) seen: BTreeSet<(PathBuf, Point, String)>,
    /// The findings about calls.
    pub(super) calls: CallFindings,
    /// The findings about types.
    pub(super) types: TypeFindings,
}

/// The calls that a walk over calls has seen.
#[derive(Debug, Default)]
pub(super) struct CallFindings {
    /// The calls of the root.
    pub(super) of_root: BTreeSet<(PathBuf, Extent)>,
    /// The calls of other symbols that the server confuses with these.
    pub(super) apart: MixedUses,
}

/// The types that a walk over types does not follow, or that are no neighbours of its root.
#[derive(Debug, Default)]
pub(super) struct TypeFindings {
    /// The names of the neighbours of the root that are related to it through another one.
    pub(super) indirect: BTreeSet<String>,
    /// The names of dependencies that were not followed although the depth would allow it.
    pub(super) outside: BTreeSet<String>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(asking: &'a QueryContext, roots: &'a SessionFolders, way: Hierarchy) -> Self {
        Self {
            asking,
            roots,
            way,
            links: Vec::new(),
            reasons: Vec::new(),
            seen: BTreeSet::new(),
            calls: CallFindings::default(),
            types: TypeFindings::default(),
        }
    }

    /// Visits the symbols up to `depth`, and links each with its neighbours.
    pub(super) async fn go(&mut self, first: Vec<Node>, depth: u32) -> Result<(), Problem> {
        let mut left: VecDeque<(Node, u32)> = VecDeque::new();
        for step in first {
            self.seen.insert(identity(&step.candidate));
            left.push_back((step, 0));
        }
        let mut asked = 0;
        while let Some((step, level)) = left.pop_front() {
            if asked == ASKED || self.links.len() >= LINKS {
                let unasked = left.len() + 1;
                self.reasons.push(Reason::HierarchyCut { links: self.links.len(), unasked });
                break;
            }
            asked += 1;
            let found = self.next(&step).await?;
            let mut found = self.corrected(&step, found).await?;
            if self.way != Hierarchy::Callers {
                sort(self.roots, &mut found);
            }
            for (other, places) in found {
                self.link(&step.candidate, &other.candidate, &places).await;
                if level == 0 {
                    self.calls.of_root.extend(places);
                }
                if !self.seen.insert(identity(&other.candidate)) || level + 1 == depth {
                    continue;
                }
                if self.follows(&other.candidate.path) {
                    left.push_back((other, level + 1));
                } else {
                    self.types.outside.insert(other.candidate.name.clone());
                }
            }
        }
        self.links.truncate(LINKS);
        Ok(())
    }

    /// Returns true if the neighbours of a symbol there are asked for. A type has few supertypes, also in libraries.
    fn follows(&self, path: &Path) -> bool {
        self.roots.contains(path) || self.way == Hierarchy::Supertypes && self.roots.may_read(path)
    }

    /// Corrects the neighbours that the server lists.
    pub(super) async fn corrected(
        &mut self,
        of: &Node,
        mut found: Vec<Neighbour>,
    ) -> Result<Vec<Neighbour>, Problem> {
        if of.items.is_empty() {
            match self.way {
                Hierarchy::Subtypes => return self.with_extending(of, found).await,
                Hierarchy::Supertypes => return self.with_unfollowed(of, found).await,
                Hierarchy::Callers | Hierarchy::Callees => {}
            }
        }
        let context = self.context();
        let listed = found.iter().map(|(it, places)| (it.candidate.clone(), places.clone())).collect();
        let (of, way) = (of.candidate.clone(), self.way);
        let mut related = Related::new(of, way, listed);
        corrections::correct_related(&context, &mut related).await?;
        let Related { added, apart, gaps, .. } = related;
        for candidate in added {
            let at = (candidate.path.as_path(), candidate.name_at.start);
            let steps = prepared(context.asking, way, at, None).await?;
            let step = steps.into_iter().next().unwrap_or(Node { candidate, items: Vec::new() });
            found.push((step, Vec::new()));
        }
        if way == Hierarchy::Callers {
            found.iter_mut().for_each(|(_, places)| places.retain(|it| !apart.uses.contains(it)));
            found.retain(|(_, places)| !places.is_empty());
        }
        self.calls.apart.add(apart);
        self.reasons.extend(gaps);
        Ok(found)
    }

    pub(super) fn context(&self) -> Context<'_> {
        let operation = match self.way {
            Hierarchy::Callers => Operation::Callers,
            Hierarchy::Callees => Operation::Callees,
            Hierarchy::Supertypes => Operation::Supertypes,
            Hierarchy::Subtypes => Operation::Subtypes,
        };
        Context { asking: self.asking, roots: self.roots, operation }
    }

    pub(super) async fn next(&self, step: &Node) -> Result<Vec<Neighbour>, Problem> {
        if step.items.is_empty() {
            return match self.way {
                Hierarchy::Callers => self.users(&step.candidate).await,
                Hierarchy::Subtypes => self.implementors(&step.candidate).await,
                _ => self.named(&step.candidate).await,
            };
        }
        let mut related = Vec::new();
        for item in &step.items {
            related.extend(self.asking.related(self.way, item).await?);
        }
        let mut found = Vec::new();
        for (item, calls) in related {
            let Some(step) = taken_for(self.asking, item).await? else { continue };
            let mut places = Vec::new();
            for call in calls {
                let extent = self.asking.extent(&call).await.ok_or(Problem::FilesChanged)?;
                let place = (call.path, extent);
                if !places.contains(&place) {
                    places.push(place);
                }
            }
            // Some servers repeat an item for each project that they loaded.
            let known = found.iter_mut().find(|(it, _): &&mut Neighbour| it.is_at(&step));
            match known {
                Some((known, at)) => {
                    known.items.extend(
                        step.items.into_iter().filter(|it| !known.items.contains(it)).collect::<Vec<_>>(),
                    );
                    at.extend(places.into_iter().filter(|it| !at.contains(it)).collect::<Vec<_>>());
                }
                None => found.push((step, places)),
            }
        }
        sort(self.roots, &mut found);
        Ok(found)
    }

    pub(super) async fn link(&mut self, asked: &Candidate, other: &Candidate, places: &[(PathBuf, Extent)]) {
        let (from, to) = if self.way.is_upstream() { (other, asked) } else { (asked, other) };
        let mut at: Vec<FileRange> = Vec::new();
        for (path, extent) in places {
            self.roots.allow_named(path);
            let range = file_range(self.asking, self.roots, path, *extent).await;
            let usages = file_syntax::usages(self.asking, self.roots, path, &[*extent]).await;
            let usage = usages.and_then(|it| it.into_iter().next());
            at.push(usage.map_or_else(|| range.clone(), |it| it.add_to(range.clone())));
        }
        self.roots.allow_named(&other.path);
        let (from, to) =
            (write(self.asking, self.roots, from).await, write(self.asking, self.roots, to).await);
        self.links.push(Link { from, to, at });
    }
}

/// Sorts symbols by path and place, those of the workspace first.
fn sort(roots: &SessionFolders, found: &mut [Neighbour]) {
    found.sort_by_cached_key(|(it, _)| (!roots.contains(&it.candidate.path), identity(&it.candidate)));
}
