//! `ailang generate`: writes code in another language for a document.

use std::path::{Path, PathBuf};

use ailang_formats::{GenerateOptions, GeneratedFile, Language, generate};
use clap::Args;
use packages::Package;
use serde_json::{Map, Value};
use similar::TextDiff;
use source_text::LineIndex;

use super::documents::{name, package};
use super::outcome::{ExitResult, USAGE, WRONG};
use crate::output::{complain, say, write_out};
use crate::source::read_if_there;

#[derive(Debug, Args)]
pub(super) struct Generate {
    /// The document; `-` for standard input
    file: PathBuf,
    /// The language: typescript, python, rust, go or json-schema
    #[arg(long, value_parser = language)]
    lang: Language,
    /// The folder of the generated files; it is created if it does not exist
    #[arg(long, default_value = "generated")]
    output: PathBuf,
    /// Write nothing; print how the files differ from the document, and exit with 1 if they do
    #[arg(long)]
    check: bool,
    /// Replace files that were not generated, too
    #[arg(long)]
    force: bool,
    /// Parts to leave out: types, validators, capabilities, errors, documentation
    #[arg(long, value_delimiter = ',', value_parser = part)]
    without: Vec<Part>,
    /// Write a runtime beside the code, in typescript and python: it asks for permissions, checks, retries and keeps an audit
    #[arg(long)]
    runtime: bool,
    /// The spelling, such as `indent=tab`, and `semi=false` and `quotes=single` for TypeScript
    #[arg(long, value_delimiter = ',', value_parser = style)]
    style: Vec<(String, Value)>,
}

/// A part of the generated code that can be left out.
type Part = fn(&mut GenerateOptions);

const PARTS: [(&str, Part); 5] = [
    ("types", |it| it.types = false),
    ("validators", |it| it.validators = false),
    ("capabilities", |it| it.capabilities = false),
    ("errors", |it| it.errors = false),
    ("documentation", |it| it.documentation = false),
];

fn language(text: &str) -> Result<Language, String> {
    Language::parse(text)
        .ok_or_else(|| format!("expected one of {}", Language::ALL.map(Language::name).join(", ")))
}

fn part(text: &str) -> Result<Part, String> {
    let part = PARTS.iter().find(|(name, _)| *name == text).map(|(_, part)| *part);
    part.ok_or_else(|| format!("expected one of {}", PARTS.map(|(name, _)| name).join(", ")))
}

/// Reads `key=value`. A value that is no JSON is a text.
fn style(text: &str) -> Result<(String, Value), String> {
    let (key, value) = text.split_once('=').ok_or("expected a key, `=` and a value")?;
    Ok((key.to_owned(), serde_json::from_str(value).unwrap_or_else(|_| value.into())))
}

pub(super) fn run(arguments: &Generate) -> ExitResult {
    let package = package(&arguments.file)?;
    if arguments.runtime && !arguments.lang.has_runtime() {
        let known = Language::ALL.into_iter().filter(|it| it.has_runtime()).map(Language::name);
        let known = known.collect::<Vec<_>>().join(" and ");
        complain(&format!("ailang: there is no runtime in {}, only in {known}", arguments.lang.name()));
        return Ok(USAGE);
    }
    let mut options = GenerateOptions {
        style: Map::from_iter(arguments.style.clone()),
        runtime: arguments.runtime,
        ..GenerateOptions::default()
    };
    arguments.without.iter().for_each(|part| part(&mut options));
    let generated = match generate(&package.documents, &package.path, arguments.lang, &options) {
        Ok(generated) => generated,
        Err(errors) => {
            errors.iter().for_each(|(path, error)| report(arguments, &package, path, error));
            complain(&format!("{} has errors, so nothing was generated", name(&arguments.file)));
            return Ok(WRONG);
        }
    };
    generated.warnings.iter().for_each(|it| report(arguments, &package, &package.path, it));
    let mut worst = 0;
    for file in &generated.files {
        let code = match arguments.check {
            true => check(file, &arguments.output)?,
            false => write(file, arguments)?,
        };
        worst = worst.max(code);
    }
    Ok(worst)
}

/// Prints a diagnostic of a document. Standard output is for differences.
fn report(arguments: &Generate, package: &Package, path: &str, diagnostic: &ailang::Diagnostic) {
    let source = package.documents.get(path).map_or("", |document| document.source.as_str());
    let shown = package.shown(path, &arguments.file);
    complain(&diagnostic.show(&shown, source, &LineIndex::new(source)));
}

/// Writes a file whose text has changed, and prints its path. Files that were written by hand stay.
fn write(file: &GeneratedFile, arguments: &Generate) -> ExitResult {
    let folder = &arguments.output;
    let path = folder.join(&file.path);
    let current = read_if_there(&path)?;
    if let Some(text) = &current
        && !arguments.force
        && !text.is_empty()
        && !GeneratedFile::is_generated(text)
    {
        complain(&format!("{} was not generated, so it stays; give --force to replace it", path.display()));
        return Ok(WRONG);
    }
    if current.as_ref() != Some(&file.content) {
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, &file.content))
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
        say(&path.display().to_string())?;
    }
    Ok(0)
}

/// Prints the difference between a file and its new text.
fn check(file: &GeneratedFile, folder: &Path) -> ExitResult {
    let path = folder.join(&file.path);
    let current = read_if_there(&path)?.unwrap_or_default();
    if current == file.content {
        return Ok(0);
    }
    let difference = TextDiff::from_lines(&current, &file.content);
    let shown = path.display().to_string();
    write_out(&difference.unified_diff().header(&shown, "generated").to_string())?;
    complain(&format!("{shown} is not what the document generates; run `ailang generate` without --check"));
    Ok(WRONG)
}
