//! `ailang export` and `ailang import`: documents in other formats.

use std::path::{Path, PathBuf};

use ailang::{Severity, Strictness, validate};
use ailang_formats::{Foreign, Imported, Remark};
use clap::{Args, ValueEnum};
use packages::Package;
use serde_json::{Value, json};
use source_text::LineIndex;

use super::documents::{name, package};
use super::outcome::{ExitResult, WRONG};
use crate::failure::Failure;
use crate::output::{complain, write_out};
use crate::source::read;

/// The largest file that is imported, in bytes.
const LARGEST: u64 = 32 << 20;

#[derive(Debug, Args)]
pub(super) struct Export {
    /// The document; `-` for standard input
    file: PathBuf,
    /// The format: skill, mcp, openapi or json-schema
    #[arg(long, value_parser = format)]
    to: Foreign,
    /// The file to write, or for a skill the folder in which its folder is created; standard output otherwise
    #[arg(long)]
    output: Option<PathBuf>,
    /// The form of the report of differences, which goes to standard error
    #[arg(long, value_enum, default_value_t)]
    report: Report,
}

#[derive(Debug, Args)]
pub(super) struct Import {
    /// The file: JSON, YAML, or a SKILL.md or its folder; `-` for standard input
    file: PathBuf,
    /// The format: skill, mcp, openapi or json-schema
    #[arg(long, value_parser = format)]
    from: Foreign,
    /// The document to write; standard output otherwise
    #[arg(long)]
    output: Option<PathBuf>,
    /// The form of the report of differences, which goes to standard error
    #[arg(long, value_enum, default_value_t)]
    report: Report,
}

/// A form of reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Report {
    /// A line for each kind of difference.
    #[default]
    Text,
    /// A JSON list of all differences.
    Json,
    /// No report.
    None,
}

fn format(text: &str) -> Result<Foreign, String> {
    Foreign::parse(text)
        .ok_or_else(|| format!("expected one of {}", Foreign::ALL.map(Foreign::name).join(", ")))
}

pub(super) fn export(arguments: &Export) -> ExitResult {
    let Package { documents, path, .. } = package(&arguments.file)?;
    if has_errors(&documents, &path, &arguments.file) {
        complain(&format!("{} has errors, so it cannot be exported", name(&arguments.file)));
        return Ok(WRONG);
    }
    let exported =
        ailang_formats::export(&documents, &path, arguments.to).ok_or("the document is missing")?;
    match &arguments.output {
        Some(folder) if arguments.to == Foreign::Skill => {
            for file in &exported.files {
                write_file(&folder.join(&file.path), &file.text)?;
            }
        }
        Some(output) => write_file(output, &exported.files[0].text)?,
        None => write_out(&exported.files[0].text)?,
    }
    say_report(arguments.report, &exported.remarks);
    Ok(0)
}

/// Prints the errors of a document; returns `true` if there are any.
fn has_errors(documents: &ailang::Documents, path: &str, file: &Path) -> bool {
    let found = validate(documents, path, Strictness::Normal).unwrap_or_default();
    let source = documents.get(path).map_or("", |document| document.source.as_str());
    let index = LineIndex::new(source);
    let errors: Vec<_> = found.iter().filter(|it| it.severity == Severity::Error).collect();
    errors.iter().for_each(|error| complain(&error.show(&name(file), source, &index)));
    !errors.is_empty()
}

pub(super) fn import(arguments: &Import) -> ExitResult {
    let imported = match arguments.from {
        Foreign::Skill => skill(&arguments.file),
        format => json_of(&arguments.file).and_then(|value| Ok(ailang_formats::import(&value, format)?)),
    };
    let imported = match imported {
        Ok(imported) => imported,
        Err(error) => {
            complain(&format!("{} cannot be imported: {error}", name(&arguments.file)));
            return Ok(WRONG);
        }
    };
    match &arguments.output {
        Some(output) => write_file(output, &imported.text)?,
        None => write_out(&imported.text)?,
    }
    say_report(arguments.report, &imported.remarks);
    Ok(0)
}

fn skill(file: &Path) -> Result<Imported, Failure> {
    let file = if file.is_dir() { file.join("SKILL.md") } else { file.to_path_buf() };
    let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
    // Only files inside the folder belong to the skill.
    let other = |path: &str| {
        let root = folder.canonicalize().ok()?;
        let whole = root.join(path).canonicalize().ok()?;
        (whole.is_file() && whole.starts_with(root)).then(|| read(&whole).ok())?
    };
    Ok(ailang_formats::import_skill(&small(&file)?, other)?)
}

/// Reads a file as JSON, or else as YAML.
fn json_of(file: &Path) -> Result<Value, Failure> {
    let text = small(file)?;
    match serde_json::from_str(&text) {
        Ok(value) => Ok(value),
        Err(error) if text.trim_start().starts_with(['{', '[']) => {
            Err(format!("it is no JSON: {error}").into())
        }
        Err(_) => serde_saphyr::from_str_with_options(&text, yaml_options())
            .map_err(|error| format!("it is neither JSON nor YAML: {error}").into()),
    }
}

/// Returns the rules of YAML 1.2, in which `Y` and `no` are texts.
fn yaml_options() -> serde_saphyr::Options {
    serde_saphyr::options! { strict_booleans: true }
}

/// Reads a file unless it is too large.
fn small(file: &Path) -> Result<String, Failure> {
    if std::fs::metadata(file).is_ok_and(|it| it.len() > LARGEST) {
        return Err(format!("it has more than {LARGEST} bytes").into());
    }
    Ok(read(file)?)
}

/// Writes a file, and creates its folder.
pub(super) fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let problem = |error| format!("{} cannot be written: {error}", path.display());
    if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(problem)?;
    }
    Ok(std::fs::write(path, text).map_err(problem)?)
}

fn say_report(report: Report, remarks: &[Remark]) {
    match report {
        Report::None => {}
        Report::Json => {
            let all: Vec<Value> = remarks.iter().map(Remark::to_json).collect();
            complain(&format!("{:#}", json!({"differences": all})));
        }
        Report::Text => lines(remarks).iter().for_each(|it| complain(it)),
    }
}

/// Returns a line for each difference; equal ones at several places share a line.
fn lines(remarks: &[Remark]) -> Vec<String> {
    let mut groups: Vec<(&Remark, usize)> = Vec::new();
    for remark in remarks {
        let same = |(it, _): &&mut (&Remark, usize)| {
            (it.kind, &it.what, &it.why) == (remark.kind, &remark.what, &remark.why)
        };
        match groups.iter_mut().find(same) {
            Some((_, count)) => *count += 1,
            None => groups.push((remark, 1)),
        }
    }
    let line = |(remark, count): &(&Remark, usize)| match count - 1 {
        0 => remark.to_string(),
        1 => format!("{remark} (and at another place)"),
        others => format!("{remark} (and at {others} other places)"),
    };
    groups.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ailang_formats::RemarkKind;

    #[test]
    fn equal_differences_share_a_line() {
        let remark = |place: &str, what: &str| Remark {
            kind: RemarkKind::Lost,
            place: place.to_owned(),
            what: what.to_owned(),
            why: "it is no rule".to_owned(),
        };
        let remarks = [remark("/a", "`x`"), remark("", "`y`"), remark("/b", "`x`"), remark("/c", "`x`")];
        let expected =
            ["lost: /a `x`: it is no rule (and at 2 other places)", "lost: the whole `y`: it is no rule"];
        assert_eq!(lines(&remarks), expected);
    }
}
