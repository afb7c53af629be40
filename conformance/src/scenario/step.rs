//! Steps of an editor in a scenario, one a line; indented lines are the text of a prompt.

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

/// A step. In JSON, `"<A>"` stands for the id of session A, and `<workspace>` for its folder.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// `initialize`
    Initialize,
    /// `new A`, `new A in sub`, `load A session-1`, `resume A session-1`, `fork A session-1`, each with more params
    /// as JSON at the end
    SetUp { method: String, name: String, id: Option<String>, folder: String, more: Value },
    /// `prompt A` and the script below it; waits for the turn's end
    Prompt { name: String, text: String },
    /// `begin A` and the script below it; goes on at once
    Begin { name: String, text: String },
    /// `attach A JSON`: a content block that the next prompt has besides its text
    Attach { name: String, block: Value },
    /// `end A`: waits for the end of the turn that was begun
    End { name: String },
    /// `cancel A`: waits until the agent has heard it
    Cancel { name: String },
    /// `request METHOD JSON`: waits for the answer
    Request { method: String, params: Value },
    /// `notify METHOD JSON`: waits until the agent has heard it
    Notify { method: String, params: Value },
    /// `count N METHOD`: N notifications, numbered; waits until the agent has heard them
    Count { n: u32, method: String },
    /// `await PLACE METHOD`: a message that was not awaited before
    Await { place: Place, method: String },
    /// `tell server COMMAND`
    Tell { command: String },
    /// `write PATH TEXT`: a file of the workspace, its text as a JSON string
    Write { path: String, text: String },
    /// `answer METHOD JSON`: the oldest request of that method that the editor holds back
    Answer { method: String, result: Value },
    /// `audit`: tells what was recorded since the last time
    Audit,
    /// `revoke CAPABILITY`: takes a lasting permission back, as `dialect grants revoke` does
    Revoke { capability: String },
    /// `notes`: tells which notes there are
    Notes,
    /// `leave`: the editor closes its side, without waiting for anything
    Leave,
}

/// The receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Editor,
    Agent,
    Server,
}

impl Place {
    pub fn name(self) -> &'static str {
        match self {
            Self::Editor => "editor",
            Self::Agent => "agent",
            Self::Server => "server",
        }
    }
}

impl Step {
    /// The steps of a block.
    ///
    /// # Errors
    /// When a line is none.
    pub fn parse_all(text: &str) -> Result<Vec<Self>> {
        let mut heads: Vec<(&str, String)> = Vec::new();
        for line in text.lines().filter(|it| !it.trim().is_empty()) {
            match heads.last_mut() {
                Some((_, body)) if line.starts_with(' ') => {
                    *body += line.trim();
                    body.push('\n');
                }
                _ => heads.push((line.trim(), String::new())),
            }
        }
        let steps =
            heads.into_iter().map(|(head, body)| Self::parse(head, body).with_context(|| head.to_owned()));
        steps.collect()
    }

    fn parse(head: &str, body: String) -> Result<Self> {
        let (word, rest) = head.split_once(' ').unwrap_or((head, ""));
        let name = rest.to_owned();
        let text = body.trim_end().to_owned();
        Ok(match word {
            "initialize" => Self::Initialize,
            "new" | "load" | "resume" | "fork" => set_up(word, rest)?,
            "prompt" => Self::Prompt { name, text },
            "begin" => Self::Begin { name, text },
            "attach" => {
                let (name, block) = method_and_json(rest)?;
                Self::Attach { name, block }
            }
            "end" => Self::End { name },
            "cancel" => Self::Cancel { name },
            "request" => {
                let (method, params) = method_and_json(rest)?;
                Self::Request { method, params }
            }
            "notify" => {
                let (method, params) = method_and_json(rest)?;
                Self::Notify { method, params }
            }
            "count" => {
                let (n, method) = two(rest)?;
                Self::Count { n: n.parse()?, method }
            }
            "await" => {
                let (place, method) = two(rest)?;
                Self::Await { place: place_of(&place)?, method }
            }
            "tell" => Self::Tell { command: two(rest)?.1 },
            "write" => {
                let (path, text) = two(rest)?;
                Self::Write { path, text: serde_json::from_str(&text)? }
            }
            "answer" => {
                let (method, result) = method_and_json(rest)?;
                Self::Answer { method, result }
            }
            "audit" => Self::Audit,
            "revoke" => Self::Revoke { capability: name },
            "notes" => Self::Notes,
            "leave" => Self::Leave,
            _ => bail!("a scenario has no step `{word}`"),
        })
    }
}

fn two(rest: &str) -> Result<(String, String)> {
    let (first, second) = rest.split_once(' ').ok_or_else(|| anyhow!("two words are needed: {rest}"))?;
    Ok((first.to_owned(), second.to_owned()))
}

fn place_of(name: &str) -> Result<Place> {
    let places = [Place::Editor, Place::Agent, Place::Server];
    places.into_iter().find(|it| it.name() == name).ok_or_else(|| anyhow!("nobody is called `{name}`"))
}

fn method_and_json(rest: &str) -> Result<(String, Value)> {
    let (method, params) = rest.split_once(' ').unwrap_or((rest, "{}"));
    Ok((method.to_owned(), serde_json::from_str(params)?))
}

fn set_up(word: &str, rest: &str) -> Result<Step> {
    let (words, more) = match rest.find('{') {
        Some(at) => (&rest[..at], serde_json::from_str(&rest[at..])?),
        None => (rest, Value::Null),
    };
    let words: Vec<&str> = words.split_whitespace().collect();
    let (name, id, folder) = match words[..] {
        [name] => (name, None, ""),
        [name, "in", folder] => (name, None, folder),
        [name, id] => (name, Some(id.to_owned()), ""),
        [name, id, "in", folder] => (name, Some(id.to_owned()), folder),
        _ => bail!("not `{word} NAME [ID] [in FOLDER]`"),
    };
    Ok(Step::SetUp {
        method: format!("session/{word}"),
        name: name.to_owned(),
        id,
        folder: folder.to_owned(),
        more,
    })
}
