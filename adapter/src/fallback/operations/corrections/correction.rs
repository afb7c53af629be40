//! The interface of a correction, and the answers that corrections work on.

use std::collections::BTreeSet;
use std::path::PathBuf;

use futures::future::BoxFuture;
use ide_protocol::{Hierarchy, Operation, Point, Reason};

use crate::fallback::edits::FileChange;
use crate::fallback::operations::lookup::follow::ResolvedMentions;
use crate::fallback::operations::lookup::mentions::OtherMentions;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::servers::run::convert::workspace_edit::{RawChange, RawStep};
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::languages::ServerProfile;
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::Candidate;
use crate::fallback::workspace::format_places::{NAMED, places};
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::word_scan::MatchingLines;

/// The file and the extent of a name.
pub(crate) type Place = (PathBuf, Extent);

/// The servers and languages that a correction applies to.
#[derive(Clone, Copy)]
pub(crate) struct Scope {
    /// The id of the correction, by which tests disable it.
    pub(crate) id: &'static str,
    /// The ids of the languages whose servers have the weakness; empty for all.
    pub(crate) languages: &'static [&'static str],
    /// `true` for the servers that have the weakness.
    pub(crate) servers: fn(&ServerProfile) -> bool,
}

impl Scope {
    /// Every server.
    pub(crate) const ALL: Self = Self { id: "", languages: &[], servers: |_| true };

    /// Returns `true` if the queried server has the weakness and the correction is not disabled.
    pub(crate) fn applies(&self, asking: &QueryContext) -> bool {
        let setup = &asking.server.setup;
        (self.languages.is_empty() || self.languages.contains(&setup.language.id))
            && (self.servers)(asking.profile())
            && !setup.switched_off.has(self.id)
    }
}

/// A known weakness of language servers, with the hooks that correct it.
///
/// A hook is `None` if the correction has nothing to do at that step. A correction without hooks is called
/// directly by the lookup that needs it, which checks [`Scope::applies`].
#[derive(Clone, Copy)]
pub(crate) struct Correction {
    /// The id, and the servers that have the weakness.
    pub(crate) scope: Scope,
    /// The operations whose answers are wrong or incomplete without it.
    pub(crate) operations: &'static [Operation],
    /// The weakness: the server with its version, and what it leaves out or mistakes.
    pub(crate) why: &'static str,
    /// Adds and removes uses of a symbol.
    pub(crate) uses: Option<UsesHook>,
    /// Adds and removes neighbours of a symbol in a hierarchy.
    pub(crate) related: Option<RelatedHook>,
    /// Finds calls in the body of a function that the server does not list.
    pub(crate) calls: Option<CallsHook>,
    /// Adds and removes edits of a rename.
    pub(crate) edits: Option<EditsHook>,
    /// Finds reasons why the answer about a symbol is incomplete.
    pub(crate) gaps: Option<GapsHook>,
    /// Finds places that keep the old name after a rename, or conflict with the new one.
    pub(crate) renamed: Option<RenamedHook>,
}

pub(crate) type UsesHook = for<'a> fn(&'a Query<'a>, &'a mut Uses) -> HookFuture<'a, ()>;
pub(crate) type RelatedHook = for<'a> fn(&'a Context<'a>, &'a mut Related) -> HookFuture<'a, ()>;
pub(crate) type CallsHook = for<'a> fn(
    &'a Context<'a>,
    &'a Candidate,
    &'a BTreeSet<Place>,
) -> HookFuture<'a, Vec<(Candidate, Place)>>;
pub(crate) type EditsHook = for<'a> fn(&'a Query<'a>, &'a str, &'a mut Edits) -> HookFuture<'a, ()>;
pub(crate) type GapsHook =
    for<'a> fn(&'a Query<'a>, &'a BTreeSet<(PathBuf, Point)>) -> HookFuture<'a, Vec<Reason>>;
pub(crate) type RenamedHook = for<'a> fn(&'a Query<'a>, Renamed<'a>) -> HookFuture<'a, Vec<Reason>>;
pub(crate) type HookFuture<'a, T> = BoxFuture<'a, Result<T, Problem>>;

impl Correction {
    /// A row without hooks.
    pub(crate) const NONE: Self = Self {
        scope: Scope::ALL,
        operations: &[],
        why: "",
        uses: None,
        related: None,
        calls: None,
        edits: None,
        gaps: None,
        renamed: None,
    };

    /// Returns `true` if the correction applies to the server and to the operation.
    pub(crate) fn corrects(&self, context: &Context<'_>) -> bool {
        self.operations.contains(&context.operation) && self.scope.applies(context.asking)
    }
}

/// The server, the workspace and the operation of an answer.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) asking: &'a QueryContext,
    pub(crate) roots: &'a SessionFolders,
    pub(crate) operation: Operation,
}

/// An operation on one symbol.
#[derive(Clone, Copy)]
pub(crate) struct Query<'a> {
    pub(crate) context: Context<'a>,
    pub(crate) subject: &'a Subject,
    /// `true` if the symbol's declarations count as uses.
    pub(crate) include_declaration: bool,
}

impl<'a> Query<'a> {
    pub(crate) fn asking(&self) -> &'a QueryContext {
        self.context.asking
    }

    pub(crate) fn roots(&self) -> &'a SessionFolders {
        self.context.roots
    }
}

