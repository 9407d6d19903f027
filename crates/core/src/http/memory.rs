//! [`MemoryAccount`]: what a worker keeps in memory for its clients.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::{Rc, Weak};
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;

/// The bytes that a worker keeps for its clients, up to a limit: heads, bodies and decoders of requests, unsent responses and their encoders.
///
/// Beyond the limit, the slowest of the clients that are awaited are given up. While the limit is used by responses that are being encoded,
/// further requests wait.
pub struct MemoryAccount {
    limit: usize,
    /// The bytes that are kept, without those of clients that are given up.
    held: Cell<usize>,
    /// The part of them whose clients were not awaited yet.
    working: Cell<usize>,
    /// The bytes of clients that are given up, until their tasks have dropped them.
    ending: Cell<usize>,
    shares: RefCell<Vec<Weak<MemoryShare>>>,
    freed: Notify,
}

/// How long a request waits for the next client that is given up to drop its memory.
const OVERDRAWN: Duration = Duration::from_millis(100);

impl MemoryAccount {
    /// Returns an empty account for so many bytes of memory. An allocator needs a quarter of them for what lies between the others.
    #[must_use]
    pub fn new(memory: usize) -> Rc<Self> {
        Rc::new(Self {
            limit: memory - memory / 4,
            held: Cell::new(0),
            working: Cell::new(0),
            ending: Cell::new(0),
            shares: RefCell::default(),
            freed: Notify::new(),
        })
    }

    /// Returns a share for a client.
    pub fn share(self: &Rc<Self>) -> Rc<MemoryShare> {
        let share = Rc::new(MemoryShare {
            account: self.clone(),
            since: Instant::now(),
            held: Cell::new(0),
            moved: Cell::new(0),
            state: Cell::new(ShareState::Working),
            waker: RefCell::new(None),
        });
        let mut shares = self.shares.borrow_mut();
        // Swept when it would grow, so that adding one takes constant time.
        if shares.len() == shares.capacity() {
            shares.retain(|share| share.strong_count() > 0);
        }
        shares.push(Rc::downgrade(&share));
        share
    }

    /// Returns whether more is kept than the limit, and a request is to [wait](Self::room) before it is handled.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.is_overdrawn() || self.working.get() >= self.limit
    }

    /// Waits until there is room for another request.
    pub async fn room(&self) {
        // One that is given up may be busy with something else.
        while self.is_overdrawn() && timeout(OVERDRAWN, self.freed.notified()).await.is_ok() {}
        while self.working.get() >= self.limit {
            self.freed.notified().await;
        }
    }

    /// Returns whether clients are given up whose memory is still needed: their tasks come first then.
    #[must_use]
    pub fn is_overdrawn(&self) -> bool {
        self.ending.get() > 0 && self.held.get().saturating_add(self.ending.get()) > self.limit
    }

    /// Gives up clients that are awaited, the slowest first, until the rest is within the limit. One alone may exceed it.
    fn shrink(&self) {
        while self.held.get() > self.limit {
            let shares: Vec<_> = self.shares.borrow().iter().filter_map(Weak::upgrade).collect();
            let shares = shares.iter().filter(|share| share.held.get() > 0);
            let awaited = shares.clone().filter(|share| share.state.get() == ShareState::Awaited);
            let now = Instant::now();
            let Some(slowest) = awaited.min_by(|a, b| a.rate(now).total_cmp(&b.rate(now))) else { return };
            if shares.filter(|share| share.state.get() != ShareState::Ended).count() == 1 {
                return;
            }
            slowest.end();
        }
    }
}

impl fmt::Debug for MemoryAccount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, held, .. } = self;
        formatter.debug_struct("MemoryAccount").field("limit", limit).field("held", held).finish_non_exhaustive()
    }
}

/// The bytes that are kept for one client, until it is dropped.
pub struct MemoryShare {
    account: Rc<MemoryAccount>,
    since: Instant,
    held: Cell<usize>,
    /// The bytes that the client has sent or taken.
    moved: Cell<usize>,
    state: Cell<ShareState>,
    waker: RefCell<Option<Waker>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShareState {
    /// The client was not awaited yet.
    Working,
    Awaited,
    /// The client is given up.
    Ended,
}

impl MemoryShare {
    /// Notes that `held` bytes are kept, while the client is not awaited.
    pub fn keep(&self, held: usize) {
        if self.state.get() != ShareState::Ended {
            self.change_to(ShareState::Working, held);
        }
    }

    /// Notes that `held` bytes are kept while the client is awaited, which has sent or taken `moved` bytes so far. Returns false if the client
    /// is to be given up; the task is woken when that happens later.
    #[must_use]
    pub fn hold(&self, held: usize, moved: usize, context: &Context<'_>) -> bool {
        if self.state.get() == ShareState::Ended {
            return false;
        }
        self.moved.set(moved);
        self.change_to(ShareState::Awaited, held);
        if self.state.get() == ShareState::Ended {
            return false;
        }
        let mut waker = self.waker.borrow_mut();
        if !waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
            *waker = Some(context.waker().clone());
        }
        true
    }

    /// Notes that nothing is kept.
    pub fn release(&self) {
        self.set(0);
    }

    fn change_to(&self, state: ShareState, held: usize) {
        if self.state.get() != state {
            self.set(0);
            self.state.set(state);
        }
        self.set(held);
        self.account.shrink();
    }

    fn set(&self, held: usize) {
        let before = self.held.replace(held);
        let change = |sum: &Cell<usize>| sum.set(sum.get().saturating_sub(before).saturating_add(held));
        let account = &self.account;
        match self.state.get() {
            ShareState::Ended => change(&account.ending),
            ShareState::Working => {
                change(&account.working);
                change(&account.held);
            }
            ShareState::Awaited => change(&account.held),
        }
        if held < before {
            account.freed.notify_waiters();
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "rates are compared, and need not be exact")]
    fn rate(&self, now: Instant) -> f64 {
        self.moved.get() as f64 / now.duration_since(self.since).as_secs_f64().max(f64::MIN_POSITIVE)
    }

    fn end(&self) {
        let held = self.held.get();
        self.set(0);
        self.state.set(ShareState::Ended);
        self.set(held);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

impl fmt::Debug for MemoryShare {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { held, moved, .. } = self;
        formatter.debug_struct("MemoryShare").field("held", held).field("moved", moved).finish_non_exhaustive()
    }
}

impl Drop for MemoryShare {
    fn drop(&mut self) {
        self.release();
    }
}

/// The bytes that a coder of a body keeps while its client is awaited, as the coder says.
///
/// A [decoder](super::IncomingBody::decode) of requests gets one, and an encoder of a response makes one with
/// [`HttpResponse::coder_memory`](super::HttpResponse::coder_memory). They count in
/// [`Configuration::body_memory`](crate::Configuration::body_memory).
#[derive(Debug, Clone, Default)]
pub struct CoderMemory(Rc<Cell<usize>>);

impl CoderMemory {
    /// Sets how many bytes are kept from now on.
    pub fn set(&self, bytes: usize) {
        self.0.set(bytes);
    }

    /// Returns how many bytes are kept.
    #[must_use]
    pub fn get(&self) -> usize {
        self.0.get()
    }
}
