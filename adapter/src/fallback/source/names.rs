//! Parses the names that users write for symbols: `User`, `auth::User`, `User.hello()`, `fn hello`,
//! `Vec<T>::push`.

use std::path::Path;

use ide_protocol::Target;

use super::crate_names;
use super::languages::Language;
use super::outline::{Node, without_generics};

/// A name with its qualifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    /// The qualifying modules and types, the outermost first.
    pub(crate) path: Vec<String>,
    /// The symbol's own name.
    pub(crate) last: String,
}

/// Qualifiers that are relative and name no place.
const HERE: &[&str] = &["crate", "self", "super", "Self", "this"];

impl Name {
    /// Returns the empty name, which any symbol fits.
    pub(crate) fn any() -> Self {
        Self { path: Vec::new(), last: String::new() }
    }

    /// Parses a target's name. With a place, a keyword counts as a name too, such as `r#type`.
    pub(crate) fn of_target(target: &Target, language: &Language) -> Option<Self> {
        let name = target.name.as_deref()?;
        if target.at.is_some() { Self::parse_known(name, language) } else { Self::parse(name, language) }
    }

    /// Parses a written name; `None` if it contains no name.
    pub(crate) fn parse(written: &str, language: &Language) -> Option<Self> {
        Self::read(written, language, false)
    }

    /// Parses a text that is known to be a name, even if it is a keyword.
    pub(crate) fn parse_known(written: &str, language: &Language) -> Option<Self> {
        Self::read(written, language, true)
    }

    fn read(written: &str, language: &Language, is_known: bool) -> Option<Self> {
        let marked = match language.has_operators {
            true => marked(written),
            false => signed(written, language.signs),
        };
        if let Some((before, last)) = marked {
            let mut path = Vec::new();
            if !before.is_empty() {
                let around = Self::read(before, language, true)?;
                path.extend(around.path.into_iter().chain([around.last]));
            }
            return Some(Self { path, last });
        }
        let plain = without_generics(&without_receiver(written.trim().trim_matches('`')));
        let plain = plain.split_once('(').map_or(plain.as_str(), |(it, _)| it);
        let is_indexer = !language.indexer.is_empty() && plain.ends_with(language.indexer);
        if is_indexer {
            let around = plain.trim_end_matches(language.indexer).trim_end_matches('.');
            let around = Self::read(around, language, true);
            // `this[]` alone has no qualifiers.
            let path = around.map(|it| [it.path, vec![it.last]].concat()).unwrap_or_default();
            return Some(Self { path, last: "this[]".to_owned() });
        }
        let is_raw = is_known || plain.contains("r#");
        let plain = without_raw(plain);
        // Keywords and modifiers may precede the name: `pub async fn hello`.
        let is_own = |it: &str| language.is_name(it.trim_start_matches('$').trim_end_matches('!'));
        let mut words = plain.split_whitespace();
        let word =
            words.rfind(|it| is_own(it) || has_path(it)).or_else(|| plain.split_whitespace().next_back())?;
        // In Ruby `run!` and `run` differ; elsewhere `!` marks a call.
        let ending = word.chars().next_back().filter(|it| language.endings.contains(*it));
        let word = ending.map_or(word, |it| &word[..word.len() - it.len_utf8()]);
        let words = word.split([':', '.', '/', '\\', '>', '-', '!', '&', '*']);
        // The `#` of `#count` belongs to the name; that of `User#hello` separates.
        let words = words.flat_map(|it| match it.starts_with('#') && language.letters.contains('#') {
            true => vec![it],
            false => it.split('#').collect(),
        });
        // PHP writes `Stack::$top` for a property defined as `top`.
        let is_mark = |it: char| it == '$' && !language.letters.contains('$');
        let words = words.map(|it| it.trim_start_matches(is_mark));
        let words = words.filter(|it| !it.is_empty() && !HERE.contains(it));
        let mut path: Vec<String> = words.map(str::to_owned).collect();
        let is_ending = |it: &String| language.files.iter().any(|(ending, _)| ending == it);
        let mut last = path.pop()?;
        // In `auth.py` the ending is that of a file; in `Stamp.ts` it is a member.
        let is_of_file =
            |it: &String| word.contains(['/', '\\']) || last.len() > 1 && !it.starts_with(char::is_uppercase);
        if is_ending(&last) && path.last().is_some_and(is_of_file) {
            last = path.pop()?;
        }
        path.retain(|it| !is_ending(it) && !language.silent_qualifiers.contains(&it.as_str()));
        last.extend(ending);
        language.is_known_name(&last, is_raw).then_some(Self { path, last })
    }

