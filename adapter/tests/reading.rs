//! Questions to real language servers beside definitions and references, through the fallback: a chapter of
//! `tests/reading` for each server, each question a test. `UPDATE_EXPECT=1` accepts what comes out.
//!
//! `tests/reading/without` has what is answered where there is none: a chapter for each language.
//!
//! A question is `OPERATION ABOUT`, where ABOUT is a name, `path:line:column` or both, `name@path:line:column`; of several each answer follows its
//! question. The files of a case are written before
//! it is asked. `needs` names corrections of servers' answers, one a line: without any of them the answer is another one.
//! Each correction of the table has such a case; `FIND_NEEDS=1` prints those that each case needs. A chapter whose server is not installed shows as ignored; `DIALECT_REQUIRE_SERVERS=ty` makes that a
//! failure.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use unpoisoned::lock;

use adapter::fallback::corrections;
use ide_protocol::{
    ApplyQuestion, ChangedFile, CodeAction, CodeActionsQuestion, CodeActionsResult, Column, Completeness,
    Definition, DefinitionsQuestion, DefinitionsResult, DescriptionQuestion, Diagnostic, DiagnosticsQuestion,
    EditsResult, ExportsQuestion, FileDefinitionsQuestion, FileRange, FormatQuestion, HierarchyQuestion,
    IdeError, ImportersQuestion, ImportsQuestion, ImportsResult, Line, Link, MembersQuestion, Operation,
    OrganizeImportsQuestion, OutlineQuestion, Point, Reason, ReferencesQuestion, RenameQuestion,
    SymbolsQuestion, TakeActionQuestion, Target,
};
use libtest_mimic::{Failed, Trial};
use literate::{Actual, Case, Chapter};
use tokio::runtime::Runtime;

use crate::world::{self, World, at, named, show_definitions, show_end, waiting};

/// Each chapter with the server that it is about and its language, and those that it takes beside it.
const SERVERS: &[(&str, &[(&str, &str)])] = &[
    ("rust-analyzer", &[("rust-analyzer", "rust")]),
    ("rust-analyzer-untrusted", &[("rust-analyzer", "rust")]),
    ("ty", &[("ty", "python")]),
    ("basedpyright", &[("basedpyright", "python")]),
    ("ruff", &[("ruff", "python-style"), ("ty", "python")]),
    ("tsc", &[("tsc", "typescript")]),
    ("clangd", &[("clangd", "c")]),
    ("clangd-programs", &[("clangd", "c")]),
    ("bash-language-server", &[("bash-language-server", "shell")]),
];

/// Languages that are asked about without a server.
const WITHOUT: &[&str] = &["rust", "python", "typescript", "go", "java", "c", "csharp", "ruby", "php"];

pub(crate) fn servers() -> impl Iterator<Item = world::Server> {
    SERVERS.iter().flat_map(|(_, servers)| servers.iter().map(|(server, language)| (*language, *server)))
}

/// Returns a test for each case. Cases of different chapters follow each other: those of one chapter share a server and wait for each other.
pub(crate) fn trials(open: &Opened) -> Vec<Trial> {
    let with = SERVERS.iter().map(|(name, servers)| chapter(name, servers, open));
    let without = WITHOUT.iter().map(|language| without(language, open));
    let mut chapters: Vec<_> = with.chain(without).map(Vec::into_iter).collect();
    let mut trials = Vec::new();
    while !chapters.is_empty() {
        trials.extend(chapters.iter_mut().filter_map(Iterator::next));
        chapters.retain(|it| it.len() > 0);
    }
    trials.push(Trial::test("every correction has a case that needs it", needed));
    trials.push(Trial::test("every reason has a case that produces it", reasoned));
    trials
}

/// The worlds that the chapters are about, each with its runtime: a server is started once for all cases.
#[derive(Clone, Default)]
pub(crate) struct Opened(Arc<Mutex<Vec<Arc<Mutex<About>>>>>);

struct About {
    runtime: Runtime,
    world: Option<World>,
}

impl Opened {
    fn open(&self, settings: &str) -> Arc<Mutex<About>> {
        let world = Some(World::without_session(&[], settings));
        let about = Arc::new(Mutex::new(About { runtime: Runtime::new().unwrap(), world }));
        self.0.lock().unwrap().push(Arc::clone(&about));
        about
    }

    pub(crate) fn close(&self) {
        for about in self.0.lock().unwrap().drain(..) {
            let mut about = lock(&about);
            let world = about.world.take().unwrap();
            about.runtime.block_on(world.stop());
        }
    }
}

fn chapter(name: &str, servers: &[(&'static str, &'static str)], open: &Opened) -> Vec<Trial> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/reading/{name}.md"));
    let settings = servers.iter().map(|(server, language)| world::settings(language, server));
    let about = open.open(&settings.collect::<String>());
    let is_ignored = servers.iter().any(|(server, language)| world::missing(language, server).is_some());
    let name = if is_ignored { format!("{name} (not here)") } else { name.to_owned() };
    let trials = Chapter::read(name, path).trials(move |case| about.lock().unwrap().outcome(case));
    trials.into_iter().map(|it| it.with_ignored_flag(is_ignored)).collect()
}

