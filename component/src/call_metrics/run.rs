//! One call of a tool, from its program to its answer.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Instant;

use super::cache::CacheCounter;
use super::functions::Functions;
use super::meter::Meter;
use super::tokens::{count, rounded, with_functions};
use super::writer::{self, Job};
use crate::audit::{Action, By, Ending, Event, Log, Measured};
use crate::state::State;
use crate::tool::answer::Answer;

/// The log of the calls of one connection. Without a state folder, nothing is measured.
#[derive(Clone, Debug)]
pub(crate) struct CallLog(Option<Target>);

#[derive(Clone, Debug)]
struct Target {
    log: Log,
    cache: Option<CacheCounter>,
}

/// A call of a tool that is measured. Dropped before its end, it was cancelled.
pub(crate) struct MeasuredRun {
    target: Option<Target>,
    meter: Meter,
    tool: &'static str,
    program: String,
    begun: Instant,
    /// The session, and its folder.
    owner: OnceLock<(String, Option<PathBuf>)>,
}

/// A call that is over, before its tokens are counted.
pub(super) struct RanProgram {
    event: Event,
    measured: Measured,
    program: String,
    answer: Vec<String>,
    functions: Functions,
    cache: Option<CacheCounter>,
}

impl CallLog {
    /// Creates the log of a connection in a state folder.
    pub(crate) fn new(state: Option<&State>, cache: Option<CacheCounter>) -> Self {
        Self(state.map(|it| Target { log: Log::of_calls(it.clone()), cache }))
    }

    /// Begins a call of a tool.
    pub(crate) fn begin(&self, tool: &'static str, program: &str) -> MeasuredRun {
        let meter = if self.0.is_some() { Meter::new() } else { Meter::default() };
        let (program, begun) = (program.to_owned(), Instant::now());
        MeasuredRun { target: self.0.clone(), meter, tool, program, begun, owner: OnceLock::new() }
    }
}

impl MeasuredRun {
    /// Returns the meter of its program.
    pub(crate) fn meter(&self) -> Meter {
        self.meter.clone()
    }

    /// Sets the session that the call belongs to.
    pub(crate) fn belongs_to(&self, session: &str, workspace: Option<PathBuf>) {
        let _ = self.owner.set((session.to_owned(), workspace)); // a call has one session
    }

    /// Ends the call with its answer.
    pub(crate) fn finish(mut self, answer: &Answer) {
        self.record(answer.kind.into(), answer.blocks.clone());
    }

    /// Gives the measurements to the writer. An outcome that the program itself has counts more than `ending`.
    fn record(&mut self, ending: Ending, answer: Vec<String>) {
        let Some(Target { log, cache }) = self.target.take() else { return };
        let ms = rounded(self.begun.elapsed().as_secs_f64() * 1_000.0);
        let readings = self.meter.take();
        let (outcome, error) = readings.ending.unwrap_or((ending, None));
        let measured = Measured { ms, outcome, error, ..Measured::default() };
        let program = std::mem::take(&mut self.program);
        let event = self.event(outcome);
        let functions = readings.functions;
        writer::give(Job::new(log, RanProgram { event, measured, program, answer, functions, cache }));
    }

    fn event(&self, outcome: Ending) -> Event {
        let (session, workspace) = self.owner.get().cloned().unzip();
        Event {
            session,
            workspace: workspace.flatten().map(|it| it.to_string_lossy().into_owned()),
            capability: self.tool.to_owned(),
            params: serde_json::json!({}),
            action: Action::Ran,
            tool: None,
            document: None,
            document_hash: None,
            scope: None,
            by: By::Policy,
            arguments: None,
            reason: Some(outcome.name().to_owned()),
            measured: None,
        }
    }
}

impl Drop for MeasuredRun {
    fn drop(&mut self) {
        self.record(Ending::Cancelled, Vec::new());
    }
}

impl RanProgram {
    /// Counts the tokens, and returns the event for the log.
    pub(super) fn into_event(self, lost: u64) -> Event {
        let cache = self.cache.map(|it| it.take()).unwrap_or_default();
        let tokens_out = self.answer.iter().map(|it| count(it)).sum();
        let measured = Measured {
            tokens_in: count(&self.program),
            tokens_out,
            cache_hits: cache.hits,
            cache_misses: cache.misses,
            lost,
            ..with_functions(self.measured, self.functions)
        };
        Event { measured: Some(measured), ..self.event }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::answer::Kind;

    fn recorded(state: &State) -> Vec<Measured> {
        assert!(super::super::flush(std::time::Duration::from_secs(30)), "the writer answers");
        let mut found = Vec::new();
        Log::of_calls(state.clone()).verify(|entry| found.extend(entry.event.measured)).unwrap();
        found
    }

    #[test]
    fn a_call_is_recorded_with_its_functions_however_it_ends() {
        let folder = tempfile::TempDir::new().unwrap();
        let state = State::at(folder.path().join("state"));
        let log = CallLog::new(Some(&state), None);
        let run = log.begin("ide_operation", "findReferences(`User`)");
        run.belongs_to("s", Some("/work".into()));
        let call = run.meter().begin("findReferences", || super::super::Said::Text("User".to_owned()));
        call.unwrap().end(&Ok(dialect::Value::from(serde_json::json!([1, 2, 3]))));
        drop(run.meter().begin("search", || super::super::Said::Nothing));
        run.finish(&Answer::new(vec!["[1,2,3]".to_owned()], Kind::Success));
        drop(log.begin("script", "while (true) {}"));
        let [first, second] = &recorded(&state)[..] else { panic!("two programs ran") };
        assert_eq!((first.outcome, first.tokens_in > 3, first.tokens_out > 3), (Ending::Success, true, true));
        let functions: Vec<_> =
            first.functions.iter().map(|it| (it.function.as_str(), it.outcome, it.calls)).collect();
        let expected = [("findReferences", Ending::Success, 1), ("search", Ending::Cancelled, 1)];
        assert_eq!(functions, expected);
        assert!(first.functions[0].ms[0] <= first.ms && first.functions[0].tokens_out > 3, "{first:?}");
        assert_eq!((second.outcome, second.tokens_out), (Ending::Cancelled, 0));
    }

    #[test]
    fn a_call_that_goes_on_after_its_program_counts_nowhere() {
        let folder = tempfile::TempDir::new().unwrap();
        let state = State::at(folder.path().join("state"));
        let run = CallLog::new(Some(&state), None).begin("ide_operation", "slow()");
        let open = run.meter().begin("slow", || super::super::Said::Nothing);
        run.finish(&Answer::failure("too late"));
        drop(open);
        let [only] = &recorded(&state)[..] else { panic!("one program ran") };
        assert_eq!((only.outcome, only.functions.len()), (Ending::Failure, 0));
    }

    #[test]
    fn without_a_folder_nothing_is_measured() {
        let run = CallLog::new(None, None).begin("ide_operation", "1");
        assert!(run.meter().begin("f", || unreachable!("nobody counts them")).is_none());
    }
}
