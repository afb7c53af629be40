//! The chain with an editor that lends its rust-analyzer, by the draft `lsp/servers` and `lsp/request` of ACP. The chain
//! itself finds no language server, so that what is complete came from the editor's.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use conformance::chain::{Setup, Shape};
use conformance::conversation::{Conversation, Said};
use conformance::editor::Answers;
use conformance::lent_server::LentServer;
use conformance::workspace::Workspace;
use libtest_mimic::Trial;
use serde_json::json;
use tempfile::TempDir;

use crate::plugin_chain::ONCE;
use crate::real_servers::MANIFEST;

pub(crate) fn trials() -> Vec<Trial> {
    let shapes = [Shape::InProcess, Shape::Fused, Shape::Conducted].map(|shape| {
        trial(format!("{shape}: answers are about unsaved texts"), move || answers_about_unsaved_texts(shape))
    });
    let others = [
        trial("edits are written by the editor".to_owned(), edits_are_written_by_the_editor),
        trial("one that ends is left for a while".to_owned(), one_that_ends_is_left),
        trial("texts that are not the editor's are not its server's".to_owned(), texts_of_a_program),
    ];
    shapes.into_iter().chain(others).collect()
}

fn trial<F: Future<Output = Result<()>>>(name: String, test: impl FnOnce() -> F + Send + 'static) -> Trial {
    crate::rust_analyzer_trial("lent_servers", &name, test)
}

const LIB: &str = "\
pub mod auth;

pub struct User {
    pub name: String,
}
";

const AUTH: &str = "\
use crate::User;

pub fn check(user: &User) -> bool {
    !user.name.is_empty()
}

pub fn both(a: &User, b: &User) -> bool {
    check(a) && check(b)
}
";

/// The text that the user has typed: a line at the top, a function at the end, and no bracket.
const TYPED: &str = "\
// é😀
use crate::User;

pub fn check(user: &User) -> bool {
    !user.name.is_empty()
}

pub fn both(a: &User, b: &User) -> bool {
    check(a) && check(b)
}

pub fn third(user: &User) -> bool {
    /* é😀 */ check(user)
}
";

/// A chain without a language server of its own, and an editor with one.
struct Scene {
    chain: Conversation,
    workspace: Workspace,
    lent: Arc<LentServer>,
    _shims: TempDir,
}

impl Scene {
    async fn open(shape: Shape) -> Result<Self> {
        // A server that is started for a workspace which is not trusted would not run it, and say so.
        let build = ("build.rs", "fn main() {}\n");
        let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", LIB), ("src/auth.rs", AUTH), build];
        let workspace = Workspace::new(files)?;
        let _settings = workspace.without_std()?;
        let lent = LentServer::start(workspace.root())?;
        let mut setup = Setup::new(shape, crate::programs()?);
        let shims = setup.shim(None)?;
        setup.server = Some(vec!["/nowhere/no-language-server".into()]);
        setup.lent_patience = Some(Duration::from_secs(60));
        let once = json!({"outcome": {"outcome": "selected", "optionId": ONCE}});
        let answers = Answers::parse(&format!("session/request_permission {once}\n"))?;
        let answers = answers.lending(Arc::clone(&lent));
        let chain = Conversation::open(&setup, workspace.root(), &json!({}), answers).await?;
        Ok(Self { chain, workspace, lent, _shims: shims })
    }

    fn typed(&self, text: &str) {
        self.lent.show(&self.workspace.root().join("src/auth.rs"), text);
    }

    /// An answer that lacks nothing.
    async fn whole(&mut self, program: &str) -> Result<String> {
        let Said { text, notes } = self.chain.call(program).await?;
        ensure!(notes.iter().all(|it| !it.contains("complete")), "{program}: {text}\n{notes:?}");
        Ok(text)
    }

    async fn places(&mut self, program: &str) -> Result<Vec<String>> {
        let text = self.whole(program).await?;
        let found = conformance::places::places(&text).with_context(|| format!("{program}: {text}"))?;
        Ok(found.iter().map(|(path, line, column)| format!("{path}:{line}:{column}")).collect())
    }
}

async fn answers_about_unsaved_texts(shape: Shape) -> Result<()> {
    let mut scene = Scene::open(shape).await?;
    assert_eq!(scene.places("findReferences(`check`)").await?, ["src/auth.rs:8:5", "src/auth.rs:8:17"]);
    scene.typed(TYPED);
    // Nobody has named the file since, so that only the answer leads to its text.
    let uses = ["src/auth.rs:9:5", "src/auth.rs:9:17", "src/auth.rs:13:14"];
    assert_eq!(scene.places("findReferences(`check`)").await?, uses);
    assert_eq!(scene.whole("findDefinition(`src/auth.rs:13:14`).line").await?, "4");
    let outline = scene.whole("outline(`src/auth.rs`)").await?;
    assert!(outline.contains("third"), "{outline}");
    let callers = scene.whole("findCallers(`check`)").await?;
    assert!(callers.contains("both") && callers.contains("third"), "{callers}");
    let types = scene.whole("findTypeDefinitions(`src/auth.rs:12:14`)").await?;
    assert!(types.contains("src/lib.rs"), "{types}");
    let rename = scene.whole("rename(`check`, `verify`).files.map(f => f.changes)").await?;
    assert_eq!(rename, "[4]");
    scene.typed(&TYPED.replace("check(user)\n", "check(user\n"));
    let said = scene.chain.call("diagnostics(`src/auth.rs`)").await?;
    assert!(said.text.contains("13:") && said.text.contains("expected"), "{said:?}");
    scene.chain.end().await
}

async fn edits_are_written_by_the_editor() -> Result<()> {
    let mut scene = Scene::open(Shape::InProcess).await?;
    scene.typed(TYPED);
    scene.whole("applyEdits(rename(`check`, `verify`))").await?;
    let path = scene.workspace.root().join("src/auth.rs");
    assert_eq!(std::fs::read_to_string(path)?, TYPED.replace("check", "verify"));
    assert_eq!(scene.chain.heard("fs/write_text_file").len(), 1);
    assert_eq!(scene.places("findReferences(`verify`)").await?.len(), 3);
    scene.chain.end().await
}

async fn one_that_ends_is_left() -> Result<()> {
    let mut scene = Scene::open(Shape::InProcess).await?;
    assert_eq!(scene.places("findReferences(`check`)").await?.len(), 2);
    scene.lent.stop();
    for _ in 0..2 {
        let said = scene.chain.call("findReferences(`check`)").await?;
        assert!(said.notes.iter().any(|it| it.contains("from the syntax alone")), "{said:?}");
    }
    let listed = scene.chain.heard("lsp/servers").len();
    let after_the_end = scene.chain.heard("lsp/request").len();
    scene.chain.call("findReferences(`both`)").await?;
    assert_eq!(scene.chain.heard("lsp/servers").len(), listed);
    assert_eq!(scene.chain.heard("lsp/request").len(), after_the_end);
    scene.chain.end().await
}

async fn texts_of_a_program() -> Result<()> {
    let mut scene = Scene::open(Shape::InProcess).await?;
    scene.whole("findReferences(`check`)").await?;
    let asked = scene.chain.heard("lsp/request").len();
    let code =
        "await fs.edit('src/auth.rs', ' && check(b)', '')\nreturn (await ide.findReferences('check')).length";
    let said = crate::scripts::run(&mut scene.chain, code, json!({})).await?;
    ensure!(said.contains('1'), "{said}");
    assert_eq!(scene.chain.heard("lsp/request").len(), asked, "it does not know that text");
    scene.chain.end().await
}
