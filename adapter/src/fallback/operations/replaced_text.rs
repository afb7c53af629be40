//! Checks that every edit of a rename replaces the old name, whichever server or correction it comes from.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};

use ide_protocol::{ErrorCode, IdeError};

use crate::fallback::operations::corrections::correction::Query;
use crate::fallback::servers::run::convert::workspace_edit::{RawChange, RawStep};
use crate::fallback::session::query_context::Problem;
use crate::fallback::source::languages::Language;
use crate::fallback::source::text::{Columns, Text};

/// The number of characters of a wrongly replaced text that the error shows.
const SHOWN: usize = 40;

/// Marks that combine with the letter before them, and are no letters of their own.
const COMBINING: [RangeInclusive<char>; 4] =
    ['\u{300}'..='\u{36f}', '\u{1dc0}'..='\u{1dff}', '\u{20d0}'..='\u{20ff}', '\u{fe20}'..='\u{fe2f}'];

/// Checks the text under every change. Columns on the first line of a file are corrected if they fit only with the
/// byte order mark counted the other way.
///
/// # Errors
/// A change replaces something else: then nothing is renamed.
pub(crate) async fn check(query: &Query<'_>, new: &str, steps: &mut [RawStep]) -> Result<(), Problem> {
    let (asking, old) = (query.asking(), query.subject.name.as_str());
    let names = Names { language: asking.server.setup.language, old, new };
    let columns = asking.columns();
    for (path, of_file) in by_file(steps) {
        // What cannot be read, or has no exact text, is not changed; the plan says so.
        let text = asking.text(&path).await.filter(|it| !it.lossy && !it.is_utf16);
        let Some(text) = text else { continue };
        let changes: Vec<_> = of_file.iter().filter_map(|it| change(&steps[*it]).cloned()).collect();
        let Err(wrong) = names.check(&text, &changes, columns) else { continue };
        let recounted: Vec<_> = changes.iter().map(|it| recounted(it, &text, columns)).collect();
        if names.check(&text, &recounted, columns).is_err() {
            let Wrong { line, found } = wrong;
            let (server, path) = (asking.server.name(), query.roots().display_path(&path));
            let message = format!(
                "nothing is renamed: at {path}:{line} {server} would replace `{found}`, which is not `{old}`"
            );
            let advice = format!("brief(findReferences(`{old}`)) lists the places: change them yourself.");
            return Err(IdeError::new(ErrorCode::ServerFailed, message).recovery(advice).into());
        }
        for (index, change) in of_file.into_iter().zip(recounted) {
            steps[index] = RawStep::Change(change);
        }
    }
    Ok(())
}

fn change(step: &RawStep) -> Option<&RawChange> {
    if let RawStep::Change(change) = step { Some(change) } else { None }
}

/// Groups the indices of the changes by the path that their file has before the steps.
fn by_file(steps: &[RawStep]) -> BTreeMap<PathBuf, Vec<usize>> {
    let origin = |path: &Path| {
        let moved = steps.iter().find_map(|it| match it {
            RawStep::Move { from, to, .. } => {
                let rest = path.strip_prefix(to).ok()?;
                Some(if rest.as_os_str().is_empty() { from.clone() } else { from.join(rest) })
            }
            _ => None,
        });
        moved.unwrap_or_else(|| path.to_owned())
    };
    let mut files: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (index, step) in steps.iter().enumerate() {
        change(step).into_iter().for_each(|it| files.entry(origin(&it.at.path)).or_default().push(index));
    }
    files
}

/// Returns the change with the byte order mark counted the other way, where that makes a difference.
fn recounted(change: &RawChange, text: &Text, columns: Columns) -> RawChange {
    match change.at.recounted(text, columns) {
        Some(at) => RawChange { at, ..change.clone() },
        None => change.clone(),
    }
}

/// The names of a rename.
struct Names<'a> {
    language: &'a Language,
    old: &'a str,
    new: &'a str,
}

/// A change that replaces something other than the old name.
#[derive(Debug)]
struct Wrong {
    /// The line, from 1.
    line: usize,
    found: String,
}

