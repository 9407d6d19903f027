//! [`SharedPlan`]: the plan of a part of a request, for other parts and for the response.

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use restwright_core::RequestHead;

/// The plan of one part of a request, which other parts find in the state of the operation. A clone shares it.
#[derive(Debug)]
pub(crate) struct SharedPlan<P>(Arc<Slot<P>>);

#[derive(Debug)]
struct Slot<P> {
    plan: OnceLock<P>,
    /// `true` if another part goes by the value that the plan reads.
    is_shared: AtomicBool,
}

impl<P> SharedPlan<P> {
    /// Sets the plan; `false` if there is one already.
    pub(crate) fn set(&self, plan: P) -> bool {
        self.0.plan.set(plan).is_ok()
    }

    /// Returns the plan, if it is made already.
    pub(crate) fn get(&self) -> Option<&P> {
        self.0.plan.get()
    }

    /// Reads the value for the part itself. It leaves a copy only if another part goes by it.
    pub(crate) fn read<V: Clone + 'static>(
        &self,
        head: &RequestHead<'_>,
        read: impl FnOnce() -> Option<V>,
    ) -> Option<V> {
        if self.0.is_shared.load(Ordering::Relaxed) { head.shared(read).map(Rc::unwrap_or_clone) } else { read() }
    }

    /// Returns the plan for a part that goes by its value, and reads it with [`RequestHead::shared`].
    #[cfg(feature = "cursor")]
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
        Self(Arc::new(Slot { plan: OnceLock::new(), is_shared: AtomicBool::new(false) }))
    }
}
