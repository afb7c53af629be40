//! MCP over streamable HTTP: as much of HTTP/1.1 as that takes.

use std::fmt;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::Mutex;

use super::late::Late;
use super::{Hears, hear};
use crate::wire::Answer;

/// A server at an address on loopback.
pub struct HttpServer {
    pub authority: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    /// The listener for progress, called as soon as it comes.
    hears: Option<Hears>,
    /// The cancelled requests, if an answer to one of them is an error.
    late: Option<Arc<Late>>,
    /// The id that the server gave to our session, if it did.
    session: Arc<Mutex<Option<String>>>,
    /// A connection that waits for the next request.
    idle: Mutex<Option<BufReader<TcpStream>>>,
}

/// A response.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Response {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Returns the answer to the request with that id.
    pub(super) fn answer(&self, id: &Value) -> Option<Value> {
        self.messages().into_iter().find(|it| it["id"] == *id && it["method"].is_null())
    }

    /// The messages in the body: one JSON text, or the data of each server-sent event.
    fn messages(&self) -> Vec<Value> {
        let is_stream = self.header("content-type").is_some_and(|it| it.starts_with("text/event-stream"));
        let texts: Vec<&str> = match is_stream {
            true => self.body.lines().filter_map(|line| line.strip_prefix("data:")).collect(),
            false => vec![&self.body],
        };
        texts.into_iter().filter_map(|it| serde_json::from_str(it).ok()).collect()
    }
}

impl HttpServer {
    /// From an entry of `mcpServers`.
    ///
    /// # Errors
    /// When it has no URL of the form `http://host:port/path`.
    pub fn new(entry: &Value) -> Result<Self> {
        let url = entry["url"].as_str().ok_or_else(|| anyhow!("a server without a URL: {entry}"))?;
        let (authority, path) = url
            .strip_prefix("http://")
            .and_then(|it| it.split_once('/'))
            .ok_or_else(|| anyhow!("not http://host:port/path: {url}"))?;
        let headers = entry["headers"].as_array().into_iter().flatten();
        let headers =
            headers.filter_map(|it| Some((it["name"].as_str()?.into(), it["value"].as_str()?.into())));
        Ok(Self {
            authority: authority.to_owned(),
            path: format!("/{path}"),
            headers: headers.collect(),
            hears: None,
            late: None,
            session: Arc::default(),
            idle: Mutex::default(),
        })
    }

    /// The same, with somebody who hears of progress. With `keeps_posts`, cancelled requests stay open.
    pub(super) fn for_client(self, hears: Option<Hears>, keeps_posts: bool) -> Self {
        Self { hears, late: keeps_posts.then(Arc::default), ..self }
    }

    /// The same server, over connections of its own.
    pub(super) fn apart(&self) -> Self {
        Self {
            authority: self.authority.clone(),
            path: self.path.clone(),
            headers: self.headers.clone(),
            hears: self.hears.clone(),
            late: None,
            session: Arc::clone(&self.session),
            idle: Mutex::default(),
        }
    }

    pub(super) async fn request(&self, id: u64, version: &str, method: &str, params: Value) -> Answer {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let response = match &self.late {
            Some(late) => late.exchange(self.apart(), version, &message).await,
            None => self.post(version, &message).await,
        };
        let response = response.map_err(|error| failed(&format!("{error:#}")))?;
        if let Some(session) = response.header("mcp-session-id") {
            *self.session.lock().await = Some(session.to_owned());
        }
        match response.answer(&message["id"]) {
            Some(mut answer) => match answer["error"].take() {
                Value::Null => Ok(answer["result"].take()),
                error => Err(error),
            },
            None => Err(failed(&format!("HTTP {} without an answer: {}", response.status, response.body))),
        }
    }

    pub(super) async fn notify(&self, version: &str, method: &str, params: Value) -> Result<()> {
        let response =
            self.post(version, &json!({"jsonrpc": "2.0", "method": method, "params": params})).await?;
        match response.status {
            202 => Ok(()),
            status => bail!("HTTP {status} to a notification: {}", response.body),
        }
    }

