//! Defines [`ConnectionState`], the timeouts, the progress and the closing state of a connection.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::task::{Context, Waker};

use restwright_runtime::core::http::BodyError;

use super::places::ConnectionPlaces;
use super::watchdog::Pace;

/// The state of one connection. It contains what the client must send next, how long the worker has waited for it, and
/// whether the connection will close. Time is counted in ticks of the [`Watchdog`](super::watchdog::Watchdog).
#[derive(Default)]
pub(crate) struct ConnectionState {
    /// The connection limit of the worker, set when the connection has a place. It is empty inside an actix-web `App`.
    places: OnceCell<Rc<ConnectionPlaces>>,
    /// The sequence number from [`ConnectionPlaces::next_turn`], set when the connection becomes idle. It is valid only
    /// while the connection is idle.
    idle_since: Cell<u64>,
    expected: Cell<ExpectedInput>,
    waited: Cell<u32>,
    body: Cell<BodyProgress>,
    body_timed_out: Cell<bool>,
    /// The number of ticks since the socket last accepted bytes of the response. It is `None` if the socket accepts
    /// bytes now.
    stalled: Cell<Option<u32>>,
    response: Cell<BodyProgress>,
    /// The number of bytes of an incomplete request head.
    head_bytes: Cell<usize>,
    head_is_late: Cell<bool>,
    timed_out: Cell<bool>,
    closing: Cell<bool>,
    connection: RefCell<Option<Waker>>,
    reader: RefCell<Option<Waker>>,
}

/// The data that the client must send next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ExpectedInput {
    /// The client must send the first byte of the connection.
    #[default]
    FirstRequest,
    /// The client must send the rest of the first request head.
    FirstHead,
    /// The server expects no data, because it handles a request.
    Nothing,
    /// The client must send the first byte of the next request.
    Request,
    /// The client must send the rest of a later request head.
    RequestHead,
    /// The client must send the rest of a request body.
    Body,
    /// The client must close the connection, because the server has closed its side.
    End,
}

/// The progress of a body. `moved` is the number of bytes that the client has sent or read. `waited` is the number of
/// ticks that the server has waited for the client.
#[derive(Debug, Clone, Copy, Default)]
struct BodyProgress {
    waited: u64,
    moved: u64,
}

impl BodyProgress {
    fn add(cell: &Cell<Self>, bytes: usize) {
        let Self { waited, moved } = cell.get();
        cell.set(Self { waited, moved: moved.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX)) });
    }

    fn tick(cell: &Cell<Self>) -> Self {
        let Self { waited, moved } = cell.get();
        cell.set(Self { waited: waited.saturating_add(1), moved });
        cell.get()
    }
}

/// The number of timer ticks after which a new connection counts as idle if the client has sent nothing. Two ticks
/// include at least one whole tick, so new connections do not close each other.
const TIME_TO_BEGIN: u32 = 2;

impl ConnectionState {
    /// Records that the connection has a place. Only then can it give way to another connection.
    pub(super) fn admit(&self, places: &Rc<ConnectionPlaces>) {
        // A connection gets only one place.
        let _ = self.places.set(places.clone());
        if self.expected.get() == ExpectedInput::FirstRequest {
            self.waited.set(0);
        }
    }

    /// Records that part of a request head has arrived.
    pub(super) fn head_begun(&self) {
        match self.expected.get() {
            // The head timeout started with the connection.
            ExpectedInput::FirstRequest => self.expected.set(ExpectedInput::FirstHead),
            ExpectedInput::Request => {
                self.expected.set(ExpectedInput::RequestHead);
                self.waited.set(0);
            }
            _ => {}
        }
    }

    /// Returns whether the head of a request has timed out.
    pub(super) fn is_head_late(&self) -> bool {
        self.head_is_late.get()
    }

    /// Returns whether the connection still waits for its first request.
    pub(super) fn is_new(&self) -> bool {
        matches!(self.expected.get(), ExpectedInput::FirstRequest | ExpectedInput::FirstHead)
    }

    /// Records that a request is being handled.
    pub(crate) fn begin(&self) {
        self.expected.set(ExpectedInput::Nothing);
        self.body.take();
        self.body_timed_out.set(false);
        self.response.take();
        self.head_bytes.set(0);
    }

    /// Records that the response is complete. `has_come` is true if part of the next request has arrived.
    pub(crate) fn end(&self, has_come: bool) {
        self.expected.set(ExpectedInput::Request);
        self.waited.set(0);
        if has_come {
            self.head_begun();
        } else {
            self.become_idle();
        }
    }

    fn become_idle(&self) {
        if let Some(places) = self.places.get() {
            self.idle_since.set(places.next_turn());
            if places.claims() {
                self.close();
            }
        }
    }

    fn has_place(&self) -> bool {
        self.places.get().is_some()
    }

    /// Returns the sequence number that the connection received when it became idle. A lower number means a longer idle
    /// time. Returns `None` if the connection is not idle, is closing, or has no place.
    pub(super) fn idle_since(&self) -> Option<u64> {
        let awaits_request = match self.expected.get() {
            ExpectedInput::Request => true,
            ExpectedInput::FirstRequest => self.waited.get() >= TIME_TO_BEGIN,
            _ => false,
        };
        (awaits_request && self.has_place() && !self.closing.get()).then(|| self.idle_since.get())
    }

    /// Records that the socket currently accepts no more bytes of the response.
    pub(super) fn write_stalled(&self) {
        if self.stalled.get().is_none() {
            self.stalled.set(Some(0));
        }
    }

