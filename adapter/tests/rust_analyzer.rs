//! The fallback over the real rust-analyzer, on small crates written for the purpose.
//!
//! Where no rust-analyzer answers `--version` these tests show as ignored, with the reason in their names;
//! `DIALECT_REQUIRE_SERVERS=rust-analyzer` makes that a failure.

use std::fs;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use adapter::fallback::{Caller, Level};
use expect_test::{Expect, expect};
use ide_protocol::{
    DefinitionsQuestion, DescriptionQuestion, ErrorCode, FormatQuestion, HierarchyQuestion, Line,
    LinesQuestion, Operation, OutlineQuestion, OutlineResult, Request, SymbolsQuestion, Target,
};
use libtest_mimic::{Failed, Trial};
use tokio::runtime::Runtime;

use crate::world::{
    self, World, at, named, pinned, processes_in, references_request, show_definitions, show_references,
    wait_until, waiting,
};

pub(crate) fn trials() -> Vec<Trial> {
    let missing = world::missing("rust", "rust-analyzer");
    TESTS.iter().map(|(name, test)| world::trial((*name).to_owned(), &missing, *test)).collect()
}

type Test = fn(&Runtime) -> Result<(), Failed>;

const TESTS: &[(&str, Test)] = &[
    ("definitions and references", definitions_and_references),
    ("more symbols of one name than servers list", many_of_one_name),
    ("code that is not loaded is said", unloaded_code),
    ("what the syntax knows is answered before the server is ready", early_answers),
    ("an edit is seen by the next question", freshness),
    ("a new module and a deleted file are seen", files_come_and_go),
    ("a changed manifest is seen", manifest_changes),
    ("a broken manifest is said", broken_manifest),
    ("a killed server is replaced", killed_server),
    ("two sessions share one server and leave nothing", two_sessions),
    ("a question that nobody waits for any more ends", cancelled_question),
    ("a deadline that is too short is said", short_deadline),
    ("workspaces without a language are told", no_language),
    ("nothing of an untrusted workspace runs", nothing_runs),
    ("build scripts and macros run only where they are trusted", trusted_code),
    ("a caller below an attribute that writes it anew has its own name", rewritten_caller),
    ("what a workspace names to lay files out runs only where it is trusted", trusted_formatter),
];

const MANIFEST: &str =
    "[package]\nname = \"mini\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[features]\nextra = []\n";

const LIB: &str = r#"mod auth;
mod billing;
#[cfg(feature = "extra")]
mod gated;
/// A User of it all.
///
/// Says hello.
#[derive(Clone)]
pub struct User {
    pub name: String,
}

impl User {
    pub fn hello(&self) -> usize {
        let é = "é😀"; let n = self.name.len() + é.len(); n
    }
}

macro_rules! generate {
    ($name:ident) => {
        pub fn $name() -> u32 { 1 }
    };
}
generate!(made_by_macro);

pub fn make() -> User {
    let user = User { name: "é😀".into() }; user.hello();
    println!("User {}", user.hello());
    made_by_macro();
    user
}
"#;

const AUTH: &str =
    "pub fn check() { let u = crate::make(); /* é😀 */ u.hello(); }\npub fn check_all() { check(); }\n";
const BILLING: &str =
    "pub fn check() -> crate::User { crate::make() }\n\n#[test]\nfn billing_works() { check(); }\n";

fn mini() -> Vec<(&'static str, &'static str)> {
    vec![
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", LIB),
        ("src/auth.rs", AUTH),
        ("src/billing.rs", BILLING),
        ("src/gated.rs", "pub fn behind() { crate::make().hello(); }\n"),
    ]
}

/// A world whose standard library is next to empty, so that there is no `println!`.
fn small(runtime: &Runtime) -> World {
    let world = World::without_session(&mini(), "").without_std();
    world.write("src/lib.rs", &LIB.replace("println!(\"User {}\", user.hello())", "let _ = user.hello()"));
    world.open(runtime);
    world
}

/// These load the standard library of this machine.
fn definitions_and_references(runtime: &Runtime) -> Result<(), Failed> {
    let world = World::new(runtime, &mini());
    definitions_by_name(runtime, &world);
    references(runtime, &world);
    runtime.block_on(world.stop());
    Ok(())
}

