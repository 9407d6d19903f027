//! Defines [`WebSocketConnection`], which the driver and the application share.

use std::cell::{RefCell, RefMut};
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use bytes::Bytes;
use futures_util::{FutureExt, Sink, Stream};
use restwright_core::http::Upgraded;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message, error::ProtocolError};

use crate::counted_stream::{CountedStream, SharedStream};
use crate::message_rate::{Allowance, MessageRate};

/// The size of the read buffer in bytes. A larger message grows the buffer, and the connection drops it afterwards.
const READ_BUFFER: usize = 4 * 1024;

/// The maximum number of times that a message to send gives other tasks a turn, so abandoned clients release their memory.
const MOST_TURNS: u8 = 32;

/// The maximum length of a close reason in bytes (RFC 6455, section 5.5).
const LONGEST_REASON: usize = 123;

/// A WebSocket connection. The driver reads and writes the socket. The application takes and sends messages.
pub(crate) struct WebSocketConnection(RefCell<WebSocketState>);

/// The state of a connection.
pub(crate) struct WebSocketState {
    stream: SharedStream,
    limits: WebSocketConfig,
    socket: WebSocketStream<SharedStream>,
    phase: Phase,
    /// The message that the application has not taken yet. The driver reads the next message after it is taken.
    received: Option<Message>,
    /// `true` if the last message is not written completely. The driver writes the rest.
    is_sending: bool,
    allowance: Allowance,
    /// The task of the driver.
    driver: Option<Waker>,
    /// The task that waits for a message.
    receiver: Option<Waker>,
    /// The task that waits until a message is sent.
    sender: Option<Waker>,
    /// The numbers of messages that were received and sent, for the log.
    pub(crate) counts: (u64, u64),
}

/// The phase of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Open,
    /// One side has sent a close frame.
    Closing,
    /// The client broke the protocol. The close frame is sent, and nothing more is read.
    Failed,
    Ended,
}

