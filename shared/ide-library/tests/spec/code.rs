//! As much understanding of code as the chapters need: keywords define names, words use them.

use ide_protocol::{
    Column, Definition, FileRange, Hierarchy, Line, Link, Location, Navigation, Point, Target,
};

use super::world::World;

/// Keywords, and the kind of what they define.
const KEYWORDS: [(&str, &str); 6] = [
    ("fn", "function"),
    ("struct", "struct"),
    ("enum", "enum"),
    ("trait", "interface"),
    ("const", "constant"),
    ("let", LOCAL),
];

/// The kind of symbols that no symbol table has.
pub(crate) const LOCAL: &str = "variable";

/// A word of a file; line and column count from 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word<'world> {
    pub(crate) path: &'world str,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) text: &'world str,
    /// True if it stands in a comment.
    pub(crate) is_prose: bool,
    /// The kind of its definition, if it defines one.
    pub(crate) kind: Option<&'static str>,
}

/// Returns the words of a line.
pub(crate) fn words<'world>(path: &'world str, line: usize, text: &'world str) -> Vec<Word<'world>> {
    let comment = text.find("//").unwrap_or(text.len());
    let mut words: Vec<Word<'world>> = Vec::new();
    for piece in text.split(|char: char| !char.is_alphanumeric() && char != '_').filter(|it| !it.is_empty()) {
        let start = piece.as_ptr() as usize - text.as_ptr() as usize;
        let is_prose = start > comment;
        let keyword = words.last().map(|it| it.text).filter(|_| !is_prose);
        let kind = KEYWORDS.iter().find(|(word, _)| Some(*word) == keyword).map(|(_, kind)| *kind);
        let column = text[..start].chars().count();
        words.push(Word { path, line, column, text: piece, is_prose, kind });
    }
    words
}

impl Word<'_> {
    fn end(&self) -> usize {
        self.column + self.text.chars().count()
    }

    fn is_at(&self, place: &Location) -> bool {
        let column = place.column.map(Column::index);
        self.path == place.path
            && self.line == place.line.index()
            && column.is_some_and(|column| (self.column..self.end()).contains(&column))
    }
}

