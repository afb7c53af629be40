//! Uses of a symbol that a server would not rename, mostly in files that it indexes late.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use ide_protocol::{Operation, Point, Reason};

use super::changed_lines::Changed;
use super::correction::{Correction, Query, Scope, UnrenamedSites};
use super::redeclared_members::Reassigned;
use super::unlisted_references::UnclearPlaces;
use super::{false_references, separate_programs, unlisted_references, unresolved_imports};
use crate::fallback::edits::FileChange;
use crate::fallback::operations::lookup::{follow, mentions};
use crate::fallback::session::query_context::{Problem, scan_for};
use crate::fallback::source::outline::Extent;
use crate::fallback::workspace::format_places::{NAMED, places};
use crate::fallback::workspace::word_scan;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "missed-rename-sites", ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::Rename],
    why: "ty, basedpyright, tsc and clangd leave uses out of a rename: those in files that they index late, \
          and those that they find only by resolving the name there",
    renamed: Some(|query, renamed| Box::pin(renamed.left.gaps(query))),
    ..Correction::NONE
};

/// The lines that mention the name of a symbol, whatever it means there.
pub(crate) struct MentionLines<'a> {
    lines: BTreeMap<PathBuf, BTreeSet<usize>>,
    /// `true` if all files were searched.
    pub(crate) is_all: bool,
    home: &'a BTreeSet<(PathBuf, Point)>,
}

impl<'a> MentionLines<'a> {
    /// Searches all files of the language. `home` holds the positions of the names of the symbol's own
    /// definitions.
    pub(crate) async fn of(query: &Query<'_>, home: &'a BTreeSet<(PathBuf, Point)>) -> Self {
        let asking = query.asking();
        if !SCOPE.applies(asking) {
            return Self { lines: BTreeMap::new(), is_all: true, home };
        }
        // A use missed here keeps its old name, so the search does not rely on the index.
        let (roots, name) = (query.roots(), &query.subject.name);
        let mentions = scan_for(asking, roots, name, word_scan::mentions_without_index).await;
        Self { lines: mentions.lines, is_all: mentions.complete, home }
    }

    /// Returns the files with such lines.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.lines.keys()
    }

    /// Returns the places where the name would stay after these changes.
    pub(crate) async fn left_by(
        &self,
        query: &Query<'_>,
        files: &[FileChange],
    ) -> Result<UnrenamedSites, Problem> {
        let (asking, roots, subject) = (query.asking(), query.roots(), query.subject);
        if !SCOPE.applies(asking) {
            return Ok(UnrenamedSites::default());
        }
        let (mut left, changed) = (self.lines.clone(), Changed::by(asking, files));
        for (path, lines) in &mut left {
            lines.retain(|it| !changed.has(path, *it));
        }
        left.retain(|_, lines| !lines.is_empty());
        let missed = follow::uses((asking, roots), &left, self.home, &subject.name).await?;
        let unfollowed = unresolved_imports::uses(asking, (&missed, &subject.name)).await?;
        let reassigned = Reassigned::of(asking, roots, subject, &missed).await?;
        let is_cut = missed.is_cut;
        let own = unlisted_references::leading_to_members(asking, &missed, &subject.name).await?;
        let (mut uses, unclear): (BTreeSet<_>, _) = (missed.uses.into_iter().collect(), missed.unclear);
        uses.extend(own);
        uses.extend(reassigned.uses);
        let listed = asking.references(&subject.path, subject.point, false).await?.unwrap_or_default();
        let listed = mentions::uses_of_name(asking, &listed, &subject.name).await?;
        let others = separate_programs::others(asking, subject, self.home, &listed).await?;
        let mistaken = false_references::uses((asking, roots), subject, self.home, &listed).await?;
        let is_own = |it: &(PathBuf, Extent)| !others.contains(&it.0) && !mistaken.contains(it);
        for (path, extent) in listed.into_iter().filter(is_own) {
            let word = asking.text(&path).await.and_then(|it| it.word(extent));
            if word.as_ref() == Some(&subject.name) && !changed.has(&path, extent.start.line.index()) {
                uses.insert((path, extent));
            }
        }
        // Renaming a variable turns `{ name }` into `{ name: new }`: the property keeps its name, and so does
        // `it.name`.
        let spelled_out = format!("{}: ", subject.name);
        if files.iter().flat_map(|it| &it.changes).any(|it| it.text.starts_with(&spelled_out)) {
            let mut others = BTreeSet::new();
            for (path, extent) in uses {
                if !unlisted_references::is_member(asking, &path, extent).await {
                    others.insert((path, extent));
                }
            }
            uses = others;
        }
        Ok(UnrenamedSites { uses, unclear, is_cut, unfollowed, reassigned: reassigned.at })
    }
}

impl UnrenamedSites {
    /// Returns the reasons that list these places; empty if there are none.
    pub(crate) async fn gaps(&self, query: &Query<'_>) -> Result<Vec<Reason>, Problem> {
        let (asking, roots, subject) = (query.asking(), query.roots(), query.subject);
        let name = &subject.name;
        let places = places(roots, &self.uses, NAMED);
        let stays = (!places.is_empty()).then(|| Reason::KeptUses { name: name.clone(), places });
        let unclear = match asking.server.setup.language.declares_apart {
            // In C and C++ every name resolves once its file and all includes are read.
            true => UnclearPlaces::of(asking, roots, (name, false), (&self.unclear, self.is_cut)).await,
            false => {
                unlisted_references::unclear_calls(asking, roots, subject, (&self.unclear, self.is_cut))
                    .await?
            }
        };
        let unfollowed =
            UnclearPlaces::of(asking, roots, (name, false), (&self.unfollowed, self.is_cut)).await;
        let unclear = unclear.into_iter().chain(unfollowed).map(UnclearPlaces::gap);
        Ok(stays.into_iter().chain(unclear).collect())
    }
}
