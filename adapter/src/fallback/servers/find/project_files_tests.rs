use expect_test::{Expect, expect};

use super::*;

/// Writes files, and shows the result of the review of `project`.
fn check(files: &[(&str, &str)], expected: Expect) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let all = [("project/Cargo.toml", "[package]\nname = \"a\"\n")].into_iter().chain(files.iter().copied());
    for (path, text) in all {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let project = root.join("project");
    let manifest = match files.iter().find(|(it, _)| it.ends_with("rust-project.json")) {
        Some((path, _)) => root.join(path),
        None => project.join("Cargo.toml"),
    };
    let mut projects = Projects { manifests: vec![manifest], ..Projects::default() };
    let language = crate::fallback::source::languages::rows().find(|it| it.id == "rust").unwrap();
    let review = review(language, &mut projects, &[project]);
    let mut shown = match projects.manifests.len() {
        0 => review.refusal().unwrap().to_string() + "\n",
        _ => projects.left_out.iter().map(|it| format!("loaded; {it}\n")).collect(),
    };
    if review.wants_credentials {
        shown += "offline\n";
    }
    expected.assert_eq(&shown.replace(root.to_str().unwrap(), ""));
}

fn config(text: &str, expected: Expect) {
    check(&[("project/.cargo/config.toml", text)], expected);
}

#[test]
fn harmless_keys_are_loaded() {
    config(
        "[alias]\nx = 'run'\n[net]\noffline = true\n[build]\njobs = 2\ntarget = 'thumbv7em-none-eabihf'\n\
         target-dir = '../target'\nrustc-wrapper = 'sccache'\n[profile.dev]\nopt-level = 1\n\
         [profile.dev.package.'*']\nopt-level = 3\n[profile.x.build-override]\ndebug = 0\n\
         [target.'cfg(all())']\nlinker = 'clang'\nrunner = 'qemu'\n[env]\nRUST_LOG = 'debug'\n\
         [source.crates-io]\nreplace-with = 'v'\n[source.v]\ndirectory = 'vendor'\n",
        expect![""],
    );
}

