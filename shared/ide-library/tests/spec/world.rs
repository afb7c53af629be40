//! A host in memory: the files of a case, and the exceptions that it declares.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt;
use ide_library::{Answer, Host};
use ide_protocol::{
    Completeness, Definition, DefinitionsQuestion, DefinitionsResult, DescriptionQuestion, DescriptionResult,
    Diagnostic, DiagnosticsQuestion, DiagnosticsResult, EditedTextsResult, ErrorCode, ExportsQuestion,
    ExportsResult, FileDefinitionsQuestion, FileDefinitionsResult, FileRange, FilesQuestion, FilesResult,
    FormatQuestion, Gap, Hierarchy, HierarchyQuestion, HierarchyResult, IdeError, Import, ImportersQuestion,
    ImportsQuestion, ImportsResult, Line, LinesQuestion, LinesResult, Location, MatchesQuestion,
    MatchesResult, MembersQuestion, MembersResult, Navigation, Operation, OrganizeImportsQuestion,
    OutlineQuestion, OutlineResult, Question, ReferencesQuestion, ReferencesResult, SearchQuestion,
    SearchResult, SelectionResult, Severity, Source, SourceLine, SymbolsQuestion, SymbolsResult,
    TakeActionQuestion, Target, UnsavedText,
};
use literate::Case;
use regex::Regex;
use serde::Serialize;
use serde_json::Value;
use source_text::{Encoding, LineIndex};
use syntax::{Language, Parsed, Pattern};

use super::code::{LOCAL, Word};

/// The maximum number of hits.
const HITS: usize = 5;

/// The files of a case, and the exceptions of its host.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    pub(crate) files: BTreeMap<String, Vec<String>>,
    /// By operation: `{"error": …}`, or fields that replace those of the answer.
    odd: BTreeMap<String, Value>,
    /// The number of questions so far.
    asked: Arc<AtomicUsize>,
    /// `true` if definitions come with the uses that are asked for next.
    answers_next: bool,
}

/// The selection for the examples of `getSelection`.
const SELECTED: &str = r#"{"selections": [{"path": "src/auth.rs", "text": "User",
    "start": {"line": 4, "column": 12}, "end": {"line": 4, "column": 16}}]}"#;

impl World {
    /// Reads a case: blocks `world PATH` are files, blocks `host OPERATION` are exceptions.
    pub(crate) fn of(case: &Case) -> Self {
        let files = case.inputs_of("world");
        let files = files.map(|it| (it.subject.clone(), it.text.lines().map(str::to_owned).collect()));
        let odd = case.inputs_of("host").map(|it| {
            assert!(Operation::from_name(&it.subject).is_some(), "`{}` is no operation", it.subject);
            (it.subject.clone(), serde_json::from_str(&it.text).expect("an oddity is an object of JSON"))
        });
        Self { files: files.collect(), odd: odd.collect(), ..Self::default() }
    }

    /// Returns the number of questions so far.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    /// Gives the uses that are asked for next together with the definition.
    pub(crate) fn answering_next(self) -> Self {
        Self { answers_next: true, ..self }
    }

    /// Adds a selection.
    pub(crate) fn with_selection(mut self) -> Self {
        self.odd.insert("selection".into(), serde_json::from_str(SELECTED).expect("it is JSON"));
        self
    }

    fn oddly<T: Serialize>(
        &self,
        operation: Operation,
        usual: Result<T, IdeError>,
    ) -> Result<Value, IdeError> {
        let as_json = |usual| serde_json::to_value(usual).expect("answers are JSON");
        let Some(odd) = self.odd.get(operation.name()) else { return usual.map(as_json) };
        if let Some(error) = odd.get("error") {
            return Err(serde_json::from_value(error.clone()).expect("an error of the wire"));
        }
        let mut answer = as_json(usual?);
        for (field, value) in odd.as_object().expect("an oddity is an object") {
            answer[field] = value.clone();
        }
        Ok(answer)
    }

    pub(crate) fn file(&self, path: &str) -> Result<(&String, &Vec<String>), IdeError> {
        let path = path.trim_start_matches("./");
        self.files.get_key_value(path).ok_or_else(|| {
            let paths: Vec<_> = self.files.keys().map(|it| format!("`{it}`")).collect();
            IdeError::new(ErrorCode::NotFound, format!("there is no file `{path}`"))
                .recovery(format!("There are {}.", paths.join(", ")))
        })
    }

