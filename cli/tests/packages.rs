//! Tests of `ailang install`, `publish` and `search` as a user runs them, without a network.

use std::fs;
use std::path::Path;
use std::process::Command;

use expect_test::{Expect, expect};

/// Runs `ailang` in a folder, with a home of its own and no registry.
fn check(folder: &Path, arguments: &str, wanted: &Expect) {
    let output = Command::new(env!("CARGO_BIN_EXE_ailang"))
        .args(arguments.split_whitespace())
        .current_dir(folder.join("app"))
        .env_clear()
        .env("HOME", folder)
        .output()
        .expect("it was built");
    let text = |bytes| String::from_utf8(bytes).expect("it says UTF-8");
    let code = output.status.code().expect("it ends by itself");
    wanted.assert_eq(&format!("{}{}--- {code}\n", text(output.stdout), text(output.stderr)));
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("it has a folder")).expect("there is room");
    fs::write(path, text).expect("there is room");
}

fn package(folder: &Path, name: &str, imports: &str) {
    let manifest = format!(
        r#"{{"name":"{name}","version":"1.0.0","description":"About {name}","author":"A","license":"MIT","keywords":["k"],"main":"main.md"}}"#
    );
    let document = format!(
        "---\nid: {name}\ntitle: {name}\nsummary: About {name}.\nloading: on_demand\nkeywords: [k]\n---\n\n# {name}\n\n<define>\n{imports}\
         // What time it is.\n// @readOnly\ntool {name}Time(zone: string) -> string\n</define>\n\n\
         <example id=\"one\" tool=\"{name}Time\">\n{name}Time(\"UTC\")\n</example>\n"
    );
    write(folder, &format!("{name}/ailang.json"), &manifest);
    write(folder, &format!("{name}/main.md"), &document);
}

#[test]
fn packages_are_installed_checked_and_found() {
    let folder = tempfile::tempdir().expect("there is room");
    let folder = folder.path();
    package(folder, "clock", "");
    package(folder, "app", "");
    check(folder, "install", &expect![[""]]);
    check(folder, "install ../clock", &expect![[""]]);
    package(folder, "app2", "");
    let main = fs::read_to_string(folder.join("app/main.md")).expect("it is there");
    let main = main.replace("<define>\n", "<define>\nfrom clock import clockTime, absent\n");
    write(folder, "app/main.md", &main);
    check(folder, "validate .", &expect![[""]]);
    check(folder, "search time --in tools", &expect![[""]]);
    check(folder, "search clock --format json --tag k", &expect![[""]]);
    check(folder, "search nothing", &expect![[""]]);
    check(folder, "install --locked --offline", &expect![[""]]);
    check(folder, "publish --dry-run", &expect![[""]]);
    check(folder, "publish ../clock --dry-run", &expect![[""]]);
    check(folder, "publish ../clock", &expect![[""]]);
    check(folder, "install zones@^1", &expect![[""]]);
    check(folder, "install ../../nothing", &expect![[""]]);
    check(folder, "install Zones", &expect![[""]]);
}
