//! Calls over loopback HTTP, as peers make them: `POST /next` with a token, and a number as the body.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Serves each connection; returns the port.
pub(crate) fn serve() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || answer(&stream));
        }
    });
    port
}

fn answer(stream: &TcpStream) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let (mut reader, mut writer) = (BufReader::new(stream), stream);
    loop {
        let (mut length, mut is_allowed) = (0, false);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            is_allowed |= line.strip_prefix("authorization: bearer ") == Some(TOKEN);
            length = line.strip_prefix("content-length: ").map_or(length, |it| it.parse().unwrap_or(0));
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        assert!(is_allowed, "the program knows the token");
        let given: u64 = serde_json::from_slice(&body).ok()?;
        let said = (given + 1).to_string();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ";
        writer.write_all(format!("{head}{}\r\n\r\n{said}", said.len()).as_bytes()).ok()?;
    }
}
