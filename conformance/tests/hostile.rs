//! Hostile workspaces in sessions of the real program with real language servers: at each level of trust, which traps
//! run code and what that code reaches. A server that does not answer is shown as ignored, and as failed when
//! `DIALECT_REQUIRE_SERVERS` names it. A control shows that each trap can fire: a trusted session, or the trap's own
//! command. The short form has the first session of each server and every third trap that has one of its own, the long
//! one (`DIALECT_LONG=traps`) has all sessions with all controls.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use unpoisoned::lock;

use crate::scripts::set;
use anyhow::{Context, Result, anyhow, ensure};
use conformance::hostile::canaries::Breach;
use conformance::hostile::payload::Payload;
use conformance::hostile::visit::{Finding, Level, Report, TrapWorkspace};
use conformance::hostile::{Suite, Trap};
use libtest_mimic::{Failed, Trial};

const DIALECT: &str = env!("CARGO_BIN_EXE_dialect-under-test");

/// The number of traps that share a session.
const TOGETHER: usize = 8;

/// The sessions of one trap of which the short form has one.
const EVERY: usize = 3;

/// The words of an answer without a server whose projects could run code.
const IS_REFUSED: &str = "is not started, the workspace is restricted";

/// The traps of every server, and what came of those that were tried.
pub(crate) struct Traps {
    read: Result<(Vec<Arc<Suite>>, Arc<Payload>), String>,
    table: Table,
}

/// Rows for a person, one for each trap.
type Table = Arc<Mutex<Vec<String>>>;

impl Traps {
    pub(crate) fn read() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("traps");
        Self { read: read(&folder).map_err(|error| format!("{error:#}")), table: Table::default() }
    }

    pub(crate) fn trials(&self) -> Vec<Trial> {
        let trials = match &self.read {
            Ok((suites, payload)) => self.of_suites(suites, payload),
            Err(error) => {
                let error = error.clone();
                vec![Trial::test("the traps are read", move || Err(Failed::from(error)))]
            }
        };
        let has_no_wall = adapter::fallback::wall().is_err();
        let checkers = [
            Trial::test("the checker that a workspace brings for scripts reads no secret", checker),
            Trial::test("checkers that workspaces bring for scripts see nothing of each other", checkers),
        ];
        let checkers = checkers.map(|it| it.with_ignored_flag(has_no_wall));
        trials.into_iter().chain(checkers).map(|it| it.with_kind("hostile")).collect()
    }

    fn of_suites(&self, suites: &[Arc<Suite>], payload: &Arc<Payload>) -> Vec<Trial> {
        let mut trials = Vec::new();
        for suite in suites {
            for (n, traps) in suite.sessions(TOGETHER).into_iter().enumerate() {
                let title = match &traps[..] {
                    [trap] => trap.name.clone(),
                    _ => format!("session {}", n + 1),
                };
                let (suite, payload, table) =
                    (Arc::clone(suite), Arc::clone(payload), Arc::clone(&self.table));
                let name = format!("{}: {title}", suite.server);
                let has_control = n == 0 || literate::is_long("traps");
                let is_left_out = !has_control && (traps.len() > 1 || n % EVERY != 0);
                let trial = Trial::ignorable_test(name, move || {
                    crate::with_server(&suite.server, || check(&suite, &traps, &payload, &table, has_control))
                });
                trials.push(trial.with_ignored_flag(is_left_out));
            }
            if suite.language != "python-style" {
                let (suite, payload) = (Arc::clone(suite), Arc::clone(payload));
                let name = format!("{}: a refused workspace starts none by being opened", suite.server);
                trials.push(Trial::ignorable_test(name, move || {
                    crate::with_server(&suite.server, || opening(&suite, &payload))
                }));
            }
        }
        let n: usize = suites.iter().map(|it| it.traps.len()).sum();
        trials.push(Trial::test("there are at least sixty traps", move || {
            if n >= 60 { Ok(()) } else { Err(Failed::from(format!("there are {n}"))) }
        }));
        trials
    }

    /// Writes the table of what each trap did to `traps.txt` in the build's folder for tests, if any was tried.
    pub(crate) fn report(&self) {
        let rows = lock(&self.table);
        if rows.is_empty() {
            return;
        }
        let head = format!("{:<44} {:<12} {:<22} {:<30} tries", "trap", "control", "restricted", "confined");
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("traps.txt");
        if let Err(error) = std::fs::write(&path, format!("{head}\n{}\n", rows.join("\n"))) {
            eprintln!("the table of traps is not written to {}: {error}", path.display());
        }
    }
}

