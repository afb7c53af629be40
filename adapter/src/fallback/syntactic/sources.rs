//! The files of a session, each parsed once for an answer, and searches for definitions in them.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use ide_protocol::{Definition, Location, Point, SearchCut, Target};
use syntax::Kind;

use super::found_definition::{
    FoundDefinition, ParsedFile, definitions_in, definitions_named, parse_file, text_of, to_definition,
};
use super::selection::{best, declared_once};
use crate::fallback::source::languages::Language;
use crate::fallback::source::names::{Fit, Name};
use crate::fallback::source::outline::Extent;
use crate::fallback::source::parallel;
use crate::fallback::source::parallel::threads;
use crate::fallback::source::text::Text;
use crate::fallback::workspace::index::FolderSymbols;
use crate::fallback::workspace::index::file_symbols::FileSymbols;
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::word_scan;
use crate::fallback::workspace::word_scan::{CandidateFiles, MatchingLines, WordOccurrences};

/// The most files that are searched for one name.
pub(super) const FILE_LIMIT: usize = 400;

/// The maximum number of files that a note names as unreadable.
const UNREADABLE: usize = 3;

/// The parsed files of one request. Files are parsed when needed.
pub(crate) struct ParsedFiles<'a> {
    pub(crate) roots: &'a SessionFolders,
    pub(crate) language: &'static Language,
    pub(crate) until: Instant,
    read: HashMap<PathBuf, Option<Arc<ParsedFile>>>,
    texts: HashMap<PathBuf, Arc<Text>>,
    /// Recent occurrences of a name, from an earlier step of the request.
    mentions: Option<Arc<WordOccurrences>>,
    /// `true` if candidate files are parsed only for the name.
    is_for_names: bool,
    /// The index of definitions, looked up once.
    symbols: OnceCell<Option<FolderSymbols>>,
    /// `true` after waiting for the index.
    has_waited: bool,
    /// `true` if something was left out, for lack of time or because of too many files.
    pub(crate) is_cut: bool,
    /// The reasons for that, where they are known.
    pub(crate) cuts: BTreeSet<SearchCut>,
    /// The qualifiers of the last name that were used.
    pub(crate) qualified_by: Vec<String>,
}

impl<'a> ParsedFiles<'a> {
    pub(crate) fn new(roots: &'a SessionFolders, language: &'static Language, until: Instant) -> Self {
        Self {
            roots,
            language,
            until,
            read: HashMap::new(),
            texts: HashMap::new(),
            mentions: None,
            is_for_names: false,
            symbols: OnceCell::new(),
            has_waited: false,
            is_cut: false,
            cuts: BTreeSet::new(),
            qualified_by: Vec::new(),
        }
    }

    /// Uses the occurrences from an earlier step of the request.
    pub(crate) fn with_occurrences(self, mentions: Option<Arc<WordOccurrences>>) -> Self {
        Self { mentions, ..self }
    }

    /// Restricts parsing to the requested name, for requests that need only its name, kind, extent and
    /// container.
    pub(crate) fn for_names(self) -> Self {
        Self { is_for_names: true, ..self }
    }

    /// Parses files ahead, on several threads if there are many.
    pub(crate) fn read_all(&mut self, files: &[PathBuf]) {
        if self.is_for_names {
            return;
        }
        let unread: Vec<_> = files.iter().filter(|it| !self.read.contains_key(*it)).collect();
        if unread.len() < 2 {
            return;
        }
        let read_one =
            |path: &&PathBuf| Some(((*path).clone(), parse_file(self.roots, path, None).map(Arc::new)));
        self.read.extend(parallel::map(&unread, threads(), self.until, read_one));
    }

    /// Returns the symbols of all files of the language; `None` if they are not indexed.
    pub(crate) fn symbols(&self) -> Option<&FolderSymbols> {
        self.symbols.get_or_init(|| self.roots.symbols(self.language, None, self.until)).as_ref()
    }

