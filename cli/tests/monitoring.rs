//! `dialect stats`, `dialect audit` and the permissions of `ailang run`, as a user runs them. Prometheus' text is read by
//! the parser of Prometheus' client for Python, or by `promtool`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use libtest_mimic::{Completion, Trial};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) fn trials() -> Vec<Trial> {
    let trial = |name: &'static str, test: fn()| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    let on_terminal = |name: &'static str, test: fn()| {
        Trial::ignorable_test(name, move || {
            if Command::new("script").arg("--version").stdout(Stdio::null()).status().is_err() {
                return Ok(Completion::ignored_with("`script` of util-linux is not installed"));
            }
            test();
            Ok(Completion::Completed)
        })
        .with_kind("terminal")
    };
    let trials = vec![
        trial("calls_are_measured_and_the_log_of_them_is_a_chain", calls_are_measured),
        trial("only_new_calls_count_with_since", only_new_calls_count),
        trial("without_a_terminal_a_permission_is_denied_with_the_remedy", denied_with_the_remedy),
        trial("granted_permissive_and_unchecked_capabilities_run", modes_of_capabilities),
        trial("presets_and_options_change_a_run", presets_change_a_run),
        trial("a_question_is_answered_by_a_fixture_or_fails_with_the_remedy", questions_of_programs),
        on_terminal("a_permission_that_is_always_allowed_is_in_the_file_of_grants", always_allowed),
        on_terminal("a_question_of_a_program_is_asked_on_the_terminal", asked_on_the_terminal),
        Trial::ignorable_test("prometheus_reads_the_numbers", prometheus_reads_them).with_kind("prometheus"),
    ];
    trials
}

/// A user with a workspace and a state folder.
struct User {
    workspace: TempDir,
    state: TempDir,
}

impl User {
    fn new() -> Self {
        let user = Self { workspace: TempDir::new().unwrap(), state: TempDir::new().unwrap() };
        user.write("notes.txt", "one needle\ntwo\n");
        user
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.workspace.path().join(name), text).unwrap();
    }

    /// Writes a document with a tool that needs a capability, and an example that calls it.
    fn document(&self, example: &str) -> String {
        let text = format!(
            "---\nid: mail\ntitle: Mail\nsummary: For tests.\n---\n\n<define>\n\ncapability Send {{ ask = \"Send mail in your name\" }}\n\
             tool send(to: string) -> string requires Send {{ return \"sent to \" + to }}\n\n</define>\n\n\
             <example id=\"it\">\n\n```ts\n{example}\n```\n\n</example>\n"
        );
        self.write("mail.md", &text);
        "mail.md".to_owned()
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.workspace.path()).env("XDG_STATE_HOME", self.state.path());
        command
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let mut command = self.command(program);
        command.args(arguments).stdin(Stdio::null()).output().unwrap()
    }

    fn dialect(&self, arguments: &[&str]) -> Output {
        self.run(env!("CARGO_BIN_EXE_dialect"), arguments)
    }

    fn ailang(&self, arguments: &[&str]) -> Output {
        self.run(env!("CARGO_BIN_EXE_ailang"), arguments)
    }

    fn stats(&self, arguments: &[&str]) -> String {
        let output = self.dialect(&[&["stats"], arguments].concat());
        assert!(output.status.success(), "{output:?}");
        text(&output.stdout)
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.stats(&["--format", "json"])).unwrap()
    }

    /// Runs `ailang` on a terminal, and types a line at each question.
    fn on_terminal(&self, arguments: &str, answers: &[&str]) -> String {
        let line = format!("stty -echo; exec '{}' {arguments}", env!("CARGO_BIN_EXE_ailang"));
        let mut command = self.command("script");
        command.args(["--quiet", "--flush", "--return", "--command", &line, "/dev/null"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, shown) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = screen.read(&mut buffer) {
                let _ = sender.send(buffer[..n].to_vec()); // the test may be over
            }
        });
        let (mut all, end) = (Vec::new(), Instant::now() + Duration::from_secs(60));
        let mut answers = answers.iter();
        let mut asked = 0;
        while let Ok(more) = shown.recv_timeout(end.saturating_duration_since(Instant::now())) {
            all.extend(more);
            let questions = String::from_utf8_lossy(&all).matches("Choose 1 to").count();
            if questions > asked {
                asked = questions;
                let answer = answers.next().expect("it asks no more questions than that");
                keys.write_all(format!("{answer}\n").as_bytes()).unwrap();
            }
        }
        child.wait().unwrap();
        String::from_utf8_lossy(&all).replace('\r', "")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns the row of that name.
fn row<'a>(json: &'a Value, list: &str, name: &str) -> &'a Value {
    let rows = json[list].as_array().unwrap();
    rows.iter().find(|it| it["name"] == name).unwrap_or_else(|| panic!("{name} is not in {json:#}"))
}

fn eval(user: &User, program: &str) {
    user.dialect(&["eval", program, "--workspace", "."]);
}

