//! The places that operations name, in the same files: lines end at `\n`, `\r\n` and a lone `\r`, whatever the server
//! says.

use std::collections::BTreeSet;

use ide_protocol::{
    Definition, DefinitionsQuestion, DiagnosticsQuestion, ErrorCode, FileDefinitionsQuestion, FileRange,
    HierarchyQuestion, IdeError, Operation, ReferencesQuestion, SearchQuestion, Severity, SymbolsQuestion,
    Target,
};
use libtest_mimic::Failed;
use tokio::runtime::Runtime;

use super::{Language, NAMES, Project, whole_words};
use crate::world::{at, pinned, waiting};

/// The number of names of a workspace that are asked about in a run of all tests.
const ASKED: usize = 3;

/// A file, a line and a column, both from 1.
type Place = (String, u32, u32);

pub(super) fn ask_all(
    runtime: &Runtime,
    settings: &str,
    language: &'static Language,
    count: usize,
) -> Result<(), Failed> {
    let asked = if count > NAMES { NAMES } else { ASKED };
    for seed in 0..count.div_ceil(NAMES) {
        let mut project = Project::write(settings, language, seed as u64 + 1);
        let wrong = project.write_wrong();
        project.world.open(runtime);
        let done: Result<(), Failed> = runtime.block_on(async {
            for index in 0..asked {
                project.ask(index).await?;
            }
            project.diagnose(wrong).await
        });
        runtime.block_on(project.world.stop());
        done.map_err(|it| format!("seed {seed}: {}", it.message().unwrap_or_default()))?;
    }
    Ok(())
}

impl Project {
    /// Returns all places of a name.
    fn places(&self, name: &str) -> BTreeSet<Place> {
        let of_file = |(path, text): (&String, &String)| {
            let text = text.strip_prefix('\u{feff}').unwrap_or(text);
            let places = whole_words(text, name).map(|at| place(path, &text[..at]));
            places.collect::<Vec<_>>()
        };
        self.files.iter().flat_map(of_file).collect()
    }

    /// Adds a line with a mistake to a file, and returns its place.
    fn write_wrong(&mut self) -> Option<Place> {
        let Language { folder, extension, wrong, .. } = self.language;
        let path = format!("{folder}u0_0.{extension}");
        let text = self.files.get_mut(&path).filter(|_| !wrong.is_empty())?;
        text.push('\n');
        let place = place(&path, text);
        *text += wrong;
        self.world.write(&path, text);
        Some(place)
    }

    async fn ask(&self, index: usize) -> Result<(), Failed> {
        let (name, path, line) = &self.names[index];
        let (target, all) = (pinned(name, path, *line), self.places(name));
        let home: BTreeSet<_> = all.iter().filter(|it| it.0 == *path).cloned().collect();
        self.ask_references(target.clone(), &all).await?;
        self.ask_definitions(name, &home, &all).await?;
        self.ask_symbols(name, path, (&home, &all)).await?;
        self.search(name, &all).await?;
        self.ask_callers(target, &all).await
    }

    async fn ask_references(&self, target: Target, all: &BTreeSet<Place>) -> Result<(), Failed> {
        let question = ReferencesQuestion { target, include_declaration: true };
        let answer = self.world.ask(Operation::References, waiting(question)).await.map_err(told)?;
        let found: BTreeSet<_> = answer.references.iter().map(start).collect();
        let may_lack = !answer.completeness.is_complete() || answer.mentions != Some(0);
        match !found.is_empty() && found.is_subset(all) && (may_lack || found == *all) {
            true => Ok(()),
            false => Err(format!("references of {all:?}: {answer:?}").into()),
        }
    }

    /// Asks at each use.
    async fn ask_definitions(
        &self,
        name: &str,
        home: &BTreeSet<Place>,
        all: &BTreeSet<Place>,
    ) -> Result<(), Failed> {
        for (path, line, column) in all {
            let question = DefinitionsQuestion::new(at(path, *line, *column));
            let answer = self.world.ask(Operation::Definitions, waiting(question)).await.map_err(told)?;
            if !answer.definitions.iter().any(|it| home.contains(&start(&it.name_at))) {
                return Err(format!("definitions at {path}:{line}:{column}, not {home:?}: {answer:?}").into());
            }
            named(name, all, &answer.definitions)?;
        }
        Ok(())
    }

