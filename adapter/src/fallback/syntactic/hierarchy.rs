//! Who calls whom and which type extends which, as far as names alone tell.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use ide_protocol::{
    Column, Completeness, DefinitionsResult, FileRange, Hierarchy, HierarchyResult, Line, Link, Point,
    Source as Answerer, Target,
};
use syntax::{Kind, Parsed, Role};

use super::candidate::module;
use super::sources::{Seen, Source, Sources, range, seen, without_constructors, written};
use super::{FILES, Instead};
use crate::blocking;
use crate::fallback::source::languages;
use crate::fallback::source::languages::Language;
use crate::fallback::source::names::Name;
use crate::fallback::source::outline::Extent;
use crate::fallback::workspace::index::file_symbols::Card;
use crate::fallback::workspace::session_folders::Roots;
use crate::fallback::workspace::word_scan;

/// How many links one answer has.
const LINKS: usize = 500;

/// How many symbols are looked for.
const ASKED: usize = 60;

/// How many steps are gone.
const DEPTH: u32 = 16;

/// Of a name that so many have, nobody can say which one is called.
const NAMESAKES: usize = 5;

/// The next symbol of a way, and where the calls stand.
type Next = (Seen, Vec<(Arc<Source>, Extent)>);

/// Looks; `None` where there is nothing to see by names.
pub(crate) async fn hierarchy(
    roots: &Arc<Roots>,
    language: &'static Language,
    way: Hierarchy,
    (target, depth): (&Target, u32),
    instead: &Instead,
) -> Option<HierarchyResult> {
    if !(1..=DEPTH).contains(&depth) {
        return None;
    }
    let (roots, target, instead) = (Arc::clone(roots), target.clone(), instead.clone());
    let looking = blocking::spawn(move || {
        let mut walk = Walk::new(&roots, language, way, &instead);
        let first = walk.sources.meant(&target);
        if first.is_empty() {
            return None;
        }
        let first = if way == Hierarchy::Callees { walk.sources.with_bodies(first) } else { first };
        walk.go(first, depth);
        let (source, note) = (Answerer("syntax".into()), Some(walk.note(&instead)));
        Some(HierarchyResult {
            completeness: Completeness { complete: false, source, note },
            links: walk.links,
        })
    });
    looking.await
}

/// What says that it implements or extends a type, at any number of steps; of a method, the methods of that name there.
pub(crate) async fn implementations(
    roots: &Arc<Roots>,
    language: &'static Language,
    target: &Target,
    instead: &Instead,
) -> Option<DefinitionsResult> {
    let (roots, target, instead) = (Arc::clone(roots), target.clone(), instead.clone());
    let looking = blocking::spawn(move || {
        let mut walk = Walk::new(&roots, language, Hierarchy::Subtypes, &instead);
        let found = walk.implementations(&target)?;
        let definitions = walk.sources.write_all(&found);
        let (source, note) = (Answerer("syntax".into()), Some(walk.note(&instead)));
        Some(DefinitionsResult {
            completeness: Completeness { complete: false, source, note },
            definitions,
            nearest: Vec::new(),
        })
    });
    looking.await
}

/// A walk, the nearest first.
struct Walk<'a> {
    sources: Sources<'a>,
    way: Hierarchy,
    links: Vec<Link>,
    /// Whom the links lead to.
    reached: Vec<Seen>,
    asked: BTreeSet<(PathBuf, Point)>,
    /// Names that are called or extended and not defined in the workspace.
    elsewhere: BTreeSet<String>,
    /// Names that are called or extended, and that only something else has.
    unlike: BTreeSet<String>,
    /// Names that too many have.
    common: BTreeSet<String>,
    /// Names that those who call them do not say.
    signs: BTreeSet<String>,
}

impl<'a> Walk<'a> {
    fn new(roots: &'a Roots, language: &'static Language, way: Hierarchy, instead: &Instead) -> Self {
        let sources = Sources::new(roots, language, instead.until);
        Self {
            sources,
            way,
            links: Vec::new(),
            reached: Vec::new(),
            asked: BTreeSet::new(),
            elsewhere: BTreeSet::new(),
            unlike: BTreeSet::new(),
            common: BTreeSet::new(),
            signs: BTreeSet::new(),
        }
    }

