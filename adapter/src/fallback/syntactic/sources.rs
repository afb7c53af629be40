//! Files as their syntax says them, each read once for an answer, and the definitions in them.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use ide_protocol::{Definition, FileRange, Location, Point, Target};
use syntax::{Kind, Outline};

use super::FILES;
use super::candidate::{Candidate, of_node};
use super::hierarchy::base_name;
use super::syntax_facts::offset;
use crate::fallback::source::languages::{Language, language_of};
use crate::fallback::source::names::{Fit, Name};
use crate::fallback::source::outline::{Extent, IMPL, Node};
use crate::fallback::source::parallel::threads;
use crate::fallback::source::text::{Text, excerpt};
use crate::fallback::source::{outline, parallel};
use crate::fallback::workspace::index::Cards;
use crate::fallback::workspace::index::file_symbols::{Card, entries, nodes};
use crate::fallback::workspace::session_folders::Roots;
use crate::fallback::workspace::word_scan;
use crate::fallback::workspace::word_scan::{Lines, Mentions, Suspects};

/// A file with what it defines.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) text: Arc<Text>,
    pub(crate) language: syntax::Language,
    pub(crate) outline: Outline,
    nodes: Vec<Node>,
}

/// A definition in a file.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) source: Arc<Source>,
    /// Which one of the outline's it is.
    index: usize,
    pub(crate) candidate: Candidate,
}

impl Seen {
    /// What the syntax says of it.
    pub(crate) fn definition(&self) -> &syntax::Definition {
        &self.source.outline.definitions[self.index]
    }

    /// Where its name stands.
    pub(crate) fn place(&self) -> (PathBuf, Point) {
        (self.candidate.path.clone(), self.candidate.name_at.start)
    }

    /// Whether it only adds to a type, as a block `impl` does.
    pub(crate) fn is_extension(&self) -> bool {
        self.candidate.kind == IMPL
    }
}

impl Source {
    /// Where a point is, in bytes.
    pub(crate) fn offset(&self, point: Point) -> usize {
        offset(&self.text, point)
    }
}

/// The definitions of a file that are wanted.
pub(crate) fn seen(
    source: &Arc<Source>,
    name: &Name,
    is_wanted: impl Fn(&syntax::Definition) -> bool,
) -> Vec<Seen> {
    // Both are in the order of the text, each before what is inside of it.
    let all = outline::all(&source.nodes).into_iter().enumerate();
    let wanted = all.filter(|(index, _)| is_wanted(&source.outline.definitions[*index]));
    let seen = wanted.map(|(index, found)| Seen {
        source: Arc::clone(source),
        index,
        candidate: of_node(&source.path, &found, name),
    });
    seen.collect()
}

/// The files of a session, read as they are needed.
pub(crate) struct Sources<'a> {
    pub(crate) roots: &'a Roots,
    pub(crate) language: &'static Language,
    pub(crate) until: Instant,
    read: HashMap<PathBuf, Option<Arc<Source>>>,
    texts: HashMap<PathBuf, Arc<Text>>,
    /// Where a name stands that was looked for just now.
    mentions: Option<Arc<Mentions>>,
    /// Whether files that may define a name are read for that name alone.
    is_for_names: bool,
    /// What all files define, where that is known; looked for once.
    cards: OnceCell<Option<Cards>>,
    /// Whether it was waited for them.
    has_waited: bool,
    /// Whether something was left out: time ran out, or there were too many files.
    pub(crate) is_cut: bool,
    /// What counted of what the last name was qualified by.
    pub(crate) qualified_by: Vec<String>,
}

impl<'a> Sources<'a> {
    pub(crate) fn new(roots: &'a Roots, language: &'static Language, until: Instant) -> Self {
        Self {
            roots,
            language,
            until,
            read: HashMap::new(),
            texts: HashMap::new(),
            mentions: None,
            is_for_names: false,
            cards: OnceCell::new(),
            has_waited: false,
            is_cut: false,
            qualified_by: Vec::new(),
        }
    }

    /// With what was found for the same question.
    pub(crate) fn knowing(self, mentions: Option<Arc<Mentions>>) -> Self {
        Self { mentions, ..self }
    }

    /// For a question that needs nothing of a definition but its name, its kind, its extent and what is around it.
    pub(crate) fn for_names(self) -> Self {
        Self { is_for_names: true, ..self }
    }

