//! `ailang extract`: prints a document at a level of detail.

use ailang::Detail;

use super::arguments::Extract;
use super::documents::document;
use super::outcome::ExitResult;
use crate::output::write_out;

pub(super) fn run(arguments: Extract) -> ExitResult {
    let document = document(&arguments.file)?;
    let Extract { level, include, exclude, .. } = arguments;
    let text = if include.is_empty() && exclude.is_empty() {
        document.at(level)
    } else {
        let (include, exclude) = (include.into_iter().collect(), exclude.into_iter().collect());
        document.extract(&Detail { include, exclude, ..Detail::from(level) })
    };
    write_out(&text)?;
    Ok(0)
}
