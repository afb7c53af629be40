//! Whatever the bytes are, reading them ends, and what comes out lies in the text.

use proptest::prelude::*;
use source_text::Span;
use syntax::{Language, Outline, Parsed};

/// Pieces that grammars care about.
const PIECES: &[&str] = &[
    "fn f() {",
    "}",
    "(",
    ")",
    "{",
    "<",
    ">",
    "class A:",
    "\n    ",
    "\n",
    "def f(self):",
    "function f() {",
    "=> {",
    "\"",
    "'",
    "`${",
    "/*",
    "*/",
    "//",
    "/// User\n",
    "#[test]\n",
    "#",
    "struct User",
    "impl User for User {",
    "User",
    "import User",
    "package p\n",
    "func (u *User) F() {",
    "public ",
    "private:",
    "template <typename T> ",
    "é😀",
    "\u{feff}",
    "\r\n",
    "<?php ",
    "end\n",
    "module A\n",
    "TEST(A, B) {",
    "describe(\"x\", () => {",
    "namespace a {",
    "enum E { A,",
    "= 1;",
    "\0",
    "@test \"x\" {",
    "export default ",
    "proptest! { #[test] fn f(x in 0..1) { ",
    "macro_rules! m { () => {} }",
    ",",
];

fn text() -> impl Strategy<Value = String> {
    let piece =
        prop_oneof![proptest::sample::select(PIECES).prop_map(str::to_owned), any::<String>(), "[ -~]{0,12}"];
    proptest::collection::vec(piece, 0..40).prop_map(|it| it.concat())
}

fn lies_in(span: Span, text: &str) -> bool {
    text.get(span.range()).is_some()
}

fn check(outline: &Outline, text: &str) -> Result<(), TestCaseError> {
    for (index, it) in outline.definitions.iter().enumerate() {
        prop_assert!(
            lies_in(it.whole, text) && lies_in(it.name_at, text) && lies_in(it.signature, text),
            "{it:?}"
        );
        prop_assert!(it.whole.start <= it.name_at.start && it.name_at.end <= it.whole.end, "{it:?}");
        prop_assert!(it.whole.start <= it.signature.start, "{it:?}");
        prop_assert!(!it.name_at.range().is_empty(), "{it:?}");
        prop_assert!(it.parent.is_none_or(|parent| parent < index), "{it:?}");
        let _signature = it.signature(text);
        let _container = outline.container(it);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_language_reads_any_text(text in text()) {
        for language in Language::all() {
            let Some(parsed) = Parsed::new(language, &text) else { continue };
            let outline = parsed.outline();
            check(&outline, &text)?;
            for offset in (0..=text.len() + 1).step_by(7) {
                let _role = parsed.role(offset);
                let _test = outline.is_test(offset);
                if let Some(inside) = outline.enclosing(offset) {
                    prop_assert!(inside.whole.start <= offset && offset < inside.whole.end);
                }
            }
        }
    }
}

/// Code that is far deeper or longer than any that people write.
#[test]
fn deep_and_long_texts_end() {
    let deep = |open: &str, close: &str| open.repeat(4_000) + &close.repeat(4_000);
    let texts = [
        deep("mod a {", "}"),
        deep("fn f() {", "}"),
        deep("(", ")"),
        deep("class A { void f() { class B {", "}}}"),
        deep("function f() {", "}"),
        "a".repeat(200_000),
        "f(".repeat(2_000),
        "\"".repeat(20_000),
        "/// User\nfn f() {}\n".repeat(2_000),
        "x: { y: [".repeat(5_000),
    ];
    for text in &texts {
        for language in Language::all() {
            let outline = syntax::outline(language, text);
            check(&outline, text).expect("what is found lies in the text");
        }
    }
}
