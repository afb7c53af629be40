//! Comparisons of two versions: each case of `cases.md` has an old and a new version, and the changes.

mod property;

use std::fmt::Write as _;
use std::path::Path;

use ailang::{Document, Documents};
use ailang_formats::{Comparison, Impact, compare};
use expect_test::expect_file;
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    [
        literate::trials![
            changes_are_named_with_their_effect,
            the_corpus_is_equal_to_itself,
            versions_before_the_first_count_by_one_less
        ],
        property::trials(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn documents(version: &str, definitions: &str) -> Documents {
    let front = if definitions.starts_with("---") {
        String::new()
    } else {
        format!("---\nid: a\ntitle: A\nsummary: A.\nversion: {version}\n---\n")
    };
    let text = if definitions.starts_with("---") {
        definitions.to_owned()
    } else {
        format!("{front}<define>\n{definitions}\n</define>\n")
    };
    let mut documents = Documents::new();
    documents.insert("a.md", Document::parse(text));
    documents
}

fn compared(old: &str, new: &str) -> Comparison {
    compare(&documents("1.2.3", old), "a.md", &documents("1.2.4", new), "a.md").expect("both are there")
}

fn shown(comparison: &Comparison) -> String {
    let mut text = String::new();
    for change in &comparison.changes {
        let _ =
            writeln!(text, "{} {} {}: {}", change.impact.name(), change.rule, change.subject, change.message);
    }
    let version = comparison.suggested().map_or("none".to_owned(), |it| it.to_string());
    let _ = writeln!(text, "version {version}");
    text
}

/// Returns the body of the first fence of that kind.
fn fence<'text>(case: &'text str, kind: &str) -> &'text str {
    let (_, rest) =
        case.split_once(&format!("```{kind}\n")).unwrap_or_else(|| panic!("{case} has no {kind}"));
    rest.split_once("\n```").map_or("", |(body, _)| body)
}

fn changes_are_named_with_their_effect() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/compare/cases.md");
    let text = std::fs::read_to_string(path).expect("it is there");
    let mut parts = text.split("\n## ");
    let mut written = parts.next().unwrap_or_default().to_owned();
    let mut count = 0;
    for case in parts {
        let (title, _) = case.split_once('\n').expect("a title and a body");
        let (old, new) = (fence(case, "old"), fence(case, "new"));
        let forward = shown(&compared(old, new));
        let _ = write!(
            written,
            "\n## {title}\n\n```old\n{old}\n```\n\n```new\n{new}\n```\n\n```changes\n{forward}```\n"
        );
        let same = |text: &str| compare(&documents("1.0.0", text), "a.md", &documents("1.0.0", text), "a.md");
        assert!([old, new].iter().all(|it| same(it).is_some_and(|it| it.changes.is_empty())), "{title}");
        count += 1;
    }
    assert!(count > 15, "{count}");
    expect_file!["cases.md"].assert_eq(&written);
}

fn the_corpus_is_equal_to_itself() {
    for folder in ["../ailang/corpus/valid", "../ailang/corpus/skills"] {
        for entry in
            std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).expect("it is there")
        {
            let text =
                std::fs::read_to_string(entry.expect("it can be read").path()).expect("it can be read");
            let mut documents = Documents::new();
            documents.insert("a.md", Document::parse(text.as_str()));
            let same = compare(&documents, "a.md", &documents, "a.md").expect("it is there");
            assert_eq!(same.changes, [], "{text}");
            assert_eq!(same.impact(), None);
        }
    }
}

fn versions_before_the_first_count_by_one_less() {
    let suggested = |old: &str, from: &str, to: &str| {
        let (one, other) = (documents(old, from), documents(old, to));
        let comparison = compare(&one, "a.md", &other, "a.md").expect("both are there");
        (
            comparison.impact(),
            comparison.suggested().expect("there is a version").to_string(),
            comparison.is_versioned(),
        )
    };
    let (less, more) = ("tool f(a: string)", "tool f(a: string)\ntool g(b: string)");
    assert_eq!(suggested("0.4.1", more, less), (Some(Impact::Major), "0.5.0".to_owned(), false));
    assert_eq!(suggested("0.4.1", less, more), (Some(Impact::Minor), "0.4.2".to_owned(), false));
    assert_eq!(suggested("2.4.1", less, more), (Some(Impact::Minor), "2.5.0".to_owned(), false));
    assert_eq!(suggested("2.4.1", less, less), (None, "2.4.1".to_owned(), true));
}
