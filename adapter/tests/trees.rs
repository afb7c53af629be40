//! Questions about other work trees: what they say is what a session says that was opened there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use adapter::fallback::Caller;
use ide_protocol::Operation;
use libtest_mimic::{Failed, Trial};
use regex::Regex;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::world::{self, Server, World, missing, settings};

const TY: Server = ("python", "ty");

pub(crate) fn servers() -> impl Iterator<Item = Server> {
    [TY].into_iter().chain(OTHERS.iter().map(|it| it.0))
}

type Test = fn(&Runtime) -> Result<(), Failed>;

pub(crate) fn trials() -> Vec<Trial> {
    let lacks = missing(TY.0, TY.1).or_else(no_git);
    let states = states().into_iter().map(|state| {
        let name = format!("trees/states.md: {}", state.name);
        world::trial(name, &lacks, move |runtime| runtime.block_on(as_if_opened(&state)))
    });
    let others: [(&str, Test); 5] = [
        ("a tree that goes while it is in use, and comes again", removed_in_use),
        ("the same file open in two trees", open_twice),
        ("a name means the session's own tree, whatever else the server indexes", own_names),
        ("a folder of repositories is one tree, without linked ones", folder_of_repositories),
        ("hidden files of a tree are looked into by all operations or by none", hidden_files),
    ];
    let languages = OTHERS.iter().map(|(server, files, defining)| {
        let lacks = missing(server.0, server.1).or_else(no_git);
        let name = format!("trees of {}, as if opened", server.1);
        world::trial(name, &lacks, move |runtime| runtime.block_on(other_language(*server, files, defining)))
    });
    let lacks_clangd = missing(CLANGD.0, CLANGD.1).or_else(no_git);
    let library =
        world::trial("a definition may lie in a submodule".to_owned(), &lacks_clangd, in_a_submodule);
    states
        .chain(languages)
        .chain([library])
        .chain(others.map(|(name, test)| world::trial(name.to_owned(), &lacks, test)))
        .collect()
}

fn no_git() -> Option<String> {
    let is_there = Command::new("git").arg("--version").output().is_ok_and(|it| it.status.success());
    (!is_there).then(|| " (no git here)".to_owned())
}

const CLANGD: Server = ("c", "clangd");

/// Files with their texts.
type Files = &'static [(&'static str, &'static str)];

/// Projects in other languages, each with the file that defines `foo` on its first line.
const OTHERS: &[(Server, Files, &str)] = &[
    (
        ("typescript", "tsc"),
        &[
            ("tsconfig.json", "{}\n"),
            ("a.ts", "export function foo() {\n    return 1;\n}\n"),
            ("b.ts", "import { foo } from \"./a\";\n\nexport const two = foo() + foo();\n"),
        ],
        "a.ts",
    ),
    (
        ("rust", "rust-analyzer"),
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n",
            ),
            ("src/lib.rs", "pub fn foo() -> u8 {\n    1\n}\n\npub mod b;\n"),
            ("src/b.rs", "use crate::foo;\n\npub fn two() -> u8 {\n    foo() + foo()\n}\n"),
        ],
        "src/lib.rs",
    ),
];

/// A row of the table.
struct State {
    name: String,
    make: String,
    session: Vec<String>,
    asked: String,
    opened: String,
}

fn states() -> Vec<State> {
    let table = include_str!("trees/states.md").lines().filter(|it| it.starts_with("| ")).skip(2);
    let states = table.map(|row| {
        let cells: Vec<_> =
            row.trim_matches('|').split(" | ").map(|it| it.trim().trim_matches('`')).collect();
        let [name, make, session, asked, opened] = cells[..] else { panic!("{row}") };
        let session = session.split(", ").map(str::to_owned).collect();
        let [name, make, asked, opened] = [name, make, asked, opened].map(str::to_owned);
        State { name, make, session, asked, opened }
    });
    states.collect()
}

const FILES: &[(&str, &str)] = &[
    ("pyproject.toml", "[project]\nname = \"small\"\n"),
    ("a.py", "def foo():\n    return 1\n\n\nclass Base:\n    def run(self):\n        return foo()\n"),
    (
        "b.py",
        "from a import Base, foo\n\n\nclass Sub(Base):\n    def go(self):\n        return self.run() + foo()\n",
    ),
    ("c.py", "import a\n\nprint(a.foo(), a.nothing)\n"),
    ("package/d.py", "from a import foo\n\nfoo()\n"),
];

