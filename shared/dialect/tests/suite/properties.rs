//! Properties of every program and every value.

use dialect::{
    FailureKind, Form, Limit, Limits, Object, Outcome, Program, Registry, Value, explain, print, run,
};
use futures::executor::block_on;
use libtest_mimic::Trial;
use proptest::prelude::*;

use crate::spec::world;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        offered_programs_read_and_ask_no_more,
        a_program_is_the_same_in_either_form,
        marks_of_data_are_the_same_in_either_form,
        any_text_has_an_outcome_in_words,
        limits_hold,
        huge_programs_have_an_outcome,
        a_hundred_thousand_brackets_are_too_deep,
        the_deepest_programs_run,
        values_do_not_explode,
        calls_of_methods_in_each_other_do_not_explode,
        a_lambda_that_never_ends_does,
        effects_are_known_before_a_program_runs
    ]
}

pub(crate) fn outcome(registry: &Registry, program: &str) -> Outcome {
    block_on(run(registry, program, &Limits::default()))
}

/// Generates pieces of programs, and some that no program has.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        ";",
        ".",
        "?.",
        "?",
        "=>",
        "=",
        "==",
        "!=",
        "<",
        "+",
        "-",
        "!",
        "&&",
        "??",
        "...",
        "`",
        "\"",
        "'",
        "\\",
        "//",
        "/*",
        "*/",
        "\n",
        " ",
        "#",
        "::",
        "|",
        "x",
        "y",
        "let",
        "return",
        "for",
        "in",
        "if",
        "else",
        "and",
        "not",
        "lambda",
        "null",
        "true",
        "None",
        "1",
        "2.5",
        "1e999",
        "007",
        "-0.0",
        "twice",
        "findReferences",
        "search",
        "map",
        "quote",
        "attempt",
        "symbol",
        "`User`",
        "\"a\\n\"",
        "'b'",
        "{\"twice\": 1}",
        "\"lambda\"",
        "\"var\"",
        "\u{feff}",
        "é",
        "日本",
        "😀",
        "\u{0}",
        "\r\n",
        "\t",
        "```",
    ];
    prop_oneof![8 => proptest::sample::select(pieces.map(str::to_owned).to_vec()), 1 => any::<String>()]
}

fn programs() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        prop::collection::vec(piece(), 0..40).prop_map(|pieces| pieces.concat()),
        prop::collection::vec(piece(), 0..40).prop_map(|pieces| pieces.join(" ")),
    ]
}

/// Generates names of functions, and other text that looks like part of a program.
fn texts() -> impl Strategy<Value = String> {
    let tricky = [
        "",
        "`",
        "``",
        "```",
        "${x}",
        "\\",
        "\"",
        "'",
        "\n",
        "\r\n",
        "\u{8}",
        "\u{c}",
        "\u{0}",
        "\u{2028}",
        "\u{feff}",
        "twice",
        "twice(1)",
        "{\"twice\": 1}",
        "find_references",
        "count",
        "map",
        "name",
        "path",
        "line",
        "function",
        "arguments",
        "quote",
        "lambda",
        "var",
        "let",
        "if",
        "field",
        "index",
        "object",
        "+",
        "null",
        "a b",
        "0",
    ];
    prop_oneof![2 => proptest::sample::select(tricky.map(str::to_owned).to_vec()), 1 => any::<String>()]
}

fn numbers() -> impl Strategy<Value = Value> {
    let floats = any::<f64>().prop_filter_map("finite", serde_json::Number::from_f64);
    let integers = prop_oneof![any::<i64>().prop_map(Into::into), any::<u64>().prop_map(Into::into)];
    prop_oneof![floats, integers].prop_map(Value::Number)
}

pub(crate) fn place() -> impl Strategy<Value = Value> {
    (texts(), numbers())
        .prop_map(|(path, line)| record("Place", [("path", Some(path.into())), ("line", Some(line))]))
}

fn record<const N: usize>(name: &str, fields: [(&str, Option<Value>); N]) -> Value {
    let given = fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::record(name, Object::from_iter(given))
}

