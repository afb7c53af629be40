//! Expressions mean the same in programs and in documents, but for the differences that are listed.

mod differences;
mod expressions;
mod rows;

use ailang::{CapabilityMode, Document, Documents, Runtime, RuntimeSettings, RuntimeSetup};
use dialect::{Limits, Outcome, Program, Registry, Value, run};
use futures::executor::block_on;
use libtest_mimic::Trial;
use serde_json::Value as Json;

use self::differences::DIFFERENCES;
use self::expressions::Maker;

pub(crate) fn trials() -> Vec<Trial> {
    [
        literate::trials![expressions_mean_the_same_in_programs_and_documents, each_difference_is_one],
        rows::trials(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The expressions of the short form. `DIALECT_EXPRESSIONS` asks for more.
const EXPRESSIONS: usize = 6_000;

/// The expressions of a document.
const BATCH: usize = 500;

/// The outcomes of an expression.
struct Both {
    expression: String,
    /// The value of the program, or the failures that it ended with.
    program: Result<Json, dialect::Failures>,
    /// The failures that are found before the program runs.
    is_refused: bool,
    /// The value that the body returned, or the error that it threw.
    body: Result<Json, Json>,
}

impl Both {
    fn are_equal(&self) -> bool {
        match (&self.program, &self.body) {
            (Ok(program), Ok(body)) => Value::from(program.clone()).equals(&Value::from(body.clone())),
            (program, body) => program.is_err() && body.is_err(),
        }
    }

    fn shown(&self) -> String {
        let program = match &self.program {
            Ok(value) => value.to_string(),
            Err(failures) => failures.all.first().map_or("asks".to_owned(), |it| {
                let diagnostic = dialect::diagnostic(it);
                format!("fails: {}", diagnostic.message)
            }),
        };
        let body = match &self.body {
            Ok(value) => value.to_string(),
            Err(error) => format!("throws: {}", error["message"]),
        };
        format!("{}\n  program {program}\n  body    {body}", self.expression)
    }
}

/// Evaluates expressions both ways.
fn evaluated(expressions: Vec<String>) -> Vec<Both> {
    let registry = Registry::new([core_library::library()]).expect("the library fits");
    let tools = expressions.iter().enumerate().map(|(index, expression)| {
        format!("// @pure\ntool t{index}() -> any {{\n  return {expression}\n}}\n")
    });
    let text = format!(
        "---\nid: test\ntitle: T\nsummary: T.\n---\n<define>\n{}</define>\n",
        tools.collect::<String>()
    );
    let mut documents = Documents::new();
    documents.insert("test.md", Document::parse(text));
    let settings = RuntimeSettings { capabilities: CapabilityMode::Audit, ..RuntimeSettings::default() };
    let libraries = vec![core_library::library()];
    let setup = RuntimeSetup { settings, libraries, ..RuntimeSetup::default() };
    let runtime = Runtime::new(documents, "test.md", setup).unwrap_or_else(|error| panic!("{error}"));
    let each = expressions.into_iter().enumerate().map(|(index, expression)| {
        let limits = Limits::default();
        let is_refused = Program::parse(&registry, &expression, &limits).is_err();
        let program = match block_on(run(&registry, &expression, &limits)) {
            Outcome::Success(success) => Ok(success.value.to_json()),
            Outcome::Failure(failures) => Err(failures),
            Outcome::Ambiguity(_) => Err(dialect::Failures::from(Vec::new())),
        };
        let body = block_on(runtime.call(&format!("t{index}"), dialect::Object::default()));
        Both { expression, program, is_refused, body }
    });
    each.collect()
}

fn expressions_mean_the_same_in_programs_and_documents() {
    let asked = std::env::var("DIALECT_EXPRESSIONS").ok().and_then(|it| it.parse().ok());
    let seed = std::env::var("DIALECT_SEED").ok().and_then(|it| it.parse().ok()).unwrap_or(1);
    let mut maker = Maker::new(seed);
    let (mut succeeded, mut failed, mut unlisted) = (0, 0, Vec::new());
    let mut counts = vec![0_usize; DIFFERENCES.len()];
    for _ in 0..asked.unwrap_or(EXPRESSIONS).div_ceil(BATCH) {
        for both in evaluated((0..BATCH).map(|_| maker.expression()).collect()) {
            match both.are_equal() {
                true if both.program.is_ok() => succeeded += 1,
                true => failed += 1,
                false => match DIFFERENCES.iter().position(|it| (it.applies)(&both)) {
                    Some(index) => counts[index] += 1,
                    None => unlisted.push(both.shown()),
                },
            }
        }
    }
    let shown = unlisted.iter().take(30).cloned().collect::<Vec<_>>().join("\n");
    assert!(unlisted.is_empty(), "{} of {succeeded} + {failed} differ:\n{shown}", unlisted.len());
    let differences: usize = counts.iter().sum();
    // Otherwise the generator shows nothing.
    assert!(succeeded > 2 * differences, "{succeeded} values, {failed} failures, differences {counts:?}");
}

fn each_difference_is_one() {
    let all = evaluated(DIFFERENCES.iter().map(|it| it.example.to_owned()).collect());
    for (difference, both) in DIFFERENCES.iter().zip(all) {
        let program = both.program.as_ref().map_or("fails".to_owned(), Json::to_string);
        let body = both.body.as_ref().map_or("fails".to_owned(), Json::to_string);
        let listed = (difference.program.to_owned(), difference.body.to_owned());
        assert_eq!((program, body), listed, "{}: {}", difference.why, both.shown());
        assert!((difference.applies)(&both), "{}: {}", difference.why, both.shown());
    }
}
