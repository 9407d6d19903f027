//! Defines `BuildState` and `KeptValues`, in which `plan` methods store one value per type.

use std::any::{Any, TypeId};
use std::fmt;

/// The values that `plan` methods share while an Api is built, at most one per type.
#[derive(Default)]
pub(crate) struct BuildState(Vec<(TypeId, Box<dyn Any>)>);

impl BuildState {
    #[expect(clippy::expect_used, reason = "the value under the id of a type is of that type")]
    pub(crate) fn get<T: Default + 'static>(&mut self) -> &mut T {
        value::<T, _>(&mut self.0, || Box::new(T::default())).downcast_mut().expect("a value of its type")
    }
}

impl fmt::Debug for BuildState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("BuildState").field("count", &self.0.len()).finish()
    }
}

/// The values that `plan` methods store for the requests of an operation, at most one per type.
#[derive(Default)]
// There are only a few values, so a list is faster than a map.
pub struct KeptValues(Vec<(TypeId, Box<dyn Any + Send + Sync>)>);

impl KeptValues {
    /// Returns the value of type `T`, or `None` if it is missing.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        let id = TypeId::of::<T>();
        self.0.iter().find(|(known, _)| *known == id)?.1.downcast_ref()
    }

    /// Returns the value of type `T`. Creates the value if it is missing.
    #[expect(clippy::expect_used, reason = "the value under the id of a type is of that type")]
    #[must_use]
    pub fn get_mut<T: Default + Send + Sync + 'static>(&mut self) -> &mut T {
        value::<T, _>(&mut self.0, || Box::new(T::default())).downcast_mut().expect("a value of its type")
    }
}

impl fmt::Debug for KeptValues {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("KeptValues").field("count", &self.0.len()).finish()
    }
}

/// Returns the value of type `T`. Creates the value if it is missing.
fn value<T: 'static, V: ?Sized>(values: &mut Vec<(TypeId, Box<V>)>, make: impl FnOnce() -> Box<V>) -> &mut V {
    let id = TypeId::of::<T>();
    let known = values.iter().position(|(known, _)| *known == id);
    let position = known.unwrap_or_else(|| {
        values.push((id, make()));
        values.len() - 1
    });
    #[expect(clippy::indexing_slicing, reason = "the position comes from the search")]
    &mut values[position].1
}