    pub(super) async fn post(&self, version: &str, message: &Value) -> Result<Response> {
        let mut headers = vec![
            ("content-type", "application/json".to_owned()),
            ("accept", "application/json, text/event-stream".to_owned()),
        ];
        let method = message["method"].as_str().unwrap_or_default();
        if method != "initialize" {
            headers.push(("mcp-protocol-version", version.to_owned()));
        }
        if version == "2026-07-28" {
            headers.push(("mcp-method", method.to_owned()));
            if let Some(name) = message["params"]["name"].as_str() {
                headers.push(("mcp-name", name.to_owned()));
            }
        }
        if let Some(session) = &*self.session.lock().await {
            headers.push(("mcp-session-id", session.clone()));
        }
        self.send("POST", &headers, &message.to_string()).await
    }

    /// One exchange. Dropping the future closes its connection, which is how an agent cancels.
    ///
    /// # Errors
    /// When the server cannot be reached or does not speak HTTP.
    pub async fn send(&self, method: &str, headers: &[(&str, String)], body: &str) -> Result<Response> {
        let waiting = self.idle.lock().await.take();
        let mut stream = match waiting {
            Some(stream) => stream,
            None => BufReader::new(self.connected().await?),
        };
        let host =
            headers.iter().find(|(name, _)| *name == "host").map_or(self.authority.as_str(), |(_, it)| it);
        let mut head = format!("{method} {} HTTP/1.1\r\nhost: {host}\r\n", self.path);
        let own = self.headers.iter().map(|(name, value)| (name.as_str(), value));
        let given = headers.iter().filter(|(name, _)| *name != "host").map(|(name, value)| (*name, value));
        for (name, value) in own.chain(given) {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("content-length: {}\r\n\r\n", body.len());
        stream.get_mut().write_all(format!("{head}{body}").as_bytes()).await?;
        let response =
            read_response(&mut stream, self.hears.as_ref()).await.context("reading an HTTP response")?;
        if response.header("connection") != Some("close") {
            *self.idle.lock().await = Some(stream);
        }
        Ok(response)
    }

    async fn connected(&self) -> Result<TcpStream> {
        let stream = TcpStream::connect(&self.authority).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HttpServer({})", self.authority)
    }
}

fn failed(message: &str) -> Value {
    json!({"code": 0, "message": message})
}

async fn read_response(stream: &mut BufReader<TcpStream>, hears: Option<&Hears>) -> Result<Response> {
    let status = read_line(stream).await?;
    let status = status.split(' ').nth(1).and_then(|it| it.parse().ok());
    let mut response = Response {
        status: status.ok_or_else(|| anyhow!("no status line"))?,
        headers: Vec::new(),
        body: String::new(),
    };
    loop {
        let line = read_line(stream).await?;
        let Some((name, value)) = line.split_once(':') else { break };
        response.headers.push((name.trim().to_owned(), value.trim().to_owned()));
    }
    let length = response.header("content-length").and_then(|it| it.parse().ok());
    let is_chunked = response.header("transfer-encoding") == Some("chunked");
    response.body = match length {
        Some(length) => String::from_utf8(read_exactly(stream, length).await?)?,
        None if is_chunked => String::from_utf8(read_chunks(stream, hears).await?)?,
        None => String::new(),
    };
    Ok(response)
}

async fn read_line(stream: &mut BufReader<TcpStream>) -> Result<String> {
    let mut line = String::new();
    match stream.read_line(&mut line).await? {
        0 => bail!("the connection ended"),
        _ => Ok(line.trim_end().to_owned()),
    }
}

async fn read_exactly(stream: &mut BufReader<TcpStream>, length: usize) -> Result<Vec<u8>> {
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(body)
}

async fn read_chunks(stream: &mut BufReader<TcpStream>, hears: Option<&Hears>) -> Result<Vec<u8>> {
    let (mut body, mut seen) = (Vec::new(), 0);
    loop {
        let length = usize::from_str_radix(&read_line(stream).await?, 16)?;
        body.extend(read_exactly(stream, length).await?);
        read_line(stream).await?;
        while let Some(end) = body[seen..].iter().position(|it| *it == b'\n') {
            let line = body[seen..seen + end].strip_prefix(b"data:");
            if let Some(message) = line.and_then(|it| serde_json::from_slice(it).ok()) {
                hear(hears, &message);
            }
            seen += end + 1;
        }
        if length == 0 {
            return Ok(body);
        }
    }
}
