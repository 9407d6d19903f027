//! The state of a connection.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Waker};

use actix_http::Payload;
use restwright_runtime::core::http::BodyError;

use crate::message_framing::{Framing, Message};
use crate::places::Places;
use crate::watchdog::Pace;

/// The state of one connection: what the client is expected to send, how long the worker has waited for it, and whether the
/// connection is to be closed. Time is counted in ticks of the [`Watchdog`](crate::watchdog::Watchdog).
#[derive(Default)]
pub(crate) struct ConnectionState {
    /// The places of the worker; none inside an actix-web `App`.
    places: Option<Rc<Places>>,
    /// The turn in which the connection became idle, for the time that it is.
    idle_since: Cell<u64>,
    message: Cell<Message>,
    /// Bytes wait in the connection until they are admitted.
    withholds: Cell<bool>,
    expected: Cell<Expected>,
    waited: Cell<u32>,
    body: Cell<BodyProgress>,
    stalled: Cell<Option<u32>>,
    timed_out: Cell<bool>,
    closing: Cell<bool>,
    connection: RefCell<Option<Waker>>,
    reader: RefCell<Option<Waker>>,
    unread: Cell<Option<Unread>>,
    held: Cell<Held>,
}

/// The state of a body that waits for `100 Continue` (RFC 9110, section 10.1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Held {
    #[default]
    No,
    /// The client waits, and the application has not read the body.
    Yes,
    /// The application reads the body.
    Requested,
}

/// The next data that the client is expected to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Expected {
    /// The first request of the connection. actix-http has a timeout for its head.
    #[default]
    FirstRequest,
    /// No data.
    Nothing,
    /// The first byte of the next request.
    Request,
    /// The rest of a head.
    RequestHead,
    /// More of a body.
    Body,
    /// The end of a connection that the server has closed on its side.
    End,
}

#[derive(Debug, Clone, Copy, Default)]
struct BodyProgress {
    waited: u64,
    received: u64,
    /// The data that a chunked body has at least.
    announced: u64,
    timed_out: bool,
    refused: bool,
    /// Its last byte has arrived.
    complete: bool,
}

/// A body that was not read to its end.
pub(crate) struct Unread {
    pub(crate) payload: Payload,
    /// The announced bytes that have not arrived; `None` for a chunked body.
    pub(crate) left: Option<u64>,
    pub(crate) begun: bool,
}

/// The ticks that a new connection has to begin its first request before it counts as idle: at least one whole tick, so that
/// newcomers in a crowd do not close each other.
const TIME_TO_BEGIN: u32 = 2;

impl ConnectionState {
    /// Returns the state of a new connection.
    pub(crate) fn new(places: &Rc<Places>) -> Self {
        Self { places: Some(places.clone()), ..Self::default() }
    }

    /// Returns how far the current request is.
    pub(crate) fn message(&self) -> Message {
        self.message.get()
    }

    /// Notes that a head is complete.
    pub(crate) fn head_arrived(&self, framing: Option<Framing>) {
        self.message.set(Message::Arrived(framing));
        self.body.set(BodyProgress::default());
    }

    /// Notes that bytes wait until they are admitted, or that none do.
    pub(crate) fn withhold(&self, withholds: bool) {
        self.withholds.set(withholds);
    }

    /// Notes that a request is being handled; returns false if it is none that arrived with this framing.
    pub(crate) fn begin(&self, framing: Framing) -> bool {
        match self.message.get() {
            Message::Arrived(Some(read)) if read == framing => {}
            Message::Arrived(None) => self.wake_withheld(),
            _ => return false,
        }
        self.message.set(Message::Begun(framing));
        self.expected.set(Expected::Nothing);
        true
    }

    fn wake_withheld(&self) {
        if self.withholds.get() {
            wake(&self.connection);
        }
    }

    /// Notes that the response is complete. The next request is awaited, unless the current one is not read to its end.
    pub(crate) fn end(&self, abandoned: bool) {
        if let Message::Begun(framing) = self.message.get() {
            self.message.set(if abandoned { Message::Abandoned } else { Message::Complete(framing) });
        }
        self.wake_withheld();
        self.expected.set(Expected::Request);
        self.waited.set(0);
        self.become_idle();
        self.unread.take();
        self.held.set(Held::No);
    }

    fn become_idle(&self) {
        if let Some(places) = &self.places {
            self.idle_since.set(places.next_turn());
            if !self.withholds.get() && places.claims() {
                self.close();
            }
        }
    }

    /// Notes that bytes have arrived.
    pub(crate) fn data_received(&self) {
        if matches!(self.expected.get(), Expected::FirstRequest | Expected::Request) {
            self.expected.set(Expected::RequestHead);
            self.waited.set(0);
        }
    }

    /// Returns the turn since when no request is under way, unless the connection closes.
    pub(crate) fn idle_since(&self) -> Option<u64> {
        let awaits_request = match self.expected.get() {
            Expected::Request => true,
            Expected::FirstRequest => self.waited.get() >= TIME_TO_BEGIN,
            _ => false,
        };
        let is_idle = awaits_request && !self.withholds.get() && self.stalled.get().is_none() && !self.closing.get();
        is_idle.then(|| self.idle_since.get())
    }

    /// Notes that the socket accepts no more bytes for now.
    pub(crate) fn write_stalled(&self) {
        if self.stalled.get().is_none() {
            self.stalled.set(Some(0));
        }
    }

    /// Notes that the socket has accepted bytes.
    pub(crate) fn write_resumed(&self) {
        self.stalled.set(None);
    }