    /// Drops the first qualifier, which may be the name of a package.
    pub(crate) fn without_first(&self) -> Option<Self> {
        let (_, path) = self.path.split_first()?;
        Some(Self { path: path.to_vec(), last: self.last.clone() })
    }

    /// Returns how well a symbol fits: all qualifiers must occur in order among its folders, file and
    /// definitions.
    pub(crate) fn fits(&self, file: &Path, around: &[&Node], owner: Option<&str>) -> Fit {
        if self.path.is_empty() {
            return Fit::Exact;
        }
        let mut steps = steps(file, around);
        steps.extend(owner.into_iter().flat_map(parts));
        match self.fits_steps(&steps) {
            // The qualifier may be the crate's name instead of the folder's.
            Fit::None => {
                crate_names::name(&mut steps, file, &self.path);
                self.fits_steps(&steps)
            }
            fit => fit,
        }
    }

    fn fits_steps(&self, steps: &[Vec<String>]) -> Fit {
        let mut left = self.path.iter().rev();
        let mut wanted = left.next();
        let mut fit = Fit::Exact;
        for (distance, names) in steps.iter().rev().enumerate() {
            let Some(segment) = wanted else { break };
            if names.iter().any(|it| same(it, segment)) {
                wanted = left.next();
            } else if distance == 0 {
                fit = Fit::Loose;
            }
        }
        if wanted.is_none() { fit } else { Fit::None }
    }
}

/// The quality of a symbol's fit to a qualified name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// The symbol lies elsewhere.
    None,
    /// The symbol lies somewhere below the qualifiers.
    Loose,
    /// The symbol lies directly in the qualifiers.
    Exact,
}

/// The similarity of a name to the query, the closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Likeness {
    /// The names are equal.
    Same,
    /// The names are equal without case and `_`; so are the comparisons below.
    SameFolded,
    /// The name starts with the query.
    Start,
    /// The name contains the query.
    Part,
    /// The name contains the query's letters in order.
    Letters,
}

impl Likeness {
    /// Returns whether the name contains the query in one piece.
    pub(crate) fn is_part(self) -> bool {
        self != Self::Letters
    }
}

/// A query that is compared with many names.
#[derive(Clone, Debug)]
pub(crate) struct NameQuery {
    pub(crate) name: String,
    folded: String,
}

impl NameQuery {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), folded: folded(name) }
    }

    /// Computes the likeness as [`likeness`], with a fast path for names that differ.
    pub(crate) fn likeness(&self, name: &str) -> Option<Likeness> {
        if self.folded.is_ascii() && name.is_ascii() {
            let mut letters = name.bytes().filter(|it| *it != b'_').map(|it| it.to_ascii_lowercase());
            if !self.folded.bytes().all(|wanted| letters.any(|it| it == wanted)) {
                return None;
            }
        }
        likeness(&self.name, name)
    }
}

/// Compares a name with a query; `None` if it has not even the letters.
pub(crate) fn likeness(asked: &str, name: &str) -> Option<Likeness> {
    if asked == name {
        return Some(Likeness::Same);
    }
    let (asked, name) = (folded(asked), folded(name));
    if asked == name {
        return Some(Likeness::SameFolded);
    }
    if name.starts_with(&asked) {
        return Some(Likeness::Start);
    }
    if name.contains(&asked) {
        return Some(Likeness::Part);
    }
    let mut letters = name.chars();
    asked.chars().all(|wanted| letters.any(|it| it == wanted)).then_some(Likeness::Letters)
}

fn folded(name: &str) -> String {
    name.to_lowercase().replace('_', "")
}

fn has_path(word: &str) -> bool {
    word.contains("::") || word.contains(['.', '#', '\\'])
}

/// Parses an operator, conversion or destructor of C++ with its qualifier: `operator==`, `operator bool`,
/// `~User`.
fn marked(written: &str) -> Option<(&str, String)> {
    let written = written.trim().trim_matches('`');
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let at = written.rfind("operator").or_else(|| written.rfind('~'))?;
    let (before, marked) = written.split_at(at);
    let sign = marked.strip_prefix("operator").unwrap_or(&marked[1..]);
    let is_whole = !before.ends_with(is_word) && (marked.starts_with('~') || !sign.starts_with(is_word));
    if !is_whole || sign.trim().is_empty() {
        return None;
    }
    // Arguments may follow; `()` may also be the operator itself.
    let arguments = sign.strip_prefix("()").map_or_else(|| sign.find('('), |it| Some(it.find('(')? + 2));
    let sign = sign[..arguments.unwrap_or(sign.len())].trim_end();
    let sign = if sign.trim_start().starts_with(is_word) { spaced(sign) } else { sign.replace(' ', "") };
    let mark = if marked.starts_with('~') { "~" } else { "operator" };
    // The return type may precede the qualifier.
    let before = before.rsplit_once(char::is_whitespace).map_or(before, |(_, it)| it);
    Some((before.trim_end_matches([':', '.']), format!("{mark}{sign}")))
}

