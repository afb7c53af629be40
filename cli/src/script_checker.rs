//! The type checker that advises scripts: TypeScript 7 or later, of the workspace or of the search path. It runs behind the
//! wall of plugins, and reads nothing but the program, declarations and its own installation.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, DirBuilder};
use std::hash::{Hash, Hasher};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use adapter::fallback::{Config, ConfinedCommand, Origin, Widening, cache_folder, confine, grounds};
use component::{CheckerCommand, FrameTransport, RuntimeCommand, TypeChecker};
use confinement::Bounds;

/// The first version that is written in another language than its own, and checks in a tenth of the time.
const NATIVE: u32 = 7;

/// The age of the files of programs that were killed, at which they are removed.
const OLD: Duration = Duration::from_secs(60 * 60);

/// Returns the checker. Without a wall there is none: it would run programs of the workspace.
pub(crate) fn checker(config: &Config) -> Option<TypeChecker> {
    let config = config.clone();
    config.wall.then(|| TypeChecker::new(move |roots| find(roots, &config)))
}

fn find(roots: &[PathBuf], config: &Config) -> Option<CheckerCommand> {
    let grounds = grounds(roots);
    let folder = folder(roots, &grounds)?;
    let may_run_theirs = !roots.iter().any(|it| is_refused(it, config));
    let of_workspace = roots.iter().map(|it| it.join("node_modules/.bin/tsc"));
    let of_path = which::which_all("tsc").into_iter().flatten();
    let programs = of_workspace.filter(|it| it.is_file()).chain(of_path).filter_map(|it| {
        let bounds = Bounds::new(None, grounds.iter().cloned());
        let origin = if bounds.is_of_workspace(&it) { Origin::Brought } else { Origin::Installed };
        let program = it.canonicalize().ok()?;
        // A link in the workspace to something else of the user's is no checker.
        let is_theirs = origin == Origin::Brought && grounds.iter().any(|it| program.starts_with(it));
        (origin == Origin::Installed || is_theirs && may_run_theirs).then_some((program, origin))
    });
    programs.into_iter().find_map(|(program, origin)| command((&program, origin), &grounds, &folder, config))
}

/// Returns whether the user does not want programs of a folder to run.
fn is_refused(folder: &Path, config: &Config) -> bool {
    let is_restricted = config.level.is_some_and(|it| !it.runs_code());
    let is_refused = || config.trust_store.as_ref().is_some_and(|it| it.decision(folder) == Some(false));
    is_restricted || is_refused()
}

/// Returns the command of a checker if it runs behind the wall, and is new enough.
fn command(
    program: (&Path, Origin),
    grounds: &[PathBuf],
    folder: &Path,
    config: &Config,
) -> Option<CheckerCommand> {
    let read = match program.1 {
        Origin::Installed => Vec::new(),
        Origin::Brought => packages(grounds),
    };
    let (widening, folders) = (Widening { read, ..Widening::default() }, [folder.to_owned()]);
    let confined = confine("script-check", &folders, program, &widening, Duration::ZERO, config);
    let ConfinedCommand { program, arguments, environment } = confined.ok()?;
    let mut version = Command::new(&program);
    version.args(&arguments).arg("--version").env_clear().envs(environment.iter().cloned());
    // The supervisor ends it when its input is closed.
    let mut running =
        version.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let _input = running.stdin.take(); // held open
    let output = running.wait_with_output().ok()?;
    is_native(&String::from_utf8_lossy(&output.stdout)).then(|| CheckerCommand {
        command: RuntimeCommand { program, arguments, environment, transport: FrameTransport::Streams },
        folder: folder.to_owned(),
    })
}

/// Returns whether an answer to `--version` tells of a version that is new enough: `Version 7.0.2`.
fn is_native(answer: &str) -> bool {
    let version =
        answer.trim().strip_prefix("Version ").and_then(|it| it.split('.').next()?.parse::<u32>().ok());
    version.is_some_and(|it| it >= NATIVE)
}

/// Returns the packages of a workspace and of the repositories around it. A link in place of one may lead anywhere.
fn packages(grounds: &[PathBuf]) -> Vec<PathBuf> {
    let between = grounds.iter().flat_map(|it| it.ancestors());
    let between = between.filter(|it| grounds.iter().any(|ground| it.starts_with(ground)));
    let all = between.map(|it| it.join("node_modules"));
    all.filter(|it| it.canonicalize().is_ok_and(|canonical| canonical == *it)).collect()
}

/// Creates the folder for the programs of one workspace, and removes what is old in it. Nothing of another workspace is
/// in reach of a checker that a workspace brings.
fn folder(roots: &[PathBuf], grounds: &[PathBuf]) -> Option<PathBuf> {
    let mut hasher = DefaultHasher::new();
    roots.hash(&mut hasher);
    let all = cache_folder()?.join("script-check");
    if Bounds::new(None, grounds.iter().cloned()).is_of_workspace(&all) {
        return None;
    }
    let folder = all.join(format!("{:016x}", hasher.finish()));
    DirBuilder::new().recursive(true).mode(0o700).create(&folder).ok()?;
    for entry in fs::read_dir(&folder).ok()?.flatten() {
        let age = entry.metadata().and_then(|it| it.modified()).ok().and_then(|it| it.elapsed().ok());
        if age.is_some_and(|it| it > OLD) {
            // Another process may have been faster.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    folder.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_native_versions_count() {
        assert!(is_native("Version 7.0.2\n") && is_native("Version 10.1.0-dev"));
        assert!(!is_native("Version 5.9.3") && !is_native("") && !is_native("7"));
    }
}
