//! Judges answers about made-up projects, and counts the verdicts.

use std::time::{Duration, Instant};

use ide_protocol::{DefinitionsResult, ErrorCode, IdeError, ReferencesResult};
use libtest_mimic::Failed;

use super::languages::Language;
use super::project::{Question, places};
use crate::world::{World, named};

/// The verdict on an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Right,
    /// It says that it is not complete, or that nobody is ready.
    SaysSo(String),
    /// It claims to be the whole truth and is not.
    Wrong(String),
}

/// After so many milliseconds every server has loaded, on a busy machine too.
pub(crate) const WHOLE: u64 = 600_000;

/// The verdicts on many answers.
#[derive(Default)]
pub(crate) struct Figures {
    n_right: usize,
    says_so: Vec<String>,
    /// `true` if the server guesses how the project is built, so that it is never sure that a name is gone.
    guesses: bool,
    n_unsure: usize,
    wrong: Vec<String>,
    took: Vec<Duration>,
}

impl Figures {
    pub(crate) fn of(language: &Language) -> Self {
        // The made-up projects have no compilation database.
        Self { guesses: language.id == "c", ..Self::default() }
    }

    /// Asks, and counts what the answer is worth. `patience` is in milliseconds; after [`WHOLE`] of it an answer has to be
    /// right.
    pub(crate) async fn judge(
        &mut self,
        world: &World,
        question: &Question,
        patience: Option<u64>,
        when: &str,
    ) {
        let asked = Instant::now();
        let verdict = ask(world, question, patience).await;
        self.took.push(asked.elapsed());
        match verdict {
            Verdict::Right => self.n_right += 1,
            Verdict::SaysSo(_) if self.guesses && matches!(question, Question::Gone(_)) => self.n_unsure += 1,
            Verdict::SaysSo(how) if patience.is_some_and(|it| it >= WHOLE) => {
                self.wrong.push(format!("{when}: there was time enough, and yet: {how}"));
            }
            Verdict::SaysSo(how) => self.says_so.push(format!("{when}: {how}")),
            Verdict::Wrong(how) => {
                eprintln!("wrong: {when}: {how}");
                self.wrong.push(format!("{when}: {how}"));
            }
        }
    }

    /// Takes in those of others.
    pub(crate) fn add(&mut self, other: Self) {
        self.n_right += other.n_right;
        self.n_unsure += other.n_unsure;
        self.says_so.extend(other.says_so);
        self.wrong.extend(other.wrong);
        self.took.extend(other.took);
    }

    /// Writes the figures for a person.
    pub(crate) fn report(&mut self, what: &str) {
        self.took.sort();
        let at =
            |percent: usize| self.took.get((self.took.len() * percent / 100).min(self.took.len().max(1) - 1));
        let (median, late) = (at(50).copied().unwrap_or_default(), at(95).copied().unwrap_or_default());
        eprintln!(
            "{what}: {} right, {} say that they are not complete, {} not sure that a name is gone, {} wrong; median \
             {median:.0?}, 95 % within {late:.0?}",
            self.n_right,
            self.says_so.len(),
            self.n_unsure,
            self.wrong.len()
        );
        for said in self.says_so.iter().take(3) {
            eprintln!("  incomplete: {said}");
        }
    }

    /// Fails when an answer was wrong, or when fewer than so many percent were right: answers that are not complete prove
    /// little.
    pub(crate) fn outcome(self, least_right: usize) -> Result<(), Failed> {
        if !self.wrong.is_empty() {
            return Err(self.wrong.join("\n").into());
        }
        let total = self.n_right + self.says_so.len();
        if self.n_right * 100 < total * least_right {
            return Err(
                format!("only {} of {total} are right: {}", self.n_right, self.says_so.join("\n")).into()
            );
        }
        Ok(())
    }
}

async fn ask(world: &World, question: &Question, patience: Option<u64>) -> Verdict {
    match question {
        Question::Uses(name, expected) => match world.references_within(named(name), patience).await {
            Ok(found) if places(&found.references) == *expected && found.completeness.is_complete() => {
                Verdict::Right
            }
            Ok(found) if !found.completeness.is_complete() => {
                Verdict::SaysSo(said(question, found.completeness.note()))
            }
            found => refused(question, found.map(|it: ReferencesResult| format!("{it:?}"))),
        },
        Question::Definition(name, expected) => match world.definitions_within(named(name), patience).await {
            Ok(found) if defined(&found) == [expected.clone()] && found.completeness.is_complete() => {
                Verdict::Right
            }
            Ok(found) if !found.completeness.is_complete() => {
                Verdict::SaysSo(said(question, found.completeness.note()))
            }
            found => refused(question, found.map(|it| format!("{it:?}"))),
        },
        Question::Gone(name) => match world.definitions_within(named(name), patience).await {
            Ok(found) if found.definitions.is_empty() && found.completeness.is_complete() => Verdict::Right,
            Ok(found) if !found.completeness.is_complete() => {
                Verdict::SaysSo(said(question, found.completeness.note()))
            }
            found => refused(question, found.map(|it| format!("{it:?}"))),
        },
    }
}

fn said(question: &Question, note: Option<String>) -> String {
    format!("{question:?}: {}", note.unwrap_or_default())
}

/// An error is no answer; only that nobody is ready is none that misleads.
fn refused(question: &Question, found: Result<String, IdeError>) -> Verdict {
    match found {
        Err(error) if error.kind == ErrorCode::NotReady => {
            Verdict::SaysSo(said(question, Some(error.message)))
        }
        found => Verdict::Wrong(format!("{question:?} is answered with {found:?}")),
    }
}

fn defined(found: &DefinitionsResult) -> Vec<(String, u32)> {
    found.definitions.iter().map(|it| (it.name_at.path.clone(), it.name_at.start.line.get())).collect()
}
