//! Hostile input: the corpus and the seeds of the fuzzer, unchanged and mutated.

mod targets;
mod time;

use std::fs;
use std::path::Path;

use libtest_mimic::Trial;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use targets::target;

pub(crate) fn trials() -> Vec<Trial> {
    [literate::trials![seeds_hold, mutations_hold], time::trials()].into_iter().flatten().collect()
}

/// The fuzz targets, as in `fuzz/targets`.
const TARGETS: [&str; 8] = ["scan", "lex", "parse", "front_matter", "regex", "value", "layout", "run"];

/// The number of mutated documents, which are the same in each run.
const MUTATIONS: u32 = 1_000;

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    add(&root.join("corpus"), &mut seeds);
    for chapter in ["spec/4-statements.md", "spec/6-hostile.md"] {
        let text = fs::read_to_string(root.join(chapter)).expect("there is that chapter");
        let programs = text.split("```run\n").skip(1).filter_map(|it| it.split("\n```").next());
        seeds.extend(programs.map(|it| it.as_bytes().to_vec()));
    }
    let more =
        ["^(a|b)*[^c]{2,3}$\naabb", "[{\"a\": \"b\", \"b\": [{\"c\": 1}]}]", "\"3\"", "[1, \"x\", null]"];
    seeds.extend(more.map(|seed| seed.as_bytes().to_vec()));
    seeds
}

fn add(folder: &Path, seeds: &mut Vec<Vec<u8>>) {
    let entries = fs::read_dir(folder).expect("there is that folder");
    let mut paths: Vec<_> = entries.map(|it| it.expect("it can be read").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            add(&path, seeds);
        } else {
            seeds.push(fs::read(path).expect("it can be read"));
        }
    }
}

fn seeds_hold() {
    let seeds = seeds();
    assert!(seeds.len() > 100, "the corpus was not found");
    for name in TARGETS {
        seeds.iter().for_each(|seed| target(name)(seed));
    }
}

/// A replacement of a stretch by one of another seed, repeated some times.
#[derive(Clone, Debug)]
struct Edit {
    places: (Index, Index),
    of: Index,
    stretch: (Index, Index),
    times: usize,
}

fn edit() -> impl Strategy<Value = Edit> {
    let pair = any::<(Index, Index)>;
    (pair(), any::<Index>(), pair(), 0..4_usize).prop_map(|(places, of, stretch, times)| Edit {
        places,
        of,
        stretch,
        times,
    })
}

/// The maximum number of bytes that an edit removes or inserts.
const LONGEST: usize = 60;

fn apply(edit: &Edit, text: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    let range = |(from, length): &(Index, Index), bytes: &[u8]| {
        let from = from.index(bytes.len() + 1);
        from..(from + length.index(LONGEST)).min(bytes.len())
    };
    let other = edit.of.get(seeds);
    let put = other[range(&edit.stretch, other)].repeat(edit.times);
    let place = range(&edit.places, text);
    text.splice(place, put);
}

fn mutations_hold() {
    let seeds = seeds();
    let config = Config { cases: MUTATIONS, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let edits = (any::<Index>(), prop::collection::vec(edit(), 1..4), proptest::sample::select(&TARGETS));
    let result = runner.run(&edits, |(seed, edits, name)| {
        let mut text = seed.get(&seeds).clone();
        edits.iter().for_each(|edit| apply(edit, &mut text, &seeds));
        target(name)(&text);
        Ok(())
    });
    result.unwrap_or_else(|failed| panic!("{failed}"));
}
