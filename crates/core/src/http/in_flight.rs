//! Defines [`InFlight`], which limits the requests in progress on a worker.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use super::long_lived::LongLived;
use super::{HttpRequest, MemoryAccount, MemoryShare};

/// The maximum time that a request waits for a free place after its body has arrived.
const PLACE_WAIT: Duration = Duration::from_secs(1);

/// Limits the number of requests in progress on a worker.
///
/// Each request in progress holds one of `limit` places. It releases the place while the worker waits for its client. A
/// client that sends nothing therefore does not block other clients.
pub struct InFlight {
    limit: usize,
    taken: Cell<usize>,
    waiting: Cell<usize>,
    freed: Notify,
    memory: Rc<MemoryAccount>,
    long_lived: Rc<LongLived>,
}

impl InFlight {
    /// Creates a limiter that allows at most `limit` requests in progress. `memory` is the account that counts the
    /// memory of these requests. `long_lived` limits their long-lived responses.
    #[must_use]
    pub fn new(limit: usize, memory: Rc<MemoryAccount>, long_lived: Rc<LongLived>) -> Rc<Self> {
        Rc::new(Self { limit, taken: Cell::new(0), waiting: Cell::new(0), freed: Notify::new(), memory, long_lived })
    }

    /// Returns the account that counts the memory of the requests.
    #[must_use]
    pub fn memory(&self) -> &Rc<MemoryAccount> {
        &self.memory
    }

    /// Returns the limits of long-lived responses.
    #[must_use]
    pub fn long_lived(&self) -> &Rc<LongLived> {
        &self.long_lived
    }

    /// Counts a new request as in progress until the returned [`Place`] is dropped. Returns `None` if the limit is
    /// reached. Earlier requests that wait for a place have priority.
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
}

impl fmt::Debug for InFlight {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, taken, memory, .. } = self;
        formatter
            .debug_struct("InFlight")
            .field("limit", limit)
            .field("taken", &taken.get())
            .field("memory", memory)
            .finish_non_exhaustive()
    }
}

/// A place for one request in progress on a worker. Dropping this value frees the place for another request.
#[derive(Debug)]
pub struct Place<'a> {
    in_flight: &'a Rc<InFlight>,
    ticket: Option<Rc<Ticket>>,
}

impl Place<'_> {
    /// Gives the limits of the worker to a request, and lets its body release the place while the worker waits for the rest
    /// of the body.
    pub fn lend(&mut self, request: &mut HttpRequest) {
        request.0.in_flight = Some(self.in_flight.clone());
        let body = request.body_mut();
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

/// A handle that the request body uses to release the place of its request, and to reserve a place again.
#[derive(Debug)]
pub(super) struct Ticket {
    in_flight: Rc<InFlight>,
    holds: Cell<Holds>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Place,
    /// The request holds no place, because the worker waits for the client to send the body.
    Nothing,
    /// The request is finished. Its body may still be read while the response is sent.
    NoMore,
}

impl Ticket {
    /// Releases the place of the request while the worker waits for the client.
    pub(super) fn vacate(&self) {
        if self.holds.get() == Holds::Place {
            self.holds.set(Holds::Nothing);
            self.in_flight.leave();
        }
    }

    /// Reserves a place for the request again, even beyond the limit.
    pub(super) fn retake(&self) {
        if self.holds.get() == Holds::Nothing {
            self.holds.set(Holds::Place);
            self.in_flight.taken.set(self.in_flight.taken.get() + 1);
        }
    }

    /// Reserves a place for the request again. Returns `false` if no place is free.
    pub(super) fn try_retake(&self) -> bool {
        let is_possible = self.holds.get() != Holds::Nothing || self.in_flight.has_place();
        if is_possible {
            self.retake();
        }
        is_possible
    }

    /// Waits at most one second for a free place. Then reserves the place again, even if the limit is exceeded. Returns
    /// `false` if no place became free.
    pub(super) async fn wait(self: Rc<Self>) -> bool {
        let in_flight = &self.in_flight;
        let _waiting = WaitingRequest::new(in_flight);
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

    /// Creates a counter for the memory that the request uses while the worker waits for the client.
    pub(super) fn memory_share(&self) -> Rc<MemoryShare> {
        self.in_flight.memory.share()
    }
}

/// Counts one request as waiting for a place until this value is dropped. Waiting requests have priority over new
/// requests.
struct WaitingRequest<'a>(&'a InFlight);

impl<'a> WaitingRequest<'a> {
    fn new(in_flight: &'a InFlight) -> Self {
        in_flight.waiting.set(in_flight.waiting.get() + 1);
        Self(in_flight)
    }
}

impl Drop for WaitingRequest<'_> {
    fn drop(&mut self) {
        self.0.waiting.set(self.0.waiting.get().saturating_sub(1));
    }
}
