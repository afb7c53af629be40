//! Rule 7: imports have no cycles.

use std::collections::{HashMap, VecDeque};

use super::Checker;
use crate::diagnostic::Code;
use crate::module::{Module, resolve};
use crate::syntax::Import;

impl Checker<'_, '_> {
    /// Reports each import that is part of a cycle.
    pub(super) fn cycles(&mut self) {
        let targets: Vec<_> =
            self.document.imports().map(|import| (import.span, self.target(import))).collect();
        for (span, target) in targets {
            let Some(path) = target.and_then(|target| self.way_back(target)) else { continue };
            let names =
                std::iter::once(self.home).chain(path).filter_map(|index| self.table.documents.at(index));
            let names: Vec<&str> = names.map(|(path, _)| path).collect();
            let message = format!("the document imports itself: {}", names.join(" → "));
            self.error(Code::IMPORT_CYCLE, span, message)
                .help("move what both need into a third document; `related` may be mutual");
        }
    }

    fn target(&self, import: &Import) -> Option<usize> {
        let (path, _) = self.table.documents.at(self.home)?;
        match resolve(self.table.documents, path, &import.module) {
            Module::Document(index) => Some(index),
            _ => None,
        }
    }

    /// Returns the shortest path of imports from a document to this one, both included.
    fn way_back(&self, from: usize) -> Option<Vec<usize>> {
        let imports = &self.table.imports;
        let may_lead_back = |at: usize| imports.is_circular[self.home] && imports.is_circular[at];
        let mut before: HashMap<usize, usize> = HashMap::new();
        let mut pending = VecDeque::from_iter(may_lead_back(from).then_some(from));
        while let Some(at) = pending.pop_front() {
            if at == self.home {
                return Some(way(&before, from, at));
            }
            for &target in imports.targets[at].iter().filter(|it| may_lead_back(**it)) {
                if target != from && !before.contains_key(&target) {
                    before.insert(target, at);
                    pending.push_back(target);
                }
            }
        }
        None
    }
}

fn way(before: &HashMap<usize, usize>, from: usize, to: usize) -> Vec<usize> {
    let mut way = vec![to];
    let mut at = to;
    while at != from
        && let Some(previous) = before.get(&at)
    {
        way.push(*previous);
        at = *previous;
    }
    way.reverse();
    way
}
