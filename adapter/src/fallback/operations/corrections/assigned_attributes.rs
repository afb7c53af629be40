//! Attributes that Python methods assign, `self.count = 0`, which no outline lists.

use std::collections::BTreeSet;
use std::path::Path;

use ide_protocol::Operation;

use super::correction::{Correction, Scope};
use crate::fallback::source::languages::ids;
use crate::fallback::source::languages::words;
use crate::fallback::source::names::Name;
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::source::text::Text;
use crate::fallback::syntactic::candidate::Candidate;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "assigned-attributes", languages: &[ids::PYTHON], ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::Definitions],
    why: "ty 0.0.105 and basedpyright 1.40 leave attributes out of the outline that only a method assigns, \
          `self.count = 0`",
    ..Correction::NONE
};

/// Returns the attributes of that name, from the lines that may assign them. For each class, the first
/// assignment counts as the definition.
pub(crate) fn of(
    (path, text): (&Path, &Text),
    lines: &BTreeSet<usize>,
    all: &[outline::NestedNode<'_>],
    name: &Name,
) -> Vec<Candidate> {
    let mut attributes: Vec<Candidate> = Vec::new();
    for line in lines {
        let code = text.line(*line).unwrap_or_default();
        let words = words(path, code);
        let Some([(receiver, _), (_, columns)]) = words.windows(2).find(|it| it[1].0 == name.last) else {
            continue;
        };
        let name_at = Extent::within(*line, columns.clone());
        let class = all.iter().rfind(|it| it.node.kind == "class" && it.node.whole.holds(name_at.start));
        let Some(class) = class.filter(|_| receiver == "self" || receiver == "cls") else { continue };
        let container = Some(outline::plain_name(class.node));
        let is_in_class = |it: &outline::NestedNode<'_>| {
            it.around.last().is_some_and(|it| it.name_at == class.node.name_at)
        };
        let is_listed = all.iter().any(|it| it.node.name == name.last && is_in_class(it));
        if is_listed || attributes.iter().any(|it| it.container == container) {
            continue;
        }
        let around: Vec<_> = class.around.iter().copied().chain([class.node]).collect();
        attributes.push(Candidate {
            path: path.to_owned(),
            name: name.last.clone(),
            kind: "field".to_owned(),
            whole: Extent::within(*line, columns.start..code.trim_end().chars().count()),
            name_at,
            container,
            fit: name.fits(path, &around, None),
            is_local: false,
            loaded: true,
        });
    }
    attributes
}
