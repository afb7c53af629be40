//! Documents from files, with the documents that they import.

use std::path::Path;

use ailang::Document;
use ailang_host::{Opened, Package};

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
    Ok(opened(file)?.into_package())
}

/// Reads a document with its imports, to run it.
pub(super) fn opened(file: &Path) -> Result<Opened, Failure> {
    if file == Path::new("-") {
        return Ok(Opened::text(STANDARD_INPUT, read(file)?));
    }
    Ok(Opened::file(file).map_err(|error| format!("{} {error}", file.display()))?)
}
