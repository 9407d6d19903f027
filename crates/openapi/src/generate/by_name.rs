//! Defines [`ByName`], a list of named objects that is sorted by name and serialized as a map.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A list of named objects, which is sorted by name and serialized as a map.
///
/// It is a sorted list, because a map increases compile time for each type of object.
#[derive(Debug, Clone, PartialEq)]
// The objects are boxed, so an insertion moves only pointers.
pub struct ByName<T>(Vec<(String, Box<T>)>);

impl<T> ByName<T> {
    /// Returns the object with the name `name`, or `None` if there is no such object.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&T> {
        let (_, object) = self.0.get(self.position(name).ok()?)?;
        Some(object)
    }

    /// Returns an iterator over the names and their objects.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, object)| (name.as_str(), &**object))
    }

    /// Returns an iterator over the names and mutable references to their objects.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut T)> {
        self.0.iter_mut().map(|(name, object)| (name.as_str(), &mut **object))
    }

    /// Returns the number of objects in the list.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the object with the name `name`. Creates the object if it does not exist.
    pub(super) fn get_or_insert_with(&mut self, name: &str, make: impl FnOnce() -> T) -> &mut T {
        let position = self.position(name).unwrap_or_else(|position| {
            self.0.insert(position, (name.to_owned(), Box::new(make())));
            position
        });
        #[expect(clippy::indexing_slicing, reason = "the search returned the position of an object")]
        &mut self.0[position].1
    }

    fn position(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.as_str().cmp(name))
    }
}

impl<T> Default for ByName<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Serialize> Serialize for ByName<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, object) in &self.0 {
            map.serialize_entry(name, object)?;
        }
        map.end()
    }
}