    fn find(&self, question: &DefinitionsQuestion) -> Result<Vec<Definition>, IdeError> {
        let named = |name: &str| {
            let name = name.to_owned();
            self.defined().filter(move |(word, _)| word.text == name && word.kind != Some(LOCAL))
        };
        match (&question.target.name, &question.target.at) {
            (Some(name), None) => Ok(named(name).map(|(_, it)| it).collect()),
            (Some(name), Some(place)) => {
                self.file(&place.path)?;
                let here = named(name).map(|(_, it)| it).filter(|it| it.name_at.path == place.path);
                let here: Vec<_> = here.collect();
                let gone = || IdeError::new(ErrorCode::NotFound, format!("nothing there is called `{name}`"));
                if here.is_empty() { Err(gone()) } else { Ok(here) }
            }
            (None, Some(place)) => {
                self.file(&place.path)?;
                Ok(if place.column.is_some() { self.meant_at(place) } else { self.on_line(place) })
            }
            (None, None) => Err(IdeError::new(ErrorCode::InvalidRequest, "the target is empty")),
        }
    }

    fn on_line(&self, place: &Location) -> Vec<Definition> {
        let starts =
            |it: &Definition| [it.name_at.start.line, it.defined_at.start.line].contains(&place.line);
        self.defined().map(|(_, it)| it).filter(|it| it.name_at.path == place.path && starts(it)).collect()
    }

    fn nearest(&self, name: &str) -> Vec<String> {
        let distance = |it: &str| strsim::osa_distance(&it.to_lowercase(), &name.to_lowercase());
        let names = self.defined().filter(|(word, _)| word.kind != Some(LOCAL)).map(|(word, _)| word.text);
        let mut near: Vec<_> =
            names.filter(|it| distance(it) <= 2).map(|it| (distance(it), it.to_owned())).collect();
        near.sort();
        near.dedup();
        near.into_iter().map(|(_, name)| name).collect()
    }

    fn uses(&self, question: &ReferencesQuestion) -> Result<ReferencesResult, IdeError> {
        let place = question.target.at.as_ref().expect("the library says where");
        let named =
            self.meant_at(place).into_iter().find(|it| Some(&it.name) == question.target.name.as_ref());
        let gone = || IdeError::new(ErrorCode::NotFound, "that symbol is not there");
        let definition = named.ok_or_else(gone)?;
        let (words, mentions, code) = self.used(&definition);
        let wanted = words.iter().filter(|word| word.kind.is_none() || question.include_declaration);
        let references = wanted.map(|word| self.range_of(word)).collect();
        let source = Source("language-server:test".into());
        Ok(ReferencesResult {
            completeness: Completeness::complete(source),
            references,
            mentions: Some(mentions),
            code_mentions: (code.len() <= 5).then_some(code),
        })
    }

    fn matching(&self, question: &SearchQuestion) -> Result<SearchResult, IdeError> {
        let pattern = Regex::new(&question.pattern).map_err(|error| {
            let cause = error.to_string().lines().last().unwrap_or_default().to_owned();
            IdeError::new(ErrorCode::InvalidRequest, format!("the pattern is no regular expression: {cause}"))
        })?;
        let folder = question.path.trim_end_matches('/');
        let is_in =
            |path: &&String| folder == "." || *path == folder || path.starts_with(&format!("{folder}/"));
        if !self.files.keys().any(|path| is_in(&path)) {
            return Err(IdeError::new(ErrorCode::NotFound, format!("there is no file or folder `{folder}`")));
        }
        let ending = question.extension.as_deref().unwrap_or_default();
        let mut hits = Vec::new();
        for (path, lines) in self.files.iter().filter(|(path, _)| is_in(path) && path.ends_with(ending)) {
            for (line, text) in lines.iter().enumerate() {
                let column = |byte: usize| text[..byte].chars().count();
                hits.extend(pattern.captures(text).map(|captures| {
                    let found = captures.get_match();
                    let range = self.range(path, (line, column(found.start())), (line, column(found.end())));
                    let groups = pattern.capture_names().flatten().map(|name| {
                        (name.to_owned(), captures.name(name).map_or("", |it| it.as_str()).to_owned())
                    });
                    FileRange { groups: groups.collect(), ..range }
                }));
            }
        }
        let total = hits.len() as u64;
        hits.truncate(HITS);
        Ok(SearchResult {
            completeness: Completeness::reported(total <= HITS as u64, Source("text".into()), None, None),
            total,
            hits,
            with_context: None,
        })
    }

