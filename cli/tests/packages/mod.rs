//! Tests of `ailang install`, `publish` and `search` as a user runs them, without a network.

mod documents;
mod registry;

use std::fs;
use std::path::Path;
use std::process::Command;

use expect_test::{Expect, expect};
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    [literate::trials![packages_are_installed_checked_and_found], documents::trials(), registry::trials()]
        .into_iter()
        .flatten()
        .collect()
}

/// Returns `ailang` in a folder, with a home of its own and no registry.
fn ailang(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ailang"));
    in_app(&mut command, folder).args(arguments.split_whitespace());
    command
}

fn in_app<'c>(command: &'c mut Command, folder: &Path) -> &'c mut Command {
    command.current_dir(folder.join("app")).env_clear().env("HOME", folder).env("PATH", "/usr/bin:/bin")
}

/// Runs `ailang`, which has to succeed, and returns what it prints.
fn run(folder: &Path, arguments: &str) -> String {
    let output = ailang(folder, arguments).output().expect("it was built");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {text}");
    text
}

fn check(folder: &Path, arguments: &str, wanted: &Expect) {
    let output = ailang(folder, arguments).output().expect("it was built");
    let text = |bytes| {
        let text = String::from_utf8(bytes).expect("it says UTF-8");
        // How far the archive is compressed is not ours to say.
        let lines = text.lines().map(|line| line.split_once(" files, ").map_or(line, |(start, _)| start));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    let code = output.status.code().expect("it ends by itself");
    wanted.assert_eq(&format!("{}{}--- {code}\n", text(output.stdout), text(output.stderr)));
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("it has a folder")).expect("there is room");
    fs::write(path, text).expect("there is room");
}

fn package(folder: &Path, name: &str) {
    let manifest = format!(
        r#"{{"name":"{name}","version":"1.0.0","description":"About {name}","author":"A","license":"MIT","keywords":["k"],"main":"main.md"}}"#
    );
    let document = format!(
        "---\nid: {name}\ntitle: {name}\nsummary: About {name}.\nloading: on_demand\nkeywords: [k]\n---\n\n# {name}\n\n<define>\n\
         // What time it is.\n// @readOnly\ntool {name}Time(zone: string) -> string\n</define>\n\n\
         <example id=\"one\" tool=\"{name}Time\">\n{name}Time(\"UTC\")\n</example>\n"
    );
    write(folder, &format!("{name}/ailang.json"), &manifest);
    write(folder, &format!("{name}/main.md"), &document);
}

