//! What a worker knows about the other end of a connection.

use std::cell::{Cell, RefCell};
use std::task::{Context, Waker};

use actix_http::Payload;

use crate::watchdog::Pace;

/// The client of one connection: what it is expected to send, how long that has been waited for, and whether the
/// connection is to be closed. Time is counted in the ticks of the [`Watchdog`](crate::watchdog::Watchdog).
#[derive(Default)]
pub(crate) struct ConnectionState {
    expected: Cell<Expected>,
    waited: Cell<u32>,
    body: Cell<BodyProgress>,
    stalled: Cell<Option<u32>>,
    late: Cell<bool>,
    closing: Cell<bool>,
    connection: RefCell<Option<Waker>>,
    reader: RefCell<Option<Waker>>,
    unread: Cell<Option<Unread>>,
    held: Cell<Held>,
}

/// Whether the body waits for a `100 Continue` (RFC 9110, section 10.1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Held {
    #[default]
    No,
    /// The client waits, and nobody has asked for the body.
    Yes,
    /// Somebody has.
    Wanted,
}

/// What the client has to send next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Expected {
    /// Nothing that is waited for here; the first head of a connection is watched by actix-http.
    #[default]
    Nothing,
    /// The first byte of the next request; the keep-alive timeout watches that.
    Request,
    /// The rest of a head.
    RequestHead,
    /// More of a body.
    Body,
}

#[derive(Debug, Clone, Copy, Default)]
struct BodyProgress {
    waited: u64,
    received: u64,
    late: bool,
}

/// A body that nobody read to its end.
pub(crate) struct Unread {
    pub(crate) payload: Payload,
    /// What is announced and has not come; `None` for a chunked body.
    pub(crate) left: Option<u64>,
    pub(crate) begun: bool,
}

impl ConnectionState {
    /// A request has come, and the application has the word.
    pub(crate) fn begin(&self) {
        self.expected.set(Expected::Nothing);
        self.body.set(BodyProgress::default());
    }

    /// The answer is handed over; the client has the word.
    pub(crate) fn end(&self) {
        self.expected.set(Expected::Request);
        self.unread.take();
        self.held.set(Held::No);
    }

    /// Bytes have come.
    pub(crate) fn heard(&self) {
        if self.expected.get() == Expected::Request {
            self.expected.set(Expected::RequestHead);
            self.waited.set(0);
        }
    }

    /// The socket takes no more for now.
    pub(crate) fn stalls(&self) {
        if self.stalled.get().is_none() {
            self.stalled.set(Some(0));
        }
    }

    /// The socket has taken bytes.
    pub(crate) fn flows(&self) {
        self.stalled.set(None);
    }

    /// Whether the client has kept the connection waiting for too long.
    pub(crate) fn is_late(&self) -> bool {
        self.late.get()
    }

    /// Keeps the body back until somebody asks for it.
    pub(crate) fn hold_body(&self) {
        self.held.set(Held::Yes);
    }

    /// Whether the body is kept back.
    pub(crate) fn holds_body(&self) -> bool {
        self.held.get() != Held::No
    }

    /// Asks for the body when it is kept back; false when it is not.
    pub(crate) fn want_body(&self, context: &Context<'_>) -> bool {
        if self.held.get() == Held::No {
            return false;
        }
        self.held.set(Held::Wanted);
        register(&self.reader, context);
        true
    }

    /// Whether somebody waits for a body that is kept back.
    pub(crate) fn is_body_wanted(&self) -> bool {
        self.held.get() == Held::Wanted
    }

    /// Lets the body come.
    pub(crate) fn release_body(&self) {
        self.held.set(Held::No);
        wake(&self.reader);
    }

    /// Waits for more of a body; false when that has lasted too long already.
    pub(crate) fn await_body(&self, context: &Context<'_>) -> bool {
        if self.body.get().late {
            return false;
        }
        if self.expected.replace(Expected::Body) != Expected::Body {
            self.waited.set(0);
        }
        register(&self.reader, context);
        true
    }

    /// A piece of a body has come.
    pub(crate) fn received(&self, bytes: usize) {
        let mut body = self.body.get();
        body.received = body.received.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
        self.body.set(body);
        self.expected.set(Expected::Nothing);
    }

    /// Leaves a body that is not read to its end.
    pub(crate) fn leave_unread(&self, unread: Unread) {
        self.unread.set(Some(unread));
    }

    /// Takes what was left.
    pub(crate) fn take_unread(&self) -> Option<Unread> {
        self.unread.take()
    }

    /// Closes the connection after the answer that is under way.
    pub(crate) fn close(&self) {
        self.closing.set(true);
        wake(&self.connection);
    }

    /// Whether no further request is answered.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.get()
    }

    /// Remembers the task of the connection, which stays the same.
    pub(crate) fn register_connection(&self, context: &Context<'_>) {
        if self.connection.borrow().is_none() {
            register(&self.connection, context);
        }
    }

    /// A tick has passed: wakes what waits when it has waited for too long.
    pub(crate) fn tick(&self, pace: &Pace) {
        if let Some(stalled) = self.stalled.get() {
            self.stalled.set(Some(stalled.saturating_add(1)));
            if stalled >= pace.body {
                self.give_up();
            }
        }
        let waited = self.waited.get().saturating_add(1);
        match self.expected.get() {
            Expected::RequestHead => {
                self.waited.set(waited);
                if waited > pace.head {
                    self.give_up();
                }
            }
            Expected::Body => {
                self.waited.set(waited);
                let mut body = self.body.get();
                body.waited = body.waited.saturating_add(1);
                body.late = waited > pace.body || pace.is_too_slow(body.received, body.waited);
                self.body.set(body);
                if body.late {
                    wake(&self.reader);
                }
            }
            Expected::Nothing | Expected::Request => {}
        }
    }

    fn give_up(&self) {
        self.late.set(true);
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
