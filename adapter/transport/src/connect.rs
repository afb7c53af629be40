//! The connection as the SDK sees it.

use std::io::{Stdin, Stdout};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};

use agent_client_protocol::{Channel, ConnectTo, ConnectionDriver, Error, Role, TransportFrame};
use blocking::Unblock;
use futures::channel::{mpsc, oneshot};
use futures::future::{Either, select};
use futures::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, FutureExt, StreamExt};

use crate::judge::{Verdict, judge};
use crate::limits::LONGEST_LINE;
use crate::split::Splitter;
use crate::{frame, surrogate};

/// The number of bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// A connection over a pair of byte streams, with one message on each line. A broken line does not end it.
#[derive(Debug)]
pub struct Transport<Out, In> {
    outgoing: Out,
    incoming: In,
}

impl<Out, In> Transport<Out, In>
where
    Out: AsyncWrite + Send + 'static,
    In: AsyncRead + Send + 'static,
{
    /// Creates a connection that writes to `outgoing` and reads from `incoming`.
    pub fn new(outgoing: Out, incoming: In) -> Self {
        Self { outgoing, incoming }
    }

    /// Returns the channel for the user of the connection, the future that drives it, and a handle. The handle
    /// makes it write what is left and end.
    fn start(
        self,
    ) -> (Channel, impl Future<Output = Result<(), Error>> + Send + 'static, oneshot::Sender<()>) {
        let (theirs, ours) = Channel::duplex();
        let (finish, finished) = oneshot::channel();
        (theirs, serve(self, ours, finished), finish)
    }
}

/// Returns the connection over standard input and output. Reading and writing have threads of their own, so neither
/// waits for a computing thread.
pub fn stdio() -> Transport<Unblock<Stdout>, Unblock<Stdin>> {
    Transport::new(Unblock::new(std::io::stdout()), Unblock::new(std::io::stdin()))
}

impl<Out, In, R: Role> ConnectTo<R> for Transport<Out, In>
where
    Out: AsyncWrite + Send + 'static,
    In: AsyncRead + Send + 'static,
{
    async fn connect_to(self, client: impl ConnectTo<R::Counterpart>) -> Result<(), Error> {
        let (channel, serving, finish) = self.start();
        let speaking = pin!(ConnectTo::<R>::connect_to(channel, client));
        match select(speaking, pin!(serving)).await {
            Either::Left((spoken, serving)) => {
                spoken?;
                let _ = finish.send(()); // it may have ended meanwhile
                serving.await
            }
            Either::Right((served, _)) => served,
        }
    }

    fn into_channel_and_future(self) -> (Channel, Option<ConnectionDriver>) {
        let (channel, serving, finish) = self.start();
        let driver = ConnectionDriver::with_finish(serving, move || {
            let _ = finish.send(()); // it may have ended meanwhile
        });
        (channel, Some(driver))
    }
}

/// Copies both ways until both sides have ended, or until everything is written after `finished`.
async fn serve<Out, In>(
    transport: Transport<Out, In>,
    channel: Channel,
    finished: oneshot::Receiver<()>,
) -> Result<(), Error>
where
    Out: AsyncWrite + Send + 'static,
    In: AsyncRead + Send + 'static,
{
    let (frames, deliver) = channel.into_parts();
    let (answer, answers) = mpsc::unbounded();
    let is_finishing = AtomicBool::new(false);
    let writing = pin!(write(transport.outgoing, frames, answers, finished, &is_finishing));
    let reading = pin!(read(transport.incoming, deliver, answer, &is_finishing));
    match select(writing, reading).await {
        Either::Left((written, reading)) => {
            written?;
            match is_finishing.load(Ordering::Acquire) {
                true => Ok(()), // nobody receives what is still unread
                false => reading.await,
            }
        }
        Either::Right((read, writing)) => {
            read?;
            writing.await
        }
    }
}

async fn read(
    incoming: impl AsyncRead,
    deliver: mpsc::UnboundedSender<TransportFrame>,
    answer: mpsc::UnboundedSender<String>,
    is_finishing: &AtomicBool,
) -> Result<(), Error> {
    let mut incoming = pin!(incoming);
    let (mut chunk, mut splitter, mut lines) = (vec![0; CHUNK], Splitter::new(LONGEST_LINE), Vec::new());
    let hear = |verdict| match verdict {
        Verdict::Deliver(frame) => match deliver.unbounded_send(frame) {
            Err(error) if !is_finishing.load(Ordering::Acquire) => Err(Error::into_internal_error(error)),
            _ => Ok(()),
        },
        Verdict::Answer(line) => {
            let _ = answer.unbounded_send(line); // nothing is written any more
            Ok(())
        }
        Verdict::Nothing => Ok(()),
    };
    loop {
        match incoming.read(&mut chunk).await.map_err(Error::into_internal_error)? {
            0 => break,
            length => splitter.push(&chunk[..length], |line| lines.push(line)),
        }
        lines.drain(..).map(judge).try_for_each(hear)?;
    }
    splitter.end().map_or(Ok(()), |line| hear(judge(line)))
}