    fn go(&mut self, first: Vec<Seen>, depth: u32) {
        let mut left: VecDeque<(Seen, u32)> = first.into_iter().map(|it| (it, 0)).collect();
        self.asked.extend(left.iter().map(|(it, _)| it.place()));
        let mut asked = 0;
        while let Some((step, level)) = left.pop_front() {
            if asked == ASKED || self.links.len() >= LINKS {
                self.sources.is_cut = true;
                break;
            }
            asked += 1;
            for (other, places) in self.next(&step) {
                self.link(&step, &other, &places);
                if self.asked.insert(other.place()) {
                    self.reached.push(other.clone());
                    if level + 1 < depth {
                        left.push_back((other, level + 1));
                    }
                }
            }
        }
        self.links.truncate(LINKS);
    }

    fn next(&mut self, of: &Seen) -> Vec<Next> {
        match self.way {
            Hierarchy::Callers => self.callers(of),
            Hierarchy::Callees => self.callees(of),
            Hierarchy::Supertypes => alone(self.supertypes(of)),
            Hierarchy::Subtypes => alone(self.subtypes(of)),
        }
    }

    /// What the calls of that name are in; those that are in nothing are linked to their files, which nothing calls.
    fn callers(&mut self, of: &Seen) -> Vec<Next> {
        let name = of.definition().name.clone();
        let mut found: BTreeMap<(PathBuf, Point), Next> = BTreeMap::new();
        if !self.sources.language.is_spoken(&name) {
            self.signs.insert(name.clone());
        }
        let mut loose: BTreeMap<PathBuf, (Arc<Source>, Vec<Extent>)> = BTreeMap::new();
        for (source, lines) in self.mentioning(&name) {
            let Some(parsed) = Parsed::new(source.language, source.text.as_str()) else { continue };
            for extent in lines.iter().flat_map(|line| on_line(&source, *line, &name)) {
                let offset = source.offset(extent.start);
                let can = may_call(&source, offset, of.definition().kind);
                if !can || parsed.role(offset) != Role::Call {
                    continue;
                }
                let Some(caller) = around(&source, offset) else {
                    let (_, places) =
                        loose.entry(source.path.clone()).or_insert_with(|| (Arc::clone(&source), Vec::new()));
                    places.push(extent);
                    continue;
                };
                let (_, places) = found.entry(caller.place()).or_insert_with(|| (caller, Vec::new()));
                places.push((Arc::clone(&source), extent));
            }
        }
        for (source, places) in loose.into_values() {
            self.link_file(of, &source, &places);
        }
        found.into_values().collect()
    }

    /// What the names mean that are called in its body.
    fn callees(&mut self, of: &Seen) -> Vec<Next> {
        let calls = calls(of);
        let names: Vec<&str> = calls.keys().map(String::as_str).collect();
        let mut found = self.sources.named_any(&names);
        let defined = names_of(&found);
        let is_meant = |it: &Seen| it.definition().kind.is_callable() || it.definition().kind.is_type();
        found.retain(|it| is_meant(it) && !it.candidate.is_local);
        let found = without_constructors(found);
        let mut next: Vec<Next> = Vec::new();
        for (name, places) in &calls {
            let can = |it: &Seen| {
                let kind = it.definition().kind;
                places.iter().any(|(source, at)| may_call(source, source.offset(at.start), kind))
            };
            let meant: Vec<_> = found.iter().filter(|it| it.definition().name == *name && can(it)).collect();
            match meant.len() {
                0 if defined.contains(name) || is_local(of, name) => drop(self.unlike.insert(name.clone())),
                0 => drop(self.elsewhere.insert(name.clone())),
                1..=NAMESAKES => next.extend(meant.into_iter().map(|it| (it.clone(), places.clone()))),
                _ => drop(self.common.insert(name.clone())),
            }
        }
        next
    }

