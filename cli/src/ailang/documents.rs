//! Documents from files, with the documents that they import.

use std::path::Path;

use ailang::{Document, Documents};
use packages::Package;

use crate::failure::Failure;
use crate::source::read;

const STANDARD_INPUT: &str = "standard input";

/// Reads the document of a file; `-` is standard input.
pub(super) fn document(file: &Path) -> Result<Document, Failure> {
    Ok(Document::parse(read(file)?))
}

/// Returns the name of a file for messages.
pub(super) fn name(file: &Path) -> String {
    if file == Path::new("-") { STANDARD_INPUT.to_owned() } else { file.display().to_string() }
}

/// Reads a document, and everything that it imports from its package and the installed ones.
pub(super) fn package(file: &Path) -> Result<Package, Failure> {
    if file == Path::new("-") {
        let mut documents = Documents::new();
        documents.insert(STANDARD_INPUT, document(file)?);
        documents.add_standard_library();
        return Ok(Package { documents, path: STANDARD_INPUT.to_owned() });
    }
    let read = packages::package(file);
    Ok(read.map_err(|error| format!("{} {error}", file.display()))?)
}
