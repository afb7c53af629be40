//! The grammars and the extension of editors, judged by the editors' own tools.
//!
//! A test is ignored with the reason where its tool is not installed. `AILANG_TOOLS` is a folder with `node_modules`, as
//! `editors/README.md` says; `AILANG_REQUIRE_TOOLS=editors` makes the tests fail instead.

use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::expect_file;
use libtest_mimic::{Failed, Trial};

type Test = fn(&Path) -> Result<(), Failed>;

/// The tests with the npm packages that they need.
const TESTS: [(&str, &[&str], Test); 3] = [
    ("the grammars colour a document", &["vscode-textmate", "vscode-oniguruma"], documents_are_coloured),
    ("the grammars colour a program", &["vscode-textmate", "vscode-oniguruma"], programs_are_coloured),
    ("the extension can be packed", &["@vscode/vsce", "vscode-languageclient"], the_extension_packs),
];

pub(crate) fn trials() -> Vec<Trial> {
    let modules = std::env::var_os("AILANG_TOOLS").map(|it| Path::new(&it).join("node_modules"));
    let is_required =
        std::env::var("AILANG_REQUIRE_TOOLS").is_ok_and(|it| it.split(',').any(|it| it == "editors"));
    let trials = TESTS.into_iter().map(|(name, packages, test)| {
        let has = |package: &&&str| modules.as_ref().is_some_and(|it| it.join(package).is_dir());
        let missing: Vec<&str> = packages.iter().filter(|it| !has(it)).copied().collect();
        let is_ignored = !missing.is_empty() && !is_required;
        let reason =
            if missing.is_empty() { String::new() } else { format!(" (no {} here)", missing.join(", ")) };
        let modules = modules.clone();
        let run = move || test(&modules.ok_or("`AILANG_TOOLS` names no folder")?);
        Trial::test(format!("{name}{reason}"), run).with_ignored_flag(is_ignored)
    });
    trials.collect()
}

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/editors")
}

fn extension() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/vscode")
}

/// Returns what a program prints; its complaints are an error.
fn output(command: &mut Command) -> Result<String, Failed> {
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    Err(format!("{command:?}: {text}{}", String::from_utf8_lossy(&output.stderr)).into())
}

fn coloured(modules: &Path, scope: &str, file: &str) -> Result<String, Failed> {
    let mut node = Command::new("node");
    node.arg(here().join("tokens.js")).arg(extension().join("syntaxes")).arg(scope).arg(here().join(file));
    output(node.env("NODE_PATH", modules))
}

fn documents_are_coloured(modules: &Path) -> Result<(), Failed> {
    // A file of the extension's own language, and Markdown into which the blocks are injected.
    let own = coloured(modules, "text.html.markdown.ailang", "document.md")?;
    let injected = coloured(modules, "text.html.markdown", "document.md")?;
    expect_file![here().join("document.txt")].assert_eq(&own);
    if own == injected { Ok(()) } else { Err(format!("injected into Markdown:\n{injected}").into()) }
}

fn programs_are_coloured(modules: &Path) -> Result<(), Failed> {
    expect_file![here().join("program.txt")].assert_eq(&coloured(
        modules,
        "source.dialect",
        "program.dialect",
    )?);
    Ok(())
}

fn the_extension_packs(modules: &Path) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    output(Command::new("cp").arg("-R").arg(extension()).arg(folder.path()))?;
    let copy = folder.path().join("vscode");
    let mut vsce = Command::new("node");
    vsce.arg(modules.join("@vscode/vsce/vsce")).args([
        "package",
        "--no-dependencies",
        "--allow-missing-repository",
        "-o",
        "it.vsix",
    ]);
    output(vsce.current_dir(&copy))?;
    // It names what is there.
    let manifest: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(copy.join("package.json"))?)?;
    for grammar in manifest["contributes"]["grammars"].as_array().into_iter().flatten() {
        let path = grammar["path"].as_str().unwrap_or_default();
        let text = std::fs::read_to_string(copy.join(path))?;
        let own: serde_json::Value = serde_json::from_str(&text)?;
        if own["scopeName"] != grammar["scopeName"] {
            return Err(format!("{path} has the scope {}", own["scopeName"]).into());
        }
    }
    if copy.join("it.vsix").is_file() { Ok(()) } else { Err("there is no it.vsix".into()) }
}
