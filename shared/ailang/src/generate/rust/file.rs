//! One file, with what all its parts share.

use crate::generate::identifiers::Names;
use crate::generate::model::Model;
use crate::generate::options::GenerateOptions;
use crate::generate::writer::Writer;

/// A file that is being printed.
pub(super) struct File<'a> {
    pub(super) model: &'a Model,
    pub(super) options: &'a GenerateOptions,
    pub(super) names: &'a Names,
}

impl File<'_> {
    /// Returns the names of everything that has functions in it.
    pub(super) fn left_out(&self) -> impl Iterator<Item = &str> {
        let types =
            self.model.types.iter().filter(|it| self.model.has_function(&it.ty)).map(|it| it.name.as_str());
        let tools =
            self.model.tools.iter().filter(|it| self.model.takes_function(it)).map(|it| it.name.as_str());
        types.chain(tools)
    }

    /// Prints a comment of documentation, if there is any.
    pub(super) fn comment(&self, docs: &str, out: &mut Writer) {
        if self.options.documentation {
            docs.lines().for_each(|line| out.line(format!("/// {line}").trim_end()));
        }
    }
}

/// Returns a text as a literal.
pub(super) fn quoted(text: &str) -> String {
    format!("{text:?}")
}
