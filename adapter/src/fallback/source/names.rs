//! What people write for a symbol: `User`, `auth::User`, `User.hello()`, `fn hello`, `Vec<T>::push`.

use std::path::Path;

use ide_protocol::Target;

use super::crate_names;
use super::languages::Language;
use super::outline::Node;

/// A name with what it was qualified by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    /// Modules and types before the name, the outermost first.
    pub(crate) path: Vec<String>,
    /// The symbol's own name.
    pub(crate) last: String,
}

/// Words that stand for "here" and say nothing about where.
const HERE: &[&str] = &["crate", "self", "super", "Self", "this"];

impl Name {
    /// A name of which nothing is asked but that it is there.
    pub(crate) fn any() -> Self {
        Self { path: Vec::new(), last: String::new() }
    }

    /// What a target is called, if it is. Behind a place a keyword is a name too, as of `r#type`.
    pub(crate) fn of(target: &Target, language: &Language) -> Option<Self> {
        let name = target.name.as_deref()?;
        if target.at.is_some() { Self::told(name, language) } else { Self::parse(name, language) }
    }

    /// Reads what somebody wrote; `None` when there is no name in it.
    pub(crate) fn parse(written: &str, language: &Language) -> Option<Self> {
        Self::read(written, language, false)
    }

    /// As [`Self::parse`], of what is known to be a name, or a part of one, even where it is a keyword.
    pub(crate) fn told(written: &str, language: &Language) -> Option<Self> {
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
        let plain = plain.split('(').next().unwrap_or_default();
        // C# has members without a name.
        let is_indexer = language.id == "csharp" && plain.ends_with("this[]");
        if is_indexer {
            let around = plain.trim_end_matches("this[]").trim_end_matches('.');
            let around = Self::read(around, language, true);
            let path = around.map(|it| [it.path, vec![it.last]].concat()).unwrap_or_default();
            return Some(Self { path, last: "this[]".to_owned() });
        }
        let is_raw = is_known || plain.contains("r#");
        let plain = without_raw(plain);
        // Keywords and modifiers may stand before it: `pub async fn hello`.
        let is_own = |it: &str| language.is_name(it.trim_start_matches('$').trim_end_matches('!'));
        let mut words = plain.split_whitespace();
        let word =
            words.rfind(|it| is_own(it) || has_path(it)).or_else(|| plain.split_whitespace().next_back())?;
        // In Ruby `run!` is not `run`; elsewhere it is how `run` is called.
        let ending = word.chars().next_back().filter(|it| language.endings.contains(*it));
        let word = ending.map_or(word, |it| &word[..word.len() - it.len_utf8()]);
        let words = word.split([':', '.', '/', '\\', '>', '-', '!', '&', '*']);
        // The `#` of `#count` belongs to it; that of `User#hello` separates.
        let words = words.flat_map(|it| match it.starts_with('#') && language.letters.contains('#') {
            true => vec![it],
            false => it.split('#').collect(),
        });
        // PHP writes `Stack::$top` for what is defined as `top`.
        let is_mark = |it: char| it == '$' && !language.letters.contains('$');
        let words = words.map(|it| it.trim_start_matches(is_mark));
        let words = words.filter(|it| !it.is_empty() && !HERE.contains(it));
        let mut path: Vec<String> = words.map(str::to_owned).collect();
        let is_ending = |it: &String| language.files.iter().any(|(ending, _)| ending == it);
        let mut last = path.pop()?;
        // `auth.py` is a file, and `ts` in `Stamp.ts` a member.
        let is_of_file =
            |it: &String| word.contains(['/', '\\']) || last.len() > 1 && !it.starts_with(char::is_uppercase);
        if is_ending(&last) && path.last().is_some_and(is_of_file) {
            last = path.pop()?;
        }
        // What every function of JavaScript has says nothing of where: `Hooks.prototype.validate`.
        let is_prototype = |it: &String| language.id == "typescript" && it == "prototype";
        path.retain(|it| !is_ending(it) && !is_prototype(it));
        last.extend(ending);
        language.is_told_name(&last, is_raw).then_some(Self { path, last })
    }

    /// The same without the first of what it was qualified by, which may be the name of a package.
    pub(crate) fn without_first(&self) -> Option<Self> {
        let (_, path) = self.path.split_first()?;
        Some(Self { path: path.to_vec(), last: self.last.clone() })
    }

    /// Whether a symbol in that file, inside those definitions, is meant: everything that the name was qualified by
    /// stands, in this order, among the folders, the file and the definitions around it.
    pub(crate) fn fits(&self, file: &Path, around: &[&Node], owner: Option<&str>) -> Fit {
        if self.path.is_empty() {
            return Fit::Exact;
        }
        let mut steps = steps(file, around);
        steps.extend(owner.into_iter().flat_map(parts));
        match self.fits_steps(&steps) {
            // What is not its folder's name may be its crate's.
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

/// How well a symbol fits a qualified name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// It lies elsewhere.
    None,
    /// It lies somewhere under what it was qualified by.
    Loose,
    /// It lies directly in what it was qualified by.
    Exact,
}

/// How a name is like what was asked for, the likeliest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Likeness {
    /// It is that name.
    Same,
    /// But for case and `_`, as in what follows.
    SameFolded,
    /// It begins so.
    Start,
    /// It has such a part.
    Part,
    /// It has the letters in that order.
    Letters,
}

impl Likeness {
    /// Whether what was asked for stands in the name in one piece.
    pub(crate) fn is_part(self) -> bool {
        self != Self::Letters
    }
}

/// What is asked for, to be compared with very many names.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) name: String,
    folded: String,
}

