//! The size of both libraries' description in an agent's context, counted with the vocabulary of a real model.

use std::collections::BTreeSet;
use std::sync::Arc;

use dialect::{Library, Registry, describe, help};
use tiktoken_rs::o200k_base_singleton;

use super::world::World;

/// Tokens that an agent may have to spare: few, some, what the tool takes, plenty.
const BUDGETS: [usize; 4] = [300, 800, 1_500, 4_000];

const PREAMBLE: &str = "Ask this about the code instead of searching through files.\n";

/// The number of words in a row that count as a sentence.
const SENTENCE: usize = 4;

fn libraries() -> [Library; 2] {
    [ide_library::library(Arc::new(World::default())), core_library::library()]
}

fn registry() -> Registry {
    let registry = Registry::new(libraries()).expect("the tables fit");
    registry.with(help(&registry)).expect("nothing else is called help")
}

fn description(budget: usize) -> String {
    describe(&registry(), PREAMBLE, budget)
}

fn real_tokens(text: &str) -> usize {
    o200k_base_singleton().count_ordinary(text)
}

/// Checks that a catalogue spends its budget until there is nothing more to say. The estimate that it counts
/// with is a tenth too high, and what does not fit as a whole is left out.
pub(crate) fn it_keeps_to_its_budget() {
    let everything = real_tokens(&description(usize::MAX));
    for budget in BUDGETS {
        let description = description(budget);
        let taken = real_tokens(&description);
        assert!(taken <= budget, "{taken} tokens for {budget}:\n{description}");
        let expected = everything.min(budget * 8 / 10);
        assert!(taken >= expected, "only {taken} tokens for {budget}:\n{description}");
    }
}

/// Checks it even without space for anything else. The names alone are far below the smallest budget.
pub(crate) fn it_names_every_function() {
    let libraries = libraries();
    let rows = libraries.iter().flat_map(|it| &it.functions);
    let names: BTreeSet<&str> = rows.filter_map(|it| it.signature.split('(').next()).collect();
    assert!(names.len() > 40, "{names:?}");
    for budget in BUDGETS.into_iter().chain([0]) {
        let description = description(budget);
        let words: BTreeSet<&str> = description.split(|it: char| !it.is_alphanumeric()).collect();
        let missing: Vec<_> = names.difference(&words).collect();
        assert!(missing.is_empty(), "{budget}: {missing:?} in\n{description}");
    }
    let taken = real_tokens(&description(0));
    assert!(taken <= BUDGETS[0] * 3 / 4, "the names alone take {taken} tokens");
}

/// An agent's provider caches what it has read, as long as it is the same.
pub(crate) fn it_is_the_same_each_time() {
    for budget in BUDGETS {
        let first = description(budget);
        for _ in 0..5 {
            assert_eq!(description(budget), first);
        }
    }
}

pub(crate) fn it_says_nothing_twice() {
    for budget in BUDGETS {
        let description = description(budget);
        let mut seen = BTreeSet::new();
        for sentence in sentences(&description) {
            assert!(seen.insert(sentence), "{budget}: `{sentence}` is paid twice in\n{description}");
        }
        assert!(!seen.is_empty());
    }
}

/// Splits a text at full stops and at line marks.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.lines().flat_map(|it| it.split(" // ")).flat_map(|it| it.split(". "));
    let parts = parts.map(|it| it.trim().trim_end_matches('.'));
    parts.filter(|it| it.split_whitespace().count() >= SENTENCE)
}
