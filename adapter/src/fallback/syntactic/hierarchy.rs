//! Call and type hierarchies by names alone.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use ide_protocol::{
    Column, Completeness, DefinitionsResult, FileRange, Hierarchy, HierarchyResult, Line, Link, Listing,
    Point, Reason, Source as Answerer, Target,
};
use syntax::{Kind, Parsed};

use super::call_sites::{around, calls, is_local, may_call, wrap};
use super::candidate::module;
use super::fallback_reason::FallbackReason;
use super::found_definition::{
    FoundDefinition, ParsedFile, definitions_in, occurrences_on_line, range, to_definition,
};
use super::selection::{base_name, without_constructors};
use super::sources::{FILE_LIMIT, ParsedFiles};
use crate::blocking;
use crate::fallback::source::languages::{Language, SupertypeRule, ids};
use crate::fallback::source::names::Name;
use crate::fallback::source::outline::Extent;
use crate::fallback::workspace::index::file_symbols::FileSymbols;
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::word_scan;

/// The most links in an answer.
const LINKS: usize = 500;

/// The most symbols whose neighbours are searched.
const SYMBOL_LIMIT: usize = 60;

/// The largest depth.
const DEPTH: u32 = 16;

/// The maximum number of names that a reason lists.
const NAMED: usize = 12;

/// The most definitions of one name; with more, the callee is unknown.
const NAMESAKES: usize = 5;

/// A neighbour of a symbol, with the places of the calls.
type LinkedDefinition = (FoundDefinition, Vec<(Arc<ParsedFile>, Extent)>);

/// Builds the hierarchy of a target; `None` if its name has no definition.
pub(crate) async fn hierarchy(
    roots: &Arc<SessionFolders>,
    language: &'static Language,
    way: Hierarchy,
    (target, depth): (&Target, u32),
    instead: &FallbackReason,
) -> Option<HierarchyResult> {
    if !(1..=DEPTH).contains(&depth) {
        return None;
    }
    let (roots, target, instead) = (Arc::clone(roots), target.clone(), instead.clone());
    let looking = blocking::spawn(move || {
        let mut walk = HierarchyWalk::new(&roots, language, way, &instead);
        let first = walk.sources.resolve_target(&target);
        if first.is_empty() {
            return None;
        }
        let first = if way == Hierarchy::Callees { walk.sources.with_bodies(first) } else { first };
        walk.go(first, depth);
        let completeness = Completeness::with(Answerer("syntax".into()), walk.reasons(&instead));
        Some(HierarchyResult { completeness, links: walk.links })
    });
    looking.await
}

/// Finds the types that implement or extend a type at any depth, or the methods that implement a method.
pub(crate) async fn implementations(
    roots: &Arc<SessionFolders>,
    language: &'static Language,
    target: &Target,
    instead: &FallbackReason,
) -> Option<DefinitionsResult> {
    let (roots, target, instead) = (Arc::clone(roots), target.clone(), instead.clone());
    let looking = blocking::spawn(move || {
        let mut walk = HierarchyWalk::new(&roots, language, Hierarchy::Subtypes, &instead);
        let found = walk.implementations(&target)?;
        let definitions = walk.sources.write_all(&found);
        let completeness = Completeness::with(Answerer("syntax".into()), walk.reasons(&instead));
        Some(DefinitionsResult { completeness, definitions, nearest: Vec::new(), references: None })
    });
    looking.await
}

/// A breadth-first walk of a hierarchy.
struct HierarchyWalk<'a> {
    sources: ParsedFiles<'a>,
    way: Hierarchy,
    links: Vec<Link>,
    /// The symbols that were reached.
    reached: Vec<FoundDefinition>,
    asked: BTreeSet<(PathBuf, Point)>,
    /// Called or extended names without a definition in the workspace.
    elsewhere: BTreeSet<String>,
    /// Called or extended names that only something of another kind has.
    unlike: BTreeSet<String>,
    /// Names with too many definitions.
    common: BTreeSet<String>,
    /// Names that calls do not contain, such as operators.
    signs: BTreeSet<String>,
}

