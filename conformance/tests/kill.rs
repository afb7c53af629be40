//! SIGKILL of each member in turn: no process of the run is left.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow};
use conformance::chain::{Chain, Setup, Shape, start};
use conformance::editor::{Answers, Editor};
use conformance::processes::Process;
use conformance::record::{Log, Record, Way};
use conformance::workspace::Workspace;
use libtest_mimic::Trial;
use serde_json::json;

/// The time after which a wait counts as a hang.
const LIMIT: Duration = Duration::from_secs(120);

/// A chain in the middle of everything: a language server loads, and a call waits for it.
struct Busy {
    chain: Chain,
    editor: Editor,
    _workspace: Workspace,
    _shims: tempfile::TempDir,
}

async fn busy(shape: Shape) -> Result<Busy> {
    let workspace = Workspace::new([
        ("Cargo.toml", "[package]\nname = \"small\"\n"),
        ("src/lib.rs", "pub fn one() {}\n"),
    ])?;
    let programs = crate::programs()?;
    let record = Arc::new(Record::default());
    let mut setup = Setup::new(shape, programs);
    let shims = setup.shim(Some(&json!({"ready": "never"})))?;
    setup.agent = vec!["--mcp".into(), "none".into()]; // a relay is one process more
    setup.record = Some(Arc::clone(&record));
    let mut chain = start(&setup)?;
    let (read, write) = chain.read.take().zip(chain.write.take()).ok_or_else(|| anyhow!("no streams"))?;
    let mut editor = Editor::open(read, write, Answers::default(), Log::Nowhere);
    editor.initialize(1, &json!({})).await?;
    editor.set_up("session/new", "A", json!({"cwd": workspace.root(), "mcpServers": []})).await?;
    editor.prompt("A", "call findReferences(`one`)")?;
    let is_loading = |_: usize, it: &conformance::record::Entry| {
        it.player == "server" && it.way == Way::Heard && it.method() == "initialized"
    };
    record.wait("the server to load", LIMIT, is_loading).await?;
    Ok(Busy { chain, editor, _workspace: workspace, _shims: shims })
}

/// Kills whoever `is_member`, and looks for the others.
async fn kill(shape: Shape, is_member: fn(&Process) -> bool, leaves: bool) -> Result<()> {
    let Busy { chain, mut editor, _workspace, _shims } = busy(shape).await?;
    let living = chain.run.living();
    let member = living.iter().find(|it| is_member(it)).ok_or_else(|| anyhow!("not among {living:#?}"))?;
    member.kill();
    if leaves {
        // Its death is an outcome for the others: they end with the editor.
        editor.peer().close();
    }
    editor.forget();
    let mut chain = chain;
    let gone = tokio::time::timeout(LIMIT, chain.died()).await;
    gone.map_err(|_| anyhow!("the chain outlived the kill by {LIMIT:?}"))??;
    chain.run.gone(LIMIT).await
}

macro_rules! kills {
    ($($name:ident: $shape:ident, $member:expr, $leaves:expr;)*) => {
        $(
            async fn $name() -> Result<()> {
                kill(Shape::$shape, $member, $leaves).await
            }
        )*

        pub(crate) fn trials() -> Vec<Trial> {
            tests![async $($name),*]
        }
    };
}

kills! {
    the_fused_process: Fused, |it| it.command.contains("dialect-under-test agent"), false;
    the_agent_of_the_fused_process: Fused, |it| ends_first_word(it, "mock-agent"), false;
    the_supervisor_of_its_agent: Fused, |it| it.command.contains("supervise --patience"), false;
    its_language_server: Fused, |it| ends_first_word(it, "rust-analyzer"), true;
    the_supervisor_of_its_language_server: Fused, |it| it.command.contains("supervise --") && it.command.ends_with("rust-analyzer"), true;
    its_relay: Fused, |it| it.command.ends_with("relay"), true;
    the_conductor: Conducted, |it| ends_first_word(it, "conductor"), false;
    the_adapter: Conducted, |it| it.command.ends_with("dialect-under-test adapter"), false;
    the_component: Conducted, |it| it.command.contains("dialect-under-test component"), false;
    the_agent: Conducted, |it| ends_first_word(it, "mock-agent"), false;
    the_adapters_language_server: Conducted, |it| ends_first_word(it, "rust-analyzer"), true;
}

fn ends_first_word(process: &Process, name: &str) -> bool {
    process.command.split(' ').next().is_some_and(|it| it.ends_with(&format!("/{name}")))
}
