//! Answers without a language server: from the syntax of the files, and marked as such.

use expect_test::expect;
use ide_protocol::{DefinitionsResult, ErrorCode, Operation};
use libtest_mimic::{Failed, Trial};
use tokio::runtime::Runtime;

use crate::world::{self, World, at, named, pinned, references_request, show_range};

type Test = fn(&Runtime) -> Result<(), Failed>;

const TESTS: &[(&str, Test)] = &[
    ("definitions in every language, by their names", definitions),
    ("definitions at places", places),
    ("references are words in code, with their roles", references),
    ("what the text does not have is still not known", unknown),
];

pub(crate) fn trials() -> Vec<Trial> {
    TESTS.iter().map(|(name, test)| world::trial((*name).to_owned(), &None, *test)).collect()
}

const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"mini\"\n"),
    (
        "src/lib.rs",
        "/// A User.\npub struct User { pub name: String }\nimpl User {\n    pub fn hello(&self) -> User { // é😀\n        \
         let user = User { name: self.name.clone() }; user.hello()\n    }\n}\npub mod auth { pub struct User; }\n",
    ),
    (
        "src/main.rs",
        "use mini::User;\nfn main() { let text = \"User\"; User::hello(text); }\n#[cfg(test)]\nmod tests {\n    \
         proptest! { #[test] fn holds(x in 0..3) { User { name: x }; } }\n}\n",
    ),
    ("web/user.ts", "export class User {\n  greet(to: User) {}\n}\n"),
    ("api/models.py", "class Client:\n    def greet(self): pass\n"),
    ("go/user.go", "package user\n\nfunc (c *Conn) Greet() {}\n"),
];

/// No server, whether or not one is installed.
fn bare(runtime: &Runtime) -> World {
    let off = ["rust", "typescript", "python", "go"].map(|it| format!("[languages.{it}]\ndisabled = true\n"));
    let world = World::without_session(FILES, &off.concat());
    world.open(runtime);
    world
}

fn shown(answer: &DefinitionsResult) -> String {
    let shown = answer.definitions.iter().map(|it| {
        let container = it.container.as_ref().map(|it| format!(" of {it}")).unwrap_or_default();
        format!("{} {}{container} {}\n", it.kind, it.name, show_range(&it.name_at))
    });
    format!(
        "{} complete={}\n{}",
        answer.completeness.source.0,
        answer.completeness.is_complete(),
        shown.collect::<String>()
    )
}

fn definitions(runtime: &Runtime) -> Result<(), Failed> {
    let world = bare(runtime);
    runtime.block_on(async {
        let mut all = String::new();
        for name in ["User", "auth::User", "User::hello", "greet", "Greet"] {
            all += &format!("{name}: {}", shown(&world.definitions(named(name)).await.unwrap()));
        }
        expect![[r#"
            User: syntax complete=false
            struct User src/lib.rs:2:12-2:16: pub struct User { pub name: String }
            struct User of auth src/lib.rs:8:27-8:31: pub mod auth { pub struct User; }
            class User web/user.ts:1:14-1:18: export class User {
            auth::User: syntax complete=false
            struct User of auth src/lib.rs:8:27-8:31: pub mod auth { pub struct User; }
            User::hello: syntax complete=false
            method hello of User src/lib.rs:4:12-4:17: pub fn hello(&self) -> User { // é😀
            greet: syntax complete=false
            method greet of Client api/models.py:2:9-2:14: def greet(self): pass
            method greet of User web/user.ts:2:3-2:8: greet(to: User) {}
            Greet: syntax complete=false
            method Greet of Conn go/user.go:3:16-3:21: func (c *Conn) Greet() {}
        "#]]
        .assert_eq(&all);
        let note = world.definitions(named("hello")).await.unwrap().completeness.note().unwrap();
        assert!(note.contains("turned off") && note.contains("macros"), "{note}");
        world.stop().await;
    });
    Ok(())
}

fn places(runtime: &Runtime) -> Result<(), Failed> {
    let world = bare(runtime);
    runtime.block_on(async {
        let mut all = String::new();
        for target in [at("src/lib.rs", 5, 60), at("src/lib.rs", 4, 0), pinned("User", "src/lib.rs", 8)] {
            all += &shown(&world.definitions(target).await.unwrap());
        }
        expect![[r#"
            syntax complete=false
            method hello of User src/lib.rs:4:12-4:17: pub fn hello(&self) -> User { // é😀
            syntax complete=false
            method hello of User src/lib.rs:4:12-4:17: pub fn hello(&self) -> User { // é😀
            syntax complete=false
            struct User of auth src/lib.rs:8:27-8:31: pub mod auth { pub struct User; }
        "#]]
        .assert_eq(&all);
        world.stop().await;
    });
    Ok(())
}

fn references(runtime: &Runtime) -> Result<(), Failed> {
    let world = bare(runtime);
    runtime.block_on(async {
        let answer = world.references(pinned("User", "src/lib.rs", 2)).await.unwrap();
        let all: Vec<_> = answer.references.iter().map(show_range).collect();
        expect![[r#"
            src/lib.rs:3:6-3:10 in User (impl implementation public): impl User {
            src/lib.rs:4:28-4:32 in User::hello (method type signature public): pub fn hello(&self) -> User { // é😀
            src/lib.rs:5:20-5:24 in User::hello (method construct public): let user = User { name: self.name.clone() }; user.hello()
            src/main.rs:1:11-1:15 (import): use mini::User;
            src/main.rs:2:32-2:36 in main (function read): fn main() { let text = "User"; User::hello(text); }
            src/main.rs:5:47-5:51 in holds (function construct test): proptest! { #[test] fn holds(x in 0..3) { User { name: x }; } }"#]].assert_eq(&all.join("\n"));
        assert_eq!((answer.completeness.source.0.as_str(), answer.completeness.is_complete(), answer.mentions), ("text", false, Some(2)));
        let mut request = references_request(pinned("hello", "src/lib.rs", 4));
        request.question.include_declaration = true;
        let answer = world.ask(Operation::References, request).await.unwrap();
        assert_eq!(answer.references.len(), 3, "{answer:?}");
        world.stop().await;
    });
    Ok(())
}

fn unknown(runtime: &Runtime) -> Result<(), Failed> {
    let world = bare(runtime);
    runtime.block_on(async {
        let answer = world.definitions(named("Nobody")).await.unwrap();
        assert!(!answer.completeness.is_complete() && answer.definitions.is_empty(), "{answer:?}");
        let request = references_request(named("Nobody"));
        let error = world.ask(Operation::References, request).await.unwrap_err();
        assert_eq!(error.kind, ErrorCode::NotReady, "{error:?}");
        world.stop().await;
    });
    Ok(())
}
