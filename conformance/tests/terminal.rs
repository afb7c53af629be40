//! `dialect eval`, `dialect repl` and `dialect fmt` for people at a terminal, and for scripts.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use conformance::control::Control;
use conformance::record::{self, Entry, Record};
use conformance::scenario::server_command;
use conformance::workspace::Workspace;
use libtest_mimic::{Completion, Failed, Trial};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = tests![
        every_input_has_a_json_answer,
        each_candidate_is_a_program_that_succeeds,
        a_file_instead_of_a_program_is_offered,
        bindings_live_from_one_program_to_the_next,
        programs_are_converted_between_both_forms,
        a_file_with_comments_is_not_converted,
    ];
    trials.extend([
        on_terminal("controls_of_the_workspace_do_not_reach_the_terminal", controls_are_shown),
        on_terminal("the_repl_greets_completes_and_keeps_bindings", the_repl_serves_a_person),
        on_terminal("a_wait_is_one_line_and_is_cancelled_without_ending_the_repl", a_wait_is_cancelled),
    ]);
    trials
}

const LIMIT: Duration = Duration::from_secs(60);

/// A command to the terminal that the workspace's text holds: it sets the title of the window.
const TITLE: &str = "\u{1b}]0;owned\u{7}";

/// Returns a test that needs `script`, which gives programs a terminal.
fn on_terminal(name: &'static str, test: fn() -> Result<()>) -> Trial {
    Trial::ignorable_test(name, move || {
        if Command::new("script").arg("--version").stdout(Stdio::null()).status().is_err() {
            return Ok(Completion::ignored_with("`script` of util-linux is not installed"));
        }
        test().map(|()| Completion::Completed).map_err(|error| Failed::from(format!("{error:#}")))
    })
    .with_kind("terminal")
}

/// A user with a workspace, and folders for settings and state.
struct User {
    workspace: Workspace,
    home: TempDir,
}

impl User {
    /// Creates a user without a server for Rust, so that answers come from the syntax.
    fn new(files: &[(&str, &str)]) -> Result<Self> {
        Self::with_settings(files, "[languages.rust]\ndisabled = true\n")
    }

    fn with_settings(files: &[(&str, &str)], settings: &str) -> Result<Self> {
        let (workspace, home) = (Workspace::new(files.iter().copied())?, TempDir::new()?);
        let folder = home.path().join("config/dialect");
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("config.toml"), settings)?;
        Ok(Self { workspace, home })
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.workspace.root()).env("TERM", "xterm");
        for (variable, folder) in
            [("XDG_CONFIG_HOME", "config"), ("XDG_STATE_HOME", "state"), ("XDG_CACHE_HOME", "cache")]
        {
            command.env(variable, self.home.path().join(folder));
        }
        command
    }

    /// Runs `dialect` to its end, with `input` as standard input.
    fn dialect(&self, arguments: &[&str], input: &[u8]) -> Result<Output> {
        let mut command = self.command(&crate::programs()?.path("dialect-under-test"));
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let mut stdin = child.stdin.take().context("it is piped")?;
        let _ = stdin.write_all(input); // it may not read it
        drop(stdin);
        Ok(child.wait_with_output()?)
    }

    /// Returns standard output, where the exit code is that one.
    fn says(&self, arguments: &[&str], input: &str, code: i32) -> Result<String> {
        let output = self.dialect(arguments, input.as_bytes())?;
        ensure!(output.status.code() == Some(code), "{arguments:?}: {output:?}");
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Starts `dialect` on a terminal of its own.
    fn on_terminal(&self, arguments: &str) -> Result<Terminal> {
        let dialect = crate::programs()?.path("dialect-under-test");
        ensure!(!dialect.as_os_str().as_bytes().contains(&b'\''), "the path is quoted below");
        let line = format!("stty cols 150 rows 50; exec '{}' {arguments}", dialect.display());
        let mut command = self.command(Path::new("script"));
        command.args(["--quiet", "--flush", "--return", "--command", &line, "/dev/null"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let (keys, mut screen) =
            child.stdin.take().zip(child.stdout.take()).context("both of them are piped")?;
        let (sender, shown) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = screen.read(&mut buffer) {
                let _ = sender.send(buffer[..n].to_vec()); // the test may be over
            }
        });
        Ok(Terminal { child, keys, shown, unread: Vec::new() })
    }
}