impl WebSocketConnection {
    pub(crate) async fn new(stream: Upgraded, message_limit: usize, rate: MessageRate) -> Self {
        let limits = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER)
            .write_buffer_size(0)
            .max_message_size(Some(message_limit))
            .max_frame_size(Some(message_limit));
        let stream = SharedStream::new(CountedStream::new(stream, message_limit));
        let socket = WebSocketStream::from_raw_socket(stream.clone(), Role::Server, Some(limits)).await;
        Self(RefCell::new(WebSocketState {
            stream,
            limits,
            socket,
            phase: Phase::Open,
            received: None,
            is_sending: false,
            allowance: Allowance::new(rate),
            driver: None,
            receiver: None,
            sender: None,
            counts: (0, 0),
        }))
    }

    pub(crate) fn state(&self) -> RefMut<'_, WebSocketState> {
        self.0.borrow_mut()
    }

    /// Takes the next message. Returns `None` if the connection is closed.
    pub(crate) fn poll_receive(&self, context: &mut Context<'_>) -> Poll<Option<Message>> {
        let mut state = self.state();
        if let Some(message) = state.received.take() {
            wake(&mut state.driver);
            return Poll::Ready(Some(message));
        }
        if state.phase != Phase::Open {
            return Poll::Ready(None);
        }
        let was_full = state.is_full();
        state.receiver = Some(context.waker().clone());
        if was_full {
            wake(&mut state.driver);
        }
        Poll::Pending
    }

    /// Waits until abandoned clients have released their memory, at most for some turns of the worker. A message in memory
    /// before would add to it.
    pub(crate) async fn room(&self) {
        let mut turns = 0;
        poll_fn(|context| {
            if turns == MOST_TURNS || !self.state().stream().is_overdrawn() {
                return Poll::Ready(());
            }
            turns += 1;
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    /// Begins to send a message after the earlier message is sent. Returns `false` if the connection is closed.
    pub(crate) fn poll_begin_send(&self, message: &mut Option<Message>, context: &mut Context<'_>) -> Poll<bool> {
        let is_open = ready!(self.poll_sent(context));
        let mut state = self.state();
        if !is_open || state.phase != Phase::Open {
            return Poll::Ready(false);
        }
        if let Some(message) = message.take() {
            state.send(message, context);
        }
        Poll::Ready(true)
    }

    /// Waits until the last message is sent. Returns `false` if the connection was closed before.
    pub(crate) fn poll_sent(&self, context: &mut Context<'_>) -> Poll<bool> {
        let mut state = self.state();
        if !state.is_sending {
            return Poll::Ready(true);
        }
        if state.phase != Phase::Open {
            return Poll::Ready(false);
        }
        state.sender = Some(context.waker().clone());
        Poll::Pending
    }
}

impl WebSocketState {
    pub(crate) fn phase(&self) -> Phase {
        self.phase
    }

    pub(crate) fn stream(&self) -> RefMut<'_, CountedStream> {
        self.stream.get()
    }

    pub(crate) fn set_driver(&mut self, context: &Context<'_>) {
        if !self.driver.as_ref().is_some_and(|driver| driver.will_wake(context.waker())) {
            self.driver = Some(context.waker().clone());
        }
    }

    /// Returns `true` if the driver must not read. The application has not taken the last message, or does not wait for
    /// the next message, which is long.
    pub(crate) fn is_full(&self) -> bool {
        self.received.is_some() || self.receiver.is_none() && self.stream().kept() > READ_BUFFER
    }

    pub(crate) fn allowance(&self) -> &Allowance {
        &self.allowance
    }

    fn send(&mut self, message: Message, context: &mut Context<'_>) {
        self.counts.1 += 1;
        self.is_sending = true;
        let begun = match message {
            // The library would copy a long message, and keep a buffer of its size.
            Message::Text(text) if text.len() > READ_BUFFER => {
                self.stream().send(Bytes::from(text), true);
                Ok(())
            }
            Message::Binary(bytes) if bytes.len() > READ_BUFFER => {
                self.stream().send(bytes, false);
                Ok(())
            }
            message => Pin::new(&mut self.socket).start_send(message),
        };
        match begun {
            // The socket wakes only the task that has written last, which must be the driver.
            Ok(()) if self.poll_flush(context).is_pending() => wake(&mut self.driver),
            Ok(()) => {}
            Err(_) => self.end(),
        }
    }

    /// Writes everything to the socket. Returns `false` if the connection is lost.
    pub(crate) fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        match ready!(Pin::new(&mut self.socket).poll_flush(context)) {
            Ok(()) => {
                self.is_sending = false;
                wake(&mut self.sender);
                Poll::Ready(true)
            }
            Err(_) => {
                self.end();
                Poll::Ready(false)
            }
        }
    }

    /// Reads the next message or control frame. Must be called only after everything was written.
    pub(crate) fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match ready!(Pin::new(&mut self.socket).poll_next(context)) {
            Some(Ok(message)) => {
                self.allowance.charge();
                // Control frames can arrive inside of a message, which stays in memory.
                if message.is_text() || message.is_binary() {
                    self.stream().message_received();
                }
                self.accept(message);
            }
            Some(Err(error)) => self.fail(&error),
            None => self.end(),
        }
        Poll::Ready(())
    }

    /// Replaces the buffers of the library if they have the size of a long message and contain nothing. Must be called only
    /// when there is nothing to write or to read. Returns `true` if they were replaced.
    pub(crate) fn shrink(&mut self) -> bool {
        let is_long = self.stream().longest_frame() > READ_BUFFER;
        is_long && self.phase == Phase::Open && self.stream().is_between_messages() && self.replace_buffers()
    }

    fn replace_buffers(&mut self) -> bool {
        // The library does not wait for anything here.
        let socket =
            WebSocketStream::from_raw_socket(self.stream.clone(), Role::Server, Some(self.limits)).now_or_never();
        let is_replaced = socket.map(|socket| self.socket = socket).is_some();
        self.stream().forget_buffers();
        is_replaced
    }

    fn accept(&mut self, message: Message) {
        match message {
            // The client may still send messages before it reads the close frame of the server.
            Message::Text(_) | Message::Binary(_) if self.phase == Phase::Open => {
                self.counts.0 += 1;
                self.received = Some(message);
                wake(&mut self.receiver);
            }
            // The library replies to pings and close frames.
            Message::Close(_) => self.change_to(Phase::Closing),
            _ => {}
        }
    }

    /// Closes the connection because of an error of the client.
    fn fail(&mut self, error: &Error) {
        let (code, reason) = match error {
            Error::Capacity(_) => (CloseCode::Size, "the message is too long"),
            Error::Utf8(_) => (CloseCode::Invalid, "the text is not UTF-8"),
            Error::Io(_) if self.stream().is_too_long() => (CloseCode::Size, "the message is too long"),
            Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) | Error::Io(_) => return self.end(),
            Error::Protocol(_) => (CloseCode::Protocol, "the frame is invalid"),
            _ => return self.end(),
        };
        self.close(code, reason);
        if self.phase == Phase::Closing {
            self.change_to(Phase::Failed);
        }
    }

    /// Begins to close the connection, unless it is already closing. The reason is cut after 123 bytes.
    pub(crate) fn close(&mut self, code: CloseCode, reason: &str) {
        if self.phase != Phase::Open {
            return;
        }
        let end = (0..=reason.len().min(LONGEST_REASON)).rev().find(|end| reason.is_char_boundary(*end));
        let reason = reason.get(..end.unwrap_or_default()).unwrap_or_default();
        let frame = CloseFrame { code, reason: reason.into() };
        match Pin::new(&mut self.socket).start_send(Message::Close(Some(frame))) {
            Ok(()) => self.change_to(Phase::Closing),
            Err(_) => self.end(),
        }
    }

    /// Sends a ping, unless earlier messages wait for the client.
    pub(crate) fn ping(&mut self, context: &mut Context<'_>) {
        if self.poll_flush(context) == Poll::Ready(true) && self.phase == Phase::Open {
            let _ = Pin::new(&mut self.socket).start_send(Message::Ping(Bytes::new()));
        }
    }

    /// Ends the connection without a close frame.
    pub(crate) fn end(&mut self) {
        self.change_to(Phase::Ended);
        // The application may need some seconds to end.
        self.replace_buffers();
        self.stream().release();
    }

    fn change_to(&mut self, phase: Phase) {
        self.phase = phase;
        for waker in [&mut self.driver, &mut self.receiver, &mut self.sender] {
            wake(waker);
        }
    }
}

fn wake(waker: &mut Option<Waker>) {
    if let Some(waker) = waker.take() {
        waker.wake();
    }
}

impl fmt::Debug for WebSocketConnection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("WebSocketConnection")
    }
}