fn without(language: &str, open: &Opened) -> Vec<Trial> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/reading/without/{language}.md"));
    let about = open.open(&format!("[languages.{language}]\ndisabled = true\n"));
    Chapter::read(format!("{language} without a server"), path)
        .trials(move |case| about.lock().unwrap().outcome(case))
}

impl About {
    fn outcome(&mut self, case: &Case) -> Actual {
        let world = self.world.as_ref().unwrap();
        let files = case.inputs_of("world").map(|it| (it.subject.as_str(), it.text.clone() + "\n"));
        let files: BTreeMap<&str, String> = files.collect();
        let is_new = !files.keys().any(|it| world.root().join(it).exists());
        // Cases come in any order, and some write: what others left is not there.
        for path in written(world.root()).iter().filter(|it| !files.contains_key(it.as_str())) {
            fs::remove_file(world.root().join(path)).unwrap();
        }
        for (path, text) in &files {
            if fs::read_to_string(world.root().join(path)).ok().as_ref() != Some(text) {
                world.write(path, text);
            }
        }
        if is_new {
            world.open(&self.runtime);
        }
        let answer = self.answer(case);
        if std::env::var_os("FIND_NEEDS").is_some() {
            self.find_needs(case, &answer);
        }
        let needless = case.input("needs").unwrap_or_default().lines().filter(|id| {
            assert!(corrections().iter().any(|it| it.id == *id), "no correction is called `{id}`");
            self.answer_without(case, id) == answer
        });
        let needless: String =
            needless.map(|id| format!("\nthe answer is the same without `{id}`")).collect();
        Actual::new("answer", answer + &needless)
    }

    /// Answers the questions of a case with a correction switched off.
    fn answer_without(&self, case: &Case, id: &str) -> String {
        let world = self.world.as_ref().unwrap();
        world.switched_off.set([id]);
        let answer = self.answer(case);
        world.switched_off.set([]);
        answer
    }

    /// Prints the corrections that the answer needs, for whoever writes a case.
    fn find_needs(&self, case: &Case, answer: &str) {
        let asked: Vec<_> = case.input("ask").unwrap_or_default().lines().filter_map(operation_of).collect();
        for it in corrections() {
            if it.operations.iter().any(|it| asked.contains(it)) && self.answer_without(case, it.id) != answer
            {
                eprintln!("NEEDS {}\t{}", case.name, it.id);
            }
        }
    }

    fn answer(&self, case: &Case) -> String {
        let world = self.world.as_ref().unwrap();
        let questions: Vec<_> = case.input("ask").expect("a case asks something").lines().collect();
        let answers = questions.iter().map(|question| {
            let about = question.split_once(' ').map_or("", |(_, about)| about);
            let operation = operation_of(question).expect("it is an operation");
            let answer = self.runtime.block_on(ask(world, operation, about));
            let head = if questions.len() > 1 { format!("{question}\n") } else { String::new() };
            head + answer.trim_end()
        });
        answers.collect::<Vec<_>>().join("\n\n")
    }
}

fn operation_of(question: &str) -> Option<Operation> {
    Operation::from_name(question.split(' ').next().unwrap_or_default())
}

/// Corrections without a case: whether rust-analyzer leaves out a type's uses as `Self` depends on what it was asked before,
/// so that the answer is the same without the correction, mostly.
const UNSTEADY: &[&str] = &["self-types"];

/// Fails for a correction that no case of any chapter needs.
fn needed() -> Result<(), Failed> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reading");
    let chapters = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let texts = chapters.filter(|it| it.is_file()).map(|it| fs::read_to_string(it).unwrap());
    let text: String = texts.collect();
    let needs = text.split("```needs\n").skip(1).filter_map(|it| it.split("```").next());
    let needs: BTreeSet<&str> = needs.flat_map(str::lines).collect();
    let needless: Vec<_> =
        corrections().into_iter().filter(|it| !needs.contains(it.id) && !UNSTEADY.contains(&it.id)).collect();
    match &needless[..] {
        [] => Ok(()),
        _ => Err(format!("no case needs these corrections: {needless:#?}").into()),
    }
}