/// A program on a terminal.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    shown: Receiver<Vec<u8>>,
    /// The output that nothing has waited for yet.
    unread: Vec<u8>,
}

impl Terminal {
    fn types(&mut self, keys: &str) -> Result<()> {
        self.keys.write_all(keys.as_bytes())?;
        Ok(self.keys.flush()?)
    }

    /// Waits for a text, and returns the output up to its end.
    fn until(&mut self, wanted: &str) -> Result<String> {
        let began = Instant::now();
        loop {
            let found = self.unread.windows(wanted.len()).position(|it| it == wanted.as_bytes());
            if let Some(at) = found {
                let rest = self.unread.split_off(at + wanted.len());
                let shown = std::mem::replace(&mut self.unread, rest);
                return Ok(String::from_utf8_lossy(&shown).into_owned());
            }
            match self.shown.recv_timeout(LIMIT.saturating_sub(began.elapsed())) {
                Ok(more) => self.unread.extend(more),
                Err(error) => {
                    let shown = String::from_utf8_lossy(&self.unread).into_owned();
                    return Err(anyhow!("no {wanted:?} came ({error}), but {shown:?}"));
                }
            }
        }
    }

    /// Waits for the end, and returns the rest of the output with the exit code.
    fn ended(mut self) -> Result<(String, Option<i32>)> {
        loop {
            match self.shown.recv_timeout(LIMIT) {
                Ok(more) => self.unread.extend(more),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => return Err(anyhow!("it did not end")),
            }
        }
        Ok((String::from_utf8_lossy(&self.unread).into_owned(), self.child.wait()?.code()))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended
        let _ = self.child.wait();
    }
}

fn json_of(text: &str) -> Result<Value> {
    ensure!(text.lines().count() == 1, "not one object: {text:?}");
    Ok(serde_json::from_str(text)?)
}

fn every_input_has_a_json_answer() -> Result<()> {
    let user = User::new(&[("a.txt", "text\n")])?;
    let cases: [(&[&str], &[u8], i32, &str); 10] = [
        (&["1 + 1"], b"", 0, "success"),
        (&["-"], b"[`a`, 2]", 0, "success"),
        (&[""], b"", 1, "failure"),
        (&["-"], b"", 1, "failure"),
        (&["count("], b"", 1, "failure"),
        (&["lines(`absent.txt`)"], b"", 1, "failure"),
        (&["--check", "count("], b"", 1, "failure"),
        (&["-"], b"a\xff", 2, "failure"),
        (&["--file", "absent.dialect"], b"", 2, "failure"),
        (&["--workspace", "absent", "1"], b"", 2, "failure"),
    ];
    for (arguments, input, code, outcome) in cases {
        let arguments = [&["eval", "--json"][..], arguments].concat();
        let output = user.dialect(&arguments, input)?;
        let answer = json_of(&String::from_utf8(output.stdout)?)?;
        assert_eq!(
            (output.status.code(), &answer["outcome"]),
            (Some(code), &json!(outcome)),
            "{arguments:?}"
        );
        let tells = if code == 0 { "value" } else { "message" };
        assert!(answer[tells] != json!(null) && answer[tells] != json!(""), "{arguments:?}: {answer}");
    }
    Ok(())
}

fn each_candidate_is_a_program_that_succeeds() -> Result<()> {
    let user = User::new(&[("src/a.rs", "pub fn one() {}\n"), ("src/b.rs", "pub fn one() {}\n")])?;
    let answer = json_of(&user.says(&["eval", "--json", "source(`one`)"], "", 3)?)?;
    assert_eq!(answer["outcome"], "ambiguity");
    let candidates = answer["candidates"].as_array().context("a list")?;
    assert!(candidates.len() >= 2, "{answer}");
    for candidate in candidates {
        let program = candidate["program"].as_str().context("a program")?;
        let chosen = json_of(&user.says(&["eval", "--json", program], "", 0)?)?;
        assert!(chosen["value"].to_string().contains("fn one"), "{program}: {chosen}");
        let description = candidate["description"].as_str().unwrap_or_default();
        assert!(answer["message"].as_str().is_some_and(|it| it.contains(description)), "{answer}");
    }
    Ok(())
}

