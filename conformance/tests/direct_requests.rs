//! In a chain of one process, questions go to the adapter as calls. They overtake no message that says what happened to a
//! file.

use std::fmt::Write as _;

use anyhow::{Result, ensure};
use conformance::chain::{Setup, Shape};
use conformance::conversation::Conversation;
use conformance::editor::Answers;
use conformance::workspace::Workspace;
use libtest_mimic::Trial;
use serde_json::{Value, json};

pub(crate) fn trials() -> Vec<Trial> {
    tests![async questions_come_after_the_updates_before_them]
}

/// The number of updates, each with a question right behind it.
const ROUNDS: usize = 100;

/// The agent names a file and asks at once, on the same connection. The editor is asked for the text of that file before
/// the question is answered.
async fn questions_come_after_the_updates_before_them() -> Result<()> {
    let names: Vec<_> = (0..ROUNDS).map(|it| format!("src/m{it}.rs")).collect();
    let files = names.iter().map(|it| (it.as_str(), "pub fn named() {}\n"));
    let workspace = Workspace::new(files.chain([("src/lib.rs", "pub fn asked() {}\n")]))?;
    let mut setup = Setup::new(Shape::InProcess, crate::programs()?);
    setup.server = Some(vec!["/nowhere/no-language-server".into()]);
    setup.agent = ["--mcp", "acp"].map(str::to_owned).to_vec();
    let texts = r#"fs/read_text_file {"content": "pub fn unsaved() {}\n"}"#;
    let mut chain = Conversation::open(&setup, workspace.root(), &json!({}), Answers::parse(texts)?).await?;
    let mut script = String::new();
    for (round, name) in names.iter().enumerate() {
        let path = workspace.root().join(name);
        let update = json!({
            "sessionUpdate": "tool_call", "toolCallId": format!("{round}"), "title": "Read", "kind": "read",
            "locations": [{"path": path}],
        });
        writeln!(script, "update {update}\ncall lines(`src/lib.rs`, 1, 1)")?;
    }
    chain.play(&script).await?;
    // The agent sends each update after the answer to the question before it.
    let heard = chain.heard_of(&["session/update", "fs/read_text_file"]);
    let is_update = |(method, params): &&(String, Value)| {
        method == "session/update" && params["update"]["sessionUpdate"] == "tool_call"
    };
    let rounds: Vec<_> = heard.split(|it| is_update(&it)).skip(1).collect();
    ensure!(rounds.len() == ROUNDS, "{} of {ROUNDS} updates came", rounds.len());
    for (name, heard) in names.iter().zip(rounds) {
        let path = json!(workspace.root().join(name));
        let is_read =
            |(method, params): &(String, Value)| method == "fs/read_text_file" && params["path"] == path;
        ensure!(
            heard.iter().any(is_read),
            "the question after the update that names {path} did not know of it"
        );
    }
    chain.end().await
}
