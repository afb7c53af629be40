//! The chain with real language servers. A test whose server does not answer `--version` is shown as ignored, and as
//! failed when `DIALECT_REQUIRE_SERVERS` names the server.

use anyhow::{Context, Result, ensure};
use conformance::chain::{Notes, Setup, Shape};
use conformance::conversation::Conversation;
use conformance::editor::Answers;
use conformance::workspace::Workspace;
use libtest_mimic::Trial;
use serde_json::json;
use tempfile::TempDir;

use crate::plugin_chain::ONCE;
use crate::scripts::run;

pub(crate) fn trials() -> Vec<Trial> {
    let shapes = [Shape::InProcess, Shape::Fused, Shape::Conducted].map(|shape| {
        trial(format!("{shape}: references through a definition"), move || {
            references_through_a_definition(shape)
        })
    });
    let others = [
        trial("an ambiguity's programs run as they stand".to_owned(), an_ambiguitys_programs_run),
        trial("a file that changed is answered as it is now".to_owned(), a_file_that_changed),
        trial("columns count characters".to_owned(), columns_count_characters),
        trial("a rename works on what a script wrote".to_owned(), a_rename_works_on_what_a_script_wrote),
    ];
    shapes.into_iter().chain(others).collect()
}

fn trial<F: Future<Output = Result<()>>>(name: String, test: impl FnOnce() -> F + Send + 'static) -> Trial {
    crate::rust_analyzer_trial("real_servers", &name, test)
}

pub(crate) const MANIFEST: &str = "[package]\nname = \"small\"\nedition = \"2021\"\n";

const LIB: &str = "\
pub mod auth;

/// Who somebody is.
pub struct User {
    pub name: String,
}

impl User {
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned() }
    }
}
";

const AUTH: &str = "\
use crate::User;

/// Checks a User.
pub fn check(user: &User) -> bool {
    !user.name.is_empty()
}

pub fn both(a: &User, b: &User) -> bool {
    check(a) && check(b)
}

pub mod deep {
    pub fn new() {}

    pub fn calls_it() {
        new();
    }
}
";

async fn open(shape: Shape, workspace: &Workspace) -> Result<Conversation> {
    let programs = crate::programs()?;
    let mut setup = Setup { wall: adapter::fallback::wall().is_ok(), ..Setup::new(shape, programs) };
    // One of them reads the standard library of this machine, as users do.
    let settings = if shape == Shape::Conducted { None } else { Some(workspace.without_std()?) };
    setup.settings = settings.as_ref().map(|it| it.path().to_owned());
    Conversation::open(&setup, workspace.root(), &json!({}), Answers::default()).await
}

fn workspace() -> Result<Workspace> {
    Workspace::new([("Cargo.toml", MANIFEST), ("src/lib.rs", LIB), ("src/auth.rs", AUTH)])
}

/// The places of an answer that is a list, as `path:line:column`.
fn places(text: &str) -> Result<Vec<String>> {
    let found = conformance::places::places(text).with_context(|| format!("not a list: {text}"))?;
    Ok(found.iter().map(|(path, line, column)| format!("{path}:{line}:{column}")).collect())
}

async fn references_through_a_definition(shape: Shape) -> Result<()> {
    let workspace = workspace()?;
    let mut chain = open(shape, &workspace).await?;
    let said = chain.call_when_ready("findReferences(findDefinition(`check`))").await?;
    assert_eq!(places(&said.text)?, ["src/auth.rs:9:5", "src/auth.rs:9:17"], "{said:?}");
    // What the definition's range starts with is its documentation; references are those of the name.
    let said = chain.call_when_ready("findReferences(`User`)").await?;
    let in_auth = ["src/auth.rs:1:12", "src/auth.rs:4:21", "src/auth.rs:8:17", "src/auth.rs:8:27"];
    let in_lib = ["src/lib.rs:8:6", "src/lib.rs:9:31", "src/lib.rs:10:9"]; // `Self` refers to it too
    assert_eq!(places(&said.text)?, [&in_auth[..], &in_lib[..]].concat(), "{said:?}");
    let said = chain.call("findReferences(`Usr`)").await?;
    assert!(said.text.starts_with("failure: ") && said.text.contains("User"), "{said:?}");
    chain.end().await
}