    /// Matches patterns of Rust only.
    fn written_like(&self, question: &MatchesQuestion) -> Result<MatchesResult, IdeError> {
        let rust = Language::of_id("rust").expect("it is known");
        let pattern = Pattern::new(rust, &question.pattern).map_err(|error| {
            IdeError::new(ErrorCode::InvalidRequest, format!("the pattern is no code of Rust: {error}"))
        })?;
        let folder = question.path.trim_end_matches('/').trim_start_matches('.');
        let mut matches = Vec::new();
        for (path, lines) in self.files.iter().filter(|(path, _)| path.starts_with(folder)) {
            let text = lines.join("\n");
            let (parsed, index) = (Parsed::new(rust, &text).expect("it is small"), LineIndex::new(&text));
            let outline = parsed.outline();
            matches.extend(pattern.matches(&parsed).found.iter().map(|found| {
                let at = |offset| index.position(&text, offset, Encoding::Utf32);
                let inside = outline.enclosing(found.span.start);
                let names = pattern.names().iter().cloned();
                let texts = found.bindings.iter().map(|it| text[it.range()].to_owned());
                FileRange {
                    inside: inside.map(|it| it.name.clone()),
                    inside_kind: inside.map(|it| it.kind.word().to_owned()),
                    test: outline.is_test(found.span.start),
                    bindings: names.zip(texts).collect(),
                    ..self.range(path, at(found.span.start), at(found.span.end))
                }
            }));
        }
        let total = matches.len() as u64;
        matches.truncate(HITS);
        let (complete, source) = (total <= HITS as u64, Source("syntax".into()));
        let note = (!complete).then(|| format!("the first {HITS} of {total} places"));
        let gap = (!complete).then_some(Gap::Limit);
        Ok(MatchesResult {
            completeness: Completeness::reported(complete, source, note, gap),
            total,
            matches,
        })
    }

    fn some_lines(&self, question: &LinesQuestion) -> Result<LinesResult, IdeError> {
        let (path, lines) = self.file(&question.path)?;
        let numbered = lines.iter().enumerate().map(|(at, text)| (Line::from_index(at), text));
        let wanted = numbered.filter(|(line, _)| (question.first..=question.last).contains(line));
        Ok(LinesResult {
            completeness: Completeness::complete(Source("text".into())),
            path: path.clone(),
            external: path.starts_with('/'),
            line_count: lines.len() as u64,
            lines: wanted.map(|(line, text)| SourceLine { line, text: text.clone() }).collect(),
        })
    }
}

impl Host for World {
    fn send(&self, operation: Operation, question: Value) -> Answer<'_, Value> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        std::future::ready(self.reply(operation, question)).boxed()
    }
}

fn read<Q: Question>(question: Value) -> Q {
    serde_json::from_value(question).expect("the question is that of the operation")
}

