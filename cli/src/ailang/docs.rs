//! `ailang docs`: writes documents as static HTML.

use std::path::{Path, PathBuf};

use ailang::{Documents, html_pages};
use clap::Args;

use super::bridges::write_file;
use super::documents::package;
use super::folder::{Folder, meant};
use super::outcome::ExitResult;

#[derive(Debug, Args)]
pub(super) struct Docs {
    /// The document, or a folder for all documents in it
    file: PathBuf,
    /// The folder to write to; it is created if it does not exist
    #[arg(long)]
    output: PathBuf,
}

pub(super) fn run(arguments: &Docs) -> ExitResult {
    let documents = match meant(&arguments.file) {
        Some(folder) => Folder::read(folder)?.documents,
        None => alone(&arguments.file)?,
    };
    for page in html_pages(&documents) {
        write_file(&arguments.output.join(page.path), &page.text)?;
    }
    Ok(0)
}

/// Returns one document without those that it imports.
fn alone(file: &Path) -> Result<Documents, crate::failure::Failure> {
    let package = package(file)?;
    let mut documents = Documents::new();
    if let Some(document) = package.documents.get(&package.path) {
        documents.insert(package.path.clone(), document.clone());
    }
    Ok(documents)
}
