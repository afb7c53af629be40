//! A plugin that reads the history of code from git: `git.blame(findDefinition(`User`))`.
//!
//! It runs `git` in the workspace's folder. What the repository's own configuration could start, such as filters, hooks
//! and external diffs, is switched off.

use std::io::Read;
use std::process::{Command, ExitCode, Stdio};

use dialect_plugin::{Error, FileRange, Host, Plugin};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

fn main() -> ExitCode {
    Plugin::new("git")
        .version(env!("CARGO_PKG_VERSION"))
        .describe("The history of the code, from git")
        .reads("blame", "Returns the commit that last changed each line of a range", blame)
        .reads("history", "Returns the commits that changed a range, the newest first", history)
        .reads("log", "Returns the commits of a file, a folder or the whole workspace, the newest first", log)
        .reads("diff", "Returns the changed files and the patch between two commits, or since one", diff)
        .serve()
}

/// The bytes of git's output that are read. More is cut.
const OUTPUT: u64 = 4 << 20;

/// The characters of a patch that are returned.
const PATCH: usize = 20_000;

#[derive(Deserialize, JsonSchema)]
struct Blame {
    /// The lines.
    at: FileRange,
}

/// A line and its last change.
#[derive(Serialize, JsonSchema)]
struct Line {
    line: u32,
    commit: String,
    author: String,
    date: String,
    summary: String,
    text: String,
}

fn blame(it: Blame, _: &Host) -> Result<Vec<Line>, Error> {
    let range = format!("{},{}", it.at.start.line, it.at.last_line());
    let output = git(&["blame", "--line-porcelain", "--no-textconv", "-L", &range, "--", &it.at.path])?;
    let (mut lines, mut line) = (Vec::new(), Line::new(""));
    for words in output.lines() {
        if let Some(text) = words.strip_prefix('\t') {
            text.clone_into(&mut line.text);
            let next = Line::new("");
            lines.push(std::mem::replace(&mut line, next));
            continue;
        }
        match words.split_once(' ') {
            Some(("author", name)) => name.clone_into(&mut line.author),
            Some(("author-time", seconds)) => line.date = date(seconds.parse().unwrap_or(0)),
            Some(("summary", text)) => text.clone_into(&mut line.summary),
            Some((id, places)) if line.commit.is_empty() => {
                line.commit = id.chars().take(SHORT).collect();
                line.line = places.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0);
            }
            _ => {}
        }
    }
    Ok(lines)
}

impl Line {
    fn new(text: &str) -> Self {
        let empty = String::new;
        Self {
            line: 0,
            commit: empty(),
            author: empty(),
            date: empty(),
            summary: empty(),
            text: text.to_owned(),
        }
    }
}

/// The characters of a commit's id.
const SHORT: usize = 10;