fn a_file_instead_of_a_program_is_offered() -> Result<()> {
    let user = User::new(&[("c.dialect", "1 + 1\n"), ("1", "")])?;
    let refused = user.dialect(&["eval", "c.dialect"], b"")?;
    let message = String::from_utf8(refused.stderr)?;
    assert_eq!(refused.status.code(), Some(2), "{message}");
    assert!(message.trim_end().ends_with("dialect eval --file c.dialect"), "{message}");
    assert_eq!(user.says(&["eval", "--file", "c.dialect"], "", 0)?, "2\n");
    assert_eq!(user.says(&["eval", "1"], "", 0)?, "1\n", "a program is one although a file has its name");
    Ok(())
}

fn bindings_live_from_one_program_to_the_next() -> Result<()> {
    let user = User::new(&[("src/a.rs", "pub fn one() {}\n")])?;
    let input = "\
        found = findDefinition(`one`)\n\
        brief(found)\n\
        y = 2\n\
        y = nosuch(1)\n\
        {\"+\": [{\"var\": \"y\"}, 1]}\n\
        y = y + 5\n\
        f = 1\n\
        f = it => it * y\n\
        f(2)\n\
        f(3)\n\
        :bindings\n\
        :nosuch\n";
    let output = user.dialect(&["repl"], input.as_bytes())?;
    assert_eq!(output.status.code(), Some(0));
    let (said, errors) = (String::from_utf8(output.stdout)?, String::from_utf8(output.stderr)?);
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].contains("src/a.rs") && lines[1].contains("src/a.rs:1"), "{said}");
    assert_eq!(lines[2..7], ["2", "3", "7", "1", "14"], "{said}");
    assert!(lines[7].starts_with("found = ") && lines[7].contains("src/a.rs"), "{said}");
    assert_eq!(lines[8..], ["y = 7"], "what is bound to a function keeps no older value: {said}");
    for told in ["nosuch", "Not kept for the next program: `f`", "no command `:nosuch`"] {
        assert!(errors.contains(told), "{errors}");
    }
    Ok(())
}

fn programs_are_converted_between_both_forms() -> Result<()> {
    let user = User::new(&[("p.dialect", "x = [1, 2]\ncount(x)\n")])?;
    assert_eq!(user.says(&["fmt", "--check", "--to", "json", "p.dialect"], "", 1)?, "p.dialect\n");
    user.says(&["fmt", "--to", "json", "p.dialect"], "", 0)?;
    let path = user.workspace.root().join("p.dialect");
    let written: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
    assert_eq!(written, json!({"let": [["x", [1, 2]], {"count": [{"var": "x"}]}]}));
    assert_eq!(user.says(&["fmt", "--check", "--to", "json", "p.dialect"], "", 0)?, "");
    assert_eq!(user.says(&["eval", "--file", "p.dialect"], "", 0)?, "2\n");
    let text = user.says(&["fmt", "--to", "text"], &written.to_string(), 0)?;
    assert_eq!(user.says(&["eval", "-"], &text, 0)?, "2\n");
    let unknown = user.dialect(&["fmt", "--to", "json"], b"nosuch(1)")?;
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8(unknown.stderr)?.contains("nosuch"));
    Ok(())
}

fn a_file_with_comments_is_not_converted() -> Result<()> {
    let text = "count([1]) // one\n";
    let user = User::new(&[("p.dialect", text)])?;
    let refused = user.dialect(&["fmt", "--to", "json", "p.dialect"], b"")?;
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8(refused.stderr)?;
    assert!(message.contains("p.dialect: it has comments"), "{message}");
    assert_eq!(fs::read_to_string(user.workspace.root().join("p.dialect"))?, text);
    Ok(())
}

fn controls_are_shown() -> Result<()> {
    let hostile = format!("word {TITLE}\u{202e}\u{9b}2J\n");
    let user = User::new(&[("a.txt", &hostile)])?;
    let program = "brief(search(`.`, `word`))";
    let piped = user.says(&["eval", program], "", 0)?;
    assert!(piped.contains(r"word \u{1b}]0;owned\u{7}") && !piped.contains(TITLE), "{piped:?}");
    let (shown, code) = user.on_terminal(&format!("eval '{program}'"))?.ended()?;
    assert_eq!(code, Some(0), "{shown:?}");
    assert!(shown.contains(r"word \u{1b}]0;owned\u{7}\u{202e}\u{9b}2J"), "{shown:?}");
    assert!(!shown.contains(TITLE) && !shown.contains(['\u{202e}', '\u{9b}']), "{shown:?}");
    let (shown, code) = user.on_terminal("eval 'nosuch(`\u{202e}`)'")?.ended()?;
    assert_eq!(code, Some(1), "{shown:?}");
    assert!(shown.contains("nosuch") && !shown.contains('\u{202e}'), "{shown:?}");
    Ok(())
}

