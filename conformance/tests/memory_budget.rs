//! More servers at work than the memory that all may take: they take turns, and every question is answered.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use adapter::fallback::{Caller, Config, Fallback, Health};
use anyhow::{Context, Result, ensure};
use conformance::processes::{at_work_in, none_left};
use conformance::workspace::Workspace;
use futures::future::try_join_all;
use ide_protocol::{Envelope, Operation, ReferencesQuestion, Request, Target};
use libtest_mimic::Trial;
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::background::{FILES, fake};

pub(crate) fn trials() -> Vec<Trial> {
    tests![servers_that_all_work_take_turns]
}

/// The time within which everything has an end.
const DEADLINE: Duration = Duration::from_secs(120);

/// The number of workspaces, each with a session that asks without a pause.
const SESSIONS: usize = 3;

/// The number of questions of each.
const QUESTIONS: usize = 12;

fn servers_that_all_work_take_turns() -> Result<()> {
    crate::runtime()?.block_on(take_turns())
}

async fn take_turns() -> Result<()> {
    let config = Config::new(crate::programs()?.path("dialect-under-test"));
    let mut config = fake(config, &json!({"ready": "at once"}))?;
    config.head_start = DEADLINE; // the syntax is not to answer for a server that waits
    config.all_memory = Some(1); // one may always run
    config.health = Health { turn: Duration::ZERO, ..Health::default() };
    let fallback = Fallback::new(config);
    let workspaces: Vec<_> = (0..SESSIONS).map(|_| Workspace::new(FILES)).collect::<Result<_>>()?;
    for (n, workspace) in workspaces.iter().enumerate() {
        fallback.open_session(&format!("s{n}"), vec![workspace.root().to_owned()]);
    }
    let left = AtomicUsize::new(SESSIONS);
    let asking = workspaces.iter().enumerate().map(async |(n, workspace)| {
        for question in 0..QUESTIONS {
            ask(&fallback, &format!("s{n}"))
                .await
                .with_context(|| format!("session {n}, question {question}"))?;
        }
        left.fetch_sub(1, Ordering::Relaxed);
        anyhow::Ok(workspace)
    });
    let watching = async {
        while left.load(Ordering::Relaxed) > 0 {
            let running = workspaces.iter().filter(|it| is_served(it.root())).count();
            ensure!(running <= 1, "{running} servers run at the same time");
            sleep(Duration::from_millis(1)).await; // nothing tells when a foreign process begins
        }
        Ok(())
    };
    let all = async { futures::try_join!(try_join_all(asking), watching) };
    timeout(DEADLINE, all).await.context("some never had their turn")??;
    timeout(DEADLINE, fallback.shutdown()).await?;
    for workspace in &workspaces {
        none_left(|| at_work_in(workspace.root()), DEADLINE).await?;
    }
    Ok(())
}

fn is_served(root: &Path) -> bool {
    at_work_in(root).iter().any(|it| !it.command.contains(" supervise "))
}

/// Asks for the references of a function, which must come from the server.
async fn ask(fallback: &Fallback, session: &str) -> Result<()> {
    let envelope =
        Envelope { deadline_ms: u64::try_from(DEADLINE.as_millis()).ok(), ..Envelope::new(session) };
    let target = Target { name: Some("one".into()), at: None };
    let request = Request { envelope, question: ReferencesQuestion { target, include_declaration: false } };
    let answer = fallback.ask(Operation::References, request, Caller::default()).await?;
    let source = &*answer.completeness.source.0;
    ensure!(source == "language-server:rust-analyzer", "it came from {source}");
    Ok(())
}
