//! Hostile archives, names and manifests: seeds of the fuzzer, unchanged and mutated.

mod targets;

use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use packages::archive::{PackedFile, pack, pack_tar};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use targets::target;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![archives_hold, names_hold]
}

/// The number of mutations of each target, which are the same in each run.
const MUTATIONS: u32 = 3_000;

/// The time that they may take together.
const TIME: Duration = Duration::from_secs(10);

const MANIFEST: &[u8] = br#"{"name": "@example/clock", "version": "1.0.0-rc.1", "description": "d", "author": "a", "license": "MIT", "main": "main.md", "dependencies": {"zones": "^1.2", "near": "../near", "far": "git+https://example.org/far#v1", "packed": "file:x.tgz"}}"#;

fn archives() -> Vec<Vec<u8>> {
    let long = format!("{}/deep.md", "folder/".repeat(30));
    let files: Vec<PackedFile<'_>> = [
        ("ailang.json", MANIFEST),
        ("main.md", b"---\nid: a\n---\n"),
        ("lib/Types.md", b""),
        (long.trim_start_matches('/'), &[0xff; 700]),
    ]
    .map(|(path, bytes)| PackedFile { path, bytes })
    .into();
    let plain = pack_tar(&files).expect("the paths fit");
    vec![pack(&files).expect("the paths fit"), plain, Vec::new(), b"<!doctype html>".to_vec()]
}

fn names() -> Vec<Vec<u8>> {
    let texts = [
        "clock",
        "@example/clock@^1.2.0 <1.9",
        "./dir",
        "../a/b",
        "file:x.tgz",
        "https://x.org/a.tgz?b=c#d",
        "git+https://x.org/a.git#v1",
        "git+file:///a/b",
        ">=1.0.0-rc.1+b, <2",
        "*",
        "=1",
        "~0.0.1",
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    ];
    texts.iter().map(|it| it.as_bytes().to_vec()).chain([MANIFEST.to_vec()]).collect()
}

/// Runs a target over its seeds and mutations of them: stretches that are replaced, set and doubled.
fn hold(name: &str, seeds: &[Vec<u8>]) {
    seeds.iter().for_each(|seed| target(name)(seed));
    let config = Config { cases: MUTATIONS, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let edit = (
        any::<Index>(),
        0_usize..9,
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..9),
            prop::sample::select(vec![
                &b"../"[..],
                b"..",
                b"/",
                b"\\",
                b"\0\0\0\0",
                b"777777777777",
                b"\x80\xff",
                b"x",
                b"L",
                b"2",
                b"5"
            ])
            .prop_map(<[u8]>::to_vec),
        ],
    );
    let cases = (any::<Index>(), prop::collection::vec(edit, 1..6));
    let start = Instant::now();
    let result = runner.run(&cases, |(seed, edits)| {
        if start.elapsed() > TIME {
            return Ok(());
        }
        let mut bytes = seed.get(seeds).clone();
        for (at, length, new) in edits {
            let at = at.index(bytes.len() + 1);
            // The length of an archive stays, so that its blocks stay aligned.
            let length = if name == "unpack" { new.len() } else { length };
            let end = (at + length).min(bytes.len());
            bytes.splice(at..end, new);
        }
        target(name)(&bytes);
        Ok(())
    });
    result.unwrap_or_else(|failed| panic!("{failed}"));
}

fn archives_hold() {
    hold("unpack", &archives());
}

fn names_hold() {
    hold("names", &names());
}
