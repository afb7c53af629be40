//! `ide-adapter` as a program of its own. What it does is tested as `dialect adapter`, in `conformance`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use libtest_mimic::{Failed, Trial};

/// The first message of a conductor.
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":7,"method":"proxy/initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}"#;

fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ide-adapter"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().expect("the program was built")
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("it asks its successor and ends with its input", successor),
        Trial::test("what it does not know is refused", unknown),
    ]
}

fn successor() -> Result<(), Failed> {
    let mut program = start(&["--level", "restricted"]);
    let mut input = program.stdin.take().expect("it is piped");
    writeln!(input, "{INITIALIZE}").expect("it reads");
    let mut line = String::new();
    BufReader::new(program.stdout.take().expect("it is piped")).read_line(&mut line).expect("it answers");
    assert!(line.contains("\"proxy/successor\"") && line.contains("\"initialize\""), "{line}");
    drop(input);
    program.wait()?;
    Ok(())
}

fn unknown() -> Result<(), Failed> {
    assert_eq!(start(&["--unknown"]).wait()?.code(), Some(2));
    assert_eq!(start(&["--level", "none"]).wait()?.code(), Some(1));
    assert_eq!(start(&["--help"]).wait()?.code(), Some(0));
    Ok(())
}
