//! Runs a WebSocket connection.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use restwright_core::http::EndReason;
use restwright_core::runtime::{CatchPanic, LocalBoxFuture, log};
use restwright_core::{Problem, Result, StopSignal};
use tokio::time::{Instant, Sleep, sleep};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::connection::{Phase, WebSocketConnection};

/// The time between two pings.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The number of heartbeats without a sign of life after which a client is lost.
const SILENT: u32 = 2;

/// The number of heartbeats in which a message must be complete.
const INCOMPLETE: u32 = 4;

/// The time in which the client must reply to a close frame.
const CLOSE_REPLY: Duration = Duration::from_secs(5);

/// The time in which the application must end after the connection is closed.
const APPLICATION_END: Duration = Duration::from_secs(10);

/// Runs a connection until it is closed and the application has ended. The connection closes when the application ends
/// or the server begins to stop.
pub(crate) async fn run(
    connection: Rc<WebSocketConnection>,
    application: LocalBoxFuture<'static, Result<()>>,
    stop: StopSignal,
) {
    let mut driver = ConnectionDriver::new(&connection, stop);
    let mut application = CatchPanic::new(|| application).ok();
    let mut application_end = None;
    poll_fn(|context| {
        let is_ended = driver.poll(context).is_ready();
        if let Some(running) = &mut application
            && let Poll::Ready(outcome) = Pin::new(running).poll(context)
        {
            application = None;
            close_after(&connection, outcome);
        }
        if application.is_some() && connection.state().phase() != Phase::Open {
            let end = application_end.get_or_insert_with(|| Box::pin(sleep(APPLICATION_END)));
            if end.as_mut().poll(context).is_ready() {
                log(|| tracing::warn!("a WebSocket handler was dropped 10 seconds after its connection was closed"));
                application = None;
            }
        }
        if is_ended && application.is_none() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    let (received, sent) = connection.state().counts;
    log(|| tracing::debug!(received, sent, "a WebSocket connection ended"));
}

/// Closes the connection after the application has ended. A client that is already gone is no error.
fn close_after(connection: &WebSocketConnection, outcome: Result<()>) {
    let mut state = connection.state();
    if state.phase() != Phase::Open {
        return;
    }
    match outcome {
        Ok(()) => state.close(CloseCode::Normal, ""),
        Err(problem) if problem.status().is_server_error() => {
            log(|| tracing::error!(cause = ?problem, "a WebSocket handler failed"));
            state.close(CloseCode::Error, "internal error");
        }
        Err(problem) => state.close(CloseCode::Policy, problem.code()),
    }
}

/// Reads and writes the socket of a connection, sends pings, and detects lost clients.
struct ConnectionDriver<'a> {
    connection: &'a WebSocketConnection,
    stopping: LocalBoxFuture<'static, ()>,
    /// The timer of the heartbeat, and after a close frame the timer of its reply.
    timer: Pin<Box<Sleep>>,
    /// The timer until the client may send its next message.
    pause: Option<Pin<Box<Sleep>>>,
    closes: bool,
    /// The signs of life of the client at the last heartbeat.
    signs_of_life: u64,
    silent: u32,
    /// The number of the message that was incomplete at the last heartbeat.
    begun: Option<u64>,
    /// The number of heartbeats at which this message was incomplete.
    incomplete: u32,
}

impl<'a> ConnectionDriver<'a> {
    fn new(connection: &'a WebSocketConnection, stop: StopSignal) -> Self {
        Self {
            connection,
            stopping: Box::pin(async move { stop.stopping().await }),
            timer: Box::pin(sleep(HEARTBEAT)),
            pause: None,
            closes: false,
            signs_of_life: 0,
            silent: 0,
            begun: None,
            incomplete: 0,
        }
    }

    /// Drives the connection. Returns `Ready` after it has ended.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.connection.state().phase() == Phase::Ended {
            return Poll::Ready(());
        }
        if self.connection.state().phase() == Phase::Open && self.stopping.as_mut().poll(context).is_ready() {
            self.connection.state().close(CloseCode::Away, "the server is stopping");
        }
        self.end_in_time(context);
        while self.timer.as_mut().poll(context).is_ready() {
            self.beat(context);
            self.timer.as_mut().reset(Instant::now() + HEARTBEAT);
        }
        self.transfer(context);
        if self.connection.state().phase() != Phase::Open && !std::mem::replace(&mut self.closes, true) {
            self.timer.as_mut().reset(Instant::now() + CLOSE_REPLY);
            // Registers the timer.
            context.waker().wake_by_ref();
        }
        if self.connection.state().phase() == Phase::Ended { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Closes the connection if the credentials of the client have expired, or if it has reached its maximum age.
    fn end_in_time(&self, context: &mut Context<'_>) {
        let mut state = self.connection.state();
        if state.phase() != Phase::Open {
            return;
        }
        let Poll::Ready(reason) = state.stream().poll_end(context) else { return };
        match reason {
            EndReason::CredentialsExpired => state.close(CloseCode::Policy, "the credentials have expired"),
            _ => state.close(CloseCode::Away, "the connection has reached its maximum age"),
        }
    }

    /// Writes and reads until the socket, the application or the rate limit is the reason to wait.
    fn transfer(&mut self, context: &mut Context<'_>) {
        let mut state = self.connection.state();
        state.set_driver(context);
        // A client that reads nothing is not read either, so its pings need no memory.
        while state.poll_flush(context) == Poll::Ready(true) {
            match state.phase() {
                Phase::Failed => state.end(),
                Phase::Ended => return,
                Phase::Open if state.is_full() => return,
                Phase::Open | Phase::Closing => {}
            }
            if let Some(wait) = state.allowance().wait() {
                let pause = self.pause.insert(Box::pin(sleep(wait)));
                if pause.as_mut().poll(context).is_pending() {
                    return;
                }
            }
            if state.poll_read(context).is_pending() && !state.shrink() {
                return;
            }
            state.set_driver(context);
        }
    }

    /// Sends a ping, and ends the connection if the client is lost or does not complete a message.
    fn beat(&mut self, context: &mut Context<'_>) {
        let mut state = self.connection.state();
        if self.closes {
            return state.end();
        }
        let is_paused = state.is_full() || state.allowance().wait().is_some();
        let signs = state.stream().signs_of_life();
        self.silent = if is_paused || signs != self.signs_of_life { 0 } else { self.silent + 1 };
        self.signs_of_life = signs;
        // The rate limit does not extend the time of a message, because only control frames can arrive inside of it.
        let begun = if state.is_full() { None } else { state.stream().incomplete() };
        let is_same = begun.is_some() && begun == self.begun;
        self.incomplete = if is_same { self.incomplete + 1 } else { u32::from(begun.is_some()) };
        self.begun = begun;
        if self.incomplete >= INCOMPLETE {
            state.close(CloseCode::Policy, "the message took too long");
        } else if self.silent >= SILENT {
            log(|| tracing::debug!("a WebSocket client is silent"));
            state.end();
        } else {
            state.ping(context);
        }
    }
}

/// Creates the error of a message to a closed connection. It is not logged, because the connection is closed.
pub(crate) fn closed() -> Problem {
    Problem::internal("the WebSocket connection is closed")
}

#[cfg(test)]
mod tests {
    use restwright_core::http::Upgraded;
    use restwright_core::runtime::MemoryAccount;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use std::task::Waker;

    use tokio_tungstenite::tungstenite::Message;

    use super::*;
    use crate::message_rate::MessageRate;

    /// Runs a connection, and returns the bytes of the server and the seconds until the connection has ended.
    async fn exchange(sent: &[u8], application: LocalBoxFuture<'static, Result<()>>) -> (Vec<u8>, u64) {
        let (mut client, server): (DuplexStream, DuplexStream) = duplex(64 * 1024);
        let stream = Upgraded::new(server, MemoryAccount::new(usize::MAX).share());
        let connection = Rc::new(WebSocketConnection::new(stream, 1_000, MessageRate::default()).await);
        client.write_all(sent).await.unwrap();
        let begin = Instant::now();
        let client = async {
            let mut received = Vec::new();
            let _ = client.read_to_end(&mut received).await;
            received
        };
        let ((), received) = tokio::join!(run(connection, application, StopSignal::default()), client);
        (received, begin.elapsed().as_secs())
    }

    /// Returns the close frame of the server.
    fn close(code: u16, reason: &str) -> Vec<u8> {
        let length = u8::try_from(reason.len() + 2).unwrap();
        [&[0x88, length][..], &code.to_be_bytes(), reason.as_bytes()].concat()
    }

    const PING: [u8; 2] = [0x89, 0];

    fn waits() -> LocalBoxFuture<'static, Result<()>> {
        Box::pin(std::future::pending())
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_must_close_within_5_seconds() {
        assert_eq!(exchange(&[], Box::pin(async { Ok(()) })).await, (close(1000, ""), 5));
        // The client closes with the code 1000.
        let replied = exchange(&[0x88, 0x82, 0, 0, 0, 0, 3, 0xe8], Box::pin(async { Ok(()) })).await;
        assert_eq!(replied, (close(1000, ""), 0));
    }

    #[tokio::test(start_paused = true)]
    async fn an_application_must_end_within_10_seconds() {
        assert_eq!(exchange(&[0x88, 0x82, 0, 0, 0, 0, 3, 0xe8], waits()).await, (close(1000, ""), 10));
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_client_is_lost_after_two_pings() {
        // The application is dropped 10 seconds later.
        assert_eq!(exchange(&[], waits()).await, (PING.to_vec(), 40));
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_slowly_stays() {
        let (mut client, server) = duplex(1_000);
        let stream = Upgraded::new(server, MemoryAccount::new(usize::MAX).share());
        let connection = Rc::new(WebSocketConnection::new(stream, 1_000, MessageRate::default()).await);
        let sender = connection.clone();
        let application = Box::pin(async move {
            let mut message = Some(Message::binary(vec![7; 100_000]));
            let is_sent = poll_fn(|context| sender.poll_begin_send(&mut message, context)).await
                && poll_fn(|context| sender.poll_sent(context)).await;
            assert!(is_sent);
            Ok(())
        });
        let reads = async {
            let (mut received, mut buffer) = (0, [0; 1_000]);
            while let Ok(count @ 1..) = client.read(&mut buffer).await {
                received += count;
                tokio::time::sleep(Duration::from_secs(2)).await;
            }
            received
        };
        let ((), received) = tokio::join!(run(connection, application, StopSignal::default()), reads);
        assert!(received > 100_000, "{received}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_complete_message_is_not_in_the_account_of_memory() {
        let account = MemoryAccount::new(4_000);
        let (mut client, server) = duplex(64 * 1024);
        let connection =
            WebSocketConnection::new(Upgraded::new(server, account.share()), 1_000, MessageRate::default()).await;
        let connection = Rc::new(connection);
        let sends = async {
            // A text of 101 bytes, whose last byte comes later.
            client.write_all(&[&[0x81, 0xe5, 0, 0, 0, 0][..], &[b'x'; 100]].concat()).await.unwrap();
            tokio::time::sleep(Duration::from_secs(1)).await;
            // The application has not taken the next message, so the driver does not read.
            client.write_all(&[b'x', 0x81, 0x81, 0, 0, 0, 0, b'y']).await.unwrap();
            tokio::time::sleep(Duration::from_secs(1)).await;
            // Another client uses the whole account while the application works.
            let other = account.share();
            assert!(other.hold(2_950, 1_000_000, &Context::from_waker(Waker::noop())));
            drop(other);
            tokio::time::sleep(Duration::from_secs(9)).await;
            client.write_all(&[0x81, 0x81, 0, 0, 0, 0, b'z']).await.unwrap();
            let mut received = Vec::new();
            let _ = client.read_to_end(&mut received).await;
            received
        };
        let receiver = connection.clone();
        let application = Box::pin(async move {
            assert!(poll_fn(|context| receiver.poll_receive(context)).await.is_some());
            tokio::time::sleep(Duration::from_secs(5)).await;
            for _ in 0..2 {
                assert!(poll_fn(|context| receiver.poll_receive(context)).await.is_some(), "it was abandoned");
            }
            Ok(())
        });
        let ((), received) = tokio::join!(run(connection, application, StopSignal::default()), sends);
        assert_eq!(received, close(1000, ""), "the connection was not abandoned");
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_must_be_complete_within_60_seconds() {
        let (mut client, server) = duplex(64 * 1024);
        let stream = Upgraded::new(server, MemoryAccount::new(usize::MAX).share());
        let connection = Rc::new(WebSocketConnection::new(stream, 1_000, MessageRate::default()).await);
        let begin = Instant::now();
        let slow = async {
            // A text of 100 bytes, one byte per second.
            client.write_all(&[0x81, 0xe4, 0, 0, 0, 0]).await.unwrap();
            while client.write_all(b"x").await.is_ok() {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            begin.elapsed().as_secs()
        };
        let reads = run(connection, waits(), StopSignal::default());
        let ((), lasted) = tokio::join!(reads, slow);
        assert!((60..=76).contains(&lasted), "{lasted} s");
    }
}
