//! Exports before the judges of their formats: programs that are ignored, with the reason, where they are missing.

use std::path::Path;
use std::process::Command;

use ailang::{Document, Documents, Foreign, Severity, Strictness, export, validate};
use libtest_mimic::{Completion, Failed, Trial};

/// The program of the Python package of the same name.
const OPENAPI: &str = "openapi-spec-validator";

pub(crate) fn trials() -> Vec<Trial> {
    vec![Trial::ignorable_test("exports_are_openapi_by_its_validator", || {
        if let Err(error) = Command::new(OPENAPI).arg("--help").output() {
            return Ok(Completion::ignored_with(format!("`{OPENAPI}` does not start: {error}")));
        }
        openapi().map(|()| Completion::Completed).map_err(Failed::from)
    })]
}

/// Validates the export of every valid document of the corpus.
fn openapi() -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("../../target/openapi-exports");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let mut files = Vec::new();
    for source in ["corpus/valid", "corpus/skills", "../ide-library/interface"] {
        for entry in std::fs::read_dir(root.join(source)).map_err(|error| error.to_string())? {
            let path = entry.map_err(|error| error.to_string())?.path();
            let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
            let mut documents = Documents::new();
            documents.insert("a.md", Document::parse(text));
            let found = validate(&documents, "a.md", Strictness::Normal).unwrap_or_default();
            if found.iter().any(|it| it.severity == Severity::Error) {
                continue;
            }
            let exported = export(&documents, "a.md", Foreign::OpenApi).ok_or("it was added")?;
            let file = folder.join(format!("{}.json", files.len()));
            std::fs::write(&file, &exported.files[0].text).map_err(|error| error.to_string())?;
            files.push(file);
        }
    }
    if files.len() < 30 {
        return Err(format!("only {} documents are valid", files.len()));
    }
    let output = Command::new(OPENAPI).args(&files).output().map_err(|error| error.to_string())?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stdout).into_owned()) }
}