    /// Records that the socket has accepted bytes of the response.
    pub(super) fn write_resumed(&self, bytes: usize) {
        self.stalled.set(None);
        BodyProgress::add(&self.response, bytes);
    }

    /// Returns the number of response bytes that the socket has accepted.
    pub(super) fn sent(&self) -> usize {
        usize::try_from(self.response.get().moved).unwrap_or(usize::MAX)
    }

    /// Records the size of an incomplete request head.
    pub(super) fn head_received(&self, bytes: usize) {
        self.head_bytes.set(bytes);
    }

    /// Returns the transfer rate of a slow client in bytes per tick, or `None` if the client is not slow. A client is
    /// slow if its rate is below `limit` and the server has waited for two ticks. A connection without a place is never
    /// slow.
    pub(super) fn slow_rate(&self, limit: f64) -> Option<f64> {
        let progress = match self.expected.get() {
            ExpectedInput::FirstHead | ExpectedInput::RequestHead => {
                let moved = u64::try_from(self.head_bytes.get()).unwrap_or(u64::MAX);
                BodyProgress { waited: self.waited.get().into(), moved }
            }
            ExpectedInput::Body => self.body.get(),
            _ if self.stalled.get().is_some() => self.response.get(),
            _ => return None,
        };
        #[expect(clippy::cast_precision_loss, reason = "rates are compared, and need not be exact")]
        let rate = progress.moved as f64 / progress.waited.max(1) as f64;
        let is_slow = progress.waited >= u64::from(TIME_TO_BEGIN) && rate < limit;
        (is_slow && self.has_place() && !self.is_closing()).then_some(rate)
    }

    /// Closes the connection of a slow client, so another client can be served.
    pub(super) fn give_up(&self) {
        match self.expected.get() {
            ExpectedInput::FirstHead | ExpectedInput::RequestHead => self.head_is_late.set(true),
            ExpectedInput::Body => {
                self.body_timed_out.set(true);
                wake(&self.reader);
            }
            _ => self.timed_out.set(true),
        }
        self.close();
    }

    /// Returns whether the client has timed out. Nothing more is written to it.
    pub(crate) fn is_timed_out(&self) -> bool {
        self.timed_out.get()
    }

    /// Registers the task that waits for the next bytes of a request body.
    ///
    /// # Errors
    /// Fails if the body has timed out.
    pub(crate) fn await_body(&self, context: &Context<'_>) -> Result<(), BodyError> {
        if self.body_timed_out.get() {
            return Err(BodyError::Timeout);
        }
        if self.expected.replace(ExpectedInput::Body) != ExpectedInput::Body {
            self.waited.set(0);
        }
        register(&self.reader, context);
        Ok(())
    }

    /// Records that part of a request body has arrived.
    pub(crate) fn body_received(&self, bytes: usize) {
        BodyProgress::add(&self.body, bytes);
        self.expected.set(ExpectedInput::Nothing);
    }

    /// Returns whether the request body has timed out.
    pub(crate) fn body_timed_out(&self) -> bool {
        self.body_timed_out.get()
    }

    /// Marks the connection as closing. It closes after the current response.
    pub(crate) fn close(&self) {
        self.closing.set(true);
        wake(&self.connection);
    }

    /// Closes the connection because the server stops. A request that has begun is still handled, and so is the first
    /// request of a connection that is not idle yet.
    pub(super) fn stop(&self) {
        match self.expected.get() {
            ExpectedInput::FirstRequest if self.waited.get() < TIME_TO_BEGIN => {}
            ExpectedInput::FirstHead | ExpectedInput::RequestHead => {}
            _ => self.close(),
        }
    }

    /// Returns whether the connection will close without handling another request.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.get()
    }

    /// Records that the server has closed its side of the connection and discards further input.
    pub(super) fn linger(&self) {
        self.expected.set(ExpectedInput::End);
        self.waited.set(0);
    }

    /// Registers the task that serves the connection. This task never changes.
    pub(super) fn register_connection(&self, context: &Context<'_>) {
        if self.connection.borrow().is_none() {
            register(&self.connection, context);
        }
    }

    /// Counts one timer tick, and wakes the tasks whose timeout has passed.
    pub(super) fn tick(&self, pace: &Pace) {
        if let Some(stalled) = self.stalled.get() {
            self.stalled.set(Some(stalled.saturating_add(1)));
            let BodyProgress { waited, moved } = BodyProgress::tick(&self.response);
            if stalled >= pace.body || pace.is_too_slow(moved, waited) {
                self.time_out();
            }
        }
        let waited = self.waited.get().saturating_add(1);
        match self.expected.get() {
            expected @ (ExpectedInput::FirstRequest | ExpectedInput::FirstHead | ExpectedInput::RequestHead) => {
                self.waited.set(waited);
                if expected == ExpectedInput::FirstRequest && waited == TIME_TO_BEGIN {
                    self.become_idle();
                }
                if waited > pace.head {
                    self.head_is_late.set(true);
                    wake(&self.connection);
                }
            }
            ExpectedInput::Body => {
                self.waited.set(waited);
                let body = BodyProgress::tick(&self.body);
                if waited > pace.body || pace.is_too_slow(body.moved, body.waited) {
                    self.body_timed_out.set(true);
                    wake(&self.reader);
                }
            }
            ExpectedInput::End => {
                self.waited.set(waited);
                if waited > pace.linger {
                    self.time_out();
                }
            }
            ExpectedInput::Request => {
                self.waited.set(waited);
                if waited > pace.keep_alive {
                    self.close();
                }
            }
            ExpectedInput::Nothing => {}
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
