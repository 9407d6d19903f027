//! Defines [`SharedPlan`], which stores the compiled filters or sort fields of a route. Other request parts and the
//! response can read them.

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use restwright_core::RequestHead;

/// The compiled filters or the compiled sort fields of a route. They are stored in the state of the operation. Clones
/// share them.
#[derive(Debug)]
pub(crate) struct SharedPlan<P>(Arc<PlanSlot<P>>);

#[derive(Debug)]
struct PlanSlot<P> {
    plan: OnceLock<P>,
    /// `true` if another request part also reads the parsed values.
    is_shared: AtomicBool,
}

impl<P> SharedPlan<P> {
    /// Stores the compiled filters or sort fields. Returns `false` if they are already stored.
    pub(crate) fn set(&self, plan: P) -> bool {
        self.0.plan.set(plan).is_ok()
    }

    /// Returns the compiled filters or sort fields, or `None` if they are not stored yet.
    pub(crate) fn get(&self) -> Option<&P> {
        self.0.plan.get()
    }

    /// Parses a value from a request, such as its filter conditions. The value is stored only if another request part
    /// also reads it.
    pub(crate) fn read<V: Clone + 'static>(
        &self,
        head: &RequestHead<'_>,
        read: impl FnOnce() -> Option<V>,
    ) -> Option<V> {
        if self.0.is_shared.load(Ordering::Relaxed) { head.shared(read).map(Rc::unwrap_or_clone) } else { read() }
    }

    /// Returns a clone of the plan for another request part. That part reads the value with [`RequestHead::shared`].
    pub(crate) fn borrowed(&self) -> Self {
        self.0.is_shared.store(true, Ordering::Relaxed);
        self.clone()
    }
}

impl<P> Clone for SharedPlan<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<P> Default for SharedPlan<P> {
    fn default() -> Self {
        Self(Arc::new(PlanSlot { plan: OnceLock::new(), is_shared: AtomicBool::new(false) }))
    }
}
