//! `ailang validate`: what is wrong with documents.

use std::path::Path;

use ailang::{Diagnostic, Severity, Strictness, validate};
use serde_json::Value;
use source_text::LineIndex;

use super::documents::{name, package};
use super::{Came, Files, Format, WRONG};
use crate::output::say;

pub(super) fn run(files: &Files, strictness: Strictness) -> Came {
    let mut worst = 0;
    let mut told = Vec::new();
    for file in &files.files {
        worst = worst.max(one(file, strictness, files.format, &mut told)?);
    }
    if files.format == Format::Json {
        say(&format!("{:#}", Value::Array(told)))?;
    }
    Ok(worst)
}

fn one(file: &Path, strictness: Strictness, format: Format, told: &mut Vec<Value>) -> Came {
    let package = package(file)?;
    let name = name(file);
    let found = validate(&package.documents, &package.path, strictness).unwrap_or_default();
    let source = package.documents.get(&package.path).map_or("", |document| document.source.as_str());
    let index = LineIndex::new(source);
    match format {
        Format::Json => told.extend(found.iter().map(|it| it.to_json(&name, source, &index))),
        Format::Pretty => {
            for diagnostic in &found {
                say(&(diagnostic.show(&name, source, &index) + "\n"))?;
            }
            say(&summary(&name, &found))?;
        }
    }
    Ok(if found.iter().any(is_error) { WRONG } else { 0 })
}

fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error
}

/// `✓ main.md is valid`, `✗ main.md has 2 errors and 1 warning`
fn summary(name: &str, found: &[Diagnostic]) -> String {
    let of = |severity| found.iter().filter(|it| it.severity == severity).count();
    let counted = |count: usize, what: &str| match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        count => Some(format!("{count} {what}s")),
    };
    let parts = [counted(of(Severity::Error), "error"), counted(of(Severity::Warning), "warning")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match (of(Severity::Error), parts.is_empty()) {
        (0, true) => format!("✓ {name} is valid"),
        (0, false) => format!("✓ {name} is valid, with {}", parts.join(" and ")),
        _ => format!("✗ {name} has {}", parts.join(" and ")),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const GOOD: &str = "---\nid: good\ntitle: Good\nsummary: Good.\n---\n<define>\nimport lib from \"./lib/types.md\"\n\
                        // Reads.\n// @readOnly\ntool read(at: lib.Place) -> string\n</define>\n";
    const TYPES: &str =
        "---\nid: types\ntitle: T\nsummary: T.\n---\n<define>\ntype Place = { line: int }\n</define>\n";

    #[test]
    fn a_document_is_checked_with_what_it_imports() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("lib")).unwrap();
        fs::write(folder.path().join("lib/types.md"), TYPES).unwrap();
        let file = folder.path().join("main.md");
        fs::write(&file, GOOD).unwrap();
        let check = |strictness| {
            let mut told = Vec::new();
            (one(&file, strictness, Format::Json, &mut told).unwrap(), told)
        };
        assert_eq!(check(Strictness::Normal), (0, Vec::new()));
        fs::write(&file, GOOD.replace("lib.Place", "lib.Plac")).unwrap();
        let (code, told) = check(Strictness::Normal);
        assert_eq!(code, WRONG);
        assert_eq!(told[0]["code"], "AL3001");
        assert_eq!(told[0]["location"]["line"], 10);
        assert!(
            one(&folder.path().join("absent.md"), Strictness::Normal, Format::Json, &mut Vec::new()).is_err()
        );
    }

    #[test]
    fn what_was_found_is_counted() {
        assert_eq!(summary("a.md", &[]), "✓ a.md is valid");
    }
}
