//! Generated code, judged by the tools of its language: it compiles without warnings, whatever is left out, and its
//! validators accept and reject the same values as `check_value`. Exports are judged by the tools of their formats, and
//! pages by a browser.
//!
//! A test is ignored with the reason where its tools are not installed, and fails if `AILANG_REQUIRE_TOOLS` names its
//! language. `AILANG_TOOLS` is a folder with `node_modules` and with `python`, a virtual environment.

#![expect(clippy::disallowed_methods, reason = "tests run compilers")]

mod exports;
mod go;
mod invented;
mod json_schema;
mod names;
mod pages;
mod python;
mod runtimes;
mod rust;
mod subjects;
mod tools;
mod typescript;

use std::path::{Path, PathBuf};

use ailang_formats::GenerateOptions;
use libtest_mimic::{Failed, Trial};

pub(crate) fn trials() -> Vec<Trial> {
    let valid = Trial::test("documents are valid", || {
        let errors: String = subjects::subjects().iter().filter_map(subjects::Subject::errors).collect();
        if errors.is_empty() { Ok(()) } else { Err(errors.into()) }
    });
    let checked = Trial::test("values are checked as vectors say", || {
        subjects::subjects().iter().try_for_each(subjects::Subject::is_checked_alike)
    });
    let invented = Trial::test("invented types have many values", || {
        let all: Vec<usize> = subjects::subjects().iter().flat_map(subjects::Subject::invented).collect();
        let (types, values) = if is_long() { (40, 500) } else { (8, 30) };
        let rich = all.iter().filter(|it| **it >= values).count();
        if rich >= types { Ok(()) } else { Err(format!("{rich} of {all:?}").into()) }
    });
    let trials = [
        vec![valid, checked, invented],
        typescript::trials(),
        python::trials(),
        json_schema::trials(),
        rust::trials(),
        go::trials(),
        runtimes::trials(),
        exports::trials(),
        pages::trials(),
    ];
    trials.into_iter().flatten().collect()
}

/// Returns true if the long form is asked for: all documents, with all combinations of options.
fn is_long() -> bool {
    literate::is_long("generated")
}

/// Returns the options with each combination of parts left out; in the short form with none, one, and all left out.
fn combinations() -> Vec<GenerateOptions> {
    let is_in = |number: u8, bit: u8| number & (1 << bit) == 0;
    let options = |number| GenerateOptions {
        types: is_in(number, 0),
        validators: is_in(number, 1),
        capabilities: is_in(number, 2),
        errors: is_in(number, 3),
        documentation: is_in(number, 4),
        ..GenerateOptions::default()
    };
    (0..32_u8).filter(|it| is_long() || it.count_ones() <= 1 || *it == 31).map(options).collect()
}

/// Returns an empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap_or_else(|it| panic!("{}: {it}", folder.display()));
    folder
}

/// Writes a file, and its folder.
fn write(path: &Path, text: &str) -> Result<(), Failed> {
    std::fs::create_dir_all(path.parent().ok_or("a file is in a folder")?)?;
    Ok(std::fs::write(path, text)?)
}

/// Returns the path of a program that checks vectors.
fn driver(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generated/drivers").join(name)
}