/// Reasons that no chapter produces, with the test that does and what it expects, by path from the repository: the
/// reason itself, or else a part of its words.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("note", "shared/ide-protocol/src/completeness.rs", "Reason::Note {"),
    ("unsaid", "shared/ide-protocol/src/completeness.rs", "odd.reasons().len()"),
    ("foldersGone", "conformance/suites/sessions/sessions.md", "gone (deleted, moved or not mounted)"),
    ("otherTree", "adapter/tests/trees.rs", "\"otherTree\", \"path\": \"wt\""),
    ("treesLeftOut", "adapter/tests/trees.rs", "\"treesLeftOut\""),
    ("hiddenLeftOut", "adapter/tests/trees.rs", "\"hiddenLeftOut\", \"paths\""),
    (
        "unknownChanges",
        "conformance/suites/edits/broken.md",
        "changed too, and what was there before is not known",
    ),
    ("notTakenAway", "shared/ide-library/spec/9-changes.md", "cannot be taken away for the comparison"),
    ("unloadedProject", "adapter/src/fallback/servers/find/detect_tests.rs", "is not loaded"),
    (
        "ignoredFlags",
        "adapter/src/fallback/servers/find/project_files_tests.rs",
        "are ignored: the workspace",
    ),
    (
        "unwatchedFolder",
        "adapter/src/fallback/servers/find/outside_sources.rs",
        "let Reason::UnwatchedFolder",
    ),
    ("notLoaded", "adapter/tests/rust_analyzer.rs", "stands in code that is"),
    ("mentionsNotLoaded", "adapter/tests/rust_analyzer.rs", "is also mentioned in files that are"),
    ("noUsesListed", "conformance/suites/fallback/language-server.md", "these are the names that lead to it"),
    ("moved", "adapter/src/fallback/operations/references.rs", "is no longer at a.rs:3"),
    ("timeUp", "adapter/src/fallback/operations/files.rs", "\"the time was up after"),
    ("matchesCut", "adapter/src/fallback/operations/matches_tests.rs", "the first 1000 of 1500 places"),
    ("partlyMatched", "adapter/src/fallback/operations/matches_tests.rs", "not all of"),
    ("otherLanguages", "adapter/src/fallback/operations/matches_tests.rs", "no code of their language"),
    ("noSuchExtension", "adapter/src/fallback/operations/search_tests.rs", "ends with"),
    ("noSuchFile", "adapter/src/fallback/operations/files.rs", "that are neither hidden nor ignored\""),
    ("textCut", "adapter/src/fallback/operations/lines.rs", "cut after 1 MiB; line"),
    ("replacedBytes", "adapter/src/fallback/operations/lines.rs", "bytes that are no UTF-8 are shown as"),
    ("notUtf8", "adapter/src/fallback/edits/plan_tests.rs", "since the text is not UTF-8"),
    ("notAsWritten", "conformance/suites/edits/actions.md", "on disk is not what was written"),
    ("selectionsCut", "component/src/acp/prompt.rs", "4 more selections are attached"),
    ("oddAttachment", "component/src/acp/prompt.rs", "is attached, but its lines cannot be read"),
    ("wholeAttachment", "component/src/acp/prompt.rs", "is attached whole, without lines\""),
    ("namedFilesCut", "adapter/src/fallback/syntactic/cut_tests.rs", "Reason::NamedFilesCut {}"),
    ("filesCut", "adapter/src/fallback/syntactic/cut_tests.rs", "Reason::FilesCut {}"),
    ("searchesCut", "adapter/src/fallback/syntactic/cut_tests.rs", "Reason::SearchesCut {}"),
    ("otherFilesCut", "adapter/src/fallback/syntactic/cut_tests.rs", "Reason::OtherFilesCut { cuts }"),
    ("modulesTimeUp", "adapter/src/fallback/syntactic/cut_tests.rs", "Reason::ModulesTimeUp {}"),
    ("moduleNotRead", "adapter/src/fallback/syntactic/cut_tests.rs", "Reason::ModuleNotRead {"),
    ("symbolsCut", "adapter/src/fallback/syntactic/cut_tests.rs", "Reason::SymbolsCut {"),
    ("partsOfNames", "adapter/src/fallback/syntactic/symbols.rs", "Reason::PartsOfNames {}"),
    ("filesUnread", "adapter/src/fallback/syntactic/symbols.rs", "Reason::FilesUnread {}"),
    (
        "definitionsCut",
        "adapter/src/fallback/operations/file_definitions_tests.rs",
        "Reason::DefinitionsCut {",
    ),
    (
        "definitionsCutFrom",
        "adapter/src/fallback/operations/file_definitions_tests.rs",
        "Reason::DefinitionsCutFrom {",
    ),
    (
        "definitionsCutAfter",
        "adapter/src/fallback/operations/file_definitions_tests.rs",
        "Reason::DefinitionsCutAfter {",
    ),
    ("notParsed", "adapter/src/fallback/operations/file_definitions_tests.rs", "Reason::NotParsed {"),
    ("importsCut", "adapter/src/fallback/operations/imports.rs", "Reason::ImportsCut {"),
    ("hitsCut", "adapter/src/fallback/operations/search_tests.rs", "Reason::HitsCut {"),
    ("someNotRead", "adapter/src/fallback/operations/search_tests.rs", "Reason::SomeNotRead {"),
    ("unknownContext", "adapter/src/fallback/operations/search_tests.rs", "Reason::UnknownContext {"),
    ("nothingSearched", "adapter/src/fallback/operations/search_tests.rs", "Reason::NothingSearched {"),
    ("pathsCut", "adapter/src/fallback/operations/files.rs", "Reason::PathsCut {"),
    ("linesCut", "adapter/src/fallback/operations/lines.rs", "Reason::LinesCut {"),
    ("notRead", "adapter/src/fallback/operations/matches_tests.rs", "Reason::NotRead {"),
    ("tooLarge", "adapter/src/fallback/operations/matches_tests.rs", "Reason::TooLarge {"),
    ("comparisonGivenUp", "adapter/src/fallback/operations/matches_tests.rs", "Reason::ComparisonGivenUp {"),
    ("nothingMatched", "adapter/src/fallback/operations/matches_tests.rs", "Reason::NothingMatched {"),
    (
        "serverComplains",
        "conformance/suites/fallback/reasons.md",
        "rust-analyzer complains: the manifest is broken",
    ),
    (
        "restrictedElsewhere",
        "conformance/suites/fallback/reasons.md",
        "and an answer that may lack some of it says so",
    ),
    (
        "notReadable",
        "conformance/suites/fallback/reasons.md",
        "outside of the workspace and its toolchain; not read",
    ),
    ("notAnswered", "conformance/suites/fallback/reasons.md", "Lua (tools.lua:1) is not answered"),
    ("symbolsNotAnswered", "conformance/suites/fallback/reasons.md", "Not complete: Lua is not answered"),
    ("filesNotAnswered", "conformance/suites/fallback/reasons.md", "1 Lua files are not answered"),
    (
        "serverFailed",
        "conformance/suites/fallback/reasons.md",
        "Not complete: ruff: it answered with error -32603",
    ),
    (
        "unknownDefinitions",
        "conformance/suites/fallback/reasons.md",
        "knows no definition of `check`, but these lines read as one",
    ),
    ("unnamedLiterals", "conformance/suites/fallback/reasons.md", "Literals without a name"),
    (
        "notDescribed",
        "conformance/suites/fallback/reasons.md",
        "says nothing of it; this is how its definition begins",
    ),
    (
        "nothingListed",
        "conformance/suites/fallback/reasons.md",
        "lists nothing there, but 3 lines read as definitions",
    ),
    ("noCallHierarchy", "conformance/suites/fallback/reasons.md", "has no call hierarchy"),
    ("noTypeHierarchy", "conformance/suites/fallback/reasons.md", "has no type hierarchy"),
    (
        "implementationsNotListed",
        "conformance/suites/fallback/reasons.md",
        "does not list what implements or extends",
    ),
    (
        "outsideTypes",
        "conformance/suites/fallback/reasons.md",
        "supertypes of what lies outside the workspace are left out",
    ),
    (
        "diagnosticsLate",
        "conformance/suites/fallback/reasons.md",
        "has not said in time what is wrong with it",
    ),
    ("fixesLate", "conformance/suites/fallback/reasons.md", "so that fixes may be missing"),
    (
        "commandNotRun",
        "conformance/suites/fallback/reasons.md",
        "An editor would run `editor.show` afterwards",
    ),
    ("notOnDisk", "conformance/tests/reasons.rs", "Reason::NotOnDisk {"),
    ("untrackedFiles", "conformance/tests/reasons.rs", "Reason::UntrackedFiles {"),
    ("moreFilesDefine", "conformance/tests/reasons.rs", "Reason::MoreFilesDefine {"),
    ("serverLimit", "conformance/tests/reasons.rs", "Reason::ServerLimit {"),
    ("onlySimilar", "conformance/tests/reasons.rs", "Reason::OnlySimilar {"),
    ("actionsCut", "conformance/tests/reasons.rs", "Reason::ActionsCut {"),
    ("diagnosticsCut", "conformance/tests/reasons.rs", "Reason::DiagnosticsCut {"),
    ("hierarchyCut", "conformance/tests/reasons.rs", "Reason::HierarchyCut {"),
    ("typesNotFollowed", "conformance/tests/reasons.rs", "Reason::TypesNotFollowed {"),
    ("mentionsNotSearched", "conformance/tests/reasons.rs", "Reason::MentionsNotSearched {}"),
    ("localsCut", "conformance/tests/reasons.rs", "Reason::LocalsCut {"),
    ("usesLeftOut", "conformance/tests/reasons.rs", "Reason::UsesLeftOut {"),
    ("mixedUses", "conformance/tests/reasons.rs", "Reason::MixedUses {"),
    ("extendingNotListed", "conformance/tests/reasons.rs", "Reason::ExtendingNotListed {"),
    ("extendingNotSearched", "conformance/tests/reasons.rs", "Reason::ExtendingNotSearched {"),
    ("keptForImporters", "conformance/tests/reasons.rs", "Reason::KeptForImporters {"),
    ("mergedProjects", "adapter/src/fallback/servers/find/detect_tests.rs", "Reason::MergedProjects {"),
    ("unloadedProjects", "adapter/src/fallback/servers/find/detect_tests.rs", "Reason::UnloadedProjects {"),
    (
        "refusedProject",
        "adapter/src/fallback/servers/find/project_files_tests.rs",
        "Reason::RefusedProject {",
    ),
    (
        "noCompilationDatabase",
        "adapter/src/fallback/servers/find/compilation_database.rs",
        "Reason::NoCompilationDatabase {",
    ),
    ("unwatchedPlaces", "adapter/src/fallback/servers/find/outside_sources.rs", "Reason::UnwatchedPlaces {"),
    ("nameNotSearched", "adapter/src/fallback/operations/lookup/candidates.rs", "Reason::NameNotSearched {"),
];