fn calls_are_measured() {
    let user = User::new();
    eval(&user, "search(`.`, `needle`).map(h => h.path)");
    eval(&user, "search(`absent`, `x`)");
    eval(&user, "serch(`.`, `x`)");
    let json = user.json();
    let tool = row(&json, "tools", "ide_operation");
    assert_eq!((&tool["executionCount"], &tool["errorCount"]), (&3.into(), &2.into()), "{json:#}");
    assert_eq!(tool["errors"]["unknownFunction"], 1, "{json:#}");
    let search = row(&json, "functions", "search");
    assert_eq!((&search["executionCount"], &search["errorCount"]), (&2.into(), &1.into()), "{json:#}");
    for (name, row) in [("ide_operation", tool), ("search", search)] {
        let [median, p95, max] =
            ["medianDuration", "p95Duration", "maxDuration"].map(|it| row[it].as_f64().unwrap());
        assert!(0.0 < median && median <= p95 && p95 <= max * 1.001, "{name}: {row:#}");
        assert!(row["tokensIn"].as_u64() > Some(3) && row["tokensOut"].as_u64() > Some(3), "{name}: {row:#}");
    }
    let map = row(&json, "functions", "map");
    assert_eq!((&map["executionCount"], &map["errorRate"]), (&1.into(), &0.0.into()));
    let totals = &json["totals"];
    for rate in ["errorRate", "capabilityDenialRate", "cacheHitRate"] {
        assert!(totals[rate].is_null() || (0.0..=1.0).contains(&totals[rate].as_f64().unwrap()), "{totals}");
    }
    assert_eq!((&totals["lostEvents"], &totals["totalToolExecutions"]), (&0.into(), &3.into()));
    let table = user.stats(&[]);
    assert!(table.contains("search") && table.contains("3 calls of tools"), "{table}");
    let verified = user.dialect(&["audit", "verify"]);
    assert!(
        verified.status.success() && text(&verified.stdout).contains("3 entries, unchanged: /"),
        "{verified:?}"
    );
    let shown = text(&user.dialect(&["audit", "--calls", "--last", "1"]).stdout);
    assert!(shown.contains("ran") && shown.contains("failure") && shown.contains(" ms, "), "{shown}");
    let path = user.state.path().join("dialect/calls.jsonl");
    let changed = std::fs::read_to_string(&path).unwrap().replacen("\"failure\"", "\"success\"", 1);
    std::fs::write(&path, changed).unwrap();
    let broken = user.dialect(&["audit", "verify"]);
    assert!(!broken.status.success() && text(&broken.stderr).contains("calls.jsonl, line 2"), "{broken:?}");
}

fn only_new_calls_count() {
    let user = User::new();
    assert_eq!(user.stats(&[]), "no entries\n");
    eval(&user, "1 + 1");
    assert!(user.stats(&["--since", "1h"]).contains("ide_operation"));
    assert_eq!(user.stats(&["--since", "2999-01-01T00:00:00Z"]), "no entries\n");
}