pub(crate) fn values() -> impl Strategy<Value = Value> {
    let symbol =
        (texts(), prop::option::of(texts()), prop::option::of(numbers())).prop_map(|(name, path, line)| {
            record("Symbol", [("name", Some(name.into())), ("path", path.map(Into::into)), ("line", line)])
        });
    let definition = (texts(), texts(), place()).prop_map(|(name, kind, place)| {
        record(
            "Definition",
            [("name", Some(name.into())), ("kind", Some(kind.into())), ("definedAt", Some(place))],
        )
    });
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        numbers(),
        texts().prop_map(Value::from),
        place(),
        symbol,
        definition,
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((texts(), inner), 0..4).prop_map(|fields| Object::from_iter(fields).into()),
        ]
    })
}

/// Generates valid programs in text form; `names` names are bound: `x0`, `x1`, …
fn expressions(depth: u32, names: usize) -> BoxedStrategy<String> {
    let registry = world::registry();
    let literal = values().prop_map(move |value| print(&registry, &value));
    let number = (0..4_u32).prop_map(|it| it.to_string());
    let simple = prop_oneof![literal, number, Just("true".to_owned()), Just("[1, 2]".to_owned())];
    let name = if names == 0 {
        Just("3".to_owned()).boxed()
    } else {
        (0..names).prop_map(|it| format!("x{it}")).boxed()
    };
    if depth == 0 {
        return prop_oneof![simple, name].boxed();
    }
    let inner = expressions(depth - 1, names);
    let inner = || inner.clone();
    let bound = format!("x{names}");
    let operator = proptest::sample::select(vec!["+", "-", "*", "/", "==", "<", "&&", "||", "??", "!="]);
    let lambda = expressions(depth - 1, names + 1).prop_map(move |body| format!("({bound} => {body})"));
    prop_oneof![
        simple,
        name,
        (inner(), operator, inner()).prop_map(|(a, operator, b)| format!("({a}) {operator} ({b})")),
        (inner(), inner(), inner()).prop_map(|(c, a, b)| format!("({c}) ? {a} : {b}")),
        (inner(), inner()).prop_map(|(a, b)| format!("[{a}, ...[{b}]]")),
        (inner(), inner()).prop_map(|(a, b)| format!("{{a: {a}, twice: {b}, count: 1}}")),
        inner().prop_map(|it| format!("({it}).a")),
        inner().prop_map(|it| format!("({it})?.a?.keysOf()")),
        inner().prop_map(|it| format!("({it})[-1]")),
        inner().prop_map(|it| format!("!({it})")),
        inner().prop_map(|it| format!("-({it})")),
        inner().prop_map(|it| format!("twice({it})")),
        inner().prop_map(|it| format!("search(pattern=`a`, path={it})")),
        inner().prop_map(|it| format!("concat([{it}], separator=`, `)")),
        (inner(), lambda.clone()).prop_map(|(list, f)| format!("map([{list}], {f})")),
        (inner(), lambda.clone()).prop_map(|(value, f)| format!("let({value}, {f})")),
        Just("[`a`, `bc`].map(size)".to_owned()),
    ]
    .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    fn offered_programs_read_and_ask_no_more(text in expressions(4, 0)) {
        let registry = world::registry();
        let Ok(program) = Program::parse(&registry, &text, &Limits::default()) else { return Ok(()) };
        for form in Form::ALL {
            let text = program.write(&registry, form);
            let Outcome::Ambiguity(ambiguity) = outcome(&registry, &text) else { continue };
            for candidate in ambiguity.candidates() {
                let again = Program::parse(&registry, &candidate.program, &Limits::default());
                // What is chosen may lack a member that is asked of it further on; the run would fail there, too.
                let is_later_mistake = |it: &dialect::Failure| it.kind.name() == "noMember";
                let reads = again.as_ref().err().is_none_or(|it| it.all.iter().all(is_later_mistake));
                prop_assert!(reads, "{}\n{}\n{:?}", text, candidate.program, again);
                if let Outcome::Ambiguity(again) = outcome(&registry, &candidate.program) {
                    prop_assert_ne!(&again, &ambiguity, "{}", text);
                }
            }
        }
    }

    fn a_program_is_the_same_in_either_form(text in expressions(4, 0)) {
        is_the_same_in_either_form(&text)?;
    }
}