impl Asked {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), folded: folded(name) }
    }

    /// As [`likeness`], at once for most of those that are not like it.
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

/// How a name is like what was asked for, if it is.
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

/// What an operator, a conversion or a destructor is called, `operator==`, `operator bool`, `~User`, and what that is qualified by.
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
    // Arguments may follow; those brackets may be the operator as well.
    let arguments = sign.strip_prefix("()").map_or_else(|| sign.find('('), |it| Some(it.find('(')? + 2));
    let sign = sign[..arguments.unwrap_or(sign.len())].trim_end();
    let sign = if sign.trim_start().starts_with(is_word) { spaced(sign) } else { sign.replace(' ', "") };
    let mark = if marked.starts_with('~') { "~" } else { "operator" };
    // What it gives may stand before it.
    let before = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    Some((before.trim_end_matches([':', '.']), format!("{mark}{sign}")))
}

/// A type as compilers write it: `const char*` is `const char *`.
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

/// What is called by a sign, `Stack#<<`, `[]`, and what that is qualified by.
fn signed<'a>(written: &'a str, signs: &[&str]) -> Option<(&'a str, String)> {
    let written = written.trim().trim_matches('`');
    let written = written.split('(').next().unwrap_or_default().trim_end();
    let written = written.strip_prefix("def ").map_or(written, str::trim_start);
    let sign = signs.iter().filter(|it| written.ends_with(**it)).max_by_key(|it| it.len())?;
    let before = &written[..written.len() - sign.len()];
    let is_whole = before.is_empty() || before.ends_with(['.', '#', ':']);
    is_whole.then(|| (before.trim_end_matches(['.', '#', ':']), (*sign).to_owned()))
}

/// `(*User).Hello` is `User.Hello`.
fn without_receiver(written: &str) -> String {
    match written.strip_prefix('(').and_then(|it| it.split_once(").")) {
        Some((owner, member)) => format!("{}.{member}", owner.trim_start_matches('*')),
        None => written.to_owned(),
    }
}

/// `r#type` is called `type`; the `#` of `User#hello` separates.
fn without_raw(written: &str) -> String {
    let inner = [(":r#", ":"), (".r#", "."), (" r#", " ")];
    let plain = inner.iter().fold(written.to_owned(), |it, (raw, plain)| it.replace(raw, plain));
    plain.strip_prefix("r#").map_or(plain.clone(), str::to_owned)
}

/// Takes out what stands between angle brackets; arrows stay. `<T as Trait>::f` becomes `T::f`.
pub(crate) fn without_generics(written: &str) -> String {
    if let Some((subject, rest)) = written.strip_prefix('<').and_then(|it| it.split_once('>')) {
        let subject = subject.split(" as ").next().unwrap_or_default();
        return format!("{subject}{}", without_generics(rest));
    }
    let mut depth = 0u32;
    let mut plain = String::new();
    let mut before = ' ';
    for char in written.chars() {
        match char {
            '<' => depth += 1,
            '>' if before != '-' && depth > 0 => depth -= 1,
            _ if depth == 0 => plain.push(char),
            _ => {}
        }
        before = char;
    }
    plain.replace("::::", "::")
}

/// The names of everything around a symbol, the outermost first; a file `mod.rs` or `__init__.py` is its folder.
fn steps(file: &Path, around: &[&Node]) -> Vec<Vec<String>> {
    let folders = file.parent().into_iter().flat_map(Path::iter);
    let mut steps: Vec<Vec<String>> = folders.map(|it| vec![it.to_string_lossy().into_owned()]).collect();
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if stem == "__init__" {
        steps.last_mut().into_iter().for_each(|it| it.push(stem.clone()));
    } else if !matches!(stem.as_str(), "mod" | "lib" | "main") {
        steps.push(vec![stem]);
    } else if matches!(stem.as_str(), "lib" | "main") {
        // The crate's root is called as the crate is, which mostly is its folder's name: `name/src/lib.rs`.
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

/// Each part of a path by itself: `Shop.Core` is `Core` in `Shop`.
fn parts(path: &str) -> impl Iterator<Item = Vec<String>> {
    path.split([':', '.', '\\']).filter(|it| !it.is_empty()).map(|it| vec![it.to_owned()])
}

/// What a container may be called: `impl Display for User` is `User`, and less closely `Display`, whose own members are meant
/// before.
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

/// All words of a line with their columns: `letters` are those that names have beside the usual ones, `endings` those that
/// they may end with.
pub(crate) fn words(line: &str, letters: &str, endings: &str) -> Vec<(String, std::ops::Range<usize>)> {
    let mut words: Vec<(String, std::ops::Range<usize>)> = Vec::new();
    let is_ending = |it: char| endings.contains(it);
    let mut chars = line.chars().enumerate().peekable();
    while let Some((column, char)) = chars.next() {
        // `a != b` compares, and what `a.b = c` sets is called `b` there.
        let is_operator = char == '=' || char == '!' && matches!(chars.peek(), Some((_, '=' | '~')));
        if is_ending(char) && !is_operator {
            let before = words.last_mut().filter(|(word, columns)| {
                columns.end == column && !word.ends_with(is_ending) && !word.starts_with(char::is_numeric)
            });
            if let Some((word, columns)) = before {
                word.push(char);
                columns.end += 1;
            }
            continue;
        }
        if !(char.is_alphanumeric() || char == '_' || letters.contains(char)) {
            continue;
        }
        match words.last_mut() {
            Some((word, columns)) if columns.end == column && !word.ends_with(is_ending) => {
                word.push(char);
                columns.end += 1;
            }
            _ => words.push((char.to_string(), column..column + 1)),
        }
    }
    words
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