fn the_repl_serves_a_person() -> Result<()> {
    let user = User::new(&[("src/a.rs", "pub fn unusual_name() {}\n")])?;
    let mut terminal = user.on_terminal("repl")?;
    let greeting = terminal.until("dialect> ")?;
    assert_eq!(greeting.matches('\n').count(), 1, "{greeting:?}");
    assert!(greeting.contains(&user.workspace.root().display().to_string()), "{greeting:?}");
    terminal.types("answer = 40 + 2\r")?;
    terminal.until("42\r\n")?;
    terminal.until("dialect> ")?;
    terminal.types("ans\t")?;
    terminal.until("answer")?;
    terminal.types(" + 100\r")?;
    terminal.until("142\r\n")?;
    terminal.until("dialect> ")?;
    terminal.types("findRef\t")?;
    terminal.until("findReferences(")?;
    terminal.types("`sr\t")?;
    terminal.until("`src/")?;
    terminal.types("\u{3}")?;
    terminal.until("dialect> ")?;
    // The first keystrokes may come before the workspace is read.
    let began = Instant::now();
    while symbol(&mut terminal)?.is_none() {
        ensure!(began.elapsed() < LIMIT, "the symbol is never completed");
    }
    terminal.types("\u{3}")?;
    terminal.until("dialect> ")?;
    terminal.types("\u{4}")?;
    let (rest, code) = terminal.ended()?;
    assert_eq!(code, Some(0), "{rest:?}");
    Ok(())
}

/// Types the beginning of a symbol and Tab, and then a text that shows when Tab was over.
fn symbol(terminal: &mut Terminal) -> Result<Option<()>> {
    terminal.types("\u{15}source(`unus\tQ")?;
    let shown = terminal.until("Q")?;
    Ok(shown.contains("unusual_name`").then_some(()))
}

fn a_wait_is_cancelled() -> Result<()> {
    let (control, record, runtime) = (Control::listen()?, Arc::new(Record::default()), crate::runtime()?);
    let (told, heard) = (control.address.to_string(), record::listen(&record)?.to_string());
    let server = server_command(&crate::programs()?, &json!({"ready": "when told"}), &heard, &told);
    let command: Vec<_> = server.iter().map(|it| it.to_string_lossy()).collect();
    let settings = format!("[languages.rust]\ncommand = {}\n", json!(command));
    let files = [("Cargo.toml", "[package]\nname = \"small\"\n"), ("src/lib.rs", "pub fn one() {}\n")];
    let user = User::with_settings(&files, &settings)?;
    let mut terminal = user.on_terminal("repl --trust")?;
    terminal.until("dialect> ")?;
    terminal.types("x = 40 + 1\r")?;
    terminal.until("41\r\n")?;
    terminal.until("dialect> ")?;
    terminal.types("x = findReferences(`one`)\r")?;
    terminal.until("\r\n")?;
    let is_loading = |_: usize, it: &Entry| it.player == "server" && it.method() == "initialized";
    runtime.block_on(record.wait("the server to load", LIMIT, is_loading))?;
    for step in ["10 indexing 1/9", "20 indexing 2/9", "30 indexing 3/9"] {
        control.tell(&format!("progress {step}"), LIMIT)?;
        let shown = terminal.until(step.split_once(' ').map_or(step, |(_, it)| it))?;
        assert!(!shown.contains('\n'), "the line is rewritten: {shown:?}");
    }
    terminal.types("\u{3}")?;
    terminal.until("cancelled")?;
    terminal.until("dialect> ")?;
    terminal.types("x + 41\r")?;
    terminal.until("82\r\n")?; // what was cancelled bound nothing
    terminal.until("dialect> ")?;
    terminal.types("\u{4}")?;
    let (rest, code) = terminal.ended()?;
    assert_eq!(code, Some(0), "{rest:?}");
    Ok(())
}
