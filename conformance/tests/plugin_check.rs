//! `dialect plugins check`: plugins that pass, and plugins that each fail what they get wrong.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use serde_json::Value;

use crate::example_plugins::are_there;
use crate::plugin_chain::User;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials =
        tests![async each_mistake_fails_its_check, functions_are_called_only_as_asked, the_examples_pass];
    let last = trials.pop().map(|it| it.with_ignored_flag(!are_there(&["python3", "bash", "jq", "cc"])));
    trials.extend(last);
    trials
}

async fn the_examples_pass() -> Result<()> {
    let (user, folder) = (User::new()?, tempfile::tempdir()?);
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/plugins");
    let compiled = folder.path().join("count");
    let status = Command::new("cc").arg("-o").arg(&compiled).arg(examples.join("count.c")).status()?;
    ensure!(status.success(), "cc: {status}");
    let scripts = ["todo.py", "tasks.sh"].map(|it| examples.join(it));
    let programs = [PathBuf::from(env!("CARGO_BIN_EXE_git-plugin-under-test")), compiled];
    for plugin in programs.iter().chain(&scripts) {
        let plugin = plugin.to_str().context("the path is text")?;
        let (code, said) = user.dialect(&["plugins", "check", plugin])?;
        ensure!(code == Some(0) && said.ends_with("25 passed, 0 failed, 0 warnings\n"), "{plugin}: {said}");
    }
    Ok(())
}

/// Checks the probe in a mode. Returns the exit code, and the failed checks by their weight.
fn failed(user: &User, mode: &str) -> Result<(Option<i32>, BTreeSet<String>, Value)> {
    let probe = env!("CARGO_BIN_EXE_probe-plugin");
    let (code, said) = user.dialect(&["plugins", "check", probe, "--json", "--", mode])?;
    let report: Value = serde_json::from_str(&said).with_context(|| said.clone())?;
    let checks = report["checks"].as_array().context("a list of checks")?;
    let failed = checks.iter().filter(|it| it["verdict"] == "failed" && it["weight"] == "must");
    let failed = failed.map(|it| it["check"].as_str().unwrap_or_default().to_owned()).collect();
    Ok((code, failed, report))
}

async fn each_mistake_fails_its_check() -> Result<()> {
    let user = User::new()?;
    // The probe echoes for functions that are not there, in each of its modes.
    let always = "a function that is not there is an error";
    let end = "the end of the input ends it without a shutdown too";
    let shutdown = "a shutdown is answered, and the end of the input ends it";
    for (mode, expected) in [
        ("", &[always][..]),
        // A plugin of another kit does all that a host needs.
        ("kit", &[]),
        ("stays", &[always, end, shutdown]),
        ("never ends", &[always, shutdown]),
        ("noisy", &[always, "standard output has nothing but messages"]),
        ("answers all", &[always, "what has no id gets no answer"]),
        ("exits", &["the handshake is answered"]),
        ("refuses", &["the handshake is answered"]),
        ("wrong", &["the handshake is answered"]),
        ("silent", &["the handshake is answered"]),
    ] {
        let (code, failed, report) = failed(&user, mode)?;
        let expected: BTreeSet<String> = expected.iter().map(|it| (*it).to_owned()).collect();
        let code_expected = i32::from(!expected.is_empty());
        ensure!(code == Some(code_expected) && failed == expected, "{mode:?}: {failed:?}");
        let words = report.to_string();
        ensure!(mode != "exits" || words.contains("the library is missing"), "{words}");
        ensure!(mode != "refuses" || words.contains("no licence"), "{words}");
    }
    Ok(())
}

async fn functions_are_called_only_as_asked() -> Result<()> {
    let user = User::new()?;
    let probe = env!("CARGO_BIN_EXE_probe-plugin");
    let calls = [
        "--call",
        "echo=[[1, 2.5, null, {\"a\": \"é\"}]]",
        "--call",
        "fail",
        "--call",
        "die",
        "--call",
        "half",
    ];
    let (code, said) = user.dialect(&[&["plugins", "check", probe][..], &calls].concat())?;
    for part in [
        "passed   echo returns a value",
        "FAILED   fail returns a value",
        "it failed",
        "FAILED   die returns a value",
        "its last words: out of luck",
        "FAILED   half returns a value",
    ] {
        ensure!(said.contains(part), "{part}: {said}");
    }
    ensure!(code == Some(1), "{said}");
    for (arguments, part) in [
        (&["--call", "echo=[1"][..], "the arguments are no JSON"),
        (&["--call", "echo={\"x\": 1}"], "passed   echo returns a value"),
    ] {
        let (_, said) = user.dialect(&[&["plugins", "check", probe][..], arguments].concat())?;
        ensure!(said.contains(part), "{said}");
    }
    for (path, part) in [("nowhere", "nowhere: No such file"), ("main.py", "chmod +x")] {
        let (code, said) = user.dialect(&["plugins", "check", path])?;
        ensure!(code == Some(1) && said.contains(part), "{said}");
    }
    Ok(())
}
