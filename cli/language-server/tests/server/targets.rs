//! Sequences of messages for the fuzzer, read from any bytes, and the same over mutated seeds in a plain test.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;
use tokio::runtime::Runtime;

use super::client::runtime;
use super::sequences::{REQUESTS, Step, play};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![mutated_messages_hold]
}

/// The maximum number of messages of one input.
const MOST: usize = 40;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(runtime);

/// Plays the messages that bytes mean. The server's text has to stay the client's, and no request may panic.
pub(crate) fn messages(bytes: &[u8]) {
    let (choice, rest) = bytes.split_first().map_or((0, bytes), |(first, rest)| (*first, rest));
    let language = if choice & 2 == 0 { "ailang" } else { "dialect" };
    let played = RUNTIME.block_on(play(steps(rest), choice & 1 == 1, language));
    played.unwrap_or_else(|failed| panic!("{failed}\n{:?}", steps(rest)));
}

/// Reads a line as a message: its first two bytes choose the kind and a place, the rest is its text.
fn steps(bytes: &[u8]) -> Vec<Step> {
    bytes.split(|byte| *byte == b'\n').take(MOST).filter_map(step).collect()
}

fn step(line: &[u8]) -> Option<Step> {
    let [kind, at, rest @ ..] = line else { return None };
    // `\` stands for a line break, which ends a message here.
    let text = String::from_utf8_lossy(rest).replace('\\', "\n");
    let at = usize::from(*at) * 7;
    Some(match kind % 8 {
        0..=2 => Step::Edit(at, text.len() % 12, text),
        3 => Step::Replace(text),
        4 => Step::Wild([u32::from(line[1]), 3, u32::from(*kind), 1 << 31], text),
        5 => Step::Reopen,
        6 => Step::Ask(at % REQUESTS.len(), text.len() * 31),
        _ => Step::Odd(at, serde_json::from_str(&text).unwrap_or(Value::Null)),
    })
}

/// The time that mutated seeds may take together.
const TIME: Duration = Duration::from_secs(8);

const SEEDS: [&[u8]; 4] = [
    b"\0\x00\x10tool g(a: int) -> string\\\n\x06\x01x\n\x06\x09y\n\x03\x00---\\id: b\\---\\<define>\\type A = { b: A }\\</define>\\\n\x05\x00",
    b"\x01\x01\x20\xf0\x9f\x98\x80\xe6\x97\xa5\n\x06\x04abcdef\n\x04\x09x\n\x06\x0cabcdefgh",
    b"\x02\x03\x00x = [1, 2].map(it => it * 2)\\x.\n\x06\x00abc\n\x06\x01ab\n\x07\x13{\"textDocument\": {\"uri\": 1}}",
    b"\x03\x07\x02{\"settings\": []}\n\x07\x15[1]\n\x07\x16null\n\x07\x17{\"changes\": [{\"uri\": \"file:///x.md\", \"type\": 9}]}\n\x06\x02",
];

fn mutated_messages_hold() {
    SEEDS.iter().for_each(|seed| messages(seed));
    let cases = if literate::is_long("loops") { 3_000 } else { 1_000 };
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let edits = vec((any::<prop::sample::Index>(), 0_usize..4, vec(any::<u8>(), 0..6)), 1..6);
    let start = Instant::now();
    let result = runner.run(&(0..SEEDS.len(), edits), |(seed, edits)| {
        if start.elapsed() > TIME {
            return Ok(());
        }
        let mut bytes = SEEDS[seed].to_vec();
        for (at, length, new) in edits {
            let at = at.index(bytes.len() + 1);
            let end = (at + length).min(bytes.len());
            bytes.splice(at..end, new);
        }
        messages(&bytes);
        Ok(())
    });
    result.unwrap_or_else(|failed| panic!("{failed}"));
}