    /// Reads files ahead, on several threads where there are many.
    pub(crate) fn read_all(&mut self, files: &[PathBuf]) {
        if self.is_for_names {
            return;
        }
        let unread: Vec<_> = files.iter().filter(|it| !self.read.contains_key(*it)).collect();
        if unread.len() < 2 {
            return;
        }
        let read_one = |path: &&PathBuf| Some(((*path).clone(), read(self.roots, path, None).map(Arc::new)));
        self.read.extend(parallel::map(&unread, threads(), self.until, read_one));
    }

    /// What all files of the language define; `None` where that is not known.
    pub(crate) fn cards(&self) -> Option<&Cards> {
        self.cards.get_or_init(|| self.roots.cards(self.language, None, self.until)).as_ref()
    }

    /// Waits for what all files define where that is being found out, once and not for long.
    pub(crate) fn await_cards(&mut self) {
        if !self.has_waited && self.cards().is_none() {
            self.has_waited = true;
            self.cards = OnceCell::from(self.roots.cards_soon(self.language, None, self.until));
        }
    }

    /// The files whose cards are wanted, as many as are looked into; `None` where there are no cards.
    pub(crate) fn files_with(&mut self, is_wanted: impl Fn(&Card) -> bool) -> Option<Vec<PathBuf>> {
        let files = self.filed(is_wanted)?;
        Some(self.bounded(files))
    }

    /// The files whose cards are wanted; `None` where there are no cards.
    fn filed(&mut self, is_wanted: impl Fn(&Card) -> bool) -> Option<Vec<PathBuf>> {
        let cards = self.cards()?;
        let wanted = cards.cards.iter().filter(|(_, card)| is_wanted(card));
        let (files, is_blind) = (wanted.map(|(path, _)| path.clone()).collect(), cards.is_blind);
        self.is_cut |= is_blind;
        Some(files)
    }

    /// As many files as are looked into.
    fn bounded(&mut self, mut files: Vec<PathBuf>) -> Vec<PathBuf> {
        self.is_cut |= files.len() > FILES;
        files.truncate(FILES);
        self.read_all(&files);
        files
    }

    /// The files that hold such lines.
    pub(crate) fn files_of(&mut self, lines: Lines) -> Vec<PathBuf> {
        self.is_cut |= !lines.complete;
        self.bounded(lines.lines.into_keys().collect())
    }

    /// The text of a file.
    pub(crate) fn text(&mut self, path: &Path) -> Option<Arc<Text>> {
        if let Some(text) = self.texts.get(path) {
            return Some(Arc::clone(text));
        }
        let text = text_of(self.roots, path)?;
        self.texts.insert(path.to_owned(), Arc::clone(&text));
        Some(text)
    }

    /// A file; `None` where it is no text, its syntax is not known, or there is no time left.
    pub(crate) fn source(&mut self, path: &Path) -> Option<Arc<Source>> {
        if let Some(source) = self.read.get(path) {
            return source.clone();
        }
        if Instant::now() >= self.until {
            self.is_cut = true;
            return None;
        }
        let source = read(self.roots, path, None).map(Arc::new);
        self.read.insert(path.to_owned(), source.clone());
        source
    }

    /// Every definition of the name that is in the folders: those that fit best what the name was qualified by, or as much
    /// of the end of that as fits any. What only adds to a type defines no name.
    pub(crate) fn named(&mut self, name: &Name) -> Vec<Seen> {
        let Suspects { files, n_likely, .. } = self.suspects(&name.last);
        if self.language.defines_plainly && n_likely < files.len() {
            let found = self.named_in(files[..n_likely].to_vec(), name);
            if !found.is_empty() && self.qualified_by.len() == name.path.len() {
                return found;
            }
        }
        let found = self.named_in(files, name);
        match name.last.strip_suffix('=').filter(|_| found.is_empty() && self.language.endings.contains('='))
        {
            Some(attribute) => self.written_by(&Name { last: attribute.to_owned(), ..name.clone() }),
            None => found,
        }
    }