    /// The types that a definition names as its bases, with those of its other parts; in Rust, those of the blocks that
    /// add to it too.
    fn supertypes(&mut self, of: &Seen) -> Vec<Seen> {
        let name = of.definition().name.clone();
        let parts = self.parts(of);
        let written = parts.iter().chain([of]).flat_map(|it| &it.definition().bases);
        let mut bases: BTreeSet<String> = written.map(|it| base_name(it)).collect();
        if self.sources.language.id == "rust" && !of.is_extension() {
            let extends = |it: &Card| it.names().any(|it| it == name) && it.bases().next().is_some();
            for source in self.sources_with(&name, extends) {
                let blocks = seen(&source, &Name::any(), |it| it.name == name && !it.bases.is_empty());
                let blocks = blocks.iter().filter(|it| it.is_extension());
                bases.extend(blocks.flat_map(|it| &it.definition().bases).map(|it| base_name(it)));
            }
        }
        bases.remove(&name);
        let names: Vec<&str> = bases.iter().map(String::as_str).collect();
        let mut found = self.sources.named_any(&names);
        let defined = names_of(&found);
        // In Ruby modules are extended as types are.
        found.retain(|it| it.definition().kind.is_type() || it.definition().kind == Kind::Module);
        let told = names_of(&found);
        for name in bases.iter().filter(|it| !told.contains(*it)) {
            let names = if defined.contains(name) { &mut self.unlike } else { &mut self.elsewhere };
            names.insert(name.clone());
        }
        found
    }

    /// The other parts of a type that may have several: classes and modules of Ruby, and what C# calls `partial`.
    fn parts(&mut self, of: &Seen) -> Vec<Seen> {
        let is_open = match of.source.language.id() {
            "ruby" => true,
            "csharp" => has_word(of, "partial"),
            _ => false,
        };
        if !is_open || !(of.definition().kind.is_type() || of.definition().kind == Kind::Module) {
            return Vec::new();
        }
        let (name, container) = (of.definition().name.clone(), whole_container(of));
        let sources = self.sources_with(&name, |it| it.names().any(|it| it == name));
        let found = sources.iter().flat_map(|source| seen(source, &Name::any(), |it| it.name == name));
        let is_part = |it: &Seen| {
            let is_same = it.definition().kind == of.definition().kind && it.place() != of.place();
            is_same && whole_container(it) == container
        };
        found.filter(is_part).collect()
    }

    /// The types that name it among their bases.
    fn subtypes(&mut self, of: &Seen) -> Vec<Seen> {
        let name = of.definition().name.clone();
        let is_base = |it: &syntax::Definition| it.bases.iter().any(|base| base_name(base) == name);
        let derives = |it: &Card| it.bases().any(|(_, base)| base_name(base) == name);
        let sources = self.sources_with(&name, derives);
        sources.iter().flat_map(|source| seen(source, &Name::any(), is_base)).collect()
    }

    /// `None` where nothing is meant.
    fn implementations(&mut self, target: &Target) -> Option<Vec<Seen>> {
        let of = self.sources.meant(target).into_iter().next()?;
        let kind = of.definition().kind;
        let is_member = kind.is_callable() || is_value(kind) && of.definition().parent.is_some();
        let member = is_member.then(|| of.definition().name.clone());
        let around = of.definition().parent.map(|it| &of.source.outline.definitions[it]);
        let whole = match (&member, around) {
            (Some(_), Some(around)) => the_one(&of.source, around),
            (Some(_), None) => None,
            (None, _) => Some(of.clone()),
        };
        self.go(whole.into_iter().collect(), DEPTH);
        Some(match member {
            Some(member) => self.reached.iter().flat_map(|it| members(it, &member, kind)).collect(),
            None => self.reached.clone(),
        })
    }

    /// The files whose cards are wanted; where there are none, those that hold a word.
    fn sources_with(&mut self, word: &str, is_wanted: impl Fn(&Card) -> bool) -> Vec<Arc<Source>> {
        match self.sources.files_with(is_wanted) {
            Some(files) => files.iter().filter_map(|path| self.sources.source(path)).collect(),
            None => self.mentioning(word).into_iter().map(|(source, _)| source).collect(),
        }
    }

    /// The files that hold a word, with its lines.
    fn mentioning(&mut self, word: &str) -> Vec<(Arc<Source>, BTreeSet<usize>)> {
        let lines =
            word_scan::mentions(self.sources.language, &self.sources.roots.tree(), word, self.sources.until);
        self.sources.is_cut |= !lines.complete || lines.lines.len() > FILES;
        let some: Vec<_> = lines.lines.into_iter().take(FILES).collect();
        let files: Vec<_> = some.iter().map(|(path, _)| path.clone()).collect();
        self.sources.read_all(&files);
        let some = some.into_iter();
        some.filter_map(|(path, lines)| Some((self.sources.source(&path)?, lines))).collect()
    }

