//! A comparison of patterns with an engine of ECMA's patterns.

use dialect::{Pattern, Refinement, Value};
use libtest_mimic::Trial;
use proptest::prelude::*;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![patterns_find_what_ecma_finds]
}

/// Pieces of patterns, some of them not portable.
const PIECES: &[&str] = &[
    "a",
    "b",
    "k",
    "é",
    "ſ",
    "😀",
    "3",
    "-",
    "_",
    " ",
    "\\.",
    "\\/",
    "/",
    "\\-",
    "\\@",
    "\\\"",
    ".",
    "^",
    "$",
    "|",
    "(",
    ")",
    "(?:",
    "(?<n>",
    "*",
    "+",
    "?",
    "*?",
    "{2}",
    "{1,}",
    "{0,2}",
    "{1,2}?",
    "\\d",
    "\\D",
    "\\w",
    "\\W",
    "\\s",
    "\\S",
    "\\b",
    "\\n",
    "\\r",
    "\\t",
    "\\v",
    "\\f",
    "\\0",
    "\\x41",
    "\\u0061",
    "\\u{1F600}",
    "\\u2028",
    "\\p{L}",
    "\\P{Lu}",
    "\\p{Script=Greek}",
    "\\p{greek}",
    "[a-c]",
    "[^a]",
    "[\\w-z]",
    "[\\d-]",
    "[-\\d]",
    "[a-\\d]",
    "[+-\\d]",
    "[a\\-z]",
    "[\\]a]",
    "[.]",
    "[^\\s\\S]",
    "[\\S\\s]",
    "[",
    "]",
    "[^",
    "a-c",
    "\\u{61}-\\u{63}",
    "&",
    "~",
    "[a-c-e]",
    "[\\W_]",
    "[^\\W]",
    "[(]",
    "[{}]",
    "[$^]",
    "[/]",
    "[[]",
];

const TEXT: &str = "[abkKſAé😀3٣_ \n\r\u{2028}\u{feff}\u{85}z\\-.@\"/+&~γΓ{}(\\[\\]^$]{0,6}";

fn pattern() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..7).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, max_global_rejects: 1_000_000, ..ProptestConfig::default() })]

    fn patterns_find_what_ecma_finds(written in pattern(), folds: bool, texts in prop::collection::vec(TEXT, 1..8)) {
        let flags = if folds { "iu" } else { "u" };
        let Ok(pattern) = Pattern::parse(&written, flags) else { return Ok(()) };
        let plain = pattern.ecma();
        // What is portable is a pattern there, and so is what it is without flags.
        let ecma = match regress::Regex::with_flags(&plain, "u") {
            Ok(ecma) => ecma,
            Err(error) => return Err(TestCaseError::fail(format!("/{plain}/u of /{written}/{flags}: {error}"))),
        };
        for text in texts {
            let holds = Refinement::Regex(pattern.clone()).holds(&Value::from(text.clone()));
            prop_assert_eq!(holds, ecma.find(&text).is_some(), "/{}/{} as /{}/u on {:?}", written, flags, plain, text);
            // That engine folds complements in classes of its own accord, and takes `ſ` and `K` for ends of words.
            if folds && !written.contains("\\W") && !written.contains("\\b") && let Ok(folding) = regress::Regex::with_flags(&written, flags) {
                prop_assert_eq!(holds, folding.find(&text).is_some(), "/{}/{} on {:?}", written, flags, text);
            }
        }
    }
}
