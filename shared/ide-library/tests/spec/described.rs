//! The programs and results of the product's first description, under its lines: each is a case of a chapter.

use dialect::Outcome;
use literate::Case;

/// Line of the description, and the program that stands there.
const PROGRAMS: &[(usize, &str)] = &[
    (56, "findDefinitions(`MyClass`)"),
    (57, "findDefinition(`MyClass`)"),
    (58, "findReferences(`validateToken`)"),
    (63, "search(`src/auth.rs`, `async fn`)"),
    (64, "search(`src`, `struct.*User`, `.rs`)"),
    (65, r"search(`tests`, `#\[test\]`)"),
    (70, "lines(`src/main.rs`, 10, 15)"),
    (79, "findReferences(findDefinition(`validateToken`))"),
    (121, "findDefinition(`User`)"),
];

/// Line of the description, a result that stands there, and a function that takes it as it is.
const RESULTS: &[(usize, &str, &str)] = &[
    (
        87,
        "findReferences",
        r#"{
  "name": "MyClass",
  "kind": "class",
  "definedAt": {
    "path": "src/models.rs",
    "start": {"line": 1, "column": 1},
    "end": {"line": 3, "column": 2}
  }
}"#,
    ),
    (
        100,
        "source",
        r#"{
  "path": "src/auth.rs",
  "start": {"line": 10, "column": 1},
  "end": {"line": 15, "column": 20}
}"#,
    ),
];

/// Returns the programs that are missing, or do not succeed in the workspace of `first`.
pub(crate) fn all_run(cases: &[Case], run: impl Fn(&Case, &str) -> Outcome) -> Result<(), String> {
    let first = cases.first().expect("there are cases");
    for (line, program) in PROGRAMS {
        let is_it = |case: &&Case| case.input("dialect").is_some_and(|it| it.ends_with(program));
        let case = cases.iter().find(is_it).ok_or_else(|| format!("no case for line {line}: {program}"))?;
        succeeds(*line, run(case, program))?;
    }
    for (line, function, result) in RESULTS {
        succeeds(*line, run(first, &format!("{function}({result})")))?;
    }
    Ok(())
}

fn succeeds(line: usize, outcome: Outcome) -> Result<(), String> {
    match outcome {
        Outcome::Success(_) => Ok(()),
        other => Err(format!("line {line}: {other:?}")),
    }
}
