//! [`Gates`]: the keys of the requests that this process carries out, so that of those with one key a single one waits in the database.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use restwright_resource::idempotency::{Fingerprint, IdempotencyKey};
use tokio::sync::OwnedMutexGuard;

/// A lock that a turn holds. Requests with the same key wait for it, in the order in which they came.
type Gate = Arc<tokio::sync::Mutex<()>>;

type Keys = HashMap<[u8; 32], (Fingerprint, Gate)>;

/// The keys of the requests that are carried out.
#[derive(Clone, Default)]
pub(super) struct Gates(Arc<Mutex<Keys>>);

/// The right to carry out the request of a key in this process; dropping it lets the next one in.
pub(super) struct Turn {
    gates: Gates,
    key: [u8; 32],
    /// Opened after the key was taken out of the map.
    _gate: OwnedMutexGuard<()>,
}

/// The finding for a key.
pub(super) enum Entered {
    Turn(Turn),
    OtherRequest,
    InFlight,
}

impl Gates {
    /// Waits for the turn of a request, for no longer than its patience.
    pub(super) async fn enter(&self, key: &IdempotencyKey, fingerprint: &Fingerprint, patience: Duration) -> Entered {
        tokio::time::timeout(patience, self.wait(key.digest(), fingerprint)).await.unwrap_or(Entered::InFlight)
    }

    async fn wait(&self, key: &[u8; 32], fingerprint: &Fingerprint) -> Entered {
        let mut gate = Gate::default().lock_owned().await;
        loop {
            let other = match self.keys().get(key) {
                Some((other, _)) if other != fingerprint => return Entered::OtherRequest,
                Some((_, other)) => Some(Arc::clone(other)),
                None => None,
            };
            // Between these two, no other request can enter: a turn is taken under the lock of the map.
            let Some(other) = other.or_else(|| self.take(key, fingerprint, &gate)) else {
                return Entered::Turn(Turn { gates: self.clone(), key: *key, _gate: gate });
            };
            // Those who wait for this gate wait for the other one too from now on.
            drop(gate);
            gate = other.lock_owned().await;
        }
    }

    /// Takes a turn, or returns the gate of who has it.
    fn take(&self, key: &[u8; 32], fingerprint: &Fingerprint, gate: &OwnedMutexGuard<()>) -> Option<Gate> {
        let mut keys = self.keys();
        if let Some((_, other)) = keys.get(key) {
            return Some(Arc::clone(other));
        }
        keys.insert(*key, (*fingerprint, Arc::clone(OwnedMutexGuard::mutex(gate))));
        None
    }

    fn keys(&self) -> MutexGuard<'_, Keys> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.gates.keys().remove(&self.key);
    }
}
