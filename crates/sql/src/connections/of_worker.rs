//! Finds the pools of the current worker.

use std::any::Any;
use std::cell::RefCell;
use std::sync::{Arc, Weak};

use restwright_resource::StoreError;
use tokio::runtime::{self, Handle};

/// A connection pool that belongs to the current worker.
struct PoolOfWorker {
    /// The `id` of the [`Connections`](super::Connections) that the pool belongs to.
    id: u64,
    runtime: Option<runtime::Id>,
    /// A weak reference that expires when the store is dropped. The worker then removes the pool when it opens another pool.
    store: Weak<()>,
    pool: Box<dyn Any>,
}

thread_local! {
    static POOLS: RefCell<Vec<PoolOfWorker>> = const { RefCell::new(Vec::new()) };
}

/// Returns the store's pool of the type `P` for the current worker. Calls `open` if the worker has no such pool or `is_closed` returns
/// `true`.
pub(super) fn of_worker<P: Clone + 'static>(
    connections: u64,
    alive: &Arc<()>,
    is_closed: impl Fn(&P) -> bool,
    open: impl FnOnce() -> Result<P, StoreError>,
) -> Result<P, StoreError> {
    // A connection can be used only in the runtime that opened it.
    let runtime = Handle::try_current().ok().map(|runtime| runtime.id());
    POOLS.with_borrow_mut(|pools| {
        let own = pools.iter().filter(|own| own.id == connections && own.runtime == runtime);
        let mut own = own.filter_map(|own| own.pool.downcast_ref::<P>());
        if let Some(pool) = own.find(|pool| !is_closed(pool)) {
            return Ok(pool.clone());
        }
        let pool = open()?;
        pools.retain(|own| {
            let is_same = own.id == connections && own.runtime == runtime && own.pool.is::<P>();
            !is_same && own.store.strong_count() > 0
        });
        let store = Arc::downgrade(alive);
        pools.push(PoolOfWorker { id: connections, runtime, store, pool: Box::new(pool.clone()) });
        Ok(pool)
    })
}
