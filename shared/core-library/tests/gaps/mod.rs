//! Programs over answers that lack parts: none succeeds with another value than it has with the whole answers, unless
//! it says so.
//!
//! `DIALECT_GAPS` is the number of generated programs, and `DIALECT_GAPS_SEED` changes them.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a long run is asked for by a variable, and prints its figures"
)]

mod host;
mod programs;

use core_library::library;
use dialect::{FailureKind, GapCause, Limits, Outcome, Registry, Success, Value, explain, run};
use futures::executor::block_on;
use libtest_mimic::Trial;

use self::host::{Cuts, host};
use self::programs::{Random, program};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![no_program_decides_on_a_part_in_silence, every_function_passes_on_or_decides]
}

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(default)
}

fn registry(cuts: Option<Cuts>) -> Registry {
    Registry::new([library(), host(cuts)]).expect("the tables fit")
}

fn outcome(program: &str, cuts: Option<Cuts>) -> Outcome {
    block_on(run(&registry(cuts), program, &Limits::default()))
}

/// Returns `true` if a value is the other one, of which parts may be missing.
fn is_part(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::List(part), Value::List(whole)) => {
            let mut left: Vec<&Value> = whole.iter().collect();
            let mut take = |fits: &dyn Fn(&Value) -> bool| {
                let found = left.iter().position(|it| fits(it));
                found.map(|it| left.remove(it)).is_some()
            };
            // Those that are whole first, so that they are not taken for parts of others.
            let rest: Vec<&Value> = part.iter().filter(|it| !take(&|other| *it == other)).collect();
            rest.into_iter().all(|it| take(&|other| is_part(it, other)))
        }
        (Value::Text(part), Value::Text(whole)) => {
            let mut whole = whole.chars();
            part.chars().all(|char| whole.any(|it| it == char))
        }
        (part, whole) => match (part.fields(), whole.fields()) {
            (Some(part), Some(whole)) => {
                part.iter().all(|(name, it)| whole.get(name).is_some_and(|other| is_part(it, other)))
            }
            _ => part.equals(whole),
        },
    }
}

/// Returns what is wrong with a success of a program whose answers lack parts.
fn wrong(program: &str, success: &Success, whole: &Outcome) -> Option<&'static str> {
    let is_said = success.notes.iter().any(|it| it.text.contains("is not complete"));
    let is_decided = success.notes.iter().any(|it| it.text.contains("may be wrong"));
    let Outcome::Success(whole) = whole else {
        return (!is_said).then_some("succeeds in silence where the whole answers stop it");
    };
    match (is_said, is_decided) {
        _ if success.value == whole.value => None,
        (false, _) => Some("differs in silence"),
        (true, true) => None,
        // The elements that are taken are there, but others may come before them in the whole list.
        (true, false) if program.contains("take(") => None,
        (true, false) => {
            (!is_part(&success.value, &whole.value)).then_some("was decided, and its note does not say so")
        }
    }
}

fn no_program_decides_on_a_part_in_silence() {
    let (count, seed) = (variable("DIALECT_GAPS", 500), variable("DIALECT_GAPS_SEED", 1));
    let (mut same, mut parts, mut decided, mut refused, mut stopped) = (0, 0, 0, 0, 0);
    for index in 0..count {
        let mut random = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(index));
        let program = program(&mut random);
        let whole = outcome(&program, None);
        let cuts = Cuts::random(&mut random);
        match outcome(&program, Some(cuts)) {
            Outcome::Success(success) => {
                if let Some(problem) = wrong(&program, &success, &whole) {
                    panic!(
                        "{problem}: {program}\n{cuts:?}\npart: {}\nwhole: {}\nnotes: {:?}\nseed {seed}, program {index}",
                        success.value.to_json(),
                        explain(&whole, &program).text,
                        success.notes
                    );
                }
                let is_decided = success.notes.iter().any(|it| it.text.contains("may be wrong"));
                let is_same = matches!(&whole, Outcome::Success(it) if it.value == success.value);
                *(if is_same {
                    &mut same
                } else if is_decided {
                    &mut decided
                } else {
                    &mut parts
                }) += 1;
            }
            Outcome::Failure(failures) => {
                let is_gap = |it: &dialect::Failure| matches!(*it.kind, FailureKind::IncompleteAnswer { .. });
                let was_refused = failures.all.iter().any(is_gap);
                let is_refused = matches!(cuts.cause, GapCause::Unknown);
                assert!(!(was_refused && is_refused), "an answer that may be whole is refused: {program}");
                *(if was_refused { &mut refused } else { &mut stopped }) += 1;
            }
            Outcome::Ambiguity(_) => stopped += 1,
        }
    }
    eprintln!(
        "{count} programs: {same} with the whole value, {parts} with a part, {decided} decided with a note, \
         {refused} refused, {stopped} stopped otherwise"
    );
    assert!(count < 1_000 || refused > count / 20 && parts > count / 20 && decided > count / 50);
}

