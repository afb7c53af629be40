//! A registry in a folder, and installations without a network.

use std::fs;
use std::path::Path;
use std::process::Command;

use expect_test::expect;
use libtest_mimic::Trial;

use super::{ailang, check, in_app, package, run, write};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        a_registry_is_a_folder,
        an_installation_from_the_lock_file_needs_no_network_and_changes_nothing
    ]
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