    /// Returns whether the client timed out.
    pub(crate) fn is_timed_out(&self) -> bool {
        self.timed_out.get()
    }

    /// Holds the body until the application reads it.
    pub(crate) fn hold_body(&self) {
        self.held.set(Held::Yes);
    }

    /// Returns whether the body is held.
    pub(crate) fn holds_body(&self) -> bool {
        self.held.get() != Held::No
    }

    /// Requests a held body; returns false if it is not held.
    pub(crate) fn request_body(&self, context: &Context<'_>) -> bool {
        if self.held.get() == Held::No {
            return false;
        }
        self.held.set(Held::Requested);
        register(&self.reader, context);
        true
    }

    /// Returns whether the application waits for a held body.
    pub(crate) fn is_body_requested(&self) -> bool {
        self.held.get() == Held::Requested
    }

    /// Releases a held body.
    pub(crate) fn release_body(&self) {
        self.held.set(Held::No);
        wake(&self.reader);
    }

    /// Waits for more of a body.
    ///
    /// # Errors
    /// It timed out, or its framing is refused.
    pub(crate) fn await_body(&self, context: &Context<'_>) -> Result<(), BodyError> {
        let body = self.body.get();
        if body.timed_out {
            return Err(BodyError::Timeout);
        }
        if body.refused {
            return Err(BodyError::Incomplete);
        }
        if self.expected.replace(Expected::Body) != Expected::Body {
            self.waited.set(0);
        }
        register(&self.reader, context);
        Ok(())
    }

    /// Notes how much data a chunked body has at least.
    pub(crate) fn body_announced(&self, length: u64) {
        self.body.set(BodyProgress { announced: length, ..self.body.get() });
    }

    /// Returns how much data a chunked body has at least.
    pub(crate) fn announced(&self) -> u64 {
        self.body.get().announced
    }

    /// Notes that the last byte of the body has arrived.
    pub(crate) fn body_complete(&self) {
        self.body.set(BodyProgress { complete: true, ..self.body.get() });
    }

    /// Returns whether the whole body has arrived, and the client did not wait before it sent it.
    pub(crate) fn has_whole_body(&self) -> bool {
        self.body.get().complete && !self.holds_body()
    }

    /// Notes that the framing of the body is refused, and that nothing more of it arrives.
    pub(crate) fn refuse_body(&self) {
        self.body.set(BodyProgress { refused: true, ..self.body.get() });
        wake(&self.reader);
    }

    /// Notes that a part of a body has arrived.
    pub(crate) fn body_received(&self, bytes: usize) {
        let mut body = self.body.get();
        body.received = body.received.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
        self.body.set(body);
        self.expected.set(Expected::Nothing);
    }

    /// Returns whether nothing more of the body is to come.
    pub(crate) fn body_failed(&self) -> bool {
        let body = self.body.get();
        body.timed_out || body.refused
    }

    /// Keeps a body that was not read to its end.
    pub(crate) fn leave_unread(&self, unread: Unread) {
        self.unread.set(Some(unread));
    }

    /// Takes the unread body.
    pub(crate) fn take_unread(&self) -> Option<Unread> {
        self.unread.take()
    }

    /// Closes the connection after the current response.
    pub(crate) fn close(&self) {
        self.closing.set(true);
        wake(&self.connection);
    }

    /// Returns whether no further request is handled.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.get()
    }

    /// Notes that the connection is closed on this side, and that what the client still sends is dropped.
    pub(crate) fn linger(&self) {
        self.expected.set(Expected::End);
        self.waited.set(0);
    }

    /// Returns whether the connection is closed on this side.
    pub(crate) fn lingers(&self) -> bool {
        self.expected.get() == Expected::End
    }

    /// Registers the task of the connection, which never changes.
    pub(crate) fn register_connection(&self, context: &Context<'_>) {
        if self.connection.borrow().is_none() {
            register(&self.connection, context);
        }
    }

    /// Counts a tick, and wakes the tasks whose timeout has passed.
    pub(crate) fn tick(&self, pace: &Pace) {
        if let Some(stalled) = self.stalled.get() {
            self.stalled.set(Some(stalled.saturating_add(1)));
            if stalled >= pace.body {
                self.time_out();
            }
        }
        let waited = self.waited.get().saturating_add(1);
        match self.expected.get() {
            Expected::RequestHead => {
                self.waited.set(waited);
                if waited > pace.head {
                    self.time_out();
                }
            }
            Expected::Body => {
                self.waited.set(waited);
                let mut body = self.body.get();
                body.waited = body.waited.saturating_add(1);
                body.timed_out = waited > pace.body || pace.is_too_slow(body.received, body.waited);
                self.body.set(body);
                if body.timed_out {
                    wake(&self.reader);
                }
            }
            Expected::End => {
                self.waited.set(waited);
                if waited > pace.linger {
                    self.time_out();
                }
            }
            Expected::Request => {
                self.waited.set(waited);
                if waited > pace.keep_alive {
                    self.close();
                }
            }
            Expected::FirstRequest => {
                self.waited.set(waited);
                if waited == TIME_TO_BEGIN {
                    self.become_idle();
                }
            }
            Expected::Nothing => {}
        }
    }

    fn time_out(&self) {
        self.timed_out.set(true);
        wake(&self.connection);
    }
}

fn register(slot: &RefCell<Option<Waker>>, context: &Context<'_>) {
    let mut slot = slot.borrow_mut();
    if !slot.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
        *slot = Some(context.waker().clone());
    }
}

fn wake(slot: &RefCell<Option<Waker>>) {
    if let Some(waker) = &*slot.borrow() {
        waker.wake_by_ref();
    }
}
