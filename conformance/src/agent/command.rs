//! The commands of a script.

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

/// One line of a script.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Command {
    Tools,
    /// `describe` or `describe TOOL`
    Describe(Option<String>),
    /// `call PROGRAM`; `call wait=0 PROGRAM` says how long it waits for servers that load
    Call {
        program: String,
        wait: Option<f64>,
    },
    /// `call-for ID PROGRAM` calls as a part of the tool call of that id
    CallFor {
        id: String,
        program: String,
    },
    /// `script JSON` calls `script` with these arguments
    Script(Value),
    Together,
    Servers,
    Capabilities,
    Early,
    Request {
        method: String,
        params: Value,
    },
    Notify {
        method: String,
        params: Value,
    },
    Count {
        n: u32,
        method: String,
    },
    Enlarge {
        bytes: u64,
        method: String,
    },
    Http {
        method: String,
        path: String,
        headers: Vec<(String, String)>,
    },
    Update(Value),
    Time {
        n: u32,
        what: Box<Self>,
    },
    Wait,
    Line(String),
    Bytes(Vec<u8>),
    Broken {
        id: u64,
        line: Vec<u8>,
    },
    Say(String),
    Exit,
}

impl Command {
    pub(super) fn parse(line: &str) -> Result<Self> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        Ok(match word {
            "tools" => Self::Tools,
            "describe" => Self::Describe(Some(rest.to_owned()).filter(|it| !it.is_empty())),
            "call" => call(rest)?,
            "call-for" => {
                let (id, program) = rest.split_once(' ').context("`call-for ID PROGRAM`")?;
                Self::CallFor { id: id.to_owned(), program: program.to_owned() }
            }
            "script" => Self::Script(serde_json::from_str(rest)?),
            "together" => Self::Together,
            "servers" => Self::Servers,
            "capabilities" => Self::Capabilities,
            "early" => Self::Early,
            "request" => {
                let (method, params) = method_and_json(rest)?;
                Self::Request { method, params }
            }
            "notify" => {
                let (method, params) = method_and_json(rest)?;
                Self::Notify { method, params }
            }
            "count" => {
                let (n, method) = number_and_method(rest)?;
                Self::Count { n: u32::try_from(n)?, method }
            }
            "enlarge" => {
                let (bytes, method) = number_and_method(rest)?;
                Self::Enlarge { bytes, method }
            }
            "http" => http(rest)?,
            "update" => Self::Update(serde_json::from_str(rest)?),
            "time" => {
                let (n, what) = number_and_method(rest)?;
                Self::Time { n: u32::try_from(n)?, what: Box::new(Self::parse(&what)?) }
            }
            "wait" => Self::Wait,
            "line" => Self::Line(rest.to_owned()),
            "bytes" => Self::Bytes(hex::decode(rest)?),
            "broken" => {
                let (id, hex) = number_and_method(rest)?;
                Self::Broken { id, line: hex::decode(hex)? }
            }
            "say" => Self::Say(rest.to_owned()),
            "exit" => Self::Exit,
            _ => bail!("the mock agent has no command `{word}`"),
        })
    }
}

fn call(rest: &str) -> Result<Command> {
    let Some((seconds, program)) = rest.strip_prefix("wait=").and_then(|it| it.split_once(' ')) else {
        return Ok(Command::Call { program: rest.to_owned(), wait: None });
    };
    Ok(Command::Call { program: program.to_owned(), wait: Some(seconds.parse()?) })
}

fn method_and_json(rest: &str) -> Result<(String, Value)> {
    let (method, params) = rest.split_once(' ').unwrap_or((rest, "{}"));
    let params = serde_json::from_str(params).with_context(|| format!("the params of `{method}`"))?;
    Ok((method.to_owned(), params))
}

fn number_and_method(rest: &str) -> Result<(u64, String)> {
    let (number, method) = rest.split_once(' ').ok_or_else(|| anyhow!("not `N METHOD`: {rest}"))?;
    Ok((number.parse()?, method.to_owned()))
}

/// `POST /mcp authorization=Bearer+nobody`: in values a plus is a space.
fn http(rest: &str) -> Result<Command> {
    let mut words = rest.split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else { bail!("not `METHOD PATH`: {rest}") };
    let headers = words.map(|word| {
        let (name, value) = word.split_once('=').ok_or_else(|| anyhow!("not `name=value`: {word}"))?;
        Ok((name.to_owned(), value.replace('+', " ")))
    });
    Ok(Command::Http {
        method: method.to_owned(),
        path: path.to_owned(),
        headers: headers.collect::<Result<_>>()?,
    })
}