/// Formats a type as compilers write it: `const char*` becomes `const char *`.
fn spaced(written: &str) -> String {
    let mut spaced = String::new();
    for char in written.chars() {
        let is_mark = |it: char| matches!(it, '*' | '&');
        if is_mark(char) {
            spaced.truncate(spaced.trim_end().len());
            if !spaced.ends_with(is_mark) {
                spaced.push(' ');
            }
        }
        spaced.push(char);
    }
    spaced
}

/// Parses a method named by a sign with its qualifier: `Stack#<<`, `[]`.
fn signed<'a>(written: &'a str, signs: &[&str]) -> Option<(&'a str, String)> {
    let written = written.trim().trim_matches('`');
    let written = written.split_once('(').map_or(written, |(it, _)| it).trim_end();
    let written = written.strip_prefix("def ").map_or(written, str::trim_start);
    let sign = signs.iter().filter(|it| written.ends_with(**it)).max_by_key(|it| it.len())?;
    let before = &written[..written.len() - sign.len()];
    let is_whole = before.is_empty() || before.ends_with(['.', '#', ':']);
    is_whole.then(|| (before.trim_end_matches(['.', '#', ':']), (*sign).to_owned()))
}

/// Rewrites a Go receiver: `(*User).Hello` becomes `User.Hello`.
fn without_receiver(written: &str) -> String {
    match written.strip_prefix('(').and_then(|it| it.split_once(").")) {
        Some((owner, member)) => format!("{}.{member}", owner.trim_start_matches('*')),
        None => written.to_owned(),
    }
}

/// Removes the prefix of raw identifiers: `r#type` becomes `type`. The `#` of `User#hello` stays.
fn without_raw(written: &str) -> String {
    let inner = [(":r#", ":"), (".r#", "."), (" r#", " ")];
    let plain = inner.iter().fold(written.to_owned(), |it, (raw, plain)| it.replace(raw, plain));
    plain.strip_prefix("r#").map_or(plain.clone(), str::to_owned)
}

/// Returns the names of everything around a symbol, the outermost first. `mod.rs` and `__init__.py` count as
/// their folder.
fn steps(file: &Path, around: &[&Node]) -> Vec<Vec<String>> {
    let folders = file.parent().into_iter().flat_map(Path::iter);
    let mut steps: Vec<Vec<String>> = folders.map(|it| vec![it.to_string_lossy().into_owned()]).collect();
    // Every file has a name; an empty one would fit nothing.
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if stem == "__init__" {
        steps.last_mut().into_iter().for_each(|it| it.push(stem.clone()));
    } else if !matches!(stem.as_str(), "mod" | "lib" | "main") {
        steps.push(vec![stem]);
    } else if matches!(stem.as_str(), "lib" | "main") {
        // The crate's root has the crate's name, which usually is the folder's: `name/src/lib.rs`.
        steps.truncate(
            steps.len().saturating_sub(usize::from(file.parent().is_some_and(|it| it.ends_with("src")))),
        );
    }
    for node in around {
        steps.extend(node.owner.as_deref().into_iter().flat_map(parts));
        match node.kind {
            "namespace" | "module" => steps.extend(parts(&node.name)),
            _ => steps.extend(names_of(node)),
        }
    }
    steps
}

/// Splits a path into its parts: `Shop.Core` is `Core` in `Shop`.
fn parts(path: &str) -> impl Iterator<Item = Vec<String>> {
    path.split([':', '.', '\\']).filter(|it| !it.is_empty()).map(|it| vec![it.to_owned()])
}

/// Returns the names of a container. `impl Display for User` is `User`, and with less weight `Display`.
fn names_of(node: &Node) -> impl Iterator<Item = Vec<String>> {
    let implemented =
        node.name.strip_prefix("impl").and_then(|it| it.split_once(" for ")).and_then(|(it, _)| {
            let implemented = without_generics(it.trim_start_matches(|it| it != ' '));
            implemented.rsplit("::").next().map(|it| vec![it.trim().to_owned()])
        });
    implemented.into_iter().chain([vec![super::outline::plain_name(node)]])
}

fn same(a: &str, b: &str) -> bool {
    a == b || a.replace('-', "_") == b.replace('-', "_")
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
