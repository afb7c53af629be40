//! The processes that are measured without the chain: one question to the adapter's fallback, in a process of its own.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use adapter::fallback::{Config, Fallback};
use ide_protocol::{DefinitionsRequest, IdeError, SearchRequest, Target};
use serde_json::{Value, json};

/// Prints how many lines match, how many hits were given, and the milliseconds of the question.
pub fn search(tree: &Path, pattern: &str) -> ExitCode {
    let request = SearchRequest {
        session_id: "1".into(),
        deadline_ms: None,
        path: ".".into(),
        pattern: pattern.into(),
        extension: None,
    };
    ask(tree, async |fallback| {
        let answer = fallback.search(request).await?;
        Ok(json!({"total": answer.total, "hits": answer.hits.len()}))
    })
}

/// Prints how many definitions there are, who says so, and the milliseconds of the question.
pub fn definition(tree: &Path, name: &str) -> ExitCode {
    let request = DefinitionsRequest {
        session_id: "1".into(),
        progress_token: None,
        deadline_ms: None,
        wait_ms: None,
        target: Target { name: Some(name.into()), at: None },
    };
    ask(tree, async |fallback| {
        let answer = fallback.definitions(request, Box::new(|_, _| {})).await?;
        Ok(json!({"definitions": answer.definitions.len(), "source": answer.source.0}))
    })
}

fn ask(tree: &Path, question: impl AsyncFnOnce(&Fallback) -> Result<Value, IdeError>) -> ExitCode {
    let runtime = tokio::runtime::Runtime::new().expect("it can be made");
    let itself = std::env::current_exe().expect("a process has an executable");
    let asked = runtime.block_on(async {
        let fallback = Fallback::new(Config::new(itself));
        let began = Instant::now();
        fallback.open_session("1", vec![tree.to_owned()]);
        let answer = question(&fallback).await;
        answer.map(|it| (it, began.elapsed()))
    });
    runtime.shutdown_background();
    match asked {
        Ok((mut answer, took)) => {
            answer["ms"] = json!(took.as_secs_f64() * 1e3);
            println!("{answer}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}