/// Returns a day, such as 2026-01-31, from the seconds since 1970. (Howard Hinnant's `civil_from_days`.)
fn date(seconds: i64) -> String {
    let days = seconds.div_euclid(86_400) + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A commit.
#[derive(Serialize, JsonSchema)]
struct Commit {
    commit: String,
    author: String,
    date: String,
    summary: String,
}

/// The form of a commit in git's output.
const FORM: &str = "--format=%x00%h%x00%an%x00%ad%x00%s";

fn commits(output: &str) -> Vec<Commit> {
    let each = output.lines().filter_map(|line| {
        let mut parts = line.strip_prefix('\0')?.split('\0').map(str::to_owned);
        let mut next = || parts.next();
        Some(Commit { commit: next()?, author: next()?, date: next()?, summary: next()? })
    });
    each.collect()
}

#[derive(Deserialize, JsonSchema)]
struct History {
    /// The lines.
    at: FileRange,
    /// The maximum number of commits; 20 by default.
    first: Option<u16>,
}

fn history(it: History, _: &Host) -> Result<Vec<Commit>, Error> {
    let (first, at) = (count(it.first), &it.at);
    let range = format!("-L{},{}:{}", at.start.line, at.last_line(), at.path);
    let options = ["--no-textconv", "--no-ext-diff", "--no-show-signature", "--date=short", "-s", FORM];
    let mut arguments = vec!["log", &first, &range];
    arguments.extend(options);
    Ok(commits(&git(&arguments)?))
}

#[derive(Deserialize, JsonSchema)]
struct Log {
    /// The file or folder; the whole workspace by default.
    path: Option<String>,
    /// The maximum number of commits; 20 by default.
    first: Option<u16>,
}

fn log(it: Log, _: &Host) -> Result<Vec<Commit>, Error> {
    let (first, path) = (count(it.first), it.path.unwrap_or_else(|| ".".to_owned()));
    let output = git(&["log", &first, "--no-show-signature", "--date=short", FORM, "--", &path])?;
    Ok(commits(&output))
}

fn count(first: Option<u16>) -> String {
    format!("-{}", first.unwrap_or(20))
}

#[derive(Deserialize, JsonSchema)]
struct Diff {
    /// The file or folder; the whole workspace by default.
    path: Option<String>,
    /// The older commit, branch or tag; the last commit by default.
    from: Option<String>,
    /// The newer one; the files as they are by default.
    to: Option<String>,
}

/// The changes between two commits.
#[derive(Serialize, JsonSchema)]
struct Changes {
    files: Vec<Changed>,
    patch: String,
    /// `true` if the patch was cut.
    cut: bool,
}

#[derive(Serialize, JsonSchema)]
struct Changed {
    path: String,
    /// The number of new lines; null for a binary file.
    added: Option<u32>,
    /// The number of removed lines; null for a binary file.
    removed: Option<u32>,
}

fn diff(it: Diff, _: &Host) -> Result<Changes, Error> {
    let (from, path) =
        (it.from.unwrap_or_else(|| "HEAD".to_owned()), it.path.unwrap_or_else(|| ".".to_owned()));
    if let Some(name) = [Some(&from), it.to.as_ref()].into_iter().flatten().find(|it| it.starts_with('-')) {
        return Err(Error::new(format!("{name} is no commit, branch or tag")));
    }
    let run = |form: &str| {
        let mut arguments =
            vec!["diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", form, &from];
        arguments.extend(it.to.as_deref());
        arguments.extend(["--", &path]);
        git(&arguments)
    };
    let files = run("--numstat")?;
    let files = files.lines().filter_map(|line| {
        let mut parts = line.splitn(3, '\t');
        let (added, removed, path) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Changed { path: path.to_owned(), added: added.parse().ok(), removed: removed.parse().ok() })
    });
    let files = files.collect();
    let patch = run("--patch")?;
    let start = patch.char_indices().nth(PATCH).map(|(at, _)| &patch[..at]);
    let cut = start.is_some();
    Ok(Changes { files, patch: start.map_or_else(|| patch.clone(), str::to_owned), cut })
}

/// Runs git, and returns what it wrote.
fn git(arguments: &[&str]) -> Result<String, Error> {
    let mut command = quiet();
    for name in filters() {
        command.arg("-c").arg(format!("{name}="));
    }
    output(command.args(arguments))
}

/// Returns the command without pager, hooks and monitors.
fn quiet() -> Command {
    let mut command = Command::new("git");
    command.arg("--no-pager");
    for setting in ["core.fsmonitor=false", "core.hooksPath=/dev/null", "core.quotePath=false"] {
        command.args(["-c", setting]);
    }
    command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    command
}

/// Returns the settings of the repository that would run programs over the content of files.
fn filters() -> Vec<String> {
    let mut command = quiet();
    command.args(["config", "--name-only", "--get-regexp", r"^filter\..*\.(clean|smudge|process)$"]);
    let names = output(&mut command).unwrap_or_default(); // it fails where there is none
    names.lines().filter(|it| !it.contains('=')).map(str::to_owned).collect()
}

fn output(command: &mut Command) -> Result<String, Error> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| Error::new(format!("git does not start: {error}")))?;
    let mut errors = child.stderr.take().expect("it is piped");
    let said = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = errors.read_to_end(&mut text);
        text
    });
    let mut written = Vec::new();
    let stdout = child.stdout.take().expect("it is piped");
    let read = stdout.take(OUTPUT).read_to_end(&mut written);
    let status = child.wait();
    read?;
    let said = said.join().unwrap_or_default();
    let is_cut = u64::try_from(written.len()).is_ok_and(|it| it == OUTPUT);
    if !status?.success() && !is_cut {
        let said = String::from_utf8_lossy(&said);
        let reason = said.lines().find_map(|it| it.strip_prefix("fatal: ")).unwrap_or(said.trim());
        return Err(Error::new(format!("git: {reason}")));
    }
    Ok(String::from_utf8_lossy(&written).into_owned())
}
