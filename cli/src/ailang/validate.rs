//! `ailang validate`: checks documents.

use std::path::Path;

use ailang::{Diagnostic, Manifest, Severity, validate, validate_all};
use serde_json::Value;
use source_text::LineIndex;

use super::arguments::Validate;
use super::documents::{name, package};
use super::folder::{Folder, meant};
use super::format::Format;
use super::outcome::{ExitResult, WRONG, each, say_tree};
use crate::failure::Failure;
use crate::output::say;

pub(super) fn run(arguments: &Validate) -> ExitResult {
    let mut reports = Vec::new();
    let worst = each(&arguments.files, |file| one(file, arguments, &mut reports));
    if arguments.format != Format::Pretty {
        say_tree(arguments.format, &Value::Array(reports))?;
    }
    Ok(worst)
}

fn one(file: &Path, arguments: &Validate, reports: &mut Vec<Value>) -> ExitResult {
    match meant(file) {
        Some(folder) => folder_of(folder, arguments, reports),
        None => document(file, arguments, reports),
    }
}

fn document(file: &Path, arguments: &Validate, reports: &mut Vec<Value>) -> ExitResult {
    let package = package(file)?;
    let name = name(file);
    let found = validate(&package.documents, &package.path, arguments.strictness).unwrap_or_default();
    let source = package.documents.get(&package.path).map_or("", |document| document.source.as_str());
    report(&name, source, &found, arguments.format, reports)?;
    conclude(&name, &found, arguments)
}

/// Checks a package: its manifest, if it has one, and all of its documents.
fn folder_of(folder: &Path, arguments: &Validate, reports: &mut Vec<Value>) -> ExitResult {
    let (strictness, format) = (arguments.strictness, arguments.format);
    let Folder { root, manifest, documents } = Folder::read(folder)?;
    let mut all = Vec::new();
    if let Some(manifest) = manifest {
        let found = manifest.validate(&documents, strictness);
        report(&name(&root.join(Manifest::FILE)), &manifest.source, &found, format, reports)?;
        all.extend(found);
    }
    let is_own = |path: &str| !documents.is_installed(path);
    for (path, found) in validate_all(&documents, strictness).into_iter().filter(|(path, _)| is_own(path)) {
        let source = documents.get(path).map_or("", |document| document.source.as_str());
        report(&name(&root.join(path)), source, &found, format, reports)?;
        all.extend(found);
    }
    let count = match documents.iter().filter(|(path, _)| is_own(path)).count() {
        1 => "1 document".to_owned(),
        count => format!("{count} documents"),
    };
    conclude(&format!("{} ({count})", root.display()), &all, arguments)
}

fn report(
    name: &str,
    source: &str,
    found: &[Diagnostic],
    format: Format,
    reports: &mut Vec<Value>,
) -> Result<(), Failure> {
    let index = LineIndex::new(source);
    match format {
        Format::Json | Format::Yaml => {
            reports.extend(found.iter().map(|it| it.to_json(name, source, &index)));
        }
        Format::Pretty => {
            for diagnostic in found {
                say(&(diagnostic.show(name, source, &index) + "\n"))?;
            }
        }
    }
    Ok(())
}

fn conclude(name: &str, found: &[Diagnostic], arguments: &Validate) -> ExitResult {
    if arguments.format == Format::Pretty && !arguments.quiet {
        say(&summary(name, found))?;
    }
    Ok(if found.iter().any(is_error) { WRONG } else { 0 })
}

fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error
}

/// Returns a summary: `✓ main.md is valid`, or `✗ main.md has 2 errors and 1 warning`.
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

    use ailang::Strictness;

    use super::*;

    fn arguments() -> Validate {
        let (files, format) = (Vec::new(), Format::Json);
        Validate { files, format, strictness: Strictness::Normal, quiet: false }
    }

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
        let check = || {
            let mut reports = Vec::new();
            (one(&file, &arguments(), &mut reports).unwrap(), reports)
        };
        assert_eq!(check(), (0, Vec::new()));
        fs::write(&file, GOOD.replace("lib.Place", "lib.Plac")).unwrap();
        let (code, reports) = check();
        assert_eq!(code, WRONG);
        assert_eq!(reports[0]["code"], "AL3001");
        assert_eq!(reports[0]["location"]["line"], 10);
        assert!(one(&folder.path().join("absent.md"), &arguments(), &mut Vec::new()).is_err());
    }

    #[test]
    fn a_package_is_checked_with_its_manifest() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        let check = |path: &Path| {
            let mut reports = Vec::new();
            (one(path, &arguments(), &mut reports).unwrap(), reports)
        };
        fs::create_dir(folder.path().join("lib")).unwrap();
        write(
            "ailang.json",
            r#"{"name":"a","version":"1.0.0","description":"d","author":"a","license":"MIT","main":"main.md"}"#,
        );
        write("main.md", GOOD);
        write("lib/types.md", TYPES);
        write("README.md", "# Not a document");
        assert_eq!(check(folder.path()), (0, Vec::new()));
        assert_eq!(check(&folder.path().join("ailang.json")), (0, Vec::new()));
        write("lib/types.md", &TYPES.replace("int", "itn"));
        fs::remove_file(folder.path().join("main.md")).unwrap();
        let (code, reports) = check(folder.path());
        assert_eq!(code, WRONG);
        let codes: Vec<&str> = reports.iter().filter_map(|it| it["code"].as_str()).collect();
        assert_eq!(codes, ["AL4004", "AL3001"]);
        let types = folder.path().join("lib/types.md").display().to_string();
        assert_eq!(reports[1]["location"]["path"], types);
    }

    #[test]
    fn what_was_found_is_counted() {
        assert_eq!(summary("a.md", &[]), "✓ a.md is valid");
    }
}
