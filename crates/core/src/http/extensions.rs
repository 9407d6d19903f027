//! Defines [`Extensions`], typed values that are attached to a request.

use std::any::{Any, TypeId};
use std::fmt;

/// A map of typed values that middlewares, authenticators and parts attach to a request. It contains at most one value
/// of each type.
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
    // A request has only a few values. A linear search is faster than a hash map.
    values: Vec<(TypeId, Box<dyn Any>)>,
}

impl Extensions {
    /// Inserts a value and returns the previous value of the same type.
    pub fn insert<T: 'static>(&mut self, value: T) -> Option<T> {
        if let Some(known) = self.get_mut() {
            return Some(std::mem::replace(known, value));
        }
        self.values.push((TypeId::of::<T>(), Box::new(value)));
        None
    }

    /// Returns the attached value of type `T`.
    #[must_use]
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.values.get(self.place::<T>()?)?.1.downcast_ref()
    }

    /// Returns the attached value of type `T` as a mutable reference.
    pub fn get_mut<T: 'static>(&mut self) -> Option<&mut T> {
        let place = self.place::<T>()?;
        self.values.get_mut(place)?.1.downcast_mut()
    }

    /// Removes and returns the attached value of type `T`.
    pub fn remove<T: 'static>(&mut self) -> Option<T> {
        let (_, value) = self.values.swap_remove(self.place::<T>()?);
        value.downcast().ok().map(|value| *value)
    }

    fn place<T: 'static>(&self) -> Option<usize> {
        let id = TypeId::of::<T>();
        self.values.iter().position(|(known, _)| *known == id)
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Extensions").field("count", &self.values.len()).finish()
    }
}