    fn link(&mut self, asked: &Seen, other: &Seen, places: &[(Arc<Source>, Extent)]) {
        let (from, to) = if self.way.is_upstream() { (other, asked) } else { (asked, other) };
        let at = places.iter().map(|(source, extent)| self.place(source, *extent)).collect();
        let (from, to) = (self.sources.write(from), self.sources.write(to));
        self.links.push(Link { from, to, at });
    }

    /// Links what stands in a file and in nothing that it defines: the file calls it.
    fn link_file(&mut self, asked: &Seen, source: &Source, places: &[Extent]) {
        let start = Point { line: Line::FIRST, column: Column::FIRST };
        let end = Point { line: Line::from_index(source.text.line_count()), column: Column::FIRST };
        let file = module(&source.path, Extent { start, end }, Extent::at(start));
        let at = places.iter().map(|extent| self.place(source, *extent)).collect();
        let from = written(self.sources.roots, &file, &source.text);
        self.links.push(Link { from, to: self.sources.write(asked), at });
    }

    fn place(&self, source: &Source, extent: Extent) -> FileRange {
        range(self.sources.roots, &source.path, &source.text, extent)
    }

    /// Why it is not all there is.
    fn note(&self, instead: &Instead) -> String {
        let mut note = format!("{}. Names alone are compared, so namesakes may be among them", instead.why);
        let listed = |names: &BTreeSet<String>| {
            let shown: Vec<_> = names.iter().take(12).map(|it| format!("`{it}`")).collect();
            let more =
                if names.len() > 12 { format!(" and {} more", names.len() - 12) } else { String::new() };
            shown.join(", ") + &more
        };
        if !self.signs.is_empty() {
            note += &format!("; what calls {} by its sign is not seen", listed(&self.signs));
        }
        if self.sources.language.id == "go" && self.way == Hierarchy::Subtypes {
            note += "; what implements an interface of Go does not say so, and is not seen";
        }
        if !self.elsewhere.is_empty() {
            // What only a preprocessor can read may be in the workspace all the same.
            note += &format!("; no definition was seen of {}", listed(&self.elsewhere));
        }
        if !self.unlike.is_empty() {
            let what = if self.way == Hierarchy::Callees { "functions or types" } else { "types" };
            note +=
                &format!("; left out, since they are defined but not as {what}: {}", listed(&self.unlike));
        }
        if !self.common.is_empty() {
            note += &format!("; left out, since many have the name: {}", listed(&self.common));
        }
        if self.sources.is_cut {
            note += "; not everything was looked at";
        }
        note
    }
}

fn alone(found: Vec<Seen>) -> Vec<Next> {
    found.into_iter().map(|it| (it, Vec::new())).collect()
}

/// What a place is in: the function, else the field, the constant or the type.
fn around(source: &Arc<Source>, offset: usize) -> Option<Seen> {
    let around = source.outline.enclosing(offset)?;
    if around.is_code() {
        return the_one(source, around);
    }
    // A field's value calls, not the type that has the field. Of several on one line nobody knows whose value it is.
    let innermost = source.outline.at(offset)?;
    let is_alone = source.outline.definitions.iter().filter(|it| it.whole == innermost.whole).count() == 1;
    let field = the_one(source, innermost).filter(|it| is_alone && !it.candidate.is_local);
    field.or_else(|| the_one(source, around).filter(|_| is_alone || around.kind.is_type()))
}

/// Whether a name stands for something that a definition takes or makes, as what is handed to it to be called.
fn is_local(of: &Seen, name: &str) -> bool {
    let (source, Extent { start, end }) = (&of.source, of.candidate.whole);
    let Some(parsed) = Parsed::new(source.language, source.text.as_str()) else { return false };
    let lines = start.line.index()..=end.line.index();
    let all =
        lines.flat_map(|line| on_line(source, line, name)).filter(|it| start <= it.start && it.end <= end);
    let mut roles = all.map(|it| parsed.role(source.offset(it.start)));
    roles.any(|it| matches!(it, Role::Definition | Role::Write))
        || source.text.as_str()[of.definition().signature.start..of.definition().signature.end]
            .split(|it: char| !(it.is_alphanumeric() || it == '_'))
            .any(|it| it == name)
}

/// The names of what was found.
fn names_of(found: &[Seen]) -> BTreeSet<String> {
    found.iter().map(|it| it.definition().name.clone()).collect()
}

