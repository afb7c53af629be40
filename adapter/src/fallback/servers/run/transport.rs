//! Transport between async-lsp and a server: a reader that drops invalid messages, and a writer that never blocks.
//!
//! async-lsp ends at the first message that it cannot decode, such as a stray line on standard output. It also
//! writes inline: a server that does not read while it writes would deadlock both sides.

use std::borrow::Cow;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use futures::io::{AsyncBufRead, AsyncWrite};
use futures::{TryStreamExt, stream};
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

/// The maximum size of a message, in bytes.
const MESSAGE_LIMIT: usize = 512 * 1024 * 1024;

/// Returns a writer that never blocks; a task writes to `sink`, which is closed with the writer.
pub(crate) fn unbounded_writer(
    mut sink: impl tokio::io::AsyncWrite + Unpin + Send + 'static,
) -> impl AsyncWrite + Send {
    let (sender, mut receiver) = mpsc::unbounded_channel::<Vec<u8>>();
    tokio::spawn(async move {
        while let Some(bytes) = receiver.recv().await {
            if sink.write_all(&bytes).await.and(sink.flush().await).is_err() {
                return;
            }
        }
    });
    UnboundedWriter(sender)
}

struct UnboundedWriter(mpsc::UnboundedSender<Vec<u8>>);

impl AsyncWrite for UnboundedWriter {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let sent = self.0.send(bytes.to_owned());
        Poll::Ready(sent.map(|()| bytes.len()).map_err(|_| io::ErrorKind::BrokenPipe.into()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Passes the valid messages of a server on, framed again and counted. Invalid ones are logged.
pub(crate) fn valid_messages(
    source: impl tokio::io::AsyncRead + Unpin + Send + 'static,
    passed: Arc<AtomicU64>,
) -> impl AsyncBufRead + Send {
    let messages = stream::unfold((BufReader::new(source), passed), async |(mut source, passed)| {
        let framed = next_valid(&mut source).await?;
        passed.fetch_add(1, Ordering::Relaxed);
        Some((Ok(framed), (source, passed)))
    });
    // Polled where messages are read: a task in between would cost a switch of threads for each.
    Box::pin(messages).into_async_read()
}

/// Returns the next valid message in a frame of its own; `None` at the end.
async fn next_valid(source: &mut BufReader<impl tokio::io::AsyncRead + Unpin>) -> Option<Vec<u8>> {
    loop {
        match next_body(source).await {
            Ok(Some(body)) if is_valid(&body) => {
                let mut framed = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
                framed.extend(body);
                return Some(framed);
            }
            Ok(Some(body)) => {
                let start = String::from_utf8_lossy(&body[..body.len().min(200)]).into_owned();
                tracing::warn!(start, "a language server sent a message that is none");
            }
            Ok(None) => return None,
            Err(error) => {
                tracing::debug!(%error, "a language server's output ends");
                return None;
            }
        }
    }
}

/// Reads the headers, with any line end and after any stray text, and then the body; `None` at the end.
async fn next_body(source: &mut BufReader<impl tokio::io::AsyncRead + Unpin>) -> io::Result<Option<Vec<u8>>> {
    let (mut line, mut length) = (Vec::new(), None);
    loop {
        line.clear();
        if (&mut *source).take(64 * 1024).read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        match (text.trim(), length) {
            ("", Some(length)) => return read_exactly(source, length).await.map(Some),
            ("", None) => {}
            (header, _) => length = content_length(header).or(length),
        }
    }
}

fn content_length(header: &str) -> Option<usize> {
    let (name, value) = header.split_once(':')?;
    // Behind a stray line without a break the header is still at the end of the line.
    let is_length = name.to_ascii_lowercase().ends_with("content-length");
    is_length.then(|| value.trim().parse().ok()).flatten()
}

async fn read_exactly(
    source: &mut (impl tokio::io::AsyncRead + Unpin),
    length: usize,
) -> io::Result<Vec<u8>> {
    if length > MESSAGE_LIMIT {
        return Err(io::Error::other(format!("a message of {length} bytes")));
    }
    let mut body = Vec::new();
    // Grows with what arrives: a length alone allocates nothing.
    if source.take(length as u64).read_to_end(&mut body).await? < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(body)
}

/// The messages that async-lsp can decode: requests, notifications, and responses to its own requests.
#[derive(Deserialize)]
struct Shape<'a> {
    jsonrpc: Option<&'a str>,
    id: Option<Id>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    error: Option<ErrorShape>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Number(#[expect(dead_code, reason = "its being one is what matters")] i32),
    String(#[expect(dead_code, reason = "its being one is what matters")] String),
}

#[derive(Deserialize)]
struct ErrorShape {
    #[expect(dead_code, reason = "its being a number is what matters")]
    code: i32,
    #[expect(dead_code, reason = "its being text is what matters")]
    message: String,
}

fn is_valid(body: &[u8]) -> bool {
    let Ok(shape) = serde_json::from_slice::<Shape<'_>>(body) else { return false };
    let is_one = shape.method.is_some() || shape.id.is_some();
    // A request whose error is set would be taken for neither.
    shape.jsonrpc == Some("2.0") && is_one && !(shape.method.is_some() && shape.error.is_some())
}

#[cfg(test)]
mod tests {
    use futures::AsyncReadExt as _;

    use super::*;

    async fn passed(input: &'static [u8]) -> String {
        let mut output = String::new();
        Box::pin(valid_messages(input, Arc::default())).read_to_string(&mut output).await.unwrap();
        output.replace("\r\n\r\n", " ")
    }

    #[tokio::test]
    async fn sound_messages_pass() {
        let input = b"Content-Length: 38\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}";
        assert_eq!(
            passed(input).await.as_bytes(),
            b"Content-Length: 38 {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}"
        );
    }

    #[tokio::test]
    async fn odd_frames_are_read_all_the_same() {
        let input = b"starting up...\n\nContent-Type: x\ncontent-length:32\n\n{\"jsonrpc\":\"2.0\",\"method\":\"x/y\"}";
        assert_eq!(passed(input).await, "Content-Length: 32 {\"jsonrpc\":\"2.0\",\"method\":\"x/y\"}");
    }

    #[test]
    fn messages_that_would_end_the_loop_do_not_pass() {
        for body in [
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"result":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}"#,
            r#"{"id":1,"result":1}"#,
            r#"{"jsonrpc":"2.0"}"#,
            r#"[{"jsonrpc":"2.0","method":"x"}]"#,
            "not json",
        ] {
            assert!(!is_valid(body.as_bytes()), "{body}");
        }
        for body in [
            r#"{"jsonrpc":"2.0","id":"x","method":"a/b","params":null}"#,
            r#"{"jsonrpc":"2.0","method":"$/progress","params":{"token":1,"value":2}}"#,
            r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32801,"message":"content modified"}}"#,
        ] {
            assert!(is_valid(body.as_bytes()), "{body}");
        }
    }
}