/// Fails for a reason that no case produces, and for one of [`ELSEWHERE`] that another case produces, or whose test does not expect it.
fn reasoned() -> Result<(), Failed> {
    let adapter = Path::new(env!("CARGO_MANIFEST_DIR"));
    let chapters = [adapter.join("tests/reading"), adapter.join("tests/reading/without")];
    let files = chapters.iter().flat_map(|it| fs::read_dir(it).unwrap()).map(|it| it.unwrap().path());
    let texts: Vec<_> = files.filter(|it| it.is_file()).map(|it| fs::read_to_string(it).unwrap()).collect();
    let lists =
        texts.iter().flat_map(|it| it.lines()).filter_map(|it| it.strip_suffix(']')?.rsplit_once(" ["));
    let mut produced: BTreeSet<&str> = lists.flat_map(|(_, codes)| codes.split(", ")).collect();
    let repository = adapter.parent().unwrap();
    for (code, file, expected) in ELSEWHERE {
        let text = fs::read_to_string(repository.join(file)).unwrap();
        // The code that makes a reason names it, too: only its tests count.
        let text = text.split_once("\nmod tests {").map_or(text.as_str(), |(_, tests)| tests);
        if !text.contains(expected) {
            return Err(format!("{file} does not expect `{code}`: {expected}").into());
        }
        if !produced.insert(code) {
            return Err(format!("`{code}` has a case elsewhere: it is no entry of the list").into());
        }
    }
    let missing: Vec<String> = Reason::codes().filter(|it| !produced.contains(it.as_str())).collect();
    match &missing[..] {
        [] => Ok(()),
        _ => Err(format!("these reasons have no case: {missing:?}").into()),
    }
}

