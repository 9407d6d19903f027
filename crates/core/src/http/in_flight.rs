//! [`InFlight`]: what a worker works on, and the bodies that it waits for.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::{Rc, Weak};
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;

use super::IncomingBody;

/// How long a request whose body has come waits for a place.
const PLACE_WAIT: Duration = Duration::from_secs(1);

/// The requests that a worker handles, up to a limit, and the bytes of bodies that have not come whole.
///
/// A request holds a place, except while its client is awaited: a client that sends nothing keeps nobody else out.
pub struct InFlight {
    limit: usize,
    taken: Cell<usize>,
    waiting: Cell<usize>,
    freed: Notify,
    body_memory: usize,
    buffered: Cell<usize>,
    unfinished: RefCell<Vec<Weak<Unfinished>>>,
}

impl InFlight {
    /// Returns a count with the limits of requests, and of the bytes of unfinished bodies.
    #[must_use]
    pub fn new(limit: usize, body_memory: usize) -> Rc<Self> {
        Rc::new(Self {
            limit,
            taken: Cell::new(0),
            waiting: Cell::new(0),
            freed: Notify::new(),
            body_memory,
            buffered: Cell::new(0),
            unfinished: RefCell::default(),
        })
    }

    /// Takes a place for a new request, if there is one that no other waits for.
    #[must_use]
    pub fn enter(self: &Rc<Self>) -> Option<Place<'_>> {
        (self.taken.get() + self.waiting.get() < self.limit).then(|| {
            self.taken.set(self.taken.get() + 1);
            Place { in_flight: self, ticket: None }
        })
    }

    fn leave(&self) {
        self.taken.set(self.taken.get().saturating_sub(1));
        if self.waiting.get() > 0 {
            self.freed.notify_one();
        }
    }

    fn has_place(&self) -> bool {
        self.taken.get() < self.limit
    }

    fn unfinished(self: &Rc<Self>) -> Rc<Unfinished> {
        let body = Rc::new(Unfinished {
            in_flight: self.clone(),
            since: Instant::now(),
            received: Cell::new(0),
            is_ended: Cell::new(false),
            reader: RefCell::new(None),
        });
        let mut unfinished = self.unfinished.borrow_mut();
        // Swept when it would grow, so that noting a body takes constant time.
        if unfinished.len() == unfinished.capacity() {
            unfinished.retain(|body| body.strong_count() > 0);
        }
        unfinished.push(Rc::downgrade(&body));
        body
    }

    /// Ends unfinished bodies, the slowest first, until the rest is within the limit. One alone may exceed it.
    fn shrink(&self) {
        while self.buffered.get() > self.body_memory {
            let bodies: Vec<_> = self.unfinished.borrow().iter().filter_map(Weak::upgrade).collect();
            let bodies = bodies.iter().filter(|body| body.received.get() > 0);
            let now = Instant::now();
            let Some(slowest) = bodies.clone().min_by(|a, b| a.rate(now).total_cmp(&b.rate(now))) else { return };
            if bodies.count() == 1 {
                return;
            }
            slowest.end();
        }
    }
}

impl fmt::Debug for InFlight {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, taken, buffered, .. } = self;
        formatter
            .debug_struct("InFlight")
            .field("limit", limit)
            .field("taken", &taken.get())
            .field("buffered", &buffered.get())
            .finish_non_exhaustive()
    }
}

/// A place among the requests in flight, until it is dropped.
#[derive(Debug)]
pub struct Place<'a> {
    in_flight: &'a Rc<InFlight>,
    ticket: Option<Rc<Ticket>>,
}

impl Place<'_> {
    /// Lets the body of the request give up the place while it is awaited.
    pub fn lend(&mut self, body: &mut IncomingBody) {
        if !body.is_empty() {
            let ticket = Rc::new(Ticket { in_flight: self.in_flight.clone(), holds: Cell::new(Holds::Place) });
            self.ticket = Some(ticket.clone());
            body.set_ticket(ticket);
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        match &self.ticket {
            None => self.in_flight.leave(),
            Some(ticket) => ticket.close(),
        }
    }
}

/// The place of a request, in the hands of its body.
#[derive(Debug)]
pub(super) struct Ticket {
    in_flight: Rc<InFlight>,
    holds: Cell<Holds>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Place,
    /// The client is awaited.
    Nothing,
    /// The request is handled. Its body may still be read, beside the response.
    NoMore,
}

impl Ticket {
    /// Gives up the place while the client is awaited.
    pub(super) fn vacate(&self) {
        if self.holds.get() == Holds::Place {
            self.holds.set(Holds::Nothing);
            self.in_flight.leave();
        }
    }

    /// Takes the place again, whether or not there is one.
    pub(super) fn retake(&self) {
        if self.holds.get() == Holds::Nothing {
            self.holds.set(Holds::Place);
            self.in_flight.taken.set(self.in_flight.taken.get() + 1);
        }
    }

    /// Takes the place again; returns false if there is none.
    pub(super) fn try_retake(&self) -> bool {
        let is_possible = self.holds.get() != Holds::Nothing || self.in_flight.has_place();
        if is_possible {
            self.retake();
        }
        is_possible
    }

    /// Waits until the place can be taken again, a second at most; returns false if it cannot.
    pub(super) async fn wait(self: Rc<Self>) -> bool {
        let in_flight = &self.in_flight;
        let _waiting = Waiting::new(in_flight);
        let place = async {
            while !in_flight.has_place() {
                in_flight.freed.notified().await;
            }
        };
        let is_free = timeout(PLACE_WAIT, place).await.is_ok();
        self.retake();
        is_free
    }

    fn close(&self) {
        self.vacate();
        self.holds.set(Holds::NoMore);
    }

    /// Notes that the body has not come whole, while it is read into memory.
    pub(super) fn unfinished(&self) -> Rc<Unfinished> {
        self.in_flight.unfinished()
    }
}

/// A request that waits for a place, before those that come later.
struct Waiting<'a>(&'a InFlight);

impl<'a> Waiting<'a> {
    fn new(in_flight: &'a InFlight) -> Self {
        in_flight.waiting.set(in_flight.waiting.get() + 1);
        Self(in_flight)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.set(self.0.waiting.get().saturating_sub(1));
    }
}

/// A body that is read into memory and has not come whole.
pub(super) struct Unfinished {
    in_flight: Rc<InFlight>,
    since: Instant,
    received: Cell<usize>,
    is_ended: Cell<bool>,
    reader: RefCell<Option<Waker>>,
}

impl Unfinished {
    /// Notes the bytes that have come so far; returns false if the body is to be given up, for the memory that it takes.
    pub(super) fn hold(&self, received: usize, context: &Context<'_>) -> bool {
        if !self.is_ended.get() {
            let more = received.saturating_sub(self.received.replace(received));
            self.in_flight.buffered.set(self.in_flight.buffered.get().saturating_add(more));
            self.in_flight.shrink();
        }
        if self.is_ended.get() {
            return false;
        }
        let mut reader = self.reader.borrow_mut();
        if !reader.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
            *reader = Some(context.waker().clone());
        }
        true
    }

    #[expect(clippy::cast_precision_loss, reason = "rates are compared, and need not be exact")]
    fn rate(&self, now: Instant) -> f64 {
        self.received.get() as f64 / now.duration_since(self.since).as_secs_f64().max(f64::MIN_POSITIVE)
    }

    fn end(&self) {
        self.is_ended.set(true);
        self.release();
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }

    fn release(&self) {
        let buffered = &self.in_flight.buffered;
        buffered.set(buffered.get().saturating_sub(self.received.replace(0)));
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.release();
    }
}
