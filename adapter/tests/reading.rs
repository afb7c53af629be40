//! What real language servers are asked beside definitions and references, through the fallback: a chapter of
//! `tests/reading` for each server, each question a test. `UPDATE_EXPECT=1` accepts what comes out.
//!
//! A question is `OPERATION ABOUT`, where ABOUT is a name or `path:line:column`. The files of a case are written before
//! it is asked. A chapter whose server is not installed shows as ignored; `DIALECT_REQUIRE_SERVERS=ty` makes that a
//! failure.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use adapter::fallback::find_server;
use ide_protocol::{
    ApplyRequest, ChangedFile, Definition, DefinitionsRequest, DescriptionRequest, Diagnostic,
    DiagnosticsRequest, EditsResult, FileRange, Hierarchy, HierarchyRequest, IdeError, Link, Navigation,
    Operation, OutlineRequest, ReferencesRequest, RenameRequest, SymbolsRequest, Target,
};
use libtest_mimic::Trial;
use literate::{Actual, Case, Chapter};
use tokio::runtime::Runtime;
use world::{World, at, named, show_definitions, show_end, silent};

/// A server and the language that it is asked about.
const SERVERS: &[(&str, &str)] = &[
    ("rust-analyzer", "rust"),
    ("ty", "python"),
    ("basedpyright", "python"),
    ("tsc", "typescript"),
    ("clangd", "c"),
];

fn main() -> ExitCode {
    let open = Opened::default();
    let code = world::main(|| {
        SERVERS.iter().flat_map(|(server, language)| chapter(server, language, &open)).collect()
    });
    open.close();
    code
}

/// The worlds that the chapters are about, each with its runtime: a server is started once for all cases.
#[derive(Clone, Default)]
struct Opened(Arc<Mutex<Vec<Arc<Mutex<About>>>>>);

struct About {
    runtime: Runtime,
    world: Option<World>,
}

impl Opened {
    fn open(&self, server: &str, language: &str) -> Arc<Mutex<About>> {
        let settings = format!("[languages.{language}]\nserver = \"{server}\"\n");
        let world = Some(World::without_session(&[], &settings));
        let about = Arc::new(Mutex::new(About { runtime: Runtime::new().unwrap(), world }));
        self.0.lock().unwrap().push(Arc::clone(&about));
        about
    }

    fn close(&self) {
        for about in self.0.lock().unwrap().drain(..) {
            let mut about = about.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let world = about.world.take().unwrap();
            about.runtime.block_on(world.stop());
        }
    }
}

fn chapter(server: &'static str, language: &str, open: &Opened) -> Vec<Trial> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/reading/{server}.md"));
    let about = open.open(server, language);
    let missing = {
        let about = about.lock().unwrap();
        let config = about.world.as_ref().unwrap().config();
        about.runtime.block_on(find_server(&config, language)).err()
    };
    let is_ignored = missing.is_some() && !world::is_required(server);
    let name = if is_ignored { format!("{server} (not here)") } else { server.to_owned() };
    let trials = Chapter::read(name, path).trials(move |case| about.lock().unwrap().outcome(case));
    trials.into_iter().map(|it| it.with_ignored_flag(is_ignored)).collect()
}

impl About {
    fn outcome(&mut self, case: &Case) -> Actual {
        let world = self.world.as_ref().unwrap();
        let is_new = !case.inputs_of("world").any(|it| world.root().join(&it.subject).exists());
        for file in case.inputs_of("world") {
            let text = file.text.clone() + "\n";
            if fs::read_to_string(world.root().join(&file.subject)).ok() != Some(text.clone()) {
                world.write(&file.subject, &text);
            }
        }
        if is_new {
            world.open(&self.runtime);
        }
        let question = case.input("ask").expect("a case asks something");
        let (operation, about) = question.split_once(' ').unwrap_or((question, ""));
        let operation = Operation::from_name(operation).expect("it is an operation");
        Actual::new("answer", self.runtime.block_on(ask(world, operation, about)).trim_end())
    }
}

