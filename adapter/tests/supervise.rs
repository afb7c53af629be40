//! Kills each process around a supervised command and looks at what is left.
//!
//! The test executable plays every part: `supervise` is the supervisor, `parent` starts one and waits to be killed,
//! `brood` is a server that starts grandchildren, one of them in a session of its own.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use adapter::supervise::{SupervisorOptions, Wall};
use confinement::Limits;
use libtest_mimic::{Failed, Trial};

/// Marks every process of one run in its environment.
const MARK: &str = "DIALECT_RUN";

/// Plays another part than that of the tests, if the arguments name one.
pub(crate) fn play(arguments: &[OsString]) -> Option<ExitCode> {
    match arguments.first()?.to_str()? {
        "parent" => Some(parent(&arguments[1..])),
        "brood" => Some(brood()),
        "echo" => Some(echo()),
        "litter" => Some(litter()),
        "supervise" => supervisor(&arguments[1..]),
        _ => None,
    }
}

/// Is the supervisor, as `dialect supervise` is, unless `supervise` is a filter of tests.
fn supervisor(mut arguments: &[OsString]) -> Option<ExitCode> {
    let mut options = SupervisorOptions::default();
    loop {
        match arguments {
            [flag, rest @ ..] if flag == "--scratch" => {
                options.scratch = true;
                arguments = rest;
            }
            [flag, wall, rest @ ..] if flag == "--wall" => {
                options.wall = Some(serde_json::from_str(wall.to_str().unwrap()).unwrap());
                arguments = rest;
            }
            [separator, command, rest @ ..] if separator == "--" => {
                return Some(adapter::supervise::supervise(command, rest, options));
            }
            _ => return None,
        }
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("the server inherits both ends and its exit code comes back", bytes_pass),
        Trial::test("a command that does not exist is said so", missing_command),
        Trial::test("closing standard input ends everything", || {
            ends_after("close", |it| drop(it.stdin.take()))
        }),
        Trial::test("temporary files end with the server that made them", temporary_files),
        Trial::test("a confined server that fills the disk ends, and what it wrote goes", disk_limit)
            .with_ignored_flag(adapter::fallback::wall().is_err()),
        Trial::test("killing the server ends everything", || ends_after("server", |it| kill(server_of(it)))),
        Trial::test("killing the parent ends everything", killing_the_parent),
        Trial::test("killing the supervisor leaves its group to be killed", killing_the_supervisor),
    ]
}

/// Starts the supervisor over this executable in another part.
fn supervised(mark: &str, part: &str) -> Command {
    let this = std::env::current_exe().unwrap();
    let mut command = Command::new(&this);
    command.args(["supervise", "--scratch", "--"]).arg(&this).arg(part).env(MARK, mark);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
    command
}

fn parent(part: &[OsString]) -> ExitCode {
    let mark = std::env::var(MARK).unwrap();
    let mut child = supervised(&mark, part[0].to_str().unwrap()).stdout(Stdio::inherit()).spawn().unwrap();
    // Waiting would close the lifeline first.
    let _lifeline = child.stdin.take();
    ExitCode::from(u8::from(child.wait().unwrap().success()))
}

/// A confined server writes file after file: none is larger than the limit, and together they are.
fn disk_limit() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let own = dir.path().canonicalize()?.join("own");
    fs::create_dir_all(own.join("target"))?;
    let wall = Wall { limits: Limits { disk: 2_000_000, ..Limits::default() }, ..Wall::system() };
    let wall = serde_json::to_string(&wall.watching(own.clone()))?;
    let writes = "i=0; while yes | head -c 500000 > \"$0/target/$i\"; do i=$((i+1)); done";
    let mut child = Command::new(std::env::current_exe()?)
        .args(["supervise", "--wall", &wall, "--", "/bin/sh", "-c", writes])
        .arg(&own)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let _lifeline = child.stdin.take();
    let ended = child.wait_with_output()?;
    let words = String::from_utf8_lossy(&ended.stderr);
    let left = fs::read_dir(own.join("target"))?.count();
    if !words.contains("it took more than 2 MB of disk") || ended.status.success() || left != 0 {
        return Err(format!("{}, {left} files are left: {words}", ended.status).into());
    }
    Ok(())
}

/// Starts grandchildren, says so, and reads its input to the end, as a server does.
fn brood() -> ExitCode {
    let mut children = ["", "setsid "].map(|prefix| {
        let script = format!("{prefix}sleep 600 & wait");
        Command::new("sh").args(["-c", &script]).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
    });
    let ready = format!("ready {}\n", std::process::id());
    std::io::stdout().write_all(ready.as_bytes()).unwrap();
    // It does not care about the end of its input: that is what the supervisor is for.
    children.iter_mut().for_each(|it| drop(it.wait()));
    ExitCode::SUCCESS
}

