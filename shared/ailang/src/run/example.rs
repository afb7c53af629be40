//! Examples as tests: their programs run, and what they print is compared with their `output` fences.

use std::sync::Arc;

use dialect::{Limits, Notes, Outcome, Work, explain, run as run_program};
use source_text::{Diagnostic, LineIndex, Span};

use super::doctest::{Difference, difference};
use super::halt::{Halt, Thrown, name_of, text_of};
use super::interpreter::Interpreter;
use super::runtime::Runtime;
use super::scope::Scope;
use super::state::{Ending, Records, RunState};
use crate::document::{Attachment, Example};
use crate::syntax::Item;

/// The result of an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleResult {
    /// Its id, or its place: `example 2, line 30`.
    pub name: String,
    /// The lines that it printed.
    pub output: String,
    /// The errors of calls that were logged instead of thrown.
    pub log: Vec<String>,
    /// The reason why it failed.
    pub error: Option<ProgramError>,
}

/// The reason why a program failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramError {
    /// The reason, on one line.
    pub message: String,
    /// The reason with its place, an excerpt and advice, over several lines.
    pub text: String,
}

impl ExampleResult {
    /// Returns the result of an example that was stopped from outside.
    pub fn unfinished(name: impl Into<String>, reason: impl Into<String>) -> Self {
        let message: String = reason.into();
        let error = Some(ProgramError { text: message.clone(), message });
        Self { name: name.into(), output: String::new(), log: Vec::new(), error }
    }
}

impl Runtime {
    /// Returns the names of the examples, in their order.
    pub fn examples(&self) -> Vec<String> {
        let document = self.linked.documents.at(self.linked.home).map(|(_, document)| document);
        let examples = document.iter().flat_map(|document| &document.examples).enumerate();
        examples.map(|(index, example)| self.name_of(index, example)).collect()
    }

    /// Runs the example at an index. Definitions of the example are its own.
    pub async fn run_example(&self, index: usize) -> Option<ExampleResult> {
        let (path, document) = self.linked.documents.at(self.linked.home)?;
        let example = document.examples.get(index)?;
        let name = self.name_of(index, example);
        let has_own = example.program.items.iter().any(|it| !matches!(it, Item::Statement(_)));
        let linked = if has_own {
            let linked = Self::linked(self.linked.documents.clone(), path, Some(index), &self.setup);
            linked.map(Arc::new)
        } else {
            Ok(Arc::clone(&self.linked))
        };
        let linked = match linked {
            Ok(linked) => linked,
            Err(text) => {
                let message = text.lines().next().unwrap_or_default().to_owned();
                let error = Some(ProgramError { message, text });
                return Some(ExampleResult { name, output: String::new(), log: Vec::new(), error });
            }
        };
        let mut setup = self.setup.clone();
        setup.fixtures = setup.fixtures.map(|it| it.fresh());
        let state = RunState::new(linked, &setup);
        let _ending = Ending(Arc::clone(&state));
        let halted = run(&state, example).await;
        let records = state.take_records();
        let error = match halted {
            Err(halt) => Some(report(&state, &records, halt)),
            Ok(()) => compared(example, path, &document.source, &records.output),
        };
        Some(ExampleResult { name, output: records.output, log: records.log, error })
    }

    fn name_of(&self, index: usize, example: &Example) -> String {
        let (_, source) = self.linked.source(self.linked.home);
        match example.id() {
            Some(id) => id.to_owned(),
            None => format!("example {}, line {}", index + 1, line_of(source, example.span.start)),
        }
    }
}

/// Runs the statements of an example, and then its programs of Dialect.
async fn run(state: &Arc<RunState>, example: &Example) -> Result<(), Halt> {
    let work = Work::new(&state.limits);
    let (scope, home) = (Arc::new(Scope::default()), state.linked.home);
    let interpreter = Interpreter::new(Arc::clone(state), home, scope, work, &Notes::default());
    match interpreter.items(&example.program.items).await {
        Ok(()) | Err(Halt::Return(_)) => {}
        Err(halt) => return Err(halt),
    }
    let (_, source) = state.linked.source(home);
    for fence in example.attachments.iter().filter(|it| it.kind == "dialect") {
        let program = source[fence.body.range()].trim();
        let answer = match state.setup.providers.iter().find_map(|it| it.run(program)) {
            Some(answer) => answer.await,
            None => answer_of(state, program).await,
        };
        match answer {
            Ok(value) => state.print(&value, fence.body)?,
            Err(message) => return Err(Halt::mistake(fence.body, message)),
        }
    }
    Ok(())
}

/// Runs a program of Dialect over the tools of the document.
async fn answer_of(state: &Arc<RunState>, program: &str) -> Result<String, String> {
    let outcome =
        run_program(&state.bound(), program, &Limits { steps: state.limits.steps, ..state.limits }).await;
    let text = explain(&outcome, program).text;
    if matches!(outcome, Outcome::Success(_)) { Ok(text) } else { Err(text) }
}

/// Describes why a program ended.
fn report(state: &RunState, records: &Records, halt: Halt) -> ProgramError {
    let (path, source) = state.linked.source(state.linked.home);
    let diagnostic = match halt {
        Halt::Thrown(Thrown { error, span }) => {
            let message = format!(
                "{}: {}",
                name_of(&error).unwrap_or("Error"),
                text_of(&error, "message").unwrap_or_default()
            );
            let diagnostic = Diagnostic::error(span, message);
            match text_of(&error, "recovery") {
                Some(recovery) => diagnostic.help(recovery),
                None => diagnostic,
            }
        }
        Halt::Fatal(failure) => Diagnostic::error(failure.span, dialect::diagnostic(&failure).message),
        halt => {
            let word = match halt {
                Halt::Break => "break",
                Halt::Continue => "continue",
                _ => "retry()",
            };
            Diagnostic::error(None, format!("`{word}` stands outside of what it belongs to"))
        }
    };
    let mut text = format!("{path}: {}", diagnostic.show(source, &LineIndex::new(source)));
    for entry in &records.trace {
        text.push_str(&format!("\nin {}", place(state, &entry.tool, entry.span)));
    }
    ProgramError { message: diagnostic.message, text }
}

/// Returns the tool and the place in its body.
fn place(state: &RunState, tool: &str, span: Option<Span>) -> String {
    let home = state.linked.tools.get(tool).map(|it| it.place.0);
    let Some((home, span)) = home.zip(span) else { return format!("`{tool}`") };
    let (path, source) = state.linked.source(home);
    format!("`{tool}`, {path}, line {}", line_of(source, span.start))
}

/// Compares what an example printed with its `output` fences.
fn compared(example: &Example, path: &str, source: &str, output: &str) -> Option<ProgramError> {
    let fences: Vec<&Attachment> =
        example.attachments.iter().filter(|it| it.kind.eq_ignore_ascii_case("output")).collect();
    let first = fences.first()?;
    let expected: String = fences.iter().map(|fence| &source[fence.body.range()]).collect();
    let Difference { line, expected, printed } = difference(&expected, output)?;
    let line = line_of(source, first.body.start) + line;
    let shown = |line: Option<String>| line.map_or("nothing more".to_owned(), |line| format!("`{line}`"));
    let message = format!("expected {}, printed {}", shown(expected), shown(printed));
    Some(ProgramError { text: format!("{path}: line {line}: {message}"), message })
}

/// Returns the line of a place, counted from 1.
fn line_of(source: &str, at: usize) -> usize {
    source.get(..at).unwrap_or_default().matches('\n').count() + 1
}
