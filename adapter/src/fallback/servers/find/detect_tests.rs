use std::fs;
use std::slice;

use expect_test::{Expect, expect};

use super::*;
use crate::fallback::servers::find::config::Config;
use crate::fallback::servers::find::launch;
use crate::fallback::servers::find::rejected_servers::RejectedServers;
use crate::fallback::servers::find::settings::Setting;
use crate::fallback::trust::level::Level;

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
    let detected = languages(&folders);
    let mut shown = format!("{}\n", detected.commonest());
    for language in detected.languages().into_iter().filter(|it| it.is_code) {
        let environment = match language.root {
            RootRule::CargoWorkspace => {
                let config = Config::new(PathBuf::new());
                let found = launch::find(
                    language,
                    &Setting::default(),
                    &folders,
                    (Level::Restricted, &config),
                    &RejectedServers::default(),
                )
                .await;
                found.map(|it| it.environment).unwrap_or_else(|_| here())
            }
            _ => Environment::default(),
        };
        let projects = projects(language, &detected, &folders, &environment).await;
        let show = |path: &Path| {
            let path = path.strip_prefix(&root).unwrap().display().to_string();
            if path.is_empty() { ".".into() } else { path }
        };
        let manifests: Vec<_> = projects.manifests.iter().map(|it| show(it)).collect();
        let watched: Vec<_> = projects.folders.iter().map(|it| show(it)).collect();
        shown += &format!("{}: {}\nwatches: {}\n", language.name, manifests.join(" "), watched.join(" "));
        let anchors: Vec<_> = projects.anchors.iter().map(|it| show(it)).collect();
        if !anchors.is_empty() {
            shown += &format!("opens: {}\n", anchors.join(" "));
        }
        for reason in projects.left_out {
            shown += &reason.to_string().replace(root.to_str().unwrap(), "");
            shown.push('\n');
        }
    }
    expected.assert_eq(&shown);
}

/// Returns the environment of a machine without servers: the Cargo that runs this test.
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
            TypeScript and JavaScript: 
            watches: .
            opens: web/index.ts
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
async fn sources_without_a_project() {
    check(
        &[("a.xyz", ""), ("b.xyz", ""), ("README.md", "")],
        &["."],
        expect![[r#"
        2 `.xyz`, 1 `.md`
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
    check(
        &[("a/b.py", "")],
        &["."],
        expect![[r#"
        1 `.py`
        Python: 
        watches: .
        opens: a/b.py
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_repository_of_several_languages_and_projects() {
    let files = [
        ("Cargo.toml", PACKAGE),
        ("src/lib.rs", ""),
        ("package.json", "{}"),
        ("web/tsconfig.json", "{}"),
        ("web/src/index.ts", ""),
        ("web/src/a/b.ts", ""),
        ("web/admin/tsconfig.json", "{}"),
        ("web/admin/main.tsx", ""),
        ("web/node_modules/left/index.js", ""),
        (".gitignore", "node_modules\n"),
        ("services/a/pyproject.toml", ""),
        ("services/a/a.py", ""),
        ("services/b/setup.py", ""),
        ("services/b/b/b.py", ""),
        ("tools/t.py", ""),
        ("go.work", ""),
        ("go/x/go.mod", ""),
        ("go/x/x.go", ""),
    ];
    check(
        &files,
        &["."],
        expect![[r#"
        4 `.py`, 3 `.json`, 2 `.toml`, 2 `.ts`
        Python: services/a/pyproject.toml services/b/setup.py
        watches: . services/a services/b
        opens: services/a/a.py services/b/setup.py tools/t.py
        TypeScript and JavaScript: package.json web/admin/tsconfig.json web/tsconfig.json
        watches: .
        opens: web/admin/main.tsx web/src/index.ts
        Rust: Cargo.toml
        watches: .
        Go: go/x/go.mod go.work
        watches: . go/x
        opens: go/x/x.go
    "#]],
    )
    .await;
    check(
        &files,
        &["services/b/b", "web/admin"],
        expect![[r#"
            1 `.json`, 1 `.py`, 1 `.tsx`
            TypeScript and JavaScript: package.json web/admin/tsconfig.json web/tsconfig.json
            watches: services/b/b web/admin
            opens: web/admin/main.tsx web/src/index.ts
            Python: services/b/setup.py
            watches: services/b
            opens: services/b/setup.py
        "#]],
    )
    .await;
}

#[tokio::test]
async fn what_is_beyond_the_limit_of_projects_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for at in 0..=PROJECT_LIMIT {
        // A description is loaded as it is, without asking Cargo.
        for (path, text) in
            [("rust-project.json", "{}"), ("main.rs", ""), ("go.mod", "module a\n"), ("a.go", "")]
        {
            let path = root.join(format!("p{at:02}")).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    let detected = languages(slice::from_ref(&root));
    let left_out = async |id: &str| {
        let language = detected.languages().into_iter().find(|it| it.id == id).unwrap();
        projects(language, &detected, slice::from_ref(&root), &Environment::default()).await.left_out
    };
    assert_eq!(left_out("rust").await, [Reason::UnloadedProjects { count: 1, limit: PROJECT_LIMIT }]);
    let marked = crate::fallback::source::languages::rows().find(|it| it.id == "go").unwrap();
    assert_eq!(marked.root, RootRule::Marked);
    assert_eq!(left_out("go").await, [Reason::MergedProjects { limit: PROJECT_LIMIT }]);
}