fn definitions_by_name(runtime: &Runtime, world: &World) {
    runtime.block_on(async {
        let check = async |target: Target, expected: Expect| {
            expected.assert_eq(&show_definitions(world.definitions(target).await));
        };
        check(
            named("User"),
            expect![[r#"
            struct User
              src/lib.rs:5:1-11:2: /// A User of it all.
              src/lib.rs:9:12-9:16: pub struct User {
            complete [] "#]],
        )
        .await;
        check(
            named("User::hello"),
            expect![[r#"
            method hello of User
              src/lib.rs:14:5-16:6: pub fn hello(&self) -> usize {
              src/lib.rs:14:12-14:17: pub fn hello(&self) -> usize {
            complete [] "#]],
        )
        .await;
        check(
            named("made_by_macro"),
            expect![[r#"
            function made_by_macro
              src/lib.rs:24:11-24:24: generate!(made_by_macro);
              src/lib.rs:24:11-24:24: generate!(made_by_macro);
            complete [] "#]],
        )
        .await;
        check(
            named("check"),
            expect![[r#"
            function check
              src/auth.rs:1:1-1:62: pub fn check() { let u = crate::make(); /* é😀 */ u.hello(); }
              src/auth.rs:1:8-1:13: pub fn check() { let u = crate::make(); /* é😀 */ u.hello(); }
            function check
              src/billing.rs:1:1-1:48: pub fn check() -> crate::User { crate::make() }
              src/billing.rs:1:8-1:13: pub fn check() -> crate::User { crate::make() }
            complete [] "#]],
        )
        .await;
        check(
            named("billing::check()"),
            expect![[r#"
            function check
              src/billing.rs:1:1-1:48: pub fn check() -> crate::User { crate::make() }
              src/billing.rs:1:8-1:13: pub fn check() -> crate::User { crate::make() }
            complete [] "#]],
        )
        .await;
        check(
            named("nowhere::check"),
            expect![[r#"
            function check
              src/auth.rs:1:1-1:62: pub fn check() { let u = crate::make(); /* é😀 */ u.hello(); }
              src/auth.rs:1:8-1:13: pub fn check() { let u = crate::make(); /* é😀 */ u.hello(); }
            function check
              src/billing.rs:1:1-1:48: pub fn check() -> crate::User { crate::make() }
              src/billing.rs:1:8-1:13: pub fn check() -> crate::User { crate::make() }
            complete [] nothing in `nowhere` is called `check`; these are, elsewhere"#]],
        )
        .await;
        check(
            named("name"),
            expect![[r#"
            field name of User
              src/lib.rs:10:5-10:21: pub name: String,
              src/lib.rs:10:9-10:13: pub name: String,
            complete [] "#]],
        )
        .await;
        check(
            named("user"),
            expect![[r#"
            struct User
              src/lib.rs:5:1-11:2: /// A User of it all.
              src/lib.rs:9:12-9:16: pub struct User {
            complete [] nothing is called `user`; `User` differs in case"#]],
        )
        .await;
        check(named("chekc"), expect![[r#"complete ["check"] "#]]).await;
        check(
            named("generate!"),
            expect![[r#"
            function generate
              src/lib.rs:19:1-23:2: macro_rules! generate {
              src/lib.rs:19:14-19:22: macro_rules! generate {
            complete [] "#]],
        )
        .await;
        check(named("fn"), expect!["InvalidRequest: `fn` is no name of a Rust symbol"]).await;
        check(
            at("src/lib.rs", 27, 49),
            expect![[r#"
            method hello of User
              src/lib.rs:14:5-16:6: pub fn hello(&self) -> usize {
              src/lib.rs:14:12-14:17: pub fn hello(&self) -> usize {
            complete [] "#]],
        )
        .await;
        check(
            at("src/lib.rs", 27, 9),
            expect![[r#"
            variable user of make
              src/lib.rs:27:9-27:13: let user = User { name: "é😀".into() }; user.hello();
              src/lib.rs:27:9-27:13: let user = User { name: "é😀".into() }; user.hello();
            complete [] "#]],
        )
        .await;
        check(
            at("src/lib.rs", 5, 1),
            expect![[r#"
            struct User
              src/lib.rs:5:1-11:2: /// A User of it all.
              src/lib.rs:9:12-9:16: pub struct User {
            complete [] "#]],
        )
        .await;
        check(
            at("src/lib.rs", 999, 1),
            expect!["InvalidRequest: `src/lib.rs` has 31 lines; there is no line 999"],
        )
        .await;
        check(
            pinned("check", "src/auth.rs", 40),
            expect![[r#"
            function check
              src/auth.rs:1:1-1:62: pub fn check() { let u = crate::make(); /* é😀 */ u.hello(); }
              src/auth.rs:1:8-1:13: pub fn check() { let u = crate::make(); /* é😀 */ u.hello(); }
            complete [] "#]],
        )
        .await;
        check(
            pinned("hello", "src/lib.rs", 1),
            expect![[r#"
            method hello of User
              src/lib.rs:14:5-16:6: pub fn hello(&self) -> usize {
              src/lib.rs:14:12-14:17: pub fn hello(&self) -> usize {
            complete [] "#]],
        )
        .await;
        check(
            pinned("hello", "src/auth.rs", 1),
            expect![[r#"
                method hello of User
                  src/lib.rs:14:5-16:6: pub fn hello(&self) -> usize {
                  src/lib.rs:14:12-14:17: pub fn hello(&self) -> usize {
                complete [] "#]],
        )
        .await;
    });
}

fn many_of_one_name(runtime: &Runtime) -> Result<(), Failed> {
    // Left alone, rust-analyzer stops at 128.
    let modules = |range: std::ops::Range<u32>, name: &str| -> String {
        range.map(|it| format!("pub mod m{it} {{ pub fn {name}() {{}} }}\n")).collect()
    };
    let text = modules(0..150, "same_name")
        + &modules(150..300, "sent_anew_message")
        + "pub fn last_same_name() {}\n";
    let world = World::without_session(&[("Cargo.toml", MANIFEST), ("src/lib.rs", &text)], "").without_std();
    world.open(runtime);
    runtime.block_on(async {
        let found = world.definitions_within(named("same_name"), Some(200_000)).await.unwrap();
        assert_eq!(
            (found.definitions.len(), found.completeness.is_complete()),
            (150, true),
            "{:?}",
            found.completeness.note()
        );
        for (query, total, first) in [
            ("same_name", 151, "same_name"),
            ("last_same", 1, "last_same_name"),
            ("sntnwmsg", 150, "sent_anew_message"),
        ] {
            let mut request = waiting(SymbolsQuestion { query: query.into(), path: None });
            request.envelope.deadline_ms = Some(200_000);
            let found = world.ask(Operation::Symbols, request).await.unwrap();
            let shown = found.definitions.len() as u64;
            assert_eq!(
                (found.total, shown),
                (total, total.min(100)),
                "{query}: {:?}",
                found.completeness.note()
            );
            assert_eq!(
                found.completeness.is_complete(),
                shown == total,
                "{query}: {:?}",
                found.completeness.note()
            );
            assert_eq!(found.definitions[0].name, first);
        }
        world.stop().await;
    });
    Ok(())
}

fn references(runtime: &Runtime, world: &World) {
    runtime.block_on(async {
        let check = async |target: Target, expected: Expect| {
            expected.assert_eq(&show_references(world.references(target).await));
        };
        let hello = world.definitions(named("hello")).await.unwrap().definitions.remove(0);
        check(Target::of(&hello), expect![[r#"
            src/auth.rs:1:52-1:57 in check (function call public): pub fn check() { let u = crate::make(); /* é😀 */ u.hello(); }
            src/lib.rs:27:49-27:54 in make (function call public): let user = User { name: "é😀".into() }; user.hello();
            src/lib.rs:28:30-28:35 in make (function call public): println!("User {}", user.hello());
            incomplete Some(2) `hello` is also mentioned in files that are not loaded (cfg'd out, maybe by a feature that is off in a restricted workspace, or in no crate): src/gated.rs"#]]).await;
        // A definition starts at its documentation: asked there, a server answers nothing.
        check(at("src/lib.rs", 5, 1), expect![[r#"
            src/billing.rs:1:26-1:30 in check (function type signature public): pub fn check() -> crate::User { crate::make() }
            src/lib.rs:13:6-13:10 in User (impl implementation public): impl User {
            src/lib.rs:26:18-26:22 in make (function type signature public): pub fn make() -> User {
            src/lib.rs:27:16-27:20 in make (function construct public): let user = User { name: "é😀".into() }; user.hello();
            complete Some(2) "#]]).await;
        check(pinned("User", "src/lib.rs", 5), expect![[r#"
            src/billing.rs:1:26-1:30 in check (function type signature public): pub fn check() -> crate::User { crate::make() }
            src/lib.rs:13:6-13:10 in User (impl implementation public): impl User {
            src/lib.rs:26:18-26:22 in make (function type signature public): pub fn make() -> User {
            src/lib.rs:27:16-27:20 in make (function construct public): let user = User { name: "é😀".into() }; user.hello();
            complete Some(2) "#]]).await;
        // Nor is `fn` a symbol, though a server answers that.
        check(at("src/lib.rs", 14, 9), expect![[r#"
            src/auth.rs:1:52-1:57 in check (function call public): pub fn check() { let u = crate::make(); /* é😀 */ u.hello(); }
            src/lib.rs:27:49-27:54 in make (function call public): let user = User { name: "é😀".into() }; user.hello();
            src/lib.rs:28:30-28:35 in make (function call public): println!("User {}", user.hello());
            incomplete Some(2) `hello` is also mentioned in files that are not loaded (cfg'd out, maybe by a feature that is off in a restricted workspace, or in no crate): src/gated.rs"#]]).await;
        check(pinned("made_by_macro", "src/lib.rs", 24), expect![[r#"
            src/lib.rs:29:5-29:18 in make (function call public): made_by_macro();
            complete Some(0) "#]]).await;
        check(at("src/auth.rs", 1, 56), expect![[r#"
            src/auth.rs:1:52-1:57 in check (function call public): pub fn check() { let u = crate::make(); /* é😀 */ u.hello(); }
            src/lib.rs:27:49-27:54 in make (function call public): let user = User { name: "é😀".into() }; user.hello();
            src/lib.rs:28:30-28:35 in make (function call public): println!("User {}", user.hello());
            incomplete Some(2) `hello` is also mentioned in files that are not loaded (cfg'd out, maybe by a feature that is off in a restricted workspace, or in no crate): src/gated.rs"#]]).await;
        check(pinned("check_all", "src/auth.rs", 2), expect!["complete Some(0) "]).await;
        check(pinned("nothing", "src/auth.rs", 2), expect!["NotFound: nothing in `src/auth.rs` is called `nothing` (any more)"]).await;
        check(at("src/lib.rs", 11, 1), expect!["NotFound: no symbol's name stands at src/lib.rs:11:1"]).await;
    });
}

fn unloaded_code(runtime: &Runtime) -> Result<(), Failed> {
    let world = small(runtime);
    world.write("src/unlinked.rs", "pub fn lonely() {}\npub fn other() { lonely(); }\n");
    world.write("src/extra.rs", "");
    runtime.block_on(async {
        let behind = show_definitions(world.definitions(named("behind")).await);
        expect![[r#"
            function behind
              src/gated.rs:1:1-1:43: pub fn behind() { crate::make().hello(); }
              src/gated.rs:1:8-1:14: pub fn behind() { crate::make().hello(); }
            incomplete [] `behind` stands in code that is not loaded (cfg'd out, maybe by a feature that is off in a restricted workspace, or in no crate): src/gated.rs:1"#]].assert_eq(&behind);
        let behind = show_references(world.references(pinned("behind", "src/gated.rs", 1)).await);
        expect!["incomplete Some(0) `behind` stands in code that is not loaded (cfg'd out, maybe by a feature that is off in a restricted workspace, or in no crate)"].assert_eq(&behind);
        let lonely = show_references(world.references(pinned("lonely", "src/unlinked.rs", 1)).await);
        expect!["incomplete Some(1) `lonely` stands in code that is not loaded (cfg'd out, maybe by a feature that is off in a restricted workspace, or in no crate); rust-analyzer cannot tell where 1 call of a `lonely` leads: src/unlinked.rs:2 `pub fn other() { lonely(); }`"].assert_eq(&lonely);
    });
    runtime.block_on(world.stop());
    Ok(())
}

fn freshness(runtime: &Runtime) -> Result<(), Failed> {
    let world = small(runtime);
    runtime.block_on(async {
        for round in 1..=10 {
            let calls = "check(); ".repeat(round);
            world.write(
                "src/auth.rs",
                &format!("// {round}\npub fn check() {{}}\npub fn all() {{ {calls} }}\n"),
            );
            world.write("src/billing.rs", &format!("{}{BILLING}", "\n".repeat(round)));
            let uses = world.references(pinned("check", "src/auth.rs", 2)).await.unwrap();
            assert_eq!(uses.references.len(), round, "{uses:?}");
            let found = world.definitions(named("billing::check")).await.unwrap().definitions;
            assert_eq!(found[0].name_at.start.line.index(), round, "{found:?}");
        }
    });
    runtime.block_on(world.stop());
    Ok(())
}

fn files_come_and_go(runtime: &Runtime) -> Result<(), Failed> {
    let world = small(runtime);
    runtime.block_on(async {
        let uses = async || {
            let uses = world.references(named("made_by_macro")).await.unwrap();
            uses.references.iter().map(|it| it.path.clone()).collect::<Vec<_>>()
        };
        assert_eq!(uses().await, ["src/lib.rs"]);
        world.write("src/fresh.rs", "fn fresh() { crate::made_by_macro(); }\n");
        world.write("src/lib.rs", &LIB.replace("mod auth;", "mod auth; mod fresh;"));
        assert_eq!(uses().await, ["src/fresh.rs", "src/lib.rs"]);
        world.write("tests/whole.rs", "#[test]\nfn whole() { mini::made_by_macro(); }\n");
        assert_eq!(uses().await, ["src/fresh.rs", "src/lib.rs", "tests/whole.rs"]);
        fs::remove_file(world.root().join("src/fresh.rs")).unwrap();
        assert_eq!(uses().await, ["src/lib.rs", "tests/whole.rs"]);
    });
    runtime.block_on(world.stop());
    Ok(())
}

fn manifest_changes(runtime: &Runtime) -> Result<(), Failed> {
    let world = small(runtime);
    runtime.block_on(async {
        let uses = world.references(named("hello")).await.unwrap();
        assert!(uses.references.iter().all(|it| it.path != "src/gated.rs"));
        assert!(!uses.completeness.is_complete(), "{uses:?}");
        world.write("Cargo.toml", &MANIFEST.replace("[features]", "[features]\ndefault = [\"extra\"]"));
        let uses = world.references(named("hello")).await.unwrap();
        assert!(uses.references.iter().any(|it| it.path == "src/gated.rs"), "{uses:?}");
        assert!(uses.completeness.is_complete(), "{uses:?}");
    });
    runtime.block_on(world.stop());
    Ok(())
}

/// The syntax answers what it knows as well as the server, and both answers are the same. A use is left to the server.
fn early_answers(runtime: &Runtime) -> Result<(), Failed> {
    let world = World::new(runtime, &mini()); // which loads for seconds
    let (user, lib) =
        (DefinitionsQuestion::new(named("User")), OutlineQuestion { path: "src/lib.rs".into() });
    let (similar, about) =
        (SymbolsQuestion { query: "Use".into(), path: None }, DescriptionQuestion { target: named("User") });
    runtime.block_on(async {
        let (definitions, outline, symbols, description) = tokio::try_join!(
            world.ask(Operation::Definitions, Request::new("s", user.clone())),
            world.ask(Operation::Outline, Request::new("s", lib.clone())),
            world.ask(Operation::Symbols, Request::new("s", similar.clone())),
            world.ask(Operation::Description, Request::new("s", about.clone())),
        )
        .unwrap();
        let all = [
            &definitions.completeness,
            &outline.completeness,
            &symbols.completeness,
            &description.completeness,
        ];
        for it in all {
            assert_eq!((it.source.0.as_str(), it.is_complete(), &it.note()), ("syntax-index", true, &None));
        }
        let used = DefinitionsQuestion::new(at("src/lib.rs", 13, 6));
        let used = world.ask(Operation::Definitions, waiting(used)).await.unwrap();
        assert_eq!(used.completeness.source.0, "language-server:rust-analyzer");
        let later = world.ask(Operation::Definitions, waiting(user)).await.unwrap();
        assert_eq!(
            (later.completeness.source, later.definitions),
            (used.completeness.source, definitions.definitions)
        );
        // Servers have no word for macros, which they call functions.
        let plain = |mut it: OutlineResult| {
            it.definitions.iter_mut().filter(|it| it.name == "generate").for_each(|it| it.kind.clear());
            it.definitions
        };
        assert_eq!(plain(world.ask(Operation::Outline, waiting(lib)).await.unwrap()), plain(outline));
        assert_eq!(
            world.ask(Operation::Symbols, waiting(similar)).await.unwrap().definitions,
            symbols.definitions
        );
        let later = world.ask(Operation::Description, waiting(about)).await.unwrap();
        assert_eq!((later.signature, later.docs), (description.signature, description.docs));
    });
    runtime.block_on(world.stop());
    Ok(())
}

fn broken_manifest(runtime: &Runtime) -> Result<(), Failed> {
    let world = small(runtime);
    world.write("Cargo.toml", "[package\n");
    runtime.block_on(async {
        let found = world.definitions(named("User")).await;
        let said = match found {
            Err(error) => error.message,
            Ok(found) => {
                assert!(!found.completeness.is_complete(), "{found:?}");
                found.completeness.note().unwrap_or_default()
            }
        };
        assert!(said.contains("Failed to load workspaces") || said.contains("Cargo.toml"), "{said}");
        world.write("Cargo.toml", MANIFEST);
        let found = world.definitions(named("User")).await.unwrap();
        assert!(found.completeness.is_complete(), "{found:?}");
    });
    runtime.block_on(world.stop());
    Ok(())
}

fn killed_server(runtime: &Runtime) -> Result<(), Failed> {
    let world = small(runtime);
    runtime.block_on(async {
        let before = show_references(world.references(named("hello")).await);
        for pid in processes_in(world.root()) {
            Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
        }
        let after = show_references(world.references(named("hello")).await);
        assert_eq!(before, after);
    });
    runtime.block_on(world.stop());
    Ok(())
}

fn two_sessions(runtime: &Runtime) -> Result<(), Failed> {
    let world = small(runtime);
    let root = world.root().to_owned();
    runtime.block_on(async {
        world.fallback.open_session("t", vec![root.join("src")]);
        world.definitions(named("User")).await.unwrap();
        let other = Request::new("t", DefinitionsQuestion::new(named("User")));
        let found = world.ask(Operation::Definitions, other).await.unwrap();
        assert_eq!(found.definitions[0].name_at.path, "lib.rs");
        assert_eq!(processes_in(&root).len(), 1);
        world.fallback.close_session("s");
        assert_eq!(processes_in(&root).len(), 1);
        world.fallback.close_session("t");
        wait_until(|| processes_in(&root).is_empty()).await;
    });
    runtime.block_on(world.stop());
    assert_eq!(processes_in(&root), Vec::<u32>::new());
    Ok(())
}

fn cancelled_question(runtime: &Runtime) -> Result<(), Failed> {
    let world = small(runtime);
    runtime.block_on(async {
        world.definitions(named("User")).await.unwrap();
        for _ in 0..20 {
            let question = world.references(named("hello"));
            let _ = tokio::time::timeout(Duration::from_millis(3), question).await;
        }
        let uses = world.references(named("hello")).await.unwrap();
        assert_eq!(uses.references.len(), 3, "{uses:?}");
    });
    runtime.block_on(world.stop());
    Ok(())
}

fn short_deadline(runtime: &Runtime) -> Result<(), Failed> {
    // The real standard library takes long enough to load.
    let world = World::new(runtime, &mini());
    runtime.block_on(async {
        wait_until(|| !processes_in(world.root()).is_empty()).await;
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&said);
        let on_progress = Box::new(move |message, _| heard.lock().unwrap().push(message));
        let mut request = references_request(named("hello"));
        request.envelope.deadline_ms = Some(1);
        let answer = world
            .fallback
            .ask(Operation::References, request, Caller::without_editor(on_progress))
            .await
            .unwrap();
        assert_eq!(
            (answer.completeness.is_complete(), answer.completeness.source.0.as_str()),
            (false, "text"),
            "{answer:?}"
        );
        let note = answer.completeness.note().unwrap();
        assert!(note.contains("rust-analyzer") && note.contains("other symbols with that name"), "{note}");
        assert!(world.references(named("hello")).await.is_ok());
    });
    runtime.block_on(world.stop());
    Ok(())
}

fn no_language(runtime: &Runtime) -> Result<(), Failed> {
    let world =
        World::new(runtime, &[("a.py", "class Client: pass\n"), ("lib.rs", "struct User; // is Nobody\n")]);
    runtime.block_on(async {
        let answer = world.definitions(named("User")).await.unwrap();
        assert_eq!(
            (answer.completeness.is_complete(), answer.completeness.source.0.as_str()),
            (false, "syntax"),
            "{answer:?}"
        );
        assert!(answer.completeness.note().unwrap().contains("Cargo.toml"));
        match world.definitions(named("Nobody")).await {
            Err(error) => assert_eq!(error.kind, ErrorCode::Unavailable, "{error:?}"),
            // Where a server for Python is installed, it knows of none; that is not all that could be asked.
            Ok(none) => {
                assert_eq!((none.completeness.is_complete(), none.definitions.len()), (false, 0), "{none:?}");
            }
        }
        let request =
            Request::new("s", LinesQuestion { path: "a.py".into(), first: Line::FIRST, last: Line::FIRST });
        assert_eq!(world.ask(Operation::Lines, request).await.unwrap().lines[0].text, "class Client: pass");
    });
    runtime.block_on(world.stop());
    Ok(())
}

fn nothing_runs(runtime: &Runtime) -> Result<(), Failed> {
    use std::os::unix::fs::PermissionsExt;
    let world = World::without_session(&mini(), "");
    let root = world.root().canonicalize()?;
    let attack = |path: &str, text: String| {
        world.write(path, &text);
        fs::set_permissions(root.join(path), fs::Permissions::from_mode(0o755)).unwrap();
    };
    let trace = root.join("trace");
    let script = |name: &str| format!("#!/bin/sh\necho {name} >> {}\nexit 1\n", trace.display());
    for tool in ["rustc", "cargo", "rust-analyzer", "rustdoc"] {
        attack(&format!("toolchain/bin/{tool}"), script(tool));
    }
    for tool in ["wrapper", "credentials", "rustc"] {
        attack(&format!("bin/{tool}"), script(tool));
    }
    let folder = root.display();
    world.write("rust-toolchain.toml", &format!("[toolchain]\npath = \"{folder}/toolchain\"\n"));
    world.write(
        ".cargo/config.toml",
        &format!(
            "[build]\nrustc = \"{folder}/bin/rustc\"\nrustc-wrapper = \"{folder}/bin/wrapper\"\n\
             rustc-workspace-wrapper = \"{folder}/bin/wrapper\"\n\
             [registry]\nglobal-credential-providers = [\"{folder}/bin/credentials\"]\n"
        ),
    );
    world.write("build.rs", &format!("fn main() {{ std::fs::write({trace:?}, \"build.rs\").unwrap(); }}\n"));
    runtime.block_on(async {
        world.fallback.open_session("s", vec![root.clone()]);
        let found = world.definitions(named("User")).await.unwrap();
        assert_eq!(found.definitions.len(), 1, "{found:?}");
        let ran = fs::read_to_string(&trace).unwrap_or_default();
        assert_eq!(ran, "", "these ran");
    });
    runtime.block_on(world.stop());
    Ok(())
}

fn trusted_formatter(runtime: &Runtime) -> Result<(), Failed> {
    use std::os::unix::fs::PermissionsExt;
    for (trust, names) in [(false, false), (false, true), (true, true)] {
        let world = World::without_session(&[("src/lib.rs", "fn  a( ) { }\n"), ("Cargo.toml", MANIFEST)], "")
            .without_std()
            .at_level(trust.then_some(Level::Trusted));
        let root = world.root().canonicalize()?;
        let trace = root.join("trace");
        for tool in ["rustfmt", "toolchain/bin/rustfmt", "toolchain/bin/rustc", "toolchain/bin/cargo"] {
            world.write(tool, &format!("#!/bin/sh\necho {tool} >> {}\ncat\n", trace.display()));
            fs::set_permissions(root.join(tool), fs::Permissions::from_mode(0o755))?;
        }
        let folder = root.display();
        world.write("rust-toolchain.toml", &format!("[toolchain]\npath = \"{folder}/toolchain\"\n"));
        if names {
            world.write(
                "rust-analyzer.toml",
                &format!("[rustfmt]\noverrideCommand = [\"{folder}/rustfmt\"]\n"),
            );
        }
        world.open(runtime);
        let request = waiting(FormatQuestion { path: "src/lib.rs".into(), start: None, end: None });
        let answer = runtime.block_on(world.ask(Operation::Format, request));
        let ran = fs::read_to_string(&trace).unwrap_or_default();
        match (trust, names) {
            (false, false) => assert_eq!((answer.unwrap().edits[0].files.len(), ran.as_str()), (1, "")),
            (false, true) => {
                let error = answer.unwrap_err();
                assert!(error.message.contains("the workspace is restricted"), "{error:?}");
                assert_eq!(ran, "");
            }
            (true, _) => assert_eq!(ran, "rustfmt\n", "{answer:?}"),
        }
        runtime.block_on(world.stop());
    }
    Ok(())
}

fn trusted_code(runtime: &Runtime) -> Result<(), Failed> {
    for trust in [false, true] {
        let world = World::without_session(&[("src/lib.rs", "#[macros::mark]\npub fn marked() {}\n")], "")
            .without_std()
            .at_level(trust.then_some(Level::Trusted));
        let trace = world.root().canonicalize()?.join("trace");
        let leave = |name: &str| {
            format!(
                "use std::io::Write as _;\n std::fs::OpenOptions::new().create(true).append(true).open({trace:?})\
                 .unwrap().write_all(b\"{name} \").unwrap();"
            )
        };
        world.write("Cargo.toml", &format!("{MANIFEST}\n[dependencies]\nmacros = {{ path = \"macros\" }}\n"));
        world.write("build.rs", &format!("fn main() {{ {} }}\n", leave("script")));
        let package = "[package]\nname = \"macros\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\nproc-macro = true\n";
        world.write("macros/Cargo.toml", package);
        world.write(
            "macros/src/lib.rs",
            &format!(
                "use proc_macro::TokenStream;\n#[proc_macro_attribute]\n\
                 pub fn mark(_: TokenStream, item: TokenStream) -> TokenStream {{ {} item }}\n",
                leave("macro")
            ),
        );
        world.open(runtime);
        runtime.block_on(async {
            let found = world.definitions_within(named("marked"), Some(200_000)).await.unwrap();
            assert_eq!(found.definitions.len(), 1, "{found:?}");
            let expected = "the workspace is restricted, so that rust-analyzer knows nothing of what build scripts and \
                            procedural macros make";
            let expected = if trust { (true, None) } else { (false, Some(expected)) };
            assert_eq!((found.completeness.is_complete(), found.completeness.note().as_deref()), expected);
            let used = world.references(Target::of(&found.definitions[0])).await.unwrap();
            assert_eq!((used.completeness.is_complete(), used.completeness.note().as_deref()), expected);
        });
        let ran = fs::read_to_string(&trace).unwrap_or_default();
        let ran = ["script", "macro"].map(|it| ran.contains(it));
        assert_eq!(ran, [trust, trust], "trusted: {trust}");
        runtime.block_on(world.stop());
    }
    Ok(())
}

/// rust-analyzer gives the place of the attribute for what its macro writes.
fn rewritten_caller(runtime: &Runtime) -> Result<(), Failed> {
    let lib = "pub fn area() -> f64 {\n    1.0\n}\n\n#[macros::anew]\nfn measures() {\n    area();\n}\n";
    let world = World::without_session(&[("src/lib.rs", lib)], "").without_std().trusted();
    world.write("Cargo.toml", &format!("{MANIFEST}\n[dependencies]\nmacros = {{ path = \"macros\" }}\n"));
    let package =
        "[package]\nname = \"macros\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\nproc-macro = true\n";
    world.write("macros/Cargo.toml", package);
    world.write(
        "macros/src/lib.rs",
        "use proc_macro::TokenStream;\n#[proc_macro_attribute]\n\
         pub fn anew(_: TokenStream, function: TokenStream) -> TokenStream {\n\
         let body = function.clone().into_iter().last();\n\
         let name = function.into_iter().nth(1).unwrap().to_string();\n\
         let mut whole: TokenStream = format!(\"fn {name}()\").parse().unwrap();\n\
         whole.extend(body);\n\
         whole\n}\n",
    );
    world.open(runtime);
    let question = HierarchyQuestion { target: named("area"), depth: 1 };
    let found = runtime.block_on(world.ask(Operation::Callers, waiting(question))).unwrap();
    let callers: Vec<_> = found.links.iter().map(|it| (it.from.name.as_str(), it.at.len())).collect();
    assert_eq!(callers, [("measures", 1)], "{found:?}");
    runtime.block_on(world.stop());
    Ok(())
}
