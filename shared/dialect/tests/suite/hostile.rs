//! Hostile programs: mutations of the chapters' examples and of the fuzzer's seeds.

#![expect(clippy::disallowed_methods, reason = "the harness reads the chapters")]

mod targets;
use std::fs;
use std::path::Path;

use libtest_mimic::Trial;
use literate::cases;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use self::targets::target;
use crate::spec::world;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![seeds_hold, mutations_hold]
}

/// The targets, each of which is a fuzzer too: `fuzz/targets`.
const TARGETS: [&str; 3] = ["read", "json", "evaluate"];

/// The number of mutated programs, the same ones in each run.
const MUTATIONS: u32 = 10_000;

/// The number of threads that make them.
const PARTS: u8 = 8;

/// Returns the examples of the chapters, and the files of `fuzz/seeds`.
fn seeds() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let chapters =
        files(&root.join("spec")).into_iter().map(|it| String::from_utf8(it).expect("a chapter is text"));
    let examples = chapters.flat_map(|chapter| {
        let cases = cases(&chapter);
        cases.iter().filter_map(|it| it.input("dialect")).map(|it| it.as_bytes().to_vec()).collect::<Vec<_>>()
    });
    examples.chain(files(&root.join("fuzz/seeds"))).collect()
}

fn files(folder: &Path) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder).expect("there is that folder");
    let mut paths: Vec<_> = entries.map(|it| it.expect("it can be read").path()).collect();
    paths.sort();
    paths.into_iter().map(|it| fs::read(it).expect("it can be read")).collect()
}

fn seeds_hold() {
    let (registry, seeds) = (world::registry(), seeds());
    assert!(seeds.len() > 300, "the chapters were not found");
    for name in TARGETS {
        seeds.iter().for_each(|seed| target(name)(&registry, seed));
    }
}

/// A mutation of a program.
#[derive(Clone, Debug)]
enum Edit {
    Delete(Index, Index),
    Repeat(Index, Index, usize),
    Insert(Index, Vec<u8>),
    /// Inserts a stretch of another seed.
    Splice(Index, Index, Index, Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    const PIECES: &[&str] = &[
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        ".",
        "?.",
        "?",
        "=>",
        "=",
        "`",
        "\"",
        "\\",
        "//",
        "/*",
        "\n",
        "-",
        "...",
        "${",
        "}",
        "\u{feff}",
        "\u{2028}",
        "é",
        "😀",
        "\u{0}",
        "1e400",
        "-0.0",
        "18446744073709551616",
    ];
    let piece = prop_oneof![
        proptest::sample::select(PIECES).prop_map(|it| it.as_bytes().to_vec()),
        any::<u8>().prop_map(|it| vec![it]),
    ];
    let index = any::<Index>;
    prop_oneof![
        (index(), index()).prop_map(|(from, to)| Edit::Delete(from, to)),
        (index(), index(), 2..20_usize).prop_map(|(from, to, times)| Edit::Repeat(from, to, times)),
        (index(), piece).prop_map(|(at, piece)| Edit::Insert(at, piece)),
        (index(), index(), index(), index()).prop_map(|(at, of, from, to)| Edit::Splice(at, of, from, to)),
    ]
}

fn apply(edit: &Edit, program: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    let stretch = |from: &Index, to: &Index, bytes: &[u8]| {
        let (from, to) = (from.index(bytes.len() + 1), to.index(bytes.len() + 1));
        from.min(to)..from.max(to)
    };
    match edit {
        Edit::Delete(from, to) => drop(program.drain(stretch(from, to, program))),
        Edit::Repeat(from, to, times) => {
            let range = stretch(from, to, program);
            let repeated = program[range.clone()].repeat(*times);
            program.splice(range, repeated);
        }
        Edit::Insert(at, piece) => {
            let at = at.index(program.len() + 1);
            program.splice(at..at, piece.iter().copied());
        }
        Edit::Splice(at, of, from, to) => {
            let other = of.get(seeds);
            let at = at.index(program.len() + 1);
            program.splice(at..at, other[stretch(from, to, other)].iter().copied());
        }
    }
}

fn mutations_hold() {
    let seeds = &seeds();
    std::thread::scope(|scope| {
        (0..PARTS).for_each(|part| drop(scope.spawn(move || mutate(part, seeds))));
    });
}

fn mutate(part: u8, seeds: &[Vec<u8>]) {
    let registry = world::registry();
    let config =
        Config { cases: MUTATIONS / u32::from(PARTS), failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[part; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let edits = (any::<Index>(), prop::collection::vec(edit(), 1..5), proptest::sample::select(&TARGETS));
    let result = runner.run(&edits, |(seed, edits, name)| {
        let mut program = seed.get(seeds).clone();
        edits.iter().for_each(|it| apply(it, &mut program, seeds));
        target(name)(&registry, &program);
        Ok(())
    });
    result.unwrap_or_else(|failed| panic!("{failed}"));
}
