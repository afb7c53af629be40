//! Which documents import each other, and which of them may import themselves.

use crate::documents::Documents;
use crate::module::{Module, resolve};

/// The imports of all documents.
#[derive(Debug)]
pub(crate) struct Imports {
    /// By the index of each document the documents that it imports.
    pub(crate) targets: Vec<Vec<usize>>,
    /// Whether it stands in a circle, or between two of them: only there it pays to look for a way back.
    pub(crate) is_circular: Vec<bool>,
}

impl Imports {
    pub(crate) fn of(documents: &Documents) -> Self {
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

/// What is left when all that leads nowhere is taken away, and then all to which nothing leads.
fn circular(targets: &[Vec<usize>]) -> Vec<bool> {
    let mut stays = vec![true; targets.len()];
    let sources = reversed(targets);
    take_away_ends(targets, &sources, &mut stays);
    take_away_ends(&sources, targets, &mut stays);
    stays
}

/// Takes away what has no edge to what stays, until there is no more of it.
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
    use super::*;
    use proptest::prelude::*;

    /// Everything to which edges lead from there.
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
        /// It stays if it is reached from a circle, and reaches one.
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