impl World {
    fn reply(&self, operation: Operation, mut question: Value) -> Result<Value, IdeError> {
        let texts = UnsavedText::take(&mut question)?;
        if !texts.is_empty() {
            return self.with_texts(texts).reply(operation, question);
        }
        let led = |way, question| Ok(self.navigate(way, &read(question)));
        let links = |way, question| Ok(self.hierarchy(way, &read(question)));
        match operation {
            Operation::Definitions => self.oddly(operation, self.definitions(&read(question))),
            Operation::Declarations => self.oddly(operation, led(Navigation::Declarations, question)),
            Operation::TypeDefinitions => self.oddly(operation, led(Navigation::TypeDefinitions, question)),
            Operation::Implementations => self.oddly(operation, led(Navigation::Implementations, question)),
            Operation::References => self.oddly(operation, self.uses(&read(question))),
            Operation::Callers => self.oddly(operation, links(Hierarchy::Callers, question)),
            Operation::Callees => self.oddly(operation, links(Hierarchy::Callees, question)),
            Operation::Supertypes => self.oddly(operation, links(Hierarchy::Supertypes, question)),
            Operation::Subtypes => self.oddly(operation, links(Hierarchy::Subtypes, question)),
            Operation::Description => self.oddly(operation, Ok(self.description(&read(question)))),
            Operation::Outline => self.oddly(operation, self.outline(&read(question))),
            Operation::FileDefinitions => self.oddly(operation, self.file_definitions(&read(question))),
            Operation::Members => self.oddly(operation, Ok(self.members(&read(question)))),
            Operation::Exports => self.oddly(operation, self.exports(&read(question))),
            Operation::Imports => {
                let ImportsQuestion { path } = read(question);
                self.oddly(
                    operation,
                    self.file(&path).map(|(path, _)| self.imports(|it| it.at.path == *path)),
                )
            }
            Operation::Importers => {
                let ImportersQuestion { path } = read(question);
                let is_of = |it: &Import| it.module == path || it.file.as_ref() == Some(&path);
                self.oddly(operation, Ok(self.imports(is_of)))
            }
            Operation::Symbols => self.oddly(operation, Ok(self.symbols(&read(question)))),
            Operation::Files => self.oddly(operation, Ok(self.files(&read(question)))),
            Operation::Diagnostics => self.oddly(operation, Ok(self.diagnostics(read(question)))),
            Operation::Search => self.oddly(operation, self.matching(&read(question))),
            Operation::Matches => self.oddly(operation, self.written_like(&read(question))),
            Operation::Lines => self.oddly(operation, self.some_lines(&read(question))),
            Operation::Selection => self.oddly(operation, Ok(nothing_selected())),
            Operation::Rename => self.oddly(operation, self.renamed(&read(question))),
            Operation::CodeActions => self.oddly(operation, self.offered(&read(question))),
            Operation::TakeAction => {
                self.oddly(operation, self.previewed(&read::<TakeActionQuestion>(question).action))
            }
            // A part is formatted as the whole file is.
            Operation::Format => {
                let FormatQuestion { path, .. } = read(question);
                self.oddly(operation, self.previewed(&format!("layout {path}")))
            }
            Operation::OrganizeImports => {
                let OrganizeImportsQuestion { path } = read(question);
                self.oddly(operation, self.previewed(&format!("layout {path}")))
            }
            Operation::Apply => self.oddly(operation, self.applied(&read(question))),
            Operation::EditedTexts => self.oddly(operation, self.edited_texts(&read(question))),
            Operation::RecentChanges => self.oddly(operation, Ok(recent_changes())),
            Operation::Edits | Operation::HitContext | Operation::Text | Operation::Draft => {
                unreachable!("the component asks for them, and the library does not")
            }
        }
    }

    /// Returns the same world with other texts of some files.
    fn with_texts(&self, texts: Vec<UnsavedText>) -> Self {
        let mut world = self.clone();
        let lines = |text: &str| text.lines().map(str::to_owned).collect();
        world.files.extend(texts.into_iter().map(|it| (it.path, lines(&it.text))));
        world
    }

    fn definitions(&self, question: &DefinitionsQuestion) -> Result<DefinitionsResult, IdeError> {
        self.find(question).map(|definitions| DefinitionsResult {
            completeness: Completeness::complete(Source("language-server:test".into())),
            nearest: match (&question.target.name, definitions.is_empty()) {
                (Some(name), true) => self.nearest(name),
                _ => Vec::new(),
            },
            references: match definitions.as_slice() {
                [only] if self.answers_next && question.references_next => self.references_of(only),
                _ => None,
            },
            definitions,
        })
    }

    fn references_of(&self, definition: &Definition) -> Option<ReferencesResult> {
        let question = ReferencesQuestion { target: Target::of(definition), include_declaration: false };
        let answer = self.uses(&question);
        serde_json::from_value(self.oddly(Operation::References, answer).ok()?).ok()
    }

    fn navigate(&self, way: Navigation, question: &DefinitionsQuestion) -> DefinitionsResult {
        let source = Source("language-server:test".into());
        let definitions = self.led(way, &question.target);
        DefinitionsResult {
            completeness: Completeness::complete(source),
            definitions,
            nearest: Vec::new(),
            references: None,
        }
    }

