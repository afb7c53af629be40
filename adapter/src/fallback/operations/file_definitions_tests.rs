use std::fs;
use std::time::Duration;

use ide_protocol::{FileRange, Line, Point};

use super::*;
use crate::fallback::source::text::SIZE_LIMIT;

fn ask(files: &[(&str, String)]) -> FileDefinitionsResult {
    let dir = tempfile::tempdir().unwrap();
    files.iter().for_each(|(path, text)| fs::write(dir.path().join(path), text).unwrap());
    ask_in(&dir)
}

fn ask_in(dir: &tempfile::TempDir) -> FileDefinitionsResult {
    let roots = SessionFolders::new(vec![dir.path().to_owned()]);
    let request = FileDefinitionsQuestion { path: ".".into(), kind: None };
    answer(&roots, &request, Instant::now() + Duration::from_secs(600), &AtomicBool::default()).unwrap()
}

/// Returns the text of a file with so many definitions.
fn functions(count: usize) -> String {
    (0..count).map(|it| format!("fn f{it}() {{}}\n")).collect()
}

#[test]
fn where_a_long_list_is_cut_is_said() {
    let found = ask(&[("a.rs", functions(600)), ("b.rs", functions(600))]);
    assert_eq!((found.definitions.len(), found.total), (LIMIT, 1200));
    let cut = Reason::DefinitionsCutFrom { shown: LIMIT, total: 1200, path: "b.rs".into() };
    assert_eq!(found.completeness.reasons(), [cut]);

    let found = ask(&[("a.rs", functions(LIMIT)), ("b.rs", functions(1))]);
    let cut = Reason::DefinitionsCutAfter { shown: LIMIT, total: LIMIT + 1, path: "a.rs".into() };
    assert_eq!(found.completeness.reasons(), [cut]);
}

#[test]
fn a_long_outline_is_cut() {
    let at = |line| {
        let point = Point { line: Line::from_index(line), column: ide_protocol::Column::FIRST };
        FileRange::new("a.sql", point, point)
    };
    let definitions = (0..=LIMIT).map(|it| Definition::new(format!("f{it}"), "function", at(it), at(it)));
    let completeness = Completeness::complete(Source("language-server:fake".into()));
    let outline = OutlineResult { completeness, definitions: definitions.collect() };
    let found = of_outline(outline, &FileDefinitionsQuestion { path: "a.sql".into(), kind: None }).unwrap();
    assert_eq!(found.definitions.len(), LIMIT);
    assert_eq!(found.completeness.reasons(), [Reason::DefinitionsCut { shown: LIMIT, total: LIMIT + 1 }]);
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.rs"), functions(1)).unwrap();
    // Without taking room on the disk.
    fs::File::create(dir.path().join("b.rs")).unwrap().set_len(SIZE_LIMIT + 1).unwrap();
    let found = ask_in(&dir);
    assert_eq!(found.total, 1);
    let paths = Listing::of(["b.rs".to_owned()], NAMED_FILES);
    assert_eq!(found.completeness.reasons(), [Reason::NotParsed { paths }]);
}

#[test]
fn a_file_that_is_too_long_to_be_parsed_is_named() {
    let long = "// a comment of some length that nobody reads\n".repeat(120_000) + &functions(1);
    let found = ask(&[("a.rs", functions(1)), ("b.rs", long)]);
    assert_eq!(found.total, 1);
    let reasons = found.completeness.reasons();
    assert!(
        !found.completeness.is_complete() && reasons.iter().any(|it| it.to_string().contains("b.rs")),
        "{reasons:?}"
    );
}
