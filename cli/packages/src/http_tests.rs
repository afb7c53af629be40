//! Tests of requests, against servers on loopback that answer with fixed bytes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use super::*;

/// A server that answers each path with bytes, and records the heads of requests.
pub(crate) struct Server {
    pub(crate) url: Url,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn new(answer: impl Fn(&str) -> Vec<u8> + Send + 'static) -> Self {
        Self::with_heads(move |path, _| answer(path))
    }

    /// Answers by the path and the head of each request.
    pub(crate) fn with_heads(answer: impl Fn(&str, &str) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&heads);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = BufReader::new(stream.unwrap());
                let mut head = String::new();
                while stream.read_line(&mut head).is_ok_and(|it| it > 2) {}
                let length = head
                    .to_lowercase()
                    .lines()
                    .find_map(|it| it.strip_prefix("content-length: ")?.parse().ok());
                std::io::copy(&mut stream.by_ref().take(length.unwrap_or(0)), &mut std::io::sink()).unwrap();
                let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                let answer = answer(&path, &head);
                record.lock().unwrap().push(head);
                let _gone = stream.get_mut().write_all(&answer);
            }
        });
        Self { url, heads }
    }

    /// Returns the paths that were asked for, each with `+` where it came with a token.
    pub(crate) fn asked(&self) -> String {
        let heads = self.heads.lock().unwrap();
        let shown = |head: &String| {
            let has_token = head.to_lowercase().contains("authorization:");
            format!("{}{}", head.split(' ').nth(1).unwrap_or_default(), if has_token { "+" } else { "" })
        };
        heads.iter().map(shown).collect::<Vec<_>>().join(" ")
    }
}

/// Returns an answer.
pub(crate) fn answer(status: &str, header: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{header}content-length: {length}\r\nconnection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}

fn redirect_to(url: &str) -> Vec<u8> {
    answer("302 Found", &format!("location: {url}\r\n"), b"")
}

#[test]
fn a_token_does_not_leave_its_origin() {
    let other = Server::new(|_| answer("200 OK", "", b"elsewhere"));
    let elsewhere = other.url.to_string();
    let server = Server::new(move |path| match path {
        "/away" => redirect_to(&elsewhere),
        "/near" => redirect_to("/here"),
        _ => answer("200 OK", "", b"here"),
    });
    let token = Token::new("secret", &server.url);
    let get = |path: &str| Client::new().get(&server.url.join(path).unwrap(), Some(&token), "*/*", 100);
    assert_eq!(get("near").unwrap().body, b"here");
    assert_eq!(get("away").unwrap().body, b"elsewhere");
    assert_eq!(server.asked(), "/near+ /here+ /away+");
    assert_eq!(other.asked(), "/");
    assert!(!format!("{token:?}").contains("secret"));
}

#[test]
fn redirects_end_and_stay_encrypted() {
    let server = Server::new(|path| match path {
        "/loop" => redirect_to("/loop"),
        "/file" => redirect_to("file:///etc/passwd"),
        _ => redirect_to(""),
    });
    for path in ["loop", "file", "nowhere"] {
        let error = Client::new().get(&server.url.join(path).unwrap(), None, "*/*", 100).unwrap_err();
        assert!(error.message.contains("it redirects"), "{error}");
    }
    assert!(Client::new().put(&server.url.join("loop").unwrap(), None, "{}".to_owned()).is_err());
    let https = Url::parse("https://x.example/").unwrap();
    let response = Response::builder().status(302).header("location", "http://x.example/");
    let response = response.body(ureq::Body::builder().data("")).unwrap();
    assert!(redirect(&https, &response).is_err());
}

#[test]
fn answers_are_bounded() {
    let server = Server::new(|path| match path {
        "/large" => answer("200 OK", "", &[0; 101]),
        "/endless" => [b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".as_slice(), &[0; 5_000]].concat(),
        "/short" => b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\nconnection: close\r\n\r\nshort".to_vec(),
        _ => b"what".to_vec(),
    });
    for (path, says) in [
        ("large", "its answer has more than 100 bytes"),
        ("endless", "its answer has more than 100 bytes"),
        ("short", ""),
        ("broken", ""),
    ] {
        let error = Client::new().get(&server.url.join(path).unwrap(), None, "*/*", 100).unwrap_err();
        assert!(error.message.contains(says), "{path}: {error}");
    }
}

#[test]
fn a_server_that_never_finishes_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    let (kept, held) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for (index, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            if index > 0 {
                let _gone = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nslow");
            }
            let _ended = kept.send(stream); // it stays open
        }
    });
    let client = Client::with_timeout(Duration::from_millis(300));
    for _ in ["the head", "the body"] {
        let error = client.get(&url, None, "*/*", 100).unwrap_err();
        assert!(error.message.contains("too long") || error.message.contains("timeout"), "{error}");
    }
    drop(held);
}

#[test]
fn downloads_are_reported() {
    let server = Server::new(|_| answer("200 OK", "", &[7; 200_000]));
    let reports = Arc::new(Mutex::new(Vec::new()));
    let record = Arc::clone(&reports);
    let client =
        Client::reporting(Some(Arc::new(move |it: &Download| record.lock().unwrap().push(it.clone()))));
    let url = server.url.join("a.tgz?token=secret").unwrap();
    assert_eq!(client.get(&url, None, "*/*", 1 << 20).unwrap().body.len(), 200_000);
    let reports = reports.lock().unwrap();
    assert!(reports.len() > 1 && reports.is_sorted_by(|a, b| a.received < b.received), "{reports:?}");
    let last = reports.last().unwrap();
    assert_eq!((last.received, last.total), (200_000, Some(200_000)));
    assert!(!last.url.contains("secret"), "{last:?}");
}