    fn hierarchy(&self, way: Hierarchy, question: &HierarchyQuestion) -> HierarchyResult {
        let links = self.links(way, &question.target, question.depth);
        let source = Source("language-server:test".into());
        HierarchyResult { completeness: Completeness::complete(source), links }
    }

    fn description(&self, question: &DescriptionQuestion) -> DescriptionResult {
        let place = question.target.at.as_ref().expect("the library says where");
        let lines = &self.files[&place.path];
        let docs = lines[..place.line.index()].iter().rev().map_while(|it| it.trim().strip_prefix("/// "));
        let docs: Vec<_> = docs.collect();
        DescriptionResult {
            completeness: Completeness::complete(Source("language-server:test".into())),
            signature: lines[place.line.index()].trim().trim_end_matches(" {").to_owned(),
            docs: (!docs.is_empty()).then(|| docs.into_iter().rev().collect::<Vec<_>>().join("\n")),
        }
    }

    fn outline(&self, question: &OutlineQuestion) -> Result<OutlineResult, IdeError> {
        self.file(&question.path).map(|(path, _)| {
            let here = self.defined().filter(|(word, _)| word.path == path && word.kind != Some(LOCAL));
            let definitions = here.map(|(_, it)| it).collect();
            OutlineResult {
                completeness: Completeness::complete(Source("language-server:test".into())),
                definitions,
            }
        })
    }

    fn file_definitions(
        &self,
        question: &FileDefinitionsQuestion,
    ) -> Result<FileDefinitionsResult, IdeError> {
        let folder = question.path.trim_end_matches(['*', '/']);
        let is_in = |path: &str| path == folder || path.starts_with(&format!("{folder}/"));
        if !self.files.keys().any(|it| is_in(it)) {
            self.file(folder)?;
        }
        let all = self.defined().filter(|(word, _)| word.kind != Some(LOCAL)).map(|(_, it)| it);
        let here: Vec<_> =
            all.filter(|it| is_in(&it.name_at.path)).map(|it| self.with_signature(it)).collect();
        let kinds: BTreeSet<_> = here.iter().map(|it| format!("`{}`", it.kind)).collect();
        if let Some(kind) = question.kind.as_ref().filter(|it| syntax::Kind::of_word(it).is_none()) {
            let kinds = kinds.into_iter().collect::<Vec<_>>().join(", ");
            return Err(IdeError::new(
                ErrorCode::InvalidRequest,
                format!("`{kind}` is no kind of definition"),
            )
            .recovery(format!("There are: {kinds}.")));
        }
        let is_asked = |it: &Definition| question.kind.as_ref().is_none_or(|kind| it.kind == *kind);
        let definitions: Vec<_> = here.into_iter().filter(is_asked).collect();
        let (completeness, total) = (of_syntax(), definitions.len() as u64);
        Ok(FileDefinitionsResult { completeness, total, definitions })
    }

    /// Finds members by the name of their container.
    fn members(&self, question: &MembersQuestion) -> MembersResult {
        let all = self.defined().filter(|(word, _)| word.kind != Some(LOCAL)).map(|(_, it)| it);
        let members = all.filter(|it| it.container == question.target.name);
        let definitions = members.map(|it| self.with_signature(it)).collect();
        MembersResult { completeness: of_syntax(), definitions }
    }

    /// Lists what is public at the top level.
    fn exports(&self, question: &ExportsQuestion) -> Result<ExportsResult, IdeError> {
        let (path, _) = self.file(&question.path)?;
        let here =
            self.defined().filter(|(word, _)| word.path == path).map(|(_, it)| self.with_signature(it));
        let definitions = here.filter(|it| it.public && it.container.is_none()).collect();
        Ok(ExportsResult { completeness: of_syntax(), definitions })
    }

    fn with_signature(&self, mut definition: Definition) -> Definition {
        let text = definition.name_at.text.take().unwrap_or_default();
        definition.defined_at.text = None;
        definition.public = text.starts_with("pub ");
        definition.test = definition.name_at.path.starts_with("tests/");
        Definition { signature: Some(text.trim_end_matches([' ', '{', ',']).to_owned()), ..definition }
    }

