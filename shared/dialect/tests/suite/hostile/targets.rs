//! Properties of any bytes at all, for the fuzzer and for a plain test.

use dialect::{
    Expected, FailureKind, Form, Limits, Outcome, Program, Registry, Value, explain, print_json, run,
};
use futures::executor::block_on;

/// Returns the target of that name.
pub(crate) fn target(name: &str) -> fn(&Registry, &[u8]) {
    match name {
        "read" => read,
        "json" => json,
        "evaluate" => evaluate,
        _ => panic!("there is no target `{name}`"),
    }
}

/// Limits that keep a fuzzer fast, and that it reaches.
const LIMITS: Limits = Limits {
    source_bytes: 1 << 16,
    depth: 40,
    steps: 20_000,
    calls: 300,
    list_length: 2_000,
    value_bytes: 1 << 20,
};

/// Limits for written programs, which have more brackets than their source.
const AGAIN: Limits = Limits { source_bytes: 1 << 20, depth: 200, ..LIMITS };

/// Checks that a program can be written in either form, and reads as itself again.
fn read(registry: &Registry, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(program) = Program::parse(registry, &text, &LIMITS) else { return };
    for form in Form::ALL {
        let written = program.write(registry, form);
        let again = Program::parse(registry, &written, &AGAIN);
        let again = again.unwrap_or_else(|failures| panic!("{text}\n{written}\n{failures:?}"));
        assert_eq!(again.write(registry, form), written, "{text}");
    }
}

/// Checks that all JSON is read, as data or as a program with mistakes. Data prints as a program that makes
/// it.
fn json(registry: &Registry, bytes: &[u8]) {
    read(registry, bytes);
    let Ok(json) = serde_json::from_slice::<serde_json::Value>(bytes) else { return };
    if let Err(failures) = Program::parse(registry, &json.to_string(), &LIMITS) {
        let is_unread = |name: &str| ["unexpected", "missingComma", "unexpectedCharacter"].contains(&name);
        // `{"let": [["true", 1], 2]}` is read, and binds the name of a literal.
        let binds_literal =
            |kind: &FailureKind| matches!(kind, FailureKind::Unexpected { expected: Expected::Name, .. });
        let is_unread = failures.all.iter().any(|it| is_unread(it.kind.name()) && !binds_literal(&it.kind));
        assert!(!is_unread, "{json}\n{failures:?}");
    }
    let value = Value::from(json);
    let printed = print_json(registry, &value);
    match block_on(run(registry, &printed, &LIMITS)) {
        Outcome::Success(success) => assert_eq!(success.value, value, "{printed}"),
        Outcome::Failure(failures) if failures.all.iter().all(|it| it.kind.name() == "limitReached") => {}
        other => panic!("{printed}\n{other:?}"),
    }
}

/// Checks that a program has an outcome within its limits, with words for it. The programs in it read.
fn evaluate(registry: &Registry, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let outcome = block_on(run(registry, &text, &LIMITS));
    assert!(!explain(&outcome, &text).text.is_empty(), "{text}");
    match &outcome {
        Outcome::Failure(failures) => {
            for span in failures.all.iter().filter_map(|it| it.span) {
                assert!(text.get(span.range()).is_some(), "{span:?} in {text}");
            }
            if let Some(corrected) = &failures.corrected {
                reads(registry, &text, corrected);
            }
        }
        Outcome::Ambiguity(ambiguity) => {
            assert!(ambiguity.candidates().len() > 1, "{text}");
            for candidate in ambiguity.candidates() {
                reads(registry, &text, &candidate.program);
            }
        }
        Outcome::Success(_) => {}
    }
}

fn reads(registry: &Registry, program: &str, offered: &str) {
    let read = Program::parse(registry, offered, &AGAIN);
    assert!(read.is_ok(), "{program}\noffers\n{offered}\nwhich comes to\n{read:?}");
}
