//! A real editor: Neovim opens a document and a program with the configuration that users load, and works on them through
//! the server. Its screens are in the README of the configuration; `UPDATE_EXPECT=1` writes them.

use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Failed, Trial};
use serde_json::Value;

const MAIN: &str = "---\nid: mail\ntitle: Mail 😀\nsummary: Sends mail.\n---\n\n# Mail\n\n<define>\n\n```typescript\n\
                    from \"./types.md\" import Address\n// Sends one.\n// @readOnly\ntool send(to: Adress) -> string {\n  return \"sent to ${to}\"\n}\n```\n\n</define>\n\n\
                    <example id=\"one\" tool=\"send\">\n\n```typescript\nprint(send(\"a@b.co\"))\n```\n\n```output\nsent to nobody\n```\n\n</example>\n";
const TYPES: &str = "---\nid: types\ntitle: Types\nsummary: Types.\n---\n\n<define>\n\n```typescript\n\
                     // Where it goes.\ntype Address = string.email()\n```\n\n</define>\n";
const PROGRAM: &str = "found = findReferencs(`User`)\nfound.map(it   => it.path)\n";

pub(crate) fn trials() -> Vec<Trial> {
    EDITORS.map(trial).into()
}

/// The machine's own editor, and the one that pulls diagnostics, where that is installed beside it.
const EDITORS: [(&str, &str); 2] =
    [("nvim", "neovim works on a document and a program"), ("nvim-0.11", "neovim 0.11 works on them")];

fn trial((program, name): (&'static str, &str)) -> Trial {
    let is_missing = Command::new(program).arg("--version").output().is_err();
    let name = if is_missing { format!("{name} ({program} is not here)") } else { name.to_owned() };
    Trial::test(name, move || works_on_files(program)).with_ignored_flag(is_missing)
}

fn editor() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("language-server/editors/neovim")
}

fn works_on_files(program: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let file = |name: &str| folder.path().join(name);
    for (name, text) in [("main.md", MAIN), ("types.md", TYPES), ("ask.dialect", PROGRAM)] {
        std::fs::write(file(name), text)?;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lsp/neovim.lua");
    let command = format!("let g:ailang_command = ['{}', 'lsp']", env!("CARGO_BIN_EXE_ailang"));
    let output = Command::new(program)
        .args(["--headless", "--clean", "-u", "NONE", "-n", "--cmd", "filetype on"])
        .args(["--cmd", "set columns=100 lines=26 signcolumn=yes noruler laststatus=0"])
        .args(["--cmd", &command])
        .arg("-c")
        .arg(format!("luafile {}", editor().join("ailang.lua").display()))
        .arg("-c")
        .arg(format!("luafile {}", script.display()))
        .current_dir(folder.path())
        .env("XDG_STATE_HOME", folder.path())
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let written = std::fs::read_to_string(file("result.json"));
    let result: Value = serde_json::from_str(&written.map_err(|_| said.clone())?)?;
    let failed = failed_checks(&result);
    if !failed.is_empty() {
        return Err(format!("{failed:?}: {result:#}\n{said}").into());
    }
    compare_screens(&result)
}

/// Returns the names of what did not come as it should.
fn failed_checks(result: &Value) -> Vec<&'static str> {
    let text = |name: &str| result.pointer(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let has = |name: &str, item: &str| {
        result.pointer(name).and_then(Value::as_array).is_some_and(|it| it.contains(&item.into()))
    };
    let notice = |part: &str| {
        let all = result["notices"].as_array().into_iter().flatten();
        all.filter_map(Value::as_str).any(|it| it.contains(part))
    };
    let checks = [
        ("diagnostic", text("/diagnostic").starts_with("no type is called `Adress`")),
        ("action", text("/action") == "write `Address`"),
        ("fixed", text("/fixed") == "tool send(to: Address) -> string {"),
        ("completion", has("/completion", "Address")),
        ("hover", text("/hover").contains("Where it goes.")),
        ("renamed", text("/renamed") == "tool send(to: Mailbox) -> string {"),
        ("renamed elsewhere", text("/elsewhere") == "type Mailbox = string.email()"),
        ("example", text("/example") == "example `one`: expected `sent to nobody`, printed `sent to a@b.co`"),
        ("the line of the example", result["exampleLine"] == 29),
        ("a notice", notice("example `one` failed")),
        ("program: diagnostic", text("/program/diagnostic").contains("`findReferencs`")),
        ("program: language", text("/program/filetype") == "dialect"),
        ("program: fixed", text("/program/fixed") == "found = findReferences(`User`)"),
        ("program: completion", has("/program/completion", "map")),
        ("program: hover", text("/program/hover").contains("findReferences(")),
        ("program: formatted", text("/program/formatted").contains("found.map(it => it.path)")),
        ("no problem", result.get("problem").is_none()),
    ];
    checks.into_iter().filter(|(_, holds)| !holds).map(|(name, _)| name).collect()
}

/// Compares the screens with those in the README, or writes them there. Other versions of the editor draw otherwise.
fn compare_screens(result: &Value) -> Result<(), Failed> {
    if result["version"] != "0.7" {
        return Ok(());
    }
    let readme = editor().join("README.md");
    let old = std::fs::read_to_string(&readme)?;
    let mut new = String::new();
    let mut screens =
        ["screen", "screenOfExample"].iter().map(|name| result[name].as_str().unwrap_or_default());
    let mut parts = old.split("````text\n");
    new.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (_, rest) = part.split_once("\n````\n").ok_or("a fence is open")?;
        let screen = screens.next().ok_or("there are more fences than screens")?;
        new.push_str(&format!("````text\n{screen}\n````\n{rest}"));
    }
    if screens.next().is_some() {
        return Err("the README has fewer fences than there are screens".into());
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&readme, new)?;
        return Ok(());
    }
    if old == new {
        Ok(())
    } else {
        Err(format!("{} is not what the screen shows: {new}", readme.display()).into())
    }
}
