//! Typed values that travel with something and that no document shows.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

/// Values by their type, one of each: what middlewares and parts leave with an operation for the time when it is called, the
/// settings of a configuration or a route, what an authenticator knows of a caller. Cheap to clone.
///
/// ```
/// use restwright_core::operation::Attachments;
///
/// let mut attachments = Attachments::default();
/// attachments.insert(7_u32);
/// assert_eq!(attachments.get::<u32>(), Some(&7));
/// ```
#[derive(Clone, Default)]
pub struct Attachments {
    // There are a few at most, which a list finds faster than a map.
    values: Vec<(TypeId, Arc<dyn Any + Send + Sync>)>,
}

impl Attachments {
    /// Attaches a value in place of the one of the same type.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        let id = TypeId::of::<T>();
        self.values.retain(|(known, _)| *known != id);
        self.values.push((id, Arc::new(value)));
    }

    /// The value of this type.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        let id = TypeId::of::<T>();
        self.values.iter().find(|(known, _)| *known == id)?.1.downcast_ref()
    }
}

impl fmt::Debug for Attachments {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Attachments").field("count", &self.values.len()).finish()
    }
}