/// The files of a world, but for those that tools put there.
fn written(root: &Path) -> Vec<String> {
    let is_ours = |it: &str| !it.starts_with('.') && !["target", "Cargo.lock", "node_modules"].contains(&it);
    let (mut files, mut folders) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if !is_ours(&entry.file_name().to_string_lossy()) {
                continue;
            }
            match entry.path().is_dir() {
                true => folders.push(entry.path()),
                false => files.push(entry.path().strip_prefix(root).unwrap().display().to_string()),
            }
        }
    }
    files
}

/// Returns a line for each definition that is data: `3-6 public struct User in auth at a.rs:4:12 = struct User`.
fn data_lines(definitions: &[Definition]) -> String {
    let line = |it: &Definition| {
        let Definition { name, kind, defined_at, name_at, container, .. } = it;
        let flags = [(it.public, "public "), (it.test, "test ")];
        let flags: String = flags.iter().filter(|(is_so, _)| *is_so).map(|(_, flag)| *flag).collect();
        let container = container.as_ref().map_or(String::new(), |it| format!(" in {it}"));
        let signature = it.signature.as_deref().unwrap_or("-");
        let (first, last) = (defined_at.start.line, defined_at.end.line);
        let place = format!("{}:{}:{}", name_at.path, name_at.start.line, name_at.start.column);
        format!("{first}-{last} {flags}{kind} {name}{container} at {place} = {signature}\n")
    };
    definitions.iter().map(line).collect()
}

/// Returns the end of an answer: its completeness with the words and the codes of its reasons.
fn end(completeness: &Completeness, more: &str) -> String {
    let shown = show_end(completeness.is_complete(), completeness.note().as_deref(), more);
    shown.trim_end().to_owned() + &codes(completeness)
}

/// Returns the codes of reasons: ` [restricted, notLoaded]`; empty without any.
fn codes(completeness: &Completeness) -> String {
    let codes: Vec<_> = completeness.reasons().iter().map(Reason::code).collect();
    if codes.is_empty() { String::new() } else { format!(" [{}]", codes.join(", ")) }
}

