//! Reads values. What a reader of the protocol has to accept is accepted: no type is null, no items are none.
//! A number is never guessed, since a wrong one would be worse than an error.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::limits::VALUE_DEPTH;
use crate::tokens::{Token, Tokens};
use crate::value::{Remote, Value, ValueError, entry_segment, too_deep};

impl Value {
    /// Reads a value. `at` names its place in errors.
    pub fn read(raw: &RawValue, at: &str) -> Result<Self, ValueError> {
        let read = Reader { tokens: Tokens::new(raw.get()), open: Vec::new() }.run();
        read.map_err(|Wrong { problem, path }| {
            ValueError::new(problem, path.iter().rev().fold(at.to_owned(), |place, segment| place + segment))
        })
    }
}

/// An error, with the segments of its path from the innermost outwards.
struct Wrong {
    problem: String,
    path: Vec<String>,
}

type Read<T = Value> = Result<T, Wrong>;

fn wrong<T>(problem: impl Into<String>) -> Read<T> {
    Err(Wrong { problem: problem.into(), path: Vec::new() })
}

/// A value that has begun. Members that its type does not need may be wrong, so each keeps its own error.
enum Open<'a> {
    Object(Members<'a>),
    Items(Read<Vec<Value>>),
    Entries { read: Read<BTreeMap<String, Value>>, key: String },
}

#[derive(Default)]
struct Members<'a> {
    kind: Option<Token<'a>>,
    value: Option<Token<'a>>,
    items: Option<Read<Vec<Value>>>,
    entries: Option<Read<BTreeMap<String, Value>>>,
    callback: Option<Texts<'a>>,
    remote: Option<Texts<'a>>,
}

/// The members of an object that are strings.
type Texts<'a> = Vec<(&'a str, &'a str)>;

struct Reader<'a> {
    tokens: Tokens<'a>,
    open: Vec<Open<'a>>,
}

impl<'a> Reader<'a> {
    fn run(mut self) -> Read {
        let first = self.next()?;
        let mut complete = self.begin(first)?;
        loop {
            match complete {
                Some(read) if self.open.is_empty() => return read,
                Some(read) => self.deliver(read),
                None => {}
            }
            complete = self.advance()?;
        }
    }

    fn next(&mut self) -> Read<Token<'a>> {
        self.tokens.next().map_or_else(|| wrong("a value is cut off"), Ok)
    }

    /// Begins the value that starts with this token. Returns it if it is complete with that.
    fn begin(&mut self, first: Token<'a>) -> Read<Option<Read>> {
        Ok(match first {
            Token::OpenObject => {
                self.open.push(Open::Object(Members::default()));
                None
            }
            Token::Scalar("null") => Some(Ok(Value::Null)),
            other => {
                self.tokens.pass_over(other);
                Some(wrong(format!("{} instead of a transport value", kind_of(other))))
            }
        })
    }

    /// Reads on in the innermost value. Returns a value that is complete.
    fn advance(&mut self) -> Read<Option<Read>> {
        let token = self.next()?;
        match (self.open.last_mut(), token) {
            (Some(Open::Object(_)), Token::Text(name)) => {
                let value = self.next()?;
                self.member(name, value)?;
                Ok(None)
            }
            (Some(Open::Entries { key, .. }), Token::Text(name)) => {
                *key = text(name)?;
                let value = self.next()?;
                self.begin(value)
            }
            (Some(Open::Items(_) | Open::Entries { .. }), Token::CloseArray | Token::CloseObject) => {
                self.close_container();
                Ok(None)
            }
            (Some(Open::Items(_)), token) => self.begin(token),
            _ => match self.open.pop() {
                Some(Open::Object(members)) => Ok(Some(members.value())),
                _ => wrong("brackets do not match"),
            },
        }
    }

    /// Takes a member of the object that is innermost.
    fn member(&mut self, name: &str, first: Token<'a>) -> Read<()> {
        let name = unquoted(name).to_ascii_lowercase();
        if matches!(first, Token::OpenArray | Token::OpenObject) && self.open.len() / 2 >= VALUE_DEPTH {
            return wrong(too_deep());
        }
        match (name.as_str(), first) {
            (_, Token::Scalar("null")) => return Ok(()),
            ("items", Token::OpenArray) => {
                self.open.push(Open::Items(Ok(Vec::new())));
                return Ok(());
            }
            ("entries", Token::OpenObject) => {
                self.open.push(Open::Entries { read: Ok(BTreeMap::new()), key: String::new() });
                return Ok(());
            }
            _ => {}
        }
        let texts = match (name.as_str(), first) {
            ("callback" | "remote", Token::OpenObject) => Some(self.texts()?),
            _ => {
                self.tokens.pass_over(first);
                None
            }
        };
        let Some(Open::Object(members)) = self.open.last_mut() else { return Ok(()) };
        match name.as_str() {
            "type" => members.kind = Some(first),
            "value" => members.value = Some(first),
            "items" => members.items = Some(wrong(format!("{} instead of the items", kind_of(first)))),
            "entries" => members.entries = Some(wrong(format!("{} instead of the entries", kind_of(first)))),
            "callback" => members.callback = texts,
            "remote" => members.remote = texts,
            _ => {}
        }
        Ok(())
    }

    /// Reads the members of an object of strings. Other members are passed over.
    fn texts(&mut self) -> Read<Texts<'a>> {
        let mut texts = Vec::new();
        while let Token::Text(name) = self.next()? {
            match self.next()? {
                Token::Text(text) => texts.push((name, text)),
                other => self.tokens.pass_over(other),
            }
        }
        Ok(texts)
    }

    fn close_container(&mut self) {
        let container = self.open.pop();
        let Some(Open::Object(members)) = self.open.last_mut() else { return };
        match container {
            Some(Open::Items(read)) => members.items = Some(read),
            Some(Open::Entries { read, .. }) => members.entries = Some(read),
            _ => {}
        }
    }

    /// Gives a complete value to the list or dict around it.
    fn deliver(&mut self, read: Read) {
        let below = |error: Wrong, segment: String| {
            let Wrong { problem, mut path } = error;
            path.push(segment);
            Wrong { problem, path }
        };
        match self.open.last_mut() {
            Some(Open::Items(items)) => {
                if let Ok(list) = items {
                    match read {
                        Ok(value) => list.push(value),
                        Err(error) => *items = Err(below(error, format!(".items[{}]", list.len()))),
                    }
                }
            }
            Some(Open::Entries { read: entries, key }) => {
                if let Ok(map) = entries {
                    match read {
                        Ok(value) => drop(map.insert(std::mem::take(key), value)),
                        Err(error) => *entries = Err(below(error, entry_segment(key))),
                    }
                }
            }
            _ => {}
        }
    }
}

