//! The processes that are measured without the chain: one question to the adapter's fallback, in a process of its own.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use adapter::fallback::{Caller, Config, Fallback, IndexStore};
use ide_protocol::{
    DefinitionsQuestion, IdeError, Operation, Request, SearchQuestion, SymbolsQuestion, Target,
};
use serde_json::{Value, json};

/// Prints how many lines match, how many hits were given, and the milliseconds of the question.
pub fn search(tree: &Path, pattern: &str) -> ExitCode {
    // As the chain asks for a program that counts.
    let question = SearchQuestion { context: Some(0), ..SearchQuestion::new(".", pattern) };
    let request = Request::new("1", question);
    ask(tree, None, async |fallback| {
        let answer = fallback.ask(Operation::Search, request, Caller::default()).await?;
        Ok(json!({"total": answer.total, "hits": answer.hits.len()}))
    })
}

/// Prints how many definitions there are, who says so, and the milliseconds of the question.
pub fn definition(tree: &Path, name: &str) -> ExitCode {
    let request = about(name);
    ask(tree, None, async |fallback| {
        let answer = fallback.ask(Operation::Definitions, request, Caller::default()).await?;
        Ok(json!({"definitions": answer.definitions.len(), "source": answer.completeness.source.0}))
    })
}

/// Prints how much is found, the milliseconds of the first question, and where `is_warm` those of the ones after it,
/// once the index is made.
pub fn names(tree: &Path, store: &Path, what: &str, name: &str, is_warm: bool) -> ExitCode {
    ask(tree, Some(IndexStore::at(store)), async |fallback| {
        let began = Instant::now();
        let mut found = asked(fallback, what, name).await?;
        let first = milliseconds(began);
        let mut after = Vec::new();
        if is_warm {
            while !is_kept(store) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            for _ in 0..9 {
                let began = Instant::now();
                found = asked(fallback, what, name).await?;
                after.push(milliseconds(began));
            }
        }
        after.sort_by(f64::total_cmp);
        Ok(json!({"found": found, "first": first, "warm": after.get(after.len() / 2)}))
    })
}

async fn asked(fallback: &Fallback, what: &str, name: &str) -> Result<u64, IdeError> {
    let count = match what {
        "symbols" => {
            let request = Request::new("1", SymbolsQuestion { query: name.into(), path: None });
            return fallback.ask(Operation::Symbols, request, Caller::default()).await.map(|it| it.total);
        }
        "near" => fallback.ask(Operation::Definitions, about(name), Caller::default()).await?.nearest.len(),
        _ => {
            // Several may be called so: the first one is meant.
            let of = fallback.ask(Operation::Definitions, about(name), Caller::default()).await?;
            let Some(first) = of.definitions.into_iter().next() else { return Ok(0) };
            let mut request = about(name);
            request.question.target = Target::of(&first);
            let answer = fallback.ask(Operation::Implementations, request, Caller::default()).await?;
            answer.definitions.len()
        }
    };
    Ok(count as u64)
}

fn about(name: &str) -> Request<DefinitionsQuestion> {
    Request::new("1", DefinitionsQuestion::new(Target { name: Some(name.into()), at: None }))
}

fn is_kept(store: &Path) -> bool {
    let files = std::fs::read_dir(store).into_iter().flatten().flatten();
    files.into_iter().any(|it| it.path().extension().is_some_and(|it| it == "index"))
}

fn milliseconds(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1e3
}

fn ask(
    tree: &Path,
    index_store: Option<IndexStore>,
    question: impl AsyncFnOnce(&Fallback) -> Result<Value, IdeError>,
) -> ExitCode {
    let runtime = tokio::runtime::Runtime::new().expect("it can be made");
    let itself = std::env::current_exe().expect("a process has an executable");
    let asked = runtime.block_on(async {
        let fallback = Fallback::new(Config { index_store, ..Config::new(itself) });
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
