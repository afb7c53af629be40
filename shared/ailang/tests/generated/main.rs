//! Generated code, judged by the tools of its language: it compiles without warnings, whatever is left out, and its
//! validators accept and reject the same values as `check_value`. Exports are judged by the tools of their formats, and
//! pages by a browser.
//!
//! A test is ignored with the reason where its tools are not installed, and fails if `AILANG_REQUIRE_TOOLS` names its
//! language. `AILANG_TOOLS` is a folder with `node_modules` and with `python`, a virtual environment.

#![expect(clippy::disallowed_methods, reason = "tests run compilers")]

mod exports;
mod go;
mod json_schema;
mod pages;
mod python;
mod rust;
mod tools;
mod typescript;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ailang::{Document, Documents, GenerateOptions, Language, generate, vectors};
use libtest_mimic::{Arguments, Failed};
use serde_json::Value;

fn main() -> ExitCode {
    let trials = [
        typescript::trials(),
        python::trials(),
        json_schema::trials(),
        rust::trials(),
        go::trials(),
        exports::trials(),
        pages::trials(),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials.into_iter().flatten().collect()).exit_code()
}

/// A document with its vectors.
struct Subject {
    /// The id of the document, with `_` between words.
    name: String,
    documents: Documents,
    path: String,
}

/// Returns the documents of the recorded code, and those of the corpus.
fn subjects() -> Vec<Subject> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let skills = ["email-sender", "github-workflow", "ide-operations", "script-tool", "send_tweet"];
    let skills = skills.map(|it| format!("corpus/skills/{it}.md"));
    let recorded = ["shop", "words"].map(|it| format!("tests/suite/generate/{it}.md"));
    let read = |path: String| {
        let source = std::fs::read_to_string(folder.join(&path)).unwrap_or_else(|it| panic!("{path}: {it}"));
        let document = Document::parse(source);
        let id = document.front_matter.id.as_ref().map_or("", |it| &it.value);
        let name = id.replace('-', "_");
        let mut documents = Documents::new();
        documents.insert(&*path, document);
        Subject { name, documents, path }
    };
    recorded.into_iter().chain(skills).map(read).collect()
}

impl Subject {
    /// Returns the generated code.
    fn code(&self, language: Language, options: &GenerateOptions) -> String {
        let made = generate(&self.documents, &self.path, language, options);
        let made = made.unwrap_or_else(|errors| panic!("{}: {errors:#?}", self.path));
        made.files[0].content.clone()
    }

    /// Returns the vectors as JSON.
    fn vectors(&self) -> Value {
        let all = vectors(&self.documents, &self.path).unwrap_or_else(|errors| panic!("{errors:#?}"));
        all.iter().map(ailang::Vectors::to_json).collect()
    }
}

/// Returns the options with each combination of parts left out.
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
    (0..32).map(options).collect()
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