fn is_the_same_in_either_form(text: &str) -> Result<(), TestCaseError> {
    let registry = world::registry();
    let limits = Limits::default();
    let Ok(program) = Program::parse(&registry, text, &limits) else { return Ok(()) };
    let comes_to = |program: &Program| match block_on(program.run(&registry, &limits)) {
        Outcome::Success(success) => Ok(success.value),
        Outcome::Failure(failures) => Err(failures.all.iter().map(|it| it.kind.name()).collect::<Vec<_>>()),
        Outcome::Ambiguity(ambiguity) => {
            Err(vec![if ambiguity.candidates().is_empty() { "" } else { "asks" }])
        }
    };
    let written = Form::ALL.map(|form| program.write(&registry, form));
    for (form, one) in Form::ALL.into_iter().zip(&written) {
        let again = Program::parse(&registry, one, &limits);
        prop_assert!(again.is_ok(), "{text}\n{one}\n{again:?}");
        let again = again.expect("it was just asserted");
        prop_assert_eq!(comes_to(&again), comes_to(&program), "{}\n{}", text, one);
        prop_assert_eq!(&again.write(&registry, form), one, "{}", text);
    }
    let from_json = Program::parse(&registry, &written[1], &limits).expect("it was just asserted");
    if !text.contains("?.") {
        prop_assert_eq!(&from_json.write(&registry, Form::Text), &written[0]);
    }
    Ok(())
}