/// Makes the repositories of the table, and what a state adds to them.
fn made(make: &str) -> World {
    made_of(TY, FILES, make)
}

fn made_of(server: Server, files: &[(&str, &str)], make: &str) -> World {
    let world = World::without_session(&[], &settings(server.0, server.1));
    for folder in ["main", "lib"] {
        for (path, text) in files {
            world.write(&format!("{folder}/{path}"), text);
        }
        shell(
            &world,
            &format!("git init -q {folder} && git -C {folder} add . && git -C {folder} commit -qm one"),
        );
    }
    shell(&world, make);
    world
}

fn shell(world: &World, commands: &str) {
    let settings = [("user.name", "a"), ("user.email", "a@b"), ("protocol.file.allow", "always")];
    let mut shell = Command::new("sh");
    shell
        .args(["-euc", commands])
        .current_dir(world.root())
        .env("GIT_CONFIG_COUNT", settings.len().to_string());
    for (index, (key, value)) in settings.iter().enumerate() {
        shell.env(format!("GIT_CONFIG_KEY_{index}"), key).env(format!("GIT_CONFIG_VALUE_{index}"), value);
    }
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{commands}\n{}", String::from_utf8_lossy(&output.stderr));
}

fn open(world: &World, session: &str, roots: &[String]) {
    world.fallback.open_session(session, roots.iter().map(|it| world.root().join(it)).collect());
}

/// Asks for an operation, and returns what it says: the result or the error, without what differs from session to
/// session: ids, and the remark on the tree.
async fn say(world: &World, session: &str, operation: Operation, question: &Value) -> Value {
    let mut params = question.clone();
    params["sessionId"] = session.into();
    (params["deadlineMs"], params["waitMs"]) = (600_000.into(), 600_000.into());
    match world.fallback.answer(operation, params, Caller::default()).await {
        Ok(mut answer) => {
            if let Some(fields) = answer.as_object_mut() {
                fields.remove("note");
                let reasons = fields.get_mut("reasons").and_then(Value::as_array_mut);
                reasons.into_iter().for_each(|all| all.retain(|it| it["code"] != "otherTree"));
                fields.retain(|name, it| name != "reasons" || *it != json!([]));
            }
            answer
        }
        Err(error) => json!({"error": error.message, "recovery": error.recovery}),
    }
}

/// Returns the questions about a tree that is called so.
fn questions(tree: &str) -> Vec<(Operation, Value)> {
    use Operation as O;
    let path = |file: &str| if tree.is_empty() { file.to_owned() } else { format!("{tree}/{file}") };
    let folder = || if tree.is_empty() { ".".to_owned() } else { tree.to_owned() };
    let at = |file: &str, line: u32, column: u32| json!({"target": {"at": {"path": path(file), "line": line, "column": column}}});
    // The line of `foo` differs where the state adds one before it.
    let of_foo = || json!({"target": {"name": "foo", "at": {"path": path("a.py"), "line": 1}}});
    let base = || json!({"target": {"name": "Base", "at": {"path": path("a.py"), "line": 5}}});
    let with = |mut question: Value, name: &str, value: Value| {
        question[name] = value;
        question
    };
    vec![
        (O::Definitions, of_foo()),
        (O::Definitions, at("b.py", 1, 15)),
        (O::Declarations, at("b.py", 1, 15)),
        (O::TypeDefinitions, at("b.py", 4, 7)),
        (O::Implementations, base()),
        (O::References, of_foo()),
        (O::References, with(base(), "includeDeclaration", true.into())),
        (O::Callers, with(of_foo(), "depth", 2.into())),
        (O::Callees, at("b.py", 5, 9)),
        (O::Supertypes, at("b.py", 4, 7)),
        (O::Subtypes, base()),
        (O::Description, of_foo()),
        (O::Outline, json!({"path": path("a.py")})),
        (O::FileDefinitions, json!({"path": path("a.py")})),
        (O::FileDefinitions, json!({"path": folder()})),
        (O::Members, base()),
        (O::Exports, json!({"path": path("a.py")})),
        (O::Imports, json!({"path": path("b.py")})),
        (O::Importers, json!({"path": path("a.py")})),
        (O::Symbols, json!({"query": "foo", "path": folder()})),
        (O::Files, json!({"glob": path("**/*.py")})),
        (O::Files, json!({"glob": folder()})),
        (O::Diagnostics, json!({"path": path("c.py")})),
        (O::Diagnostics, json!({"path": folder()})),
        (O::Search, json!({"path": folder(), "pattern": "foo"})),
        (O::Search, json!({"path": path("a.py"), "pattern": "foo"})),
        (O::Matches, json!({"path": folder(), "pattern": "foo()"})),
        (O::Lines, json!({"path": path("a.py"), "first": 1, "last": 9})),
        (O::Text, json!({"path": path("a.py")})),
        (O::Text, json!({"path": path("none.py")})),
        (O::Rename, with(of_foo(), "newName", "bar".into())),
        (O::CodeActions, json!({"path": path("c.py")})),
        (O::Format, json!({"path": path("a.py")})),
        (O::OrganizeImports, json!({"path": path("b.py")})),
        (O::Draft, json!({"title": "T", "files": [{"path": path("new/z.py"), "after": "z = 1\n"}]})),
    ]
}

