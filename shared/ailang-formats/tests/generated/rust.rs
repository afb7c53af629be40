//! Rust: `cargo clippy` without warnings, and the checks of serde's types. The crates come from cargo's cache.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use ailang_formats::{GenerateOptions, Language};
use libtest_mimic::{Failed, Trial};

use super::subjects::{combined, subjects};
use super::tools::{run, trial};
use super::{combinations, driver, folder, write};

const NEEDS: &[&[&str]] = &[&["cargo", "clippy", "--version"]];

const MANIFEST: &str = "[package]\nname = \"generated\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
                        [dependencies]\nregex = \"1\"\nserde = { version = \"1\", features = [\"derive\"] }\nserde_json = { version = \"1\", features = [\"float_roundtrip\"] }\n\n\
                        [lints.rust]\nunsafe_code = \"forbid\"\n\n[profile.dev]\ndebug = false\n";

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("rust", "compiles, and checks values as documents do", NEEDS, checked)]
}

fn checked() -> Result<(), Failed> {
    let folder = folder("rust");
    let subjects = subjects();
    let (mut modules, mut table) = (String::new(), String::new());
    for subject in subjects {
        let name = &subject.name;
        write(
            &folder.join(format!("src/{name}.rs")),
            &subject.code(Language::Rust, &GenerateOptions::default()),
        )?;
        write(&folder.join(format!("{name}.json")), &subject.vectors().to_string())?;
        let _ = writeln!(modules, "mod {name};");
        let _ = writeln!(
            table,
            "    (\"{name}\", |name, value| {name}::check(name, value).map_err(|it| it.to_string())),"
        );
    }
    for (at, options) in combinations().iter().enumerate() {
        for subject in combined(subjects) {
            let name = format!("{}_{at}", subject.name);
            write(&folder.join(format!("src/{name}.rs")), &subject.code(Language::Rust, options))?;
            let _ = writeln!(modules, "mod {name};");
        }
    }
    let main = std::fs::read_to_string(driver("check.rs"))?;
    write(
        &folder.join("src/main.rs"),
        &main.replace("// MODULES", &modules).replace("    // TABLE\n", &table),
    )?;
    write(&folder.join("Cargo.toml"), MANIFEST)?;
    // The versions of this workspace are in the cache.
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    std::fs::copy(lock, folder.join("Cargo.lock"))?;
    let cargo = || {
        let mut cargo = Command::new("cargo");
        let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated-rust");
        cargo.current_dir(&folder).env("CARGO_TARGET_DIR", built).env("CARGO_NET_OFFLINE", "true");
        cargo
    };
    run(cargo().args(["clippy", "--quiet", "--", "-D", "warnings"]))?;
    run(cargo().args(["run", "--quiet"]))?;
    Ok(())
}
