//! Defines [`TypeMap`], a map with one value per type.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

/// A map with one value per type. It stores the settings of a configuration or a route, and the values that are
/// attached to an identity. It is cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct TypeMap {
    // There are only a few values, so a list is faster than a map.
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
