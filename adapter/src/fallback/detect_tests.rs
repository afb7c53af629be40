use super::*;
use crate::fallback::launch;
use expect_test::{Expect, expect};
use std::fs;

/// Writes `path content` lines as files, then shows what is detected from `session` folders.
async fn check(files: &[(&str, &str)], session: &[&str], expected: Expect) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for (path, content) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let folders: Vec<_> = session.iter().map(|it| root.join(it).canonicalize().unwrap()).collect();
    let census = census(&folders);
    let mut shown = format!("{}\n", census.commonest());
    for language in census.languages() {
        let found = launch::find(language, &folders).await;
        let environment = found.map(|it| it.environment).unwrap_or_else(|_| here());
        let projects = projects(language, &census, &folders, &environment).await;
        let show = |path: &Path| {
            let path = path.strip_prefix(&root).unwrap().display().to_string();
            if path.is_empty() { ".".into() } else { path }
        };
        let manifests: Vec<_> = projects.manifests.iter().map(|it| show(it)).collect();
        let watched: Vec<_> = projects.folders.iter().map(|it| show(it)).collect();
        shown += &format!("{}: {}\nwatches: {}\n", language.name, manifests.join(" "), watched.join(" "));
        for sentence in projects.left_out {
            shown += &sentence.replace(root.to_str().unwrap(), "");
            shown.push('\n');
        }
    }
    expected.assert_eq(&shown);
}

/// The environment where no server is installed: the Cargo that runs this test.
fn here() -> Environment {
    let mut environment = Environment::default();
    environment.cargo = std::env::var_os("CARGO").map(Into::into);
    environment
}

const PACKAGE: &str = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";

#[tokio::test]
async fn a_member_belongs_to_its_workspace() {
    let files = [
        ("Cargo.toml", "[workspace]\nmembers = [\"a\"]\nexclude = [\"b\"]\nresolver = \"2\"\n"),
        ("a/Cargo.toml", PACKAGE),
        ("a/src/lib.rs", ""),
        ("b/Cargo.toml", PACKAGE),
        ("b/src/lib.rs", ""),
        ("web/index.ts", ""),
    ];
    check(
        &files,
        &["."],
        expect![[r#"
            3 `.toml`, 2 `.rs`, 1 `.ts`
            Rust: Cargo.toml b/Cargo.toml
            watches: .
        "#]],
    )
    .await;
    check(
        &files,
        &["a/src"],
        expect![[r#"
            1 `.rs`
            Rust: Cargo.toml
            watches: .
        "#]],
    )
    .await;
    check(
        &files,
        &["a", "b"],
        expect![[r#"
            2 `.rs`, 2 `.toml`
            Rust: Cargo.toml b/Cargo.toml
            watches: .
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_crate_in_a_subfolder_and_its_local_dependency() {
    let files = [
        ("backend/Cargo.toml", &*format!("{PACKAGE}[dependencies]\nc = {{ path = \"../shared/c\" }}\n")),
        ("backend/src/lib.rs", ""),
        ("shared/c/Cargo.toml", &PACKAGE.replace("\"a\"", "\"c\"")),
        ("shared/c/src/lib.rs", ""),
    ];
    check(
        &files,
        &["."],
        expect![[r#"
            2 `.rs`, 2 `.toml`
            Rust: backend/Cargo.toml
            watches: backend shared/c
        "#]],
    )
    .await;
    check(
        &files,
        &["backend"],
        expect![[r#"
        1 `.rs`, 1 `.toml`
        Rust: backend/Cargo.toml
        watches: backend shared/c
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_broken_fixture_does_not_spoil_the_project() {
    let files = [
        ("Cargo.toml", PACKAGE),
        ("src/lib.rs", ""),
        ("tests/fixture/Cargo.toml", "[package\n"),
        ("vendor/v/Cargo.toml", PACKAGE),
        ("vendor/v/.cargo-checksum.json", "{}"),
    ];
    check(
        &files,
        &["."],
        expect![[r#"
            3 `.toml`, 1 `.rs`
            Rust: Cargo.toml
            watches: .
            `/tests/fixture/Cargo.toml` is not loaded: unclosed table, expected `]`
        "#]],
    )
    .await;
    check(
        &[("Cargo.toml", "[package\n"), ("src/lib.rs", "")],
        &["."],
        expect![[r#"
        1 `.rs`, 1 `.toml`
        Rust: Cargo.toml
        watches: .
    "#]],
    )
    .await;
}

#[tokio::test]
async fn other_languages_are_no_projects() {
    check(
        &[("a.py", ""), ("b.py", ""), ("README.md", "")],
        &["."],
        expect![[r#"
        2 `.py`, 1 `.md`
    "#]],
    )
    .await;
    check(
        &[("a.rs", "")],
        &["."],
        expect![[r#"
        1 `.rs`
        Rust: 
        watches: 
    "#]],
    )
    .await;
}
