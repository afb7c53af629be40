//! Parsers of the languages themselves, which must count the same calls in every program that they accept.
//! The one of TypeScript is below `AILANG_TOOLS`, or in the `node_modules` that `TYPESCRIPT_MODULES` names.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use libtest_mimic::{Completion, Failed, Trial};
use syntax::{Language, Parsed, Role};

use super::chapter::{Chapter, NAME};

/// A program that reads programs, separated by zero bytes, and writes the number of calls in each, a line
/// each; `-` for one that it does not accept.
struct Judge {
    language: &'static str,
    command: fn() -> Option<Command>,
}

const JUDGES: [Judge; 5] = [
    Judge { language: "python", command: python },
    Judge { language: "typescript", command: || node("a.ts") },
    Judge { language: "tsx", command: || node("a.tsx") },
    Judge { language: "go", command: go },
    Judge { language: "java", command: java },
];

/// Returns a test for each judge. It is ignored where the judge is not installed.
pub(crate) fn trials() -> Vec<Trial> {
    let trial = |judge: &'static Judge| {
        Trial::ignorable_test(format!("the parser of {} counts the same", judge.language), || {
            match (judge.command)().filter(starts) {
                Some(command) => compare(judge, command).map(|()| Completion::Completed),
                None => Ok(Completion::ignored_with("its parser is not installed")),
            }
        })
    };
    JUDGES.iter().map(trial).collect()
}

fn starts(command: &Command) -> bool {
    let mut version = Command::new(command.get_program());
    version.arg(if command.get_program().to_string_lossy().ends_with("go") {
        "version"
    } else {
        "--version"
    });
    version.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|it| it.success())
}

fn compare(judge: &Judge, mut command: Command) -> Result<(), Failed> {
    let language = Language::of_id(judge.language).expect("the language is known");
    let programs = Chapter::read(language).programs();
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = process.stdin.take().expect("the input is a pipe");
    let text = programs.join("\0");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = process.wait_with_output()?;
    writer.join().expect("the writer does not panic")?;
    let counts = String::from_utf8(output.stdout)?;
    let counts: Vec<_> = counts.lines().collect();
    if counts.len() != programs.len() {
        return Err(format!("{} counts of {} programs", counts.len(), programs.len()).into());
    }
    let wrong: Vec<_> = programs
        .iter()
        .zip(&counts)
        .filter(|(_, counted)| **counted != "-")
        .map(|(program, counted)| (program, counted, calls(language, program)))
        .filter(|(_, counted, found)| **counted != found.to_string())
        .map(|(program, counted, found)| format!("{found} instead of {counted}: {program}"))
        .collect();
    let accepted = counts.iter().filter(|it| **it != "-").count();
    if accepted * 2 < programs.len() {
        return Err(format!("only {accepted} of {} programs are accepted", programs.len()).into());
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn calls(language: Language, program: &str) -> usize {
    let parsed = Parsed::new(language, program).expect("the text is within bounds");
    program.match_indices(NAME).filter(|(at, _)| parsed.role(*at) == Role::Call).count()
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/calls/judges").join(name)
}

fn tools() -> Option<PathBuf> {
    std::env::var_os("AILANG_TOOLS").map(PathBuf::from)
}

fn python() -> Option<Command> {
    let mut command = Command::new("python3");
    command.arg(file("judge.py"));
    Some(command)
}

fn node(name: &str) -> Option<Command> {
    let modules = std::env::var_os("TYPESCRIPT_MODULES").map(PathBuf::from);
    let modules = modules.or_else(|| Some(tools()?.join("node_modules")))?;
    modules.join("typescript/lib/typescript.js").exists().then(|| {
        let mut command = Command::new("node");
        command.arg(file("judge.cjs")).arg(modules).arg(name);
        command
    })
}

fn go() -> Option<Command> {
    let mut command = Command::new(tools()?.join("python/bin/go"));
    command.arg("run").arg(file("judge.go"));
    Some(command)
}

fn java() -> Option<Command> {
    let mut command = Command::new("java");
    command.arg(file("Judge.java"));
    Some(command)
}
