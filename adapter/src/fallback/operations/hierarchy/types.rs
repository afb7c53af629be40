//! Supertypes and subtypes: what the server leaves out, and both for servers without a type hierarchy:
//! subtypes from implementations, supertypes from the head of the definition.

use std::collections::BTreeSet;

use ide_protocol::{Listing, Navigation, Operation, Reason};

use super::items::{Neighbour, Node, identity, subject_of};
use super::walk::Walk;
use crate::fallback::operations::corrections::correction::{Context, Query};
use crate::fallback::operations::corrections::unlisted_subtypes::type_around;
use crate::fallback::operations::lookup::candidates::name_impl;
use crate::fallback::operations::lookup::leads::there;
use crate::fallback::operations::lookup::supertypes;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::operations::navigation::{mentioned_only, structural};
use crate::fallback::operations::references::uses_of;
use crate::fallback::operations::unexpanded;
use crate::fallback::session::query_context::{Problem, file_syntax};
use crate::fallback::source::languages::{Language, SupertypeRule};
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::Candidate;
use crate::fallback::workspace::format_places::{NAMED, places};

/// Returns `true` if the heads of these types name all of their supertypes. In Rust other code adds some.
pub(super) fn is_named_in_head(language: &Language, asked: &[Candidate]) -> bool {
    language.supertypes == SupertypeRule::HeadAlone
        && asked.iter().all(|it| matches!(it.kind.as_str(), "class" | "interface"))
}

impl Walk<'_> {
    /// Notes the types outside of the workspace whose supertypes are left out.
    pub(super) fn note_outside_types(&mut self) {
        if !self.types.outside.is_empty() {
            let names = Listing::of(self.types.outside.iter().cloned(), NAMED);
            self.reasons.push(Reason::OutsideTypes { names });
        }
    }

    /// Notes the subtypes that neither server nor text shows: structural ones, and those that only macros
    /// make.
    pub(super) async fn note_hidden_subtypes(
        &mut self,
        subject: &Subject,
        depth: u32,
    ) -> Result<(), Problem> {
        self.reasons.extend(structural(self.asking, subject).await);
        let unexpanded = self.unexpanded_subtypes(subject, depth).await?;
        self.reasons.extend(unexpanded);
        Ok(())
    }

    /// Returns the remark on the neighbours that are related to the root through another one.
    pub(super) fn indirect(&self, depth: u32) -> Option<Reason> {
        let names = Listing::of(self.types.indirect.iter().cloned(), NAMED);
        (depth == 1 && !names.is_empty()).then_some(Reason::Indirect { names })
    }

    /// Adds the types whose heads name this one, where the server does not list them as implementations.
    pub(super) async fn with_extending(
        &mut self,
        of: &Node,
        mut found: Vec<Neighbour>,
    ) -> Result<Vec<Neighbour>, Problem> {
        let (asking, roots) = (self.asking, self.roots);
        let uses = uses_of(self.as_implementations(), &subject_of(&of.candidate)).await?;
        let heads = file_syntax::with_role(asking, &uses.extents, "implementation").await;
        let (mut direct, mut nameless) = (BTreeSet::new(), Vec::new());
        for place @ (path, extent) in heads {
            let is_there = |it: &Candidate| {
                it.path == *path
                    && (it.whole.holds(extent.start) || it.name_at.start.line == extent.start.line)
            };
            match found.iter().find(|(it, _)| is_there(&it.candidate)) {
                Some((it, _)) => drop(direct.insert(identity(&it.candidate))),
                None => match type_around(asking, path, extent.start).await? {
                    Some(it) if identity(&it) == identity(&of.candidate) => {}
                    Some(candidate) => {
                        direct.insert(identity(&candidate));
                        found.push((Node { candidate, items: Vec::new() }, Vec::new()));
                    }
                    None => nameless.push(place),
                },
            }
        }
        if !nameless.is_empty() {
            let (server, name) = (asking.server.name().to_owned(), of.candidate.name.clone());
            let places = places(roots, nameless, NAMED);
            self.reasons.push(Reason::ImplementationsNotListed { server, name, places });
        }
        if self.links.is_empty() && asking.server.setup.language.supertypes == SupertypeRule::HeadAlone {
            let others = found.iter().filter(|(it, _)| !direct.contains(&identity(&it.candidate)));
            self.types.indirect.extend(others.map(|(it, _)| it.candidate.name.clone()));
        }
        Ok(found)
    }

    /// Notes the names in the head of a type that lead to no type, where heads name all supertypes.
    pub(super) async fn with_unfollowed(
        &mut self,
        of: &Node,
        found: Vec<Neighbour>,
    ) -> Result<Vec<Neighbour>, Problem> {
        let (asking, of) = (self.asking, &of.candidate);
        if is_named_in_head(asking.server.setup.language, std::slice::from_ref(of)) {
            let left = supertypes::unfollowed(asking, of).await?;
            let left: Vec<_> = left.into_iter().map(|(path, point)| (path, Extent::at(point))).collect();
            if !left.is_empty() {
                let places = places(self.roots, &left, NAMED);
                self.reasons.push(Reason::NamelessBase { name: of.name.clone(), places });
            }
        }
        Ok(found)
    }

    /// Returns the reason why subtypes may be missing that only macros make.
    pub(super) async fn unexpanded_subtypes(
        &self,
        subject: &Subject,
        depth: u32,
    ) -> Result<Option<Reason>, Problem> {
        if self.asking.unknown.is_none() || depth > 1 {
            return Ok(self.asking.unknown.clone());
        }
        let context = self.as_implementations();
        let uses = uses_of(context, subject).await?;
        unexpanded::doubt(&Query { context, subject, include_declaration: false }, &uses).await
    }

    pub(super) fn as_implementations(&self) -> Context<'_> {
        Context { operation: Operation::Implementations, ..self.context() }
    }

    pub(super) async fn implementors(&self, of: &Candidate) -> Result<Vec<Neighbour>, Problem> {
        let targets = self.asking.goto(Navigation::Implementations, &of.path, of.name_at.start).await?;
        let mut found = Vec::new();
        for target in targets {
            found.extend(
                there(self.asking, &target, Some(&of.name)).await?.filter(|it| identity(it) != identity(of)),
            );
        }
        mentioned_only(self.asking, self.roots, &mut found).await;
        found.iter_mut().for_each(name_impl);
        Ok(found.into_iter().map(|candidate| (Node { candidate, items: Vec::new() }, Vec::new())).collect())
    }

    pub(super) async fn named(&self, of: &Candidate) -> Result<Vec<Neighbour>, Problem> {
        let types = supertypes::named(self.asking, of).await?;
        Ok(types.into_iter().map(|candidate| (Node { candidate, items: Vec::new() }, Vec::new())).collect())
    }
}