    async fn ask_symbols(
        &self,
        name: &str,
        path: &str,
        (home, all): (&BTreeSet<Place>, &BTreeSet<Place>),
    ) -> Result<(), Failed> {
        let question = FileDefinitionsQuestion { path: path.to_owned(), kind: None };
        let answer = self.world.ask(Operation::FileDefinitions, waiting(question)).await.map_err(told)?;
        named(name, home, &answer.definitions)?;
        let question = SymbolsQuestion { query: name.to_owned(), path: None };
        let answer = self.world.ask(Operation::Symbols, waiting(question)).await.map_err(told)?;
        named(name, all, &answer.definitions)
    }

    async fn search(&self, name: &str, all: &BTreeSet<Place>) -> Result<(), Failed> {
        let question = SearchQuestion::new(".", format!(r"\b{name}\b"));
        let answer = self.world.ask(Operation::Search, waiting(question)).await.map_err(told)?;
        let found: BTreeSet<_> = answer.hits.iter().map(start).collect();
        let lines = |places: &BTreeSet<Place>| -> BTreeSet<_> {
            places.iter().map(|(path, line, _)| (path.clone(), *line)).collect()
        };
        match found.is_subset(all) && lines(&found) == lines(all) {
            true => Ok(()),
            false => Err(format!("search of {all:?}: {answer:?}").into()),
        }
    }

    async fn ask_callers(&self, target: Target, all: &BTreeSet<Place>) -> Result<(), Failed> {
        let question = HierarchyQuestion { target, depth: 1 };
        let answer = match self.world.ask(Operation::Callers, waiting(question)).await {
            Err(IdeError { kind: ErrorCode::Unavailable, .. }) => return Ok(()),
            answer => answer.map_err(told)?,
        };
        let calls: Vec<_> = answer.links.iter().flat_map(|it| &it.at).map(start).collect();
        let may_lack = !answer.completeness.is_complete();
        match calls.iter().all(|it| all.contains(it)) && (may_lack || !calls.is_empty()) {
            true => Ok(()),
            false => Err(format!("callers of {all:?}: {answer:?}").into()),
        }
    }

    async fn diagnose(&self, wrong: Option<Place>) -> Result<(), Failed> {
        let Some((path, line, _)) = wrong else { return Ok(()) };
        let question = DiagnosticsQuestion { path: Some(path), ..Default::default() };
        let answer = self.world.ask(Operation::Diagnostics, waiting(question)).await.map_err(told)?;
        let errors = answer.diagnostics.iter().filter(|it| it.severity == Severity::Error);
        let lines: BTreeSet<_> = errors.map(|it| it.start.line.get()).collect();
        match lines == BTreeSet::from([line]) {
            true => Ok(()),
            false => Err(format!("the mistake is in line {line}: {answer:?}").into()),
        }
    }
}

/// Checks that what has the name stands at one of the places.
fn named(name: &str, all: &BTreeSet<Place>, definitions: &[Definition]) -> Result<(), Failed> {
    let mut named = definitions.iter().filter(|it| it.name == name).peekable();
    match named.peek().is_some() && named.all(|it| all.contains(&start(&it.name_at))) {
        true => Ok(()),
        false => Err(format!("{name} is at {all:?}: {definitions:?}").into()),
    }
}

fn start(range: &FileRange) -> Place {
    (range.path.clone(), range.start.line.get(), range.start.column.get())
}

fn told(error: IdeError) -> Failed {
    format!("{:?}: {}", error.kind, error.message).into()
}

/// Returns the place behind a text.
fn place(path: &str, before: &str) -> Place {
    let before = before.strip_prefix('\u{feff}').unwrap_or(before).replace("\r\n", "\n");
    let (line, column) = before
        .rsplit_once(['\n', '\r'])
        .map_or((1, before.as_str()), |(above, rest)| (2 + above.matches(['\n', '\r']).count(), rest));
    (path.to_owned(), line as u32, 1 + column.chars().count() as u32)
}