impl Members<'_> {
    /// Returns the value that the members make.
    fn value(self) -> Read {
        let kind = match self.kind {
            None => return Ok(Value::Null),
            Some(Token::Text(raw)) => text(raw)?,
            Some(other) => return wrong(format!("{} instead of a type", kind_of(other))),
        };
        match kind.as_str() {
            "" | "null" => Ok(Value::Null),
            "bool" => match self.value {
                Some(Token::Scalar("true")) => Ok(Value::Bool(true)),
                Some(Token::Scalar("false")) => Ok(Value::Bool(false)),
                _ => wrong("invalid bool transport value"),
            },
            "int" => int(self.value).map(Value::Int),
            "float" => float(self.value).map(Value::Float),
            "string" => match self.value {
                Some(Token::Text(raw)) => text(raw).map(Value::String),
                _ => wrong("invalid string transport value"),
            },
            "list" => self.items.unwrap_or_else(|| Ok(Vec::new())).map(Value::List),
            "dict" => self.entries.unwrap_or_else(|| Ok(BTreeMap::new())).map(Value::Dict),
            "callback" => match string(self.callback.as_ref(), "id")? {
                id if id.is_empty() => wrong("a callback without an id"),
                id => Ok(Value::Callback(id)),
            },
            "remote" => {
                let of = |name| string(self.remote.as_ref(), name);
                let remote = Remote { library: of("library")?, class: of("class")?, id: of("id")? };
                if remote.id.is_empty() {
                    wrong("a remote object without an id")
                } else {
                    Ok(Value::Remote(remote))
                }
            }
            other => wrong(format!("unsupported plugin transport value type {other:?}")),
        }
    }
}

/// Returns a member that is a string, or an empty text.
fn string(texts: Option<&Texts<'_>>, name: &str) -> Read<String> {
    let found =
        texts.and_then(|it| it.iter().rev().find(|(key, _)| unquoted(key).eq_ignore_ascii_case(name)));
    found.map_or_else(|| Ok(String::new()), |(_, raw)| text(raw))
}

/// Returns a string without its quotes.
fn unquoted(raw: &str) -> &str {
    raw.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(raw)
}

/// Returns the text of a JSON string.
fn text(raw: &str) -> Read<String> {
    serde_json::from_str(raw).or_else(|error| wrong(format!("invalid string: {error}")))
}

fn int(token: Option<Token<'_>>) -> Read<i64> {
    let Some(Token::Scalar(raw)) = token else { return wrong("invalid int transport value") };
    if let Ok(value) = raw.parse() {
        return Ok(value);
    }
    let Ok(value) = serde_json::from_str::<f64>(raw) else {
        return wrong(format!("invalid int transport value {raw}"));
    };
    // A float below 2^63 that has no fraction is an integer in range.
    if value.fract() == 0.0 && (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value) {
        return Ok(value as i64);
    }
    let problem = if value.fract() == 0.0 { "is out of the range of 64 bits" } else { "has a fraction" };
    wrong(format!("the int {raw} {problem}"))
}

fn float(token: Option<Token<'_>>) -> Read<f64> {
    let Some(Token::Scalar(raw)) = token else { return wrong("invalid float transport value") };
    match serde_json::from_str::<f64>(raw) {
        Ok(value) if value.is_finite() => Ok(value),
        _ => wrong(format!("invalid float transport value {raw}")),
    }
}

fn kind_of(token: Token<'_>) -> &'static str {
    match token {
        Token::OpenObject | Token::CloseObject => "an object",
        Token::OpenArray | Token::CloseArray => "an array",
        Token::Text(_) => "a string",
        Token::Scalar("null") => "null",
        Token::Scalar("true" | "false") => "a boolean",
        Token::Scalar(_) => "a number",
    }
}
