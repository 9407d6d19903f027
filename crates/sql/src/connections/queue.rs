//! Defines [`Place`], a place in the queue for connections.

use std::sync::atomic::{AtomicUsize, Ordering};

use restwright_resource::StoreError;

/// A place in the queue of statements that wait for a connection. Dropping it frees the place.
pub(crate) struct Place<'q>(&'q AtomicUsize);

impl<'q> Place<'q> {
    pub(super) fn take(waiting: &'q AtomicUsize, most: usize) -> Result<Self, StoreError> {
        let place = Self(waiting);
        if waiting.fetch_add(1, Ordering::Relaxed) < most {
            return Ok(place);
        }
        Err(StoreError::unavailable("too many statements are waiting for a connection"))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
