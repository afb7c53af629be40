//! A host in memory: the files of a case, and what is odd about it.

use std::collections::BTreeMap;

use futures::FutureExt;
use ide_library::{
    Answer, ApplyQuestion, CodeActionsQuestion, DefinitionsQuestion, DiagnosticsQuestion, FilesQuestion,
    FormatQuestion, HierarchyQuestion, Host, LinesQuestion, MatchesQuestion, OrganizeImportsQuestion,
    OutlineQuestion, ReferencesQuestion, RenameQuestion, SearchQuestion, SelectionQuestion, SymbolsQuestion,
    TakeActionQuestion,
};
use ide_protocol::{
    ApplyResult, CodeActionsResult, Definition, DefinitionsResult, DescriptionResult, Diagnostic,
    DiagnosticsResult, EditsResult, ErrorCode, FileRange, FilesResult, Hierarchy, HierarchyResult, IdeError,
    Line, LinesResult, Location, MatchesResult, Navigation, Operation, OutlineResult, ReferencesResult,
    SearchResult, SelectionResult, Severity, Source, SourceLine, SymbolsResult,
};
use literate::Case;
use regex::Regex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use source_text::{Encoding, LineIndex};
use syntax::{Language, Parsed, Pattern};

use crate::code::{LOCAL, Word};

/// How many hits a search gives.
const HITS: usize = 5;

/// The files of a case, and what is odd about its host.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    pub(crate) files: BTreeMap<String, Vec<String>>,
    /// By operation: `{"error": …}`, or fields that the answer has instead of its own.
    odd: BTreeMap<String, Value>,
}

/// What the examples of `getSelection` are about.
const SELECTED: &str = r#"{"selections": [{"path": "src/auth.rs", "text": "User",
    "start": {"line": 4, "column": 12}, "end": {"line": 4, "column": 16}}]}"#;

impl World {
    /// Blocks `world PATH` are files, blocks `host OPERATION` are oddities.
    pub(crate) fn of(case: &Case) -> Self {
        let files = case.inputs_of("world");
        let files = files.map(|it| (it.subject.clone(), it.text.lines().map(str::to_owned).collect()));
        let odd = case.inputs_of("host").map(|it| {
            assert!(Operation::from_name(&it.subject).is_some(), "`{}` is no operation", it.subject);
            (it.subject.clone(), serde_json::from_str(&it.text).expect("an oddity is an object of JSON"))
        });
        Self { files: files.collect(), odd: odd.collect() }
    }

    /// The same with something selected.
    pub(crate) fn with_selection(mut self) -> Self {
        self.odd.insert("selection".into(), serde_json::from_str(SELECTED).expect("it is JSON"));
        self
    }

    fn answer<T: Serialize + DeserializeOwned + Send + 'static>(
        &self,
        operation: Operation,
        usual: Result<T, IdeError>,
    ) -> Answer<'_, T> {
        std::future::ready(self.oddly(operation, usual)).boxed()
    }

    fn oddly<T: Serialize + DeserializeOwned>(
        &self,
        operation: Operation,
        usual: Result<T, IdeError>,
    ) -> Result<T, IdeError> {
        let Some(odd) = self.odd.get(operation.name()) else { return usual };
        if let Some(error) = odd.get("error") {
            return Err(serde_json::from_value(error.clone()).expect("an error of the wire"));
        }
        let mut answer = serde_json::to_value(usual?).expect("answers are JSON");
        for (field, value) in odd.as_object().expect("an oddity is an object") {
            answer[field] = value.clone();
        }
        Ok(serde_json::from_value(answer).expect("an answer of the wire"))
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
        let (words, mentions) = self.used(&definition);
        let wanted = words.iter().filter(|word| word.kind.is_none() || question.include_declaration);
        let references = wanted.map(|word| self.range_of(word)).collect();
        let source = Source("language-server:test".into());
        Ok(ReferencesResult { complete: true, source, note: None, references, mentions: Some(mentions) })
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
                hits.extend(pattern.find(text).map(|found| {
                    self.range(path, (line, column(found.start())), (line, column(found.end())))
                }));
            }
        }
        let total = hits.len() as u64;
        hits.truncate(HITS);
        Ok(SearchResult {
            complete: total <= HITS as u64,
            source: Source("text".into()),
            note: None,
            total,
            hits,
        })
    }

    /// Rust alone.
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
        Ok(MatchesResult { complete, source, note, total, matches })
    }

    fn some_lines(&self, question: &LinesQuestion) -> Result<LinesResult, IdeError> {
        let (path, lines) = self.file(&question.path)?;
        let numbered = lines.iter().enumerate().map(|(at, text)| (Line::from_index(at), text));
        let wanted = numbered.filter(|(line, _)| (question.first..=question.last).contains(line));
        Ok(LinesResult {
            complete: true,
            source: Source("text".into()),
            note: None,
            path: path.clone(),
            external: path.starts_with('/'),
            line_count: lines.len() as u64,
            lines: wanted.map(|(line, text)| SourceLine { line, text: text.clone() }).collect(),
        })
    }
}

