//! Strings that hold a symbol's name alone, such as `getattr(x, "name")`: they may mean it, and no server lists them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::corrections::correction::{Query, Uses};
use super::lookup::mentions::occurrences;
use crate::fallback::source::outline::Extent;
use crate::fallback::source::text::Text;
use crate::fallback::workspace::format_places::places;
use ide_protocol::Reason;

/// The maximum number of places that the remark names.
const NAMED: usize = 3;

/// The maximum number of lines with the name whose syntax is read for that.
const READ: usize = 500;

/// Returns a remark that lists the strings of the symbol's name in the files that use or define it; `None` if there are
/// none, or too many lines with the name to read.
pub(crate) async fn of_name(query: &Query<'_>, uses: &Uses) -> Option<Reason> {
    let (asking, roots, name) = (query.asking(), query.roots(), &query.subject.name);
    let using = uses.extents.iter().map(|(path, _)| path);
    let files: BTreeSet<&PathBuf> = using.chain(uses.home.iter().map(|(path, _)| path)).collect();
    let lines = uses.mentions.lines.iter().filter(|(path, _)| files.contains(path));
    let lines: BTreeMap<_, _> = lines.map(|(path, lines)| (path.clone(), lines.clone())).collect();
    if lines.values().map(BTreeSet::len).sum::<usize>() > READ {
        return None;
    }
    let mut strings = BTreeSet::new();
    for found in occurrences(asking, roots, &lines, name).await? {
        let place = (found.path, found.at);
        let is_use = uses.extents.contains(&place);
        let text = asking.text(&place.0).await?;
        if found.usage.role == "string" && !is_use && is_whole_string(&text, found.at) {
            strings.insert(place);
        }
    }
    let places = places(roots, &strings, NAMED);
    (!places.is_empty()).then(|| Reason::Strings { name: name.clone(), places })
}

/// Returns `true` if quotes of one kind stand on both sides.
fn is_whole_string(text: &Text, at: Extent) -> bool {
    let line = text.line(at.start.line.index()).unwrap_or_default();
    let before = at.start.column.index().checked_sub(1).and_then(|it| line.chars().nth(it));
    let behind = line.chars().nth(at.end.column.index());
    before == behind && matches!(before, Some('"' | '\'' | '`'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_all_of_the_string() {
        for (line, from, is_whole) in [
            ("'rate' in it", 1, true),
            ("x[\"rate\"]", 3, true),
            ("\"my rate\"", 4, false),
            ("\"rate x\"", 1, false),
            ("rate", 0, false),
        ] {
            let text = Text::from(line.to_owned());
            assert_eq!(is_whole_string(&text, Extent::within(0, from..from + 4)), is_whole, "{line}");
        }
    }
}