fn echo() -> ExitCode {
    let mut text = String::new();
    std::io::stdin().read_line(&mut text).unwrap();
    std::io::stdout().write_all(text.as_bytes()).unwrap();
    ExitCode::from(7)
}

/// Leaves a file in the temporary folder, says where, and waits to be killed.
fn litter() -> ExitCode {
    let file = std::env::temp_dir().join("preamble");
    fs::write(&file, "").unwrap();
    std::io::stdout().write_all(format!("{}\n", file.display()).as_bytes()).unwrap();
    std::io::stdin().read_line(&mut String::new()).unwrap();
    ExitCode::SUCCESS
}

fn temporary_files() -> Result<(), Failed> {
    let mut child = supervised(&unique("litter"), "litter").spawn()?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line)?;
    let file = Path::new(line.trim_end());
    let folder = file.parent().unwrap();
    assert!(file.exists() && folder != std::env::temp_dir(), "the server has no folder of its own");
    kill(server_of(&mut child));
    child.wait()?;
    assert!(!folder.exists(), "{} is left", folder.display());
    Ok(())
}

fn bytes_pass() -> Result<(), Failed> {
    let mut child = supervised("bytes", "echo").spawn()?;
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"hello\n")?;
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text)?;
    assert_eq!(text, "hello\n");
    assert_eq!(child.wait()?.code(), Some(7));
    Ok(())
}

fn missing_command() -> Result<(), Failed> {
    let this = std::env::current_exe()?;
    let output = Command::new(this).args(["supervise", "--", "/no/such/server"]).output()?;
    assert_eq!(output.status.code(), Some(127));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/no/such/server does not start"));
    Ok(())
}

/// Waits for the grandchildren to stand.
fn wait_until_ready(child: &mut Child, mark: &str) -> u32 {
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    wait_until(|| marked(mark).len() >= 6, || format!("grandchildren of `{mark}` do not start"));
    line.trim().strip_prefix("ready ").unwrap().parse().unwrap()
}

fn ends_after(mark: &str, blow: impl FnOnce(&mut Child)) -> Result<(), Failed> {
    let mark = &unique(mark);
    let mut child = supervised(mark, "brood").spawn()?;
    wait_until_ready(&mut child, mark);
    blow(&mut child);
    child.wait()?;
    nothing_is_left(mark);
    Ok(())
}

fn killing_the_parent() -> Result<(), Failed> {
    let mark = &unique("parent");
    let this = std::env::current_exe()?;
    let mut parent =
        Command::new(this).args(["parent", "brood"]).env(MARK, mark).stdout(Stdio::piped()).spawn()?;
    wait_until_ready(&mut parent, mark);
    parent.kill()?;
    parent.wait()?;
    nothing_is_left(mark);
    Ok(())
}

fn killing_the_supervisor() -> Result<(), Failed> {
    let mark = &unique("supervisor");
    let mut child = supervised(mark, "brood").spawn()?;
    let server = wait_until_ready(&mut child, mark);
    child.kill()?;
    child.wait()?;
    assert!(marked(mark).contains(&server), "the server should be left for its group to be killed");
    let group = format!("-{}", child.id());
    Command::new("kill").args(["-9", "--", &group]).status()?;
    // What left the group is beyond reach once its supervisor was killed: end it here.
    wait_until(|| !marked(mark).contains(&server), || "the server is still there".into());
    marked(mark).into_iter().for_each(kill);
    nothing_is_left(mark);
    Ok(())
}

fn server_of(supervisor: &mut Child) -> u32 {
    let list = format!("/proc/{0}/task/{0}/children", supervisor.id());
    let children = fs::read_to_string(list).unwrap();
    children.split_whitespace().next().expect("the server is the first child").parse().unwrap()
}

fn kill(pid: u32) {
    Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
}

fn unique(mark: &str) -> String {
    format!("{mark}-{}", std::process::id())
}

/// The time after which a wait counts as a hang.
const PATIENCE: Duration = Duration::from_secs(120);

/// The processes that carry the mark in their environment.
fn marked(mark: &str) -> Vec<u32> {
    let wanted = format!("{MARK}={mark}");
    let pids = fs::read_dir("/proc").unwrap().flatten();
    pids.filter_map(|it| it.file_name().to_str()?.parse().ok())
        .filter(|pid: &u32| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|it| it == wanted.as_bytes())
        })
        .collect()
}

fn nothing_is_left(mark: &str) {
    wait_until(|| marked(mark).is_empty(), || format!("left of `{mark}`: {:?}", marked(mark)));
}

fn wait_until(is_so: impl Fn() -> bool, complaint: impl Fn() -> String) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "{}", complaint());
        std::thread::sleep(Duration::from_millis(10));
    }
}