/// Returns a line for each import: `a.rs:4:5 auth at src/auth.rs: User, login`.
fn show_imports(answer: ImportsResult) -> String {
    let mut shown = String::new();
    for it in &answer.imports {
        let file = it.file.as_ref().map_or(String::new(), |it| format!(" at {it}"));
        let external = if it.external { " external" } else { "" };
        let test = if it.at.test { " test" } else { "" };
        let place = format!("{}:{}:{}", it.at.path, it.at.start.line, it.at.start.column);
        shown += &format!("{place} {}{file}{external}{test}: {}\n", it.module, it.names.join(", "));
    }
    shown + &end(&answer.completeness, &answer.total.to_string())
}

/// Returns the definitions. Checks that references which come with them are those that are asked for by themselves.
async fn definitions_with_references(world: &World, about: &str) -> Result<DefinitionsResult, IdeError> {
    let question = DefinitionsQuestion { references_next: true, ..DefinitionsQuestion::new(target(about)) };
    let found = world.ask(Operation::Definitions, waiting(question)).await?;
    if let Some(references) = &found.references {
        let [only] = found.definitions.as_slice() else { panic!("several, with references: {found:?}") };
        assert_eq!(Ok(references), world.references(Target::of(only)).await.as_ref(), "of {only:?}");
    }
    Ok(found)
}

async fn ask(world: &World, operation: Operation, about: &str) -> String {
    match operation {
        Operation::Definitions => show(definitions_with_references(world, about).await, |it| {
            let nearest = format!("{:?}", it.nearest);
            lines(&it.definitions) + &end(&it.completeness, &nearest)
        }),
        Operation::Declarations | Operation::TypeDefinitions | Operation::Implementations => {
            let request = waiting(DefinitionsQuestion::new(target(about)));
            let answer = advised(world.ask(operation, request).await);
            let codes = answer.as_ref().map_or(String::new(), |it| codes(&it.completeness));
            show_definitions(answer) + &codes
        }
        Operation::Callers | Operation::Callees | Operation::Supertypes | Operation::Subtypes => {
            hierarchy(world, operation, about).await
        }
        Operation::References => {
            let _ = definitions_with_references(world, about).await;
            let request = waiting(ReferencesQuestion { target: target(about), include_declaration: false });
            let line = |it: &FileRange| {
                let role = it.role.as_deref().unwrap_or("-");
                format!("{}:{}:{} {role}\n", it.path, it.start.line, it.start.column)
            };
            show(world.ask(Operation::References, request).await, |it| {
                let lines: String = it.references.iter().map(line).collect();
                let code = it.code_mentions.iter().flatten().map(|it| format!(" {}:{}", it.path, it.line));
                let code: String = code.collect();
                let others = match (&it.code_mentions, it.mentions) {
                    (_, None | Some(0)) => String::new(),
                    (None, _) => ", code or not".to_owned(),
                    (Some(_), _) if code.is_empty() => String::new(),
                    (Some(_), _) => format!(", code:{code}"),
                };
                lines + &end(&it.completeness, &format!("{:?} more lines{others}", it.mentions))
            })
        }
        Operation::Diagnostics => {
            let path = (!about.is_empty()).then(|| about.to_owned());
            let request = waiting(DiagnosticsQuestion { path, ..Default::default() });
            let line = |it: &Diagnostic| {
                let Diagnostic { severity, message, code, source, path, start, end } = it;
                let (code, source) = (code.as_deref().unwrap_or("-"), source.as_deref().unwrap_or("-"));
                let place = format!("{path}:{}:{}-{}:{}", start.line, start.column, end.line, end.column);
                format!("{place} {severity:?} {source} {code}: {message}\n")
            };
            show(world.ask(Operation::Diagnostics, request).await, |it| {
                let lines: String = it.diagnostics.iter().map(line).collect();
                lines + &end(&it.completeness, &format!("{} files", it.files))
            })
        }
        Operation::Outline => {
            let request = waiting(OutlineQuestion { path: about.to_owned() });
            let answer = world.ask(Operation::Outline, request).await;
            show(answer, |it| lines(&it.definitions) + &end(&it.completeness, ""))
        }
        Operation::FileDefinitions => {
            let (path, kind) = about.split_once(' ').map_or((about, None), |(path, kind)| (path, Some(kind)));
            let (path, kind) = (path.to_owned(), kind.map(str::to_owned));
            let request = waiting(FileDefinitionsQuestion { path, kind });
            show(world.ask(Operation::FileDefinitions, request).await, |it| {
                data_lines(&it.definitions) + &end(&it.completeness, &it.total.to_string())
            })
        }
        Operation::Members => {
            let request = waiting(MembersQuestion { target: target(about) });
            show(world.ask(Operation::Members, request).await, |it| {
                data_lines(&it.definitions) + &end(&it.completeness, "")
            })
        }
        Operation::Exports => {
            let request = waiting(ExportsQuestion { path: about.to_owned() });
            show(world.ask(Operation::Exports, request).await, |it| {
                data_lines(&it.definitions) + &end(&it.completeness, "")
            })
        }
        Operation::Imports => {
            let request = waiting(ImportsQuestion { path: about.to_owned() });
            show(world.ask(Operation::Imports, request).await, show_imports)
        }
        Operation::Importers => {
            let request = waiting(ImportersQuestion { path: about.to_owned() });
            show(world.ask(Operation::Importers, request).await, show_imports)
        }
        Operation::Symbols => {
            let (query, path) =
                about.split_once(' ').map_or((about, None), |(query, path)| (query, Some(path)));
            let (query, path) = (query.to_owned(), path.map(str::to_owned));
            let request = waiting(SymbolsQuestion { query, path });
            show(world.ask(Operation::Symbols, request).await, |it| {
                lines(&it.definitions) + &end(&it.completeness, &it.total.to_string())
            })
        }
        Operation::Description => {
            let request = waiting(DescriptionQuestion { target: target(about) });
            show(world.ask(Operation::Description, request).await, |it| {
                let docs = it.docs.as_deref().unwrap_or_default();
                format!("{}\n--\n{docs}\n--\n{}", it.signature, end(&it.completeness, ""))
            })
        }
        Operation::CodeActions => show(offered(world, about).await, |it| {
            let lines: String = it.actions.iter().map(action_line).collect();
            lines + &end(&it.completeness, "")
        }),
        Operation::TakeAction => show(taken(world, about).await, show_edits),
        Operation::Format => {
            let (path, start, end) = stretch(about);
            let request = waiting(FormatQuestion { path, start, end });
            show(world.ask(Operation::Format, request).await, show_edits)
        }
        Operation::OrganizeImports => {
            let path = about.to_owned();
            let request = waiting(OrganizeImportsQuestion { path });
            show(world.ask(Operation::OrganizeImports, request).await, show_edits)
        }
        Operation::Rename => show(renamed(world, about).await, show_edits),
        Operation::Apply => {
            let edits = match renamed(world, about).await {
                Ok(answer) => answer.edits.into_iter().map(|it| it.id).collect(),
                failed => return show(failed, show_edits),
            };
            let request = waiting(ApplyQuestion { edits });
            let applied = world.ask(Operation::Apply, request).await;
            show(applied, |it| {
                let file = |it: &ChangedFile| {
                    let path = it.to.as_ref().unwrap_or(&it.path);
                    let text = fs::read_to_string(world.root().join(path)).unwrap();
                    let fate = it.fate.map_or(String::new(), |fate| format!("{} {fate:?} to ", it.path));
                    format!("{fate}{path} ({}):\n{text}", it.changes)
                };
                it.files.iter().map(file).collect::<String>() + &end(&it.completeness, "")
            })
        }
        other => panic!("`{other}` is asked elsewhere"),
    }
}