/// The uses of a symbol. Corrections refine them from the server's list to the final answer.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    /// The lines of the workspace that hold the symbol's name.
    pub(crate) mentions: MatchingLines,
    pub(crate) extents: BTreeSet<Place>,
    /// The names of the symbol's own definitions.
    pub(crate) home: BTreeSet<(PathBuf, Point)>,
    /// The declarations of the symbol that were removed from the uses.
    pub(crate) declared: BTreeSet<Place>,
    /// The results of resolving the name on lines where the server lists no use.
    pub(crate) missed: ResolvedMentions,
    /// The places behind an import that the server does not resolve.
    pub(crate) unfollowed: BTreeSet<Place>,
    /// The places beside the uses that a remark names.
    pub(crate) noted: BTreeSet<Place>,
    /// The files with a symbol of their own that the server confuses with this one.
    pub(crate) other_programs: BTreeSet<PathBuf>,
    /// The uses of members that this one overrides, or that override it.
    pub(crate) apart: MixedUses,
    /// The same member of a base class, whose uses are still to be added.
    pub(crate) base: Option<BaseMember>,
    /// The reasons why the answer is incomplete or unusual.
    pub(crate) reasons: Vec<Reason>,
}

/// A member of a base class that a class has by inheritance.
#[derive(Debug)]
pub(crate) struct BaseMember {
    /// The class that was asked about.
    pub(crate) own: Candidate,
    /// The topmost class that has the member.
    pub(crate) class: String,
    /// The member there.
    pub(crate) at: Subject,
}

impl Uses {
    /// Returns the lines that mention the name, but hold no use or declaration found so far, and are in no remark.
    pub(crate) fn beyond(&self) -> OtherMentions {
        let known = self.extents.iter().chain(&self.declared).chain(&self.noted);
        OtherMentions::new(&self.mentions, &known.cloned().collect(), &self.home)
    }
}

/// The neighbours of one symbol in a hierarchy: those that the server lists, and those that corrections add.
pub(crate) struct Related {
    pub(crate) of: Candidate,
    pub(crate) way: Hierarchy,
    /// The listed neighbours, each with the places of its calls.
    pub(crate) listed: Vec<(Candidate, Vec<Place>)>,
    /// The neighbours that the server does not list.
    pub(crate) added: Vec<Candidate>,
    /// The calls of overriding or overridden members, which are left out.
    pub(crate) apart: MixedUses,
    /// The reasons why the neighbours are incomplete.
    pub(crate) gaps: Vec<Reason>,
}

impl Related {
    /// The answer of the server before it is corrected.
    pub(crate) fn new(of: Candidate, way: Hierarchy, listed: Vec<(Candidate, Vec<Place>)>) -> Self {
        Self { of, way, listed, added: Vec::new(), apart: MixedUses::default(), gaps: Vec::new() }
    }
}

/// The edits of a rename as the server returns them, before they are planned.
#[derive(Default)]
pub(crate) struct Edits {
    pub(crate) steps: Vec<RawStep>,
    /// The names of the symbol's own definitions.
    pub(crate) home: BTreeSet<(PathBuf, Point)>,
    /// The remarks on edits that were left out and names that stay.
    pub(crate) remarks: Vec<Reason>,
}

/// The places where a rename would leave the old name.
#[derive(Default)]
pub(crate) struct UnrenamedSites {
    /// The places that lead to the symbol, or that the server lists as its uses.
    pub(crate) uses: BTreeSet<(PathBuf, Extent)>,
    /// The places that the server cannot resolve.
    pub(crate) unclear: Vec<(PathBuf, Extent)>,
    /// `true` if there may be more of them.
    pub(crate) is_cut: bool,
    /// The places behind imports that the server does not resolve.
    pub(crate) unfollowed: BTreeSet<(PathBuf, Extent)>,
    /// The assignments in subclasses that would keep the name.
    pub(crate) reassigned: BTreeSet<(PathBuf, Point)>,
}

/// A planned rename.
#[derive(Clone, Copy)]
pub(crate) struct Renamed<'a> {
    pub(crate) new: &'a str,
    pub(crate) files: &'a [FileChange],
    pub(crate) home: &'a BTreeSet<(PathBuf, Point)>,
    pub(crate) left: &'a UnrenamedSites,
}

/// The uses of overriding and overridden members that a server mixes with those of one member.
#[derive(Debug, Default)]
pub(crate) struct MixedUses {
    pub(crate) uses: BTreeSet<(PathBuf, Extent)>,
    pub(crate) names: BTreeSet<String>,
    /// The members whose uses could not all be separated.
    pub(crate) mixed: BTreeSet<String>,
}

impl MixedUses {
    pub(crate) fn add(&mut self, other: Self) {
        self.uses.extend(other.uses);
        self.names.extend(other.names);
        self.mixed.extend(other.mixed);
    }

    /// Returns remarks that list these uses. They are among the answer, or left out of it.
    pub(crate) fn remarks(
        &self,
        asking: &QueryContext,
        roots: &SessionFolders,
        is_left_out: bool,
    ) -> Vec<Reason> {
        let server = || asking.server.name().to_owned();
        let listed = |names: &BTreeSet<String>| names.iter().cloned().collect();
        let apart = (!self.names.is_empty()).then(|| Reason::UsesOfRelatives {
            server: server(),
            names: listed(&self.names),
            is_left_out,
            places: places(roots, &self.uses, NAMED),
        });
        let mixed = (!self.mixed.is_empty())
            .then(|| Reason::MixedUses { server: server(), names: listed(&self.mixed) });
        apart.into_iter().chain(mixed).collect()
    }
}

impl Edits {
    /// Returns the place that each step changes; `None` for a step that changes no text.
    pub(crate) async fn places(&self, asking: &QueryContext) -> Vec<Option<Place>> {
        let mut places = Vec::new();
        for step in &self.steps {
            places.push(place(asking, step).await);
        }
        places
    }
}

/// Returns the place that a step changes; `None` if it changes no text.
pub(crate) async fn place(asking: &QueryContext, step: &RawStep) -> Option<Place> {
    let RawStep::Change(RawChange { at, .. }) = step else { return None };
    Some((at.path.clone(), asking.extent(at).await?))
}