/// That definition of the file.
fn the_one(source: &Arc<Source>, definition: &syntax::Definition) -> Option<Seen> {
    seen(source, &Name::any(), |it| std::ptr::eq(it, definition)).pop()
}

/// Whether it is what something of a type has, and not what that does.
fn is_value(kind: Kind) -> bool {
    matches!(kind, Kind::Property | Kind::Field | Kind::Event)
}

/// Languages in which a property may be what a method is elsewhere: it is read or called alike, or holds a function.
const ALIKE: &[&str] = &["ruby", "python", "typescript", "tsx", "javascript"];

/// The members of a type, or of a block that adds to one, that have a name and may implement something of that kind.
fn members(of: &Seen, name: &str, kind: Kind) -> Vec<Seen> {
    let whole = of.definition();
    // A record has a method for each of its fields.
    let is_record = || has_word(of, "record");
    let language = of.source.language.id();
    let is_alike = ALIKE.contains(&language) || language == "java" && is_record();
    let may = |it: Kind| is_alike || is_value(it) == is_value(kind);
    let is_inside = |it: &syntax::Definition| {
        it.parent.is_some_and(|it| std::ptr::eq(&of.source.outline.definitions[it], whole))
    };
    seen(&of.source, &Name::any(), |it| it.name == name && may(it.kind) && is_inside(it))
}

/// Languages in which a method is never called by its name alone.
const RECEIVERS: &[&str] = &["rust", "python", "typescript", "tsx", "javascript", "go", "php"];

/// Whether a call at an offset may mean something of that kind: `draw()` no method, and in Rust `x.draw()` no function.
fn may_call(source: &Source, offset: usize, kind: Kind) -> bool {
    let before = source.text.as_str().get(..offset).unwrap_or_default().trim_end();
    let language = source.language.id();
    if before.ends_with(['.', ':', '>']) {
        return language != "rust" || !before.ends_with('.') || kind != Kind::Function;
    }
    !(RECEIVERS.contains(&language) && kind == Kind::Method)
}

/// The names that a definition calls, with where.
fn calls(of: &Seen) -> BTreeMap<String, Vec<(Arc<Source>, Extent)>> {
    let source = &of.source;
    let mut found: BTreeMap<String, Vec<_>> = BTreeMap::new();
    let Some(parsed) = Parsed::new(source.language, source.text.as_str()) else { return found };
    let Extent { start, end } = of.candidate.whole;
    for line in start.line.index()..=end.line.index() {
        for (word, columns) in languages::words(&source.path, source.text.line(line).unwrap_or_default()) {
            let extent = Extent::within(line, columns);
            let offset = source.offset(extent.start);
            let is_inside = start <= extent.start && extent.end <= end && extent != of.candidate.name_at;
            if is_inside && parsed.role(offset) == Role::Call {
                found.entry(word).or_default().push((Arc::clone(source), extent));
            }
        }
    }
    found
}

/// Where a word stands on a line.
fn on_line(source: &Source, line: usize, name: &str) -> Vec<Extent> {
    let words = languages::words(&source.path, source.text.line(line).unwrap_or_default()).into_iter();
    words.filter(|(word, _)| word == name).map(|(_, columns)| Extent::within(line, columns)).collect()
}

/// What it is in, each name by itself.
fn whole_container(of: &Seen) -> Vec<String> {
    let path = of.source.outline.container(of.definition());
    path.iter().flat_map(|it| it.split([':', '.'])).filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// Whether its signature has a word.
fn has_word(of: &Seen, word: &str) -> bool {
    of.definition().signature(of.source.text.as_str()).split_whitespace().any(|it| it == word)
}

/// The own name of a base type as it is written: `fmt::Display`, `Generic[T]`, `Base<T>`, `\Model`.
pub(crate) fn base_name(written: &str) -> String {
    let plain = written.split(['<', '[', '(', '{']).next().unwrap_or_default().trim();
    let last = plain.rsplit(|it: char| !(it.is_alphanumeric() || it == '_')).next();
    last.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_have_names_of_their_own() {
        for (written, name) in [
            ("fmt::Display", "Display"),
            ("From<crate::Other>", "From"),
            ("Generic[T]", "Generic"),
            (r"\App\Model", "Model"),
            ("public Base", "Base"),
            ("Base(Other)", "Base"),
        ] {
            assert_eq!(base_name(written), name, "{written}");
        }
    }
}