    /// Waits for the index while it is being built, once and briefly.
    pub(crate) fn wait_for_index(&mut self) {
        if !self.has_waited && self.symbols().is_none() {
            self.has_waited = true;
            self.symbols = OnceCell::from(self.roots.wait_for_symbols(self.language, None, self.until));
        }
    }

    /// Returns the first files whose symbols are wanted; `None` without an index.
    pub(crate) fn files_with(&mut self, is_wanted: impl Fn(&FileSymbols) -> bool) -> Option<Vec<PathBuf>> {
        let files = self.files_where(is_wanted)?;
        Some(self.first_files(files))
    }

    /// Returns all files whose symbols are wanted; `None` without an index.
    fn files_where(&mut self, is_wanted: impl Fn(&FileSymbols) -> bool) -> Option<Vec<PathBuf>> {
        let symbols = self.symbols()?;
        let wanted = symbols.files.iter().filter(|(_, file)| is_wanted(file));
        let files = wanted.map(|(path, _)| path.clone()).collect();
        let mut paths: Vec<_> = symbols.unreadable.iter().map(|it| self.roots.display_path(it)).collect();
        if !paths.is_empty() {
            let more = paths.split_off(paths.len().min(UNREADABLE)).len();
            self.cut(SearchCut::Unreadable { paths, more });
        }
        Some(files)
    }

    fn limit(&mut self, files: &mut Vec<PathBuf>) {
        if files.len() > FILE_LIMIT {
            self.cut(SearchCut::FileLimit { total: files.len(), limit: FILE_LIMIT });
            files.truncate(FILE_LIMIT);
        }
    }

    /// Truncates the files to [`FILE_LIMIT`], and parses them.
    fn first_files(&mut self, mut files: Vec<PathBuf>) -> Vec<PathBuf> {
        self.limit(&mut files);
        self.read_all(&files);
        files
    }

    /// Returns the first files with matching lines.
    pub(crate) fn files_of(&mut self, lines: MatchingLines) -> Vec<PathBuf> {
        if !lines.complete {
            self.cut(SearchCut::TimeUp);
        }
        self.first_files(lines.lines.into_keys().collect())
    }

    /// Records that something was left out, and why.
    fn cut(&mut self, why: SearchCut) {
        self.is_cut = true;
        self.cuts.insert(why);
    }

    /// Returns the text of a file.
    pub(crate) fn text(&mut self, path: &Path) -> Option<Arc<Text>> {
        if let Some(text) = self.texts.get(path) {
            return Some(Arc::clone(text));
        }
        let text = text_of(self.roots, path)?;
        self.texts.insert(path.to_owned(), Arc::clone(&text));
        Some(text)
    }

    /// Returns a parsed file; `None` if it is no text, has no grammar, or the time is over.
    pub(crate) fn source(&mut self, path: &Path) -> Option<Arc<ParsedFile>> {
        if let Some(source) = self.read.get(path) {
            return source.clone();
        }
        if Instant::now() >= self.until {
            self.cut(SearchCut::TimeUp);
            return None;
        }
        let source = parse_file(self.roots, path, None).map(Arc::new);
        self.read.insert(path.to_owned(), source.clone());
        source
    }

    /// Returns the definitions of a name that fit its qualifiers best.
    ///
    /// If none fits, outer qualifiers are dropped one after the other. Blocks that only extend a type do not
    /// count.
    pub(crate) fn named(&mut self, name: &Name) -> Vec<FoundDefinition> {
        let CandidateFiles { files, n_likely, .. } = self.candidate_files(&name.last);
        if self.language.defines_plainly && n_likely < files.len() {
            let found = self.named_in(files[..n_likely].to_vec(), name);
            if !found.is_empty() && self.qualified_by.len() == name.path.len() {
                return found;
            }
        }
        let found = self.named_in(files, name);
        match name.last.strip_suffix('=').filter(|_| found.is_empty() && self.language.endings.contains('='))
        {
            Some(attribute) => self.attributes_named(&Name { last: attribute.to_owned(), ..name.clone() }),
            None => found,
        }
    }

