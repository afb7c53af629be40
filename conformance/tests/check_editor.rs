//! `dialect check-editor`: editors that pass, and editors that each get one operation wrong.
//!
//! `check_editor/exchange.jsonl` is a recorded exchange with the mock editor over the fallback, which answers everything:
//!
//! ```text
//! dialect check-editor --record conformance/tests/check_editor/exchange.jsonl -- target/debug/mock-editor --fallback
//! ```

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use ide_protocol::Operation;
use libtest_mimic::{Completion, Failed, Trial};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::plugin_chain::User;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = tests![
        a_recorded_exchange_passes,
        each_broken_operation_is_named,
        an_editor_that_is_none_is_refused,
    ];
    trials.push(needs(&["ty", "ruff"], "the_fallback_passes_as_an_editor", the_fallback_passes));
    trials.push(needs(&[neovim(), "basedpyright", "ruff"], "neovim_passes", neovim_passes));
    trials
}

/// Returns the name of a Neovim that is new enough: `nvim-0.11` unless `nvim` is.
fn neovim() -> &'static str {
    let output = Command::new("nvim").arg("--version").output().map(|it| it.stdout).unwrap_or_default();
    let version = String::from_utf8_lossy(&output).lines().next().and_then(|it| {
        let (major, rest) = it.strip_prefix("NVIM v")?.split_once('.')?;
        Some((major.parse::<u32>().ok()?, rest.split('.').next()?.parse::<u32>().ok()?))
    });
    if version >= Some((0, 11)) { "nvim" } else { "nvim-0.11" }
}

