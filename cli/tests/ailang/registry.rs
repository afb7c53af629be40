//! A registry on loopback that keeps what is published, in npm's protocol.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// A registry, for as long as the process runs.
pub(crate) struct Registry {
    pub(crate) url: String,
}

/// The published packages by name: npm's documents with their archives.
type Published = BTreeMap<String, Value>;

impl Registry {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let mut published = Published::new();
            for stream in listener.incoming() {
                serve(stream.unwrap(), &mut published);
            }
        });
        Self { url }
    }
}

fn serve(stream: TcpStream, published: &mut Published) {
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    while stream.read_line(&mut head).is_ok_and(|it| it > 2) {}
    let lower = head.to_lowercase();
    let length = lower.lines().find_map(|it| it.strip_prefix("content-length: ")?.parse().ok());
    let mut body = Vec::new();
    stream.by_ref().take(length.unwrap_or(0)).read_to_end(&mut body).unwrap();
    let mut words = head.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let answer = answer(method, path.trim_start_matches('/'), &body, published);
    let (status, body) = answer.map_or(("404 Not Found", Vec::new()), |body| ("200 OK", body));
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    // The client may be gone.
    let _ = stream.get_mut().write_all(&[head.as_bytes(), &body].concat());
}

fn answer(method: &str, path: &str, body: &[u8], published: &mut Published) -> Option<Vec<u8>> {
    if method == "PUT" {
        let document: Value = serde_json::from_slice(body).ok()?;
        published.insert(document["name"].as_str()?.to_owned(), document);
        return Some(b"{}".to_vec());
    }
    if let Some(query) = path.strip_prefix("-/v1/search?text=") {
        let text = query.split('&').next()?.replace('+', " ");
        return Some(found(&text, published).to_string().into_bytes());
    }
    match path.split_once("/-/") {
        None => Some(published.get(&path.replace("%2f", "/"))?.to_string().into_bytes()),
        Some((name, _)) => {
            let archives = published.get(name)?["_attachments"].as_object()?;
            STANDARD.decode(archives.values().next()?["data"].as_str()?).ok()
        }
    }
}

/// Returns the packages whose description has a text.
fn found(text: &str, published: &Published) -> Value {
    let is_it = |it: &&Value| it["description"].as_str().is_some_and(|it| it.contains(text));
    let object = |it: &Value| json!({"package": {"name": it["name"], "version": it["dist-tags"]["latest"], "description": it["description"]}});
    json!({"objects": published.values().filter(is_it).map(object).collect::<Vec<_>>()})
}
