//! Names that macros generate or paste together, which a rename does not reach.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ide_protocol::{Operation, Point, Reason};
use regex::Regex;

use super::correction::{Correction, Scope};
use crate::fallback::edits::FileChange;
use crate::fallback::operations::lookup::leads::led_to;
use crate::fallback::operations::lookup::mentions::mentions;
use crate::fallback::operations::lookup::target::{Subject, is_written_by_macro};
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::syntax_facts::offset;
use crate::fallback::workspace::format_places::{NAMED, places};
use crate::fallback::workspace::session_folders::SessionFolders;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "macro-pasting", servers: |it| it.guesses, ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::Rename],
    why: "clangd 22.1 renames the argument that a macro pastes into a name, but neither the pasted name nor \
          its other uses",
    renamed: Some(|query, renamed| {
        Box::pin(gaps(query.asking(), query.roots(), (query.subject, renamed.home), renamed.files))
    }),
    ..Correction::NONE
};

/// The maximum length of a call's arguments, in bytes.
const GIVEN: usize = 10_000;

/// Returns the reasons about generated names: where a macro writes the symbol itself, and which pasted names change
/// with the rename.
pub(crate) async fn gaps(
    asking: &QueryContext,
    roots: &SessionFolders,
    (subject, home): (&Subject, &BTreeSet<(PathBuf, Point)>),
    files: &[FileChange],
) -> Result<Vec<Reason>, Problem> {
    let name = &subject.name;
    let mut written = BTreeSet::new();
    for (path, point) in home {
        let own = Subject { path: path.clone(), point: *point, name: name.clone() };
        if is_written_by_macro(asking, &own).await {
            written.insert((path.clone(), Extent::at(*point)));
        }
    }
    let at = places(roots, &written, NAMED);
    let stays = (!written.is_empty()).then(|| Reason::KeptInMacro { name: name.clone(), places: at });
    let mut gaps: Vec<_> = stays.into_iter().collect();
    for (other, pasted) in pasted(asking, files).await? {
        let uses = mentions(asking, roots, &other).await.lines;
        let uses = uses.iter().flat_map(|(path, lines)| {
            lines.iter().map(|it| (path.clone(), Extent::within(*it, 0..0))).collect::<Vec<_>>()
        });
        let uses: BTreeSet<_> = uses.collect();
        if !uses.is_empty() {
            let (places, uses) = (places(roots, &pasted, NAMED), places(roots, &uses, NAMED));
            gaps.push(Reason::Pasted { name: name.clone(), into: other, places, uses });
        }
    }
    Ok(gaps)
}

/// Returns the names that macros paste from a changed argument, with the positions of the calls.
async fn pasted(
    asking: &QueryContext,
    files: &[FileChange],
) -> Result<BTreeMap<String, BTreeSet<(PathBuf, Extent)>>, Problem> {
    let mut pasted: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    let mut macros: BTreeMap<(&PathBuf, String), Option<Macro>> = BTreeMap::new();
    for file in files {
        let path = &file.place.path;
        let Some(text) = asking.text(path).await else { continue };
        let code = text.as_str();
        for call in file.changes.iter().filter_map(|it| Call::around(code, it.bytes.start)) {
            let at = Extent::at(text.point(call.at));
            let known = (path, call.name.to_owned());
            if !macros.contains_key(&known) {
                macros.insert(known.clone(), macro_at(asking, path, at.start).await?);
            }
            for name in macros[&known].iter().flat_map(|it| it.pasted(&call)) {
                pasted.entry(name).or_default().insert((path.clone(), at));
            }
        }
    }
    Ok(pasted)
}

/// Returns the macro that is called at a point.
async fn macro_at(asking: &QueryContext, path: &Path, point: Point) -> Result<Option<Macro>, Problem> {
    let found = led_to(asking, path, point).await?;
    let Some(found) = found.into_iter().find(|it| it.kind == "macro") else { return Ok(None) };
    let Some(text) = asking.text(&found.path).await else { return Ok(None) };
    let code = text.as_str().get(offset(&text, found.whole.start)..offset(&text, found.whole.end));
    Ok(code.and_then(Macro::read))
}

/// A call and its arguments.
struct Call<'a> {
    name: &'a str,
    /// The byte offset of its name.
    at: usize,
    given: Vec<&'a str>,
    /// The index of the changed argument.
    asked: usize,
}

impl<'a> Call<'a> {
    /// Returns the innermost call with an argument at a byte offset.
    fn around(code: &'a str, at: usize) -> Option<Self> {
        let mut depth = 0_usize;
        let open = code.get(..at)?.bytes().rev().take(GIVEN).position(|it| match it {
            b';' | b'{' | b'}' => true,
            b')' => {
                depth += 1;
                false
            }
            b'(' if depth == 0 => true,
            b'(' => {
                depth -= 1;
                false
            }
            _ => false,
        })?;
        let start = at - open;
        let before = code.get(..start)?.strip_suffix('(')?.trim_end();
        let name =
            &before[before.rfind(|it: char| !it.is_alphanumeric() && it != '_').map_or(0, |it| it + 1)..];
        let (mut depth, mut from, mut given, mut asked) = (0_usize, start, Vec::new(), 0);
        for (index, byte) in code.bytes().enumerate().skip(start).take(GIVEN) {
            match byte {
                b'(' => depth += 1,
                b')' if depth > 0 => depth -= 1,
                b')' | b',' if depth == 0 => {
                    asked = if from <= at { given.len() } else { asked };
                    given.push(code[from..index].trim());
                    from = index + 1;
                    if byte == b')' {
                        return Some(Self { name, at: before.len() - name.len(), given, asked });
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// A macro with parameters.
struct Macro {
    parameters: Vec<String>,
    body: String,
}

impl Macro {
    /// Parses a `#define`; `None` for a macro without parameters.
    fn read(code: &str) -> Option<Self> {
        let (head, behind) = code.split_once('(')?;
        let (parameters, body) = behind.split_once(')')?;
        // The value of a macro without parameters may have parentheses.
        let is_called = !head.ends_with(char::is_whitespace);
        let parameters = parameters.split(',').map(|it| it.trim().to_owned()).collect();
        is_called.then(|| Self { parameters, body: body.replace("\\\n", " ") })
    }

    /// Returns the names that the macro pastes from the changed argument.
    fn pasted(&self, call: &Call<'_>) -> Vec<String> {
        let Some(asked) = self.parameters.get(call.asked) else { return Vec::new() };
        let pasting = Regex::new(r"\w+(?:\s*##\s*\w+)+").expect("it is a pattern");
        let given = |part: &str| {
            let at = self.parameters.iter().position(|it| it == part);
            at.and_then(|it| call.given.get(it)).map_or(part.to_owned(), |it| (*it).to_owned())
        };
        let all = pasting.find_iter(&self.body).map(|it| it.as_str().split("##").map(str::trim));
        all.filter(|it| it.clone().any(|part| part == asked)).map(|it| it.map(given).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_macro_pastes_what_it_is_given() {
        let pastes =
            Macro::read("#define DEF(a, of) \\\n  int get_##a(void) { return a(of, b_ ## of ## _c); }")
                .unwrap();
        let pasted =
            |code: &str, at: &str| pastes.pasted(&Call::around(code, code.rfind(at).unwrap()).unwrap());
        assert_eq!(pasted("f(); DEF(one, two)", "one"), ["get_one"]);
        assert_eq!(pasted("DEF(g(x, y),\n  two)", "two"), ["b_two_c"]);
        assert!(Call::around("DEF(one, two); three", 16).is_none());
        assert!(Macro::read("#define ONE (1)").is_none());
    }
}