    /// Returns the attributes that assignment can set, for a Ruby name such as `size=`.
    fn attributes_named(&mut self, name: &Name) -> Vec<FoundDefinition> {
        let is_assigned = |it: &FoundDefinition| {
            let FoundDefinition { source, .. } = it;
            let is_read_only = |it: &str| it.starts_with("attr_reader") || it.starts_with("attr ");
            let written = source.text.as_str().get(it.definition().signature.range());
            it.definition().kind == Kind::Property && written.is_some_and(|it| !is_read_only(it))
        };
        let mut found = self.named(name);
        found.retain(is_assigned);
        found
    }

    /// Returns the files that may define a name.
    ///
    /// Without an index these are all files that mention it, because a definition may look like any other
    /// line.
    fn candidate_files(&mut self, name: &str) -> CandidateFiles {
        let defines = |it: &FileSymbols| it.names().any(|it| it == name);
        let known = |files: Vec<_>| CandidateFiles { n_likely: files.len(), files, are_all: true };
        let word = syntax::written(name);
        let mentions = self.mentions.clone().filter(|it| it.is_fresh_for(word));
        if let (None, Some(files)) = (&mentions, self.files_where(defines)) {
            return known(files);
        }
        let mentions = mentions.map_or_else(
            || {
                WordOccurrences::find(&self.roots.search_scope(), word, self.until)
                    .candidate_files(self.language)
            },
            |it| it.candidate_files(self.language),
        );
        if !self.language.defines_plainly && (!mentions.are_all || mentions.files.len() > FILE_LIMIT) {
            self.wait_for_index();
            if let Some(files) = self.files_where(defines) {
                return known(files);
            }
        }
        if !mentions.are_all {
            self.cut(SearchCut::TimeUp);
        }
        mentions
    }

