//! For any bytes, parsing ends and all spans lie in the text.

use libtest_mimic::Trial;
use proptest::prelude::*;
use source_text::Span;
use syntax::{Language, Outline, Parsed, Pattern};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        every_language_reads_any_text,
        deep_and_long_texts_end,
        every_language_reads_any_pattern,
        patterns_end
    ]
}

/// Pieces of text with a meaning in grammars.
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
        prop_assert!(lies_in(it.with_value, text) && it.signature.end <= it.with_value.end, "{it:?}");
        prop_assert!(!it.name_at.range().is_empty(), "{it:?}");
        prop_assert!(it.parent.is_none_or(|parent| parent < index), "{it:?}");
        let _signature = it.signature(text);
        let _container = outline.container(it);
    }
    Ok(())
}

/// Returns how many texts are tried: so many, or as `PROPTEST_CASES` says.
#[expect(clippy::disallowed_methods, reason = "whoever runs the tests says how long")]
fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|it| it.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(usual), ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(if literate::is_long("loops") { 32 } else { 16 }))]

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

/// Tests code that is far deeper or longer than people write. The short form reads each text in one of four languages,
/// and so some of the texts in each.
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
    for (number, text) in texts.iter().enumerate() {
        for (place, language) in Language::all().enumerate() {
            if literate::is_long("loops") || (number + place) % 4 == 0 {
                let outline = syntax::outline(language, text);
                check(&outline, text).expect("what is found lies in the text");
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(if literate::is_long("loops") { 24 } else { 8 }))]

    fn every_language_reads_any_pattern(pattern in text(), holes in "[$A-C(),; ]{0,12}", text in text()) {
        for language in Language::all() {
            let Some(parsed) = Parsed::new(language, &text) else { continue };
            let patterns = [pattern.clone(), format!("{pattern}{holes}"), format!("f({holes})")];
            for pattern in patterns.iter().filter_map(|it| Pattern::new(language, it).ok()) {
                for found in pattern.matches(&parsed).found {
                    prop_assert!(lies_in(found.span, &text));
                    prop_assert_eq!(found.bindings.len(), pattern.names().len());
                    prop_assert!(found.bindings.iter().all(|it| lies_in(*it, &text)));
                    // What has none of the words is not looked into.
                    let whole = &text[found.span.range()];
                    prop_assert!(pattern.words().iter().all(|it| whole.contains(it.as_str())));
                }
            }
        }
    }
}

/// Tests holes that can be divided in very many ways over a long row of things.
fn patterns_end() {
    let rust = Language::of_id("rust").expect("it is known");
    let text = format!("fn f() {{ f({}); }}", "a, ".repeat(3_000));
    let parsed = Parsed::new(rust, &text).expect("it is within bounds");
    let hostile = ["f($$$A, b, $$$B, c, $$$C, d, $$$D, e)", "f($$$A, $$$B, $$$C, $$$D, $$$A, b)"];
    for pattern in hostile {
        let pattern = Pattern::new(rust, pattern).expect("it is code");
        let matches = pattern.matches(&parsed);
        assert!(matches.found.is_empty(), "{matches:?}");
    }
    let deep = "(".repeat(1_500) + "$A" + &")".repeat(1_500);
    for language in Language::all() {
        let _too_deep_or_no_code = Pattern::new(language, &deep);
        let _too_large = Pattern::new(language, &"f($A);".repeat(2_000)).expect_err("it is too large");
        let _many_holes = Pattern::new(language, &"$$$A + ".repeat(500));
    }
}
