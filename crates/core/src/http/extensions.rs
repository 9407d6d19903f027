//! Values that travel with a request, found by their type.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;

/// Values that middlewares, authenticators and parts add to a request, one per type.
///
/// ```
/// use restwright_core::http::Extensions;
///
/// let mut extensions = Extensions::default();
/// extensions.insert("tenant".to_owned());
/// assert_eq!(extensions.get::<String>().map(String::as_str), Some("tenant"));
/// ```
#[derive(Default)]
pub struct Extensions {
    // Most requests carry none, so that the map is made on the first insertion.
    values: Option<HashMap<TypeId, Box<dyn Any>>>,
}

impl Extensions {
    /// Inserts a value and returns the one of the same type that it replaces.
    pub fn insert<T: 'static>(&mut self, value: T) -> Option<T> {
        let previous = self.values.get_or_insert_default().insert(TypeId::of::<T>(), Box::new(value))?;
        previous.downcast().ok().map(|value| *value)
    }

    /// Returns the value of this type.
    #[must_use]
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.values.as_ref()?.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// Returns the value of this type for changing.
    pub fn get_mut<T: 'static>(&mut self) -> Option<&mut T> {
        self.values.as_mut()?.get_mut(&TypeId::of::<T>())?.downcast_mut()
    }

    /// Removes and returns the value of this type.
    pub fn remove<T: 'static>(&mut self) -> Option<T> {
        self.values.as_mut()?.remove(&TypeId::of::<T>())?.downcast().ok().map(|value| *value)
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.values.as_ref().map_or(0, HashMap::len);
        formatter.debug_struct("Extensions").field("count", &count).finish()
    }
}