async fn an_ambiguitys_programs_run() -> Result<()> {
    let workspace = workspace()?;
    let mut chain = open(Shape::InProcess, &workspace).await?;
    let said = chain.call_when_ready("findReferences(`new`)").await?;
    let programs: Vec<&str> =
        said.text.lines().map(str::trim).filter(|it| it.starts_with("findReferences(")).collect();
    assert_eq!(programs.len(), 2, "{said:?}");
    let mut answers = Vec::new();
    for program in programs {
        answers.extend(places(&chain.call(program).await?.text)?);
    }
    assert_eq!(answers, ["src/auth.rs:16:9"], "one of them is called, the other is not");
    chain.end().await
}

async fn a_file_that_changed() -> Result<()> {
    let workspace = workspace()?;
    let mut chain = open(Shape::InProcess, &workspace).await?;
    let before = chain.call_when_ready("findReferences(`check`)").await?;
    assert_eq!(places(&before.text)?.len(), 2, "{before:?}");
    workspace.write(
        "src/auth.rs",
        &format!("{AUTH}\npub fn third(user: &User) -> bool {{\n    check(user)\n}}\n"),
    )?;
    let after = chain.call_when_ready("findReferences(`check`)").await?;
    assert_eq!(places(&after.text)?.len(), 3, "{after:?}");
    chain.end().await
}

async fn columns_count_characters() -> Result<()> {
    let lib =
        "pub fn one() -> u8 {\n    1\n}\n\npub fn text() -> (&'static str, u8) {\n    (\"é😀\", one())\n}\n";
    let workspace = Workspace::new([("Cargo.toml", MANIFEST), ("src/lib.rs", lib)])?;
    let mut chain = open(Shape::InProcess, &workspace).await?;
    let said = chain.call_when_ready("findReferences(findDefinition(`one`))").await?;
    assert_eq!(places(&said.text)?, ["src/lib.rs:6:12"], "{said:?}");
    chain.end().await
}

async fn a_rename_works_on_what_a_script_wrote() -> Result<()> {
    let lib = "pub fn start() -> u32 {\n    1\n}\n";
    let workspace = Workspace::new([("Cargo.toml", MANIFEST), ("src/lib.rs", lib)])?;
    let (state, settings) = (TempDir::new()?, workspace.without_std()?);
    let mut setup =
        Setup { wall: adapter::fallback::wall().is_ok(), ..Setup::new(Shape::Fused, crate::programs()?) };
    setup.settings = Some(settings.path().to_owned());
    let (folder, state) = (state.path().join("notes"), state.path().to_owned());
    setup.notes = Some(Notes { folder, state, patience: None, read_only: false });
    let once = json!({"outcome": {"outcome": "selected", "optionId": ONCE}});
    let answers = Answers::parse(&format!("session/request_permission {once}\n"))?;
    let mut chain = Conversation::open(&setup, workspace.root(), &json!({}), answers).await?;
    let code = "await fs.write('src/lib.rs', 'mod extra;\\n\\npub fn start() -> u32 {\\n    extra::more() + extra::more()\\n}\\n')\n\
                await fs.write('src/extra.rs', 'pub fn more() -> u32 {\\n    2\\n}\\n')\n\
                const uses = (await ide.findReferences('more')).length\n\
                await ide.applyEdits(await ide.rename('more', 'several'))\n\
                await fs.edit('src/lib.rs', 'extra::several() + ', '')\n\
                const again = (await ide.findReferences('several')).length\n\
                await ide.applyEdits(await ide.rename('start', 'begin'))\n\
                return [uses, again]";
    let said = run(&mut chain, code, json!({"timeout_ms": 300_000})).await?;
    ensure!(said.contains("[2,1]") && !said.contains("fs.commit"), "{said}");
    let lib = std::fs::read_to_string(workspace.root().join("src/lib.rs"))?;
    assert_eq!(lib, "mod extra;\n\npub fn begin() -> u32 {\n    extra::several()\n}\n");
    let extra = std::fs::read_to_string(workspace.root().join("src/extra.rs"))?;
    assert_eq!(extra, "pub fn several() -> u32 {\n    2\n}\n");
    let asked = chain.heard("session/request_permission");
    ensure!(asked.len() == 1, "one question for all: {asked:?}");
    chain.end().await
}
