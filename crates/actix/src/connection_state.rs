//! The state of a connection.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Waker};

use restwright_runtime::core::http::BodyError;

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
    expected: Cell<Expected>,
    waited: Cell<u32>,
    body: Cell<Progress>,
    body_timed_out: Cell<bool>,
    /// The ticks since the socket accepted bytes of the response, for the time that it does not.
    stalled: Cell<Option<u32>>,
    response: Cell<Progress>,
    /// The bytes of a head that has not come whole.
    head_bytes: Cell<usize>,
    head_is_late: Cell<bool>,
    timed_out: Cell<bool>,
    closing: Cell<bool>,
    connection: RefCell<Option<Waker>>,
    reader: RefCell<Option<Waker>>,
}

/// The next data that the client is expected to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Expected {
    /// The first byte of the connection.
    #[default]
    FirstRequest,
    /// The rest of the first head.
    FirstHead,
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

/// The bytes that a client has sent or taken, and the ticks in which it was awaited.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    waited: u64,
    moved: u64,
}

impl Progress {
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

/// The ticks that a new connection has to begin its first request before it counts as idle: at least one whole tick, so that
/// newcomers in a crowd do not close each other.
const TIME_TO_BEGIN: u32 = 2;

impl ConnectionState {
    /// Returns the state of a new connection.
    pub(crate) fn new(places: &Rc<Places>) -> Self {
        Self { places: Some(places.clone()), ..Self::default() }
    }

    /// Notes that a part of a head has arrived.
    pub(crate) fn head_begun(&self) {
        match self.expected.get() {
            // Its time has begun with the connection.
            Expected::FirstRequest => self.expected.set(Expected::FirstHead),
            Expected::Request => {
                self.expected.set(Expected::RequestHead);
                self.waited.set(0);
            }
            _ => {}
        }
    }

    /// Returns whether the head of a request did not come in time.
    pub(crate) fn is_head_late(&self) -> bool {
        self.head_is_late.get()
    }

    /// Returns whether there was no request on the connection yet.
    pub(crate) fn is_new(&self) -> bool {
        matches!(self.expected.get(), Expected::FirstRequest | Expected::FirstHead)
    }

    /// Notes that a request is being handled.
    pub(crate) fn begin(&self) {
        self.expected.set(Expected::Nothing);
        self.body.take();
        self.body_timed_out.set(false);
        self.response.take();
        self.head_bytes.set(0);
    }

    /// Notes that the response is complete, and that the next request is awaited, or has come in part.
    pub(crate) fn end(&self, has_come: bool) {
        self.expected.set(Expected::Request);
        self.waited.set(0);
        if has_come {
            self.head_begun();
        } else {
            self.become_idle();
        }
    }

    fn become_idle(&self) {
        if let Some(places) = &self.places {
            self.idle_since.set(places.next_turn());
            if places.claims() {
                self.close();
            }
        }
    }

    /// Returns the turn since when no request is under way, unless the connection closes.
    pub(crate) fn idle_since(&self) -> Option<u64> {
        let awaits_request = match self.expected.get() {
            Expected::Request => true,
            Expected::FirstRequest => self.waited.get() >= TIME_TO_BEGIN,
            _ => false,
        };
        (awaits_request && !self.closing.get()).then(|| self.idle_since.get())
    }

    /// Notes that the socket accepts no more bytes for now.
    pub(crate) fn write_stalled(&self) {
        if self.stalled.get().is_none() {
            self.stalled.set(Some(0));
        }
    }

    /// Notes that the socket has accepted bytes.
    pub(crate) fn write_resumed(&self, bytes: usize) {
        self.stalled.set(None);
        Progress::add(&self.response, bytes);
    }

    /// Returns how much of the response the socket has accepted.
    pub(crate) fn sent(&self) -> usize {
        usize::try_from(self.response.get().moved).unwrap_or(usize::MAX)
    }

    /// Notes how much of a head has come.
    pub(crate) fn head_received(&self, bytes: usize) {
        self.head_bytes.set(bytes);
    }

    /// Returns the bytes for each tick of a client that is slower than `limit`, once it was awaited for two ticks.
    pub(crate) fn slow_rate(&self, limit: f64) -> Option<f64> {
        let progress = match self.expected.get() {
            Expected::FirstHead | Expected::RequestHead => {
                let moved = u64::try_from(self.head_bytes.get()).unwrap_or(u64::MAX);
                Progress { waited: self.waited.get().into(), moved }
            }
            Expected::Body => self.body.get(),
            _ if self.stalled.get().is_some() => self.response.get(),
            _ => return None,
        };
        #[expect(clippy::cast_precision_loss, reason = "rates are compared, and need not be exact")]
        let rate = progress.moved as f64 / progress.waited.max(1) as f64;
        (progress.waited >= u64::from(TIME_TO_BEGIN) && rate < limit && !self.is_closing()).then_some(rate)
    }

    /// Gives up a client that is slow, for the sake of another.
    pub(crate) fn give_up(&self) {
        match self.expected.get() {
            Expected::FirstHead | Expected::RequestHead => self.head_is_late.set(true),
            Expected::Body => {
                self.body_timed_out.set(true);
                wake(&self.reader);
            }
            _ => self.timed_out.set(true),
        }
        self.close();
    }

    /// Returns whether the client timed out, and nothing more is written for it.
    pub(crate) fn is_timed_out(&self) -> bool {
        self.timed_out.get()
    }

    /// Waits for more of a body.
    ///
    /// # Errors
    /// It timed out.
    pub(crate) fn await_body(&self, context: &Context<'_>) -> Result<(), BodyError> {
        if self.body_timed_out.get() {
            return Err(BodyError::Timeout);
        }
        if self.expected.replace(Expected::Body) != Expected::Body {
            self.waited.set(0);
        }
        register(&self.reader, context);
        Ok(())
    }

    /// Notes that a part of a body has arrived.
    pub(crate) fn body_received(&self, bytes: usize) {
        Progress::add(&self.body, bytes);
        self.expected.set(Expected::Nothing);
    }

    /// Returns whether the body did not come in time.
    pub(crate) fn body_timed_out(&self) -> bool {
        self.body_timed_out.get()
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
            let Progress { waited, moved } = Progress::tick(&self.response);
            if stalled >= pace.body || pace.is_too_slow(moved, waited) {
                self.time_out();
            }
        }
        let waited = self.waited.get().saturating_add(1);
        match self.expected.get() {
            expected @ (Expected::FirstRequest | Expected::FirstHead | Expected::RequestHead) => {
                self.waited.set(waited);
                if expected == Expected::FirstRequest && waited == TIME_TO_BEGIN {
                    self.become_idle();
                }
                if waited > pace.head {
                    self.head_is_late.set(true);
                    wake(&self.connection);
                }
            }
            Expected::Body => {
                self.waited.set(waited);
                let body = Progress::tick(&self.body);
                if waited > pace.body || pace.is_too_slow(body.moved, body.waited) {
                    self.body_timed_out.set(true);
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
