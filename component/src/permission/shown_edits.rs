//! The edits that the user is shown in a permission question.

use ide_protocol::Edit;

use crate::permission::hunks::is_cut;

/// Edits that the user was shown.
#[derive(Clone, Debug)]
pub(crate) struct ShownEdits {
    /// The ids that the program gives them.
    pub(crate) ids: Vec<String>,
    pub(crate) edits: Vec<Edit>,
    /// A program that shows them all and makes none.
    pub(crate) preview: Option<String>,
}

impl ShownEdits {
    /// Returns whether the edits are the same apart from their ids, which a program makes anew at each run. Edits
    /// with a cut diff never are.
    pub(crate) fn are(&self, edits: &[Edit]) -> bool {
        let nameless = |it: &Edit| Edit { id: String::new(), ..it.clone() };
        let is_whole = |it: &Edit| !it.files.iter().any(is_cut);
        edits.iter().all(is_whole) && edits.iter().map(nameless).eq(self.edits.iter().map(nameless))
    }
}