    /// Reads `use a::b;` and `use a::{b, c};` of modules that are files of `src`.
    fn imports(&self, is_asked: impl Fn(&Import) -> bool) -> ImportsResult {
        let pattern = Regex::new(r"^use (?:(\w+)::)?(?:(\w+)|\{(.*)\});").expect("it is an expression");
        let mut imports = Vec::new();
        for (path, lines) in &self.files {
            for (index, line) in lines.iter().enumerate() {
                let Some(found) = pattern.captures(line) else { continue };
                let name = found.get(1).or(found.get(2)).map_or("", |it| it.as_str());
                let names = found.get(3).or(found.get(1).and(found.get(2))).map_or("", |it| it.as_str());
                let file = format!("src/{name}.rs");
                let is_here = self.files.contains_key(&file);
                imports.push(Import {
                    at: self.range(path, (index, 4), (index, 4 + name.len())),
                    module: name.to_owned(),
                    names: names.split(", ").filter(|it| !it.is_empty()).map(str::to_owned).collect(),
                    file: is_here.then_some(file),
                    external: !is_here,
                });
            }
        }
        imports.retain(|it| is_asked(it));
        ImportsResult { completeness: of_syntax(), total: imports.len() as u64, imports }
    }

    fn symbols(&self, question: &SymbolsQuestion) -> SymbolsResult {
        let query = question.query.to_lowercase();
        let is_meant = |it: &Definition| {
            let path = question.path.as_deref().unwrap_or_default();
            it.name.to_lowercase().contains(&query) && it.name_at.path.starts_with(path)
        };
        let all = self.defined().filter(|(word, _)| word.kind != Some(LOCAL)).map(|(_, it)| it);
        let mut definitions: Vec<_> = all.filter(is_meant).collect();
        let total = definitions.len() as u64;
        definitions.truncate(HITS);
        let note = (total > HITS as u64).then(|| format!("the first {HITS} of {total}"));
        let (complete, source) = (note.is_none(), Source("language-server:test".into()));
        let gap = (!complete).then_some(Gap::Limit);
        SymbolsResult {
            completeness: Completeness::reported(complete, source, note, gap),
            total,
            definitions,
        }
    }

    /// Supports globs of a folder, and of a suffix in any folder of one.
    fn files(&self, question: &FilesQuestion) -> FilesResult {
        let (folder, ending) = question.glob.split_once('*').unwrap_or((&question.glob, ""));
        let (folder, ending) = (folder.trim_start_matches('.'), ending.trim_start_matches(['*', '/']));
        let is_meant = |it: &&String| it.starts_with(folder) && it.ends_with(ending);
        let paths: Vec<String> = self.files.keys().filter(is_meant).cloned().collect();
        let note = paths.is_empty().then(|| format!("no file matches, of {}", self.files.len()));
        let (total, source) = (paths.len() as u64, Source("text".into()));
        FilesResult { completeness: Completeness::reported(true, source, note, None), total, paths }
    }

    /// Returns a diagnostic for each `TODO`.
    fn diagnostics(&self, question: DiagnosticsQuestion) -> DiagnosticsResult {
        let path = question.path.unwrap_or_default();
        let todos = self.words().filter(|it| it.text == "TODO" && it.path.starts_with(&path));
        let diagnostic = |word: &Word<'_>| {
            let range = self.range_of(word);
            let message = format!("this is not done:\n  {}", range.text.unwrap_or_default());
            let (code, source) = (Some("todo".to_owned()), Some("test".to_owned()));
            let (severity, path) = (Severity::Warning, range.path);
            Diagnostic { severity, message, code, source, path, start: range.start, end: range.end }
        };
        let diagnostics = todos.map(|it| diagnostic(&it)).collect();
        let (files, source) = (self.files.len() as u64, Source("language-server:test".into()));
        DiagnosticsResult { completeness: Completeness::complete(source), files, diagnostics }
    }
}

/// Returns the answer that counts unless a block declares another: nothing was changed.
fn recent_changes() -> EditedTextsResult {
    let source = Source("text".into());
    EditedTextsResult { completeness: Completeness::complete(source), files: Vec::new() }
}

fn of_syntax() -> Completeness {
    Completeness::complete(Source("syntax".into()))
}

/// Returns the selection that counts unless a block declares another: none.
fn nothing_selected() -> SelectionResult {
    let source = Source("editor".into());
    SelectionResult { completeness: Completeness::complete(source), selections: Vec::new() }
}
