//! Callers and callees: the calls that the server leaves out, and callers from the references, for servers
//! without a call hierarchy.

use std::collections::BTreeMap;
use std::path::Path;

use ide_protocol::{Operation, Point, Reason, ReferencesQuestion, Target};

use super::items::{Neighbour, Node, add};
use super::walk::Walk;
use crate::fallback::operations::corrections::correction::{Context, Query, Uses};
use crate::fallback::operations::corrections::operator_calls;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::operations::references::uses_of;
use crate::fallback::operations::{corrections, references, unexpanded};
use crate::fallback::session::query_context::{Problem, file_syntax};
use crate::fallback::source::names::Name;
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::{Candidate, of_node};
use crate::fallback::syntactic::syntax_facts;
use crate::fallback::workspace::format_places::{NAMED, places};

impl Walk<'_> {
    /// Compares the callers with the references and adds the calls that the server omits, with the reasons for
    /// additions and doubtful calls.
    pub(super) async fn unlisted_callers(
        &mut self,
        subject: &Subject,
        callee: Option<&Candidate>,
        depth: u32,
    ) -> Result<(), Problem> {
        let (asking, roots, name) = (self.asking, self.roots, &subject.name);
        let context = Context { asking, roots, operation: Operation::Callers };
        let query = Query { context, subject, include_declaration: false };
        let mut uses = uses_of(context, subject).await?;
        let Uses { extents, apart, other_programs, .. } = &mut uses;
        extents.retain(|it| !apart.uses.contains(it));
        let spelled: Vec<_> = other_programs.iter().map(|it| roots.display_path(it)).collect();
        self.links.retain(|link| {
            link.at.is_empty()
                || !link.at.iter().all(|it| spelled.contains(&it.path))
                || link.to.name != *name
        });
        // Some servers return the start of the expression instead of the name, so calls are matched by line.
        let mut known: BTreeMap<_, usize> = BTreeMap::new();
        for (path, extent) in &self.calls.of_root {
            *known.entry((path, extent.start.line)).or_default() += 1;
        }
        let is_operator = operator_calls::is_operator(asking.server.setup.language, name);
        let is_call = |it: &syntax_facts::Usage| it.is_call() || is_operator && it.role == "read";
        let mut unlisted = file_syntax::with_usage(asking, roots, &uses.extents, is_call).await;
        unlisted.retain(|(path, extent)| match known.get_mut(&(path, extent.start.line)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            _ => true,
        });
        let mut callers: Vec<Neighbour> = Vec::new();
        let mut nobody = Vec::new();
        for place @ (path, extent) in unlisted {
            match (callee, self.around(path, extent.start).await?) {
                (Some(_), Some(caller)) => add(&mut callers, caller, place.clone()),
                _ => nobody.push(place),
            }
        }
        self.note_added(&callers, depth);
        for (caller, places) in callers {
            if let Some(callee) = callee {
                self.link(callee, &caller.candidate, &places).await;
            }
        }
        if !nobody.is_empty() {
            let (server, name, count) = (asking.server.name().to_owned(), name.clone(), nobody.len());
            let places = places(roots, nobody, NAMED);
            self.reasons.push(Reason::CallsLeftOut { server, count, name, places });
        }
        self.reasons.append(&mut uses.reasons);
        self.reasons.extend(corrections::gaps(&query, &uses.home).await?);
        // Of the callers' callers, none was judged.
        self.reasons.extend(match depth {
            1 => unexpanded::doubt(&query, &uses).await?,
            _ => asking.unknown.clone(),
        });
        self.reasons.extend(references::doubts(&query, &uses).await?);
        Ok(())
    }

    /// Adds the calls in these functions that the server omits, with the reason.
    pub(super) async fn unlisted_callees(
        &mut self,
        callers: &[Candidate],
        depth: u32,
    ) -> Result<(), Problem> {
        let mut added: Vec<Neighbour> = Vec::new();
        for caller in callers {
            let mut callees: Vec<Neighbour> = Vec::new();
            for (candidate, place) in
                corrections::unlisted_calls(&self.context(), caller, &self.calls.of_root).await?
            {
                add(&mut callees, Node { candidate, items: Vec::new() }, place);
            }
            for (callee, places) in &callees {
                self.link(caller, &callee.candidate, places).await;
            }
            added.extend(callees);
        }
        self.note_added(&added, depth);
        Ok(())
    }

    /// Notes the added calls. At depths above 1 they are a gap, since the added symbols are not followed.
    fn note_added(&mut self, calls: &[Neighbour], depth: u32) {
        let places = places(self.roots, calls.iter().flat_map(|(_, places)| places), NAMED);
        let server = self.asking.server.name().to_owned();
        if !calls.is_empty() {
            self.reasons.push(match depth {
                1 => Reason::CallsFound { server, places },
                _ => Reason::CallsNotFollowed { server, places },
            });
        }
    }

    /// Returns the function that encloses a position.
    pub(super) async fn around(&self, path: &Path, point: Point) -> Result<Option<Node>, Problem> {
        let nodes = self.asking.outline(path).await?;
        let any = Name::any();
        let all = outline::all(&nodes);
        let around = outline::function_around(&all, point);
        Ok(around.map(|it| Node { candidate: of_node(path, it, &any), items: Vec::new() }))
    }

    /// Returns the functions that contain the uses of a symbol.
    pub(super) async fn users(&self, of: &Candidate) -> Result<Vec<Neighbour>, Problem> {
        let spelled = self.roots.place(of.path.clone()).spelling;
        let at = ide_protocol::Location {
            path: spelled,
            line: of.name_at.start.line,
            column: Some(of.name_at.start.column),
        };
        let request = ReferencesQuestion {
            target: Target { name: Some(of.name.clone()), at: Some(at) },
            include_declaration: false,
        };
        let uses = references::references(self.asking, self.roots, &request).await?;
        let mut found: Vec<Neighbour> = Vec::new();
        for used in uses.references {
            let path = match self.roots.resolve(&used.path) {
                Ok(place) => place.path,
                // The file may not be read; a note covers that.
                Err(_) if used.external => continue,
                Err(error) => return Err(error.into()),
            };
            let extent = Extent { start: used.start, end: used.end };
            // A use outside any function has no caller.
            let Some(user) = self.around(&path, used.start).await? else { continue };
            add(&mut found, user, (path, extent));
        }
        Ok(found)
    }
}