impl<'a> HierarchyWalk<'a> {
    fn new(
        roots: &'a SessionFolders,
        language: &'static Language,
        way: Hierarchy,
        instead: &FallbackReason,
    ) -> Self {
        let sources = ParsedFiles::new(roots, language, instead.until);
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

    fn go(&mut self, first: Vec<FoundDefinition>, depth: u32) {
        let mut left: VecDeque<(FoundDefinition, u32)> = first.into_iter().map(|it| (it, 0)).collect();
        self.asked.extend(left.iter().map(|(it, _)| it.place()));
        let mut asked = 0;
        while let Some((step, level)) = left.pop_front() {
            if asked == SYMBOL_LIMIT || self.links.len() >= LINKS {
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

    fn next(&mut self, of: &FoundDefinition) -> Vec<LinkedDefinition> {
        match self.way {
            Hierarchy::Callers => self.callers(of),
            Hierarchy::Callees => self.callees(of),
            Hierarchy::Supertypes => alone(self.supertypes(of)),
            Hierarchy::Subtypes => alone(self.subtypes(of)),
        }
    }

    /// Returns the functions that contain the calls. Calls outside of any definition are linked to their
    /// file.
    fn callers(&mut self, of: &FoundDefinition) -> Vec<LinkedDefinition> {
        let name = of.definition().name.clone();
        let mut found: BTreeMap<(PathBuf, Point), LinkedDefinition> = BTreeMap::new();
        if !self.sources.language.is_written_in_uses(&name) {
            self.signs.insert(name.clone());
        }
        let mut loose: BTreeMap<PathBuf, (Arc<ParsedFile>, Vec<Extent>)> = BTreeMap::new();
        for (source, lines) in self.mentioning(&name) {
            let Some(parsed) = Parsed::new(source.language, source.text.as_str()) else { continue };
            for extent in
                lines.iter().flat_map(|line| occurrences_on_line(&source.path, &source.text, *line, &name))
            {
                let offset = source.offset(extent.start);
                let can = may_call(&source, offset, of.definition().kind);
                if !can || !parsed.role(offset).is_call() {
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

    /// Returns the definitions of the names that its body calls.
    fn callees(&mut self, of: &FoundDefinition) -> Vec<LinkedDefinition> {
        let calls = calls(of);
        let names: Vec<&str> = calls.keys().map(String::as_str).collect();
        let mut found = self.sources.definitions_named_any(&names);
        let defined = names_of(&found);
        let is_meant =
            |it: &FoundDefinition| it.definition().kind.is_callable() || it.definition().kind.is_type();
        found.retain(|it| is_meant(it) && !it.candidate.is_local);
        let found = without_constructors(found);
        let mut next: Vec<LinkedDefinition> = Vec::new();
        for (name, places) in &calls {
            let can = |it: &FoundDefinition| {
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

    /// Returns the base types of a type and of its other parts; in Rust also the traits of its `impl` blocks.
    fn supertypes(&mut self, of: &FoundDefinition) -> Vec<FoundDefinition> {
        let name = of.definition().name.clone();
        let parts = self.parts(of);
        let written = parts.iter().chain([of]).flat_map(|it| &it.definition().bases);
        let mut bases: BTreeSet<String> = written.map(|it| base_name(it)).collect();
        if self.sources.language.supertypes == SupertypeRule::Blocks && !of.is_extension() {
            let extends = |it: &FileSymbols| it.names().any(|it| it == name) && it.bases().next().is_some();
            for source in self.sources_with(&name, extends) {
                let blocks =
                    definitions_in(&source, &Name::any(), |it| it.name == name && !it.bases.is_empty());
                let blocks = blocks.iter().filter(|it| it.is_extension());
                bases.extend(blocks.flat_map(|it| &it.definition().bases).map(|it| base_name(it)));
            }
        }
        bases.remove(&name);
        let names: Vec<&str> = bases.iter().map(String::as_str).collect();
        let mut found = self.sources.definitions_named_any(&names);
        let defined = names_of(&found);
        // In Ruby modules are bases too.
        found.retain(|it| it.definition().kind.is_type() || it.definition().kind == Kind::Module);
        let found_names = names_of(&found);
        for name in bases.iter().filter(|it| !found_names.contains(*it)) {
            let names = if defined.contains(name) { &mut self.unlike } else { &mut self.elsewhere };
            names.insert(name.clone());
        }
        found
    }

    /// Returns the other parts of a type: reopened classes and modules of Ruby, `partial` types of C#.
    fn parts(&mut self, of: &FoundDefinition) -> Vec<FoundDefinition> {
        let is_open = match of.source.language.id() {
            ids::RUBY => true,
            ids::CSHARP => has_word(of, "partial"),
            _ => false,
        };
        if !is_open || !(of.definition().kind.is_type() || of.definition().kind == Kind::Module) {
            return Vec::new();
        }
        let (name, container) = (of.definition().name.clone(), whole_container(of));
        let sources = self.sources_with(&name, |it| it.names().any(|it| it == name));
        let found =
            sources.iter().flat_map(|source| definitions_in(source, &Name::any(), |it| it.name == name));
        let is_part = |it: &FoundDefinition| {
            let is_same = it.definition().kind == of.definition().kind && it.place() != of.place();
            is_same && whole_container(it) == container
        };
        found.filter(is_part).collect()
    }

    /// Returns the types that name it as a base.
    fn subtypes(&mut self, of: &FoundDefinition) -> Vec<FoundDefinition> {
        let name = of.definition().name.clone();
        let is_base = |it: &syntax::Definition| it.bases.iter().any(|base| base_name(base) == name);
        let derives = |it: &FileSymbols| it.bases().any(|(_, base)| base_name(base) == name);
        let sources = self.sources_with(&name, derives);
        sources.iter().flat_map(|source| definitions_in(source, &Name::any(), is_base)).collect()
    }

    /// Returns the implementations of a target; `None` if it means nothing.
    fn implementations(&mut self, target: &Target) -> Option<Vec<FoundDefinition>> {
        let of = self.sources.resolve_target(target).into_iter().next()?;
        let kind = of.definition().kind;
        let is_member = kind.is_callable() || is_value(kind) && of.definition().parent.is_some();
        let member = is_member.then(|| of.definition().name.clone());
        let around = of.definition().parent.map(|it| &of.source.outline.definitions[it]);
        let whole = match (&member, around) {
            (Some(_), Some(around)) => wrap(&of.source, around),
            (Some(_), None) => None,
            (None, _) => Some(of.clone()),
        };
        self.go(whole.into_iter().collect(), DEPTH);
        Some(match member {
            Some(member) => self.reached.iter().flat_map(|it| members(it, &member, kind)).collect(),
            None => self.reached.clone(),
        })
    }

    /// Returns the files with wanted symbols; without an index, those that contain a word.
    fn sources_with(&mut self, word: &str, is_wanted: impl Fn(&FileSymbols) -> bool) -> Vec<Arc<ParsedFile>> {
        match self.sources.files_with(is_wanted) {
            Some(files) => files.iter().filter_map(|path| self.sources.source(path)).collect(),
            None => self.mentioning(word).into_iter().map(|(source, _)| source).collect(),
        }
    }

    /// Returns the files that contain a word, with the lines.
    fn mentioning(&mut self, word: &str) -> Vec<(Arc<ParsedFile>, BTreeSet<usize>)> {
        let lines = word_scan::mentions(
            self.sources.language,
            &self.sources.roots.search_scope(),
            word,
            self.sources.until,
        );
        self.sources.is_cut |= !lines.complete || lines.lines.len() > FILE_LIMIT;
        let some: Vec<_> = lines.lines.into_iter().take(FILE_LIMIT).collect();
        let files: Vec<_> = some.iter().map(|(path, _)| path.clone()).collect();
        self.sources.read_all(&files);
        let some = some.into_iter();
        some.filter_map(|(path, lines)| Some((self.sources.source(&path)?, lines))).collect()
    }

    fn link(
        &mut self,
        asked: &FoundDefinition,
        other: &FoundDefinition,
        places: &[(Arc<ParsedFile>, Extent)],
    ) {
        let (from, to) = if self.way.is_upstream() { (other, asked) } else { (asked, other) };
        let at = places.iter().map(|(source, extent)| self.place(source, *extent)).collect();
        let (from, to) = (self.sources.write(from), self.sources.write(to));
        self.links.push(Link { from, to, at });
    }

    /// Links a file that calls something outside of any definition.
    fn link_file(&mut self, asked: &FoundDefinition, source: &ParsedFile, places: &[Extent]) {
        let start = Point { line: Line::FIRST, column: Column::FIRST };
        let end = Point { line: Line::from_index(source.text.line_count()), column: Column::FIRST };
        let file = module(&source.path, Extent { start, end }, Extent::at(start));
        let at = places.iter().map(|extent| self.place(source, *extent)).collect();
        let from = to_definition(self.sources.roots, &file, &source.text);
        self.links.push(Link { from, to: self.sources.write(asked), at });
    }

    fn place(&self, source: &ParsedFile, extent: Extent) -> FileRange {
        range(self.sources.roots, &source.path, &source.text, extent)
    }

    /// Returns the reasons why the answer is incomplete.
    fn reasons(&self, instead: &FallbackReason) -> Vec<Reason> {
        let listed =
            |names: &BTreeSet<String>| (!names.is_empty()).then(|| Listing::of(names.iter().cloned(), NAMED));
        let is_go = self.sources.language.supertypes == SupertypeRule::Structural;
        let unlike = |names| match self.way {
            Hierarchy::Callees => Reason::NotCallable { names },
            _ => Reason::NotTypes { names },
        };
        let reasons = [
            Some(Reason::NamesAlone { why: instead.why.clone() }),
            listed(&self.signs).map(|names| Reason::SignCalls { names }),
            (is_go && self.way == Hierarchy::Subtypes).then_some(Reason::UnnamedInterfaces {}),
            // A preprocessor may hide a definition that is in the workspace.
            listed(&self.elsewhere).map(|names| Reason::Undefined { names }),
            listed(&self.unlike).map(unlike),
            listed(&self.common).map(|names| Reason::CommonNames { names }),
            self.sources.is_cut.then_some(Reason::SearchesCut {}),
        ];
        reasons.into_iter().flatten().collect()
    }
}

fn alone(found: Vec<FoundDefinition>) -> Vec<LinkedDefinition> {
    found.into_iter().map(|it| (it, Vec::new())).collect()
}

/// Returns the names of definitions.
fn names_of(found: &[FoundDefinition]) -> BTreeSet<String> {
    found.iter().map(|it| it.definition().name.clone()).collect()
}

/// Returns whether a kind is a value of a type, and not a method.
fn is_value(kind: Kind) -> bool {
    matches!(kind, Kind::Property | Kind::Field | Kind::Event)
}

/// Languages in which a property can implement a method, because it is used alike or holds a function.
const ALIKE: &[&str] = &[ids::RUBY, ids::PYTHON, ids::TYPESCRIPT, ids::TSX, ids::JAVASCRIPT];

/// Returns the members of a type or extension that may implement a member of this name and kind.
fn members(of: &FoundDefinition, name: &str, kind: Kind) -> Vec<FoundDefinition> {
    let whole = of.definition();
    // A record has an accessor for each component.
    let is_record = || has_word(of, "record");
    let language = of.source.language.id();
    let is_alike = ALIKE.contains(&language) || language == ids::JAVA && is_record();
    let may = |it: Kind| is_alike || is_value(it) == is_value(kind);
    let is_inside = |it: &syntax::Definition| {
        it.parent.is_some_and(|it| std::ptr::eq(&of.source.outline.definitions[it], whole))
    };
    definitions_in(&of.source, &Name::any(), |it| it.name == name && may(it.kind) && is_inside(it))
}

/// Returns the parts of the qualified name of its container.
fn whole_container(of: &FoundDefinition) -> Vec<String> {
    let path = of.source.outline.container(of.definition());
    path.iter().flat_map(|it| it.split([':', '.'])).filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// Returns whether its signature contains a word.
fn has_word(of: &FoundDefinition, word: &str) -> bool {
    of.definition().signature(of.source.text.as_str()).split_whitespace().any(|it| it == word)
}
