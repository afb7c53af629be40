//! Unusual programs: each has an outcome, on a small stack.

use dialect::{FailureKind, Limits, Outcome, explain, run};
use futures::executor::block_on;
use libtest_mimic::Trial;

use crate::spec::world;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        nesting_beyond_all_limits_is_one_failure,
        much_of_anything_is_read,
        nesting_within_the_limits_fits_a_small_stack,
        calls_of_deep_lambdas_fit_a_small_stack,
        of_many_mistakes_between_brackets_the_first_are_told
    ]
}

fn in_a_small_thread(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(test);
    thread.expect("a thread can be made").join().expect("the test holds");
}

/// Runs a program, and checks that its explanation is short.
fn outcome(program: &str) -> Outcome {
    let registry = world::registry();
    let outcome = block_on(run(&registry, program, &Limits::default()));
    let words = explain(&outcome, program).text;
    assert!(words.len() < 20_000, "{} bytes of words about {}", words.len(), start(program));
    outcome
}

fn start(program: &str) -> String {
    program.chars().take(60).collect()
}

fn failures(program: &str) -> usize {
    match outcome(program) {
        Outcome::Failure(failures) => failures.all.len(),
        _ => 0,
    }
}

fn nesting_beyond_all_limits_is_one_failure() {
    // A recursion of either depth would be too deep for the thread.
    let deep = if literate::is_long("loops") { 100_000 } else { 30_000 };
    in_a_small_thread(move || {
        for (open, inner, close) in [
            ("(", "1", ")"),
            ("[", "1", "]"),
            ("{a: ", "1", "}"),
            ("([{a: ", "1", "}])"),
            ("{\"a\": ", "1", "}"),
            ("{\"not\": ", "true", "}"),
            ("{\"!\": ", "true", "}"),
            ("{\"twice\": ", "1", "}"),
            ("[{\"twice\": [", "1", "]}]"),
            ("twice(", "1", ")"),
            ("x => ", "1", ""),
            ("(x) => ", "1", ""),
            ("!", "true", ""),
            ("-", "1", ""),
            ("- ", "x", ""),
            ("true ? 1 : ", "1", ""),
            ("true ? ", "1", " : 1"),
            ("1+", "1", ""),
            ("1 ?? ", "1", ""),
            ("a.", "b", ""),
            ("a?.", "b", ""),
            ("x", "[0]", "[0]"),
            ("x", ".f()", ".f()"),
            ("...", "x", ""),
            ("x => { return ", "x", " }"),
            ("await ", "x", ""),
            ("quote(", "1", ")"),
            ("attempt(", "1", ")"),
            ("let(1, x => ", "x", ")"),
        ] {
            let program = format!("{}{inner}{}", open.repeat(deep), close.repeat(deep));
            let whole = failures(&program);
            assert!((1..=8).contains(&whole), "{whole} failures of {}", start(&program));
            let half = failures(&format!("{}{inner}", open.repeat(deep / 10)));
            assert!((1..=8).contains(&half), "{half} failures of {}", start(open));
        }
    });
}

fn much_of_anything_is_read() {
    const LONG: usize = 1 << 14;
    in_a_small_thread(|| {
        for piece in [
            "x",
            "1",
            " ",
            "\n",
            ";",
            ",",
            "`",
            "\"",
            "'",
            "\\",
            "/",
            "//",
            "/*",
            "*/",
            "(",
            ")",
            "[",
            "]",
            "}",
            "é",
            "\u{feff}",
            "\0",
            "\u{202e}",
            "\u{200b}",
            "e\u{301}",
            "\r",
            "\r\n",
            "\u{2028}",
            "a b ",
            "a, ",
            "x = 1\n",
            "f(1)\n",
            "1 + ",
            "§",
            "\"\\ud800\"",
            "`a` ",
            "[1] ",
            "-- x\n",
            "# x\n",
            "for x in xs:\n",
            "${",
            "\u{1f600}",
            "=>",
            "a =",
            "x.y\n",
            "def f(x):\n",
            "and ",
            "a|b ",
            "a<b<",
            "/a/ ",
            "r\"",
            "<a>",
            "x: ",
            "::",
            "@a",
            "let x = ",
            "a and b, ",
            "f x, ",
        ] {
            let program = piece.repeat(LONG / piece.len());
            outcome(&program);
            outcome(&format!("f({program}"));
            outcome(&format!("[{program}]"));
        }
        assert_eq!(outcome(&format!("size(`{}`)", "x".repeat(1 << 19))).to_text(), (1 << 19).to_string());
    });
}

trait ToText {
    fn to_text(&self) -> String;
}

impl ToText for Outcome {
    fn to_text(&self) -> String {
        explain(self, "").text
    }
}

fn nesting_within_the_limits_fits_a_small_stack() {
    in_a_small_thread(|| {
        for (open, inner, close) in [
            ("[", "1", "]"),
            ("twice(", "0", ")"),
            ("(x => ", "1", ").length"),
            ("attempt(", "1", ")"),
            ("let(1, x => ", "x", ")"),
            ("[1].map(x => ", "x", ")"),
            ("true ? ", "1", " : 1"),
            ("{\"twice\": ", "0", "}"),
        ] {
            for count in [45, 90, 99] {
                outcome(&format!("{}{inner}{}", open.repeat(count), close.repeat(count)));
            }
        }
    });
}

/// Checks calls nested as deeply as possible, of lambdas nested as deeply as possible.
fn calls_of_deep_lambdas_fit_a_small_stack() {
    in_a_small_thread(|| {
        for (open, close) in [("[", "]"), ("attempt(", ")"), ("[1].map(y => ", ")"), ("true ? ", " : 1")] {
            let mut program = "f0 = x => x\n".to_owned();
            for index in 1..120 {
                let (opens, closes) = (open.repeat(90), close.repeat(90));
                program.push_str(&format!("f{index} = x => {opens}f{}(x){closes}\n", index - 1));
            }
            let outcome = outcome(&format!("{program}size(f119(1))"));
            let Outcome::Failure(failures) = outcome else { panic!("{outcome:?}") };
            // What is attempted is data all the same.
            let is_told = matches!(&*failures.all[0].kind, FailureKind::LimitReached { .. });
            assert!(is_told || open.starts_with("attempt"), "{failures:?}");
        }
    });
}

/// Checks that only the first of many mistakes are reported, since each costs a pass over its brackets.
fn of_many_mistakes_between_brackets_the_first_are_told() {
    for (piece, close) in [("`a` ", "]"), ("x y ", "]"), ("'\\q' ", "]")] {
        let count = failures(&format!("[{}{close}", piece.repeat(5_000)));
        assert!((1..=5_100).contains(&count), "{count} failures");
    }
    assert_eq!(failures(&format!("[{}]", "`a` ".repeat(5_000))), 40);
}