fn needs<const N: usize>(servers: &[&'static str; N], name: &str, test: fn() -> Result<()>) -> Trial {
    let servers = *servers;
    let run = move || -> Result<Completion, Failed> {
        for server in servers {
            let found = crate::with_server(server, || Ok(()))?;
            if matches!(found, Completion::Ignored { .. }) {
                return Ok(found);
            }
        }
        test().map(|()| Completion::Completed).map_err(|error| Failed::from(format!("{error:#}")))
    };
    Trial::ignorable_test(name, run).with_kind("check_editor")
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn recording() -> PathBuf {
    repository().join("conformance/tests/check_editor/exchange.jsonl")
}

/// Runs the check. Returns its exit code, and the operations of each verdict.
fn check(arguments: &[&str]) -> Result<(Option<i32>, [BTreeSet<String>; 3], Value)> {
    let (code, said) = User::new()?.dialect(&[&["check-editor", "--json"], arguments].concat())?;
    let line = said.lines().find(|it| it.starts_with('{')).with_context(|| said.clone())?;
    let report: Value = serde_json::from_str(line).with_context(|| said.clone())?;
    let operations = report["operations"].as_array().context("a list")?;
    let of = |verdict: &str| {
        let found = operations.iter().filter(|it| it["verdict"] == verdict);
        found.map(|it| it["operation"].as_str().unwrap_or_default().to_owned()).collect()
    };
    Ok((code, ["passed", "failed", "absent"].map(of), report))
}

fn everything_passes(arguments: &[&str]) -> Result<()> {
    let (code, [passed, ..], report) = check(arguments)?;
    ensure!(code == Some(0) && passed.len() == Operation::ALL.len(), "{report:#}");
    Ok(())
}

fn a_recorded_exchange_passes() -> Result<()> {
    let recording = recording();
    let recording = recording.to_str().context("the path is text")?;
    everything_passes(&["--recorded", recording])?;
    everything_passes(&["--", env!("CARGO_BIN_EXE_mock-editor"), recording])
}

fn the_fallback_passes() -> Result<()> {
    everything_passes(&["--", env!("CARGO_BIN_EXE_mock-editor"), "--fallback"])
}

fn neovim_passes() -> Result<()> {
    let script = repository().join("examples/neovim/check.lua").canonicalize()?;
    let script = script.to_str().context("the path is text")?;
    let (code, [passed, failed, absent], report) =
        check(&["--", neovim(), "--headless", "--clean", "-l", script])?;
    ensure!(code == Some(0) && failed.is_empty(), "{report:#}");
    // What Dialect's fallback answers beside it, and the hierarchy of types, which its server lacks.
    let others = [
        "exports",
        "fileDefinitions",
        "files",
        "hitContext",
        "importers",
        "imports",
        "matches",
        "members",
        "recentChanges",
        "search",
        "subtypes",
        "supertypes",
    ];
    ensure!(absent == others.map(str::to_owned).into() && passed.len() == 23, "{report:#}");
    Ok(())
}

/// The operations that cannot be judged when another one is broken.
fn that_need(operation: &str) -> &'static [&'static str] {
    match operation {
        "rename" => &["edits", "editedTexts", "apply"],
        "draft" => &["apply"],
        "codeActions" => &["takeAction"],
        "text" => &["apply"],
        _ => &[],
    }
}

/// A way to break the answers of an operation. Returns whether the answer was one that it breaks.
type Break = fn(&mut Value) -> bool;

const BREAKS: [(&str, Break); 7] = [
    ("it finds nothing", |exchange| empty(&mut exchange["result"])),
    ("its columns count from 0", |exchange| shift(&mut exchange["result"])),
    ("it does not say what it covers", |exchange| {
        exchange["result"].as_object_mut().is_some_and(|it| it.shift_remove("complete").is_some())
    }),
    ("it fails", fails),
    ("its errors have no kind", |exchange| {
        exchange["error"].as_object_mut().is_some_and(|it| it.shift_remove("data").is_some())
    }),
    ("its errors have another code", |exchange| {
        let is_error = exchange["error"]["code"].is_number();
        if is_error {
            exchange["error"]["code"] = json!(-32000);
        }
        is_error
    }),
    ("it does not answer", |exchange| {
        exchange["method"] = json!("_nothing");
        true
    }),
];

/// Fails in place of a result.
fn fails(exchange: &mut Value) -> bool {
    let has_result = exchange.as_object_mut().is_some_and(|it| it.shift_remove("result").is_some());
    exchange["error"] = json!({"code": -32603, "message": "out of luck"});
    has_result
}

/// Empties all lists and texts of a result.
fn empty(result: &mut Value) -> bool {
    let Some(fields) = result.as_object_mut() else { return false };
    let mut is_changed = false;
    for (key, value) in fields.iter_mut().filter(|(key, _)| *key != "source") {
        match value {
            Value::Array(items) if !items.is_empty() && key != "reasons" => {
                items.clear();
                is_changed = true;
            }
            Value::String(text) if !text.is_empty() && key != "note" => {
                text.clear();
                is_changed = true;
            }
            _ => {}
        }
    }
    is_changed
}

/// Takes one from every column, but from those of mentions, which are remarks.
fn shift(value: &mut Value) -> bool {
    let mut is_shifted = false;
    match value {
        Value::Array(items) => items.iter_mut().for_each(|it| is_shifted |= shift(it)),
        Value::Object(fields) => {
            for (key, it) in fields.iter_mut().filter(|(key, _)| *key != "mentions") {
                match it.as_u64().filter(|_| key == "column") {
                    Some(column) => {
                        *it = json!(column - 1);
                        is_shifted = true;
                    }
                    None => is_shifted |= shift(it),
                }
            }
        }
        _ => {}
    }
    is_shifted
}

/// Breaks the recorded answers to some operations, and returns those whose answers were ones that it breaks.
fn broken(
    exchanges: &mut [Value],
    break_it: Break,
    is_meant: impl Fn(Operation) -> bool,
) -> BTreeSet<String> {
    let mut broken = BTreeSet::new();
    for exchange in exchanges {
        let operation = exchange["method"].as_str().and_then(Operation::from_method);
        if let Some(operation) = operation.filter(|it| is_meant(*it))
            && break_it(exchange)
        {
            broken.insert(operation.name().to_owned());
        }
    }
    broken
}

fn each_broken_operation_is_named() -> Result<()> {
    let recorded = std::fs::read_to_string(recording())?;
    let exchanges: Vec<Value> = recorded.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let folder = TempDir::new()?;
    let path = folder.path().join("exchange.jsonl");
    let named = |exchanges: &[Value]| {
        let lines: Vec<String> = exchanges.iter().map(ToString::to_string).collect();
        std::fs::write(&path, lines.join("\n"))?;
        let (code, [_, failed, _], _) = check(&["--recorded", path.to_str().context("the path is text")?])?;
        ensure!(code == Some(1), "{code:?}");
        anyhow::Ok(failed)
    };
    for (how, break_it) in BREAKS {
        let mut exchanges = exchanges.clone();
        let broken = broken(&mut exchanges, break_it, |_| true);
        let failed = named(&exchanges)?;
        ensure!(broken.len() >= 20, "{how}: only {broken:?}");
        ensure!(broken.is_subset(&failed), "{how}: {:?}", broken.difference(&failed));
    }
    for operation in Operation::ALL {
        let mut exchanges = exchanges.clone();
        broken(&mut exchanges, fails, |it| it == operation);
        let failed = named(&exchanges)?;
        let are_expected = failed
            .iter()
            .all(|it| it == operation.name() || that_need(operation.name()).contains(&it.as_str()));
        ensure!(failed.contains(operation.name()) && are_expected, "{operation}: {failed:?}");
    }
    Ok(())
}

fn an_editor_that_is_none_is_refused() -> Result<()> {
    let user = User::new()?;
    let folder = TempDir::new()?;
    let silent = folder.path().join("silent.jsonl");
    std::fs::write(&silent, "{\"method\": \"initialize\", \"params\": {}, \"result\": {}}\n")?;
    let silent = silent.to_str().context("the path is text")?;
    for (arguments, expected, part) in [
        (&["--", "no-such-editor"][..], 1, "the editor command `no-such-editor` was not found"),
        (&["--", "true"], 1, "the editor `true` exited"),
        (&["--recorded", "nowhere.jsonl"], 1, "nowhere.jsonl: No such file"),
        (&["--recorded", silent], 1, "0 passed, 0 failed, 35 absent"),
        (&[], 2, "COMMAND"),
    ] {
        let (code, said) = user.dialect(&[&["check-editor"], arguments].concat())?;
        if code != Some(expected) || !said.contains(part) {
            bail!("{arguments:?}: {code:?} {said}");
        }
    }
    Ok(())
}
