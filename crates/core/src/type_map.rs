//! Settings and other typed values that are found by their type.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

/// Values by their type, one of each: the settings of a configuration or a route, the values that an authenticator attaches
/// to a caller. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct TypeMap {
    // There are a few at most, which a list finds faster than a map.
    values: Vec<(TypeId, Arc<dyn Any + Send + Sync>)>,
}

impl TypeMap {
    pub(crate) fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        let id = TypeId::of::<T>();
        self.values.retain(|(known, _)| *known != id);
        self.values.push((id, Arc::new(value)));
    }

    pub(crate) fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        let id = TypeId::of::<T>();
        self.values.iter().find(|(known, _)| *known == id)?.1.downcast_ref()
    }
}

impl fmt::Debug for TypeMap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TypeMap").field("count", &self.values.len()).finish()
    }
}
