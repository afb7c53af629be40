//! Cases of chapters: files, and command lines that run in their folder.
//!
//! A block `file NAME` is a file, `hex NAME` one of any bytes, and `stdin` the standard input of each command. `registry`
//! starts an empty registry of packages. `run` has the command lines: `ailang …`, or `cat`, `cp` and `ls` for files. `only`
//! has texts, a line each: lines of output without one of them are left out. Every case also runs as `dialect ailang`,
//! with the same output; `help` excepts a case, since that names the program and its other options.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use literate::{Actual, Case};
use regex::Regex;
use tempfile::TempDir;

use super::registry::Registry;

/// A folder with the files of a case, and a home for the user.
struct Session {
    folder: TempDir,
    home: TempDir,
    registry: Option<Registry>,
    stdin: String,
    /// The program with its first arguments.
    program: &'static [&'static str],
}

/// Returns the command lines of a case.
pub(crate) fn lines(case: &Case) -> Vec<String> {
    case.inputs_of("run").flat_map(|it| it.text.lines()).map(str::to_owned).collect()
}

pub(crate) fn outcome(case: &Case) -> Actual {
    let alone = Session::new(case, &[env!("CARGO_BIN_EXE_ailang")]).play(case);
    let is_help = case.input("help").is_some();
    let nested = Session::new(case, &[env!("CARGO_BIN_EXE_dialect"), "ailang"]).play(case);
    if !is_help && alone != nested {
        return Actual::new("differs", format!("{alone}\n--- dialect ailang\n{nested}"));
    }
    Actual::new("output", alone)
}

impl Session {
    fn new(case: &Case, program: &'static [&'static str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, bytes: &[u8]| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        };
        for input in case.inputs_of("file") {
            write(&input.subject, format!("{}\n", input.text).as_bytes());
        }
        for input in case.inputs_of("hex") {
            let digits: Vec<u8> = input.text.bytes().filter(u8::is_ascii_hexdigit).collect();
            let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
            write(&input.subject, &digits.chunks(2).map(byte).collect::<Vec<u8>>());
        }
        let stdin = case.input("stdin").map(|it| format!("{it}\n")).unwrap_or_default();
        let registry = case.input("registry").map(|_| Registry::start());
        Self { folder, home: tempfile::tempdir().unwrap(), registry, stdin, program }
    }

    /// Runs the command lines; returns what they print, with their exit codes.
    fn play(&self, case: &Case) -> String {
        let lines = lines(case);
        let only = case.input("only").map(|it| it.lines().collect::<Vec<_>>());
        let mut shown = String::new();
        for line in &lines {
            if lines.len() > 1 {
                shown.push_str(&format!("$ {line}\n"));
            }
            for output in self.run(line).lines() {
                let is_kept = |only: &Vec<&str>| only.iter().any(|it| output.contains(it));
                if only.as_ref().is_none_or(is_kept) || output.starts_with("--- ") {
                    shown.push_str(&format!("{output}\n"));
                }
            }
        }
        shown.trim_end_matches('\n').to_owned()
    }

    fn run(&self, line: &str) -> String {
        let url = self.registry.as_ref().map_or("", |it| it.url.as_str());
        let words = shlex::split(&line.replace("REGISTRY", url));
        let words = words.unwrap_or_else(|| panic!("{line} has an open quote"));
        let path = |at: usize| self.folder.path().join(&words[at]);
        match words[0].as_str() {
            "ailang" => self.normalized(&self.program(&words[1..])),
            "cat" => fs::read_to_string(path(1)).unwrap_or_else(|error| format!("{line}: {error}\n")),
            "cp" => fs::copy(path(1), path(2)).map(|_| String::new()).unwrap(),
            "ls" => names(&path(1)),
            other => panic!("`{other}` is no command of chapters"),
        }
    }

    fn program(&self, arguments: &[String]) -> String {
        let mut command = Command::new(self.program[0]);
        command.args(&self.program[1..]).args(arguments).current_dir(self.folder.path());
        command.env_clear().env("HOME", self.home.path()).env("USER", "ada");
        if let Some(registry) = &self.registry {
            command.env("AILANG_REGISTRY", &registry.url);
        }
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = piped.unwrap();
        // A program that needs no input may be gone.
        let _ = child.stdin.take().unwrap().write_all(self.stdin.as_bytes());
        let output = child.wait_with_output().unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        let mark = if err.is_empty() { "" } else { "--- errors\n" };
        format!("{out}{mark}{err}--- {}\n", output.status.code().unwrap())
    }

    /// Replaces what differs from run to run.
    fn normalized(&self, text: &str) -> String {
        static VARIABLE: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"\d+ bytes packed, sha512-\S+|sha512-\S+").unwrap());
        let text = text.replace(&self.folder.path().display().to_string(), "FOLDER");
        let url = self.registry.as_ref().map_or("no registry", |it| it.url.as_str());
        VARIABLE.replace_all(&text.replace(url, "REGISTRY/"), "…").into_owned()
    }
}

/// Returns the names in a folder, a line each.
fn names(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|it| format!("{}\n", it.display())).collect();
    names.sort();
    names.concat()
}