/// Returns an answer with paths as a session has them that was opened in the tree.
fn spelled(answer: &Value, shown: &str) -> Value {
    let ids = Regex::new("\"([a-z]+)-[0-9a-f]{10}\"").unwrap();
    let text = serde_json::to_string(answer).unwrap();
    let text = ids.replace_all(&text, "\"$1-ID\"").into_owned();
    serde_json::from_str(&text.replace(&format!("{shown}/"), "").replace(&format!("`{shown}`"), "`.`"))
        .unwrap()
}

/// Returns every file of a world with its text, but for those of git.
fn texts(world: &World) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![world.root().canonicalize().unwrap()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() && entry.file_name() != ".git" && entry.file_name() != "bare.git" {
                folders.push(entry.path());
            } else if kind.is_file() {
                found.insert(entry.path(), fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

/// Returns the files that differ.
fn changed(before: &BTreeMap<PathBuf, Vec<u8>>, after: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<PathBuf> {
    let all: std::collections::BTreeSet<_> = before.keys().chain(after.keys()).collect();
    all.into_iter().filter(|it| before.get(*it) != after.get(*it)).cloned().collect()
}

fn ids(answer: &Value) -> Vec<String> {
    let edits = answer["edits"].as_array().into_iter().flatten();
    edits.filter_map(|it| it["id"].as_str().map(str::to_owned)).collect()
}

async fn as_if_opened(state: &State) -> Result<(), Failed> {
    let world = made(&state.make);
    let top = world.root().canonicalize()?;
    let tree = top.join(&state.opened);
    let session = top.join(&state.session[0]).canonicalize()?;
    let asked = state.asked.replace("<world>", top.to_str().unwrap());
    let shown = tree.strip_prefix(&session).unwrap_or(&tree).display().to_string();
    open(&world, "parent", &state.session);
    // Its own fallback has servers of its own.
    let other = World::without_session(&[], &settings(TY.0, TY.1));
    other.fallback.open_session("opened", vec![tree.clone()]);
    let mut wrong = String::new();
    for ((operation, question), (_, same)) in questions(&asked).iter().zip(questions("")) {
        let answer = spelled(&say(&world, "parent", *operation, question).await, &asked);
        let answer = spelled(&answer, asked.strip_prefix("file://").unwrap_or(&shown));
        let answer = spelled(&answer, &shown);
        // What lies beside the tree is relative where the session is.
        let expected = say(&other, "opened", *operation, &same).await;
        let expected = spelled(&expected, session.to_str().unwrap());
        if answer != expected {
            wrong += &format!("{operation} {question}\n  is        {answer}\n  should be {expected}\n");
        }
    }
    // Nothing that the session's own tree says is about this one, and the other way round.
    let own = say(&world, "parent", Operation::References, &json!({"target": {"name": "foo"}})).await;
    if !state.session[0].contains("package") && own.to_string().contains(&format!("\"{shown}/")) {
        wrong += &format!("the session's own tree: {own}\n");
    }
    // What is written is written there.
    let before = texts(&world);
    for (operation, question) in
        questions(&asked).iter().filter(|it| matches!(it.0, Operation::Rename | Operation::Draft))
    {
        let edits = ids(&say(&world, "parent", *operation, question).await);
        let applied = say(&world, "parent", Operation::Apply, &json!({"edits": edits})).await;
        if edits.is_empty() || !applied["error"].is_null() {
            wrong += &format!("{operation}: {applied}\n");
        }
    }
    let written = changed(&before, &texts(&world));
    let strangers: Vec<_> = written.iter().filter(|it| !is_of(it, &tree)).collect();
    if written.len() < 4 || !strangers.is_empty() {
        wrong += &format!("written: {written:?}\nof other trees: {strangers:?}\n");
    }
    world.stop().await;
    other.stop().await;
    if wrong.is_empty() { Ok(()) } else { Err(wrong.into()) }
}

/// Returns true for a file of a tree that is in no tree within.
fn is_of(file: &Path, tree: &Path) -> bool {
    let mut folders = file.ancestors().skip(1).take_while(|it| *it != tree);
    file.starts_with(tree) && folders.all(|it| !it.join(".git").exists())
}

fn uses(answer: &Value) -> Vec<String> {
    let all = answer["references"].as_array().into_iter().flatten();
    all.map(|it| format!("{}:{}", it["path"].as_str().unwrap(), it["start"]["line"])).collect()
}

fn foo_in(tree: &str) -> Value {
    json!({"target": {"name": "foo", "at": {"path": format!("{tree}/a.py"), "line": 1}}})
}

fn removed_in_use(runtime: &Runtime) -> Result<(), Failed> {
    let _in_runtime = runtime.enter();
    let world = made("git -C main worktree add -q ../wt && git -C main worktree add -q .trees/wt2");
    open(&world, "parent", &["main".to_owned()]);
    runtime.block_on(async {
        for (tree, folder) in [("../wt", "wt"), (".trees/wt2", "main/.trees/wt2")] {
            let before = say(&world, "parent", Operation::References, &foo_in(tree)).await;
            assert_eq!(uses(&before).len(), 6, "{before}");
            shell(&world, &format!("git -C main worktree remove --force {tree}"));
            let gone = say(&world, "parent", Operation::References, &foo_in(tree)).await;
            assert!(gone["error"].is_string(), "{gone}");
            let own = say(&world, "parent", Operation::References, &json!({"target": {"name": "foo"}})).await;
            assert_eq!(uses(&own).len(), 6, "{own}");
            shell(&world, &format!("git -C main worktree add -q {tree} && sed -i '1i # more' {folder}/a.py"));
            let again = say(&world, "parent", Operation::References, &foo_in(tree)).await;
            assert!(uses(&again).iter().any(|it| it.ends_with("a.py:8")), "{again}");
        }
        world.stop().await;
    });
    Ok(())
}

fn open_twice(runtime: &Runtime) -> Result<(), Failed> {
    let _in_runtime = runtime.enter();
    let world = made("git -C main worktree add -q ../wt && git -C main worktree add -q trees/wt2");
    open(&world, "parent", &["main".to_owned()]);
    let top = world.root().canonicalize()?;
    let more = |count: usize| FILES[3].1.to_owned() + &"print(a.foo())\n".repeat(count);
    for (folder, count) in [("main", 1), ("wt", 2), ("main/trees/wt2", 3)] {
        world.fallback.shown_in_editor(&top.join(folder).join("c.py"), Some(more(count)));
        world.fallback.shown_in_editor(&top.join(folder).join("unsaved.py"), Some(more(0)));
    }
    runtime.block_on(async {
        for (tree, count) in [("..", 1), ("../wt", 2), ("trees/wt2", 3)] {
            let question = match tree {
                ".." => json!({"target": {"name": "foo"}}),
                tree => foo_in(tree),
            };
            let found = say(&world, "parent", Operation::References, &question).await;
            let here = uses(&found).iter().filter(|it| it.contains("c.py")).count();
            assert_eq!(here, 1 + count, "{tree}: {found}");
            let path = if tree == ".." { "." } else { tree };
            let found =
                say(&world, "parent", Operation::Search, &json!({"path": path, "pattern": "foo"})).await;
            let hits = found["hits"].as_array().unwrap().iter().map(|it| it["path"].to_string());
            let hits: Vec<_> = hits.filter(|it| it.contains("c.py") || it.contains("unsaved")).collect();
            assert_eq!(hits.len(), 2 + count, "{tree}: {found}");
        }
        world.stop().await;
    });
    Ok(())
}

fn own_names(runtime: &Runtime) -> Result<(), Failed> {
    let _in_runtime = runtime.enter();
    let make = "git -C main worktree add -q .claude/worktrees/wt && git -C main worktree add -q -b top wt && \
                git -C main submodule --quiet add -q $PWD/lib sub && git clone -q lib main/vendored";
    let world = made(make);
    open(&world, "parent", &["main".to_owned()]);
    runtime.block_on(async {
        use Operation as O;
        let name = || json!({"target": {"name": "foo"}});
        for (operation, question) in [
            (O::Definitions, name()),
            (O::References, name()),
            (O::Callers, name()),
            (O::Subtypes, json!({"target": {"name": "Base"}})),
            (O::Implementations, json!({"target": {"name": "Base"}})),
            (O::Rename, json!({"target": {"name": "foo"}, "newName": "bar"})),
            (O::Symbols, json!({"query": "foo"})),
            (O::Search, json!({"path": ".", "pattern": "foo"})),
            (O::Files, json!({"glob": "**"})),
            (O::Matches, json!({"path": ".", "pattern": "foo()"})),
            (O::FileDefinitions, json!({"path": "."})),
            (O::Importers, json!({"path": "a.py"})),
            (O::Diagnostics, json!({})),
        ] {
            let answer = say(&world, "parent", operation, &question).await;
            let said = match answer.clone() {
                Value::Object(mut fields) => {
                    fields.remove("reasons");
                    Value::Object(fields).to_string()
                }
                other => other.to_string(),
            };
            let other = ["wt/", "sub/", "vendored/"].into_iter().find(|it| said.contains(it));
            assert!(
                other.is_none() && said.contains(".py\"") || operation == O::Diagnostics,
                "{operation}: {answer}"
            );
            let left_out = answer["reasons"].to_string();
            if matches!(operation, O::Search | O::Files | O::Matches | O::FileDefinitions | O::Diagnostics) {
                assert!(left_out.contains("treesLeftOut"), "{operation}: {answer}");
                assert!(left_out.contains(r#""shown":["sub","vendored","wt"]"#), "{operation}: {answer}");
            }
        }
        let question = json!({"sessionId": "parent", "path": "wt/a.py", "first": 1, "last": 1});
        let lines = world.fallback.answer(O::Lines, question, Caller::default()).await.unwrap();
        assert_eq!(lines["reasons"], json!([{"code": "otherTree", "path": "wt"}]));
        // One edit may be of several trees, if it names them all.
        let mut files = Vec::new();
        for tree in ["wt/", "", ".claude/worktrees/wt/"] {
            files.push(json!({"path": format!("{tree}z.py"), "after": "z = 1\n"}));
        }
        let drafted = say(&world, "parent", O::Draft, &json!({"title": "T", "files": files})).await;
        let applied = say(&world, "parent", O::Apply, &json!({"edits": ids(&drafted)})).await;
        assert_eq!(applied["files"].as_array().map(Vec::len), Some(3), "{drafted} {applied}");
        world.stop().await;
    });
    Ok(())
}

fn hidden_files(runtime: &Runtime) -> Result<(), Failed> {
    let _in_runtime = runtime.enter();
    let make = "mkdir main/.tools && cp main/c.py main/.tools/e.py && cp main/c.py main/.f.py";
    let world = made(make);
    open(&world, "parent", &["main".to_owned()]);
    runtime.block_on(async {
        use Operation as O;
        let of_foo = || json!({"target": {"name": "foo"}});
        let hidden = [".tools/e.py", ".f.py"];
        for (operation, question) in [
            (O::References, of_foo()),
            (O::Callers, of_foo()),
            (O::Search, json!({"path": ".", "pattern": "foo"})),
            (O::Matches, json!({"path": ".", "pattern": "a.foo()"})),
            (O::Files, json!({"glob": "**/*.py"})),
            (O::Diagnostics, json!({})),
            (O::Symbols, json!({"query": "foo"})),
        ] {
            let mut answer = say(&world, "parent", operation, &question).await;
            let reasons = answer.as_object_mut().and_then(|it| it.remove("reasons"));
            assert!(!hidden.iter().any(|it| answer.to_string().contains(it)), "{operation}: {answer}");
            if operation == O::References {
                let said = json!([{"code": "hiddenLeftOut", "paths": {"shown": [".f.py", ".tools/e.py"]}}]);
                assert_eq!(reasons, Some(said), "{answer}");
            }
        }
        for (operation, question) in [
            (O::References, json!({"target": {"at": {"path": ".tools/e.py", "line": 3, "column": 9}}})),
            (O::Search, json!({"path": ".tools", "pattern": "foo"})),
            (O::Matches, json!({"path": ".tools", "pattern": "a.foo()"})),
            (O::Files, json!({"glob": ".tools/*.py"})),
            (O::Diagnostics, json!({"path": ".tools/e.py"})),
            (O::Rename, json!({"target": {"name": "foo"}, "newName": "bar"})),
        ] {
            let answer = say(&world, "parent", operation, &question).await;
            assert!(answer.to_string().contains("\".tools/e.py\""), "{operation}: {answer}");
        }
        world.stop().await;
    });
    Ok(())
}

async fn other_language(server: Server, files: &[(&str, &str)], defining: &str) -> Result<(), Failed> {
    let make = "git -C main worktree add -q ../wt && git -C main worktree add -q .trees/two && \
                git -C main worktree add -q three";
    let world = made_of(server, files, make);
    open(&world, "parent", &["main".to_owned()]);
    let top = world.root().canonicalize()?;
    let questions = |tree: &str| {
        let path = |it: &str| if tree.is_empty() { it.to_owned() } else { format!("{tree}/{it}") };
        let target = json!({"name": "foo", "at": {"path": path(defining), "line": 1}});
        [
            (Operation::Definitions, json!({"target": target})),
            (Operation::References, json!({"target": target})),
            (Operation::Rename, json!({"target": target, "newName": "bar"})),
            (Operation::Diagnostics, json!({"path": path(defining)})),
        ]
    };
    for (asked, opened) in [("../wt", "wt"), (".trees/two", "main/.trees/two"), ("three", "main/three")] {
        let tree = top.join(opened);
        let shown = tree.strip_prefix(top.join("main")).unwrap_or(&tree).display().to_string();
        let other = World::without_session(&[], &settings(server.0, server.1));
        other.fallback.open_session("opened", vec![tree.clone()]);
        for ((operation, question), (_, same)) in questions(asked).into_iter().zip(questions("")) {
            let answer = spelled(&say(&world, "parent", operation, &question).await, &shown);
            let expected = spelled(&say(&other, "opened", operation, &same).await, &shown);
            assert_eq!(answer, expected, "{operation} {asked}");
            assert!(answer["error"].is_null(), "{answer}");
        }
        other.stop().await;
    }
    let own = say(&world, "parent", Operation::References, &json!({"target": {"name": "foo"}})).await;
    assert_eq!(uses(&own).len(), 3, "{own}");
    world.stop().await;
    Ok(())
}

fn in_a_submodule(runtime: &Runtime) -> Result<(), Failed> {
    let _in_runtime = runtime.enter();
    let files: &[(&str, &str)] = &[
        ("lib.h", "static inline int lib(void) { return 1; }\n"),
        ("main.c", "#include \"sub/lib.h\"\nint main(void) { return lib(); }\n"),
    ];
    let world = made_of(
        CLANGD,
        files,
        "git -C main rm -qf lib.h && git -C main submodule --quiet add -q $PWD/lib sub",
    );
    open(&world, "parent", &["main".to_owned()]);
    runtime.block_on(async {
        let used = json!({"target": {"at": {"path": "main.c", "line": 2, "column": 25}}});
        let led = say(&world, "parent", Operation::Definitions, &used).await;
        assert_eq!(led["definitions"][0]["nameAt"]["path"], "sub/lib.h", "{led}");
        let read = say(&world, "parent", Operation::Text, &json!({"path": "sub/lib.h"})).await;
        assert_eq!(read["text"], files[0].1, "{read}");
        world.stop().await;
    });
    Ok(())
}

fn folder_of_repositories(runtime: &Runtime) -> Result<(), Failed> {
    let _in_runtime = runtime.enter();
    let world = made("git -C main worktree add -q ../wt");
    open(&world, "parent", &[".".to_owned()]);
    runtime.block_on(async {
        use Operation as O;
        for (operation, question) in [
            (O::Search, json!({"path": ".", "pattern": "def foo"})),
            (O::Files, json!({"glob": "**/a.py"})),
            (O::Definitions, json!({"target": {"name": "foo"}})),
        ] {
            let answer = say(&world, "parent", operation, &question).await;
            let said = answer.to_string();
            let has = |path: &str| said.contains(&format!("\"{path}/a.py\""));
            assert!(has("main") && has("lib") && !has("wt"), "{operation}: {answer}");
        }
        for tree in ["main", "lib", "wt"] {
            let found = say(&world, "parent", O::References, &foo_in(tree)).await;
            assert_eq!(uses(&found).len(), 6, "{tree}: {found}");
            assert!(uses(&found).iter().all(|it| it.starts_with(&format!("{tree}/"))), "{tree}: {found}");
        }
        world.stop().await;
    });
    Ok(())
}