impl Names<'_> {
    /// Checks the changes of one file.
    fn check(&self, text: &Text, changes: &[RawChange], columns: Columns) -> Result<(), Wrong> {
        let code = text.as_str();
        let bytes = |it: &RawChange| Some((it.at.bytes(text, columns)?, it.text.clone()));
        // One beyond the end of the file is refused by the plan.
        let mut edits: Vec<_> = changes.iter().filter_map(bytes).collect();
        edits.sort_by_key(|(bytes, _)| (bytes.start, bytes.end));
        edits.dedup();
        let mut rest = edits.as_slice();
        while let Some((first, _)) = rest.first() {
            let mut whole = self.whole_words(code, first);
            let mut count = 1;
            while let Some((next, _)) = rest.get(count).filter(|(it, _)| it.start <= whole.end) {
                whole.end = whole.end.max(self.whole_words(code, next).end);
                count += 1;
            }
            let (together, others) = rest.split_at(count);
            if !self.is_rename(code, whole, together) {
                let found = code[first.clone()].chars().take(SHOWN).collect();
                return Err(Wrong { line: text.point(first.start).line.index() + 1, found });
            }
            rest = others;
        }
        Ok(())
    }

    /// Extends a range to the whole words that it touches.
    fn whole_words(&self, code: &str, bytes: &Range<usize>) -> Range<usize> {
        let is_letter = |it: &char| self.is_letter(*it);
        let width = |letters: &mut dyn Iterator<Item = char>| -> usize { letters.map(char::len_utf8).sum() };
        let before = width(&mut code[..bytes.start].chars().rev().take_while(is_letter));
        let behind = width(&mut code[bytes.end..].chars().take_while(is_letter));
        bytes.start - before..bytes.end + behind
    }

    fn is_letter(&self, it: char) -> bool {
        let combines = COMBINING.iter().any(|some| some.contains(&it));
        combines || self.language.is_letter(it)
    }

    /// Returns `true` if these edits of one stretch of code put the new name in the place of the old one. What else is
    /// there stays; beside the name, both may be written to keep the other: `{ old: new }`, `old as new`.
    fn is_rename(&self, code: &str, whole: Range<usize>, edits: &[(Range<usize>, String)]) -> bool {
        let before = &code[whole.clone()];
        let (mut after, mut at) = (String::new(), whole.start);
        for (bytes, text) in edits {
            // Changes that overlap are refused by the plan.
            after += code.get(at..bytes.start).unwrap_or_default();
            after += text;
            at = bytes.end;
        }
        after += code.get(at..whole.end).unwrap_or_default();
        let (old, new) = (self.words(self.old), self.words(self.new));
        let sign = self.old.trim_start_matches("operator").trim();
        if self.words(sign).is_empty() {
            return before.contains(sign);
        }
        let (words_before, words_after) = (self.words(before), self.words(&after));
        let is_cut = edits.iter().map(|(bytes, _)| bytes.len()).sum::<usize>() != whole.len();
        if !is_cut && self.is_same(&words_before, &old) {
            return true;
        }
        let holds = |all: &[String], name: &[String]| {
            name.is_empty() || all.windows(name.len()).any(|it| self.is_same(it, name))
        };
        // The receiver of a method is written in another way than a parameter.
        let is_receiver = self.old == "self" || self.new == "self";
        let others = |all: Vec<String>| {
            let is_other = |it: &String| {
                let it = std::slice::from_ref(it);
                !old.iter().chain(&new).any(|name| self.is_same(it, std::slice::from_ref(name)))
            };
            all.into_iter().filter(|it| it != "as" && is_other(it)).collect::<Vec<_>>()
        };
        holds(&words_before, &old)
            && holds(&words_after, &new)
            && (is_receiver || others(words_before) == others(words_after))
    }

    /// Returns the words of a text without signs such as those of raw names and variables.
    fn words(&self, text: &str) -> Vec<String> {
        let text = match self.language.raw {
            "" => text.to_owned(),
            raw => text.replace(raw, ""),
        };
        let words = text.split(|it| !self.is_letter(it));
        let words = words.map(|it| it.trim_start_matches(|it: char| self.language.letters.contains(it)));
        let words = words.map(|it| it.strip_suffix(self.language.optional_ending).unwrap_or(it));
        words.filter(|it| !it.is_empty()).map(str::to_owned).collect()
    }

    fn is_same(&self, some: &[String], others: &[String]) -> bool {
        let folds = !self.language.is_code || self.language.folds_case;
        some.len() == others.len()
            && some.iter().zip(others).all(|(a, b)| a == b || folds && a.to_lowercase() == b.to_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use source_text::Encoding;

    use super::*;
    use crate::fallback::servers::run::convert::workspace_edit;
    use crate::fallback::source::languages;
    use crate::fallback::source::text::LoneReturn;

    const UTF16: Columns =
        Columns { unit: Encoding::Utf16, count_mark: false, lone_return: LoneReturn::EndsLine };

    /// Checks edits of a one-line file, each a range of columns with its new text.
    fn judge(file: &str, line: &str, (old, new): (&str, &str), edits: &[(Range<usize>, &str)]) -> bool {
        let edit = |(columns, text): &(Range<usize>, &str)| {
            let at = |character: usize| json!({"line": 0, "character": character});
            json!({"range": {"start": at(columns.start), "end": at(columns.end)}, "newText": text})
        };
        let edits: Value = edits.iter().map(edit).collect();
        let uri = format!("file://{file}");
        let language = languages::of_file(Path::new(file)).unwrap();
        let names = Names { language, old, new };
        let changes = workspace_edit::texts(&uri, &edits).unwrap();
        names.check(&Text::from(line.to_owned()), &changes, UTF16).is_ok()
    }

    #[test]
    fn every_form_of_a_rename_is_one() {
        let rate = ("rate", "share");
        for (file, line, names, edits) in [
            ("/w/a.py", "m.rate(3)", rate, &[(2..6, "share")][..]),
            ("/w/a.py", "__all__ = ['rate']", rate, &[(11..17, "'share'")]),
            ("/w/a.py", "from m import rate", rate, &[(14..18, "share as rate")]),
            ("/w/a.py", "from m import rate", rate, &[(14..14, "share as ")]),
            ("/w/a.py", "é😀 = rate", rate, &[(6..10, "share")]),
            ("/w/a.py", "e\u{301}t = 1", ("e\u{301}t", "x"), &[(0..3, "x")]),
            ("/w/a.ts", "({ rate })", rate, &[(3..7, "rate: share")]),
            ("/w/a.ts", "({ rate })", rate, &[(3..3, "share: ")]),
            ("/w/a.ts", "({ rate })", rate, &[(7..7, ": share")]),
            ("/w/a.ts", "export { rate }", rate, &[(9..13, "share as rate")]),
            ("/w/a.ts", "this.#rate", ("#rate", "share"), &[(6..10, "share")]),
            ("/w/a.rs", "r#type()", ("type", "kind"), &[(0..6, "kind")]),
            ("/w/a.rs", "kind()", ("kind", "r#type"), &[(0..4, "r#type")]),
            ("/w/a.rs", "S { rate: local }", ("local", "rate"), &[(4..15, "rate")]),
            ("/w/a.rs", "fn f(this: &S)", ("this", "self"), &[(5..13, "&self")]),
            ("/w/a.go", "import \"x/rate\"", rate, &[(7..15, "\"x/share\"")]),
            ("/w/a.cs", "[Rate] int x;", ("RateAttribute", "ShareAttribute"), &[(1..5, "Share")]),
            ("/w/a.php", "RATE();", rate, &[(0..4, "share")]),
            ("/w/a.php", "$rate = 1;", ("rate", "share"), &[(0..5, "$share")]),
            ("/w/a.cs", "GetFoo()", ("GetFoo", "GetBar"), &[(3..6, "Bar")]),
            ("/w/a.cs", "abcd()", ("abcd", "xbcy"), &[(0..1, "x"), (3..4, "y")]),
            ("/w/a.cpp", "a + b", ("operator+", "operator-"), &[(2..3, "-")]),
        ] {
            assert!(judge(file, line, names, edits), "{line} {edits:?}");
        }
    }

    #[test]
    fn other_text_is_refused() {
        let rate = ("rate", "share");
        for (line, edits) in [
            ("import m; print(m.rate(3))", &[(21..25, "share")][..]),
            ("import m; print(m.rate(3))", &[(19..23, "share")]),
            ("from m import rate", &[(17..21, "share")]),
            ("from m import rate", &[(15..19, "share")]),
            ("a, b, rate", &[(3..4, "share")]),
            ("rate(other)", &[(0..11, "share(another)")]),
            ("rate(other)", &[(0..11, "share")]),
            ("", &[(0..0, "share")]),
            ("x = rates", &[(4..8, "share")]),
        ] {
            assert!(!judge("/w/a.py", line, rate, edits), "{line} {edits:?}");
        }
    }
}
