//! Values by their type, while an Api is built and after.

use std::any::{Any, TypeId};
use std::fmt;

/// Values that plans share while an Api is built, one per type.
#[derive(Default)]
pub(crate) struct State(Vec<(TypeId, Box<dyn Any>)>);

impl State {
    #[expect(clippy::expect_used, clippy::indexing_slicing, reason = "the position is that of a value of this type")]
    pub(crate) fn get<T: Default + 'static>(&mut self) -> &mut T {
        let id = TypeId::of::<T>();
        let known = self.0.iter().position(|(known, _)| *known == id);
        let position = known.unwrap_or_else(|| {
            self.0.push((id, Box::new(T::default())));
            self.0.len() - 1
        });
        self.0[position].1.downcast_mut().expect("a value of its type")
    }
}

impl fmt::Debug for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("State").field("count", &self.0.len()).finish()
    }
}

/// Values that plans keep for the requests of an operation, one per type.
#[doc(hidden)]
#[derive(Default)]
// There are a few at most, which a list finds faster than a map.
pub struct Kept(Vec<(TypeId, Box<dyn Any + Send + Sync>)>);

impl Kept {
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        let id = TypeId::of::<T>();
        self.0.iter().find(|(known, _)| *known == id)?.1.downcast_ref()
    }

    #[expect(clippy::expect_used, clippy::indexing_slicing, reason = "the position is that of a value of this type")]
    pub(crate) fn get_mut<T: Default + Send + Sync + 'static>(&mut self) -> &mut T {
        let id = TypeId::of::<T>();
        let known = self.0.iter().position(|(known, _)| *known == id);
        let position = known.unwrap_or_else(|| {
            self.0.push((id, Box::new(T::default())));
            self.0.len() - 1
        });
        self.0[position].1.downcast_mut().expect("a value of its type")
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Kept").field("count", &self.0.len()).finish()
    }
}