/// A repository brings a type checker, which prints a key of the user's where files around it could open the way.
fn checker() -> Result<(), Failed> {
    const CHECKER: &str = "#!INTERPRETER
if [ \"$1\" = --version ]; then echo 'Version 7.0.2'; exit; fi
printf 'program.ts(1,1): error TS2339: '
cat HOME/.ssh/id HOME/dev/other/.env HOME/notes 2>&1
exit 2
";
    for (base, interpreter, link) in [
        ("../../../../.ssh", "/bin/sh", "../../x/bin/tsc"),
        ("HOME/.ssh", "/bin/sh", "../../x/bin/tsc"),
        ("HOME", "/usr/bin/env sh", "../../x/bin/tsc"),
        ("/tmp/..", "/bin/sh", "../../x/bin/tsc"),
        ("HOME/dev/repo/x/away", "/bin/sh", "../../x/bin/tsc"),
        ("", "HOME/.ssh/sh", "../../x/bin/tsc"),
        ("", "HOME/dev/repo/x/away/sh", "../../x/bin/tsc"),
        ("", "/bin/sh", "../../../other/bin/tsc"),
    ] {
        let dir = tempfile::tempdir()?;
        let home = dir.path().canonicalize()?.join("home");
        let filled = |text: &str| text.replace("HOME", &home.display().to_string());
        let repository = home.join("dev/repo");
        for folder in ["x/bin", "node_modules/.bin", ".git"] {
            std::fs::create_dir_all(repository.join(folder))?;
        }
        for (file, text) in [(".ssh/id", "s3cret"), ("dev/other/.env", "s3cret"), ("notes", "s3cret")] {
            std::fs::create_dir_all(home.join(file).parent().unwrap_or(&home))?;
            std::fs::write(home.join(file), text)?;
        }
        std::fs::copy("/bin/sh", home.join(".ssh/sh"))?;
        std::os::unix::fs::symlink(home.join(".ssh"), repository.join("x/away"))?;
        let text = filled(CHECKER).replace("INTERPRETER", &filled(interpreter));
        for program in [repository.join("x/bin/tsc"), home.join("dev/other/bin/tsc")] {
            std::fs::create_dir_all(program.parent().unwrap_or(&home))?;
            std::fs::write(&program, &text)?;
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
        }
        std::fs::write(repository.join("x/pyvenv.cfg"), filled(&format!("home = {base}\n")))?;
        std::os::unix::fs::symlink(link, repository.join("node_modules/.bin/tsc"))?;
        set(&home.join(".config"), "checking = 60")?;
        let ended = std::process::Command::new(DIALECT)
            .args(["script", "--workspace"])
            .arg(&repository)
            .arg("const nothing: any = undefined; nothing.x.y;")
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("PATH", "/usr/bin:/bin")
            .env_remove("XDG_CACHE_HOME")
            .output()?;
        let said = [ended.stdout, ended.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        let ran = said.contains("Permission denied")
            || !link.starts_with("../../x")
            || interpreter.starts_with("HOME");
        if said.contains("s3cret") || !ran {
            return Err(format!("{base}, {interpreter}, {link}: {said}").into());
        }
    }
    Ok(())
}

/// Two repositories bring type checkers, which leave a word wherever they may write and look for others' everywhere.
fn checkers() -> Result<(), Failed> {
    const CHECKER: &str = "#!/bin/sh
if [ \"$1\" = --version ]; then echo 'Version 7.0.2'; exit; fi
printf 'program.ts(1,1): error TS2339: found'
grep -rhs 'word-of' CACHE \"$HOME\" \"$TMPDIR\" . /tmp | sort -u | tr '\\n' ' '
for folder in \"$HOME\" \"$TMPDIR\" . CACHE/dialect/script-check CACHE/dialect/script-check/*; do
  echo word-of-NAME > \"$folder/left\"
done 2> /dev/null
exit 2
";
    let dir = tempfile::tempdir()?;
    let home = dir.path().canonicalize()?;
    let repository = |name: &str| home.join("dev").join(name);
    for name in ["one", "two"] {
        let program = repository(name).join("node_modules/.bin/tsc");
        std::fs::create_dir_all(program.parent().unwrap_or(&home))?;
        std::fs::create_dir_all(repository(name).join(".git"))?;
        let cache = home.join(".cache").display().to_string();
        std::fs::write(&program, CHECKER.replace("CACHE", &cache).replace("NAME", name))?;
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
    }
    set(&home.join(".config"), "checking = 60")?;
    let found = |name: &str| -> Result<String, Failed> {
        let ended = std::process::Command::new(DIALECT)
            .args(["script", "--workspace"])
            .arg(repository(name))
            .arg("const nothing: any = undefined; nothing.x.y;")
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("PATH", "/usr/bin:/bin")
            .env_remove("XDG_CACHE_HOME")
            .output()?;
        let said = String::from_utf8_lossy(&[ended.stdout, ended.stderr].concat()).into_owned();
        said.contains("types): found").then_some(said.clone()).ok_or_else(|| said.into())
    };
    found("one")?;
    for (name, own, other) in
        [("one", true, "two"), ("two", false, "one"), ("one", true, "two"), ("two", true, "one")]
    {
        let said = found(name)?;
        let sees = |name: &str| said.contains(&format!("word-of-{name}"));
        if sees(name) != own || sees(other) {
            return Err(format!("{name}: {said}").into());
        }
    }
    Ok(())
}

fn read(folder: &Path) -> Result<(Vec<Arc<Suite>>, Arc<Payload>)> {
    let files = std::fs::read_dir(folder)?.map(|it| Ok(it?.path())).collect::<Result<Vec<PathBuf>>>()?;
    let mut files: Vec<_> =
        files.into_iter().filter(|it| it.extension().is_some_and(|it| it == "toml")).collect();
    files.sort();
    let suites = files.iter().map(|it| Ok(Arc::new(Suite::read(it)?))).collect::<Result<_>>()?;
    Ok((suites, Arc::new(Payload::compile(&folder.join("payload.c"))?)))
}

fn opening(suite: &Suite, payload: &Payload) -> Result<()> {
    let opens = |is_refused| {
        let workspace = TrapWorkspace::new(suite, &suite.traps[..1], payload)?;
        workspace.opens(suite, Path::new(DIALECT), is_refused)
    };
    ensure!(opens(false)?, "no server starts at all, so this shows nothing");
    ensure!(!opens(true)?, "{} is started", suite.server);
    Ok(())
}

fn check(suite: &Suite, traps: &[Trap], payload: &Payload, table: &Table, has_control: bool) -> Result<()> {
    let visit = |level| {
        let workspace = TrapWorkspace::new(suite, traps, payload)?;
        workspace.visit(suite, Path::new(DIALECT), level).with_context(|| format!("{level}"))
    };
    let trusted = has_control.then(|| visit(Level::Trusted)).transpose()?;
    let restricted = visit(Level::Restricted)?;
    let confined = if adapter::fallback::wall().is_ok() { Some(visit(Level::Confined)?) } else { None };
    let mut wrong = Vec::new();
    // What is held where no server runs shows nothing, unless it is the reason for that.
    let idle = [Some(&restricted), confined.as_ref()].into_iter().flatten();
    let mut idle = idle.filter(|it| !it.started && !it.said.contains(IS_REFUSED));
    wrong.extend(idle.next().map(|_| format!("{} is not started", suite.server)));
    for (n, trap) in traps.iter().enumerate() {
        let trusted = trusted.as_ref().map(|it| &it.findings[n]);
        let control = trusted.map_or(Ok("not tried"), |it| control(suite, trap, it, payload));
        let held = [Some(&restricted), confined.as_ref()];
        let [restricted, confined] = held.map(|it| it.map(|it| &it.findings[n]));
        wrong.extend(control.as_ref().err().map(|it| format!("{}: no control fires: {it:#}", trap.name)));
        wrong.extend(restricted.filter(|it| it.ran || !it.breaches.is_empty()).map(|it| {
            format!("{}: runs in a restricted workspace and reaches {:?}", trap.name, it.breaches)
        }));
        wrong.extend(
            confined
                .filter(|it| !it.breaches.is_empty())
                .map(|it| format!("{}: gets out of a confined workspace: {:?}", trap.name, it.breaches)),
        );
        wrong.extend(
            confined
                .filter(|it| trap.runs_confined && !it.ran)
                .map(|it| format!("{}: does not run in a confined workspace", it.trap.name)),
        );
        let row = format!(
            "{:<44} {:<12} {:<22} {:<30} {}",
            format!("{}: {}", suite.server, trap.name),
            control.as_ref().map_or("none", |it| it),
            restricted.map_or_else(String::new, |it| outcome(it, held[0])),
            confined.map_or_else(|| "-".to_owned(), |it| outcome(it, held[1])),
            trap.tries
        );
        lock(table).push(row);
    }
    let said = |it: &Report| format!("server started: {}\n{}", it.started, it.said);
    let words =
        [("trusted", trusted.as_ref()), ("restricted", Some(&restricted)), ("confined", confined.as_ref())];
    let words = words.map(|(level, it)| it.map_or_else(String::new, |it| format!("\n{level}: {}", said(it))));
    ensure!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), words.concat());
    Ok(())
}

/// Returns what fired the trap: a trusted session, or the trap's own command.
fn control(suite: &Suite, trap: &Trap, trusted: &Finding, payload: &Payload) -> Result<&'static str> {
    if trap.command.is_some() {
        TrapWorkspace::new(suite, std::slice::from_ref(trap), payload)?.provoke()?;
        return Ok("command");
    }
    let missing: Vec<_> = Breach::ALL.iter().filter(|it| !trusted.breaches.contains(it)).collect();
    ensure!(trusted.ran, "it does not run in a trusted workspace");
    missing.is_empty().then_some("trusted").ok_or_else(|| anyhow!("it does not reach {missing:?}"))
}

fn outcome(finding: &Finding, report: Option<&Report>) -> String {
    let server = if report.is_some_and(|it| it.started) { "" } else { ", no server" };
    match (finding.ran, finding.breaches.is_empty()) {
        (false, true) => format!("held{server}"),
        (true, true) => format!("ran, held{server}"),
        _ => format!("GOT OUT {:?}", finding.breaches),
    }
}
