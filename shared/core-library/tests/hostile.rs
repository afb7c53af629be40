//! Hostile programs: each ends with a named limit, in bounded time and memory. The short form gives programs a quarter of
//! the usual limits, and so of the time and memory; the long one (`DIALECT_LONG=loops`) gives them all of it.

#![expect(clippy::disallowed_methods, reason = "the kernel tells the memory of the process in a file")]

use std::fs;
use std::time::Duration;

use core_library::library;
use dialect::{FailureKind, Limit, Limits, Outcome, Registry, explain, run};
use futures::executor::block_on;

/// The processor time that no program takes within the usual limits.
const LONGEST: Duration = Duration::from_secs(5);

/// The memory that no program takes within the usual limits, in megabytes.
const MEMORY: usize = 256;

/// The part of the usual limits that the short form gives.
const PART: u32 = 4;

/// A text of half a megabyte, `a`.
const TEXT: &str = "a = join(range(65536).map(i => `textText`), ``)\n";

/// A text of two megabytes, `a`.
const LONG_TEXT: &str = "a = replace(join(range(65536).map(i => `textText`), ``), `T`, `texttextT`)\n";

const PROGRAMS: &[(&str, &str, Limit)] = &[
    // Work inside functions and operators.
    ("", "range(50000).filter(i => range(50000).contains(-1))", Limit::ValueBytes),
    ("xs = range(50000).map(i => [i])\n", "xs.filter(i => xs.contains([-1]))", Limit::Steps),
    ("xs = range(50000)\n", "range(50000).filter(i => xs.sort() == xs.reverse())", Limit::Steps),
    ("xs = range(50000)\n", "range(50000).map(i => unique(xs.map(x => 1)).length)", Limit::Steps),
    ("xs = range(300).map(i => range(300))\n", "range(50000).filter(i => xs == xs)", Limit::Steps),
    ("xs = range(100000)\n", "range(100000).map(i => xs.join(``).length)", Limit::Steps),
    (TEXT, "range(100000).filter(i => a.contains(`none`))", Limit::Steps),
    (TEXT, "range(100000).filter(i => a < a)", Limit::Steps),
    (TEXT, "range(100000).map(i => a.length)", Limit::Steps),
    (TEXT, "range(100000).map(i => a.take(1))", Limit::Steps),
    (TEXT, "range(100000).filter(i => a.startsWith(a))", Limit::Steps),
    (TEXT, "range(100000).map(i => {b: 1}.get(a))", Limit::Steps),
    (TEXT, "range(100000).map(i => a.replace(`textText`, ``))", Limit::Steps),
    // Patterns.
    (TEXT, "range(100000).filter(i => a.matches(`(t.{0,90}z|x.{0,99}y)`))", Limit::Steps),
    (LONG_TEXT, "range(100000).filter(i => a.matches(`t\\pL{1,20}[zq]`))", Limit::Steps),
    ("", "range(100000).map(i => matches(`a`, `(a{1,9}){1,9}` + i))", Limit::Steps),
    ("", "range(100000).map(i => replace(`a`, `a|` + i, ``))", Limit::Steps),
    // Shared values, and the texts of them.
    (TEXT, "range(4000).map(i => a)", Limit::ValueBytes),
    (TEXT, "[range(100).map(i => a)]", Limit::ValueBytes),
    (TEXT, "{a: range(100).map(i => {b: a})}", Limit::ValueBytes),
    (TEXT, "range(200).map(i => toText([a, a]))", Limit::ValueBytes),
    (TEXT, "range(300).map(i => a).join(`, `)", Limit::ValueBytes),
    (TEXT, "range(100000).map(i => a + i)", Limit::ValueBytes),
    (TEXT, "range(100000).map(i => a.split(`T`).length)", Limit::ValueBytes),
    (TEXT, "range(100000).map(i => a.split(``))", Limit::ListLength),
    ("", "range(100000).map(i => range(100000))", Limit::ValueBytes),
    ("", "range(1000).map(i => range(1000).map(j => {a: j}))", Limit::ValueBytes),
    ("", "range(1000).map(i => range(1000).map(j => (x => i))).length", Limit::ValueBytes),
    ("xs = range(60000)\n", "flatten(range(60000).map(i => [i, i]))", Limit::ListLength),
    ("xs = range(1000)\n", "reduce(xs, (a, b) => [...a, ...xs, b], xs)", Limit::ValueBytes),
    ("", "reduce(range(100000), (a, b) => a + a, `text`)", Limit::ValueBytes),
    ("a = reduce(range(22), (a, b) => a + a, `ΐΐΐΐ`)\n", "a.upper().length", Limit::ValueBytes),
    ("", "reduce(range(100000), (a, b) => merge(a, {a: a}), {b: 1})", Limit::Depth),
    (
        "",
        "replace(join(range(100000).map(i => `x`), ``), `x`, `\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"`).split(`none`).map(x => range(20).map(i => x))",
        Limit::ValueBytes,
    ),
    // Functions that hold functions, which are dropped inside each other.
    ("", "reduce(range(100000), (f, i) => [x => f], 0).length", Limit::Depth),
    // Conversions and failures, of which `attempt` makes data.
    (TEXT, "range(100000).map(i => attempt(toNumber(a)))", Limit::Steps),
    ("xs = range(100000)\n", "range(100000).map(i => attempt(upper(xs)))", Limit::Steps),
    ("", "range(100000).filter(i => sum([`x`]) > 0)", Limit::Steps),
    (
        "xs = groupBy(range(100000), x => `key` + x)\n",
        "range(100000).map(i => attempt(xs.kex))",
        Limit::Steps,
    ),
    // Calls, which are the slowest steps.
    ("xs = []\n", "range(100000).map(a => range(50).map(b => xs.map(x => x)).length)", Limit::Steps),
];

/// Programs that are as long as they can be: the start, a piece that is repeated, and the end.
const SOURCES: &[(&str, &str, &str)] = &[
    ("[", "[1],", "]"),
    ("[", "{a:{b:{c:1}}},", "]"),
    ("[", "a,", "]"),
    ("", "a=1\n", "a"),
    ("a=1\n", "b=a\n", "b"),
    ("(", "a,", "b)=>1"),
    ("`sum(", "[],", ")`"),
    ("`", "${sum([])}", "`"),
    ("", "a", "(1)"),
    ("", "1 1\n", ""),
];

/// Forgets the most memory that the process had.
fn forget_peak() {
    // Elsewhere than on Linux there is no such file, and memory is not checked.
    fs::write("/proc/self/clear_refs", "5").unwrap_or_default();
}

/// Returns the memory of the process in megabytes: the most since then by `VmHWM`, the present one by `VmRSS`.
fn memory(figure: &str) -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix(figure)?.strip_prefix(':'))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<usize>().ok()? / 1024)
}

/// Returns the processor time of this thread.
fn processor_time() -> Option<Duration> {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// Returns the divisor of the usual limits.
fn part() -> u32 {
    if literate::is_long("loops") { 1 } else { PART }
}

fn limits() -> Limits {
    let usual = Limits::default();
    let part = part() as usize;
    Limits {
        source_bytes: usual.source_bytes / part,
        steps: usual.steps / part,
        value_bytes: usual.value_bytes / part,
        ..usual
    }
}

/// The time and memory that a program takes.
#[derive(Debug)]
struct Taken {
    /// The limit that it reaches.
    limit: Option<Limit>,
    time: Option<Duration>,
    /// In megabytes.
    memory: Option<usize>,
}

impl Taken {
    fn by(registry: &Registry, program: &str) -> Self {
        forget_peak();
        let before = memory("VmRSS");
        let start = processor_time();
        let outcome = block_on(run(registry, program, &limits()));
        let words = explain(&outcome, program).text.len();
        let time = processor_time().zip(start).map(|(end, start)| end.saturating_sub(start));
        let limit = match &outcome {
            Outcome::Failure(failures) => failures.all.iter().find_map(|it| match &*it.kind {
                FailureKind::LimitReached { limit, .. } => Some(*limit),
                _ => None,
            }),
            _ => None,
        };
        assert!(limit.is_none() || words < 20_000, "{words} bytes");
        // What earlier programs left to the allocator is not this one's.
        let memory = memory("VmHWM").zip(before).map(|(peak, before)| peak.saturating_sub(before));
        Self { limit, time, memory }
    }

    fn is_bounded(&self) -> bool {
        let part = part();
        self.time.is_none_or(|it| it < LONGEST / part)
            && self.memory.is_none_or(|it| it < MEMORY / part as usize)
    }
}

/// Checks all programs in one test, since others in the process would take memory too.
#[test]
fn hostile_programs_end_with_their_limit() {
    let registry = Registry::new([library()]).expect("the tables fit");
    let mut wrong = Vec::new();
    // The longest first: the allocator keeps some of the memory of each.
    for (start, piece, end) in SOURCES {
        let room = limits().source_bytes - start.len() - end.len();
        let taken = Taken::by(&registry, &format!("{start}{}{end}", piece.repeat(room / piece.len())));
        if !taken.is_bounded() {
            wrong.push(format!("{taken:?} {start}{piece}…{end}"));
        }
    }
    for (bindings, result, limit) in PROGRAMS {
        let taken = Taken::by(&registry, &format!("{bindings}{result}"));
        if taken.limit != Some(*limit) || !taken.is_bounded() {
            wrong.push(format!("{taken:?} {result}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