/// `src/a.rs`, `src/a.rs:3` (the line), `src/a.rs:3:5` (the point), `src/a.rs:3:5-3:9`
fn stretch(about: &str) -> (String, Option<Point>, Option<Point>) {
    let (from, to) = about.split_once('-').map_or((about, None), |(from, to)| (from, Some(to)));
    let mut parts = from.split(':');
    let path = parts.next().unwrap().to_owned();
    let number = |it: Option<&str>| it.and_then(|it| it.parse::<usize>().ok());
    let point = |line: usize, column: usize| Point {
        line: Line::from_index(line - 1),
        column: Column::from_index(column - 1),
    };
    match (number(parts.next()), number(parts.next()), to) {
        (Some(line), Some(column), Some(to)) => {
            let (last, end) = to.split_once(':').unwrap();
            let end = point(last.parse().unwrap(), end.parse().unwrap());
            (path, Some(point(line, column)), Some(end))
        }
        (Some(line), Some(column), None) => (path, Some(point(line, column)), None),
        (Some(line), None, _) => (path, Some(point(line, 1)), Some(point(line + 1, 1))),
        (None, ..) => (path, None, None),
    }
}

/// ABOUT may have a kind behind it: `src/a.rs:3 quickfix`.
async fn offered(world: &World, about: &str) -> Result<CodeActionsResult, IdeError> {
    let (place, kind) = about.split_once(' ').map_or((about, None), |(place, kind)| (place, Some(kind)));
    let (path, start, end) = stretch(place);
    let request = waiting(CodeActionsQuestion { path, start, end, kind: kind.map(str::to_owned) });
    world.ask(Operation::CodeActions, request).await
}

/// ABOUT has the title behind it: `src/a.rs:3 Remove import`.
async fn taken(world: &World, about: &str) -> Result<EditsResult, IdeError> {
    let (place, title) = about.split_once(' ').unwrap();
    let offered = offered(world, place).await?;
    let action = offered.actions.iter().find(|it| it.title == title);
    let request = waiting(TakeActionQuestion { action: action.map_or(title.to_owned(), |it| it.id.clone()) });
    world.ask(Operation::TakeAction, request).await
}