impl World {
    pub(crate) fn words(&self) -> impl Iterator<Item = Word<'_>> {
        self.files.iter().flat_map(|(path, lines)| {
            lines.iter().enumerate().flat_map(move |(line, text)| words(path, line, text))
        })
    }

    /// Returns all definitions, each with the word that names it.
    pub(crate) fn defined(&self) -> impl Iterator<Item = (Word<'_>, Definition)> {
        let defining = self.words().filter(|word| word.kind.is_some());
        defining.map(|word| (word.clone(), self.definition(&word)))
    }

    /// Returns the definitions of the word at a place: its own, a local variable before it, one of its file, or all
    /// of that name.
    pub(crate) fn meant_at(&self, place: &Location) -> Vec<Definition> {
        let Some(word) = self.words().find(|it| it.is_at(place)) else { return Vec::new() };
        let named: Vec<_> = self.defined().filter(|(it, _)| it.text == word.text).collect();
        let is_itself = |it: &Word<'_>| *it == word;
        let is_local = |it: &Word<'_>| it.path == word.path && it.line < word.line && it.kind == Some(LOCAL);
        let is_here = |it: &Word<'_>| it.path == word.path && it.kind != Some(LOCAL);
        let pick = |meant: &dyn Fn(&Word<'_>) -> bool| -> Vec<Definition> {
            named.iter().filter(|(it, _)| meant(it)).map(|(_, definition)| definition.clone()).collect()
        };
        let readings =
            [pick(&is_itself), pick(&is_local), pick(&is_here), pick(&|it| it.kind != Some(LOCAL))];
        readings.into_iter().find(|it| !it.is_empty()).unwrap_or_default()
    }

    /// Returns the symbols that the name at a place leads to. A variable leads to the first type after it, a type to the
    /// blocks `impl` of it or for it. A method leads to those of its name in traits or outside of them.
    pub(crate) fn led(&self, way: Navigation, target: &Target) -> Vec<Definition> {
        let (name, place) = (target.name.as_deref().expect("given"), target.at.as_ref().expect("given"));
        match way {
            Navigation::TypeDefinitions => {
                let after = self.words().filter(|it| it.path == place.path && it.line == place.line.index());
                let mut after =
                    after.filter(|it| it.text != name).flat_map(|it| self.meant_at(&location(&it)));
                after.find(|it| it.kind == "struct").into_iter().collect()
            }
            Navigation::Declarations | Navigation::Implementations => {
                let is_declared = |it: &Definition| self.is_in_trait(it) == (way == Navigation::Declarations);
                let same =
                    self.defined().map(|(_, it)| it).filter(|it| it.name == name && it.kind == "function");
                let methods: Vec<_> = same.filter(|it| it.container.is_some() && is_declared(it)).collect();
                if methods.is_empty() && way == Navigation::Implementations {
                    self.blocks(name)
                } else {
                    methods
                }
            }
        }
    }

    /// Returns the links: functions call what their lines name before a bracket, types implement what their `impl`
    /// names.
    pub(crate) fn links(&self, way: Hierarchy, target: &Target, depth: u32) -> Vec<Link> {
        let is_calls = matches!(way, Hierarchy::Callers | Hierarchy::Callees);
        let all = if is_calls { self.calls() } else { self.extensions() };
        let place = target.at.as_ref().expect("given");
        let is_start = |it: &Definition| it.name_at.path == place.path && it.name_at.start.line == place.line;
        let mut reached: Vec<Definition> = self.defined().map(|(_, it)| it).filter(is_start).collect();
        let (mut next, mut links) = (0, Vec::new());
        for _ in 0..depth {
            let some = reached[next..].to_vec();
            next = reached.len();
            for it in some {
                let near = |link: &Link| if way.is_upstream() { link.to == it } else { link.from == it };
                for link in all.iter().filter(|link| near(link)) {
                    let far = if way.is_upstream() { &link.from } else { &link.to };
                    if !reached.contains(far) {
                        reached.push(far.clone());
                    }
                    links.push(link.clone());
                }
            }
        }
        links
    }

    fn calls(&self) -> Vec<Link> {
        let functions: Vec<_> =
            self.defined().filter(|(word, _)| word.kind == Some("function")).map(|(_, it)| it).collect();
        let around = |word: &Word<'_>| {
            let holds = |it: &&Definition| {
                let (first, last) = (it.defined_at.start.line.index(), it.defined_at.end.line.index());
                it.defined_at.path == word.path && (first..=last).contains(&word.line)
            };
            functions.iter().find(holds).cloned()
        };
        let is_call = |word: &Word<'_>| {
            let rest: String = self.files[word.path][word.line].chars().skip(word.end()).take(1).collect();
            rest == "(" && word.kind.is_none() && !word.is_prose
        };
        let mut links: Vec<Link> = Vec::new();
        for word in self.words().filter(is_call) {
            for to in self.meant_at(&location(&word)).into_iter().filter(|it| it.kind == "function") {
                let Some(from) = around(&word) else { continue };
                links.push(Link { from, to, at: vec![self.range_of(&word)] });
            }
        }
        links
    }

    fn extensions(&self) -> Vec<Link> {
        let is_type = |it: &Definition| matches!(it.kind.as_str(), "struct" | "interface");
        let types: Vec<_> = self.defined().map(|(_, it)| it).filter(is_type).collect();
        let named = |name: &str| types.iter().find(|it| it.name == name).cloned();
        let lines =
            self.files.values().flatten().filter_map(|it| it.strip_prefix("impl ")?.split_once(" for "));
        let link = |(to, from): (&str, &str)| {
            let from = named(from.trim_end_matches([' ', '{']))?;
            Some(Link { from, to: named(to)?, at: Vec::new() })
        };
        lines.filter_map(link).collect()
    }

    fn is_in_trait(&self, definition: &Definition) -> bool {
        let before = &self.files[&definition.name_at.path][..definition.name_at.start.line.index()];
        let around = before.iter().rev().find(|it| it.ends_with('{') && !it.starts_with(' '));
        around.is_some_and(|it| it.contains("trait "))
    }

    /// Returns the blocks `impl` that name a type or trait.
    fn blocks(&self, name: &str) -> Vec<Definition> {
        let is_block = |word: &Word<'_>| self.files[word.path][word.line].starts_with("impl");
        let mut blocks: Vec<Definition> = Vec::new();
        for word in self.words().filter(|it| it.text == name && is_block(it)) {
            let words = words(word.path, word.line, &self.files[word.path][word.line]);
            let subject = words.last().expect("the name is one of them");
            let block = self.definition(&Word { kind: Some("impl"), ..subject.clone() });
            blocks.push(Definition { container: None, ..block });
        }
        blocks
    }

    /// Returns the words that use a definition, the number of lines that only mention its name, and those of them that
    /// are code.
    pub(crate) fn used(&self, definition: &Definition) -> (Vec<Word<'_>>, u64, Vec<Location>) {
        let stands_for = |word: &Word<'_>| {
            let place = location(word);
            self.meant_at(&place).contains(definition)
        };
        let named = self.words().filter(|it| it.text == definition.name);
        let (uses, mentions): (Vec<_>, Vec<_>) = named.partition(|it| !it.is_prose && stands_for(it));
        let is_elsewhere =
            |it: &&Word<'_>| uses.iter().all(|used| (used.path, used.line) != (it.path, it.line));
        let elsewhere: Vec<_> = mentions.iter().filter(is_elsewhere).collect();
        let is_used = uses.iter().any(|it| it.kind.is_none());
        let code = elsewhere.iter().filter(|it| !it.is_prose && (!is_used || it.kind.is_none()));
        let mut lines: Vec<_> = code.map(|it| Location { column: None, ..location(it) }).collect();
        lines.dedup();
        let count = elsewhere.len() as u64;
        (uses, count, lines)
    }

    fn definition(&self, word: &Word<'_>) -> Definition {
        let lines = &self.files[word.path];
        let depth = indent(&lines[word.line]);
        let docs = lines[..word.line].iter().rev().take_while(|it| it.trim().starts_with("///")).count();
        let closes = |it: &String| it.trim() == "}" && indent(it) == depth;
        let is_open = lines[word.line].trim_end().ends_with('{');
        let length = lines[word.line..].iter().position(closes).filter(|_| is_open);
        let (first, last) = (word.line - docs, word.line + length.unwrap_or(0));
        let encloses = |it: &&String| indent(it) < depth && it.trim_end().ends_with('{');
        let container = lines[..word.line].iter().rev().find(encloses);
        let kind = word.kind.expect("it defines something");
        let whole = self.range(word.path, (first, depth), (last, lines[last].chars().count()));
        Definition {
            container: container.and_then(|it| name_of_block(it)),
            ..Definition::new(word.text, kind, whole, self.range_of(word))
        }
    }

    pub(crate) fn range_of(&self, word: &Word<'_>) -> FileRange {
        self.range(word.path, (word.line, word.column), (word.line, word.end()))
    }

    pub(crate) fn range(&self, path: &str, start: (usize, usize), end: (usize, usize)) -> FileRange {
        let point =
            |(line, column)| Point { line: Line::from_index(line), column: Column::from_index(column) };
        FileRange {
            text: Some(self.files[path][start.0].trim().to_owned()),
            external: path.starts_with('/'),
            ..FileRange::new(path, point(start), point(end))
        }
    }
}

/// Returns the place of a word.
pub(crate) fn location(word: &Word<'_>) -> Location {
    let column = Some(Column::from_index(word.column));
    Location { path: word.path.to_owned(), line: Line::from_index(word.line), column }
}

/// Returns the name of a block: `User` of `impl User {`.
fn name_of_block(line: &str) -> Option<String> {
    let words = words("", 0, line);
    let keyword =
        words.iter().position(|it| it.text == "impl" || KEYWORDS.iter().any(|(word, _)| *word == it.text));
    words.get(keyword? + 1).map(|it| it.text.to_owned())
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
