//! Defines [`Table`], which contains the locked keys and the stored responses, and applies limits.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::idempotency::{Fingerprint, IdempotencyKey, KeptResponse};

/// The lock on an idempotency key. Requests with the same key wait for the lock in their order of arrival.
pub(super) type Gate = Arc<Mutex<()>>;

/// The estimated overhead of each stored response, in bytes.
const PLACE: usize = 512;

/// The locked keys and the stored responses. Responses expire and are removed in the order of their completion.
#[derive(Default)]
pub(super) struct Table {
    limits: Limits,
    entries: HashMap<IdempotencyKey, Entry>,
    callers: HashMap<[u8; 32], CallerResponses>,
    /// The stored responses, by their sequence numbers. The lowest number belongs to the oldest response.
    order: BTreeMap<u64, Completed>,
    next: u64,
    bytes: usize,
    evictions: u64,
}

pub(super) struct Limits {
    pub(super) caller_keys: usize,
    pub(super) caller_bytes: usize,
    pub(super) keys: usize,
    pub(super) bytes: usize,
}

struct Entry {
    fingerprint: Fingerprint,
    state: State,
}

enum State {
    InFlight(Gate),
    Kept(KeptResponse),
}

struct Completed {
    key: IdempotencyKey,
    at: Duration,
    bytes: usize,
}

/// The stored responses of one caller.
#[derive(Default)]
struct CallerResponses {
    /// The sequence numbers of the caller's responses. The first number belongs to the oldest response.
    numbers: VecDeque<u64>,
    bytes: usize,
}

/// The result of looking up an idempotency key.
pub(super) enum Found {
    /// The key was new, and the request now holds its lock.
    Nothing,
    Kept(KeptResponse),
    InFlight(Gate),
    OtherRequest,
}

impl Table {
    /// Looks up an idempotency key. A new key is locked for the holder of the lock `turn`.
    pub(super) fn begin(
        &mut self,
        key: &IdempotencyKey,
        fingerprint: &Fingerprint,
        turn: &OwnedMutexGuard<()>,
        expired_before: Option<Duration>,
    ) -> Found {
        self.expire(expired_before);
        match self.entries.get(key) {
            Some(entry) if entry.fingerprint != *fingerprint => Found::OtherRequest,
            Some(Entry { state: State::Kept(response), .. }) => Found::Kept(response.clone()),
            Some(Entry { state: State::InFlight(gate), .. }) => Found::InFlight(gate.clone()),
            None => {
                let state = State::InFlight(OwnedMutexGuard::mutex(turn).clone());
                self.entries.insert(*key, Entry { fingerprint: *fingerprint, state });
                Found::Nothing
            }
        }
    }

    /// Stores a response under its locked key. Returns `false` if the response is too large, which releases the key.
    pub(super) fn complete(&mut self, key: &IdempotencyKey, response: KeptResponse, now: Duration) -> bool {
        let bytes = PLACE.saturating_add(response.bytes());
        if !self.make_room(key.caller(), bytes) {
            self.release(key);
            return false;
        }
        let Some(entry) = self.entries.get_mut(key) else { return false };
        entry.state = State::Kept(response);
        let caller = self.callers.entry(*key.caller()).or_default();
        caller.numbers.push_back(self.next);
        caller.bytes += bytes;
        self.order.insert(self.next, Completed { key: *key, at: now, bytes });
        self.bytes += bytes;
        self.next += 1;
        true
    }

    /// Releases a locked key.
    pub(super) fn release(&mut self, key: &IdempotencyKey) {
        self.entries.remove(key);
    }

    pub(super) fn keys(&self) -> usize {
        self.order.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn evictions(&self) -> u64 {
        self.evictions
    }

    pub(super) fn limits_mut(&mut self) -> &mut Limits {
        &mut self.limits
    }

    /// Removes old responses until there is room for a new response to the caller. Returns `false` if the response can never fit.
    fn make_room(&mut self, caller: &[u8; 32], bytes: usize) -> bool {
        let Limits { caller_keys, caller_bytes, keys, bytes: all_bytes } = self.limits;
        if bytes > caller_bytes.min(all_bytes) || caller_keys.min(keys) == 0 {
            return false;
        }
        while let Some(of_caller) = self.callers.get(caller)
            && (of_caller.numbers.len() >= caller_keys || of_caller.bytes > caller_bytes - bytes)
        {
            self.evictions += 1;
            self.forget_oldest_of(*caller);
        }
        while let Some((_, oldest)) = self.order.first_key_value()
            && (self.order.len() >= keys || self.bytes > all_bytes - bytes)
        {
            self.evictions += 1;
            self.forget_oldest_of(*oldest.key.caller());
        }
        true
    }

    /// Removes responses that were completed at or before the given time.
    fn expire(&mut self, before: Option<Duration>) {
        let Some(before) = before else { return };
        while let Some((_, oldest)) = self.order.first_key_value()
            && oldest.at <= before
        {
            // The oldest response of all is also the oldest of its caller.
            self.forget_oldest_of(*oldest.key.caller());
        }
    }

    fn forget_oldest_of(&mut self, caller: [u8; 32]) {
        let Some(responses) = self.callers.get_mut(&caller) else { return };
        let completed = responses.numbers.pop_front().and_then(|number| self.order.remove(&number));
        if let Some(completed) = completed {
            responses.bytes -= completed.bytes;
            self.bytes -= completed.bytes;
            self.entries.remove(&completed.key);
        }
        if responses.numbers.is_empty() {
            self.callers.remove(&caller);
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { caller_keys: 1000, caller_bytes: 4 << 20, keys: 100_000, bytes: 64 << 20 }
    }
}