    /// The attributes of the name that something can be assigned to, which makes a method as `size=` is.
    fn written_by(&mut self, name: &Name) -> Vec<Seen> {
        let is_assigned = |it: &Seen| {
            let Seen { source, .. } = it;
            let is_read_only = |it: &str| it.starts_with("attr_reader") || it.starts_with("attr ");
            let written = source.text.as_str().get(it.definition().signature.range()).unwrap_or_default();
            it.definition().kind == Kind::Property && !is_read_only(written)
        };
        let mut found = self.named(name);
        found.retain(is_assigned);
        found
    }

    /// The files that may define a name, as far as there are not too many: the line of a definition may read like any
    /// other, so that they are all that mention it, unless it is known what they define.
    fn suspects(&mut self, name: &str) -> Suspects {
        let defines = |it: &Card| it.names().any(|it| it == name);
        let known = |files: Vec<_>| Suspects { n_likely: files.len(), files, are_all: true };
        let word = syntax::written(name);
        let mentions = self.mentions.clone().filter(|it| it.tells_of(word));
        if let (None, Some(files)) = (&mentions, self.filed(defines)) {
            return known(files);
        }
        let mentions = mentions.map_or_else(
            || Mentions::of(&self.roots.tree(), word, self.until).suspects(self.language),
            |it| it.suspects(self.language),
        );
        if !self.language.defines_plainly && (!mentions.are_all || mentions.files.len() > FILES) {
            self.await_cards();
            if let Some(files) = self.filed(defines) {
                return known(files);
            }
        }
        self.is_cut |= !mentions.are_all;
        mentions
    }

    /// The definitions of the name in these files, as [`Self::named`] chooses among them.
    fn named_in(&mut self, mut files: Vec<PathBuf>, name: &Name) -> Vec<Seen> {
        self.is_cut |= files.len() > FILES;
        files.truncate(FILES);
        let sources = self.defining(&files, &name.last);
        let mut name = name.clone();
        loop {
            let found: Vec<_> = sources.iter().flat_map(|source| named_in(source, &name)).collect();
            let found = best(found, &name, self.language);
            match name.without_first() {
                Some(shorter) if found.is_empty() => name = shorter,
                _ => {
                    self.qualified_by = name.path;
                    return found;
                }
            }
        }
    }

    /// The definitions of any of these names, whatever they are and whatever they are in.
    pub(crate) fn named_any(&mut self, names: &[&str]) -> Vec<Seen> {
        let files = self.files_defining(names);
        let mut found = Vec::new();
        for path in files {
            let Some(source) = self.source(&path) else { continue };
            found.extend(seen(&source, &Name::any(), |it| names.contains(&it.name.as_str())));
        }
        found.retain(|it| !it.is_extension());
        declared_once(found, self.language)
    }

    /// The files that define any of these names.
    fn files_defining(&mut self, names: &[&str]) -> Vec<PathBuf> {
        if names.is_empty() {
            return Vec::new();
        }
        if !self.language.defines_plainly {
            self.await_cards();
        }
        let defines = |it: &Card| it.names().any(|name| names.contains(&name));
        self.files_with(defines).unwrap_or_else(|| {
            let lines = word_scan::definitions_of_any(self.language, &self.roots.tree(), names, self.until);
            self.is_cut |= !self.language.defines_plainly;
            self.files_of(lines)
        })
    }

    /// The files that define the name, read at least for that.
    fn defining(&mut self, files: &[PathBuf], name: &str) -> Vec<Arc<Source>> {
        let read_one = |path: &PathBuf| Some(read(self.roots, path, Some(name)));
        let read = parallel::map(files, threads(), self.until, read_one);
        self.is_cut |= read.len() < files.len();
        let mut sources: Vec<_> = read.into_iter().flatten().collect();
        sources.retain(|it| it.outline.definitions.iter().any(|it| it.name == name));
        sources.sort_by(|a, b| a.path.cmp(&b.path));
        if self.is_for_names {
            return sources.into_iter().map(Arc::new).collect();
        }
        sources.iter().filter_map(|it| self.source(&it.path)).collect()
    }

    /// What a target means: by its name, at its place, or by its name near a place.
    pub(crate) fn meant(&mut self, target: &Target) -> Vec<Seen> {
        let name = Name::of(target, self.language);
        match (&target.at, name) {
            (None, Some(name)) => self.named(&name),
            (Some(at), Some(name)) => self.pinned(&name, at).into_iter().collect(),
            (Some(at), None) => self.at_place(at),
            (None, None) => Vec::new(),
        }
    }

