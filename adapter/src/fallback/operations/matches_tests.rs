use std::fs;
use std::time::Duration;

use super::*;
use crate::fallback::source::text::SIZE_LIMIT;

const FILES: [(&str, &str); 7] = [
    (
        "src/a.rs",
        "fn a(x: Option<u8>) {\n    /* é */ x.unwrap();\n    println!(\"{}\", y.z().unwrap());\n}\n",
    ),
    ("src/deep/b.rs", "#[test]\nfn b() { c.unwrap() }\n"),
    ("web/c.ts", "export function f(a: any) { return a.unwrap(); }\n"),
    ("web/d.tsx", "const b = <B onClick={() => e.unwrap()} />;\n"),
    ("lib/e.h", "int f(int x) { return g(x); }\n"),
    ("target/f.rs", "fn f() { g.unwrap() }\n"),
    (".gitignore", "target/\n"),
];

fn tree() -> (tempfile::TempDir, SessionFolders) {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in FILES {
        fs::create_dir_all(dir.path().join(path).parent().unwrap()).unwrap();
        fs::write(dir.path().join(path), text).unwrap();
    }
    let roots = SessionFolders::new(vec![dir.path().to_owned()]);
    (dir, roots)
}

fn asked(pattern: &str, path: &str, language: Option<&str>) -> Result<MatchesResult, IdeError> {
    let (_dir, roots) = tree();
    ask(&roots, pattern, path, language)
}

fn ask(
    roots: &SessionFolders,
    pattern: &str,
    path: &str,
    language: Option<&str>,
) -> Result<MatchesResult, IdeError> {
    let request =
        MatchesQuestion { pattern: pattern.into(), path: path.into(), language: language.map(str::to_owned) };
    answer(roots, &request, Instant::now() + Duration::from_secs(60), &AtomicBool::default())
}

/// Returns the matches as `path:line:column container bindings`, with the note.
fn places(pattern: &str, path: &str, language: Option<&str>) -> String {
    let result = asked(pattern, path, language).unwrap();
    let shown = result.matches.iter().map(|it| {
        let test = if it.test { " test" } else { "" };
        let inside = it.inside.clone().unwrap_or_default();
        let bindings: Vec<_> = it.bindings.iter().map(|(name, text)| format!("{name}={text}")).collect();
        format!("{}:{}:{}{test} {inside} {}", it.path, it.start.line, it.start.column, bindings.join(","))
    });
    shown.chain(result.completeness.note()).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_language_in_which_it_is_code() {
    let expected = "src/a.rs:2:13 a X=x\nsrc/a.rs:3:20 a X=y.z()\nsrc/deep/b.rs:2:10 test b X=c\n\
                    web/c.ts:1:36 f X=a\nweb/d.tsx:1:29 b X=e";
    assert_eq!(places("$X.unwrap()", ".", None), expected);
    assert_eq!(places("$X.unwrap()", "web", None), "web/c.ts:1:36 f X=a\nweb/d.tsx:1:29 b X=e");
    assert_eq!(places("$X.unwrap()", "src/deep/b.rs", None), "src/deep/b.rs:2:10 test b X=c");
    assert_eq!(places("$X.unwrap()", "src/*.rs", None), "src/a.rs:2:13 a X=x\nsrc/a.rs:3:20 a X=y.z()");
    for ts in ["ts", "typescript", "TypeScript", ".ts"] {
        assert_eq!(places("$X.unwrap()", ".", Some(ts)), "web/c.ts:1:36 f X=a\nweb/d.tsx:1:29 b X=e", "{ts}");
    }
    assert_eq!(places("g($X)", ".", Some("c")), "lib/e.h:1:23 f X=x");
}

#[test]
fn nothing_says_what_was_left_out() {
    let note = "files were left out because the pattern is no code of their language: 2 of Rust";
    assert_eq!(places("def $F($$$):", "src", None), note);
    assert_eq!(places("nothing($X)", "src", None), "");
    let (_dir, roots) = tree();
    let error = ask(&roots, "let x = = $A;", "src", Some("rust")).unwrap_err();
    assert_eq!(error.message, "the pattern `let x = = $A;` is no code of Rust: it goes wrong at character 9");
    let error = ask(&roots, "f($X)", ".", Some("cobol")).unwrap_err();
    assert!(error.recovery.unwrap().contains("`rust`"), "{}", error.message);
    let error = ask(&roots, "$X", ".", None).unwrap_err();
    assert_eq!(error.message, "everything matches the pattern `$X`");
    assert_eq!(ask(&roots, "f($X)", "nowhere", None).unwrap_err().kind, ErrorCode::NotFound);
    assert_eq!(ask(&roots, "f($X)", "../*.rs", None).unwrap_err().kind, ErrorCode::OutsideWorkspace);
}

#[test]
fn what_is_no_code_and_what_is_cut_is_said() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.rs"), "fn f() { g(1) }\nfn { g(2 \n fn ( { ]").unwrap();
    let roots = SessionFolders::new(vec![dir.path().to_owned()]);
    let result = ask(&roots, "g($X)", ".", None).unwrap();
    assert!(
        !result.completeness.is_complete()
            && result.completeness.note().unwrap().contains("not all of `a.rs` could be read as code")
    );
    fs::write(dir.path().join("a.rs"), format!("fn f() {{ {} }}", "g(1);".repeat(1_500))).unwrap();
    let result = ask(&roots, "g($X)", ".", None).unwrap();
    assert_eq!(
        (result.completeness.is_complete(), result.total, result.matches.len()),
        (false, 1_500, 1_000)
    );
    assert_eq!(result.completeness.note().unwrap(), "the first 1000 of 1500 places");
}

/// Returns the reasons of an answer about one file, `a.rs`.
fn reasons(pattern: &str, write: impl Fn(&Path)) -> Vec<Reason> {
    let dir = tempfile::tempdir().unwrap();
    write(&dir.path().join("a.rs"));
    let roots = SessionFolders::new(vec![dir.path().to_owned()]);
    ask(&roots, pattern, ".", None).unwrap().completeness.reasons().to_vec()
}

#[test]
fn what_is_not_read_or_not_compared_is_said() {
    let paths = || Listing::of(["a.rs".to_owned()], NAMED_FILES);
    // Without taking room on the disk.
    let huge = |path: &Path| fs::File::create(path).unwrap().set_len(SIZE_LIMIT + 1).unwrap();
    assert_eq!(reasons("g($X)", huge), [Reason::NotRead { paths: paths() }]);
    let large = |path: &Path| fs::write(path, format!("{}// g\n", "// filler\n".repeat(500_000))).unwrap();
    assert_eq!(reasons("g($X)", large), [Reason::TooLarge { paths: paths() }]);
    let many = format!("fn f() {{ g({}) }}", "x, ".repeat(400));
    let pattern = "g($$$A, x, $$$B, x, $$$C, x, $$$D, y)";
    let found = reasons(pattern, |path| fs::write(path, format!("{many} // y")).unwrap());
    assert_eq!(found, [Reason::ComparisonGivenUp { paths: paths() }]);
}

#[test]
fn nothing_to_compare_is_said() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.txt"), "g(1)\n").unwrap();
    let roots = SessionFolders::new(vec![dir.path().to_owned()]);
    let found = ask(&roots, "g($X)", ".", None).unwrap();
    let [Reason::NothingMatched { path, known }] = found.completeness.reasons() else { panic!("{found:?}") };
    assert!(path == "." && known.contains(&"Rust".to_owned()), "{known:?}");
}