/// Every function of the library, below which an answer lacks a part: with the outcome of the program.
fn every_function_passes_on_or_decides() {
    let cuts = Cuts { cause: GapCause::Time, seed: 0, every: 1 };
    let programs: &[(&str, &str, bool)] = &[
        ("map", "hits(`a`).map(h => h.path)", true),
        ("map", "hits(`a`).map((h, i) => i)", false),
        ("filter", "hits(`a`).filter(h => h.test)", true),
        ("filter", "[`a`].filter(n => hits(n).count() > 1)", false),
        ("find", "hits(`a`).find(h => h.test)", false),
        ("any", "hits(`a`).any(h => h.test)", false),
        ("all", "hits(`a`).all(h => h.test)", false),
        ("reduce", "hits(`a`).reduce((n, h) => n + h.line, 0)", false),
        ("count", "hits(`a`).count()", false),
        ("take", "hits(`a`).take(2)", true),
        ("drop", "hits(`a`).drop(2)", true),
        ("first", "hits(`a`).first()", false),
        ("last", "hits(`a`).last()", false),
        ("reverse", "hits(`a`).reverse()", true),
        ("flatten", "[`a`].map(n => hits(n)).flatten()", true),
        ("range", "range(hits(`a`).length)", false),
        ("sort", "hits(`a`).map(h => h.line).sort()", true),
        ("sort", "[`a`, `b`].map(n => hits(n).map(h => h.line)).sort()", false),
        ("sortBy", "hits(`a`).sortBy(h => h.line)", true),
        ("sortBy", "[`a`].sortBy(n => hits(n).map(h => h.line))", false),
        ("min", "hits(`a`).min(h => h.line)", false),
        ("max", "hits(`a`).max(h => h.line)", false),
        ("groupBy", "hits(`a`).groupBy(h => h.path)", true),
        ("groupBy", "hits(`a`).groupBy(h => h.path).values().map(g => g.count())", false),
        ("unique", "hits(`a`).map(h => h.path).unique()", true),
        ("unique", "hits(`a`).unique(h => h.path)", false),
        ("keys", "hits(`a`).groupBy(h => h.path).keys()", true),
        ("values", "hits(`a`).groupBy(h => h.path).values()", true),
        ("get", "hits(`a`).groupBy(h => h.path).get(`x`)", false),
        ("merge", "hits(`a`).groupBy(h => h.path).merge({x: 1})", true),
        ("merge", "merge({x: 1}, hits(`a`).groupBy(h => h.path))", false),
        ("contains", "hits(`a`).map(h => h.path).contains(`x`)", false),
        ("sum", "hits(`a`).map(h => h.line).sum()", false),
        ("toNumber", "toNumber(`1` + text(`a`).replace(`x`, `1`))", false),
        ("truncate", "truncate(hits(`a`).length / 2)", false),
        ("join", "hits(`a`).map(h => h.path).join(`,`)", true),
        ("split", "text(`a`).split(`\n`)", true),
        ("split", "text(`a`).split(`\n`).count()", false),
        ("replace", "text(`a`).replace(`x`, `y`)", true),
        ("startsWith", "text(`a`).startsWith(`x`)", false),
        ("endsWith", "text(`a`).endsWith(`x`)", false),
        ("lower", "text(`a`).lower()", true),
        ("upper", "text(`a`).upper()", true),
        ("trim", "text(`a`).trim()", true),
        ("toText", "toText(hits(`a`))", true),
        ("toText", "toText(hits(`a`)) == `[]`", false),
        ("matches", "text(`a`).matches(`x`)", false),
        // The language itself.
        ("", "hits(`a`) == []", false),
        ("", "if(hits(`a`).length > 1, 1, 2)", false),
        ("", "hits(`a`)[0]", false),
        ("", "hits(`a`).path", false),
        ("", "{hits: hits(`a`), n: 1}", true),
        ("", "{hits: hits(`a`), n: 1}.n + 1", true),
        ("", "xs = hits(`a`)\n[...xs, ...xs]", true),
        ("", "unused = n => hits(n).length == 0\n[`a`].filter(n => unused(n))", false),
        ("", "about(`a`).uses", true),
        ("", "about(`a`).uses.length", false),
        ("", "about(`a`).name + `!`", true),
        ("", "about(hits(`a`).map(h => h.path))", false),
    ];
    for (of, program, passes) in programs {
        let is_refused = match outcome(program, Some(cuts)) {
            Outcome::Success(success) => {
                assert!(!success.notes.is_empty(), "in silence: {program}");
                false
            }
            Outcome::Failure(failures) => {
                let is_gap = |it: &dialect::Failure| matches!(*it.kind, FailureKind::IncompleteAnswer { .. });
                assert!(failures.all.iter().any(is_gap), "{program}: {failures:?}");
                true
            }
            Outcome::Ambiguity(ambiguity) => panic!("{program}: {ambiguity:?}"),
        };
        assert_eq!(is_refused, !passes, "{of}: {program}");
        let unsure = Cuts { cause: GapCause::Unknown, ..cuts };
        if let Outcome::Success(success) = outcome(program, Some(unsure)) {
            let is_decided = success.notes.iter().any(|it| it.text.contains("may be wrong"));
            assert_eq!(is_decided, !passes, "{of}: {program}: {:?}", success.notes);
        }
    }
    for row in library().functions {
        let name = row.signature.split('(').next().unwrap_or_default();
        assert!(
            programs.iter().any(|(of, ..)| *of == name),
            "no program has an incomplete answer below `{name}`"
        );
    }
}