    /// The definition of a name that is nearest to a place in its file; a block that adds to a type only where just it
    /// is meant.
    fn pinned(&mut self, name: &Name, at: &Location) -> Option<Seen> {
        let path = self.roots.resolve(&at.path).ok()?.path;
        let source = self.source(&path)?;
        let is_at = |it: &Seen| {
            let column = at.column.unwrap_or(it.candidate.name_at.start.column);
            it.candidate.name_at.start == Point { line: at.line, column }
        };
        let mut found = seen(&source, name, |it| it.name == name.last);
        found.retain(|it| !it.is_extension() || at.column.is_some() && is_at(it));
        let distance =
            |it: &Seen| (it.candidate.name_at.start.line.get().abs_diff(at.line.get()), !is_at(it));
        found.into_iter().filter(|it| it.candidate.fit != Fit::None).min_by_key(distance)
    }

    /// What has the body in place of what only declares it, where that is found.
    pub(crate) fn with_bodies(&mut self, found: Vec<Seen>) -> Vec<Seen> {
        let mut all = Vec::new();
        for it in found {
            let definition = it.definition();
            let is_apart =
                self.language.declares_apart && definition.kind.is_callable() && !definition.has_body;
            let name = Name { path: Vec::new(), last: definition.name.clone() };
            let mut bodies = if is_apart { self.named(&name) } else { Vec::new() };
            bodies.retain(|other| {
                let definition = other.definition();
                let is_whole = definition.kind.is_callable() && definition.has_body;
                is_whole && other.candidate.container == it.candidate.container
            });
            if bodies.is_empty() { all.push(it) } else { all.extend(bodies) }
        }
        all
    }

    /// What is defined at a place; else every definition of the name that stands there.
    fn at_place(&mut self, at: &Location) -> Vec<Seen> {
        let path = self.roots.resolve(&at.path).ok().map(|it| it.path);
        let Some(source) = path.and_then(|it| self.source(&it)) else { return Vec::new() };
        let is_meant = |extent: &Extent| match at.column {
            Some(column) => extent.holds(Point { line: at.line, column }),
            None => extent.start.line == at.line,
        };
        let all = seen(&source, &Name::any(), |_| true);
        let here = all.iter().find(|it| is_meant(&it.candidate.name_at) && !it.is_extension());
        let here =
            here.or_else(|| all.iter().find(|it| at.column.is_none() && is_meant(&it.candidate.whole)));
        if let Some(found) = here {
            return vec![found.clone()];
        }
        let line = source.text.line(at.line.index()).unwrap_or_default();
        let word =
            at.column.and_then(|column| self.language.word_at(line, column.index())).map(|(word, _)| word);
        let name = word.and_then(|word| Name::parse(&word, self.language));
        name.map(|name| self.named(&name)).unwrap_or_default()
    }

    /// As the agent reads it.
    pub(crate) fn write(&self, seen: &Seen) -> Definition {
        written(self.roots, &seen.candidate, &seen.source.text)
    }

    /// All of them, in order.
    pub(crate) fn write_all(&self, seen: &[Seen]) -> Vec<Definition> {
        let mut definitions: Vec<_> = seen.iter().map(|it| self.write(it)).collect();
        definitions
            .sort_by(|a, b| (&a.name_at.path, a.name_at.start).cmp(&(&b.name_at.path, b.name_at.start)));
        definitions
    }
}

/// As the agent reads it.
pub(crate) fn written(roots: &Roots, candidate: &Candidate, text: &Text) -> Definition {
    let Candidate { path, name, kind, whole, name_at, container, .. } = candidate;
    let kind = if kind == IMPL { "impl" } else { kind };
    Definition {
        name: name.clone(),
        kind: kind.to_owned(),
        defined_at: range(roots, path, text, *whole),
        name_at: range(roots, path, text, *name_at),
        container: container.clone(),
    }
}

