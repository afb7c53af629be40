//! Exit codes, and the loops over documents that produce them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::folder::opened;
use super::format::Format;
use super::pattern::matching;
use crate::failure::Failure;
use crate::output::{complain, say, write_out};

/// The exit code for a document with errors.
pub(super) const WRONG: u8 = 1;

/// The exit code for arguments that do not suit each other.
pub(super) const USAGE: u8 = 2;

/// The exit code for a file that cannot be read or written.
pub(super) const UNREADABLE: u8 = 3;

/// The exit code of a subcommand.
pub(super) type ExitResult = Result<u8, Failure>;

/// Runs `one` on each file, and returns the worst exit code. A name with wildcards means the files that match it. A
/// file that cannot be read is reported, and the others still run.
pub(super) fn each(files: &[PathBuf], mut one: impl FnMut(&Path) -> ExitResult) -> u8 {
    worst(files, |file| Ok(worst(&matching(file)?, &mut one)))
}

/// Runs `one` on each file, and on each document of a folder.
pub(super) fn each_document(files: &[PathBuf], mut one: impl FnMut(&Path) -> ExitResult) -> u8 {
    each(files, |file| Ok(worst(&opened(file)?, &mut one)))
}

fn worst(files: &[PathBuf], mut one: impl FnMut(&Path) -> ExitResult) -> u8 {
    let codes = files.iter().map(|file| {
        one(file).unwrap_or_else(|problem| {
            complain(&format!("ailang: {problem}"));
            UNREADABLE
        })
    });
    codes.fold(0, u8::max)
}

/// Prints a value for programs.
pub(super) fn say_tree(format: Format, tree: &Value) -> Result<(), Failure> {
    match format {
        Format::Yaml => write_out(&serde_saphyr::to_string(tree)?),
        Format::Json | Format::Pretty => say(&format!("{tree:#}")),
    }
}
