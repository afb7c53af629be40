//! A real editor: Neovim without a screen opens a document, and works on it through the server.

use std::path::Path;
use std::process::Command;

use libtest_mimic::{Failed, Trial};
use serde_json::Value;

const MAIN: &str = "---\nid: mail\ntitle: Mail 😀\nsummary: Sends mail.\n---\n\n# Mail\n\n<define>\n\n```typescript\n\
                    from \"./types.md\" import Address\n// Sends one.\n// @readOnly\ntool send(to: Adress) -> string\n```\n\n</define>\n\n\
                    <example id=\"one\" tool=\"send\">\n\n```typescript\nprint(send(\"a@b.co\"))\n```\n\n</example>\n";
const TYPES: &str = "---\nid: types\ntitle: Types\nsummary: Types.\n---\n\n<define>\n\n```typescript\n\
                     // Where it goes.\ntype Address = string.email()\n```\n\n</define>\n";

pub(crate) fn trials() -> Vec<Trial> {
    let is_missing = Command::new("nvim").arg("--version").output().is_err();
    let name = "neovim works on a document";
    let name = if is_missing { format!("{name} (nvim is not here)") } else { name.to_owned() };
    vec![Trial::test(name, works_on_a_document).with_ignored_flag(is_missing)]
}

fn works_on_a_document() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("main.md"), MAIN)?;
    std::fs::write(file("types.md"), TYPES)?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lsp/neovim.lua");
    let output = Command::new("nvim")
        .args(["--headless", "--clean", "-u", "NONE", "-c"])
        .arg(format!("luafile {}", script.display()))
        .arg("main.md")
        .current_dir(folder.path())
        .env("AILANG", env!("CARGO_BIN_EXE_ailang"))
        .env("XDG_STATE_HOME", folder.path())
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let written = std::fs::read_to_string(file("result.json"));
    let result: Value = serde_json::from_str(&written.map_err(|_| said.clone())?)?;
    let text = |name: &str| result[name].as_str().unwrap_or_default().to_owned();
    let checks = [
        ("diagnostic", text("diagnostic").starts_with("no type is called `Adress`")),
        ("action", text("action") == "write `Address`"),
        ("fixed", text("fixed") == "tool send(to: Address) -> string"),
        ("clean", result["clean"] == 0),
        ("completion", result["completion"].as_array().is_some_and(|it| it.contains(&"Address".into()))),
        ("hover", text("hover").contains("Where it goes.")),
        ("renamed", text("renamed") == "tool send(to: Mailbox) -> string"),
        ("renamed elsewhere", text("elsewhere") == "type Mailbox = string.email()"),
        ("example", !text("example").is_empty()),
    ];
    let failed: Vec<&str> = checks.iter().filter(|(_, holds)| !holds).map(|(name, _)| *name).collect();
    if failed.is_empty() { Ok(()) } else { Err(format!("{failed:?}: {result:#}\n{said}").into()) }
}