/// Those that fit best, and of them no variables of functions where there is anything else.
fn best(mut found: Vec<Seen>, name: &Name, language: &Language) -> Vec<Seen> {
    // `Stack.Stack` is how a stack is made; the file of the class is called so too, by custom alone.
    let is_made = |it: &Seen| is_constructor(&it.candidate) && it.candidate.fit != Fit::None;
    if name.path.last() == Some(&name.last) && found.iter().any(is_made) {
        found.retain(is_made);
    }
    let best = found.iter().map(|it| it.candidate.fit).max().unwrap_or(Fit::None);
    found.retain(|it| it.candidate.fit == best && best != Fit::None);
    if found.iter().any(|it| !it.candidate.is_local) {
        found.retain(|it| !it.candidate.is_local);
    }
    // The name of a test that a call makes is a word about what it tests.
    if found.iter().any(|it| !it.definition().is_made) {
        found.retain(|it| !it.definition().is_made);
    }
    // Who names a type means it, and not what is called so for being of that type.
    if found.iter().any(|it| it.definition().kind.is_type()) {
        found.retain(|it| !is_embedded(it));
    }
    without_constructors(declared_once(found, language))
}

/// Whether it is the field that a struct of Go has for a type that is embedded in it.
fn is_embedded(seen: &Seen) -> bool {
    let of = seen.definition().parent.map(|it| &seen.source.outline.definitions[it]);
    let is_base = |of: &syntax::Definition| of.bases.iter().any(|it| base_name(it) == seen.candidate.name);
    seen.source.language.id() == "go" && seen.definition().kind == Kind::Field && of.is_some_and(is_base)
}

/// Without what only declares a function whose body is there too.
fn declared_once(found: Vec<Seen>, language: &Language) -> Vec<Seen> {
    if !language.declares_apart {
        return found;
    }
    let is_of = |it: &Seen, other: &Seen| {
        let (one, other) = (&it.candidate, &other.candidate);
        (&one.name, &one.container) == (&other.name, &other.container)
    };
    let is_declared = |it: &Seen| it.definition().kind.is_callable() && !it.definition().has_body;
    let is_second = |it: &Seen| {
        let has_body = |other: &&Seen| other.definition().kind.is_callable() && other.definition().has_body;
        is_declared(it) && found.iter().filter(has_body).any(|other| is_of(it, other))
    };
    found.iter().filter(|it| !is_second(it)).cloned().collect()
}

/// Whether it makes something of the type that it is in, and is called as that is.
fn is_constructor(candidate: &Candidate) -> bool {
    candidate.kind == "constructor" && candidate.container.as_ref() == Some(&candidate.name)
}

/// Without the constructors that are called as their types are, where the types are there.
pub(crate) fn without_constructors(found: Vec<Seen>) -> Vec<Seen> {
    let is_type = |it: &Seen, name: &str| it.definition().kind.is_type() && it.candidate.name == name;
    let is_second = |it: &Seen| {
        is_constructor(&it.candidate) && found.iter().any(|other| is_type(other, &it.candidate.name))
    };
    found.iter().filter(|it| !is_second(it)).cloned().collect()
}

/// The definitions of a name in one file.
fn named_in(source: &Arc<Source>, name: &Name) -> Vec<Seen> {
    let mut found = seen(source, name, |it| it.name == name.last);
    found.retain(|it| !it.is_extension());
    found
}

/// A file with all that it defines, or with what it defines by a name.
fn read(roots: &Roots, path: &Path, name: Option<&str>) -> Option<Source> {
    let language = language_of(path)?;
    let text = text_of(roots, path)?;
    let outline = match name {
        Some(name) => syntax::named(language, text.as_str(), name),
        None => syntax::outline(language, text.as_str()),
    };
    let nodes = nodes(&entries(&text, &outline));
    Some(Source { path: path.to_owned(), text, language, outline, nodes })
}

/// The text of a file, as the editor holds it or else as it is on disk.
pub(crate) fn text_of(roots: &Roots, path: &Path) -> Option<Arc<Text>> {
    let held = roots.texts().get(path).cloned();
    held.or_else(|| Text::read(path).ok().map(Arc::new))
}

/// A stretch as the agent sees it, with the line that it starts on.
pub(crate) fn range(roots: &Roots, path: &Path, text: &Text, extent: Extent) -> FileRange {
    let place = roots.place(path.to_owned());
    let line = text.line(extent.start.line.index());
    FileRange {
        text: line.map(|it| excerpt(it, extent.start.column.index())),
        external: place.external,
        ..FileRange::new(place.spelling, extent.start, extent.end)
    }
}