/// `quickfix: Remove import (preferred), disabled: not here; fixes src/a.rs:3:5: unused`
fn action_line(action: &CodeAction) -> String {
    let CodeAction { title, kind, preferred, disabled, fixes, .. } = action;
    let preferred = if *preferred { " (preferred)" } else { "" };
    let disabled = disabled.as_ref().map_or(String::new(), |it| format!(", disabled: {it}"));
    let fixes = if fixes.is_empty() { String::new() } else { format!("; fixes {}", fixes.join(", ")) };
    format!("{}: {title}{preferred}{disabled}{fixes}\n", kind.as_deref().unwrap_or("-"))
}

/// ABOUT has the new name behind it: `draw paint`.
async fn renamed(world: &World, about: &str) -> Result<EditsResult, IdeError> {
    let (about, new_name) = about.split_once(' ').unwrap();
    let request = waiting(RenameQuestion { target: target(about), new_name: new_name.to_owned() });
    world.ask(Operation::Rename, request).await
}

fn show_edits(answer: EditsResult) -> String {
    let mut shown = String::new();
    for edit in &answer.edits {
        let kind = edit.kind.as_ref().map_or(String::new(), |it| format!(" ({it})"));
        shown += &format!("{}{kind}\n", edit.title);
        for file in &edit.files {
            let to = file.to.as_ref().map_or(String::new(), |it| format!(" to {it}"));
            let fate = file.fate.map_or(String::new(), |it| format!(" {it:?}{to}"));
            shown += &format!("{}{fate} ({})\n{}\n", file.path, file.changes, file.diff);
        }
    }
    for it in &answer.mentions {
        let (role, text) = (it.role.as_deref().unwrap_or("text"), it.text.as_deref().unwrap_or_default());
        shown += &format!("stays in {}:{}:{} {role}: {text}\n", it.path, it.start.line, it.start.column);
    }
    shown + &end(&answer.completeness, &format!("{:?}", answer.mentioned))
}

/// ABOUT may have a depth behind it: `draw 2`.
async fn hierarchy(world: &World, operation: Operation, about: &str) -> String {
    let (about, depth) =
        about.split_once(' ').map_or((about, 1), |(about, depth)| (about, depth.parse().unwrap()));
    let request = waiting(HierarchyQuestion { target: target(about), depth });
    let name = |it: &Definition| {
        let container = it.container.as_ref().map_or(String::new(), |it| format!("{it}."));
        let place = match it.name_at.external {
            true => "external".to_owned(),
            false => format!("{}:{}", it.name_at.path, it.name_at.start.line),
        };
        format!("{} {container}{} ({place})", it.kind, it.name)
    };
    let link = |it: &Link| {
        let at = it.at.iter().map(|it| format!("{}:{}:{}", it.path, it.start.line, it.start.column));
        format!("{} -> {} at {}\n", name(&it.from), name(&it.to), at.collect::<Vec<_>>().join(", "))
    };
    show(world.ask(operation, request).await, |it| {
        let links: String = it.links.iter().map(link).collect();
        links + &end(&it.completeness, "")
    })
}

/// `12-14 struct User of auth in src/auth.rs`
fn lines(definitions: &[Definition]) -> String {
    let line = |it: &Definition| {
        let (first, last) = (it.defined_at.start.line, it.defined_at.end.line);
        let container = it.container.as_ref().map_or(String::new(), |it| format!(" of {it}"));
        match it.name_at.external {
            true => format!("external {} {}{container}\n", it.kind, it.name),
            false => format!("{}:{first}-{last} {} {}{container}\n", it.name_at.path, it.kind, it.name),
        }
    };
    definitions.iter().map(line).collect()
}

fn show<T>(answer: Result<T, IdeError>, tell: impl Fn(T) -> String) -> String {
    match advised(answer) {
        Ok(answer) => tell(answer),
        Err(error) => format!("{:?}: {}", error.kind, error.message),
    }
}

/// An error with what it says to do.
fn advised<T>(answer: Result<T, IdeError>) -> Result<T, IdeError> {
    answer.map_err(|mut error| {
        if let Some(recovery) = &error.recovery {
            error.message = format!("{}\n{recovery}", error.message);
        }
        error
    })
}

/// `User`, `src/a.rs:3:5`
fn target(about: &str) -> Target {
    if let Some((name, place)) = about.split_once('@') {
        return Target { name: Some(name.to_owned()), ..target(place) };
    }
    let mut parts = about.rsplitn(3, ':');
    let (column, line, path) = (parts.next(), parts.next(), parts.next());
    let number = |it: Option<&str>| it?.parse().ok();
    match (path, number(line), number(column)) {
        (Some(path), Some(line), Some(column)) => at(path, line, column),
        _ => named(about),
    }
}