#[test]
fn flags_are_ignored_and_said_to_be() {
    config(
        "[target.'cfg(all())']\nrustflags = ['-Zcodegen-backend=./e.so']\n",
        expect![[r#"
            loaded; `rustflags` of `/project/.cargo/config.toml` are ignored: the workspace is restricted
        "#]],
    );
}

#[test]
fn a_program_for_credentials_keeps_cargo_off_the_network() {
    let text = "[registries.a]\nindex = 'sparse+https://a'\ncredential-provider = ['./x']\n";
    config(text, expect!["offline\n"]);
}

#[test]
fn what_loads_code_is_refused_with_its_place() {
    for (text, key) in [
        ("[env]\nLD_PRELOAD = 'e.so'\n", "env.LD_PRELOAD"),
        ("env.LD_AUDIT = { value = 'e.so', force = true }\n", "env.LD_AUDIT"),
        ("[env]\n\"LD_\\u0050RELOAD\" = 'e.so'\n", "env.LD_PRELOAD"),
        ("[build]\ntarget = 'evil.json'\n", "build.target"),
        ("[build]\ntarget = ['x86_64-unknown-linux-gnu', './evil']\n", "build.target"),
        ("[unstable]\nprofile-rustflags = true\n", "unstable.profile-rustflags"),
        ("[profile.dev]\ncodegen-backend = './e.so'\n", "profile.dev.codegen-backend"),
        ("[profile.dev.package.a]\nrustflags = []\n", "profile.dev.package.a.rustflags"),
        ("[target.x.links]\nrustc-env = {}\n", "target.x.links"),
        ("[host]\nrunner = 'x'\n", "host"),
        ("build = 1\n", "build"),
        ("include = 1\n", "include"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config.toml");
        fs::write(&file, text).unwrap();
        let refusal = Review::default().check_config(&file, &mut BTreeSet::new()).unwrap_err();
        assert_eq!(refusal, sets(&file, key), "{text}");
    }
}

#[test]
fn every_file_that_counts_is_read() {
    let env = "[env]\nLD_PRELOAD = 'e.so'\n";
    check(
        &[("project/.cargo/config", env)],
        expect![[r#"
            `/project/.cargo/config` sets `env.LD_PRELOAD`, which may run code of the workspace
        "#]],
    );
    check(
        &[(".cargo/config.toml", env)],
        expect![[r#"
            `/.cargo/config.toml` sets `env.LD_PRELOAD`, which may run code of the workspace
        "#]],
    );
    let include = "include = [{ path = 'a.toml', optional = true }, '../b.toml']\n";
    check(
        &[
            ("project/.cargo/config.toml", include),
            ("project/b.toml", "include = 'c.toml'"),
            ("project/c.toml", env),
        ],
        expect![[r#"
            `/project/c.toml` sets `env.LD_PRELOAD`, which may run code of the workspace
        "#]],
    );
    config("include = 'config.toml'\n", expect![""]);
    config(
        "[env\n",
        expect![[r#"
            `/project/.cargo/config.toml` is no TOML: unclosed table, expected `]`
        "#]],
    );
}

#[test]
fn a_manifest_may_not_reach_the_compiler() {
    let manifest = |text: &str, expected: Expect| check(&[("project/Cargo.toml", text)], expected);
    manifest(
        "cargo-features = ['codegen-backend']\n[profile.dev]\ncodegen-backend = './e.so'\n",
        expect![[r#"
            `/project/Cargo.toml` sets `profile.dev.codegen-backend`, which may run code of the workspace
        "#]],
    );
    manifest(
        "[package]\nforced-target = 'evil.json'\n",
        expect![[r#"
            `/project/Cargo.toml` sets `package.forced-target`, which may run code of the workspace
        "#]],
    );
    manifest("[package\n", expect![""]);
    manifest(
        "\"cargo\\u002dfeatures\" = [\n",
        expect![[r#"
            `/project/Cargo.toml` is no TOML
        "#]],
    );
}

#[test]
fn a_description_of_a_project_names_no_program() {
    let project = |text: &str, expected: Expect| check(&[("project/rust-project.json", text)], expected);
    project(
        r#"{"crates": [{"root_module": "a.rs", "edition": "2021", "deps": [], "cfg": []}]}"#,
        expect![""],
    );
    for (text, key) in [
        (r#"{"sysroot": "x", "crates": []}"#, "sysroot"),
        (r#"{"crates": [], "sysroot_src": "x"}"#, "sysroot_src"),
        (r#"{"crates": [], "runnables": []}"#, "runnables"),
        (r#"{"crates": [{"proc_macro_dylib_path": "e.so"}]}"#, "crates[0].proc_macro_dylib_path"),
        (r#"{"crates": [{}, {"build": {}}]}"#, "crates[1].build"),
        (r#"{"crates": [{"target": "./evil.json"}]}"#, "crates[0].target"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("rust-project.json");
        fs::write(&file, text).unwrap();
        assert_eq!(check_description(&file).unwrap_err(), sets(&file, key));
    }
    project(
        "{",
        expect![[r#"
            `/project/rust-project.json` is not read: EOF while parsing an object at line 1 column 1
        "#]],
    );
}

#[test]
fn a_refused_project_is_left_out_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let project = dir.path().canonicalize().unwrap();
    let config = project.join(".cargo/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, "[env]\nLD_PRELOAD = 'e.so'\n").unwrap();
    let manifest = project.join("Cargo.toml");
    fs::write(&manifest, "[package]\nname = \"a\"\n").unwrap();
    let mut projects = Projects { manifests: vec![manifest.clone()], ..Projects::default() };
    let language = crate::fallback::source::languages::rows().find(|it| it.id == "rust").unwrap();
    review(language, &mut projects, &[project]);
    let cause = sets(&config, "env.LD_PRELOAD").to_string();
    let refused = Reason::RefusedProject { path: manifest.display().to_string(), cause };
    assert_eq!((projects.manifests.len(), projects.left_out), (0, vec![refused]));
}
