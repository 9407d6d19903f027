//! Defines [`MemoryAccount`], which limits the memory that a worker uses for its clients.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;

/// Limits the memory that a worker uses for its clients. This memory contains request heads, bodies and decoders, and
/// unsent responses and their encoders.
///
/// Beyond the limit, the worker abandons the slowest clients that it waits for. While encoders of responses use the
/// whole limit, new requests wait.
pub struct MemoryAccount {
    limit: usize,
    /// The number of bytes that all clients use, not counting abandoned clients.
    held: Cell<usize>,
    /// The number of bytes in `held` that belong to clients in the state [`ShareState::Working`].
    working: Cell<usize>,
    /// The number of bytes that the tasks of abandoned clients have not released yet.
    ending: Cell<usize>,
    shares: RefCell<Vec<Weak<MemoryShare>>>,
    freed: Notify,
    /// The number of bytes in `held` and `ending`, for other threads.
    total: Arc<AtomicUsize>,
}

/// The maximum time that a new request waits for the next abandoned client to release its memory.
const OVERDRAWN: Duration = Duration::from_millis(100);

impl MemoryAccount {
    /// Creates an account with a limit of three quarters of `memory` bytes. The rest is reserved for fragmentation in
    /// the allocator.
    #[must_use]
    pub fn new(memory: usize) -> Rc<Self> {
        Rc::new(Self {
            limit: memory - memory / 4,
            held: Cell::new(0),
            working: Cell::new(0),
            ending: Cell::new(0),
            shares: RefCell::default(),
            freed: Notify::new(),
            total: Arc::default(),
        })
    }

    /// Returns the limit in bytes.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the number of bytes in use, which other threads can read.
    #[must_use]
    pub fn total(&self) -> &Arc<AtomicUsize> {
        &self.total
    }

    /// Creates the memory counter of one client in this account.
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
        // Unused shares are removed only when the list would grow, so adding a share takes amortized constant time.
        if shares.len() == shares.capacity() {
            shares.retain(|share| share.strong_count() > 0);
        }
        shares.push(Rc::downgrade(&share));
        share
    }

    /// Returns `true` if a new request must [wait](Self::room) for memory.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.is_overdrawn() || self.working.get() >= self.limit
    }

    /// Returns `true` if responses may use `bytes` more for as long as they are open. They use at most half of the limit,
    /// so the other half remains for the clients that the worker waits for.
    #[must_use]
    pub fn has_room_to_work(&self, bytes: usize) -> bool {
        self.working.get().saturating_add(bytes) <= self.limit / 2
    }

    /// Waits until there is memory for another request.
    pub async fn room(&self) {
        // The wait is bounded, because the task of an abandoned client may be busy.
        while self.is_overdrawn() && timeout(OVERDRAWN, self.freed.notified()).await.is_ok() {}
        while self.working.get() >= self.limit {
            self.freed.notified().await;
        }
    }

    /// Returns `true` if the account exceeds its limit only because clients whose requests were abandoned have not
    /// released their memory yet.
    /// The caller should then let the tasks of these clients run first.
    #[must_use]
    pub fn is_overdrawn(&self) -> bool {
        self.ending.get() > 0 && self.held.get().saturating_add(self.ending.get()) > self.limit
    }

    /// Abandons the slowest clients that the worker waits for, until the memory is below the limit. A single client may
    /// exceed the limit.
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

/// The memory of one client in a [`MemoryAccount`]. Dropping the share releases the memory.
pub struct MemoryShare {
    account: Rc<MemoryAccount>,
    since: Instant,
    held: Cell<usize>,
    /// The number of bytes that the client has sent or received so far.
    moved: Cell<usize>,
    state: Cell<ShareState>,
    waker: RefCell<Option<Waker>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShareState {
    /// The worker handles the request and does not wait for the client.
    Working,
    Awaited,
    /// The client is abandoned.
    Ended,
}

impl MemoryShare {
    /// Records how many bytes the client uses while the worker handles the client's request. Do not call this method
    /// while the worker waits for the client.
    pub fn keep(&self, held: usize) {
        if self.state.get() != ShareState::Ended {
            self.change_to(ShareState::Working, held);
        }
    }

    /// Records how many bytes the client uses while the worker waits for the client. `held` is the number of bytes in
    /// use. `moved` is the number of bytes that the client has sent or received so far.
    ///
    /// Returns `false` if the client is abandoned. If the client is abandoned later, its task is woken.
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

    /// Returns `true` if the account is [overdrawn](MemoryAccount::is_overdrawn).
    #[must_use]
    pub fn is_overdrawn(&self) -> bool {
        self.account.is_overdrawn()
    }

    /// Records that the client no longer uses memory.
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
        account.total.store(account.held.get().saturating_add(account.ending.get()), Ordering::Relaxed);
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

/// A shared counter of the bytes that a decoder or encoder uses while the worker waits for the client.
///
/// A [decoder](super::IncomingBody::decode) of a request receives a counter. An encoder of a response creates a counter
/// with [`HttpResponse::coder_memory`](super::HttpResponse::coder_memory). The bytes count towards
/// [`Configuration::body_memory`](crate::Configuration::body_memory). The bytes of an encoder also count while the worker
/// does not wait for the client.
#[derive(Debug, Clone, Default)]
pub struct CoderMemory(Rc<Cell<usize>>);

impl CoderMemory {
    /// Sets the number of bytes in use.
    pub fn set(&self, bytes: usize) {
        self.0.set(bytes);
    }

    /// Returns the number of bytes in use.
    #[must_use]
    pub fn get(&self) -> usize {
        self.0.get()
    }
}
