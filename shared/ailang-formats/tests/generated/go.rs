//! Go: `gofmt`, `go vet`, and the checks of generated types. Nothing comes from the network.

use std::fmt::Write as _;
use std::process::Command;

use ailang_formats::{GenerateOptions, Language};
use libtest_mimic::{Failed, Trial};

use super::subjects::{combined, subjects};
use super::tools::{run, tool, trial};
use super::{combinations, driver, folder, write};

const NEEDS: &[&[&str]] = &[&["go", "version"]];

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("go", "compiles, and checks values as documents do", NEEDS, checked)]
}

fn checked() -> Result<(), Failed> {
    let folder = folder("go");
    let subjects = subjects();
    let (mut imports, mut table) = (std::collections::BTreeSet::new(), String::new());
    for subject in subjects {
        let package = subject.name.replace('_', "");
        let code = subject.code(Language::Go, &GenerateOptions::default());
        write(&folder.join(format!("{package}/generated.go")), &code)?;
        write(&folder.join(format!("{package}.json")), &subject.vectors().to_string())?;
        imports.insert(format!("\t{package} \"generated/{package}\"\n"));
        let _ = writeln!(table, "\tcheck(\"{package}\", {package}.Check)");
    }
    for (at, options) in combinations().iter().enumerate() {
        for subject in combined(subjects) {
            let code = subject.code(Language::Go, options);
            write(&folder.join(format!("combinations/{}{at}/generated.go", subject.name)), &code)?;
        }
    }
    let main = std::fs::read_to_string(driver("check.go.txt"))?;
    write(
        &folder.join("main.go"),
        &main.replace("\t// IMPORTS\n", &String::from_iter(imports)).replace("\t// TABLE\n", &table),
    )?;
    write(&folder.join("go.mod"), "module generated\n\ngo 1.21\n")?;
    let go = |command: &mut Command| {
        command
            .current_dir(&folder)
            .env("GOFLAGS", "-mod=mod")
            .env("GOPROXY", "off")
            .env("GOTOOLCHAIN", "local");
        run(command)
    };
    let root = go(tool("go").args(["env", "GOROOT"]))?;
    let gofmt = std::path::Path::new(root.trim()).join("bin/gofmt");
    let unformatted = go(Command::new(gofmt).args(["-l", "-d", "."]))?;
    if !unformatted.is_empty() {
        let shown: String = unformatted.lines().take(60).map(|it| format!("{it}\n")).collect();
        return Err(format!("gofmt changes:\n{shown}").into());
    }
    go(tool("go").args(["vet", "./..."]))?;
    go(tool("go").args(["run", "."]))?;
    Ok(())
}
