//! Tests of `ailang install`, `publish` and `search` as a user runs them, without a network.

use std::fs;
use std::path::Path;
use std::process::Command;

use expect_test::{Expect, expect};

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

#[test]
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
                Makes a runtime.
            tool executeToolWithRuntime of @ailang/builtin  ailang://runtime.md
                tool executeToolWithRuntime(runtime: Runtime, toolName: string.nonEmpty(), params: JSONObject) -> Result<JSONValue, Error> requires ToolExecution
                Calls a tool of a runtime by its name.
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
        "search nothing",
        &expect![[r#"
        nothing matches `nothing`
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

/// Publishes packages to a registry in a folder, and installs one for `app` that depends on the other.
fn installed(folder: &Path) {
    fs::create_dir(folder.join("registry")).expect("there is room");
    for name in ["zones", "clock", "app"] {
        package(folder, name);
    }
    let manifest = fs::read_to_string(folder.join("clock/ailang.json")).expect("it is there");
    let manifest = manifest.replacen('{', r#"{"dependencies":{"zones":"^1.0.0"},"#, 1);
    write(folder, "clock/ailang.json", &manifest);
    run(folder, "publish ../zones --registry dir:../registry");
    run(folder, "publish ../clock --registry dir:../registry");
    run(folder, "install clock --registry dir:../registry");
}

#[test]
fn a_registry_is_a_folder() {
    let folder = tempfile::tempdir().expect("there is room");
    let folder = folder.path();
    installed(folder);
    check(
        folder,
        "publish ../clock --registry dir:../registry",
        &expect![[r#"
              159  ailang.json
              252  main.md
              230  package.json
        clock 1.0.0: 3
        ailang: AL4014: clock 1.0.0 is published at dir:../registry already
          help: raise `version` in `ailang.json`
        --- 1
    "#]],
    );
    check(
        folder,
        "search clock --registry dir:../registry",
        &expect![[r#"
        package clock 1.0.0
            About clock
        --- 0
    "#]],
    );
    check(
        folder,
        "install absent --registry dir:../registry",
        &expect![[r#"
        ailang: AL4012: dir:../registry has no package `absent`
        --- 1
    "#]],
    );
    check(
        folder,
        "install clock@nightly --registry dir:../registry",
        &expect![[r#"
        ailang: AL4012: `clock` has no version with the tag `nightly`; it has latest
        --- 1
    "#]],
    );
    check(
        folder,
        "install clock --registry dir:../nowhere",
        &expect![[r#"
        ailang: AL4011: `dir:../nowhere` is no registry: there is no such folder
          help: create an empty folder to publish to
        --- 1
    "#]],
    );
    check(
        folder,
        "publish ../zones --registry dir:../registry --tag 1.x",
        &expect![[r#"
                  125  ailang.json
                  252  main.md
                  205  package.json
            zones 1.0.0: 3
            ailang: AL4005: `1.x` is no tag: those are words that are no range of versions
            --- 1
        "#]],
    );
}

#[test]
fn an_installation_from_the_lock_file_needs_no_network_and_changes_nothing() {
    let folder = tempfile::tempdir().expect("there is room");
    let folder = folder.path();
    installed(folder);
    let files = || {
        ["app/ailang.json", "app/ailang.lock"]
            .map(|it| fs::read_to_string(folder.join(it)).expect("it is there"))
    };
    let first = files();
    run(folder, "install --registry dir:../registry");
    assert_eq!(files(), first, "installing again changes nothing");
    fs::remove_dir_all(folder.join("registry")).expect("it was there");
    for options in ["--offline", "--frozen", "--locked --offline", ""] {
        fs::remove_dir_all(folder.join("app/ailang_modules")).expect("it was there");
        let text = without_network(folder, &format!("install {options}"));
        assert!(text.contains("✓ 2 packages are installed"), "{options}: {text}");
        assert!(folder.join("app/ailang_modules/zones/main.md").is_file());
        assert_eq!(files(), first, "{options}");
    }
    // What the lock file does not have is not found offline, and nothing is changed.
    write(folder, "app/ailang.json", &first[0].replace("\"clock\"", "\"other\""));
    check(
        folder,
        "install --offline --registry https://127.0.0.1:1/",
        &expect![[r#"
        ailang: AL4012: `other` is not in the cache, and the network is not used
          help: run it once without `--offline`
        --- 1
    "#]],
    );
    check(
        folder,
        "install --frozen",
        &expect![[r#"
            ailang: AL4013: ailang.lock does not suit ailang.json
              help: run it once without `--locked` and `--frozen`
            --- 1
        "#]],
    );
    assert_eq!(files()[1], first[1]);
}

/// Runs `ailang` where there is no network: in a namespace without any, or if the system allows none, behind a proxy that
/// refuses everything.
fn without_network(folder: &Path, arguments: &str) -> String {
    let namespace = ["-r", "-n"];
    let is_allowed =
        Command::new("unshare").args(namespace).arg("true").output().is_ok_and(|it| it.status.success());
    let mut command = match is_allowed {
        true => {
            let mut command = Command::new("unshare");
            command.args(namespace).arg(env!("CARGO_BIN_EXE_ailang")).args(arguments.split_whitespace());
            command
        }
        false => ailang(folder, arguments),
    };
    in_app(&mut command, folder).env("ALL_PROXY", "http://127.0.0.1:1");
    let output = command.output().expect("it was built");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {text}");
    text
}

#[test]
fn a_new_package_is_valid_and_its_examples_run() {
    let folder = tempfile::tempdir().expect("there is room");
    let folder = folder.path();
    fs::create_dir(folder.join("app")).expect("there is room");
    run(folder, "init ../http");
    for path in ["ailang.json", "README.md", "main.md", "lib/types.md", "examples/usage.md"] {
        assert!(folder.join("http").join(path).is_file(), "{path}");
    }
    check(
        folder,
        "validate ../http --strictness strict",
        &expect![[r#"
        info[AL0119]: the front matter does not say how many tokens the document has at each level
          --> ../http/examples/usage.md:2:1
        2 | id: usage
          | ^

        info[AL0119]: the front matter does not say how many tokens the document has at each level
          --> ../http/lib/types.md:2:1
        2 | id: types
          | ^

        info[AL0119]: the front matter does not say how many tokens the document has at each level
          --> ../http/main.md:2:1
        2 | id: http-tools
          | ^

        ✓ ../http (3 documents) is valid
        --- 0
    "#]],
    );
    check(
        folder,
        "run ../http/main.md",
        &expect![[r#"
        Hello, Ada!
        Nobody is unknown
        ok: greeting
        --- 0
    "#]],
    );
    check(
        folder,
        "run ../http/examples/usage.md",
        &expect![[r#"
        Hello, Ada!
        Hello, Grace!
        ok: several
        --- 0
    "#]],
    );
    run(folder, "publish ../http --dry-run");
}

#[test]
fn imports_of_built_in_modules_are_checked_and_run() {
    let folder = tempfile::tempdir().expect("there is room");
    let folder = folder.path();
    package(folder, "app");
    let main = fs::read_to_string(folder.join("app/main.md")).expect("it is there");
    let with = |imports: &str, code: &str| {
        let main = main.replace("<define>\n", &format!("<define>\n{imports}\n"));
        write(folder, "app/main.md", &main.replace("appTime(\"UTC\")", code));
    };
    with("from http import httpGte", "httpGte(\"https://example.org\")");
    check(
        folder,
        "validate main.md",
        &expect![[r#"
        error[AL3502]: the built-in module `http` does not define `httpGte`
          --> main.md:12:18
        12 | from http import httpGte
           |                  ^^^^^^^
        help: did you mean `httpGet`?

        ✗ main.md has 1 error
        --- 1
    "#]],
    );
    with(
        "from \"@ailang/builtin\" import readFile, readFlie\nfrom \"@ailang/htpp\" import x\nfrom ailang.htpp import y",
        "readFile(\"a\")",
    );
    check(
        folder,
        "validate main.md",
        &expect![[r#"
        error[AL3502]: the built-in module `builtin` does not define `readFlie`
          --> main.md:12:41
        12 | from "@ailang/builtin" import readFile, readFlie
           |                                         ^^^^^^^^
        help: did you mean `readFile`?

        error[AL3501]: `@ailang/htpp` is not there
          --> main.md:13:6
        13 | from "@ailang/htpp" import x
           |      ^^^^^^^^^^^^^^
        help: did you mean `http`?

        error[AL3501]: there is no built-in module `ailang.htpp`
          --> main.md:14:6
        14 | from ailang.htpp import y
           |      ^^^^^^^^^^^
        help: did you mean `http`?

        ✗ main.md has 3 errors
        --- 1
    "#]],
    );
    with("from \"@ailang/builtin\" import readFile", "print(readFile(\"a.txt\"))");
    write(folder, "app/mock.json", r#"{"readFile":[{"result":"the text"}]}"#);
    run(folder, "validate main.md");
    check(
        folder,
        "run main.md --mock mock.json",
        &expect![[r#"
        the text
        ok: one
        --- 0
    "#]],
    );
    check(
        folder,
        "generate main.md --lang typescript --output ../generated",
        &expect![[r#"
        ../generated/app.generated.ts
        --- 0
    "#]],
    );
    check(
        folder,
        "search readFile --in tools",
        &expect![[r#"
        tool readFile of @ailang/builtin  ailang://storage.md
            tool readFile(path: FilePath) -> string requires FileSystemRead throws FileNotFoundError, StorageError
            Reads a text file.
        --- 0
    "#]],
    );
    check(
        folder,
        "install @ailang/builtin",
        &expect![[r#"
        ✓ `@ailang/builtin` is a dependency now: *
        --- 0
    "#]],
    );
    check(
        folder,
        "install",
        &expect![[r#"
        ✓ there are no dependencies
        --- 0
    "#]],
    );
    assert!(!folder.join("app/ailang_modules").exists());
}