async fn ask(world: &World, operation: Operation, about: &str) -> String {
    let fallback = &world.fallback;
    let (session_id, progress_token, deadline_ms) = ("s".to_owned(), None, None);
    let navigate = async |way| {
        let request = DefinitionsRequest {
            session_id: "s".into(),
            progress_token: None,
            deadline_ms,
            wait_ms: None,
            target: target(about),
        };
        show_definitions(advised(fallback.navigate(way, request, silent()).await))
    };
    match operation {
        Operation::Declarations => navigate(Navigation::Declarations).await,
        Operation::TypeDefinitions => navigate(Navigation::TypeDefinitions).await,
        Operation::Implementations => navigate(Navigation::Implementations).await,
        Operation::Callers => hierarchy(world, Hierarchy::Callers, about).await,
        Operation::Callees => hierarchy(world, Hierarchy::Callees, about).await,
        Operation::Supertypes => hierarchy(world, Hierarchy::Supertypes, about).await,
        Operation::Subtypes => hierarchy(world, Hierarchy::Subtypes, about).await,
        Operation::References => {
            let request = ReferencesRequest {
                session_id,
                progress_token,
                deadline_ms,
                wait_ms: None,
                target: target(about),
                include_declaration: false,
            };
            let line = |it: &FileRange| {
                let role = it.role.as_deref().unwrap_or("-");
                format!("{}:{}:{} {role}\n", it.path, it.start.line, it.start.column)
            };
            show(fallback.references(request, silent()).await, |it| {
                let lines: String = it.references.iter().map(line).collect();
                lines + &show_end(it.complete, it.note.as_deref(), &format!("{:?} more lines", it.mentions))
            })
        }
        Operation::Diagnostics => {
            let path = (!about.is_empty()).then(|| about.to_owned());
            let request = DiagnosticsRequest { session_id, progress_token, deadline_ms, wait_ms: None, path };
            let line = |it: &Diagnostic| {
                let Diagnostic { severity, message, code, source, path, start, end } = it;
                let (code, source) = (code.as_deref().unwrap_or("-"), source.as_deref().unwrap_or("-"));
                let place = format!("{path}:{}:{}-{}:{}", start.line, start.column, end.line, end.column);
                format!("{place} {severity:?} {source} {code}: {message}\n")
            };
            show(fallback.diagnostics(request, silent()).await, |it| {
                let lines: String = it.diagnostics.iter().map(line).collect();
                lines + &show_end(it.complete, it.note.as_deref(), &format!("{} files", it.files))
            })
        }
        Operation::Outline => {
            let request = OutlineRequest {
                session_id,
                progress_token,
                deadline_ms,
                wait_ms: None,
                path: about.to_owned(),
            };
            let answer = fallback.outline(request, silent()).await;
            show(answer, |it| lines(&it.definitions) + &show_end(it.complete, it.note.as_deref(), ""))
        }
        Operation::Symbols => {
            let (query, path) =
                about.split_once(' ').map_or((about, None), |(query, path)| (query, Some(path)));
            let (query, path) = (query.to_owned(), path.map(str::to_owned));
            let request =
                SymbolsRequest { session_id, progress_token, deadline_ms, wait_ms: None, query, path };
            show(fallback.symbols(request, silent()).await, |it| {
                lines(&it.definitions) + &show_end(it.complete, it.note.as_deref(), &it.total.to_string())
            })
        }
        Operation::Description => {
            let request = DescriptionRequest {
                session_id,
                progress_token,
                deadline_ms,
                wait_ms: None,
                target: target(about),
            };
            show(fallback.description(request, silent()).await, |it| {
                let docs = it.docs.as_deref().unwrap_or_default();
                format!("{}\n--\n{docs}\n--\n{}", it.signature, show_end(it.complete, it.note.as_deref(), ""))
            })
        }
        Operation::Rename => show(renamed(world, about).await, show_edits),
        Operation::Apply => {
            let edits = match renamed(world, about).await {
                Ok(answer) => answer.edits.into_iter().map(|it| it.id).collect(),
                failed => return show(failed, show_edits),
            };
            let request = ApplyRequest { session_id, deadline_ms, edits };
            let applied = fallback.apply(request, Arc::new(world::Disk)).await;
            show(applied, |it| {
                let file = |it: &ChangedFile| {
                    let text = fs::read_to_string(world.root().join(&it.path)).unwrap();
                    format!("{} ({}):\n{text}", it.path, it.changes)
                };
                it.files.iter().map(file).collect::<String>() + &show_end(it.complete, it.note.as_deref(), "")
            })
        }
        other => panic!("`{other}` is asked elsewhere"),
    }
}

/// ABOUT has the new name behind it: `draw paint`.
async fn renamed(world: &World, about: &str) -> Result<EditsResult, IdeError> {
    let (about, new_name) = about.split_once(' ').unwrap();
    let request = RenameRequest {
        session_id: "s".into(),
        progress_token: None,
        deadline_ms: None,
        wait_ms: None,
        target: target(about),
        new_name: new_name.to_owned(),
    };
    world.fallback.rename(request, silent()).await
}

fn show_edits(answer: EditsResult) -> String {
    let mut shown = String::new();
    for edit in &answer.edits {
        let kind = edit.kind.as_ref().map_or(String::new(), |it| format!(" ({it})"));
        shown += &format!("{}{kind}\n", edit.title);
        for file in &edit.files {
            shown += &format!("{} ({})\n{}\n", file.path, file.changes, file.diff);
        }
    }
    for it in &answer.mentions {
        let (role, text) = (it.role.as_deref().unwrap_or("text"), it.text.as_deref().unwrap_or_default());
        shown += &format!("stays in {}:{}:{} {role}: {text}\n", it.path, it.start.line, it.start.column);
    }
    shown + &show_end(answer.complete, answer.note.as_deref(), &format!("{:?}", answer.mentioned))
}

/// ABOUT may have a depth behind it: `draw 2`.
async fn hierarchy(world: &World, way: Hierarchy, about: &str) -> String {
    let (about, depth) =
        about.split_once(' ').map_or((about, 1), |(about, depth)| (about, depth.parse().unwrap()));
    let request = HierarchyRequest {
        session_id: "s".into(),
        progress_token: None,
        deadline_ms: None,
        wait_ms: None,
        target: target(about),
        depth,
    };
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
    show(world.fallback.hierarchy(way, request, silent()).await, |it| {
        let links: String = it.links.iter().map(link).collect();
        links + &show_end(it.complete, it.note.as_deref(), "")
    })
}

/// `12-14 struct User of auth in src/auth.rs`
fn lines(definitions: &[Definition]) -> String {
    let line = |it: &Definition| {
        let (first, last) = (it.defined_at.start.line, it.defined_at.end.line);
        let container = it.container.as_ref().map_or(String::new(), |it| format!(" of {it}"));
        format!("{}:{first}-{last} {} {}{container}\n", it.name_at.path, it.kind, it.name)
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
    let mut parts = about.rsplitn(3, ':');
    let (column, line, path) = (parts.next(), parts.next(), parts.next());
    let number = |it: Option<&str>| it?.parse().ok();
    match (path, number(line), number(column)) {
        (Some(path), Some(line), Some(column)) => at(path, line, column),
        _ => named(about),
    }
}
