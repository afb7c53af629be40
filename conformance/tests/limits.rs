//! Limits of sizes, which want figures rather than transcripts; the tool over every transport.

use anyhow::Result;
use conformance::chain::{Setup, Shape};
use conformance::conversation::Conversation;
use conformance::editor::Answers;
use conformance::workspace::Workspace;
use libtest_mimic::Trial;
use serde_json::json;

pub(crate) fn trials() -> Vec<Trial> {
    tests![
        async
        the_tool_is_listed_over_every_transport_in_every_era,
        a_long_list_is_cut_to_the_budget_and_its_total_is_named,
        a_long_line_does_not_break_the_answer,
    ]
}

/// The budget of what a model reads, and the note beside it.
const BUDGET: usize = 16 * 1024;

async fn open(shape: Shape, agent: &[&str], workspace: &Workspace) -> Result<Conversation> {
    let mut setup = Setup::new(shape, crate::programs()?);
    setup.agent = agent.iter().map(|it| (*it).to_owned()).collect();
    setup.server = Some(vec!["/nowhere/no-language-server".into()]);
    let _shims = setup.shim(None)?;
    Conversation::open(&setup, workspace.root(), &json!({}), Answers::default()).await
}

async fn the_tool_is_listed_over_every_transport_in_every_era() -> Result<()> {
    let workspace = Workspace::new([("src/lib.rs", "fn one() {}\n")])?;
    for mcp in ["acp", "http", "none"] {
        for era in ["2026-07-28", "2025-06-18", "2025-11-25"] {
            let mut chain = open(Shape::Fused, &["--mcp", mcp, "--era", era], &workspace).await?;
            assert_eq!(chain.play("tools").await?, ["dialect: ide_operation, script"], "{mcp} {era}");
            chain.end().await?;
        }
    }
    Ok(())
}

async fn a_long_list_is_cut_to_the_budget_and_its_total_is_named() -> Result<()> {
    let lines: String = (1..=900).map(|n| format!("// line {n} of many\n")).collect();
    let workspace = Workspace::new([("src/lib.rs", lines.as_str())])?;
    let mut chain = open(Shape::InProcess, &[], &workspace).await?;
    let said = chain.call("search(`src`, `of many`)").await?;
    assert!(said.text.len() <= BUDGET, "{} bytes", said.text.len());
    let hits = said.text.lines().filter(|it| it.contains("of many")).count();
    assert!(hits > 20, "only {hits} hits");
    let note = said.notes.join("\n");
    assert!(note.contains("900") && note.contains(&hits.to_string()), "{note}");
    assert!(note.contains("By file: src/lib.rs 900."), "{note}");
    let rest = chain.call(&format!("(search(`src`, `of many`)).drop({hits})")).await?;
    let next = format!("line {} of many", hits + 1);
    assert!(rest.text.lines().any(|it| it.contains(&next)), "{}", rest.text);
    chain.end().await
}

async fn a_long_line_does_not_break_the_answer() -> Result<()> {
    let line = "x".repeat(3_000_000);
    let text = format!("needle {line}\nfn two() {{}}\n");
    let workspace = Workspace::new([("src/lib.rs", text.as_str())])?;
    let mut chain = open(Shape::InProcess, &["--mcp", "acp"], &workspace).await?;
    for program in ["search(`src`, `needle`)", "lines(`src/lib.rs`, 1, 2)", "source(`src/lib.rs:1-2`)"] {
        let said = chain.call(program).await?;
        assert!(said.text.len() <= BUDGET + 1024, "{program}: {} bytes", said.text.len());
        assert!(!said.text.is_empty(), "{program}");
    }
    chain.end().await
}
