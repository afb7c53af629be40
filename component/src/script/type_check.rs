//! A type checker for programs: TypeScript's own, if the machine has one. It advises; what it finds are notes.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use script_protocol::Place;
use tokio::process::Command;
use tokio_util::task::AbortOnDropHandle;

use crate::script::settings::{CheckerCommand, TypeChecker};
use unpoisoned::lock;

/// The findings that are shown.
const SHOWN: usize = 4;

/// Declarations of the globals besides JavaScript's own library.
const GLOBALS: &str = "declare const console: any, performance: any, structuredClone: any, TextEncoder: any, \
                       TextDecoder: any, URL: any, URLSearchParams: any, atob: any, btoa: any, queueMicrotask: any, \
                       setTimeout: any, setInterval: any, clearTimeout: any, clearInterval: any, setImmediate: any, \
                       clearImmediate: any, global: any;\n";

/// Errors about what the run itself tells better (names and modules that are not there), and about arithmetic with
/// booleans and dates, which works.
const IGNORED: &[u32] = &[2304, 2307, 2318, 2362, 2363, 2580, 2584, 2552, 2792];

/// A type error that the checker (`tsc`) reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) place: Place,
    pub(super) message: String,
}

/// The checker of a connection; it is looked for once for each list of folders.
#[derive(Debug, Default)]
pub(super) struct TypeCheck {
    found: Mutex<HashMap<Vec<PathBuf>, Option<Arc<CheckerCommand>>>>,
}

/// A check that runs beside its program.
#[derive(Debug)]
pub(super) struct RunningCheck {
    checking: Option<AbortOnDropHandle<Vec<Finding>>>,
    /// The time that it may take, and that its program waits for it after a failure.
    longest: Duration,
}

impl TypeCheck {
    /// Looks for the checker of these folders in the background, so that the first program need not wait.
    pub(super) fn prepare(self: &Arc<Self>, checker: TypeChecker, roots: Vec<PathBuf>) {
        let this = Arc::clone(self);
        drop(tokio::task::spawn_blocking(move || this.find(&checker, roots)));
    }

    /// Starts to check a program against declarations, if there is a checker.
    pub(super) fn start(
        self: &Arc<Self>,
        checker: Option<&TypeChecker>,
        longest: Duration,
        roots: &[PathBuf],
        source: &str,
        declarations: impl FnOnce() -> String,
    ) -> RunningCheck {
        let (Some(checker), Ok(text)) = (checker.cloned(), typescript::checkable(source)) else {
            return RunningCheck { checking: None, longest };
        };
        if lock(&self.found).get(roots).is_some_and(Option::is_none) {
            return RunningCheck { checking: None, longest };
        }
        let (this, roots, declarations) = (Arc::clone(self), roots.to_vec(), declarations() + GLOBALS);
        let checking = async move {
            let found = tokio::task::spawn_blocking(move || this.find(&checker, roots)).await.ok().flatten();
            match found {
                Some(found) => {
                    let checked = tokio::time::timeout(longest, check(&found, &text, &declarations)).await;
                    checked.ok().flatten().unwrap_or_default()
                }
                None => Vec::new(),
            }
        };
        RunningCheck { checking: Some(AbortOnDropHandle::new(tokio::spawn(checking))), longest }
    }

    /// Returns the command for these folders; blocking.
    fn find(&self, checker: &TypeChecker, roots: Vec<PathBuf>) -> Option<Arc<CheckerCommand>> {
        if let Some(found) = lock(&self.found).get(&roots) {
            return found.clone();
        }
        let found = checker.find(&roots).map(Arc::new);
        lock(&self.found).insert(roots, found.clone());
        found
    }
}

impl RunningCheck {
    /// Waits for the findings. After a program that ended well the check is stopped: it has nothing to explain.
    pub(super) async fn findings(self, ended_well: bool) -> Vec<Finding> {
        let Some(checking) = self.checking.filter(|_| !ended_well) else { return Vec::new() };
        let found = tokio::time::timeout(self.longest, checking).await;
        let mut found = found.ok().and_then(Result::ok).unwrap_or_default();
        found.truncate(SHOWN);
        found
    }
}

/// Checks a program. Returns `None` if the checker cannot be run.
async fn check(command: &CheckerCommand, text: &str, declarations: &str) -> Option<Vec<Finding>> {
    let folder = tempfile::Builder::new().prefix("check-").tempdir_in(&command.folder).ok()?;
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
    write("dialect.d.ts", declarations).and_then(|()| write("program.ts", text)).ok()?;
    let mut process = Command::new(&command.command.program);
    process.args(&command.command.arguments).env_clear().envs(command.command.environment.iter().cloned());
    process.args([
        "--noEmit", "--pretty", "false", "--target", "esnext", "--module", "esnext", "--lib", "esnext",
    ]);
    process.args(["--strict", "false", "--skipLibCheck", "--types", "", "dialect.d.ts", "program.ts"]);
    // The supervisor of the checker ends it when its input is closed.
    process.current_dir(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut running = process.kill_on_drop(true).spawn().ok()?;
    let _input = running.stdin.take(); // held open
    let output = running.wait_with_output().await.ok()?;
    Some(String::from_utf8_lossy(&output.stdout).lines().filter_map(finding).collect())
}

/// Reads a line of the checker: `program.ts(3,5): error TS2339: …`.
fn finding(line: &str) -> Option<Finding> {
    let (place, rest) = line.strip_prefix("program.ts(")?.split_once("): error TS")?;
    let (code, message) = rest.split_once(": ")?;
    let code: u32 = code.parse().ok()?;
    // Others are about syntax, which stands in a function here, and about strictness.
    if !(2000..3000).contains(&code) || IGNORED.contains(&code) {
        return None;
    }
    let (line, column) = place.split_once(',')?;
    let place = Place { line: line.parse().ok()?, column: column.parse().ok()? };
    Some(Finding { place: typescript::checked_place(place), message: message.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_errors_of_types_are_findings() {
        let found = finding("program.ts(3,5): error TS2339: Property 'col' does not exist on type 'Point'.");
        let expected = "Property 'col' does not exist on type 'Point'.";
        let place = Place { line: 3, column: 5 };
        assert_eq!(found, Some(Finding { place, message: expected.to_owned() }));
        for line in [
            "dialect.d.ts(3,5): error TS2339: Property 'a'",
            "program.ts(1,1): error TS1108: A 'return' statement can only be used within a function body.",
            "program.ts(1,1): error TS2304: Cannot find name 'x'.",
            "program.ts(1): error",
            "",
        ] {
            assert_eq!(finding(line), None, "{line}");
        }
    }
}