impl Host for World {
    fn definitions(&self, question: DefinitionsQuestion) -> Answer<'_, DefinitionsResult> {
        let usual = self.find(&question).map(|definitions| DefinitionsResult {
            complete: true,
            source: Source("language-server:test".into()),
            note: None,
            nearest: match (&question.target.name, definitions.is_empty()) {
                (Some(name), true) => self.nearest(name),
                _ => Vec::new(),
            },
            definitions,
        });
        self.answer(Operation::Definitions, usual)
    }

    fn navigate(&self, way: Navigation, question: DefinitionsQuestion) -> Answer<'_, DefinitionsResult> {
        let source = Source("language-server:test".into());
        let definitions = self.led(way, &question.target);
        let usual =
            DefinitionsResult { complete: true, source, note: None, definitions, nearest: Vec::new() };
        self.answer(way.operation(), Ok(usual))
    }

    fn references(&self, question: ReferencesQuestion) -> Answer<'_, ReferencesResult> {
        self.answer(Operation::References, self.uses(&question))
    }

    fn hierarchy(&self, way: Hierarchy, question: HierarchyQuestion) -> Answer<'_, HierarchyResult> {
        let links = self.links(way, &question.target, question.depth);
        let source = Source("language-server:test".into());
        self.answer(way.operation(), Ok(HierarchyResult { complete: true, source, note: None, links }))
    }

    fn description(&self, question: DefinitionsQuestion) -> Answer<'_, DescriptionResult> {
        let place = question.target.at.as_ref().expect("the library says where");
        let lines = &self.files[&place.path];
        let docs = lines[..place.line.index()].iter().rev().map_while(|it| it.trim().strip_prefix("/// "));
        let docs: Vec<_> = docs.collect();
        let usual = DescriptionResult {
            complete: true,
            source: Source("language-server:test".into()),
            note: None,
            signature: lines[place.line.index()].trim().trim_end_matches(" {").to_owned(),
            docs: (!docs.is_empty()).then(|| docs.into_iter().rev().collect::<Vec<_>>().join("\n")),
        };
        self.answer(Operation::Description, Ok(usual))
    }

    fn outline(&self, question: OutlineQuestion) -> Answer<'_, OutlineResult> {
        let usual = self.file(&question.path).map(|(path, _)| {
            let here = self.defined().filter(|(word, _)| word.path == path && word.kind != Some(LOCAL));
            let definitions = here.map(|(_, it)| it).collect();
            OutlineResult {
                complete: true,
                source: Source("language-server:test".into()),
                note: None,
                definitions,
            }
        });
        self.answer(Operation::Outline, usual)
    }

    fn symbols(&self, question: SymbolsQuestion) -> Answer<'_, SymbolsResult> {
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
        self.answer(Operation::Symbols, Ok(SymbolsResult { complete, source, note, total, definitions }))
    }

    /// Globs of a folder, and of an ending in any folder of one.
    fn files(&self, question: FilesQuestion) -> Answer<'_, FilesResult> {
        let (folder, ending) = question.glob.split_once('*').unwrap_or((&question.glob, ""));
        let (folder, ending) = (folder.trim_start_matches('.'), ending.trim_start_matches(['*', '/']));
        let is_meant = |it: &&String| it.starts_with(folder) && it.ends_with(ending);
        let paths: Vec<String> = self.files.keys().filter(is_meant).cloned().collect();
        let note = paths.is_empty().then(|| format!("no file matches, of {}", self.files.len()));
        let (total, source) = (paths.len() as u64, Source("text".into()));
        self.answer(Operation::Files, Ok(FilesResult { complete: true, source, note, total, paths }))
    }

    /// Each `TODO` is one.
    fn diagnostics(&self, question: DiagnosticsQuestion) -> Answer<'_, DiagnosticsResult> {
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
        let usual = DiagnosticsResult { complete: true, source, note: None, files, diagnostics };
        self.answer(Operation::Diagnostics, Ok(usual))
    }

    fn matches(&self, question: MatchesQuestion) -> Answer<'_, MatchesResult> {
        self.answer(Operation::Matches, self.written_like(&question))
    }

    fn search(&self, question: SearchQuestion) -> Answer<'_, SearchResult> {
        self.answer(Operation::Search, self.matching(&question))
    }

    fn lines(&self, question: LinesQuestion) -> Answer<'_, LinesResult> {
        self.answer(Operation::Lines, self.some_lines(&question))
    }

    /// Nothing, until a block says otherwise.
    fn selection(&self, _: SelectionQuestion) -> Answer<'_, SelectionResult> {
        let source = Source("editor".into());
        let usual = SelectionResult { complete: true, source, note: None, selections: Vec::new() };
        self.answer(Operation::Selection, Ok(usual))
    }

    fn rename(&self, question: RenameQuestion) -> Answer<'_, EditsResult> {
        self.answer(Operation::Rename, self.renamed(&question))
    }

    fn code_actions(&self, question: CodeActionsQuestion) -> Answer<'_, CodeActionsResult> {
        self.answer(Operation::CodeActions, self.offered(&question))
    }

    fn take_action(&self, question: TakeActionQuestion) -> Answer<'_, EditsResult> {
        self.answer(Operation::TakeAction, self.previewed(&question.action))
    }

    /// Of a part, as of all.
    fn format(&self, question: FormatQuestion) -> Answer<'_, EditsResult> {
        self.answer(Operation::Format, self.previewed(&format!("layout {}", question.path)))
    }

    fn organize_imports(&self, question: OrganizeImportsQuestion) -> Answer<'_, EditsResult> {
        self.answer(Operation::OrganizeImports, self.previewed(&format!("layout {}", question.path)))
    }

    fn apply(&self, question: ApplyQuestion) -> Answer<'_, ApplyResult> {
        self.answer(Operation::Apply, self.applied(&question))
    }
}
