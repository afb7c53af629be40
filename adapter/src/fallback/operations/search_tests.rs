use std::fs;
use std::time::Duration;

use expect_test::{Expect, expect};

use super::*;

fn check(path: &str, pattern: &str, extension: Option<&str>, expected: Expect) {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("src")).unwrap();
    fs::write(dir.path().join("src/a.rs"), "fn one() {}\n    fn two() {}\n").unwrap();
    fs::write(dir.path().join("src/b.toml"), "fn = 1\n").unwrap();
    let request =
        SearchQuestion { extension: extension.map(Into::into), ..SearchQuestion::new(path, pattern) };
    let roots = SessionFolders::new(vec![dir.path().to_owned()]);
    let deadline = Instant::now() + Duration::from_secs(60);
    let shown = match answer(&roots, &request, deadline, &Arc::default()) {
        Ok(result) => {
            let hits = result.hits.iter().map(|it| {
                let text = it.text.as_deref().unwrap_or_default();
                format!("{}:{}:{}-{} {text}\n", it.path, it.start.line, it.start.column, it.end.column)
            });
            format!("{}{} {:?}", hits.collect::<String>(), result.total, result.completeness.note())
        }
        Err(error) => format!("{}\n{}", error.message, error.recovery.unwrap_or_default()),
    };
    expected.assert_eq(&shown);
}

