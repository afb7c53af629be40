//! The programs of the specification, run with fixtures and mocks of ours.
//!
//! `programs.md` has a case for each. A block `program 345-363` names the lines of the page; its text is what runs `before`
//! it. `after` is what runs then. The other blocks are those of the chapters in `spec/`. The outcome is recorded without the
//! words of the page: each stretch of words that its program has is `…`, and a checksum of the whole is above.

use std::collections::{BTreeSet, HashSet};

use libtest_mimic::Trial;
use literate::{Actual, Case, Chapter, Input};

use super::rebuild::{lines_of, regions};
use crate::documents::spec::documents;
use crate::documents::spec::run;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/documents/seed/programs.md");

/// Returns the tests; without the page they are ignored, for the reason.
pub(super) fn trials(page: Option<&str>, reason: &str) -> Vec<Trial> {
    let chapter = Chapter::read("seed programs", CASES);
    let Some(page) = page.map(str::to_owned) else {
        let ignored = |case: Case| {
            let name = format!("seed programs: {} ({reason})", case.name);
            Trial::test(name, || Ok(())).with_ignored_flag(true)
        };
        return chapter.cases().into_iter().map(ignored).collect();
    };
    let missing = missing(&chapter);
    let complete = Trial::test("seed programs: each has a case", move || {
        if missing.is_empty() { Ok(()) } else { Err(format!("these have none: {missing:?}").into()) }
    });
    chapter.trials(move |case| outcome_of(case, &page)).into_iter().chain([complete]).collect()
}

/// Returns the examples of the page that have no case.
fn missing(chapter: &Chapter) -> Vec<String> {
    let cases = chapter.cases();
    let tested: BTreeSet<&str> =
        cases.iter().flat_map(|it| it.inputs_of("program")).map(|it| it.subject.as_str()).collect();
    let examples = regions().expect("the outline is ours").into_iter().filter(|it| it.kind == "example");
    let lines = examples.map(|it| format!("{}-{}", it.lines.start(), it.lines.end()));
    lines.filter(|lines| !tested.contains(lines.as_str())).collect()
}

/// Runs the program of a case.
fn outcome_of(case: &Case, page: &str) -> Actual {
    let subject = case.inputs_of("program").next().expect("each case has a program").subject.as_str();
    let program = lines_of(page, subject).expect("the lines are on the page");
    let around = |kind: &str| case.input(kind).map(|it| format!("{it}\n")).unwrap_or_default();
    let text = format!("{}{program}\n{}", around("before"), around("after"));
    let mut whole = case.clone();
    whole.inputs.push(Input { kind: "run".to_owned(), subject: String::new(), text });
    let Actual { kind, text } = run::of(&whole, &documents(&whole));
    let checksum = checksum(&text);
    Actual::new(kind, format!("{checksum:016x}\n{}", without_words_of(&program, &text)).trim_end())
}

/// Returns a text with `…` for each stretch of words that a program has.
fn without_words_of(program: &str, text: &str) -> String {
    let of_program: HashSet<&str> = words(program).collect();
    let line = |line: &str| {
        let mut shown: Vec<&str> = Vec::new();
        for word in words(line) {
            let word = if of_program.contains(word) { "…" } else { word };
            if word != "…" || shown.last() != Some(&"…") {
                shown.push(word);
            }
        }
        shown.join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the words and numbers of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric() && !matches!(char, '_' | '-' | '@'))
        .filter(|it| !it.is_empty())
}

/// Returns the FNV-1a hash of a text.
fn checksum(text: &str) -> u64 {
    let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}
