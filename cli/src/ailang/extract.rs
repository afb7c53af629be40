//! `ailang extract`: a document at a level of detail.

use ailang::Detail;

use super::documents::document;
use super::{Came, Extract};
use crate::output::write_out;

pub(super) fn run(arguments: Extract) -> Came {
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
