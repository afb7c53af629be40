//! Cases that are too large to write down.

use libtest_mimic::{Failed, Trial};
use plugin_protocol::connection::{Answer, Host, HostEvent, Plugin, PluginEvent};
use plugin_protocol::methods::{Arguments, HostCall};
use plugin_protocol::{Limits, VALUE_DEPTH, Value};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("E29", e29),
        Trial::test("E31", e31),
        Trial::test("P31", p31),
        Trial::test("an answer over the limit fails its call alone", over_the_limit),
        Trial::test("an answer over the limit that names no call ends the connection", over_and_unnamed),
        Trial::test("lines that are no messages end the connection after many", many_bad_lines),
    ]
}

fn call(host: &mut Host, argument: Value) -> Result<(), Failed> {
    let arguments = Arguments { args: vec![argument], ..Arguments::default() };
    host.call(&HostCall::Function { name: "echo".to_owned(), arguments })?;
    Ok(())
}

/// Sends a value to a plugin that answers with its argument. Returns the answer.
fn echo(argument: Value) -> Result<Value, Failed> {
    let (mut host, mut plugin) = (Host::new(Limits::default()), Plugin::new(Limits::default()));
    call(&mut host, argument)?;
    host.take_output().chunks(65_536).for_each(|it| plugin.receive(it));
    let Some(PluginEvent::Call { ticket: Some(ticket), call: HostCall::Function { arguments, .. } }) =
        plugin.next_event()
    else {
        return Err("the plugin was not called".into());
    };
    plugin.answer(ticket, Ok(&arguments.args[0]));
    plugin.take_output().chunks(65_536).for_each(|it| host.receive(it));
    match host.next_event() {
        Some(HostEvent::Answer { outcome: Ok(Answer::Value(value)), .. }) => Ok(value),
        other => Err(format!("{:.300}", format!("{other:?}")).into()),
    }
}

fn e29() -> Result<(), Failed> {
    let text = Value::String("x".repeat(20_000_000));
    if echo(text.clone())? == text { Ok(()) } else { Err("another text came back".into()) }
}

fn e31() -> Result<(), Failed> {
    for depth in [1000, VALUE_DEPTH] {
        let value = (0..depth).fold(Value::Null, |value, _| Value::List(vec![value]));
        if echo(value.clone())? != value {
            return Err("another value came back".into());
        }
    }
    Ok(())
}

fn p31() -> Result<(), Failed> {
    echo(Value::String("é".repeat(2_500_000))).map(drop)
}

fn small() -> Host {
    Host::new(Limits { message_bytes: 100, bad_lines: 3, ..Limits::default() })
}

fn events(host: &mut Host) -> Vec<String> {
    std::iter::from_fn(|| host.next_event())
        .map(|event| match event {
            HostEvent::Answer { call, outcome: Err(error) } => format!("{} failed: {error}", call.0),
            HostEvent::Answer { call, .. } => format!("{}: answered", call.0),
            HostEvent::Skipped(_) => "skipped".to_owned(),
            HostEvent::Closed(reason) => format!("closed: {reason}"),
            other => format!("{other:?}"),
        })
        .collect()
}

fn expect(actual: &[String], expected: &[&str]) -> Result<(), Failed> {
    let expected: Vec<_> = expected.iter().map(|it| (*it).to_owned()).collect();
    Ok(crate::same("events", actual, &expected)?)
}

fn over_the_limit() -> Result<(), Failed> {
    let mut host = small();
    (0..2).try_for_each(|_| call(&mut host, Value::Null))?;
    let long = format!("{{\"id\":1,\"result\":\"{}\"}}\n{{\"id\":2}}\n", "x".repeat(1000));
    host.receive(long.as_bytes());
    expect(
        &events(&mut host),
        &["1 failed: the answer cannot be read: longer than 100 bytes", "skipped", "2: answered"],
    )
}

fn over_and_unnamed() -> Result<(), Failed> {
    let mut host = small();
    call(&mut host, Value::Null)?;
    host.receive(format!("{{\"result\":\"{}\",\"id\":1}}\n", "x".repeat(9000)).as_bytes());
    let reason = "a message of the peer is longer than 100 bytes";
    expect(&events(&mut host), &["skipped", &format!("1 failed: {reason}"), &format!("closed: {reason}")])?;
    match call(&mut host, Value::Null) {
        Err(_) => Ok(()),
        Ok(()) => Err("a closed connection takes no call".into()),
    }
}

fn many_bad_lines() -> Result<(), Failed> {
    let mut host = small();
    host.receive(b"a\nb\nc\n{\"id\":9}\na\nb\nc\nd\n");
    let closed = "closed: 4 lines in a row were no messages";
    let skipped = "skipped";
    expect(&events(&mut host), &[skipped, skipped, skipped, skipped, skipped, skipped, skipped, closed])?;
    Ok(())
}
