//! Properties of all code of documents, right or wrong.

use dialect::Limits;
use dialect::ast::{Expression, ExpressionKind};
use dialect::code::{Code, TokenKind};
use libtest_mimic::Trial;
use proptest::prelude::*;
use source_text::Span;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        nesting_within_the_limit_fits_a_small_stack,
        nesting_beyond_all_limits_is_one_mistake_and_a_line_of_its_own,
        what_follows_a_mistake_is_read,
        spans_are_of_the_whole_text,
        any_text_is_read_to_its_end,
        any_tokens_are_read_to_their_end
    ]
}

/// Documents nest deeper than programs.
fn limits() -> Limits {
    Limits { depth: 200, ..Limits::default() }
}

/// Reads everything line by line, and counts the failures.
fn read(text: &str) -> usize {
    let code = Code::read(text, Span::new(0, text.len()), &limits());
    let mut failures = code.failures().len();
    let last = code.tokens().len() - 1;
    let mut at = 0;
    while at < last {
        let part = code.expression(at);
        check_spans(&part.value, text);
        failures += part.failures.len();
        let next = code.end_of_line(at, part.next);
        assert!(next > at, "reading goes on");
        at = next;
    }
    failures
}

/// Checks that every span can be shown.
fn check_spans(expression: &Expression, text: &str) {
    assert!(text.get(expression.span.range()).is_some(), "{expression:?} stands nowhere");
    for child in expression.kind.children() {
        check_spans(child, text);
    }
}

fn in_a_small_thread(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(test);
    thread.expect("a thread can be made").join().expect("the test holds");
}

fn nesting_within_the_limit_fits_a_small_stack() {
    in_a_small_thread(|| {
        for (open, inner, close) in [
            ("(", "1", ")"),
            ("[", "1", "]"),
            ("{a: ", "1", "}"),
            ("f(", "1", ")"),
            ("f(a = [", "1", "])"),
            ("x => ", "1", ""),
            ("!", "x", ""),
            ("c ? a : ", "b", ""),
            ("`${", "1", "}`"),
            ("1 ?? 2 || 3 && 4 == 5 < 6 + 7 * (", "1", ")"),
            ("f(`${[1 ?? 2 || 3 && 4 == 5 < 6 + 7 * {a: x => (", "1", ")}]}`)"),
        ] {
            let brackets = open.matches(['(', '[', '{']).count() + open.matches('`').count();
            let count = 190 / brackets.max(1);
            let text = format!("{}{inner}{}", open.repeat(count), close.repeat(count));
            assert!(read(&text) <= 1, "{text}");
        }
    });
}

fn nesting_beyond_all_limits_is_one_mistake_and_a_line_of_its_own() {
    in_a_small_thread(|| {
        for piece in [
            "(", "[", "{", "([{", "f(", "`${", "\"${", "x => ", "!", "-", "a ? ", "a ? b : ", "(x => {",
            "...", "await ",
        ] {
            let failures = read(&piece.repeat(100_000));
            assert!((1..=3).contains(&failures), "{piece} {failures}");
        }
    });
}

fn what_follows_a_mistake_is_read() {
    for mistake in ["f(a", "\"text", "f(a b)", "{a: ", "§", ")", "f(/a)", "`${a b}`"] {
        let text = format!("{mistake}\nafter(1)");
        let code = Code::read(&text, Span::new(0, text.len()), &limits());
        let calls = |at: usize| matches!(code.expression(at).value.kind, ExpressionKind::Call(call) if call.name.text == "after");
        let after = (0..code.tokens().len()).find(|at| code.text_of(*at) == "after").expect("it is there");
        assert!(calls(after) && code.tokens()[after].starts_line, "{text}");
        assert_eq!(code.end_of_line(0, 0), after, "{text}");
        assert!(read(&text) >= 1, "{text}");
    }
}

fn spans_are_of_the_whole_text() {
    let text = "# Title\n\n```\nf(\"é\", x => { g() })\n```\n";
    let start = text.find("f(").expect("there is code");
    let code = Code::read(text, Span::new(start, text.len() - 4), &limits());
    assert_eq!(code.tokens().last().map(|it| &it.kind), Some(&TokenKind::End));
    let part = code.expression(0);
    assert_eq!(&text[part.value.span.range()], "f(\"é\", x => { g() })");
    assert_eq!(part.next, code.tokens().len() - 1);
    let arguments = code.arguments(1);
    assert_eq!((arguments.value.len(), arguments.next), (2, part.next));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    fn any_text_is_read_to_its_end(text in "\\PC{0,60}") {
        read(&text);
    }

    fn any_tokens_are_read_to_their_end(pieces in prop::collection::vec(
        prop::sample::select(vec![
            "(", ")", "[", "]", "{", "}", "${", "`", "\"", "'", "/", "\\", "\n", "\r\n", "\n  ", " ", ",", ":", "=", "=>",
            "?", ".", "...", "-", "+", "!", "a", "is", "in", "await", "1", "0x", "//", "/*", "*/", "<", ">", ";", "é", "§",
        ]), 0..40)) {
        read(&pieces.concat());
    }
}