fn packages_are_installed_checked_and_found() {
    let folder = tempfile::tempdir().expect("there is room");
    let folder = folder.path();
    package(folder, "clock");
    package(folder, "app");
    check(
        folder,
        "install",
        &expect![[r#"
        ✓ there are no dependencies
        --- 0
    "#]],
    );
    check(
        folder,
        "install ../clock",
        &expect![[r#"
        clock 1.0.0 (../clock)
        ✓ `clock` is a dependency now: ../clock
        --- 0
    "#]],
    );
    let main = fs::read_to_string(folder.join("app/main.md")).expect("it is there");
    let main = main.replace("<define>\n", "<define>\nfrom clock import clockTime, absent\n");
    write(folder, "app/main.md", &main);
    check(
        folder,
        "validate .",
        &expect![[r#"
        error[AL3502]: `ailang_modules/clock/main.md` does not define `absent`
          --> ./main.md:12:30
        12 | from clock import clockTime, absent
           |                              ^^^^^^

        ✗ . (1 document) has 1 error
        --- 1
    "#]],
    );
    check(
        folder,
        "search time --in tools",
        &expect![[r#"
            tool appTime of app  main.md
                tool appTime(zone: string) -> string
                What time it is.
            tool clockTime of clock  ailang_modules/clock/main.md
                tool clockTime(zone: string) -> string
                What time it is.
            tool createRuntime of @ailang/builtin  ailang://runtime.md
                tool createRuntime(config?: RuntimeConfig) -> Runtime
                Makes a runtime over the tools of the document that runs.
            tool executeToolWithRuntime of @ailang/builtin  ailang://runtime.md
                tool executeToolWithRuntime(runtime: Runtime, toolName: string.nonEmpty(), params: JSONObject) -> JSONValue requires ToolExecution
                Calls a tool of a runtime by its name. What becomes of an error is the runtime's `errorStrategy`.
            --- 0
        "#]],
    );
    check(
        folder,
        "search clock --format json --tag k",
        &expect![[r#"
            [
              {
                "kind": "package",
                "name": "clock",
                "package": "clock",
                "path": "ailang_modules/clock/main.md",
                "summary": "About clock",
                "declaration": ""
              },
              {
                "kind": "document",
                "name": "clock",
                "package": "clock",
                "path": "ailang_modules/clock/main.md",
                "summary": "About clock.",
                "declaration": ""
              },
              {
                "kind": "tool",
                "name": "clockTime",
                "package": "clock",
                "path": "ailang_modules/clock/main.md",
                "summary": "What time it is.",
                "declaration": "tool clockTime(zone: string) -> string"
              }
            ]
            --- 0
        "#]],
    );
    check(
        folder,
        "search unheard-of",
        &expect![[r#"
        nothing matches `unheard-of`
        --- 1
    "#]],
    );
    check(
        folder,
        "install --locked --offline",
        &expect![[r#"
        clock 1.0.0 (../clock)
        ✓ 1 package is installed
        --- 0
    "#]],
    );
    check(
        folder,
        "publish --dry-run",
        &expect![[r#"
        info[AL0119]: the front matter does not say how many tokens the document has at each level
          --> ./main.md:2:1
        2 | id: app
          | ^

        warning[AL3506]: `clockTime` is imported and not used
          --> ./main.md:12:19
        12 | from clock import clockTime, absent
           |                   ^^^^^^^^^

        error[AL3502]: `ailang_modules/clock/main.md` does not define `absent`
          --> ./main.md:12:30
        12 | from clock import clockTime, absent
           |                              ^^^^^^

        warning[AL3506]: `absent` is imported and not used
          --> ./main.md:12:30
        12 | from clock import clockTime, absent
           |                              ^^^^^^

        ailang: the package has errors
        --- 1
    "#]],
    );
    check(
        folder,
        "publish ../clock --dry-run",
        &expect![[r#"
                  125  ailang.json
                  252  main.md
                  205  package.json
            clock 1.0.0: 3
            --- 0
        "#]],
    );
    check(
        folder,
        "publish ../clock",
        &expect![[r#"
                  125  ailang.json
                  252  main.md
                  205  package.json
            clock 1.0.0: 3
            ailang: AL4011: no registry is configured to ask for `clock`
              help: name one: `--registry URL`, `AILANG_REGISTRY`, or `registry` below `[packages]` in your settings
            --- 1
        "#]],
    );
    check(
        folder,
        "install zones@^1",
        &expect![[r#"
        ailang: AL4011: no registry is configured to ask for `zones`
          help: name one: `--registry URL`, `AILANG_REGISTRY`, or `registry` below `[packages]` in your settings
        --- 1
    "#]],
    );
    check(
        folder,
        "install ../../nothing",
        &expect![[r#"
        ailang: AL4012: ./../../nothing/ailang.json: No such file or directory (os error 2)
        --- 1
    "#]],
    );
    check(
        folder,
        "install Zones",
        &expect![[r#"
        ailang: AL4005: `Zones` is no package: `Zones` is no range of versions: unexpected character 'Z' while parsing major version number
          help: write a name, `name@^1.0.0`, `./dir`, `file:x.tgz`, `https://….tgz` or `git+https://…#ref`
        --- 1
    "#]],
    );
}