async fn write(
    outgoing: impl AsyncWrite,
    mut frames: mpsc::UnboundedReceiver<TransportFrame>,
    mut answers: mpsc::UnboundedReceiver<String>,
    mut finished: oneshot::Receiver<()>,
    is_finishing: &AtomicBool,
) -> Result<(), Error> {
    let mut outgoing = pin!(outgoing);
    let mut can_finish = true;
    loop {
        let line = tokio::select! {
            frame = frames.next() => match frame {
                Some(frame) => surrogate::reveal(frame::write(&frame)?),
                None => break,
            },
            Some(answer) = answers.next() => surrogate::reveal(answer),
            asked = &mut finished, if can_finish => {
                can_finish = false;
                if asked.is_ok() { // dropping the handle is no request to end
                    is_finishing.store(true, Ordering::Release);
                    frames.close();
                }
                continue;
            }
        };
        write_line(outgoing.as_mut(), line).await.map_err(Error::into_internal_error)?;
    }
    while let Some(Some(answer)) = answers.next().now_or_never() {
        write_line(outgoing.as_mut(), surrogate::reveal(answer)).await.map_err(Error::into_internal_error)?;
    }
    outgoing.close().await.map_err(Error::into_internal_error)
}

async fn write_line(mut outgoing: impl AsyncWrite + Unpin, mut line: String) -> std::io::Result<()> {
    line.push('\n');
    outgoing.write_all(line.as_bytes()).await?;
    outgoing.flush().await
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::{Agent, Builder, Client, RawJsonRpcMessage, UntypedMessage};
    use futures::TryStreamExt;
    use futures::io::Cursor;
    use serde_json::json;

    use super::*;

    fn frame(n: u32) -> TransportFrame {
        TransportFrame::Single(RawJsonRpcMessage::notification("n".to_owned(), json!({"n": n})).unwrap())
    }

    /// A writer that keeps what is written.
    #[derive(Clone, Default)]
    struct Kept(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

    impl AsyncWrite for Kept {
        fn poll_write(
            self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
            bytes: &[u8],
        ) -> std::task::Poll<std::io::Result<usize>> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            std::task::Poll::Ready(Ok(bytes.len()))
        }

        fn poll_flush(
            self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<std::io::Result<()>> {
            std::task::Poll::Ready(Ok(()))
        }

        fn poll_close(
            self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<std::io::Result<()>> {
            std::task::Poll::Ready(Ok(()))
        }
    }

    #[test]
    fn lines_between_broken_ones_are_delivered_in_order() {
        let (kept, lines) = (
            Kept::default(),
            b"\xff\n{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n{\n\n{\"jsonrpc\":\"2.0\",\"method\":\"b\"}",
        );
        let transport = Transport::new(kept.clone(), Cursor::new(lines));
        let (channel, driver) = ConnectTo::<Client>::into_channel_and_future(transport);
        let (mut heard, sent) = channel.into_parts();
        sent.unbounded_send(frame(1)).unwrap();
        let all = async {
            let mut methods = Vec::new();
            while let Some(TransportFrame::Single(RawJsonRpcMessage::Notification(it))) = heard.next().await {
                methods.push(it.method.to_string());
            }
            drop(sent);
            methods
        };
        let (methods, driven) =
            futures::executor::block_on(async { futures::join!(all, driver.expect("it has work")) });
        driven.unwrap();
        assert_eq!(methods, ["a", "b"]);
        let written = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        let parse_errors = written.lines().filter(|it| it.contains("-32700")).count();
        assert_eq!((written.lines().count(), parse_errors), (3, 2), "{written}");
    }

    #[test]
    fn what_was_sent_before_the_end_is_written_although_input_stays_open() {
        let kept = Kept::default();
        let (_open, never) = futures::channel::mpsc::unbounded::<std::io::Result<Vec<u8>>>();
        let transport = Transport::new(kept.clone(), never.into_async_read());
        let speaking = Builder::new(Client).connect_with(transport, async |connection| {
            (0..100).try_for_each(|n| {
                let message = UntypedMessage { method: "n".to_owned(), params: json!({"n": n}) };
                connection.send_notification_to(Agent, message)
            })
        });
        futures::executor::block_on(speaking).unwrap();
        assert_eq!(kept.0.lock().unwrap().iter().filter(|it| **it == b'\n').count(), 100);
    }
}
