//! Cases → named tests for libtest-mimic.

use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Failed, Trial};

use crate::{Case, bless, cases};

/// What came out of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actual {
    /// What kind of outcome: `success`.
    pub kind: String,
    /// Its text.
    pub text: String,
}

impl Actual {
    /// An outcome.
    pub fn new(kind: impl Into<String>, text: impl Into<String>) -> Self {
        Self { kind: kind.into(), text: text.into() }
    }
}

/// A file of cases.
#[derive(Clone, Debug)]
pub struct Chapter {
    /// Its name, which its tests' names start with: `calls`.
    pub name: String,
    /// What it says.
    pub markdown: String,
}

/// A test for each case, called `chapter: heading / heading`.
///
/// `run` gives what comes out of a case. With `write`, what comes out differently is accepted instead of
/// failing: `write` gets the chapter's new text. (The harness passes it when `UPDATE_EXPECT` is set.)
pub fn trials(
    chapter: Chapter,
    run: impl Fn(&Case) -> Actual + Clone + Send + 'static,
    write: Option<impl Fn(&str) + Clone + Send + 'static>,
) -> Vec<Trial> {
    let cases = cases(&chapter.markdown);
    if cases.is_empty() {
        let name = chapter.name.clone();
        return vec![Trial::test(name, || Err(Failed::from("this chapter has no case")))];
    }
    let accepted = Arc::new(Mutex::new(Vec::new()));
    let markdown: Arc<str> = chapter.markdown.into();
    let trial = |case: Case| {
        let (run, write) = (run.clone(), write.clone());
        let (accepted, markdown) = (Arc::clone(&accepted), Arc::clone(&markdown));
        Trial::test(format!("{}: {}", chapter.name, case.name), move || {
            let actual = run(&case);
            match (differs(&case, &actual), write) {
                (None, _) => Ok(()),
                (Some(message), None) => Err(Failed::from(message)),
                (Some(_), Some(write)) => {
                    let mut accepted = accepted.lock().unwrap_or_else(PoisonError::into_inner);
                    accepted.push((case.expected.line, actual.kind, actual.text));
                    write(&bless(&markdown, &accepted));
                    Ok(())
                }
            }
        })
    };
    cases.into_iter().map(trial).collect()
}

/// How what came out differs from what had to.
fn differs(case: &Case, actual: &Actual) -> Option<String> {
    let expected = &case.expected;
    if (&expected.kind, &expected.text) == (&actual.kind, &actual.text) {
        return None;
    }
    let inputs: Vec<String> = case
        .inputs
        .iter()
        .map(|input| format!("--- {} {}\n{}", input.kind, input.subject, input.text))
        .collect();
    Some(format!(
        "line {}\n{}\n--- expected {}\n{}\n--- actual {}\n{}\n",
        expected.line,
        inputs.join("\n"),
        expected.kind,
        expected.text,
        actual.kind,
        actual.text
    ))
}