#[test]
fn folders_and_files_and_extensions() {
    for extension in ["rs", ".rs", "*.rs"] {
        check(
            ".",
            r"\bfn\b",
            Some(extension),
            expect![[r#"
                src/a.rs:1:1-3 fn one() {}
                src/a.rs:2:5-7 fn two() {}
                2 None"#]],
        );
    }
    check(
        "src/b.toml",
        "fn",
        None,
        expect![[r#"
        src/b.toml:1:1-3 fn = 1
        1 None"#]],
    );
}

#[test]
fn an_extension_that_no_file_has() {
    check(
        ".",
        "fn",
        Some("ts"),
        expect![[r#"0 Some("no file in `.` ends with `.ts`; there are `.rs`, `.toml`")"#]],
    );
}

#[test]
fn named_groups_are_data() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.txt"), "k1 = é\r\nk2 =\nnone\n").unwrap();
    let pattern = r"(?<key>\w+)(\d) =(?: (?<value>.+))?$".to_owned();
    let request = SearchQuestion::new(".", pattern);
    let roots = SessionFolders::new(vec![dir.path().to_owned()]);
    let result = answer(&roots, &request, Instant::now() + Duration::from_secs(60), &Arc::default()).unwrap();
    let groups: Vec<_> = result.hits.iter().map(|it| format!("{:?}", it.groups)).collect();
    assert_eq!(groups, [r#"{"key": "k", "value": "é"}"#, r#"{"key": "k", "value": ""}"#]);
}

#[test]
fn hits_in_code_tell_what_they_are_in() {
    let dir = tempfile::tempdir().unwrap();
    let code = "// limit\nstruct A;\nimpl A {\n    fn f(limit: u8) -> u8 {\n        g(\"limit\");\n        limit + 1\n    }\n}\n";
    fs::write(dir.path().join("a.rs"), code).unwrap();
    fs::write(dir.path().join("b.txt"), "limit\n").unwrap();
    let roots = SessionFolders::new(vec![dir.path().to_owned()]);
    let told = |pattern: &str| {
        let request = SearchQuestion::new(".", pattern);
        let until = Instant::now() + Duration::from_secs(60);
        let result = answer(&roots, &request, until, &Arc::default()).unwrap();
        let words = |it: &FileRange| format!("{} {:?} {:?}", it.start.line, it.role, it.inside);
        result.hits.iter().map(words).collect::<Vec<_>>()
    };
    assert_eq!(
        told("limit"),
        [
            r#"1 Some("comment") None"#,
            r#"4 Some("definition") Some("A.f")"#,
            r#"5 Some("string") Some("A.f")"#,
            r#"6 Some("read") Some("A.f")"#,
            "1 None None",
        ]
        .map(|it| it.replace("A.f", "A::f")),
        "a text file has neither"
    );
    assert_eq!(told(r"limit \+"), [r#"6 None Some("A::f")"#], "an expression has no role");
    assert_eq!(told("fn|struct"), ["2 None Some(\"A\")", "4 None Some(\"A::f\")"], "nor has a keyword");
}

#[test]
fn the_text_of_a_hit_is_its_whole_line() {
    let dir = tempfile::tempdir().unwrap();
    let (long, longer) = (format!("x{}y", "-".repeat(9000)), format!("x{}y", "é".repeat(90_000)));
    fs::write(dir.path().join("a.txt"), format!("  {long}\n{longer}\n")).unwrap();
    let request = SearchQuestion::new(".", "x");
    let roots = SessionFolders::new(vec![dir.path().to_owned()]);
    let result = answer(&roots, &request, Instant::now() + Duration::from_secs(60), &Arc::default()).unwrap();
    let texts: Vec<_> = result.hits.iter().filter_map(|it| it.text.as_deref()).collect();
    assert_eq!(texts[0], long);
    assert!(texts[1].starts_with("xéé") && texts[1].ends_with("é…+80002"), "{}", texts[1]);
}

#[test]
fn a_missing_path() {
    check(
        "source",
        "fn",
        None,
        expect![[r#"
        no file or folder `source` in the workspace
        There are: `src`."#]],
    );
}

#[test]
fn patterns_that_do_not_parse() {
    check(
        ".",
        "fn one(",
        None,
        expect![[r#"
        the pattern `fn one(` is no regular expression at character 7: unclosed group
        To search for this very text, escape it: `fn one\(`"#]],
    );
    check(
        ".",
        r"(?<=fn )\w+",
        None,
        expect![[r#"
        the pattern `(?<=fn )\w+` is no regular expression at character 1: look-around, including look-ahead and look-behind, is not supported
        Look-ahead and look-behind are not supported: search for the plain part and filter the hits."#]],
    );
    check(
        ".",
        r"(\w)\1",
        None,
        expect![[r#"
        the pattern `(\w)\1` is no regular expression at character 5: backreferences are not supported
        Backreferences are not supported: search for the plain part and filter the hits."#]],
    );
    check(
        ".",
        "one\ntwo",
        None,
        expect![[r#"
        the pattern `one
        two` spans lines, but each line is matched by itself
        Search for one of the lines; `lines` shows what stands around a hit."#]],
    );
    check(
        ".",
        "a{99999999}",
        None,
        expect![[r#"
        the pattern `a{99999999}` is no regular expression: compiled regex exceeds size limit of 104857600
        To search for this very text, escape it: `a\{99999999\}`"#]],
    );
}

fn reasons(files: &[(&str, String)]) -> Vec<Reason> {
    let dir = tempfile::tempdir().unwrap();
    files.iter().for_each(|(path, text)| fs::write(dir.path().join(path), text).unwrap());
    let request = SearchQuestion::new(".", "hit");
    let roots = SessionFolders::new(vec![dir.path().to_owned()]);
    let until = Instant::now() + Duration::from_secs(600);
    answer(&roots, &request, until, &Arc::default()).unwrap().completeness.reasons().to_vec()
}

#[test]
fn what_is_not_listed_or_not_known_is_said() {
    let many = reasons(&[("a.txt", "hit\n".repeat(1500))]);
    assert_eq!(many, [Reason::HitsCut { shown: HIT_LIMIT, total: 1500 }]);
    // A line that is too long to be held ends the search of its file.
    let unread = reasons(&[("a.txt", "hit\n".into()), ("b.txt", "x".repeat(line_search::LINE_LIMIT + 1))]);
    assert_eq!(unread, [Reason::SomeNotRead { files: 1 }]);
    let large = reasons(&[("a.rs", format!("// hit\n{}", "// filler\n".repeat(500_000)))]);
    assert_eq!(large, [Reason::UnknownContext { files: 1 }]);
    let binary = reasons(&[("a.bin", "\0hit".into())]);
    assert_eq!(binary, [Reason::NothingSearched { path: ".".into() }]);
}
