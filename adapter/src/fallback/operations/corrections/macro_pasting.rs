//! Names that macros write, which a rename does not reach: the server sees what the name of such a symbol was pasted
//! together from, at most.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ide_protocol::Point;
use regex::Regex;

use crate::fallback::edits::FileChange;
use crate::fallback::operations::lookup::format_places::places;
use crate::fallback::operations::lookup::leads::led_to;
use crate::fallback::operations::lookup::mentions::mentions;
use crate::fallback::operations::lookup::target::{Subject, is_written_by_macro};
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::syntax_facts::offset;
use crate::fallback::workspace::session_folders::Roots;

/// How many places are named.
const NAMED: usize = 5;

/// How many bytes a call may go on for.
const GIVEN: usize = 10_000;

/// Says where a macro writes the symbol, and which other symbols get another name with it since a macro pastes it into
/// theirs.
pub(crate) async fn told(
    asking: &QueryContext,
    roots: &Roots,
    (subject, home): (&Subject, &BTreeSet<(PathBuf, Point)>),
    files: &[FileChange],
) -> Result<Vec<String>, Problem> {
    if !asking.profile().guesses {
        return Ok(Vec::new());
    }
    let name = &subject.name;
    let mut written = BTreeSet::new();
    for (path, point) in home {
        let own = Subject { path: path.clone(), point: *point, name: name.clone() };
        if is_written_by_macro(asking, &own).await {
            written.insert((path.clone(), Extent::at(*point)));
        }
    }
    let at = places(roots, &written, NAMED);
    let stays =
        (!written.is_empty()).then(|| format!("`{name}` would stay where a macro writes it, at {at}"));
    let mut notes: Vec<_> = stays.into_iter().collect();
    for (other, pasted) in pasted(asking, files).await? {
        let uses = mentions(asking, roots, &other).await.lines;
        let uses = uses.iter().flat_map(|(path, lines)| {
            lines.iter().map(|it| (path.clone(), Extent::within(*it, 0..0))).collect::<Vec<_>>()
        });
        let uses: BTreeSet<_> = uses.collect();
        if !uses.is_empty() {
            let (pasted, uses) = (places(roots, &pasted, NAMED), places(roots, &uses, NAMED));
            notes.push(format!(
                "a macro pastes `{name}` into `{other}` at {pasted}, which would not be the name at {uses} any more"
            ));
        }
    }
    Ok(notes)
}

/// The names that macros paste together of what they are given, where that is changed.
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

/// The macro that is called there.
async fn macro_at(asking: &QueryContext, path: &Path, point: Point) -> Result<Option<Macro>, Problem> {
    let found = led_to(asking, path, point).await?;
    let Some(found) = found.into_iter().find(|it| it.kind == "macro") else { return Ok(None) };
    let Some(text) = asking.text(&found.path).await else { return Ok(None) };
    let code = text.as_str().get(offset(&text, found.whole.start)..offset(&text, found.whole.end));
    Ok(code.and_then(Macro::read))
}

/// What is given to something that is called.
struct Call<'a> {
    name: &'a str,
    /// The byte at which its name starts.
    at: usize,
    given: Vec<&'a str>,
    /// Which of what is given is asked about.
    asked: usize,
}

impl<'a> Call<'a> {
    /// The innermost call that is given what stands at a byte.
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

/// A macro that is called.
struct Macro {
    parameters: Vec<String>,
    body: String,
}

impl Macro {
    /// Reads its definition.
    fn read(code: &str) -> Option<Self> {
        let (head, behind) = code.split_once('(')?;
        let (parameters, body) = behind.split_once(')')?;
        // One without parameters may stand for what has parentheses.
        let is_called = !head.ends_with(char::is_whitespace);
        let parameters = parameters.split(',').map(|it| it.trim().to_owned()).collect();
        is_called.then(|| Self { parameters, body: body.replace("\\\n", " ") })
    }

    /// What it pastes together with what is asked about.
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