fn denied_with_the_remedy() {
    let user = User::new();
    let document = user.document("print(send(\"a\"))");
    let output = user.ailang(&["run", &document]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(out.starts_with("failed: it: CapabilityDeniedError: "), "{out}");
    assert!(err.contains("--grant mail/Send") && err.contains("no terminal"), "{err}");
}

fn modes_of_capabilities() {
    let user = User::new();
    let document = user.document("print(send(\"a\"))");
    for (options, log) in [
        (&["--grant", "mail/Send"][..], ""),
        (&["--grant", "Send"], ""),
        (&["--capability-mode", "permissive"], "`send` uses mail/Send: it is granted to all\n"),
        (&["--capability-mode", "audit"], "`send` uses mail/Send: permissions are not checked\n"),
    ] {
        let output = user.ailang(&[&["run", &document], options].concat());
        assert_eq!(
            (text(&output.stdout).as_str(), text(&output.stderr).as_str()),
            ("sent to a\nok: it\n", log)
        );
    }
    let unknown = user.ailang(&["run", &document, "--grant", "Sned"]);
    assert_eq!(unknown.status.code(), Some(3));
    assert!(text(&unknown.stderr).contains("there is no capability `Sned`"), "{unknown:?}");
    let used = text(&user.dialect(&["audit", "--action", "used"]).stdout);
    assert_eq!(
        used.matches("used       mail/Send (session) by grant, send, {\"to\":\"a\"}").count(),
        2,
        "{used}"
    );
}

fn presets_change_a_run() {
    let user = User::new();
    let document = user.document("found = send(JSON.parse(\"7\"))\nprint(found)");
    let run = |options: &[&str]| {
        let output = user.ailang(&[&["run", &document], options].concat());
        text(&output.stdout)
    };
    assert_eq!(run(&["--capability-mode", "audit"]), "sent to 7\nok: it\n");
    assert!(run(&["--preset", "development"]).starts_with("failed: it: ValidationError"));
    assert_eq!(run(&["--preset", "testing"]), "null\nok: it\n");
    assert_eq!(run(&["--preset", "testing", "--validation-mode", "runtime"]), "sent to 7\nok: it\n");
    assert!(run(&["--preset", "production", "--grant", "Send"]).contains("sent to 7"));
    let denied = run(&["--preset", "production"]);
    assert!(denied.contains("CapabilityDeniedError") && denied.contains("ok: it"), "{denied}");
    let thrown = run(&["--preset", "testing", "--error-strategy", "throw"]);
    assert!(thrown.starts_with("failed: it: ValidationError"), "{thrown}");
}

fn questions_of_programs() {
    let user = User::new();
    let document = user.document("print(promptUser(\"May I?\", [\"Allow\", \"Deny\"]))");
    let output = user.ailang(&["run", &document]);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(out.contains("no terminal") && err.contains("--mock"), "{out}{err}");
    user.write("mock.json", r#"{"promptUser": [{"args": {"question": "May I?"}, "result": "Deny"}]}"#);
    let output = user.ailang(&["run", &document, "--mock", "mock.json"]);
    assert_eq!(text(&output.stdout), "Deny\nok: it\n");
}

fn always_allowed() {
    let user = User::new();
    let document = user.document("print(send(\"a\"))\nprint(send(\"b\"))");
    let run = format!("run {document}");
    let shown = user.on_terminal(&run, &["1", "2"]);
    for part in
        ["Send mail in your name", "1  Allow once", "2  Allow for this session", "3  Always allow", "4  Deny"]
    {
        assert!(shown.contains(part), "{part} is not in {shown}");
    }
    assert!(shown.contains("sent to b\nok: it"), "{shown}");
    let denied = user.on_terminal(&run, &["4"]);
    assert!(denied.contains("failed: it: CapabilityDeniedError"), "{denied}");
    let always = user.on_terminal(&run, &["3"]);
    assert!(always.contains("sent to b\nok: it"), "{always}");
    let again = user.ailang(&["run", &document]);
    assert_eq!(text(&again.stdout), "sent to a\nsent to b\nok: it\n", "{again:?}");
    let listed = text(&user.dialect(&["grants", "list"]).stdout);
    assert!(listed.contains("mail/Send; used 4×"), "{listed}");
    assert!(user.dialect(&["grants", "revoke", "mail/Send"]).status.success());
    assert_eq!(user.ailang(&["run", &document]).status.code(), Some(1));
    assert!(user.dialect(&["audit", "verify"]).status.success());
}

fn asked_on_the_terminal() {
    let user = User::new();
    let document = user.document("print(\"you said\", promptUser(\"May I?\", [\"Allow\", \"Deny\"]))");
    let shown = user.on_terminal(&format!("run {document}"), &["deny"]);
    assert!(shown.contains("May I?\n  1  Allow\n  2  Deny\n") && shown.contains("you said Deny"), "{shown}");
    let dismissed = user.on_terminal(&format!("run {document}"), &[""]);
    assert!(dismissed.contains("you said null"), "{dismissed}");
}

/// Returns a command that reads Prometheus' text from standard input and fails for anything else.
fn parser() -> Option<Command> {
    let script = "import sys\nfrom prometheus_client.parser import text_string_to_metric_families as read\n\
                  print(sum(len(family.samples) for family in read(sys.stdin.read())))";
    let tools = std::env::var_os("DIALECT_PROMETHEUS").map(PathBuf::from);
    let python = tools.map_or_else(|| PathBuf::from("python3"), |it| it.join("bin/python"));
    let has_client =
        Command::new(&python).args(["-c", "import prometheus_client"]).stderr(Stdio::null()).status();
    if has_client.is_ok_and(|it| it.success()) {
        let mut command = Command::new(python);
        command.args(["-c", script]);
        return Some(command);
    }
    Command::new("promtool").arg("--version").output().ok()?;
    let mut command = Command::new("promtool");
    command.args(["check", "metrics"]);
    Some(command)
}

fn prometheus_reads_them() -> Result<Completion, libtest_mimic::Failed> {
    let Some(mut parser) = parser() else {
        let why = "neither `promtool` nor Python's prometheus_client is installed (DIALECT_PROMETHEUS names an \
                   environment of Python)";
        return Ok(Completion::ignored_with(why));
    };
    let user = User::new();
    eval(&user, "search(`.`, `needle`)");
    eval(&user, "search(`absent`, `x`)");
    let numbers = user.stats(&["--format", "prometheus"]);
    let mut child = parser.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    child.stdin.take().unwrap().write_all(numbers.as_bytes())?;
    let output = child.wait_with_output()?;
    assert!(output.status.success(), "{output:?}\n{numbers}");
    let read = text(&output.stdout).trim().parse::<usize>();
    let written = numbers.lines().filter(|it| !it.starts_with('#')).count();
    assert!(read.is_err() || read == Ok(written), "{read:?} of {written} lines are read");
    Ok(Completion::Completed)
}