    /// Returns the definitions of a name in these files, chosen as in [`Self::named`].
    fn named_in(&mut self, mut files: Vec<PathBuf>, name: &Name) -> Vec<FoundDefinition> {
        self.limit(&mut files);
        let sources = self.defining(&files, &name.last);
        let mut name = name.clone();
        loop {
            let found: Vec<_> = sources.iter().flat_map(|source| definitions_named(source, &name)).collect();
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

    /// Returns the definitions of any of these names, whatever their kind and container.
    pub(crate) fn definitions_named_any(&mut self, names: &[&str]) -> Vec<FoundDefinition> {
        let files = self.files_defining(names);
        let mut found = Vec::new();
        for path in files {
            let Some(source) = self.source(&path) else { continue };
            found.extend(definitions_in(&source, &Name::any(), |it| names.contains(&it.name.as_str())));
        }
        found.retain(|it| !it.is_extension());
        declared_once(found, self.language)
    }

    /// Returns the files that define any of these names.
    fn files_defining(&mut self, names: &[&str]) -> Vec<PathBuf> {
        if names.is_empty() {
            return Vec::new();
        }
        if !self.language.defines_plainly {
            self.wait_for_index();
        }
        let defines = |it: &FileSymbols| it.names().any(|name| names.contains(&name));
        self.files_with(defines).unwrap_or_else(|| {
            let lines =
                word_scan::definitions_of_any(self.language, &self.roots.search_scope(), names, self.until);
            if !self.language.defines_plainly {
                self.cut(SearchCut::Indexing);
            }
            self.files_of(lines)
        })
    }

    /// Returns the definitions of a name that begin with a keyword and the name, whatever their container. The text
    /// shows these, so that no index is needed.
    pub(crate) fn declared_by_keyword(&mut self, name: &str) -> Vec<FoundDefinition> {
        let files = self.files_with(|it| it.names().any(|it| it == name)).unwrap_or_else(|| {
            let scope = self.roots.search_scope();
            let lines = word_scan::definitions_of_any(self.language, &scope, &[name], self.until);
            self.files_of(lines)
        });
        let sources: Vec<_> = files.iter().filter_map(|it| self.source(it)).collect();
        sources.iter().flat_map(|it| definitions_in(it, &Name::any(), |it| it.name == name)).collect()
    }

    /// Parses files, and returns those that define the name.
    fn defining(&mut self, files: &[PathBuf], name: &str) -> Vec<Arc<ParsedFile>> {
        let read_one = |path: &PathBuf| Some(parse_file(self.roots, path, Some(name)));
        let read = parallel::map(files, threads(), self.until, read_one);
        if read.len() < files.len() {
            self.cut(SearchCut::TimeUp);
        }
        let mut sources: Vec<_> = read.into_iter().flatten().collect();
        sources.retain(|it| it.outline.definitions.iter().any(|it| it.name == name));
        sources.sort_by(|a, b| a.path.cmp(&b.path));
        if self.is_for_names {
            return sources.into_iter().map(Arc::new).collect();
        }
        sources.iter().filter_map(|it| self.source(&it.path)).collect()
    }

    /// Returns the definitions that a target means: by name, by place, or by name near a place.
    pub(crate) fn resolve_target(&mut self, target: &Target) -> Vec<FoundDefinition> {
        let name = Name::of_target(target, self.language);
        match (&target.at, name) {
            (None, Some(name)) => self.named(&name),
            (Some(at), Some(name)) => self.definition_near(&name, at).into_iter().collect(),
            (Some(at), None) => self.at_place(at),
            (None, None) => Vec::new(),
        }
    }

    /// Returns the definition of a name nearest to a place in its file.
    ///
    /// A block that extends a type counts only if the place is exactly its own.
    fn definition_near(&mut self, name: &Name, at: &Location) -> Option<FoundDefinition> {
        let path = self.roots.resolve(&at.path).ok()?.path;
        let source = self.source(&path)?;
        let mut found = definitions_in(&source, name, |it| it.name == name.last);
        found.retain(|it| !it.is_extension() || at.column.is_some() && it.begins_at(at));
        let distance = |it: &FoundDefinition| {
            (it.candidate.name_at.start.line.get().abs_diff(at.line.get()), !it.begins_at(at))
        };
        found.into_iter().filter(|it| it.candidate.fit != Fit::None).min_by_key(distance)
    }

    /// Replaces declarations by the definitions with bodies, where these are found.
    pub(crate) fn with_bodies(&mut self, found: Vec<FoundDefinition>) -> Vec<FoundDefinition> {
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

    /// Returns the definition at a place, otherwise all definitions of the name there.
    fn at_place(&mut self, at: &Location) -> Vec<FoundDefinition> {
        let path = self.roots.resolve(&at.path).ok().map(|it| it.path);
        let Some(source) = path.and_then(|it| self.source(&it)) else { return Vec::new() };
        let is_meant = |extent: &Extent| match at.column {
            Some(column) => extent.holds(Point { line: at.line, column }),
            None => extent.start.line == at.line,
        };
        let all = definitions_in(&source, &Name::any(), |_| true);
        let here = all.iter().find(|it| is_meant(&it.candidate.name_at) && !it.is_extension());
        let here =
            here.or_else(|| all.iter().find(|it| at.column.is_none() && is_meant(&it.candidate.whole)));
        if let Some(found) = here {
            return vec![found.clone()];
        }
        let place = at.column.zip(source.text.line(at.line.index()));
        let word = place.and_then(|(column, line)| self.language.word_at(line, column.index()));
        let name = word.and_then(|(word, _)| Name::parse(&word, self.language));
        name.map_or_else(Vec::new, |name| self.named(&name))
    }

    /// Converts a definition for the agent.
    pub(crate) fn write(&self, seen: &FoundDefinition) -> Definition {
        to_definition(self.roots, &seen.candidate, &seen.source.text)
    }

    /// Converts definitions for the agent, in order of path and position, those of copies of the workspace last.
    pub(crate) fn write_all(&self, seen: &[FoundDefinition]) -> Vec<Definition> {
        let mut definitions: Vec<_> = seen.iter().map(|it| self.write(it)).collect();
        definitions.sort_by_cached_key(|it| {
            (self.roots.is_hidden(&it.name_at.path), it.name_at.path.clone(), it.name_at.start)
        });
        definitions
    }
}