/// Checks lists that start with a name: each form marks them as data in a way of its own.
fn marks_of_data_are_the_same_in_either_form() {
    for text in [
        "quote([`find_references`])",
        "quote([`findReferences`])",
        "quote([`if`, true])",
        "quote({twice: 1})",
    ] {
        is_the_same_in_either_form(text).expect(text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    fn any_text_has_an_outcome_in_words(program in programs()) {
        let registry = world::registry();
        let outcome = outcome(&registry, &program);
        let words = explain(&outcome, &program);
        prop_assert!(!words.text.is_empty());
        if let Outcome::Failure(failures) = &outcome {
            prop_assert!(!failures.all.is_empty());
            for span in failures.all.iter().filter_map(|failure| failure.span) {
                prop_assert!(program.get(span.range()).is_some(), "{span:?} in {program:?}");
            }
            if let Some(corrected) = &failures.corrected {
                prop_assert!(Program::parse(&registry, corrected, &Limits::default()).is_ok(), "{corrected}");
            }
        }
    }

    fn limits_hold(count in 0_u32..40, calls in 1_usize..20) {
        let limits = Limits { calls, ..Limits::default() };
        let program = format!("[{}]", vec!["now()"; count as usize].join(", "));
        let is_within = matches!(block_on(run(&world::registry(), &program, &limits)), Outcome::Success(_));
        prop_assert_eq!(is_within, count as usize <= calls);
    }
}

/// Checks that huge repetitive programs end with an explanation, and without a stack overflow.
fn huge_programs_have_an_outcome() {
    let registry = world::registry();
    let length = if literate::is_long("loops") { 300_000 } else { 60_000 };
    for piece in [
        "(",
        "[",
        "{",
        ")",
        "f(",
        "{a:",
        "!",
        "-",
        "+",
        "1+",
        "1 + ",
        "a.",
        "x=>",
        "true?1:",
        "`",
        "\"",
        "'a",
        "§",
        "§ ",
        "/*",
        "//\n",
        "\n",
        "a\n",
        "a;",
        "a ",
        "1,",
        ",",
        "twice(1),",
        "x = 1\n",
        "null?.",
        "...",
        "\\",
        "a::",
        "1 2 ",
        "not ",
        "await ",
        "a/",
        "[0]",
        "``",
        "`a` ",
        "for x in y ",
        "${",
        "\u{feff}",
    ] {
        let program = piece.repeat(length / piece.len());
        let outcome = outcome(&registry, &program);
        assert!(explain(&outcome, &program).text.len() < 20_000, "{piece}");
    }
}

fn a_hundred_thousand_brackets_are_too_deep() {
    for (open, close) in [("(", ")"), ("[", "]"), ("{a: ", "}"), ("twice(", ")"), ("[x => ", "]")] {
        let program = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let Outcome::Failure(failures) = outcome(&world::registry(), &program) else {
            panic!("{open} has an outcome")
        };
        let depth = Limits::default().depth;
        let expected = FailureKind::LimitReached { limit: Limit::Depth, at_most: depth };
        assert_eq!(*failures.all[0].kind, expected, "{open}");
    }
}

/// Checks the deepest programs in the stack of a test's thread, without optimization.
fn the_deepest_programs_run() {
    let registry = world::registry();
    let depth = Limits::default().depth;
    let calls = format!("{}1{}", "twice(".repeat(depth), ")".repeat(depth));
    let lists = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let echoes = format!("{}1{}", "echo([".repeat(depth / 2), "])".repeat(depth / 2));
    let maps = format!("{}1{}", "[0].map(x => ".repeat(depth / 2), ")".repeat(depth / 2));
    let methods = format!("1{}", ".twice()".repeat(depth));
    let choices = format!("{}1", "false ? 0 : ".repeat(depth));
    for program in [calls, lists, echoes, maps, methods, choices] {
        let outcome = outcome(&registry, &program);
        assert!(matches!(outcome, Outcome::Success(_)), "{}", explain(&outcome, &program).text);
    }
}

/// Checks that a small program makes no huge value, by length, depth or text.
fn values_do_not_explode() {
    for (start, line, times) in [
        ("[]", "x = [x]", 100_000),
        ("[]", "x = [x, x]", 64),
        ("[1]", "x = [...x, ...x]", 64),
        ("{}", "x = {a: x, b: x}", 64),
        ("`ab`", "x = x + x", 64),
        ("{}", "x = {a: x}", 100_000),
        ("range(20000)", "x = x.map(y => x)", 3),
        ("range(20000)", "x = x.map(y => x.map(z => x))", 3),
    ] {
        let program = format!("x = {start}\n{}x", format!("{line}\n").repeat(times));
        let outcome = outcome(&world::registry(), &program);
        let Outcome::Failure(failures) = outcome else { panic!("{line} has no limit") };
        assert!(matches!(*failures.all[0].kind, FailureKind::LimitReached { .. }), "{failures:?}");
    }
}

/// Checks nested calls of a method that two types have. Each is resolved for either type of all those around
/// it, yet they are read, or passed over within the limit.
fn calls_of_methods_in_each_other_do_not_explode() {
    let nested = |depth| {
        format!("{}celsius(1){}", "celsius(3).after(hours=".repeat(depth), ".after(hours=2))".repeat(depth))
    };
    let few = Program::parse(&world::registry(), &nested(3), &Limits::default());
    assert!(few.is_ok(), "{few:?}");
    let many = Program::parse(&world::registry(), &nested(40), &Limits::default());
    let failures = many.expect_err("it has a million million calls");
    assert!(matches!(*failures.all[0].kind, FailureKind::LimitReached { .. }), "{failures:?}");
}

fn a_lambda_that_never_ends_does() {
    let program = "w = f => f(f)\nw(w)";
    let outcome = outcome(&world::registry(), program);
    let Outcome::Failure(failures) = outcome else { panic!("it never ends") };
    assert!(matches!(*failures.all[0].kind, FailureKind::LimitReached { .. }), "{failures:?}");
}

fn effects_are_known_before_a_program_runs() {
    use dialect::Effect::{Pure, Reads, Writes};
    for (program, effect) in [
        ("[1, {a: 2}]", Pure),
        ("twice(1)", Pure),
        ("describe(place(`a`, 1))", Pure),
        ("now()", Reads),
        ("findReferences(symbol(`User`))", Reads),
        ("[now(), deleteFile(`a`)]", Writes),
        ("x => deleteFile(`a`)", Writes),
        ("[`a`].map(deleteFile)", Writes),
        ("false ? deleteFile(`a`) : 1", Writes),
        ("{\"deleteFile\": \"a\"}", Writes),
    ] {
        let program = Program::parse(&world::registry(), program, &Limits::default()).expect(program);
        assert_eq!(program.effect(), effect, "{program:?}");
    }
}
