//! Advice: each code is reported in the right place and nowhere else.

use std::path::Path;

use ailang::{Document, Documents, Strictness, validate};
use expect_test::{Expect, expect};
use libtest_mimic::Trial;
use source_text::{Encoding, LineIndex};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        bodies_require_no_more_than_their_tools,
        what_is_caught_is_thrown,
        what_is_thrown_is_caught_or_listed,
        what_is_long_is_said_to_be
    ]
}

/// Checks the diagnostics of a document of the corpus: line, code, severity and message.
fn check(name: &str, strictness: Strictness, expected: &Expect) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/invalid").join(name);
    let source = std::fs::read_to_string(path).expect("it can be read");
    let index = LineIndex::new(&source);
    let mut documents = Documents::new();
    documents.insert("a.md", Document::parse(source.clone()));
    let found = validate(&documents, "a.md", strictness).expect("it was added");
    let line = |at| index.position(&source, at, Encoding::Utf32).0 + 1;
    let reported = found
        .iter()
        .map(|it| format!("{} {} {:?}: {}\n", line(it.span.start), it.code, it.severity, it.message));
    expected.assert_eq(&reported.collect::<String>());
}

fn bodies_require_no_more_than_their_tools() {
    check(
        "i143-requires-more.md",
        Strictness::Normal,
        &expect![[r#"
        23 AL3110 Info: `file` requires `Archive`, which `tidy` does not
        29 AL3110 Info: `send` requires `ReadMail` and `SendMail`, which `silent` does not
    "#]],
    );
    check("i143-requires-more.md", Strictness::Loose, &expect![""]);
}

fn what_is_caught_is_thrown() {
    check(
        "i144-never-thrown.md",
        Strictness::Normal,
        &expect![[r#"
        39 AL3209 Warning: nothing in the `try` throws `Torn`, so it is never caught here
        49 AL3209 Warning: nothing in the `try` throws `Lost`, so it is never caught here
        55 AL3209 Warning: nothing in the `try` throws `TimeoutError`, so it is never caught here
        63 AL3209 Warning: nothing in the `try` throws `Lost`, so it is never caught here
    "#]],
    );
}

fn what_is_thrown_is_caught_or_listed() {
    check(
        "i145-uncaught.md",
        Strictness::Normal,
        &expect![[r#"
        19 AL3212 Warning: `open` may fail with `Torn`, which `half` neither catches nor lists
        30 AL3212 Warning: `rethrown` throws `Torn`, and does not list it
    "#]],
    );
    check("i145-uncaught.md", Strictness::Loose, &expect![""]);
}

fn what_is_long_is_said_to_be() {
    check(
        "i146-long-first-example.md",
        Strictness::Normal,
        &expect![[r#"
        16 AL5001 Info: the first example has 31 lines
    "#]],
    );
    check(
        "i147-long-prose.md",
        Strictness::Normal,
        &expect![[r#"
        72 AL5002 Info: 63 lines of prose follow without a heading
    "#]],
    );
}
