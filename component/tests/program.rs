//! `ide-component` as a program of its own. What it does is tested as `dialect component`, in `conformance`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

/// The first message of a conductor.
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":7,"method":"proxy/initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}"#;

fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ide-component"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().expect("the program was built")
}

#[test]
fn it_asks_its_successor_and_ends_with_its_input() {
    let mut program = start(&["--read-only"]);
    let mut input = program.stdin.take().expect("it is piped");
    writeln!(input, "{INITIALIZE}").expect("it reads");
    let mut line = String::new();
    let mut output = BufReader::new(program.stdout.take().expect("it is piped"));
    output.read_line(&mut line).expect("it answers");
    assert!(line.contains("\"proxy/successor\"") && line.contains("\"initialize\""), "{line}");
    drop(input);
    assert!(program.wait().expect("it ends").success());
}

#[test]
fn what_it_does_not_know_is_refused() {
    assert_eq!(start(&["--unknown"]).wait().expect("it ends").code(), Some(2));
    assert_eq!(start(&["--help"]).wait().expect("it ends").code(), Some(0));
}
