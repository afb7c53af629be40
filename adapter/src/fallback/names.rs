//! What people write for a symbol: `User`, `auth::User`, `User.hello()`, `fn hello`, `Vec<T>::push`.

use std::path::Path;

use ide_protocol::Target;

use super::crates;
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
        if let Some((before, last)) = language.declares_apart.then(|| marked(written)).flatten() {
            let mut path = Vec::new();
            if !before.is_empty() {
                let around = Self::read(before, language, true)?;
                path.extend(around.path.into_iter().chain([around.last]));
            }
            return Some(Self { path, last });
        }
        let plain = without_generics(&without_receiver(written.trim().trim_matches('`')));
        let plain = plain.split('(').next().unwrap_or_default();
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
        steps.extend(owner.map(|it| vec![it.to_owned()]));
        match self.fits_steps(&steps) {
            // What is not its folder's name may be its crate's.
            Fit::None => {
                crates::name(&mut steps, file, &self.path);
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

/// What C++ calls an operator or a destructor, `operator==`, `operator bool`, `~User`, and what that is qualified by.
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
    let sign = if sign.trim_start().starts_with(is_word) { sign.to_owned() } else { sign.replace(' ', "") };
    let mark = if marked.starts_with('~') { "~" } else { "operator" };
    // What it gives may stand before it.
    let before = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    Some((before.trim_end_matches([':', '.']), format!("{mark}{sign}")))
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
fn without_generics(written: &str) -> String {
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

/// The names of everything around a symbol, the outermost first; a file `mod.rs` is its folder.
fn steps(file: &Path, around: &[&Node]) -> Vec<Vec<String>> {
    let folders = file.parent().into_iter().flat_map(Path::iter);
    let mut steps: Vec<Vec<String>> = folders.map(|it| vec![it.to_string_lossy().into_owned()]).collect();
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if !matches!(stem.as_str(), "mod" | "lib" | "main") {
        steps.push(vec![stem]);
    } else if matches!(stem.as_str(), "lib" | "main") {
        // The crate's root is called as the crate is, which mostly is its folder's name: `name/src/lib.rs`.
        steps.truncate(
            steps.len().saturating_sub(usize::from(file.parent().is_some_and(|it| it.ends_with("src")))),
        );
    }
    steps.extend(around.iter().map(|it| names_of(it)));
    steps
}

/// What a container may be called: `impl Display for User` is `Display` and `User`.
fn names_of(node: &Node) -> Vec<String> {
    let mut names = vec![super::outline::plain_name(node)];
    let parts = node.name.strip_prefix("impl").and_then(|it| it.split_once(" for "));
    if let Some((of, _)) = parts {
        let of = without_generics(of.trim_start_matches(|it| it != ' '));
        names.extend(of.rsplit("::").next().map(|it| it.trim().to_owned()));
    }
    names
}

fn same(a: &str, b: &str) -> bool {
    a == b || a.replace('-', "_") == b.replace('-', "_")
}

/// All words of a line with their columns: `letters` are those that names have beside the usual ones, `endings` those that
/// they may end with.
pub(super) fn words(line: &str, letters: &str, endings: &str) -> Vec<(String, std::ops::Range<usize>)> {
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
mod tests {
    use super::*;
    use crate::fallback::languages::LANGUAGES;

    fn parsed(written: &str) -> String {
        Name::parse(written, &LANGUAGES[0])
            .map_or("none".into(), |it| format!("{}|{}", it.path.join("/"), it.last))
    }

    #[test]
    fn names_as_people_write_them() {
        for (written, expected) in [
            ("User", "|User"),
            (" `User` ", "|User"),
            ("crate::auth::User", "auth|User"),
            ("User::hello()", "User|hello"),
            ("user.hello(1, x.y)", "user|hello"),
            ("Vec<T>::push", "Vec|push"),
            ("Vec::<u8>::push", "Vec|push"),
            ("<User as Display>::fmt", "User|fmt"),
            ("self.total", "|total"),
            ("User#hello", "User|hello"),
            ("User->hello", "User|hello"),
            ("(*User).Hello", "User|Hello"),
            (r"\App\Models\User", "App/Models|User"),
            ("pub async fn hello<T>(x: T) -> u32", "|hello"),
            ("struct User", "|User"),
            ("println!", "|println"),
            ("r#type::r#match", "type|match"),
            ("src/auth.rs:User", "src/auth|User"),
            ("auth.rs", "|auth"),
            ("src/Auth.rs", "src|Auth"),
            ("rs", "|rs"),
            ("Stamp::rs", "Stamp|rs"),
            ("User.#count", "User|count"),
            ("Größe", "|Größe"),
            ("", "none"),
            ("fn", "none"),
            ("+", "none"),
        ] {
            assert_eq!(parsed(written), expected, "{written}");
        }
    }

    #[test]
    fn a_mark_may_belong_to_a_name() {
        let typescript = LANGUAGES.iter().find(|it| it.id == "typescript").unwrap();
        for (written, path, last) in [
            ("#count", "", "#count"),
            ("Timer.#count", "Timer", "#count"),
            ("Timer#count", "Timer", "count"),
            ("this.#count", "", "#count"),
            ("Stamp.ts", "Stamp", "ts"),
        ] {
            let name = Name::parse(written, typescript).unwrap();
            assert_eq!((name.path.join("/").as_str(), name.last.as_str()), (path, last), "{written}");
        }
    }

    #[test]
    fn qualified_names_fit_by_what_is_around() {
        let fit = |written: &str, file: &str| {
            Name::parse(written, &LANGUAGES[0]).unwrap().fits(Path::new(file), &[], None)
        };
        for file in ["app/src/auth.rs", "app/src/auth/mod.rs"] {
            assert_eq!(fit("auth::User", file), Fit::Exact, "{file}");
        }
        assert_eq!(fit("auth::User", "app/src/auth/user.rs"), Fit::Loose);
        assert_eq!(fit("my_app::User", "my-app/src/lib.rs"), Fit::Exact);
        assert_eq!(fit("billing::User", "app/src/auth.rs"), Fit::None);
        assert_eq!(fit("app::auth::User", "app/src/auth.rs"), Fit::Exact);
        assert_eq!(fit("auth::app::User", "app/src/auth.rs"), Fit::None);
    }

    #[test]
    fn operators_are_names_in_cpp() {
        let cpp = LANGUAGES.iter().find(|it| it.id == "c").unwrap();
        for (written, expected) in [
            ("operator+", "|operator+"),
            ("Vec::operator ==", "Vec|operator=="),
            ("bool geo::Vec::operator==(const Vec &)", "geo/Vec|operator=="),
            ("geo::Vec::operator[]", "geo/Vec|operator[]"),
            ("Call::operator()(int)", "Call|operator()"),
            ("It::operator->", "It|operator->"),
            ("Vec::operator bool", "Vec|operator bool"),
            ("~Shape", "|~Shape"),
            ("geo::Shape::~Shape()", "geo/Shape|~Shape"),
            ("operators", "|operators"),
        ] {
            let name = Name::parse(written, cpp).unwrap();
            assert_eq!(format!("{}|{}", name.path.join("/"), name.last), expected, "{written}");
        }
    }

    #[test]
    fn names_are_alike_in_degrees() {
        for (asked, name, expected) in [
            ("User", "User", Some(Likeness::Same)),
            ("validateToken", "validate_token", Some(Likeness::SameFolded)),
            ("use", "UserSession", Some(Likeness::Start)),
            ("session", "UserSession", Some(Likeness::Part)),
            ("usn", "UserSession", Some(Likeness::Letters)),
            ("nsu", "UserSession", None),
        ] {
            assert_eq!(likeness(asked, name), expected, "{asked} {name}");
            assert_eq!(Asked::new(asked).likeness(name), expected, "{asked} {name}");
        }
    }

    #[test]
    fn marks_end_names_in_ruby() {
        let ruby = LANGUAGES.iter().find(|it| it.id == "ruby").unwrap();
        for (written, path, last) in [
            ("run!", "", "run!"),
            ("Stack#empty?", "Stack", "empty?"),
            ("def size=(size)", "", "size="),
            ("Stack.run", "Stack", "run"),
        ] {
            let name = Name::parse(written, ruby).unwrap();
            assert_eq!((name.path.join("/").as_str(), name.last.as_str()), (path, last), "{written}");
        }
        let words: Vec<_> = ruby.words("x.ok?(a!=b) ? !run! : c.d=1").into_iter().map(|(it, _)| it).collect();
        assert_eq!(words, ["x", "ok?", "a", "b", "run!", "c", "d", "1"]);
    }

    #[test]
    fn words_and_their_columns() {
        let rust = &LANGUAGES[0];
        assert_eq!(rust.word_at("let é😀 = x_1;", 9), Some(("x_1".into(), 9..12)));
        assert_eq!(rust.word_at("let é😀 = x_1;", 12), Some(("x_1".into(), 9..12)));
        assert_eq!(rust.word_at("let é😀 = x_1;", 4), Some(("é".into(), 4..5)));
        assert_eq!(rust.word_at("a + b", 2), None);
        assert_eq!(
            rust.words("r#fn(r, x.r#in)"),
            [("fn", 0..4), ("r", 5..6), ("x", 8..9), ("in", 10..14)]
                .map(|(it, columns)| (it.to_owned(), columns))
        );
    }

    #[test]
    fn keywords_that_are_names() {
        let typescript = LANGUAGES.iter().find(|it| it.id == "typescript").unwrap();
        let last = |written, language| Name::parse(written, language).map(|it| it.last);
        assert_eq!(last("Store.delete", typescript).as_deref(), Some("delete"));
        assert_eq!(last("catch", typescript).as_deref(), Some("catch"));
        assert_eq!(last("export class Store", typescript).as_deref(), Some("Store"));
        assert_eq!(last("User::r#type", &LANGUAGES[0]).as_deref(), Some("type"));
        assert_eq!(last("User::type", &LANGUAGES[0]), None);
        assert_eq!(last("_", typescript), None);
        let place = |line: &str, word: &str| {
            let found = typescript.words(line).into_iter().find(|(it, _)| it == word);
            typescript.is_name_in(line, word, &found.unwrap().1)
        };
        assert!(place("store.delete(x)", "delete") && !place("delete store.x", "delete"));
    }
}
