//! A bound for the messages of a client: the library would reserve as much memory as their headers ask for.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::AsyncRead;

/// The maximum length of a message in bytes. The largest document fits with every byte escaped.
const LONGEST_MESSAGE: u64 = 64 << 20;

/// The maximum length of the headers of a message in bytes.
const LONGEST_HEADERS: usize = 4 << 10;

/// The name of the header with the length, in small letters.
const LENGTH: &str = "content-length:";

/// A stream of messages whose headers are checked before anybody reads them.
pub(crate) struct Bounded<R> {
    stream: Pin<Box<R>>,
    position: Position,
}

/// A place in a stream of messages.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Position {
    /// Within the headers, of which these bytes were read.
    Headers(Vec<u8>),
    /// Within a body, before so many bytes of it.
    Body(u64),
}

impl<R: AsyncRead> Bounded<R> {
    pub(crate) fn new(stream: R) -> Self {
        Self { stream: Box::pin(stream), position: Position::Headers(Vec::new()) }
    }
}

impl<R: AsyncRead> AsyncRead for Bounded<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        let Poll::Ready(read) = self.stream.as_mut().poll_read(context, buffer)? else {
            return Poll::Pending;
        };
        Poll::Ready(self.position.pass(&buffer[..read]).map(|()| read))
    }
}

impl Position {
    /// Moves behind some bytes.
    ///
    /// # Errors
    /// Headers are too long, or announce a message that is.
    fn pass(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self {
                Self::Body(left) => {
                    let passed = bytes.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                    bytes = &bytes[passed..];
                    *left -= passed as u64;
                    if *left == 0 {
                        *self = Self::Headers(Vec::new());
                    }
                }
                Self::Headers(headers) => {
                    headers.push(bytes[0]);
                    bytes = &bytes[1..];
                    if headers.len() > LONGEST_HEADERS {
                        return Err(refused(format!("headers of more than {LONGEST_HEADERS} bytes")));
                    }
                    if headers.ends_with(b"\r\n\r\n") {
                        *self = Self::after_headers(headers)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the place behind these headers. Headers without a length are refused by whoever reads them.
    fn after_headers(headers: &[u8]) -> io::Result<Self> {
        let headers = String::from_utf8_lossy(headers).to_ascii_lowercase();
        let values = headers.lines().filter_map(|line| line.trim().strip_prefix(LENGTH));
        let mut longest = 0;
        for value in values {
            match value.trim().parse::<u64>() {
                Ok(length) if length <= LONGEST_MESSAGE => longest = longest.max(length),
                _ => {
                    let message = format!("a message of{value} bytes; at most {LONGEST_MESSAGE} are read");
                    return Err(refused(message));
                }
            }
        }
        Ok(if longest == 0 { Self::Headers(Vec::new()) } else { Self::Body(longest) })
    }
}

fn refused(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use futures::{AsyncReadExt, io::Cursor};
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let mut all = Vec::new();
        let mut stream = Bounded::new(Cursor::new(bytes));
        block_on(stream.read_to_end(&mut all)).map(|_| all).map_err(|error| error.to_string())
    }

    #[test]
    fn messages_that_are_too_long_are_refused_before_their_headers_are_read() {
        for length in ["99999999999", "67108865", "-1", "18446744073709551616", "many", ""] {
            for name in ["Content-Length", "content-LENGTH"] {
                let bytes = format!("Content-Length: 2\r\n\r\n{{}}X-Other: 1\r\n{name}: {length}\r\n\r\n");
                let error = read(bytes.as_bytes()).unwrap_err();
                assert!(error.ends_with("at most 67108864 are read"), "{length}: {error}");
            }
        }
        let twice = "Content-Length: 2\r\nContent-Length: 99999999999\r\n\r\n{}";
        assert!(read(twice.as_bytes()).is_err());
        let endless = "X: ".to_owned() + &"x".repeat(5_000);
        assert_eq!(read(endless.as_bytes()), Err("headers of more than 4096 bytes".to_owned()));
    }

    proptest! {
        /// Bodies may look like headers, and bytes come in any portions.
        #[test]
        fn other_messages_pass(bodies in prop::collection::vec("[a-z\r\n]{0,40}|Content-Length: 99999999999\r\n\r\n", 0..6), cut in 1_usize..40) {
            let stream: String = bodies.iter().map(|it| format!("Content-Length: {}\r\n\r\n{it}", it.len())).collect();
            prop_assert_eq!(read(stream.as_bytes()), Ok(stream.clone().into_bytes()));
            let mut position = Position::Headers(Vec::new());
            for portion in stream.as_bytes().chunks(cut) {
                prop_assert!(position.pass(portion).is_ok());
            }
            prop_assert_eq!(position, Position::Headers(Vec::new()));
        }
    }
}
