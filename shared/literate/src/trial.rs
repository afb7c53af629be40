//! Named tests of cases, for libtest-mimic.

use std::sync::{Arc, Mutex};

use unpoisoned::lock;

use libtest_mimic::{Failed, Trial};

use crate::{Case, bless, cases};

/// The actual outcome of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actual {
    /// The kind of outcome: `success`.
    pub kind: String,
    /// The text.
    pub text: String,
}

impl Actual {
    /// Makes an outcome.
    pub fn new(kind: impl Into<String>, text: impl Into<String>) -> Self {
        Self { kind: kind.into(), text: text.into() }
    }
}

/// Makes a test of each case. With `write`, a different outcome is accepted instead of failing, and `write`
/// gets the chapter's new text.
pub(crate) fn trials(
    chapter: &str,
    markdown: String,
    run: impl Fn(&Case) -> Actual + Clone + Send + 'static,
    write: Option<impl Fn(&str) + Clone + Send + 'static>,
) -> Vec<Trial> {
    let cases = cases(&markdown);
    if cases.is_empty() {
        return vec![Trial::test(chapter, || Err(Failed::from("this chapter has no case")))];
    }
    let accepted = Arc::new(Mutex::new(Vec::new()));
    let markdown: Arc<str> = markdown.into();
    let trial = |case: Case| {
        let (run, write) = (run.clone(), write.clone());
        let (accepted, markdown) = (Arc::clone(&accepted), Arc::clone(&markdown));
        Trial::test(format!("{chapter}: {}", case.name), move || {
            let actual = run(&case);
            match (differs(&case, &actual), write) {
                (None, _) => Ok(()),
                (Some(message), None) => Err(Failed::from(message)),
                (Some(_), Some(write)) => {
                    let mut accepted = lock(&accepted);
                    accepted.push((case.expected.line, actual.kind, actual.text));
                    write(&bless(&markdown, &accepted));
                    Ok(())
                }
            }
        })
    };
    cases.into_iter().map(trial).collect()
}

/// Describes the difference between the actual and the expected outcome.
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
