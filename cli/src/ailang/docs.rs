//! `ailang docs`: writes documents as static HTML, or as Markdown.

use std::path::{Path, PathBuf};

use ailang::Documents;
use ailang_formats::{html_pages, markdown_pages};
use clap::{Args, ValueEnum};

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
    /// The format of the pages
    #[arg(long, value_enum, default_value_t)]
    format: PageFormat,
}

/// A format of pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum PageFormat {
    /// HTML with a search, which needs no server.
    #[default]
    Html,
    /// Markdown without blocks, for sites that show Markdown.
    Markdown,
}

pub(super) fn run(arguments: &Docs) -> ExitResult {
    let documents = match meant(&arguments.file) {
        Some(folder) => Folder::read(folder)?.documents,
        None => alone(&arguments.file)?,
    };
    let pages = match arguments.format {
        PageFormat::Html => html_pages(&documents),
        PageFormat::Markdown => markdown_pages(&documents),
    };
    for page in pages {
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
