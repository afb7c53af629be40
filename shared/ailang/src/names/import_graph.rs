//! The graph of imports between documents, and its cycles.

use crate::documents::Documents;
use crate::module::{Module, resolve};

/// The imports of all documents.
#[derive(Debug)]
pub(crate) struct ImportGraph {
    /// The imported documents of each document, by index.
    pub(crate) targets: Vec<Vec<usize>>,
    /// `true` for documents in a cycle or between two cycles. A search for a cycle can skip all others.
    pub(crate) is_circular: Vec<bool>,
}

impl ImportGraph {
    pub(crate) fn new(documents: &Documents) -> Self {
        let targets: Vec<Vec<usize>> = documents
            .iter()
            .map(|(path, document)| {
                let modules = document.imports().map(|import| resolve(documents, path, &import.module));
                let documents = modules.filter_map(|module| match module {
                    Module::Document(index) => Some(index),
                    _ => None,
                });
                documents.collect()
            })
            .collect();
        let is_circular = circular(&targets);
        Self { targets, is_circular }
    }
}

/// Removes nodes without outgoing edges, and then those without incoming ones; returns `true` for the rest.
///
/// The rest is in a cycle or between two.
pub(crate) fn circular(targets: &[Vec<usize>]) -> Vec<bool> {
    let mut stays = vec![true; targets.len()];
    let sources = reversed(targets);
    take_away_ends(targets, &sources, &mut stays);
    take_away_ends(&sources, targets, &mut stays);
    stays
}

/// Removes nodes without an edge to a remaining node, until there are none.
fn take_away_ends(edges: &[Vec<usize>], back: &[Vec<usize>], stays: &mut [bool]) {
    let to_staying = |to: &Vec<usize>| to.iter().filter(|at| stays[**at]).count();
    let mut left: Vec<usize> = edges.iter().map(to_staying).collect();
    let mut ends: Vec<usize> = (0..edges.len()).filter(|at| stays[*at] && left[*at] == 0).collect();
    while let Some(end) = ends.pop() {
        stays[end] = false;
        for &from in &back[end] {
            left[from] -= 1;
            if left[from] == 0 && stays[from] {
                ends.push(from);
            }
        }
    }
}

fn reversed(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut reversed = vec![Vec::new(); edges.len()];
    for (from, to) in edges.iter().enumerate() {
        for at in to {
            reversed[*at].push(from);
        }
    }
    reversed
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns `true` for each node that is reachable from `from`.
    fn reached(targets: &[Vec<usize>], from: usize) -> Vec<bool> {
        let mut seen = vec![false; targets.len()];
        let mut pending = targets[from].clone();
        while let Some(at) = pending.pop() {
            if !seen[at] {
                seen[at] = true;
                pending.extend(&targets[at]);
            }
        }
        seen
    }

    proptest! {
        /// A node remains if it is reachable from a cycle and reaches one.
        #[test]
        fn what_is_in_no_circle_and_between_none_goes(
            edges in prop::collection::vec((0_usize..12, 0_usize..12), 0..20),
        ) {
            let mut targets = vec![Vec::new(); 12];
            for (from, to) in edges {
                targets[from].push(to);
            }
            let reached: Vec<_> = (0..12).map(|from| reached(&targets, from)).collect();
            let is_in_circle = |at: usize| reached[at][at];
            for (at, stays) in circular(&targets).into_iter().enumerate() {
                let leads = (0..12).any(|it| is_in_circle(it) && (it == at || reached[at][it]));
                let is_led = (0..12).any(|it| is_in_circle(it) && (it == at || reached[it][at]));
                prop_assert_eq!(stays, leads && is_led, "{} of {:?}", at, targets);
            }
        }
    }
}
